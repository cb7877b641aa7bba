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

static unsigned arithmetic_traits(SpvOp opcode)
{
    switch (opcode) {
    case SpvOpFNegate:
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpFDiv:
    case SpvOpFRem:
    case SpvOpFMod:
    case SpvOpVectorTimesScalar:
    case SpvOpMatrixTimesScalar:
    case SpvOpVectorTimesMatrix:
    case SpvOpMatrixTimesVector:
    case SpvOpMatrixTimesMatrix:
    case SpvOpOuterProduct:
    case SpvOpDot:
        return MATH;
    case SpvOpSNegate:
    case SpvOpIAdd:
    case SpvOpISub:
    case SpvOpIMul:
    case SpvOpIAddCarry:
    case SpvOpISubBorrow:
    case SpvOpUMulExtended:
    case SpvOpSMulExtended:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
    case SpvOpBitwiseAnd:
    case SpvOpBitwiseOr:
    case SpvOpBitwiseXor:
    case SpvOpNot:
    case SpvOpBitFieldInsert:
    case SpvOpBitFieldSExtract:
    case SpvOpBitFieldUExtract:
    case SpvOpBitReverse:
    case SpvOpBitCount:
        return SAFE;
    case SpvOpUDiv: /* division by zero is undefined: only where it ran before */
    case SpvOpSDiv:
    case SpvOpUMod:
    case SpvOpSRem:
    case SpvOpSMod:
        return PURE;
    default:
        return 0;
    }
}

static unsigned logic_traits(SpvOp opcode)
{
    if (wpg_opcode_compares_ints((uint16_t)opcode))
        return SAFE;
    switch (opcode) {
    case SpvOpAny:
    case SpvOpAll:
    case SpvOpIsNan:
    case SpvOpIsInf:
    case SpvOpLogicalEqual:
    case SpvOpLogicalNotEqual:
    case SpvOpLogicalOr:
    case SpvOpLogicalAnd:
    case SpvOpLogicalNot:
    case SpvOpSelect:
    case SpvOpFOrdEqual:
    case SpvOpFUnordEqual:
    case SpvOpFOrdNotEqual:
    case SpvOpFUnordNotEqual:
    case SpvOpFOrdLessThan:
    case SpvOpFUnordLessThan:
    case SpvOpFOrdGreaterThan:
    case SpvOpFUnordGreaterThan:
    case SpvOpFOrdLessThanEqual:
    case SpvOpFUnordLessThanEqual:
    case SpvOpFOrdGreaterThanEqual:
    case SpvOpFUnordGreaterThanEqual:
        return SAFE;
    default:
        return 0;
    }
}

static unsigned data_traits(SpvOp opcode)
{
    switch (opcode) {
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
    case SpvOpVectorShuffle:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpCopyObject:
    case SpvOpCopyLogical:
    case SpvOpTranspose:
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpFConvert:
    case SpvOpQuantizeToF16:
    case SpvOpBitcast:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        return SAFE;
    case SpvOpUndef: /* each execution may give another value */
        return 0;
    case SpvOpLoad:
        return PURE | WPG_TRAIT_READS;
    case SpvOpArrayLength:
    case SpvOpSampledImage:
    case SpvOpImage:
        return PURE;
    default: /* a gather whose Bias operand asks for derivatives: see wpg_inst_traits */
        if (wpg_opcode_reads_sampled((uint16_t)opcode))
            return PURE | WPG_TRAIT_READS;
        return wpg_opcode_image_access((uint16_t)opcode) == WPG_IMAGE_QUERY ? PURE : 0;
    }
}

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
    case SpvOpFunctionCall:
        return WPG_TRAIT_WRITES | WPG_TRAIT_READS;
    case SpvOpStore:
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

/* Instructions that are none of the others and have no effect of their own. */
static bool is_plain(SpvOp opcode)
{
    switch (opcode) {
    case SpvOpNop:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpFunction:
    case SpvOpFunctionParameter:
    case SpvOpFunctionEnd:
    case SpvOpLabel:
    case SpvOpVariable:
    case SpvOpPhi:
    case SpvOpUndef:
    case SpvOpSelectionMerge:
    case SpvOpLoopMerge:
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpKill:
    case SpvOpTerminateInvocation:
    case SpvOpUnreachable:
    case SpvOpPtrAccessChain:
    case SpvOpPtrEqual:
    case SpvOpPtrNotEqual:
    case SpvOpPtrDiff:
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
        return true;
    default:
        return false;
    }
}

/* An image instruction's operand mask: a Bias or a missing Lod means implicit derivatives. */
static bool gather_is_implicit(const wpg_inst *inst)
{
    return inst->count > 6 && (inst->words[6] & SpvImageOperandsBiasMask) != 0;
}

unsigned wpg_inst_traits(const wpg_module *module, const wpg_inst *inst)
{
    SpvOp opcode = (SpvOp)inst->opcode;
    if (opcode == SpvOpExtInst)
        return ext_traits(module, inst);
    unsigned traits = arithmetic_traits(opcode);
    if (!traits)
        traits = logic_traits(opcode);
    if (!traits)
        traits = data_traits(opcode);
    if (!traits)
        traits = fixed_traits(opcode) | effect_traits(opcode);
    if (wpg_opcode_image_access(inst->opcode) == WPG_IMAGE_GATHER && gather_is_implicit(inst))
        traits = WPG_TRAIT_DERIVATIVE;
    if (!traits && !is_plain(opcode))
        traits = WPG_TRAIT_UNKNOWN;
    return traits;
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
    for (const wpg_inst *inst = wpg_next_function(module->first); inst; inst = inst->next)
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
