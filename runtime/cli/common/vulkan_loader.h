/* The Vulkan loader, opened at run time: the command links none. Threads: no shared state. */
#ifndef WPG_RUNTIME_CLI_COMMON_VULKAN_LOADER_H
#define WPG_RUNTIME_CLI_COMMON_VULKAN_LOADER_H

#include <vulkan/vulkan.h>

typedef struct wpg_vulkan_loader {
    PFN_vkGetInstanceProcAddr get;
    const char *path; /* of the library; belongs to the process */
    uint32_t version; /* of the loader: VK_API_VERSION_1_0 if it does not say */
} wpg_vulkan_loader;

/* Opens libvulkan.so.1; it stays open until the process ends. NULL, or why not: dlerror()'s text. */
const char *wpg_vulkan_loader_open(wpg_vulkan_loader *loader);

#endif
