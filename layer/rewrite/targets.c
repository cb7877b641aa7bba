/* Which outputs of a fragment stage reach an attachment.
 *
 *     location L --> attachment L of the subpass or of dynamic rendering --> write mask --> seen
 *
 * An output is of no use where there is no attachment L, where its format is undefined, or where its write
 * mask is 0 by the pipeline's own state. Both sources of blending stand at location 0. Alpha to coverage
 * reads the alpha of location 0, attachment or not. */
#include "layer/rewrite/targets.h"

#include "layer/base/chain.h"
#include "layer/base/newer.h"
#include "layer/rewrite/dynamic_states.h"
#include "layer/rewrite/passes.h"

enum { ALL_COMPONENTS = 15 };

/* Structures that neither add attachments nor lead outputs to others. */
static bool is_known_chain(const void *chain)
{
    for (const VkBaseInStructure *at = chain; at; at = at->pNext)
        switch ((uint32_t)at->sType) {
        case VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO:
        case VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO:
        case VK_STRUCTURE_TYPE_PIPELINE_DISCARD_RECTANGLE_STATE_CREATE_INFO_EXT:
        case VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR:
        case VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT:
        case WPG_STRUCTURE_PIPELINE_FLAGS_2:
            break;
        default:
            return false;
        }
    return true;
}

static bool may_cover_by_alpha(const VkGraphicsPipelineCreateInfo *info)
{
    return !info->pMultisampleState || info->pMultisampleState->alphaToCoverageEnable ||
           wpg_is_dynamic(info, VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT);
}

/* Whether there are colour attachments at all: else the blend state's pointer may be anything. False:
 * unknown. */
static bool has_colours(bool *colours, wpg_device *device, const VkGraphicsPipelineCreateInfo *info,
                        const VkPipelineRenderingCreateInfo *rendering)
{
    wpg_subpass_outputs of_pass = {0};
    *colours = false;
    if (info->renderPass) {
        const bool known = wpg_pass_subpass(&of_pass, device, info->renderPass, info->subpass);
        *colours = of_pass.color;
        return known;
    }
    for (uint32_t i = 0; rendering && i < rendering->colorAttachmentCount; i++)
        *colours |= rendering->pColorAttachmentFormats[i] != VK_FORMAT_UNDEFINED;
    return true;
}

/* Whether attachment `at` is there and is written to. Blend state that is dynamic may state no attachments.
 */
static bool is_seen(const VkGraphicsPipelineCreateInfo *info, const VkPipelineRenderingCreateInfo *rendering,
                    bool masks_known, uint32_t at)
{
    const VkPipelineColorBlendStateCreateInfo *blend = info->pColorBlendState;
    const bool stated = masks_known && at < blend->attachmentCount;
    if (info->renderPass) /* as many as the subpass has */
        return stated && blend->pAttachments[at].colorWriteMask;
    return at < rendering->colorAttachmentCount &&
           rendering->pColorAttachmentFormats[at] != VK_FORMAT_UNDEFINED &&
           (!stated || blend->pAttachments[at].colorWriteMask);
}

void wpg_targets_find(wpg_output_use *use, wpg_device *device, const VkGraphicsPipelineCreateInfo *info)
{
    const VkPipelineRenderingCreateInfo *rendering =
        wpg_chain_find(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
    const VkPipelineRasterizationStateCreateInfo *raster = info->pRasterizationState;
    const bool masks_known = !wpg_is_dynamic(info, VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT);
    bool colours;
    *use = (wpg_output_use){0};
    if (!is_known_chain(info->pNext) || !has_colours(&colours, device, info, rendering) || !raster ||
        raster->rasterizerDiscardEnable)
        return;
    if (colours && (!info->pColorBlendState || (masks_known && !info->pColorBlendState->pAttachments) ||
                    (info->renderPass && !masks_known)))
        return;
    for (uint32_t i = 0; colours && i < WPG_OUTPUT_LOCATIONS; i++)
        if (is_seen(info, rendering, masks_known, i))
            use->read[i] = ALL_COMPONENTS;
    if (may_cover_by_alpha(info))
        use->read[0] = ALL_COMPONENTS;
    use->known = true;
}
