/* Counters by binding: the set of counters is bound where a draw or dispatch needs it, and the program gets
 * its own sets back where ours took their place.
 *
 *     program binds sets, --> noted, with what Vulkan says of the others: kept, or disturbed
 *     pushes descriptors
 *     draw, dispatch      --> 1. sets of the program's that ours disturbed are bound or pushed again, as far
 *                                as the pipeline's layout is compatible with them
 *                             2. our set, at the index behind the pipeline's own
 *
 * So the program's sets are to each draw what they were without the layer. A recording that never counts
 * binds nothing. What is bound: descriptor_state.h. What was pushed: pushed_descriptors.h. The commands that
 * push, and those of VK_KHR_maintenance6: counter_push.c.
 *
 * Owns: the notes of one recording, until it goes. Threads: those of the command buffer. Source: Vulkan 1.4,
 * 14.2.2, Pipeline Layout Compatibility. */
#ifndef WPG_LAYER_COMMANDS_COUNTER_SETS_H
#define WPG_LAYER_COMMANDS_COUNTER_SETS_H

#include "layer/commands/counter_layouts.h"
#include "layer/commands/descriptor_state.h"
#include "layer/commands/record.h"

/* A command buffer begins, or its state becomes undefined: nothing is bound. */
void wpg_counter_sets_reset(wpg_recording *recording);
void wpg_counter_sets_destroy(wpg_recording *recording);
/* `pipeline` is what is bound for the program's. */
void wpg_counter_sets_pipeline(wpg_recording *recording, VkPipelineBindPoint point, VkPipeline pipeline);
/* Before a draw or dispatch. */
void wpg_counter_sets_before(wpg_recording *recording, wpg_bind_point point);
/* What is bound at the point. NULL: the point is not followed, or memory runs out. */
wpg_descriptor_state *wpg_counter_sets_at(wpg_recording *recording, VkPipelineBindPoint point);

VKAPI_ATTR void VKAPI_CALL wpg_counter_CmdBindDescriptorSets(VkCommandBuffer commands,
                                                             VkPipelineBindPoint point,
                                                             VkPipelineLayout layout, uint32_t first,
                                                             uint32_t count, const VkDescriptorSet *sets,
                                                             uint32_t offset_count, const uint32_t *offsets);

/* The hook of a command that pushes descriptors, or binds sets by a structure, or of one that makes or
 * destroys a template (counter_push.c). NULL: it is none of these. */
PFN_vkVoidFunction wpg_counter_push_hook(const char *name);

#endif
