#include "layer/base/power.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/log.h"
#include "runtime/gpu/gpu.h"

struct wpg_powered {
    struct wpg_powered *next;
    unsigned devices; /* Vulkan devices that hold it */
    wpg_gpu *gpu;
};

static struct {
    pthread_mutex_t lock; /* guards the list and what is in it */
    struct wpg_powered *list;
} power = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool wanted(const wpg_device *device)
{
    switch (wpg_the_process.settings.stable_power) {
    case WPG_STABLE_POWER_ON:
        return device->mode != WPG_MODE_OFF;
    case WPG_STABLE_POWER_OFF:
        return false;
    default:
        return device->mode == WPG_MODE_TUNE && device->times;
    }
}

static bool tells_its_node(const wpg_instance_commands *ask, VkPhysicalDevice physical)
{
    uint32_t count = 0;
    bool found = false;
    if (ask->EnumerateDeviceExtensionProperties(physical, NULL, &count, NULL) != VK_SUCCESS || !count)
        return false;
    VkExtensionProperties *list = calloc(count, sizeof *list);
    VkResult result = list ? ask->EnumerateDeviceExtensionProperties(physical, NULL, &count, list)
                           : VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; (result == VK_SUCCESS || result == VK_INCOMPLETE) && i < count; i++)
        found = found || strcmp(list[i].extensionName, VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME) == 0;
    free(list);
    return found;
}

/* /dev/dri/renderD<minor> of the device. */
static wpg_status render_minor(uint32_t *minor, const wpg_device *device, VkPhysicalDevice physical,
                               wpg_error *err)
{
    const wpg_instance *instance = device->instance;
    VkPhysicalDeviceDrmPropertiesEXT drm = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRM_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &drm};
    if (instance->api_version >= VK_API_VERSION_1_1 && instance->next.GetPhysicalDeviceProperties2 &&
        tells_its_node(&instance->next, physical))
        instance->next.GetPhysicalDeviceProperties2(physical, &all);
    if (!drm.hasRender || drm.renderMinor < 0 || drm.renderMinor > UINT32_MAX)
        return wpg_fail(err, WPG_E_NOT_FOUND, "the driver does not tell which GPU of the kernel's it is");
    *minor = (uint32_t)drm.renderMinor;
    return WPG_OK;
}

static void say(struct wpg_powered *powered, const char *what)
{
    const wpg_gpu_info *info = wpg_gpu_about(powered->gpu);
    wpg_gpu_clocks clocks;
    char text[160];
    if (!wpg_log_enabled(WPG_LOG_INFO))
        return;
    wpg_gpu_read_clocks(&clocks, powered->gpu);
    wpg_log_info("stable power state of renderD%u (%s) %s: %s", info->minor,
                 info->target ? info->target : "unknown", what,
                 wpg_gpu_clocks_text(text, sizeof text, &clocks));
}

/* The one record of a GPU, held. */
static wpg_status hold(struct wpg_powered **powered, uint32_t minor, wpg_error *err)
{
    struct wpg_powered *found = power.list;
    while (found && wpg_gpu_about(found->gpu)->minor != minor)
        found = found->next;
    if (!found) {
        found = calloc(1, sizeof *found);
        wpg_status status =
            found ? wpg_gpu_open(&found->gpu, minor, err) : wpg_fail(err, WPG_E_NOMEM, "out of memory");
        if (status == WPG_OK)
            status = wpg_gpu_hold_stable(found->gpu, err);
        if (status != WPG_OK) {
            if (found)
                wpg_gpu_close(found->gpu);
            free(found);
            return status;
        }
        found->next = power.list;
        power.list = found;
        say(found, "held");
    }
    found->devices++;
    *powered = found;
    return WPG_OK;
}

void wpg_power_hold(wpg_device *device, VkPhysicalDevice physical)
{
    uint32_t minor = 0;
    wpg_error err;
    if (!wanted(device) || !wpg_process_is_owner())
        return;
    wpg_status status = render_minor(&minor, device, physical, &err);
    if (status == WPG_OK) {
        (void)pthread_mutex_lock(&power.lock);
        status = hold(&device->power, minor, &err);
        (void)pthread_mutex_unlock(&power.lock);
    }
    if (status != WPG_OK)
        wpg_log_info("no stable power state is held: %s", err.message);
}

static void let_go(struct wpg_powered *powered)
{
    say(powered, "released");
    wpg_gpu_close(powered->gpu);
    free(powered);
}

void wpg_power_release(wpg_device *device)
{
    if (!device->power || !wpg_process_is_owner())
        return;
    (void)pthread_mutex_lock(&power.lock);
    struct wpg_powered **at = &power.list;
    while (*at && *at != device->power)
        at = &(*at)->next;
    if (*at && --(*at)->devices == 0) {
        struct wpg_powered *last = *at;
        *at = last->next;
        let_go(last);
    }
    device->power = NULL;
    (void)pthread_mutex_unlock(&power.lock);
}

void wpg_power_finish(void)
{
    (void)pthread_mutex_lock(&power.lock);
    while (power.list) {
        struct wpg_powered *first = power.list;
        power.list = first->next;
        let_go(first);
    }
    (void)pthread_mutex_unlock(&power.lock);
}
