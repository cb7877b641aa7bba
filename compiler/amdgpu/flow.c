/* Every block is two nodes, one that its arriving edges meet and one that its leaving edges leave; each
 * must equal the block's count. A node with a single unknown edge fixes it, which may leave the node at the
 * edge's other end with a single one: a worklist. The entry's arriving side and the leaving side of blocks
 * that return are open (the dispatch, the end) and ask nothing. */
#include "compiler/amdgpu/flow.h"

#include <math.h>
#include <string.h>

typedef struct node {
    uint64_t left; /* count not yet explained by known edges */
    uint32_t unknown;
    bool open; /* asks nothing */
} node;

typedef struct derivation {
    const wpg_flow_graph *graph;
    wpg_flow_edges *edges;
    const uint64_t *counts;
    node *nodes;        /* [2 * block_count]: leaving side, then arriving side */
    uint32_t *sources;  /* by edge */
    uint32_t *arriving; /* edges by target: arrive_first[b] .. */
    uint32_t *arrive_first;
    uint32_t *work, work_count;
} derivation;

static void complain(derivation *d, uint32_t n, uint64_t explained)
{
    uint32_t blocks = d->graph->block_count, block = n % blocks;
    wpg_flow_edges *edges = d->edges;
    if (!edges->sound && edges->problem.block <= block)
        return;
    edges->sound = false;
    edges->problem = (wpg_flow_problem){block, n < blocks, d->counts[block], explained};
}

/* Node `n` sees an edge of `count` become known. */
static void explain(derivation *d, uint32_t n, uint64_t count)
{
    node *at = &d->nodes[n];
    at->unknown--;
    if (at->open)
        return;
    if (count > at->left) {
        complain(d, n, d->counts[n % d->graph->block_count] - at->left + count);
        at->left = 0;
    } else {
        at->left -= count;
    }
    if (at->unknown == 1)
        d->work[d->work_count++] = n;
    else if (at->unknown == 0 && at->left)
        complain(d, n, d->counts[n % d->graph->block_count] - at->left);
}

/* The one unknown edge of node `n`. */
static uint32_t last_edge(const derivation *d, uint32_t n)
{
    uint32_t blocks = d->graph->block_count;
    if (n < blocks) {
        for (uint32_t e = d->graph->first[n]; e < d->graph->first[n + 1]; e++)
            if (!d->edges->known[e])
                return e;
    } else {
        for (uint32_t i = d->arrive_first[n - blocks]; i < d->arrive_first[n - blocks + 1]; i++)
            if (!d->edges->known[d->arriving[i]])
                return d->arriving[i];
    }
    return UINT32_MAX;
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
            d->nodes[blocks + graph->targets[e]].unknown++;
            d->arrive_first[graph->targets[e] + 2]++;
        }
    for (uint32_t b = 0; b < blocks; b++) /* shifted by one, so that filling moves each to its place */
        d->arrive_first[b + 2] += d->arrive_first[b + 1];
    for (uint32_t e = 0; e < count; e++)
        d->arriving[d->arrive_first[graph->targets[e] + 1]++] = e;
    for (uint32_t b = 0; b < blocks; b++) {
        d->nodes[b].left = d->nodes[blocks + b].left = d->counts[b];
        d->nodes[b].open = graph->first[b] == graph->first[b + 1];
        d->nodes[blocks + b].open = b == 0;
    }
    return true;
}

/* What edges that stay unknown must at least allow: a node's rest fits into the other ends of its edges. */
static void bound(derivation *d)
{
    uint32_t blocks = d->graph->block_count;
    for (uint32_t n = 0; n < 2 * blocks; n++) {
        if (d->nodes[n].open || d->nodes[n].unknown < 2)
            continue;
        uint64_t room = 0;
        uint32_t begin = n < blocks ? d->graph->first[n] : d->arrive_first[n - blocks];
        uint32_t end = n < blocks ? d->graph->first[n + 1] : d->arrive_first[n - blocks + 1];
        for (uint32_t i = begin; i < end; i++) {
            uint32_t e = n < blocks ? i : d->arriving[i];
            uint64_t other = d->nodes[n < blocks ? blocks + d->graph->targets[e] : d->sources[e]].left;
            if (!d->edges->known[e])
                room = room + other < room ? UINT64_MAX : room + other;
        }
        if (d->nodes[n].left > room)
            complain(d, n, d->counts[n % blocks] - d->nodes[n].left + room);
    }
}

wpg_status wpg_flow_derive(wpg_flow_edges *edges, const wpg_flow_graph *graph, const uint64_t *counts,
                           wpg_arena *arena, wpg_error *err)
{
    derivation d = {.graph = graph, .edges = edges, .counts = counts};
    uint32_t blocks = graph->block_count;
    *edges = (wpg_flow_edges){.sound = true};
    if (!prepare(&d, arena))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t n = 0; n < 2 * blocks; n++) {
        if (!d.nodes[n].open && d.nodes[n].unknown == 1)
            d.work[d.work_count++] = n;
        else if (!d.nodes[n].open && d.nodes[n].unknown == 0 && d.nodes[n].left)
            complain(&d, n, 0); /* nothing leads to it */
    }
    while (d.work_count) { /* each node comes here once at most: `unknown` only falls */
        uint32_t n = d.work[--d.work_count];
        if (d.nodes[n].unknown != 1)
            continue;
        uint32_t e = last_edge(&d, n);
        edges->known[e] = true;
        edges->counts[e] = d.nodes[n].left;
        explain(&d, d.sources[e], edges->counts[e]);
        explain(&d, blocks + graph->targets[e], edges->counts[e]);
    }
    bound(&d);
    for (uint32_t e = 0; e < wpg_flow_edge_count(graph); e++)
        edges->unknown += !edges->known[e];
    return WPG_OK;
}

/* Gauss without pivoting on the dense matrix; rows and columns of zeros, of which a flow graph is full, are
 * skipped. */
wpg_status wpg_flow_solve(double *frequencies, const wpg_flow_graph *graph, const double *probabilities,
                          wpg_arena *arena, wpg_error *err)
{
    uint32_t n = graph->block_count;
    if (n > WPG_FLOW_SOLVED)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "%u blocks are too many to solve for frequencies", n);
    double *m = WPG_ARENA_ARRAY(arena, double, (size_t)n *n);
    if (!m)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (uint32_t b = 0; b < n; b++) {
        m[(size_t)b * n + b] += 1;
        for (uint32_t e = graph->first[b]; e < graph->first[b + 1]; e++)
            m[(size_t)graph->targets[e] * n + b] -= probabilities[e];
        frequencies[b] = b == 0;
    }
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
            frequencies[i] -= factor * frequencies[k];
        }
    }
    for (uint32_t k = n; k-- > 0;) {
        for (uint32_t j = k + 1; j < n; j++)
            frequencies[k] -= m[(size_t)k * n + j] * frequencies[j];
        frequencies[k] /= m[(size_t)k * n + k];
    }
    return WPG_OK;
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
