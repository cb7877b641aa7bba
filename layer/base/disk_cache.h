/* The folder that outlives the process: rewritten words, replayed addresses, file locks, names, the deny
 * list. Threads: any, after wpg_disk_cache_setup. */
#ifndef WPG_LAYER_BASE_DISK_CACHE_H
#define WPG_LAYER_BASE_DISK_CACHE_H

#include "runtime/bundle/cache.h"

/* Finds the folder, by the settings. Once, when the layer is loaded. */
void wpg_disk_cache_setup(void);
const wpg_cache *wpg_disk_cache(void);

#endif
