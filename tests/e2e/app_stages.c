/* Scenario of the test program about what stages of one pipeline say to each other: outputs that no next
 * stage reads, colours without an attachment and with a write mask of 0, in whole pipelines and in
 * libraries. See app.c. */
#include <stdio.h>
#include <string.h>

#include "tests/e2e/app.h"

static void draw_and_tell(vk_program *vk, const char *what, VkPipeline pipeline)
{
    memset(vk->buffers[1].words, 0, vk->buffers[1].count * 4);
    vk_draw(vk, pipeline, 3);
    printf("%s: draw %08x, memory %08x\n", what, app_checksum(vk->pixels.words, VK_WIDTH * VK_HEIGHT),
           app_checksum(vk->buffers[1].words, VK_HEIGHT));
    vkDestroyPipeline(vk->device, pipeline, NULL);
}

static VkPipeline make(vk_program *vk, const VkGraphicsPipelineCreateInfo *info)
{
    VkPipeline pipeline = VK_NULL_HANDLE;
    VK_MUST(vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, info, NULL, &pipeline));
    return pipeline;
}

/* Some subsets of the state as a library. */
static VkPipeline make_part(vk_program *vk, const vk_state *state, VkGraphicsPipelineLibraryFlagsEXT subsets,
                            uint32_t first, uint32_t count)
{
    const VkGraphicsPipelineLibraryCreateInfoEXT library = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, .flags = subsets};
    VkGraphicsPipelineCreateInfo info = state->info;
    info.pNext = &library;
    info.flags =
        VK_PIPELINE_CREATE_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT;
    info.stageCount = count;
    info.pStages = state->stages + first;
    return make(vk, &info);
}

static void link_and_tell(vk_program *vk, const char *what, const VkPipeline *parts, uint32_t count,
                          VkPipelineCreateFlags flags)
{
    const VkPipelineLibraryCreateInfoKHR linked = {.sType =
                                                       VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
                                                   .libraryCount = count,
                                                   .pLibraries = parts};
    const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .pNext = &linked,
                                               .flags = flags,
                                               .layout = vk->layout,
                                               .basePipelineIndex = -1};
    draw_and_tell(vk, what, make(vk, &info));
}

static void libraries(vk_program *vk, const vk_state *state)
{
    enum {
        INPUT = VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
        BEFORE = VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
        FRAGMENTS = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
        OUTPUT = VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT
    };
    const VkPipeline together[3] = {make_part(vk, state, INPUT, 0, 0),
                                    make_part(vk, state, BEFORE | FRAGMENTS, 0, 2),
                                    make_part(vk, state, OUTPUT, 0, 0)};
    const VkPipeline apart[4] = {together[0], make_part(vk, state, BEFORE, 0, 1),
                                 make_part(vk, state, FRAGMENTS, 1, 1), together[2]};
    link_and_tell(vk, "both in a part", together, 3, 0);
    link_and_tell(vk, "a part each", apart, 4, 0);
    link_and_tell(vk, "a part each, optimised", apart, 4, VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT);
    for (int i = 0; i < 3; i++)
        vkDestroyPipeline(vk->device, together[i], NULL);
    for (int i = 1; i < 3; i++)
        vkDestroyPipeline(vk->device, apart[i], NULL);
}

void app_stages(vk_program *vk)
{
    static const char *const fragments[2] = {"stages.frag", "stages_light.frag"};
    vk_stage stages[2] = {{.stage = VK_SHADER_STAGE_VERTEX_BIT, .module = app_load(vk, "stages.vert")},
                          {.stage = VK_SHADER_STAGE_FRAGMENT_BIT}};
    for (int i = 0; i < 2; i++) {
        vk_state state;
        stages[1].module = app_load(vk, fragments[i]);
        vk_fill_state(&state, vk, stages, 2, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
        draw_and_tell(vk, fragments[i], make(vk, &state.info));
        if (i == 0)
            libraries(vk, &state);
        state.attachment.colorWriteMask = 0;
        draw_and_tell(vk, "masked", make(vk, &state.info));
        vkDestroyShaderModule(vk->device, stages[1].module, NULL);
    }
    vkDestroyShaderModule(vk->device, stages[0].module, NULL);
}
