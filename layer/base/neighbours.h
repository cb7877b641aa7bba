/* Which other layers the loader has put below us. Threads: no shared state. */
#ifndef WPG_LAYER_BASE_NEIGHBOURS_H
#define WPG_LAYER_BASE_NEIGHBOURS_H

#include <stdbool.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

/* A capture tool below us would record our shaders instead of the program's. Its name, or NULL; `below` is
 * the chain that the loader gave to vkCreateInstance, from the link to the next layer on. */
const char *wpg_capture_layer_below(const VkLayerInstanceLink *below);

/* A validation layer below us, whose age we cannot ask: extensions newer than our own headers are then left
 * alone, since it would report what it does not know. */
bool wpg_validation_layer_below(const VkLayerInstanceLink *below);

#endif
