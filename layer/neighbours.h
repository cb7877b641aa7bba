/* Which other layers the loader has put below us. Threads: no shared state. */
#ifndef WPG_LAYER_NEIGHBOURS_H
#define WPG_LAYER_NEIGHBOURS_H

#include <stdbool.h>
#include <stddef.h>

#include <vulkan/vulkan.h>

/* A capture tool below us would record our shaders instead of the program's. *found receives its name. */
bool wpg_capture_layer_below(char *found, size_t size, const VkInstanceCreateInfo *info);

/* A validation layer below us, whose age we cannot ask: extensions newer than our own headers are then left
 * alone, since it would report what it does not know. */
bool wpg_validation_layer_below(const VkInstanceCreateInfo *info);

#endif
