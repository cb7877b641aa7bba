/* See guard_walk.h. */
#include "compiler/optimize/passes/guard_walk.h"

#include <stdio.h>

enum { COPY_SIZE = 4096 }; /* most instructions of a copy */

uint32_t wpg_guard_origin(const wpg_guarder *g, uint32_t block)
{
    const wpg_block_weight *weight = wpg_profile_block(g->profile, g->view->cfg->blocks[block].id);
    return weight ? weight->origin : block;
}

const char *wpg_guard_size_refusal(wpg_guarder *g, uint32_t instructions)
{
    uint64_t allowed = (uint64_t)g->view->instruction_count * g->context->options->max_growth / 100;
    if (instructions <= COPY_SIZE && g->grown + instructions <= allowed)
        return NULL;
    snprintf(g->text, sizeof g->text, "%u instructions: too large", instructions);
    return g->text;
}

static wpg_status guard_loop(bool *done, const wpg_guard_pass *pass, wpg_guarder *g, wpg_guard_plan *plan)
{
    uint32_t header = g->view->cfg->blocks[plan->loop.header].id;
    uint32_t origin = wpg_guard_origin(g, plan->loop.header);
    if (!pass->enters(g, header))
        return wpg_fail(g->context->err, WPG_E_NOMEM, "out of memory");
    const char *why = pass->plan(g, plan);
    if (why) {
        if (*why)
            wpg_remark_add(g->context, WPG_REMARK_REFUSED, pass->name, g->profile->ordinal, origin,
                           "loop at block %u: refused: %s", origin, why);
        return WPG_OK;
    }
    pass->tell(g, plan);
    WPG_TRY((pass->apply ? pass->apply : wpg_guard_apply)(g->context, g->profile, g->view, plan));
    if (pass->leaves && !pass->leaves(g, header))
        return wpg_fail(g->context->err, WPG_E_NOMEM, "out of memory");
    g->grown += plan->loop.instructions;
    *done = true;
    wpg_remark_add(g->context, WPG_REMARK_DONE, pass->name, g->profile->ordinal, origin,
                   "loop at block %u: %s", origin, g->text);
    return WPG_OK;
}

/* Guards the first loop not dealt with yet, over a fresh view; *more = false when none is left. */
static wpg_status step(bool *more, const wpg_guard_pass *pass, wpg_guarder *g)
{
    wpg_error reason = {0};
    wpg_arena arena;
    *more = false;
    wpg_status status = wpg_view_get(&g->view, g->context, g->profile->function, &reason);
    if (status != WPG_OK)
        return status == WPG_E_NOMEM ? wpg_fail(g->context->err, status, "out of memory") : WPG_OK;
    wpg_arena_init(&arena);
    g->arena = &arena;
    if (pass->look && !pass->look(g))
        status = WPG_E_NOMEM;
    const wpg_cfg *cfg = g->view->cfg;
    for (uint32_t i = 0; i < cfg->construct_count && !*more && status == WPG_OK; i++) {
        uint32_t c = pass->inner_first ? cfg->construct_count - 1 - i : i; /* outer before inner */
        wpg_guard_plan plan = {.pass = pass->name};
        if (cfg->constructs[c].kind != WPG_CONSTRUCT_LOOP ||
            pass->skips(g, cfg->blocks[cfg->constructs[c].header].id) ||
            !wpg_loop_describe(&plan.loop, g->view, c))
            continue;
        status = guard_loop(more, pass, g, &plan);
    }
    if (status == WPG_E_NOMEM || (status == WPG_OK && arena.failed))
        status = wpg_fail(g->context->err, WPG_E_NOMEM, "out of memory");
    wpg_arena_finish(&arena);
    if (*more)
        wpg_analyses_drop(g->context);
    g->view = NULL;
    return status;
}

wpg_status wpg_guard_loops(bool *changed, const wpg_guard_pass *pass, wpg_context *context,
                           wpg_function_profile *profile)
{
    wpg_guarder g = {.context = context, .profile = profile};
    wpg_status status = wpg_slices_get(&g.slices, context);
    for (bool more = true; more && status == WPG_OK;) {
        status = step(&more, pass, &g);
        *changed |= more;
    }
    return status;
}

const wpg_divergence *wpg_guard_divergence(wpg_guarder *g)
{
    const wpg_divergence *divergence = wpg_view_divergence(g->view);
    if (!divergence)
        g->arena->failed = 1;
    return divergence;
}

bool wpg_guard_any_loop(wpg_context *context, wpg_function_profile *profile, wpg_loop_wish *wanted)
{
    wpg_view *view;
    if (!profile->has_lanes || wpg_view_get(&view, context, profile->function, &(wpg_error){0}) != WPG_OK)
        return false;
    bool any = false;
    for (uint32_t c = 0; c < view->cfg->construct_count && !any; c++) {
        wpg_loop loop;
        any = wpg_loop_describe(&loop, view, c) && wanted(context, profile, view, &loop);
    }
    return any;
}
