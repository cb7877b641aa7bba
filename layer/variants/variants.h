/* Variants: pipelines made for the values of push constants that the profile says are usual, bound in place
 * of the program's own where a command buffer really pushed them. Exact, with no guard in the shader.
 *
 *     load     bundle's facts --> per pipeline: words that hold few values, and those    (profile/usual.c)
 *     create   a set beside the program's pipeline; where one combination is usual for sure (its share is at
 *              least 1 - the sum of what its words lack), it is built at once
 *     build    one background thread a device: words + values --> module --> pipeline      (variant_build.c)
 *     record   draw, dispatch: bytes valid and equal to a variant's --> that one is bound, else the program's
 *              own. A combination of usual values that no variant serves yet is asked for; this one runs
 *              without
 *
 * Which values occur together a bundle does not say, word by word as it is; so beyond what follows from the
 * shares, variants are made for what is really pushed: nothing is built that the run does not use.
 *
 * A variant depends on the words that its compile folded, for the stages it folded them in, and on nothing
 * else: a word counts if it is valid, was pushed last for these stages at least, and is equal. All stages are
 * rewritten for the values together. It is made from the program's own create-info and so has the same
 * layout, static and dynamic state: binding it disturbs nothing (Vulkan 1.3, 10.8 and 14.2.2), inside render
 * passes and secondary command buffers as outside. Set is the original's layout and render pass, which are
 * kept for it where the program destroys them (variant_kept.c).
 *
 * None have: pipelines linked from libraries, ray tracing, what feeds transform feedback, what is made with
 * state that this build cannot copy, and all of a device that may generate commands (which would run whatever
 * is bound). The log says why where the profile knows usual values.
 *
 * While tuning they are one alternative among others (plan_passes.h, pass `p`): a
 * bind whose turn it is may use them, other binds do not, and what is usual and not built yet is waited for,
 * as other candidates are; one that is not ready then is no trial.
 *
 * VARIANT_WAIT: a draw or dispatch of usual values that no variant serves waits, while it is recorded, so
 * many seconds at most until its own combination was tried, after what its pipeline was asked for before.
 * What is recorded so is the same in every run.
 *
 * Ownership: a set goes with the program's pipeline, its variants with it. Threads: as Vulkan says of each
 * command; the builder has a lock, which no recording takes but to ask for a variant. */
#ifndef WPG_LAYER_VARIANTS_VARIANTS_H
#define WPG_LAYER_VARIANTS_VARIANTS_H

#include "layer/rewrite/pipeline_plan.h"
#include "layer/profile/usual.h"

/* Whether some device of this process may want variants; and whether this one does, by the rule of its driver
 * or its verdicts: then it follows command buffers. */
bool wpg_variants_possible(void);
bool wpg_variants_wanted(const wpg_device *device);
void wpg_variants_start(wpg_device *device, const VkDeviceCreateInfo *info);
/* Before the device goes: the builder ends, all variants are destroyed. */
void wpg_variants_finish(wpg_device *device);

/* A pipeline was made for the program; `info` is its VkGraphicsPipelineCreateInfo or
 * VkComputePipelineCreateInfo. */
void wpg_variants_add(wpg_device *device, VkPipeline pipeline, const wpg_pipeline_plan *plan, bool graphics,
                      const void *info);
/* One that can have none: says so if it would have had some. `why` is static. */
void wpg_variants_refuse(const wpg_pipeline_plan *plan, const char *why);
/* Before the program's pipeline is destroyed. */
void wpg_variants_remove(wpg_device *device, VkPipeline pipeline);
/* The program destroys a layout or render pass: true if that is to wait, and done by us. */
bool wpg_variants_keep_layout(wpg_device *device, VkPipelineLayout layout,
                              const VkAllocationCallbacks *allocator);
bool wpg_variants_keep_pass(wpg_device *device, VkRenderPass pass, const VkAllocationCallbacks *allocator);

/* For the summary: variants built. */
uint64_t wpg_variants_built(void);

#endif
