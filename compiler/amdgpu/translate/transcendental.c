/* Transcendental functions. AMDGPU has no math library here: instructions of the hardware, by LLVM's
 * intrinsics, and formulas over them, each within what Vulkan asks of 32 bits (Vulkan 1.3, appendix A,
 * "Precision of GLSL.std.450 Instructions"; the hardware's errors: AMD's ISA documents):
 *
 *     sin, cos        v_sin, v_cos of x / 2pi: absolute error 2^-11 asked for in [-pi, pi]
 *     tan             sin / cos, as Vulkan inherits it
 *     exp2, exp       3 + 2|x| ULP asked for; llvm.exp2, llvm.exp (v_exp, 1 ULP, and a scaled product)
 *     log2, log       3 ULP asked for; llvm.log2, llvm.log (v_log, 1 ULP, and a product in two parts)
 *     pow             exp2(y * log2(x)), as Vulkan inherits it
 *     atan, atan2     a polynomial of absolute error 2e-8 (Abramowitz, Stegun, "Handbook of Mathematical
 *                     Functions", 4.4.49), a division; 4096 ULP asked for
 *     asin, acos      atan2 of x and sqrt(1 - x^2), as Vulkan inherits them
 *     sinh to atanh   by exp, log and sqrt, as Vulkan inherits them
 *
 * 16 bits are computed in 32. */
#include "compiler/amdgpu/translate/extended.h"

#define PI 3.14159265358979323846

static LLVMValueRef constant(LLVMValueRef like, double value)
{
    return wpg_tr_float(LLVMTypeOf(like), value);
}

LLVMValueRef wpg_tr_inverse_sqrt(wpg_tr *t, LLVMValueRef a)
{
    LLVMTypeRef type = LLVMTypeOf(a);
    if (!t->options->gpu || t->dividing_exactly || wpg_tr_bits(type) == 64) {
        LLVMValueRef root = wpg_tr_call1(t, "llvm.sqrt", a);
        return root ? LLVMBuildFDiv(t->builder, constant(a, 1), root, "") : NULL;
    }
    if (wpg_tr_components(type) == 1)
        return wpg_tr_call1(t, "llvm.amdgcn.rsq", a); /* 1 ULP */
    LLVMValueRef vector = LLVMGetPoison(type);
    for (uint32_t i = 0; i < wpg_tr_components(type); i++) {
        LLVMValueRef part = wpg_tr_call1(t, "llvm.amdgcn.rsq", wpg_tr_get(t, a, i));
        if (!part)
            return NULL;
        vector = wpg_tr_set(t, vector, part, i);
    }
    return vector;
}

/* atan(q) / q for q in [0, 1], by Horner in q^2. */
static LLVMValueRef arc(wpg_tr *t, LLVMValueRef q)
{
    static const double terms[] = {-.0161657367, .0429096138, -.0752896400, .1065626393,
                                   -.1420889944, .1999355085, -.3333314528, 1};
    LLVMValueRef square = wpg_tr_mul(t, q, q), sum = constant(q, .0028662257);
    for (unsigned i = 0; i < sizeof terms / sizeof *terms; i++)
        sum = wpg_tr_add(t, wpg_tr_mul(t, sum, square), constant(q, terms[i]));
    return wpg_tr_mul(t, sum, q);
}

static LLVMValueRef arc_of_two(wpg_tr *t, LLVMValueRef y, LLVMValueRef x)
{
    LLVMBuilderRef b = t->builder;
    LLVMValueRef width = wpg_tr_call1(t, "llvm.fabs", x), height = wpg_tr_call1(t, "llvm.fabs", y);
    LLVMValueRef most = wpg_tr_call2(t, "llvm.maxnum", width, height);
    LLVMValueRef least = wpg_tr_call2(t, "llvm.minnum", width, height);
    if (!most || !least)
        return NULL;
    /* Equal: 1, infinities too; both zero: any angle, 0 and pi are. */
    LLVMValueRef none = LLVMBuildFCmp(b, LLVMRealOEQ, most, constant(x, 0), "");
    LLVMValueRef equal = LLVMBuildFCmp(b, LLVMRealOEQ, most, least, "");
    LLVMValueRef q = LLVMBuildSelect(b, equal, constant(x, 1), wpg_tr_div(t, least, most), "");
    q = LLVMBuildSelect(b, none, constant(x, 0), q, "");
    LLVMValueRef angle = arc(t, q);
    LLVMValueRef steep = LLVMBuildFCmp(b, LLVMRealOGT, height, width, "");
    angle = LLVMBuildSelect(b, steep, wpg_tr_sub(t, constant(x, PI / 2), angle), angle, "");
    LLVMValueRef left = LLVMBuildFCmp(b, LLVMRealOLT, x, constant(x, 0), "");
    angle = LLVMBuildSelect(b, left, wpg_tr_sub(t, constant(x, PI), angle), angle, "");
    return wpg_tr_call2(t, "llvm.copysign", angle, y);
}

/* sqrt((1 - x) (1 + x)) */
static LLVMValueRef other_side(wpg_tr *t, LLVMValueRef x)
{
    LLVMValueRef one = constant(x, 1);
    return wpg_tr_sqrt(t, wpg_tr_mul(t, wpg_tr_sub(t, one, x), wpg_tr_add(t, one, x)));
}

static LLVMValueRef hyperbolic(wpg_tr *t, enum GLSLstd450 which, LLVMValueRef x)
{
    LLVMValueRef half = constant(x, 0.5), one = constant(x, 1), up, down;
    switch (which) {
    case GLSLstd450Sinh:
    case GLSLstd450Cosh:
        up = wpg_tr_call1(t, "llvm.exp", x);
        down = wpg_tr_call1(t, "llvm.exp", wpg_tr_neg(t, x));
        if (!up || !down)
            return NULL;
        return wpg_tr_mul(t, which == GLSLstd450Sinh ? wpg_tr_sub(t, up, down) : wpg_tr_add(t, up, down),
                          half);
    case GLSLstd450Tanh: /* 1 - 2 / (exp(2x) + 1): no infinity over infinity */
        up = wpg_tr_call1(t, "llvm.exp", wpg_tr_add(t, x, x));
        return up ? wpg_tr_sub(t, one, wpg_tr_div(t, constant(x, 2), wpg_tr_add(t, up, one))) : NULL;
    case GLSLstd450Asinh: { /* odd: of |x|, where nothing cancels */
        LLVMValueRef size = wpg_tr_call1(t, "llvm.fabs", x);
        LLVMValueRef root = size ? wpg_tr_sqrt(t, wpg_tr_add(t, wpg_tr_mul(t, size, size), one)) : NULL;
        LLVMValueRef log = root ? wpg_tr_call1(t, "llvm.log", wpg_tr_add(t, size, root)) : NULL;
        return wpg_tr_call2(t, "llvm.copysign", log, x);
    }
    case GLSLstd450Acosh: {
        LLVMValueRef root = wpg_tr_sqrt(t, wpg_tr_sub(t, wpg_tr_mul(t, x, x), one));
        return root ? wpg_tr_call1(t, "llvm.log", wpg_tr_add(t, x, root)) : NULL;
    }
    default: {
        LLVMValueRef ratio = wpg_tr_div(t, wpg_tr_add(t, one, x), wpg_tr_sub(t, one, x));
        LLVMValueRef log = wpg_tr_call1(t, "llvm.log", ratio);
        return log ? wpg_tr_mul(t, log, half) : NULL;
    }
    }
}

static LLVMValueRef in_single(wpg_tr *t, enum GLSLstd450 which, LLVMValueRef a, LLVMValueRef b)
{
    switch (which) {
    case GLSLstd450Sin:
        return wpg_tr_call1(t, "llvm.sin", a);
    case GLSLstd450Cos:
        return wpg_tr_call1(t, "llvm.cos", a);
    case GLSLstd450Tan: {
        LLVMValueRef sine = wpg_tr_call1(t, "llvm.sin", a), cosine = wpg_tr_call1(t, "llvm.cos", a);
        return sine && cosine ? wpg_tr_div(t, sine, cosine) : NULL;
    }
    case GLSLstd450Exp:
        return wpg_tr_call1(t, "llvm.exp", a);
    case GLSLstd450Exp2:
        return wpg_tr_call1(t, "llvm.exp2", a);
    case GLSLstd450Log:
        return wpg_tr_call1(t, "llvm.log", a);
    case GLSLstd450Log2:
        return wpg_tr_call1(t, "llvm.log2", a);
    case GLSLstd450Pow: {
        LLVMValueRef log = wpg_tr_call1(t, "llvm.log2", a);
        return log ? wpg_tr_call1(t, "llvm.exp2", wpg_tr_mul(t, b, log)) : NULL;
    }
    case GLSLstd450Atan:
        return arc_of_two(t, a, constant(a, 1));
    case GLSLstd450Atan2:
        return arc_of_two(t, a, b);
    case GLSLstd450Asin: {
        LLVMValueRef side = other_side(t, a);
        return side ? arc_of_two(t, a, side) : NULL;
    }
    case GLSLstd450Acos: {
        LLVMValueRef side = other_side(t, a);
        return side ? arc_of_two(t, side, a) : NULL;
    }
    default:
        return hyperbolic(t, which, a);
    }
}

static bool is_one(enum GLSLstd450 which, bool *two)
{
    *two = which == GLSLstd450Pow || which == GLSLstd450Atan2;
    return *two || (which >= GLSLstd450Sin && which <= GLSLstd450Atanh) ||
           (which >= GLSLstd450Exp && which <= GLSLstd450Log2);
}

LLVMValueRef wpg_tr_transcendental(wpg_tr *t, enum GLSLstd450 which, LLVMValueRef a, LLVMValueRef b)
{
    bool two;
    LLVMTypeRef type = LLVMTypeOf(a);
    if (!is_one(which, &two))
        return NULL;
    if (!wpg_tr_is_float(type) || two != (b != NULL) || wpg_tr_bits(type) == 64) {
        wpg_tr_malformed(t);
        return NULL;
    }
    if (wpg_tr_bits(type) == 32)
        return in_single(t, which, a, b);
    LLVMTypeRef single = wpg_tr_with_components(t->t_f32, wpg_tr_components(type));
    a = LLVMBuildFPExt(t->builder, a, single, "");
    LLVMValueRef result = in_single(t, which, a, b ? LLVMBuildFPExt(t->builder, b, single, "") : NULL);
    return result ? LLVMBuildFPTrunc(t->builder, result, type, "") : NULL;
}
