/* Which outputs of a pipeline's fragment stage reach an attachment. Threads: any; a render pass is used as
 * Vulkan synchronises its handle. Source: Vulkan 1.3, VkGraphicsPipelineCreateInfo (which state is
 * ignored when), Fragment Output Interface, Color Write Mask, Multisample Coverage;
 * VK_EXT_dynamic_rendering_unused_attachments. */
#ifndef WPG_LAYER_REWRITE_TARGETS_H
#define WPG_LAYER_REWRITE_TARGETS_H

#include "layer/base/state.h"
#include "layer/base/stage.h"

/* Of a whole pipeline, neither part nor link. `use->known` is false where state, structures of the chain or
 * the render pass are not known. */
void wpg_targets_find(wpg_output_use *use, wpg_device *device, const VkGraphicsPipelineCreateInfo *info);

#endif
