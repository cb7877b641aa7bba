/* Subgroup instructions: votes, ballots, and the dispatch to the other files. All their code is straight and
 * makes no block, so the structurised blocks stay the shader's. */
#include "compiler/amdgpu/translate/subgroups.h"

static LLVMValueRef word(const wpg_tr *t, uint64_t value)
{
    return LLVMConstInt(t->t_i32, value, false);
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
    LLVMValueRef first = wpg_tr_in_lane(t, value, NULL);
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

LLVMValueRef wpg_tr_bits_before(wpg_tr *t, LLVMValueRef mask)
{
    LLVMValueRef low = narrowed(t, mask), none = word(t, 0);
    LLVMValueRef count = wpg_tr_call(t, "llvm.amdgcn.mbcnt.lo", NULL, 0, (LLVMValueRef[]){low, none}, 2);
    if (!count || t->options->wave_size == 32)
        return count;
    LLVMValueRef high = LLVMBuildLShr(t->builder, mask, LLVMConstInt(t->t_i64, 32, false), "");
    high = LLVMBuildTrunc(t->builder, high, t->t_i32, "");
    return wpg_tr_call(t, "llvm.amdgcn.mbcnt.hi", NULL, 0, (LLVMValueRef[]){high, count}, 2);
}

/* Bits of the mask in all lanes, up to and with this one, or before it. */
static LLVMValueRef bit_count(wpg_tr *t, LLVMValueRef mask, uint32_t operation)
{
    if (operation == SpvGroupOperationReduce)
        return narrowed(t, wpg_tr_call1(t, "llvm.ctpop", mask));
    LLVMValueRef before = wpg_tr_bits_before(t, mask), lane = wpg_tr_lane(t);
    if (!before || !lane || operation == SpvGroupOperationExclusiveScan)
        return before;
    LLVMValueRef own = LLVMBuildZExt(t->builder, bit_of(t, mask, lane), t->t_i32, "");
    return LLVMBuildAdd(t->builder, before, own, "");
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
            return value ? wpg_tr_in_lane(t, value, NULL) : NULL;
        lane = wpg_tr_value_of(t, inst, 4, t->t_i32);
        return lane ? wpg_tr_in_same_lane(t, value, lane) : NULL;
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
        return wpg_tr_did(wpg_tr_define(t, inst, wpg_tr_other_lane(t, inst)));
    default:
        return wpg_tr_did(wpg_tr_define(t, inst, wpg_tr_lane_arithmetic(t, inst)));
    }
}
