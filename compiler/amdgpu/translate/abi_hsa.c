/* The ABI of HIP and ROCr: one kernel argument, passed by value in the kernel argument segment:
 *
 *     pointers to buffers, by set, binding, element | (pointer to counters) |
 *     workgroups of the dispatch (3 words) | bytes of buffers that end in an open array |
 *     (to 16) push constants
 *
 * wpg_amdgpu_argument tells the caller the place of each. The tests' ABI has the same layout behind a plain
 * pointer (tests/unit/compiler/amdgpu/host_kernel.h). Source: LLVM 22, AMDGPUUsage, "Kernel Argument
 * Segment". */
#include "compiler/amdgpu/translate/abi_arguments.h"

enum { ARGUMENT, SPACE_GLOBAL = 1, SPACE_LDS = 3, SPACE_CONSTANT = 4, SPACE_PRIVATE = 5 };

/* LLVM 22, AMDGPUUsage, "LLVM IR Module Flags". */
static void state_code_object(wpg_tr *t)
{
    static const char name[] = "amdhsa_code_object_version";
    LLVMValueRef version = LLVMConstInt(t->t_i32, 100 * t->options->code_object, false);
    LLVMAddModuleFlag(t->llvm, LLVMModuleFlagBehaviorError, name, sizeof name - 1,
                      LLVMValueAsMetadata(version));
}

static bool begin(wpg_tr *t)
{
    if (!wpg_arguments_lay_out(t))
        return false;
    state_code_object(t);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(t->context, SPACE_CONSTANT);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(t->context), &pointer, 1, false);
    t->function = LLVMAddFunction(t->llvm, t->out->kernel, type);
    LLVMSetFunctionCallConv(t->function, 91 /* amdgpu_kernel */);
    LLVMSetVisibility(t->function, LLVMProtectedVisibility);
    LLVMTypeRef block = LLVMArrayType2(t->t_i8, t->out->argument_bytes);
    unsigned byref = LLVMGetEnumAttributeKindForName("byref", 5);
    unsigned align = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAddAttributeAtIndex(t->function, 1, LLVMCreateTypeAttribute(t->context, byref, block));
    LLVMAddAttributeAtIndex(t->function, 1, LLVMCreateEnumAttribute(t->context, align, 16));
    wpg_tr_describe_kernel(t);
    LLVMPositionBuilderAtEnd(t->builder, LLVMAppendBasicBlockInContext(t->context, t->function, "entry"));
    t->abi_values[ARGUMENT] = LLVMGetParam(t->function, 0);
    return true;
}

static LLVMValueRef local_id(wpg_tr *t, unsigned axis)
{
    static const char *const names[] = {"llvm.amdgcn.workitem.id.x", "llvm.amdgcn.workitem.id.y",
                                        "llvm.amdgcn.workitem.id.z"};
    return wpg_tr_call(t, names[axis], NULL, 0, NULL, 0);
}

static LLVMValueRef group_id(wpg_tr *t, unsigned axis)
{
    static const char *const names[] = {"llvm.amdgcn.workgroup.id.x", "llvm.amdgcn.workgroup.id.y",
                                        "llvm.amdgcn.workgroup.id.z"};
    return wpg_tr_call(t, names[axis], NULL, 0, NULL, 0);
}

static LLVMValueRef argument(wpg_tr *t)
{
    return t->abi_values[ARGUMENT];
}

static LLVMValueRef hsa_buffer(wpg_tr *t, const wpg_tr_binding *binding, LLVMValueRef element)
{
    return wpg_arguments_buffer(t, argument(t), binding, element);
}

static LLVMValueRef hsa_length(wpg_tr *t, const wpg_tr_binding *binding, LLVMValueRef element)
{
    return wpg_arguments_length(t, argument(t), binding, element);
}

static LLVMValueRef hsa_push(wpg_tr *t)
{
    return wpg_tr_offset_by(t, argument(t), wpg_arguments_offset(t, WPG_AMDGPU_PUSH));
}

static LLVMValueRef hsa_groups(wpg_tr *t, unsigned axis)
{
    return wpg_arguments_groups(t, argument(t), axis);
}

const wpg_tr_abi wpg_tr_abi_hsa = {
    .space_buffer = SPACE_GLOBAL,
    .space_uniform = SPACE_CONSTANT,
    .space_global = SPACE_GLOBAL,
    .space_local = SPACE_LDS,
    .space_private = SPACE_PRIVATE,
    .index_bits = 64,
    .lanes = true,
    .buffer_align = 16,
    .begin = begin,
    .buffer = hsa_buffer,
    .length = hsa_length,
    .push = hsa_push,
    .local_id = local_id,
    .group_id = group_id,
    .groups = hsa_groups,
};
