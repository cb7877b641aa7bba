/* Which of our pipelines ran last: they go on the deny list when a device is lost.
 *
 *     create   a pipeline of ours has a number on its device, by hash
 *     destroy  the number is another hash's once it is no longer suspected
 *     record   a command buffer holds the set of numbers that it binds
 *     submit   each number remembers the last submission it was part of
 *     lost     suspects: of the last WPG_SUSPECT_SUBMISSIONS submissions, and none that was seen to finish
 *
 * A command buffer's set belongs to its recording (record.h) and goes with it. Command buffers and pipelines
 * are externally synchronised as Vulkan says. Numbers have the device's lock, taken once a submission. When
 * memory runs out a pipeline is not suspected. */
#ifndef WPG_LAYER_BASE_LOSS_ATTRIBUTION_H
#define WPG_LAYER_BASE_LOSS_ATTRIBUTION_H

#include "layer/base/state.h"

enum { WPG_SUSPECT_SUBMISSIONS = 16, WPG_SUSPECT_RECENT = 16 };

/* A command buffer's set of its device's numbers, a bit each. All zero: empty. */
typedef struct wpg_bound_set {
    uint64_t *words; /* [count], owned */
    size_t count;
    uint64_t made; /* when `recent` was filled: any pipeline made or destroyed since makes it void */
    struct {
        VkPipeline pipeline;
        const struct wpg_suspect_numbers *known;
    } recent[WPG_SUSPECT_RECENT]; /* what was looked up last */
} wpg_bound_set;

void wpg_bound_set_clear(wpg_bound_set *set); /* keeps its memory */
void wpg_bound_set_finish(wpg_bound_set *set);

wpg_loss_attribution *wpg_attribution_create(void); /* NULL when memory runs out: nothing is followed */
void wpg_attribution_destroy(wpg_loss_attribution *attribution);

/* Notes that the handle, as it is bound, holds code of ours with hash `hash`. A link of parts has several
 * hashes: one call each. */
void wpg_attribution_add(wpg_device *device, VkPipeline pipeline, wpg_hash128 hash);
void wpg_attribution_remove(wpg_device *device, VkPipeline pipeline);
/* Generate: what the code of this hash may cost to compile, in words (wpg_pipeline_plan_words). The hash has
 * been added. Asked for by first_use.h. */
void wpg_attribution_weigh(wpg_device *device, wpg_hash128 hash, uint64_t weight);

/* Adds a pipeline, or a secondary's set, to the set of a command buffer of the device. */
void wpg_attribution_bind(wpg_device *device, wpg_bound_set *set, VkPipeline pipeline);
void wpg_attribution_execute(wpg_bound_set *set, const wpg_bound_set *secondary);
/* A submission begins, which signals `fence`; then each command buffer of it. What it uses first is in flight
 * (flight_recorder.h) until it is seen to finish, or WPG_SUSPECT_SUBMISSIONS further ones. */
void wpg_attribution_submission(wpg_device *device, VkFence fence);
void wpg_attribution_submit(wpg_device *device, const wpg_bound_set *set);
/* Everything submitted so far has finished. */
void wpg_attribution_idle(wpg_device *device);
/* These fences are signalled: the last submission's, on a device of one queue, says that of everything. */
void wpg_attribution_fences(wpg_device *device, uint32_t count, const VkFence *fences);

/* The dearest of those first used in the last submissions that were not seen to finish. It is named once.
 * False: there is none. */
bool wpg_attribution_dearest_new(wpg_device *device, wpg_hash128 *hash);
/* Whether there may be one. Cheap. */
bool wpg_attribution_has_new(const wpg_device *device);

/* The suspects' hashes, malloc'd; NULL and 0 if there are none. */
wpg_hash128 *wpg_attribution_list(size_t *count, wpg_device *device);

#endif
