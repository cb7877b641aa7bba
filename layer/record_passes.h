/* What is known of render passes: whether they have several views, and what their subpasses draw to.
 * Threads: any; a pass is used as Vulkan synchronises its handle. */
#ifndef WPG_LAYER_RECORD_PASSES_H
#define WPG_LAYER_RECORD_PASSES_H

#include "layer/library_copy.h"
#include "layer/state.h"

/* Whether a subpass of it has views, or that is not known. Asked where queries are recorded. */
bool wpg_record_many_views(wpg_device *device, VkRenderPass pass);

/* What the subpass has. false: it is not known. Followed where variants are wanted. */
bool wpg_record_subpass(wpg_subpass_outputs *outputs, wpg_device *device, VkRenderPass pass,
                        uint32_t subpass);

#endif
