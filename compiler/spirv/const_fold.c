/* Folds one operation at a time: see const_fold.h. An operation without a defined result is not folded. */
#include "compiler/spirv/const_fold.h"

static uint64_t mask_of(uint32_t width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static int64_t sign_extend(uint64_t bits, uint32_t width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)(((bits & mask_of(width)) ^ sign) - sign);
}

/* Signed division and its remainders: undefined by zero and when the quotient does not fit. */
static bool divide_signed(uint64_t *out, SpvOp opcode, int64_t a, int64_t b, uint32_t width)
{
    int64_t least = sign_extend(UINT64_C(1) << (width - 1), width);
    if (b == 0 || (b == -1 && a == least))
        return false;
    int64_t remainder = a % b;
    if (opcode == SpvOpSMod && remainder && (remainder < 0) != (b < 0))
        remainder += b;
    *out = (uint64_t)(opcode == SpvOpSDiv ? a / b : remainder);
    return true;
}

static bool shift(uint64_t *out, SpvOp opcode, uint64_t a, uint64_t by, uint32_t width)
{
    if (by >= width)
        return false;
    *out = opcode == SpvOpShiftLeftLogical    ? a << by
           : opcode == SpvOpShiftRightLogical ? a >> by
                                              : (uint64_t)(sign_extend(a, width) >> by);
    return true;
}

static bool fold_unary(uint64_t *out, SpvOp opcode, uint64_t a, uint32_t width)
{
    switch (opcode) {
    case SpvOpCopyObject:
    case SpvOpUConvert:
    case SpvOpBitcast:
        *out = a;
        return true;
    case SpvOpSConvert:
        *out = (uint64_t)sign_extend(a, width);
        return true;
    case SpvOpSNegate:
        *out = 0 - a;
        return true;
    case SpvOpNot:
        *out = ~a;
        return true;
    case SpvOpLogicalNot:
        *out = !a;
        return true;
    default:
        return false;
    }
}

static bool fold_compare(uint64_t *out, SpvOp opcode, uint64_t a, uint64_t b, uint32_t width)
{
    int64_t sa = sign_extend(a, width), sb = sign_extend(b, width);
    switch (opcode) {
    case SpvOpIEqual:
    case SpvOpLogicalEqual:
        *out = a == b;
        return true;
    case SpvOpINotEqual:
    case SpvOpLogicalNotEqual:
        *out = a != b;
        return true;
    case SpvOpULessThan:
        *out = a < b;
        return true;
    case SpvOpULessThanEqual:
        *out = a <= b;
        return true;
    case SpvOpUGreaterThan:
        *out = a > b;
        return true;
    case SpvOpUGreaterThanEqual:
        *out = a >= b;
        return true;
    case SpvOpSLessThan:
        *out = sa < sb;
        return true;
    case SpvOpSLessThanEqual:
        *out = sa <= sb;
        return true;
    case SpvOpSGreaterThan:
        *out = sa > sb;
        return true;
    case SpvOpSGreaterThanEqual:
        *out = sa >= sb;
        return true;
    default:
        return false;
    }
}

static bool fold_binary(uint64_t *out, SpvOp opcode, uint64_t a, uint64_t b, uint32_t width)
{
    switch (opcode) {
    case SpvOpIAdd:
        *out = a + b;
        return true;
    case SpvOpISub:
        *out = a - b;
        return true;
    case SpvOpIMul:
        *out = a * b;
        return true;
    case SpvOpUDiv:
    case SpvOpUMod:
        if (b)
            *out = opcode == SpvOpUDiv ? a / b : a % b;
        return b != 0;
    case SpvOpSDiv:
    case SpvOpSRem:
    case SpvOpSMod:
        return divide_signed(out, opcode, sign_extend(a, width), sign_extend(b, width), width);
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        return shift(out, opcode, a, b, width);
    case SpvOpBitwiseOr:
    case SpvOpLogicalOr:
        *out = a | b;
        return true;
    case SpvOpBitwiseXor:
        *out = a ^ b;
        return true;
    case SpvOpBitwiseAnd:
    case SpvOpLogicalAnd:
        *out = a & b;
        return true;
    default:
        return fold_compare(out, opcode, a, b, width);
    }
}

bool wpg_fold_scalar(uint64_t *out, SpvOp opcode, uint32_t out_width, const uint64_t *bits,
                     const uint32_t *width, uint32_t count)
{
    uint64_t in[WPG_FOLD_OPERANDS] = {0};
    bool done = false;
    *out = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i >= WPG_FOLD_OPERANDS || width[i] < 1 || width[i] > 64)
            return false;
        in[i] = bits[i] & mask_of(width[i]);
    }
    if (opcode == SpvOpSelect && count == 3) {
        *out = in[0] ? in[1] : in[2];
        done = true;
    } else if ((opcode == SpvOpBitFieldUExtract || opcode == SpvOpBitFieldSExtract) && count == 3) {
        /* What lies beyond the number is undefined; of no bits it is 0 (SPIR-V 1.6, OpBitFieldSExtract). */
        done = in[1] <= width[0] && in[2] <= width[0] - in[1];
        if (done)
            *out = !in[2]                            ? 0
                   : opcode == SpvOpBitFieldUExtract ? in[0] >> in[1] & mask_of((uint32_t)in[2])
                                                     : (uint64_t)sign_extend(in[0] >> in[1], (uint32_t)in[2]);
    } else if (count == 1) {
        /* A bitcast between widths is one of vectors. */
        done = (opcode != SpvOpBitcast || width[0] == out_width) && fold_unary(out, opcode, in[0], width[0]);
    } else if (count == 2) {
        done = fold_binary(out, opcode, in[0], in[1], width[0]);
    }
    *out &= mask_of(out_width);
    return done;
}

uint32_t wpg_scalar_width(const wpg_module *module, uint32_t type, bool *is_float, bool *is_signed)
{
    const wpg_inst *inst = wpg_module_def(module, type);
    *is_float = inst && inst->opcode == SpvOpTypeFloat;
    *is_signed = inst && inst->opcode == SpvOpTypeInt && inst->words[3];
    if (!inst)
        return 0;
    uint32_t width = inst->opcode == SpvOpTypeBool                                    ? 1
                     : inst->opcode == SpvOpTypeInt || inst->opcode == SpvOpTypeFloat ? inst->words[2]
                                                                                      : 0;
    return width <= 64 ? width : 0;
}
