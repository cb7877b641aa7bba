/* Hardware counters for each pipeline, by VK_KHR_performance_query. Setting HARDWARE_COUNTERS, off by
 * default.
 *
 * Each run (record_queries.h) has one performance query. It has the counters of command scope that the
 * setting names and that add up: numbers, bytes, cycles, nanoseconds; not percentages, rates, temperatures.
 * It takes as many as one pass of the queue family allows: a command buffer is never run twice.
 *
 * Queries must be recorded and submitted under the profiling lock. The lock is taken once when the device is
 * made, after a short wait, and held while the device lives. Nothing is read, and one line says why, without
 * the lock, without the extension, or if the program measures itself. The host resets queries, because a
 * command buffer must not reset the performance queries it uses.
 *
 * Facts: sum counter.NAME[.UNIT], over hardware-commands. No driver at hand has the extension: verified
 * against a made-up driver (tests/e2e/shim_layer.c). Source: Vulkan 1.3, 18.8 (performance queries),
 * VUID-vkCmdBeginQuery-queryPool-03223 to 03229. Threads: as record_queries.h. */
#ifndef WPG_LAYER_COMMANDS_RECORD_HARDWARE_H
#define WPG_LAYER_COMMANDS_RECORD_HARDWARE_H

#include "layer/commands/record.h"

typedef struct wpg_hardware wpg_hardware;

/* NULL: nothing is wanted, or nothing can be measured. `families`: of queues. */
wpg_hardware *wpg_hardware_create(wpg_device *device, VkPhysicalDevice physical, uint32_t families);
/* Releases the lock, before the device is destroyed. The pools of command buffers are gone by then. NULL is
 * fine. */
void wpg_hardware_destroy(wpg_hardware *hardware, wpg_device *device);

/* A pool of `count` queries for command buffers of a queue family, reset; VK_NULL_HANDLE if there is nothing
 * to measure there. */
VkQueryPool wpg_hardware_pool(const wpg_hardware *hardware, wpg_device *device, uint32_t family,
                              uint32_t count);
/* Resets the first `count` queries for another execution or recording. None may be in use. */
void wpg_hardware_reset(const wpg_hardware *hardware, wpg_device *device, VkQueryPool pool, uint32_t count);
/* Adds the result of query number `query`, if available, over that many draws or dispatches. */
void wpg_hardware_read(const wpg_hardware *hardware, wpg_device *device, uint32_t family, VkQueryPool pool,
                       uint32_t query, wpg_totals *totals, uint64_t commands);

#endif
