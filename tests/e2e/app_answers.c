/* Scenario "answers" of the test program: what a program is told about its own pipelines. It runs nothing, so
 * that drivers without hardware serve too. See app.c.
 *
 *     app answers SPIRV-FOLDER [FILE]   FILE: loads its pipeline cache from there, and stores it there */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/app.h"

enum { FAIL = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT };

static VkPipelineCache load_cache(const vk_program *vk, const char *path)
{
    static char data[1 << 20];
    VkPipelineCacheCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
                                      .pInitialData = data};
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (file) {
        info.initialDataSize = fread(data, 1, sizeof data, file);
        fclose(file);
    }
    VkPipelineCache cache = VK_NULL_HANDLE;
    VkResult result = vkCreatePipelineCache(vk->device, &info, NULL, &cache);
    if (result != VK_SUCCESS)
        printf("vkCreatePipelineCache: VkResult %d\n", (int)result);
    return cache;
}

static void store_cache(const vk_program *vk, VkPipelineCache cache, const char *path)
{
    size_t size = 0;
    vkGetPipelineCacheData(vk->device, cache, &size, NULL);
    void *data = malloc(size + 1);
    if (!data || vkGetPipelineCacheData(vk->device, cache, &size, data) != VK_SUCCESS)
        exit(VK_EXIT_FAILURE);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        exit(VK_EXIT_FAILURE);
    free(data);
}

static VkComputePipelineCreateInfo info_of(const vk_program *vk, VkShaderModule module,
                                           VkPipelineCreateFlags flags)
{
    return (VkComputePipelineCreateInfo){
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = flags,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = vk->layout,
        .basePipelineIndex = -1};
}

static void ask(vk_program *vk, VkPipelineCache cache, VkComputePipelineCreateInfo info, bool feedback,
                const char *what)
{
    VkPipelineCreationFeedback whole = {0}, stage = {0};
    VkPipelineCreationFeedbackCreateInfo asked = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
        .pPipelineCreationFeedback = &whole,
        .pipelineStageCreationFeedbackCount = 1,
        .pPipelineStageCreationFeedbacks = &stage};
    if (feedback)
        info.pNext = &asked;
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkResult result = vkCreateComputePipelines(vk->device, cache, 1, &info, NULL, &pipeline);
    printf("%s: VkResult %d, pipeline %d", what, (int)result, pipeline != VK_NULL_HANDLE);
    if (feedback)
        printf(", valid %d, hit %d", (whole.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT) != 0,
               (whole.flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT) != 0);
    printf("\n");
    vkDestroyPipeline(vk->device, pipeline, NULL);
}

/* Several in one call, one of them not at hand: which of them the program gets. */
static void ask_batch(vk_program *vk, VkPipelineCache cache, VkShaderModule warm, VkShaderModule cold,
                      VkPipelineCreateFlags flags)
{
    const VkComputePipelineCreateInfo infos[3] = {info_of(vk, warm, flags), info_of(vk, cold, FAIL | flags),
                                                  info_of(vk, warm, flags)};
    VkPipeline pipelines[3];
    memset(pipelines, 0xff, sizeof pipelines);
    VkResult result = vkCreateComputePipelines(vk->device, cache, 3, infos, NULL, pipelines);
    printf("batch, flags %x: VkResult %d, pipelines", (unsigned)flags, (int)result);
    for (int i = 0; i < 3; i++) {
        printf(" %d", pipelines[i] != VK_NULL_HANDLE);
        vkDestroyPipeline(vk->device, pipelines[i], NULL);
    }
    printf("\n");
}

static void ask_identifier(vk_program *vk, VkPipelineCache cache, VkShaderModule module, const char *what)
{
    VkShaderModuleIdentifierEXT identifier = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_IDENTIFIER_EXT};
    PFN_vkGetShaderModuleIdentifierEXT get =
        (PFN_vkGetShaderModuleIdentifierEXT)vkGetDeviceProcAddr(vk->device, "vkGetShaderModuleIdentifierEXT");
    if (!vk->identifiers || !get)
        return;
    get(vk->device, module, &identifier);
    VkPipelineShaderStageModuleIdentifierCreateInfoEXT named = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT,
        .identifierSize = identifier.identifierSize,
        .pIdentifier = identifier.identifier};
    VkComputePipelineCreateInfo info = info_of(vk, VK_NULL_HANDLE, FAIL);
    info.stage.pNext = &named;
    ask(vk, cache, info, false, what);
    /* An identifier of nothing. */
    uint8_t nothing[VK_MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT] = {1, 2, 3};
    named.pIdentifier = nothing;
    ask(vk, cache, info, false, "unknown identifier");
}

static VkShaderModule load(vk_program *vk, const char *name)
{
    uint32_t *words;
    size_t count;
    VkResult result;
    app_read_shader(&words, &count, name);
    VkShaderModule module = vk_module(vk, words, count, &result);
    free(words);
    if (!module)
        exit(VK_EXIT_FAILURE);
    return module;
}

void app_answers(vk_program *vk, const char *path)
{
    VkShaderModule module = load(vk, "count.comp"), other = load(vk, "push.comp"),
                   third = load(vk, "straight.comp");
    VkPipelineCache cache = load_cache(vk, path);
    ask_identifier(vk, cache, module, "identifier, first");
    ask(vk, cache, info_of(vk, module, FAIL), false, "first, without compiling");
    ask(vk, cache, info_of(vk, module, 0), true, "compiled");
    ask(vk, cache, info_of(vk, module, 0), true, "again");
    ask(vk, cache, info_of(vk, module, FAIL), false, "again, without compiling");
    ask(vk, cache, info_of(vk, module, FAIL), true, "again, without compiling, with feedback");
    ask_identifier(vk, cache, module, "identifier, again");
    ask(vk, cache, info_of(vk, other, FAIL), false, "other, without compiling");
    ask(vk, cache, info_of(vk, other, 0), false, "other, without feedback");
    ask(vk, cache, info_of(vk, other, FAIL), false, "other again, without compiling");
    ask_batch(vk, cache, module, third, 0);
    ask_batch(vk, cache, module, third, VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT);
    if (path)
        store_cache(vk, cache, path);
    vkDestroyPipelineCache(vk->device, cache, NULL);
    vkDestroyShaderModule(vk->device, module, NULL);
    vkDestroyShaderModule(vk->device, other, NULL);
    vkDestroyShaderModule(vk->device, third, NULL);
}
