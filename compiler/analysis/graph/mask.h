/* Active-mask classes. All blocks of a class run equally often in every wave, each time under the same live
 * mask, under structured reconvergence. So one counter serves a class. The representative is the
 * class's first block in reverse post-order and dominates the others.
 *
 * - A straight-line chain is one class.
 * - A header and its construct's merge block are one class if every lane that enters leaves through the merge
 *   and nothing inside demotes.
 * - A block that demotes ends a class: the live mask may differ behind it.
 *
 * Threads: no shared state. */
#ifndef WPG_COMPILER_ANALYSIS_MASK_H
#define WPG_COMPILER_ANALYSIS_MASK_H

#include "compiler/analysis/graph/cfg.h"

typedef struct wpg_mask_classes {
    uint32_t *class_of;       /* [cfg->count]; WPG_NO_BLOCK for unreachable blocks */
    uint32_t *representative; /* [class_count] block index */
    uint32_t class_count;
    uint32_t *entry_class; /* [cfg->count] of loop headers: the class that runs as control comes to the loop
                              from outside; WPG_NO_BLOCK if no block does, and for other blocks */
} wpg_mask_classes;

/* Arrays live in `arena`. Returns WPG_E_NOMEM only. */
wpg_status wpg_mask_classes_compute(wpg_mask_classes *classes, const wpg_cfg *cfg, wpg_arena *arena);

/* A block that every wave runs as often as it enters the loop, under the same masks. Entering is not starting
 * the header: the header starts once an iteration. WPG_NO_BLOCK if there is none. */
uint32_t wpg_loop_entry_block(const wpg_cfg *cfg, const wpg_mask_classes *classes, uint32_t loop);

/* `to` is a successor of `from`. True if block `to` starts exactly once each time that some lanes go from
 * `from` to `to`, each time under the same live mask: no other lane comes to `to`, and no two executions'
 * lanes meet there. */
bool wpg_edge_runs_block(const wpg_cfg *cfg, uint32_t from, uint32_t to);

/* True if all lanes that enter a construct come together at its merge block, alive, and no other lane comes
 * there: rules (selection) and (loop) of mask.c. */
bool wpg_construct_is_whole(const wpg_cfg *cfg, uint32_t construct);

#endif
