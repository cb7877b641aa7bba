/* The piece with two devices alive at once, each with its own pipelines and command buffers. The driver gives
 * a freed command buffer's handle to whoever allocates next (icd.recycles). So the same handle is a command
 * buffer of one device and then of the other, recorded by another thread. */
#include "tests/icd/walk_app.h"

#include <pthread.h>

typedef struct side {
    walk_app app;
    VkShaderModule module;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkCommandPool pool;
    VkCommandBuffer commands;
} side;

static void make(side *s, walk_shader shader)
{
    walk_app *app = &s->app;
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    s->module = walk_module(app, shader);
    s->layout = walk_layout(app);
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = walk_stage(VK_SHADER_STAGE_COMPUTE_BIT, s->module),
                                        .layout = s->layout,
                                        .basePipelineIndex = -1};
    if (s->module && s->layout &&
        DO(CreateComputePipelines, app->device, VK_NULL_HANDLE, 1, &info, &walk_allocator, &s->pipeline) !=
            VK_SUCCESS)
        s->pipeline = VK_NULL_HANDLE;
    walk_hold(&s->pipeline, 1);
    if (DO(CreateCommandPool, app->device, &pool, &walk_allocator, &s->pool) != VK_SUCCESS)
        s->pool = VK_NULL_HANDLE;
}

static void destroy(side *s)
{
    walk_app *app = &s->app;
    RUN(DestroyCommandPool, app->device, s->pool, &walk_allocator);
    walk_destroy_pipelines(app, &s->pipeline, 1);
    RUN(DestroyPipelineLayout, app->device, s->layout, &walk_allocator);
    RUN(DestroyShaderModule, app->device, s->module, &walk_allocator);
}

static void allocate(side *s)
{
    walk_app *app = &s->app;
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = s->pool,
                                        .commandBufferCount = 1};
    if (DO(AllocateCommandBuffers, app->device, &info, &s->commands) != VK_SUCCESS)
        s->commands = NULL;
    walk_adopt(app, s->commands);
}

/* NULL: binds nothing. */
static void record(side *s, VkPipeline pipeline)
{
    walk_app *app = &s->app;
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    if (DO(BeginCommandBuffer, s->commands, &begin) != VK_SUCCESS)
        return;
    if (pipeline) {
        RUN(CmdBindPipeline, s->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        RUN(CmdDispatch, s->commands, 1, 1, 1);
    }
    (void)DO(EndCommandBuffer, s->commands);
}

static void submit(side *s)
{
    walk_app *app = &s->app;
    VkSubmitInfo one = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &s->commands};
    if (DO(QueueSubmit, app->queue, 1, &one, VK_NULL_HANDLE) == VK_SUCCESS)
        (void)DO(QueueWaitIdle, app->queue);
}

static void free_one(side *s)
{
    walk_app *app = &s->app;
    RUN(FreeCommandBuffers, app->device, s->pool, 1, &s->commands);
}

static void *allocate_and_record(void *taker)
{
    side *s = taker;
    allocate(s);
    if (s->commands)
        record(s, s->pipeline);
    return NULL;
}

/* The giver's command buffer becomes the taker's, in another thread; this thread submits it, and records it
 * again. */
static void hand_over(side *giver, side *taker, bool with_the_pool)
{
    pthread_t thread;
    walk_app *app = &giver->app;
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandBuffer old = giver->commands;
    record(giver, giver->pipeline);
    submit(giver);
    if (with_the_pool) {
        RUN(DestroyCommandPool, app->device, giver->pool, &walk_allocator);
        if (DO(CreateCommandPool, app->device, &pool, &walk_allocator, &giver->pool) != VK_SUCCESS)
            giver->pool = VK_NULL_HANDLE;
    } else
        free_one(giver);
    giver->commands = NULL;
    if (pthread_create(&thread, NULL, allocate_and_record, taker) != 0)
        return;
    (void)pthread_join(thread, NULL);
    if (taker->commands != old)
        walk_complain("the driver gave another handle than the freed one");
    if (!taker->commands)
        return;
    submit(taker);
    record(taker, taker->pipeline);
    submit(taker);
    record(taker, VK_NULL_HANDLE);
    submit(taker);
}

void walk_run_devices(walk_app *app)
{
    if (walk_begin(app)) {
        side first = {.app = *app}, second = {.app = *app};
        second.app.device = VK_NULL_HANDLE;
        icd.recycles = true;
        if (walk_begin_device(&second.app)) {
            make(&first, PUSH_COMP);
            make(&second, COUNT_COMP);
            if (first.pipeline && second.pipeline && first.pool && second.pool) {
                allocate(&first);
                if (first.commands)
                    hand_over(&first, &second, false);
                if (second.commands)
                    hand_over(&second, &first, true);
                if (first.commands && first.pool)
                    hand_over(&first, &second, true);
            }
            destroy(&first);
            destroy(&second);
            walk_app *other = &second.app;
            ((PFN_vkDestroyDevice)walk_enter(other, ICD_DestroyDevice))(other->device, &walk_allocator);
            (void)walk_leave(other, ICD_DestroyDevice, VK_SUCCESS);
        }
        icd.recycles = false;
    }
    walk_end(app);
}
