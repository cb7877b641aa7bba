/* Where select sites are counted.
 *
 * A site has tallies of its own where rules.c finds a way (marks, cells). Otherwise it is counted in place,
 * which this file does. The live mask stays the same within a block up to an instruction that changes it: a
 * demote, the end of a wave segment, a call that may end lanes. So a site needs no code of its own. Sites
 * whose condition is known at the block's start are counted there, together with the block. The other sites
 * of one stretch without a change of mask are counted together, before the last of them. Sites of one stretch
 * with one condition share their counters.
 *
 * Sites that no pass can use are not counted (compiler/analysis/values/select_work.h): most selects of real
 * kernels choose between values that are there anyway. */
#include <string.h>

#include "compiler/analysis/values/select_work.h"
#include "compiler/instrument/counting/methods.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"

typedef WPG_VEC(wpg_select_tally) tally_list;

typedef struct site_walk {
    wpg_chooser *chooser;
    wpg_plan *plan;
    const wpg_select_site *sites;
    const bool *pays;        /* [sites] is it counted? */
    uint32_t site_count, at; /* next site */
    uint32_t *condition_of;  /* [sites] */
    WPG_VEC(wpg_select_condition) conditions;
    wpg_map local; /* ids defined in this block behind its phis */
    wpg_map known; /* condition -> its number, in this stretch */
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

/* In place: the number of the condition. */
static void count_in_place(site_walk *walk, wpg_select_condition *made, wpg_inst *inst, bool late)
{
    made->first = walk->plan->options->first_counter + walk->plan->counter_count;
    walk->plan->counter_count += WPG_SELECT_COUNTERS;
    wpg_select_tally tally = {.condition = inst->words[3], .first = made->first};
    walk->failed |= late ? !wpg_vec_push(&walk->late, tally) : !wpg_vec_push(&walk->starts, tally);
    if (late)
        walk->last_late = inst;
}

static void take_site(site_walk *walk, bool first_stretch)
{
    const wpg_select_site *site = &walk->sites[walk->at];
    uint32_t condition = site->inst->words[3];
    uint64_t number;
    if (!walk->pays[walk->at]) {
        walk->condition_of[walk->at++] = WPG_NO_COUNTER;
        return;
    }
    bool late = !first_stretch || wpg_map_get(&walk->local, condition, NULL);
    if (!wpg_map_get(&walk->known, condition, &number)) {
        wpg_select_condition made = {.block = site->block, .first = WPG_NO_COUNTER};
        if (!wpg_choose_select(walk->chooser, &made.yes, &made.no, site->block, late ? site->inst : NULL,
                               condition))
            count_in_place(walk, &made, site->inst, late);
        number = walk->conditions.count;
        walk->failed |=
            !wpg_vec_push(&walk->conditions, made) || !wpg_map_set(&walk->known, condition, number);
    }
    walk->condition_of[walk->at++] = (uint32_t)number;
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

bool wpg_plan_selects(wpg_chooser *chooser, wpg_select_plan *selects)
{
    wpg_plan *plan = chooser->plan;
    wpg_select_site *sites;
    site_walk walk = {.chooser = chooser, .plan = plan};
    selects->starts = WPG_ARENA_ARRAY(&plan->arena, wpg_select_starts, chooser->cfg->count);
    if (!selects->starts || wpg_select_sites(&sites, &walk.site_count, chooser->cfg, &plan->arena) != WPG_OK)
        return false;
    bool *pays;
    if (wpg_select_pays(&pays, sites, walk.site_count, plan->options->select_work, chooser->cfg,
                        &plan->arena) != WPG_OK)
        return false;
    walk.pays = pays;
    walk.sites = sites;
    walk.condition_of = WPG_ARENA_ARRAY(&plan->arena, uint32_t, walk.site_count);
    if (!walk.condition_of)
        return false;
    walk_function(&walk, chooser->cfg, selects->starts);
    selects->late = wpg_arena_memdup(&plan->arena, walk.points.data, walk.points.count * sizeof(wpg_point));
    selects->late_count = (uint32_t)walk.points.count;
    selects->site_count = walk.site_count;
    selects->condition_of = walk.condition_of;
    selects->conditions = wpg_arena_memdup(&plan->arena, walk.conditions.data,
                                           walk.conditions.count * sizeof(wpg_select_condition));
    wpg_map_free(&walk.local);
    wpg_map_free(&walk.known);
    wpg_vec_free(&walk.starts);
    wpg_vec_free(&walk.late);
    wpg_vec_free(&walk.points);
    wpg_vec_free(&walk.conditions);
    return !walk.failed && selects->late && selects->conditions;
}

bool wpg_side_terms(wpg_plan *plan, const wpg_function_plan *f, wpg_term_list terms[WPG_SELECT_COUNTERS],
                    uint32_t yes, uint32_t no, uint32_t block)
{
    wpg_term_list *rest = &terms[WPG_SELECT_LANES_FALSE];
    uint32_t all = f->tally_of[f->classes.class_of[block]];
    bool good = wpg_tally_terms(plan, f, &terms[WPG_SELECT_LANES_TRUE], yes, WPG_KIND_LANES, 1) &&
                wpg_tally_terms(plan, f, &terms[WPG_SELECT_WAVES_TRUE], yes, WPG_KIND_WAVES, 1) &&
                wpg_tally_terms(plan, f, &terms[WPG_SELECT_WAVES_FALSE], no, WPG_KIND_WAVES, 1);
    if (f->tallies[no].method == WPG_METHOD_MARK)
        return good && wpg_tally_terms(plan, f, rest, no, WPG_KIND_LANES, 1);
    return good && wpg_tally_terms(plan, f, rest, all, WPG_KIND_LANES, 1) &&
           wpg_tally_terms(plan, f, rest, yes, WPG_KIND_LANES, -1);
}

/* Four sums, one after the other. */
static uint32_t map_condition(wpg_plan *plan, const wpg_function_plan *f, const wpg_select_condition *made)
{
    wpg_term_list terms[WPG_SELECT_COUNTERS] = {0};
    uint32_t index = WPG_NO_COUNTER;
    bool good = wpg_side_terms(plan, f, terms, made->yes, made->no, made->block);
    for (unsigned i = 0; i < WPG_SELECT_COUNTERS; i++) {
        uint32_t sum = good ? wpg_plan_add_sum(plan, terms[i].data, terms[i].count) : WPG_NO_COUNTER;
        index = i == 0 ? sum : index;
        wpg_vec_free(&terms[i]);
    }
    plan->failed |= !good;
    return index;
}

wpg_status wpg_map_selects(wpg_plan *plan, const wpg_function_plan *f, const wpg_select_plan *selects,
                           wpg_function_counters *counters)
{
    counters->selects = WPG_ARENA_ARRAY(&plan->map->arena, uint32_t, selects->site_count);
    counters->select_count = selects->site_count;
    bool any = false;
    for (uint32_t i = 0; counters->selects && i < selects->site_count; i++) {
        counters->selects[i] = WPG_NO_COUNTER;
        if (selects->condition_of[i] == WPG_NO_COUNTER)
            continue;
        wpg_select_condition *made = &selects->conditions[selects->condition_of[i]];
        if (made->first == WPG_NO_COUNTER)
            made->first = map_condition(plan, f, made);
        counters->selects[i] = made->first;
        any = true;
    }
    if (counters->selects && !any) { /* not measured is absent */
        counters->selects = NULL;
        counters->select_count = 0;
        counters->kinds &= ~(uint32_t)WPG_KIND_SELECTS;
        return plan->failed ? WPG_E_NOMEM : WPG_OK;
    }
    return counters->selects && !plan->failed ? WPG_OK : WPG_E_NOMEM;
}
