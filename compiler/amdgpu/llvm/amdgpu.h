/* Compiles SPIR-V compute shaders to AMDGPU machine code, through LLVM:
 *
 *     normal form --translate--> LLVM IR --default<O2>--> --structurise--> (hook) --code generation--> ELF
 *
 * Input: a module in normal form (compiler/normalize): one entry point, calls inlined, specialisation frozen.
 * An unknown instruction is WPG_E_UNSUPPORTED with its name; a malformed module is WPG_E_FORMAT. Our own code
 * crashes in neither case. A fatal error of LLVM's code generation is caught and reported too; the memory
 * that LLVM then held is lost (llvm_guard.h).
 *
 * Exactness: integer and single float operations are as SPIR-V defines them. Where SPIR-V leaves a result
 * undefined (division by zero, too large a shift, a conversion out of range) there is a result, and no
 * undefined behaviour for LLVM to exploit. Nothing is contracted unless options.contract allows it and no
 * NoContraction forbids it. Float division and square root of 32 bits take the error that Vulkan grants (2.5
 * and 3 ULP, for LLVM to choose). Transcendental functions: transcendental.c.
 *
 * Ownership: wpg_amdgpu_code_destroy frees all of a result. Threads: any, each call has a context of its own.
 * Sources: SPIR-V 1.6; Vulkan 1.3, appendix A (Precision and Operation of SPIR-V Instructions); LLVM 22,
 * AMDGPUUsage. */
#ifndef WPG_COMPILER_AMDGPU_LLVM_AMDGPU_H
#define WPG_COMPILER_AMDGPU_LLVM_AMDGPU_H

#include "compiler/spirv/stage.h"

typedef enum wpg_amdgpu_abi {
    WPG_AMDGPU_HSA, /* amdgcn-amd-amdhsa: one by-value kernel argument (wpg_amdgpu_argument) */
    WPG_AMDGPU_PAL, /* amdgcn--amdpal: user data, descriptor tables of V#s, PAL metadata (abi_pal.c) */
} wpg_amdgpu_abi;

/* The last stage to run. The IR text is that of the last stage reached. */
typedef enum wpg_amdgpu_until {
    WPG_AMDGPU_EMITTED,
    WPG_AMDGPU_STRUCTURISED,
    WPG_AMDGPU_OPTIMISED,
    WPG_AMDGPU_TRANSLATED, /* verified IR */
} wpg_amdgpu_until;

/* Branches with a mark for LLVM, by the block of the normal form that they end (unpredictable.h).
 * Borrowed. */
typedef struct wpg_amdgpu_marks {
    const bool *unpredictable; /* [blocks] */
    uint32_t blocks, count;    /* count: marked ones */
} wpg_amdgpu_marks;

typedef struct wpg_amdgpu_options {
    const char *gpu;      /* "gfx1100" */
    unsigned wave_size;   /* 32 or 64; 0: the GPU's own choice (32 from gfx10 on) */
    unsigned code_object; /* HSA's code object version, 5 or 6; 0: WPG_CODE_OBJECT */
    wpg_amdgpu_abi abi;
    wpg_amdgpu_until until;
    bool contract;     /* a * b + c may become one operation where the module allows */
    bool ir, assembly; /* give these texts */
    bool lines;        /* instructions say which block they come from, as line numbers (lines.h) */
    bool probes;       /* blocks say which they are (probes.h), if no code is made */
    wpg_amdgpu_marks marks;
} wpg_amdgpu_options;

/* The default code object version. LLVM 22's own choice is 6, which differs in the ELF header alone, for
 * generic processors. HIP of 2024 refuses version 6 (ROCm/clr f9f995c6d, hip_code_object.cpp). */
enum { WPG_CODE_OBJECT = 5 };

/* The entries of the kernel argument (HSA). Pointers are 64 bits wide; their targets are 16-byte aligned. */
typedef enum wpg_amdgpu_argument_kind {
    WPG_AMDGPU_BUFFERS,  /* `count` pointers, one for each element of the binding */
    WPG_AMDGPU_TABLE,    /* a pointer to as many pointers as the shader will index */
    WPG_AMDGPU_GROUPS,   /* workgroups of the dispatch: three 32-bit words */
    WPG_AMDGPU_LENGTHS,  /* `count` 32-bit words: bytes of each of the binding's buffers */
    WPG_AMDGPU_PUSH,     /* the block of push constants itself */
    WPG_AMDGPU_COUNTERS, /* a pointer to the array of counters (generate.h) */
} wpg_amdgpu_argument_kind;

typedef struct wpg_amdgpu_argument {
    wpg_amdgpu_argument_kind kind;
    uint32_t set, binding, count; /* of BUFFERS, TABLE and LENGTHS */
    uint32_t offset, size;        /* bytes */
} wpg_amdgpu_argument;

/* The code generator's figures of the kernel. */
typedef struct wpg_amdgpu_figures {
    uint32_t vgprs, sgprs, agprs, vgpr_spills, sgpr_spills;
    uint32_t lds_bytes, scratch_bytes; /* a workgroup's; a lane's */
    uint32_t code_bytes;
    uint32_t occupancy; /* waves a SIMD, 0 if it was not told (options.assembly tells) */
} wpg_amdgpu_figures;

typedef struct wpg_amdgpu_code {
    uint8_t *elf; /* NULL unless emitted */
    size_t elf_size;
    char *assembly, *ir; /* NULL unless asked for */
    char *kernel;        /* symbol of the entry point; PAL's is always _amdgpu_cs_main */
    unsigned wave_size;
    uint32_t local_size[3];
    wpg_amdgpu_argument *arguments; /* HSA only, by offset */
    uint32_t argument_count, argument_bytes;
    uint32_t counters_offset; /* generate.h: where the address of the array is, in bytes: of the kernel
                                 argument (HSA) or of the user data (PAL) */
    uint32_t blocks;          /* of the structurised function; 0 if it did not come to that */
    wpg_amdgpu_figures figures;
} wpg_amdgpu_code;

/* WPG_E_ARGUMENT: no such GPU, or not with that wave size. */
wpg_status wpg_amdgpu_compile(wpg_amdgpu_code **code, const wpg_module *normal, const wpg_stage *stage,
                              const wpg_amdgpu_options *options, wpg_error *err);
void wpg_amdgpu_code_destroy(wpg_amdgpu_code *code);

/* GPUs by name: the index-th, NULL past the end. Static storage. */
const char *wpg_amdgpu_gpu(unsigned index);
/* Whether the GPU is known and has waves of that size. */
bool wpg_amdgpu_has_wave(const char *gpu, unsigned wave_size);

#endif
