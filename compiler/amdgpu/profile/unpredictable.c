#include "compiler/amdgpu/profile/unpredictable.h"

#include "compiler/amdgpu/profile/weights_from.h"
#include "compiler/analysis/graph/cfg.h"

/* Round a loop again, or out of it. */
static bool decides_loop(const wpg_cfg *cfg, const wpg_block *block)
{
    for (uint32_t i = 0; i < block->successor_count; i++) {
        uint32_t to = block->successors[i];
        if (cfg->blocks[to].rpo <= block->rpo ||
            (block->loop != WPG_NO_BLOCK && !wpg_construct_holds(cfg, block->loop, to)))
            return true;
    }
    return false;
}

static bool parts_evenly(const wpg_cfg *cfg, uint32_t b, const wpg_origin_counts *from)
{
    const wpg_block *block = &cfg->blocks[b];
    if (block->rpo == WPG_NO_BLOCK || block->terminator->opcode != SpvOpBranchConditional ||
        block->successor_count != 2 || decides_loop(cfg, block))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t to = block->successors[i];
        if (wpg_cfg_comes_only_from(cfg, b, to) &&
            wpg_parts_evenly(from->waves[b], from->lanes[b], from->waves[to], from->lanes[to]))
            return true;
    }
    return false;
}

wpg_status wpg_unpredictable_find(wpg_amdgpu_marks *marks, const wpg_module *normal,
                                  const wpg_origin_counts *from, wpg_arena *arena, wpg_error *err)
{
    wpg_cfg *cfg;
    *marks = (wpg_amdgpu_marks){0};
    if (!from->waves || !from->lanes)
        return WPG_OK;
    WPG_TRY(wpg_cfg_create(&cfg, normal, wpg_first_function(normal), err));
    wpg_status status = WPG_OK;
    bool *unpredictable = WPG_ARENA_ARRAY(arena, bool, cfg->count);
    if (!unpredictable)
        status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
    else if (cfg->count != from->block_count)
        status = wpg_fail(err, WPG_E_MISMATCH, "counts of %u blocks for a function of %u", from->block_count,
                          cfg->count);
    for (uint32_t b = 0; status == WPG_OK && b < cfg->count; b++) {
        unpredictable[b] = parts_evenly(cfg, b, from);
        marks->count += unpredictable[b];
    }
    if (status == WPG_OK) {
        marks->blocks = cfg->count;
        marks->unpredictable = unpredictable;
    }
    wpg_cfg_destroy(cfg);
    return status;
}
