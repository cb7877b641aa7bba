/* The flow graph of a function as plain arrays. The arrays outlive the module: counts can be checked against
 * the flow later. Ownership: arrays live in the arena given. Threads: plain data. */
#ifndef WPG_COMPILER_ANALYSIS_BLOCK_GRAPH_H
#define WPG_COMPILER_ANALYSIS_BLOCK_GRAPH_H

#include "compiler/analysis/graph/cfg.h"
#include "runtime/base/arena.h"

enum {
    WPG_BLOCK_REACHABLE = 1,
    WPG_BLOCK_LOSES_LANES = 2,    /* lanes may end in the block (wpg_block.changes_mask) */
    WPG_BLOCK_SEVERAL_VALUES = 4, /* lanes come from a switch, by several values, and may run apart from here
                                     (wpg_cfg_takes_several_values); no merge block, where they meet */
    WPG_BLOCK_FLAGS = 7
};

typedef struct wpg_block_graph {
    uint32_t count;       /* blocks, as in the cfg; 0: the graph was not kept */
    uint8_t *flags;       /* [count] WPG_BLOCK_* */
    uint32_t *first;      /* [count + 1], rising, first[0] = 0 */
    uint32_t *successors; /* [first[count]] block indices; of block b: [first[b], first[b + 1]). None of
                             blocks that cannot be reached */
} wpg_block_graph;

/* WPG_E_NOMEM only. */
wpg_status wpg_block_graph_of(wpg_block_graph *flow, const wpg_cfg *cfg, wpg_arena *arena);

#endif
