/* Executes a kernel's translation on this machine, one invocation after another, by LLVM's JIT. No barriers,
 * no subgroup instructions; all invocations share one workgroup memory.
 *
 * The translation has an ABI of its own: void kernel(const void *arguments, const uint32_t ids[6]). Arguments
 * are as HSA's. `ids` are the workgroup's, then the invocation's within the workgroup. There are no waves.
 *
 * Ownership: host_kernel_destroy frees all. Threads: one test, one thread. */
#ifndef WPG_TESTS_AMDGPU_HOST_KERNEL_H
#define WPG_TESTS_AMDGPU_HOST_KERNEL_H

#include <stdlib.h>

#include <llvm-c/Core.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "compiler/amdgpu/translate/abi_arguments.h"

/* -- The ABI */

enum { HOST_ARGUMENT, HOST_IDS };

static bool host_begin(wpg_tr *t)
{
    if (!wpg_arguments_lay_out(t))
        return false;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(t->context, 0);
    LLVMTypeRef type =
        LLVMFunctionType(LLVMVoidTypeInContext(t->context), (LLVMTypeRef[]){pointer, pointer}, 2, false);
    t->function = LLVMAddFunction(t->llvm, t->out->kernel, type);
    LLVMPositionBuilderAtEnd(t->builder, LLVMAppendBasicBlockInContext(t->context, t->function, "entry"));
    t->abi_values[HOST_ARGUMENT] = LLVMGetParam(t->function, 0);
    t->abi_values[HOST_IDS] = LLVMGetParam(t->function, 1);
    return true;
}

static LLVMValueRef host_id(wpg_tr *t, unsigned index)
{
    return wpg_tr_load_invariant(t, t->t_i32, wpg_tr_offset_by(t, t->abi_values[HOST_IDS], 4 * index), 4);
}

static LLVMValueRef host_group_id(wpg_tr *t, unsigned axis)
{
    return host_id(t, axis);
}

static LLVMValueRef host_local_id(wpg_tr *t, unsigned axis)
{
    return host_id(t, 3 + axis);
}

static LLVMValueRef host_buffer(wpg_tr *t, const wpg_tr_binding *binding, LLVMValueRef element)
{
    return wpg_arguments_buffer(t, t->abi_values[HOST_ARGUMENT], binding, element);
}

static LLVMValueRef host_length(wpg_tr *t, const wpg_tr_binding *binding, LLVMValueRef element)
{
    return wpg_arguments_length(t, t->abi_values[HOST_ARGUMENT], binding, element);
}

static LLVMValueRef host_push(wpg_tr *t)
{
    return wpg_tr_offset_by(t, t->abi_values[HOST_ARGUMENT], wpg_arguments_offset(t, WPG_AMDGPU_PUSH));
}

static LLVMValueRef host_groups(wpg_tr *t, unsigned axis)
{
    return wpg_arguments_groups(t, t->abi_values[HOST_ARGUMENT], axis);
}

static const wpg_tr_abi host_abi = {
    .index_bits = 64,
    .buffer_align = 16,
    .begin = host_begin,
    .buffer = host_buffer,
    .length = host_length,
    .push = host_push,
    .local_id = host_local_id,
    .group_id = host_group_id,
    .groups = host_groups,
};

/* -- The kernel */

typedef struct host_kernel {
    wpg_arena arena;
    LLVMContextRef context;
    LLVMExecutionEngineRef engine; /* owns the module */
    wpg_translation out;           /* out.arguments: as of wpg_amdgpu_code, for an HSA kernel */
    void (*code)(const void *arguments, const uint32_t ids[6]);
} host_kernel;

static void host_kernel_destroy(host_kernel *kernel)
{
    if (kernel->engine)
        LLVMDisposeExecutionEngine(kernel->engine);
    LLVMContextDispose(kernel->context);
    wpg_arena_finish(&kernel->arena);
}

static wpg_status host_translate(LLVMModuleRef *llvm, host_kernel *kernel, const wpg_module *normal,
                                 const wpg_stage *stage, wpg_error *err)
{
    char *triple = LLVMGetDefaultTargetTriple();
    const wpg_translation_options options = {
        .abi = &host_abi, .wave_size = 1, .triple = triple, .data_layout = ""};
    *llvm = LLVMModuleCreateWithNameInContext("wavepgo", kernel->context);
    wpg_status status = wpg_translate(&kernel->out, *llvm, &kernel->arena, normal, stage, &options, err);
    LLVMDisposeMessage(triple);
    return status;
}

/* After a failure there is nothing to destroy. */
static wpg_status host_kernel_create(host_kernel *kernel, const wpg_module *normal, const wpg_stage *stage,
                                     wpg_error *err)
{
    LLVMModuleRef llvm;
    char *message = NULL;
    LLVMLinkInMCJIT();
    (void)LLVMInitializeNativeTarget();
    (void)LLVMInitializeNativeAsmPrinter();
    *kernel = (host_kernel){.context = LLVMContextCreate()};
    wpg_arena_init(&kernel->arena);
    wpg_status status = host_translate(&llvm, kernel, normal, stage, err);
    if (status != WPG_OK) {
        LLVMDisposeModule(llvm);
    } else if (LLVMCreateJITCompilerForModule(&kernel->engine, llvm, 0, &message)) {
        status = wpg_fail(err, WPG_E_UNSUPPORTED, "LLVM cannot run here: %s", message ? message : "");
        LLVMDisposeMessage(message);
    } else {
        uint64_t address = LLVMGetFunctionAddress(kernel->engine, kernel->out.kernel);
        kernel->code = (void (*)(const void *, const uint32_t *))(uintptr_t)address;
        if (!address)
            status = wpg_fail(err, WPG_E_UNSUPPORTED, "LLVM makes no code for this machine");
    }
    if (status != WPG_OK)
        host_kernel_destroy(kernel);
    return status;
}

/* Every invocation of groups[0] * groups[1] * groups[2] workgroups, in order. */
static void host_kernel_run(const host_kernel *kernel, const void *arguments, const uint32_t groups[3])
{
    const uint32_t *size = kernel->out.local_size;
    uint64_t lanes = (uint64_t)size[0] * size[1] * size[2];
    uint64_t all = (uint64_t)groups[0] * groups[1] * groups[2];
    for (uint64_t group = 0; group < all; group++)
        for (uint64_t lane = 0; lane < lanes; lane++) {
            const uint32_t ids[6] = {(uint32_t)(group % groups[0]),
                                     (uint32_t)(group / groups[0] % groups[1]),
                                     (uint32_t)(group / groups[0] / groups[1]),
                                     (uint32_t)(lane % size[0]),
                                     (uint32_t)(lane / size[0] % size[1]),
                                     (uint32_t)(lane / size[0] / size[1])};
            kernel->code(arguments, ids);
        }
}

#endif
