/* Conservation of lanes over a function's graph (conservation.h). The lanes that enter a block are the lanes
 * of the edges to it. They leave by its edges, less the lanes that end inside: a demote, a call that may kill
 * (`changes_mask`). Returns and kills are sinks; the entry is the source. Waves do not conserve flow: both
 * arms of a branch may run. Ownership: arrays are the caller's. Threads: no shared state. */
#ifndef WPG_COMPILER_ANALYSIS_LANE_FLOW_H
#define WPG_COMPILER_ANALYSIS_LANE_FLOW_H

#include "compiler/analysis/graph/block_graph.h"
#include "compiler/analysis/graph/conservation.h"

/* An equation that does not hold. Block `block` has `count` lanes; the edges that enter it, or the
 * edges that leave it, carry `edges`. */
typedef struct wpg_lane_fault {
    uint32_t block;
    bool entering;
    uint64_t count, edges;
} wpg_lane_fault;

/* The equations of the graph's lanes, without counts; unreachable blocks say nothing. False: no memory. */
bool wpg_lane_flow_create(wpg_conservation *flow, const wpg_block_graph *graph, wpg_arena *arena);

/* counts[b] is an input where known[b] (both [cfg->count]). Solving sets known[b] for each block whose count
 * follows. *sound = false: the counts contradict each other, *fault says where (`fault` may be NULL). Then
 * `counts` and `known` are unchanged. Unreachable blocks are left alone.
 * WPG_E_NOMEM only. */
wpg_status wpg_lane_flow_solve(uint64_t *counts, bool *known, bool *sound, wpg_lane_fault *fault,
                               const wpg_cfg *cfg);

#endif
