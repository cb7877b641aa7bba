/* Probabilities of edges under which given blocks run as often as they did: from what is known of some
 * blocks, or of several together (copies that a compiler made of one), a flow through all. Plain data, no
 * LLVM.
 *
 *     solve for frequencies
 *         --> how far each sum is off
 *         --> edges are worth as much more as what they lead to lacks
 *         --> again, until nothing is off
 *
 * Whatever the sums say, the result is a flow; where they contradict each other it lies between them. Blocks
 * that no sum speaks of lack what those behind them lack. Source: iterative proportional fitting (Deming and
 * Stephan, 1940) on the odds of branches; that it settles is not proved but seen, and the rest is told.
 * Threads: plain data. */
#ifndef WPG_COMPILER_AMDGPU_FLOW_FLOW_FIT_H
#define WPG_COMPILER_AMDGPU_FLOW_FLOW_FIT_H

#include "compiler/amdgpu/flow/flow.h"

/* These blocks run `count` times together. */
typedef struct wpg_flow_sum {
    double count;
    const uint32_t *blocks;
    uint32_t block_count; /* 0: says nothing */
} wpg_flow_sum;

/* probabilities[edges]; *rest: what the sums are off by in the end, as wpg_flow_difference has it, 0 to 1.
 * `entries` is positive: runs of block 0. from_given: sets out from the probabilities that are there, which
 * stay where the sums leave them open; else from even ones. WPG_E_UNSUPPORTED as wpg_flow_solve. */
wpg_status wpg_flow_fit(double *probabilities, bool from_given, double *rest, const wpg_flow_graph *graph,
                        double entries, const wpg_flow_sum *sums, uint32_t sum_count, wpg_error *err);

#endif
