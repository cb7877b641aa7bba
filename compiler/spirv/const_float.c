/* See const_float.h. A sum or product is exact where double precision finds no rest, and the result is a
 * float. */
#include "compiler/spirv/const_float.h"

#include <math.h>
#include <spirv/unified1/GLSL.std.450.h>
#include <string.h>

/* Zeros, infinities and normal numbers. */
static bool plain_float(float *out, uint64_t bits)
{
    uint32_t word = (uint32_t)bits, exponent = word >> 23 & 0xff, mantissa = word & 0x7fffff;
    memcpy(out, &word, sizeof *out);
    return exponent == 0xff || exponent == 0 ? mantissa == 0 : true;
}

bool wpg_fold_float_comparison(uint64_t *out, SpvOp opcode, uint64_t left, uint64_t right)
{
    float a, b;
    if (!plain_float(&a, left) || !plain_float(&b, right))
        return false;
    switch (opcode) {
    case SpvOpFOrdEqual:
    case SpvOpFUnordEqual:
        *out = a == b;
        return true;
    case SpvOpFOrdNotEqual:
    case SpvOpFUnordNotEqual:
        *out = a != b;
        return true;
    case SpvOpFOrdLessThan:
    case SpvOpFUnordLessThan:
        *out = a < b;
        return true;
    case SpvOpFOrdGreaterThan:
    case SpvOpFUnordGreaterThan:
        *out = a > b;
        return true;
    case SpvOpFOrdLessThanEqual:
    case SpvOpFUnordLessThanEqual:
        *out = a <= b;
        return true;
    case SpvOpFOrdGreaterThanEqual:
    case SpvOpFUnordGreaterThanEqual:
        *out = a >= b;
        return true;
    default:
        return false;
    }
}

static bool is_finite(float value)
{
    return value - value == 0.0F;
}

/* The double as a float, if that is the same number, and one that no implementation changes. */
static bool as_float(float *out, double value)
{
    uint32_t word;
    *out = (float)value;
    memcpy(&word, out, sizeof word);
    return (double)*out == value && is_finite(*out) && plain_float(out, word);
}

static bool exact_sum(float *out, float a, float b)
{
    double sum = (double)a + (double)b, part = sum - (double)a,
           rest = ((double)a - (sum - part)) + ((double)b - part); /* Knuth's TwoSum */
    return rest == 0.0 && as_float(out, sum);
}

static bool exact_product(float *out, float a, float b)
{
    return as_float(out, (double)a * (double)b); /* 48 bits at most */
}

static bool exact_mix(float *out, float a, float b, float weight)
{
    float rest, left, right;
    return exact_sum(&rest, 1.0F, -weight) && exact_product(&left, a, rest) &&
           exact_product(&right, b, weight) && exact_sum(out, left, right);
}

/* Which way a half goes is the driver's. */
static bool nearest(float *out, float value)
{
    *out = rintf(value);
    return fabsf(value - truncf(value)) != 0.5F;
}

static bool fold_unary_function(float *out, uint32_t function, float in)
{
    switch (function) {
    case GLSLstd450Round:
        return nearest(out, in);
    case GLSLstd450RoundEven:
        *out = rintf(in);
        return true;
    case GLSLstd450Trunc:
        *out = truncf(in);
        return true;
    case GLSLstd450Floor:
        *out = floorf(in);
        return true;
    case GLSLstd450Ceil:
        *out = ceilf(in);
        return true;
    case GLSLstd450Fract:
        return exact_sum(out, in, -floorf(in));
    case GLSLstd450FAbs:
        *out = fabsf(in);
        return true;
    case GLSLstd450FSign:
        *out = (float)((in > 0) - (in < 0));
        return true;
    default:
        return false;
    }
}

static bool fold_function(float *out, uint32_t function, const float *in, uint32_t count)
{
    if (count == 1)
        return fold_unary_function(out, function, in[0]);
    switch (function) {
    case GLSLstd450Step:
        *out = in[1] < in[0] ? 0.0F : 1.0F;
        return count == 2;
    case GLSLstd450FMin:
    case GLSLstd450NMin:
        *out = in[1] < in[0] ? in[1] : in[0];
        return count == 2;
    case GLSLstd450FMax:
    case GLSLstd450NMax:
        *out = in[0] < in[1] ? in[1] : in[0];
        return count == 2;
    case GLSLstd450FClamp:
    case GLSLstd450NClamp:
        *out = in[0] < in[1] ? in[1] : in[0];
        *out = in[2] < *out ? in[2] : *out;
        return count == 3 && in[1] <= in[2];
    case GLSLstd450FMix:
        return count == 3 && exact_mix(out, in[0], in[1], in[2]);
    default:
        return false;
    }
}

static bool fold_floats(float *out, SpvOp opcode, uint32_t function, const float *in, uint32_t count)
{
    switch (opcode) {
    case SpvOpFNegate:
        *out = -in[0];
        return count == 1;
    case SpvOpFAdd:
        return count == 2 && exact_sum(out, in[0], in[1]);
    case SpvOpFSub:
        return count == 2 && exact_sum(out, in[0], -in[1]);
    case SpvOpFMul:
        return count == 2 && exact_product(out, in[0], in[1]);
    case SpvOpFDiv: /* drivers multiply by a reciprocal, which may be rounded */
        *out = in[0];
        return count == 2 && in[0] == 0.0F && in[1] > 0.0F;
    case SpvOpExtInst:
        return fold_function(out, function, in, count);
    default:
        return false;
    }
}

bool wpg_fold_float_to_int(uint64_t *out, SpvOp opcode, uint64_t bits)
{
    float number;
    if (!plain_float(&number, bits) || !is_finite(number))
        return false;
    const double whole = trunc((double)number);
    if (opcode == SpvOpConvertFToS && whole >= INT32_MIN && whole <= INT32_MAX)
        *out = (uint32_t)(int32_t)whole;
    else if (opcode == SpvOpConvertFToU && whole >= 0 && whole <= UINT32_MAX)
        *out = (uint32_t)whole;
    else
        return false;
    return true;
}

bool wpg_fold_exact_float(uint64_t *out, SpvOp opcode, uint32_t function, const uint64_t *bits,
                          uint32_t count)
{
    float in[WPG_FLOAT_OPERANDS] = {0}, result = 0;
    uint32_t word;
    bool done;
    if (count < 1 || count > WPG_FLOAT_OPERANDS)
        return false;
    if (opcode == SpvOpConvertSToF || opcode == SpvOpConvertUToF) {
        word = (uint32_t)bits[0];
        int32_t number;
        memcpy(&number, &word, sizeof number);
        done = count == 1 && as_float(&result, opcode == SpvOpConvertSToF ? (double)number : (double)word);
    } else {
        done = true;
        for (uint32_t i = 0; i < count && done; i++)
            done = plain_float(&in[i], bits[i]) && is_finite(in[i]);
        done = done && fold_floats(&result, opcode, function, in, count);
    }
    memcpy(&word, &result, sizeof word);
    *out = word;
    return done;
}
