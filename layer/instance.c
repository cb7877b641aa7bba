/* Instance creation and destruction.
 * Found both as an implicit and as an explicit layer, this one is in the chain once: the loader goes by name.
 * An application that asks for Vulkan 1.0 is given 1.1 on our copy of its create-info, where loader and
 * driver have it: counting needs subgroup operations and SPIR-V 1.3. */
#include <stdlib.h>
#include <string.h>

#include "layer/hooks.h"
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

/* -- Capture tools below us would record our shaders instead of the program's */

static bool is_capture_layer(const char *name, size_t length)
{
    static const char *const known[] = {"VK_LAYER_LUNARG_gfxreconstruct", "VK_LAYER_RENDERDOC_Capture",
                                        "VK_LAYER_LUNARG_vktrace", "VK_LAYER_fossilize"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == length && memcmp(known[i], name, length) == 0)
            return true;
    return false;
}

static bool is_ours(const char *name, size_t length)
{
    return length >= sizeof WPG_LAYER_NAME - 1 &&
           memcmp(name, WPG_LAYER_NAME, sizeof WPG_LAYER_NAME - 1) == 0;
}

/* Explicit layers come in this order: VK_INSTANCE_LAYERS, then what the program enables; the first is nearest
 * to the program, and implicit layers are above them all. */
static bool capture_layer_below(const VkInstanceCreateInfo *info, char *found, size_t size)
{
    bool explicit_here = false;
    found[0] = '\0';
    const char *list = secure_getenv("VK_INSTANCE_LAYERS");
    for (const char *at = list; at && *at;) {
        size_t length = strcspn(at, ":");
        if (is_ours(at, length)) {
            explicit_here = true;
            found[0] = '\0'; /* those before us are above us */
        } else if (is_capture_layer(at, length) && length < size) {
            memcpy(found, at, length);
            found[length] = '\0';
        }
        at += length + (at[length] == ':');
    }
    for (uint32_t i = 0; i < info->enabledLayerCount; i++) {
        const char *name = info->ppEnabledLayerNames[i];
        if (is_ours(name, strlen(name)) && !explicit_here) {
            explicit_here = true;
            found[0] = '\0';
        } else if (is_capture_layer(name, strlen(name)) && strlen(name) < size)
            memcpy(found, name, strlen(name) + 1);
    }
    return found[0] != '\0';
}

/* -- Creation */

static uint32_t loader_version(PFN_vkGetInstanceProcAddr next)
{
    PFN_vkEnumerateInstanceVersion ask =
        (PFN_vkEnumerateInstanceVersion)next(VK_NULL_HANDLE, "vkEnumerateInstanceVersion");
    uint32_t version = VK_API_VERSION_1_0;
    /* A loader that does not answer layers here is no older than the interface version 2 it negotiated: it is
     * asked by trying, and the application's own create-info is there if it refuses. */
    if (!ask)
        return VK_API_VERSION_1_1;
    return ask(&version) == VK_SUCCESS ? version : VK_API_VERSION_1_0;
}

/* Creates with the version raised where that helps; *version tells which one the instance has. */
static VkResult create_raised(uint32_t *version, PFN_vkCreateInstance create, PFN_vkGetInstanceProcAddr next,
                              VkLayerInstanceCreateInfo *link, const VkInstanceCreateInfo *info,
                              const VkAllocationCallbacks *allocator, VkInstance *instance)
{
    const VkApplicationInfo *application = info->pApplicationInfo;
    *version = application && application->apiVersion ? application->apiVersion : VK_API_VERSION_1_0;
    if (*version < VK_API_VERSION_1_1 && loader_version(next) >= VK_API_VERSION_1_1) {
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
static VkResult adopt(VkInstance handle, PFN_vkGetInstanceProcAddr next, uint32_t version, bool active,
                      const VkAllocationCallbacks *allocator)
{
    wpg_instance *record = calloc(1, sizeof *record);
    if (record) {
        *record = (wpg_instance){
            .handle = handle, .next.GetInstanceProcAddr = next, .api_version = version, .active = active};
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
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;

    char capture[128];
    bool active = wpg_the_process.mode != WPG_MODE_OFF && wpg_process_is_owner();
    if (active && capture_layer_below(info, capture, sizeof capture)) {
        wpg_log_once(WPG_LOG_WARN, "%s is below this layer and would record changed shaders: passing through",
                     capture);
        active = false;
    }
    uint32_t version = info->pApplicationInfo && info->pApplicationInfo->apiVersion
                           ? info->pApplicationInfo->apiVersion
                           : VK_API_VERSION_1_0;
    VkResult result = active ? create_raised(&version, create, next, link, info, allocator, instance)
                             : create(info, allocator, instance);
    if (result != VK_SUCCESS)
        return result;
    return adopt(*instance, next, version, active, allocator);
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
