/* Two bodies and one branch: see sample.h.
 *
 * The weight of a chosen group is a Private variable in compute, where it is known at run time only (at most
 * N). Elsewhere it is the constant N. Each chosen wave also counts itself and its lanes once without weight.
 * The entry block's counters hold the weighted numbers; the profile has both. */
#include "compiler/instrument/sampling/sample.h"

#include <stdio.h>

#include "compiler/instrument/code/strategy.h"

/* Upper bounds of the ids the entry function takes. */
enum { IDS_ENTRY = 320 };

void wpg_sample_plan(wpg_plan *plan)
{
    wpg_counter_map *map = plan->map;
    map->sample_rate = 1;
    map->seen_lanes = map->seen_waves = plan->sample_ended = WPG_NO_COUNTER;
    if (plan->options->sample <= 1)
        return;
    const char *reason = wpg_sample_refuses(plan);
    uint64_t ids = 2ull * plan->module->bound + IDS_ENTRY;
    if (!reason && (plan->options->sample > WPG_SAMPLE_MAX || ids >= WPG_SPIRV_MAX_BOUND / 2))
        reason = "too large";
    if (reason) {
        if (!map->note[0])
            (void)snprintf(map->note, sizeof map->note, "all is counted, no sample: %s", reason);
        return;
    }
    map->sample_rate = plan->options->sample;
    map->seen_lanes = plan->options->first_counter + plan->counter_count++;
    if (plan->strategy->kinds & WPG_KIND_WAVES)
        map->seen_waves = plan->options->first_counter + plan->counter_count++;
    if (wpg_sample_may_lay(plan)) {
        plan->sample_ended = plan->options->first_counter + plan->counter_count;
        plan->counter_count += 2;
    }
}

void wpg_sample_begin(wpg_inject *in)
{
    if (in->plan->map->sample_rate <= 1)
        return;
    wpg_module *m = in->module;
    in->sample.plain = wpg_sample_clone(in);
    in->failed |= in->sample.plain == 0;
    wpg_sample_declare(in);
    in->sample.constant_weight = wpg_const_u32(m, in->plan->map->sample_rate);
    if (in->plan->stage->model != SpvExecutionModelGLCompute)
        return;
    if (in->plan->sample_ended != WPG_NO_COUNTER)
        wpg_sample_small_declare(in);
    uint32_t pointer = wpg_type_pointer(m, SpvStorageClassPrivate, in->t_u32);
    in->sample.weight_variable =
        wpg_global_variable(m, in->plan->entry_point, SpvStorageClassPrivate, pointer);
}

/* The chosen wave's lanes, or this lane, as seen. */
static void count_seen(wpg_inject *in)
{
    const wpg_counter_map *map = in->plan->map;
    uint32_t helper = wpg_live_helper(in);
    uint32_t live = helper ? WPG_EMIT(in, SpvOpLogicalNot, in->t_bool, helper) : 0;
    wpg_add adds[] = {{map->seen_lanes, in->c_one}, {map->seen_waves, in->c_one}};
    bool waves = map->seen_waves != WPG_NO_COUNTER;
    wpg_if among_live, elected;
    if (waves)
        adds[0].value = WPG_EMIT(in, SpvOpGroupNonUniformBallotBitCount, in->t_u32, in->subgroup_scope,
                                 SpvGroupOperationReduce, wpg_live_ballot(in, live ? live : in->c_true));
    if (live)
        among_live = wpg_if_begin(in, live);
    if (waves)
        elected = wpg_if_begin(in, WPG_EMIT(in, SpvOpGroupNonUniformElect, in->t_bool, in->subgroup_scope));
    wpg_memory_add(in, adds, waves ? 2 : 1);
    if (waves)
        wpg_if_end(in, elected);
    if (live)
        wpg_if_end(in, among_live);
}

static void call(wpg_inject *in, uint32_t function)
{
    wpg_emit(in, SpvOpFunctionCall, wpg_type_void(in->module), &function, 1);
}

/* The entry point, and what says how it is executed, are now the new function's. */
static void take_over(wpg_inject *in, uint32_t counted, uint32_t entry)
{
    in->plan->entry_point->words[2] = entry;
    WPG_INST_EACH (inst, in->module) {
        if (inst->opcode == SpvOpFunction)
            break;
        if ((inst->opcode == SpvOpExecutionMode || inst->opcode == SpvOpExecutionModeId) &&
            inst->words[1] == counted)
            inst->words[1] = entry;
    }
}

void wpg_sample_end(wpg_inject *in)
{
    if (in->plan->map->sample_rate <= 1 || in->failed)
        return;
    wpg_module *m = in->module;
    uint32_t counted = in->plan->functions[0].function->result, entry = wpg_module_fresh_id(m);
    uint32_t then = wpg_module_fresh_id(m), otherwise = wpg_module_fresh_id(m),
             merge = wpg_module_fresh_id(m);
    wpg_inst_add(m, NULL, SpvOpFunction, wpg_type_void(m), entry, SpvFunctionControlMaskNone,
                 wpg_type_function(m, wpg_type_void(m), NULL, 0));
    wpg_inst_add(m, NULL, SpvOpLabel, wpg_module_fresh_id(m));
    in->where = wpg_inst_insert(m, NULL, SpvOpReturn, NULL, 0);
    wpg_inst_insert(m, NULL, SpvOpFunctionEnd, NULL, 0);

    uint32_t weight, chosen = wpg_sample_choose(in, &weight, wpg_sample_small_begin);
    wpg_inst_add(m, in->where, SpvOpSelectionMerge, merge, SpvSelectionControlMaskNone);
    wpg_inst_add(m, in->where, SpvOpBranchConditional, chosen, then, otherwise);
    wpg_inst_add(m, in->where, SpvOpLabel, then);
    if (in->sample.weight_variable)
        wpg_inst_add(m, in->where, SpvOpStore, in->sample.weight_variable, weight);
    wpg_memory_enter(in);
    in->weight = 0;
    count_seen(in);
    call(in, counted);
    wpg_inst_add(m, in->where, SpvOpBranch, merge);
    wpg_inst_add(m, in->where, SpvOpLabel, otherwise);
    call(in, in->sample.plain);
    wpg_inst_add(m, in->where, SpvOpBranch, merge);
    wpg_inst_add(m, in->where, SpvOpLabel, merge);
    if (in->sample.small)
        wpg_sample_small_end(in, in->sample.total);
    take_over(in, counted, entry);
}
