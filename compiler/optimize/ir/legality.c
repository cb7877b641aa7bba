/* Traits of instructions. See legality.h. The lists follow SPIR-V 1.6, section 3.49 (instructions),
 * and the GLSL.std.450 extended instruction set. */
#include "compiler/optimize/ir/legality.h"

#include <string.h>

#include <spirv/unified1/GLSL.std.450.h>

#include "compiler/spirv/builder.h"

enum {
    PURE = WPG_TRAIT_PURE,
    SAFE = WPG_TRAIT_PURE | WPG_TRAIT_SPECULATABLE,
    MATH = SAFE | WPG_TRAIT_FLOAT,
    PLAIN = WPG_TRAITS_PLAIN,
};

static bool is_debug_printf(const wpg_module *module, uint32_t set)
{
    const char *name = wpg_inst_string(wpg_module_def(module, set), 2);
    return name && strcmp(name, "NonSemantic.DebugPrintf") == 0;
}

static unsigned ext_traits(const wpg_module *module, const wpg_inst *inst)
{
    if (inst->count < 5)
        return WPG_TRAIT_UNKNOWN;
    if (wpg_inst_is_non_semantic(module, inst)) /* people read what DebugPrintf prints: it stays put */
        return is_debug_printf(module, inst->words[3]) ? 0 : SAFE;
    if (!wpg_is_glsl_set(module, inst->words[3]))
        return WPG_TRAIT_UNKNOWN;
    switch (inst->words[4]) {
    case GLSLstd450Modf: /* these two write through a pointer */
    case GLSLstd450Frexp:
        return WPG_TRAIT_WRITES;
    case GLSLstd450InterpolateAtCentroid: /* these read an input's plane equation: quad-wide hardware state */
    case GLSLstd450InterpolateAtSample:
    case GLSLstd450InterpolateAtOffset:
        return WPG_TRAIT_DERIVATIVE;
    case GLSLstd450SAbs:
    case GLSLstd450SSign:
    case GLSLstd450UMin:
    case GLSLstd450SMin:
    case GLSLstd450UMax:
    case GLSLstd450SMax:
    case GLSLstd450UClamp:
    case GLSLstd450SClamp:
    case GLSLstd450FindILsb:
    case GLSLstd450FindSMsb:
    case GLSLstd450FindUMsb:
        return SAFE;
    default:
        return inst->words[4] > GLSLstd450Bad && inst->words[4] < GLSLstd450Count ? MATH : WPG_TRAIT_UNKNOWN;
    }
}

const uint16_t wpg_common_traits[WPG_COMMON_OPCODES] = {
    [SpvOpFNegate] = MATH,
    [SpvOpFAdd] = MATH,
    [SpvOpFSub] = MATH,
    [SpvOpFMul] = MATH,
    [SpvOpFDiv] = MATH,
    [SpvOpFRem] = MATH,
    [SpvOpFMod] = MATH,
    [SpvOpVectorTimesScalar] = MATH,
    [SpvOpMatrixTimesScalar] = MATH,
    [SpvOpVectorTimesMatrix] = MATH,
    [SpvOpMatrixTimesVector] = MATH,
    [SpvOpMatrixTimesMatrix] = MATH,
    [SpvOpOuterProduct] = MATH,
    [SpvOpDot] = MATH,
    [SpvOpIEqual] = SAFE,
    [SpvOpINotEqual] = SAFE,
    [SpvOpUGreaterThan] = SAFE,
    [SpvOpSGreaterThan] = SAFE,
    [SpvOpUGreaterThanEqual] = SAFE,
    [SpvOpSGreaterThanEqual] = SAFE,
    [SpvOpULessThan] = SAFE,
    [SpvOpSLessThan] = SAFE,
    [SpvOpULessThanEqual] = SAFE,
    [SpvOpSLessThanEqual] = SAFE,
    [SpvOpSNegate] = SAFE,
    [SpvOpIAdd] = SAFE,
    [SpvOpISub] = SAFE,
    [SpvOpIMul] = SAFE,
    [SpvOpIAddCarry] = SAFE,
    [SpvOpISubBorrow] = SAFE,
    [SpvOpUMulExtended] = SAFE,
    [SpvOpSMulExtended] = SAFE,
    [SpvOpShiftLeftLogical] = SAFE,
    [SpvOpShiftRightLogical] = SAFE,
    [SpvOpShiftRightArithmetic] = SAFE,
    [SpvOpBitwiseAnd] = SAFE,
    [SpvOpBitwiseOr] = SAFE,
    [SpvOpBitwiseXor] = SAFE,
    [SpvOpNot] = SAFE,
    [SpvOpBitFieldInsert] = SAFE,
    [SpvOpBitFieldSExtract] = SAFE,
    [SpvOpBitFieldUExtract] = SAFE,
    [SpvOpBitReverse] = SAFE,
    [SpvOpBitCount] = SAFE,
    [SpvOpAny] = SAFE,
    [SpvOpAll] = SAFE,
    [SpvOpIsNan] = SAFE,
    [SpvOpIsInf] = SAFE,
    [SpvOpLogicalEqual] = SAFE,
    [SpvOpLogicalNotEqual] = SAFE,
    [SpvOpLogicalOr] = SAFE,
    [SpvOpLogicalAnd] = SAFE,
    [SpvOpLogicalNot] = SAFE,
    [SpvOpSelect] = SAFE,
    [SpvOpFOrdEqual] = SAFE,
    [SpvOpFUnordEqual] = SAFE,
    [SpvOpFOrdNotEqual] = SAFE,
    [SpvOpFUnordNotEqual] = SAFE,
    [SpvOpFOrdLessThan] = SAFE,
    [SpvOpFUnordLessThan] = SAFE,
    [SpvOpFOrdGreaterThan] = SAFE,
    [SpvOpFUnordGreaterThan] = SAFE,
    [SpvOpFOrdLessThanEqual] = SAFE,
    [SpvOpFUnordLessThanEqual] = SAFE,
    [SpvOpFOrdGreaterThanEqual] = SAFE,
    [SpvOpFUnordGreaterThanEqual] = SAFE,
    [SpvOpVectorExtractDynamic] = SAFE,
    [SpvOpVectorInsertDynamic] = SAFE,
    [SpvOpVectorShuffle] = SAFE,
    [SpvOpCompositeConstruct] = SAFE,
    [SpvOpCompositeExtract] = SAFE,
    [SpvOpCompositeInsert] = SAFE,
    [SpvOpCopyObject] = SAFE,
    [SpvOpCopyLogical] = SAFE,
    [SpvOpTranspose] = SAFE,
    [SpvOpConvertFToU] = SAFE,
    [SpvOpConvertFToS] = SAFE,
    [SpvOpConvertSToF] = SAFE,
    [SpvOpConvertUToF] = SAFE,
    [SpvOpUConvert] = SAFE,
    [SpvOpSConvert] = SAFE,
    [SpvOpFConvert] = SAFE,
    [SpvOpQuantizeToF16] = SAFE,
    [SpvOpBitcast] = SAFE,
    [SpvOpAccessChain] = SAFE,
    [SpvOpInBoundsAccessChain] = SAFE,
    /* division by zero is undefined: only where it ran before */
    [SpvOpUDiv] = PURE,
    [SpvOpSDiv] = PURE,
    [SpvOpUMod] = PURE,
    [SpvOpSRem] = PURE,
    [SpvOpSMod] = PURE,
    [SpvOpArrayLength] = PURE,
    [SpvOpSampledImage] = PURE,
    [SpvOpImage] = PURE,
    [SpvOpImageQuerySizeLod] = PURE,
    [SpvOpImageQuerySize] = PURE,
    [SpvOpImageQueryLevels] = PURE,
    [SpvOpImageQuerySamples] = PURE,
    [SpvOpLoad] = PURE | WPG_TRAIT_READS,
    [SpvOpImageSampleExplicitLod] = PURE | WPG_TRAIT_READS,
    [SpvOpImageSampleDrefExplicitLod] = PURE | WPG_TRAIT_READS,
    [SpvOpImageSampleProjExplicitLod] = PURE | WPG_TRAIT_READS,
    [SpvOpImageSampleProjDrefExplicitLod] = PURE | WPG_TRAIT_READS,
    [SpvOpImageFetch] = PURE | WPG_TRAIT_READS,
    [SpvOpImageSampleImplicitLod] = WPG_TRAIT_DERIVATIVE,
    [SpvOpImageSampleDrefImplicitLod] = WPG_TRAIT_DERIVATIVE,
    [SpvOpImageSampleProjImplicitLod] = WPG_TRAIT_DERIVATIVE,
    [SpvOpImageSampleProjDrefImplicitLod] = WPG_TRAIT_DERIVATIVE,
    [SpvOpStore] = WPG_TRAIT_WRITES,
    [SpvOpFunctionCall] = WPG_TRAIT_WRITES | WPG_TRAIT_READS,
    /* none of the others, and no effect of their own; each execution of OpUndef may give another value */
    [SpvOpNop] = PLAIN,
    [SpvOpLine] = PLAIN,
    [SpvOpNoLine] = PLAIN,
    [SpvOpFunction] = PLAIN,
    [SpvOpFunctionParameter] = PLAIN,
    [SpvOpFunctionEnd] = PLAIN,
    [SpvOpLabel] = PLAIN,
    [SpvOpVariable] = PLAIN,
    [SpvOpPhi] = PLAIN,
    [SpvOpUndef] = PLAIN,
    [SpvOpSelectionMerge] = PLAIN,
    [SpvOpLoopMerge] = PLAIN,
    [SpvOpBranch] = PLAIN,
    [SpvOpBranchConditional] = PLAIN,
    [SpvOpSwitch] = PLAIN,
    [SpvOpReturn] = PLAIN,
    [SpvOpReturnValue] = PLAIN,
    [SpvOpKill] = PLAIN,
    [SpvOpUnreachable] = PLAIN,
    [SpvOpPtrAccessChain] = PLAIN,
    [SpvOpPtrEqual] = PLAIN,
    [SpvOpPtrNotEqual] = PLAIN,
    [SpvOpPtrDiff] = PLAIN,
    [SpvOpConvertPtrToU] = PLAIN,
    [SpvOpConvertUToPtr] = PLAIN,
};

static unsigned fixed_traits(SpvOp opcode)
{
    if ((opcode >= SpvOpGroupNonUniformElect && opcode <= SpvOpGroupNonUniformQuadSwap) ||
        (opcode >= SpvOpGroupAll && opcode <= SpvOpGroupSMax))
        return WPG_TRAIT_SUBGROUP;
    if (wpg_opcode_image_access((uint16_t)opcode) == WPG_IMAGE_IMPLICIT)
        return WPG_TRAIT_DERIVATIVE;
    switch (opcode) {
    case SpvOpDPdx:
    case SpvOpDPdy:
    case SpvOpFwidth:
    case SpvOpDPdxFine:
    case SpvOpDPdyFine:
    case SpvOpFwidthFine:
    case SpvOpDPdxCoarse:
    case SpvOpDPdyCoarse:
    case SpvOpFwidthCoarse:
        return WPG_TRAIT_DERIVATIVE;
    case SpvOpSubgroupBallotKHR:
    case SpvOpSubgroupFirstInvocationKHR:
    case SpvOpSubgroupAllKHR:
    case SpvOpSubgroupAnyKHR:
    case SpvOpSubgroupAllEqualKHR:
    case SpvOpSubgroupReadInvocationKHR:
    case SpvOpGroupNonUniformRotateKHR:
    case SpvOpGroupNonUniformPartitionNV:
    case SpvOpGroupIAddNonUniformAMD:
    case SpvOpGroupFAddNonUniformAMD:
    case SpvOpGroupFMinNonUniformAMD:
    case SpvOpGroupUMinNonUniformAMD:
    case SpvOpGroupSMinNonUniformAMD:
    case SpvOpGroupFMaxNonUniformAMD:
    case SpvOpGroupUMaxNonUniformAMD:
    case SpvOpGroupSMaxNonUniformAMD:
    case SpvOpCooperativeMatrixLoadNV:
    case SpvOpCooperativeMatrixStoreNV:
    case SpvOpCooperativeMatrixMulAddNV:
    case SpvOpReadClockKHR:
        return WPG_TRAIT_SUBGROUP;
    case SpvOpControlBarrier:
    case SpvOpMemoryBarrier:
    case SpvOpBeginInvocationInterlockEXT:
    case SpvOpEndInvocationInterlockEXT:
        return WPG_TRAIT_BARRIER;
    case SpvOpDemoteToHelperInvocation:
    case SpvOpIsHelperInvocationEXT:
        return WPG_TRAIT_DEMOTE;
    default:
        return 0;
    }
}

static unsigned effect_traits(SpvOp opcode)
{
    if ((opcode >= SpvOpAtomicLoad && opcode <= SpvOpAtomicXor) || opcode == SpvOpAtomicFlagTestAndSet ||
        opcode == SpvOpAtomicFlagClear)
        return WPG_TRAIT_WRITES | WPG_TRAIT_READS;
    switch (opcode) {
    case SpvOpAtomicFMinEXT:
    case SpvOpAtomicFMaxEXT:
    case SpvOpAtomicFAddEXT:
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
        return WPG_TRAIT_WRITES | WPG_TRAIT_READS;
    case SpvOpImageWrite:
    case SpvOpEmitVertex:
    case SpvOpEndPrimitive:
    case SpvOpEmitStreamVertex:
    case SpvOpEndStreamPrimitive:
        return WPG_TRAIT_WRITES;
    case SpvOpImageRead:
    case SpvOpImageTexelPointer:
        return WPG_TRAIT_READS;
    default:
        return 0;
    }
}

/* An image instruction's operand mask: a Bias or a missing Lod means implicit derivatives. */
static bool gather_is_implicit(const wpg_inst *inst)
{
    return inst->count > 6 && (inst->words[6] & SpvImageOperandsBiasMask) != 0;
}

unsigned wpg_rare_traits(const wpg_module *module, const wpg_inst *inst)
{
    const SpvOp opcode = (SpvOp)inst->opcode;
    if (opcode == SpvOpExtInst)
        return ext_traits(module, inst);
    if (opcode == SpvOpImageGather || opcode == SpvOpImageDrefGather)
        return gather_is_implicit(inst) ? WPG_TRAIT_DERIVATIVE : PURE | WPG_TRAIT_READS;
    const unsigned traits = fixed_traits(opcode) | effect_traits(opcode);
    return traits || opcode == SpvOpTerminateInvocation ? traits : WPG_TRAIT_UNKNOWN;
}

const char *wpg_trait_name(unsigned traits)
{
    if (traits & WPG_TRAIT_DERIVATIVE)
        return "an implicit-lod sample or derivative";
    if (traits & WPG_TRAIT_SUBGROUP)
        return "a subgroup or quad operation";
    if (traits & WPG_TRAIT_BARRIER)
        return "a barrier";
    if (traits & WPG_TRAIT_UNKNOWN)
        return "an instruction not known here";
    return "nothing fixed";
}

unsigned wpg_module_traits(const wpg_module *module)
{
    unsigned traits = 0;
    for (const wpg_inst *inst = wpg_first_function(module); inst; inst = inst->next)
        traits |= wpg_inst_traits(module, inst);
    return traits;
}

bool wpg_type_may_be_merged(const wpg_module *module, uint32_t type)
{
    switch (wpg_module_opcode_of(module, type)) {
    case SpvOpTypeBool:
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
    case SpvOpTypeArray:
    case SpvOpTypeStruct:
        return true;
    default:
        return false;
    }
}

bool wpg_has_decoration_groups(const wpg_module *module)
{
    for (const wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (inst->opcode == SpvOpGroupDecorate || inst->opcode == SpvOpGroupMemberDecorate)
            return true;
    return false;
}
