/* SPIR-V in normal form to verified LLVM IR. Threads: one translation, one thread. */
#ifndef WPG_COMPILER_AMDGPU_TRANSLATE_TRANSLATE_H
#define WPG_COMPILER_AMDGPU_TRANSLATE_TRANSLATE_H

#include <llvm-c/TargetMachine.h>
#include <llvm-c/Types.h>

#include "compiler/amdgpu/llvm/amdgpu.h"
#include "compiler/amdgpu/llvm/target.h"

/* What differs between the ABIs (translate_internal.h). */
typedef struct wpg_tr_abi wpg_tr_abi;
extern const wpg_tr_abi wpg_tr_abi_hsa, wpg_tr_abi_pal;

typedef struct wpg_translation_options {
    const wpg_tr_abi *abi;
    const wpg_gpu *gpu; /* NULL: code of another machine, which tests run */
    unsigned wave_size, code_object;
    const char *triple, *data_layout;
    bool contract, lines, probes;
    wpg_amdgpu_marks marks;
    bool counters;            /* leave room for an address of counters in the arguments */
    uint32_t counters_offset; /* set before hooks are called: wpg_translation's */
} wpg_translation_options;

/* The translator's results besides the module. Strings and arrays live in the caller's arena. */
typedef struct wpg_translation {
    LLVMValueRef function;
    const char *kernel;
    uint32_t local_size[3];
    wpg_amdgpu_argument *arguments;
    uint32_t argument_count, argument_bytes;
    uint32_t counters_offset; /* into the kernel argument, or PAL's spill table */
} wpg_translation;

/* Fills `llvm` (a module that is empty but for its name) with one function, verified. On failure the module
 * is in an unspecified state: dispose it. */
wpg_status wpg_translate(wpg_translation *out, LLVMModuleRef llvm, wpg_arena *arena, const wpg_module *normal,
                         const wpg_stage *stage, const wpg_translation_options *options, wpg_error *err);

#endif
