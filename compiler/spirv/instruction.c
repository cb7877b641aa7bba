/* One instruction by itself: kinds of opcodes, strings among its words. Threads: no state. */
#include "compiler/spirv/module.h"

#include <string.h>

bool wpg_opcode_compares_ints(uint16_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpIEqual:
    case SpvOpINotEqual:
    case SpvOpUGreaterThan:
    case SpvOpSGreaterThan:
    case SpvOpUGreaterThanEqual:
    case SpvOpSGreaterThanEqual:
    case SpvOpULessThan:
    case SpvOpSLessThan:
    case SpvOpULessThanEqual:
    case SpvOpSLessThanEqual:
        return true;
    default:
        return false;
    }
}

wpg_image_access wpg_opcode_image_access(uint16_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpImageSampleImplicitLod:
    case SpvOpImageSampleDrefImplicitLod:
    case SpvOpImageSampleProjImplicitLod:
    case SpvOpImageSampleProjDrefImplicitLod:
    case SpvOpImageSparseSampleImplicitLod:
    case SpvOpImageSparseSampleDrefImplicitLod:
    case SpvOpImageSparseSampleProjImplicitLod:
    case SpvOpImageSparseSampleProjDrefImplicitLod:
    case SpvOpImageQueryLod:
        return WPG_IMAGE_IMPLICIT;
    case SpvOpImageSampleExplicitLod:
    case SpvOpImageSampleDrefExplicitLod:
    case SpvOpImageSampleProjExplicitLod:
    case SpvOpImageSampleProjDrefExplicitLod:
        return WPG_IMAGE_EXPLICIT;
    case SpvOpImageFetch:
        return WPG_IMAGE_FETCH;
    case SpvOpImageGather:
    case SpvOpImageDrefGather:
        return WPG_IMAGE_GATHER;
    case SpvOpImageQuerySizeLod:
    case SpvOpImageQuerySize:
    case SpvOpImageQueryLevels:
    case SpvOpImageQuerySamples:
        return WPG_IMAGE_QUERY;
    default:
        return WPG_IMAGE_NONE;
    }
}

bool wpg_opcode_reads_sampled(uint16_t opcode)
{
    const wpg_image_access access = wpg_opcode_image_access(opcode);
    return access == WPG_IMAGE_EXPLICIT || access == WPG_IMAGE_FETCH || access == WPG_IMAGE_GATHER;
}

bool wpg_opcode_is_annotation(uint16_t opcode)
{
    switch ((SpvOp)opcode) {
    case SpvOpDecorate:
    case SpvOpMemberDecorate:
    case SpvOpDecorationGroup:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
    case SpvOpDecorateId:
    case SpvOpDecorateString:
    case SpvOpMemberDecorateString:
        return true;
    default:
        return false;
    }
}

bool wpg_opcode_is_terminator(SpvOp opcode)
{
    switch (opcode) {
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpKill:
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpUnreachable:
    case SpvOpTerminateInvocation:
    case SpvOpIgnoreIntersectionKHR:
    case SpvOpTerminateRayKHR:
    case SpvOpEmitMeshTasksEXT:
        return true;
    default:
        return false;
    }
}

const char *wpg_inst_string(const wpg_inst *inst, size_t at)
{
    if (at >= inst->count)
        return NULL;
    const char *text = (const char *)(inst->words + at);
    return memchr(text, '\0', (inst->count - at) * sizeof(uint32_t)) ? text : NULL;
}

size_t wpg_string_words(uint32_t *words, const char *text)
{
    size_t length = strlen(text), count = length / sizeof(uint32_t) + 1;
    if (words) {
        words[count - 1] = 0;
        memcpy(words, text, length);
    }
    return count;
}

uint32_t wpg_member_taken_out(const wpg_module *module, const wpg_inst *inst)
{
    const wpg_inst *made = inst->opcode == SpvOpCompositeExtract && inst->count == 5
                               ? wpg_module_def(module, inst->words[3])
                               : NULL;
    return made && made->opcode == SpvOpCompositeConstruct && inst->words[4] + 3 < made->count &&
                   wpg_module_opcode_of(module, made->type) != SpvOpTypeVector
               ? made->words[3 + inst->words[4]]
               : 0;
}
