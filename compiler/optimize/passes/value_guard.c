/* Value guard ('v'): versions a loop on a value of uniform memory. The loop branches on the value, and the
 * value was the same throughout the profile. The copy has those branches decided:
 *
 *      for (...) switch (mode) { ... }    =>    if (mode == 3) for (...) switch (3) { ... }
 *                                               else           for (...) switch (mode) { ... }
 *
 * The guard is one test a loop, uniform for the whole draw or dispatch, on memory that nothing in the shader
 * can change. The copy is right for every value that passes the test. This file decides; value_facts.c has
 * the values, value_fold.c finds what follows from them, loop_clone.c makes the copy. Push constants are left
 * to variants, which need no guard. Outer loops come first: one guard serves all loops inside. Needs: values
 * in SSA form, a profile with lanes and the values probe. Legality: legality.h. Loops with barriers,
 * derivatives or subgroup work are left alone. The guard is uniform, but a wave's lanes need not enter such a
 * loop together. */
#include "compiler/optimize/facts/value_fold.h"

#include <stdio.h>

#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/passes/guard_walk.h"
#include "runtime/base/text.h"

static const char PASS[] = "value-guard";

enum {
    RUNS_AN_ENTRY = 4, /* least average runs of decided branches for each lane that enters */
    LEAST_COST = 4,    /* least cost of what falls away */
};

/* By fact: what the value was. NULL when memory ran out. */
static const uint32_t *fact_bits(const wpg_guarder *g)
{
    uint32_t *bits = WPG_ARENA_ARRAY(g->arena, uint32_t, WPG_MOST_FACTS);
    for (uint32_t f = 0; bits && f < g->profile->facts.count && f < WPG_MOST_FACTS; f++)
        bits[f] = g->profile->facts.data[f].bits;
    return bits;
}

/* Facts that hold often enough, as a mask. */
static uint32_t facts_worth(const wpg_context *context, const wpg_function_profile *profile)
{
    uint32_t mask = 0;
    for (uint32_t f = 0; f < profile->facts.count && f < WPG_MOST_FACTS; f++)
        if (wpg_value_fact_share(&profile->facts.data[f]) >= context->options->value_share)
            mask |= UINT32_C(1) << f;
    return mask;
}

bool wpg_value_guard_wanted(wpg_context *context, wpg_function_profile *profile)
{
    uint32_t worth = facts_worth(context, profile);
    for (uint32_t f = 0; f < profile->facts.count && f < WPG_MOST_FACTS; f++) {
        const wpg_value_fact *fact = &profile->facts.data[f];
        if (!(worth >> f & 1))
            wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, profile->ordinal, fact->origin,
                           "value in block %u: refused: its commonest value, %d, was seen by %llu of %llu "
                           "waves",
                           fact->origin, (int)fact->bits, (unsigned long long)fact->waves,
                           (unsigned long long)fact->asked);
    }
    return profile->has_lanes && worth;
}

/* A load of the fact's place that the guard can use: done before the loop, or by everyone who enters it, or
 * by everyone who passes its first test (late). 0 where there is none. */
static wpg_guard_test source_of(const wpg_guarder *g, const wpg_guard_plan *plan, uint32_t fact)
{
    const wpg_view *view = g->view;
    const uint32_t *fact_of = g->facts;
    bool calls = wpg_loop_has_call_or_atomic(view, &plan->loop);
    bool plain = wpg_first_test_is_plain(view, &plan->loop);
    wpg_guard_test found = {.bits = g->profile->facts.data[fact].bits, .late = true};
    for (uint32_t id = 0; id < view->bound; id++) {
        uint32_t block = fact_of[id] == fact ? view->block_of[id] : WPG_NO_BLOCK;
        if (block == WPG_NO_BLOCK || view->cfg->blocks[block].rpo == WPG_NO_BLOCK)
            continue;
        bool inside = plan->loop.members[block];
        if (inside ? !calls && wpg_block_surely_runs(view, &plan->loop, block)
                   : wpg_cfg_dominates(view->cfg, block, plan->preheader)) {
            found.value = id;
            found.late = false;
            return found;
        }
        if (inside && !calls && plain && !found.value && wpg_block_surely_runs_late(view, &plan->loop, block))
            found.value = id;
    }
    return found;
}

/* Finds the branches that facts with a usable load decide, and makes the tests of the guard. */
static const char *tests_refusal(const wpg_guarder *g, wpg_guard_plan *plan, wpg_value_fold *folding)
{
    wpg_guard_test *tests = WPG_ARENA_ARRAY(g->arena, wpg_guard_test, WPG_MOST_TESTS);
    uint32_t needed, usable = 0, count = 0;
    if (!tests || !wpg_value_fold_find(folding, &needed))
        return "";
    if (!folding->fold_count)
        return "";
    for (uint32_t f = 0; f < WPG_MOST_FACTS; f++) {
        wpg_guard_test test = {0};
        if (needed >> f & 1 && count < WPG_MOST_TESTS)
            test = source_of(g, plan, f);
        if (!test.value)
            continue;
        tests[count++] = test;
        usable |= UINT32_C(1) << f;
    }
    folding->facts = usable;
    if (!wpg_value_fold_find(folding, &needed))
        return "";
    if (!folding->fold_count)
        return "the value is loaded in a block that may not run: hoisting would speculate the load";
    plan->tests = tests;
    plan->folds = folding->folds;
    plan->fold_count = folding->fold_count;
    for (uint32_t f = 0, t = 0; f < WPG_MOST_FACTS; f++) { /* tests of facts that decide something */
        if (!(usable >> f & 1))
            continue;
        if (needed >> f & 1)
            tests[plan->test_count++] = tests[t];
        t++;
    }
    folding->facts = needed;
    return NULL;
}

/* How many of 1000 entries take the copy, by the facts it goes by: at least. */
static void weigh(const wpg_guarder *g, wpg_guard_plan *plan, uint32_t facts)
{
    double other = 0;
    const wpg_value_fact *least = NULL;
    for (uint32_t f = 0; f < g->profile->facts.count && f < WPG_MOST_FACTS; f++) {
        const wpg_value_fact *fact = &g->profile->facts.data[f];
        if (!(facts >> f & 1))
            continue;
        other += 1 - wpg_value_fact_share(fact);
        least = !least || fact->asked < least->asked ? fact : least;
    }
    double asked = least ? (double)least->asked : 1;
    plan->takes[1] = other >= 1 ? (uint64_t)asked : (uint64_t)(asked * other + 0.5);
    plan->takes[0] = (uint64_t)asked - (plan->takes[1] > (uint64_t)asked ? (uint64_t)asked : plan->takes[1]);
}

static const char *worth_refusal(wpg_guarder *g, const wpg_guard_plan *plan, const wpg_value_fold *folding)
{
    double share = (double)plan->takes[0] / (double)(plan->takes[0] + plan->takes[1]);
    if (!plan->entries || !folding->runs)
        return "it never ran";
    if (folding->runs / plan->entries < RUNS_AN_ENTRY) {
        wpg_format(g->text, sizeof g->text,
                   "branches it would decide ran %.1f times an entry: too few to pay",
                   (double)folding->runs / (double)plan->entries);
        return g->text;
    }
    if (folding->dead_cost < LEAST_COST)
        return "next to nothing would fall away";
    if (share < g->context->options->value_share) {
        wpg_format(g->text, sizeof g->text, "all values together held for %.0f %% of waves", share * 100);
        return g->text;
    }
    return wpg_guard_size_refusal(g, plan->loop.instructions);
}

/* A test that fails says of the original that the value is another: what drivers may make of that. */
static const char *rest_refusal(wpg_guard_plan *plan, const wpg_value_fold *folding)
{
    wpg_value_fold rest = *folding;
    uint32_t needed;
    rest.folds = NULL;
    rest.excluded = folding->facts;
    rest.facts = 0;
    if (!wpg_value_fold_find(&rest, &needed))
        return "";
    const char *why = wpg_value_fold_refusal(&rest);
    plan->rest_folds = rest.folds;
    plan->rest_fold_count = rest.fold_count;
    plan->rest_barriers = rest.barriers;
    return why;
}

/* NULL when the loop may be guarded as planned; the refusal otherwise. "" = no candidate, nothing to say. */
static const char *plan_loop(wpg_guarder *g, wpg_guard_plan *plan, wpg_value_fold *folding)
{
    uint32_t needed;
    if (!wpg_value_fold_find(folding, &needed) || !folding->fold_count)
        return "";
    if (plan->loop.traits & WPG_TRAITS_FIXED) {
        snprintf(g->text, sizeof g->text, "it has %s", wpg_trait_name(plan->loop.traits));
        return g->text;
    }
    const char *why =
        wpg_loop_copy_refusal(&plan->preheader, g->view, &plan->loop, &g->slices->exact, &g->slices->helper);
    if (!why)
        why = tests_refusal(g, plan, folding);
    if (!why && !wpg_loop_entries(&plan->entries, g->view, g->profile, &plan->loop))
        why = "its entries were not measured";
    if (!why)
        why = wpg_value_fold_refusal(folding);
    if (!why) {
        weigh(g, plan, folding->facts);
        why = worth_refusal(g, plan, folding);
    }
    if (!why && plan->test_count == 1)
        why = rest_refusal(plan, folding);
    plan->barriers = folding->barriers;
    plan->dead_cost = folding->dead_cost;
    plan->unknown_by = folding->dead_ran || plan->takes[1] ? PASS : NULL;
    return why;
}

static const char *plan_guard(wpg_guarder *g, wpg_guard_plan *plan)
{
    wpg_value_fold folding = {.view = g->view,
                              .profile = g->profile,
                              .loop = &plan->loop,
                              .fact_of = g->facts,
                              .bits = fact_bits(g),
                              .facts = facts_worth(g->context, g->profile),
                              .arena = g->arena};
    return folding.bits ? plan_loop(g, plan, &folding) : "";
}

static bool look(wpg_guarder *g)
{
    g->facts = wpg_value_loads(g->view, g->profile, g->arena); /* by id: its fact */
    return g->facts != NULL;
}

static bool is_dealt_with(const wpg_guarder *g, uint32_t header)
{
    return wpg_map_get(&g->profile->valued, header, NULL);
}

static bool mark_seen(wpg_guarder *g, uint32_t header)
{
    return wpg_map_set(&g->profile->valued, header, 1);
}

static void tell(wpg_guarder *g, const wpg_guard_plan *plan)
{
    char values[80] = "";
    for (uint32_t t = 0, at = 0; t < plan->test_count && at < 64; t++)
        at += (uint32_t)snprintf(values + at, sizeof values - at, "%s%d", t ? ", " : "",
                                 (int)plan->tests[t].bits);
    snprintf(g->text, sizeof g->text,
             "guarded on %u value%s (%.40s); copy of %u instructions decides %u branches, cost %u falls away",
             plan->test_count, plan->test_count == 1 ? "" : "s", values, plan->loop.instructions,
             plan->fold_count, plan->dead_cost);
}

wpg_status wpg_pass_value_guard(bool *changed, wpg_context *context, wpg_function_profile *profile)
{
    static const wpg_guard_pass pass = {.name = PASS,
                                        .skips = is_dealt_with,
                                        .enters = mark_seen,
                                        .look = look,
                                        .plan = plan_guard,
                                        .tell = tell};
    return profile->has_lanes && facts_worth(context, profile)
               ? wpg_guard_loops(changed, &pass, context, profile)
               : WPG_OK;
}
