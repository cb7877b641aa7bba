/* A structurised control flow graph as plain numbers, and the edge counts that follow from its block counts.
 *
 * Lanes conserve flow: each start of a block arrived over an edge (or with the dispatch), and leaves over an
 * edge. In *structurised* code waves do so too, because a wave runs it as one path. Where lanes part, the
 * wave enters the arm if any lane does, and comes back to the join with all lanes. The edge that jumps over
 * the arm is taken by the waves of which no lane wants the arm: the machine's branch on an empty mask. (In
 * unstructurised code only max(arms) <= header <= sum(arms) holds.) Tests run waves through structurised
 * graphs lane by lane to confirm this.
 *
 * An edge is derived if it is the only unknown edge of its source or its target, repeatedly
 * (compiler/analysis/graph/conservation.h). That finds every edge the counts determine, unless the remaining
 * edges form a cycle (two blocks with the same two successors). Those stay unknown. Plain data, no LLVM.
 * Threads: plain data. */
#ifndef WPG_COMPILER_AMDGPU_FLOW_FLOW_H
#define WPG_COMPILER_AMDGPU_FLOW_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/arena.h"
#include "runtime/base/error.h"

typedef struct wpg_flow_graph {
    uint32_t block_count;
    uint32_t *first;   /* [block_count + 1]: edges first[b] .. first[b + 1] - 1 leave block b, in order */
    uint32_t *targets; /* [first[block_count]] where they lead; block 0 is the entry, never a target */
} wpg_flow_graph;

/* A block whose count no possible flow gives. */
typedef struct wpg_flow_problem {
    uint32_t block;
    bool leaving;              /* of the edges that leave it; else of those that arrive */
    uint64_t count, explained; /* the block's, and the sum of its edges (a bound if not all are known) */
} wpg_flow_problem;

typedef struct wpg_flow_edges {
    uint64_t *counts; /* by edge */
    bool *known;      /* by edge */
    uint32_t unknown;
    bool sound;               /* every block's count is the sum of its edges, as far as these are known */
    wpg_flow_problem problem; /* the first one in block order, if not sound */
} wpg_flow_edges;

static inline uint32_t wpg_flow_edge_count(const wpg_flow_graph *graph)
{
    return graph->first[graph->block_count];
}

/* Derives edge counts from block counts. Arrays live in `arena`. WPG_E_FORMAT: a count past 2^56, which no
 * profile holds. */
#define WPG_FLOW_MOST (UINT64_C(1) << 56)
wpg_status wpg_flow_derive(wpg_flow_edges *edges, const wpg_flow_graph *graph, const uint64_t *counts,
                           wpg_arena *arena, wpg_error *err);
/* The same if only some blocks have a count (`known`, by block). The other blocks conserve flow, whatever
 * their count. */
wpg_status wpg_flow_derive_some(wpg_flow_edges *edges, const wpg_flow_graph *graph, const uint64_t *counts,
                                const bool *known, wpg_arena *arena, wpg_error *err);

/* The inverse: how often each block runs for one run of the entry, from the probabilities of the edges (those
 * of a block sum to 1). Solved by elimination, exact but for rounding. WPG_E_UNSUPPORTED: a loop that is
 * never left, or more than WPG_FLOW_SOLVED blocks. No pivoting is needed because I - P^T is an M-matrix
 * (Berman and Plemmons, 1994, chapter 6). */
enum { WPG_FLOW_SOLVED = 1024 };
wpg_status wpg_flow_solve(double *frequencies, const wpg_flow_graph *graph, const double *probabilities,
                          wpg_arena *arena, wpg_error *err);

/* Sums along runs. On entry each of the `count` arrays sums[i] holds a value for each block. On return it
 * holds, for each block, the expected sum over a run from that block to the end. Errors as wpg_flow_solve. */
wpg_status wpg_flow_ahead(double *const sums[], unsigned count, const wpg_flow_graph *graph,
                          const double *probabilities, wpg_arena *arena, wpg_error *err);

/* Weighted relative difference of estimated frequencies and measured counts, both scaled to a whole of 1:
 * sum |f - g| / sum max(f, g); 0 is equal, 1 has nothing in common (as runtime/profile/quality.h). */
double wpg_flow_difference(const double *frequencies, const uint64_t *counts, uint32_t block_count);

#endif
