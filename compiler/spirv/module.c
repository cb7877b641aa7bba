/* Words to module and back. Parsing makes three passes over the words: word counts, definitions, then
 * operands and nesting against the grammar. Definitions come first because a literal is as wide as its type,
 * and the type may be defined anywhere. Threads, ownership: module.h. Source: SPIR-V 1.6, 2.3 (physical
 * layout), 2.4 (logical layout). */
#include "compiler/spirv/module.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/spirv/grammar.h"
#include "compiler/spirv/module_internal.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "literal strings are read as little-endian words");

enum { HEADER_WORDS = 5, MAX_MINOR = 6 };

/* -- Parse --------------------------------------------------------------------------------------------- */

typedef struct parser {
    wpg_module *module;
    uint32_t *words; /* the module's own copy, native order, header included */
    size_t count;
    wpg_error *err;
    /* Order and nesting, as the third walk goes along. */
    bool in_globals;
    bool in_function, in_block, had_block, after_unknown;
    wpg_operand_list operands;
} parser;

static const char *opcode_name(const wpg_inst *inst)
{
    const wpg_opcode_info *info = wpg_opcode_lookup(inst->opcode);
    return info ? info->name : "unknown instruction";
}

#define FAIL_AT(p, inst, fmt, ...)                                                                           \
    wpg_fail((p)->err, WPG_E_FORMAT, "SPIR-V word %zu, %s: " fmt, (size_t)((inst)->words - (p)->words),      \
             opcode_name(inst), ##__VA_ARGS__)

static wpg_status check_header(parser *p)
{
    uint32_t version = p->words[1], bound = p->words[3];
    if ((version & 0xff0000ff) || version >> 16 != 1 || (version >> 8 & 0xff) > MAX_MINOR)
        return wpg_fail(p->err, WPG_E_VERSION, "SPIR-V version word 0x%08x is not 1.0 to 1.%d", version,
                        MAX_MINOR);
    if (!bound)
        return wpg_fail(p->err, WPG_E_FORMAT, "SPIR-V id bound is 0");
    if (bound > WPG_SPIRV_MAX_BOUND)
        return wpg_fail(p->err, WPG_E_LIMIT, "SPIR-V id bound %u is over the limit of %d", bound,
                        WPG_SPIRV_MAX_BOUND);
    p->module->version = version;
    p->module->generator = p->words[2];
    p->module->bound = bound;
    p->module->schema = p->words[4];
    return WPG_OK;
}

static void copy_words(uint32_t *copy, const uint32_t *words, size_t count)
{
    if (words[0] == SpvMagicNumber) {
        memcpy(copy, words, count * sizeof *copy);
        return;
    }
    for (size_t i = 0; i < count; i++)
        copy[i] = __builtin_bswap32(words[i]);
}

/* First walk: where instructions begin. */
static wpg_status split(parser *p)
{
    size_t count = 0;
    for (size_t at = HEADER_WORDS; at < p->count; count++) {
        uint32_t length = p->words[at] >> 16;
        if (!length)
            return wpg_fail(p->err, WPG_E_FORMAT, "SPIR-V word %zu: an instruction of 0 words", at);
        if (length > p->count - at)
            return wpg_fail(p->err, WPG_E_FORMAT,
                            "SPIR-V word %zu: an instruction of %u words, but %zu are left", at, length,
                            p->count - at);
        at += length;
    }
    wpg_inst *list = WPG_ARENA_ARRAY(&p->module->arena, wpg_inst, count);
    if (!list)
        return wpg_fail(p->err, WPG_E_NOMEM, "no memory for %zu SPIR-V instructions", count);
    uint32_t *words = p->words + HEADER_WORDS;
    for (size_t i = 0; i < count; i++) {
        list[i] = (wpg_inst){.prev = i ? &list[i - 1] : NULL,
                             .next = i + 1 < count ? &list[i + 1] : NULL,
                             .words = words,
                             .opcode = (uint16_t)(words[0] & 0xffff),
                             .count = (uint16_t)(words[0] >> 16)};
        words += list[i].count;
    }
    p->module->first = count ? list : NULL;
    p->module->last = count ? list + count - 1 : NULL;
    return WPG_OK;
}

/* Second walk: who defines which id. */
static wpg_status define(parser *p)
{
    wpg_module *module = p->module;
    module->defs = calloc(module->bound, sizeof(wpg_inst *));
    if (!module->defs)
        return wpg_fail(p->err, WPG_E_NOMEM, "no memory for %u SPIR-V ids", module->bound);
    module->defs_capacity = module->bound;
    WPG_INST_EACH (inst, module) {
        wpg_inst_read_ids(inst);
        if (!inst->result)
            continue;
        if (inst->result >= module->bound)
            return FAIL_AT(p, inst, "result id %u is not below the bound %u", inst->result, module->bound);
        if (module->defs[inst->result])
            return FAIL_AT(p, inst, "id %u is defined twice", inst->result);
        module->defs[inst->result] = inst;
    }
    return WPG_OK;
}

static bool is_id(const parser *p, uint32_t id)
{
    return id && id < p->module->bound;
}

/* The common case, for speed: the instruction fits the grammar, and all ids are below the bound. */
static bool fits_plainly(parser *p, const wpg_inst *inst)
{
    const wpg_opcode_info *info = wpg_opcode_lookup(inst->opcode);
    if (!info || !wpg_used_ids(&p->operands, p->module, inst) || (info->has_type && !is_id(p, inst->type)) ||
        (info->has_result && !is_id(p, inst->result)))
        return false;
    for (size_t i = 0; i < p->operands.count; i++)
        if (!is_id(p, inst->words[p->operands.data[i]]))
            return false;
    return true;
}

static wpg_status check_operands(parser *p, const wpg_inst *inst)
{
    if (fits_plainly(p, inst))
        return WPG_OK;
    wpg_operand_walk walk = wpg_operands(p->module, inst);
    wpg_operand operand;
    while (wpg_operand_next(&walk, &operand)) {
        if (!wpg_operand_is_id(&operand))
            continue;
        uint32_t id = inst->words[operand.at];
        if (!is_id(p, id))
            return FAIL_AT(p, inst, "id %u is not between 1 and the bound %u", id, p->module->bound);
    }
    switch (walk.fault) {
    case WPG_OPERAND_FAULT_NONE:
        break;
    case WPG_OPERAND_FAULT_UNKNOWN:
        p->module->has_unknown = true;
        break;
    case WPG_OPERAND_FAULT_TRUNCATED:
        return FAIL_AT(p, inst, "%u words are too few", inst->count);
    case WPG_OPERAND_FAULT_STRING:
        return FAIL_AT(p, inst, "a string does not end within the instruction");
    }
    return WPG_OK;
}

/* Whether an instruction may stand in a function before its first block, or between blocks. */
static bool floats(const wpg_inst *inst)
{
    return inst->opcode == SpvOpLine || inst->opcode == SpvOpNoLine || inst->opcode == SpvOpExtInst ||
           inst->opcode == SpvOpNop || !wpg_opcode_lookup(inst->opcode);
}

static wpg_status nest_outside(parser *p, const wpg_inst *inst)
{
    wpg_section section = wpg_inst_own_section(inst);
    if (section == WPG_SECTION_GLOBAL)
        p->in_globals = true;
    else if (section == WPG_SECTION_ANNOTATION && p->in_globals)
        p->module->decorates_late = true;
    if (inst->opcode == SpvOpFunction)
        p->in_globals = p->in_function = true;
    else if (inst->opcode == SpvOpFunctionEnd || inst->opcode == SpvOpFunctionParameter ||
             inst->opcode == SpvOpLabel || wpg_opcode_is_terminator((SpvOp)inst->opcode))
        return FAIL_AT(p, inst, "outside any function");
    return WPG_OK;
}

static wpg_status nest_inside(parser *p, const wpg_inst *inst)
{
    /* An unknown instruction may have been a terminator. */
    bool block_over = !p->in_block || p->after_unknown;
    switch (inst->opcode) {
    case SpvOpFunction:
        return FAIL_AT(p, inst, "the function before it has no OpFunctionEnd");
    case SpvOpFunctionEnd:
        if (!block_over)
            return FAIL_AT(p, inst, "the block before it has no terminator");
        p->in_function = p->in_block = p->had_block = false;
        return WPG_OK;
    case SpvOpFunctionParameter:
        return p->had_block ? FAIL_AT(p, inst, "after the function's first block") : WPG_OK;
    case SpvOpLabel:
        if (!block_over)
            return FAIL_AT(p, inst, "the block before it has no terminator");
        p->in_block = p->had_block = true;
        return WPG_OK;
    default:
        if (!p->in_block && !floats(inst))
            return FAIL_AT(p, inst, "in a function but in no block");
        if (wpg_opcode_is_terminator((SpvOp)inst->opcode))
            p->in_block = false;
        return WPG_OK;
    }
}

/* Third walk. */
static wpg_status check(parser *p)
{
    WPG_INST_EACH (inst, p->module) {
        WPG_TRY(check_operands(p, inst));
        WPG_TRY(p->in_function ? nest_inside(p, inst) : nest_outside(p, inst));
        p->after_unknown = !wpg_opcode_lookup(inst->opcode);
    }
    if (p->in_function)
        return wpg_fail(p->err, WPG_E_FORMAT, "SPIR-V ends inside a function");
    return WPG_OK;
}

static wpg_status parse(parser *p, const uint32_t *words)
{
    if (words[0] != SpvMagicNumber && words[0] != __builtin_bswap32(SpvMagicNumber))
        return wpg_fail(p->err, WPG_E_FORMAT, "not SPIR-V: the magic number is 0x%08x", words[0]);
    p->words = WPG_ARENA_ARRAY(&p->module->arena, uint32_t, p->count);
    if (!p->words)
        return wpg_fail(p->err, WPG_E_NOMEM, "no memory for %zu SPIR-V words", p->count);
    copy_words(p->words, words, p->count);
    WPG_TRY(check_header(p));
    WPG_TRY(split(p));
    WPG_TRY(define(p));
    return check(p);
}

wpg_status wpg_module_parse(wpg_module **module, const uint32_t *words, size_t count, wpg_error *err)
{
    if (count < HEADER_WORDS)
        return wpg_fail(err, WPG_E_FORMAT, "%zu words are too few for a SPIR-V header", count);
    if (count > WPG_SPIRV_MAX_WORDS)
        return wpg_fail(err, WPG_E_LIMIT, "%zu SPIR-V words are over the limit of %d", count,
                        WPG_SPIRV_MAX_WORDS);
    wpg_module_box *box = calloc(1, sizeof *box);
    if (!box)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a SPIR-V module");
    wpg_arena_init(&box->module.arena);
    box->module.ends = &box->ends;
    parser p = {.module = &box->module, .count = count, .err = err};
    wpg_status status = parse(&p, words);
    wpg_vec_free(&p.operands);
    if (status != WPG_OK) {
        wpg_module_destroy(&box->module);
        return status;
    }
    *module = &box->module;
    return WPG_OK;
}

void wpg_module_destroy(wpg_module *module)
{
    if (!module)
        return;
    wpg_globals_destroy(module->globals);
    free(module->defs);
    wpg_arena_finish(&module->arena);
    free(module); /* the box's first member */
}

/* -- Emit ---------------------------------------------------------------------------------------------- */

wpg_status wpg_module_emit(uint32_t **words, size_t *count, const wpg_module *module, wpg_error *err)
{
    if (module->arena.failed)
        return wpg_fail(err, WPG_E_NOMEM, "memory or ids ran out while a SPIR-V module was edited");
    size_t total = HEADER_WORDS;
    WPG_INST_EACH (inst, module) {
        total += inst->count;
    }
    uint32_t *out = malloc(total * sizeof *out);
    if (!out)
        return wpg_fail(err, WPG_E_NOMEM, "no memory to emit %zu SPIR-V words", total);
    const uint32_t header[HEADER_WORDS] = {SpvMagicNumber, module->version, module->generator, module->bound,
                                           module->schema};
    memcpy(out, header, sizeof header);
    size_t at = HEADER_WORDS;
    WPG_INST_EACH (inst, module) {
        memcpy(out + at, inst->words, inst->count * sizeof *out);
        out[at] = (uint32_t)inst->count << 16 | inst->opcode;
        at += inst->count;
    }
    *words = out;
    *count = total;
    return WPG_OK;
}

/* -- Copy ---------------------------------------------------------------------------------------------- */

/* By words, where parsing finds out more than the module says. */
static wpg_status copy_by_words(wpg_module **copy, const wpg_module *module, wpg_error *err)
{
    uint32_t *words = NULL;
    size_t count = 0;
    wpg_status status = wpg_module_emit(&words, &count, module, err);
    if (status == WPG_OK)
        status = wpg_module_parse(copy, words, count, err);
    free(words);
    return status;
}

static bool copy_insts(wpg_module *copy, const wpg_module *module)
{
    size_t count = 0, total = 0;
    WPG_INST_EACH (inst, module) {
        count++;
        total += inst->count;
    }
    wpg_inst *list = wpg_arena_alloc_raw(&copy->arena, count, sizeof *list);
    uint32_t *words = wpg_arena_alloc_raw(&copy->arena, total, sizeof *words);
    copy->defs = calloc(module->bound, sizeof *copy->defs);
    if (!list || !words || !copy->defs)
        return false;
    copy->defs_capacity = module->bound;
    wpg_inst *last = NULL;
    WPG_INST_EACH (inst, module) {
        *list = *inst;
        list->prev = last;
        list->next = NULL;
        list->words = words;
        memcpy(words, inst->words, inst->count * sizeof *words);
        words[0] = (uint32_t)inst->count << 16 | inst->opcode;
        copy->defs[list->result] = list;
        *(last ? &last->next : &copy->first) = list;
        last = list++;
        words += inst->count;
    }
    copy->defs[0] = NULL;
    copy->last = last;
    return true;
}

wpg_status wpg_module_copy(wpg_module **out, const wpg_module *module, wpg_error *err)
{
    if (module->has_unknown || module->decorates_late || module->arena.failed)
        return copy_by_words(out, module, err);
    wpg_module_box *box = calloc(1, sizeof *box);
    if (!box)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a SPIR-V module");
    wpg_module *copy = &box->module;
    *copy = (wpg_module){.version = module->version,
                         .generator = module->generator,
                         .bound = module->bound,
                         .schema = module->schema,
                         .ends = &box->ends};
    wpg_arena_init(&copy->arena);
    if (!copy_insts(copy, module)) {
        wpg_module_destroy(copy);
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a copy of a SPIR-V module");
    }
    *out = copy;
    return WPG_OK;
}
