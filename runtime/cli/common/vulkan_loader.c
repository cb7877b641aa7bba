#include "runtime/cli/common/vulkan_loader.h"

#include <dlfcn.h>
#include <link.h>

const char *wpg_vulkan_loader_open(wpg_vulkan_loader *loader)
{
    struct link_map *map;
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    *loader = (wpg_vulkan_loader){.path = "libvulkan.so.1", .version = VK_API_VERSION_1_0};
    if (library)
        *(void **)&loader->get = dlsym(library, "vkGetInstanceProcAddr");
    if (!loader->get)
        return dlerror();
    PFN_vkEnumerateInstanceVersion ask =
        (PFN_vkEnumerateInstanceVersion)loader->get(NULL, "vkEnumerateInstanceVersion");
    if (ask && ask(&loader->version) != VK_SUCCESS)
        loader->version = VK_API_VERSION_1_0;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0)
        loader->path = map->l_name;
    return NULL;
}
