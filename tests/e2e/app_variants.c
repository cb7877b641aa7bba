/* Scenarios of the test program for variants by push constants: `variants-train` pushes few combinations,
 * which a profile then knows; `variants` pushes them and others, in every way that a command buffer has.
 * Whatever a layer binds, the results are the same. `shapes-train` and `shapes` do so with sizes and strides
 * that belong together. tests/e2e/variants.sh. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/app.h"

enum { RESULTS = 32, SOON_GONE = 12, RECORDERS = 4, RECORDINGS = 20 };

typedef struct push {
    uint32_t flags, count;
    float scale;
    uint32_t seed;
} push;

static const push usual = {2, 4, 0.5f, 17}, second = {1, 3, 0.5f, 17};

static void must(VkResult result, const char *what)
{
    if (result != VK_SUCCESS) {
        printf("%s: VkResult %d\n", what, (int)result);
        exit(VK_EXIT_FAILURE);
    }
}

static VkPipelineLayout make_layout(vk_program *vk, uint32_t size)
{
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, size};
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .setLayoutCount = 1,
                                       .pSetLayouts = &vk->set_layout,
                                       .pushConstantRangeCount = 1,
                                       .pPushConstantRanges = &range};
    VkPipelineLayout layout;
    must(vkCreatePipelineLayout(vk->device, &info, NULL, &layout), "vkCreatePipelineLayout");
    return layout;
}

static VkPipeline make_pipeline(vk_program *vk, VkPipelineLayout layout, const char *shader)
{
    uint32_t *words;
    size_t count;
    VkResult result;
    app_read_shader(&words, &count, shader);
    VkShaderModule module = vk_module(vk, words, count, &result);
    must(result, "vkCreateShaderModule");
    free(words);
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = layout,
        .basePipelineIndex = -1};
    VkPipeline pipeline;
    must(vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline), "pipeline");
    vkDestroyShaderModule(vk->device, module, NULL);
    return pipeline;
}

static VkCommandBuffer begin(vk_program *vk, VkCommandPool pool, VkCommandBufferLevel level)
{
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = pool,
                                        .level = level,
                                        .commandBufferCount = 1};
    VkCommandBufferInheritanceInfo inheritance = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo how = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                    .pInheritanceInfo = &inheritance};
    VkCommandBuffer commands;
    must(vkAllocateCommandBuffers(vk->device, &info, &commands), "vkAllocateCommandBuffers");
    must(vkBeginCommandBuffer(commands, &how), "vkBeginCommandBuffer");
    return commands;
}

static VkCommandPool make_pool(vk_program *vk)
{
    VkCommandPool pool;
    VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .queueFamilyIndex = vk->family};
    must(vkCreateCommandPool(vk->device, &info, NULL, &pool), "vkCreateCommandPool");
    return pool;
}

static void submit(vk_program *vk, VkCommandBuffer commands)
{
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    must(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    must(vkQueueSubmit(vk->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
    must(vkQueueWaitIdle(vk->queue), "vkQueueWaitIdle");
}

static void bind(vk_program *vk, VkCommandBuffer commands, VkPipeline pipeline, VkPipelineLayout layout)
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &vk->set, 0, NULL);
}

static void push_some(VkCommandBuffer commands, VkPipelineLayout layout, uint32_t offset, uint32_t size,
                      const void *values)
{
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, offset, size, values);
}

static void dispatch(VkCommandBuffer commands)
{
    VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                              .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                              .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    vkCmdDispatch(commands, 1, 1, 1);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                         1, &memory, 0, NULL, 0, NULL);
}

static void say(vk_program *vk, const char *what)
{
    printf("%s %08x\n", what, app_checksum(vk->buffers[2].words, RESULTS));
}

void app_variants_train(vk_program *vk)
{
    VkPipelineLayout layout = make_layout(vk, sizeof(push));
    VkPipeline pipeline = make_pipeline(vk, layout, "variants.comp");
    VkCommandPool pool = make_pool(vk);
    for (int i = 0; i < 20; i++) {
        VkCommandBuffer commands = begin(vk, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        bind(vk, commands, pipeline, layout);
        push_some(commands, layout, 0, sizeof(push), i % 4 ? &usual : &second);
        dispatch(commands);
        submit(vk, commands);
    }
    say(vk, "trained");
    vkDestroyCommandPool(vk->device, pool, NULL);
    vkDestroyPipeline(vk->device, pipeline, NULL);
    vkDestroyPipelineLayout(vk->device, layout, NULL);
}

/* Usual, changed word by word, never seen, and usual again, in one command buffer. */
static void partial_updates(vk_program *vk, VkCommandPool pool, VkPipeline pipeline, VkPipelineLayout layout)
{
    static const push strange[] = {
        {3, 4, 0.5f, 17}, {0, 0, 0.0f, 0}, {2, 4, -0.0f, 17}, {0xffffffff, 2, 3e38f, 5}};
    VkCommandBuffer commands = begin(vk, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    bind(vk, commands, pipeline, layout);
    push_some(commands, layout, 0, sizeof(push), &usual);
    dispatch(commands);
    push_some(commands, layout, 4, 4, &(uint32_t){7});
    dispatch(commands);
    push_some(commands, layout, 4, 4, &usual.count);
    dispatch(commands);
    push_some(commands, layout, 0, 4, &(uint32_t){1});
    dispatch(commands);
    push_some(commands, layout, 0, sizeof(push), &second);
    dispatch(commands);
    push_some(commands, layout, 12, 4, &(uint32_t){99}); /* a word that no variant asks about */
    dispatch(commands);
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        push_some(commands, layout, 0, sizeof(push), &strange[i]);
        dispatch(commands);
        push_some(commands, layout, 0, sizeof(push), &usual);
        dispatch(commands);
    }
    submit(vk, commands);
    say(vk, "partial");
}

/* Two pipelines whose layouts have other ranges take turns; what is pushed for one is not valid for the
 * other. */
static void two_layouts(vk_program *vk, VkCommandPool pool, VkPipeline pipeline, VkPipelineLayout layout)
{
    VkPipelineLayout wide = make_layout(vk, 64);
    VkPipeline other = make_pipeline(vk, wide, "variants.comp");
    VkCommandBuffer commands = begin(vk, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    for (int i = 0; i < 3; i++) {
        bind(vk, commands, pipeline, layout);
        push_some(commands, layout, 0, sizeof(push), &usual);
        dispatch(commands);
        bind(vk, commands, other, wide);
        push_some(commands, wide, 0, sizeof(push), i == 1 ? &usual : &second);
        dispatch(commands);
    }
    submit(vk, commands);
    say(vk, "layouts");
    vkDestroyPipeline(vk->device, other, NULL);
    vkDestroyPipelineLayout(vk->device, wide, NULL);
}

static void secondaries(vk_program *vk, VkCommandPool pool, VkPipeline pipeline, VkPipelineLayout layout)
{
    VkCommandBuffer inner = begin(vk, pool, VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    bind(vk, inner, pipeline, layout);
    push_some(inner, layout, 0, sizeof(push), &usual);
    dispatch(inner);
    push_some(inner, layout, 0, 4, &(uint32_t){0});
    dispatch(inner);
    must(vkEndCommandBuffer(inner), "vkEndCommandBuffer");
    VkCommandBuffer outer = begin(vk, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    bind(vk, outer, pipeline, layout);
    push_some(outer, layout, 0, sizeof(push), &usual);
    dispatch(outer);
    vkCmdExecuteCommands(outer, 1, &inner);
    bind(vk, outer, pipeline, layout); /* nothing is left of what was bound and pushed */
    push_some(outer, layout, 0, sizeof(push), &second);
    dispatch(outer);
    submit(vk, outer);
    say(vk, "secondary");
}

/* Pipelines and layouts that go while variants of them may still be made. */
static void soon_gone(vk_program *vk)
{
    for (int i = 0; i < SOON_GONE; i++) {
        VkCommandPool pool = make_pool(vk);
        VkPipelineLayout layout = make_layout(vk, sizeof(push));
        VkPipeline pipeline = make_pipeline(vk, layout, "variants.comp");
        if (i % 3 ==
            0) { /* a pipeline needs its layout no longer than to be made; commands take an equal one */
            vkDestroyPipelineLayout(vk->device, layout, NULL);
            layout = make_layout(vk, sizeof(push));
        }
        VkCommandBuffer commands = begin(vk, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        bind(vk, commands, pipeline, layout);
        push_some(commands, layout, 0, sizeof(push), i % 2 ? &usual : &second);
        dispatch(commands);
        submit(vk, commands);
        vkDestroyCommandPool(vk->device, pool, NULL);
        vkDestroyPipeline(vk->device, pipeline, NULL);
        vkDestroyPipelineLayout(vk->device, layout, NULL);
    }
    say(vk, "gone");
}

typedef struct recorder {
    vk_program *vk;
    VkPipeline pipeline;
    VkPipelineLayout layout;
    uint32_t number;
} recorder;

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;

/* Recorded by each thread while the others do; run one after another. */
static void *record_many(void *argument)
{
    const recorder *r = argument;
    for (uint32_t i = 0; i < RECORDINGS; i++) {
        VkCommandPool pool = make_pool(r->vk);
        VkCommandBuffer commands = begin(r->vk, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        bind(r->vk, commands, r->pipeline, r->layout);
        for (uint32_t j = 0; j < 8; j++) { /* never submitted */
            push_some(commands, r->layout, 0, sizeof(push), (i + j + r->number) % 3 ? &usual : &second);
            dispatch(commands);
        }
        must(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
        commands = begin(r->vk, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
        bind(r->vk, commands, r->pipeline, r->layout);
        push_some(commands, r->layout, 0, sizeof(push), &usual);
        dispatch(commands);
        pthread_mutex_lock(&queue_lock);
        submit(r->vk, commands);
        pthread_mutex_unlock(&queue_lock);
        vkDestroyCommandPool(r->vk->device, pool, NULL);
    }
    return NULL;
}

static void threads(vk_program *vk, VkPipeline pipeline, VkPipelineLayout layout)
{
    pthread_t ids[RECORDERS];
    recorder recorders[RECORDERS];
    for (uint32_t i = 0; i < RECORDERS; i++) {
        recorders[i] = (recorder){vk, pipeline, layout, i};
        pthread_create(&ids[i], NULL, record_many, &recorders[i]);
    }
    for (int i = 0; i < RECORDERS; i++)
        pthread_join(ids[i], NULL);
    say(vk, "threads");
}

void app_variants(vk_program *vk)
{
    VkPipelineLayout layout = make_layout(vk, sizeof(push));
    VkPipeline pipeline = make_pipeline(vk, layout, "variants.comp");
    VkCommandPool pool = make_pool(vk);
    partial_updates(vk, pool, pipeline, layout);
    two_layouts(vk, pool, pipeline, layout);
    secondaries(vk, pool, pipeline, layout);
    threads(vk, pipeline, layout);
    soon_gone(vk);
    partial_updates(vk, pool, pipeline, layout);
    vkDestroyCommandPool(vk->device, pool, NULL);
    vkDestroyPipeline(vk->device, pipeline, NULL);
    vkDestroyPipelineLayout(vk->device, layout, NULL);
}

/* Two shapes in turns; the first is twice as common. The offset is free. */
typedef struct shape {
    uint32_t size, stride, offset;
} shape;
enum { FIRST_SIZE = 5, FIRST_STRIDE = 3, SECOND_SIZE = 7, SECOND_STRIDE = 11, SHAPES = 24 };

static shape shape_at(int i, bool train)
{
    const bool rarer = train ? i % 3 == 0 : i % 4 == 0, mixed = !train && i % 4 == 2;
    return (shape){rarer ? SECOND_SIZE : FIRST_SIZE, rarer || mixed ? SECOND_STRIDE : FIRST_STRIDE,
                   (uint32_t)i % (train ? 4 : 5)};
}

/* `train`: the shapes alone. Else the size of one comes with the stride of the other, too. */
void app_shapes(vk_program *vk, bool train)
{
    VkPipelineLayout layout = make_layout(vk, sizeof(shape));
    VkPipeline pipeline = make_pipeline(vk, layout, "shapes.comp");
    VkCommandPool pool = make_pool(vk);
    VkCommandBuffer commands = begin(vk, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY);
    bind(vk, commands, pipeline, layout);
    for (int i = 0; i < SHAPES; i++) {
        const shape now = shape_at(i, train);
        push_some(commands, layout, 0, sizeof now, &now);
        dispatch(commands);
    }
    submit(vk, commands);
    say(vk, "shapes");
    vkDestroyCommandPool(vk->device, pool, NULL);
    vkDestroyPipeline(vk->device, pipeline, NULL);
    vkDestroyPipelineLayout(vk->device, layout, NULL);
}
