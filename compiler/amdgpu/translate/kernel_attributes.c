/* Attributes of the kernel as a whole, for LLVM. */
#include "compiler/amdgpu/translate/translate_internal.h"

#include <stdio.h>
#include <string.h>

static const char FLUSHES[] = "preserve-sign,preserve-sign";

static void attribute(wpg_tr *t, const char *key, const char *value)
{
    LLVMAddAttributeAtIndex(
        t->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(t->context, key, (unsigned)strlen(key), value, (unsigned)strlen(value)));
}

void wpg_tr_describe_kernel(wpg_tr *t)
{
    static const char *const unused[] = {"amdgpu-no-completion-action",  "amdgpu-no-default-queue",
                                         "amdgpu-no-dispatch-id",        "amdgpu-no-dispatch-ptr",
                                         "amdgpu-no-heap-ptr",           "amdgpu-no-hostcall-ptr",
                                         "amdgpu-no-implicitarg-ptr",    "amdgpu-no-lds-kernel-id",
                                         "amdgpu-no-multigrid-sync-arg", "amdgpu-no-queue-ptr"};
    char sizes[32];
    uint32_t lanes = t->local_size[0] * t->local_size[1] * t->local_size[2];
    for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
        attribute(t, unused[i], "");
    (void)snprintf(sizes, sizeof sizes, "%u,%u", lanes, lanes);
    attribute(t, "amdgpu-flat-work-group-size", sizes);
    attribute(t, "uniform-work-group-size", "true");
    attribute(t, "amdgpu-ieee", "false"); /* signalling NaNs are as any */
    unsigned nounwind = LLVMGetEnumAttributeKindForName("nounwind", 8);
    LLVMAddAttributeAtIndex(t->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(t->context, nounwind, 0));
    LLVMMetadataRef size[3];
    for (unsigned axis = 0; axis < 3; axis++)
        size[axis] = LLVMValueAsMetadata(LLVMConstInt(t->t_i32, t->local_size[axis], false));
    LLVMGlobalSetMetadata(t->function, LLVMGetMDKindIDInContext(t->context, "reqd_work_group_size", 20),
                          LLVMMDNodeInContext2(t->context, size, 3));
}

/* Float controls: what the hardware can be set to per kernel. 32-bit denormals are flushed unless the shader
 * forbids it, as by AMD's Vulkan drivers; Vulkan 1.3, "Precision and Operation of SPIR-V Instructions",
 * leaves it open. */
bool wpg_tr_float_controls(wpg_tr *t)
{
    t->flushes_single = true;
    for (const wpg_inst *inst = t->module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        if (inst->opcode != SpvOpExecutionMode || inst->count < 4 ||
            inst->words[1] != t->entry_function->result)
            continue;
        t->inst = inst;
        bool single = inst->words[3] == 32;
        switch (inst->words[2]) {
        case SpvExecutionModeDenormFlushToZero:
            *(single ? &t->flushes_single : &t->flushes_others) = true;
            break;
        case SpvExecutionModeDenormPreserve:
            *(single ? &t->flushes_single : &t->flushes_others) = false;
            t->dividing_exactly = t->dividing_exactly || single;
            break;
        case SpvExecutionModeSignedZeroInfNanPreserve:
        case SpvExecutionModeRoundingModeRTE:
            t->dividing_exactly = t->dividing_exactly || single;
            break;
        case SpvExecutionModeRoundingModeRTZ:
            return wpg_tr_fail(t, WPG_E_UNSUPPORTED, "rounding towards zero");
        default:
            break;
        }
    }
    t->inst = NULL;
    if (t->flushes_others) /* of all widths, if nothing else is said of single ones */
        attribute(t, "denormal-fp-math", FLUSHES);
    attribute(t, "denormal-fp-math-f32", t->flushes_single ? FLUSHES : "ieee,ieee");
    return true;
}
