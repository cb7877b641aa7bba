/* Instance and physical device: what the driver says it can do. */
#include "tests/icd/driver.h"

#include <stdio.h>
#include <string.h>

#include "tests/icd/typed.h"

#define KIB ((VkDeviceSize)1 << 10)
#define MIB ((VkDeviceSize)1 << 20)

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateInstance(const VkInstanceCreateInfo *info,
                                                  const VkAllocationCallbacks *allocator,
                                                  VkInstance *instance)
{
    /* The application of the walk asks for 1.0: anything else is the layer's wish. */
    const VkApplicationInfo *application = info->pApplicationInfo;
    FAIL(CreateInstance, application && application->apiVersion > VK_API_VERSION_1_0);
    icd_object *made = icd_new(ICD_INSTANCE, NULL, allocator);
    icd_object *physical = made ? icd_new(ICD_PHYSICAL, made, NULL) : NULL;
    if (!physical) {
        icd_end(ICD_INSTANCE, made, allocator, ICD_CreateInstance);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    made->memory = physical;
    *instance = (VkInstance)made;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL icd_DestroyInstance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
    ENTER(DestroyInstance);
    if (instance && THE(ICD_INSTANCE, instance, DestroyInstance))
        icd_end_below((icd_object *)instance, ICD_PHYSICAL);
    icd_end(ICD_INSTANCE, instance, allocator, ICD_DestroyInstance);
}

VKAPI_ATTR VkResult VKAPI_CALL icd_EnumerateInstanceVersion(uint32_t *version)
{
    FAIL(EnumerateInstanceVersion, false);
    *version = VK_API_VERSION_1_3;
    return VK_SUCCESS;
}

/* As the specification says: how many, or as many as there is room for. */
static VkResult give_extensions(const char *const *names, uint32_t total, uint32_t *count,
                                VkExtensionProperties *out)
{
    uint32_t have = 0, room = out ? *count : UINT32_MAX;
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < total; i++) {
        if (icd_lacks(names[i]))
            continue;
        if (have == room) {
            result = VK_INCOMPLETE;
            break;
        }
        if (out) {
            memset(&out[have], 0, sizeof out[have]);
            (void)snprintf(out[have].extensionName, sizeof out[have].extensionName, "%s", names[i]);
            out[have].specVersion = 1;
        }
        have++;
    }
    *count = have;
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_EnumerateInstanceExtensionProperties(const char *layer, uint32_t *count,
                                                                        VkExtensionProperties *out)
{
    static const char *const names[] = {"VK_KHR_get_physical_device_properties2", "VK_EXT_debug_utils"};
    FAIL(EnumerateInstanceExtensionProperties, false);
    return give_extensions(names, layer ? 0 : 2, count, out);
}

VKAPI_ATTR VkResult VKAPI_CALL icd_EnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *out)
{
    (void)out;
    *count = 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_EnumerateDeviceLayerProperties(VkPhysicalDevice physical, uint32_t *count,
                                                                  VkLayerProperties *out)
{
    (void)physical, (void)out;
    *count = 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_EnumeratePhysicalDevices(VkInstance instance, uint32_t *count,
                                                            VkPhysicalDevice *out)
{
    FAIL(EnumeratePhysicalDevices, false);
    icd_object *made = THE(ICD_INSTANCE, instance, EnumeratePhysicalDevices);
    if (!made || (out && *count == 0))
        return VK_INCOMPLETE;
    if (out)
        out[0] = (VkPhysicalDevice)made->memory;
    *count = 1;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_EnumerateDeviceExtensionProperties(VkPhysicalDevice physical,
                                                                      const char *layer, uint32_t *count,
                                                                      VkExtensionProperties *out)
{
    static const char *const names[] = {
        "VK_KHR_swapchain",
        "VK_KHR_performance_query",
        "VK_KHR_pipeline_library",
        "VK_EXT_graphics_pipeline_library",
        "VK_EXT_shader_object",
        "VK_EXT_shader_module_identifier",
        "VK_KHR_deferred_host_operations",
        "VK_KHR_acceleration_structure",
        "VK_KHR_ray_tracing_pipeline",
        "VK_EXT_mesh_shader",
        "VK_EXT_multi_draw",
        "VK_KHR_shader_maximal_reconvergence",
        "VK_KHR_shader_non_semantic_info",
        "VK_KHR_buffer_device_address",
        "VK_KHR_shader_atomic_int64",
        "VK_KHR_vulkan_memory_model",
        "VK_EXT_shader_demote_to_helper_invocation",
        "VK_EXT_host_query_reset",
        "VK_KHR_pipeline_executable_properties",
        "VK_EXT_external_memory_host", /* last: see below */
    };
    FAIL(EnumerateDeviceExtensionProperties, false);
    (void)THE(ICD_PHYSICAL, physical, EnumerateDeviceExtensionProperties);
    uint32_t total = sizeof names / sizeof *names - icd.replays;
    return give_extensions(names, layer ? 0 : total, count, out);
}

/* -- Features: every one that the layer or the walk asks for is there, unless its name is lacking. */

#define YES(name)              (VkBool32)(!icd_lacks(name))
#define SET(structure, member) (structure)->member = YES(#member)

static void core_features(VkPhysicalDeviceFeatures *f)
{
    memset(f, 0, sizeof *f);
    SET(f, vertexPipelineStoresAndAtomics);
    SET(f, fragmentStoresAndAtomics);
    SET(f, shaderInt64);
    SET(f, pipelineStatisticsQuery);
    SET(f, geometryShader);
    SET(f, tessellationShader);
    SET(f, multiDrawIndirect);
}

/* A structure of one VkBool32. */
typedef struct one_feature {
    VkStructureType sType;
    void *pNext;
    VkBool32 on;
} one_feature;

static const struct {
    uint32_t type;
    const char *name;
} single_features[] = {
    {1000434000u, "shaderMaximalReconvergence"},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES,
     "shaderDemoteToHelperInvocation"},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES, "hostQueryReset"},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES,
     "pipelineCreationCacheControl"},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MODULE_IDENTIFIER_FEATURES_EXT, "shaderModuleIdentifier"},
    {1000482000u, "shaderObject"},
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR, "pipelineExecutableInfo"},
};

static void one_structure(VkBaseOutStructure *at)
{
    void *any = at;
    switch (at->sType) {
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES:
        SET((VkPhysicalDeviceBufferDeviceAddressFeatures *)any, bufferDeviceAddress);
        ((VkPhysicalDeviceBufferDeviceAddressFeatures *)any)->bufferDeviceAddressCaptureReplay = icd.replays;
        break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES:
        SET((VkPhysicalDeviceShaderAtomicInt64Features *)any, shaderBufferInt64Atomics);
        break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES:
        SET((VkPhysicalDeviceVulkanMemoryModelFeatures *)any, vulkanMemoryModel);
        SET((VkPhysicalDeviceVulkanMemoryModelFeatures *)any, vulkanMemoryModelDeviceScope);
        break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR:
        SET((VkPhysicalDevicePerformanceQueryFeaturesKHR *)any, performanceCounterQueryPools);
        break;
    default:
        for (size_t i = 0; i < sizeof single_features / sizeof *single_features; i++)
            if (single_features[i].type == (uint32_t)at->sType)
                ((one_feature *)any)->on = YES(single_features[i].name);
        break;
    }
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceFeatures(VkPhysicalDevice physical,
                                                         VkPhysicalDeviceFeatures *out)
{
    ENTER(GetPhysicalDeviceFeatures);
    (void)THE(ICD_PHYSICAL, physical, GetPhysicalDeviceFeatures);
    core_features(out);
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceFeatures2(VkPhysicalDevice physical,
                                                          VkPhysicalDeviceFeatures2 *out)
{
    ENTER(GetPhysicalDeviceFeatures2);
    (void)THE(ICD_PHYSICAL, physical, GetPhysicalDeviceFeatures2);
    core_features(&out->features);
    for (VkBaseOutStructure *at = out->pNext; at; at = at->pNext)
        one_structure(at);
}

/* -- Properties */

static void limits(VkPhysicalDeviceLimits *l)
{
    bool minimal = icd.odd == ICD_ODD_MINIMAL;
    memset(l, 0, sizeof *l);
    l->maxImageDimension2D = 4096;
    l->maxStorageBufferRange = minimal ? 1u << 27 : UINT32_MAX;
    l->maxUniformBufferRange = minimal ? 16384 : 65536;
    l->maxPushConstantsSize = minimal ? 128 : 256;
    l->maxMemoryAllocationCount = minimal ? 4096 : UINT32_MAX;
    l->bufferImageGranularity = minimal ? 131072 : 1;
    l->maxBoundDescriptorSets = minimal ? 4 : 32;
    l->maxPerStageDescriptorStorageBuffers = minimal ? 4 : 1024;
    l->maxPerStageResources = minimal ? 128 : UINT32_MAX;
    l->maxComputeWorkGroupInvocations = minimal ? 128 : 1024;
    for (int i = 0; i < 3; i++) {
        l->maxComputeWorkGroupCount[i] = 65535;
        l->maxComputeWorkGroupSize[i] = minimal ? 64 : 1024;
    }
    l->maxViewports = 1;
    l->nonCoherentAtomSize = icd.odd == ICD_ODD_ALIGNED ? 64 * KIB : minimal ? 256 : 64;
    l->minMemoryMapAlignment = icd.odd == ICD_ODD_ALIGNED ? 64 * KIB : 64;
    l->minStorageBufferOffsetAlignment = icd.odd == ICD_ODD_ALIGNED ? 64 * KIB : 256;
    l->timestampComputeAndGraphics = !minimal;
    l->timestampPeriod = minimal ? 0.0f : 1.0f;
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceProperties(VkPhysicalDevice physical,
                                                           VkPhysicalDeviceProperties *out)
{
    ENTER(GetPhysicalDeviceProperties);
    (void)THE(ICD_PHYSICAL, physical, GetPhysicalDeviceProperties);
    *out = (VkPhysicalDeviceProperties){
        .apiVersion = icd.odd == ICD_ODD_OLD ? VK_API_VERSION_1_0 : VK_API_VERSION_1_3,
        .driverVersion = 1,
        .vendorID = 0x10005,
        .deviceID = 1,
        .deviceType =
            icd.odd == ICD_ODD_DISCRETE ? VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU : VK_PHYSICAL_DEVICE_TYPE_CPU,
        .deviceName = "failing driver",
        .pipelineCacheUUID = "failing driver"};
    limits(&out->limits);
}

static void subgroup(VkPhysicalDeviceSubgroupProperties *out)
{
    out->subgroupSize = icd.odd == ICD_ODD_SUBGROUP_1      ? 1
                        : icd.odd == ICD_ODD_SUBGROUP_128  ? 128
                        : icd.odd == ICD_ODD_SUBGROUP_NONE ? 0
                                                           : 8;
    out->supportedStages = VK_SHADER_STAGE_ALL;
    out->supportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
                               VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT;
    if (icd.odd == ICD_ODD_SUBGROUP_NONE)
        out->supportedOperations = out->supportedStages = 0;
    if (icd.odd == ICD_ODD_MINIMAL) {
        out->supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
        out->supportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT;
    }
    out->quadOperationsInAllStages = VK_FALSE;
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceProperties2(VkPhysicalDevice physical,
                                                            VkPhysicalDeviceProperties2 *out)
{
    ENTER(GetPhysicalDeviceProperties2);
    icd_GetPhysicalDeviceProperties(physical, &out->properties);
    for (VkBaseOutStructure *at = out->pNext; at; at = at->pNext) {
        void *any = at;
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES)
            subgroup(any);
        else if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT)
            ((VkPhysicalDeviceExternalMemoryHostPropertiesEXT *)any)->minImportedHostPointerAlignment =
                icd.odd == ICD_ODD_ALIGNED ? 64 * KIB : 4 * KIB;
    }
}

static void memory_type(VkPhysicalDeviceMemoryProperties *out, VkMemoryPropertyFlags flags, uint32_t heap)
{
    out->memoryTypes[out->memoryTypeCount++] = (VkMemoryType){.propertyFlags = flags, .heapIndex = heap};
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceMemoryProperties(VkPhysicalDevice physical,
                                                                 VkPhysicalDeviceMemoryProperties *out)
{
    const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                                coherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    ENTER(GetPhysicalDeviceMemoryProperties);
    (void)THE(ICD_PHYSICAL, physical, GetPhysicalDeviceMemoryProperties);
    memset(out, 0, sizeof *out);
    if (icd.odd == ICD_ODD_NO_MEMORY)
        return;
    out->memoryHeapCount = 1;
    out->memoryHeaps[0] = (VkMemoryHeap){icd.odd == ICD_ODD_TINY_HEAP    ? 64 * KIB
                                         : icd.odd == ICD_ODD_SMALL_HEAP ? MIB + 64 * KIB
                                                                         : 8192 * MIB,
                                         VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
    if (icd.odd == ICD_ODD_DISCRETE) {
        out->memoryHeapCount = 2;
        out->memoryHeaps[1] = (VkMemoryHeap){2 * MIB, 0};
        memory_type(out, local, 0);
        memory_type(out, visible | coherent, 1);
        return;
    }
    /* One type that nothing may be put into comes first: protected. */
    memory_type(out, local | VK_MEMORY_PROPERTY_PROTECTED_BIT, 0);
    memory_type(out,
                icd.odd == ICD_ODD_NO_HOST        ? local
                : icd.odd == ICD_ODD_NOT_COHERENT ? local | visible
                                                  : local | visible | coherent,
                0);
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice physical,
                                                                  VkPhysicalDeviceMemoryProperties2 *out)
{
    ENTER(GetPhysicalDeviceMemoryProperties2);
    icd_GetPhysicalDeviceMemoryProperties(physical, &out->memoryProperties);
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice physical,
                                                                      uint32_t *count,
                                                                      VkQueueFamilyProperties *out)
{
    const VkQueueFlags all = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
    uint32_t have = icd.odd == ICD_ODD_MINIMAL ? 1 : 2;
    ENTER(GetPhysicalDeviceQueueFamilyProperties);
    (void)THE(ICD_PHYSICAL, physical, GetPhysicalDeviceQueueFamilyProperties);
    for (uint32_t i = 0; out && i < have && i < *count; i++)
        out[i] = (VkQueueFamilyProperties){.queueFlags = icd.odd == ICD_ODD_NO_QUEUES ? 0x80000000u
                                                         : icd.odd == ICD_ODD_TRANSFER
                                                             ? (VkQueueFlags)VK_QUEUE_TRANSFER_BIT
                                                         : i ? VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT
                                                             : all,
                                           .queueCount = 2,
                                           .timestampValidBits = icd.odd == ICD_ODD_MINIMAL ? 0 : 36,
                                           .minImageTransferGranularity = {1, 1, 1}};
    if (!out || *count > have)
        *count = have;
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice physical,
                                                                       uint32_t *count,
                                                                       VkQueueFamilyProperties2 *out)
{
    VkQueueFamilyProperties plain[2];
    uint32_t room = out && *count < 2 ? *count : 2;
    ENTER(GetPhysicalDeviceQueueFamilyProperties2);
    icd_GetPhysicalDeviceQueueFamilyProperties(physical, &room, plain);
    for (uint32_t i = 0; out && i < room; i++)
        out[i].queueFamilyProperties = plain[i];
    *count = room;
}

/* Whether pages can be imported into a buffer; who makes such a buffer has asked before (objects.c). */
VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceExternalBufferProperties(
    VkPhysicalDevice physical, const VkPhysicalDeviceExternalBufferInfo *info,
    VkExternalBufferProperties *out)
{
    ENTER(GetPhysicalDeviceExternalBufferProperties);
    icd_object *object = THE(ICD_PHYSICAL, physical, GetPhysicalDeviceExternalBufferProperties);
    bool can = info->handleType == VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT &&
               !icd_lacks("importable-buffers");
    out->externalMemoryProperties = (VkExternalMemoryProperties){
        .externalMemoryFeatures = can ? VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT : 0};
    if (object)
        object->held = can;
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceFormatProperties(VkPhysicalDevice physical, VkFormat format,
                                                                 VkFormatProperties *out)
{
    (void)physical, (void)format;
    memset(out, 0, sizeof *out);
}

VKAPI_ATTR VkResult VKAPI_CALL icd_GetPhysicalDeviceImageFormatProperties(
    VkPhysicalDevice physical, VkFormat format, VkImageType type, VkImageTiling tiling,
    VkImageUsageFlags usage, VkImageCreateFlags flags, VkImageFormatProperties *out)
{
    (void)physical, (void)format, (void)type, (void)tiling, (void)usage, (void)flags;
    memset(out, 0, sizeof *out);
    return VK_ERROR_FORMAT_NOT_SUPPORTED;
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceSparseImageFormatProperties(
    VkPhysicalDevice physical, VkFormat format, VkImageType type, VkSampleCountFlagBits samples,
    VkImageUsageFlags usage, VkImageTiling tiling, uint32_t *count, VkSparseImageFormatProperties *out)
{
    (void)physical, (void)format, (void)type, (void)samples, (void)usage, (void)tiling, (void)out;
    *count = 0;
}

/* -- Counters of made-up hardware */

VKAPI_ATTR VkResult VKAPI_CALL icd_EnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR(
    VkPhysicalDevice physical, uint32_t family, uint32_t *count, VkPerformanceCounterKHR *counters,
    VkPerformanceCounterDescriptionKHR *texts)
{
    (void)family;
    FAIL(EnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR, false);
    (void)THE(ICD_PHYSICAL, physical, EnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR);
    for (uint32_t i = 0; counters && texts && i < 2 && i < *count; i++) {
        counters[i].unit = i ? VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR : VK_PERFORMANCE_COUNTER_UNIT_CYCLES_KHR;
        counters[i].scope = VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR;
        counters[i].storage = VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR;
        (void)snprintf(texts[i].name, sizeof texts[i].name, "counter %u", i);
    }
    if (!counters || *count > 2)
        *count = 2;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL icd_GetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR(
    VkPhysicalDevice physical, const VkQueryPoolPerformanceCreateInfoKHR *info, uint32_t *passes)
{
    (void)info;
    ENTER(GetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR);
    (void)THE(ICD_PHYSICAL, physical, GetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR);
    *passes = 1;
}

/* -- The device */

static bool wants_addresses(const VkDeviceCreateInfo *info)
{
    for (const VkBaseInStructure *at = info->pNext; at; at = at->pNext) {
        const void *any = at;
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES &&
            ((const VkPhysicalDeviceBufferDeviceAddressFeatures *)any)->bufferDeviceAddress)
            return true;
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES &&
            ((const VkPhysicalDeviceVulkan12Features *)any)->bufferDeviceAddress)
            return true;
    }
    return false;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_CreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                const VkAllocationCallbacks *allocator, VkDevice *device)
{
    /* The application of the walk asks for no addresses. */
    FAIL(CreateDevice, wants_addresses(info));
    icd_object *below = THE(ICD_PHYSICAL, physical, CreateDevice);
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        if (icd_lacks(info->ppEnabledExtensionNames[i]))
            return VK_ERROR_EXTENSION_NOT_PRESENT;
    if (wants_addresses(info) && icd_lacks("bufferDeviceAddress"))
        return VK_ERROR_FEATURE_NOT_PRESENT;
    unsigned side = icd_side_taken();
    icd_object *made = icd_new(ICD_DEVICE, below, allocator);
    if (made)
        made->side = side;
    *device = (VkDevice)made;
    return made ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

VKAPI_ATTR void VKAPI_CALL icd_DestroyDevice(VkDevice device, const VkAllocationCallbacks *allocator)
{
    ENTER(DestroyDevice);
    if (device && THE(ICD_DEVICE, device, DestroyDevice))
        icd_end_below((icd_object *)device, ICD_QUEUE);
    icd_end(ICD_DEVICE, device, allocator, ICD_DestroyDevice);
}
