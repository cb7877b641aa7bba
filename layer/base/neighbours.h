/* The other layers that the loader has put below us. Threads: no shared state. */
#ifndef WPG_LAYER_BASE_NEIGHBOURS_H
#define WPG_LAYER_BASE_NEIGHBOURS_H

#include <stdbool.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

/* The name of a capture tool below us, or NULL. Such a tool would record our shaders instead of the
 * program's. `below` is the chain that the loader gave to vkCreateInstance, from the link to the next layer
 * on. */
const char *wpg_capture_layer_below(const VkLayerInstanceLink *below);

/* True if a validation layer is below us. Its age is unknown, and it reports structures that it does not
 * know. So extensions newer than our own headers are then left alone. */
bool wpg_validation_layer_below(const VkLayerInstanceLink *below);

#endif
