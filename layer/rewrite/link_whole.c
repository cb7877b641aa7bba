/* Puts the state of a link's pieces together. See link_whole.h. */
#include "layer/rewrite/link_whole.h"

#include <string.h>

#include "layer/base/chain.h"
#include "layer/base/newer.h"
#include "layer/rewrite/dynamic_states.h"

/* The pipeline is no library, is linked from none, and derives from nothing. A link skips optimisation to be
 * quick, which its replacement need not be. */
#define NOT_WHOLE                                                                                            \
    ((uint64_t)(VK_PIPELINE_CREATE_LIBRARY_BIT_KHR |                                                         \
                VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT |                              \
                VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT | VK_PIPELINE_CREATE_DERIVATIVE_BIT |      \
                VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT))
/* How it is made: the link says so, whatever its parts said. The others are properties of the state. */
#define OF_LINK                                                                                              \
    ((uint64_t)(VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT | VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR |   \
                VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR |                                \
                VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT |                                   \
                VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT))

typedef struct pieces {
    const wpg_link_piece *all;
    uint32_t count;
} pieces;

static const VkGraphicsPipelineCreateInfo *of(const pieces *p, VkGraphicsPipelineLibraryFlagsEXT subset)
{
    static const VkGraphicsPipelineCreateInfo nothing;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->all[i].subsets & subset)
            return p->all[i].info;
    return &nothing;
}

static uint64_t flags_of(const VkGraphicsPipelineCreateInfo *info, bool *in_chain)
{
    const wpg_pipeline_flags_2 *flags = wpg_chain_find(info->pNext, WPG_STRUCTURE_PIPELINE_FLAGS_2);
    *in_chain |= flags != NULL;
    return flags ? flags->flags : info->flags;
}

static uint64_t all_flags(bool *in_chain, const pieces *p, const VkGraphicsPipelineCreateInfo *link)
{
    uint64_t flags = flags_of(link, in_chain);
    for (uint32_t i = 0; i < p->count; i++)
        flags |= flags_of(p->all[i].info, in_chain) & ~OF_LINK;
    return flags & ~NOT_WHOLE;
}

/* The render pass of the piece nearest to the output that still has one: all are compatible. False: all are
 * gone. */
static bool choose_pass(VkGraphicsPipelineCreateInfo *whole, const pieces *p)
{
    static const VkGraphicsPipelineLibraryFlagsEXT order[] = {WPG_SUBSET_OUTPUT, WPG_SUBSET_FRAGMENTS,
                                                              WPG_SUBSET_BEFORE};
    bool any = false;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        for (uint32_t k = 0; k < p->count; k++) {
            const wpg_link_piece *piece = &p->all[k];
            if (!(piece->subsets & order[i]) || !piece->info->renderPass)
                continue;
            any = true;
            if (piece->pass_gone)
                continue;
            whole->renderPass = piece->info->renderPass;
            whole->subpass = piece->info->subpass;
            return true;
        }
    return !any;
}

/* Pieces may list the same dynamic state. The whole lists it once, since Vulkan forbids duplicates. */
static bool add_dynamic(VkGraphicsPipelineCreateInfo *whole, wpg_arena *arena, const pieces *p)
{
    uint32_t most = 0, count = 0;
    for (uint32_t i = 0; i < p->count; i++)
        most += p->all[i].info->pDynamicState ? p->all[i].info->pDynamicState->dynamicStateCount : 0;
    if (!most)
        return true;
    VkPipelineDynamicStateCreateInfo *state = WPG_ARENA_NEW(arena, VkPipelineDynamicStateCreateInfo);
    VkDynamicState *states = WPG_ARENA_ARRAY(arena, VkDynamicState, most);
    if (!state || !states)
        return false;
    for (uint32_t i = 0; i < p->count; i++) {
        const VkPipelineDynamicStateCreateInfo *from = p->all[i].info->pDynamicState;
        for (uint32_t k = 0; from && k < from->dynamicStateCount; k++) {
            bool listed = false;
            for (uint32_t j = 0; j < count; j++)
                listed |= states[j] == from->pDynamicStates[k];
            if (!listed)
                states[count++] = from->pDynamicStates[k];
        }
    }
    state->sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
    state->dynamicStateCount = count;
    state->pDynamicStates = states;
    whole->pDynamicState = state;
    return true;
}

/* -- The chain */

static void *append(VkGraphicsPipelineCreateInfo *whole, wpg_arena *arena, const void *structure, size_t size)
{
    VkBaseOutStructure *copy = wpg_arena_memdup(arena, structure, size);
    if (!copy)
        return NULL;
    copy->pNext = (VkBaseOutStructure *)(uintptr_t)whole->pNext;
    whole->pNext = copy;
    return copy;
}

/* A structure that pre-rasterization and fragment state share must be equal in both pieces, since one
 * create-info has one such structure. In a piece without shaders the structure is ignored. */
static const char *add_shared(VkGraphicsPipelineCreateInfo *whole, wpg_arena *arena, const pieces *p,
                              VkStructureType type, size_t size, bool in_all)
{
    enum { HEAD = sizeof(VkBaseInStructure) };
    const char *found = NULL;
    bool absent = false;
    for (uint32_t i = 0; i < p->count; i++) {
        if (!(p->all[i].subsets & WPG_SHADER_SUBSETS))
            continue;
        const char *one = wpg_chain_find(p->all[i].info->pNext, type);
        absent |= !one;
        if (one && found && memcmp(one + HEAD, found + HEAD, size - HEAD) != 0)
            return "its parts differ in a structure that they share";
        found = one ? one : found;
    }
    if (found && absent && in_all)
        return "its parts differ in a structure that they share";
    return !found || append(whole, arena, found, size) ? NULL : "out of memory";
}

static const char *add_chain(VkGraphicsPipelineCreateInfo *whole, wpg_arena *arena, const pieces *p,
                             uint64_t flags, bool flags_in_chain)
{
    static const struct {
        VkStructureType type;
        size_t size;
        bool in_all; /* where a piece lacks it, the piece has the device's default */
    } shared[] = {
        {VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR,
         sizeof(VkPipelineFragmentShadingRateStateCreateInfoKHR), false},
        {VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT, sizeof(VkPipelineRobustnessCreateInfoEXT),
         true},
        {VK_STRUCTURE_TYPE_MULTIVIEW_PER_VIEW_ATTRIBUTES_INFO_NVX,
         sizeof(VkMultiviewPerViewAttributesInfoNVX), false},
    };
    const char *why = NULL;
    for (size_t i = 0; !why && i < sizeof shared / sizeof *shared; i++)
        why = add_shared(whole, arena, p, shared[i].type, shared[i].size, shared[i].in_all);
    if (why)
        return why;
    /* Outputs go with the output, inputs with the fragment shader. */
    const void *locations =
                   wpg_chain_find(of(p, WPG_SUBSET_OUTPUT)->pNext, WPG_STRUCTURE_ATTACHMENT_LOCATIONS),
               *inputs = wpg_chain_find(of(p, WPG_SUBSET_FRAGMENTS)->pNext, WPG_STRUCTURE_INPUT_ATTACHMENTS);
    if ((locations && !append(whole, arena, locations, sizeof(wpg_attachment_locations))) ||
        (inputs && !append(whole, arena, inputs, sizeof(wpg_input_attachments))))
        return "out of memory";
    const VkGraphicsPipelineLibraryFlagsEXT order[] = {WPG_SUBSET_OUTPUT, WPG_SUBSET_BEFORE,
                                                       WPG_SUBSET_FRAGMENTS};
    const void *rendering = NULL; /* formats go with the output, the view mask is the same in all */
    for (size_t i = 0; !rendering && i < sizeof order / sizeof *order; i++)
        rendering = wpg_chain_find(of(p, order[i])->pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
    if (!whole->renderPass && rendering &&
        !append(whole, arena, rendering, sizeof(VkPipelineRenderingCreateInfo)))
        return "out of memory";
    const wpg_pipeline_flags_2 wide = {.sType = WPG_STRUCTURE_PIPELINE_FLAGS_2, .flags = flags};
    return !flags_in_chain || append(whole, arena, &wide, sizeof wide) ? NULL : "out of memory";
}

VkGraphicsPipelineCreateInfo *wpg_link_whole(const char **why, wpg_arena *arena,
                                             const VkGraphicsPipelineCreateInfo *link,
                                             const wpg_link_piece *all, uint32_t count)
{
    const pieces p = {all, count};
    bool in_chain = false;
    const uint64_t flags = all_flags(&in_chain, &p, link);
    const VkGraphicsPipelineCreateInfo *input = of(&p, WPG_SUBSET_INPUT), *before = of(&p, WPG_SUBSET_BEFORE),
                                       *fragments = of(&p, WPG_SUBSET_FRAGMENTS),
                                       *output = of(&p, WPG_SUBSET_OUTPUT);
    VkGraphicsPipelineCreateInfo *whole = WPG_ARENA_NEW(arena, VkGraphicsPipelineCreateInfo);
    *why = "out of memory";
    if (!whole)
        return NULL;
    *whole = (VkGraphicsPipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                            .flags = (VkPipelineCreateFlags)flags,
                                            .pVertexInputState = input->pVertexInputState,
                                            .pInputAssemblyState = input->pInputAssemblyState,
                                            .pTessellationState = before->pTessellationState,
                                            .pViewportState = before->pViewportState,
                                            .pRasterizationState = before->pRasterizationState,
                                            .pMultisampleState = output->pMultisampleState
                                                                     ? output->pMultisampleState
                                                                     : fragments->pMultisampleState,
                                            .pDepthStencilState = fragments->pDepthStencilState,
                                            .pColorBlendState = output->pColorBlendState,
                                            .layout = link->layout,
                                            .basePipelineIndex = -1};
    if (!link->layout)
        *why = "the link states no layout";
    else if (!choose_pass(whole, &p))
        *why = "the render pass of its parts is gone";
    else if (add_dynamic(whole, arena, &p))
        *why = add_chain(whole, arena, &p, flags, in_chain);
    return *why ? NULL : whole;
}
