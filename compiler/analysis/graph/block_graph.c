#include "compiler/analysis/graph/block_graph.h"

static void flag_switch(wpg_block_graph *flow, const wpg_cfg *cfg, uint32_t from)
{
    const wpg_block *block = &cfg->blocks[from];
    for (uint32_t s = 0; s < block->successor_count; s++) {
        const uint32_t to = block->successors[s];
        if (cfg->blocks[to].merges == WPG_NO_BLOCK && wpg_cfg_takes_several_values(cfg, from, to))
            flow->flags[to] |= WPG_BLOCK_SEVERAL_VALUES;
    }
}

wpg_status wpg_block_graph_of(wpg_block_graph *flow, const wpg_cfg *cfg, wpg_arena *arena)
{
    uint32_t edges = 0;
    for (uint32_t b = 0; b < cfg->count; b++)
        edges += cfg->blocks[b].successor_count;
    *flow = (wpg_block_graph){.count = cfg->count,
                              .flags = WPG_ARENA_ARRAY(arena, uint8_t, cfg->count),
                              .first = WPG_ARENA_ARRAY(arena, uint32_t, (size_t)cfg->count + 1),
                              .successors = WPG_ARENA_ARRAY(arena, uint32_t, edges)};
    if (!flow->flags || !flow->first || !flow->successors)
        return WPG_E_NOMEM;
    edges = 0;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        const bool reachable = block->rpo != WPG_NO_BLOCK;
        flow->flags[b] = (uint8_t)((reachable ? WPG_BLOCK_REACHABLE : 0) |
                                   (block->changes_mask ? WPG_BLOCK_LOSES_LANES : 0));
        for (uint32_t s = 0; reachable && s < block->successor_count; s++)
            flow->successors[edges++] = block->successors[s];
        flow->first[b + 1] = edges;
    }
    for (uint32_t b = 0; b < cfg->count; b++)
        if (flow->flags[b] & WPG_BLOCK_REACHABLE)
            flag_switch(flow, cfg, b);
    return WPG_OK;
}
