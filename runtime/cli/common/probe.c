#include "runtime/cli/common/probe.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <vulkan/vulkan.h>

#include "runtime/cli/common/manifest.h"
#include "runtime/cli/common/vulkan_loader.h"

enum { DEVICES_MOST = 32, FAMILIES_MOST = 64 };

typedef struct probe {
    FILE *facts;
    char log[PATH_MAX];
    PFN_vkGetInstanceProcAddr get;
    VkInstance instance;
} probe;

#define CALL(p, name) ((PFN_vk##name)(p)->get((p)->instance, "vk" #name))

static void at(probe *p, const char *step)
{
    (void)fprintf(p->facts, "at\t%s\n", step);
    (void)fflush(p->facts);
}

static long log_size(const probe *p)
{
    struct stat info;
    return stat(p->log, &info) == 0 ? (long)info.st_size : 0;
}

static bool open_loader(probe *p)
{
    wpg_vulkan_loader loader;
    at(p, "opening libvulkan.so.1");
    const char *why = wpg_vulkan_loader_open(&loader);
    if (why) {
        (void)fprintf(p->facts, "absent\t%s\n", why);
        return false;
    }
    p->get = loader.get;
    (void)fprintf(p->facts, "loader\t%s\t%u.%u.%u\n", loader.path, VK_API_VERSION_MAJOR(loader.version),
                  VK_API_VERSION_MINOR(loader.version), VK_API_VERSION_PATCH(loader.version));
    return true;
}

static bool make_instance(probe *p)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .pApplicationName = "wavepgo doctor",
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    at(p, "vkCreateInstance");
    PFN_vkCreateInstance create = CALL(p, CreateInstance);
    VkResult result = create ? create(&info, NULL, &p->instance) : VK_ERROR_INITIALIZATION_FAILED;
    (void)fprintf(p->facts, "instance\t%d\n", (int)result);
    return result == VK_SUCCESS;
}

/* Whether the layer's library is in this process now, whatever the loader says. */
static void note_mapped(probe *p)
{
    char line[PATH_MAX + 256];
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && fgets(line, sizeof line, maps)) {
        char *path = strchr(line, '/'), *slash = path ? strrchr(path, '/') : NULL;
        if (!slash || strncmp(slash + 1, WPG_LAYER_LIBRARY, sizeof WPG_LAYER_LIBRARY - 1) != 0)
            continue;
        (void)fprintf(p->facts, "mapped\t%s", path); /* with its newline */
        break;
    }
    if (maps)
        (void)fclose(maps);
}

static void try_device(probe *p, VkPhysicalDevice physical)
{
    VkPhysicalDeviceProperties properties;
    VkQueueFamilyProperties families[FAMILIES_MOST];
    uint32_t count = FAMILIES_MOST, family = 0;
    CALL(p, GetPhysicalDeviceProperties)(physical, &properties);
    CALL(p, GetPhysicalDeviceQueueFamilyProperties)(physical, &count, families);
    while (family < count && !(families[family].queueFlags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)))
        family++;
    at(p, properties.deviceName);
    long from = log_size(p);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = family < count ? family : 0,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue};
    VkDevice device = VK_NULL_HANDLE;
    VkResult result = CALL(p, CreateDevice)(physical, &info, NULL, &device);
    if (result == VK_SUCCESS)
        CALL(p, DestroyDevice)(device, NULL);
    (void)fprintf(p->facts, "device\t%s\t%u.%u.%u\t%d\t%ld\t%ld\n", properties.deviceName,
                  VK_API_VERSION_MAJOR(properties.apiVersion), VK_API_VERSION_MINOR(properties.apiVersion),
                  VK_API_VERSION_PATCH(properties.apiVersion), (int)result, from, log_size(p));
    (void)fflush(p->facts);
}

int wpg_probe_run(const char *folder)
{
    char path[PATH_MAX];
    probe p = {0};
    if (snprintf(path, sizeof path, "%s/facts", folder) >= PATH_MAX ||
        snprintf(p.log, sizeof p.log, "%s/log", folder) >= PATH_MAX || !(p.facts = fopen(path, "we")))
        return 1;
    if (open_loader(&p) && make_instance(&p)) {
        VkPhysicalDevice devices[DEVICES_MOST];
        uint32_t count = DEVICES_MOST;
        note_mapped(&p);
        at(&p, "vkEnumeratePhysicalDevices");
        VkResult result = CALL(&p, EnumeratePhysicalDevices)(p.instance, &count, devices);
        for (uint32_t i = 0; result >= 0 && i < count; i++)
            try_device(&p, devices[i]);
        at(&p, "vkDestroyInstance");
        CALL(&p, DestroyInstance)(p.instance, NULL);
    }
    at(&p, "end");
    return fclose(p.facts) == 0 ? 0 : 1;
}
