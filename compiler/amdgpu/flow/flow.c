#include "compiler/amdgpu/flow/flow.h"

#include <math.h>

#include "compiler/analysis/graph/conservation.h"
#include "runtime/base/arithmetic.h"

/* The edges of one side explain `explained` of the block's count. The first problem is kept. */
static void complain(wpg_flow_edges *edges, const wpg_conservation *flow, uint32_t block, bool leaving,
                     uint64_t explained)
{
    if (!edges->sound)
        return;
    edges->sound = false;
    edges->problem = (wpg_flow_problem){block, leaving, flow->counts[block], explained};
}

/* What the unknown edges of a side can carry at most: what the other end of each has left. */
static uint64_t room_of(const wpg_conservation *flow, uint32_t block, bool leaving)
{
    const uint32_t *first = leaving ? flow->first : flow->first_in;
    uint64_t room = 0;
    for (uint32_t i = first[block]; i < first[block + 1]; i++) {
        uint32_t e = leaving ? i : flow->incoming[i];
        if (flow->edge_known[e])
            continue;
        uint32_t other = leaving ? flow->targets[e] : flow->sources[e];
        uint64_t carried = (leaving ? flow->in : flow->out)[other].sum;
        if (!flow->known[other])
            return UINT64_MAX;
        room = wpg_add_saturating(room, flow->counts[other] > carried ? flow->counts[other] - carried : 0);
    }
    return room;
}

static void check_side(wpg_flow_edges *edges, const wpg_conservation *flow, uint32_t block, bool leaving)
{
    const wpg_side side = (leaving ? flow->out : flow->in)[block];
    const wpg_side_kind kind = (leaving ? flow->leaving : flow->arriving)[block];
    if (wpg_conservation_check(flow, block, leaving) != WPG_SIDE_AGREES) {
        complain(edges, flow, block, leaving, side.sum);
    } else if (side.unknown && flow->known[block] && kind == WPG_SIDE_EXACT) {
        uint64_t most = wpg_add_saturating(side.sum, room_of(flow, block, leaving));
        if (flow->counts[block] > most)
            complain(edges, flow, block, leaving, most);
    }
}

wpg_status wpg_flow_derive_some(wpg_flow_edges *edges, const wpg_flow_graph *graph, const uint64_t *counts,
                                const bool *known, wpg_arena *arena, wpg_error *err)
{
    wpg_conservation flow;
    *edges = (wpg_flow_edges){.sound = true};
    for (uint32_t b = 0; b < graph->block_count; b++)
        if ((!known || known[b]) && counts[b] > WPG_FLOW_MOST)
            return wpg_fail(err, WPG_E_FORMAT, "block %u has more than 2^56 counts", b);
    bool enough = wpg_conservation_create(&flow, graph->block_count, graph->first, graph->targets, arena);
    for (uint32_t b = 0; enough && b < graph->block_count; b++) {
        flow.known[b] = !known || known[b];
        flow.counts[b] = flow.known[b] ? counts[b] : 0;
    }
    if (!enough || !wpg_conservation_solve(&flow, arena))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t b = 0; b < graph->block_count; b++) {
        check_side(edges, &flow, b, true);
        check_side(edges, &flow, b, false);
    }
    edges->counts = flow.edges;
    edges->known = flow.edge_known;
    for (uint32_t e = 0; e < wpg_flow_edge_count(graph); e++)
        edges->unknown += !edges->known[e];
    return WPG_OK;
}

wpg_status wpg_flow_derive(wpg_flow_edges *edges, const wpg_flow_graph *graph, const uint64_t *counts,
                           wpg_arena *arena, wpg_error *err)
{
    return wpg_flow_derive_some(edges, graph, counts, NULL, arena, err);
}

/* Gauss without pivoting on the dense matrix m[n][n]; zeros, of which a flow graph is full, are skipped. */
static wpg_status eliminate(double *m, uint32_t n, double *const right[], unsigned rights, wpg_error *err)
{
    for (uint32_t k = 0; k < n; k++) {
        double pivot = m[(size_t)k * n + k];
        if (!(pivot > 1e-15))
            return wpg_fail(err, WPG_E_UNSUPPORTED, "a loop at block %u is never left", k);
        for (uint32_t i = k + 1; i < n; i++) {
            double factor = m[(size_t)i * n + k] / pivot;
            if (factor == 0)
                continue;
            for (uint32_t j = k; j < n; j++)
                m[(size_t)i * n + j] -= factor * m[(size_t)k * n + j];
            for (unsigned r = 0; r < rights; r++)
                right[r][i] -= factor * right[r][k];
        }
    }
    for (uint32_t k = n; k-- > 0;)
        for (unsigned r = 0; r < rights; r++) {
            for (uint32_t j = k + 1; j < n; j++)
                right[r][k] -= m[(size_t)k * n + j] * right[r][j];
            right[r][k] /= m[(size_t)k * n + k];
        }
    return WPG_OK;
}

/* I - P, or transposed. */
static wpg_status matrix_of(double **m, const wpg_flow_graph *graph, const double *probabilities,
                            bool transposed, wpg_arena *arena, wpg_error *err)
{
    uint32_t n = graph->block_count;
    if (n > WPG_FLOW_SOLVED)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "%u blocks are too many to solve for frequencies", n);
    *m = WPG_ARENA_ARRAY(arena, double, (size_t)n *n);
    if (!*m)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t b = 0; b < n; b++) {
        (*m)[(size_t)b * n + b] += 1;
        for (uint32_t e = graph->first[b]; e < graph->first[b + 1]; e++) {
            uint32_t to = graph->targets[e];
            (*m)[transposed ? (size_t)to * n + b : (size_t)b * n + to] -= probabilities[e];
        }
    }
    return WPG_OK;
}

wpg_status wpg_flow_solve(double *frequencies, const wpg_flow_graph *graph, const double *probabilities,
                          wpg_arena *arena, wpg_error *err)
{
    double *m;
    WPG_TRY(matrix_of(&m, graph, probabilities, true, arena, err));
    for (uint32_t b = 0; b < graph->block_count; b++)
        frequencies[b] = b == 0;
    return eliminate(m, graph->block_count, &frequencies, 1, err);
}

wpg_status wpg_flow_ahead(double *const sums[], unsigned count, const wpg_flow_graph *graph,
                          const double *probabilities, wpg_arena *arena, wpg_error *err)
{
    double *m;
    WPG_TRY(matrix_of(&m, graph, probabilities, false, arena, err));
    return eliminate(m, graph->block_count, sums, count, err);
}

double wpg_flow_difference(const double *frequencies, const uint64_t *counts, uint32_t block_count)
{
    double f = 0, g = 0, apart = 0, larger = 0;
    for (uint32_t b = 0; b < block_count; b++) {
        f += frequencies[b];
        g += (double)counts[b];
    }
    if (!(f > 0) || !(g > 0))
        return f > 0 || g > 0;
    for (uint32_t b = 0; b < block_count; b++) {
        double a = frequencies[b] / f, c = (double)counts[b] / g;
        apart += fabs(a - c);
        larger += fmax(a, c);
    }
    return apart / larger;
}
