/* Scenarios of the test program about divisors in uniform buffers: one pipeline each. One has a word of many
 * values, one words that loops read by their counters. See app.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/app.h"

enum { GROUPS = 4, NUMBERS = 64 * GROUPS, SEEDS = 4, MOST_WORDS = 8 };

static const uint32_t columns[] = {
    96, 48, 3,         5184, 1, 2209, 16, 641, 0x10001, 0x8000, 0x80000000, 0xffffffff, /* others: */ 7,
    97, 2,  0x7fffffff};
static const uint32_t shapes[][MOST_WORDS] = {{7, 11, 48, 17, 19, 1, 1000, 31},
                                              /* others: */
                                              {7, 13, 48, 17, 19, 1, 1000, 31},
                                              {7, 11, 48, 17, 19, 1, 1000, 3},
                                              {0xffffffff, 2, 4, 8, 16, 32, 64, 0x80000000}};

/* A shader, and what its block holds: rows of words, the commonest first. */
typedef struct kernel {
    const char *name, *file;
    const uint32_t *rows;
    uint32_t words, rows_common, rows_all;
    bool seeded; /* a word behind the row varies: the seed */
} kernel;

static const kernel kernels[] = {
    {"divide", "divide.comp", columns, 1, 12, sizeof columns / sizeof *columns, true},
    {"counted", "counted.comp", shapes[0], MOST_WORDS, 1, sizeof shapes / sizeof *shapes, false}};

typedef struct scene {
    vk_program *vk;
    VkDescriptorSetLayout sets;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    vk_buffer results, sizes;
} scene;

static void make_set(scene *s)
{
    const VkDescriptorSetLayoutBinding bindings[2] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
    const VkDescriptorSetLayoutCreateInfo info = {.sType =
                                                      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                  .bindingCount = 2,
                                                  .pBindings = bindings};
    const VkDescriptorPoolSize sizes[2] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
                                           {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1}};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 1,
                                             .poolSizeCount = 2,
                                             .pPoolSizes = sizes};
    VK_MUST(vkCreateDescriptorSetLayout(s->vk->device, &info, NULL, &s->sets));
    VK_MUST(vkCreateDescriptorPool(s->vk->device, &pool, NULL, &s->pool));
    const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = s->pool,
                                                  .descriptorSetCount = 1,
                                                  .pSetLayouts = &s->sets};
    VK_MUST(vkAllocateDescriptorSets(s->vk->device, &allocate, &s->set));
    const VkDescriptorBufferInfo buffers[2] = {{s->results.buffer, 0, VK_WHOLE_SIZE},
                                               {s->sizes.buffer, 0, VK_WHOLE_SIZE}};
    for (uint32_t i = 0; i < 2; i++) {
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = s->set,
                                            .dstBinding = i,
                                            .descriptorCount = 1,
                                            .descriptorType = bindings[i].descriptorType,
                                            .pBufferInfo = &buffers[i]};
        vkUpdateDescriptorSets(s->vk->device, 1, &write, 0, NULL);
    }
}

static void make_pipeline(scene *s, const char *file)
{
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &s->sets};
    VK_MUST(vkCreatePipelineLayout(s->vk->device, &layout, NULL, &s->layout));
    const VkShaderModule module = app_load(s->vk, file);
    VkComputePipelineCreateInfo info = vk_compute_info(s->vk, module, 0);
    info.layout = s->layout;
    VK_MUST(vkCreateComputePipelines(s->vk->device, VK_NULL_HANDLE, 1, &info, NULL, &s->pipeline));
    vkDestroyShaderModule(s->vk->device, module, NULL);
}

static void dispatch(scene *s, const kernel *k, const uint32_t *row, uint32_t seed)
{
    memcpy(s->sizes.words, row, k->words * sizeof *row);
    if (k->seeded)
        s->sizes.words[k->words] = seed * 0x5bd1e995u;
    else
        for (uint32_t i = 0; i < NUMBERS; i++)
            s->results.words[i] = seed * 0x5bd1e995u;
    vk_begin(s->vk);
    vkCmdBindPipeline(s->vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, s->pipeline);
    vkCmdBindDescriptorSets(s->vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, s->layout, 0, 1, &s->set, 0,
                            NULL);
    vkCmdDispatch(s->vk->commands, GROUPS, 1, 1);
    vk_finish(s->vk);
}

void app_divide(vk_program *vk, const char *scenario)
{
    scene s = {.vk = vk};
    const kernel *k = &kernels[strncmp(scenario, kernels[0].name, strlen(kernels[0].name)) != 0];
    const bool all = strcmp(scenario + strlen(k->name), "-all") == 0;
    vk_make_buffer(vk, &s.results, NUMBERS, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    vk_make_buffer(vk, &s.sizes, MOST_WORDS, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
    make_set(&s);
    make_pipeline(&s, k->file);
    for (uint32_t i = 0; i < (all ? k->rows_all : k->rows_common); i++)
        for (uint32_t seed = 0; seed < SEEDS; seed++) {
            dispatch(&s, k, k->rows + (size_t)i * k->words, seed);
            uint32_t hash = 0;
            for (uint32_t n = 0; n < NUMBERS; n++)
                hash = hash * 0x01000193u ^ s.results.words[n];
            printf("%s %u %u %08x\n", k->name, (unsigned)i, (unsigned)seed, (unsigned)hash);
        }
    vkDestroyPipeline(vk->device, s.pipeline, NULL);
    vkDestroyPipelineLayout(vk->device, s.layout, NULL);
    vkDestroyDescriptorPool(vk->device, s.pool, NULL);
    vkDestroyDescriptorSetLayout(vk->device, s.sets, NULL);
    vk_drop_buffer(vk, &s.results);
    vk_drop_buffer(vk, &s.sizes);
}
