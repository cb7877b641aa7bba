/* See first_trip.h.
 *
 *      for (i = start; i < bound; i += step)
 *          body
 *
 * What runs behind the way from the test into the body has passed the test in the same trip. Each way back to
 * the header comes through that way, too. So if the test fails in the second trip, the body runs in the first
 * one alone. Entered again from outside, the loop begins anew. */
#include "compiler/optimize/facts/first_trip.h"

#include "compiler/optimize/facts/induction.h"

/* The successor that stays in the loop, if nothing else leads there; else WPG_NO_BLOCK. */
static uint32_t stay_of(const wpg_view *view, const wpg_loop *loop, uint32_t test)
{
    const wpg_block *block = &view->cfg->blocks[test];
    for (uint32_t s = 0; s < block->successor_count; s++)
        if (loop->inside[block->successors[s]])
            return wpg_cfg_comes_only_from(view->cfg, test, block->successors[s]) ? block->successors[s]
                                                                                  : WPG_NO_BLOCK;
    return WPG_NO_BLOCK;
}

/* Does the test send the lanes of a second trip away? */
static bool leaves_second(const wpg_guard_plan *plan, const wpg_view *view, wpg_int_walk *bound)
{
    const wpg_inst *compare = plan->compare;
    for (unsigned at = 3; at <= 4; at++) {
        wpg_induction i;
        uint32_t limit, second;
        if (!wpg_read_induction(&i, view, &plan->loop, compare->words[at]) ||
            !wpg_int_value(&limit, bound, compare->words[7 - at], 0))
            continue;
        second = i.first + i.step;
        const bool holds =
            wpg_compare_ints((SpvOp)compare->opcode, at == 3 ? second : limit, at == 3 ? limit : second);
        return holds != plan->stays_on;
    }
    return false;
}

bool wpg_runs_in_first_trip(const wpg_view *view, uint32_t block, uint32_t counter, wpg_int_walk *bound)
{
    const wpg_cfg *cfg = view->cfg;
    const uint32_t header = counter < view->bound ? view->block_of[counter] : WPG_NO_BLOCK;
    wpg_guard_plan plan = {.pass = ""};
    wpg_induction own;
    if (header == WPG_NO_BLOCK || cfg->blocks[header].heads == WPG_NO_BLOCK ||
        !wpg_loop_describe(&plan.loop, view, cfg->blocks[header].heads) || plan.loop.header != header ||
        !wpg_read_induction(&own, view, &plan.loop, counter))
        return false;
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (!plan.loop.inside[b] || !wpg_read_loop_test(&plan, view, b))
            continue;
        const uint32_t stay = stay_of(view, &plan.loop, b);
        if (stay != WPG_NO_BLOCK && wpg_cfg_dominates(cfg, stay, block) &&
            wpg_cfg_dominates(cfg, stay, plan.loop.back_edge) && leaves_second(&plan, view, bound))
            return true;
    }
    return false;
}
