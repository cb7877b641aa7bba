/* Whether a fragment shader, as its author wrote it, let the implementation test depth and stencil before
 * running it. Counting atomics forbid that where the shader does not ask for it (Vulkan, "Early Per-Fragment
 * Tests"), so the profile says which counts were taken that way. */
#include "compiler/instrument/plan.h"
#include "compiler/spirv/builder.h"

static bool writes_memory(const wpg_module *module, const wpg_inst *inst)
{
    switch ((SpvOp)inst->opcode) {
    case SpvOpImageWrite:
    case SpvOpBeginInvocationInterlockEXT:
        return true;
    case SpvOpStore:
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        break;
    case SpvOpAtomicLoad:
        return false;
    case SpvOpAtomicFAddEXT:
    case SpvOpAtomicFMinEXT:
    case SpvOpAtomicFMaxEXT:
        return true;
    default:
        return inst->opcode >= SpvOpAtomicStore && inst->opcode <= SpvOpAtomicXor;
    }
    const wpg_inst *pointer = inst->count > 1 ? wpg_module_def(module, inst->words[1]) : NULL;
    const wpg_inst *type = pointer ? wpg_module_def(module, pointer->type) : NULL;
    if (!type || type->opcode != SpvOpTypePointer || type->count < 3)
        return false;
    switch ((SpvStorageClass)type->words[2]) {
    case SpvStorageClassUniform:
    case SpvStorageClassStorageBuffer:
    case SpvStorageClassPhysicalStorageBuffer:
    case SpvStorageClassImage:
        return true;
    default:
        return false;
    }
}

/* Depth and stencil reference come from the shader, so their tests must wait for it anyway. */
static bool writes_tested_value(const wpg_inst *inst)
{
    return inst->opcode == SpvOpDecorate && inst->count == 4 && inst->words[2] == SpvDecorationBuiltIn &&
           (inst->words[3] == SpvBuiltInFragDepth || inst->words[3] == SpvBuiltInFragStencilRefEXT);
}

bool wpg_had_early_tests(const wpg_module *module, const wpg_inst *entry_point)
{
    /* With the mode the author asks for early tests, and atomics do not change that. */
    if (wpg_find_execution_mode(module, entry_point->words[2], SpvExecutionModeEarlyFragmentTests))
        return false;
    WPG_INST_EACH (inst, module) {
        if (writes_tested_value(inst) || writes_memory(module, inst))
            return false;
    }
    return true;
}
