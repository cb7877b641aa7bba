/* Finds probabilities of edges under which given blocks run as often as measured. A count may be of one
 * block, or of several together (copies that a compiler made of one). The result is a flow through all
 * blocks. Plain data, no LLVM.
 *
 *     solve for frequencies
 *         --> how far each sum is off
 *         --> edges gain weight in the ratio by which their targets fall short
 *         --> again, until nothing is off
 *
 * The result is a flow, whatever the sums say; if they contradict each other it lies between them. A block
 * without a sum takes the error of the blocks behind it. Source: iterative proportional fitting (Deming and
 * Stephan, 1940) on the odds of branches. Convergence is observed, not proved; *rest is the remaining error.
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

/* probabilities[edges] is the result. *rest: the remaining error of the sums, as of wpg_flow_difference, 0 to
 * 1. `entries` is positive: runs of block 0. from_given: start from the given probabilities, which stay where
 * the sums leave them open; otherwise from even ones. WPG_E_UNSUPPORTED as wpg_flow_solve. */
wpg_status wpg_flow_fit(double *probabilities, bool from_given, double *rest, const wpg_flow_graph *graph,
                        double entries, const wpg_flow_sum *sums, uint32_t sum_count, wpg_error *err);

#endif
