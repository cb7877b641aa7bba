/* The naive strategy: at every point a ballot, one elected live lane, three atomics. It is exact and keeps
 * nothing in registers but the entry mask. It is the oracle for cheaper strategies, and their fallback.
 * Ballots are taken over all active lanes before the election's branch. The election is among live lanes,
 * inside a branch on the ballot. Blocks that only helper lanes run count nothing: to tell them apart would
 * take a fourth counter and a second election. */
#include "compiler/instrument/code/strategy.h"

static const char *refuses(const wpg_plan *plan)
{
    const wpg_instrument_target *target = &plan->options->target;
    unsigned minor = plan->module->version >> 8 & 0xff;
    if (!target->subgroup_basic || !target->subgroup_ballot)
        return "no subgroup operations in this stage";
    if (target->max_spirv_minor < 3 && minor < 3)
        return "subgroup operations need SPIR-V 1.3";
    if (plan->helper_test == WPG_HELPER_UNKNOWN)
        return "helper lanes cannot be told";
    if (plan->segments && !target->subgroup_arithmetic)
        return "no subgroup arithmetic, which wave segments need";
    return NULL;
}

static void declare(wpg_inject *in)
{
    wpg_require_version(in->module, 3);
    wpg_require_capability(in->module, SpvCapabilityGroupNonUniform);
    wpg_require_capability(in->module, SpvCapabilityGroupNonUniformBallot);
    if (in->plan->segments)
        wpg_require_capability(in->module, SpvCapabilityGroupNonUniformArithmetic);
    in->subgroup_scope = wpg_const_u32(in->module, SpvScopeSubgroup);
    wpg_live_declare(in);
    wpg_live_declare_masks(in);
    wpg_cells_declare(in);
}

static void enter(wpg_inject *in, const wpg_function_plan *function)
{
    wpg_live_enter(in, function);
}

static uint32_t bit_count(wpg_inject *in, uint32_t mask)
{
    return WPG_EMIT(in, SpvOpGroupNonUniformBallotBitCount, in->t_u32, in->subgroup_scope,
                    SpvGroupOperationReduce, mask);
}

/* Lanes and waves of one side of a condition. */
static void tally_side(wpg_inject *in, wpg_add *adds, uint32_t first, uint32_t lanes_slot,
                       uint32_t waves_slot, uint32_t condition, uint32_t live)
{
    uint32_t alive = live ? WPG_EMIT(in, SpvOpLogicalAnd, in->t_bool, condition, live) : condition;
    uint32_t lanes = bit_count(in, wpg_live_ballot(in, alive));
    uint32_t some = WPG_EMIT(in, SpvOpINotEqual, in->t_bool, lanes, in->c_zero);
    uint32_t waves = WPG_EMIT(in, SpvOpSelect, in->t_u32, some, in->c_one, in->c_zero);
    adds[lanes_slot] = (wpg_add){first + lanes_slot, lanes};
    adds[waves_slot] = (wpg_add){first + waves_slot, waves};
}

static void tally_select(wpg_inject *in, wpg_add *adds, const wpg_select_tally *tally, uint32_t live)
{
    uint32_t opposite = WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, tally->condition);
    tally_side(in, adds, tally->first, WPG_SELECT_LANES_TRUE, WPG_SELECT_WAVES_TRUE, tally->condition, live);
    tally_side(in, adds, tally->first, WPG_SELECT_LANES_FALSE, WPG_SELECT_WAVES_FALSE, opposite, live);
}

static void count(wpg_inject *in, const wpg_function_plan *function, const wpg_point *point)
{
    size_t capacity = (size_t)WPG_SELECT_COUNTERS * point->select_count, added = 0;
    wpg_add *adds = WPG_ARENA_ARRAY(&in->module->arena, wpg_add, capacity);
    if (!adds)
        return;
    wpg_live now = {0};
    bool counted = point->tally != WPG_NO_TALLY;
    uint32_t lanes = 0;
    if (counted || point->record != WPG_NO_BLOCK || point->resolve != WPG_NO_BLOCK) {
        now = wpg_live_now(in, function, point);
        if (!counted && !point->select_count)
            return;
        if (counted)
            lanes = bit_count(in, now.mask);
    } else {
        uint32_t helper = wpg_live_helper(in);
        now.live = helper ? WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, helper) : 0;
    }
    for (uint32_t i = 0; i < point->select_count; i++, added += WPG_SELECT_COUNTERS)
        tally_select(in, adds + added, &point->selects[i], now.live);
    wpg_if among_live = {0};
    if (now.live)
        among_live = wpg_if_begin(in, now.live);
    wpg_if elected =
        wpg_if_begin(in, WPG_EMIT(in, SpvOpGroupNonUniformElect, in->t_bool, in->subgroup_scope));
    if (counted)
        wpg_memory_add_tally(in, &function->tallies[point->tally], lanes, in->c_one, now.uniform);
    wpg_memory_add(in, adds, added);
    wpg_if_end(in, elected);
    if (now.live)
        wpg_if_end(in, among_live);
}

const wpg_strategy wpg_strategy_naive = {
    .name = "naive",
    .kinds = WPG_KIND_LANES | WPG_KIND_WAVES | WPG_KIND_UNIFORM | WPG_KIND_SELECTS,
    .method = WPG_METHOD_NAIVE,
    .private_cells = true,
    .refuses = refuses,
    .declare = declare,
    .enter = enter,
    .count = count,
};
