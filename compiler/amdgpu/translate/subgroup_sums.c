/* Reductions and scans over lanes, as drivers make them: in whole-wave mode, with the neutral value in
 * inactive lanes, by DPP in rows of 16 lanes and by each generation's own instructions across rows. Six steps
 * for 64 lanes, in LLVM's and Mesa's order of sums (SPIR-V leaves the order free).
 *
 *     reduce   quad_perm 1, 2 | row_half_mirror | row_mirror   every lane has its row's sum
 *     scan     row_shr 1, 2, 4, 8                              every lane has the sum up to it in its row
 *     rows     gfx9: row_bcast 15, 31; gfx10 on: v_permlanex16, then lane 31 or v_permlane64
 *
 * Between set.inactive and strict.wwm stand only constants, these moves and the operation itself. Any other
 * input would be computed in whole-wave mode too, wherever it stands (SIWholeQuadMode marks the operands). So
 * the code uses row masks, not selects by the lane's number. Sums of booleans are computed from ballots. */
#include "compiler/amdgpu/translate/subgroups.h"

typedef struct sum {
    wpg_tr *t;
    SpvOp opcode;
    uint32_t operation, wave,
        cluster;               /* cluster: lanes summed together, the wave's where it is not clustered */
    LLVMTypeRef type, carried; /* of the scalar; what moves between lanes: 32 or 64 bits */
    LLVMValueRef neutral;      /* carried */
} sum;

static LLVMValueRef word(const wpg_tr *t, uint64_t value)
{
    return LLVMConstInt(t->t_i32, value, false);
}

static LLVMValueRef operated(wpg_tr *t, SpvOp opcode, LLVMValueRef a, LLVMValueRef b)
{
    switch (opcode) {
    case SpvOpGroupNonUniformIAdd:
        return LLVMBuildAdd(t->builder, a, b, "");
    case SpvOpGroupNonUniformFAdd:
        return LLVMBuildFAdd(t->builder, a, b, "");
    case SpvOpGroupNonUniformIMul:
        return LLVMBuildMul(t->builder, a, b, "");
    case SpvOpGroupNonUniformFMul:
        return LLVMBuildFMul(t->builder, a, b, "");
    case SpvOpGroupNonUniformSMin:
        return wpg_tr_call2(t, "llvm.smin", a, b);
    case SpvOpGroupNonUniformUMin:
        return wpg_tr_call2(t, "llvm.umin", a, b);
    case SpvOpGroupNonUniformFMin:
        return wpg_tr_call2(t, "llvm.minnum", a, b);
    case SpvOpGroupNonUniformSMax:
        return wpg_tr_call2(t, "llvm.smax", a, b);
    case SpvOpGroupNonUniformUMax:
        return wpg_tr_call2(t, "llvm.umax", a, b);
    case SpvOpGroupNonUniformFMax:
        return wpg_tr_call2(t, "llvm.maxnum", a, b);
    case SpvOpGroupNonUniformBitwiseAnd:
    case SpvOpGroupNonUniformLogicalAnd:
        return LLVMBuildAnd(t->builder, a, b, "");
    case SpvOpGroupNonUniformBitwiseOr:
    case SpvOpGroupNonUniformLogicalOr:
        return LLVMBuildOr(t->builder, a, b, "");
    default:
        return LLVMBuildXor(t->builder, a, b, "");
    }
}

/* What changes nothing, as SPIR-V's exclusive scans have it: 0 for float sums. */
static LLVMValueRef neutral(SpvOp opcode, LLVMTypeRef type)
{
    uint32_t bits = wpg_tr_bits(type);
    uint64_t top = UINT64_C(1) << (bits - 1);
    switch (opcode) {
    case SpvOpGroupNonUniformIMul:
        return wpg_tr_int(type, 1);
    case SpvOpGroupNonUniformFMul:
        return wpg_tr_float(type, 1);
    case SpvOpGroupNonUniformSMin:
        return wpg_tr_int(type, top - 1);
    case SpvOpGroupNonUniformUMin:
    case SpvOpGroupNonUniformBitwiseAnd:
    case SpvOpGroupNonUniformLogicalAnd:
        return LLVMConstAllOnes(type);
    case SpvOpGroupNonUniformFMin:
        return wpg_tr_float(type, __builtin_inf());
    case SpvOpGroupNonUniformSMax:
        return wpg_tr_int(type, top);
    case SpvOpGroupNonUniformFMax:
        return wpg_tr_float(type, -__builtin_inf());
    default:
        return LLVMConstNull(type);
    }
}

static bool fits(SpvOp opcode, LLVMTypeRef type)
{
    switch (opcode) {
    case SpvOpGroupNonUniformFAdd:
    case SpvOpGroupNonUniformFMul:
    case SpvOpGroupNonUniformFMin:
    case SpvOpGroupNonUniformFMax:
        return wpg_tr_is_float(type);
    case SpvOpGroupNonUniformLogicalAnd:
    case SpvOpGroupNonUniformLogicalOr:
    case SpvOpGroupNonUniformLogicalXor:
        return wpg_tr_is_bool(type);
    default:
        return wpg_tr_is_int(type);
    }
}

/* -- What moves between lanes: narrow integers as 32 bits of the same value, halves as their bits, but for
 * minima and maxima, which are exact as floats */

static bool as_bits(const sum *s)
{
    return s->type == s->t->t_f16 && s->carried == s->t->t_i32;
}

static LLVMTypeRef carried_type(const sum *s)
{
    if (s->type == s->t->t_f16)
        return s->opcode == SpvOpGroupNonUniformFMin || s->opcode == SpvOpGroupNonUniformFMax ? s->t->t_f32
                                                                                              : s->t->t_i32;
    return wpg_tr_bits(s->type) < 32 ? s->t->t_i32 : s->type;
}

static LLVMValueRef carry(const sum *s, LLVMValueRef value)
{
    LLVMBuilderRef builder = s->t->builder;
    if (as_bits(s))
        return LLVMBuildZExt(builder, LLVMBuildBitCast(builder, value, s->t->t_i16, ""), s->t->t_i32, "");
    if (s->type == s->carried)
        return value;
    if (s->type == s->t->t_f16)
        return LLVMBuildFPExt(builder, value, s->carried, "");
    bool is_signed = s->opcode == SpvOpGroupNonUniformSMin || s->opcode == SpvOpGroupNonUniformSMax;
    return is_signed ? LLVMBuildSExt(builder, value, s->carried, "")
                     : LLVMBuildZExt(builder, value, s->carried, "");
}

static LLVMValueRef uncarry(const sum *s, LLVMValueRef value)
{
    LLVMBuilderRef builder = s->t->builder;
    if (as_bits(s))
        return LLVMBuildBitCast(builder, LLVMBuildTrunc(builder, value, s->t->t_i16, ""), s->type, "");
    if (s->type == s->carried)
        return value;
    return s->type == s->t->t_f16 ? LLVMBuildFPTrunc(builder, value, s->type, "")
                                  : LLVMBuildTrunc(builder, value, s->type, "");
}

static LLVMValueRef combine(const sum *s, LLVMValueRef a, LLVMValueRef b)
{
    if (!a || !b)
        return NULL;
    if (!as_bits(s))
        return operated(s->t, s->opcode, a, b);
    LLVMValueRef result = operated(s->t, s->opcode, uncarry(s, a), uncarry(s, b));
    return result ? carry(s, result) : NULL;
}

/* -- Moves */

/* An intrinsic on what is carried. */
static LLVMValueRef call(const sum *s, const char *name, LLVMValueRef *arguments, unsigned count)
{
    LLVMTypeRef type = s->carried;
    return wpg_tr_call(s->t, name, &type, 1, arguments, count);
}

/* With what DPP reads; in the rows of the mask alone where it is not 15. */
static LLVMValueRef step(const sum *s, LLVMValueRef value, unsigned control, unsigned rows, bool everywhere)
{
    if (!value)
        return NULL;
    return combine(s, value, wpg_tr_dpp(s->t, everywhere ? NULL : s->neutral, value, control, rows));
}

static LLVMValueRef read_lane(const sum *s, LLVMValueRef value, unsigned lane)
{
    if (!value)
        return NULL;
    return call(s, "llvm.amdgcn.readlane", (LLVMValueRef[]){value, word(s->t, lane)}, 2);
}

/* Lane `from` of `value`, as lane `to` of `onto`. */
static LLVMValueRef copy_lane(const sum *s, LLVMValueRef onto, LLVMValueRef value, unsigned from, unsigned to)
{
    LLVMValueRef there = read_lane(s, value, from);
    if (!there || !onto)
        return NULL;
    return call(s, "llvm.amdgcn.writelane", (LLVMValueRef[]){there, word(s->t, to), onto}, 3);
}

/* Lane `select` (0 or 15) of the other row of each 32 lanes. gfx10 and later. */
static LLVMValueRef other_row(const sum *s, LLVMValueRef value, unsigned select)
{
    LLVMValueRef lanes = word(s->t, select ? UINT32_MAX : 0), no = LLVMConstInt(s->t->t_i1, 0, false);
    if (!value)
        return NULL;
    return call(s, "llvm.amdgcn.permlanex16",
                (LLVMValueRef[]){LLVMGetPoison(s->carried), value, lanes, lanes, no, no}, 6);
}

static LLVMValueRef begin_whole(const sum *s, LLVMValueRef value)
{
    return wpg_tr_call2(s->t, "llvm.amdgcn.set.inactive", carry(s, value), s->neutral);
}

static LLVMValueRef end_whole(const sum *s, LLVMValueRef value)
{
    return wpg_tr_call1(s->t, "llvm.amdgcn.strict.wwm", value);
}

/* -- Reductions */

/* The sum of `cluster` lanes in each of them, up to a row. */
static LLVMValueRef reduce_row(const sum *s, LLVMValueRef value)
{
    static const unsigned controls[] = {WPG_DPP_QUAD | 0xb1, WPG_DPP_QUAD | 0x4e, WPG_DPP_HALF_MIRROR,
                                        WPG_DPP_MIRROR};
    for (unsigned i = 0; i < 4 && 2u << i <= s->cluster; i++)
        value = step(s, value, controls[i], 15, true);
    return value;
}

/* gfx9: sums gather in the last lane of 32, or of all. */
static LLVMValueRef reduce_by_broadcast(const sum *s, LLVMValueRef value)
{
    wpg_tr *t = s->t;
    value = step(s, value, WPG_DPP_BROADCAST_15, 10, false);
    if (s->cluster == 64)
        return end_whole(s, read_lane(s, step(s, value, WPG_DPP_BROADCAST_31, 12, false), 63));
    LLVMValueRef low = end_whole(s, read_lane(s, value, 31)), high = end_whole(s, read_lane(s, value, 63));
    LLVMValueRef lane = wpg_tr_lane(t);
    if (!low || !high || !lane)
        return NULL;
    LLVMValueRef is_low = LLVMBuildICmp(t->builder, LLVMIntULT, lane, word(t, 32), "");
    return LLVMBuildSelect(t->builder, is_low, low, high, "");
}

static LLVMValueRef reduce(const sum *s, LLVMValueRef value)
{
    value = reduce_row(s, begin_whole(s, value));
    if (s->cluster <= 16)
        return end_whole(s, value);
    if (s->t->options->gpu->major == 9)
        return reduce_by_broadcast(s, value);
    value = combine(s, value, other_row(s, value, 0));
    if (s->cluster == 64)
        value = s->t->options->gpu->major == 10
                    ? combine(s, read_lane(s, value, 0), read_lane(s, value, 32))
                    : combine(s, value, wpg_tr_call1(s->t, "llvm.amdgcn.permlane64", value));
    value = end_whole(s, value);
    /* The same in all lanes, which this tells LLVM. */
    return s->cluster == s->wave ? wpg_tr_call1(s->t, "llvm.amdgcn.readfirstlane", value) : value;
}

/* -- Scans */

static LLVMValueRef scan(const sum *s, LLVMValueRef value)
{
    for (unsigned n = 1; n < 16; n *= 2)
        value = step(s, value, WPG_DPP_SHIFT | n, 15, false);
    if (s->t->options->gpu->major == 9)
        return step(s, step(s, value, WPG_DPP_BROADCAST_15, 10, false), WPG_DPP_BROADCAST_31, 12, false);
    LLVMValueRef row = other_row(s, value, 15);
    value = combine(s, value, row ? wpg_tr_dpp(s->t, s->neutral, row, WPG_DPP_SAME, 10) : NULL);
    if (s->wave == 32)
        return value;
    LLVMValueRef half = read_lane(s, value, 31);
    return combine(s, value, half ? wpg_tr_dpp(s->t, s->neutral, half, WPG_DPP_SAME, 12) : NULL);
}

/* What the lane before has; neutral in the first. */
static LLVMValueRef shift(const sum *s, LLVMValueRef value)
{
    if (!value)
        return NULL;
    if (s->t->options->gpu->major == 9)
        return wpg_tr_dpp(s->t, s->neutral, value, WPG_DPP_WAVE_SHIFT, 15);
    LLVMValueRef result = wpg_tr_dpp(s->t, s->neutral, value, WPG_DPP_SHIFT | 1, 15);
    for (unsigned row = 16; row < s->wave; row += 16)
        result = copy_lane(s, result, value, row - 1, row);
    return result;
}

/* -- Booleans, and what is the same in all lanes */

static LLVMValueRef is_zero(wpg_tr *t, LLVMValueRef mask)
{
    return LLVMBuildICmp(t->builder, LLVMIntEQ, mask, LLVMConstNull(LLVMTypeOf(mask)), "");
}

/* The bits of `mask` that count for this lane, but for its own of a scan: as a mask or a number of them. */
static LLVMValueRef counted(const sum *s, LLVMValueRef mask)
{
    wpg_tr *t = s->t;
    LLVMTypeRef type = LLVMTypeOf(mask);
    if (s->operation == SpvGroupOperationInclusiveScan || s->operation == SpvGroupOperationExclusiveScan)
        return wpg_tr_bits_before(t, mask);
    if (s->cluster == s->wave)
        return mask;
    LLVMValueRef lane = wpg_tr_lane(t);
    if (!lane)
        return NULL;
    LLVMValueRef first = LLVMBuildAnd(t->builder, lane, word(t, ~(s->cluster - 1)), "");
    mask = LLVMBuildLShr(t->builder, mask, LLVMBuildZExtOrBitCast(t->builder, first, type, ""), "");
    return LLVMBuildAnd(t->builder, mask, LLVMConstInt(type, (UINT64_C(1) << s->cluster) - 1, false), "");
}

/* And: no bit of those that are false; or: any of those that are true; exclusive or: an odd number of them.
 */
static LLVMValueRef of_booleans(const sum *s, LLVMValueRef value)
{
    wpg_tr *t = s->t;
    bool is_and = s->opcode == SpvOpGroupNonUniformLogicalAnd;
    bool own = s->operation == SpvGroupOperationInclusiveScan;
    LLVMValueRef asked = is_and ? LLVMBuildNot(t->builder, value, "") : value;
    LLVMValueRef mask = wpg_tr_ballot(t, asked), result;
    mask = mask ? counted(s, mask) : NULL;
    if (!mask)
        return NULL;
    if (s->opcode == SpvOpGroupNonUniformLogicalXor) {
        bool number = own || s->operation == SpvGroupOperationExclusiveScan;
        result = number ? mask : wpg_tr_call1(t, "llvm.ctpop", mask);
        result = result ? LLVMBuildTrunc(t->builder, result, t->t_i1, "") : NULL;
        return result && own ? LLVMBuildXor(t->builder, result, value, "") : result;
    }
    result = is_zero(t, mask);
    if (is_and)
        return own ? LLVMBuildAnd(t->builder, result, value, "") : result;
    result = LLVMBuildNot(t->builder, result, "");
    return own ? LLVMBuildOr(t->builder, result, value, "") : result;
}

/* A constant, as often as there are lanes: how shaders count. */
static LLVMValueRef of_constant(const sum *s, LLVMValueRef value)
{
    wpg_tr *t = s->t;
    LLVMValueRef active = wpg_tr_ballot(t, LLVMConstInt(t->t_i1, 1, false));
    LLVMValueRef lanes = active ? counted(s, active) : NULL;
    if (lanes && s->operation != SpvGroupOperationInclusiveScan &&
        s->operation != SpvGroupOperationExclusiveScan)
        lanes = wpg_tr_call1(t, "llvm.ctpop", lanes);
    if (!lanes)
        return NULL;
    if (s->operation == SpvGroupOperationInclusiveScan)
        lanes = LLVMBuildAdd(t->builder, lanes, word(t, 1), "");
    lanes = LLVMBuildIntCast2(t->builder, lanes, s->type, false, "");
    return LLVMBuildMul(t->builder, lanes, value, "");
}

/* -- Any of them */

static LLVMValueRef of_scalar(const sum *s, LLVMValueRef value)
{
    if (s->cluster == 1)
        return value;
    if (s->type == s->t->t_i1)
        return of_booleans(s, value);
    if (s->opcode == SpvOpGroupNonUniformIAdd && LLVMIsAConstantInt(value))
        return of_constant(s, value);
    LLVMValueRef result;
    if (s->operation == SpvGroupOperationReduce || s->operation == SpvGroupOperationClusteredReduce) {
        result = reduce(s, value);
    } else {
        result = scan(s, begin_whole(s, value));
        if (s->operation == SpvGroupOperationExclusiveScan)
            result = shift(s, result);
        result = end_whole(s, result);
    }
    return result ? uncarry(s, result) : NULL;
}

static bool cluster_size(uint32_t *cluster, wpg_tr *t, const wpg_inst *inst)
{
    uint64_t bits;
    if (!wpg_tr_constant(t, inst, 6, &bits))
        return false;
    if (!bits || bits & (bits - 1))
        return wpg_tr_malformed(t);
    if (bits < *cluster)
        *cluster = (uint32_t)bits;
    return true;
}

LLVMValueRef wpg_tr_lane_arithmetic(wpg_tr *t, const wpg_inst *inst)
{
    sum s = {.t = t, .opcode = (SpvOp)inst->opcode, .wave = t->options->wave_size};
    LLVMValueRef value = wpg_tr_value(t, inst, 5);
    s.cluster = s.wave;
    s.operation = wpg_tr_word(t, inst, 4);
    if (!value)
        return NULL;
    if (s.operation == SpvGroupOperationClusteredReduce) {
        if (!cluster_size(&s.cluster, t, inst))
            return NULL;
    } else if (s.operation > SpvGroupOperationExclusiveScan) {
        wpg_tr_refuse(t);
        return NULL;
    }
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!fits(s.opcode, type)) {
        wpg_tr_malformed(t);
        return NULL;
    }
    uint32_t count = wpg_tr_components(type);
    s.type = wpg_tr_scalar(type);
    s.carried = carried_type(&s);
    s.neutral = s.type == t->t_i1 ? NULL : carry(&s, neutral(s.opcode, s.type));
    if (count == 1)
        return of_scalar(&s, value);
    LLVMValueRef result = LLVMGetPoison(type);
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef part = of_scalar(&s, wpg_tr_get(t, value, i));
        if (!part)
            return NULL;
        result = wpg_tr_set(t, result, part, i);
    }
    return result;
}
