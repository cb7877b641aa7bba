#include "compiler/analysis/lane_flow.h"
#include "runtime/base/arithmetic.h"

/* An edge, numbered once for the block it leaves and once for the one it enters. */
typedef struct flow_edge {
    uint32_t from, to;
    uint64_t lanes;
    bool known;
} flow_edge;

/* One equation: the edges that leave a block (node b) or enter it (node count + b). */
typedef struct flow_node {
    uint32_t first, count; /* in `incident` */
    bool loses;            /* lanes may die between the block's start and these edges */
} flow_node;

typedef struct flow {
    const wpg_cfg *cfg;
    uint64_t *counts;
    bool *known;
    flow_edge *edges;
    uint32_t edge_count;
    flow_node *nodes;   /* [2 * cfg->count] */
    uint32_t *incident; /* edge numbers, by node */
    wpg_lane_fault fault;
    bool sound, moved;
} flow;

static bool reachable(const wpg_cfg *cfg, uint32_t block)
{
    return cfg->blocks[block].rpo != WPG_NO_BLOCK;
}

static bool make_graph(flow *f, wpg_arena *arena)
{
    const wpg_cfg *cfg = f->cfg;
    for (uint32_t b = 0; b < cfg->count; b++)
        f->edge_count += reachable(cfg, b) ? cfg->blocks[b].successor_count : 0;
    f->edges = WPG_ARENA_ARRAY(arena, flow_edge, f->edge_count);
    f->nodes = WPG_ARENA_ARRAY(arena, flow_node, (size_t)cfg->count * 2);
    f->incident = WPG_ARENA_ARRAY(arena, uint32_t, (size_t)f->edge_count * 2);
    if (arena->failed)
        return false;
    uint32_t edge = 0;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        f->nodes[b].loses = block->changes_mask;
        for (uint32_t i = 0; reachable(cfg, b) && i < block->successor_count; i++) {
            f->edges[edge++] = (flow_edge){.from = b, .to = block->successors[i]};
            f->nodes[b].count++;
            f->nodes[cfg->count + block->successors[i]].count++;
        }
    }
    uint32_t at = 0;
    for (uint32_t n = 0; n < cfg->count * 2; n++) {
        f->nodes[n].first = at;
        at += f->nodes[n].count;
        f->nodes[n].count = 0;
    }
    for (uint32_t e = 0; e < f->edge_count; e++) {
        flow_node *out = &f->nodes[f->edges[e].from], *in = &f->nodes[cfg->count + f->edges[e].to];
        f->incident[out->first + out->count++] = e;
        f->incident[in->first + in->count++] = e;
    }
    return true;
}

static void contradict(flow *f, uint32_t node, uint64_t edges)
{
    uint32_t block = node % f->cfg->count;
    f->sound = false;
    f->fault = (wpg_lane_fault){
        .block = block, .entering = node >= f->cfg->count, .count = f->counts[block], .edges = edges};
}

static void settle_edge(flow *f, uint32_t edge, uint64_t lanes)
{
    f->edges[edge].lanes = lanes;
    f->edges[edge].known = true;
    f->moved = true;
}

/* Takes what this equation alone decides. */
static void settle(flow *f, uint32_t n)
{
    const flow_node *node = &f->nodes[n];
    uint32_t block = n % f->cfg->count, unknown = 0, last = 0;
    uint64_t sum = 0;
    if (!node->count || !reachable(f->cfg, block))
        return; /* the entry, a return, a kill */
    for (uint32_t i = 0; i < node->count; i++) {
        uint32_t e = f->incident[node->first + i];
        if (f->edges[e].known) {
            sum = wpg_add_saturating(sum, f->edges[e].lanes);
        } else {
            unknown++;
            last = e;
        }
    }
    if (!f->known[block]) {
        if (!unknown && !node->loses) {
            f->counts[block] = sum;
            f->known[block] = f->moved = true;
        }
        return;
    }
    uint64_t count = f->counts[block];
    if (sum > count || (!unknown && sum != count && !node->loses)) {
        contradict(f, n, sum);
    } else if (unknown && sum == count) { /* nothing is left for the others */
        for (uint32_t i = 0; i < node->count; i++)
            if (!f->edges[f->incident[node->first + i]].known)
                settle_edge(f, f->incident[node->first + i], 0);
    } else if (unknown == 1 && !node->loses) {
        settle_edge(f, last, count - sum);
    }
}

wpg_status wpg_lane_flow_solve(uint64_t *counts, bool *known, bool *sound, wpg_lane_fault *fault,
                               const wpg_cfg *cfg)
{
    flow f = {.cfg = cfg, .counts = counts, .known = known, .sound = true};
    wpg_arena arena;
    wpg_arena_init(&arena);
    if (make_graph(&f, &arena)) {
        do {
            f.moved = false;
            /* Forwards for what enters, backwards for what leaves: a chain is done in one round. */
            for (uint32_t i = 0; i < cfg->order_count && f.sound; i++) {
                settle(&f, cfg->count + cfg->order[i]);
                if (f.sound)
                    settle(&f, cfg->order[i]);
            }
            for (uint32_t i = cfg->order_count; i > 0 && f.sound; i--) {
                settle(&f, cfg->order[i - 1]);
                if (f.sound)
                    settle(&f, cfg->count + cfg->order[i - 1]);
            }
        } while (f.moved && f.sound);
    }
    bool failed = arena.failed;
    wpg_arena_finish(&arena);
    *sound = f.sound;
    if (fault)
        *fault = f.fault;
    return failed ? WPG_E_NOMEM : WPG_OK;
}
