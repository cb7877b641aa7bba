#include "compiler/analysis/graph/lane_flow.h"

#include <string.h>

bool wpg_lane_flow_create(wpg_conservation *flow, const wpg_block_graph *graph, wpg_arena *arena)
{
    if (!wpg_conservation_create(flow, graph->count, graph->first, graph->successors, arena))
        return false;
    for (uint32_t b = 0; b < graph->count; b++) {
        if (!(graph->flags[b] & WPG_BLOCK_REACHABLE))
            flow->arriving[b] = flow->leaving[b] = WPG_SIDE_OPEN;
        else if (graph->flags[b] & WPG_BLOCK_LOSES_LANES && flow->leaving[b] == WPG_SIDE_EXACT)
            flow->leaving[b] = WPG_SIDE_BOUND;
    }
    return true;
}

/* The first block in order one of whose sides contradicts its count. */
static bool is_sound(const wpg_conservation *flow, wpg_lane_fault *fault)
{
    for (uint32_t b = 0; b < flow->block_count; b++)
        for (int leaving = 0; leaving < 2; leaving++) {
            if (wpg_conservation_check(flow, b, leaving != 0) == WPG_SIDE_AGREES)
                continue;
            if (fault)
                *fault = (wpg_lane_fault){.block = b,
                                          .entering = !leaving,
                                          .count = flow->counts[b],
                                          .edges = (leaving ? flow->out : flow->in)[b].sum};
            return false;
        }
    return true;
}

static wpg_status solve(uint64_t *counts, bool *known, bool *sound, wpg_lane_fault *fault, const wpg_cfg *cfg,
                        wpg_arena *arena)
{
    wpg_block_graph graph;
    wpg_conservation flow;
    WPG_TRY(wpg_block_graph_of(&graph, cfg, arena));
    if (!wpg_lane_flow_create(&flow, &graph, arena))
        return WPG_E_NOMEM;
    flow.exact = true;
    memcpy(flow.counts, counts, cfg->count * sizeof *counts);
    memcpy(flow.known, known, cfg->count * sizeof *known);
    if (!wpg_conservation_solve(&flow, arena))
        return WPG_E_NOMEM;
    *sound = is_sound(&flow, fault);
    if (*sound) {
        memcpy(counts, flow.counts, cfg->count * sizeof *counts);
        memcpy(known, flow.known, cfg->count * sizeof *known);
    }
    return WPG_OK;
}

wpg_status wpg_lane_flow_solve(uint64_t *counts, bool *known, bool *sound, wpg_lane_fault *fault,
                               const wpg_cfg *cfg)
{
    wpg_arena arena;
    wpg_arena_init(&arena);
    *sound = true;
    wpg_status status = solve(counts, known, sound, fault, cfg, &arena);
    wpg_arena_finish(&arena);
    return status;
}
