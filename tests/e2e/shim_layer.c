/* A Vulkan layer for the tests: stands below or above the layer under test and plays a difficult driver, or
 * looks at what is presented. Environment:
 *
 *     SHIM_RECORD=FILE          appends the hash of every shader module given to it
 *     SHIM_KNOWN=FILE           hashes recorded before; any other module is "rewritten"
 *     SHIM_REFUSE=pipeline|module|device
 *                               what fails for a rewritten module: making a pipeline of it, or the module
 *                               itself; or: device, and the process with it (a driver that crashes)
 *
 *     SHIM_CRASH=make|run       the process is killed as a pipeline of a rewritten module is made, or may run
 *     SHIM_SLOW=N               each dispatch with a pipeline of a rewritten module is done N times
 *     SHIM_MISCOUNT=N           the Nth addition to memory (from 1) of each rewritten module stores instead:
 *                               a driver that compiles counting wrongly
 *
 *     SHIM_SHOT=N:FILE          writes the Nth presented image (from 1) as a PPM
 *
 *     SHIM_FRAMES=FILE          appends number, size and hash of the colours of every presented image
 *     SHIM_TIMES=FILE           appends when images are presented and pipelines are made (shim_times.h)
 *     SHIM_EXIT=N               the process ends after the Nth presented image (from 1)
 *
 *     SHIM_LOSE=N[,wait]        loses the device: from the Nth submission (from 1) on none reaches the
 *                               driver; with "wait" the Nth still does, and waiting for it tells
 *
 *     SHIM_COMPILE=SECONDS      the first submission compiles so long
 *     SHIM_KEEP=1               no pipeline is destroyed before the process ends
 *
 *     SHIM_PERFORMANCE=1|busy|passes
 *                               offers VK_KHR_performance_query with made-up counters; the lock is another's;
 *                               or each counter takes a pass of its own. Says "shim: ..." on standard error
 *                               where the rules are broken
 *
 *     SHIM_END=1                the driver ends itself at exit (shim_end.h)
 *     SHIM_DRM=MINOR            is the kernel's render node of that number (VK_EXT_physical_device_drm)
 *
 * Serves one device at a time. Globals are behind one lock; queue calls are the application's to serialise.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include "tests/e2e/shim.h"
#include "tests/e2e/shim_counters.h"
#include "tests/e2e/shim_end.h"
#include "tests/e2e/shim_modules.h"
#include "tests/e2e/shim_times.h"

/* VkPhysicalDeviceShaderMaximalReconvergenceFeaturesKHR, for headers that lack it. */
#define MAXIMAL_RECONVERGENCE_FEATURES 1000434000u
enum { MAX_MODULES = 8192, MAX_IMAGES = 16, MAX_QUEUES = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    PFN_vkGetInstanceProcAddr next_instance;
    /* Looked up while the instance is made: later the loader would lead back to the top of the chain. */
    PFN_vkGetPhysicalDeviceMemoryProperties get_memory;
    PFN_vkGetPhysicalDeviceFeatures get_features;
    PFN_vkGetPhysicalDeviceFeatures2 get_features2;
    PFN_vkGetPhysicalDeviceProperties2 get_properties2;
    PFN_vkCreateDevice create_device;
    PFN_vkEnumerateDeviceExtensionProperties get_extensions;
    PFN_vkGetDeviceProcAddr next_device;
    PFN_vkSetDeviceLoaderData set_loader_data;
    VkShaderModule rewritten[MAX_MODULES];
    size_t rewritten_count;
    VkPipeline slow[MAX_MODULES]; /* of rewritten modules, where there is SHIM_SLOW */
    size_t slow_count;
    bool slow_bound; /* one command buffer is recorded at a time */
    struct {
        VkQueue queue;
        uint32_t family;
    } queues[MAX_QUEUES];
    size_t queue_count;
    VkImage images[MAX_IMAGES];
    uint32_t image_count;
    VkExtent2D extent;
    VkFormat format;
    unsigned presented, submitted;
    bool lost;
} shim;

#define DEVICE_CALL(name)   ((PFN_##name)shim.next_device(shim.device, #name))
#define INSTANCE_CALL(name) ((PFN_##name)shim.next_instance(shim.instance, #name))

PFN_vkVoidFunction shim_next(const char *name)
{
    return shim.next_device(shim.device, name);
}

static bool refuses(const char *what)
{
    const char *setting = getenv("SHIM_REFUSE");
    return setting && strcmp(setting, what) == 0;
}

/* A driver whose compiler crashes. */
static atomic_bool rewritten_made;
static void crash(const char *where)
{
    const char *setting = getenv("SHIM_CRASH");
    if (setting && strcmp(setting, where) == 0)
        (void)raise(SIGKILL);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_shader_module(VkDevice device,
                                                           const VkShaderModuleCreateInfo *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkShaderModule *module)
{
    const char *miscount = getenv("SHIM_MISCOUNT");
    VkShaderModuleCreateInfo changed = *info;
    bool rewritten = shim_look_at(info);
    if (rewritten && refuses("module"))
        return VK_ERROR_UNKNOWN;
    uint32_t *words = rewritten && miscount ? shim_miscounting(info, atoi(miscount)) : NULL;
    if (words)
        changed.pCode = words;
    VkResult result = DEVICE_CALL(vkCreateShaderModule)(device, &changed, allocator, module);
    free(words);
    if (result == VK_SUCCESS) {
        pthread_mutex_lock(&lock);
        /* Handles are used again after a destroy: forget what an earlier module of this handle was. */
        for (size_t i = 0; i < shim.rewritten_count; i++)
            if (shim.rewritten[i] == *module)
                shim.rewritten[i] = shim.rewritten[--shim.rewritten_count];
        if (rewritten && shim.rewritten_count < MAX_MODULES)
            shim.rewritten[shim.rewritten_count++] = *module;
        pthread_mutex_unlock(&lock);
    }
    return result;
}

static bool stage_is_rewritten(const VkPipelineShaderStageCreateInfo *stage)
{
    if (stage->module == VK_NULL_HANDLE) {
        for (const VkBaseInStructure *s = stage->pNext; s; s = s->pNext)
            if (s->sType == VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)
                return shim_look_at((const VkShaderModuleCreateInfo *)(const void *)s);
        return false;
    }
    bool found = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < shim.rewritten_count; i++)
        found |= shim.rewritten[i] == stage->module;
    pthread_mutex_unlock(&lock);
    return found;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_compute(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                     const VkComputePipelineCreateInfo *infos,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkPipeline *pipelines)
{
    bool rewritten = false;
    for (uint32_t i = 0; i < count; i++)
        rewritten |= stage_is_rewritten(&infos[i].stage);
    if (rewritten && !atomic_exchange(&rewritten_made, true))
        crash("make");
    if (rewritten && refuses("pipeline")) {
        memset(pipelines, 0, count * sizeof *pipelines);
        return VK_ERROR_UNKNOWN;
    }
    const uint64_t begin = shim_times_now();
    shim_end_make(true);
    VkResult result =
        DEVICE_CALL(vkCreateComputePipelines)(device, cache, count, infos, allocator, pipelines);
    shim_end_make(false);
    shim_times_pipelines(begin, count, pipelines);
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
        for (size_t j = 0; j < shim.slow_count; j++) /* a handle that is used again */
            if (shim.slow[j] == pipelines[i])
                shim.slow[j] = shim.slow[--shim.slow_count];
        if (rewritten && getenv("SHIM_SLOW") && shim.slow_count < MAX_MODULES)
            shim.slow[shim.slow_count++] = pipelines[i];
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL bind_pipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                VkPipeline pipeline)
{
    pthread_mutex_lock(&lock);
    shim.slow_bound = false;
    for (size_t i = 0; i < shim.slow_count; i++)
        shim.slow_bound |= shim.slow[i] == pipeline;
    pthread_mutex_unlock(&lock);
    shim_times_bind(pipeline);
    DEVICE_CALL(vkCmdBindPipeline)(commands, point, pipeline);
}

static VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z)
{
    const char *times = getenv("SHIM_SLOW");
    for (int i = times && shim.slow_bound ? atoi(times) : 1; i > 0; i--)
        DEVICE_CALL(vkCmdDispatch)(commands, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL dispatch_indirect(VkCommandBuffer commands, VkBuffer buffer,
                                                    VkDeviceSize offset)
{
    const char *times = getenv("SHIM_SLOW");
    for (int i = times && shim.slow_bound ? atoi(times) : 1; i > 0; i--)
        DEVICE_CALL(vkCmdDispatchIndirect)(commands, buffer, offset);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_graphics(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkGraphicsPipelineCreateInfo *infos,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkPipeline *pipelines)
{
    bool rewritten = false;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t s = 0; s < infos[i].stageCount; s++)
            rewritten |= stage_is_rewritten(&infos[i].pStages[s]);
    if (rewritten && refuses("pipeline")) {
        memset(pipelines, 0, count * sizeof *pipelines);
        return VK_ERROR_UNKNOWN;
    }
    const uint64_t begin = shim_times_now();
    shim_end_make(true);
    VkResult result =
        DEVICE_CALL(vkCreateGraphicsPipelines)(device, cache, count, infos, allocator, pipelines);
    shim_end_make(false);
    shim_times_pipelines(begin, count, pipelines);
    return result;
}

/* -- Presented images */

static VKAPI_ATTR void VKAPI_CALL get_queue(VkDevice device, uint32_t family, uint32_t index, VkQueue *queue)
{
    DEVICE_CALL(vkGetDeviceQueue)(device, family, index, queue);
    if (shim.queue_count < MAX_QUEUES) {
        shim.queues[shim.queue_count].queue = *queue;
        shim.queues[shim.queue_count++].family = family;
    }
}

static VKAPI_ATTR VkResult VKAPI_CALL create_swapchain(VkDevice device, const VkSwapchainCreateInfoKHR *info,
                                                       const VkAllocationCallbacks *allocator,
                                                       VkSwapchainKHR *swapchain)
{
    VkSwapchainCreateInfoKHR mine = *info;
    mine.imageUsage |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    VkResult result = DEVICE_CALL(vkCreateSwapchainKHR)(device, &mine, allocator, swapchain);
    if (result == VK_SUCCESS) {
        shim.extent = info->imageExtent;
        shim.format = info->imageFormat;
        shim.image_count = MAX_IMAGES;
        DEVICE_CALL(vkGetSwapchainImagesKHR)(device, *swapchain, &shim.image_count, shim.images);
    }
    return result;
}

/* The colours of pixel i, without alpha: nobody sees that. */
static void pixel_colours(uint8_t rgb[static 3], const uint8_t *pixels, size_t i)
{
    bool bgr = shim.format == VK_FORMAT_B8G8R8A8_UNORM || shim.format == VK_FORMAT_B8G8R8A8_SRGB;
    const uint8_t *p = pixels + 4 * i;
    rgb[0] = p[bgr ? 2 : 0];
    rgb[1] = p[1];
    rgb[2] = p[bgr ? 0 : 2];
}

static void write_ppm(const char *path, const uint8_t *pixels)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return;
    fprintf(file, "P6\n%u %u\n255\n", shim.extent.width, shim.extent.height);
    for (size_t i = 0; i < (size_t)shim.extent.width * shim.extent.height; i++) {
        uint8_t rgb[3];
        pixel_colours(rgb, pixels, i);
        fwrite(rgb, 1, 3, file);
    }
    fclose(file);
}

/* One line a frame: its number, size and the hash of its colours. */
static void append_frame(const char *path, const uint8_t *pixels)
{
    FILE *file = fopen(path, "a");
    if (!file)
        return;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < (size_t)shim.extent.width * shim.extent.height; i++) {
        uint8_t rgb[3];
        pixel_colours(rgb, pixels, i);
        for (size_t c = 0; c < 3; c++)
            hash = (hash ^ rgb[c]) * 0x100000001b3u;
    }
    fprintf(file, "%u %ux%u %016llx\n", shim.presented, shim.extent.width, shim.extent.height,
            (unsigned long long)hash);
    fclose(file);
}

static VkImageMemoryBarrier image_barrier(VkImage image, VkImageLayout from, VkImageLayout to)
{
    return (VkImageMemoryBarrier){.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                  .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                  .oldLayout = from,
                                  .newLayout = to,
                                  .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                  .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                  .image = image,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
}

static void record_copy(VkCommandBuffer commands, VkImage image, VkBuffer buffer)
{
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    DEVICE_CALL(vkBeginCommandBuffer)(commands, &begin);
    VkImageMemoryBarrier to =
        image_barrier(image, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkImageMemoryBarrier back =
        image_barrier(image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    DEVICE_CALL(vkCmdPipelineBarrier)(commands, all, all, 0, 0, NULL, 0, NULL, 1, &to);
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageExtent = {shim.extent.width, shim.extent.height, 1}};
    DEVICE_CALL(vkCmdCopyImageToBuffer)
    (commands, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffer, 1, &region);
    DEVICE_CALL(vkCmdPipelineBarrier)(commands, all, all, 0, 0, NULL, 0, NULL, 1, &back);
    DEVICE_CALL(vkEndCommandBuffer)(commands);
}

/* Copies the image about to be presented, waiting for what the present would wait for: to the picture `ppm`,
 * and as a line to `frames`, where they are not NULL. */
static bool shoot(VkQueue queue, const VkPresentInfoKHR *present, const char *ppm, const char *frames)
{
    uint32_t family = 0;
    for (size_t i = 0; i < shim.queue_count; i++)
        if (shim.queues[i].queue == queue)
            family = shim.queues[i].family;
    VkDeviceSize size = (VkDeviceSize)shim.extent.width * shim.extent.height * 4;
    VkBufferCreateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = size,
                                      .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkBuffer buffer;
    if (DEVICE_CALL(vkCreateBuffer)(shim.device, &buffer_info, NULL, &buffer) != VK_SUCCESS)
        return false;
    VkMemoryRequirements need;
    DEVICE_CALL(vkGetBufferMemoryRequirements)(shim.device, buffer, &need);
    VkPhysicalDeviceMemoryProperties types;
    shim.get_memory(shim.physical, &types);
    VkMemoryPropertyFlags host = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;
    while (!((need.memoryTypeBits >> type & 1) && (types.memoryTypes[type].propertyFlags & host) == host))
        if (++type == types.memoryTypeCount)
            return false;
    VkMemoryAllocateInfo memory_info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                        .allocationSize = need.size,
                                        .memoryTypeIndex = type};
    VkDeviceMemory memory;
    void *pixels;
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .queueFamilyIndex = family};
    VkCommandPool pool;
    if (DEVICE_CALL(vkAllocateMemory)(shim.device, &memory_info, NULL, &memory) != VK_SUCCESS ||
        DEVICE_CALL(vkBindBufferMemory)(shim.device, buffer, memory, 0) != VK_SUCCESS ||
        DEVICE_CALL(vkMapMemory)(shim.device, memory, 0, VK_WHOLE_SIZE, 0, &pixels) != VK_SUCCESS ||
        DEVICE_CALL(vkCreateCommandPool)(shim.device, &pool_info, NULL, &pool) != VK_SUCCESS)
        return false;
    VkCommandBufferAllocateInfo commands_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                 .commandPool = pool,
                                                 .commandBufferCount = 1};
    VkCommandBuffer commands;
    if (DEVICE_CALL(vkAllocateCommandBuffers)(shim.device, &commands_info, &commands) != VK_SUCCESS)
        return false;
    shim.set_loader_data(shim.device, commands);
    record_copy(commands, shim.images[present->pImageIndices[0]], buffer);
    VkPipelineStageFlags stages[8];
    for (size_t i = 0; i < 8; i++)
        stages[i] = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .waitSemaphoreCount =
                               present->waitSemaphoreCount > 8 ? 8 : present->waitSemaphoreCount,
                           .pWaitSemaphores = present->pWaitSemaphores,
                           .pWaitDstStageMask = stages,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &commands};
    DEVICE_CALL(vkQueueSubmit)(queue, 1, &submit, VK_NULL_HANDLE);
    DEVICE_CALL(vkQueueWaitIdle)(queue);
    if (ppm)
        write_ppm(ppm, pixels);
    if (frames)
        append_frame(frames, pixels);
    DEVICE_CALL(vkDestroyCommandPool)(shim.device, pool, NULL);
    DEVICE_CALL(vkDestroyBuffer)(shim.device, buffer, NULL);
    DEVICE_CALL(vkFreeMemory)(shim.device, memory, NULL);
    return true;
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_present(VkQueue queue, const VkPresentInfoKHR *info)
{
    const char *shot = getenv("SHIM_SHOT");
    char *path = NULL;
    unsigned long frame = shot ? strtoul(shot, &path, 10) : 0;
    VkPresentInfoKHR mine = *info;
    shim.presented++;
    shim_times_present(shim.presented);
    const char *frames = getenv("SHIM_FRAMES");
    const char *ppm = shot && shim.presented == frame && *path == ':' ? path + 1 : NULL;
    if ((ppm || frames) && shoot(queue, info, ppm, frames))
        mine.waitSemaphoreCount = 0;
    VkResult result = DEVICE_CALL(vkQueuePresentKHR)(queue, &mine);
    const char *end = getenv("SHIM_EXIT");
    if (end && shim.presented >= strtoul(end, NULL, 10))
        exit(0);
    return result;
}

/* -- A lost device */

/* Counts a submission; false if it must not go down. */
static bool submits(void)
{
    const char *setting = getenv("SHIM_LOSE");
    char *rest = NULL;
    unsigned long last = setting ? strtoul(setting, &rest, 10) : 0;
    pthread_mutex_lock(&lock);
    bool was_lost = shim.lost;
    shim.lost |= setting && ++shim.submitted >= last;
    bool goes = !shim.lost || (!was_lost && strcmp(rest, ",wait") == 0);
    pthread_mutex_unlock(&lock);
    return goes;
}

/* A driver that compiles where a command buffer runs. */
static void compile(void)
{
    static atomic_flag compiled = ATOMIC_FLAG_INIT;
    const char *seconds = getenv("SHIM_COMPILE");
    if (seconds && !atomic_flag_test_and_set(&compiled))
        (void)sleep((unsigned)strtoul(seconds, NULL, 10));
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos,
                                                   VkFence fence)
{
    compile();
    shim_end_watch(true);
    if (rewritten_made)
        crash("run");
    return submits() ? DEVICE_CALL(vkQueueSubmit)(queue, count, infos, fence) : VK_ERROR_DEVICE_LOST;
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_wait_idle(VkQueue queue)
{
    VkResult result = DEVICE_CALL(vkQueueWaitIdle)(queue);
    return shim.lost ? VK_ERROR_DEVICE_LOST : result;
}

static VKAPI_ATTR VkResult VKAPI_CALL device_wait_idle(VkDevice device)
{
    VkResult result = DEVICE_CALL(vkDeviceWaitIdle)(device);
    return shim.lost ? VK_ERROR_DEVICE_LOST : result;
}

static VKAPI_ATTR VkResult VKAPI_CALL wait_for_fences(VkDevice device, uint32_t count, const VkFence *fences,
                                                      VkBool32 all, uint64_t timeout)
{
    return shim.lost ? VK_ERROR_DEVICE_LOST
                     : DEVICE_CALL(vkWaitForFences)(device, count, fences, all, timeout);
}

/* -- Hidden features */

static bool hides(const char *what)
{
    const char *list = getenv("SHIM_HIDE");
    const char *at = list ? strstr(list, what) : NULL;
    size_t length = strlen(what);
    return at && (at == list || at[-1] == ',') && (at[length] == 0 || at[length] == ',');
}

static void hide_core(VkPhysicalDeviceFeatures *features)
{
    if (hides("int64"))
        features->shaderInt64 = VK_FALSE;
    if (hides("stores"))
        features->fragmentStoresAndAtomics = features->vertexPipelineStoresAndAtomics = VK_FALSE;
}

static void hide_structure(VkBaseOutStructure *s)
{
    void *data = s;
    VkPhysicalDeviceVulkan12Features *v12 = data;
    VkPhysicalDeviceShaderAtomicInt64Features *atomics = data;
    VkPhysicalDeviceBufferDeviceAddressFeatures *address = data;
    VkPhysicalDeviceVulkan13Features *v13 = data;
    VkPhysicalDeviceShaderDemoteToHelperInvocationFeatures *demote = data;
    VkPhysicalDevicePerformanceQueryFeaturesKHR *queries = data;
    if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
        v12->shaderBufferInt64Atomics &= !hides("int64");
        v12->bufferDeviceAddress &= !hides("address");
    } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES) {
        atomics->shaderBufferInt64Atomics &= !hides("int64");
    } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES) {
        address->bufferDeviceAddress &= !hides("address");
    } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES) {
        v13->shaderDemoteToHelperInvocation &= !hides("demote");
    } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES) {
        demote->shaderDemoteToHelperInvocation &= !hides("demote");
    } else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR) {
        queries->performanceCounterQueryPools = getenv("SHIM_PERFORMANCE") != NULL;
    } else if ((uint32_t)s->sType == MAXIMAL_RECONVERGENCE_FEATURES) {
        *(VkBool32 *)((char *)data + sizeof *s) &= !hides("reconvergence");
    }
}

/* The list without what is hidden. Takes the whole list itself, so that a short answer can be given in full.
 */
static VKAPI_ATTR VkResult VKAPI_CALL get_extensions(VkPhysicalDevice physical, const char *layer,
                                                     uint32_t *count, VkExtensionProperties *properties)
{
    bool more = getenv("SHIM_PERFORMANCE") != NULL, node = getenv("SHIM_DRM") != NULL;
    if (layer || (!hides("reconvergence") && !hides("host") && !more && !node))
        return shim.get_extensions(physical, layer, count, properties);
    uint32_t all = 0, kept = 0;
    VkResult result = shim.get_extensions(physical, NULL, &all, NULL);
    VkExtensionProperties *list = calloc(all + 2, sizeof *list);
    if (result != VK_SUCCESS || !list) {
        free(list);
        return result != VK_SUCCESS ? result : VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    result = shim.get_extensions(physical, NULL, &all, list);
    for (uint32_t i = 0; i < all; i++)
        if (!(hides("reconvergence") &&
              strcmp(list[i].extensionName, "VK_KHR_shader_maximal_reconvergence") == 0) &&
            !(hides("host") &&
              strcmp(list[i].extensionName, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) == 0))
            list[kept++] = list[i];
    if (more)
        list[kept++] = (VkExtensionProperties){VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME, 1};
    if (node)
        list[kept++] = (VkExtensionProperties){VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME, 1};
    if (properties) {
        result = *count < kept ? VK_INCOMPLETE : result;
        kept = *count < kept ? *count : kept;
        memcpy(properties, list, kept * sizeof *list);
    }
    *count = kept;
    free(list);
    return result;
}

static VKAPI_ATTR void VKAPI_CALL get_features(VkPhysicalDevice physical, VkPhysicalDeviceFeatures *features)
{
    shim.get_features(physical, features);
    hide_core(features);
}

static VKAPI_ATTR void VKAPI_CALL get_features2(VkPhysicalDevice physical,
                                                VkPhysicalDeviceFeatures2 *features)
{
    shim.get_features2(physical, features);
    hide_core(&features->features);
    for (VkBaseOutStructure *s = features->pNext; s; s = s->pNext)
        hide_structure(s);
}

static VKAPI_ATTR void VKAPI_CALL get_properties2(VkPhysicalDevice physical,
                                                  VkPhysicalDeviceProperties2 *properties)
{
    shim.get_properties2(physical, properties);
    for (VkBaseOutStructure *s = properties->pNext; s; s = s->pNext) {
        void *data = s;
        VkShaderStageFlags *stages = NULL;
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES)
            stages = &((VkPhysicalDeviceSubgroupProperties *)data)->supportedStages;
        else if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES)
            stages = &((VkPhysicalDeviceVulkan11Properties *)data)->subgroupSupportedStages;
        if (stages && hides("subgroups"))
            *stages = 0;
        VkPhysicalDeviceDrmPropertiesEXT *drm = data;
        const char *node = getenv("SHIM_DRM");
        if (node && s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT) {
            drm->hasRender = VK_TRUE;
            drm->renderMajor = 226;
            drm->renderMinor = atoi(node);
        }
        if (stages && getenv("SHIM_RAY_WAVES"))
            *stages |= VK_SHADER_STAGE_RAYGEN_BIT_KHR;
    }
}

/* The create-info without what the driver does not know. */
static VkResult create_without_performance(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                           const VkAllocationCallbacks *allocator, VkDevice *device)
{
    VkDeviceCreateInfo less = *info;
    const char *names[256];
    less.enabledExtensionCount = 0;
    for (uint32_t i = 0; i < info->enabledExtensionCount && less.enabledExtensionCount < 256; i++)
        if (strcmp(info->ppEnabledExtensionNames[i], VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME) != 0)
            names[less.enabledExtensionCount++] = info->ppEnabledExtensionNames[i];
    less.ppEnabledExtensionNames = names;
    VkBaseOutStructure *before = (VkBaseOutStructure *)(uintptr_t)&less;
    for (; before->pNext; before = before->pNext)
        if (before->pNext->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR) {
            VkBaseOutStructure *gone = before->pNext;
            before->pNext = gone->pNext; /* put back, as the chain is another's */
            VkResult result = shim.create_device(physical, &less, allocator, device);
            before->pNext = gone;
            return result;
        }
    return shim.create_device(physical, &less, allocator, device);
}

/* -- Layer machinery */

static const void *find_link(const void *chain, VkStructureType type, VkLayerFunction function)
{
    for (const VkBaseInStructure *s = chain; s; s = s->pNext)
        if (s->sType == type && ((const VkLayerDeviceCreateInfo *)(const void *)s)->function == function)
            return s;
    return NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkInstance *instance)
{
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)(uintptr_t)find_link(
        info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO, VK_LAYER_LINK_INFO);
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    shim.next_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateInstance create =
        (PFN_vkCreateInstance)shim.next_instance(VK_NULL_HANDLE, "vkCreateInstance");
    VkResult result = create(info, allocator, instance);
    if (result != VK_SUCCESS)
        return result;
    shim.instance = *instance;
    shim.get_memory = INSTANCE_CALL(vkGetPhysicalDeviceMemoryProperties);
    shim.get_features = INSTANCE_CALL(vkGetPhysicalDeviceFeatures);
    shim.get_features2 = INSTANCE_CALL(vkGetPhysicalDeviceFeatures2);
    shim.get_properties2 = INSTANCE_CALL(vkGetPhysicalDeviceProperties2);
    shim.create_device = INSTANCE_CALL(vkCreateDevice);
    shim.get_extensions = INSTANCE_CALL(vkEnumerateDeviceExtensionProperties);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkDevice *device)
{
    VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)(uintptr_t)find_link(
        info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, VK_LAYER_LINK_INFO);
    const VkLayerDeviceCreateInfo *data =
        find_link(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, VK_LOADER_DATA_CALLBACK);
    if (!link || !data)
        return VK_ERROR_INITIALIZATION_FAILED;
    if (refuses("device"))
        abort();
    shim.set_loader_data = data->u.pfnSetDeviceLoaderData;
    PFN_vkGetDeviceProcAddr next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result = shim_performance(NULL) ? create_without_performance(physical, info, allocator, device)
                                             : shim.create_device(physical, info, allocator, device);
    if (result == VK_SUCCESS) {
        shim.next_device = next_device;
        shim.physical = physical;
        shim.device = *device;
        shim.queue_count = 0;
        shim_end_watch(false);
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_pipeline(VkDevice device, VkPipeline pipeline,
                                                   const VkAllocationCallbacks *allocator)
{
    if (!getenv("SHIM_KEEP"))
        DEVICE_CALL(vkDestroyPipeline)(device, pipeline, allocator);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_address(VkDevice device, const char *name);
static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_address(VkInstance instance, const char *name);

static PFN_vkVoidFunction intercepted(const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } table[] = {
        {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)instance_address},
        {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)device_address},
        {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
        {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
        {"vkEnumerateDeviceExtensionProperties", (PFN_vkVoidFunction)get_extensions},
        {"vkGetPhysicalDeviceFeatures", (PFN_vkVoidFunction)get_features},
        {"vkGetPhysicalDeviceFeatures2", (PFN_vkVoidFunction)get_features2},
        {"vkGetPhysicalDeviceFeatures2KHR", (PFN_vkVoidFunction)get_features2},
        {"vkGetPhysicalDeviceProperties2", (PFN_vkVoidFunction)get_properties2},
        {"vkGetPhysicalDeviceProperties2KHR", (PFN_vkVoidFunction)get_properties2},
        {"vkCreateShaderModule", (PFN_vkVoidFunction)create_shader_module},
        {"vkCreateComputePipelines", (PFN_vkVoidFunction)create_compute},
        {"vkCreateGraphicsPipelines", (PFN_vkVoidFunction)create_graphics},
        {"vkDestroyPipeline", (PFN_vkVoidFunction)destroy_pipeline},
        {"vkCmdBindPipeline", (PFN_vkVoidFunction)bind_pipeline},
        {"vkCmdDispatch", (PFN_vkVoidFunction)dispatch},
        {"vkCmdDispatchIndirect", (PFN_vkVoidFunction)dispatch_indirect},
        {"vkQueueSubmit", (PFN_vkVoidFunction)queue_submit},
        {"vkQueueWaitIdle", (PFN_vkVoidFunction)queue_wait_idle},
        {"vkDeviceWaitIdle", (PFN_vkVoidFunction)device_wait_idle},
        {"vkWaitForFences", (PFN_vkVoidFunction)wait_for_fences},
        {"vkGetDeviceQueue", (PFN_vkVoidFunction)get_queue},
        {"vkCreateSwapchainKHR", (PFN_vkVoidFunction)create_swapchain},
        {"vkQueuePresentKHR", (PFN_vkVoidFunction)queue_present},
    };
    const shim_hook *const tables[] = {shim_performance(NULL) ? shim_query_hooks : NULL,
                                       shim_ends() ? shim_end_hooks : NULL};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const shim_hook *hook = tables[t]; hook && hook->name; hook++)
            if (strcmp(name, hook->name) == 0)
                return hook->function;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(name, table[i].name) == 0)
            return table[i].function;
    return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_address(VkDevice device, const char *name)
{
    PFN_vkVoidFunction mine = intercepted(name);
    return mine ? mine : shim.next_device(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_address(VkInstance instance, const char *name)
{
    PFN_vkVoidFunction mine = intercepted(name);
    /* Asked before there is an instance: nothing is known of what lies below. */
    return mine ? mine : shim.next_instance ? shim.next_instance(instance, name) : NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface);
__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface)
{
    if (interface->loaderLayerInterfaceVersion > 2)
        interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = instance_address;
    interface->pfnGetDeviceProcAddr = device_address;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
