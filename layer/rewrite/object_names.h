/* Object names (VK_EXT_debug_utils, VK_EXT_debug_marker): of pipelines and of shader modules.
 *
 * Two uses. A bundle keeps them in a pipeline's facts: "name.<n>" and "module.<stage>.<n>", <n> a hash of the
 * name, so that several names of one hash stand side by side. The setting PIPELINES matches them: a module's
 * name is there when a pipeline is made of it; a pipeline's is given later, is kept in the cache by the
 * pipeline's hash, and acts from the next run on. Followed only where PIPELINES is set or a bundle is
 * written. Threads: any. */
#ifndef WPG_LAYER_REWRITE_OBJECT_NAMES_H
#define WPG_LAYER_REWRITE_OBJECT_NAMES_H

#include "layer/base/state.h"

/* Whether names are followed. */
void wpg_object_names_init(wpg_device *device);
void wpg_object_names_finish(wpg_device *device);

/* The program holds this pipeline, which goes by `hash`. `part`: of a library, it has no facts of its own. */
void wpg_object_names_pipeline(wpg_device *device, VkPipeline pipeline, wpg_hash128 hash, bool part);
/* A pipeline that goes by `hash` has a stage ("comp") of this module. `name`: given with the stage; "": none.
 */
void wpg_object_names_stage(wpg_device *device, wpg_hash128 hash, const char *stage, VkShaderModule module,
                            const char *name);
/* A pipeline or shader module goes. */
void wpg_object_names_forget(wpg_device *device, uint64_t handle);

/* The name that the pipeline was given in an earlier run; "" if none is known. */
void wpg_object_names_stored(char *name, size_t size, wpg_hash128 hash);
/* The module's name now; "" if it has none. Good until the module goes or is named anew. */
const char *wpg_object_names_module(wpg_device *device, VkShaderModule module);

extern __typeof__(vkSetDebugUtilsObjectNameEXT) wpg_object_names_SetDebugUtilsObjectNameEXT;
extern __typeof__(vkDebugMarkerSetObjectNameEXT) wpg_object_names_DebugMarkerSetObjectNameEXT;

#endif
