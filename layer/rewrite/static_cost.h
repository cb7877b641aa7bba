/* The driver's own figures of pipelines, by VK_KHR_pipeline_executable_properties, for the static verdict
 * (runtime/tune/estimate.h). The caller builds a pipeline for this alone, with CAPTURE_STATISTICS, and
 * destroys it afterwards. It is never one that the program gets or that a command buffer binds: the flag may
 * change code, and makes drivers skip their caches. Threads: any. */
#ifndef WPG_LAYER_REWRITE_STATIC_COST_H
#define WPG_LAYER_REWRITE_STATIC_COST_H

#include "layer/base/state.h"
#include "runtime/tune/estimate.h"

/* True if the device was made so that these figures can be read. */
bool wpg_static_cost_known(const wpg_device *device);
/* Reads the driver's figures of a pipeline built with CAPTURE_STATISTICS. count 0: not enough figures. */
void wpg_static_cost_read(wpg_estimate *estimate, const wpg_device *device, VkPipeline pipeline);

#endif
