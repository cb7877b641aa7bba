/* Integer, bit and boolean instructions, comparisons, select.
 *
 * A result that SPIR-V leaves undefined must not become LLVM's undefined behaviour. A divisor of zero becomes
 * one, and so does that of an overflowing signed division. Shift amounts wrap as in AMD's shifters. */
#include "compiler/amdgpu/translate/translate_internal.h"

typedef struct two {
    LLVMValueRef a, b;
    LLVMTypeRef type;
} two;

/* Two operands of one integer type. */
static bool two_ints(two *o, wpg_tr *t, const wpg_inst *inst)
{
    o->a = wpg_tr_value(t, inst, 3);
    o->b = o->a ? wpg_tr_value_of(t, inst, 4, LLVMTypeOf(o->a)) : NULL;
    if (!o->b)
        return false;
    o->type = LLVMTypeOf(o->a);
    return wpg_tr_is_int(o->type) || wpg_tr_malformed(t);
}

static bool binary(wpg_tr *t, const wpg_inst *inst, LLVMOpcode opcode)
{
    two o;
    return two_ints(&o, t, inst) && wpg_tr_define(t, inst, LLVMBuildBinOp(t->builder, opcode, o.a, o.b, ""));
}

static LLVMValueRef nonzero_divisor(wpg_tr *t, two o, bool is_signed)
{
    LLVMValueRef zero = LLVMConstNull(o.type), one = wpg_tr_int(o.type, 1);
    LLVMValueRef bad = LLVMBuildICmp(t->builder, LLVMIntEQ, o.b, zero, "");
    if (is_signed) {
        LLVMValueRef least = wpg_tr_int(o.type, UINT64_C(1) << (wpg_tr_bits(o.type) - 1));
        LLVMValueRef overflows =
            LLVMBuildAnd(t->builder, LLVMBuildICmp(t->builder, LLVMIntEQ, o.a, least, ""),
                         LLVMBuildICmp(t->builder, LLVMIntEQ, o.b, LLVMConstAllOnes(o.type), ""), "");
        bad = LLVMBuildOr(t->builder, bad, overflows, "");
    }
    return LLVMBuildSelect(t->builder, bad, one, o.b, "");
}

static bool divide(wpg_tr *t, const wpg_inst *inst, LLVMOpcode opcode, bool is_signed)
{
    two o;
    if (!two_ints(&o, t, inst))
        return false;
    o.b = nonzero_divisor(t, o, is_signed);
    return wpg_tr_define(t, inst, LLVMBuildBinOp(t->builder, opcode, o.a, o.b, ""));
}

/* The remainder takes the divisor's sign. */
static bool signed_modulo(wpg_tr *t, const wpg_inst *inst)
{
    two o;
    if (!two_ints(&o, t, inst))
        return false;
    o.b = nonzero_divisor(t, o, true);
    LLVMValueRef zero = LLVMConstNull(o.type), rest = LLVMBuildSRem(t->builder, o.a, o.b, "");
    LLVMValueRef differ =
        LLVMBuildICmp(t->builder, LLVMIntSLT, LLVMBuildXor(t->builder, rest, o.b, ""), zero, "");
    LLVMValueRef some = LLVMBuildICmp(t->builder, LLVMIntNE, rest, zero, "");
    return wpg_tr_define(t, inst,
                         LLVMBuildSelect(t->builder, LLVMBuildAnd(t->builder, differ, some, ""),
                                         LLVMBuildAdd(t->builder, rest, o.b, ""), rest, ""));
}

/* An integer value as another width, zeros above. */
static LLVMValueRef as_width(wpg_tr *t, LLVMValueRef value, LLVMTypeRef type)
{
    uint32_t from = wpg_tr_bits(LLVMTypeOf(value)), to = wpg_tr_bits(type);
    return from < to   ? LLVMBuildZExt(t->builder, value, type, "")
           : from > to ? LLVMBuildTrunc(t->builder, value, type, "")
                       : value;
}

static bool shift(wpg_tr *t, const wpg_inst *inst, LLVMOpcode opcode)
{
    LLVMValueRef base = wpg_tr_value(t, inst, 3), amount = base ? wpg_tr_value(t, inst, 4) : NULL;
    if (!amount)
        return false;
    LLVMTypeRef type = LLVMTypeOf(base);
    if (!wpg_tr_is_int(type) || !wpg_tr_is_int(LLVMTypeOf(amount)) ||
        wpg_tr_components(type) != wpg_tr_components(LLVMTypeOf(amount)))
        return wpg_tr_malformed(t);
    amount = LLVMBuildAnd(t->builder, as_width(t, amount, type), wpg_tr_int(type, wpg_tr_bits(type) - 1), "");
    return wpg_tr_define(t, inst, LLVMBuildBinOp(t->builder, opcode, base, amount, ""));
}

static bool compare(wpg_tr *t, const wpg_inst *inst, LLVMIntPredicate predicate)
{
    two o;
    return two_ints(&o, t, inst) &&
           wpg_tr_define(t, inst, LLVMBuildICmp(t->builder, predicate, o.a, o.b, ""));
}

static bool unary(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef a = wpg_tr_value(t, inst, 3);
    if (!a)
        return false;
    if (!wpg_tr_is_int(LLVMTypeOf(a)))
        return wpg_tr_malformed(t);
    switch (inst->opcode) {
    case SpvOpSNegate:
        return wpg_tr_define(t, inst, LLVMBuildNeg(t->builder, a, ""));
    case SpvOpNot:
        return wpg_tr_define(t, inst, LLVMBuildNot(t->builder, a, ""));
    case SpvOpBitReverse:
        return wpg_tr_define(t, inst, wpg_tr_call1(t, "llvm.bitreverse", a));
    default: { /* the count may be of another width than what is counted */
        const wpg_tr_type *type = wpg_tr_result_type(t, inst);
        if (!type)
            return false;
        if (!wpg_tr_is_int(type->llvm) || wpg_tr_components(type->llvm) != wpg_tr_components(LLVMTypeOf(a)))
            return wpg_tr_malformed(t);
        return wpg_tr_define(t, inst, as_width(t, wpg_tr_call1(t, "llvm.ctpop", a), type->llvm));
    }
    }
}

/* Low and high word of a product, or sum and carry, as a struct of two. */
static bool wide(wpg_tr *t, const wpg_inst *inst)
{
    two o;
    LLVMValueRef low, high;
    const wpg_tr_type *type = wpg_tr_result_type(t, inst);
    if (!type || !two_ints(&o, t, inst))
        return false;
    uint32_t bits = wpg_tr_bits(o.type);
    LLVMTypeRef doubled =
        wpg_tr_with_components(LLVMIntTypeInContext(t->context, bits * 2), wpg_tr_components(o.type));
    if (type->kind != WPG_TR_STRUCT || type->count != 2 || t->types[type->members[0].type]->llvm != o.type ||
        t->types[type->members[1].type]->llvm != o.type)
        return wpg_tr_malformed(t);
    if (inst->opcode == SpvOpIAddCarry || inst->opcode == SpvOpISubBorrow) {
        bool add = inst->opcode == SpvOpIAddCarry;
        low = LLVMBuildBinOp(t->builder, add ? LLVMAdd : LLVMSub, o.a, o.b, "");
        high = LLVMBuildICmp(t->builder, LLVMIntULT, add ? low : o.a, add ? o.a : o.b, "");
        high = LLVMBuildZExt(t->builder, high, o.type, "");
    } else {
        LLVMOpcode extend = inst->opcode == SpvOpSMulExtended ? LLVMSExt : LLVMZExt;
        LLVMValueRef product = LLVMBuildMul(t->builder, LLVMBuildCast(t->builder, extend, o.a, doubled, ""),
                                            LLVMBuildCast(t->builder, extend, o.b, doubled, ""), "");
        low = LLVMBuildTrunc(t->builder, product, o.type, "");
        product = LLVMBuildLShr(t->builder, product, wpg_tr_int(doubled, bits), "");
        high = LLVMBuildTrunc(t->builder, product, o.type, "");
    }
    LLVMValueRef pair = wpg_tr_set(t, LLVMGetPoison(type->llvm), low, 0);
    return wpg_tr_define(t, inst, wpg_tr_set(t, pair, high, 1));
}

/* A scalar offset or count of any width, as a value of `type`. */
static LLVMValueRef field_operand(wpg_tr *t, const wpg_inst *inst, unsigned at, LLVMTypeRef type)
{
    LLVMValueRef value = wpg_tr_value(t, inst, at);
    if (!value)
        return NULL;
    if (!wpg_tr_is_int(LLVMTypeOf(value)) || wpg_tr_components(LLVMTypeOf(value)) != 1) {
        wpg_tr_malformed(t);
        return NULL;
    }
    return wpg_tr_splat(t, as_width(t, value, wpg_tr_scalar(type)), type);
}

/* `count` ones, for counts from 0 to the type's width. */
static LLVMValueRef ones(wpg_tr *t, LLVMValueRef count)
{
    LLVMTypeRef type = LLVMTypeOf(count);
    uint32_t bits = wpg_tr_bits(type);
    LLVMValueRef wrapped =
        LLVMBuildAnd(t->builder, LLVMBuildSub(t->builder, wpg_tr_int(type, bits), count, ""),
                     wpg_tr_int(type, bits - 1), "");
    LLVMValueRef none = LLVMBuildICmp(t->builder, LLVMIntEQ, count, LLVMConstNull(type), "");
    return LLVMBuildSelect(t->builder, none, LLVMConstNull(type),
                           LLVMBuildLShr(t->builder, LLVMConstAllOnes(type), wrapped, ""), "");
}

static bool bit_field(wpg_tr *t, const wpg_inst *inst)
{
    bool inserts = inst->opcode == SpvOpBitFieldInsert;
    LLVMValueRef base = wpg_tr_value(t, inst, 3), part = NULL, result;
    if (!base || (inserts && !(part = wpg_tr_value_of(t, inst, 4, LLVMTypeOf(base)))))
        return false;
    LLVMTypeRef type = LLVMTypeOf(base);
    if (!wpg_tr_is_int(type))
        return wpg_tr_malformed(t);
    LLVMValueRef offset = field_operand(t, inst, inserts ? 5 : 4, type);
    LLVMValueRef count = offset ? field_operand(t, inst, inserts ? 6 : 5, type) : NULL;
    if (!count)
        return false;
    uint32_t bits = wpg_tr_bits(type);
    LLVMValueRef wrap = wpg_tr_int(type, bits - 1), at = LLVMBuildAnd(t->builder, offset, wrap, "");
    LLVMValueRef mask = ones(t, count);
    if (inserts) {
        mask = LLVMBuildShl(t->builder, mask, at, "");
        part = LLVMBuildAnd(t->builder, LLVMBuildShl(t->builder, part, at, ""), mask, "");
        base = LLVMBuildAnd(t->builder, base, LLVMBuildNot(t->builder, mask, ""), "");
        result = LLVMBuildOr(t->builder, base, part, "");
    } else {
        result = LLVMBuildAnd(t->builder, LLVMBuildLShr(t->builder, base, at, ""), mask, "");
        if (inst->opcode == SpvOpBitFieldSExtract) {
            /* (x ^ sign) - sign, where sign is the field's top bit; none where the field is empty. */
            LLVMValueRef sign =
                LLVMBuildXor(t->builder, mask, LLVMBuildLShr(t->builder, mask, wpg_tr_int(type, 1), ""), "");
            result = LLVMBuildSub(t->builder, LLVMBuildXor(t->builder, result, sign, ""), sign, "");
        }
    }
    return wpg_tr_define(t, inst, result);
}

static bool logical(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef a = wpg_tr_value(t, inst, 3), b = NULL;
    bool one = inst->opcode == SpvOpLogicalNot;
    if (!a || !wpg_tr_is_bool(LLVMTypeOf(a)))
        return a && wpg_tr_malformed(t);
    if (!one && !(b = wpg_tr_value_of(t, inst, 4, LLVMTypeOf(a))))
        return false;
    switch (inst->opcode) {
    case SpvOpLogicalNot:
        return wpg_tr_define(t, inst, LLVMBuildNot(t->builder, a, ""));
    case SpvOpLogicalAnd:
        return wpg_tr_define(t, inst, LLVMBuildAnd(t->builder, a, b, ""));
    case SpvOpLogicalOr:
        return wpg_tr_define(t, inst, LLVMBuildOr(t->builder, a, b, ""));
    default:
        return wpg_tr_define(
            t, inst,
            LLVMBuildICmp(t->builder, inst->opcode == SpvOpLogicalEqual ? LLVMIntEQ : LLVMIntNE, a, b, ""));
    }
}

static bool any_all(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef vector = wpg_tr_value(t, inst, 3);
    if (!vector || !wpg_tr_is_bool(LLVMTypeOf(vector)))
        return vector && wpg_tr_malformed(t);
    uint32_t count = wpg_tr_components(LLVMTypeOf(vector));
    if (count < 2)
        return wpg_tr_malformed(t);
    LLVMValueRef sum = wpg_tr_get(t, vector, 0);
    for (uint32_t i = 1; i < count; i++)
        sum = LLVMBuildBinOp(t->builder, inst->opcode == SpvOpAny ? LLVMOr : LLVMAnd, sum,
                             wpg_tr_get(t, vector, i), "");
    return wpg_tr_define(t, inst, sum);
}

static bool choose(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef condition = wpg_tr_value(t, inst, 3), a = condition ? wpg_tr_value(t, inst, 4) : NULL;
    LLVMValueRef b = a ? wpg_tr_value_of(t, inst, 5, LLVMTypeOf(a)) : NULL;
    if (!b)
        return false;
    LLVMTypeRef type = LLVMTypeOf(condition);
    uint32_t count = wpg_tr_components(type);
    if (!wpg_tr_is_bool(type) || (count > 1 && count != wpg_tr_components(LLVMTypeOf(a))))
        return wpg_tr_malformed(t);
    return wpg_tr_define(t, inst, LLVMBuildSelect(t->builder, condition, a, b, ""));
}

wpg_tr_result wpg_tr_integers(wpg_tr *t, const wpg_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpIAdd:
        return wpg_tr_did(binary(t, inst, LLVMAdd));
    case SpvOpISub:
        return wpg_tr_did(binary(t, inst, LLVMSub));
    case SpvOpIMul:
        return wpg_tr_did(binary(t, inst, LLVMMul));
    case SpvOpBitwiseAnd:
        return wpg_tr_did(binary(t, inst, LLVMAnd));
    case SpvOpBitwiseOr:
        return wpg_tr_did(binary(t, inst, LLVMOr));
    case SpvOpBitwiseXor:
        return wpg_tr_did(binary(t, inst, LLVMXor));
    case SpvOpUDiv:
        return wpg_tr_did(divide(t, inst, LLVMUDiv, false));
    case SpvOpSDiv:
        return wpg_tr_did(divide(t, inst, LLVMSDiv, true));
    case SpvOpUMod:
        return wpg_tr_did(divide(t, inst, LLVMURem, false));
    case SpvOpSRem:
        return wpg_tr_did(divide(t, inst, LLVMSRem, true));
    case SpvOpSMod:
        return wpg_tr_did(signed_modulo(t, inst));
    case SpvOpShiftLeftLogical:
        return wpg_tr_did(shift(t, inst, LLVMShl));
    case SpvOpShiftRightLogical:
        return wpg_tr_did(shift(t, inst, LLVMLShr));
    case SpvOpShiftRightArithmetic:
        return wpg_tr_did(shift(t, inst, LLVMAShr));
    case SpvOpIEqual:
        return wpg_tr_did(compare(t, inst, LLVMIntEQ));
    case SpvOpINotEqual:
        return wpg_tr_did(compare(t, inst, LLVMIntNE));
    case SpvOpUGreaterThan:
        return wpg_tr_did(compare(t, inst, LLVMIntUGT));
    case SpvOpUGreaterThanEqual:
        return wpg_tr_did(compare(t, inst, LLVMIntUGE));
    case SpvOpULessThan:
        return wpg_tr_did(compare(t, inst, LLVMIntULT));
    case SpvOpULessThanEqual:
        return wpg_tr_did(compare(t, inst, LLVMIntULE));
    case SpvOpSGreaterThan:
        return wpg_tr_did(compare(t, inst, LLVMIntSGT));
    case SpvOpSGreaterThanEqual:
        return wpg_tr_did(compare(t, inst, LLVMIntSGE));
    case SpvOpSLessThan:
        return wpg_tr_did(compare(t, inst, LLVMIntSLT));
    case SpvOpSLessThanEqual:
        return wpg_tr_did(compare(t, inst, LLVMIntSLE));
    case SpvOpSNegate:
    case SpvOpNot:
    case SpvOpBitReverse:
    case SpvOpBitCount:
        return wpg_tr_did(unary(t, inst));
    case SpvOpIAddCarry:
    case SpvOpISubBorrow:
    case SpvOpUMulExtended:
    case SpvOpSMulExtended:
        return wpg_tr_did(wide(t, inst));
    case SpvOpBitFieldInsert:
    case SpvOpBitFieldSExtract:
    case SpvOpBitFieldUExtract:
        return wpg_tr_did(bit_field(t, inst));
    case SpvOpLogicalNot:
    case SpvOpLogicalAnd:
    case SpvOpLogicalOr:
    case SpvOpLogicalEqual:
    case SpvOpLogicalNotEqual:
        return wpg_tr_did(logical(t, inst));
    case SpvOpAny:
    case SpvOpAll:
        return wpg_tr_did(any_all(t, inst));
    case SpvOpSelect:
        return wpg_tr_did(choose(t, inst));
    default:
        return WPG_TR_OTHER;
    }
}
