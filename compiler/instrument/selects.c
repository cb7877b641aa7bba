/* Where select sites are tallied.
 *
 * The live mask is one throughout a block, up to what changes it (a demote, the end of a wave segment, a call
 * that may take lanes away). So a site needs no code of its own: sites whose condition is known at the
 * block's start are tallied there, together with the block's own count; the others, of one stretch without a
 * change of mask, together before the last of them. Sites of one stretch with one condition share their
 * counters. */
#include <string.h>

#include "compiler/instrument/plan.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"

typedef WPG_VEC(wpg_select_tally) tally_list;

typedef struct site_walk {
    wpg_plan *plan;
    const wpg_select_site *sites;
    uint32_t site_count, at; /* next site */
    uint32_t *selects;       /* counters of each site */
    wpg_map local;           /* ids defined in this block behind its phis */
    wpg_map known;           /* condition -> first counter, in this stretch */
    tally_list starts, late;
    wpg_inst *last_late; /* last site of this stretch tallied late */
    WPG_VEC(wpg_point) points;
    bool failed;
} site_walk;

static const wpg_select_tally *keep(site_walk *walk, const tally_list *list)
{
    const wpg_select_tally *copy = wpg_arena_alloc(&walk->plan->arena, list->count, sizeof(wpg_select_tally));
    if (!copy)
        walk->failed = true;
    else if (list->count)
        memcpy((void *)copy, list->data, list->count * sizeof *copy);
    return copy;
}

/* Ends a stretch: what it tallies late becomes a point. */
static void end_stretch(site_walk *walk, uint32_t block)
{
    if (walk->late.count) {
        wpg_point point = {.kind = WPG_POINT_COUNT,
                           .block = block,
                           .before = walk->last_late,
                           .tally = WPG_NO_TALLY,
                           .record = WPG_NO_BLOCK,
                           .resolve = WPG_NO_BLOCK,
                           .selects = keep(walk, &walk->late),
                           .select_count = (uint32_t)walk->late.count};
        if (!wpg_vec_push(&walk->points, point))
            walk->failed = true;
    }
    wpg_vec_clear(&walk->late);
    wpg_map_free(&walk->known);
    walk->last_late = NULL;
}

static void take_site(site_walk *walk, bool first_stretch)
{
    wpg_inst *inst = walk->sites[walk->at].inst;
    uint32_t condition = inst->words[3];
    uint64_t first;
    bool late = !first_stretch || wpg_map_get(&walk->local, condition, NULL);
    if (!wpg_map_get(&walk->known, condition, &first)) {
        first = walk->plan->options->first_counter + walk->plan->counter_count;
        walk->plan->counter_count += WPG_SELECT_COUNTERS;
        wpg_select_tally tally = {.condition = condition, .first = (uint32_t)first, .region = WPG_NO_BLOCK};
        bool pushed = late ? wpg_vec_push(&walk->late, tally) : wpg_vec_push(&walk->starts, tally);
        if (!pushed || !wpg_map_set(&walk->known, condition, first))
            walk->failed = true;
        if (late)
            walk->last_late = inst;
    }
    walk->selects[walk->at++] = (uint32_t)first;
}

static bool may_change_mask(const wpg_inst *inst)
{
    return inst->opcode == SpvOpFunctionCall || inst->opcode == SpvOpDemoteToHelperInvocation ||
           wpg_ends_segment(inst);
}

static void walk_block(site_walk *walk, const wpg_block *block, uint32_t index)
{
    bool first_stretch = true;
    wpg_map_free(&walk->local);
    for (wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next) {
        if (walk->at == walk->site_count || walk->sites[walk->at].block != index)
            break;
        if (inst == walk->sites[walk->at].inst)
            take_site(walk, first_stretch);
        if (inst->result && inst->opcode != SpvOpPhi && !wpg_map_set(&walk->local, inst->result, 1))
            walk->failed = true;
        if (may_change_mask(inst) && block->changes_mask) {
            end_stretch(walk, index);
            first_stretch = false;
        }
    }
    end_stretch(walk, index);
}

static void walk_function(site_walk *walk, const wpg_cfg *cfg, wpg_select_starts *starts)
{
    for (uint32_t b = 0; b < cfg->count && walk->at < walk->site_count; b++) {
        if (walk->sites[walk->at].block != b)
            continue;
        wpg_vec_clear(&walk->starts);
        walk_block(walk, &cfg->blocks[b], b);
        starts[b].selects = keep(walk, &walk->starts);
        starts[b].count = (uint32_t)walk->starts.count;
    }
}

wpg_status wpg_plan_selects(wpg_plan *plan, const wpg_function_plan *function,
                            wpg_function_counters *counters, wpg_select_starts **starts, wpg_point **late,
                            uint32_t *late_count)
{
    wpg_select_site *sites;
    site_walk walk = {.plan = plan};
    *starts = WPG_ARENA_ARRAY(&plan->arena, wpg_select_starts, function->cfg->count);
    if (!*starts || wpg_select_sites(&sites, &walk.site_count, function->cfg, &plan->arena) != WPG_OK)
        return WPG_E_NOMEM;
    walk.sites = sites;
    walk.selects = WPG_ARENA_ARRAY(&plan->map->arena, uint32_t, walk.site_count);
    if (!walk.selects)
        return WPG_E_NOMEM;
    walk_function(&walk, function->cfg, *starts);
    *late = wpg_arena_memdup(&plan->arena, walk.points.data, walk.points.count * sizeof(wpg_point));
    *late_count = (uint32_t)walk.points.count;
    counters->selects = walk.selects;
    counters->select_count = walk.site_count;
    wpg_map_free(&walk.local);
    wpg_map_free(&walk.known);
    wpg_vec_free(&walk.starts);
    wpg_vec_free(&walk.late);
    wpg_vec_free(&walk.points);
    return walk.failed || !*late ? WPG_E_NOMEM : WPG_OK;
}
