#include "layer/api/feedback.h"

#include <string.h>

#include "layer/base/chain.h"

void wpg_feedback_keep(wpg_feedback *kept, const void *chain)
{
    kept->info = wpg_chain_find(chain, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
    if (!kept->info)
        return;
    kept->whole = *kept->info->pPipelineCreationFeedback;
    kept->stage_count = kept->info->pipelineStageCreationFeedbackCount;
    if (kept->stage_count > WPG_FEEDBACK_STAGES || !kept->info->pPipelineStageCreationFeedbacks)
        kept->stage_count = 0;
    if (kept->stage_count)
        memcpy(kept->stages, kept->info->pPipelineStageCreationFeedbacks,
               kept->stage_count * sizeof *kept->stages);
}

void wpg_feedback_restore(const wpg_feedback *kept)
{
    if (!kept->info)
        return;
    *kept->info->pPipelineCreationFeedback = kept->whole;
    if (kept->stage_count)
        memcpy(kept->info->pPipelineStageCreationFeedbacks, kept->stages,
               kept->stage_count * sizeof *kept->stages);
}
