/* Subgroup instructions. All code here is straight: no block is made, so that the structurised blocks stay
 * those of the shader. Whatever needs other lanes' values in order reads them lane by lane (v_readlane):
 * right for any wave size and any set of active lanes, floats in order of the lanes, and not fast. */
#include "compiler/amdgpu/translate_internal.h"

static LLVMTypeRef mask_type(const wpg_tr *t)
{
    return t->options->wave_size == 64 ? t->t_i64 : t->t_i32;
}

static LLVMValueRef word(const wpg_tr *t, uint64_t value)
{
    return LLVMConstInt(t->t_i32, value, false);
}

/* -- A value as 32-bit words, and back */

enum { MOST_WORDS = 8 };

typedef struct words {
    LLVMValueRef at[MOST_WORDS];
    unsigned count;
    LLVMTypeRef type; /* of the value */
} words;

static bool split(words *w, wpg_tr *t, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    uint32_t count = wpg_tr_components(type), bits = wpg_tr_bits(type);
    w->type = type;
    w->count = 0;
    if (!bits)
        return wpg_tr_malformed(t);
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef part = count == 1 ? value : wpg_tr_get(t, value, i);
        part = LLVMBuildBitCast(t->builder, part, LLVMIntTypeInContext(t->context, bits), "");
        if (bits <= 32) {
            w->at[w->count++] = LLVMBuildZExtOrBitCast(t->builder, part, t->t_i32, "");
            continue;
        }
        LLVMValueRef high = LLVMBuildLShr(t->builder, part, LLVMConstInt(t->t_i64, 32, false), "");
        w->at[w->count++] = LLVMBuildTrunc(t->builder, part, t->t_i32, "");
        w->at[w->count++] = LLVMBuildTrunc(t->builder, high, t->t_i32, "");
    }
    return true;
}

static LLVMValueRef join(wpg_tr *t, const words *w)
{
    uint32_t count = wpg_tr_components(w->type), bits = wpg_tr_bits(w->type);
    LLVMTypeRef scalar = count == 1 ? w->type : LLVMGetElementType(w->type);
    LLVMTypeRef as_int = LLVMIntTypeInContext(t->context, bits);
    LLVMValueRef result = LLVMGetPoison(w->type);
    for (uint32_t i = 0, at = 0; i < count; i++) {
        LLVMValueRef part = w->at[at++];
        if (bits > 32) {
            LLVMValueRef high = LLVMBuildZExt(t->builder, w->at[at++], t->t_i64, "");
            high = LLVMBuildShl(t->builder, high, LLVMConstInt(t->t_i64, 32, false), "");
            part = LLVMBuildOr(t->builder, LLVMBuildZExt(t->builder, part, t->t_i64, ""), high, "");
        }
        part =
            LLVMBuildBitCast(t->builder, LLVMBuildTruncOrBitCast(t->builder, part, as_int, ""), scalar, "");
        if (count == 1)
            return part;
        result = wpg_tr_set(t, result, part, i);
    }
    return result;
}

/* `value` as it is in a lane; NULL: the first active one. The lane is the same for all lanes that ask. */
static LLVMValueRef in_lane(wpg_tr *t, LLVMValueRef value, LLVMValueRef lane)
{
    words w;
    if (!split(&w, t, value))
        return NULL;
    for (unsigned i = 0; i < w.count; i++) {
        w.at[i] = lane ? wpg_tr_call2(t, "llvm.amdgcn.readlane", w.at[i], lane)
                       : wpg_tr_call1(t, "llvm.amdgcn.readfirstlane", w.at[i]);
        if (!w.at[i])
            return NULL;
    }
    return join(t, &w);
}

/* `value` as it is in the lane that each lane names. Within 32 lanes, and on gfx9 within the wave, the LDS
 * hardware permutes; else every lane is read. */
static LLVMValueRef shuffled(wpg_tr *t, LLVMValueRef value, LLVMValueRef lane)
{
    words w;
    if (!split(&w, t, value))
        return NULL;
    uint32_t wave = t->options->wave_size;
    bool permutes = wave == 32 || t->options->gpu->major == 9;
    for (unsigned i = 0; i < w.count; i++) {
        if (permutes) {
            LLVMValueRef bytes = LLVMBuildShl(t->builder, lane, word(t, 2), "");
            w.at[i] = wpg_tr_call(t, "llvm.amdgcn.ds.bpermute", NULL, 0, (LLVMValueRef[]){bytes, w.at[i]}, 2);
            if (!w.at[i])
                return NULL;
            continue;
        }
        LLVMValueRef own = w.at[i], result = own;
        for (uint32_t n = 0; n < wave; n++) {
            LLVMValueRef there = wpg_tr_call2(t, "llvm.amdgcn.readlane", own, word(t, n));
            if (!there)
                return NULL;
            LLVMValueRef meant = LLVMBuildICmp(t->builder, LLVMIntEQ, lane, word(t, n), "");
            result = LLVMBuildSelect(t->builder, meant, there, result, "");
        }
        w.at[i] = result;
    }
    return join(t, &w);
}

/* -- Votes and ballots */

static LLVMValueRef true_mask(wpg_tr *t)
{
    return wpg_tr_ballot(t, LLVMConstInt(t->t_i1, 1, false));
}

static LLVMValueRef is_zero(wpg_tr *t, LLVMValueRef mask)
{
    return LLVMBuildICmp(t->builder, LLVMIntEQ, mask, LLVMConstNull(LLVMTypeOf(mask)), "");
}

static LLVMValueRef all_of(wpg_tr *t, LLVMValueRef condition)
{
    LLVMValueRef none = wpg_tr_ballot(t, LLVMBuildNot(t->builder, condition, ""));
    return none ? is_zero(t, none) : NULL;
}

/* Floats compare as floats, a NaN makes it false. */
static LLVMValueRef all_equal(wpg_tr *t, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef first = in_lane(t, value, NULL);
    if (!first)
        return NULL;
    LLVMValueRef same = wpg_tr_is_float(type) ? LLVMBuildFCmp(t->builder, LLVMRealOEQ, value, first, "")
                                              : LLVMBuildICmp(t->builder, LLVMIntEQ, value, first, "");
    LLVMValueRef all = same;
    if (wpg_tr_components(type) > 1) {
        all = wpg_tr_get(t, same, 0);
        for (uint32_t i = 1; i < wpg_tr_components(type); i++)
            all = LLVMBuildAnd(t->builder, all, wpg_tr_get(t, same, i), "");
    }
    return all_of(t, all);
}

/* The mask that a uvec4 holds. */
static LLVMValueRef mask_of(wpg_tr *t, LLVMValueRef vector)
{
    LLVMValueRef low = wpg_tr_get(t, vector, 0);
    if (t->options->wave_size == 32)
        return low;
    LLVMValueRef high = LLVMBuildZExt(t->builder, wpg_tr_get(t, vector, 1), t->t_i64, "");
    high = LLVMBuildShl(t->builder, high, LLVMConstInt(t->t_i64, 32, false), "");
    return LLVMBuildOr(t->builder, LLVMBuildZExt(t->builder, low, t->t_i64, ""), high, "");
}

static LLVMValueRef bit_of(wpg_tr *t, LLVMValueRef mask, LLVMValueRef lane)
{
    LLVMTypeRef type = LLVMTypeOf(mask);
    lane = LLVMBuildAnd(t->builder, lane, word(t, t->options->wave_size - 1), "");
    LLVMValueRef shifted =
        LLVMBuildLShr(t->builder, mask, LLVMBuildZExtOrBitCast(t->builder, lane, type, ""), "");
    return LLVMBuildTrunc(t->builder, shifted, t->t_i1, "");
}

static LLVMValueRef narrowed(wpg_tr *t, LLVMValueRef value)
{
    return value ? LLVMBuildTruncOrBitCast(t->builder, value, t->t_i32, "") : NULL;
}

/* Bits of the mask in all lanes, up to and with this one, or before it. */
static LLVMValueRef bit_count(wpg_tr *t, LLVMValueRef mask, uint32_t operation)
{
    LLVMValueRef lane = wpg_tr_lane(t), one = LLVMConstInt(mask_type(t), 1, false);
    if (!lane)
        return NULL;
    if (operation != SpvGroupOperationReduce) {
        LLVMValueRef own =
            LLVMBuildShl(t->builder, one, LLVMBuildZExtOrBitCast(t->builder, lane, mask_type(t), ""), "");
        LLVMValueRef before = LLVMBuildSub(t->builder, own, one, "");
        if (operation == SpvGroupOperationInclusiveScan)
            before = LLVMBuildOr(t->builder, before, own, "");
        mask = LLVMBuildAnd(t->builder, mask, before, "");
    }
    return narrowed(t, wpg_tr_call1(t, "llvm.ctpop", mask));
}

static LLVMValueRef find_bit(wpg_tr *t, LLVMValueRef mask, bool first)
{
    LLVMTypeRef type = LLVMTypeOf(mask);
    LLVMValueRef no = LLVMConstInt(t->t_i1, 0, false);
    LLVMValueRef zeros =
        wpg_tr_call(t, first ? "llvm.cttz" : "llvm.ctlz", &type, 1, (LLVMValueRef[]){mask, no}, 2);
    zeros = narrowed(t, zeros);
    return !zeros || first ? zeros : LLVMBuildSub(t->builder, word(t, t->options->wave_size - 1), zeros, "");
}

static bool scope_ok(wpg_tr *t, const wpg_inst *inst)
{
    uint64_t scope;
    return wpg_tr_constant(t, inst, 3, &scope) && (scope == SpvScopeSubgroup || wpg_tr_refuse(t));
}

static LLVMValueRef ballot_operand(wpg_tr *t, const wpg_inst *inst, unsigned at)
{
    LLVMValueRef vector = wpg_tr_value_of(t, inst, at, LLVMVectorType(t->t_i32, 4));
    return vector ? mask_of(t, vector) : NULL;
}

static LLVMValueRef vote(wpg_tr *t, const wpg_inst *inst, SpvOp opcode, unsigned at)
{
    LLVMValueRef value = opcode == SpvOpGroupNonUniformElect ? NULL : wpg_tr_value(t, inst, at), mask;
    bool condition = opcode != SpvOpGroupNonUniformElect && opcode != SpvOpGroupNonUniformAllEqual;
    if (opcode != SpvOpGroupNonUniformElect && !value)
        return NULL;
    if (condition && LLVMTypeOf(value) != t->t_i1) {
        wpg_tr_malformed(t);
        return NULL;
    }
    switch (opcode) {
    case SpvOpGroupNonUniformElect: {
        LLVMValueRef lane = wpg_tr_lane(t), active = true_mask(t);
        LLVMValueRef first = lane && active ? find_bit(t, active, true) : NULL;
        return first ? LLVMBuildICmp(t->builder, LLVMIntEQ, lane, first, "") : NULL;
    }
    case SpvOpGroupNonUniformAll:
        return all_of(t, value);
    case SpvOpGroupNonUniformAny:
        mask = wpg_tr_ballot(t, value);
        return mask ? LLVMBuildNot(t->builder, is_zero(t, mask), "") : NULL;
    case SpvOpGroupNonUniformAllEqual:
        if (!wpg_tr_bits(LLVMTypeOf(value))) {
            wpg_tr_malformed(t);
            return NULL;
        }
        return all_equal(t, value);
    default: /* ballot */
        mask = wpg_tr_ballot(t, value);
        return mask ? wpg_tr_mask_vector(t, mask) : NULL;
    }
}

static LLVMValueRef of_ballot(wpg_tr *t, const wpg_inst *inst)
{
    bool counts = inst->opcode == SpvOpGroupNonUniformBallotBitCount;
    LLVMValueRef mask = ballot_operand(t, inst, counts ? 5 : 4), lane;
    if (!mask)
        return NULL;
    switch (inst->opcode) {
    case SpvOpGroupNonUniformInverseBallot:
        lane = wpg_tr_lane(t);
        return lane ? bit_of(t, mask, lane) : NULL;
    case SpvOpGroupNonUniformBallotBitExtract:
        lane = wpg_tr_value_of(t, inst, 5, t->t_i32);
        return lane ? bit_of(t, mask, lane) : NULL;
    case SpvOpGroupNonUniformBallotBitCount:
        return bit_count(t, mask, wpg_tr_word(t, inst, 4));
    default:
        return find_bit(t, mask, inst->opcode == SpvOpGroupNonUniformBallotFindLSB);
    }
}

/* -- Values of other lanes */

static LLVMValueRef lane_meant(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef other = wpg_tr_value_of(t, inst, 5, t->t_i32), lane = wpg_tr_lane(t), sum;
    if (!other || !lane)
        return NULL;
    uint32_t cluster = t->options->wave_size;
    uint64_t bits;
    switch ((int)inst->opcode) {
    case SpvOpGroupNonUniformShuffleXor:
        return LLVMBuildXor(t->builder, lane, other, "");
    case SpvOpGroupNonUniformShuffleUp:
        return LLVMBuildSub(t->builder, lane, other, "");
    case SpvOpGroupNonUniformShuffleDown:
        return LLVMBuildAdd(t->builder, lane, other, "");
    case SpvOpGroupNonUniformRotateKHR:
        if (inst->count > 6) {
            if (!wpg_tr_constant(t, inst, 6, &bits))
                return NULL;
            cluster = bits && bits < cluster ? (uint32_t)bits : cluster;
        }
        sum = LLVMBuildAnd(t->builder, LLVMBuildAdd(t->builder, lane, other, ""), word(t, cluster - 1), "");
        return LLVMBuildOr(t->builder, sum, LLVMBuildAnd(t->builder, lane, word(t, ~(cluster - 1)), ""), "");
    case SpvOpGroupNonUniformQuadBroadcast:
        sum = LLVMBuildAnd(t->builder, lane, word(t, ~3u), "");
        return LLVMBuildOr(t->builder, sum, LLVMBuildAnd(t->builder, other, word(t, 3), ""), "");
    case SpvOpGroupNonUniformQuadSwap: { /* across: 1, down: 2, both: 3 */
        if (!wpg_tr_constant(t, inst, 5, &bits))
            return NULL;
        return LLVMBuildXor(t->builder, lane, word(t, (bits & 3) + 1), "");
    }
    default: /* broadcast, shuffle */
        return other;
    }
}

static LLVMValueRef other_lane(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef value = wpg_tr_value(t, inst, 4);
    if (!value)
        return NULL;
    if (!wpg_tr_bits(LLVMTypeOf(value))) {
        wpg_tr_malformed(t);
        return NULL;
    }
    if (inst->opcode == SpvOpGroupNonUniformBroadcastFirst)
        return in_lane(t, value, NULL);
    LLVMValueRef lane = lane_meant(t, inst);
    return lane ? shuffled(t, value, lane) : NULL;
}

/* -- Sums over lanes */

static LLVMValueRef combine(wpg_tr *t, SpvOp opcode, LLVMValueRef a, LLVMValueRef b)
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

/* Over the active lanes in order. `sum` runs over the lanes read so far, the same in all lanes; each lane
 * takes it when its turn (or its cluster's end) has come. */
static LLVMValueRef over_lanes(wpg_tr *t, SpvOp opcode, LLVMValueRef value, uint32_t operation,
                               uint32_t cluster)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    LLVMValueRef sum = neutral(opcode, type), result = sum, lane = wpg_tr_lane(t), active = true_mask(t);
    if (!lane || !active)
        return NULL;
    LLVMValueRef own_cluster = LLVMBuildUDiv(t->builder, lane, word(t, cluster), "");
    for (uint32_t n = 0; n < t->options->wave_size; n++) {
        LLVMValueRef there = in_lane(t, value, word(t, n));
        LLVMValueRef mine = LLVMBuildICmp(t->builder, LLVMIntEQ, lane, word(t, n), "");
        LLVMValueRef next = there ? combine(t, opcode, sum, there) : NULL;
        if (!next)
            return NULL;
        if (operation == SpvGroupOperationExclusiveScan)
            result = LLVMBuildSelect(t->builder, mine, sum, result, "");
        sum = LLVMBuildSelect(t->builder, bit_of(t, active, word(t, n)), next, sum, "");
        if (operation == SpvGroupOperationInclusiveScan)
            result = LLVMBuildSelect(t->builder, mine, sum, result, "");
        if ((n + 1) % cluster == 0 && cluster < t->options->wave_size) {
            LLVMValueRef here = LLVMBuildICmp(t->builder, LLVMIntEQ, own_cluster, word(t, n / cluster), "");
            result = LLVMBuildSelect(t->builder, here, sum, result, "");
            sum = neutral(opcode, type);
        }
    }
    bool whole = operation == SpvGroupOperationReduce ||
                 (operation == SpvGroupOperationClusteredReduce && cluster >= t->options->wave_size);
    return whole ? sum : result;
}

static LLVMValueRef arithmetic(wpg_tr *t, const wpg_inst *inst)
{
    uint32_t operation = wpg_tr_word(t, inst, 4), cluster = t->options->wave_size;
    LLVMValueRef value = wpg_tr_value(t, inst, 5);
    uint64_t bits;
    if (!value)
        return NULL;
    if (operation == SpvGroupOperationClusteredReduce) {
        if (!wpg_tr_constant(t, inst, 6, &bits))
            return NULL;
        if (!bits || bits & (bits - 1)) {
            wpg_tr_malformed(t);
            return NULL;
        }
        cluster = bits < cluster ? (uint32_t)bits : cluster;
    } else if (operation > SpvGroupOperationExclusiveScan) {
        wpg_tr_refuse(t);
        return NULL;
    }
    if (!fits((SpvOp)inst->opcode, LLVMTypeOf(value))) {
        wpg_tr_malformed(t);
        return NULL;
    }
    return over_lanes(t, (SpvOp)inst->opcode, value, operation, cluster);
}

/* -- SPV_KHR_shader_ballot and SPV_KHR_subgroup_vote: the same without a scope */

static LLVMValueRef older(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef value, lane;
    switch ((int)inst->opcode) {
    case SpvOpSubgroupAllKHR:
        return vote(t, inst, SpvOpGroupNonUniformAll, 3);
    case SpvOpSubgroupAnyKHR:
        return vote(t, inst, SpvOpGroupNonUniformAny, 3);
    case SpvOpSubgroupAllEqualKHR:
        return vote(t, inst, SpvOpGroupNonUniformAllEqual, 3);
    case SpvOpSubgroupBallotKHR:
        return vote(t, inst, SpvOpGroupNonUniformBallot, 3);
    default:
        value = wpg_tr_value(t, inst, 3);
        if (value && !wpg_tr_bits(LLVMTypeOf(value))) {
            wpg_tr_malformed(t);
            return NULL;
        }
        if (!value || inst->opcode == SpvOpSubgroupFirstInvocationKHR)
            return value ? in_lane(t, value, NULL) : NULL;
        lane = wpg_tr_value_of(t, inst, 4, t->t_i32);
        return lane ? shuffled(t, value, lane) : NULL;
    }
}

wpg_tr_result wpg_tr_subgroups(wpg_tr *t, const wpg_inst *inst)
{
    SpvOp opcode = (SpvOp)inst->opcode;
    bool is_older = opcode == SpvOpSubgroupBallotKHR || opcode == SpvOpSubgroupFirstInvocationKHR ||
                    opcode == SpvOpSubgroupAllKHR || opcode == SpvOpSubgroupAnyKHR ||
                    opcode == SpvOpSubgroupAllEqualKHR || opcode == SpvOpSubgroupReadInvocationKHR;
    bool rotates = opcode == SpvOpGroupNonUniformRotateKHR;
    if (!is_older && !rotates &&
        (opcode < SpvOpGroupNonUniformElect || opcode > SpvOpGroupNonUniformQuadSwap))
        return WPG_TR_OTHER;
    if (!t->abi->lanes)
        return WPG_TR_OTHER;
    if (is_older)
        return wpg_tr_did(wpg_tr_define(t, inst, older(t, inst)));
    if (!scope_ok(t, inst))
        return WPG_TR_FAILED;
    switch (opcode) {
    case SpvOpGroupNonUniformElect:
    case SpvOpGroupNonUniformAll:
    case SpvOpGroupNonUniformAny:
    case SpvOpGroupNonUniformAllEqual:
    case SpvOpGroupNonUniformBallot:
        return wpg_tr_did(wpg_tr_define(t, inst, vote(t, inst, opcode, 4)));
    case SpvOpGroupNonUniformInverseBallot:
    case SpvOpGroupNonUniformBallotBitExtract:
    case SpvOpGroupNonUniformBallotBitCount:
    case SpvOpGroupNonUniformBallotFindLSB:
    case SpvOpGroupNonUniformBallotFindMSB:
        return wpg_tr_did(wpg_tr_define(t, inst, of_ballot(t, inst)));
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformBroadcastFirst:
    case SpvOpGroupNonUniformShuffle:
    case SpvOpGroupNonUniformShuffleXor:
    case SpvOpGroupNonUniformShuffleUp:
    case SpvOpGroupNonUniformShuffleDown:
    case SpvOpGroupNonUniformQuadBroadcast:
    case SpvOpGroupNonUniformQuadSwap:
    case SpvOpGroupNonUniformRotateKHR:
        return wpg_tr_did(wpg_tr_define(t, inst, other_lane(t, inst)));
    default:
        return wpg_tr_did(wpg_tr_define(t, inst, arithmetic(t, inst)));
    }
}
