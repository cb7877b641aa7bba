/* Dynamic states by subset. See dynamic_states.h. */
#include "layer/rewrite/dynamic_states.h"

#include <stddef.h>
#include <stdint.h>

VkGraphicsPipelineLibraryFlagsEXT wpg_dynamic_subsets(VkDynamicState state)
{
    static const struct {
        uint32_t first, last; /* by the registry: some are newer than the oldest headers */
        VkGraphicsPipelineLibraryFlagsEXT subsets;
    } known[] = {
        {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_DEPTH_BIAS, WPG_SUBSET_BEFORE},
        {VK_DYNAMIC_STATE_BLEND_CONSTANTS, VK_DYNAMIC_STATE_BLEND_CONSTANTS, WPG_SUBSET_OUTPUT},
        {VK_DYNAMIC_STATE_DEPTH_BOUNDS, VK_DYNAMIC_STATE_STENCIL_REFERENCE, WPG_SUBSET_FRAGMENTS},
        {VK_DYNAMIC_STATE_FRAGMENT_SHADING_RATE_KHR, VK_DYNAMIC_STATE_FRAGMENT_SHADING_RATE_KHR,
         WPG_SUBSET_BEFORE | WPG_SUBSET_FRAGMENTS},
        {VK_DYNAMIC_STATE_LINE_STIPPLE_EXT, VK_DYNAMIC_STATE_LINE_STIPPLE_EXT, WPG_SUBSET_BEFORE},
        /* VK_EXT_extended_dynamic_state */
        {VK_DYNAMIC_STATE_CULL_MODE, VK_DYNAMIC_STATE_FRONT_FACE, WPG_SUBSET_BEFORE},
        {VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY, VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY, WPG_SUBSET_INPUT},
        {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT, WPG_SUBSET_BEFORE},
        {VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE, VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE,
         WPG_SUBSET_INPUT},
        {VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, VK_DYNAMIC_STATE_STENCIL_OP, WPG_SUBSET_FRAGMENTS},
        /* VK_EXT_vertex_input_dynamic_state */
        {VK_DYNAMIC_STATE_VERTEX_INPUT_EXT, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT, WPG_SUBSET_INPUT},
        /* VK_EXT_extended_dynamic_state2: patches, discard, depth bias; logic operation; restart */
        {1000377000, 1000377002, WPG_SUBSET_BEFORE},
        {1000377003, 1000377003, WPG_SUBSET_OUTPUT},
        {1000377004, 1000377004, WPG_SUBSET_INPUT},
        {VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT, VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT, WPG_SUBSET_OUTPUT},
        /* VK_EXT_extended_dynamic_state3, but for what extensions of one vendor have in it */
        {1000455002, 1000455004, WPG_SUBSET_BEFORE}, /* domain origin, depth clamp, polygon mode */
        {1000455005, 1000455008,
         WPG_SUBSET_FRAGMENTS | WPG_SUBSET_OUTPUT},  /* samples, sample mask, coverage, alpha to one */
        {1000455009, 1000455012, WPG_SUBSET_OUTPUT}, /* logic operation, blend, equation, write mask */
        {1000455013, 1000455016, WPG_SUBSET_BEFORE}, /* stream, conservative, overestimation, depth clip */
        {1000455017, 1000455017, WPG_SUBSET_FRAGMENTS | WPG_SUBSET_OUTPUT}, /* sample locations */
        {1000455018, 1000455018, WPG_SUBSET_OUTPUT},                        /* advanced blend */
        {1000455019, 1000455022, WPG_SUBSET_BEFORE}, /* provoking vertex, lines, depth clip range */
        /* VK_EXT_attachment_feedback_loop_dynamic_state */
        {1000524000, 1000524000, WPG_SUBSET_FRAGMENTS | WPG_SUBSET_OUTPUT},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((uint32_t)state >= known[i].first && (uint32_t)state <= known[i].last)
            return known[i].subsets;
    return 0;
}

bool wpg_is_dynamic(const VkGraphicsPipelineCreateInfo *info, VkDynamicState state)
{
    for (uint32_t i = 0; info->pDynamicState && i < info->pDynamicState->dynamicStateCount; i++)
        if (info->pDynamicState->pDynamicStates[i] == state)
            return true;
    return false;
}
