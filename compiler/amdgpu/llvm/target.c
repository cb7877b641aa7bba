/* GPU names are LLVM's (AMDGPUUsage, "AMDGPU Processors"). An unknown name is refused here: LLVM would only
 * print a warning and take another GPU. */
#include "compiler/amdgpu/llvm/target.h"

#include <pthread.h>
#include <string.h>

#include "compiler/amdgpu/llvm/llvm_guard.h"

static const wpg_gpu gpus[] = {
    {"gfx900", 9, false, false},  {"gfx902", 9, false, false},  {"gfx904", 9, false, false},
    {"gfx906", 9, false, false},  {"gfx908", 9, false, false},  {"gfx909", 9, false, false},
    {"gfx90a", 9, false, true},   {"gfx90c", 9, false, false},  {"gfx942", 9, false, true},
    {"gfx950", 9, false, true},   {"gfx1010", 10, true, false}, {"gfx1011", 10, true, false},
    {"gfx1012", 10, true, false}, {"gfx1013", 10, true, false}, {"gfx1030", 10, true, false},
    {"gfx1031", 10, true, false}, {"gfx1032", 10, true, false}, {"gfx1033", 10, true, false},
    {"gfx1034", 10, true, false}, {"gfx1035", 10, true, false}, {"gfx1036", 10, true, false},
    {"gfx1100", 11, true, true},  {"gfx1101", 11, true, true},  {"gfx1102", 11, true, true},
    {"gfx1103", 11, true, true},  {"gfx1150", 11, true, true},  {"gfx1151", 11, true, true},
    {"gfx1152", 11, true, true},  {"gfx1153", 11, true, true},  {"gfx1200", 12, true, true},
    {"gfx1201", 12, true, true},
};

enum { GPUS = sizeof gpus / sizeof *gpus };

const wpg_gpu *wpg_gpu_find(const char *name)
{
    for (unsigned i = 0; name && i < GPUS; i++)
        if (strcmp(gpus[i].name, name) == 0)
            return &gpus[i];
    return NULL;
}

const char *wpg_amdgpu_gpu(unsigned index)
{
    return index < GPUS ? gpus[index].name : NULL;
}

bool wpg_amdgpu_has_wave(const char *gpu, unsigned wave_size)
{
    const wpg_gpu *found = wpg_gpu_find(gpu);
    return found && (wave_size == 64 || (wave_size == 32 && found->wave32));
}

const char *wpg_amdgpu_triple(wpg_amdgpu_abi abi)
{
    return abi == WPG_AMDGPU_PAL ? "amdgcn--amdpal" : "amdgcn-amd-amdhsa";
}

static void initialise(void)
{
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser(); /* for inline assembly */
    wpg_llvm_guard_install();
}

wpg_status wpg_target_machine(LLVMTargetMachineRef *machine, const wpg_gpu *gpu, unsigned wave_size,
                              wpg_amdgpu_abi abi, wpg_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *triple = wpg_amdgpu_triple(abi);
    LLVMTargetRef target;
    char *message = NULL;
    (void)pthread_once(&once, initialise);
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        wpg_status status = wpg_fail(err, WPG_E_UNSUPPORTED, "LLVM has no target %s: %s", triple, message);
        LLVMDisposeMessage(message);
        return status;
    }
    const char *features = gpu->major < 10 ? "" : wave_size == 32 ? "+wavefrontsize32" : "+wavefrontsize64";
    LLVMTargetMachineRef made = LLVMCreateTargetMachine(
        target, triple, gpu->name, features, LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
    if (!made)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "LLVM makes no target machine for %s", gpu->name);
    LLVMSetTargetMachineAsmVerbosity(made, 1);
    *machine = made;
    return WPG_OK;
}
