/* The piece that records and submits: every command that is followed, once at least. */
#include "tests/icd/walk_app.h"

#include "layer/commands/record.h"

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof *(array))

static const VkBuffer no_buffer = VK_NULL_HANDLE;

static void draw_all_ways(walk_app *app, VkCommandBuffer c)
{
    VkMultiDrawInfoEXT draw = {0, 3};
    VkMultiDrawIndexedInfoEXT indexed = {0, 3, 0};
    int32_t offset = 0;
    RUN(CmdDraw, c, 3, 1, 0, 0);
    RUN(CmdDrawIndexed, c, 3, 1, 0, 0, 0);
    RUN(CmdDrawIndirect, c, no_buffer, 0, 1, 16);
    RUN(CmdDrawIndexedIndirect, c, no_buffer, 0, 1, 20);
    RUN(CmdDrawIndirectCount, c, no_buffer, 0, no_buffer, 0, 1, 16);
    RUN(CmdDrawIndirectCountKHR, c, no_buffer, 0, no_buffer, 0, 1, 16);
    RUN(CmdDrawIndirectCountAMD, c, no_buffer, 0, no_buffer, 0, 1, 16);
    RUN(CmdDrawIndexedIndirectCount, c, no_buffer, 0, no_buffer, 0, 1, 20);
    RUN(CmdDrawIndexedIndirectCountKHR, c, no_buffer, 0, no_buffer, 0, 1, 20);
    RUN(CmdDrawIndexedIndirectCountAMD, c, no_buffer, 0, no_buffer, 0, 1, 20);
    RUN(CmdDrawIndirectByteCountEXT, c, 1, 0, no_buffer, 0, 0, 4);
    RUN(CmdDrawMultiEXT, c, 1, &draw, 1, 0, sizeof draw);
    RUN(CmdDrawMultiIndexedEXT, c, 1, &indexed, 1, 0, sizeof indexed, &offset);
    RUN(CmdDrawMeshTasksEXT, c, 1, 1, 1);
    RUN(CmdDrawMeshTasksIndirectEXT, c, no_buffer, 0, 1, 12);
    RUN(CmdDrawMeshTasksIndirectCountEXT, c, no_buffer, 0, no_buffer, 0, 1, 12);
    RUN(CmdDrawMeshTasksNV, c, 1, 0);
    RUN(CmdDrawMeshTasksIndirectNV, c, no_buffer, 0, 1, 8);
    RUN(CmdDrawMeshTasksIndirectCountNV, c, no_buffer, 0, no_buffer, 0, 1, 8);
}

static void launch_all_ways(walk_app *app, VkCommandBuffer c)
{
    VkStridedDeviceAddressRegionKHR table = {0};
    RUN(CmdDispatch, c, 2, 2, 1);
    RUN(CmdDispatchBase, c, 0, 0, 0, 1, 1, 1);
    RUN(CmdDispatchBaseKHR, c, 0, 0, 0, 1, 1, 1);
    RUN(CmdDispatchIndirect, c, no_buffer, 0);
    RUN(CmdTraceRaysKHR, c, &table, &table, &table, &table, 1, 1, 1);
    RUN(CmdTraceRaysIndirectKHR, c, &table, &table, &table, &table, 0);
    RUN(CmdTraceRaysIndirect2KHR, c, 0);
}

/* Passes begin and end in each of their three spellings. */
static void render(walk_app *app, VkCommandBuffer c, VkRenderPass pass)
{
    VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .renderPass = pass};
    VkSubpassBeginInfo subpass = {.sType = VK_STRUCTURE_TYPE_SUBPASS_BEGIN_INFO};
    VkSubpassEndInfo end = {.sType = VK_STRUCTURE_TYPE_SUBPASS_END_INFO};
    VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO, .layerCount = 1};
    RUN(CmdBeginRenderPass, c, &begin, VK_SUBPASS_CONTENTS_INLINE);
    draw_all_ways(app, c);
    RUN(CmdNextSubpass, c, VK_SUBPASS_CONTENTS_INLINE);
    RUN(CmdDraw, c, 3, 1, 0, 0);
    RUN(CmdEndRenderPass, c);
    RUN(CmdBeginRenderPass2, c, &begin, &subpass);
    RUN(CmdNextSubpass2, c, &subpass, &end);
    RUN(CmdDraw, c, 3, 1, 0, 0);
    RUN(CmdEndRenderPass2, c, &end);
    RUN(CmdBeginRenderPass2KHR, c, &begin, &subpass);
    RUN(CmdNextSubpass2KHR, c, &subpass, &end);
    RUN(CmdDraw, c, 3, 1, 0, 0);
    RUN(CmdEndRenderPass2KHR, c, &end);
    RUN(CmdBeginRendering, c, &rendering);
    RUN(CmdDraw, c, 3, 1, 0, 0);
    RUN(CmdEndRendering, c);
    RUN(CmdBeginRenderingKHR, c, &rendering);
    RUN(CmdEndRenderingKHR, c);
}

static void wait_and_query(walk_app *app, VkCommandBuffer c, VkQueryPool queries)
{
    VkDependencyInfo dependency = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    RUN(CmdPipelineBarrier, c, all, all, 0, 0, NULL, 0, NULL, 0, NULL);
    RUN(CmdDispatch, c, 1, 1, 1);
    RUN(CmdPipelineBarrier2, c, &dependency);
    RUN(CmdDispatch, c, 1, 1, 1);
    RUN(CmdPipelineBarrier2KHR, c, &dependency);
    RUN(CmdResetQueryPool, c, queries, 0, 4);
    RUN(CmdBeginQuery, c, queries, 0, 0);
    RUN(CmdDispatch, c, 1, 1, 1);
    RUN(CmdEndQuery, c, queries, 0);
    RUN(CmdBeginQueryIndexedEXT, c, queries, 1, 0, 0);
    RUN(CmdEndQueryIndexedEXT, c, queries, 1, 0);
    RUN(CmdWriteTimestamp, c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, 2);
}

static void push_all_ways(walk_app *app, VkCommandBuffer c, VkPipelineLayout layout)
{
    uint32_t values[4] = {1, 2, 3, 4};
    wpg_push_constants_info info = {.sType = (VkStructureType)1000545002,
                                    .layout = layout,
                                    .stageFlags = VK_SHADER_STAGE_ALL,
                                    .size = sizeof values,
                                    .pValues = values};
    RUN(CmdPushConstants, c, layout, VK_SHADER_STAGE_ALL, 0, sizeof values, values);
    values[0] = 7;
    ((wpg_pfn_push_constants_2)walk_enter(app, ICD_CmdPushConstants2))(c, &info);
    ((wpg_pfn_push_constants_2)walk_enter(app, ICD_CmdPushConstants2KHR))(c, &info);
    VkShaderStageFlagBits stage = VK_SHADER_STAGE_GEOMETRY_BIT;
    uint64_t none = 0;
    ((wpg_pfn_bind_shaders)walk_enter(app, ICD_CmdBindShadersEXT))(c, 1, &stage, &none);
}

typedef struct things {
    VkShaderModule modules[3];
    VkPipelineLayout layout;
    VkRenderPass passes[3];
    VkPipeline pipelines[2]; /* compute, graphics */
    VkCommandPool pool;
    VkCommandBuffer commands[2]; /* primary, secondary */
    VkFence fence;
    VkSemaphore semaphore;
    VkQueryPool queries;
} things;

static void make_passes(walk_app *app, things *t)
{
    VkAttachmentDescription2 attachment = {.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
                                           .format = VK_FORMAT_R8G8B8A8_UNORM,
                                           .samples = VK_SAMPLE_COUNT_1_BIT};
    VkAttachmentReference2 reference = {.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
                                        .layout = VK_IMAGE_LAYOUT_GENERAL};
    VkSubpassDescription2 subpass = {.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
                                     .viewMask = 3,
                                     .colorAttachmentCount = 1,
                                     .pColorAttachments = &reference};
    VkRenderPassCreateInfo2 info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
                                    .attachmentCount = 1,
                                    .pAttachments = &attachment,
                                    .subpassCount = 1,
                                    .pSubpasses = &subpass};
    t->passes[0] = walk_pass(app);
    if (DO(CreateRenderPass2, app->device, &info, &walk_allocator, &t->passes[1]) != VK_SUCCESS)
        t->passes[1] = VK_NULL_HANDLE;
    if (DO(CreateRenderPass2KHR, app->device, &info, &walk_allocator, &t->passes[2]) != VK_SUCCESS)
        t->passes[2] = VK_NULL_HANDLE;
}

static void make_pipelines(walk_app *app, things *t)
{
    VkPipelineShaderStageCreateInfo stages[2] = {walk_stage(VK_SHADER_STAGE_VERTEX_BIT, t->modules[1]),
                                                 walk_stage(VK_SHADER_STAGE_FRAGMENT_BIT, t->modules[2])};
    walk_state state;
    walk_fill_state(&state);
    VkComputePipelineCreateInfo compute = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                           .stage = walk_stage(VK_SHADER_STAGE_COMPUTE_BIT, t->modules[0]),
                                           .layout = t->layout,
                                           .basePipelineIndex = -1};
    VkGraphicsPipelineCreateInfo graphics = walk_graphics(&state, stages, 2, t->layout, t->passes[0]);
    if (!t->modules[0] || !t->modules[1] || !t->modules[2] || !t->layout || !t->passes[0])
        return;
    if (DO(CreateComputePipelines, app->device, VK_NULL_HANDLE, 1, &compute, &walk_allocator,
           &t->pipelines[0]) != VK_SUCCESS)
        t->pipelines[0] = VK_NULL_HANDLE;
    if (DO(CreateGraphicsPipelines, app->device, VK_NULL_HANDLE, 1, &graphics, &walk_allocator,
           &t->pipelines[1]) != VK_SUCCESS)
        t->pipelines[1] = VK_NULL_HANDLE;
    walk_hold(t->pipelines, 2);
}

static void make_commands(walk_app *app, things *t)
{
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    if (DO(CreateCommandPool, app->device, &pool, &walk_allocator, &t->pool) != VK_SUCCESS)
        t->pool = VK_NULL_HANDLE;
    for (int i = 0; t->pool && i < 2; i++) {
        VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = t->pool,
                                            .level = i ? VK_COMMAND_BUFFER_LEVEL_SECONDARY
                                                       : VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
        if (DO(AllocateCommandBuffers, app->device, &info, &t->commands[i]) != VK_SUCCESS)
            t->commands[i] = NULL;
        walk_adopt(app, t->commands[i]);
    }
}

void walk_run_objects(walk_app *app, const VkShaderStageFlagBits *stages, const wpg_shader *shaders,
                      uint32_t count)
{
    things t = {0};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    make_commands(app, &t);
    VkCommandBuffer c = t.commands[0];
    VkSubmitInfo submission = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
    if (c && DO(BeginCommandBuffer, c, &begin) == VK_SUCCESS) {
        ((wpg_pfn_bind_shaders)walk_enter(app, ICD_CmdBindShadersEXT))(c, count, stages, shaders);
        RUN(CmdDraw, c, 3, 1, 0, 0);
        RUN(CmdDispatch, c, 1, 1, 1);
        if (DO(EndCommandBuffer, c) == VK_SUCCESS &&
            DO(QueueSubmit, app->queue, 1, &submission, VK_NULL_HANDLE) == VK_SUCCESS)
            (void)DO(QueueWaitIdle, app->queue);
    }
    if (t.pool)
        RUN(DestroyCommandPool, app->device, t.pool, &walk_allocator);
}

static void make(walk_app *app, things *t)
{
    static const walk_shader which[3] = {PUSH_COMP, TRIANGLE_VERT, PLAIN_FRAG};
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                     .queryType = VK_QUERY_TYPE_OCCLUSION,
                                     .queryCount = 4};
    for (int i = 0; i < 3; i++)
        t->modules[i] = walk_module(app, which[i]);
    t->layout = walk_layout(app);
    make_passes(app, t);
    make_pipelines(app, t);
    make_commands(app, t);
    if (DO(CreateFence, app->device, &fence, &walk_allocator, &t->fence) != VK_SUCCESS)
        t->fence = VK_NULL_HANDLE;
    if (DO(CreateSemaphore, app->device, &semaphore, &walk_allocator, &t->semaphore) != VK_SUCCESS)
        t->semaphore = VK_NULL_HANDLE;
    if (DO(CreateQueryPool, app->device, &queries, &walk_allocator, &t->queries) != VK_SUCCESS)
        t->queries = VK_NULL_HANDLE;
}

static void destroy(walk_app *app, things *t)
{
    walk_destroy_pipelines(app, t->pipelines, 2);
    if (t->pool) {
        RUN(FreeCommandBuffers, app->device, t->pool, t->commands[1] != NULL, &t->commands[1]);
        RUN(DestroyCommandPool, app->device, t->pool, &walk_allocator);
    }
    RUN(DestroyFence, app->device, t->fence, &walk_allocator);
    RUN(DestroySemaphore, app->device, t->semaphore, &walk_allocator);
    RUN(DestroyQueryPool, app->device, t->queries, &walk_allocator);
    for (int i = 0; i < 3; i++) {
        RUN(DestroyRenderPass, app->device, t->passes[i], &walk_allocator);
        RUN(DestroyShaderModule, app->device, t->modules[i], &walk_allocator);
    }
    RUN(DestroyPipelineLayout, app->device, t->layout, &walk_allocator);
}

static bool record(walk_app *app, const things *t)
{
    VkCommandBuffer first = t->commands[0], second = t->commands[1];
    VkCommandBufferInheritanceInfo inherits = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .pInheritanceInfo = &inherits};
    if (DO(BeginCommandBuffer, second, &begin) != VK_SUCCESS)
        return false;
    RUN(CmdBindPipeline, second, VK_PIPELINE_BIND_POINT_COMPUTE, t->pipelines[0]);
    RUN(CmdDispatch, second, 1, 1, 1);
    if (DO(EndCommandBuffer, second) != VK_SUCCESS)
        return false;
    begin.pInheritanceInfo = NULL;
    if (DO(BeginCommandBuffer, first, &begin) != VK_SUCCESS)
        return false;
    RUN(CmdBindPipeline, first, VK_PIPELINE_BIND_POINT_COMPUTE, t->pipelines[0]);
    push_all_ways(app, first, t->layout);
    launch_all_ways(app, first);
    wait_and_query(app, first, t->queries);
    RUN(CmdBindPipeline, first, VK_PIPELINE_BIND_POINT_GRAPHICS, t->pipelines[1]);
    render(app, first, t->passes[0]);
    RUN(CmdExecuteCommands, first, 1, &second);
    return DO(EndCommandBuffer, first) == VK_SUCCESS;
}

/* The ways to a queue and back. A submission that failed signals nothing, and is not waited for. false: the
 * fence stayed as it was. */
static bool submit(walk_app *app, const things *t)
{
    VkSubmitInfo one = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = t->commands};
    VkCommandBufferSubmitInfo named = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
                                       .commandBuffer = t->commands[0]};
    VkSubmitInfo2 two = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2, .commandBufferInfoCount = 1, .pCommandBufferInfos = &named};
    VkPresentInfoKHR present = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
    VkSemaphoreWaitInfo semaphores = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, .semaphoreCount = 1, .pSemaphores = &t->semaphore};
    VkAcquireNextImageInfoKHR acquire = {.sType = VK_STRUCTURE_TYPE_ACQUIRE_NEXT_IMAGE_INFO_KHR};
    uint32_t image;
    bool reset = true;
    (void)DO(AcquireNextImageKHR, app->device, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, VK_NULL_HANDLE, &image);
    (void)DO(AcquireNextImage2KHR, app->device, &acquire, &image);
    if (DO(QueueSubmit, app->queue, 1, &one, t->fence) == VK_SUCCESS) {
        (void)DO(WaitForFences, app->device, 1, &t->fence, VK_TRUE, UINT64_MAX);
        (void)DO(GetFenceStatus, app->device, t->fence);
        reset = DO(ResetFences, app->device, 1, &t->fence) == VK_SUCCESS;
    }
    (void)DO(QueueSubmit2, app->queue, 1, &two, VK_NULL_HANDLE);
    (void)DO(QueueSubmit2KHR, app->queue, 1, &two, VK_NULL_HANDLE);
    (void)DO(QueuePresentKHR, app->queue, &present);
    (void)DO(WaitSemaphores, app->device, &semaphores, 0);
    (void)DO(WaitSemaphoresKHR, app->device, &semaphores, 0);
    (void)DO(QueueWaitIdle, app->queue);
    return reset;
}

void walk_run_commands(walk_app *app)
{
    if (walk_begin(app)) {
        things t = {0};
        make(app, &t);
        bool all = t.pipelines[0] && t.pipelines[1] && t.commands[0] && t.commands[1] && t.fence &&
                   t.semaphore && t.queries && t.passes[1] && t.passes[2];
        if (all && record(app, &t)) {
            bool again = submit(app, &t);
            (void)DO(ResetCommandBuffer, t.commands[0], 0);
            if (again && record(app, &t))
                (void)submit(app, &t);
            (void)DO(ResetCommandPool, app->device, t.pool, 0);
        }
        destroy(app, &t);
    }
    walk_end(app);
}
