/* Conservation of lanes over a graph (Kirchhoff's law). The lanes that enter a block are the lanes of the
 * edges to it. They leave by its edges, less the lanes that end inside: a demote, a call that may kill
 * (`changes_mask`). Returns and kills are sinks; the entry is the source. Waves do not conserve flow: both
 * arms of a branch may run.
 *
 * Solving starts from the counts of some blocks and computes each count that one equation alone decides,
 * until nothing more follows. Solving never guesses, and finds contradictions. Ownership: arrays are the
 * caller's. Threads: no shared state. Source: Knuth, Stevenson, "Optimal Measurement Points for Program
 * Frequency Counts" (1973). */
#ifndef WPG_COMPILER_ANALYSIS_LANE_FLOW_H
#define WPG_COMPILER_ANALYSIS_LANE_FLOW_H

#include "compiler/analysis/cfg.h"

/* The first equation that does not hold. Block `block` has `count` lanes; the edges that enter it, or the
 * edges that leave it, carry `edges`. */
typedef struct wpg_lane_fault {
    uint32_t block;
    bool entering;
    uint64_t count, edges;
} wpg_lane_fault;

/* counts[b] is an input where known[b] (both [cfg->count]). Solving sets known[b] for each block whose count
 * follows. *sound = false: the counts contradict each other, *fault says where (`fault` may be NULL). Then
 * the input counts are unchanged and the new ones are not to be used. Unreachable blocks are left alone.
 * WPG_E_NOMEM only. */
wpg_status wpg_lane_flow_solve(uint64_t *counts, bool *known, bool *sound, wpg_lane_fault *fault,
                               const wpg_cfg *cfg);

#endif
