/* A stable power state of AMD's GPUs while pipelines are timed (STABLE_POWER; runtime/gpu/gpu.h): clocks that
 * stay the same, so that a candidate is not judged by the minute it ran in.
 *
 *     device made      --> the driver tells the render node (VK_EXT_physical_device_drm);
 *                          an AMD GPU's state is held, and one line tells the clocks
 *     last device gone --> it is let go of, with one line again; so at the end of the program
 *
 * Where it cannot be held one line says why, and nothing else changes. The kernel lets go of it for a process
 * that dies.
 *
 * Threads: any; one lock. A forked child does nothing. */
#ifndef WPG_LAYER_BASE_POWER_H
#define WPG_LAYER_BASE_POWER_H

#include "layer/base/state.h"

/* For a new device that is ready: device->mode and device->times are known. */
void wpg_power_hold(wpg_device *device, VkPhysicalDevice physical);
void wpg_power_release(wpg_device *device);

/* The end of the program: lets go of what devices still hold. */
void wpg_power_finish(void);

#endif
