/* Sampling by bind (SAMPLE=1/N, SAMPLE_BY=bind; by frame alike: all binds recorded in one of N frames). The
 * program keeps its own pipeline, and a counting twin stands beside it. Of every N binds by the program, the
 * twin is bound once; the others run as if no layer were there. Both come from one create-info, so either may
 * replace the other in a command buffer.
 *
 *     create --> the program's own, at full speed --twin--> ours
 *     bind   --> ours 1 of N times, else the program's own; both are counted in the pipeline's slot
 *     write  --> counts times N (files.c)
 *
 * Tuning (tune.h) uses the same: several pipelines of ours beside the program's, one for each set of passes.
 *
 * Library parts cannot be told apart at a bind, so they do not count. What is linked of them does: the twin
 * is made as one pipeline of what the parts stated (libraries.h). Ownership: a twin is destroyed with the
 * program's pipeline. Threads: as Vulkan says of each command. */
#ifndef WPG_LAYER_COMMANDS_SAMPLE_BIND_H
#define WPG_LAYER_COMMANDS_SAMPLE_BIND_H

#include "layer/profile/tune.h"

void wpg_twins_init(wpg_device *device);
void wpg_twins_finish(wpg_device *device); /* memory of pipelines that the program never destroyed */

/* One of ours beside the program's. */
typedef struct wpg_twin {
    VkPipeline pipeline; /* tuning: VK_NULL_HANDLE: the program's own, with variants (variants.h) */
    size_t alternative;  /* tuning: which one (tune.h) */
} wpg_twin;

/* Puts these twins beside the program's pipeline: one that counts in `slot`, or candidates of `tuned`. False
 * when memory runs out: the caller destroys them. */
bool wpg_twins_add(wpg_device *device, VkPipeline pipeline, const wpg_twin *ours, size_t count,
                   wpg_counter_slot *slot, struct wpg_tuned *tuned);
/* The pipeline to bind where the program binds `pipeline`; counts the bind. *trial: the choice in tune mode.
 * `trial` NULL: the bind could not be timed, and the original is bound. */
VkPipeline wpg_twin_choose(wpg_device *device, VkPipeline pipeline, wpg_trial *trial);
/* Tuning: the pipelines beside the program's, and the tuned record; 0: there are none. */
size_t wpg_twin_alternatives(wpg_twin ours[WPG_VERDICT_CANDIDATES], struct wpg_tuned **tuned,
                             wpg_device *device, VkPipeline pipeline);
/* Tuning: notes that the bind is not timed, and why. */
void wpg_twin_missed(wpg_device *device, VkPipeline pipeline, wpg_tune_miss miss);
/* Before the program's pipeline is destroyed. */
void wpg_twin_destroy(wpg_device *device, VkPipeline pipeline, const VkAllocationCallbacks *allocator);

/* Hooks, where command buffers are not followed for other reasons (record.h calls the above). */
VKAPI_ATTR void VKAPI_CALL wpg_sample_bind_pipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                    VkPipeline pipeline);
VKAPI_ATTR void VKAPI_CALL wpg_sample_destroy_pipeline(VkDevice handle, VkPipeline pipeline,
                                                       const VkAllocationCallbacks *allocator);

#endif
