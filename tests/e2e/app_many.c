/* Scenario "many" of the test program: three instances with a device each, opened and closed in rounds;
 * sixteen threads make, record, submit and destroy pipelines of several kinds on them at once. What is done
 * is the same in every run, the order is not: each thread shuffles its part by a seed. See app.c.
 *
 *     app many SPIRV-FOLDER [SEED] */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/app.h"

enum { PROGRAMS = 3, MANY_THREADS = 16, MANY_ROUNDS = 2, TASKS = 6 };

typedef struct shared {
    vk_program vk;
    pthread_mutex_t queue;
    uint32_t *words[3]; /* of the shaders below */
    size_t counts[3];
} shared;

typedef struct worker {
    shared *program;
    uint32_t index, seed;
    VkCommandPool pool;
    VkCommandBuffer commands;
} worker;

enum { PUSH, VERTEX, FRAGMENT };
static const char *const names[3] = {"push.comp", "triangle.vert", "gradient.frag"};

static VkShaderModule module_of(shared *program, int which)
{
    VkResult result;
    VkShaderModule module = vk_module(&program->vk, program->words[which], program->counts[which], &result);
    vk_must(result, names[which]);
    return module;
}

static void begin(worker *w)
{
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    vk_must(vkBeginCommandBuffer(w->commands, &info), "vkBeginCommandBuffer");
}

static void submit(worker *w)
{
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &w->commands};
    vk_must(vkEndCommandBuffer(w->commands), "vkEndCommandBuffer");
    pthread_mutex_lock(&w->program->queue);
    vk_must(vkQueueSubmit(w->program->vk.queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    vk_must(vkQueueWaitIdle(w->program->vk.queue), "vkQueueWaitIdle");
    pthread_mutex_unlock(&w->program->queue);
}

/* One dispatch that adds to what all threads add to; `factor` is the shader's specialisation. */
static void compute(worker *w, uint32_t factor)
{
    vk_program *vk = &w->program->vk;
    const VkSpecializationMapEntry entry = {3, 0, sizeof factor};
    const VkSpecializationInfo specialization = {1, &entry, sizeof factor, &factor};
    vk_stage stage = {VK_SHADER_STAGE_COMPUTE_BIT, module_of(w->program, PUSH), &specialization};
    VkResult result;
    VkPipeline pipeline = vk_compute_pipeline(vk, stage, &result);
    vk_must(result, "compute pipeline");
    vkDestroyShaderModule(vk->device, stage.module, NULL);
    const uint32_t push[4] = {factor, w->index % 4, 2, 3}; /* few values: tables of them stay exact */
    begin(w);
    vkCmdBindPipeline(w->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(w->commands, VK_PIPELINE_BIND_POINT_COMPUTE, vk->layout, 0, 1, &vk->set, 0, NULL);
    vkCmdPushConstants(w->commands, vk->layout, VK_SHADER_STAGE_ALL, 0, sizeof push, push);
    vkCmdDispatch(w->commands, 3, 1, 1);
    submit(w);
    vkDestroyPipeline(vk->device, pipeline, NULL);
}

static void draw(worker *w, VkPipeline pipeline)
{
    vk_program *vk = &w->program->vk;
    const VkClearValue clear = {.color = {.float32 = {0}}};
    VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                  .renderPass = vk->pass,
                                  .framebuffer = vk->framebuffer,
                                  .renderArea = {{0, 0}, {VK_WIDTH, VK_HEIGHT}},
                                  .clearValueCount = 1,
                                  .pClearValues = &clear};
    begin(w);
    vkCmdBeginRenderPass(w->commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(w->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(w->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, vk->layout, 0, 1, &vk->set, 0,
                            NULL);
    vkCmdDraw(w->commands, 3, 1, 0, 0);
    vkCmdEndRenderPass(w->commands);
    submit(w);
    vkDestroyPipeline(vk->device, pipeline, NULL);
}

/* A pipeline made whole, or linked from libraries, fast or optimised. */
static void graphics(worker *w, bool libraries, bool optimised)
{
    vk_program *vk = &w->program->vk;
    const vk_stage stages[2] = {
        {.stage = VK_SHADER_STAGE_VERTEX_BIT, .module = module_of(w->program, VERTEX)},
        {.stage = VK_SHADER_STAGE_FRAGMENT_BIT, .module = module_of(w->program, FRAGMENT)}};
    vk_state state;
    VkPipeline pipeline = VK_NULL_HANDLE, parts[VK_PARTS] = {0};
    vk_fill_state(&state, vk, stages, 2, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    if (libraries) {
        const VkPipelineCreateFlags flags =
            optimised ? (VkPipelineCreateFlags)VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT : 0;
        pipeline = vk_make_link(parts, vk, &state, flags);
    } else
        vk_must(vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &state.info, NULL, &pipeline),
                "draw");
    draw(w, pipeline);
    for (int i = 0; i < VK_PARTS; i++)
        vkDestroyPipeline(vk->device, parts[i], NULL);
    for (int i = 0; i < 2; i++)
        vkDestroyShaderModule(vk->device, stages[i].module, NULL);
}

static void *work(void *argument)
{
    worker *w = argument;
    vk_program *vk = &w->program->vk;
    uint32_t order[TASKS], state = w->seed * 7919u + w->index;
    for (uint32_t i = 0; i < TASKS; i++)
        order[i] = i;
    for (uint32_t i = TASKS - 1; i > 0; i--) {
        state = state * 1664525u + 1013904223u;
        const uint32_t other = (state >> 16) % (i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (int i = 0; i < TASKS; i++)
        if (order[i] < 3)
            compute(w, 2 + (w->index + order[i]) % 5);
        else
            graphics(w, order[i] > 3, order[i] == 5);
    vkDestroyCommandPool(vk->device, w->pool, NULL);
    return NULL;
}

static void start(worker *w, shared *program, uint32_t index, uint32_t seed)
{
    *w = (worker){.program = program, .index = index, .seed = seed};
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                    .queueFamilyIndex = program->vk.family};
    vk_must(vkCreateCommandPool(program->vk.device, &pool, NULL, &w->pool), "vkCreateCommandPool");
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = w->pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    vk_must(vkAllocateCommandBuffers(program->vk.device, &allocate, &w->commands),
            "vkAllocateCommandBuffers");
}

void app_many(const char *seed_text)
{
    static shared programs[PROGRAMS];
    const uint32_t seed = seed_text ? (uint32_t)strtoul(seed_text, NULL, 10) : 0;
    for (uint32_t round = 0; round < MANY_ROUNDS; round++) {
        pthread_t ids[MANY_THREADS];
        worker workers[MANY_THREADS];
        for (int i = 0; i < PROGRAMS; i++) {
            memset(&programs[i], 0, sizeof programs[i]);
            vk_open(&programs[i].vk, VK_API_VERSION_1_3, VK_STYLE_LIBRARY, APP_WORDS);
            pthread_mutex_init(&programs[i].queue, NULL);
            for (int j = 0; j < 3; j++)
                app_read_shader(&programs[i].words[j], &programs[i].counts[j], names[j]);
        }
        for (uint32_t i = 0; i < MANY_THREADS; i++) {
            start(&workers[i], &programs[i % PROGRAMS], i, seed + round);
            pthread_create(&ids[i], NULL, work, &workers[i]);
        }
        for (int i = 0; i < MANY_THREADS; i++)
            pthread_join(ids[i], NULL);
        for (int i = 0; i < PROGRAMS; i++) {
            printf("many %u %d: %08x\n", (unsigned)round, i,
                   app_checksum(programs[i].vk.buffers[2].words, 32));
            for (int j = 0; j < 3; j++)
                free(programs[i].words[j]);
            pthread_mutex_destroy(&programs[i].queue);
            vk_close(&programs[i].vk);
        }
    }
}
