/* The subsets of a graphics pipeline's state, and the subset that each dynamic state stands in. Owns the
 * table of dynamic states that copies of pipelines may have. Threads: no shared state. Source: Vulkan 1.4,
 * 10.3 (graphics pipeline libraries) and VkDynamicState. */
#ifndef WPG_LAYER_REWRITE_DYNAMIC_STATES_H
#define WPG_LAYER_REWRITE_DYNAMIC_STATES_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

/* VkGraphicsPipelineLibraryFlagsEXT, by shorter names. */
enum {
    WPG_SUBSET_INPUT = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
    WPG_SUBSET_BEFORE = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
    WPG_SUBSET_FRAGMENTS = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
    WPG_SUBSET_OUTPUT = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT,
    WPG_SHADER_SUBSETS = WPG_SUBSET_BEFORE | WPG_SUBSET_FRAGMENTS,
    WPG_ALL_SUBSETS = WPG_SUBSET_INPUT | WPG_SHADER_SUBSETS | WPG_SUBSET_OUTPUT
};

/* The subsets of VK_EXT_graphics_pipeline_library that the dynamic state belongs to. 0: the state is unknown,
 * so a pointer may be ignored that copies would follow. */
VkGraphicsPipelineLibraryFlagsEXT wpg_dynamic_subsets(VkDynamicState state);

/* True if the create-info makes the state dynamic. */
bool wpg_is_dynamic(const VkGraphicsPipelineCreateInfo *info, VkDynamicState state);

#endif
