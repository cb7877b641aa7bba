/* Built-in inputs of compute shaders, from the values of the ABI. Every AMD GPU cuts waves from the workgroup
 * in order of the local index (x fastest). */
#include "compiler/amdgpu/translate/translate_internal.h"

static LLVMValueRef word(wpg_tr *t, uint64_t value)
{
    return LLVMConstInt(t->t_i32, value, false);
}

static LLVMTypeRef mask_type(wpg_tr *t)
{
    return t->options->wave_size == 64 ? t->t_i64 : t->t_i32;
}

LLVMValueRef wpg_tr_lane(wpg_tr *t)
{
    LLVMValueRef all = LLVMConstAllOnes(t->t_i32);
    LLVMValueRef low = wpg_tr_call(t, "llvm.amdgcn.mbcnt.lo", NULL, 0, (LLVMValueRef[]){all, word(t, 0)}, 2);
    if (!low || t->options->wave_size == 32)
        return low;
    return wpg_tr_call(t, "llvm.amdgcn.mbcnt.hi", NULL, 0, (LLVMValueRef[]){all, low}, 2);
}

LLVMValueRef wpg_tr_ballot(wpg_tr *t, LLVMValueRef condition)
{
    return wpg_tr_call(t, "llvm.amdgcn.ballot", (LLVMTypeRef[]){mask_type(t)}, 1, &condition, 1);
}

LLVMValueRef wpg_tr_mask_vector(wpg_tr *t, LLVMValueRef mask)
{
    LLVMValueRef vector = LLVMConstNull(LLVMVectorType(t->t_i32, 4));
    if (LLVMTypeOf(mask) == t->t_i32)
        return wpg_tr_set(t, vector, mask, 0);
    LLVMValueRef high = LLVMBuildLShr(t->builder, mask, LLVMConstInt(t->t_i64, 32, false), "");
    vector = wpg_tr_set(t, vector, LLVMBuildTrunc(t->builder, mask, t->t_i32, ""), 0);
    return wpg_tr_set(t, vector, LLVMBuildTrunc(t->builder, high, t->t_i32, ""), 1);
}

/* Lanes below, at, above: as a mask. */
static LLVMValueRef lane_mask(wpg_tr *t, SpvBuiltIn which)
{
    LLVMTypeRef type = mask_type(t);
    LLVMValueRef lane = wpg_tr_lane(t);
    if (!lane)
        return NULL;
    LLVMValueRef own = LLVMBuildShl(t->builder, LLVMConstInt(type, 1, false),
                                    LLVMBuildZExtOrBitCast(t->builder, lane, type, ""), "");
    LLVMValueRef below = LLVMBuildSub(t->builder, own, LLVMConstInt(type, 1, false), "");
    switch (which) {
    case SpvBuiltInSubgroupEqMask:
        return own;
    case SpvBuiltInSubgroupLtMask:
        return below;
    case SpvBuiltInSubgroupLeMask:
        return LLVMBuildOr(t->builder, below, own, "");
    case SpvBuiltInSubgroupGeMask:
        return LLVMBuildNot(t->builder, below, "");
    default:
        return LLVMBuildNot(t->builder, LLVMBuildOr(t->builder, below, own, ""), "");
    }
}

static LLVMValueRef three(wpg_tr *t, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z)
{
    LLVMValueRef vector = LLVMGetPoison(LLVMVectorType(t->t_i32, 3));
    if (!x || !y || !z)
        return NULL;
    vector = wpg_tr_set(t, vector, x, 0);
    vector = wpg_tr_set(t, vector, y, 1);
    return wpg_tr_set(t, vector, z, 2);
}

static LLVMValueRef global_id(wpg_tr *t, unsigned axis)
{
    LLVMValueRef group = t->abi->group_id(t, axis), local = t->abi->local_id(t, axis);
    if (!group || !local)
        return NULL;
    group = LLVMBuildMul(t->builder, group, word(t, t->local_size[axis]), "");
    return LLVMBuildAdd(t->builder, group, local, "");
}

static LLVMValueRef local_index(wpg_tr *t)
{
    LLVMValueRef index = t->abi->local_id(t, 2);
    for (unsigned axis = 2; axis-- > 0 && index;) {
        LLVMValueRef id = t->abi->local_id(t, axis);
        index = LLVMBuildMul(t->builder, index, word(t, t->local_size[axis]), "");
        index = id ? LLVMBuildAdd(t->builder, index, id, "") : NULL;
    }
    return index;
}

static LLVMValueRef of_wave(wpg_tr *t, SpvBuiltIn which)
{
    uint32_t wave = t->options->wave_size;
    uint32_t lanes = t->local_size[0] * t->local_size[1] * t->local_size[2];
    if (!t->abi->lanes) {
        wpg_tr_fail(t, WPG_E_UNSUPPORTED, "a subgroup built-in, without subgroups");
        return NULL;
    }
    switch (which) {
    case SpvBuiltInSubgroupSize:
        return word(t, wave);
    case SpvBuiltInNumSubgroups:
        return word(t, (lanes + wave - 1) / wave);
    case SpvBuiltInSubgroupLocalInvocationId:
        return wpg_tr_lane(t);
    case SpvBuiltInSubgroupId: { /* the same for all lanes, which this tells LLVM */
        LLVMValueRef index = local_index(t);
        index = index ? LLVMBuildUDiv(t->builder, index, word(t, wave), "") : NULL;
        return wpg_tr_call1(t, "llvm.amdgcn.readfirstlane", index);
    }
    default: {
        LLVMValueRef mask = lane_mask(t, which);
        return mask ? wpg_tr_mask_vector(t, mask) : NULL;
    }
    }
}

LLVMValueRef wpg_tr_builtin(wpg_tr *t, SpvBuiltIn which)
{
    switch ((int)which) {
    case SpvBuiltInNumWorkgroups:
        return three(t, t->abi->groups(t, 0), t->abi->groups(t, 1), t->abi->groups(t, 2));
    case SpvBuiltInWorkgroupId:
        return three(t, t->abi->group_id(t, 0), t->abi->group_id(t, 1), t->abi->group_id(t, 2));
    case SpvBuiltInLocalInvocationId:
        return three(t, t->abi->local_id(t, 0), t->abi->local_id(t, 1), t->abi->local_id(t, 2));
    case SpvBuiltInGlobalInvocationId:
        return three(t, global_id(t, 0), global_id(t, 1), global_id(t, 2));
    case SpvBuiltInLocalInvocationIndex:
        return local_index(t);
    case SpvBuiltInWorkgroupSize:
        return three(t, word(t, t->local_size[0]), word(t, t->local_size[1]), word(t, t->local_size[2]));
    case SpvBuiltInDeviceIndex:
        return word(t, 0);
    case SpvBuiltInSubgroupSize:
    case SpvBuiltInNumSubgroups:
    case SpvBuiltInSubgroupId:
    case SpvBuiltInSubgroupLocalInvocationId:
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        return of_wave(t, which);
    default:
        wpg_tr_fail(t, WPG_E_UNSUPPORTED, "built-in %u", (unsigned)which);
        return NULL;
    }
}
