/* Attaches branch weights from counts of the same structurised blocks: `!prof` on every branch, nothing else
 * changes.
 *
 * Weights are attached after structurising, because lower-switch and structurizecfg drop earlier ones.
 * Weights from waves say how often the machine goes each way. Weights from lanes say what a CPU's profile
 * would, and call an arm cold that nearly every wave runs. WPG_WEIGHTS_FLATTENED is from waves, with equal
 * weights on forward branches into a divergent block. LLVM's RFC for offload PGO flattens such blocks, having
 * found spills placed in blocks cold by lanes and yet run by most waves. Branches that decide whether a loop
 * goes on keep their weights. Which kind is best is measured (candidates.h).
 *
 * A branch that the counts leave open gets `!{!"unknown", !"wavepgo"}`: LLVM's form for "not known, by this
 * pass". LLVM's prof-verify accepts it and its frequency analysis ignores it. Selects and branches that never
 * ran get the same (never 0:0). A side that never ran gets 1 against 2^31: cold, not impossible. The function
 * gets its entry count.
 *
 * Sources: LLVM 22, BranchWeightMetadata; "RFC: profile information propagation unittesting" (unknown).
 * Threads: one module, one thread. */
#ifndef WPG_COMPILER_AMDGPU_PROFILE_WEIGHTS_H
#define WPG_COMPILER_AMDGPU_PROFILE_WEIGHTS_H

#include "compiler/amdgpu/flow/blocks.h"
#include "compiler/amdgpu/flow/flow.h"
#include "compiler/amdgpu/llvm/counts.h"
#include "compiler/amdgpu/profile/weights_from.h"

/* WPG_E_MISMATCH, with nothing attached: the checksum or the number of blocks is another function's, or the
 * counts are no flow. WPG_E_NOT_FOUND: the profile lacks the counts that `from` asks for. `done` may be NULL.
 * WPG_WEIGHTS_NONE attaches nothing. */
wpg_status wpg_weights_attach(wpg_weights_done *done, LLVMValueRef function, const wpg_amdgpu_counts *counts,
                              wpg_weights_from from, unsigned uniform_percent, wpg_error *err);

/* Compares the block frequencies by the function's present weights with `measured`: *difference as
 * wpg_flow_difference has it. Branches without weights count as even; *unweighted is their number. */
wpg_status wpg_weights_quality(double *difference, uint32_t *unweighted, LLVMValueRef function,
                               const uint64_t *measured, wpg_error *err);

/* The blocks' graph, borrowed. */
static inline wpg_flow_graph wpg_flow_of_blocks(const wpg_blocks *blocks)
{
    return (wpg_flow_graph){blocks->count, blocks->first, blocks->to};
}

#endif
