/* Which sets of passes a pipeline gets: one in use mode, several to try in tune mode. One policy for both.
 *
 *     use, no verdicts here   all passes that are safe by rule
 *     use, with verdicts      the set that won; the original where none did, or where its words are others,
 *                             or where it was not tuned. While nothing won and a candidate is open: all
 *                             passes that are safe by rule, but not what was decided and did not win
 *     tune                    each set that gives words of its own: all, all but one, one alone; and `p`,
 *                             the program's own with variants by push constants (variants.h)
 *
 * What an uncounted bind of generate mode runs is planned as in use mode. Threads: one plan, one thread. */
#ifndef WPG_LAYER_REWRITE_PLAN_PASSES_H
#define WPG_LAYER_REWRITE_PLAN_PASSES_H

#include "layer/rewrite/pipeline_plan.h"

/* Rewrites plan->stages. `whole`: wave sizes may be chosen: parts are compiled with what they are linked
 * with. */
void wpg_plan_use(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos, bool whole);
/* Makes plan->variants. */
void wpg_plan_tune(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos, uint32_t count,
                   wpg_plan_kind kind);

#endif
