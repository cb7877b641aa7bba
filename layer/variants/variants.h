/* Variants: pipelines made for values of push constants that the profile calls usual. A variant is bound in
 * place of the program's own if a command buffer really pushed these values. Exact, with no guard in the
 * shader.
 *
 *     load     bundle's facts --> per pipeline: words, and the few sets of values    (profile/usual.c)
 *              that they had together
 *     create   a variant set beside the program's pipeline. One set of values may make up VARIANT_SHARE: its
 *              variant is built at once
 *     build    threads in the background: words + values --> module --> pipeline     (variant_build.c)
 *     record   draw, dispatch: bytes valid and equal to a variant's --> that variant is bound, else the
 *              program's own. A usual set of values without a variant is requested; this draw runs without
 *
 * Variants are made for values that are really pushed: nothing is built that the run does not use. VARIANTS
 * bounds their number, and commoner sets of values get theirs first. A rarer set waits while commoner ones
 * that are open could take all that is left, for 256 draws and dispatches at most. A set is open until it
 * was asked for or a variant serves it. Words of a set that decide nothing are folded where they follow from
 * those that do (wpg_optimize_options.push_sets).
 *
 * Older bundles count each word alone. There each word has few usual values. A combination of these is
 * requested when it is pushed. One may be usual for sure, because its share is at least 1 - the sum of what
 * its words lack.
 *
 * A variant depends on the words that its compile folded, for the stages that it folded them in, and on
 * nothing else. A word matches if it is valid, was last pushed for at least these stages, and is equal. All
 * stages are rewritten for the values together. A variant is made from the program's own create-info and so
 * has the same layout, static and dynamic state. Binding it disturbs nothing (Vulkan 1.3, 10.8 and 14.2.2),
 * inside and outside of render passes and secondary command buffers. It uses the original's layout and
 * render pass, which are kept if the program destroys them (variant_kept.c).
 *
 * COMPILE=background: a whole pipeline whose words are not in the cache is made by the same threads, which
 * step back behind the program's (BACKGROUND_THREADS). The program gets its own at once. Ours, the set's
 * base, is bound from then on in its place, and variants beside it.
 *
 *     create  plan->later --> the program's own; the plan moves into a set (base_build.c)
 *     build   those that were bound already come first: words --> cache, module --> pipeline; report
 *     bind    base made? it is bound, else the program's own
 *
 * Of library parts, shader objects and ray tracing the words alone are made, for the cache: these are
 * replaced from the next run on.
 *
 * What was recorded before keeps the program's own. A driver that compiles at the first draw or dispatch
 * (lavapipe) does so on the queue's thread: no thread of ours can do it before.
 *
 * No variants are made for ray tracing, transform feedback, and state that this build cannot copy. A device
 * that may generate commands has none, because generated commands would run whatever is bound. The log says
 * why if the profile knows usual values.
 *
 * While tuning, variants are one alternative among others (plan_passes.h, pass `p`). A bind whose turn it is
 * may use them; other binds do not. A usual combination that is not built yet is waited for, like other
 * candidates; if it is not ready then, the bind is no trial.
 *
 * VARIANT_WAIT: recording a draw or dispatch of usual values without a variant waits until its own
 * combination was tried, after earlier requests of its pipeline, and at most that many seconds. Such
 * recordings are the same in every run.
 *
 * Pipelines for contents of uniform blocks (layer/contents) are made by the same threads, once the first draw
 * with the program's pipeline is recorded.
 *
 * Ownership: a set is destroyed with the program's pipeline, its variants with it. Threads: as Vulkan
 * says of each command. The builder has a lock; a recording takes it only to request a variant. */
#ifndef WPG_LAYER_VARIANTS_VARIANTS_H
#define WPG_LAYER_VARIANTS_VARIANTS_H

#include "layer/rewrite/pipeline_plan.h"

/* True if some device of this process may want variants; and if this device does, by its driver's rule or its
 * verdicts: then its command buffers are recorded. */
bool wpg_variants_possible(void);
bool wpg_variants_wanted(wpg_device *device);
void wpg_variants_start(wpg_device *device, const VkDeviceCreateInfo *info);
/* Before the device goes: the builder ends, all variants are destroyed. */
void wpg_variants_finish(wpg_device *device);
/* The process ends: nothing more is begun. Waits for what is being made, two seconds at most. */
void wpg_variants_leave(wpg_device *device);

/* A pipeline was made for the program; `info` is its VkGraphicsPipelineCreateInfo or
 * VkComputePipelineCreateInfo. */
void wpg_variants_add(wpg_device *device, VkPipeline pipeline, const wpg_pipeline_plan *plan, bool graphics,
                      const void *info);
/* COMPILE=background; `info` as below. Takes the plan over (plan->later) for a pipeline that is made
 * behind the call. NULL: it cannot be, the reason is logged, and `plan` is as it was. `rests`: it is a fast
 * link, which programs replace themselves soon: it is made once it is bound four seconds later or more, or at
 * once where binds wait (VARIANT_WAIT). Links that rest take a quarter of VARIANT_MEMORY at most. */
struct wpg_variant_set *wpg_later_take(wpg_device *device, wpg_pipeline_plan *plan, bool graphics, bool rests,
                                       const void *info);
/* The program's own was made (VK_NULL_HANDLE: it was not), and is recorded. The set is the layer's from
 * here on. */
void wpg_later_add(wpg_device *device, struct wpg_variant_set *set, VkPipeline pipeline);
/* The words of a plan (plan->later) whose stages are shared or called by handles are made behind
 * the call, for the cache alone: the plan gives up for this run. */
void wpg_later_words(wpg_device *device, wpg_pipeline_plan *plan);
/* What a bind of the set's pipeline runs, where no variant serves. */
VkPipeline wpg_variant_base(struct wpg_variant_set *set);
/* A pipeline that can have no variants: logs that if the profile knows usual values. `why` is static. */
void wpg_variants_refuse(const wpg_pipeline_plan *plan, const char *why);
/* Before the program's pipeline is destroyed. */
void wpg_variants_remove(wpg_device *device, VkPipeline pipeline);
/* The program destroys a layout or render pass. True: the layer keeps it and destroys it later. */
bool wpg_variants_keep_layout(wpg_device *device, VkPipelineLayout layout,
                              const VkAllocationCallbacks *allocator);
bool wpg_variants_keep_pass(wpg_device *device, VkRenderPass pass, const VkAllocationCallbacks *allocator);

/* For the summary: variants built; pipelines for contents of uniform blocks built. */
uint64_t wpg_variants_built(void);
uint64_t wpg_contents_built(void);
/* Of COMPILE=background: pipelines made, and not yet; nanoseconds that took; binds of the program's own
 * before. */
typedef struct wpg_later_counts {
    uint64_t made, waiting, time, early_binds;
} wpg_later_counts;
wpg_later_counts wpg_later_count(void);

#endif
