/* Scenario "answers" of the test program: what a program is told about its own pipelines. It runs nothing, so
 * that drivers without hardware serve too. See app.c.
 *
 *     app answers SPIRV-FOLDER [FILE]   FILE: loads its pipeline cache from there, and stores it there */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/newer.h"
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
    const VkComputePipelineCreateInfo infos[3] = {vk_compute_info(vk, warm, flags),
                                                  vk_compute_info(vk, cold, FAIL | flags),
                                                  vk_compute_info(vk, warm, flags)};
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
    VkComputePipelineCreateInfo info = vk_compute_info(vk, VK_NULL_HANDLE, FAIL);
    info.stage.pNext = &named;
    ask(vk, cache, info, false, what);
    /* An identifier of nothing. */
    uint8_t nothing[VK_MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT] = {1, 2, 3};
    named.pIdentifier = nothing;
    ask(vk, cache, info, false, "unknown identifier");
}

/* -- VK_KHR_pipeline_binary, newer than the oldest headers: types and values of the registry */

typedef struct binary_key {
    VkStructureType sType;
    void *pNext;
    uint32_t keySize;
    uint8_t key[32];
} binary_key;
typedef struct binary_create_info {
    VkStructureType sType;
    const void *pNext, *pKeysAndDataInfo;
    VkPipeline pipeline;
    const void *pPipelineCreateInfo;
} binary_create_info;
typedef struct binary_handles {
    VkStructureType sType;
    const void *pNext;
    uint32_t count;
    uint64_t *binaries;
} binary_handles;
typedef struct binary_data_info {
    VkStructureType sType;
    void *pNext;
    uint64_t binary;
} binary_data_info;
typedef VkResult(VKAPI_PTR *pfn_create_binaries)(VkDevice, const binary_create_info *,
                                                 const VkAllocationCallbacks *, binary_handles *);
typedef VkResult(VKAPI_PTR *pfn_binary_data)(VkDevice, const binary_data_info *, binary_key *, size_t *,
                                             void *);
typedef void(VKAPI_PTR *pfn_destroy_binary)(VkDevice, uint64_t, const VkAllocationCallbacks *);

static uint32_t sum_bytes(const uint8_t *bytes, size_t count)
{
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ bytes[i]) * 16777619u;
    return sum;
}

/* A pipeline's binaries, as a program stores them, and a pipeline made of these. */
static void ask_binaries(vk_program *vk, VkShaderModule module)
{
    enum { MOST = 8 };
    static uint8_t data[1 << 20];
    if (!vk->optional.binaries)
        return;
    pfn_create_binaries create =
        (pfn_create_binaries)vkGetDeviceProcAddr(vk->device, "vkCreatePipelineBinariesKHR");
    pfn_binary_data get = (pfn_binary_data)vkGetDeviceProcAddr(vk->device, "vkGetPipelineBinaryDataKHR");
    pfn_destroy_binary destroy =
        (pfn_destroy_binary)vkGetDeviceProcAddr(vk->device, "vkDestroyPipelineBinaryKHR");
    wpg_pipeline_flags_2 flags = {.sType = WPG_STRUCTURE_PIPELINE_FLAGS_2, .flags = WPG_FLAG_CAPTURE_DATA};
    VkComputePipelineCreateInfo info = vk_compute_info(vk, module, 0);
    info.pNext = &flags;
    VkPipeline pipeline = VK_NULL_HANDLE;
    VkResult result = vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
    printf("captured: VkResult %d\n", (int)result);
    if (result != VK_SUCCESS)
        return;
    uint64_t binaries[MOST] = {0};
    binary_create_info what = {.sType = (VkStructureType)1000483001, .pipeline = pipeline};
    binary_handles made = {.sType = (VkStructureType)1000483009};
    result = create(vk->device, &what, NULL, &made);
    made.binaries = binaries;
    made.count = made.count > MOST ? MOST : made.count;
    if (result == VK_SUCCESS)
        result = create(vk->device, &what, NULL, &made);
    printf("binaries: VkResult %d, %u\n", (int)result, (unsigned)made.count);
    for (uint32_t i = 0; i < made.count && result == VK_SUCCESS; i++) {
        const binary_data_info which = {.sType = (VkStructureType)1000483006, .binary = binaries[i]};
        binary_key key = {.sType = (VkStructureType)1000483003};
        size_t size = sizeof data;
        result = get(vk->device, &which, &key, &size, data);
        printf("binary %u: VkResult %d, %zu bytes, %08x, key %08x\n", (unsigned)i, (int)result, size,
               sum_bytes(data, size), sum_bytes(key.key, key.keySize));
    }
    vkDestroyPipeline(vk->device, pipeline, NULL);
    const wpg_pipeline_binary_info of = {.sType = WPG_STRUCTURE_PIPELINE_BINARY_INFO,
                                         .binaryCount = made.count,
                                         .pPipelineBinaries = binaries};
    info.pNext = &of;
    info.stage.module = VK_NULL_HANDLE;
    result = vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
    printf("made of binaries: VkResult %d\n", (int)result);
    vkDestroyPipeline(vk->device, pipeline, NULL);
    for (uint32_t i = 0; i < made.count; i++)
        destroy(vk->device, binaries[i], NULL);
}

void app_answers(vk_program *vk, const char *path)
{
    VkShaderModule module = app_load(vk, "count.comp"), other = app_load(vk, "push.comp"),
                   third = app_load(vk, "straight.comp");
    VkPipelineCache cache = load_cache(vk, path);
    ask_identifier(vk, cache, module, "identifier, first");
    ask(vk, cache, vk_compute_info(vk, module, FAIL), false, "first, without compiling");
    ask(vk, cache, vk_compute_info(vk, module, 0), true, "compiled");
    ask(vk, cache, vk_compute_info(vk, module, 0), true, "again");
    ask(vk, cache, vk_compute_info(vk, module, FAIL), false, "again, without compiling");
    ask(vk, cache, vk_compute_info(vk, module, FAIL), true, "again, without compiling, with feedback");
    ask_identifier(vk, cache, module, "identifier, again");
    ask(vk, cache, vk_compute_info(vk, other, FAIL), false, "other, without compiling");
    ask(vk, cache, vk_compute_info(vk, other, 0), false, "other, without feedback");
    ask(vk, cache, vk_compute_info(vk, other, FAIL), false, "other again, without compiling");
    ask_batch(vk, cache, module, third, 0);
    ask_batch(vk, cache, module, third, VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT);
    ask_binaries(vk, module);
    if (path)
        store_cache(vk, cache, path);
    vkDestroyPipelineCache(vk->device, cache, NULL);
    vkDestroyShaderModule(vk->device, module, NULL);
    vkDestroyShaderModule(vk->device, other, NULL);
    vkDestroyShaderModule(vk->device, third, NULL);
}
