/* Value guard ('v'): a loop with branches on a value of uniform memory that was the same whenever the profile
 * was taken gets a copy in which those branches are decided:
 *
 *      for (...) switch (mode) { ... }    =>    if (mode == 3) for (...) switch (3) { ... }
 *                                               else           for (...) switch (mode) { ... }
 *
 * The guard is one test a loop, uniform for the whole draw or dispatch, on memory that nothing in the shader
 * can change; the copy is right for every value that passes it. This file decides; value_facts.c knows the
 * values, value_fold.c finds what follows from them, loop_clone.c makes the copy. Push constants are left to
 * variants, which need no guard. Outer loops come first: one guard for all that is inside. Needs: values in
 * SSA form, a profile with lanes and the values probe. Legality: legality.h; loops with barriers, derivatives
 * or subgroup work are left alone though the guard is uniform, as a wave's lanes need not enter them
 * together. */
#include "compiler/optimize/value_guard.h"

#include <stdio.h>

static const char PASS[] = "value-guard";

enum {
    COPY_SIZE = 4096,  /* most instructions of a copy */
    RUNS_AN_ENTRY = 4, /* least average runs of decided branches for each lane that enters */
    LEAST_COST = 4,    /* least cost of what falls away */
};

typedef struct guarder {
    wpg_context *context;
    wpg_function_profile *profile;
    wpg_view *view;
    wpg_arena *arena; /* of the current view's plans */
    const uint32_t *fact_of;
    wpg_id_set exact, helper;
    uint64_t grown; /* instructions added so far */
    char text[128]; /* of a refusal with figures */
} guarder;

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
static wpg_guard_test source_of(const guarder *g, const wpg_guard_plan *plan, uint32_t fact)
{
    const wpg_view *view = g->view;
    bool calls = wpg_loop_has_call_or_atomic(view, &plan->loop);
    bool plain = wpg_first_test_is_plain(view, &plan->loop);
    wpg_guard_test found = {.bits = g->profile->facts.data[fact].bits, .late = true};
    for (uint32_t id = 0; id < view->bound; id++) {
        uint32_t block = g->fact_of[id] == fact ? view->block_of[id] : WPG_NO_BLOCK;
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
static const char *tests_refusal(const guarder *g, wpg_guard_plan *plan, wpg_folder *folder)
{
    wpg_guard_test *tests = WPG_ARENA_ARRAY(g->arena, wpg_guard_test, WPG_MOST_TESTS);
    uint32_t needed, usable = 0, count = 0;
    if (!tests || !wpg_folder_find(folder, &needed))
        return "";
    if (!folder->folds.count)
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
    folder->facts = usable;
    if (!wpg_folder_find(folder, &needed))
        return "";
    if (!folder->folds.count)
        return "the value is loaded in a block that may not run: hoisting would speculate the load";
    plan->tests = tests;
    plan->folds = folder->folds.data;
    plan->fold_count = (uint32_t)folder->folds.count;
    for (uint32_t f = 0, t = 0; f < WPG_MOST_FACTS; f++) { /* tests of facts that decide something */
        if (!(usable >> f & 1))
            continue;
        if (needed >> f & 1)
            tests[plan->test_count++] = tests[t];
        t++;
    }
    folder->facts = needed;
    return NULL;
}

/* How many of 1000 entries take the copy, by the facts it goes by: at least. */
static void weigh(const guarder *g, wpg_guard_plan *plan, uint32_t facts)
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

static const char *worth_refusal(guarder *g, const wpg_guard_plan *plan, const wpg_folder *folder)
{
    uint64_t allowed = (uint64_t)g->view->instruction_count * g->context->options->max_growth / 100;
    uint32_t size = plan->loop.instructions;
    double share = (double)plan->takes[0] / (double)(plan->takes[0] + plan->takes[1]);
    if (!plan->entries || !folder->runs)
        return "it never ran";
    if (folder->runs / plan->entries < RUNS_AN_ENTRY) {
        snprintf(g->text, sizeof g->text, "branches it would decide ran %.1f times an entry: too few to pay",
                 (double)folder->runs / (double)plan->entries);
        return g->text;
    }
    if (folder->dead_cost < LEAST_COST)
        return "next to nothing would fall away";
    if (share < g->context->options->value_share) {
        snprintf(g->text, sizeof g->text, "all values together held for %.0f %% of waves", share * 100);
        return g->text;
    }
    if (size > COPY_SIZE || g->grown + size > allowed) {
        snprintf(g->text, sizeof g->text, "%u instructions: too large", size);
        return g->text;
    }
    return NULL;
}

/* NULL when the loop may be guarded as planned; the refusal otherwise. "" = no candidate, nothing to say. */
static const char *plan_loop(guarder *g, wpg_guard_plan *plan, wpg_folder *folder)
{
    uint32_t needed;
    if (!wpg_folder_find(folder, &needed) || !folder->folds.count)
        return "";
    if (plan->loop.traits & WPG_TRAITS_FIXED) {
        snprintf(g->text, sizeof g->text, "it has %s", wpg_trait_name(plan->loop.traits));
        return g->text;
    }
    const char *why = wpg_loop_copy_refusal(&plan->preheader, g->view, &plan->loop, &g->exact, &g->helper);
    if (!why)
        why = tests_refusal(g, plan, folder);
    if (!why && !wpg_loop_entries(&plan->entries, g->view, g->profile, &plan->loop))
        why = "its entries were not measured";
    if (!why)
        why = wpg_folder_refusal(folder);
    if (!why) {
        weigh(g, plan, folder->facts);
        why = worth_refusal(g, plan, folder);
    }
    plan->seams = folder->seams;
    plan->unknown_by = folder->dead_ran || plan->takes[1] ? PASS : NULL;
    return why;
}

static void describe(char text[80], const wpg_guard_plan *plan)
{
    size_t at = 0;
    for (uint32_t t = 0; t < plan->test_count && at < 64; t++)
        at += (size_t)snprintf(text + at, 80 - at, "%s%d", t ? ", " : "", (int)plan->tests[t].bits);
}

static wpg_status guard_loop(bool *done, guarder *g, wpg_guard_plan *plan, wpg_folder *folder)
{
    uint32_t header = g->view->cfg->blocks[plan->loop.header].id;
    const wpg_block_weight *weight = wpg_profile_block(g->profile, header);
    uint32_t origin = weight ? weight->origin : plan->loop.header;
    char values[80] = "";
    if (!wpg_map_set(&g->profile->valued, header, 1))
        return wpg_fail(g->context->err, WPG_E_NOMEM, "out of memory");
    const char *why = plan_loop(g, plan, folder);
    if (why) {
        if (*why)
            wpg_remark_add(g->context, WPG_REMARK_REFUSED, PASS, g->profile->ordinal, origin,
                           "loop at block %u: refused: %s", origin, why);
        return WPG_OK;
    }
    describe(values, plan);
    WPG_TRY(wpg_guard_apply(g->context, g->profile, g->view, plan));
    g->grown += plan->loop.instructions;
    *done = true;
    wpg_remark_add(
        g->context, WPG_REMARK_DONE, PASS, g->profile->ordinal, origin,
        "loop at block %u: guarded on %u value%s (%s); copy of %u instructions decides %u branches, "
        "cost %u falls away",
        origin, plan->test_count, plan->test_count == 1 ? "" : "s", values, plan->loop.instructions,
        plan->fold_count, folder->dead_cost);
    return WPG_OK;
}

/* Guards the outermost loop not dealt with yet, over a fresh view; *more = false when none is left. */
static wpg_status step(bool *more, bool *changed, guarder *g)
{
    wpg_error reason = {0};
    wpg_arena arena;
    bool done = false;
    *more = false;
    wpg_status status = wpg_view_create(&g->view, g->context->module, g->profile->function, &reason);
    if (status != WPG_OK)
        return status == WPG_E_NOMEM ? wpg_fail(g->context->err, status, "out of memory") : WPG_OK;
    wpg_arena_init(&arena);
    g->arena = &arena;
    g->fact_of = wpg_value_loads(g->view, g->profile, &arena);
    const wpg_cfg *cfg = g->view->cfg;
    for (uint32_t c = 0; c < cfg->construct_count && g->fact_of && !done && status == WPG_OK; c++) {
        wpg_guard_plan plan = {0};
        if (cfg->constructs[c].kind != WPG_CONSTRUCT_LOOP ||
            wpg_map_get(&g->profile->valued, cfg->blocks[cfg->constructs[c].header].id, NULL) ||
            !wpg_loop_describe(&plan.loop, g->view, c, &arena))
            continue;
        wpg_folder folder = {.view = g->view,
                             .profile = g->profile,
                             .loop = &plan.loop,
                             .fact_of = g->fact_of,
                             .facts = facts_worth(g->context, g->profile),
                             .arena = &arena};
        status = guard_loop(&done, g, &plan, &folder);
        wpg_vec_free(&folder.folds);
    }
    if (status == WPG_OK && arena.failed)
        status = wpg_fail(g->context->err, WPG_E_NOMEM, "out of memory");
    *more = done;
    *changed |= done;
    wpg_arena_finish(&arena);
    wpg_view_destroy(g->view);
    g->view = NULL;
    return status;
}

wpg_status wpg_pass_value_guard(bool *changed, wpg_context *context, wpg_function_profile *profile)
{
    if (!profile->has_lanes || !facts_worth(context, profile))
        return WPG_OK;
    guarder g = {.context = context, .profile = profile};
    WPG_TRY(wpg_exact_slice(&g.exact, context->module, context->err));
    wpg_status status = wpg_helper_slice(&g.helper, context->module, context->err);
    for (bool more = true; more && status == WPG_OK;)
        status = step(&more, changed, &g);
    wpg_id_set_free(&g.exact);
    wpg_id_set_free(&g.helper);
    return status;
}
