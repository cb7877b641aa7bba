/* From verified IR to machine code; the pass pipeline in one place.
 *
 * Profiles are keyed by the structurised blocks: every user of them runs WPG_AMDGPU_OPTIMISE and then
 * WPG_AMDGPU_STRUCTURISE, nothing between or after that changes the graph, so that block i is the same block
 * whenever the translation is the same. wpg_structured_hook is where counters or weights go in.
 * Threads: one module, one thread. */
#ifndef WPG_COMPILER_AMDGPU_DRIVER_EMIT_H
#define WPG_COMPILER_AMDGPU_DRIVER_EMIT_H

#include "compiler/amdgpu/llvm/profcheck.h"
#include "compiler/amdgpu/translate/translate.h"

#define WPG_AMDGPU_OPTIMISE "default<O2>"
/* Without skip-uniform-regions: code generation would structurise those again, and rewrite the blocks. Blocks
 * that nothing leads to (the exit of a switch whose cases are all there) it would drop, with their counters.
 */
#define WPG_AMDGPU_STRUCTURE_PASSES                                                                          \
    "amdgpu-unify-divergent-exit-nodes,lower-switch,fix-irreducible,unify-loop-exits,structurizecfg,"        \
    "unreachableblockelim"
#define WPG_AMDGPU_STRUCTURISE "function(" WPG_AMDGPU_STRUCTURE_PASSES ")"

/* Gets the module with its one defined function, structurised: the blocks in order are the profile's. It may
 * insert code and metadata; it may not add or remove blocks unless that is what it wants to measure. */
typedef wpg_status (*wpg_structured_hook)(void *data, LLVMModuleRef llvm, LLVMValueRef function,
                                          const wpg_translation_options *options, wpg_error *err);

/* What is done to a module on its way; zero: nothing. */
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

/* What each pass that structurises does to a profile of the shader, made up by LLVM (profcheck.h): why
 * weights are attached behind them. */
wpg_status wpg_amdgpu_phases(wpg_profcheck_phases *phases, const wpg_module *normal, const wpg_stage *stage,
                             const wpg_amdgpu_options *options, wpg_error *err);

#endif
