/* Editing a module: instructions in, out and changed, with defs and section ends kept; small walks.
 * Threads, ownership, failure: module.h. */
#include "compiler/spirv/module.h"

#include <string.h>

#include "compiler/spirv/module_internal.h"

enum { MAX_COUNT = 0xffff }; /* words of one instruction */

static void link_before(wpg_module *module, wpg_inst *inst, wpg_inst *where)
{
    wpg_inst *before = where ? where->prev : module->last;
    module->edits++;
    inst->prev = before;
    inst->next = where;
    *(before ? &before->next : &module->first) = inst;
    *(where ? &where->prev : &module->last) = inst;
    if (!wpg_follows_code(inst))
        wpg_ends_inserted(module, inst);
}

static void unlink_inst(wpg_module *module, wpg_inst *inst)
{
    module->edits++;
    if (!wpg_follows_code(inst))
        wpg_ends_removing(module, inst);
    *(inst->prev ? &inst->prev->next : &module->first) = inst->next;
    *(inst->next ? &inst->next->prev : &module->last) = inst->prev;
    inst->prev = inst->next = NULL;
}

static void set_words(wpg_inst *inst, SpvOp opcode, const uint32_t *operands, size_t count)
{
    inst->opcode = (uint16_t)opcode;
    inst->count = (uint16_t)(count + 1);
    inst->words[0] = (uint32_t)inst->count << 16 | inst->opcode;
    if (count)
        memmove(inst->words + 1, operands, count * sizeof *operands);
    wpg_inst_read_ids(inst);
}

/* Outside the list, so that a caller may go on until it asks for the words (see module.h, failure). */
static wpg_inst *scratch(wpg_module *module, SpvOp opcode, const uint32_t *operands, size_t count)
{
    wpg_module_box *box = (wpg_module_box *)module;
    size_t room = sizeof box->scratch_words / sizeof *box->scratch_words - 1;
    module->arena.failed = 1;
    box->scratch = (wpg_inst){.words = box->scratch_words};
    set_words(&box->scratch, opcode, operands, count < room ? count : room);
    return &box->scratch;
}

static void define(wpg_module *module, wpg_inst *inst)
{
    wpg_module_set_def(module, inst->result, inst);
    wpg_globals_note(module, inst);
}

/* An instruction with its words behind it; NULL: out of memory. */
static wpg_inst *new_inst(wpg_module *module, size_t words)
{
    wpg_inst *inst = wpg_arena_alloc_raw(&module->arena, 1, sizeof *inst + words * sizeof *inst->words);
    if (inst)
        *inst = (wpg_inst){.words = (uint32_t *)(void *)(inst + 1)};
    return inst;
}

wpg_inst *wpg_inst_insert(wpg_module *module, wpg_inst *where, SpvOp opcode, const uint32_t *operands,
                          size_t count)
{
    wpg_inst *inst = count < MAX_COUNT ? new_inst(module, count + 1) : NULL;
    if (!inst)
        return scratch(module, opcode, operands, count);
    set_words(inst, opcode, operands, count);
    link_before(module, inst, where);
    define(module, inst);
    return inst;
}

wpg_inst *wpg_inst_copy(wpg_module *module, wpg_inst *where, const wpg_inst *from, uint32_t result)
{
    wpg_inst *inst = new_inst(module, from->count);
    if (!inst)
        return scratch(module, (SpvOp)from->opcode, from->words + 1, from->count - 1u);
    memcpy(inst->words, from->words, from->count * sizeof *inst->words);
    inst->opcode = from->opcode;
    inst->count = from->count;
    inst->type = from->type;
    if (from->result)
        inst->words[from->type ? 2 : 1] = inst->result = result;
    link_before(module, inst, where);
    define(module, inst);
    return inst;
}

static bool is_scratch(const wpg_module *module, const wpg_inst *inst)
{
    return inst == &((const wpg_module_box *)module)->scratch;
}

static void undefine(wpg_module *module, const wpg_inst *inst)
{
    if (wpg_module_def(module, inst->result) == inst)
        module->defs[inst->result] = NULL;
}

void wpg_inst_remove(wpg_module *module, wpg_inst *inst)
{
    if (is_scratch(module, inst))
        return;
    undefine(module, inst);
    unlink_inst(module, inst);
}

void wpg_inst_move(wpg_module *module, wpg_inst *inst, wpg_inst *where)
{
    if (inst == where || is_scratch(module, inst))
        return;
    unlink_inst(module, inst);
    link_before(module, inst, where);
}

void wpg_inst_rewrite(wpg_module *module, wpg_inst *inst, SpvOp opcode, const uint32_t *operands,
                      size_t count)
{
    if (is_scratch(module, inst) || count >= MAX_COUNT) {
        module->arena.failed = 1;
        return;
    }
    if (count + 1 > inst->count) {
        uint32_t *words = WPG_ARENA_ARRAY(&module->arena, uint32_t, count + 1);
        if (!words)
            return;
        inst->words = words; /* the old words stay valid: `operands` may point into them */
    }
    module->edits++;
    wpg_section before = wpg_inst_own_section(inst);
    undefine(module, inst);
    set_words(inst, opcode, operands, count);
    define(module, inst);
    wpg_ends_rewritten(module, inst, before);
}

void wpg_inst_set_operands(wpg_module *module, wpg_inst *inst, const uint32_t *operands, size_t count)
{
    wpg_inst_rewrite(module, inst, (SpvOp)inst->opcode, operands, count);
}

/* -- Walks --------------------------------------------------------------------------------------------- */

wpg_inst *wpg_first_function(const wpg_module *module)
{
    return wpg_next_function(wpg_module_section_end(module, WPG_SECTION_GLOBAL));
}

wpg_inst *wpg_next_function(wpg_inst *from)
{
    while (from && from->opcode != SpvOpFunction)
        from = from->next;
    return from;
}

wpg_inst *wpg_next_phi(wpg_inst *from)
{
    while (from && (from->opcode == SpvOpLine || from->opcode == SpvOpNoLine))
        from = from->next;
    return from && from->opcode == SpvOpPhi ? from : NULL;
}

wpg_inst *wpg_function_end(wpg_inst *function)
{
    while (function && function->opcode != SpvOpFunctionEnd)
        function = function->next;
    return function;
}

const wpg_inst *wpg_annotations_begin(const wpg_module *module)
{
    return wpg_module_section_end(module, WPG_SECTION_DEBUG);
}

const wpg_inst *wpg_annotations_end(const wpg_module *module)
{
    return module->decorates_late ? wpg_next_function(wpg_module_section_end(module, WPG_SECTION_GLOBAL))
                                  : wpg_module_section_end(module, WPG_SECTION_ANNOTATION);
}

const wpg_inst *wpg_find_decoration(const wpg_module *module, uint32_t id, SpvDecoration decoration)
{
    const wpg_inst *end = wpg_annotations_end(module);
    for (const wpg_inst *at = wpg_annotations_begin(module); at != end; at = at->next)
        if (at->opcode == SpvOpDecorate && at->count > 2 && at->words[1] == id &&
            at->words[2] == (uint32_t)decoration)
            return at;
    return NULL;
}
