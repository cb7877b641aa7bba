/* Creation feedback (VK_EXT_pipeline_creation_feedback): what the driver said of the program's own pipeline,
 * kept while ours is made from the same create-info. Threads: one for each. */
#ifndef WPG_LAYER_API_FEEDBACK_H
#define WPG_LAYER_API_FEEDBACK_H

#include <stdint.h>

#include <vulkan/vulkan.h>

/* With more stages, each stage's answer stays the driver's for our pipeline. */
enum { WPG_FEEDBACK_STAGES = 64 };

typedef struct wpg_feedback {
    const VkPipelineCreationFeedbackCreateInfo *info; /* the program's; NULL: it did not ask */
    VkPipelineCreationFeedback whole, stages[WPG_FEEDBACK_STAGES];
    uint32_t stage_count;
} wpg_feedback;

/* `chain`: of the create-info. */
void wpg_feedback_keep(wpg_feedback *kept, const void *chain);
void wpg_feedback_restore(const wpg_feedback *kept);

#endif
