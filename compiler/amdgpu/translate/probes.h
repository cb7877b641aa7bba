/* Marks the blocks of the normal form in LLVM's blocks by LLVM's pseudo probes. These are calls of an
 * intrinsic that passes carry and copy with the block's control flow; they prevent almost no optimisation.
 * Unlike lines (lines.h) they are not hoisted, sunk or merged with single instructions. Used only in a
 * translation whose graph is inspected: no code is made of it. Threads: one module, one thread. Sources: LLVM
 * 22, SampleProfileProbe.cpp, PseudoProbe.h; He et al., "Revamping Sampling-Based PGO with
 * Context-Sensitivity and Pseudo-instrumentation" (CGO 2024). */
#ifndef WPG_COMPILER_AMDGPU_TRANSLATE_PROBES_H
#define WPG_COMPILER_AMDGPU_TRANSLATE_PROBES_H

#include <llvm-c/Types.h>

#include <stdbool.h>
#include <stdint.h>

/* A probe of `block` at the builder's place, which is behind the phis. false: this LLVM has none. */
bool wpg_probe_insert(LLVMModuleRef llvm, LLVMBuilderRef builder, uint32_t block);
/* Whether the instruction is a probe, and of which block. */
bool wpg_probe_of(uint32_t *block, LLVMValueRef instruction);

#endif
