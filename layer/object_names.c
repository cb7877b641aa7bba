#include "layer/object_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/rewrite.h"
#include "runtime/base/log.h"

enum { NAME_MOST = 255 };

/* By handle: a pipeline's hash, or a module's name. */
typedef struct named {
    wpg_hash128 hash;
    char name[]; /* "" for pipelines */
} named;

bool wpg_object_names_on(void)
{
    const char *setting = wpg_the_process.settings.pipelines;
    return setting && *setting;
}

void wpg_object_names_init(wpg_device *device)
{
    wpg_handles_init(&device->named);
}

static void free_record(void *record, void *context)
{
    (void)context;
    free(record);
}

void wpg_object_names_finish(wpg_device *device)
{
    wpg_handles_each(&device->named, free_record, NULL);
    wpg_handles_finish(&device->named);
}

static void keep(wpg_device *device, uint64_t handle, wpg_hash128 hash, const char *name)
{
    size_t length = strlen(name);
    length = length > NAME_MOST ? NAME_MOST : length;
    named *made = calloc(1, sizeof *made + length + 1);
    if (!made)
        return;
    made->hash = hash;
    memcpy(made->name, name, length);
    free(wpg_handles_remove(&device->named, handle));
    if (!wpg_handles_set(&device->named, handle, made))
        free(made);
}

void wpg_object_names_pipeline(wpg_device *device, VkPipeline pipeline, wpg_hash128 hash)
{
    if (pipeline && wpg_object_names_on())
        keep(device, (uint64_t)pipeline, hash, "");
}

void wpg_object_names_forget(wpg_device *device, uint64_t handle)
{
    if (handle && wpg_object_names_on())
        free(wpg_handles_remove(&device->named, handle));
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
    if (!wpg_object_names_on() ||
        wpg_cache_get(&data, &length, wpg_rewrite_cache(), key_of(hash), NULL) != WPG_OK)
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
        wpg_cache_put(wpg_rewrite_cache(), key_of(hash), wanted, strlen(wanted), NULL) != WPG_OK)
        wpg_log_once(WPG_LOG_WARN, "names of pipelines cannot be kept for the next run: there is no cache");
}

/* -- Names */

const char *wpg_object_names_module(wpg_device *device, VkShaderModule module)
{
    const named *found =
        module && wpg_object_names_on() ? wpg_handles_get(&device->named, (uint64_t)module) : NULL;
    return found ? found->name : "";
}

VKAPI_ATTR VkResult VKAPI_CALL
wpg_object_names_SetDebugUtilsObjectNameEXT(VkDevice handle, const VkDebugUtilsObjectNameInfoEXT *info)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_INITIALIZATION_FAILED;
    const char *name = info->pObjectName ? info->pObjectName : "";
    if (device->mode != WPG_MODE_OFF && wpg_object_names_on() && wpg_process_is_owner()) {
        const named *found = info->objectType == VK_OBJECT_TYPE_PIPELINE
                                 ? wpg_handles_get(&device->named, info->objectHandle)
                                 : NULL;
        if (found)
            store(found->hash, name);
        else if (info->objectType == VK_OBJECT_TYPE_SHADER_MODULE)
            keep(device, info->objectHandle, (wpg_hash128){0}, name);
    }
    return device->next.SetDebugUtilsObjectNameEXT ? device->next.SetDebugUtilsObjectNameEXT(handle, info)
                                                   : VK_SUCCESS;
}
