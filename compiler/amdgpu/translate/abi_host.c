/* The ABI of the machine this command runs on. The translation is executed one invocation at a time (host.h)
 * to test its meaning. The kernel is void kernel(const void *arguments, const uint32_t ids[6]). Arguments are
 * as HSA's. `ids` are the workgroup's, then the invocation's within the workgroup. There are no waves. */
#include "compiler/amdgpu/translate/abi_arguments.h"

enum { ARGUMENT, IDS };

static bool begin(wpg_tr *t)
{
    if (!wpg_arguments_lay_out(t))
        return false;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(t->context, 0);
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(t->context), (LLVMTypeRef[]){pointer, pointer}, 2, false);
    t->function = LLVMAddFunction(t->llvm, t->out->kernel, type);
    LLVMPositionBuilderAtEnd(t->builder, LLVMAppendBasicBlockInContext(t->context, t->function, "entry"));
    t->abi_values[ARGUMENT] = LLVMGetParam(t->function, 0);
    t->abi_values[IDS] = LLVMGetParam(t->function, 1);
    return true;
}

static LLVMValueRef id(wpg_tr *t, unsigned index)
{
    return wpg_tr_load_invariant(t, t->t_i32, wpg_tr_offset_by(t, t->abi_values[IDS], 4 * index), 4);
}

static LLVMValueRef group_id(wpg_tr *t, unsigned axis)
{
    return id(t, axis);
}

static LLVMValueRef local_id(wpg_tr *t, unsigned axis)
{
    return id(t, 3 + axis);
}

static LLVMValueRef host_buffer(wpg_tr *t, const wpg_tr_binding *binding, LLVMValueRef element)
{
    return wpg_arguments_buffer(t, t->abi_values[ARGUMENT], binding, element);
}

static LLVMValueRef host_length(wpg_tr *t, const wpg_tr_binding *binding, LLVMValueRef element)
{
    return wpg_arguments_length(t, t->abi_values[ARGUMENT], binding, element);
}

static LLVMValueRef host_push(wpg_tr *t)
{
    return wpg_tr_offset_by(t, t->abi_values[ARGUMENT], wpg_arguments_offset(t, WPG_AMDGPU_PUSH));
}

static LLVMValueRef host_groups(wpg_tr *t, unsigned axis)
{
    return wpg_arguments_groups(t, t->abi_values[ARGUMENT], axis);
}

const wpg_tr_abi wpg_tr_abi_host = {
    .index_bits = 64,
    .buffer_align = 16,
    .begin = begin,
    .buffer = host_buffer,
    .length = host_length,
    .push = host_push,
    .local_id = local_id,
    .group_id = group_id,
    .groups = host_groups,
};
