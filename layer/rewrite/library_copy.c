/* Deep copies of pipeline state: structures of plain data by a table, those with arrays one by one. */
#include "layer/rewrite/library_copy.h"

#include <stdbool.h>
#include <string.h>

#include "layer/base/chain.h"
#include "layer/base/newer.h"
#include "runtime/base/log.h"

typedef struct copier {
    wpg_arena *arena;
    const char *why; /* NULL as long as everything was copied */
    bool formats;    /* its output is stated: formats are copied, too */
} copier;

static void *dup(copier *c, const void *data, size_t size)
{
    void *copy = data && size ? wpg_arena_memdup(c->arena, data, size) : NULL;
    if (data && size && !copy)
        c->why = "out of memory";
    return copy;
}

/* -- Chains */

typedef struct flat {
    VkStructureType type;
    size_t size;
} flat;

/* Structures without pointers of their own. */
static const flat part_structs[] = {
    {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
     sizeof(VkGraphicsPipelineLibraryCreateInfoEXT)},
    {VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR,
     sizeof(VkPipelineFragmentShadingRateStateCreateInfoKHR)},
    {VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT, sizeof(VkPipelineRobustnessCreateInfoEXT)},
    {VK_STRUCTURE_TYPE_MULTIVIEW_PER_VIEW_ATTRIBUTES_INFO_NVX, sizeof(VkMultiviewPerViewAttributesInfoNVX)},
    {WPG_STRUCTURE_PIPELINE_FLAGS_2, sizeof(wpg_pipeline_flags_2)},
};
static const flat stage_structs[] = {
    {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
     sizeof(VkPipelineShaderStageRequiredSubgroupSizeCreateInfo)},
    {VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT, sizeof(VkPipelineRobustnessCreateInfoEXT)},
};
static const flat view_structs[] = {
    {VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT,
     sizeof(VkPipelineViewportDepthClipControlCreateInfoEXT)},
};
static const flat raster_structs[] = {
    {VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT,
     sizeof(VkPipelineRasterizationConservativeStateCreateInfoEXT)},
    {VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT,
     sizeof(VkPipelineRasterizationDepthClipStateCreateInfoEXT)},
    {VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT,
     sizeof(VkPipelineRasterizationLineStateCreateInfoEXT)},
    {VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT,
     sizeof(VkPipelineRasterizationProvokingVertexStateCreateInfoEXT)},
    {VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_STREAM_CREATE_INFO_EXT,
     sizeof(VkPipelineRasterizationStateStreamCreateInfoEXT)},
};
static const flat tessellation_structs[] = {
    {VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_DOMAIN_ORIGIN_STATE_CREATE_INFO,
     sizeof(VkPipelineTessellationDomainOriginStateCreateInfo)},
};
#define TABLE(table) table, sizeof table / sizeof *table

/* What says nothing about the code, or is answered for the original: left out. */
static bool is_left_out(VkStructureType type)
{
    return type == VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO ||
           type == VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR ||
           type == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO ||
           type == VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT ||
           type == VK_STRUCTURE_TYPE_SHADER_MODULE_VALIDATION_CACHE_CREATE_INFO_EXT ||
           type == VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT;
}

/* Which attachment is which output or input of the fragment shader. */
static VkBaseOutStructure *copy_locations(copier *c, const VkBaseInStructure *at)
{
    wpg_attachment_locations *mine = dup(c, at, sizeof *mine);
    if (mine)
        mine->locations = dup(c, mine->locations, mine->count * sizeof *mine->locations);
    return (VkBaseOutStructure *)mine;
}

static VkBaseOutStructure *copy_inputs(copier *c, const VkBaseInStructure *at)
{
    wpg_input_attachments *mine = dup(c, at, sizeof *mine);
    if (!mine)
        return NULL;
    mine->colors = dup(c, mine->colors, mine->count * sizeof *mine->colors);
    mine->depth = dup(c, mine->depth, sizeof *mine->depth);
    mine->stencil = dup(c, mine->stencil, sizeof *mine->stencil);
    return (VkBaseOutStructure *)mine;
}

static VkBaseOutStructure *copy_struct(copier *c, const VkBaseInStructure *at, const flat *table,
                                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (table[i].type == at->sType)
            return dup(c, at, table[i].size);
    /* Of these only the view mask is part of a shader's state; formats go with the output. */
    if (at->sType == VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO && table == part_structs) {
        VkPipelineRenderingCreateInfo *mine = dup(c, at, sizeof *mine);
        if (mine && c->formats) {
            mine->pColorAttachmentFormats =
                dup(c, mine->pColorAttachmentFormats, mine->colorAttachmentCount * sizeof(VkFormat));
        } else if (mine) {
            mine->colorAttachmentCount = 0;
            mine->pColorAttachmentFormats = NULL;
        }
        return (VkBaseOutStructure *)mine;
    }
    if (at->sType == WPG_STRUCTURE_ATTACHMENT_LOCATIONS && table == part_structs)
        return copy_locations(c, at);
    if (at->sType == WPG_STRUCTURE_INPUT_ATTACHMENTS && table == part_structs)
        return copy_inputs(c, at);
    wpg_log_debug("VkStructureType %d is not copied", (int)at->sType);
    c->why = "its state holds a structure that this layer does not know";
    return NULL;
}

static void *copy_chain(copier *c, const void *chain, const flat *table, size_t count)
{
    VkBaseOutStructure *head = NULL, **tail = &head;
    for (const VkBaseInStructure *at = chain; at && !c->why; at = at->pNext) {
        if (is_left_out(at->sType))
            continue;
        VkBaseOutStructure *mine = copy_struct(c, at, table, count);
        if (!mine)
            break;
        mine->pNext = NULL;
        *tail = mine;
        tail = &mine->pNext;
    }
    return head;
}

/* -- State */

/* What is listed beside the subsets is ignored, so it is left out. */
static const VkPipelineDynamicStateCreateInfo *copy_dynamic(copier *c,
                                                            const VkPipelineDynamicStateCreateInfo *state,
                                                            VkGraphicsPipelineLibraryFlagsEXT subsets)
{
    VkPipelineDynamicStateCreateInfo *mine = dup(c, state, sizeof *mine);
    VkDynamicState *states =
        mine ? dup(c, mine->pDynamicStates, mine->dynamicStateCount * sizeof(VkDynamicState)) : NULL;
    if (!mine)
        return NULL;
    if (mine->pNext)
        c->why = "its dynamic state holds structures that are not copied";
    mine->pDynamicStates = states;
    mine->dynamicStateCount = 0;
    for (uint32_t i = 0; states && i < state->dynamicStateCount; i++) {
        const VkGraphicsPipelineLibraryFlagsEXT of = wpg_dynamic_subsets(states[i]);
        if (!of)
            c->why = "it has dynamic state that is not known here";
        if (of & subsets)
            states[mine->dynamicStateCount++] = states[i];
    }
    return mine;
}

static const VkPipelineViewportStateCreateInfo *copy_view(copier *c, const VkGraphicsPipelineCreateInfo *info)
{
    VkPipelineViewportStateCreateInfo *mine = dup(c, info->pViewportState, sizeof *mine);
    if (!mine)
        return NULL;
    mine->pNext = copy_chain(c, mine->pNext, TABLE(view_structs));
    /* Dynamic ones are ignored: their pointer may be anything. */
    bool viewports = wpg_is_dynamic(info, VK_DYNAMIC_STATE_VIEWPORT) ||
                     wpg_is_dynamic(info, VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT);
    bool scissors = wpg_is_dynamic(info, VK_DYNAMIC_STATE_SCISSOR) ||
                    wpg_is_dynamic(info, VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT);
    mine->pViewports = viewports ? NULL : dup(c, mine->pViewports, mine->viewportCount * sizeof(VkViewport));
    mine->pScissors = scissors ? NULL : dup(c, mine->pScissors, mine->scissorCount * sizeof(VkRect2D));
    return mine;
}

static const VkPipelineMultisampleStateCreateInfo *copy_samples(copier *c,
                                                                const VkGraphicsPipelineCreateInfo *info)
{
    VkPipelineMultisampleStateCreateInfo *mine = dup(c, info->pMultisampleState, sizeof *mine);
    if (!mine)
        return NULL;
    if (mine->pNext)
        c->why = "its multisample state holds structures that are not copied";
    size_t words = ((size_t)mine->rasterizationSamples + 31) / 32;
    mine->pSampleMask = wpg_is_dynamic(info, VK_DYNAMIC_STATE_SAMPLE_MASK_EXT)
                            ? NULL
                            : dup(c, mine->pSampleMask, words * sizeof(VkSampleMask));
    return mine;
}

static const VkSpecializationInfo *copy_specialization(copier *c, const VkSpecializationInfo *info)
{
    VkSpecializationInfo *mine = dup(c, info, sizeof *mine);
    if (!mine)
        return NULL;
    mine->pMapEntries = dup(c, mine->pMapEntries, mine->mapEntryCount * sizeof(VkSpecializationMapEntry));
    mine->pData = dup(c, mine->pData, mine->dataSize);
    return mine;
}

static bool has_tessellation(const VkGraphicsPipelineCreateInfo *info)
{
    for (uint32_t i = 0; i < info->stageCount; i++)
        if (info->pStages[i].stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT)
            return true;
    return false;
}

static const VkPipelineShaderStageCreateInfo *copy_stages(copier *c, const VkGraphicsPipelineCreateInfo *info)
{
    VkPipelineShaderStageCreateInfo *mine = dup(c, info->pStages, info->stageCount * sizeof *mine);
    for (uint32_t i = 0; mine && i < info->stageCount; i++) {
        mine[i].module = VK_NULL_HANDLE;
        mine[i].pNext = copy_chain(c, mine[i].pNext, TABLE(stage_structs));
        mine[i].pName = mine[i].pName ? wpg_arena_strdup(c->arena, mine[i].pName) : NULL;
        mine[i].pSpecializationInfo = copy_specialization(c, mine[i].pSpecializationInfo);
    }
    return mine;
}

static void copy_pre_rasterization(copier *c, VkGraphicsPipelineCreateInfo *mine,
                                   const VkGraphicsPipelineCreateInfo *info)
{
    const VkPipelineRasterizationStateCreateInfo *raster = info->pRasterizationState;
    if (raster) {
        VkPipelineRasterizationStateCreateInfo *copy = dup(c, raster, sizeof *copy);
        if (copy)
            copy->pNext = copy_chain(c, raster->pNext, TABLE(raster_structs));
        mine->pRasterizationState = copy;
    }
    bool discards = raster && raster->rasterizerDiscardEnable &&
                    !wpg_is_dynamic(info, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE);
    if (!discards)
        mine->pViewportState = copy_view(c, info);
    if (has_tessellation(info) && info->pTessellationState) {
        VkPipelineTessellationStateCreateInfo *copy = dup(c, info->pTessellationState, sizeof *copy);
        if (copy)
            copy->pNext = copy_chain(c, copy->pNext, TABLE(tessellation_structs));
        mine->pTessellationState = copy;
    }
}

static const flat divisor_structs[] = {
    {VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_DIVISOR_STATE_CREATE_INFO_EXT,
     sizeof(VkPipelineVertexInputDivisorStateCreateInfoEXT)},
};

/* With mesh shaders, or all of it dynamic, it is ignored: the pointers may be anything. */
static void copy_vertex_input(copier *c, VkGraphicsPipelineCreateInfo *mine,
                              const VkGraphicsPipelineCreateInfo *info)
{
    bool meshes = false;
    for (uint32_t i = 0; i < mine->stageCount; i++)
        meshes |= info->pStages[i].stage == VK_SHADER_STAGE_MESH_BIT_EXT;
    if (meshes)
        return;
    if (!wpg_is_dynamic(info, VK_DYNAMIC_STATE_VERTEX_INPUT_EXT) && info->pVertexInputState) {
        VkPipelineVertexInputStateCreateInfo *copy = dup(c, info->pVertexInputState, sizeof *copy);
        if (!copy)
            return;
        copy->pVertexBindingDescriptions =
            dup(c, copy->pVertexBindingDescriptions,
                copy->vertexBindingDescriptionCount * sizeof *copy->pVertexBindingDescriptions);
        copy->pVertexAttributeDescriptions =
            dup(c, copy->pVertexAttributeDescriptions,
                copy->vertexAttributeDescriptionCount * sizeof *copy->pVertexAttributeDescriptions);
        VkPipelineVertexInputDivisorStateCreateInfoEXT *divisors =
            copy_chain(c, copy->pNext, TABLE(divisor_structs));
        if (divisors)
            divisors->pVertexBindingDivisors =
                dup(c, divisors->pVertexBindingDivisors,
                    divisors->vertexBindingDivisorCount * sizeof *divisors->pVertexBindingDivisors);
        copy->pNext = divisors;
        mine->pVertexInputState = copy;
    }
    if (info->pInputAssemblyState) {
        VkPipelineInputAssemblyStateCreateInfo *copy = dup(c, info->pInputAssemblyState, sizeof *copy);
        if (copy && copy->pNext)
            c->why = "its input assembly state holds structures that are not copied";
        mine->pInputAssemblyState = copy;
    }
}

/* Made again, a pipeline derives from nothing and may be compiled. */
static const VkPipelineCreateFlags not_again = VK_PIPELINE_CREATE_DERIVATIVE_BIT |
                                               VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT |
                                               VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT;

static void *copy_pipeline_chain(copier *c, const void *chain)
{
    void *copy = c->why ? NULL : copy_chain(c, chain, TABLE(part_structs));
    wpg_pipeline_flags_2 *flags =
        (wpg_pipeline_flags_2 *)(uintptr_t)wpg_chain_find(copy, WPG_STRUCTURE_PIPELINE_FLAGS_2);
    if (flags && !c->why)
        flags->flags &= ~(uint64_t)not_again;
    return copy;
}

bool wpg_library_copy_compute(const char **why, VkComputePipelineCreateInfo *copy, wpg_arena *arena,
                              const VkComputePipelineCreateInfo *info)
{
    copier c = {.arena = arena};
    *copy = *info;
    copy->flags &= ~not_again;
    copy->basePipelineHandle = VK_NULL_HANDLE;
    copy->basePipelineIndex = -1;
    copy->pNext = copy_pipeline_chain(&c, info->pNext);
    copy->stage.module = VK_NULL_HANDLE;
    copy->stage.pSpecializationInfo = NULL; /* our words bear the values */
    copy->stage.pNext = c.why ? NULL : copy_chain(&c, info->stage.pNext, TABLE(stage_structs));
    copy->stage.pName = wpg_arena_strdup(arena, info->stage.pName);
    *why = arena->failed ? "out of memory" : c.why;
    return !*why;
}

/* A copy without its states and without what ties it to another pipeline. */
static VkGraphicsPipelineCreateInfo *copy_bare(copier *c, const VkGraphicsPipelineCreateInfo *info,
                                               VkGraphicsPipelineLibraryFlagsEXT subsets)
{
    VkGraphicsPipelineCreateInfo *mine = dup(c, info, sizeof *mine);
    if (!mine)
        return NULL;
    if (!(subsets & (WPG_SHADER_SUBSETS))) /* stages are ignored */
        mine->stageCount = 0;
    mine->flags &= ~not_again;
    mine->basePipelineHandle = VK_NULL_HANDLE;
    mine->basePipelineIndex = -1;
    mine->pVertexInputState = NULL;
    mine->pInputAssemblyState = NULL;
    mine->pTessellationState = NULL;
    mine->pViewportState = NULL;
    mine->pRasterizationState = NULL;
    mine->pMultisampleState = NULL;
    mine->pDepthStencilState = NULL;
    mine->pColorBlendState = NULL;
    mine->pNext = copy_pipeline_chain(c, info->pNext);
    mine->pDynamicState = info->pDynamicState ? copy_dynamic(c, info->pDynamicState, subsets) : NULL;
    return mine;
}

/* -- What is drawn to */

static const VkPipelineDepthStencilStateCreateInfo *
copy_depth(copier *c, const VkPipelineDepthStencilStateCreateInfo *state)
{
    VkPipelineDepthStencilStateCreateInfo *copy = dup(c, state, sizeof *copy);
    if (copy && copy->pNext)
        c->why = "its depth state holds structures that are not copied";
    return copy;
}

static const VkPipelineColorBlendStateCreateInfo *copy_blend(copier *c,
                                                             const VkGraphicsPipelineCreateInfo *info)
{
    static const flat blend_structs[] = {
        {VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_ADVANCED_STATE_CREATE_INFO_EXT,
         sizeof(VkPipelineColorBlendAdvancedStateCreateInfoEXT)},
    };
    /* Attachments of which everything is dynamic are ignored: their pointer may be anything. */
    const bool moving = wpg_is_dynamic(info, VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT) &&
                        wpg_is_dynamic(info, VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT) &&
                        wpg_is_dynamic(info, VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT);
    VkPipelineColorBlendStateCreateInfo *copy = dup(c, info->pColorBlendState, sizeof *copy);
    if (!copy)
        return NULL;
    copy->pNext = copy_chain(c, copy->pNext, TABLE(blend_structs));
    copy->pAttachments =
        moving ? NULL : dup(c, copy->pAttachments, copy->attachmentCount * sizeof *copy->pAttachments);
    return copy;
}

/* What of the output there is to be drawn to: with dynamic rendering the chain tells. */
static wpg_subpass_outputs outputs_of(const VkGraphicsPipelineCreateInfo *info, wpg_subpass_outputs of_pass)
{
    const VkPipelineRenderingCreateInfo *rendering =
        wpg_chain_find(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
    if (info->renderPass)
        return of_pass;
    return (wpg_subpass_outputs){
        .depth = rendering && (rendering->depthAttachmentFormat || rendering->stencilAttachmentFormat),
        .color = rendering && rendering->colorAttachmentCount};
}

/* State of the fragment shader and of the output, where there is rasterisation. */
static void copy_outputs(copier *c, VkGraphicsPipelineCreateInfo *mine,
                         const VkGraphicsPipelineCreateInfo *info, VkGraphicsPipelineLibraryFlagsEXT subsets,
                         wpg_subpass_outputs outputs)
{
    mine->pMultisampleState = copy_samples(c, info);
    if ((subsets & WPG_SUBSET_FRAGMENTS) && outputs.depth)
        mine->pDepthStencilState = copy_depth(c, info->pDepthStencilState);
    if ((subsets & WPG_SUBSET_OUTPUT) && outputs.color)
        mine->pColorBlendState = copy_blend(c, info);
}

/* True if the create-info's own state says that nothing is rasterised: then state behind that is ignored. */
static bool rasterises_nothing(const VkGraphicsPipelineCreateInfo *info,
                               VkGraphicsPipelineLibraryFlagsEXT subsets)
{
    const VkPipelineRasterizationStateCreateInfo *raster =
        subsets & WPG_SUBSET_BEFORE ? info->pRasterizationState : NULL;
    return raster && raster->rasterizerDiscardEnable &&
           !wpg_is_dynamic(info, VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE);
}

VkGraphicsPipelineCreateInfo *wpg_library_copy_info(const char **why, wpg_arena *arena,
                                                    const VkGraphicsPipelineCreateInfo *info,
                                                    VkGraphicsPipelineLibraryFlagsEXT subsets,
                                                    const wpg_subpass_outputs *of_pass)
{
    copier c = {.arena = arena, .formats = subsets & WPG_SUBSET_OUTPUT};
    wpg_subpass_outputs outputs = outputs_of(info, of_pass ? *of_pass : (wpg_subpass_outputs){0});
    VkGraphicsPipelineCreateInfo *mine = copy_bare(&c, info, subsets);
    *why = "out of memory";
    if (!mine)
        return NULL;
    /* A fragment shader alone does not tell the formats: its depth state is stated wherever there is any. */
    if (!info->renderPass && !(subsets & WPG_SUBSET_OUTPUT))
        outputs.depth = true;
    if (subsets & WPG_SUBSET_INPUT)
        copy_vertex_input(&c, mine, info);
    if (subsets & WPG_SUBSET_BEFORE)
        copy_pre_rasterization(&c, mine, info);
    if ((subsets & (WPG_SUBSET_FRAGMENTS | WPG_SUBSET_OUTPUT)) && !rasterises_nothing(info, subsets)) {
        if (info->renderPass && !of_pass)
            c.why = "its render pass is not known";
        else
            copy_outputs(&c, mine, info, subsets, outputs);
    }
    mine->pStages = mine->stageCount ? copy_stages(&c, info) : NULL;
    *why = arena->failed ? "out of memory" : c.why;
    return *why ? NULL : mine;
}

bool wpg_library_copy_chain(const void **copy, wpg_arena *arena, const void *chain, const void *last,
                            void *other)
{
    static const flat more[] = {
        {VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, sizeof(VkPipelineRenderingCreateInfo)},
        {VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
         sizeof(VkPipelineCreationFeedbackCreateInfo)},
    };
    VkBaseOutStructure *head = NULL, **tail = &head;
    for (const VkBaseInStructure *at = chain; at != last; at = at->pNext) {
        size_t size = 0;
        for (size_t i = 0; i < sizeof more / sizeof *more; i++)
            size = more[i].type == at->sType ? more[i].size : size;
        for (size_t i = 0; i < sizeof part_structs / sizeof *part_structs; i++)
            size = part_structs[i].type == at->sType ? part_structs[i].size : size;
        VkBaseOutStructure *mine = size ? wpg_arena_memdup(arena, at, size) : NULL;
        if (!mine)
            return false;
        *tail = mine;
        tail = &mine->pNext;
    }
    *tail = other;
    *copy = head;
    return true;
}
