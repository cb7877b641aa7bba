/* Pass: removes debug information in extended instructions. Shader identity ignores it, and it cannot change
 * code. It ties instructions to functions and scopes that inlining dissolves. The lines of
 * NonSemantic.Shader.DebugInfo.100 become OpLine, so reports keep their source lines. DebugPrintf stays:
 * people read its output. Needs: a parsed module. Sources: SPV_KHR_non_semantic_info;
 * NonSemantic.Shader.DebugInfo.100; OpenCL.DebugInfo.100. */
#include "compiler/normalize/internal.h"

#include <string.h>

#include "compiler/spirv/grammar.h"

enum { DEBUG_SOURCE = 35, DEBUG_LINE = 103, DEBUG_NO_LINE = 104 };

typedef enum set_kind { SET_OTHER, SET_STRIPPED, SET_SHADER_DEBUG } set_kind;

static set_kind kind_of(const wpg_inst *import)
{
    const char *name = import->opcode == SpvOpExtInstImport ? wpg_inst_string(import, 2) : NULL;
    if (!name)
        return SET_OTHER;
    if (!strcmp(name, "NonSemantic.Shader.DebugInfo.100"))
        return SET_SHADER_DEBUG;
    if (!strcmp(name, "OpenCL.DebugInfo.100") || !strcmp(name, "DebugInfo"))
        return SET_STRIPPED;
    return strncmp(name, "NonSemantic.", 12) != 0 || !strcmp(name, "NonSemantic.DebugPrintf") ? SET_OTHER
                                                                                              : SET_STRIPPED;
}

static bool constant_u32(const wpg_module *module, uint32_t id, uint32_t *value)
{
    uint64_t bits;
    uint32_t width;
    if (!wpg_const_value(module, id, &bits, &width) || width > 32)
        return false;
    *value = (uint32_t)bits;
    return true;
}

/* DebugLine: Source, Line Start, Line End, Column Start, Column End. */
static void keep_line(wpg_module *module, wpg_inst *inst)
{
    uint32_t line, column;
    if (inst->words[4] == DEBUG_NO_LINE)
        wpg_inst_insert(module, inst, SpvOpNoLine, NULL, 0);
    if (inst->words[4] != DEBUG_LINE || inst->count < 10)
        return;
    const wpg_inst *source = wpg_module_def(module, inst->words[5]);
    if (!source || source->opcode != SpvOpExtInst || source->count < 6 || source->words[4] != DEBUG_SOURCE ||
        wpg_module_opcode_of(module, source->words[5]) != SpvOpString)
        return;
    if (constant_u32(module, inst->words[6], &line) && constant_u32(module, inst->words[8], &column))
        wpg_inst_add(module, inst, SpvOpLine, source->words[5], line, column);
}

static bool is_ext_inst(const wpg_inst *inst)
{
    return (inst->opcode == SpvOpExtInst || inst->opcode == WPG_OP_EXT_INST_WITH_FORWARD_REFS) &&
           inst->count >= 5;
}

static set_kind set_of(const wpg_module *module, const wpg_inst *inst)
{
    const wpg_inst *import = wpg_module_def(module, inst->words[3]);
    return import ? kind_of(import) : SET_OTHER;
}

static void strip(wpg_module *module, wpg_marks *gone)
{
    /* From the end, so that a line still finds the source declared before it. */
    for (wpg_inst *inst = module->last, *prev; inst; inst = prev) {
        prev = inst->prev;
        bool import = inst->opcode == SpvOpExtInstImport;
        if (!import && !is_ext_inst(inst))
            continue;
        set_kind kind = import ? kind_of(inst) : set_of(module, inst);
        if (kind == SET_OTHER)
            continue;
        if (!import && kind == SET_SHADER_DEBUG)
            keep_line(module, inst);
        wpg_marks_add(gone, inst->result);
        wpg_inst_remove(module, inst);
    }
}

/* What prints debug information goes with it: a print is non-semantic, nothing but another one uses it. */
static void strip_users(wpg_module *module, wpg_marks *gone)
{
    for (wpg_inst *inst = module->first, *next; inst; inst = next) {
        next = inst->next;
        const wpg_inst *import = is_ext_inst(inst) ? wpg_module_def(module, inst->words[3]) : NULL;
        const char *name = import && import->opcode == SpvOpExtInstImport ? wpg_inst_string(import, 2) : NULL;
        bool uses = false;
        for (uint32_t at = 5; name && !strncmp(name, "NonSemantic.", 12) && at < inst->count; at++)
            uses |= wpg_marks_has(gone, inst->words[at]);
        if (!uses)
            continue;
        wpg_marks_add(gone, inst->result);
        wpg_inst_remove(module, inst);
    }
}

wpg_status wpg_strip_debug(wpg_module *module, wpg_error *err)
{
    bool any = false;
    for (wpg_inst *inst = module->first; inst && inst->opcode != SpvOpMemoryModel && !any; inst = inst->next)
        any = kind_of(inst) != SET_OTHER;
    if (!any)
        return WPG_OK;
    wpg_marks gone;
    WPG_TRY(wpg_marks_init(&gone, module, err));
    strip(module, &gone);
    strip_users(module, &gone);
    wpg_status status = wpg_remove_annotations(module, &gone, err);
    wpg_marks_finish(&gone);
    return status;
}
