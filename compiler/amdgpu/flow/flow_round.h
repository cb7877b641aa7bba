/* Turns probabilities into whole counts that conserve flow. Plain data, no LLVM.
 *
 * The real flow is solved (wpg_flow_solve) and closed to a circulation by edges from every end to the entry.
 * Then it is rounded. Edges outside a spanning tree take the nearest whole number. Edges of the tree take the
 * remainder of arrivals and departures. The tree is of the greatest flows, so an edge of it carries at least
 * as much as any edge of its cut. The scale lifts the least flow above the number of edges. So no count is
 * negative, and an edge without flow has none. Source: fundamental cycles of a circulation (Ahuja, Magnanti,
 * Orlin, Network Flows, 2.2, 11.3). Threads: plain data. */
#ifndef WPG_COMPILER_AMDGPU_FLOW_FLOW_ROUND_H
#define WPG_COMPILER_AMDGPU_FLOW_FLOW_ROUND_H

#include "compiler/amdgpu/flow/flow.h"

/* counts[block_count] is about *scale times the counts that `entries` entries give by the edges'
 * probabilities. *scale is a whole number, at least its value on entry. WPG_E_UNSUPPORTED as wpg_flow_solve,
 * or if flows are further apart than 2^40. */
wpg_status wpg_flow_round(uint64_t *counts, double *scale, const wpg_flow_graph *graph,
                          const double *probabilities, uint64_t entries, wpg_arena *arena, wpg_error *err);

#endif
