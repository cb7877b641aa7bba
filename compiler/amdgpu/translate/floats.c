/* Float arithmetic and comparisons. The only fast-math flag is `contract`, where the caller allows it and no
 * NoContraction forbids it. RelaxedPrecision is ignored: all arithmetic has full width. */
#include "compiler/amdgpu/translate/translate_internal.h"

/* Lets LLVM contract the operation, and a division or root of 32 bits err by so many ULP. */
static LLVMValueRef flagged(wpg_tr *t, LLVMValueRef value, float ulp)
{
    if (!value || !LLVMIsAInstruction(value)) /* folded */
        return value;
    if (t->options->contract && LLVMCanValueUseFastMathFlags(value) &&
        !(t->inst && t->inst->result &&
          wpg_tr_decoration(t, t->inst->result, SpvDecorationNoContraction, NULL)))
        LLVMSetFastMathFlags(value, LLVMFastMathAllowContract);
    if (ulp > 0 && t->options->gpu && !t->dividing_exactly && wpg_tr_scalar(LLVMTypeOf(value)) == t->t_f32) {
        LLVMMetadataRef error = LLVMValueAsMetadata(LLVMConstReal(t->t_f32, (double)ulp));
        LLVMMetadataRef node = LLVMMDNodeInContext2(t->context, &error, 1);
        LLVMSetMetadata(value, LLVMGetMDKindIDInContext(t->context, "fpmath", 6),
                        LLVMMetadataAsValue(t->context, node));
    }
    return value;
}

LLVMValueRef wpg_tr_mul(wpg_tr *t, LLVMValueRef a, LLVMValueRef b)
{
    return flagged(t, LLVMBuildFMul(t->builder, a, b, ""), 0);
}

LLVMValueRef wpg_tr_add(wpg_tr *t, LLVMValueRef a, LLVMValueRef b)
{
    return flagged(t, LLVMBuildFAdd(t->builder, a, b, ""), 0);
}

LLVMValueRef wpg_tr_sub(wpg_tr *t, LLVMValueRef a, LLVMValueRef b)
{
    return flagged(t, LLVMBuildFSub(t->builder, a, b, ""), 0);
}

/* Vulkan 1.3, appendix A: 2.5 ULP. */
LLVMValueRef wpg_tr_div(wpg_tr *t, LLVMValueRef a, LLVMValueRef b)
{
    return flagged(t, LLVMBuildFDiv(t->builder, a, b, ""), 2.5f);
}

/* Vulkan: as 1.0 / inversesqrt(), of 2 and 2.5 ULP. */
LLVMValueRef wpg_tr_sqrt(wpg_tr *t, LLVMValueRef a)
{
    return flagged(t, wpg_tr_call1(t, "llvm.sqrt", a), 3.0f);
}

LLVMValueRef wpg_tr_neg(wpg_tr *t, LLVMValueRef a)
{
    return LLVMBuildFNeg(t->builder, a, "");
}

LLVMValueRef wpg_tr_dot(wpg_tr *t, LLVMValueRef a, LLVMValueRef b)
{
    uint32_t count = wpg_tr_components(LLVMTypeOf(a));
    if (count == 1)
        return wpg_tr_mul(t, a, b);
    LLVMValueRef product = wpg_tr_mul(t, a, b), sum = wpg_tr_get(t, product, 0);
    for (uint32_t i = 1; i < count; i++)
        sum = wpg_tr_add(t, sum, wpg_tr_get(t, product, i));
    return sum;
}

static bool two_floats(LLVMValueRef operands[2], wpg_tr *t, const wpg_inst *inst)
{
    operands[0] = wpg_tr_value(t, inst, 3);
    operands[1] = operands[0] ? wpg_tr_value_of(t, inst, 4, LLVMTypeOf(operands[0])) : NULL;
    return operands[1] && (wpg_tr_is_float(LLVMTypeOf(operands[0])) || wpg_tr_malformed(t));
}

/* x - y * floor(x / y), or trunc: Vulkan 1.3, appendix A, derives the precision from just that. */
static LLVMValueRef remainder_of(wpg_tr *t, LLVMValueRef a, LLVMValueRef b, const char *rounding)
{
    LLVMValueRef whole = wpg_tr_call1(t, rounding, wpg_tr_div(t, a, b));
    return whole ? wpg_tr_sub(t, a, wpg_tr_mul(t, b, whole)) : NULL;
}

static bool binary(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef o[2];
    if (!two_floats(o, t, inst))
        return false;
    switch (inst->opcode) {
    case SpvOpFAdd:
        return wpg_tr_define(t, inst, wpg_tr_add(t, o[0], o[1]));
    case SpvOpFSub:
        return wpg_tr_define(t, inst, wpg_tr_sub(t, o[0], o[1]));
    case SpvOpFMul:
        return wpg_tr_define(t, inst, wpg_tr_mul(t, o[0], o[1]));
    case SpvOpFDiv:
        return wpg_tr_define(t, inst, wpg_tr_div(t, o[0], o[1]));
    case SpvOpFMod:
        return wpg_tr_define(t, inst, remainder_of(t, o[0], o[1], "llvm.floor"));
    case SpvOpFRem:
        return wpg_tr_define(t, inst, remainder_of(t, o[0], o[1], "llvm.trunc"));
    default:
        return wpg_tr_define(t, inst, wpg_tr_dot(t, o[0], o[1]));
    }
}

static bool vector_times_scalar(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef vector = wpg_tr_value(t, inst, 3);
    if (!vector || !wpg_tr_is_float(LLVMTypeOf(vector)))
        return vector && wpg_tr_malformed(t);
    LLVMValueRef scalar = wpg_tr_value_of(t, inst, 4, wpg_tr_scalar(LLVMTypeOf(vector)));
    return scalar &&
           wpg_tr_define(t, inst, wpg_tr_mul(t, vector, wpg_tr_splat(t, scalar, LLVMTypeOf(vector))));
}

static bool compare(wpg_tr *t, const wpg_inst *inst, LLVMRealPredicate predicate)
{
    LLVMValueRef o[2];
    return two_floats(o, t, inst) &&
           wpg_tr_define(t, inst, LLVMBuildFCmp(t->builder, predicate, o[0], o[1], ""));
}

static bool unary(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef a = wpg_tr_value(t, inst, 3);
    if (!a || !wpg_tr_is_float(LLVMTypeOf(a)))
        return a && wpg_tr_malformed(t);
    switch (inst->opcode) {
    case SpvOpFNegate:
        return wpg_tr_define(t, inst, wpg_tr_neg(t, a));
    case SpvOpIsNan:
        return wpg_tr_define(t, inst, LLVMBuildFCmp(t->builder, LLVMRealUNO, a, a, ""));
    default: {
        LLVMValueRef size = wpg_tr_call1(t, "llvm.fabs", a);
        LLVMValueRef infinity = wpg_tr_float(LLVMTypeOf(a), __builtin_inf());
        return size && wpg_tr_define(t, inst, LLVMBuildFCmp(t->builder, LLVMRealOEQ, size, infinity, ""));
    }
    }
}

wpg_tr_result wpg_tr_floats(wpg_tr *t, const wpg_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpFAdd:
    case SpvOpFSub:
    case SpvOpFMul:
    case SpvOpFDiv:
    case SpvOpFMod:
    case SpvOpFRem:
    case SpvOpDot:
        return wpg_tr_did(binary(t, inst));
    case SpvOpVectorTimesScalar:
        return wpg_tr_did(vector_times_scalar(t, inst));
    case SpvOpFNegate:
    case SpvOpIsNan:
    case SpvOpIsInf:
        return wpg_tr_did(unary(t, inst));
    case SpvOpFOrdEqual:
        return wpg_tr_did(compare(t, inst, LLVMRealOEQ));
    case SpvOpFUnordEqual:
        return wpg_tr_did(compare(t, inst, LLVMRealUEQ));
    case SpvOpFOrdNotEqual:
    case SpvOpLessOrGreater:
        return wpg_tr_did(compare(t, inst, LLVMRealONE));
    case SpvOpFUnordNotEqual:
        return wpg_tr_did(compare(t, inst, LLVMRealUNE));
    case SpvOpFOrdLessThan:
        return wpg_tr_did(compare(t, inst, LLVMRealOLT));
    case SpvOpFUnordLessThan:
        return wpg_tr_did(compare(t, inst, LLVMRealULT));
    case SpvOpFOrdGreaterThan:
        return wpg_tr_did(compare(t, inst, LLVMRealOGT));
    case SpvOpFUnordGreaterThan:
        return wpg_tr_did(compare(t, inst, LLVMRealUGT));
    case SpvOpFOrdLessThanEqual:
        return wpg_tr_did(compare(t, inst, LLVMRealOLE));
    case SpvOpFUnordLessThanEqual:
        return wpg_tr_did(compare(t, inst, LLVMRealULE));
    case SpvOpFOrdGreaterThanEqual:
        return wpg_tr_did(compare(t, inst, LLVMRealOGE));
    case SpvOpFUnordGreaterThanEqual:
        return wpg_tr_did(compare(t, inst, LLVMRealUGE));
    case SpvOpOrdered:
        return wpg_tr_did(compare(t, inst, LLVMRealORD));
    case SpvOpUnordered:
        return wpg_tr_did(compare(t, inst, LLVMRealUNO));
    default:
        return WPG_TR_OTHER;
    }
}
