/* What a device makes: memory, modules, pipelines. */
#include "tests/icd/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/icd/typed.h"

/* A creation is the layer's own where it is not given the application's allocator: the walk always gives one.
 */
#define FOREIGN (allocator == NULL)

/* VkResult icd_Create<name>(device, info, allocator, out): an object of the kind, `made` for what follows. */
#define CREATE(name, kind, handle, info_type)                                                                \
    static icd_object *make_##name(VkResult *result, VkDevice device,                                        \
                                   const VkAllocationCallbacks *allocator, handle *out)                      \
    {                                                                                                        \
        *out = (handle)(uintptr_t)ICD_POISON;                                                                \
        if (!icd_enter(ICD_Create##name, FOREIGN, result))                                                   \
            return NULL;                                                                                     \
        icd_object *made = icd_new(kind, THE(ICD_DEVICE, device, Create##name), allocator);                  \
        *result = made ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;                                           \
        if (made)                                                                                            \
            *out = (handle)(uintptr_t)made;                                                                  \
        return made;                                                                                         \
    }                                                                                                        \
    VKAPI_ATTR VkResult VKAPI_CALL icd_Create##name(VkDevice device, const info_type *info,                  \
                                                    const VkAllocationCallbacks *allocator, handle *out)     \
    {                                                                                                        \
        VkResult result;                                                                                     \
        icd_object *made = make_##name(&result, device, allocator, out);                                     \
        if (made)                                                                                            \
            describe_##name(made, info);                                                                     \
        return result;                                                                                       \
    }
#define DESTROY(name, kind, handle)                                                                          \
    VKAPI_ATTR void VKAPI_CALL icd_Destroy##name(VkDevice device, handle object,                             \
                                                 const VkAllocationCallbacks *allocator)                     \
    {                                                                                                        \
        ENTER(Destroy##name);                                                                                \
        (void)THE(ICD_DEVICE, device, Destroy##name);                                                        \
        icd_end(kind, (const void *)(uintptr_t)object, allocator, ICD_Destroy##name);                        \
    }
#define DESCRIBE(name, info_type) static void describe_##name(icd_object *made, const info_type *info)

#define NOTHING_TO_SAY(name, info_type)                                                                      \
    DESCRIBE(name, info_type)                                                                                \
    {                                                                                                        \
        (void)made, (void)info;                                                                              \
    }

DESCRIBE(Buffer, VkBufferCreateInfo)
{
    const icd_object *device = icd_device_of(made);
    made->size = info->size;
    for (const VkBaseInStructure *at = info->pNext; at; at = at->pNext) {
        if (at->sType == VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO)
            made->capture =
                ((const VkBufferOpaqueCaptureAddressCreateInfo *)(const void *)at)->opaqueCaptureAddress;
        if (at->sType == VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO && device &&
            !device->parent->held)
            icd_wrong(ICD_CreateBuffer, "an import that the physical device was not asked for, or refused");
    }
}
CREATE(Buffer, ICD_BUFFER, VkBuffer, VkBufferCreateInfo)
DESTROY(Buffer, ICD_BUFFER, VkBuffer)

DESCRIBE(ShaderModule, VkShaderModuleCreateInfo)
{
    made->hash = icd_hash_words(info->pCode, info->codeSize);
}
CREATE(ShaderModule, ICD_MODULE, VkShaderModule, VkShaderModuleCreateInfo)
DESTROY(ShaderModule, ICD_MODULE, VkShaderModule)
NOTHING_TO_SAY(PipelineCache, VkPipelineCacheCreateInfo)
CREATE(PipelineCache, ICD_CACHE, VkPipelineCache, VkPipelineCacheCreateInfo)
DESTROY(PipelineCache, ICD_CACHE, VkPipelineCache)
NOTHING_TO_SAY(PipelineLayout, VkPipelineLayoutCreateInfo)
CREATE(PipelineLayout, ICD_LAYOUT, VkPipelineLayout, VkPipelineLayoutCreateInfo)
DESTROY(PipelineLayout, ICD_LAYOUT, VkPipelineLayout)
NOTHING_TO_SAY(RenderPass, VkRenderPassCreateInfo)
CREATE(RenderPass, ICD_PASS, VkRenderPass, VkRenderPassCreateInfo)
DESTROY(RenderPass, ICD_PASS, VkRenderPass)
NOTHING_TO_SAY(RenderPass2, VkRenderPassCreateInfo2)
CREATE(RenderPass2, ICD_PASS, VkRenderPass, VkRenderPassCreateInfo2)
NOTHING_TO_SAY(RenderPass2KHR, VkRenderPassCreateInfo2)
CREATE(RenderPass2KHR, ICD_PASS, VkRenderPass, VkRenderPassCreateInfo2)
DESCRIBE(Fence, VkFenceCreateInfo)
{
    made->signalled = info->flags & VK_FENCE_CREATE_SIGNALED_BIT;
}
CREATE(Fence, ICD_FENCE, VkFence, VkFenceCreateInfo)
DESTROY(Fence, ICD_FENCE, VkFence)
NOTHING_TO_SAY(Semaphore, VkSemaphoreCreateInfo)
CREATE(Semaphore, ICD_SEMAPHORE, VkSemaphore, VkSemaphoreCreateInfo)
DESTROY(Semaphore, ICD_SEMAPHORE, VkSemaphore)
DESCRIBE(QueryPool, VkQueryPoolCreateInfo)
{
    made->size = info->queryCount;
}
CREATE(QueryPool, ICD_QUERIES, VkQueryPool, VkQueryPoolCreateInfo)
DESTROY(QueryPool, ICD_QUERIES, VkQueryPool)
DESCRIBE(CommandPool, VkCommandPoolCreateInfo)
{
    made->family = info->queueFamilyIndex;
}
CREATE(CommandPool, ICD_POOL, VkCommandPool, VkCommandPoolCreateInfo)

/* -- Memory */

VKAPI_ATTR void VKAPI_CALL icd_GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer,
                                                           VkMemoryRequirements *out)
{
    ENTER(GetBufferMemoryRequirements);
    (void)THE(ICD_DEVICE, device, GetBufferMemoryRequirements);
    const icd_object *object = THE(ICD_BUFFER, buffer, GetBufferMemoryRequirements);
    VkDeviceSize unit = icd.odd == ICD_ODD_ALIGNED ? 65536 : 256, size = object ? object->size : 0;
    *out = (VkMemoryRequirements){(size + unit - 1) / unit * unit, unit, UINT32_MAX};
    if (icd.odd == ICD_ODD_ALIGNED)
        out->size += unit;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_AllocateMemory(VkDevice device, const VkMemoryAllocateInfo *info,
                                                  const VkAllocationCallbacks *allocator, VkDeviceMemory *out)
{
    *out = (VkDeviceMemory)(uintptr_t)ICD_POISON;
    FAIL(AllocateMemory, FOREIGN);
    if (icd.odd == ICD_ODD_TINY_HEAP && info->allocationSize > 65536)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    icd_object *made = icd_new(ICD_MEMORY, THE(ICD_DEVICE, device, AllocateMemory), allocator);
    if (!made)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    made->size = info->allocationSize;
    for (const VkBaseInStructure *at = info->pNext; at; at = at->pNext) {
        const void *any = at;
        if (at->sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT) {
            made->imported = true;
            made->data = ((const VkImportMemoryHostPointerInfoEXT *)any)->pHostPointer;
        } else if (at->sType == VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO)
            made->addressed =
                ((const VkMemoryAllocateFlagsInfo *)any)->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    }
    if (!made->imported)
        made->data = calloc(1, (size_t)made->size);
    if (!made->data) {
        icd_end(ICD_MEMORY, made, allocator, ICD_AllocateMemory);
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    *out = (VkDeviceMemory)(uintptr_t)made;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL icd_FreeMemory(VkDevice device, VkDeviceMemory memory,
                                          const VkAllocationCallbacks *allocator)
{
    ENTER(FreeMemory);
    (void)THE(ICD_DEVICE, device, FreeMemory);
    icd_end(ICD_MEMORY, (const void *)(uintptr_t)memory, allocator, ICD_FreeMemory);
}

VKAPI_ATTR VkResult VKAPI_CALL icd_BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                                    VkDeviceSize offset)
{
    (void)device;
    FAIL(BindBufferMemory, false);
    icd_object *object = THE(ICD_BUFFER, buffer, BindBufferMemory);
    icd_object *below = THE(ICD_MEMORY, memory, BindBufferMemory);
    if (object && object->memory)
        icd_wrong(ICD_BindBufferMemory, "bound already");
    if (object && below && object->size + offset > below->size)
        icd_wrong(ICD_BindBufferMemory, "larger than its memory");
    if (object)
        object->memory = below;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                             VkDeviceSize size, VkMemoryMapFlags flags, void **data)
{
    (void)device, (void)size, (void)flags;
    FAIL(MapMemory, false);
    icd_object *object = THE(ICD_MEMORY, memory, MapMemory);
    if (!object || object->mapped)
        icd_wrong(ICD_MapMemory, "mapped already");
    else
        object->mapped = true;
    *data = object ? (char *)object->data + offset : NULL;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL icd_UnmapMemory(VkDevice device, VkDeviceMemory memory)
{
    (void)device;
    ENTER(UnmapMemory);
    icd_object *object = THE(ICD_MEMORY, memory, UnmapMemory);
    if (object && !object->mapped)
        icd_wrong(ICD_UnmapMemory, "not mapped");
    if (object)
        object->mapped = false;
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL icd_GetBufferDeviceAddress(VkDevice device,
                                                                 const VkBufferDeviceAddressInfo *info)
{
    (void)device;
    ENTER(GetBufferDeviceAddress);
    const icd_object *object = THE(ICD_BUFFER, info->buffer, GetBufferDeviceAddress);
    if (object && (!object->memory || !object->memory->addressed))
        icd_wrong(ICD_GetBufferDeviceAddress, "of memory that was not made for addresses");
    if (!object || !object->memory || icd.odd == ICD_ODD_NO_ADDRESS)
        return 0;
    return object->capture ? object->capture : (VkDeviceAddress)(uintptr_t)object->memory->data;
}

VKAPI_ATTR uint64_t VKAPI_CALL icd_GetBufferOpaqueCaptureAddress(VkDevice device,
                                                                 const VkBufferDeviceAddressInfo *info)
{
    ENTER(GetBufferOpaqueCaptureAddress);
    return icd_GetBufferDeviceAddress(device, info);
}

VKAPI_ATTR uint64_t VKAPI_CALL
icd_GetDeviceMemoryOpaqueCaptureAddress(VkDevice device, const VkDeviceMemoryOpaqueCaptureAddressInfo *info)
{
    (void)device;
    ENTER(GetDeviceMemoryOpaqueCaptureAddress);
    (void)THE(ICD_MEMORY, info->memory, GetDeviceMemoryOpaqueCaptureAddress);
    return 0x77000;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_GetMemoryHostPointerPropertiesEXT(VkDevice device,
                                                                     VkExternalMemoryHandleTypeFlagBits type,
                                                                     const void *pointer,
                                                                     VkMemoryHostPointerPropertiesEXT *out)
{
    (void)device, (void)type;
    FAIL(GetMemoryHostPointerPropertiesEXT, false);
    if (icd.odd == ICD_ODD_ALIGNED && (uintptr_t)pointer % 65536)
        icd_wrong(ICD_GetMemoryHostPointerPropertiesEXT, "pages are not aligned");
    out->memoryTypeBits = UINT32_MAX;
    return VK_SUCCESS;
}

/* -- Pipelines */

VKAPI_ATTR void VKAPI_CALL icd_GetShaderModuleCreateInfoIdentifierEXT(VkDevice device,
                                                                      const VkShaderModuleCreateInfo *info,
                                                                      VkShaderModuleIdentifierEXT *out)
{
    ENTER(GetShaderModuleCreateInfoIdentifierEXT);
    (void)THE(ICD_DEVICE, device, GetShaderModuleCreateInfoIdentifierEXT);
    uint64_t hash = icd_hash_words(info->pCode, info->codeSize);
    out->identifierSize = sizeof hash;
    memcpy(out->identifier, &hash, sizeof hash);
}

static bool is_own(uint64_t hash)
{
    for (size_t i = 0; i < icd.own_count; i++)
        if (icd.own_words[i] == hash)
            return true;
    return false;
}

/* Whether a stage is made of other words than the application's. Its module must be there. */
static bool foreign_stage(const VkPipelineShaderStageCreateInfo *stage, icd_command command)
{
    if (stage->module) {
        const icd_object *module = icd_the(ICD_MODULE, (const void *)(uintptr_t)stage->module, command);
        return module && !is_own(module->hash);
    }
    for (const VkBaseInStructure *at = stage->pNext; at; at = at->pNext) {
        const VkShaderModuleCreateInfo *inside = (const void *)at;
        if (at->sType == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)
            return !is_own(icd_hash_words(inside->pCode, inside->codeSize));
    }
    return false;
}

static void feed_back(const void *chain)
{
    for (const VkBaseInStructure *at = chain; at; at = at->pNext) {
        const VkPipelineCreationFeedbackCreateInfo *asked = (const void *)at;
        if (at->sType == VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO)
            *asked->pPipelineCreationFeedback =
                (VkPipelineCreationFeedback){.flags = VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT, .duration = 1};
    }
}

/* One pipeline of a call. */
static VkResult make_pipeline(VkPipeline *out, icd_object *device, VkPipelineCreateFlags flags,
                              const void *chain, bool foreign, const VkAllocationCallbacks *allocator)
{
    if ((flags & VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT) && !icd.cached)
        return VK_PIPELINE_COMPILE_REQUIRED;
    icd_object *made = icd_new(ICD_PIPELINE, device, allocator);
    if (!made)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    feed_back(chain);
    made->foreign = foreign;
    made->captures = (flags & VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR) != 0;
    *out = (VkPipeline)(uintptr_t)made;
    return VK_SUCCESS;
}

static void check_base(const void *chain, VkPipelineCreateFlags own, VkPipeline base, int32_t index,
                       uint32_t at, icd_command command)
{
    uint64_t flags = own;
    for (const VkBaseInStructure *one = chain; one; one = one->pNext)
        if (one->sType == WPG_STRUCTURE_PIPELINE_FLAGS_2)
            flags = ((const wpg_pipeline_flags_2 *)(const void *)one)->flags;
    if (!(flags & VK_PIPELINE_CREATE_DERIVATIVE_BIT))
        return;
    if (base)
        (void)icd_the(ICD_PIPELINE, (const void *)(uintptr_t)base, command);
    else if (index < 0 || (uint32_t)index >= at)
        icd_wrong(command, "a derivative of no pipeline");
}

/* For each of the three commands: `foreign` is of any stage; all are made, or none. */
#define MAKE_ALL(name, part)                                                                                 \
    bool foreign = false, captures = false;                                                                  \
    VkResult result;                                                                                         \
    icd_object *owner = THE(ICD_DEVICE, device, name);                                                       \
    if (cache)                                                                                               \
        (void)THE(ICD_CACHE, cache, name);                                                                   \
    for (uint32_t i = 0; i < count; i++) {                                                                   \
        out[i] = VK_NULL_HANDLE;                                                                             \
        check_base(infos[i].pNext, infos[i].flags, infos[i].basePipelineHandle, infos[i].basePipelineIndex,  \
                   i, ICD_##name);                                                                           \
        foreign |= part;                                                                                     \
        captures |= (infos[i].flags & VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR) != 0;                   \
    }                                                                                                        \
    /* The application asks for no statistics. */                                                            \
    if (!icd_enter(ICD_##name, foreign || captures, &result))                                                \
        return result;                                                                                       \
    icd.changed += foreign && !captures;                                                                     \
    result = VK_SUCCESS;                                                                                     \
    for (uint32_t i = 0; i < count; i++) {                                                                   \
        VkResult one = make_pipeline(&out[i], owner, infos[i].flags, infos[i].pNext, foreign, allocator);    \
        result = one == VK_SUCCESS ? result : one;                                                           \
    }                                                                                                        \
    return result

static bool foreign_stages(const VkPipelineShaderStageCreateInfo *stages, uint32_t count, icd_command command)
{
    bool foreign = false;
    for (uint32_t i = 0; stages && i < count; i++)
        foreign |= foreign_stage(&stages[i], command);
    return foreign;
}

static bool linked_is_foreign(const void *chain)
{
    bool foreign = false;
    for (const VkBaseInStructure *at = chain; at; at = at->pNext) {
        const VkPipelineLibraryCreateInfoKHR *libraries = (const void *)at;
        if (at->sType != VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR)
            continue;
        for (uint32_t i = 0; i < libraries->libraryCount; i++) {
            const icd_object *part = THE(ICD_PIPELINE, libraries->pLibraries[i], CreateGraphicsPipelines);
            foreign |= part && !part->held;
        }
    }
    return foreign;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateGraphicsPipelines(VkDevice device, VkPipelineCache cache,
                                                           uint32_t count,
                                                           const VkGraphicsPipelineCreateInfo *infos,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkPipeline *out)
{
    MAKE_ALL(CreateGraphicsPipelines,
             (linked_is_foreign(infos[i].pNext) ||
              foreign_stages(infos[i].pStages, infos[i].stageCount, ICD_CreateGraphicsPipelines)));
}

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateComputePipelines(VkDevice device, VkPipelineCache cache,
                                                          uint32_t count,
                                                          const VkComputePipelineCreateInfo *infos,
                                                          const VkAllocationCallbacks *allocator,
                                                          VkPipeline *out)
{
    MAKE_ALL(CreateComputePipelines, foreign_stage(&infos[i].stage, ICD_CreateComputePipelines));
}

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateRayTracingPipelinesKHR(
    VkDevice device, VkDeferredOperationKHR deferred, VkPipelineCache cache, uint32_t count,
    const VkRayTracingPipelineCreateInfoKHR *infos, const VkAllocationCallbacks *allocator, VkPipeline *out)
{
    (void)deferred;
    MAKE_ALL(CreateRayTracingPipelinesKHR,
             foreign_stages(infos[i].pStages, infos[i].stageCount, ICD_CreateRayTracingPipelinesKHR));
}

DESTROY(Pipeline, ICD_PIPELINE, VkPipeline)

/* -- Statistics: one executable, of what RADV tells the least that says what it costs. */

VKAPI_ATTR VkResult VKAPI_CALL icd_GetPipelineExecutablePropertiesKHR(VkDevice device,
                                                                      const VkPipelineInfoKHR *info,
                                                                      uint32_t *count,
                                                                      VkPipelineExecutablePropertiesKHR *out)
{
    (void)device;
    FAIL(GetPipelineExecutablePropertiesKHR, true);
    (void)THE(ICD_PIPELINE, info->pipeline, GetPipelineExecutablePropertiesKHR);
    if (out && *count) {
        out->stages = VK_SHADER_STAGE_COMPUTE_BIT;
        out->subgroupSize = 8;
    }
    *count = 1;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_GetPipelineExecutableStatisticsKHR(VkDevice device,
                                                                      const VkPipelineExecutableInfoKHR *info,
                                                                      uint32_t *count,
                                                                      VkPipelineExecutableStatisticKHR *out)
{
    (void)device;
    FAIL(GetPipelineExecutableStatisticsKHR, true);
    const icd_object *pipeline = THE(ICD_PIPELINE, info->pipeline, GetPipelineExecutableStatisticsKHR);
    if (!pipeline || info->executableIndex)
        return VK_ERROR_DEVICE_LOST;
    if (!pipeline->captures)
        icd_wrong(ICD_GetPipelineExecutableStatisticsKHR, "of a pipeline made without");
    unsigned costs[2] = {100, 100};
    const char *said = getenv("ICD_COST");
    if (said && sscanf(said, "%u:%u", &costs[0], &costs[1]) != 2)
        icd_wrong(ICD_GetPipelineExecutableStatisticsKHR, "ICD_COST is not OWN:OTHER");
    const unsigned cost = costs[pipeline->foreign];
    const struct {
        const char *name;
        uint64_t value;
    } figures[] = {{"Latency", cost}, {"Inverse Throughput", cost}, {"Subgroups per SIMD", 8}};
    const uint32_t have = sizeof figures / sizeof *figures;
    uint32_t room = out ? *count : have;
    for (uint32_t i = 0; out && i < have && i < room; i++) {
        out[i].format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR;
        out[i].value.u64 = figures[i].value;
        (void)snprintf(out[i].name, sizeof out[i].name, "%s", figures[i].name);
    }
    *count = room < have ? room : have;
    return room < have ? VK_INCOMPLETE : VK_SUCCESS;
}

/* -- Shader objects. The last one of a failed call is what failed: those before it are there. */

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateShadersEXT(VkDevice device, uint32_t count,
                                                    const wpg_shader_create_info *infos,
                                                    const VkAllocationCallbacks *allocator, wpg_shader *out)
{
    bool foreign = false;
    VkResult result;
    icd_object *owner = THE(ICD_DEVICE, device, CreateShadersEXT);
    for (uint32_t i = 0; i < count; i++) {
        foreign |= !is_own(icd_hash_words(infos[i].pCode, infos[i].codeSize));
        out[i] = 0;
    }
    bool fails = !icd_enter(ICD_CreateShadersEXT, foreign, &result);
    icd.changed += foreign && !fails;
    for (uint32_t i = 0; i < count - fails; i++) {
        icd_object *made = icd_new(ICD_SHADER, owner, allocator);
        if (!made)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        out[i] = (wpg_shader)(uintptr_t)made;
    }
    return fails ? result : VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL icd_DestroyShaderEXT(VkDevice device, wpg_shader shader,
                                                const VkAllocationCallbacks *allocator)
{
    ENTER(DestroyShaderEXT);
    (void)THE(ICD_DEVICE, device, DestroyShaderEXT);
    icd_end(ICD_SHADER, (const void *)(uintptr_t)shader, allocator, ICD_DestroyShaderEXT);
}

VKAPI_ATTR VkResult VKAPI_CALL icd_GetShaderBinaryDataEXT(VkDevice device, wpg_shader shader, size_t *size,
                                                          void *data)
{
    (void)device, (void)data;
    FAIL(GetShaderBinaryDataEXT, false);
    (void)THE(ICD_SHADER, shader, GetShaderBinaryDataEXT);
    *size = 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_SetDebugUtilsObjectNameEXT(VkDevice device,
                                                              const VkDebugUtilsObjectNameInfoEXT *info)
{
    FAIL(SetDebugUtilsObjectNameEXT, false);
    (void)THE(ICD_DEVICE, device, SetDebugUtilsObjectNameEXT);
    if (info->objectType == VK_OBJECT_TYPE_PIPELINE)
        (void)THE(ICD_PIPELINE, info->objectHandle, SetDebugUtilsObjectNameEXT);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_DebugMarkerSetObjectNameEXT(VkDevice device,
                                                               const VkDebugMarkerObjectNameInfoEXT *info)
{
    FAIL(DebugMarkerSetObjectNameEXT, false);
    (void)THE(ICD_DEVICE, device, DebugMarkerSetObjectNameEXT);
    if (info->objectType == VK_DEBUG_REPORT_OBJECT_TYPE_PIPELINE_EXT)
        (void)THE(ICD_PIPELINE, info->object, DebugMarkerSetObjectNameEXT);
    return VK_SUCCESS;
}
