/* Drains: submissions of ours that make counts visible to the host.
 *
 * For host-visible counters a drain is a barrier. For device counters it is a copy into staging memory. Each
 * queue family has one command pool and one command buffer, recorded once and submitted many times. One drain
 * is in flight at a time.
 *
 * Owns: the pools, the command buffers and the fence, until wpg_drain_finish; buffers are borrowed.
 * Threads: the thread that may use the queue submits; any thread polls and waits. */
#ifndef WPG_RUNTIME_COUNTERS_DRAIN_H
#define WPG_RUNTIME_COUNTERS_DRAIN_H

#include <pthread.h>

#include "runtime/base/error.h"
#include "runtime/counters/memory.h"

typedef struct wpg_drain_family {
    uint32_t family;
    VkCommandPool pool;
    VkCommandBuffer commands;
} wpg_drain_family;

typedef struct wpg_drain {
    const wpg_counters_vk *vk;
    VkBuffer counters, staging; /* staging VK_NULL_HANDLE: a barrier is enough */
    size_t size;
    pthread_mutex_t lock; /* guards all below */
    wpg_drain_family *families;
    size_t family_count;
    VkFence fence;
    bool in_flight;
} wpg_drain;

wpg_status wpg_drain_init(wpg_drain *drain, const wpg_counters_vk *vk, const wpg_region *counters,
                          const wpg_region *staging, wpg_error *err);
/* The device must be idle. `vk_alive` false: no Vulkan call. */
void wpg_drain_finish(wpg_drain *drain, bool vk_alive);

/* Submits a drain to a queue of that family. WPG_E_LIMIT: one is in flight; WPG_E_IO: the driver refused. */
wpg_status wpg_drain_submit(wpg_drain *drain, VkQueue queue, uint32_t family, wpg_error *err);
/* Copies staging to the counters (initial values), waits for it. Same rules. */
wpg_status wpg_drain_upload(wpg_drain *drain, VkQueue queue, uint32_t family, wpg_error *err);
/* WPG_OK: nothing is in flight any more; WPG_E_NOT_FOUND: not yet, after `nanoseconds`; WPG_E_IO: device
 * lost.
 */
wpg_status wpg_drain_wait(wpg_drain *drain, uint64_t nanoseconds);

#endif
