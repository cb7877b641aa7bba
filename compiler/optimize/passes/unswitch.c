/* Unswitching ('l'): copies a hot loop that has a condition which is the same in all its trips. The condition
 * is decided in the copy, and so in the original:
 *
 *      for (...) if (c) a; else b;          =>    if (c) for (...) a; else for (...) b;
 *      for (...) switch (s) { ... }         =>    if (s == hot) for (...) switch (hot) { ... }
 *                                                 else          for (...) switch (s) { ... }
 *
 * Compilers do this without a profile where it is cheap. A profile tells which loops run long, which side
 * runs, and whether the lanes of a wave agree. The outermost loop in which the condition is invariant comes
 * first. A loop is copied for three conditions at most, the most profitable first. This file decides.
 * invariant.c finds invariant conditions and what drivers conclude from them, value_fold.c what becomes of
 * the loop. loop_clone.c makes the copy. Needs: values in SSA form, a profile with lanes; with waves if lanes
 * may differ in the condition. Legality: legality.h. Loops with barriers, derivatives or subgroup work are
 * left alone, as by the value guard. Both loops are right for every input. Source: F. E. Allen, J. Cocke, "A
 * Catalogue of Optimizing Transformations" (1971), "unswitching". */
#include <stdio.h>
#include <string.h>

#include "compiler/analysis/values/divergence.h"
#include "compiler/optimize/facts/invariant.h"
#include "compiler/optimize/loops/opt_barrier.h"
#include "compiler/optimize/passes/guard_walk.h"
#include "runtime/base/text.h"

static const char PASS[] = "unswitch";

enum {
    MOST_CONDITIONS = 3, /* decided around one loop: eight copies */
    RUNS_AN_ENTRY = 4,   /* least average runs of the branch for each lane that enters */
    LEAST_COST = 16,     /* least average cost (weighted instructions) of what falls away a run: measured on
                            lavapipe 25.0.7, cheap arms gain 5 %, which is not worth a copy */
    SEEN = 1 << 8,       /* in profile->unswitched, beside the number of conditions decided */
};

/* A branch that might be decided, and what the profile says of it. */
typedef struct candidate {
    uint32_t block, value; /* the condition or selector */
    uint32_t bits;         /* hot: what the copy is for */
    bool is_switch, late;
    uint64_t runs, hot; /* lanes at the branch; of these, of the copy */
} candidate;

/* -- What the profile says -- */

/* Counts of the block as measured, or as this pass guesses; NULL: not known. */
static const wpg_block_weight *weight_of(const wpg_view *view, const wpg_function_profile *profile,
                                         uint32_t block)
{
    const wpg_block_weight *weight = wpg_profile_block(profile, view->cfg->blocks[block].id);
    return weight && (!weight->unknown_by || weight->unknown_by == PASS) ? weight : NULL;
}

static bool entries_of(uint64_t *entries, const wpg_view *view, const wpg_function_profile *profile,
                       const wpg_loop *loop)
{
    if (wpg_loop_entries(entries, view, profile, loop))
        return true;
    const wpg_block *header = &view->cfg->blocks[loop->header];
    for (uint32_t p = 0; p < header->predecessor_count; p++) {
        uint32_t from = header->predecessors[p];
        const wpg_block_weight *weight = weight_of(view, profile, from);
        if (loop->members[from])
            continue;
        *entries = weight ? weight->lanes : 0;
        return weight && view->cfg->blocks[from].successor_count == 1;
    }
    return false;
}

/* Counts of a way that only this branch leads to. */
static const wpg_block_weight *way_of(uint32_t *way, const wpg_view *view,
                                      const wpg_function_profile *profile, uint32_t label)
{
    *way = wpg_cfg_find(view->cfg, label);
    if (*way == WPG_NO_BLOCK || view->cfg->blocks[*way].predecessor_count != 1)
        return NULL;
    return weight_of(view, profile, *way);
}

/* Which side is hot, and how hot; false where that was not measured. */
static bool measure_branch(candidate *c, const wpg_view *view, const wpg_function_profile *profile)
{
    const wpg_inst *end = view->cfg->blocks[c->block].terminator;
    const wpg_block_weight *own = weight_of(view, profile, c->block), *ways[2];
    uint32_t way;
    if (!own)
        return false;
    c->runs = own->lanes;
    ways[0] = way_of(&way, view, profile, end->words[3]);
    ways[1] = way_of(&way, view, profile, end->words[2]);
    if (!ways[0] && !ways[1])
        return false;
    uint64_t holds =
        ways[1] ? ways[1]->lanes : c->runs - (ways[0]->lanes < c->runs ? ways[0]->lanes : c->runs);
    holds = holds < c->runs ? holds : c->runs;
    c->bits = holds >= c->runs - holds;
    c->hot = c->bits ? holds : c->runs - holds;
    return true;
}

/* The hottest case with a block of its own. */
static bool measure_switch(candidate *c, const wpg_view *view, const wpg_function_profile *profile)
{
    const wpg_inst *end = view->cfg->blocks[c->block].terminator;
    const wpg_block_weight *own = weight_of(view, profile, c->block);
    bool found = false;
    if (!own)
        return false;
    c->runs = own->lanes;
    for (unsigned i = 3; i + 1 < end->count; i += 2) {
        uint32_t way;
        const wpg_block_weight *weight = way_of(&way, view, profile, end->words[i + 1]);
        bool shared = end->words[2] == end->words[i + 1];
        for (unsigned j = 3; j + 1 < end->count; j += 2)
            shared |= j != i && end->words[j + 1] == end->words[i + 1];
        if (!weight || shared || weight->lanes <= c->hot)
            continue;
        found = true;
        c->hot = weight->lanes < c->runs ? weight->lanes : c->runs;
        c->bits = end->words[i];
    }
    return found;
}

/* Waves in which lanes went both ways, at most; false if that was not measured. */
static bool waves_apart(uint64_t *apart, const wpg_view *view, const wpg_function_profile *profile,
                        const candidate *c)
{
    const wpg_block *block = &view->cfg->blocks[c->block];
    const wpg_block_weight *own = weight_of(view, profile, c->block);
    bool told = false;
    if (!profile->has_waves || !own)
        return false;
    *apart = own->waves;
    for (uint32_t s = 0; s < block->successor_count; s++) {
        uint32_t way;
        const wpg_block_weight *arm = way_of(&way, view, profile, view->cfg->blocks[block->successors[s]].id);
        if (!arm)
            continue;
        /* A wave that is whole in the arm has no lanes elsewhere. */
        uint64_t most = arm->waves;
        if (profile->has_uniform && arm->uniform_known)
            most -= arm->uniform < most ? arm->uniform : most;
        if (!arm->lanes || arm->lanes == own->lanes)
            most = 0;
        *apart = most < *apart ? most : *apart;
        told = true;
    }
    return told;
}

/* -- The choice -- */

static bool may_be_candidate(candidate *c, const wpg_view *view, const wpg_loop *loop, uint32_t b)
{
    const wpg_inst *end = view->cfg->blocks[b].terminator;
    bool is_switch = end->opcode == SpvOpSwitch;
    *c = (candidate){.block = b, .is_switch = is_switch};
    if (!loop->members[b] || view->cfg->blocks[b].successor_count < 2 ||
        (!is_switch && end->opcode != SpvOpBranchConditional))
        return false;
    c->value = end->words[1];
    const wpg_inst *value = wpg_module_def(view->module, c->value);
    const wpg_inst *type = value ? wpg_module_def(view->module, value->type) : NULL;
    return type && (!is_switch || (type->opcode == SpvOpTypeInt && type->words[2] == 32));
}

static const char *lanes_refusal(wpg_guarder *g, const wpg_guard_plan *plan, const candidate *c)
{
    const wpg_block_weight *own = weight_of(g->view, g->profile, c->block);
    const bool has_order = wpg_loop_has_call_or_atomic(g->view, &plan->loop);
    uint64_t apart = 0;
    const bool measured = waves_apart(&apart, g->view, g->profile, c);
    /* One side after the other, where they went together. The analysis is dear, and asked last. */
    if (!has_order && measured &&
        (double)apart <= (double)own->waves * (1 - g->context->options->uniform_share))
        return NULL;
    const wpg_divergence *divergence = wpg_guard_divergence(g);
    if (!divergence)
        return "";
    if (wpg_divergence_at(divergence, c->value, c->block) <= WPG_UNIFORM_SUBGROUP)
        return NULL;
    if (has_order)
        return "lanes may differ in the condition: their calls or atomics would come in another order";
    if (!measured)
        return "lanes may differ in the condition, and how often they do was not measured";
    snprintf(g->text, sizeof g->text, "lanes may differ in the condition in %llu of %llu waves",
             (unsigned long long)apart, (unsigned long long)own->waves);
    return g->text;
}

/* What becomes of the copy (excluded: of the original). */
static const char *side_refusal(wpg_value_fold *folding, wpg_guarder *g, const wpg_guard_plan *plan,
                                const candidate *c, bool excluded)
{
    wpg_knowledge k;
    uint32_t needed, *bits = WPG_ARENA_ARRAY(g->arena, uint32_t, WPG_MOST_FACTS);
    if (!bits || !wpg_knowledge_init(&k, g->view, g->arena))
        return "";
    wpg_know(&k, c->value, c->bits, excluded);
    if (k.overflows)
        return "the condition is put together of too many";
    memcpy(bits, k.bits, sizeof k.bits);
    *folding = (wpg_value_fold){.view = g->view,
                                .profile = g->profile,
                                .loop = &plan->loop,
                                .fact_of = k.fact_of,
                                .bits = bits,
                                .facts = k.facts,
                                .excluded = k.excluded,
                                .vague = k.vague,
                                .arena = g->arena};
    return wpg_value_fold_find(folding, &needed) ? wpg_value_fold_refusal(folding) : "";
}

static bool any_barrier(const wpg_guard_plan *plan, const wpg_view *view)
{
    for (uint32_t id = 0; id < view->bound; id++)
        if (plan->barriers[id] || plan->rest_barriers[id])
            return true;
    return false;
}

/* Plans for one branch; *saved is what falls away, by lanes. NULL, or why not; "" = none to speak of. */
static const char *plan_branch(double *saved, wpg_guarder *g, wpg_guard_plan *plan, candidate *c)
{
    wpg_value_fold copy, rest;
    const char *why = wpg_invariant_refusal(&c->late, g->view, &plan->loop, c->value);
    if (why)
        return why;
    if (!(c->is_switch ? measure_switch : measure_branch)(c, g->view, g->profile))
        return "its ways were not measured";
    if (!c->runs || !plan->entries || c->runs / plan->entries < RUNS_AN_ENTRY)
        return "";
    why = lanes_refusal(g, plan, c);
    if (!why)
        why = side_refusal(&copy, g, plan, c, false);
    if (!why)
        why = side_refusal(&rest, g, plan, c, true);
    if (why)
        return why;
    if (!copy.live[c->block]) /* decided already, by what stands around it */
        return "";
    double share = (double)c->hot / (double)c->runs,
           cost = share * copy.dead_cost + (1 - share) * rest.dead_cost;
    if (cost < (double)LEAST_COST)
        return "";
    wpg_guard_test *test = WPG_ARENA_ARRAY(g->arena, wpg_guard_test, 1);
    if (!test)
        return "";
    *test = (wpg_guard_test){.value = c->value, .bits = c->bits, .late = c->late};
    *saved = cost * (double)c->runs;
    plan->tests = test;
    plan->test_count = 1;
    plan->folds = copy.folds;
    plan->fold_count = copy.fold_count;
    plan->barriers = copy.barriers;
    plan->rest_folds = rest.folds;
    plan->rest_fold_count = rest.fold_count;
    plan->rest_barriers = rest.barriers;
    plan->live = copy.live;
    plan->rest_live = rest.live;
    plan->dead_cost = (uint32_t)(cost + 0.5);
    plan->takes[0] = c->hot;
    plan->takes[1] = c->runs - c->hot;
    plan->unknown_by = copy.dead_ran || plan->takes[1] ? PASS : NULL;
    const wpg_divergence *divergence = wpg_guard_divergence(g);
    if (!divergence)
        return "";
    plan->varying = wpg_opt_barrier_source(NULL, g->view, plan->preheader, divergence);
    return !plan->varying && any_barrier(plan, g->view) ? "nothing before the loop keeps its values apart"
                                                        : NULL;
}

static uint32_t decided_around(const wpg_guarder *g, uint32_t header)
{
    uint64_t state = 0;
    wpg_map_get(&g->profile->unswitched, header, &state);
    return (uint32_t)state & (SEEN - 1);
}

/* NULL when the loop is to be copied as planned; the refusal otherwise. "" = no candidate, nothing to say. */
static const char *plan_loop(wpg_guarder *g, wpg_guard_plan *plan)
{
    const wpg_view *view = g->view;
    wpg_guard_plan best = *plan;
    const char *said = "";
    double most = 0;
    char text[sizeof g->text];
    plan->decided = decided_around(g, view->cfg->blocks[plan->loop.header].id) + 1;
    if (plan->decided > MOST_CONDITIONS || !entries_of(&plan->entries, view, g->profile, &plan->loop))
        return "";
    bool asked = false;
    const char *shape = NULL;
    for (uint32_t b = 0; b < view->cfg->count; b++) {
        candidate c;
        bool late;
        double saved = 0;
        if (!may_be_candidate(&c, view, &plan->loop, b))
            continue;
        const char *why = wpg_invariant_refusal(&late, view, &plan->loop, c.value);
        if (why && !*why)
            continue;
        if (!asked) { /* once, and only where a branch asks for it */
            asked = true;
            shape = wpg_loop_copy_refusal(&plan->preheader, view, &plan->loop, &g->slices->exact,
                                          &g->slices->helper);
        }
        wpg_guard_plan one = *plan;
        if (shape)
            why = shape;
        else if (!why)
            why = plan_branch(&saved, g, &one, &c);
        if (why && *why && !*said) { /* the first is told */
            snprintf(text, sizeof text, "%s", why);
            said = text;
        }
        if (!why && saved > most) {
            most = saved;
            best = one;
        }
    }
    if (most > 0 && (plan->loop.traits & WPG_TRAITS_FIXED)) {
        snprintf(g->text, sizeof g->text, "it has %s", wpg_trait_name(plan->loop.traits));
        return g->text;
    }
    if (most > 0) {
        *plan = best;
        return wpg_guard_size_refusal(g, plan->loop.instructions);
    }
    if (!*said)
        return "";
    memcpy(g->text, text, sizeof text);
    return g->text;
}

/* -- The pass -- */

static bool is_dealt_with(const wpg_guarder *g, uint32_t header)
{
    uint64_t state = 0;
    return wpg_map_get(&g->profile->unswitched, header, &state) && (state & SEEN);
}

static bool mark_seen(wpg_guarder *g, uint32_t header)
{
    return wpg_map_set(&g->profile->unswitched, header, decided_around(g, header) | SEEN);
}

static void tell(wpg_guarder *g, const wpg_guard_plan *plan)
{
    uint64_t all = plan->takes[0] + plan->takes[1];
    wpg_format(
        g->text, sizeof g->text,
        "unswitched%s; copy of %u instructions decides %u branches for %.0f %% of lanes, cost %u falls away",
        plan->decided > 1 ? " again" : "", plan->loop.instructions, plan->fold_count,
        all ? 100.0 * (double)plan->takes[0] / (double)all : 0.0, plan->dead_cost);
}

wpg_status wpg_pass_unswitch(bool *changed, wpg_context *context, wpg_function_profile *profile)
{
    static const wpg_guard_pass pass = {
        .name = PASS, .skips = is_dealt_with, .enters = mark_seen, .plan = plan_loop, .tell = tell};
    return profile->has_lanes ? wpg_guard_loops(changed, &pass, context, profile) : WPG_OK;
}

/* -- Whether it is worth a look -- */

static uint32_t cost_of_way(const wpg_view *view, uint32_t way)
{
    uint32_t cost = 0;
    if (way == WPG_NO_BLOCK || view->cfg->blocks[way].predecessor_count != 1)
        return 0;
    for (uint32_t b = 0; b < view->cfg->count; b++) {
        const wpg_block *block = &view->cfg->blocks[b];
        if (block->rpo == WPG_NO_BLOCK || !wpg_cfg_dominates(view->cfg, way, b))
            continue;
        for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next)
            cost += wpg_inst_cost(view->module, inst);
    }
    return cost;
}

static bool branch_is_wanted(const wpg_view *view, const wpg_function_profile *profile, const wpg_loop *loop,
                             uint64_t entries, uint32_t b)
{
    candidate c;
    uint32_t cost = 0;
    if (!may_be_candidate(&c, view, loop, b) ||
        !(c.is_switch ? measure_switch : measure_branch)(&c, view, profile) || !c.runs || !entries ||
        c.runs / entries < RUNS_AN_ENTRY)
        return false;
    for (uint32_t s = 0; s < view->cfg->blocks[b].successor_count; s++)
        cost += cost_of_way(view, view->cfg->blocks[b].successors[s]);
    return cost >= LEAST_COST && wpg_may_be_invariant(view, loop, c.value);
}

static bool loop_is_wanted(wpg_context *context, wpg_function_profile *profile, const wpg_view *view,
                           const wpg_loop *loop)
{
    uint64_t entries;
    bool wanted = false;
    (void)context;
    if (!entries_of(&entries, view, profile, loop))
        return false;
    for (uint32_t b = 0; b < view->cfg->count && !wanted; b++)
        wanted = branch_is_wanted(view, profile, loop, entries, b);
    return wanted;
}

bool wpg_unswitch_wanted(wpg_context *context, wpg_function_profile *profile)
{
    return wpg_guard_any_loop(context, profile, loop_is_wanted);
}
