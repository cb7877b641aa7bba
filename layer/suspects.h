/* Which of our pipelines ran last: what goes on the deny list when a device is lost.
 *
 *     create   a pipeline of ours has a number on its device, by hash
 *     record   a command buffer holds the set of numbers that it binds
 *     submit   each number remembers the last submission it was part of
 *     lost     suspects: of the last WPG_SUSPECT_SUBMISSIONS submissions, and none that was seen to finish
 *
 * Command buffers and pipelines are externally synchronised as Vulkan says; numbers have the device's lock,
 * taken once a submission. When memory runs out a pipeline is not suspected. */
#ifndef WPG_LAYER_SUSPECTS_H
#define WPG_LAYER_SUSPECTS_H

#include "layer/state.h"

enum { WPG_SUSPECT_SUBMISSIONS = 16 };

wpg_suspects *wpg_suspects_create(void); /* NULL when memory runs out: nothing is followed */
void wpg_suspects_destroy(wpg_suspects *suspects);

/* The handle, as it is bound, holds code of ours that goes by `hash`; several hashes for links of parts. */
void wpg_suspects_add(wpg_device *device, VkPipeline pipeline, wpg_hash128 hash);
void wpg_suspects_remove(wpg_device *device, VkPipeline pipeline);

/* The command buffer's device, faster than by the process's map where it is the thread's latest. */
wpg_device *wpg_suspects_device(VkCommandBuffer commands);

void wpg_suspects_begin(wpg_device *device, VkCommandBuffer commands);
void wpg_suspects_bind(wpg_device *device, VkCommandBuffer commands, VkPipeline pipeline);
void wpg_suspects_execute(wpg_device *device, VkCommandBuffer commands, uint32_t count,
                          const VkCommandBuffer *secondaries);
/* A submission begins; then each command buffer of it. */
void wpg_suspects_submission(wpg_device *device);
void wpg_suspects_submit(wpg_device *device, VkCommandBuffer commands);
/* Everything submitted so far has finished. */
void wpg_suspects_idle(wpg_device *device);

/* The suspects' hashes, malloc'd; NULL and 0 if there are none. */
wpg_hash128 *wpg_suspects_list(size_t *count, wpg_device *device);

#endif
