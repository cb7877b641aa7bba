/* From verified IR to machine code; the only place of the pass pipeline.
 *
 * Profiles are keyed by the structurised blocks. Every user of them runs WPG_AMDGPU_OPTIMISE and then
 * WPG_AMDGPU_STRUCTURISE, and nothing between or after that changes the graph. So block i is the same block
 * whenever the translation is the same. wpg_structured_hook puts counters or weights in. Threads: one module,
 * one thread. */
#ifndef WPG_COMPILER_AMDGPU_DRIVER_EMIT_H
#define WPG_COMPILER_AMDGPU_DRIVER_EMIT_H

#include "compiler/amdgpu/llvm/profcheck.h"
#include "compiler/amdgpu/translate/translate.h"

#define WPG_AMDGPU_OPTIMISE "default<O2>"
/* Without skip-uniform-regions, because code generation would structurise uniform regions again and rewrite
 * the blocks. It would also drop unreachable blocks (the exit of a switch whose cases are all there), with
 * their counters. */
#define WPG_AMDGPU_STRUCTURE_PASSES                                                                          \
    "amdgpu-unify-divergent-exit-nodes,lower-switch,fix-irreducible,unify-loop-exits,structurizecfg,"        \
    "unreachableblockelim"
#define WPG_AMDGPU_STRUCTURISE "function(" WPG_AMDGPU_STRUCTURE_PASSES ")"

/* Called with the module and its one defined, structurised function: the blocks in order are the profile's.
 * It may insert code and metadata. It may add or remove blocks only to measure the effect. */
typedef wpg_status (*wpg_structured_hook)(void *data, LLVMModuleRef llvm, LLVMValueRef function,
                                          const wpg_translation_options *options, wpg_error *err);

/* Hooks that run on a module on its way; zero: none. */
typedef struct wpg_hooks {
    wpg_structured_hook optimised, structured; /* each may be NULL */
    void *data;
    bool counters;                /* the kernel gets an argument for the address of counters */
    wpg_profcheck_phases *phases; /* filled in instead of going on behind optimising */
} wpg_hooks;
wpg_status wpg_amdgpu_compile_with(wpg_amdgpu_code **code, const wpg_module *normal, const wpg_stage *stage,
                                   const wpg_amdgpu_options *options, const wpg_hooks *hooks, wpg_error *err);

/* As wpg_amdgpu_compile, with a hook behind structurising (may be NULL). */
wpg_status wpg_amdgpu_compile_hooked(wpg_amdgpu_code **code, const wpg_module *normal, const wpg_stage *stage,
                                     const wpg_amdgpu_options *options, wpg_structured_hook hook, void *data,
                                     wpg_error *err);

/* Measures the effect of each structurising pass on a profile of the shader, made up by LLVM (profcheck.h).
 * The loss is the reason to attach weights behind these passes. */
wpg_status wpg_amdgpu_phases(wpg_profcheck_phases *phases, const wpg_module *normal, const wpg_stage *stage,
                             const wpg_amdgpu_options *options, wpg_error *err);

#endif
