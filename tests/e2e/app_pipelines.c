/* Scenarios of the test program about the less plain ways of making pipelines: several at once with a cache
 * and feedback, FAIL_ON_PIPELINE_COMPILE_REQUIRED, pipeline libraries linked fast and optimised, modules
 * inline in the stage. See app.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/app.h"

static VkPipelineCache make_cache(vk_program *vk)
{
    VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache;
    vk_must(vkCreatePipelineCache(vk->device, &info, NULL, &cache), "vkCreatePipelineCache");
    return cache;
}

/* Three pipelines in one call, two of them the same shader, with cache and feedback; `derive`: the second is
 * a derivative of the first. */
void app_batch(vk_program *vk, const uint32_t *words, size_t count, bool derive)
{
    VkResult result;
    VkShaderModule module = vk_module(vk, words, count, &result);
    vk_must(result, "vkCreateShaderModule");
    VkShaderModule other = app_load(vk, "straight.comp");
    VkPipelineCreationFeedback whole[3], stage[3];
    memset(whole, 0, sizeof whole);
    memset(stage, 0, sizeof stage);
    VkPipelineCreationFeedbackCreateInfo feedback[3];
    VkComputePipelineCreateInfo infos[3];
    const uint32_t local = 32;
    const VkSpecializationMapEntry entry = {0, 0, 4};
    const VkSpecializationInfo spec = {1, &entry, 4, &local};
    for (int i = 0; i < 3; i++) {
        infos[i] = vk_compute_info(vk, i == 2 ? other : module, 0);
        feedback[i] = (VkPipelineCreationFeedbackCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
            .pPipelineCreationFeedback = &whole[i],
            .pipelineStageCreationFeedbackCount = 1,
            .pPipelineStageCreationFeedbacks = &stage[i]};
        infos[i].pNext = &feedback[i];
    }
    if (derive) {
        infos[0].flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
        infos[1].flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
        infos[1].basePipelineIndex = 0;
    }
    infos[2].stage.pSpecializationInfo = &spec;
    VkPipelineCache cache = make_cache(vk);
    VkPipeline pipelines[3];
    vk_must(vkCreateComputePipelines(vk->device, cache, 3, infos, NULL, pipelines),
            "vkCreateComputePipelines");
    app_fill(vk);
    for (int i = 0; i < 3; i++) {
        memset(vk->buffers[1].words, 0, vk->buffers[1].count * 4);
        vk_dispatch(vk, pipelines[i], i == 2 ? APP_INVOCATIONS / 64 : APP_INVOCATIONS / 32);
        printf("batch %d: %08x, feedback valid %d\n", i, app_checksum(vk->buffers[1].words, APP_INVOCATIONS),
               (int)(whole[i].flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT));
        vkDestroyPipeline(vk->device, pipelines[i], NULL);
    }
    vkDestroyPipelineCache(vk->device, cache, NULL);
    vkDestroyShaderModule(vk->device, module, NULL);
    vkDestroyShaderModule(vk->device, other, NULL);
}

/* A program that asks whether a pipeline needs compiling gets the answer for its own pipeline. */
void app_required(vk_program *vk, const uint32_t *words, size_t count)
{
    VkResult result;
    VkShaderModule module = vk_module(vk, words, count, &result);
    vk_must(result, "vkCreateShaderModule");
    VkComputePipelineCreateInfo info = vk_compute_info(vk, module, 0);
    VkPipelineCache cache = make_cache(vk);
    app_fill(vk);
    for (int round = 0; round < 2; round++) {
        info.flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
        VkPipeline pipeline = VK_NULL_HANDLE;
        result = vkCreateComputePipelines(vk->device, cache, 1, &info, NULL, &pipeline);
        printf("round %d: VkResult %d\n", round, (int)result);
        if (result == VK_PIPELINE_COMPILE_REQUIRED) {
            info.flags = 0;
            vk_must(vkCreateComputePipelines(vk->device, cache, 1, &info, NULL, &pipeline),
                    "vkCreateComputePipelines");
        }
        vk_dispatch(vk, pipeline, APP_INVOCATIONS / 32);
        printf("compute %08x\n", app_checksum(vk->buffers[1].words, APP_INVOCATIONS));
        vkDestroyPipeline(vk->device, pipeline, NULL);
    }
    vkDestroyPipelineCache(vk->device, cache, NULL);
    vkDestroyShaderModule(vk->device, module, NULL);
}

static void draw_and_tell(vk_program *vk, const char *what, VkPipeline pipeline)
{
    vk_draw(vk, pipeline, 3);
    printf("%s: draw %08x\n", what, app_checksum(vk->pixels.words, VK_WIDTH * VK_HEIGHT));
    vkDestroyPipeline(vk->device, pipeline, NULL);
}

/* `stages`: those of the part. */
static VkPipeline make_part(vk_program *vk, const vk_state *state, VkGraphicsPipelineLibraryFlagsEXT part,
                            const VkPipelineShaderStageCreateInfo *stages, uint32_t count, VkRenderPass pass)
{
    VkGraphicsPipelineLibraryCreateInfoEXT library = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, .flags = part};
    VkGraphicsPipelineCreateInfo info = state->info;
    info.pNext = &library;
    info.flags =
        VK_PIPELINE_CREATE_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT;
    info.stageCount = count;
    info.pStages = stages;
    info.renderPass = pass;
    VkPipeline pipeline = VK_NULL_HANDLE;
    vk_must(vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline), "library part");
    return pipeline;
}

static void link_and_draw(vk_program *vk, const VkPipeline *libraries, uint32_t count, bool optimised,
                          bool feedback)
{
    VkPipelineCreationFeedback whole = {0};
    VkPipelineCreationFeedbackCreateInfo asked = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
        .pPipelineCreationFeedback = &whole};
    VkPipelineLibraryCreateInfoKHR linked = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
                                             .libraryCount = count,
                                             .pLibraries = libraries};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .pNext = &linked,
                                         .layout = vk->layout,
                                         .basePipelineIndex = -1};
    if (feedback) {
        asked.pNext = &linked;
        info.pNext = &asked;
    }
    info.flags = optimised ? VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT : 0;
    VkPipeline pipeline = VK_NULL_HANDLE;
    vk_must(vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline), "link");
    if (feedback)
        printf("feedback valid %d\n", (int)(whole.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT));
    draw_and_tell(vk, optimised ? "optimised link" : "fast link", pipeline);
}

/* Four libraries, linked fast and with link-time optimisation.
 *
 *     library-fast, library-optimised   the one or the other only
 *     library-tessellation              three stages in one library, both links
 *     library-stale                     the render pass of some parts goes before an optimised link
 *     library-gone                      that of all parts
 *     library-feedback                  an optimised link with creation feedback
 *     library-two                       two libraries: vertex input with all shaders, and the output */
void app_library(vk_program *vk, const char *scenario)
{
    static const char *const names[4] = {"triangle.vert", "plain.tesc", "plain.tese", "gradient.frag"};
    static const VkShaderStageFlagBits bits[4] = {
        VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
        VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
    static const VkGraphicsPipelineLibraryFlagsEXT parts[4] = {
        VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
        VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT};
    const bool patches = strcmp(scenario, "library-tessellation") == 0;
    vk_stage stages[4];
    uint32_t count = 0;
    for (int i = 0; i < 4; i++)
        if (patches || i == 0 || i == 3)
            stages[count++] = (vk_stage){.stage = bits[i], .module = app_load(vk, names[i])};
    vk_state state;
    vk_fill_state(&state, vk, stages, count,
                  patches ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    const bool gone = strcmp(scenario, "library-gone") == 0;
    const bool stale = gone || strcmp(scenario, "library-stale") == 0;
    VkRenderPass pass = stale ? vk_make_pass(vk) : vk->pass;
    const uint32_t own[4] = {0, count - 1, 1, 0}, first[4] = {0, 0, count - 1, 0};
    VkPipeline libraries[4] = {0};
    const bool two = strcmp(scenario, "library-two") == 0;
    for (int i = 0; i < 4 && !two; i++)
        libraries[i] = make_part(vk, &state, parts[i], state.stages + first[i], own[i],
                                 i == 3 && !gone ? vk->pass : pass);
    if (two) {
        libraries[0] = make_part(vk, &state, parts[0] | parts[1] | parts[2], state.stages, count, pass);
        libraries[1] = make_part(vk, &state, parts[3], state.stages, 0, pass);
    }
    for (uint32_t i = 0; i < count; i++)
        vkDestroyShaderModule(vk->device, stages[i].module, NULL); /* a link needs them no more */
    if (stale)
        vkDestroyRenderPass(vk->device, pass, NULL);
    const bool feedback = strcmp(scenario, "library-feedback") == 0;
    for (int optimised = 0; optimised < 2; optimised++)
        if (strcmp(scenario, optimised ? "library-fast" : "library-optimised") != 0 &&
            (optimised || (!stale && !feedback)))
            link_and_draw(vk, libraries, two ? 2 : 4, optimised, feedback);
    for (int i = 0; i < 4; i++)
        vkDestroyPipeline(vk->device, libraries[i], NULL);
}

/* No module handles at all: the words stand in each stage's chain. */
void app_inline(vk_program *vk)
{
    static const char *const names[2] = {"triangle.vert", "gradient.frag"};
    static const VkShaderStageFlagBits bits[2] = {VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT};
    vk_stage stages[2];
    VkShaderModuleCreateInfo modules[2];
    uint32_t *words[2];
    vk_state state;
    for (int i = 0; i < 2; i++)
        stages[i] = (vk_stage){.stage = bits[i]};
    vk_fill_state(&state, vk, stages, 2, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    for (int i = 0; i < 2; i++) {
        size_t count;
        app_read_shader(&words[i], &count, names[i]);
        modules[i] = (VkShaderModuleCreateInfo){
            .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = count * 4, .pCode = words[i]};
        state.stages[i].pNext = &modules[i];
    }
    VkPipeline pipeline = VK_NULL_HANDLE;
    vk_must(vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &state.info, NULL, &pipeline),
            "inline modules");
    draw_and_tell(vk, "inline", pipeline);
    for (int i = 0; i < 2; i++)
        free(words[i]);
}
