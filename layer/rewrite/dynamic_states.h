/* Dynamic states that copies of pipelines may have, and the subset of a pipeline's state that each stands in.
 * Owns the table. Threads: no shared state. Source: Vulkan 1.4, 10.3 (graphics pipeline libraries) and
 * VkDynamicState. */
#ifndef WPG_LAYER_REWRITE_DYNAMIC_STATES_H
#define WPG_LAYER_REWRITE_DYNAMIC_STATES_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

/* The subsets of VK_EXT_graphics_pipeline_library that the dynamic state belongs to. 0: the state is unknown,
 * so a pointer may be ignored that copies would follow. */
VkGraphicsPipelineLibraryFlagsEXT wpg_dynamic_subsets(VkDynamicState state);

/* True if the create-info makes the state dynamic. */
bool wpg_is_dynamic(const VkGraphicsPipelineCreateInfo *info, VkDynamicState state);

#endif
