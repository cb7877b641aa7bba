/* The sets of passes of a pipeline: one in use mode, several candidates in tune mode. One policy for both.
 *
 *     use, no verdicts here   all passes that are safe by rule
 *     use, with verdicts      the set that won. The original if no set won, or if its words differ. Without a
 *                             verdict on the pipeline: all passes that are safe by rule. While no set has
 *                             won and a candidate is open: the same, without the sets that lost
 *     tune                    each set that gives words of its own: all, all but one, one alone; and `p`,
 *                             the program's own with variants by push constants (variants.h)
 *
 * Uncounted binds in generate mode are planned as in use mode. Threads: one plan, one thread. */
#ifndef WPG_LAYER_REWRITE_PLAN_PASSES_H
#define WPG_LAYER_REWRITE_PLAN_PASSES_H

#include "layer/rewrite/pipeline_plan.h"

/* Rewrites plan->stages. `whole`: wave sizes may be chosen. A part is compiled together with the parts it is
 * linked with, so its wave size stays. */
void wpg_plan_use(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos, bool whole);
/* Makes plan->candidates and plan->tuned. If nothing is to be tuned, gives the plan up with the reason. */
void wpg_plan_tune(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos, uint32_t count,
                   wpg_plan_kind kind);

#endif
