/* Loads the command table. */
#include "runtime/counters/vk.h"

/* A promoted command goes by its extension's name on devices that have it as an extension. */
static PFN_vkVoidFunction either(VkDevice device, PFN_vkGetDeviceProcAddr get, const char *name,
                                 const char *extension_name)
{
    PFN_vkVoidFunction found = get(device, name);
    return found ? found : get(device, extension_name);
}

bool wpg_counters_vk_load(wpg_counters_vk *vk, VkDevice device, PFN_vkGetDeviceProcAddr get,
                          PFN_vkSetDeviceLoaderData set_loader_data)
{
    *vk = (wpg_counters_vk){.device = device, .set_loader_data = set_loader_data};
    bool complete = set_loader_data != NULL;
#define COMMAND(name)                                                                                        \
    vk->name = (PFN_vk##name)get(device, "vk" #name);                                                        \
    complete &= vk->name != NULL;
    WPG_COUNTERS_COMMANDS(COMMAND)
#undef COMMAND
#define COMMAND(name) vk->name = (PFN_vk##name)either(device, get, "vk" #name, "vk" #name "KHR");
    WPG_COUNTERS_OPTIONAL_COMMANDS(COMMAND)
#undef COMMAND
    return complete;
}
