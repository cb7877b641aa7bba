/* An experiment, never an optimisation: cuts off the blocks that a profile never saw executed, to ask a
 * compiler what they cost. The result is right for the profiled input alone. So this is no pass: it stands in
 * no table of passes, the layer cannot include this header (tests/arrows.sh), and its library does not
 * contain the code (tests/e2e/library.sh). `wavepgo estimate` is the only caller. Threads: one module, one
 * thread. Source: the experiment of the thesis on BB counters in the LLVM-based AMD Vulkan driver: remove
 * what was never executed, and measure the impact on used registers. */
#ifndef WPG_COMPILER_OPTIMIZE_PASSES_CUT_DEAD_H
#define WPG_COMPILER_OPTIMIZE_PASSES_CUT_DEAD_H

#include "compiler/spirv/stage.h"
#include "runtime/base/weights.h"

typedef struct wpg_cut_info {
    uint32_t blocks, dead; /* reachable blocks of functions that the profile knows and that ran; of these
                              never executed */
    uint32_t decided;      /* branches that got a constant condition */
    uint32_t cases;        /* cases taken out of switches */
    uint32_t undecided;    /* branches left alone: they ran, and none of their targets did */
    uint32_t left;         /* branches left alone in continue constructs, though a way was never taken */
    uint32_t unknown;      /* functions left alone: not measured, never run, or their graph cannot be read */
    bool mismatch;         /* a function's checksum disagrees: left alone */
} wpg_cut_info;

/* Decides each branch of a normal form of which one way was never executed: conditions become constants,
 * switches lose cases. No block is removed. The caller then runs wpg_fold_branches (compiler/normalize),
 * which removes unreachable blocks and makes the module valid again. A block is dead if no wave ran it (no
 * lane, where waves were not measured). Blocks that only helper invocations ran are dead. WPG_E_NOT_FOUND: no
 * such entry point; WPG_E_NOMEM. */
wpg_status wpg_cut_dead(wpg_cut_info *info, wpg_module *module, const wpg_stage *stage,
                        const wpg_weights *weights, wpg_error *err);

#endif
