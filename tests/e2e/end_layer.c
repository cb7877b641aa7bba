/* A Vulkan layer for the tests: below the layer under test it plays a driver that ends itself at exit, as
 * NVIDIA's does. Once a device was made, and again at its first submission, it registers a handler. That
 * takes away all memory that is mapped then; a pipeline that is made after that, or while it is done, aborts
 * the process. With END_COMPILE=SECONDS making a pipeline takes so long.
 *
 * It hides VK_EXT_external_memory_host, so that counters lie in memory of the driver's. Serves one device. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

enum { MAX_MAPPED = 256, MAX_EXTENSIONS = 512 };
static struct {
    VkInstance instance;
    VkDevice device;
    PFN_vkGetInstanceProcAddr next_instance;
    PFN_vkGetDeviceProcAddr next_device;
    PFN_vkCreateDevice create_device;
    PFN_vkEnumerateDeviceExtensionProperties get_extensions;
    pthread_mutex_t lock;
    struct {
        VkDeviceMemory memory;
        char *at;
        size_t size;
    } mapped[MAX_MAPPED];
    size_t count;
    VkDeviceSize sizes[MAX_MAPPED];
    VkDeviceMemory memories[MAX_MAPPED];
    size_t allocated;
    atomic_bool ended, submitted;
    atomic_int making;
} end = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define DEVICE_CALL(name)   ((PFN_##name)end.next_device(end.device, #name))
#define INSTANCE_CALL(name) ((PFN_##name)end.next_instance(end.instance, #name))

static void broken(const char *what)
{
    static const char head[] = "end: ", tail[] = "\n";
    (void)!write(2, head, sizeof head - 1);
    (void)!write(2, what, strlen(what));
    (void)!write(2, tail, 1);
    abort();
}

/* Whole pages of what is mapped. */
static void end_driver(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (atomic_exchange(&end.ended, true))
        return;
    if (atomic_load(&end.making) > 0)
        broken("the driver ends while it makes a pipeline");
    (void)pthread_mutex_lock(&end.lock);
    for (size_t i = 0; i < end.count; i++) {
        char *from = (char *)(((size_t)end.mapped[i].at + page - 1) / page * page);
        char *to = (char *)(((size_t)end.mapped[i].at + end.mapped[i].size) / page * page);
        if (to > from && mprotect(from, (size_t)(to - from), PROT_NONE) != 0)
            perror("end: mprotect");
    }
    (void)pthread_mutex_unlock(&end.lock);
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice device, const VkMemoryAllocateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkDeviceMemory *memory)
{
    VkResult result = DEVICE_CALL(vkAllocateMemory)(device, info, allocator, memory);
    (void)pthread_mutex_lock(&end.lock);
    if (result == VK_SUCCESS && end.allocated < MAX_MAPPED) {
        end.memories[end.allocated] = *memory;
        end.sizes[end.allocated++] = info->allocationSize;
    }
    (void)pthread_mutex_unlock(&end.lock);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL map_memory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                                 VkDeviceSize size, VkMemoryMapFlags flags, void **data)
{
    VkResult result = DEVICE_CALL(vkMapMemory)(device, memory, offset, size, flags, data);
    (void)pthread_mutex_lock(&end.lock);
    for (size_t i = 0; result == VK_SUCCESS && i < end.allocated && end.count < MAX_MAPPED; i++)
        if (end.memories[i] == memory) {
            end.mapped[end.count].memory = memory;
            end.mapped[end.count].at = *data;
            end.mapped[end.count++].size = size == VK_WHOLE_SIZE ? end.sizes[i] - offset : size;
        }
    (void)pthread_mutex_unlock(&end.lock);
    return result;
}

/* Its memory may be another's from here on. */
static VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory,
                                              const VkAllocationCallbacks *allocator)
{
    (void)pthread_mutex_lock(&end.lock);
    for (size_t i = 0; i < end.count; i++)
        if (end.mapped[i].memory == memory)
            end.mapped[i--] = end.mapped[--end.count];
    (void)pthread_mutex_unlock(&end.lock);
    DEVICE_CALL(vkFreeMemory)(device, memory, allocator);
}

static void make_begins(void)
{
    const char *seconds = getenv("END_COMPILE");
    const double wait = seconds ? strtod(seconds, NULL) : 0;
    atomic_fetch_add(&end.making, 1);
    if (atomic_load(&end.ended))
        broken("a pipeline is made after the driver's end");
    if (wait > 0)
        (void)nanosleep(&(struct timespec){(time_t)wait, (long)((wait - (double)(time_t)wait) * 1e9)}, NULL);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_compute(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                     const VkComputePipelineCreateInfo *infos,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkPipeline *pipelines)
{
    make_begins();
    VkResult result =
        DEVICE_CALL(vkCreateComputePipelines)(device, cache, count, infos, allocator, pipelines);
    atomic_fetch_sub(&end.making, 1);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_graphics(VkDevice device, VkPipelineCache cache, uint32_t count,
                                                      const VkGraphicsPipelineCreateInfo *infos,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkPipeline *pipelines)
{
    make_begins();
    VkResult result =
        DEVICE_CALL(vkCreateGraphicsPipelines)(device, cache, count, infos, allocator, pipelines);
    atomic_fetch_sub(&end.making, 1);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL queue_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits,
                                                   VkFence fence)
{
    if (!atomic_exchange(&end.submitted, true))
        (void)atexit(end_driver);
    return DEVICE_CALL(vkQueueSubmit)(queue, count, submits, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL get_extensions(VkPhysicalDevice physical, const char *layer,
                                                     uint32_t *count, VkExtensionProperties *properties)
{
    static VkExtensionProperties all[MAX_EXTENSIONS];
    uint32_t total = MAX_EXTENSIONS, kept = 0;
    if (layer)
        return end.get_extensions(physical, layer, count, properties);
    VkResult result = end.get_extensions(physical, NULL, &total, all);
    for (uint32_t i = 0; i < total; i++)
        if (strcmp(all[i].extensionName, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) != 0)
            all[kept++] = all[i];
    if (properties) {
        result = *count < kept ? VK_INCOMPLETE : result;
        kept = *count < kept ? *count : kept;
        memcpy(properties, all, kept * sizeof *all);
    }
    *count = kept;
    return result;
}

/* -- Layer machinery */

static const void *find_link(const void *chain, VkStructureType type)
{
    for (const VkBaseInStructure *s = chain; s; s = s->pNext)
        if (s->sType == type &&
            ((const VkLayerDeviceCreateInfo *)(const void *)s)->function == VK_LAYER_LINK_INFO)
            return s;
    return NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkInstance *instance)
{
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)(uintptr_t)find_link(
        info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    end.next_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)end.next_instance(VK_NULL_HANDLE, "vkCreateInstance");
    VkResult result = create(info, allocator, instance);
    if (result != VK_SUCCESS)
        return result;
    end.instance = *instance;
    end.create_device = INSTANCE_CALL(vkCreateDevice);
    end.get_extensions = INSTANCE_CALL(vkEnumerateDeviceExtensionProperties);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkDevice *device)
{
    VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)(uintptr_t)find_link(
        info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (!link)
        return VK_ERROR_INITIALIZATION_FAILED;
    end.next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result = end.create_device(physical, info, allocator, device);
    end.device = *device;
    (void)atexit(end_driver);
    return result;
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
        {"vkAllocateMemory", (PFN_vkVoidFunction)allocate_memory},
        {"vkFreeMemory", (PFN_vkVoidFunction)free_memory},
        {"vkMapMemory", (PFN_vkVoidFunction)map_memory},
        {"vkCreateComputePipelines", (PFN_vkVoidFunction)create_compute},
        {"vkCreateGraphicsPipelines", (PFN_vkVoidFunction)create_graphics},
        {"vkQueueSubmit", (PFN_vkVoidFunction)queue_submit},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(name, table[i].name) == 0)
            return table[i].function;
    return NULL;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_address(VkDevice device, const char *name)
{
    PFN_vkVoidFunction mine = intercepted(name);
    return mine ? mine : end.next_device(device, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_address(VkInstance instance, const char *name)
{
    PFN_vkVoidFunction mine = intercepted(name);
    return mine ? mine : end.next_instance ? end.next_instance(instance, name) : NULL;
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
