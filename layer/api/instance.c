/* Instance creation and destruction. The layer may be found as an implicit and as an explicit layer; the
 * loader goes by name, so the layer is in the chain once. A program that asks for Vulkan 1.0 gets 1.1, in our
 * copy of its create-info, if loader and driver have 1.1: counting needs subgroup operations and SPIR-V
 * 1.3. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "layer/api/hooks.h"
#include "layer/api/lifetime.h"
#include "layer/base/neighbours.h"
#include "layer/base/state.h"
#include "runtime/base/log.h"

static VkLayerInstanceCreateInfo *find_link(const VkInstanceCreateInfo *info)
{
    const VkBaseInStructure *at = info->pNext;
    for (; at; at = at->pNext) {
        const VkLayerInstanceCreateInfo *link = (const void *)at;
        if (at->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO &&
            link->function == VK_LAYER_LINK_INFO)
            return (VkLayerInstanceCreateInfo *)(uintptr_t)link;
    }
    return NULL;
}

/* -- Creation */

/* Creates with the version raised where that helps; *version tells which one the instance has. What loader
 * and driver can do is found by trying: a layer may be asked for nothing but vkCreateInstance without an
 * instance (the validation layer crashes on vkEnumerateInstanceVersion), and the loader itself serves drivers
 * of 1.0. */
static VkResult create_raised(uint32_t *version, PFN_vkCreateInstance create, VkLayerInstanceCreateInfo *link,
                              const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
                              VkInstance *instance)
{
    const VkApplicationInfo *application = info->pApplicationInfo;
    *version = application && application->apiVersion ? application->apiVersion : VK_API_VERSION_1_0;
    if (*version < VK_API_VERSION_1_1) {
        VkApplicationInfo raised = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
        if (application)
            raised = *application;
        raised.apiVersion = VK_API_VERSION_1_1;
        VkInstanceCreateInfo mine = *info;
        mine.pApplicationInfo = &raised;
        VkLayerInstanceLink *at = link->u.pLayerInfo;
        if (create(&mine, allocator, instance) == VK_SUCCESS) {
            wpg_log_info("the program asks for Vulkan 1.0, the instance is made with 1.1");
            *version = VK_API_VERSION_1_1;
            return VK_SUCCESS;
        }
        link->u.pLayerInfo = at;
    }
    return create(info, allocator, instance);
}

static void load_commands(wpg_instance *instance)
{
    PFN_vkGetInstanceProcAddr get = instance->next.GetInstanceProcAddr;
#define COMMAND(name) instance->next.name = (PFN_vk##name)get(instance->handle, "vk" #name);
    WPG_INSTANCE_COMMANDS(COMMAND)
#undef COMMAND
}

/* Keeps a record of the new instance. Without one nothing below it could be reached: the creation fails. */
/* "Game 3": names are the program's, and may be of any length. */
static void note_application(wpg_instance *record, const VkApplicationInfo *application)
{
    if (!application)
        return;
    const char *name = application->pApplicationName ? application->pApplicationName : "";
    if (*name || application->applicationVersion)
        (void)snprintf(record->application, sizeof record->application, "%.80s%s%" PRIu32, name,
                       *name ? " " : "", application->applicationVersion);
}

static VkResult adopt(VkInstance handle, PFN_vkGetInstanceProcAddr next, uint32_t version,
                      const VkApplicationInfo *application, bool active, bool validated,
                      const VkAllocationCallbacks *allocator)
{
    wpg_instance *record = calloc(1, sizeof *record);
    if (record) {
        *record = (wpg_instance){.handle = handle,
                                 .next.GetInstanceProcAddr = next,
                                 .api_version = version,
                                 .active = active,
                                 .validated = validated};
        note_application(record, application);
        load_commands(record);
        if (wpg_handles_set(&wpg_the_process.instances, wpg_dispatch_key(handle), record)) {
            atomic_fetch_add(&wpg_the_process.instance_count, 1);
            return VK_SUCCESS;
        }
        free(record);
    }
    PFN_vkDestroyInstance destroy = (PFN_vkDestroyInstance)next(handle, "vkDestroyInstance");
    if (destroy)
        destroy(handle, allocator);
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

VkResult VKAPI_CALL wpg_create_instance(const VkInstanceCreateInfo *info,
                                        const VkAllocationCallbacks *allocator, VkInstance *instance)
{
    VkLayerInstanceCreateInfo *link = find_link(info);
    if (!link || !link->u.pLayerInfo)
        return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)next(VK_NULL_HANDLE, "vkCreateInstance");
    if (!create)
        return VK_ERROR_INITIALIZATION_FAILED;
    const VkLayerInstanceLink *below = link->u.pLayerInfo;
    link->u.pLayerInfo = below->pNext;

    wpg_process_first_instance(info);
    bool active = wpg_the_process.mode != WPG_MODE_OFF && wpg_process_is_owner();
    const char *capture = active ? wpg_capture_layer_below(below) : NULL;
    if (capture) {
        wpg_log_once(WPG_LOG_WARN, "%s is below this layer and would record changed shaders: passing through",
                     capture);
        active = false;
    }
    uint32_t version = info->pApplicationInfo && info->pApplicationInfo->apiVersion
                           ? info->pApplicationInfo->apiVersion
                           : VK_API_VERSION_1_0;
    VkResult result = active ? create_raised(&version, create, link, info, allocator, instance)
                             : create(info, allocator, instance);
    if (result != VK_SUCCESS)
        return result;
    return adopt(*instance, next, version, info->pApplicationInfo, active,
                 active && wpg_validation_layer_below(below), allocator);
}

void VKAPI_CALL wpg_destroy_instance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
    if (!instance)
        return;
    wpg_instance *record = wpg_handles_remove(&wpg_the_process.instances, wpg_dispatch_key(instance));
    if (!record)
        return;
    PFN_vkDestroyInstance destroy = record->next.DestroyInstance;
    if (destroy)
        destroy(instance, allocator);
    free(record);
    atomic_fetch_sub(&wpg_the_process.instance_count, 1);
}
