/* Settings by VK_EXT_layer_settings. The extension is newer than the oldest headers we build with, so its
 * structures are declared here as in the registry. A setting's name is its key in lower case ("mode",
 * "profile_file"). */
#include "layer/base/api_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/chain.h"
#include "layer/base/state.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"

#define STRUCTURE_LAYER_SETTINGS ((VkStructureType)1000496000)

enum value_type {
    VALUE_BOOL32,
    VALUE_INT32,
    VALUE_INT64,
    VALUE_UINT32,
    VALUE_UINT64,
    VALUE_FLOAT32,
    VALUE_FLOAT64,
    VALUE_STRING
};

typedef struct layer_setting {
    const char *layer, *name;
    int type;
    uint32_t count;
    const void *values;
} layer_setting;

typedef struct layer_settings {
    VkStructureType type;
    const void *next;
    uint32_t count;
    const layer_setting *settings;
} layer_settings;

/* The first value as text. */
static bool value_text(char *text, size_t size, const layer_setting *setting)
{
    VkBool32 flag;
    int32_t i32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
    const char *string;
    if (!setting->count || !setting->values)
        return false;
    switch (setting->type) {
    case VALUE_BOOL32:
        memcpy(&flag, setting->values, sizeof flag);
        return snprintf(text, size, "%d", flag != 0) > 0;
    case VALUE_INT32:
        memcpy(&i32, setting->values, sizeof i32);
        return snprintf(text, size, "%ld", (long)i32) > 0;
    case VALUE_UINT32:
        memcpy(&flag, setting->values, sizeof flag);
        return snprintf(text, size, "%lu", (unsigned long)flag) > 0;
    case VALUE_INT64:
        memcpy(&i64, setting->values, sizeof i64);
        return snprintf(text, size, "%lld", (long long)i64) > 0;
    case VALUE_UINT64:
        memcpy(&u64, setting->values, sizeof u64);
        return snprintf(text, size, "%llu", (unsigned long long)u64) > 0;
    case VALUE_FLOAT32:
        memcpy(&f32, setting->values, sizeof f32);
        return wpg_format(text, size, "%.9g", (double)f32) > 0;
    case VALUE_FLOAT64:
        memcpy(&f64, setting->values, sizeof f64);
        return wpg_format(text, size, "%.17g", f64) > 0;
    case VALUE_STRING:
        memcpy(&string, setting->values, sizeof string);
        return string && (size_t)snprintf(text, size, "%s", string) < size;
    default:
        return false;
    }
}

static bool apply_one(wpg_settings *settings, const layer_setting *setting)
{
    char key[64], variable[80], text[4096];
    wpg_error err;
    size_t length = strlen(setting->name);
    if (length >= sizeof key) {
        wpg_log_warn("setting ignored: %.63s...: no such setting", setting->name);
        return false;
    }
    for (size_t i = 0; i <= length; i++)
        key[i] = wpg_upper(setting->name[i]);
    (void)snprintf(variable, sizeof variable, "WAVEPGO_%s", key);
    const char *environment = secure_getenv(variable);
    if (environment && *environment)
        return false;
    if (!value_text(text, sizeof text, setting)) {
        wpg_log_warn("setting ignored: %s: no value that can be read", key);
        return false;
    }
    if (wpg_settings_set(settings, key, text, &err) != WPG_OK) {
        wpg_log_warn("setting ignored: %s", err.message);
        return false;
    }
    return true;
}

bool wpg_api_settings_apply(wpg_settings *settings, const VkInstanceCreateInfo *info)
{
    const layer_settings *given = wpg_chain_find(info->pNext, STRUCTURE_LAYER_SETTINGS);
    bool any = false;
    for (uint32_t i = 0; given && given->settings && i < given->count; i++) {
        const layer_setting *setting = &given->settings[i];
        if (setting->layer && setting->name && strcmp(setting->layer, WPG_LAYER_NAME) == 0)
            any |= apply_one(settings, setting);
    }
    return any;
}
