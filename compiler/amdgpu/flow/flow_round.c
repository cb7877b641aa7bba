#include "compiler/amdgpu/flow/flow_round.h"

#include <math.h>
#include <stdlib.h>

/* An edge of the circulation. */
typedef struct arc {
    uint32_t from, to;
    double flow;
    bool in_tree, known;
    int64_t whole;
} arc;

typedef struct rounding {
    const wpg_flow_graph *graph;
    arc *arcs;
    uint32_t arc_count;
    uint32_t *part; /* [block_count] of the forest that grows: a representative's index */
} rounding;

static wpg_status out_of_memory(wpg_error *err)
{
    return wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

static uint32_t part_of(const rounding *r, uint32_t block)
{
    while (r->part[block] != block)
        block = r->part[block];
    return block;
}

static int by_flow(const void *a, const void *b)
{
    const arc *x = a, *y = b;
    if (x->flow != y->flow)
        return x->flow < y->flow ? 1 : -1;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

/* The arcs, the greatest first, and of them the tree. */
static void grow_tree(rounding *r)
{
    qsort(r->arcs, r->arc_count, sizeof *r->arcs, by_flow);
    for (uint32_t b = 0; b < r->graph->block_count; b++)
        r->part[b] = b;
    for (uint32_t i = 0; i < r->arc_count; i++) {
        uint32_t a = part_of(r, r->arcs[i].from), b = part_of(r, r->arcs[i].to);
        r->arcs[i].in_tree = a != b;
        r->part[a] = b;
    }
}

/* What a block still lacks if one of its arcs is open: *open is that one. */
static int64_t balance(const rounding *r, uint32_t block, arc **open, unsigned *open_count)
{
    int64_t sum = 0;
    *open_count = 0;
    for (uint32_t i = 0; i < r->arc_count; i++) {
        arc *a = &r->arcs[i];
        if (a->from == a->to || (a->from != block && a->to != block))
            continue;
        if (!a->known) {
            *open = a;
            ++*open_count;
        } else {
            sum += a->to == block ? a->whole : -a->whole;
        }
    }
    return sum;
}

static void round_arcs(rounding *r, double scale)
{
    for (uint32_t i = 0; i < r->arc_count; i++) {
        r->arcs[i].known = !r->arcs[i].in_tree;
        r->arcs[i].whole = r->arcs[i].in_tree ? 0 : (int64_t)llround(r->arcs[i].flow * scale);
    }
    /* A tree has a leaf as long as it has an arc. */
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = 0; b < r->graph->block_count; b++) {
            arc *open = NULL;
            unsigned open_count;
            int64_t lacks = balance(r, b, &open, &open_count);
            if (open_count != 1)
                continue;
            open->whole = open->from == b ? lacks : -lacks;
            open->known = again = true;
        }
    }
}

/* The least scale that lifts every flow above the number of arcs; 0: they lie too far apart. */
static double scale_of(const rounding *r, double from)
{
    double least = 0, most = 0;
    for (uint32_t i = 0; i < r->arc_count; i++) {
        double flow = r->arcs[i].flow;
        if (flow > 0 && (least == 0 || flow < least))
            least = flow;
        most = flow > most ? flow : most;
    }
    if (least == 0)
        return from;
    double scale = ceil(((double)r->arc_count + 1) / least);
    scale = scale < from ? from : scale;
    return most / least <= 0x1p40 && most * scale <= 0x1p60 ? scale : 0;
}

static void sum_counts(uint64_t *counts, const rounding *r)
{
    for (uint32_t b = 0; b < r->graph->block_count; b++)
        counts[b] = 0;
    for (uint32_t i = 0; i < r->arc_count; i++)
        counts[r->arcs[i].from] += (uint64_t)r->arcs[i].whole;
}

static void make_arcs(rounding *r, const double *frequencies, const double *probabilities, double entries)
{
    const wpg_flow_graph *graph = r->graph;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        for (uint32_t e = graph->first[b]; e < graph->first[b + 1]; e++)
            r->arcs[r->arc_count++] = (arc){
                .from = b, .to = graph->targets[e], .flow = frequencies[b] * probabilities[e] * entries};
        if (graph->first[b] == graph->first[b + 1])
            r->arcs[r->arc_count++] = (arc){.from = b, .to = 0, .flow = frequencies[b] * entries};
    }
    for (uint32_t i = 0; i < r->arc_count; i++) /* what elimination leaves of nothing */
        if (r->arcs[i].flow < entries * 0x1p-44)
            r->arcs[i].flow = 0;
}

wpg_status wpg_flow_round(uint64_t *counts, double *scale, const wpg_flow_graph *graph,
                          const double *probabilities, uint64_t entries, wpg_arena *arena, wpg_error *err)
{
    rounding r = {.graph = graph};
    double *frequencies = WPG_ARENA_ARRAY(arena, double, graph->block_count);
    r.part = WPG_ARENA_ARRAY(arena, uint32_t, graph->block_count);
    r.arcs = WPG_ARENA_ARRAY(arena, arc, (size_t)wpg_flow_edge_count(graph) + graph->block_count);
    if (!frequencies || !r.part || !r.arcs)
        return out_of_memory(err);
    WPG_TRY(wpg_flow_solve(frequencies, graph, probabilities, arena, err));
    make_arcs(&r, frequencies, probabilities, (double)entries);
    *scale = scale_of(&r, *scale < 1 ? 1 : *scale);
    if (*scale == 0)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "the counts of the blocks lie too far apart");
    grow_tree(&r);
    round_arcs(&r, *scale);
    for (uint32_t i = 0; i < r.arc_count; i++)
        if (!r.arcs[i].known || r.arcs[i].whole < 0)
            return wpg_fail(err, WPG_E_UNSUPPORTED, "the flow cannot be rounded to whole counts");
    sum_counts(counts, &r);
    return WPG_OK;
}
