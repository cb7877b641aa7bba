/* The block of arguments of HSA kernels: its layout, and code that reads it. The tests' kernels have the same
 * (tests/unit/compiler/amdgpu/host_kernel.h). Threads: as translate_internal.h. */
#ifndef WPG_COMPILER_AMDGPU_TRANSLATE_ABI_ARGUMENTS_H
#define WPG_COMPILER_AMDGPU_TRANSLATE_ABI_ARGUMENTS_H

#include "compiler/amdgpu/translate/translate_internal.h"

/* Fills out->arguments and the bindings' offsets. */
bool wpg_arguments_lay_out(wpg_tr *t);
/* Where the first argument of that kind begins, in bytes. */
uint32_t wpg_arguments_offset(const wpg_tr *t, wpg_amdgpu_argument_kind kind);
/* Loads from the block at `base`: a descriptor's pointer, its length in bytes (i32), the workgroups of the
 * dispatch along an axis (i32). */
LLVMValueRef wpg_arguments_buffer(wpg_tr *t, LLVMValueRef base, const wpg_tr_binding *binding,
                                  LLVMValueRef element);
LLVMValueRef wpg_arguments_length(wpg_tr *t, LLVMValueRef base, const wpg_tr_binding *binding,
                                  LLVMValueRef element);
LLVMValueRef wpg_arguments_groups(wpg_tr *t, LLVMValueRef base, unsigned axis);
/* A load of memory that nothing writes while the kernel runs. */
LLVMValueRef wpg_tr_load_invariant(wpg_tr *t, LLVMTypeRef type, LLVMValueRef pointer, unsigned align);

#endif
