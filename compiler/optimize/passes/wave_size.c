/* Wave size: smaller waves for a stage whose lanes idle, if the driver offers a choice.
 *
 *     fill = sum over blocks of cost * lanes / sum over blocks of cost * waves * lanes of a wave as counted
 *
 * Needs: the normal form, lanes and waves. Gives: remarks->wave_size, which the caller requests from the
 * driver; no word changes. Keeps: the stage if the proof of compiler/analysis/graph/wave_free.h fails, or the
 * driver's limits forbid the size.
 *
 * The rule: at a fill of options->wave.fill or less, the smallest size. A wave of the usual size issues each
 * instruction for all its slots. Two halves, as waves of their own, skip what none of their lanes need, and
 * leave a loop with their own last lane. RDNA issues a wave of 64 as two of 32 anyway (AMD, "RDNA
 * Architecture" white paper, 2019: wave32 as the natural size). So smaller waves cost scalar and memory
 * instructions issued once more. Idle slots must pay for these, hence the margin. Full waves are left alone.
 * The gain depends on which lanes idle together. Counts at one size do not tell that: measure (tune) where
 * the fill lies higher.
 *
 * The size while counting is the least power of two that holds the fullest block's lanes a wave. Counts of a
 * device with smaller waves serve: a larger wave runs a block whenever one of the smaller waves in it does,
 * so its fill is at most theirs. */
#include "compiler/analysis/graph/wave_free.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/pass.h"
#include "compiler/spirv/builder.h"

#define PASS "wave-size"

typedef struct fill_sums {
    double lanes, waves; /* weighted by cost */
    uint32_t counted;    /* lanes of a wave, as counted */
} fill_sums;

static void add_function(fill_sums *sums, const wpg_context *context, const wpg_function_profile *profile)
{
    wpg_inst *function = wpg_module_def(context->module, profile->function);
    const wpg_inst *end = function ? wpg_function_end(function) : NULL;
    const wpg_block_weight *weight = NULL;
    for (const wpg_inst *inst = function; inst && inst != end; inst = inst->next) {
        if (inst->opcode == SpvOpLabel) {
            weight = wpg_profile_block(profile, inst->result);
            while (weight && weight->lanes > weight->waves * sums->counted && sums->counted < 1024)
                sums->counted *= 2;
        }
        if (!weight)
            continue;
        double cost = wpg_inst_cost(context->module, inst);
        sums->lanes += cost * (double)weight->lanes;
        sums->waves += cost * (double)weight->waves;
    }
}

/* Why the driver's limits forbid it, NULL if they do not. */
static const char *beyond_limits(const wpg_context *context)
{
    const wpg_wave_choice *wave = &context->options->wave;
    if (context->stage->model != SpvExecutionModelGLCompute)
        return NULL;
    const wpg_inst *entry =
        wpg_find_entry_point(context->module, context->stage->model, context->stage->entry);
    uint32_t invocations = entry && entry->count > 2 ? wpg_stage_workgroup(context->module, entry) : 0;
    if (invocations == 0)
        return "the workgroup's size is no constant";
    return (invocations - 1) / wave->smallest < wave->most_per_workgroup
               ? NULL
               : "a workgroup would have more waves than the device takes";
}

void wpg_choose_wave_size(wpg_context *context)
{
    const wpg_wave_choice *wave = &context->options->wave;
    fill_sums sums = {.counted = 1};
    if (wave->smallest == 0 || wave->smallest >= wave->usual)
        return;
    for (uint32_t i = 0; i < context->profile_count; i++) {
        if (!context->profiles[i].has_lanes || !context->profiles[i].has_waves ||
            context->profiles[i].lanes_alone)
            return; /* what was not measured is not known */
        add_function(&sums, context, &context->profiles[i]);
    }
    if (!(sums.waves > 0))
        return;
    double fill = sums.lanes / (sums.waves * sums.counted);
    if (fill > wave->fill || sums.counted > wave->usual)
        return; /* full enough, the usual case: nothing to say */
    const char *why;
    if (!wpg_wave_free(context->module, context->stage, &why) || (why = beyond_limits(context)) != NULL) {
        wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, 0, 0, "waves are filled to %.0f %%, but %s",
                       fill * 100, why);
        return;
    }
    context->remarks->wave_size = wave->smallest;
    wpg_remark_add(context, WPG_REMARK_DONE, PASS, 0, 0,
                   "waves of %u instead of %u: waves of %u were filled to %.0f %%", wave->smallest,
                   wave->usual, sums.counted, fill * 100);
}
