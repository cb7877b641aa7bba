#include "layer/rewrite/object_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/disk_cache.h"
#include "layer/profile/bundle_files.h"
#include "layer/profile/totals.h"
#include "runtime/base/log.h"
#include "runtime/base/vec.h"

enum {
    NAME_MOST = 255,
    STAGES_MOST = 64, /* of a module, that a name given later still reaches */
};

typedef struct named_stage {
    wpg_hash128 pipeline;
    char stage[8];
} named_stage;

/* By handle. */
typedef struct named {
    VkObjectType type;
    wpg_hash128 hash;            /* of a pipeline */
    bool part;                   /* a pipeline library */
    WPG_VEC(named_stage) stages; /* of a module; under `stages_lock` */
    char *name;                  /* of a module; NULL: none yet. Naming is externally synchronised */
} named;

static pthread_mutex_t stages_lock = PTHREAD_MUTEX_INITIALIZER;

static bool filters(void)
{
    const char *setting = wpg_the_process.settings.pipelines;
    return setting && *setting;
}

static bool names_on(void)
{
    return filters() || wpg_bundle_on();
}

void wpg_object_names_init(wpg_device *device)
{
    wpg_handles_init(&device->named);
}

static void destroy(named *record)
{
    if (!record)
        return;
    wpg_vec_free(&record->stages);
    free(record->name);
    free(record);
}

static void destroy_each(void *record, void *context)
{
    (void)context;
    destroy(record);
}

void wpg_object_names_finish(wpg_device *device)
{
    wpg_handles_each(&device->named, destroy_each, NULL);
    wpg_handles_finish(&device->named);
}

static named *find(wpg_device *device, VkObjectType type, uint64_t handle)
{
    named *found = handle ? wpg_handles_get(&device->named, handle) : NULL;
    return found && found->type == type ? found : NULL;
}

/* A record for a handle that has none, or that the driver used for another object before. */
static named *make(wpg_device *device, VkObjectType type, uint64_t handle)
{
    named *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->type = type;
    destroy(wpg_handles_remove(&device->named, handle));
    if (wpg_handles_set(&device->named, handle, made))
        return made;
    free(made);
    return NULL;
}

void wpg_object_names_pipeline(wpg_device *device, VkPipeline pipeline, wpg_hash128 hash, bool part)
{
    named *made = pipeline && names_on() ? make(device, VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline) : NULL;
    if (!made)
        return;
    made->hash = hash;
    made->part = part;
}

void wpg_object_names_forget(wpg_device *device, uint64_t handle)
{
    if (handle && names_on())
        destroy(wpg_handles_remove(&device->named, handle));
}

/* -- In the bundle */

/* "<what>.<hash of the name>" */
static void describe(wpg_hash128 pipeline, const char *what, const char *name)
{
    char key[32], text[NAME_MOST + 1];
    wpg_totals *totals =
        *name && wpg_bundle_on() && wpg_bundle_takes(pipeline) ? wpg_totals_of(pipeline) : NULL;
    if (!totals)
        return;
    (void)snprintf(text, sizeof text, "%s", name);
    (void)snprintf(key, sizeof key, "%s.%08x", what,
                   (unsigned)(wpg_hash64_bytes(text, strlen(text)) & UINT32_MAX));
    wpg_totals_name(totals, key, text);
}

static void describe_stage(const named_stage *stage, const char *name)
{
    char what[24];
    (void)snprintf(what, sizeof what, "module.%s", stage->stage);
    describe(stage->pipeline, what, name);
}

/* The module's name may come later. Under the lock. */
static void keep_stage(named *module, const named_stage *stage)
{
    bool known = module->stages.count >= STAGES_MOST;
    for (size_t i = 0; i < module->stages.count && !known; i++)
        known = wpg_hash_equal(module->stages.data[i].pipeline, stage->pipeline) &&
                strcmp(module->stages.data[i].stage, stage->stage) == 0;
    if (!known)
        (void)wpg_vec_push(&module->stages, *stage);
}

void wpg_object_names_stage(wpg_device *device, wpg_hash128 hash, const char *stage, VkShaderModule module,
                            const char *name)
{
    named_stage used = {.pipeline = hash};
    if (!wpg_bundle_on())
        return;
    (void)snprintf(used.stage, sizeof used.stage, "%s", stage);
    describe_stage(&used, name);
    if (!module)
        return;
    (void)pthread_mutex_lock(&stages_lock);
    named *found = find(device, VK_OBJECT_TYPE_SHADER_MODULE, (uint64_t)module);
    if (!found)
        found = make(device, VK_OBJECT_TYPE_SHADER_MODULE, (uint64_t)module);
    if (found) {
        keep_stage(found, &used);
        describe_stage(&used, found->name ? found->name : "");
    }
    (void)pthread_mutex_unlock(&stages_lock);
}

/* -- In the cache */

static wpg_hash128 key_of(wpg_hash128 hash)
{
    struct {
        char what[8];
        wpg_hash128 hash;
    } key = {.what = "name1", .hash = hash};
    return wpg_hash_bytes(&key, sizeof key);
}

void wpg_object_names_stored(char *name, size_t size, wpg_hash128 hash)
{
    uint8_t *data;
    size_t length;
    *name = '\0';
    if (!names_on() || wpg_cache_get(&data, &length, wpg_disk_cache(), key_of(hash), NULL) != WPG_OK)
        return;
    (void)snprintf(name, size, "%.*s", length > NAME_MOST ? NAME_MOST : (int)length, (const char *)data);
    free(data);
}

static void store(wpg_hash128 hash, const char *name)
{
    char known[NAME_MOST + 1], wanted[NAME_MOST + 1];
    (void)snprintf(wanted, sizeof wanted, "%s", name);
    wpg_object_names_stored(known, sizeof known, hash);
    if (strcmp(known, wanted) != 0 &&
        wpg_cache_put(wpg_disk_cache(), key_of(hash), wanted, strlen(wanted), NULL) != WPG_OK)
        wpg_log_once(WPG_LOG_WARN,
                     "names of pipelines cannot be kept for the next run: there is no cache folder (CACHE)");
}

/* -- Names */

const char *wpg_object_names_module(wpg_device *device, VkShaderModule module)
{
    const named *found = names_on() ? find(device, VK_OBJECT_TYPE_SHADER_MODULE, (uint64_t)module) : NULL;
    return found && found->name ? found->name : "";
}

static void name_module(wpg_device *device, uint64_t handle, const char *name)
{
    named *module = find(device, VK_OBJECT_TYPE_SHADER_MODULE, handle);
    if (!module && !(module = make(device, VK_OBJECT_TYPE_SHADER_MODULE, handle)))
        return;
    free(module->name);
    module->name = strndup(name, NAME_MOST);
    (void)pthread_mutex_lock(&stages_lock);
    for (size_t i = 0; i < module->stages.count; i++)
        describe_stage(&module->stages.data[i], name);
    (void)pthread_mutex_unlock(&stages_lock);
}

static void name_object(wpg_device *device, VkObjectType type, uint64_t handle, const char *name)
{
    if (device->mode == WPG_MODE_OFF || !names_on() || !wpg_process_is_owner() || !handle)
        return;
    const char *given = name ? name : "";
    if (type == VK_OBJECT_TYPE_SHADER_MODULE)
        name_module(device, handle, given);
    const named *pipeline = type == VK_OBJECT_TYPE_PIPELINE ? find(device, type, handle) : NULL;
    if (!pipeline)
        return;
    store(pipeline->hash, given);
    if (!pipeline->part)
        describe(pipeline->hash, "name", given);
}

VKAPI_ATTR VkResult VKAPI_CALL
wpg_object_names_SetDebugUtilsObjectNameEXT(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT *info)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_INITIALIZATION_FAILED;
    name_object(device, info->objectType, info->objectHandle, info->pObjectName);
    return device->next.SetDebugUtilsObjectNameEXT ? device->next.SetDebugUtilsObjectNameEXT(handle, info)
                                                   : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
wpg_object_names_DebugMarkerSetObjectNameEXT(VkDevice handle, const VkDebugMarkerObjectNameInfoEXT *info)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkObjectType type = info->objectType == VK_DEBUG_REPORT_OBJECT_TYPE_PIPELINE_EXT ? VK_OBJECT_TYPE_PIPELINE
                        : info->objectType == VK_DEBUG_REPORT_OBJECT_TYPE_SHADER_MODULE_EXT
                            ? VK_OBJECT_TYPE_SHADER_MODULE
                            : VK_OBJECT_TYPE_UNKNOWN;
    name_object(device, type, info->object, info->pObjectName);
    return device->next.DebugMarkerSetObjectNameEXT ? device->next.DebugMarkerSetObjectNameEXT(handle, info)
                                                    : VK_SUCCESS;
}
