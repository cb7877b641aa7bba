/* The piece whose pipelines depend on push constants, and that pushes the same ones always: with a profile
 * the layer makes variants of them, in a thread of its own, while this one waits in the first command. */
#include "tests/icd/walk_app.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof *(array))

typedef struct things {
    VkShaderModule modules[3];
    VkPipelineLayout layout;
    VkRenderPass pass;
    VkPipeline pipelines[2]; /* compute, graphics */
    VkCommandPool pool;
    VkCommandBuffer commands;
} things;

static void make_pipelines(walk_app *app, things *t)
{
    VkPipelineShaderStageCreateInfo stages[2] = {walk_stage(VK_SHADER_STAGE_VERTEX_BIT, t->modules[1]),
                                                 walk_stage(VK_SHADER_STAGE_FRAGMENT_BIT, t->modules[2])};
    VkComputePipelineCreateInfo compute = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                           .stage = walk_stage(VK_SHADER_STAGE_COMPUTE_BIT, t->modules[0]),
                                           .layout = t->layout,
                                           .basePipelineIndex = -1};
    walk_state state;
    walk_fill_state(&state);
    VkGraphicsPipelineCreateInfo graphics = walk_graphics(&state, stages, 2, t->layout, t->pass);
    if (!t->modules[0] || !t->modules[1] || !t->modules[2] || !t->layout || !t->pass)
        return;
    if (DO(CreateComputePipelines, app->device, VK_NULL_HANDLE, 1, &compute, &walk_allocator,
           &t->pipelines[0]) != VK_SUCCESS)
        t->pipelines[0] = VK_NULL_HANDLE;
    if (DO(CreateGraphicsPipelines, app->device, VK_NULL_HANDLE, 1, &graphics, &walk_allocator,
           &t->pipelines[1]) != VK_SUCCESS)
        t->pipelines[1] = VK_NULL_HANDLE;
    walk_hold(t->pipelines, COUNT(t->pipelines));
}

static void make(walk_app *app, things *t)
{
    static const walk_shader which[3] = {VARIANTS_COMP, VARIANTS_VERT, VARIANTS_FRAG};
    VkPushConstantRange range = {VK_SHADER_STAGE_ALL, 0, 24};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &range};
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    for (int i = 0; i < 3; i++)
        t->modules[i] = walk_module(app, which[i]);
    if (DO(CreatePipelineLayout, app->device, &layout, &walk_allocator, &t->layout) != VK_SUCCESS)
        t->layout = VK_NULL_HANDLE;
    t->pass = walk_pass(app);
    make_pipelines(app, t);
    if (DO(CreateCommandPool, app->device, &pool, &walk_allocator, &t->pool) != VK_SUCCESS)
        t->pool = VK_NULL_HANDLE;
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = t->pool,
                                        .commandBufferCount = 1};
    if (!t->pool || DO(AllocateCommandBuffers, app->device, &info, &t->commands) != VK_SUCCESS)
        t->commands = NULL;
    walk_adopt(app, t->commands);
}

static void record(walk_app *app, const things *t)
{
    static const uint32_t values[6] = {2, 1, 2, 4, 1, 0x3f000000};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, .renderPass = t->pass};
    VkCommandBuffer c = t->commands;
    VkSubmitInfo submission = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
    if (DO(BeginCommandBuffer, c, &begin) != VK_SUCCESS)
        return;
    RUN(CmdPushConstants, c, t->layout, VK_SHADER_STAGE_ALL, 0, sizeof values, values);
    RUN(CmdBindPipeline, c, VK_PIPELINE_BIND_POINT_COMPUTE, t->pipelines[0]);
    RUN(CmdDispatch, c, 1, 1, 1);
    RUN(CmdBindPipeline, c, VK_PIPELINE_BIND_POINT_GRAPHICS, t->pipelines[1]);
    RUN(CmdBeginRenderPass, c, &pass, VK_SUBPASS_CONTENTS_INLINE);
    RUN(CmdDraw, c, 3, 1, 0, 0);
    RUN(CmdEndRenderPass, c);
    if (DO(EndCommandBuffer, c) == VK_SUCCESS &&
        DO(QueueSubmit, app->queue, 1, &submission, VK_NULL_HANDLE) == VK_SUCCESS)
        (void)DO(QueueWaitIdle, app->queue);
}

/* Signals are the program's: no thread of the layer takes one. Each has a name of its own. */
static void look_at_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *one; tasks && (one = readdir(tasks)) != NULL;) {
        char path[300], line[200], name[64] = "";
        unsigned long long blocked = ~0ULL;
        (void)snprintf(path, sizeof path, "/proc/self/task/%s/status", one->d_name);
        FILE *status = one->d_name[0] == '.' || atol(one->d_name) == getpid() ? NULL : fopen(path, "r");
        while (status && fgets(line, sizeof line, status)) {
            (void)sscanf(line, "Name: %63s", name);
            (void)sscanf(line, "SigBlk: %llx", &blocked);
        }
        if (!status)
            continue;
        (void)fclose(status);
        for (int *s = (int[]){SIGHUP, SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGPROF, 0}; *s; s++)
            if (!(blocked >> (*s - 1) & 1))
                walk_complain("a thread, %s, takes signal %d of the program", name, *s);
        if (strncmp(name, "wavepgo-", 8) != 0)
            walk_complain("a thread is called %s", name);
    }
    if (tasks)
        (void)closedir(tasks);
}

void walk_run_variants(walk_app *app)
{
    if (walk_begin(app)) {
        things t = {0};
        make(app, &t);
        if (t.pipelines[0] && t.pipelines[1] && t.commands)
            record(app, &t);
        look_at_threads();
        if (t.pool)
            RUN(DestroyCommandPool, app->device, t.pool, &walk_allocator);
        /* What variants may still be made with goes before the pipelines. */
        RUN(DestroyPipelineLayout, app->device, t.layout, &walk_allocator);
        RUN(DestroyRenderPass, app->device, t.pass, &walk_allocator);
        walk_destroy_pipelines(app, t.pipelines, COUNT(t.pipelines));
        for (int i = 0; i < 3; i++)
            RUN(DestroyShaderModule, app->device, t.modules[i], &walk_allocator);
    }
    walk_end(app);
}
