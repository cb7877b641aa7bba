/* Sampling by bind (SAMPLE=1/N, SAMPLE_BY=bind): the program's pipeline is its own, and beside it stands the
 * counting one. Of every N times the program binds it, the counting one is bound once; the rest runs as if
 * no layer were there. Both come from one create-info, so that either may stand
 * for the other in a command buffer.
 *
 *     create --> the program's own, at full speed --twin--> ours
 *     bind   --> ours 1 of N times, else the program's own; both are counted in the pipeline's slot
 *     write  --> counts times N (files.c)
 *
 * Library parts cannot be told apart at a bind: they sample inside the shader. Ownership: a twin goes with
 * the program's pipeline. Threads: as Vulkan says of each command. */
#ifndef WPG_LAYER_SAMPLE_BIND_H
#define WPG_LAYER_SAMPLE_BIND_H

#include "layer/state.h"

/* Whether complete pipelines are sampled by bind. */
bool wpg_sample_by_bind(void);

void wpg_twins_init(wpg_device *device);
void wpg_twins_finish(wpg_device *device); /* memory of pipelines that the program never destroyed */

/* `ours` stands beside the program's pipeline from now on. false when memory runs out: it is the caller's to
 * destroy. */
bool wpg_twin_add(wpg_device *device, VkPipeline pipeline, VkPipeline ours, wpg_counter_slot *slot);
/* What to bind where the program binds `pipeline`; counts the bind. */
VkPipeline wpg_twin_choose(wpg_device *device, VkPipeline pipeline);
/* Before the program's pipeline is destroyed. */
void wpg_twin_destroy(wpg_device *device, VkPipeline pipeline, const VkAllocationCallbacks *allocator);

/* Hooks, where command buffers are not followed for other reasons (record.h calls the above). */
VKAPI_ATTR void VKAPI_CALL wpg_sample_bind_pipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                    VkPipeline pipeline);
VKAPI_ATTR void VKAPI_CALL wpg_sample_destroy_pipeline(VkDevice handle, VkPipeline pipeline,
                                                       const VkAllocationCallbacks *allocator);

#endif
