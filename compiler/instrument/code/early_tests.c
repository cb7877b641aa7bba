/* Decides whether a fragment shader, as its author wrote it, allows depth and stencil tests before it runs.
 * Counting atomics forbid early tests unless the shader asks for them (Vulkan, "Early Per-Fragment Tests").
 * So the profile records which counts were taken without early tests. */
#include "compiler/instrument/code/plan.h"
#include "compiler/spirv/builder.h"

#include <string.h>

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

/* -- Declaring them */

/* The mask of covered samples is an output; the input of that name only reads it. */
static bool writes_sample_mask(const wpg_module *module, const wpg_inst *inst)
{
    const unsigned at = inst->opcode == SpvOpMemberDecorate ? 3 : 2;
    if ((inst->opcode != SpvOpDecorate && inst->opcode != SpvOpMemberDecorate) || inst->count != at + 2 ||
        inst->words[at] != SpvDecorationBuiltIn || inst->words[at + 1] != SpvBuiltInSampleMask)
        return false;
    const wpg_inst *variable = wpg_module_def(module, inst->words[1]);
    return !variable || variable->opcode != SpvOpVariable || variable->words[3] != SpvStorageClassInput;
}

/* Modes that have nothing to do with depth, stencil or the order of fragments; any other may have. */
static bool is_harmless_mode(const wpg_inst *inst)
{
    enum { MAXIMALLY_RECONVERGES = 6023 };
    switch (inst->words[2]) {
    case SpvExecutionModeOriginUpperLeft:
    case SpvExecutionModePixelCenterInteger:
    case SpvExecutionModeDenormPreserve:
    case SpvExecutionModeDenormFlushToZero:
    case SpvExecutionModeSignedZeroInfNanPreserve:
    case SpvExecutionModeRoundingModeRTE:
    case SpvExecutionModeRoundingModeRTZ:
    case SpvExecutionModeSubgroupUniformControlFlowKHR:
    case MAXIMALLY_RECONVERGES:
        return true;
    default:
        return false;
    }
}

/* Reading what is in the framebuffer: it may be the depth. */
static bool reads_framebuffer(const wpg_inst *inst)
{
    enum { TILE_IMAGE_COLOR = 4166, TILE_IMAGE_STENCIL = 4168 };
    return inst->opcode == SpvOpCapability &&
           (inst->words[1] == SpvCapabilityInputAttachment ||
            (inst->words[1] >= TILE_IMAGE_COLOR && inst->words[1] <= TILE_IMAGE_STENCIL));
}

static bool has_late_effect(const wpg_module *module, const wpg_inst *inst)
{
    switch ((SpvOp)inst->opcode) {
    case SpvOpKill:
    case SpvOpTerminateInvocation:
    case SpvOpDemoteToHelperInvocation:
    case SpvOpBeginInvocationInterlockEXT:
        return true;
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
        return !is_harmless_mode(inst);
    case SpvOpExtInstImport: { /* a debug print is a store of its own */
        const char *name = wpg_inst_string(inst, 2);
        return name && strcmp(name, "NonSemantic.DebugPrintf") == 0;
    }
    default:
        return writes_sample_mask(module, inst) || reads_framebuffer(inst);
    }
}

bool wpg_may_declare_early_tests(const wpg_module *module, const wpg_inst *entry_point)
{
    if (module->has_unknown || !wpg_had_early_tests(module, entry_point))
        return false;
    WPG_INST_EACH (inst, module) {
        if (has_late_effect(module, inst))
            return false;
    }
    return true;
}
