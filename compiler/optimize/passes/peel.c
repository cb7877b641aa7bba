/* Peeling ('e'): puts one trip of a hot loop before the loop. The loop has a condition that holds in the
 * first trip alone, or in all but the first. The condition is decided in the copy, and so in the loop:
 *
 *      for (i = 0; i < n; i++) {         =>    if (0 < n) { a; c; }
 *          if (i == 0) a; else b;              for (i = 1; i < n; i++) { b; c; }
 *          c;
 *      }
 *
 * Without peeling, drivers test in every trip. Or they make selects of both arms, and set up what only the
 * first trip needs. Mesa peels by itself where the condition is a phi of constants and stands first in the
 * loop. No driver here looks at counters. The profile says which loops run long. peel_facts.c proves what
 * holds in the first trip and in all others, so lanes of a wave never disagree in such a condition.
 * value_fold.c computes what becomes of both loops. loop_peel.c makes the copy. The copy runs with the lanes
 * that entered, and the lanes that go on meet again behind it, as they would in the second trip.
 *
 * A driver sees the first trip as straight code behind the code before the loop. There it knows starts that
 * are constants, and arithmetic meets that phis kept apart. So if the loop computes floats, every value that
 * its header's phis bring into the copy goes through an optimisation barrier (opt_barrier.h).
 *
 * Needs: values in SSA form, a profile with lanes. Legality: legality.h. Loops with barriers, derivatives or
 * subgroup work are left alone, as by unswitching. */
#include <stdio.h>

#include "compiler/analysis/values/divergence.h"
#include "compiler/optimize/facts/invariant.h"
#include "compiler/optimize/facts/peel_facts.h"
#include "compiler/optimize/loops/opt_barrier.h"
#include "compiler/optimize/passes/guard_walk.h"
#include "compiler/spirv/builder.h"

static const char PASS[] = "peel";

enum {
    TRIPS_AN_ENTRY = 4, /* least average further trips for each lane that enters */
    LEAST_COST = 16,    /* least cost (weighted instructions) of what falls away in each, as of unswitching */
    DEEPEST = 12,
};

/* -- What the profile says -- */

/* Runs it long enough? By its back edge, or, where that is a branch, by its header. */
static bool runs_long(const wpg_view *view, const wpg_function_profile *profile, const wpg_loop *loop,
                      uint64_t *entries)
{
    uint64_t trips;
    if (!wpg_loop_entries(entries, view, profile, loop) || !*entries)
        return false;
    if (view->cfg->blocks[loop->back_edge].successor_count == 1)
        return wpg_block_lanes(&trips, view, profile, loop->back_edge) && trips / *entries >= TRIPS_AN_ENTRY;
    return wpg_block_lanes(&trips, view, profile, loop->header) && trips / *entries > TRIPS_AN_ENTRY;
}

/* -- Legality -- */

/* Counts of trips that the application promises are no longer true of the loop that is left. */
static const char *control_refusal(const wpg_view *view, const wpg_loop *loop)
{
    unsigned promises = SpvLoopControlMinIterationsMask | SpvLoopControlMaxIterationsMask |
                        SpvLoopControlIterationMultipleMask;
    const wpg_inst *merge = view->cfg->blocks[loop->header].merge;
    if (!merge || merge->count < 4 || merge->words[3] & promises)
        return "the application promises how many trips it takes";
    if (merge->words[3] & SpvLoopControlUnrollMask && loop->traits & WPG_TRAIT_FLOAT)
        return "the application asks to unroll it: drivers may, by what stands in it";
    return NULL;
}

/* Made of constants alone? Drivers fold such. */
static bool is_constant(const wpg_view *view, uint32_t id, unsigned depth)
{
    const wpg_inst *inst = wpg_module_def(view->module, id);
    if (wpg_is_module_constant(view->module, id) || !inst || depth > DEEPEST)
        return true;
    unsigned traits = wpg_inst_traits(view->module, inst);
    if (!wpg_view_is_local(view, id))
        return inst->opcode == SpvOpUndef;
    if (inst->opcode == SpvOpPhi || !(traits & WPG_TRAIT_PURE) || (traits & WPG_TRAIT_READS))
        return inst->opcode == SpvOpUndef;
    wpg_operand_list operands = {0};
    bool all = wpg_used_ids(&operands, view->module, inst);
    for (size_t i = 0; all && i < operands.count; i++)
        all = is_constant(view, inst->words[operands.data[i]], depth + 1);
    wpg_vec_free(&operands);
    return all;
}

/* What drivers may know of the header's phis in copy and loop must be what they could before. Marks those
 * whose copies get optimisation barriers. */
static const char *header_refusal(const wpg_view *view, const wpg_loop *loop, const wpg_peel_facts *facts,
                                  bool *barriers)
{
    const wpg_block *header = &view->cfg->blocks[loop->header];
    if (!(loop->traits & WPG_TRAIT_FLOAT))
        return NULL;
    for (const wpg_inst *phi = header->label->next; phi != header->terminator; phi = phi->next) {
        if (phi->opcode != SpvOpPhi)
            continue;
        if (!wpg_opt_barrier_hides(view->module, phi->type))
            return "a value is carried from trip to trip that drivers cannot be kept from knowing in the "
                   "first";
        barriers[phi->result] = true;
        for (unsigned i = 3; i + 1 < phi->count; i += 2)
            if (phi->words[i + 1] == view->cfg->blocks[loop->back_edge].id &&
                facts->fact_of[phi->result] == WPG_NO_FACT && is_constant(view, phi->words[i], 0))
                return "a value is a constant after the first trip in a way that is not followed here";
    }
    return NULL;
}

/* Phis of the loop that lanes agree in; NULL when memory ran out. */
static const bool *even_phis(const wpg_guarder *g, const wpg_loop *loop, const wpg_divergence *divergence)
{
    bool *even = WPG_ARENA_ARRAY(g->arena, bool, g->view->bound);
    for (uint32_t id = 0; even && id < g->view->bound; id++) {
        uint32_t block = g->view->block_of[id];
        even[id] = block != WPG_NO_BLOCK && loop->members[block] &&
                   wpg_module_opcode_of(g->view->module, id) == SpvOpPhi &&
                   wpg_divergence_at(divergence, id, block) <= WPG_UNIFORM_SUBGROUP;
    }
    return even;
}

static bool any_barrier(const wpg_view *view, const wpg_value_fold *first, const wpg_value_fold *later)
{
    for (uint32_t id = 0; id < view->bound; id++)
        if (first->barriers[id] || later->barriers[id])
            return true;
    return false;
}

/* Nobody runs what only first trips need more often than the loop is entered; a profile that says so is of
 * something else. */
static const char *profile_refusal(const wpg_guarder *g, const wpg_value_fold *later, uint64_t entries)
{
    const wpg_cfg *cfg = g->view->cfg;
    for (uint32_t i = 0; i < later->fold_count; i++) {
        const wpg_block *block = &cfg->blocks[later->folds[i].block];
        for (uint32_t s = 0; s < block->successor_count; s++) {
            const wpg_block *way = &cfg->blocks[block->successors[s]];
            uint64_t lanes;
            if (way->predecessor_count == 1 && !later->live[block->successors[s]] &&
                wpg_block_lanes(&lanes, g->view, g->profile, block->successors[s]) && lanes > entries)
                return "a block of first trips ran more often than the loop was entered: the profile is not "
                       "of this loop";
        }
    }
    return NULL;
}

/* -- The plan -- */

static const char *copy_refusal(wpg_guarder *g, wpg_guard_plan *plan)
{
    const wpg_loop *loop = &plan->loop;
    if (loop->traits & WPG_TRAITS_FIXED) {
        snprintf(g->text, sizeof g->text, "it has %s", wpg_trait_name(loop->traits));
        return g->text;
    }
    const char *why =
        wpg_loop_copy_refusal(&plan->preheader, g->view, loop, &g->slices->exact, &g->slices->helper);
    if (!why)
        why = control_refusal(g->view, loop);
    return why ? why : wpg_peel_shape_refusal(g->view, loop);
}

/* The one block before the loop that leads to it; WPG_NO_BLOCK: there are others. */
static uint32_t preheader_of(const wpg_view *view, const wpg_loop *loop)
{
    const wpg_block *header = &view->cfg->blocks[loop->header];
    uint32_t before = WPG_NO_BLOCK;
    for (uint32_t p = 0; p < header->predecessor_count; p++) {
        if (loop->members[header->predecessors[p]])
            continue;
        if (before != WPG_NO_BLOCK)
            return WPG_NO_BLOCK;
        before = header->predecessors[p];
    }
    return before;
}

static const char *plan_loop(wpg_guarder *g, wpg_guard_plan *plan)
{
    const wpg_view *view = g->view;
    wpg_value_fold base = {.view = view, .profile = g->profile, .loop = &plan->loop, .arena = g->arena};
    wpg_peel_facts facts;
    uint32_t needed, before = preheader_of(view, &plan->loop);
    if (before == WPG_NO_BLOCK || !runs_long(view, g->profile, &plan->loop, &plan->entries) ||
        !wpg_peel_facts_find(&facts, &base, before) || !facts.of_later)
        return "";
    wpg_value_fold first = wpg_peel_folding(&facts, &base, false),
                   later = wpg_peel_folding(&facts, &base, true);
    if (!wpg_value_fold_find(&later, &needed) || !later.fold_count || !wpg_value_fold_find(&first, &needed))
        return "";
    const char *why = copy_refusal(g, plan), *of_later = wpg_value_fold_refusal(&later);
    if (!later.live || !later.barriers || later.dead_cost < LEAST_COST)
        return "";
    why = why ? why : of_later ? of_later : wpg_value_fold_refusal(&first);
    why = why ? why : profile_refusal(g, &later, plan->entries);
    why = why ? why : header_refusal(view, &plan->loop, &facts, first.barriers);
    if (why)
        return why;
    const wpg_divergence *divergence = wpg_guard_divergence(g);
    if (!divergence)
        return "";
    plan->varying = wpg_opt_barrier_source(&plan->agreed, view, plan->preheader, divergence);
    plan->even = even_phis(g, &plan->loop, divergence);
    if (!plan->varying && any_barrier(view, &first, &later))
        return "nothing before the loop keeps its values apart";
    plan->folds = first.folds;
    plan->fold_count = first.fold_count;
    plan->barriers = first.barriers;
    plan->rest_folds = later.folds;
    plan->rest_fold_count = later.fold_count;
    plan->rest_barriers = later.barriers;
    plan->live = first.live;
    plan->rest_live = later.live;
    plan->dead_cost = later.dead_cost;
    plan->unknown_by = PASS;
    return wpg_guard_size_refusal(g, plan->loop.instructions);
}

/* -- The pass -- */

/* Loops that the trip guard has dealt with have their first trip apart already. */
static bool is_dealt_with(const wpg_guarder *g, uint32_t header)
{
    uint64_t state = 0;
    return wpg_map_get(&g->profile->peeled, header, NULL) ||
           (wpg_map_get(&g->profile->guarded, header, &state) && state == WPG_LOOP_GUARDED);
}

static bool mark_seen(wpg_guarder *g, uint32_t header)
{
    return wpg_map_set(&g->profile->peeled, header, 1);
}

static void tell(wpg_guarder *g, const wpg_guard_plan *plan)
{
    snprintf(
        g->text, sizeof g->text,
        "first trip peeled; %u branches decided in it, %u in all further trips, cost %u falls away there; "
        "copy of %u instructions",
        plan->fold_count, plan->rest_fold_count, plan->dead_cost, plan->loop.instructions);
}

wpg_status wpg_pass_peel(bool *changed, wpg_context *context, wpg_function_profile *profile)
{
    static const wpg_guard_pass pass = {.name = PASS,
                                        .skips = is_dealt_with,
                                        .enters = mark_seen,
                                        .plan = plan_loop,
                                        .tell = tell,
                                        .apply = wpg_peel_apply};
    return profile->has_lanes ? wpg_guard_loops(changed, &pass, context, profile) : WPG_OK;
}

/* -- Whether it is worth a look -- */

/* Phis, and variables of the function, which are values later: the condition may hang on the trip alone. */
static bool is_of_the_trip(bool *holds, const wpg_view *view, const wpg_loop *loop, const wpg_inst *inst)
{
    (void)loop;
    if (inst->opcode != SpvOpPhi && inst->opcode != SpvOpLoad)
        return false;
    SpvStorageClass class =
        inst->opcode == SpvOpLoad ? wpg_pointer_class(view->module, inst->words[3]) : SpvStorageClassFunction;
    *holds = class == SpvStorageClassFunction || class == SpvStorageClassPrivate;
    return true;
}

/* An arm of some cost that no more lanes ran than came to the loop? */
static bool has_rare_arm(const wpg_view *view, const wpg_function_profile *profile, const wpg_block *block,
                         uint64_t entries)
{
    const wpg_cfg *cfg = view->cfg;
    for (uint32_t s = 0; s < block->successor_count; s++) {
        uint32_t arm = block->successors[s], cost = 0;
        uint64_t lanes;
        if (cfg->blocks[arm].predecessor_count != 1 || !wpg_block_lanes(&lanes, view, profile, arm) ||
            lanes > entries)
            continue;
        for (uint32_t b = 0; b < cfg->count && cost < LEAST_COST; b++)
            for (const wpg_inst *inst = cfg->blocks[b].label;
                 cfg->blocks[b].rpo != WPG_NO_BLOCK && wpg_cfg_dominates(cfg, arm, b) &&
                 inst != cfg->blocks[b].terminator;
                 inst = inst->next)
                cost += wpg_inst_cost(view->module, inst);
        if (cost >= LEAST_COST)
            return true;
    }
    return false;
}

static bool has_wanted_branch(const wpg_view *view, const wpg_function_profile *profile, const wpg_loop *loop)
{
    uint64_t entries;
    if (!runs_long(view, profile, loop, &entries))
        return false;
    for (uint32_t b = 0; b < view->cfg->count; b++) {
        const wpg_block *block = &view->cfg->blocks[b];
        if (loop->members[b] && block->rpo != WPG_NO_BLOCK && block->successor_count > 1 &&
            (!block->merge || block->merge->opcode != SpvOpLoopMerge) &&
            has_rare_arm(view, profile, block, entries) &&
            wpg_may_follow(view, loop, block->terminator->words[1], is_of_the_trip, 0))
            return true;
    }
    return false;
}

static bool loop_is_wanted(wpg_context *context, wpg_function_profile *profile, const wpg_view *view,
                           const wpg_loop *loop)
{
    if (!has_wanted_branch(view, profile, loop))
        return false;
    if (!(loop->traits & WPG_TRAITS_FIXED))
        return true;
    uint32_t header = view->cfg->blocks[loop->header].id;
    /* Said here, since the pass may not come to see it; when memory is short it is said twice. */
    if (wpg_map_set(&profile->peeled, header, 1)) {
        const wpg_block_weight *weight = wpg_profile_block(profile, header);
        uint32_t origin = weight ? weight->origin : loop->header;
        wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, profile->ordinal, origin,
                       "loop at block %u: refused: it has %s", origin, wpg_trait_name(loop->traits));
    }
    return false;
}

bool wpg_peel_wanted(wpg_context *context, wpg_function_profile *profile)
{
    return wpg_guard_any_loop(context, profile, loop_is_wanted);
}
