/* Holds a stable power state of AMD's GPUs while pipelines are timed (STABLE_POWER; runtime/gpu/gpu.h).
 * Clocks stay the same, so it does not matter when a candidate ran.
 *
 *     device made      --> the driver names the render node (VK_EXT_physical_device_drm);
 *                          an AMD GPU's state is held, and one line logs the clocks
 *     last device gone --> the state is released, with one line again; also at the end of the program
 *
 * If the state cannot be held, one line says why and nothing else changes. The kernel releases the state of a
 * process that dies.
 *
 * Threads: any; one lock. A forked child does nothing. */
#ifndef WPG_LAYER_BASE_POWER_H
#define WPG_LAYER_BASE_POWER_H

#include "layer/base/state.h"

/* For a new device that is ready: device->mode and device->times are known. */
void wpg_power_hold(wpg_device *device, VkPhysicalDevice physical);
void wpg_power_release(wpg_device *device);

/* The end of the program: releases states that devices still hold. */
void wpg_power_finish(void);

#endif
