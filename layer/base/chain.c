/* Extension chains. */
#include "layer/base/chain.h"

#include <vulkan/vk_layer.h>

const void *wpg_chain_find(const void *chain, VkStructureType type)
{
    const VkBaseInStructure *at = chain;
    while (at && at->sType != type)
        at = at->pNext;
    return at;
}

/* A structure of so many VkBool32, with the padding at its end. */
#define FEATURES_SIZE(bools)                                                                                 \
    ((sizeof(VkBaseInStructure) + (bools) * sizeof(VkBool32) + sizeof(void *) - 1) / sizeof(void *) *        \
     sizeof(void *))

/* Size of a structure that may stand in the chain of VkDeviceCreateInfo; 0 if we do not know it. */
static size_t struct_size(VkStructureType type)
{
    static const struct {
        VkStructureType type;
        size_t size;
    } known[] = {
        {VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO, sizeof(VkLayerDeviceCreateInfo)},
#define WPG_CHAIN_NEWER(value, bools) {(VkStructureType)(value), FEATURES_SIZE(bools)},
#include "layer/base/chain_structs_newer.inc"
#undef WPG_CHAIN_NEWER
#define WPG_CHAIN_STRUCT(value, name) {value, sizeof(name)},
#include "layer/base/chain_structs.inc"
#undef WPG_CHAIN_STRUCT
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].type == type)
            return known[i].size;
    return 0;
}

bool wpg_chain_copy_until(const void **copy, VkStructureType *unknown, wpg_arena *arena, const void *chain,
                          const void *last)
{
    VkBaseOutStructure *head = NULL, *tail = NULL;
    for (const VkBaseInStructure *at = chain; at; at = at->pNext) {
        size_t size = struct_size(at->sType);
        VkBaseOutStructure *mine = size ? wpg_arena_memdup(arena, at, size) : NULL;
        if (!mine) {
            *unknown = size ? VK_STRUCTURE_TYPE_MAX_ENUM : at->sType;
            return false;
        }
        if (tail)
            tail->pNext = mine;
        else
            head = mine;
        tail = mine; /* its pNext still points at the original's tail */
        if ((const void *)at == last)
            break;
    }
    *copy = head;
    return true;
}
