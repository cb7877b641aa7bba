#include "compiler/spirv/debug.h"

#include <string.h>

#include "compiler/spirv/grammar.h"

/* Text of the OpString `id`, or NULL. */
static const char *string_of(const wpg_module *module, uint32_t id)
{
    const wpg_inst *def = wpg_module_def(module, id);
    return def && def->opcode == SpvOpString ? wpg_inst_string(def, 2) : NULL;
}

bool wpg_may_have_lines(const wpg_module *module)
{
    const wpg_inst *inst = module->first;
    while (inst && inst->opcode != SpvOpFunction && inst->opcode != SpvOpString)
        inst = inst->next;
    return inst && inst->opcode == SpvOpString;
}

bool wpg_line_of(wpg_source_line *line, const wpg_module *module, const wpg_inst *inst)
{
    for (const wpg_inst *at = inst->prev; at; at = at->prev) {
        if (at->opcode == SpvOpNoLine || wpg_opcode_is_terminator((SpvOp)at->opcode))
            return false;
        if (at->opcode == SpvOpLine && at->count == 4) {
            *line = (wpg_source_line){string_of(module, at->words[1]), at->words[2], at->words[3]};
            return true;
        }
    }
    return false;
}

/* Id of the file an instruction names, 0 if none. */
static uint32_t file_of(const wpg_inst *inst)
{
    if (inst->opcode == SpvOpSource && inst->count > 3)
        return inst->words[3];
    return inst->opcode == SpvOpLine && inst->count > 1 ? inst->words[1] : 0;
}

wpg_status wpg_module_source_files(const char *const **files, size_t *count, const wpg_module *module,
                                   wpg_arena *arena)
{
    size_t limit = 0;
    WPG_INST_EACH (inst, module) {
        limit += inst->opcode == SpvOpString;
    }
    const char **list = WPG_ARENA_ARRAY(arena, const char *, limit);
    if (!list)
        return WPG_E_NOMEM;
    size_t found = 0;
    const char *last = NULL;
    WPG_INST_EACH (inst, module) {
        uint32_t file = file_of(inst);
        const char *text = file ? string_of(module, file) : NULL;
        if (!text || text == last) /* runs of one file are the rule */
            continue;
        last = text;
        size_t i = 0;
        while (i < found && strcmp(list[i], text) != 0)
            i++;
        if (i == found && found < limit)
            list[found++] = text;
    }
    *files = list;
    *count = found;
    return WPG_OK;
}

bool wpg_module_debug_string(const wpg_module *module, bool (*matches)(const char *text, void *context),
                             void *context)
{
    WPG_INST_EACH (inst, module) {
        wpg_section section = wpg_inst_section(inst);
        if (section > WPG_SECTION_DEBUG)
            break;
        if (section != WPG_SECTION_DEBUG)
            continue;
        wpg_operand_walk walk = wpg_operands(module, inst);
        wpg_operand operand;
        while (wpg_operand_next(&walk, &operand)) {
            const char *text = operand.kind == WPG_OPERAND_STRING ? wpg_inst_string(inst, operand.at) : NULL;
            if (text && *text && matches(text, context))
                return true;
        }
    }
    return false;
}

bool wpg_is_remark_set(const wpg_inst *import)
{
    if (!import || import->opcode != SpvOpExtInstImport || import->count < 3)
        return false;
    const char first = *(const char *)&import->words[2]; /* asked of every extended instruction: for speed */
    if (first != 'N' && first != 'D' && first != 'O')
        return false;
    const char *name = wpg_inst_string(import, 2);
    return name && (!strncmp(name, "NonSemantic.", strlen("NonSemantic.")) || !strcmp(name, "DebugInfo") ||
                    !strcmp(name, "OpenCL.DebugInfo.100"));
}

bool wpg_is_remark(const wpg_module *module, const wpg_inst *inst)
{
    switch ((int)inst->opcode) {
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpNop:
        return true;
    case SpvOpExtInst:
    case WPG_OP_EXT_INST_WITH_FORWARD_REFS:
        return inst->count > 3 && wpg_is_remark_set(wpg_module_def(module, inst->words[3]));
    default:
        return false;
    }
}
