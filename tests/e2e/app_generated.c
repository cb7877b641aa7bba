/* Of scenario "features": VK_EXT_device_generated_commands. Dispatches whose sizes stand in a buffer run a
 * pipeline that is named beside them, and pipelines of an execution set, which the buffer picks by index. The
 * types are newer than the oldest headers we build with: from the registry (vk.xml). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/newer.h"
#include "tests/e2e/app.h"

#define STRUCTURE(number) ((VkStructureType)(1000572000 + (number)))
enum { TOKEN_EXECUTION_SET = 0, TOKEN_DISPATCH = 9, SEQUENCES = 3, PIPELINES = 2 };

typedef uint64_t generated_handle; /* VkIndirectExecutionSetEXT, VkIndirectCommandsLayoutEXT */

typedef struct requirements_info { /* VkGeneratedCommandsMemoryRequirementsInfoEXT */
    VkStructureType sType;
    const void *pNext;
    generated_handle set, layout;
    uint32_t maxSequenceCount, maxDrawCount;
} requirements_info;

typedef struct set_pipeline_info { /* VkIndirectExecutionSetPipelineInfoEXT */
    VkStructureType sType;
    const void *pNext;
    VkPipeline initialPipeline;
    uint32_t maxPipelineCount;
} set_pipeline_info;

typedef struct set_info { /* VkIndirectExecutionSetCreateInfoEXT */
    VkStructureType sType;
    const void *pNext;
    int32_t type; /* 0: pipelines */
    const void *info;
} set_info;

typedef struct set_write { /* VkWriteIndirectExecutionSetPipelineEXT */
    VkStructureType sType;
    const void *pNext;
    uint32_t index;
    VkPipeline pipeline;
} set_write;

typedef struct set_token { /* VkIndirectCommandsExecutionSetTokenEXT */
    int32_t type;
    VkShaderStageFlags shaderStages;
} set_token;

typedef struct layout_token { /* VkIndirectCommandsLayoutTokenEXT */
    VkStructureType sType;
    const void *pNext;
    int32_t type;
    const void *data;
    uint32_t offset;
} layout_token;

typedef struct layout_info { /* VkIndirectCommandsLayoutCreateInfoEXT */
    VkStructureType sType;
    const void *pNext;
    VkFlags flags;
    VkShaderStageFlags shaderStages;
    uint32_t indirectStride;
    VkPipelineLayout pipelineLayout;
    uint32_t tokenCount;
    const layout_token *pTokens;
} layout_info;

typedef struct generated_info { /* VkGeneratedCommandsInfoEXT */
    VkStructureType sType;
    const void *pNext;
    VkShaderStageFlags shaderStages;
    generated_handle set, layout;
    VkDeviceAddress indirectAddress;
    VkDeviceSize indirectAddressSize;
    VkDeviceAddress preprocessAddress;
    VkDeviceSize preprocessSize;
    uint32_t maxSequenceCount;
    VkDeviceAddress sequenceCountAddress;
    uint32_t maxDrawCount;
} generated_info;

typedef struct named_pipeline { /* VkGeneratedCommandsPipelineInfoEXT */
    VkStructureType sType;
    void *pNext;
    VkPipeline pipeline;
} named_pipeline;

typedef void(VKAPI_PTR *pfn_requirements)(VkDevice, const requirements_info *, VkMemoryRequirements2 *);
typedef VkResult(VKAPI_PTR *pfn_create_layout)(VkDevice, const layout_info *, const VkAllocationCallbacks *,
                                               generated_handle *);
typedef VkResult(VKAPI_PTR *pfn_create_set)(VkDevice, const set_info *, const VkAllocationCallbacks *,
                                            generated_handle *);
typedef void(VKAPI_PTR *pfn_destroy)(VkDevice, generated_handle, const VkAllocationCallbacks *);
typedef void(VKAPI_PTR *pfn_update_set)(VkDevice, generated_handle, uint32_t, const set_write *);
typedef void(VKAPI_PTR *pfn_execute)(VkCommandBuffer, VkBool32, const generated_info *);

#define COMMAND(type, name) ((type)vk_command(vk, "vk" name "EXT"))

static VkDeviceAddress address_of(vk_program *vk, const vk_buffer *buffer)
{
    const VkBufferDeviceAddressInfo ask = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                           .buffer = buffer->buffer};
    return vkGetBufferDeviceAddress(vk->device, &ask);
}

static generated_handle make_layout(vk_program *vk, bool picks)
{
    const set_token set = {0, VK_SHADER_STAGE_COMPUTE_BIT};
    const layout_token tokens[2] = {{.sType = STRUCTURE(7), .type = TOKEN_EXECUTION_SET, .data = &set},
                                    {.sType = STRUCTURE(7), .type = TOKEN_DISPATCH, .offset = picks ? 4 : 0}};
    const layout_info info = {.sType = STRUCTURE(6),
                              .shaderStages = VK_SHADER_STAGE_COMPUTE_BIT,
                              .indirectStride = picks ? 16 : 12,
                              .pipelineLayout = vk->layout,
                              .tokenCount = picks ? 2 : 1,
                              .pTokens = picks ? tokens : &tokens[1]};
    generated_handle layout = 0;
    vk_must(COMMAND(pfn_create_layout, "CreateIndirectCommandsLayout")(vk->device, &info, NULL, &layout),
            "vkCreateIndirectCommandsLayoutEXT");
    return layout;
}

/* Runs what the words of `commands` say: with one pipeline, or with those of the set. */
static void execute(vk_program *vk, const vk_buffer *commands, bool picks, VkPipeline bound,
                    generated_handle set)
{
    const uint32_t push[4] = {1, 2, 3, 4};
    const uint64_t bytes = SEQUENCES * (picks ? 16u : 12u);
    named_pipeline named = {.sType = STRUCTURE(13), .pipeline = bound};
    requirements_info ask = {.sType = STRUCTURE(2),
                             .pNext = picks ? NULL : &named,
                             .set = set,
                             .layout = make_layout(vk, picks),
                             .maxSequenceCount = SEQUENCES};
    VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    COMMAND(pfn_requirements, "GetGeneratedCommandsMemoryRequirements")(vk->device, &ask, &needs);
    const VkDeviceSize size = needs.memoryRequirements.size;
    vk_buffer preprocess = {0};
    if (size)
        vk_make_buffer(vk, &preprocess, (size_t)size / 4 + 1,
                       VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    const generated_info info = {.sType = STRUCTURE(4),
                                 .pNext = ask.pNext,
                                 .shaderStages = VK_SHADER_STAGE_COMPUTE_BIT,
                                 .set = set,
                                 .layout = ask.layout,
                                 .indirectAddress = address_of(vk, commands),
                                 .indirectAddressSize = bytes,
                                 .preprocessAddress = size ? address_of(vk, &preprocess) : 0,
                                 .preprocessSize = size,
                                 .maxSequenceCount = SEQUENCES};
    vk_begin(vk);
    vkCmdBindPipeline(vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, bound);
    vkCmdBindDescriptorSets(vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, vk->layout, 0, 1, &vk->set, 0,
                            NULL);
    vkCmdPushConstants(vk->commands, vk->layout, VK_SHADER_STAGE_ALL, 0, sizeof push, push);
    COMMAND(pfn_execute, "CmdExecuteGeneratedCommands")(vk->commands, VK_FALSE, &info);
    vk_finish(vk);
    COMMAND(pfn_destroy, "DestroyIndirectCommandsLayout")(vk->device, ask.layout, NULL);
    if (size)
        vk_drop_buffer(vk, &preprocess);
}

static VkPipeline make_pipeline(vk_program *vk, VkShaderModule module, uint32_t factor, bool bindable)
{
    const wpg_pipeline_flags_2 flags = {.sType = WPG_STRUCTURE_PIPELINE_FLAGS_2,
                                        .flags = bindable ? WPG_FLAG_INDIRECT_BINDABLE : 0};
    const VkSpecializationMapEntry entry = {3, 0, sizeof factor};
    const VkSpecializationInfo special = {1, &entry, sizeof factor, &factor};
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .pNext = &flags,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main",
                  .pSpecializationInfo = factor ? &special : NULL},
        .layout = vk->layout,
        .basePipelineIndex = -1};
    VkPipeline pipeline = VK_NULL_HANDLE;
    vk_must(vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
            "vkCreateComputePipelines");
    return pipeline;
}

/* An ordinary pipeline: the dispatch of "compute", among others without workgroups. */
static void with_one(vk_program *vk, vk_buffer *commands, VkShaderModule module)
{
    const uint32_t sizes[SEQUENCES][3] = {{0, 1, 1}, {APP_INVOCATIONS / 32, 1, 1}, {0, 1, 1}};
    VkPipeline pipeline = make_pipeline(vk, module, 0, false);
    memcpy(commands->words, sizes, sizeof sizes);
    memset(vk->buffers[1].words, 0, vk->buffers[1].count * 4);
    app_fill(vk);
    execute(vk, commands, false, pipeline, 0);
    printf("generated: %08x\n", app_checksum(vk->buffers[1].words, APP_INVOCATIONS));
    vkDestroyPipeline(vk->device, pipeline, NULL);
}

/* Pipelines of an execution set, picked by the buffer. */
static void with_set(vk_program *vk, vk_buffer *commands, VkShaderModule module)
{
    VkPipeline pipelines[PIPELINES];
    set_write writes[PIPELINES];
    for (uint32_t i = 0; i < PIPELINES; i++) {
        pipelines[i] = make_pipeline(vk, module, 5 + i, true);
        writes[i] = (set_write){.sType = STRUCTURE(8), .index = i, .pipeline = pipelines[i]};
    }
    const set_pipeline_info first = {
        .sType = STRUCTURE(10), .initialPipeline = pipelines[0], .maxPipelineCount = PIPELINES};
    const set_info info = {.sType = STRUCTURE(3), .info = &first};
    generated_handle set = 0;
    vk_must(COMMAND(pfn_create_set, "CreateIndirectExecutionSet")(vk->device, &info, NULL, &set),
            "vkCreateIndirectExecutionSetEXT");
    COMMAND(pfn_update_set, "UpdateIndirectExecutionSetPipeline")(vk->device, set, PIPELINES, writes);
    for (uint32_t i = 0; i < PIPELINES; i++) {
        const uint32_t sequences[SEQUENCES][4] = {
            {1 - i, 0, 1, 1}, {i, APP_INVOCATIONS / 32, 1, 1}, {i, 0, 1, 1}};
        memcpy(commands->words, sequences, sizeof sequences);
        memset(vk->buffers[2].words, 0, vk->buffers[2].count * 4);
        execute(vk, commands, true, pipelines[0], set);
        printf("generated, pipeline %u of a set: %08x\n", i, app_checksum(vk->buffers[2].words, 32));
    }
    COMMAND(pfn_destroy, "DestroyIndirectExecutionSet")(vk->device, set, NULL);
    for (uint32_t i = 0; i < PIPELINES; i++)
        vkDestroyPipeline(vk->device, pipelines[i], NULL);
}

void app_generated(vk_program *vk)
{
    if (!vk->optional.generated || !vk->optional.maintenance5) {
        printf("generated commands: not here\n");
        return;
    }
    vk_buffer commands = {0};
    VkShaderModule plain = app_load(vk, "count.comp"), special = app_load(vk, "push.comp");
    vk_make_buffer(vk, &commands, 64,
                   VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    with_one(vk, &commands, plain);
    with_set(vk, &commands, special);
    vk_drop_buffer(vk, &commands);
    vkDestroyShaderModule(vk->device, plain, NULL);
    vkDestroyShaderModule(vk->device, special, NULL);
}
