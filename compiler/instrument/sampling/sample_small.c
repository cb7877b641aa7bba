/* Small dispatches, of fewer workgroups than N, are laid end to end.
 *
 *     dispatches   |  4  |  4  |   7    | 2 |  4  | ...
 *     strata of N  |              |              | ...       one of each is chosen, which one by a hash
 *
 * If one workgroup of each small dispatch were counted, a dispatch of four would pay for a quarter. Such
 * dispatches have few, long invocations. So strata reach over dispatches. The place of a workgroup is its
 * place in its own dispatch plus the workgroups of all small dispatches of this pipeline that ended before.
 * Its weight is N.
 *
 * The estimate is unbiased: every workgroup has one place, every place one stratum, and one of the N places
 * of a stratum is chosen. Over the hash's constant a workgroup is counted with probability 1/N and stands for
 * N. So the expectation of any sum is the sum itself. Over a run of small dispatches the weights add up to
 * within N of their workgroups.
 *
 * Two words of the counters' memory record how many ended, in invocations. Each invocation that comes to the
 * end of the shader adds to `done`. Once `done` is a whole dispatch ahead of `ended`, `ended` takes the value
 * of `done`. Dispatches with a barrier between them find the same value in every invocation and in every run.
 * Where dispatches overlap, `ended` may change on the way. What an invocation reads does not depend on its
 * place, so nothing is biased, but waves of one workgroup may choose differently. Shaders with barriers must
 * not do that: they count one of s, which stands for s (sample_choose.c). `ended` is only ever set to a value
 * of `done`, so dispatches of different sizes cannot make the two miss each other. */
#include "compiler/instrument/sampling/sample.h"

bool wpg_sample_may_lay(const wpg_plan *plan)
{
    bool in_functions = false, across = false;
    if (plan->stage->model != SpvExecutionModelGLCompute ||
        !wpg_stage_workgroup(plan->module, plan->entry_point))
        return false;
    WPG_INST_EACH (inst, plan->module) {
        in_functions |= inst->opcode == SpvOpFunction;
        if (in_functions && inst->opcode == SpvOpControlBarrier)
            return false;
        across |= inst->opcode == SpvOpCapability && ((inst->words[1] >= SpvCapabilityGroupNonUniform &&
                                                       inst->words[1] <= SpvCapabilityGroupNonUniformQuad) ||
                                                      inst->words[1] == SpvCapabilitySubgroupBallotKHR ||
                                                      inst->words[1] == SpvCapabilitySubgroupVoteKHR);
    }
    return !across || wpg_sample_can_broadcast(plan);
}

void wpg_sample_small_declare(wpg_inject *in)
{
    uint32_t pointer = wpg_type_pointer(in->module, SpvStorageClassPrivate, in->t_u32);
    wpg_memory_declare_words(in);
    in->sample.before_variable =
        wpg_global_variable(in->module, in->plan->entry_point, SpvStorageClassPrivate, pointer);
}

/* The low word of a counter. */
static uint32_t low_word(wpg_inject *in, uint32_t counter)
{
    return wpg_memory_word_at(in, wpg_memory_words(in), wpg_const_u32(in->module, 2 * counter));
}

static uint32_t read_ended(wpg_inject *in, uint32_t pointer)
{
    return WPG_EMIT(in, SpvOpAtomicLoad, in->t_u32, pointer, in->memory.scope, in->memory.semantics);
}

uint32_t wpg_sample_small_begin(wpg_inject *in, uint32_t small)
{
    const uint32_t size = wpg_stage_workgroup(in->module, in->plan->entry_point);
    in->sample.small = small;
    wpg_inst_add(in->module, in->where, SpvOpStore, in->sample.before_variable, in->c_zero);
    wpg_if is_small = wpg_if_begin(in, small);
    wpg_memory_enter(in);
    uint32_t ended = read_ended(in, low_word(in, in->plan->sample_ended));
    if (wpg_sample_can_broadcast(in->plan))
        ended = WPG_EMIT(in, SpvOpGroupNonUniformBroadcastFirst, in->t_u32, in->subgroup_scope, ended);
    uint32_t before = WPG_EMIT(in, SpvOpUDiv, in->t_u32, ended, wpg_const_u32(in->module, size));
    wpg_inst_add(in->module, in->where, SpvOpStore, in->sample.before_variable, before);
    wpg_if_end(in, is_small);
    return WPG_EMIT(in, SpvOpLoad, in->t_u32, in->sample.before_variable);
}

void wpg_sample_small_end(wpg_inject *in, uint32_t total)
{
    wpg_module *m = in->module;
    const uint32_t size = wpg_stage_workgroup(in->module, in->plan->entry_point);
    bool waves = wpg_sample_can_broadcast(in->plan);
    wpg_if elected, is_small = wpg_if_begin(in, in->sample.small);
    uint32_t lanes = in->c_one;
    if (waves) {
        lanes = WPG_EMIT(in, SpvOpGroupNonUniformBallotBitCount, in->t_u32, in->subgroup_scope,
                         SpvGroupOperationReduce, wpg_live_ballot(in, in->c_true));
        elected = wpg_if_begin(in, WPG_EMIT(in, SpvOpGroupNonUniformElect, in->t_bool, in->subgroup_scope));
    }
    wpg_memory_enter(in);
    uint32_t ended = low_word(in, in->plan->sample_ended);
    uint32_t done = low_word(in, in->plan->sample_ended + 1);
    uint32_t old =
        WPG_EMIT(in, SpvOpAtomicIAdd, in->t_u32, done, in->memory.scope, in->memory.semantics, lanes);
    uint32_t sum = WPG_EMIT(in, SpvOpIAdd, in->t_u32, old, lanes);
    uint32_t ahead = WPG_EMIT(in, SpvOpISub, in->t_u32, sum, read_ended(in, ended));
    uint32_t all = WPG_EMIT(in, SpvOpIMul, in->t_u32, total, wpg_const_u32(m, size));
    wpg_if last = wpg_if_begin(in, WPG_EMIT(in, SpvOpUGreaterThanEqual, in->t_bool, ahead, all));
    wpg_inst_add(m, in->where, SpvOpAtomicStore, ended, in->memory.scope, in->memory.semantics, sum);
    wpg_if_end(in, last);
    if (waves)
        wpg_if_end(in, elected);
    wpg_if_end(in, is_small);
}
