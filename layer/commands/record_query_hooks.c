/* Hooks of the commands that end a run of draws or dispatches. */
#include "layer/commands/record_queries.h"
#include "layer/rewrite/passes.h"

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

#define LEAVE recording->unmeasured_pass = false
#define ENTER enter_pass(recording, info)

static void enter_pass(wpg_recording *recording, const VkRenderPassBeginInfo *info)
{
    wpg_runs_prepare(recording);
    recording->unmeasured_pass = wpg_pass_has_views(recording->device, info->renderPass);
}

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

/* What is suspended at the end of one command buffer may be resumed at the head of the next, with no command
 * between (VUID-vkQueueSubmit-pCommandBuffers-06014): resumed before the resets, it is not measured. */
static void enter_rendering(wpg_recording *recording, const VkRenderingInfo *info)
{
    bool resumes = info->flags & VK_RENDERING_RESUMING_BIT;
    if (!resumes)
        wpg_runs_prepare(recording);
    recording->unmeasured_pass = info->viewMask != 0 || (resumes && !wpg_runs_ready(recording));
}

#define RENDERING(name)                                                                                      \
    ENDING(name, (VkCommandBuffer commands, const VkRenderingInfo *info), (commands, info),                  \
           enter_rendering(recording, info))
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
