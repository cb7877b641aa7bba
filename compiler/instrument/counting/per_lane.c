/* The strategy of stages without subgroup operations: every live lane adds one. Lanes only: waves and uniform
 * are absent, not zero. Where helper lanes of a fragment shader cannot be told apart, Vulkan's rule serves:
 * "stores and atomics performed by helper invocations must not have any effect on memory". */
#include "compiler/instrument/code/strategy.h"

static const char *refuses(const wpg_plan *plan)
{
    (void)plan;
    return NULL;
}

static void declare(wpg_inject *in)
{
    wpg_live_declare(in);
}

static void enter(wpg_inject *in, const wpg_function_plan *function)
{
    (void)in;
    (void)function;
}

static void count(wpg_inject *in, const wpg_function_plan *function, const wpg_point *point)
{
    uint32_t helper = wpg_live_helper(in);
    wpg_if live = {0};
    if (helper)
        live = wpg_if_begin(in, WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, helper));
    wpg_memory_add(in, &(wpg_add){function->tallies[point->tally].lanes, in->c_one}, 1);
    if (helper)
        wpg_if_end(in, live);
}

const wpg_strategy wpg_strategy_per_lane = {
    .name = "per lane",
    .kinds = WPG_KIND_LANES,
    .method = WPG_METHOD_LANE,
    .refuses = refuses,
    .declare = declare,
    .enter = enter,
    .count = count,
};
