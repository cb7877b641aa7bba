/* Render passes: whether they have several views, and what their subpasses draw to. Owns device->view_passes
 * and device->pass_outputs. Threads: any; a pass is used as Vulkan synchronises its handle. */
#ifndef WPG_LAYER_REWRITE_PASSES_H
#define WPG_LAYER_REWRITE_PASSES_H

#include "layer/base/state.h"
#include "layer/rewrite/library_copy.h"

/* The driver made a pass; the program destroys one. */
void wpg_pass_made(wpg_device *device, VkRenderPass pass, const VkRenderPassCreateInfo *info);
void wpg_pass_made_2(wpg_device *device, VkRenderPass pass, const VkRenderPassCreateInfo2 *info);
void wpg_pass_gone(wpg_device *device, VkRenderPass pass);

/* True if a subpass has views, or if that is unknown. Needed where queries are recorded. */
bool wpg_pass_has_views(wpg_device *device, VkRenderPass pass);

/* The outputs of the subpass. False: unknown. */
bool wpg_pass_subpass(wpg_subpass_outputs *outputs, wpg_device *device, VkRenderPass pass, uint32_t subpass);

#endif
