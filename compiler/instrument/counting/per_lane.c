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
    wpg_cells_declare(in);
}

static void enter(wpg_inject *in, const wpg_function_plan *function)
{
    (void)in;
    (void)function;
}

static void count(wpg_inject *in, const wpg_function_plan *function, const wpg_point *point)
{
    /* A helper adds zero: a branch around the addition would double the blocks that a driver compiles. */
    uint32_t helper = wpg_live_helper(in), one = in->c_one;
    if (helper)
        one = WPG_EMIT(in, SpvOpSelect, in->t_u32, helper, in->c_zero, in->c_one);
    wpg_memory_add(in, &(wpg_add){function->tallies[point->tally].lanes, one}, 1);
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
