/* Scenarios of the test program about what is recorded: command buffers whose draws, dispatches and push
 * constants are known, one-time and submitted again, with secondaries, from several threads.
 * tests/e2e/record.sh holds what the layer must have seen. See app.c. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/app.h"

static VkPipeline make_push_pipeline(vk_program *vk, uint32_t factor)
{
    VkSpecializationMapEntry entry = {3, 0, sizeof factor};
    VkSpecializationInfo specialization = {1, &entry, sizeof factor, &factor};
    vk_stage stage = {VK_SHADER_STAGE_COMPUTE_BIT, app_load(vk, "push.comp"), &specialization};
    VkResult result;
    VkPipeline pipeline = vk_compute_pipeline(vk, stage, &result);
    vk_must(result, "push pipeline");
    vkDestroyShaderModule(vk->device, stage.module, NULL);
    return pipeline;
}

/* A pipeline that reads no push constant, with a layout that has other ranges than vk->layout. */
static VkPipeline make_other_pipeline(vk_program *vk, VkPipelineLayout *layout, const uint32_t *words,
                                      size_t count)
{
    VkResult result;
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .setLayoutCount = 1,
                                       .pSetLayouts = &vk->set_layout,
                                       .pushConstantRangeCount = 1,
                                       .pPushConstantRanges = &range};
    vk_must(vkCreatePipelineLayout(vk->device, &info, NULL, layout), "vkCreatePipelineLayout");
    VkShaderModule module = vk_module(vk, words, count, &result);
    vk_must(result, "vkCreateShaderModule");
    VkComputePipelineCreateInfo compute = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = *layout,
        .basePipelineIndex = -1};
    VkPipeline pipeline;
    vk_must(vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &compute, NULL, &pipeline), "pipeline");
    vkDestroyShaderModule(vk->device, module, NULL);
    return pipeline;
}

static VkPipeline make_draw_pipeline(vk_program *vk)
{
    VkResult result;
    vk_stage stages[2] = {{.stage = VK_SHADER_STAGE_VERTEX_BIT, .module = app_load(vk, "triangle.vert")},
                          {.stage = VK_SHADER_STAGE_FRAGMENT_BIT, .module = app_load(vk, "gradient.frag")}};
    VkPipeline pipeline = vk_graphics_pipeline(vk, stages, 2, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, &result);
    vk_must(result, "graphics pipeline");
    for (int i = 0; i < 2; i++)
        vkDestroyShaderModule(vk->device, stages[i].module, NULL);
    return pipeline;
}

/* -- Recording */

static VkCommandBuffer allocate(vk_program *vk, VkCommandPool pool, VkCommandBufferLevel level)
{
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = pool,
                                        .level = level,
                                        .commandBufferCount = 1};
    VkCommandBuffer commands;
    vk_must(vkAllocateCommandBuffers(vk->device, &info, &commands), "vkAllocateCommandBuffers");
    return commands;
}

static void begin(VkCommandBuffer commands, VkCommandBufferUsageFlags flags)
{
    VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = flags,
                                     .pInheritanceInfo = &inheritance};
    vk_must(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
}

static void bind(vk_program *vk, VkCommandBuffer commands, VkPipelineBindPoint point, VkPipeline pipeline,
                 VkPipelineLayout layout)
{
    vkCmdBindPipeline(commands, point, pipeline);
    vkCmdBindDescriptorSets(commands, point, layout, 0, 1, &vk->set, 0, NULL);
}

static void barrier(VkCommandBuffer commands)
{
    VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_SHADER_READ_BIT |
                                               VK_ACCESS_SHADER_WRITE_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                         1, &memory, 0, NULL, 0, NULL);
}

static void push_all(VkCommandBuffer commands, VkPipelineLayout layout, uint32_t first)
{
    const uint32_t values[4] = {first, first + 1, first + 2, first + 3};
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_ALL, 0, sizeof values, values);
}

static void submit(vk_program *vk, VkCommandBuffer commands)
{
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    vk_must(vkQueueSubmit(vk->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    vk_must(vkQueueWaitIdle(vk->queue), "vkQueueWaitIdle");
}

/* Seven dispatches, one of them indirect, of two pipelines. */
static void record_compute(vk_program *vk, VkCommandBuffer commands, VkPipeline push, VkPipeline other,
                           VkPipelineLayout other_layout, const vk_buffer *indirect)
{
    const VkPipelineBindPoint point = VK_PIPELINE_BIND_POINT_COMPUTE;
    const uint32_t nine = 9, seven = 7;
    begin(commands, 0);
    bind(vk, commands, point, push, vk->layout);
    push_all(commands, vk->layout, 1);
    vkCmdDispatch(commands, 2, 3, 1);
    barrier(commands);
    vkCmdPushConstants(commands, vk->layout, VK_SHADER_STAGE_ALL, 4, 4, &nine);
    vkCmdDispatch(commands, 1, 1, 1);
    barrier(commands);
    vkCmdDispatch(commands, 1, 1, 1);
    barrier(commands);
    bind(vk, commands, point, other, other_layout);
    vkCmdPushConstants(commands, other_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &seven);
    vkCmdDispatch(commands, APP_INVOCATIONS / 32, 1, 1);
    barrier(commands);
    vkCmdDispatchIndirect(commands, indirect->buffer, 0);
    barrier(commands);
    bind(vk, commands, point, push, vk->layout);
    push_all(commands, vk->layout, 1);
    vkCmdDispatch(commands, 1, 1, 1);
    barrier(commands);
    vk_must(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

static void record_secondary(vk_program *vk, VkCommandBuffer commands, VkPipeline push)
{
    begin(commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    bind(vk, commands, VK_PIPELINE_BIND_POINT_COMPUTE, push, vk->layout);
    push_all(commands, vk->layout, 5);
    for (int i = 0; i < 2; i++) {
        vkCmdDispatch(commands, 1, 1, 1);
        barrier(commands);
    }
    vk_must(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

/* The second draw is inside a query of the program's own. */
static void record_draws(vk_program *vk, VkCommandBuffer commands, VkPipeline draw, const vk_buffer *indirect,
                         VkQueryPool queries)
{
    begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
    vkCmdResetQueryPool(commands, queries, 0, 1);
    VkClearValue clear = {.color = {.float32 = {0.25f, 0.5f, 0.75f, 1.0f}}};
    VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                  .renderPass = vk->pass,
                                  .framebuffer = vk->framebuffer,
                                  .renderArea = {{0, 0}, {VK_WIDTH, VK_HEIGHT}},
                                  .clearValueCount = 1,
                                  .pClearValues = &clear};
    vkCmdBeginRenderPass(commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
    bind(vk, commands, VK_PIPELINE_BIND_POINT_GRAPHICS, draw, vk->layout);
    push_all(commands, vk->layout, 11);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdBeginQuery(commands, queries, 0, 0);
    vkCmdDraw(commands, 3, 2, 0, 0);
    vkCmdEndQuery(commands, queries, 0);
    vkCmdDrawIndirect(commands, indirect->buffer, 16, 1, 16);
    vkCmdEndRenderPass(commands);
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageExtent = {VK_WIDTH, VK_HEIGHT, 1}};
    vkCmdCopyImageToBuffer(commands, vk->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, vk->pixels.buffer, 1,
                           &region);
    barrier(commands);
    vk_must(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
}

void app_record(vk_program *vk, const uint32_t *words, size_t count)
{
    vk_buffer indirect;
    VkPipelineLayout other_layout;
    VkPipeline push = make_push_pipeline(vk, 5), draw = make_draw_pipeline(vk),
               other = make_other_pipeline(vk, &other_layout, words, count);
    app_fill(vk);
    vk_make_buffer(vk, &indirect, 8, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    const uint32_t parameters[8] = {2, 1, 1, 0, 3, 1, 0, 0}; /* a dispatch, a draw */
    memcpy(indirect.words, parameters, sizeof parameters);

    VkCommandBuffer again = allocate(vk, vk->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY),
                    primary = allocate(vk, vk->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY),
                    secondary = allocate(vk, vk->pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY),
                    unused = allocate(vk, vk->pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    record_compute(vk, unused, push, other, other_layout, &indirect); /* never submitted: never counted */
    record_compute(vk, again, push, other, other_layout, &indirect);
    for (int i = 0; i < 3; i++)
        submit(vk, again);
    vkFreeCommandBuffers(vk->device, vk->pool, 1, &unused);
    record_secondary(vk, secondary, push);
    const VkCommandBuffer twice[2] = {secondary, secondary};
    begin(primary, 0);
    vkCmdExecuteCommands(primary, 2, twice);
    vk_must(vkEndCommandBuffer(primary), "vkEndCommandBuffer");
    for (int i = 0; i < 2; i++)
        submit(vk, primary);
    VkQueryPoolCreateInfo query_info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                        .queryType = VK_QUERY_TYPE_OCCLUSION,
                                        .queryCount = 1};
    VkQueryPool queries;
    vk_must(vkCreateQueryPool(vk->device, &query_info, NULL, &queries), "vkCreateQueryPool");
    record_draws(vk, vk->commands, draw, &indirect, queries);
    submit(vk, vk->commands);
    uint32_t samples = 0;
    vk_must(vkGetQueryPoolResults(vk->device, queries, 0, 1, sizeof samples, &samples, sizeof samples,
                                  VK_QUERY_RESULT_WAIT_BIT),
            "vkGetQueryPoolResults");
    printf("samples %s\n", samples ? "seen" : "none");
    vkDestroyQueryPool(vk->device, queries, NULL);
    printf("record %08x %08x %08x\n", app_checksum(vk->buffers[1].words, APP_INVOCATIONS),
           app_checksum(vk->buffers[2].words, 32), app_checksum(vk->pixels.words, VK_WIDTH * VK_HEIGHT));
    vkFreeCommandBuffers(vk->device, vk->pool, 1, &secondary);
    vkFreeCommandBuffers(vk->device, vk->pool, 1, &primary);
    vkDestroyPipeline(vk->device, push, NULL);
    vkDestroyPipeline(vk->device, other, NULL);
    vkDestroyPipeline(vk->device, draw, NULL);
    vkDestroyPipelineLayout(vk->device, other_layout, NULL);
    vk_drop_buffer(vk, &indirect);
}

/* -- Threads */

enum { RECORDERS = 4, RECORDINGS = 50 };

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct recorder {
    vk_program *vk;
    VkPipeline pipeline;
    uint32_t number;
} recorder;

/* Each thread has a pool of its own and records while the others do; the queue is shared. */
static void *record_many(void *argument)
{
    const recorder *r = argument;
    vk_program *vk = r->vk;
    VkCommandPool pool;
    VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .queueFamilyIndex = vk->family};
    for (uint32_t i = 0; i < RECORDINGS; i++) {
        if (i % 10 == 0)
            vk_must(vkCreateCommandPool(vk->device, &info, NULL, &pool), "vkCreateCommandPool");
        VkCommandBuffer commands = allocate(vk, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
        bind(vk, commands, VK_PIPELINE_BIND_POINT_COMPUTE, r->pipeline, vk->layout);
        push_all(commands, vk->layout, r->number);
        vkCmdDispatch(commands, 1, 1, 1);
        barrier(commands);
        vk_must(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
        pthread_mutex_lock(&queue_lock);
        submit(vk, commands);
        pthread_mutex_unlock(&queue_lock);
        if (i % 10 == 4)
            vk_must(vkResetCommandPool(vk->device, pool, 0), "vkResetCommandPool");
        if (i % 10 == 9)
            vkDestroyCommandPool(vk->device, pool, NULL);
    }
    return NULL;
}

void app_record_threads(vk_program *vk)
{
    pthread_t ids[RECORDERS];
    recorder recorders[RECORDERS];
    VkPipeline pipeline = make_push_pipeline(vk, 5);
    for (uint32_t i = 0; i < RECORDERS; i++) {
        recorders[i] = (recorder){vk, pipeline, 10 * (i + 1)};
        pthread_create(&ids[i], NULL, record_many, &recorders[i]);
    }
    for (int i = 0; i < RECORDERS; i++)
        pthread_join(ids[i], NULL);
    printf("record-threads %08x\n", app_checksum(vk->buffers[2].words, 32));
    vkDestroyPipeline(vk->device, pipeline, NULL);
}
