#include "layer/rewrite/passes.h"

#include <stdlib.h>

#include "layer/base/chain.h"

/* -- Several views */

static bool has_views(const VkRenderPassCreateInfo *info)
{
    const VkRenderPassMultiviewCreateInfo *views =
        wpg_chain_find(info->pNext, VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO);
    for (uint32_t i = 0; views && i < views->subpassCount; i++)
        if (views->pViewMasks[i])
            return true;
    return false;
}

static bool has_views2(const VkRenderPassCreateInfo2 *info)
{
    for (uint32_t i = 0; i < info->subpassCount; i++)
        if (info->pSubpasses[i].viewMask)
            return true;
    return false;
}

/* If it cannot be noted nothing would say later that the pass has views: then nothing is measured any more.
 */
static void note_views(wpg_device *device, VkRenderPass pass)
{
    static char views;
    if (!wpg_handles_set(&device->view_passes, (uint64_t)pass, &views))
        atomic_store(&device->views_unknown, true);
}

bool wpg_pass_has_views(wpg_device *device, VkRenderPass pass)
{
    return atomic_load_explicit(&device->views_unknown, memory_order_relaxed) ||
           wpg_handles_get(&device->view_passes, (uint64_t)pass) != NULL;
}

/* -- What is drawn to */

typedef struct outputs {
    uint32_t count;
    wpg_subpass_outputs subpasses[];
} outputs;

static outputs *make_outputs(uint32_t count)
{
    outputs *made = calloc(1, sizeof *made + count * sizeof *made->subpasses);
    if (made)
        made->count = count;
    return made;
}

static void keep_outputs(wpg_device *device, VkRenderPass pass, outputs *made)
{
    if (made && !wpg_handles_set(&device->pass_outputs, (uint64_t)pass, made))
        free(made);
}

/* Of either generation of the structures, which name the same members. Unused attachments are none: state for
 * them is ignored, too. */
#define FILL_OUTPUTS(made, info)                                                                             \
    for (uint32_t i = 0; (made) && i < (info)->subpassCount; i++) {                                          \
        wpg_subpass_outputs *into = &(made)->subpasses[i];                                                   \
        if ((info)->pSubpasses[i].pDepthStencilAttachment)                                                   \
            into->depth = (info)->pSubpasses[i].pDepthStencilAttachment->attachment != VK_ATTACHMENT_UNUSED; \
        for (uint32_t j = 0; j < (info)->pSubpasses[i].colorAttachmentCount; j++)                            \
            into->color |= (info)->pSubpasses[i].pColorAttachments[j].attachment != VK_ATTACHMENT_UNUSED;    \
    }

bool wpg_pass_subpass(wpg_subpass_outputs *found, wpg_device *device, VkRenderPass pass, uint32_t subpass)
{
    const outputs *known = wpg_handles_get(&device->pass_outputs, (uint64_t)pass);
    if (!known || subpass >= known->count)
        return false;
    *found = known->subpasses[subpass];
    return true;
}

/* -- Their life */

/* Links and variants are copies of state; use mode asks which colours are seen (targets.h). */
static bool notes_outputs(const wpg_device *device)
{
    return device->mode != WPG_MODE_OFF;
}

void wpg_pass_made(wpg_device *device, VkRenderPass pass, const VkRenderPassCreateInfo *info)
{
    if (device->queries && has_views(info))
        note_views(device, pass);
    if (notes_outputs(device) && wpg_process_is_owner()) {
        outputs *made = make_outputs(info->subpassCount);
        FILL_OUTPUTS(made, info)
        keep_outputs(device, pass, made);
    }
}

void wpg_pass_made_2(wpg_device *device, VkRenderPass pass, const VkRenderPassCreateInfo2 *info)
{
    if (device->queries && has_views2(info))
        note_views(device, pass);
    if (notes_outputs(device) && wpg_process_is_owner()) {
        outputs *made = make_outputs(info->subpassCount);
        FILL_OUTPUTS(made, info)
        keep_outputs(device, pass, made);
    }
}

void wpg_pass_gone(wpg_device *device, VkRenderPass pass)
{
    if (device->queries && pass)
        (void)wpg_handles_remove(&device->view_passes, (uint64_t)pass);
    if (notes_outputs(device) && pass)
        free(wpg_handles_remove(&device->pass_outputs, (uint64_t)pass));
}
