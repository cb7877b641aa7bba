/* What translated IR of subgroup instructions gives, lane by lane: a model of the moves between lanes (DPP,
 * v_permlanex16 and the rest) as LLVM's AMDGPUUsage and the ISA manuals say them. It evaluates what one value
 * is made of, up to loads, which are the input. Lanes that are not active hold junk until set.inactive; what
 * is computed in whole-wave mode and what is not it cannot tell. Straight code, scalars of up to 64 bits. */
#ifndef WPG_TESTS_LANE_MODEL_H
#define WPG_TESTS_LANE_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

enum { LANE_VALUES = 512 };

typedef struct lane_value {
    LLVMValueRef ref;
    uint64_t at[64];
} lane_value;

typedef struct lane_model {
    unsigned wave;
    uint64_t active;
    const uint64_t *input; /* what every load gives, by lane */
    unsigned count;
    char why[128]; /* what it does not know; empty: nothing */
    lane_value values[LANE_VALUES];
} lane_model;

typedef union lane_bits {
    uint64_t u;
    float f;
    double d;
} lane_bits;

static inline unsigned lane_width(LLVMTypeRef type)
{
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return LLVMGetIntTypeWidth(type);
    case LLVMFloatTypeKind:
        return 32;
    case LLVMDoubleTypeKind:
        return 64;
    default:
        return 0;
    }
}

static inline uint64_t lane_cut(uint64_t bits, unsigned width)
{
    return width >= 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

static inline int64_t lane_signed(uint64_t bits, unsigned width)
{
    return width >= 64 ? (int64_t)bits : (int64_t)(bits << (64 - width)) >> (64 - width);
}

/* The lane that `lane` reads; -1: none. */
static inline int lane_of_dpp(unsigned control, int lane)
{
    int row = lane & ~15, at = lane & 15, n = (int)(control & 15);
    if (control < 0x100)
        return (lane & ~3) | (int)(control >> (lane & 3) * 2 & 3);
    if (control >= 0x111 && control <= 0x11f)
        return at >= n ? lane - n : -1;
    switch (control) {
    case 0x128: /* row_ror:8 */
        return row | ((at - 8) & 15);
    case 0x138: /* wave_shr:1 */
        return lane - 1;
    case 0x140:
        return row | (15 - at);
    case 0x141:
        return lane ^ 7;
    case 0x142:
        return row - 1;
    case 0x143:
        return lane >= 32 ? 31 : -1;
    default:
        return control >= 0x160 && control <= 0x16f ? row | (at ^ n) : -2;
    }
}

static inline const uint64_t *lane_eval(lane_model *m, LLVMValueRef v);

static inline bool lane_is(const char *name, const char *intrinsic)
{
    size_t length = strlen(intrinsic);
    return strncmp(name, "llvm.", 5) == 0 && strncmp(name + 5, intrinsic, length) == 0 &&
           (name[5 + length] == '\0' || name[5 + length] == '.');
}

static inline uint64_t lane_float_op(char op, uint64_t a, uint64_t b, unsigned width)
{
    lane_bits x = {.u = a}, y = {.u = b}, r = {.u = 0};
    double p = width == 64 ? x.d : (double)x.f, q = width == 64 ? y.d : (double)y.f;
    double exact = op == '+' ? p + q : op == '*' ? p * q : op == '<' ? (p < q ? p : q) : (p > q ? p : q);
    if (width == 64)
        r.d = exact;
    else
        r.f = (float)exact;
    return r.u;
}

/* Lane by lane; false: not one of these. */
static inline bool lane_simple_call(uint64_t *r, const char *name, uint64_t a, uint64_t b, unsigned width)
{
    int64_t x = lane_signed(a, width), y = lane_signed(b, width);
    if (lane_is(name, "smin"))
        *r = x < y ? a : b;
    else if (lane_is(name, "smax"))
        *r = x > y ? a : b;
    else if (lane_is(name, "umin"))
        *r = a < b ? a : b;
    else if (lane_is(name, "umax"))
        *r = a > b ? a : b;
    else if (lane_is(name, "minnum"))
        *r = lane_float_op('<', a, b, width);
    else if (lane_is(name, "maxnum"))
        *r = lane_float_op('>', a, b, width);
    else if (lane_is(name, "ctpop"))
        *r = (uint64_t)__builtin_popcountll(a);
    else
        return false;
    return true;
}

static inline void lane_dpp(lane_model *m, uint64_t *to, const uint64_t *const a[6])
{
    for (unsigned l = 0; l < m->wave; l++) {
        int from = lane_of_dpp((unsigned)a[2][l], (int)l);
        bool written = (a[3][l] >> l / 16 & 1) && (a[4][l] >> (l & 15) / 4 & 1);
        if (from == -2)
            (void)snprintf(m->why, sizeof m->why, "DPP control %#x", (unsigned)a[2][l]);
        to[l] = !written ? a[0][l] : from >= 0 ? a[1][from] : a[5][l] ? 0 : a[0][l];
    }
}

/* Lanes of `call`, whose operands are `a`. */
static inline bool lane_call(lane_model *m, uint64_t *to, const char *name, const uint64_t *const a[6],
                             unsigned width)
{
    uint64_t mask = 0;
    int first = __builtin_ctzll(m->active);
    for (unsigned l = 0; l < m->wave && a[0]; l++)
        mask |= (m->active >> l & 1 & a[0][l]) << l;
    if (lane_is(name, "amdgcn.update.dpp"))
        return lane_dpp(m, to, a), true;
    for (unsigned l = 0; l < m->wave; l++) {
        uint64_t below = l ? ~UINT64_C(0) >> (64 - l) : 0;
        if (lane_is(name, "amdgcn.set.inactive"))
            to[l] = m->active >> l & 1 ? a[0][l] : a[1][l];
        else if (lane_is(name, "amdgcn.strict.wwm"))
            to[l] = a[0][l];
        else if (lane_is(name, "amdgcn.readfirstlane"))
            to[l] = a[0][first];
        else if (lane_is(name, "amdgcn.readlane"))
            to[l] = a[0][a[1][first] % m->wave];
        else if (lane_is(name, "amdgcn.writelane"))
            to[l] = l == a[1][0] ? a[0][0] : a[2][l];
        else if (lane_is(name, "amdgcn.permlanex16"))
            to[l] = a[1][((l & ~15u) ^ 16) | (a[l & 8 ? 3 : 2][l] >> l % 8 * 4 & 15)];
        else if (lane_is(name, "amdgcn.permlane64"))
            to[l] = a[0][l ^ 32];
        else if (lane_is(name, "amdgcn.ds.bpermute"))
            to[l] = a[1][a[0][l] / 4 % m->wave];
        else if (lane_is(name, "amdgcn.wave.shuffle"))
            to[l] = a[0][a[1][l] % m->wave];
        else if (lane_is(name, "amdgcn.ballot"))
            to[l] = mask;
        else if (lane_is(name, "amdgcn.mbcnt.lo"))
            to[l] = a[1][l] + (uint64_t)__builtin_popcountll(a[0][l] & below & UINT32_MAX);
        else if (lane_is(name, "amdgcn.mbcnt.hi"))
            to[l] = a[1][l] + (uint64_t)__builtin_popcountll(a[0][l] << 32 & below);
        else if (!lane_simple_call(&to[l], name, a[0][l], a[1] ? a[1][l] : 0, width))
            return false;
        to[l] = lane_cut(to[l], width);
    }
    return true;
}

static inline bool lane_compare(LLVMIntPredicate predicate, uint64_t a, uint64_t b)
{
    return predicate == LLVMIntEQ   ? a == b
           : predicate == LLVMIntNE ? a != b
                                    : a < b; /* unsigned, as is seen to below */
}

static inline bool lane_operation(uint64_t *r, LLVMValueRef v, uint64_t a, uint64_t b, uint64_t c,
                                  unsigned from, unsigned width)
{
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMAdd:
        return *r = a + b, true;
    case LLVMSub:
        return *r = a - b, true;
    case LLVMMul:
        return *r = a * b, true;
    case LLVMAnd:
        return *r = a & b, true;
    case LLVMOr:
        return *r = a | b, true;
    case LLVMXor:
        return *r = a ^ b, true;
    case LLVMShl:
        return *r = a << (b & 63), true;
    case LLVMLShr:
        return *r = a >> (b & 63), true;
    case LLVMFAdd:
        return *r = lane_float_op('+', a, b, width), true;
    case LLVMFMul:
        return *r = lane_float_op('*', a, b, width), true;
    case LLVMSelect:
        return *r = a & 1 ? b : c, true;
    case LLVMICmp:
        return *r = lane_compare(LLVMGetICmpPredicate(v), a, b), LLVMGetICmpPredicate(v) == LLVMIntEQ ||
                                                                     LLVMGetICmpPredicate(v) == LLVMIntNE ||
                                                                     LLVMGetICmpPredicate(v) == LLVMIntULT;
    case LLVMSExt:
        return *r = (uint64_t)lane_signed(a, from), true;
    case LLVMZExt:
    case LLVMTrunc:
    case LLVMBitCast:
        return *r = a, true;
    default:
        return false;
    }
}

static inline bool lane_constant(uint64_t *r, LLVMValueRef v)
{
    lane_bits bits = {.u = 0};
    LLVMBool loses;
    if (LLVMIsAConstantInt(v))
        bits.u = LLVMConstIntGetZExtValue(v);
    else if (LLVMIsUndef(v) || LLVMIsPoison(v))
        bits.u = 0x5bad5bad5bad5bad;
    else if (LLVMIsAConstantFP(v) && lane_width(LLVMTypeOf(v)) == 64)
        bits.d = LLVMConstRealGetDouble(v, &loses);
    else if (LLVMIsAConstantFP(v))
        bits.f = (float)LLVMConstRealGetDouble(v, &loses);
    else
        return LLVMIsNull(v) ? (*r = 0, true) : false;
    *r = bits.u;
    return true;
}

static inline void lane_unknown(lane_model *m, LLVMValueRef v)
{
    char *text = LLVMPrintValueToString(v);
    if (!m->why[0])
        (void)snprintf(m->why, sizeof m->why, "%s", text);
    LLVMDisposeMessage(text);
}

static inline void lane_instruction(lane_model *m, uint64_t *to, LLVMValueRef v)
{
    const uint64_t *a[6] = {0};
    bool is_call = LLVMIsACallInst(v) != NULL, known = true;
    int count = is_call ? (int)LLVMGetNumArgOperands(v) : LLVMGetNumOperands(v);
    unsigned width = lane_width(LLVMTypeOf(v)),
             from = count ? lane_width(LLVMTypeOf(LLVMGetOperand(v, 0))) : 0;
    if (LLVMIsALoadInst(v)) {
        for (unsigned l = 0; l < 64; l++)
            to[l] = lane_cut(m->input[l], width);
        return;
    }
    for (int i = 0; i < count && i < 6; i++)
        a[i] = lane_eval(m, LLVMGetOperand(v, (unsigned)i));
    if (is_call) {
        size_t length;
        known = lane_call(m, to, LLVMGetValueName2(LLVMGetCalledValue(v), &length), a, width);
    }
    for (unsigned l = 0; l < 64 && !is_call && known; l++) {
        known =
            count && lane_operation(&to[l], v, a[0][l], a[1] ? a[1][l] : 0, a[2] ? a[2][l] : 0, from, width);
        to[l] = lane_cut(to[l], width);
    }
    if (!known || !width)
        lane_unknown(m, v);
}

/* The value in each of 64 lanes. */
static inline const uint64_t *lane_eval(lane_model *m, LLVMValueRef v)
{
    uint64_t constant;
    uint64_t made[64] = {0};
    for (unsigned i = 0; i < m->count; i++)
        if (m->values[i].ref == v)
            return m->values[i].at;
    if (LLVMIsAInstruction(v))
        lane_instruction(m, made, v);
    else if (lane_constant(&constant, v))
        for (unsigned l = 0; l < 64; l++)
            made[l] = lane_cut(constant, lane_width(LLVMTypeOf(v)));
    else
        lane_unknown(m, v);
    if (m->count == LANE_VALUES) {
        (void)snprintf(m->why, sizeof m->why, "more than %d values", LANE_VALUES);
        return m->values[0].at;
    }
    m->values[m->count].ref = v;
    memcpy(m->values[m->count].at, made, sizeof made);
    return m->values[m->count++].at;
}

#endif
