/* Object names (VK_EXT_debug_utils, VK_EXT_debug_marker) of pipelines and shader modules.
 *
 * A bundle keeps them in a pipeline's facts: "name.<n>" and "module.<stage>.<n>". <n> is a hash of the name,
 * so several names of one pipeline hash stand side by side. The setting PIPELINES matches them. A module has
 * its name before a pipeline is made of it. A pipeline gets its name later: the name is kept in the cache
 * under the pipeline's hash, and acts from the next run on. Names are recorded only with PIPELINES set or
 * with a bundle. Threads: any. */
#ifndef WPG_LAYER_REWRITE_OBJECT_NAMES_H
#define WPG_LAYER_REWRITE_OBJECT_NAMES_H

#include "layer/base/state.h"

void wpg_object_names_init(wpg_device *device);
void wpg_object_names_finish(wpg_device *device);

/* The program holds this pipeline, whose hash is `hash`. `part`: of a library, it has no facts of its own. */
void wpg_object_names_pipeline(wpg_device *device, VkPipeline pipeline, wpg_hash128 hash, bool part);
/* A pipeline with hash `hash` has a stage ("comp") of this module. `name`: given with the stage; "": none. */
void wpg_object_names_stage(wpg_device *device, wpg_hash128 hash, const char *stage, VkShaderModule module,
                            const char *name);
/* A pipeline or shader module is destroyed. */
void wpg_object_names_forget(wpg_device *device, uint64_t handle);

/* The name that the pipeline was given in an earlier run; "" if none is known. */
void wpg_object_names_stored(char *name, size_t size, wpg_hash128 hash);
/* The module's name now; "" if it has none. Good until the module goes or is named anew. */
const char *wpg_object_names_module(wpg_device *device, VkShaderModule module);

extern __typeof__(vkSetDebugUtilsObjectNameEXT) wpg_object_names_SetDebugUtilsObjectNameEXT;
extern __typeof__(vkDebugMarkerSetObjectNameEXT) wpg_object_names_DebugMarkerSetObjectNameEXT;

#endif
