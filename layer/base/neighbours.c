/* Finds the layers below us by the loader's own chain. A layer's place depends on the loader (1.3.239 orders
 * explicit layers by their folders, later ones by VK_INSTANCE_LAYERS), on the way it is found (implicit
 * layers are above explicit ones), and on the program. None of that is guessed. Each link of the chain that
 * the loader passes to vkCreateInstance points to a function of the layer below, and that function's library
 * has a name. Source: LoaderLayerInterface, "Layer Intercept Requirements". */
#include "layer/base/neighbours.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct known_layer {
    const char *library; /* its file name begins so */
    const char *name;
} known_layer;

/* The name of the first of `known` in the chain. */
static const char *find_below(const known_layer *known, size_t count, const VkLayerInstanceLink *below)
{
    for (; below; below = below->pNext) {
        Dl_info info;
        /* A function pointer's address: POSIX has it fit a void pointer. */
        void *function = (void *)(uintptr_t)below->pfnNextGetInstanceProcAddr;
        if (!function || !dladdr(function, &info) || !info.dli_fname)
            continue;
        const char *slash = strrchr(info.dli_fname, '/');
        const char *file = slash ? slash + 1 : info.dli_fname;
        for (size_t i = 0; i < count; i++)
            if (strncmp(file, known[i].library, strlen(known[i].library)) == 0)
                return known[i].name;
    }
    return NULL;
}

const char *wpg_capture_layer_below(const VkLayerInstanceLink *below)
{
    static const known_layer known[] = {{"libVkLayer_gfxreconstruct", "VK_LAYER_LUNARG_gfxreconstruct"},
                                        {"librenderdoc", "VK_LAYER_RENDERDOC_Capture"},
                                        {"libVkLayer_vktrace", "VK_LAYER_LUNARG_vktrace"},
                                        {"libVkLayer_fossilize", "VK_LAYER_fossilize"}};
    return find_below(known, sizeof known / sizeof *known, below);
}

bool wpg_validation_layer_below(const VkLayerInstanceLink *below)
{
    static const known_layer known = {"libVkLayer_khronos_validation", "VK_LAYER_KHRONOS_validation"};
    return find_below(&known, 1, below) != NULL;
}
