/* The beginning and the end of the layer in a process. Settings are read once, when the loader first calls
 * the layer. At the end of the program everything is written and freed. Owns no state: the record is the
 * process's (state.h). Threads: any. */
#ifndef WPG_LAYER_API_LIFETIME_H
#define WPG_LAYER_API_LIFETIME_H

#include <vulkan/vulkan.h>

/* Loads the settings on the first call; later calls are free. */
void wpg_process_load(void);
/* The first instance may bring settings of its own (VK_EXT_layer_settings); later ones find them fixed. */
void wpg_process_first_instance(const VkInstanceCreateInfo *info);
/* The driver may have registered what ends it at exit: from here on counters are read before that, and no
 * thread of ours is in the driver then. Called after a device was made, and after its first submission. */
void wpg_process_watch_exit(void);

#endif
