/* The flow graph of a function as plain arrays. The arrays outlive the module: counts can be checked against
 * the flow later. Ownership: arrays live in the arena given. Threads: plain data. */
#ifndef WPG_COMPILER_ANALYSIS_FLOW_H
#define WPG_COMPILER_ANALYSIS_FLOW_H

#include "compiler/analysis/cfg.h"
#include "runtime/base/arena.h"

enum {
    WPG_FLOW_REACHABLE = 1,
    WPG_FLOW_LOSES_LANES = 2, /* lanes may end in the block (wpg_block.changes_mask) */
    WPG_FLOW_FLAGS = 3
};

typedef struct wpg_flow {
    uint32_t count;       /* blocks, as in the cfg; 0: the graph was not kept */
    uint8_t *flags;       /* [count] WPG_FLOW_* */
    uint32_t *first;      /* [count + 1], rising, first[0] = 0 */
    uint32_t *successors; /* [first[count]] block indices; of block b: [first[b], first[b + 1]). None of
                             blocks that cannot be reached */
} wpg_flow;

/* WPG_E_NOMEM only. */
wpg_status wpg_flow_of(wpg_flow *flow, const wpg_cfg *cfg, wpg_arena *arena);

#endif
