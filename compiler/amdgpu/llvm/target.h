/* LLVM's AMDGPU target: which GPUs there are, and a target machine for one. Threads: any. */
#ifndef WPG_COMPILER_AMDGPU_LLVM_TARGET_H
#define WPG_COMPILER_AMDGPU_LLVM_TARGET_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "compiler/amdgpu/llvm/amdgpu.h"

typedef struct wpg_gpu {
    const char *name;
    unsigned major;
    bool wave32;
    bool packed_ids; /* the three local ids come in one register, ten bits each */
} wpg_gpu;

/* NULL: no such GPU. */
const wpg_gpu *wpg_gpu_find(const char *name);
const char *wpg_amdgpu_triple(wpg_amdgpu_abi abi);
/* LLVMDisposeTargetMachine frees it. The first call makes LLVM know the target. */
wpg_status wpg_target_machine(LLVMTargetMachineRef *machine, const wpg_gpu *gpu, unsigned wave_size,
                              wpg_amdgpu_abi abi, wpg_error *err);

#endif
