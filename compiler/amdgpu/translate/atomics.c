/* Atomic instructions, and scopes and semantics in LLVM's memory model for AMDGPU (AMDGPUUsage, "Memory
 * Scopes"). The storage classes of semantics are ignored: every fence orders all memory. */
#include "compiler/amdgpu/translate/translate_internal.h"

#include <string.h>

unsigned wpg_tr_sync_scope(const wpg_tr *t, uint64_t scope)
{
    const char *name = "agent"; /* device, queue family */
    if (!t->options->gpu || scope == SpvScopeCrossDevice)
        name = ""; /* system */
    else if (scope == SpvScopeWorkgroup)
        name = "workgroup";
    else if (scope == SpvScopeSubgroup)
        name = "wavefront";
    else if (scope == SpvScopeInvocation)
        name = "singlethread";
    return LLVMGetSyncScopeID(t->context, name, strlen(name));
}

LLVMAtomicOrdering wpg_tr_ordering(uint64_t semantics)
{
    bool acquire = semantics & (SpvMemorySemanticsAcquireMask | SpvMemorySemanticsAcquireReleaseMask);
    bool release = semantics & (SpvMemorySemanticsReleaseMask | SpvMemorySemanticsAcquireReleaseMask);
    if (semantics & SpvMemorySemanticsSequentiallyConsistentMask)
        return LLVMAtomicOrderingSequentiallyConsistent;
    return acquire && release ? LLVMAtomicOrderingAcquireRelease
           : acquire          ? LLVMAtomicOrderingAcquire
           : release          ? LLVMAtomicOrderingRelease
                              : LLVMAtomicOrderingMonotonic;
}

typedef struct atomic {
    const wpg_tr_place *place;
    LLVMTypeRef type;
    unsigned scope;
    LLVMAtomicOrdering ordering;
} atomic;

/* Pointer, scope and semantics from word `at` on. */
static bool operands(atomic *a, wpg_tr *t, const wpg_inst *inst, unsigned at)
{
    uint64_t scope, semantics;
    a->place = wpg_tr_pointer(t, inst, at);
    if (!a->place || !wpg_tr_constant(t, inst, at + 1, &scope) ||
        !wpg_tr_constant(t, inst, at + 2, &semantics))
        return false;
    const wpg_tr_type *type = wpg_tr_type_of(t, a->place->type);
    if (!type || !a->place->pointer || (type->kind != WPG_TR_INT && type->kind != WPG_TR_FLOAT))
        return type && wpg_tr_malformed(t);
    if (type->bits < 32)
        return wpg_tr_refuse(t);
    a->type = type->llvm;
    a->scope = wpg_tr_sync_scope(t, scope);
    a->ordering = wpg_tr_ordering(semantics);
    return true;
}

static LLVMValueRef marked(const atomic *a, LLVMValueRef access)
{
    LLVMSetOrdering(access, a->ordering);
    LLVMSetAtomicSyncScopeID(access, a->scope);
    LLVMSetAlignment(access, wpg_tr_bits(a->type) / 8);
    LLVMSetVolatile(access, a->place->is_volatile);
    return access;
}

static bool load(wpg_tr *t, const wpg_inst *inst)
{
    atomic a;
    if (!operands(&a, t, inst, 3))
        return false;
    if (a.ordering == LLVMAtomicOrderingRelease || a.ordering == LLVMAtomicOrderingAcquireRelease)
        a.ordering = LLVMAtomicOrderingAcquire;
    return wpg_tr_define(t, inst, marked(&a, LLVMBuildLoad2(t->builder, a.type, a.place->pointer, "")));
}

static bool store(wpg_tr *t, const wpg_inst *inst)
{
    atomic a;
    LLVMValueRef value;
    if (!operands(&a, t, inst, 1) || !(value = wpg_tr_value_of(t, inst, 4, a.type)))
        return false;
    if (a.place->constant)
        return wpg_tr_malformed(t);
    if (a.ordering == LLVMAtomicOrderingAcquire || a.ordering == LLVMAtomicOrderingAcquireRelease)
        a.ordering = LLVMAtomicOrderingRelease;
    (void)marked(&a, LLVMBuildStore(t->builder, value, a.place->pointer));
    return true;
}

static bool exchange_if(wpg_tr *t, const wpg_inst *inst)
{
    atomic a;
    uint64_t unequal;
    LLVMValueRef value, comparator;
    if (!operands(&a, t, inst, 3) || !wpg_tr_constant(t, inst, 6, &unequal) ||
        !(value = wpg_tr_value_of(t, inst, 7, a.type)) || !(comparator = wpg_tr_value_of(t, inst, 8, a.type)))
        return false;
    if (!wpg_tr_is_int(a.type))
        return wpg_tr_malformed(t);
    LLVMAtomicOrdering failed = wpg_tr_ordering(unequal);
    if (failed == LLVMAtomicOrderingRelease)
        failed = LLVMAtomicOrderingMonotonic;
    else if (failed == LLVMAtomicOrderingAcquireRelease)
        failed = LLVMAtomicOrderingAcquire;
    LLVMValueRef both = LLVMBuildAtomicCmpXchgSyncScope(t->builder, a.place->pointer, comparator, value,
                                                        a.ordering, failed, a.scope);
    LLVMSetVolatile(both, a.place->is_volatile);
    return wpg_tr_define(t, inst, LLVMBuildExtractValue(t->builder, both, 0, ""));
}

static bool modify(wpg_tr *t, const wpg_inst *inst, LLVMAtomicRMWBinOp operation, bool is_float)
{
    atomic a;
    bool one = inst->opcode == SpvOpAtomicIIncrement || inst->opcode == SpvOpAtomicIDecrement;
    if (!operands(&a, t, inst, 3))
        return false;
    LLVMValueRef value = one ? LLVMConstInt(a.type, 1, false) : wpg_tr_value_of(t, inst, 6, a.type);
    if (!value)
        return false;
    if (operation != LLVMAtomicRMWBinOpXchg && wpg_tr_is_float(a.type) != is_float)
        return wpg_tr_malformed(t);
    LLVMValueRef old =
        LLVMBuildAtomicRMWSyncScope(t->builder, operation, a.place->pointer, value, a.ordering, a.scope);
    LLVMSetVolatile(old, a.place->is_volatile);
    return wpg_tr_define(t, inst, old);
}

wpg_tr_result wpg_tr_atomics(wpg_tr *t, const wpg_inst *inst)
{
    switch ((int)inst->opcode) {
    case SpvOpAtomicLoad:
        return wpg_tr_did(load(t, inst));
    case SpvOpAtomicStore:
        return wpg_tr_did(store(t, inst));
    case SpvOpAtomicCompareExchange:
        return wpg_tr_did(exchange_if(t, inst));
    case SpvOpAtomicExchange:
        return wpg_tr_did(modify(t, inst, LLVMAtomicRMWBinOpXchg, false));
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIAdd:
        return wpg_tr_did(modify(t, inst, LLVMAtomicRMWBinOpAdd, false));
    case SpvOpAtomicIDecrement:
    case SpvOpAtomicISub:
        return wpg_tr_did(modify(t, inst, LLVMAtomicRMWBinOpSub, false));
    case SpvOpAtomicSMin:
        return wpg_tr_did(modify(t, inst, LLVMAtomicRMWBinOpMin, false));
    case SpvOpAtomicSMax:
        return wpg_tr_did(modify(t, inst, LLVMAtomicRMWBinOpMax, false));
    case SpvOpAtomicUMin:
        return wpg_tr_did(modify(t, inst, LLVMAtomicRMWBinOpUMin, false));
    case SpvOpAtomicUMax:
        return wpg_tr_did(modify(t, inst, LLVMAtomicRMWBinOpUMax, false));
    case SpvOpAtomicAnd:
        return wpg_tr_did(modify(t, inst, LLVMAtomicRMWBinOpAnd, false));
    case SpvOpAtomicOr:
        return wpg_tr_did(modify(t, inst, LLVMAtomicRMWBinOpOr, false));
    case SpvOpAtomicXor:
        return wpg_tr_did(modify(t, inst, LLVMAtomicRMWBinOpXor, false));
    case SpvOpAtomicFAddEXT:
        return wpg_tr_did(modify(t, inst, LLVMAtomicRMWBinOpFAdd, true));
    case SpvOpAtomicFMinEXT:
        return wpg_tr_did(modify(t, inst, LLVMAtomicRMWBinOpFMin, true));
    case SpvOpAtomicFMaxEXT:
        return wpg_tr_did(modify(t, inst, LLVMAtomicRMWBinOpFMax, true));
    default:
        return WPG_TR_OTHER;
    }
}
