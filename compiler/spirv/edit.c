/* Editing a module: instructions in, out and changed, with defs kept; sections; small walks.
 * Threads, ownership, failure: module.h. Source: SPIR-V 1.6, 2.4 (logical layout). */
#include "compiler/spirv/module.h"

#include <string.h>

#include "compiler/spirv/grammar.h"
#include "compiler/spirv/module_internal.h"

enum { MAX_COUNT = 0xffff }; /* words of one instruction */

static void link_before(wpg_module *module, wpg_inst *inst, wpg_inst *where)
{
    wpg_inst *before = where ? where->prev : module->last;
    inst->prev = before;
    inst->next = where;
    *(before ? &before->next : &module->first) = inst;
    *(where ? &where->prev : &module->last) = inst;
}

static void unlink_inst(wpg_module *module, wpg_inst *inst)
{
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

wpg_inst *wpg_inst_insert(wpg_module *module, wpg_inst *where, SpvOp opcode, const uint32_t *operands,
                          size_t count)
{
    wpg_inst *inst = NULL;
    uint32_t *words = NULL;
    if (count < MAX_COUNT) {
        inst = WPG_ARENA_NEW(&module->arena, wpg_inst);
        words = WPG_ARENA_ARRAY(&module->arena, uint32_t, count + 1);
    }
    if (!inst || !words)
        return scratch(module, opcode, operands, count);
    inst->words = words;
    set_words(inst, opcode, operands, count);
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
    undefine(module, inst);
    set_words(inst, opcode, operands, count);
    define(module, inst);
}

void wpg_inst_set_operands(wpg_module *module, wpg_inst *inst, const uint32_t *operands, size_t count)
{
    wpg_inst_rewrite(module, inst, (SpvOp)inst->opcode, operands, count);
}

/* -- Sections ------------------------------------------------------------------------------------------ */

/* By opcode alone; WPG_SECTION_COUNT for those that may stand at module scope or in a function. */
static wpg_section section_of_opcode(const wpg_inst *inst)
{
    if (wpg_opcode_is_annotation(inst->opcode))
        return WPG_SECTION_ANNOTATION;
    switch (inst->opcode) {
    case SpvOpCapability:
        return WPG_SECTION_CAPABILITY;
    case SpvOpExtension:
        return WPG_SECTION_EXTENSION;
    case SpvOpExtInstImport:
        return WPG_SECTION_IMPORT;
    case SpvOpMemoryModel:
        return WPG_SECTION_MEMORY_MODEL;
    case SpvOpEntryPoint:
        return WPG_SECTION_ENTRY_POINT;
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return WPG_SECTION_EXECUTION_MODE;
    case SpvOpString:
    case SpvOpSource:
    case SpvOpSourceContinued:
    case SpvOpSourceExtension:
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpModuleProcessed:
        return WPG_SECTION_DEBUG;
    case SpvOpVariable:
        return inst->count > 3 && inst->words[3] == SpvStorageClassFunction ? WPG_SECTION_FUNCTION
                                                                            : WPG_SECTION_GLOBAL;
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpUndef:
    case SpvOpExtInst:
    case SpvOpNop:
        return WPG_SECTION_COUNT;
    default:
        break;
    }
    if ((inst->opcode >= SpvOpTypeVoid && inst->opcode <= SpvOpTypeForwardPointer) ||
        (inst->opcode >= SpvOpConstantTrue && inst->opcode <= SpvOpSpecConstantOp))
        return WPG_SECTION_GLOBAL;
    const wpg_opcode_info *info = wpg_opcode_lookup(inst->opcode);
    if (!info)
        return WPG_SECTION_COUNT;
    /* The remaining types and constants are extensions'. */
    return !strncmp(info->name, "OpType", 6) || !strncmp(info->name, "OpConstant", 10) ||
                   !strncmp(info->name, "OpSpecConstant", 14)
               ? WPG_SECTION_GLOBAL
               : WPG_SECTION_FUNCTION;
}

wpg_section wpg_inst_section(const wpg_inst *inst)
{
    wpg_section section = section_of_opcode(inst);
    if (section != WPG_SECTION_COUNT)
        return section;
    /* A line belongs to what follows it; the rest to what comes before. */
    bool line = inst->opcode == SpvOpLine || inst->opcode == SpvOpNoLine;
    for (const wpg_inst *at = line ? inst->next : inst->prev; at; at = line ? at->next : at->prev) {
        section = section_of_opcode(at);
        if (section == WPG_SECTION_COUNT)
            continue;
        /* Undefs and module-scope extended instructions stand among the types. */
        return line || section == WPG_SECTION_FUNCTION ? section : WPG_SECTION_GLOBAL;
    }
    return line ? WPG_SECTION_FUNCTION : WPG_SECTION_GLOBAL;
}

wpg_inst *wpg_module_section_end(const wpg_module *module, wpg_section section)
{
    if (section >= WPG_SECTION_FUNCTION)
        return NULL;
    if (section == WPG_SECTION_GLOBAL) {
        wpg_inst *end = wpg_globals_end(module);
        if (end)
            return end;
    }
    wpg_inst *run = NULL; /* first of the undecided ones just before `inst` */
    WPG_INST_EACH (inst, module) {
        wpg_section here = section_of_opcode(inst);
        if (here == WPG_SECTION_COUNT) {
            /* Lines go with what follows. The others stand among the types, or are unknown. */
            bool line = inst->opcode == SpvOpLine || inst->opcode == SpvOpNoLine;
            run = !line && section == WPG_SECTION_GLOBAL ? NULL : run ? run : inst;
            continue;
        }
        if (here > section)
            return run ? run : inst;
        run = NULL;
    }
    return run;
}

/* -- Walks --------------------------------------------------------------------------------------------- */

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

const wpg_inst *wpg_find_decoration(const wpg_module *module, uint32_t id, SpvDecoration decoration)
{
    for (const wpg_inst *at = module->first; at && at->opcode != SpvOpFunction; at = at->next)
        if (at->opcode == SpvOpDecorate && at->count > 2 && at->words[1] == id &&
            at->words[2] == (uint32_t)decoration)
            return at;
    return NULL;
}
