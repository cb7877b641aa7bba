/* Scenarios of the test program about divisors in uniform buffers: one pipeline, one word of many values. See
 * app.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/app.h"

enum { GROUPS = 4, NUMBERS = 64 * GROUPS, COMMON = 12 };

static const uint32_t columns[] = {
    96, 48, 3,         5184, 1, 2209, 16, 641, 0x10001, 0x8000, 0x80000000, 0xffffffff, /* others: */ 7,
    97, 2,  0x7fffffff};

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

static void make_pipeline(scene *s)
{
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &s->sets};
    VK_MUST(vkCreatePipelineLayout(s->vk->device, &layout, NULL, &s->layout));
    const VkShaderModule module = app_load(s->vk, "divide.comp");
    VkComputePipelineCreateInfo info = vk_compute_info(s->vk, module, 0);
    info.layout = s->layout;
    VK_MUST(vkCreateComputePipelines(s->vk->device, VK_NULL_HANDLE, 1, &info, NULL, &s->pipeline));
    vkDestroyShaderModule(s->vk->device, module, NULL);
}

static void dispatch(scene *s, uint32_t value, uint32_t seed)
{
    s->sizes.words[0] = value;
    s->sizes.words[1] = seed;
    vk_begin(s->vk);
    vkCmdBindPipeline(s->vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, s->pipeline);
    vkCmdBindDescriptorSets(s->vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, s->layout, 0, 1, &s->set, 0,
                            NULL);
    vkCmdDispatch(s->vk->commands, GROUPS, 1, 1);
    vk_finish(s->vk);
}

void app_divide(vk_program *vk, bool all)
{
    scene s = {.vk = vk};
    const uint32_t count = all ? sizeof columns / sizeof *columns : COMMON;
    vk_make_buffer(vk, &s.results, NUMBERS, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    vk_make_buffer(vk, &s.sizes, 4, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
    make_set(&s);
    make_pipeline(&s);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t seed = 0; seed < 4; seed++) {
            dispatch(&s, columns[i], seed * 0x5bd1e995u);
            uint32_t hash = 0;
            for (uint32_t k = 0; k < NUMBERS; k++)
                hash = hash * 0x01000193u ^ s.results.words[k];
            printf("divide %u %u %08x\n", columns[i], seed, hash);
        }
    vkDestroyPipeline(vk->device, s.pipeline, NULL);
    vkDestroyPipelineLayout(vk->device, s.layout, NULL);
    vkDestroyDescriptorPool(vk->device, s.pool, NULL);
    vkDestroyDescriptorSetLayout(vk->device, s.sets, NULL);
    vk_drop_buffer(vk, &s.results);
    vk_drop_buffer(vk, &s.sizes);
}
