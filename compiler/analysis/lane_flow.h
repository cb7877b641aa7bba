/* Conservation of lanes over a graph: what enters a block is what the edges to it carry, what it has goes out
 * by its edges, less lanes that die inside (a demote, a call that may kill: `changes_mask`). Returns and
 * kills are sinks, the entry is the source. Waves do not conserve flow: both arms of a branch may run.
 *
 * From counts of some blocks follows what edges and other blocks must have: solving takes what one equation
 * alone decides, until nothing more follows. It guesses nothing, and finds contradictions. Ownership: arrays
 * are the caller's. Threads: no shared state. Source: Knuth, Stevenson, "Optimal Measurement Points for
 * Program Frequency Counts" (1973): Kirchhoff's law on flow graphs. */
#ifndef WPG_COMPILER_ANALYSIS_LANE_FLOW_H
#define WPG_COMPILER_ANALYSIS_LANE_FLOW_H

#include "compiler/analysis/cfg.h"

/* The first equation that does not hold: block `block` has `count` lanes, and what its edges (those that
 * enter it, or those that leave) carry is `edges`. */
typedef struct wpg_lane_fault {
    uint32_t block;
    bool entering;
    uint64_t count, edges;
} wpg_lane_fault;

/* counts[b] is meant where known[b] (both [cfg->count]); further blocks become known where that follows.
 * *sound = false: a contradiction, told in *fault (may be NULL); counts that were known stay as they were,
 * and nothing further is to be made of those that became known. Unreachable blocks are left alone.
 * WPG_E_NOMEM only. */
wpg_status wpg_lane_flow_solve(uint64_t *counts, bool *known, bool *sound, wpg_lane_fault *fault,
                               const wpg_cfg *cfg);

#endif
