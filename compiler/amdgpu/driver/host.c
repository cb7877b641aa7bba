#include "compiler/amdgpu/driver/host.h"

#include <pthread.h>
#include <stdlib.h>

#include <llvm-c/Core.h>
#include <llvm-c/ExecutionEngine.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "compiler/amdgpu/translate/translate.h"

struct wpg_host_kernel {
    wpg_arena arena;
    LLVMContextRef context;
    LLVMExecutionEngineRef engine; /* owns the module */
    wpg_translation out;
    void (*code)(const void *arguments, const uint32_t ids[6]);
};

static void initialise(void)
{
    LLVMLinkInMCJIT();
    (void)LLVMInitializeNativeTarget();
    (void)LLVMInitializeNativeAsmPrinter();
}

static wpg_status translate(LLVMModuleRef *llvm, wpg_host_kernel *kernel, const wpg_module *normal,
                            const wpg_stage *stage, wpg_error *err)
{
    char *triple = LLVMGetDefaultTargetTriple();
    const wpg_translation_options options = {
        .abi = WPG_TRANSLATE_HOST, .wave_size = 1, .triple = triple, .data_layout = ""};
    *llvm = LLVMModuleCreateWithNameInContext("wavepgo", kernel->context);
    wpg_status status = wpg_translate(&kernel->out, *llvm, &kernel->arena, normal, stage, &options, err);
    LLVMDisposeMessage(triple);
    return status;
}

wpg_status wpg_host_kernel_create(wpg_host_kernel **kernel, const wpg_module *normal, const wpg_stage *stage,
                                  wpg_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    LLVMModuleRef llvm;
    char *message = NULL;
    (void)pthread_once(&once, initialise);
    wpg_host_kernel *made = calloc(1, sizeof *made);
    if (!made)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_arena_init(&made->arena);
    made->context = LLVMContextCreate();
    wpg_status status = translate(&llvm, made, normal, stage, err);
    if (status != WPG_OK) {
        LLVMDisposeModule(llvm);
    } else if (LLVMCreateJITCompilerForModule(&made->engine, llvm, 0, &message)) {
        status = wpg_fail(err, WPG_E_UNSUPPORTED, "LLVM cannot run here: %s", message ? message : "");
        LLVMDisposeMessage(message);
    } else {
        uint64_t address = LLVMGetFunctionAddress(made->engine, made->out.kernel);
        made->code = (void (*)(const void *, const uint32_t *))(uintptr_t)address;
        if (!address)
            status = wpg_fail(err, WPG_E_UNSUPPORTED, "LLVM makes no code for this machine");
    }
    if (status == WPG_OK)
        *kernel = made;
    else
        wpg_host_kernel_destroy(made);
    return status;
}

void wpg_host_kernel_destroy(wpg_host_kernel *kernel)
{
    if (!kernel)
        return;
    if (kernel->engine)
        LLVMDisposeExecutionEngine(kernel->engine);
    LLVMContextDispose(kernel->context);
    wpg_arena_finish(&kernel->arena);
    free(kernel);
}

const wpg_amdgpu_argument *wpg_host_kernel_arguments(const wpg_host_kernel *kernel, uint32_t *count,
                                                     uint32_t *bytes)
{
    *count = kernel->out.argument_count;
    *bytes = kernel->out.argument_bytes;
    return kernel->out.arguments;
}

void wpg_host_kernel_run(const wpg_host_kernel *kernel, const void *arguments, const uint32_t groups[3])
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
