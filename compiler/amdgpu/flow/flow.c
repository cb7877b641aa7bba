/* Every block is two nodes: one where its arriving edges meet, one that its leaving edges leave. Each must
 * equal the block's count. A node with a single unknown edge fixes that edge, and this may leave a single
 * unknown at the edge's other end: a worklist. The entry's arriving side and the leaving side of blocks that
 * return are open (the dispatch, the end) and give no equation. */
#include "compiler/amdgpu/flow/flow.h"

#include <math.h>
#include <string.h>

typedef struct node {
    /* What its unknown edges must sum to: those that leave minus those that arrive for a block without a
     * count, else of its one side. */
    int64_t left;
    uint32_t unknown;
    bool open; /* asks nothing */
} node;

typedef struct derivation {
    const wpg_flow_graph *graph;
    wpg_flow_edges *edges;
    const uint64_t *counts;
    const bool *counted; /* by block, or NULL: all */
    node *nodes; /* [2 * block_count]: leaving side, or both of a block without a count; arriving side */
    uint32_t *sources;  /* by edge */
    uint32_t *arriving; /* edges by target: arrive_first[b] .. */
    uint32_t *arrive_first;
    uint32_t *work, work_count;
} derivation;

static bool counted(const derivation *d, uint32_t block)
{
    return !d->counted || d->counted[block];
}

/* The node that sees edges which arrive at `block`. */
static uint32_t arrives(const derivation *d, uint32_t block)
{
    return counted(d, block) ? d->graph->block_count + block : block;
}

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? INT64_MIN + 1 : INT64_MAX;
    return sum;
}

/* `missing`: how much more than its edges give the block's count is. */
static void complain(derivation *d, uint32_t n, int64_t missing)
{
    uint32_t blocks = d->graph->block_count, block = n % blocks;
    wpg_flow_edges *edges = d->edges;
    if (!edges->sound && edges->problem.block <= block)
        return;
    uint64_t count = counted(d, block) ? d->counts[block] : 0;
    edges->sound = false;
    edges->problem = (wpg_flow_problem){block, n < blocks, count, count - (uint64_t)missing};
}

/* Node `n` sees an edge of `count` become known, which leaves (or arrives at) its block. */
static void explain(derivation *d, uint32_t n, uint64_t count, bool leaves)
{
    node *at = &d->nodes[n];
    bool both = !counted(d, n % d->graph->block_count);
    at->unknown--;
    if (at->open)
        return;
    at->left = plus(at->left, both && !leaves ? (int64_t)count : -(int64_t)count);
    if (!both && at->left < 0) {
        complain(d, n, at->left);
        at->left = 0;
    }
    if (at->unknown == 1)
        d->work[d->work_count++] = n;
    else if (at->unknown == 0 && at->left)
        complain(d, n, at->left);
}

/* The one unknown edge of node `n`. */
static uint32_t last_edge(const derivation *d, uint32_t n, bool *leaves)
{
    uint32_t blocks = d->graph->block_count, block = n % blocks;
    *leaves = true;
    for (uint32_t e = d->graph->first[block]; n < blocks && e < d->graph->first[block + 1]; e++)
        if (!d->edges->known[e])
            return e;
    *leaves = false;
    for (uint32_t i = d->arrive_first[block]; i < d->arrive_first[block + 1]; i++)
        if (!d->edges->known[d->arriving[i]])
            return d->arriving[i];
    return UINT32_MAX; /* `unknown` says otherwise */
}

static bool prepare(derivation *d, wpg_arena *arena)
{
    const wpg_flow_graph *graph = d->graph;
    uint32_t blocks = graph->block_count, count = wpg_flow_edge_count(graph);
    d->nodes = WPG_ARENA_ARRAY(arena, node, 2 * (size_t)blocks);
    d->sources = WPG_ARENA_ARRAY(arena, uint32_t, count);
    d->arriving = WPG_ARENA_ARRAY(arena, uint32_t, count);
    d->arrive_first = WPG_ARENA_ARRAY(arena, uint32_t, (size_t)blocks + 2);
    d->work = WPG_ARENA_ARRAY(arena, uint32_t, 2 * (size_t)blocks);
    d->edges->counts = WPG_ARENA_ARRAY(arena, uint64_t, count);
    d->edges->known = WPG_ARENA_ARRAY(arena, bool, count);
    if (arena->failed)
        return false;
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t e = graph->first[b]; e < graph->first[b + 1]; e++) {
            d->sources[e] = b;
            d->nodes[b].unknown++;
            d->nodes[arrives(d, graph->targets[e])].unknown++;
            d->arrive_first[graph->targets[e] + 2]++;
        }
    for (uint32_t b = 0; b < blocks; b++) /* shifted by one, so that filling moves each to its place */
        d->arrive_first[b + 2] += d->arrive_first[b + 1];
    for (uint32_t e = 0; e < count; e++)
        d->arriving[d->arrive_first[graph->targets[e] + 1]++] = e;
    for (uint32_t b = 0; b < blocks; b++) {
        bool ends = graph->first[b] == graph->first[b + 1];
        d->nodes[b].left = d->nodes[blocks + b].left = counted(d, b) ? (int64_t)d->counts[b] : 0;
        d->nodes[b].open = ends || (b == 0 && !counted(d, b));
        d->nodes[blocks + b].open = b == 0 || !counted(d, b);
    }
    return true;
}

/* What edges that stay unknown must at least allow: a node's rest fits into the other ends of its edges. */
static void bound(derivation *d)
{
    uint32_t blocks = d->graph->block_count;
    for (uint32_t n = 0; n < 2 * blocks; n++) {
        if (d->nodes[n].open || d->nodes[n].unknown < 2 || d->counted)
            continue;
        int64_t room = 0;
        uint32_t begin = n < blocks ? d->graph->first[n] : d->arrive_first[n - blocks];
        uint32_t end = n < blocks ? d->graph->first[n + 1] : d->arrive_first[n - blocks + 1];
        for (uint32_t i = begin; i < end; i++) {
            uint32_t e = n < blocks ? i : d->arriving[i];
            if (!d->edges->known[e])
                room = plus(room, d->nodes[n < blocks ? blocks + d->graph->targets[e] : d->sources[e]].left);
        }
        if (d->nodes[n].left > room)
            complain(d, n, d->nodes[n].left - room);
    }
}

wpg_status wpg_flow_derive_some(wpg_flow_edges *edges, const wpg_flow_graph *graph, const uint64_t *counts,
                                const bool *known, wpg_arena *arena, wpg_error *err)
{
    derivation d = {.graph = graph, .edges = edges, .counts = counts, .counted = known};
    uint32_t blocks = graph->block_count;
    *edges = (wpg_flow_edges){.sound = true};
    for (uint32_t b = 0; b < blocks; b++)
        if (counted(&d, b) && counts[b] > WPG_FLOW_MOST)
            return wpg_fail(err, WPG_E_FORMAT, "block %u has more than 2^56 counts", b);
    if (!prepare(&d, arena))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t n = 0; n < 2 * blocks; n++) {
        if (!d.nodes[n].open && d.nodes[n].unknown == 1)
            d.work[d.work_count++] = n;
        else if (!d.nodes[n].open && d.nodes[n].unknown == 0 && d.nodes[n].left)
            complain(&d, n, d.nodes[n].left); /* nothing leads to it */
    }
    while (d.work_count) { /* each node comes here once at most: `unknown` only falls */
        uint32_t n = d.work[--d.work_count];
        bool leaves;
        if (d.nodes[n].unknown != 1)
            continue;
        uint32_t e = last_edge(&d, n, &leaves);
        int64_t count = counted(&d, n % blocks) || leaves ? d.nodes[n].left : -d.nodes[n].left;
        if (count < 0) { /* of a block without a count */
            complain(&d, n, count);
            count = 0;
        }
        edges->known[e] = true;
        edges->counts[e] = (uint64_t)count;
        explain(&d, d.sources[e], edges->counts[e], true);
        explain(&d, arrives(&d, graph->targets[e]), edges->counts[e], false);
    }
    bound(&d);
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
