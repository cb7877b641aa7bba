/* The commands that end a run of draws or dispatches, and what tells whether a pass has several views. */
#include <stdlib.h>

#include "layer/chain.h"
#include "layer/record_queries.h"

/* -- Render passes with several views are noted */

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
static void note(wpg_device *device, VkRenderPass pass)
{
    static char views;
    if (!wpg_handles_set(&device->view_passes, (uint64_t)pass, &views))
        atomic_store(&device->views_unknown, true);
}

static bool many_views(wpg_device *device, VkRenderPass pass)
{
    return atomic_load_explicit(&device->views_unknown, memory_order_relaxed) ||
           wpg_handles_get(&device->view_passes, (uint64_t)pass) != NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_record_CreateRenderPass(VkDevice handle,
                                                           const VkRenderPassCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkRenderPass *pass)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = device->next.CreateRenderPass(handle, info, allocator, pass);
    if (result == VK_SUCCESS && device->queries && has_views(info))
        note(device, *pass);
    return result;
}

#define CREATE_RENDER_PASS_2(name)                                                                           \
    VKAPI_ATTR VkResult VKAPI_CALL wpg_record_##name(VkDevice handle, const VkRenderPassCreateInfo2 *info,   \
                                                     const VkAllocationCallbacks *allocator,                 \
                                                     VkRenderPass *pass)                                     \
    {                                                                                                        \
        wpg_device *device = wpg_device_of(handle);                                                          \
        if (!device)                                                                                         \
            return VK_ERROR_INITIALIZATION_FAILED;                                                           \
        VkResult result = device->next.name(handle, info, allocator, pass);                                  \
        if (result == VK_SUCCESS && device->queries && has_views2(info))                                     \
            note(device, *pass);                                                                             \
        return result;                                                                                       \
    }
CREATE_RENDER_PASS_2(CreateRenderPass2)
CREATE_RENDER_PASS_2(CreateRenderPass2KHR)

VKAPI_ATTR void VKAPI_CALL wpg_record_DestroyRenderPass(VkDevice handle, VkRenderPass pass,
                                                        const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    if (device->queries && pass)
        (void)wpg_handles_remove(&device->view_passes, (uint64_t)pass);
    device->next.DestroyRenderPass(handle, pass, allocator);
}

/* -- Commands: ENDING(Command, (parameters), (arguments), what else is done if the buffer is followed) */

#define ENDING(name, parameters, arguments, also)                                                            \
    VKAPI_ATTR void VKAPI_CALL wpg_record_##name parameters                                                  \
    {                                                                                                        \
        wpg_recording *recording;                                                                            \
        const wpg_device_commands *next = wpg_record_enter(&recording, commands);                            \
        if (!next)                                                                                           \
            return;                                                                                          \
        if (recording) {                                                                                     \
            wpg_runs_close(recording);                                                                       \
            also;                                                                                            \
        }                                                                                                    \
        next->name arguments;                                                                                \
    }
#define NOTHING (void)0

ENDING(CmdPipelineBarrier,
       (VkCommandBuffer commands, VkPipelineStageFlags source, VkPipelineStageFlags destination,
        VkDependencyFlags flags, uint32_t memory_count, const VkMemoryBarrier *memory, uint32_t buffer_count,
        const VkBufferMemoryBarrier *buffers, uint32_t image_count, const VkImageMemoryBarrier *images),
       (commands, source, destination, flags, memory_count, memory, buffer_count, buffers, image_count,
        images),
       NOTHING)
#define BARRIER_2(name)                                                                                      \
    ENDING(name, (VkCommandBuffer commands, const VkDependencyInfo *info), (commands, info), NOTHING)
BARRIER_2(CmdPipelineBarrier2)
BARRIER_2(CmdPipelineBarrier2KHR)

#define LEAVE recording->many_views = false
#define ENTER recording->many_views = many_views(recording->device, info->renderPass)

ENDING(CmdBeginRenderPass,
       (VkCommandBuffer commands, const VkRenderPassBeginInfo *info, VkSubpassContents contents),
       (commands, info, contents), ENTER)
#define BEGIN_2(name)                                                                                        \
    ENDING(name,                                                                                             \
           (VkCommandBuffer commands, const VkRenderPassBeginInfo *info, const VkSubpassBeginInfo *subpass), \
           (commands, info, subpass), ENTER)
BEGIN_2(CmdBeginRenderPass2)
BEGIN_2(CmdBeginRenderPass2KHR)

ENDING(CmdNextSubpass, (VkCommandBuffer commands, VkSubpassContents contents), (commands, contents), NOTHING)
#define NEXT_2(name)                                                                                         \
    ENDING(name, (VkCommandBuffer commands, const VkSubpassBeginInfo *begin, const VkSubpassEndInfo *end),   \
           (commands, begin, end), NOTHING)
NEXT_2(CmdNextSubpass2)
NEXT_2(CmdNextSubpass2KHR)

ENDING(CmdEndRenderPass, (VkCommandBuffer commands), (commands), LEAVE)
ENDING(CmdEndRenderPass2, (VkCommandBuffer commands, const VkSubpassEndInfo *end), (commands, end), LEAVE)
ENDING(CmdEndRenderPass2KHR, (VkCommandBuffer commands, const VkSubpassEndInfo *end), (commands, end), LEAVE)

#define RENDERING(name)                                                                                      \
    ENDING(name, (VkCommandBuffer commands, const VkRenderingInfo *info), (commands, info),                  \
           recording->many_views = info->viewMask != 0)
RENDERING(CmdBeginRendering)
RENDERING(CmdBeginRenderingKHR)
ENDING(CmdEndRendering, (VkCommandBuffer commands), (commands), LEAVE)
ENDING(CmdEndRenderingKHR, (VkCommandBuffer commands), (commands), LEAVE)

/* Two queries of one type may not be active at once (VUID-vkCmdBeginQuery-queryPool-01922): while the program
 * has any of its own, ours for statistics rest. */
#define ONE_MORE recording->program_queries++
#define ONE_LESS recording->program_queries -= recording->program_queries > 0
ENDING(CmdBeginQuery, (VkCommandBuffer commands, VkQueryPool pool, uint32_t query, VkQueryControlFlags flags),
       (commands, pool, query, flags), ONE_MORE)
ENDING(CmdEndQuery, (VkCommandBuffer commands, VkQueryPool pool, uint32_t query), (commands, pool, query),
       ONE_LESS)
ENDING(CmdBeginQueryIndexedEXT,
       (VkCommandBuffer commands, VkQueryPool pool, uint32_t query, VkQueryControlFlags flags,
        uint32_t index),
       (commands, pool, query, flags, index), ONE_MORE)
ENDING(CmdEndQueryIndexedEXT, (VkCommandBuffer commands, VkQueryPool pool, uint32_t query, uint32_t index),
       (commands, pool, query, index), ONE_LESS)
