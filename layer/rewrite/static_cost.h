/* The driver's own figures of pipelines, by VK_KHR_pipeline_executable_properties: for the static verdict
 * (runtime/tune/estimate.h). What is asked about is built for that alone, with CAPTURE_STATISTICS, by the
 * caller, and destroyed after: never a pipeline that the program gets or that a command buffer binds, since
 * the flag may change code and makes drivers leave their caches alone. Threads: any. */
#ifndef WPG_LAYER_REWRITE_STATIC_COST_H
#define WPG_LAYER_REWRITE_STATIC_COST_H

#include "layer/base/state.h"
#include "runtime/tune/estimate.h"

/* Whether the device was made so that it can be asked. */
bool wpg_static_cost_known(const wpg_device *device);
/* What the driver says of a pipeline built with CAPTURE_STATISTICS; count 0: not enough. */
void wpg_static_cost_read(wpg_estimate *estimate, const wpg_device *device, VkPipeline pipeline);

#endif
