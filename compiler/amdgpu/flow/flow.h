/* A structurised control flow graph as plain numbers, and what counts of its blocks say of its edges.
 *
 * Lanes conserve flow: what starts a block arrived over an edge (or with the dispatch) and leaves over one.
 * In *structurised* code so do waves, for a wave runs it as one path: where lanes part, the wave goes into
 * the arm if any lane does and comes back to the join with all of them; the edge that jumps over the arm is
 * taken by the waves none of whose lanes wants it, which is what the machine's branch on an empty mask does.
 * (Of unstructurised code only max(arms)
 * <= header <= sum(arms) holds.) Tests run waves through the structurised graphs lane by lane to see this.
 *
 * An edge is derived where it is the only unknown one of its source or its target, again and again; that
 * finds every edge the counts determine unless edges left over form a cycle (two blocks with the same two
 * successors), which stay unknown. Plain data, no LLVM. Threads: plain data. */
#ifndef WPG_COMPILER_AMDGPU_FLOW_FLOW_H
#define WPG_COMPILER_AMDGPU_FLOW_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/arena.h"
#include "runtime/base/error.h"

typedef struct wpg_flow_graph {
    uint32_t block_count;
    uint32_t *first; /* [block_count + 1]: edges first[b] .. first[b + 1] - 1 leave block b, in order */
    uint32_t
        *targets; /* [first[block_count]] the blocks they lead to; block 0 is the entry, never a target */
} wpg_flow_graph;

/* A block none of whose possible flows gives its count. */
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

/* Derives edges from `counts` of blocks. Arrays live in `arena`. WPG_E_FORMAT: a count past 2^56, which no
 * profile holds. */
#define WPG_FLOW_MOST (UINT64_C(1) << 56)
wpg_status wpg_flow_derive(wpg_flow_edges *edges, const wpg_flow_graph *graph, const uint64_t *counts,
                           wpg_arena *arena, wpg_error *err);
/* The same where only some blocks have a count (`known`, by block): the others conserve flow, whatever it is.
 */
wpg_status wpg_flow_derive_some(wpg_flow_edges *edges, const wpg_flow_graph *graph, const uint64_t *counts,
                                const bool *known, wpg_arena *arena, wpg_error *err);

/* The other way: how often each block runs for one run of the entry, by probabilities of the edges (of a
 * block they sum to 1). Solved by elimination, exact but for rounding; a loop that is never left, and graphs
 * past WPG_FLOW_SOLVED blocks, are WPG_E_UNSUPPORTED. Source of the elimination order's harmlessness: the
 * matrix I - P^T is an M-matrix, which needs no pivoting (Berman and Plemmons, 1994, chapter 6). */
enum { WPG_FLOW_SOLVED = 1024 };
wpg_status wpg_flow_solve(double *frequencies, const wpg_flow_graph *graph, const double *probabilities,
                          wpg_arena *arena, wpg_error *err);

/* What a run from each block on adds up to until it ends, if each block that it comes through adds its value:
 * sums[i] holds the blocks' values, then these sums; `count` of them. Errors as wpg_flow_solve. */
wpg_status wpg_flow_ahead(double *const sums[], unsigned count, const wpg_flow_graph *graph,
                          const double *probabilities, wpg_arena *arena, wpg_error *err);

/* Weighted relative difference of estimated frequencies and measured counts, both scaled to a whole of 1:
 * sum |f - g| / sum max(f, g); 0 is equal, 1 has nothing in common (as runtime/profile/quality.h). */
double wpg_flow_difference(const double *frequencies, const uint64_t *counts, uint32_t block_count);

#endif
