/* Object names (VK_EXT_debug_utils) as the setting PIPELINES matches them. A shader module's name is there
 * when a pipeline is made of it. A pipeline's is given later: it is kept in the cache by the pipeline's hash,
 * and acts from the next run on. Followed only where PIPELINES is set. Threads: any. */
#ifndef WPG_LAYER_OBJECT_NAMES_H
#define WPG_LAYER_OBJECT_NAMES_H

#include "layer/state.h"

/* Whether names are followed. */
bool wpg_object_names_on(void);
void wpg_object_names_init(wpg_device *device);
void wpg_object_names_finish(wpg_device *device);

/* The program holds this pipeline, which goes by `hash`. */
void wpg_object_names_pipeline(wpg_device *device, VkPipeline pipeline, wpg_hash128 hash);
/* A pipeline or shader module goes. */
void wpg_object_names_forget(wpg_device *device, uint64_t handle);

/* The name that the pipeline was given in an earlier run; "" if none is known. */
void wpg_object_names_stored(char *name, size_t size, wpg_hash128 hash);
/* The module's name now; "" if it has none. Good until the module goes or is named anew. */
const char *wpg_object_names_module(wpg_device *device, VkShaderModule module);

extern __typeof__(vkSetDebugUtilsObjectNameEXT) wpg_object_names_SetDebugUtilsObjectNameEXT;

#endif
