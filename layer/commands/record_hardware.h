/* Counters of the hardware for each pipeline, where the driver has VK_KHR_performance_query. Setting
 * HARDWARE_COUNTERS, off by default.
 *
 * Each run (record_queries.h) has one performance query. Chosen are the counters of command scope that the
 * setting names and that add up (numbers, bytes, cycles, nanoseconds; not percentages, rates, temperatures),
 * as far as one pass of the queue family takes them: a command buffer is never run twice. The profiling lock
 * is taken once, when the device is made, and held while it lives, since queries must be recorded and
 * submitted under it; it is waited for a moment only, and without it, without the extension, or where the
 * program measures by itself, nothing is read and one line says why. Queries are reset by the host, as
 * command buffers must not reset the performance queries they use. Facts: sum counter.NAME[.UNIT], over
 * hardware-commands. No driver at hand has the extension: verified against a made-up one
 * (tests/e2e/shim_layer.c). Source: Vulkan 1.3, 18.8 (performance queries),
 * VUID-vkCmdBeginQuery-queryPool-03223 to 03229. Threads: as record_queries.h. */
#ifndef WPG_LAYER_COMMANDS_RECORD_HARDWARE_H
#define WPG_LAYER_COMMANDS_RECORD_HARDWARE_H

#include "layer/commands/record.h"

typedef struct wpg_hardware wpg_hardware;

/* NULL: nothing is to be, or can be, measured. `families`: of queues. */
wpg_hardware *wpg_hardware_create(wpg_device *device, VkPhysicalDevice physical, uint32_t families);
/* Releases the lock: before the device goes. Command buffers' pools are gone. NULL is fine. */
void wpg_hardware_destroy(wpg_hardware *hardware, wpg_device *device);

/* A pool of `count` queries for command buffers of a queue family, reset; VK_NULL_HANDLE if there is nothing
 * to measure there. */
VkQueryPool wpg_hardware_pool(const wpg_hardware *hardware, wpg_device *device, uint32_t family,
                              uint32_t count);
/* Makes the first `count` queries ready for another execution, or recording; none is in use. */
void wpg_hardware_reset(const wpg_hardware *hardware, wpg_device *device, VkQueryPool pool, uint32_t count);
/* Adds what query number `query` measured, if it is there, of so many draws or dispatches. */
void wpg_hardware_read(const wpg_hardware *hardware, wpg_device *device, uint32_t family, VkQueryPool pool,
                       uint32_t query, wpg_totals *totals, uint64_t commands);

#endif
