/* Branches, returns and barriers. LLVM finds the structure again (structurizecfg), so merge instructions are
 * not needed. */
#include "compiler/amdgpu/translate/translate_internal.h"

static LLVMBasicBlockRef target(wpg_tr *t, uint32_t label)
{
    if (label < t->bound && t->blocks[label].first)
        return t->blocks[label].first;
    wpg_tr_malformed(t);
    return NULL;
}

static bool branch(wpg_tr *t, const wpg_inst *inst)
{
    LLVMBasicBlockRef to = target(t, wpg_tr_word(t, inst, 1));
    return to && LLVMBuildBr(t->builder, to);
}

static void mark(wpg_tr *t, LLVMValueRef branch)
{
    const wpg_amdgpu_marks *marks = &t->options->marks;
    if (t->block_number >= marks->blocks || !marks->unpredictable[t->block_number])
        return;
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(t->context, "unpredictable", 13),
                    LLVMMetadataAsValue(t->context, LLVMMDNodeInContext2(t->context, NULL, 0)));
}

static bool branch_if(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef condition = wpg_tr_value_of(t, inst, 1, t->t_i1);
    LLVMBasicBlockRef yes = condition ? target(t, wpg_tr_word(t, inst, 2)) : NULL;
    LLVMBasicBlockRef no = yes ? target(t, wpg_tr_word(t, inst, 3)) : NULL;
    if (!no)
        return false;
    if (yes == no) /* one edge, for the phis */
        (void)LLVMBuildBr(t->builder, yes);
    else
        mark(t, LLVMBuildCondBr(t->builder, condition, yes, no));
    return true;
}

static bool choose(wpg_tr *t, const wpg_inst *inst)
{
    LLVMValueRef selector = wpg_tr_value(t, inst, 1);
    LLVMBasicBlockRef otherwise = selector ? target(t, wpg_tr_word(t, inst, 2)) : NULL;
    if (!otherwise)
        return false;
    LLVMTypeRef type = LLVMTypeOf(selector);
    if (!wpg_tr_is_int(type) || wpg_tr_components(type) != 1)
        return wpg_tr_malformed(t);
    unsigned words = wpg_tr_bits(type) > 32 ? 3 : 2, cases = (inst->count - 3u) / words;
    if ((inst->count - 3u) % words)
        return wpg_tr_malformed(t);
    LLVMValueRef made = LLVMBuildSwitch(t->builder, selector, otherwise, cases);
    for (unsigned at = 3; at + words <= inst->count; at += words) {
        uint64_t value = inst->words[at] | (words == 3 ? (uint64_t)inst->words[at + 1] << 32 : 0);
        LLVMBasicBlockRef to = target(t, inst->words[at + words - 1]);
        if (!to)
            return false;
        LLVMAddCase(made, LLVMConstInt(type, value, false), to);
    }
    return true;
}

static bool fence(wpg_tr *t, uint64_t scope, uint64_t semantics, LLVMAtomicOrdering least)
{
    LLVMAtomicOrdering ordering = wpg_tr_ordering(semantics);
    if (ordering == LLVMAtomicOrderingMonotonic)
        return true;
    if (least != LLVMAtomicOrderingMonotonic && ordering != LLVMAtomicOrderingSequentiallyConsistent)
        ordering = least;
    (void)LLVMBuildFenceSyncScope(t->builder, ordering, wpg_tr_sync_scope(t, scope), "");
    return true;
}

static bool control_barrier(wpg_tr *t, const wpg_inst *inst)
{
    uint64_t execution, memory, semantics;
    if (!wpg_tr_constant(t, inst, 1, &execution) || !wpg_tr_constant(t, inst, 2, &memory) ||
        !wpg_tr_constant(t, inst, 3, &semantics))
        return false;
    if (!t->abi->lanes || (execution != SpvScopeWorkgroup && execution != SpvScopeSubgroup))
        return wpg_tr_refuse(t);
    (void)fence(t, memory, semantics, LLVMAtomicOrderingRelease);
    if (!wpg_tr_call(t, execution == SpvScopeWorkgroup ? "llvm.amdgcn.s.barrier" : "llvm.amdgcn.wave.barrier",
                     NULL, 0, NULL, 0))
        return false;
    return fence(t, memory, semantics, LLVMAtomicOrderingAcquire);
}

static bool memory_barrier(wpg_tr *t, const wpg_inst *inst)
{
    uint64_t memory, semantics;
    return wpg_tr_constant(t, inst, 1, &memory) && wpg_tr_constant(t, inst, 2, &semantics) &&
           fence(t, memory, semantics, LLVMAtomicOrderingMonotonic);
}

wpg_tr_result wpg_tr_control(wpg_tr *t, const wpg_inst *inst)
{
    switch (inst->opcode) {
    case SpvOpSelectionMerge:
    case SpvOpLoopMerge:
        return WPG_TR_DONE;
    case SpvOpBranch:
        return wpg_tr_did(branch(t, inst));
    case SpvOpBranchConditional:
        return wpg_tr_did(branch_if(t, inst));
    case SpvOpSwitch:
        return wpg_tr_did(choose(t, inst));
    case SpvOpReturn:
        return wpg_tr_did(LLVMBuildRetVoid(t->builder) != NULL);
    case SpvOpUnreachable:
        return wpg_tr_did(LLVMBuildUnreachable(t->builder) != NULL);
    case SpvOpControlBarrier:
        return wpg_tr_did(control_barrier(t, inst));
    case SpvOpMemoryBarrier:
        return wpg_tr_did(memory_barrier(t, inst));
    default:
        return WPG_TR_OTHER;
    }
}
