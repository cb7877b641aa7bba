/* Whole counts that conserve flow, of what is only known as probabilities. Plain data, no LLVM.
 *
 * The real flow is solved (wpg_flow_solve), closed to a circulation by edges from every end to the entry, and
 * rounded: edges outside a spanning tree to the nearest whole number, those of the tree by what then arrives
 * and leaves. The tree is of the greatest flows, so that an edge of it carries at least what any edge of its
 * cut does: times a scale that lifts the least flow above the number of edges, none comes out negative, and
 * what had no flow has none. Source: fundamental cycles of a circulation (Ahuja, Magnanti, Orlin, Network
 * Flows, 2.2, 11.3). Threads: plain data. */
#ifndef WPG_COMPILER_AMDGPU_FLOW_FLOW_ROUND_H
#define WPG_COMPILER_AMDGPU_FLOW_FLOW_ROUND_H

#include "compiler/amdgpu/flow/flow.h"

/* counts[block_count], about *scale times what `entries` entries give by the probabilities of the edges;
 * *scale is a whole number, from what it holds before on. WPG_E_UNSUPPORTED as wpg_flow_solve, or where flows
 * lie further apart than 2^40. */
wpg_status wpg_flow_round(uint64_t *counts, double *scale, const wpg_flow_graph *graph,
                          const double *probabilities, uint64_t entries, wpg_arena *arena, wpg_error *err);

#endif
