/* OpExtInst: GLSL.std.450 without the transcendental functions. In minima and maxima a number wins over a
 * NaN, also where SPIR-V leaves that open. */
#include "compiler/amdgpu/translate/extended.h"

#include <string.h>

enum { FIRST = 5, MOST = 3 };

typedef struct call {
    enum GLSLstd450 which;
    LLVMValueRef a[MOST];
    unsigned count;
    const wpg_tr_type *result;
} call;

static LLVMValueRef constant(LLVMValueRef like, double value)
{
    return wpg_tr_float(LLVMTypeOf(like), value);
}

/* -- Numbers */

static LLVMValueRef clamped(wpg_tr *t, const char *min, const char *max, const call *c)
{
    return wpg_tr_call2(t, min, wpg_tr_call2(t, max, c->a[0], c->a[1]), c->a[2]);
}

static LLVMValueRef between(wpg_tr *t, LLVMValueRef x, double low, double high)
{
    return wpg_tr_call2(t, "llvm.minnum", wpg_tr_call2(t, "llvm.maxnum", x, constant(x, low)),
                        constant(x, high));
}

static LLVMValueRef fraction(wpg_tr *t, LLVMValueRef x)
{
    LLVMValueRef whole = wpg_tr_call1(t, "llvm.floor", x);
    return whole ? wpg_tr_sub(t, x, whole) : NULL;
}

static LLVMValueRef float_sign(wpg_tr *t, LLVMValueRef x)
{
    LLVMValueRef zero = constant(x, 0);
    LLVMValueRef above = LLVMBuildFCmp(t->builder, LLVMRealOGT, x, zero, "");
    LLVMValueRef below = LLVMBuildFCmp(t->builder, LLVMRealOLT, x, zero, "");
    LLVMValueRef rest = LLVMBuildSelect(t->builder, below, constant(x, -1), zero, "");
    return LLVMBuildSelect(t->builder, above, constant(x, 1), rest, "");
}

static LLVMValueRef int_sign(wpg_tr *t, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef above = LLVMBuildICmp(t->builder, LLVMIntSGT, x, LLVMConstNull(type), "");
    LLVMValueRef sign = LLVMBuildAShr(t->builder, x, wpg_tr_int(type, wpg_tr_bits(type) - 1), "");
    return LLVMBuildSelect(t->builder, above, wpg_tr_int(type, 1), sign, "");
}

static LLVMValueRef smooth_step(wpg_tr *t, const call *c)
{
    LLVMValueRef x = wpg_tr_div(t, wpg_tr_sub(t, c->a[2], c->a[0]), wpg_tr_sub(t, c->a[1], c->a[0]));
    x = between(t, x, 0, 1);
    if (!x)
        return NULL;
    LLVMValueRef slope = wpg_tr_sub(t, constant(x, 3), wpg_tr_mul(t, constant(x, 2), x));
    return wpg_tr_mul(t, wpg_tr_mul(t, x, x), slope);
}

static LLVMValueRef float_function(wpg_tr *t, const call *c)
{
    LLVMValueRef x = c->a[0];
    switch (c->which) {
    case GLSLstd450Round:
    case GLSLstd450RoundEven:
        return wpg_tr_call1(t, "llvm.roundeven", x);
    case GLSLstd450Trunc:
        return wpg_tr_call1(t, "llvm.trunc", x);
    case GLSLstd450FAbs:
        return wpg_tr_call1(t, "llvm.fabs", x);
    case GLSLstd450FSign:
        return float_sign(t, x);
    case GLSLstd450Floor:
        return wpg_tr_call1(t, "llvm.floor", x);
    case GLSLstd450Ceil:
        return wpg_tr_call1(t, "llvm.ceil", x);
    case GLSLstd450Fract:
        return fraction(t, x);
    case GLSLstd450Radians:
        return wpg_tr_mul(t, x, constant(x, 0.01745329251994329577));
    case GLSLstd450Degrees:
        return wpg_tr_mul(t, x, constant(x, 57.29577951308232088));
    case GLSLstd450Sqrt:
        return wpg_tr_sqrt(t, x);
    case GLSLstd450InverseSqrt:
        return wpg_tr_inverse_sqrt(t, x);
    case GLSLstd450FMin:
    case GLSLstd450NMin:
        return wpg_tr_call2(t, "llvm.minnum", x, c->a[1]);
    case GLSLstd450FMax:
    case GLSLstd450NMax:
        return wpg_tr_call2(t, "llvm.maxnum", x, c->a[1]);
    case GLSLstd450FClamp:
    case GLSLstd450NClamp:
        return clamped(t, "llvm.minnum", "llvm.maxnum", c);
    case GLSLstd450FMix: /* x (1 - a) + y a */
        return wpg_tr_add(t, wpg_tr_mul(t, x, wpg_tr_sub(t, constant(x, 1), c->a[2])),
                          wpg_tr_mul(t, c->a[1], c->a[2]));
    case GLSLstd450Step:
        return LLVMBuildSelect(t->builder, LLVMBuildFCmp(t->builder, LLVMRealOLT, c->a[1], x, ""),
                               constant(x, 0), constant(x, 1), "");
    case GLSLstd450SmoothStep:
        return smooth_step(t, c);
    case GLSLstd450Fma:
        return wpg_tr_call3(t, "llvm.fma", x, c->a[1], c->a[2]);
    default:
        return NULL;
    }
}

static LLVMValueRef highest_bit(wpg_tr *t, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef no = LLVMConstInt(t->t_i1, 0, false);
    LLVMValueRef zeros = wpg_tr_call(t, "llvm.ctlz", (LLVMTypeRef[]){type}, 1, (LLVMValueRef[]){x, no}, 2);
    /* Of zero: as many zeros as bits, hence -1. */
    return zeros ? LLVMBuildSub(t->builder, wpg_tr_int(type, wpg_tr_bits(type) - 1), zeros, "") : NULL;
}

static LLVMValueRef int_function(wpg_tr *t, const call *c)
{
    LLVMValueRef x = c->a[0], no = LLVMConstInt(t->t_i1, 0, false);
    LLVMTypeRef type = LLVMTypeOf(x);
    switch (c->which) {
    case GLSLstd450SAbs: /* of the least number: itself */
        return wpg_tr_call(t, "llvm.abs", (LLVMTypeRef[]){type}, 1, (LLVMValueRef[]){x, no}, 2);
    case GLSLstd450SSign:
        return int_sign(t, x);
    case GLSLstd450UMin:
        return wpg_tr_call2(t, "llvm.umin", x, c->a[1]);
    case GLSLstd450SMin:
        return wpg_tr_call2(t, "llvm.smin", x, c->a[1]);
    case GLSLstd450UMax:
        return wpg_tr_call2(t, "llvm.umax", x, c->a[1]);
    case GLSLstd450SMax:
        return wpg_tr_call2(t, "llvm.smax", x, c->a[1]);
    case GLSLstd450UClamp:
        return clamped(t, "llvm.umin", "llvm.umax", c);
    case GLSLstd450SClamp:
        return clamped(t, "llvm.smin", "llvm.smax", c);
    case GLSLstd450FindILsb: {
        LLVMValueRef zeros =
            wpg_tr_call(t, "llvm.cttz", (LLVMTypeRef[]){type}, 1, (LLVMValueRef[]){x, no}, 2);
        LLVMValueRef none = LLVMBuildICmp(t->builder, LLVMIntEQ, x, LLVMConstNull(type), "");
        return zeros ? LLVMBuildSelect(t->builder, none, LLVMConstAllOnes(type), zeros, "") : NULL;
    }
    case GLSLstd450FindUMsb:
        return highest_bit(t, x);
    case GLSLstd450FindSMsb: {
        LLVMValueRef sign = LLVMBuildAShr(t->builder, x, wpg_tr_int(type, wpg_tr_bits(type) - 1), "");
        return highest_bit(t, LLVMBuildXor(t->builder, x, sign, ""));
    }
    default:
        return NULL;
    }
}

/* -- Geometry */

static LLVMValueRef cross(wpg_tr *t, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef result = LLVMGetPoison(LLVMTypeOf(a));
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
        LLVMValueRef part = wpg_tr_sub(t, wpg_tr_mul(t, wpg_tr_get(t, a, j), wpg_tr_get(t, b, k)),
                                       wpg_tr_mul(t, wpg_tr_get(t, a, k), wpg_tr_get(t, b, j)));
        result = wpg_tr_set(t, result, part, i);
    }
    return result;
}

static LLVMValueRef refract(wpg_tr *t, LLVMValueRef incident, LLVMValueRef normal, LLVMValueRef eta)
{
    LLVMTypeRef type = LLVMTypeOf(incident);
    LLVMValueRef dot = wpg_tr_dot(t, normal, incident), one = constant(dot, 1);
    LLVMValueRef k = wpg_tr_sub(t, one, wpg_tr_mul(t, dot, dot));
    k = wpg_tr_sub(t, one, wpg_tr_mul(t, wpg_tr_mul(t, eta, eta), k));
    LLVMValueRef root = wpg_tr_sqrt(t, k);
    if (!root)
        return NULL;
    LLVMValueRef along = wpg_tr_add(t, wpg_tr_mul(t, eta, dot), root);
    LLVMValueRef bent = wpg_tr_sub(t, wpg_tr_mul(t, incident, wpg_tr_splat(t, eta, type)),
                                   wpg_tr_mul(t, normal, wpg_tr_splat(t, along, type)));
    LLVMValueRef inside = LLVMBuildFCmp(t->builder, LLVMRealOLT, k, constant(k, 0), "");
    return LLVMBuildSelect(t->builder, inside, LLVMConstNull(type), bent, "");
}

static LLVMValueRef geometry(wpg_tr *t, const call *c)
{
    LLVMValueRef a = c->a[0], b = c->a[1];
    switch (c->which) {
    case GLSLstd450Distance:
        a = wpg_tr_sub(t, a, b);
        return wpg_tr_sqrt(t, wpg_tr_dot(t, a, a));
    case GLSLstd450Length:
        return wpg_tr_sqrt(t, wpg_tr_dot(t, a, a));
    case GLSLstd450Normalize: {
        LLVMValueRef scale = wpg_tr_inverse_sqrt(t, wpg_tr_dot(t, a, a));
        return scale ? wpg_tr_mul(t, a, wpg_tr_splat(t, scale, LLVMTypeOf(a))) : NULL;
    }
    case GLSLstd450Cross:
        return wpg_tr_components(LLVMTypeOf(a)) == 3 ? cross(t, a, b) : NULL;
    case GLSLstd450FaceForward: {
        LLVMValueRef dot = wpg_tr_dot(t, c->a[2], b);
        LLVMValueRef below = LLVMBuildFCmp(t->builder, LLVMRealOLT, dot, constant(dot, 0), "");
        return LLVMBuildSelect(t->builder, below, a, wpg_tr_neg(t, a), "");
    }
    case GLSLstd450Reflect: {
        LLVMValueRef dot = wpg_tr_dot(t, b, a);
        LLVMValueRef twice = wpg_tr_splat(t, wpg_tr_mul(t, constant(dot, 2), dot), LLVMTypeOf(a));
        return wpg_tr_sub(t, a, wpg_tr_mul(t, twice, b));
    }
    default:
        return NULL;
    }
}

/* -- Packing */

static LLVMValueRef pack_norm(wpg_tr *t, LLVMValueRef v, uint32_t count, double low, double scale)
{
    LLVMTypeRef words = LLVMVectorType(t->t_i32, count);
    if (LLVMTypeOf(v) != LLVMVectorType(t->t_f32, count))
        return NULL;
    LLVMValueRef x = between(t, v, low, 1);
    x = x ? wpg_tr_call1(t, "llvm.roundeven", LLVMBuildFMul(t->builder, x, constant(x, scale), "")) : NULL;
    if (!x)
        return NULL;
    x = LLVMBuildFPToSI(t->builder, x, words, ""); /* in range, and no NaN, after clamping */
    LLVMTypeRef part = LLVMVectorType(count == 4 ? t->t_i8 : t->t_i16, count);
    return LLVMBuildBitCast(t->builder, LLVMBuildTrunc(t->builder, x, part, ""), t->t_i32, "");
}

static LLVMValueRef unpack_norm(wpg_tr *t, LLVMValueRef word, uint32_t count, bool is_signed, double scale)
{
    if (LLVMTypeOf(word) != t->t_i32)
        return NULL;
    LLVMTypeRef part = LLVMVectorType(count == 4 ? t->t_i8 : t->t_i16, count);
    LLVMTypeRef type = LLVMVectorType(t->t_f32, count);
    LLVMValueRef x = LLVMBuildBitCast(t->builder, word, part, "");
    x = LLVMBuildCast(t->builder, is_signed ? LLVMSIToFP : LLVMUIToFP, x, type, "");
    x = LLVMBuildFDiv(t->builder, x, wpg_tr_float(type, scale), "");
    return is_signed ? between(t, x, -1, 1) : x;
}

static LLVMValueRef cast_exactly(wpg_tr *t, LLVMValueRef value, LLVMTypeRef from, LLVMTypeRef to)
{
    return LLVMTypeOf(value) == from ? LLVMBuildBitCast(t->builder, value, to, "") : NULL;
}

static LLVMValueRef packing(wpg_tr *t, const call *c)
{
    LLVMValueRef x = c->a[0];
    LLVMTypeRef halves = LLVMVectorType(t->t_f16, 2), singles = LLVMVectorType(t->t_f32, 2);
    switch (c->which) {
    case GLSLstd450PackSnorm4x8:
        return pack_norm(t, x, 4, -1, 127);
    case GLSLstd450PackUnorm4x8:
        return pack_norm(t, x, 4, 0, 255);
    case GLSLstd450PackSnorm2x16:
        return pack_norm(t, x, 2, -1, 32767);
    case GLSLstd450PackUnorm2x16:
        return pack_norm(t, x, 2, 0, 65535);
    case GLSLstd450UnpackSnorm4x8:
        return unpack_norm(t, x, 4, true, 127);
    case GLSLstd450UnpackUnorm4x8:
        return unpack_norm(t, x, 4, false, 255);
    case GLSLstd450UnpackSnorm2x16:
        return unpack_norm(t, x, 2, true, 32767);
    case GLSLstd450UnpackUnorm2x16:
        return unpack_norm(t, x, 2, false, 65535);
    case GLSLstd450PackHalf2x16:
        return LLVMTypeOf(x) == singles
                   ? LLVMBuildBitCast(t->builder, LLVMBuildFPTrunc(t->builder, x, halves, ""), t->t_i32, "")
                   : NULL;
    case GLSLstd450UnpackHalf2x16:
        x = cast_exactly(t, x, t->t_i32, halves);
        return x ? LLVMBuildFPExt(t->builder, x, singles, "") : NULL;
    case GLSLstd450PackDouble2x32:
        return cast_exactly(t, x, LLVMVectorType(t->t_i32, 2), t->t_f64);
    case GLSLstd450UnpackDouble2x32:
        return cast_exactly(t, x, t->t_f64, LLVMVectorType(t->t_i32, 2));
    default:
        return NULL;
    }
}

/* -- Two results, and what is of several types */

/* {fraction, whole} or {significand, exponent}. */
static bool parts_of(wpg_tr *t, LLVMValueRef parts[2], const call *c)
{
    LLVMValueRef x = c->a[0];
    LLVMTypeRef type = LLVMTypeOf(x);
    if (!wpg_tr_is_float(type))
        return wpg_tr_malformed(t);
    if (c->which == GLSLstd450Modf || c->which == GLSLstd450ModfStruct) {
        parts[1] = wpg_tr_call1(t, "llvm.trunc", x);
        LLVMValueRef size = wpg_tr_call1(t, "llvm.fabs", x);
        if (!parts[1] || !size)
            return false;
        /* Infinity has the fraction 0; the fraction has the number's sign. */
        LLVMValueRef infinite =
            LLVMBuildFCmp(t->builder, LLVMRealOEQ, size, constant(x, __builtin_inf()), "");
        parts[0] = LLVMBuildSelect(t->builder, infinite, constant(x, 0), wpg_tr_sub(t, x, parts[1]), "");
        parts[0] = wpg_tr_call2(t, "llvm.copysign", parts[0], x);
        return parts[0] != NULL;
    }
    LLVMTypeRef words = wpg_tr_with_components(t->t_i32, wpg_tr_components(type));
    LLVMValueRef both = wpg_tr_call(t, "llvm.frexp", (LLVMTypeRef[]){type, words}, 2, &x, 1);
    if (!both)
        return false;
    parts[0] = LLVMBuildExtractValue(t->builder, both, 0, "");
    parts[1] = LLVMBuildExtractValue(t->builder, both, 1, "");
    return true;
}

static bool two_results(wpg_tr *t, const wpg_inst *inst, const call *c)
{
    LLVMValueRef parts[2] = {NULL, NULL};
    if (!parts_of(t, parts, c))
        return false;
    if (c->which == GLSLstd450Modf || c->which == GLSLstd450Frexp) {
        const wpg_tr_place *place = wpg_tr_pointer(t, inst, FIRST + 1);
        return place && wpg_tr_store(t, place, parts[1]) && wpg_tr_define(t, inst, parts[0]);
    }
    LLVMTypeRef type = c->result->llvm;
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind || LLVMCountStructElementTypes(type) != 2 ||
        LLVMStructGetTypeAtIndex(type, 0) != LLVMTypeOf(parts[0]) ||
        LLVMStructGetTypeAtIndex(type, 1) != LLVMTypeOf(parts[1]))
        return wpg_tr_malformed(t);
    LLVMValueRef pair = wpg_tr_set(t, LLVMGetPoison(type), parts[0], 0);
    return wpg_tr_define(t, inst, wpg_tr_set(t, pair, parts[1], 1));
}

static LLVMValueRef ldexp_of(wpg_tr *t, const call *c)
{
    LLVMTypeRef type = LLVMTypeOf(c->a[0]), power = LLVMTypeOf(c->a[1]);
    if (!wpg_tr_is_float(type) || !wpg_tr_is_int(power) || wpg_tr_bits(power) != 32 ||
        wpg_tr_components(type) != wpg_tr_components(power))
        return NULL;
    return wpg_tr_call(t, "llvm.ldexp", (LLVMTypeRef[]){type, power}, 2, (LLVMValueRef[]){c->a[0], c->a[1]},
                       2);
}

static LLVMValueRef of_matrix(wpg_tr *t, const call *c)
{
    LLVMTypeRef type = LLVMTypeOf(c->a[0]);
    uint32_t n = LLVMGetTypeKind(type) == LLVMArrayTypeKind ? (uint32_t)LLVMGetArrayLength2(type) : 0;
    if (n < 2 || n > 4)
        return NULL;
    return c->which == GLSLstd450Determinant ? wpg_tr_determinant(t, c->a[0], n)
                                             : wpg_tr_inverse(t, c->a[0], n);
}

static LLVMValueRef mixed(wpg_tr *t, const call *c)
{
    switch (c->which) {
    case GLSLstd450Ldexp:
        return c->count == 2 ? ldexp_of(t, c) : NULL;
    case GLSLstd450Determinant:
    case GLSLstd450MatrixInverse:
        return of_matrix(t, c);
    case GLSLstd450Refract:
        return c->count == 3 && wpg_tr_is_float(LLVMTypeOf(c->a[0])) &&
                       LLVMTypeOf(c->a[1]) == LLVMTypeOf(c->a[0]) &&
                       LLVMTypeOf(c->a[2]) == wpg_tr_scalar(LLVMTypeOf(c->a[0]))
                   ? refract(t, c->a[0], c->a[1], c->a[2])
                   : NULL;
    default:
        return packing(t, c);
    }
}

/* -- One instruction */

/* How many operands of one type; 0 for those that are not all of one. */
static unsigned arity(enum GLSLstd450 which)
{
    switch (which) {
    case GLSLstd450FMin:
    case GLSLstd450UMin:
    case GLSLstd450SMin:
    case GLSLstd450FMax:
    case GLSLstd450UMax:
    case GLSLstd450SMax:
    case GLSLstd450NMin:
    case GLSLstd450NMax:
    case GLSLstd450Step:
    case GLSLstd450Pow:
    case GLSLstd450Atan2:
    case GLSLstd450Distance:
    case GLSLstd450Cross:
    case GLSLstd450Reflect:
        return 2;
    case GLSLstd450FClamp:
    case GLSLstd450UClamp:
    case GLSLstd450SClamp:
    case GLSLstd450NClamp:
    case GLSLstd450FMix:
    case GLSLstd450SmoothStep:
    case GLSLstd450Fma:
    case GLSLstd450FaceForward:
        return 3;
    case GLSLstd450Modf:
    case GLSLstd450Frexp:
    case GLSLstd450Ldexp:
    case GLSLstd450Refract:
        return 0;
    default:
        return 1;
    }
}

static bool operands(wpg_tr *t, const wpg_inst *inst, call *c)
{
    unsigned same = arity(c->which);
    bool stores = c->which == GLSLstd450Modf || c->which == GLSLstd450Frexp;
    c->count = inst->count - (unsigned)FIRST - stores;
    if (inst->count < FIRST + 1 + stores || c->count > MOST || (same && c->count != same))
        return wpg_tr_malformed(t);
    for (unsigned i = 0; i < c->count; i++) {
        c->a[i] = i && same ? wpg_tr_value_of(t, inst, FIRST + i, LLVMTypeOf(c->a[0]))
                            : wpg_tr_value(t, inst, FIRST + i);
        if (!c->a[i])
            return false;
    }
    return true;
}

static bool translate(wpg_tr *t, const wpg_inst *inst)
{
    call c = {.which = (enum GLSLstd450)inst->words[4], .result = wpg_tr_result_type(t, inst)};
    if (!c.result || !operands(t, inst, &c))
        return false;
    if (c.which == GLSLstd450Modf || c.which == GLSLstd450Frexp || c.which == GLSLstd450ModfStruct ||
        c.which == GLSLstd450FrexpStruct)
        return two_results(t, inst, &c);
    LLVMTypeRef type = LLVMTypeOf(c.a[0]);
    LLVMValueRef result = wpg_tr_transcendental(t, c.which, c.a[0], c.a[1]);
    if (!result && t->status == WPG_OK && wpg_tr_is_float(type) && arity(c.which))
        result = float_function(t, &c);
    if (!result && t->status == WPG_OK && wpg_tr_is_float(type) && arity(c.which))
        result = geometry(t, &c);
    if (!result && t->status == WPG_OK && wpg_tr_is_int(type) && arity(c.which))
        result = int_function(t, &c);
    if (!result && t->status == WPG_OK)
        result = mixed(t, &c);
    if (!result)
        return wpg_tr_fail(t, WPG_E_UNSUPPORTED,
                           "GLSL.std.450 instruction %u is not translated for such operands", inst->words[4]);
    return wpg_tr_define(t, inst, result);
}

wpg_tr_result wpg_tr_extended(wpg_tr *t, const wpg_inst *inst)
{
    if (inst->opcode != SpvOpExtInst)
        return WPG_TR_OTHER;
    const wpg_inst *import = inst->count > 4 ? wpg_module_def(t->module, inst->words[3]) : NULL;
    const char *name = import && import->opcode == SpvOpExtInstImport ? wpg_inst_string(import, 2) : NULL;
    if (!name)
        return wpg_tr_did(wpg_tr_malformed(t));
    if (strncmp(name, "NonSemantic.", 12) == 0)
        return WPG_TR_DONE;
    if (strcmp(name, "GLSL.std.450") != 0)
        return WPG_TR_OTHER;
    return wpg_tr_did(translate(t, inst));
}
