/* Extension chains (pNext): finds structures, and copies the part of a chain that we change. Threads: no
 * shared state. */
#ifndef WPG_LAYER_BASE_CHAIN_H
#define WPG_LAYER_BASE_CHAIN_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

#include "runtime/base/arena.h"

/* The first structure of that type, NULL if there is none. */
const void *wpg_chain_find(const void *chain, VkStructureType type);

/* Copies the chain up to and including the structure `last` into `arena`. The rest of the chain is linked
 * unchanged. False, with nothing written, if a structure on the way is unknown (so is its size) or memory ran
 * out. *unknown is then the structure's type, or VK_STRUCTURE_TYPE_MAX_ENUM for memory. */
bool wpg_chain_copy_until(const void **copy, VkStructureType *unknown, wpg_arena *arena, const void *chain,
                          const void *last);

#endif
