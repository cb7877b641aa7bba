/* Instance, device, queue; buffers and memory; one submission. See device.h. */
#include "shaders/runner/device.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t bench_now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

wpg_status bench_check(VkResult result, const char *call, wpg_error *err)
{
    if (result == VK_SUCCESS)
        return WPG_OK;
    /* The text of the call up to its first parenthesis is the function's name. */
    return wpg_fail(err, WPG_E_UNSUPPORTED, "%.*s: VkResult %d", (int)strcspn(call, "("), call, (int)result);
}

static bool has_debug_utils(void)
{
    uint32_t count = 0;
    if (vkEnumerateInstanceExtensionProperties(NULL, &count, NULL) != VK_SUCCESS || count == 0)
        return false;
    VkExtensionProperties *list = calloc(count, sizeof *list);
    bool found = false;
    if (list && vkEnumerateInstanceExtensionProperties(NULL, &count, list) >= VK_SUCCESS)
        for (uint32_t i = 0; i < count; i++)
            found |= !strcmp(list[i].extensionName, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
    free(list);
    return found;
}

static wpg_status create_instance(bench_device *dev, unsigned flags, wpg_error *err)
{
    const char *extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    bool debug_utils = has_debug_utils();
    VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "wavepgo-bench",
        .apiVersion = flags & BENCH_DEVICE_VULKAN_1_2 ? VK_API_VERSION_1_2 : VK_API_VERSION_1_1,
    };
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &app,
        .enabledExtensionCount = debug_utils ? 1 : 0,
        .ppEnabledExtensionNames = extensions,
    };
    VkResult result = vkCreateInstance(&info, NULL, &dev->instance);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        return wpg_fail(err, WPG_E_NOT_FOUND, "no Vulkan driver");
    WPG_TRY(bench_check(result, "vkCreateInstance", err));
    if (debug_utils)
        dev->set_name = (PFN_vkSetDebugUtilsObjectNameEXT)vkGetInstanceProcAddr(
            dev->instance, "vkSetDebugUtilsObjectNameEXT");
    return WPG_OK;
}

static bool contains_ignoring_case(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++)
        if (!strncasecmp(text, part, length))
            return true;
    return length == 0;
}

/* The first queue family with graphics and compute. */
static bool find_queue(VkPhysicalDevice physical, uint32_t *family, uint32_t *timestamp_bits)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    const VkQueueFlags both = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    for (uint32_t i = 0; i < count; i++) {
        if ((families[i].queueFlags & both) == both) {
            *family = i;
            *timestamp_bits = families[i].timestampValidBits;
            return true;
        }
    }
    return false;
}

/* Digits alone name a device by its place in the driver's list. */
static bool is_number(uint32_t *number, const char *text)
{
    if (!text || !*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 4)
        return false;
    *number = (uint32_t)strtoul(text, NULL, 10);
    return true;
}

static wpg_status pick_physical(bench_device *dev, const char *substring, wpg_error *err)
{
    VkPhysicalDevice list[32];
    uint32_t count = 32;
    VkResult result = vkEnumeratePhysicalDevices(dev->instance, &count, list);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE)
        return wpg_fail(err, WPG_E_NOT_FOUND, "no Vulkan device (VkResult %d)", (int)result);
    uint32_t number;
    bool by_number = is_number(&number, substring);
    for (uint32_t i = 0; i < count; i++) {
        vkGetPhysicalDeviceProperties(list[i], &dev->properties);
        if (by_number && i != number)
            continue;
        if (dev->properties.apiVersion < VK_API_VERSION_1_1)
            continue;
        if (substring && !by_number && !contains_ignoring_case(dev->properties.deviceName, substring))
            continue;
        if (!find_queue(list[i], &dev->queue_family, &dev->timestamp_bits))
            continue;
        dev->physical = list[i];
        vkGetPhysicalDeviceFeatures(list[i], &dev->features);
        vkGetPhysicalDeviceMemoryProperties(list[i], &dev->memory);
        return WPG_OK;
    }
    return wpg_fail(err, WPG_E_NOT_FOUND, "no Vulkan 1.1 device with a graphics and compute queue%s%s",
                    substring ? (by_number ? " has number " : " is named ") : "", substring ? substring : "");
}

bool bench_device_has_extension(const bench_device *dev, const char *name)
{
    uint32_t count = 0;
    bool found = false;
    if (vkEnumerateDeviceExtensionProperties(dev->physical, NULL, &count, NULL) != VK_SUCCESS || count == 0)
        return false;
    VkExtensionProperties *list = calloc(count, sizeof *list);
    if (list && vkEnumerateDeviceExtensionProperties(dev->physical, NULL, &count, list) >= VK_SUCCESS)
        for (uint32_t i = 0; i < count; i++)
            found |= !strcmp(list[i].extensionName, name);
    free(list);
    return found;
}

/* True if executables of pipelines can be asked for; sets the feature in `features`. */
static bool find_statistics(VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR *features,
                            const bench_device *dev)
{
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                     .pNext = features};
    features->sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR;
    if (!bench_device_has_extension(dev, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME))
        return false;
    vkGetPhysicalDeviceFeatures2(dev->physical, &all);
    return features->pipelineExecutableInfo;
}

/* What the device supports of 16-bit storage. */
static void find_half_storage(VkPhysicalDevice16BitStorageFeatures *features, const bench_device *dev)
{
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                     .pNext = features};
    features->sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
    vkGetPhysicalDeviceFeatures2(dev->physical, &all);
}

static wpg_status create_device(bench_device *dev, unsigned flags, wpg_error *err)
{
    const char *extensions[] = {VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME};
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables = {0};
    VkPhysicalDevice16BitStorageFeatures halves = {0};
    dev->statistics = flags & BENCH_DEVICE_STATISTICS && find_statistics(&executables, dev);
    void *chain = dev->statistics ? &executables : NULL;
    if (flags & BENCH_DEVICE_VULKAN_1_2) {
        find_half_storage(&halves, dev);
        halves.pNext = chain;
        chain = &halves;
    }
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = dev->queue_family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    VkPhysicalDeviceFeatures enabled = {
        .tessellationShader = dev->features.tessellationShader,
        .geometryShader = dev->features.geometryShader,
    };
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = chain,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = dev->statistics,
        .ppEnabledExtensionNames = extensions,
        .pEnabledFeatures = &enabled,
    };
    BENCH_VK(vkCreateDevice(dev->physical, &info, NULL, &dev->device));
    vkGetDeviceQueue(dev->device, dev->queue_family, 0, &dev->queue);
    return WPG_OK;
}

static wpg_status create_submission_objects(bench_device *dev, wpg_error *err)
{
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = dev->queue_family,
    };
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkQueryPoolCreateInfo queries = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = 2,
    };
    BENCH_VK(vkCreateCommandPool(dev->device, &pool, NULL, &dev->pool));
    BENCH_VK(vkCreateFence(dev->device, &fence, NULL, &dev->fence));
    if (dev->timestamp_bits)
        BENCH_VK(vkCreateQueryPool(dev->device, &queries, NULL, &dev->queries));
    return WPG_OK;
}

wpg_status bench_device_create(bench_device *dev, const char *substring, unsigned flags, wpg_error *err)
{
    memset(dev, 0, sizeof *dev);
    WPG_TRY(create_instance(dev, flags, err));
    WPG_TRY(pick_physical(dev, substring, err));
    WPG_TRY(create_device(dev, flags, err));
    return flags & BENCH_DEVICE_NO_MEMORY ? WPG_OK : create_submission_objects(dev, err);
}

void bench_device_destroy(bench_device *dev)
{
    if (dev->device) {
        vkDestroyQueryPool(dev->device, dev->queries, NULL);
        vkDestroyFence(dev->device, dev->fence, NULL);
        vkDestroyCommandPool(dev->device, dev->pool, NULL);
        vkDestroyDevice(dev->device, NULL);
    }
    if (dev->instance)
        vkDestroyInstance(dev->instance, NULL);
    memset(dev, 0, sizeof *dev);
}

void bench_device_name(const bench_device *dev, VkObjectType type, uint64_t handle, const char *name)
{
    VkDebugUtilsObjectNameInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = type,
        .objectHandle = handle,
        .pObjectName = name,
    };
    if (dev->set_name)
        dev->set_name(dev->device, &info);
}

wpg_status bench_memory_type(uint32_t *type, const bench_device *dev, uint32_t bits,
                             VkMemoryPropertyFlags wanted, VkMemoryPropertyFlags needed, wpg_error *err)
{
    const VkMemoryPropertyFlags flags[] = {wanted, needed};
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < dev->memory.memoryTypeCount; i++) {
            if ((bits >> i & 1) && (dev->memory.memoryTypes[i].propertyFlags & flags[pass]) == flags[pass]) {
                *type = i;
                return WPG_OK;
            }
        }
    }
    return wpg_fail(err, WPG_E_UNSUPPORTED, "the device has no memory type for this (of %u types)",
                    dev->memory.memoryTypeCount);
}

wpg_status bench_buffer_create(bench_buffer *b, const bench_device *dev, VkDeviceSize size,
                               VkBufferUsageFlags usage, bool host, wpg_error *err)
{
    const VkMemoryPropertyFlags visible =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size,
        .usage = usage,
    };
    VkMemoryRequirements needs;
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    memset(b, 0, sizeof *b);
    b->size = size;
    BENCH_VK(vkCreateBuffer(dev->device, &info, NULL, &b->buffer));
    vkGetBufferMemoryRequirements(dev->device, b->buffer, &needs);
    allocate.allocationSize = needs.size;
    WPG_TRY(bench_memory_type(&allocate.memoryTypeIndex, dev, needs.memoryTypeBits,
                              host ? visible | VK_MEMORY_PROPERTY_HOST_CACHED_BIT
                                   : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                              host ? visible : 0, err));
    BENCH_VK(vkAllocateMemory(dev->device, &allocate, NULL, &b->memory));
    BENCH_VK(vkBindBufferMemory(dev->device, b->buffer, b->memory, 0));
    if (host)
        BENCH_VK(vkMapMemory(dev->device, b->memory, 0, VK_WHOLE_SIZE, 0, &b->mapped));
    return WPG_OK;
}

void bench_buffer_destroy(bench_buffer *b, const bench_device *dev)
{
    vkDestroyBuffer(dev->device, b->buffer, NULL);
    vkFreeMemory(dev->device, b->memory, NULL);
    memset(b, 0, sizeof *b);
}

static wpg_status record_copy(const bench_buffer *to, const bench_buffer *from, const bench_device *dev,
                              size_t size, wpg_error *err)
{
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    VkBufferCopy region = {.size = size};
    WPG_TRY(bench_commands_begin(&cmd, dev, err));
    vkCmdCopyBuffer(cmd, from->buffer, to->buffer, 1, &region);
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT,
    };
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                         NULL, 0, NULL);
    BENCH_VK(vkEndCommandBuffer(cmd));
    wpg_status status = bench_submit(dev, cmd, NULL, err);
    vkFreeCommandBuffers(dev->device, dev->pool, 1, &cmd);
    return status;
}

wpg_status bench_buffer_upload(const bench_buffer *b, const bench_device *dev, const void *data, size_t size,
                               wpg_error *err)
{
    bench_buffer staging;
    wpg_status status = bench_buffer_create(&staging, dev, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true, err);
    if (status == WPG_OK) {
        memcpy(staging.mapped, data, size);
        status = record_copy(b, &staging, dev, size, err);
    }
    bench_buffer_destroy(&staging, dev);
    return status;
}

wpg_status bench_buffer_download(void *to, const bench_buffer *b, const bench_device *dev, size_t size,
                                 wpg_error *err)
{
    bench_buffer staging;
    wpg_status status = bench_buffer_create(&staging, dev, size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true, err);
    if (status == WPG_OK)
        status = record_copy(&staging, b, dev, size, err);
    if (status == WPG_OK)
        memcpy(to, staging.mapped, size);
    bench_buffer_destroy(&staging, dev);
    return status;
}

wpg_status bench_commands_begin(VkCommandBuffer *cmd, const bench_device *dev, wpg_error *err)
{
    VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = dev->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    BENCH_VK(vkAllocateCommandBuffers(dev->device, &allocate, cmd));
    BENCH_VK(vkBeginCommandBuffer(*cmd, &begin));
    return WPG_OK;
}

void bench_timer_begin(VkCommandBuffer cmd, const bench_device *dev)
{
    if (!dev->queries)
        return;
    vkCmdResetQueryPool(cmd, dev->queries, 0, 2);
    vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, dev->queries, 0);
}

void bench_timer_end(VkCommandBuffer cmd, const bench_device *dev)
{
    if (dev->queries)
        vkCmdWriteTimestamp(cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, dev->queries, 1);
}

wpg_status bench_timer_read(double *ms, const bench_device *dev, wpg_error *err)
{
    uint64_t ticks[2] = {0, 0};
    *ms = 0;
    if (!dev->queries)
        return WPG_OK;
    BENCH_VK(vkGetQueryPoolResults(dev->device, dev->queries, 0, 2, sizeof ticks, ticks, sizeof *ticks,
                                   VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    uint64_t mask = dev->timestamp_bits >= 64 ? UINT64_MAX : (1ull << dev->timestamp_bits) - 1;
    uint64_t delta = (ticks[1] - ticks[0]) & mask;
    *ms = (double)delta * (double)dev->properties.limits.timestampPeriod * 1e-6;
    return WPG_OK;
}

wpg_status bench_submit(const bench_device *dev, VkCommandBuffer cmd, uint64_t *wall_ns, wpg_error *err)
{
    const uint64_t limit_ns = 300ull * 1000000000ull; /* a hung device must end the program, not hold it */
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &cmd,
    };
    BENCH_VK(vkResetFences(dev->device, 1, &dev->fence));
    uint64_t start = bench_now_ns();
    BENCH_VK(vkQueueSubmit(dev->queue, 1, &submit, dev->fence));
    BENCH_VK(vkWaitForFences(dev->device, 1, &dev->fence, VK_TRUE, limit_ns));
    if (wall_ns)
        *wall_ns = bench_now_ns() - start;
    return WPG_OK;
}
