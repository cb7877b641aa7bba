/* Every setting of the layer and the command: key, type, default, group, help. The table is settings.inc.
 *
 * Precedence, the strongest first:
 *
 *     1. the environment
 *     2. what the program passes by VK_EXT_layer_settings (layer/base/api_settings.h)
 *     3. vk_layer_settings.txt
 *     4. wavepgo/<executable>.conf, in $XDG_CONFIG_HOME or ~/.config
 *     5. wavepgo/wavepgo.conf, in the same folder
 *     6. the default
 *
 * For a value that cannot be read, the default stands and one log line says so. A file-name pattern with a
 * wrong letter stands, and a log line says so. A log line also names a WAVEPGO_* variable that is no setting.
 *
 * Owns: wpg_settings owns its texts, until wpg_settings_finish.
 * Threads: one thread loads; then any thread reads. */
#ifndef WPG_RUNTIME_CONFIG_SETTINGS_H
#define WPG_RUNTIME_CONFIG_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/arena.h"
#include "runtime/base/error.h"

typedef enum wpg_mode { WPG_MODE_OFF, WPG_MODE_GENERATE, WPG_MODE_USE, WPG_MODE_TUNE } wpg_mode;
typedef enum wpg_way { WPG_WAY_AUTO, WPG_WAY_ADDRESS, WPG_WAY_BINDING } wpg_way;
typedef enum wpg_placement { WPG_PLACEMENT_AUTO, WPG_PLACEMENT_DEVICE, WPG_PLACEMENT_HOST } wpg_placement;
typedef enum wpg_compile { WPG_COMPILE_BACKGROUND, WPG_COMPILE_BLOCKING } wpg_compile_setting;
typedef enum wpg_selects { WPG_SELECTS_NONE, WPG_SELECTS_USED, WPG_SELECTS_ALL } wpg_selects_setting;
typedef enum wpg_variant_rule { WPG_VARIANT_RULE_AUTO, WPG_VARIANT_RULE_ON } wpg_variant_rule_setting;
typedef enum wpg_scalarise { WPG_SCALARISE_AUTO, WPG_SCALARISE_ON, WPG_SCALARISE_OFF } wpg_scalarise_setting;
typedef enum wpg_hints { WPG_HINTS_AUTO, WPG_HINTS_ON, WPG_HINTS_OFF } wpg_hints_setting;
typedef enum wpg_floats {
    WPG_FLOATS_STRICT,
    WPG_FLOATS_FRAGMENTS,
    WPG_FLOATS_STAGES,
    WPG_FLOATS_SPEC
} wpg_floats_setting;
typedef enum wpg_tune_method { WPG_TUNE_AUTO, WPG_TUNE_TIMESTAMPS, WPG_TUNE_STATIC } wpg_tune_method;

typedef enum wpg_stable_power {
    WPG_STABLE_POWER_AUTO,
    WPG_STABLE_POWER_ON,
    WPG_STABLE_POWER_OFF
} wpg_stable_power_setting;

typedef enum wpg_sample_by {
    WPG_SAMPLE_BY_WORKGROUP,
    WPG_SAMPLE_BY_BIND,
    WPG_SAMPLE_BY_FRAME,
    WPG_SAMPLE_BY_PIPELINE
} wpg_sample_by_setting;

typedef enum wpg_setting_type {
    WPG_SETTING_CHOICE,
    WPG_SETTING_BOOL,
    WPG_SETTING_INT,
    WPG_SETTING_REAL,
    WPG_SETTING_SAMPLE,
    WPG_SETTING_POWER,
    WPG_SETTING_TEXT, /* this and all below are texts */
    WPG_SETTING_PATTERN,
    WPG_SETTING_LIST,
    WPG_SETTING_LETTERS,
    WPG_SETTING_FRAMES
} wpg_setting_type;

/* Where help lists a setting; in the order of a listing. */
typedef enum wpg_setting_group {
    WPG_GROUP_EVERYDAY,
    WPG_GROUP_USE,
    WPG_GROUP_TUNE,
    WPG_GROUP_EXPERIMENTS,
    WPG_GROUP_TESTS,
    WPG_GROUP_COUNT
} wpg_setting_group;

/* Field types by setting type. */
typedef int wpg_setting_field_CHOICE;
typedef bool wpg_setting_field_BOOL;
typedef int64_t wpg_setting_field_INT;
typedef double wpg_setting_field_REAL;
typedef const char *wpg_setting_field_TEXT;
typedef int64_t wpg_setting_field_SAMPLE;
typedef int64_t wpg_setting_field_POWER;
typedef const char *wpg_setting_field_PATTERN;
typedef const char *wpg_setting_field_LIST;
typedef const char *wpg_setting_field_LETTERS;
typedef const char *wpg_setting_field_FRAMES;

typedef struct wpg_settings {
#define WPG_SETTING(KEY, field, type, ...) wpg_setting_field_##type field;
#include "runtime/config/settings.inc"
#undef WPG_SETTING
    wpg_arena arena; /* owns the texts */
} wpg_settings;

typedef struct wpg_setting_info {
    const char *key; /* "PROFILE_FILE" */
    wpg_setting_type type;
    const char *preset; /* default as text */
    double low, high;
    const char *choices; /* "a|b|c" or letters, as the type says, or NULL */
    wpg_setting_group group;
    const char *help;
    size_t offset; /* of the field in wpg_settings */
} wpg_setting_info;

/* The table, `count` entries. Static storage. */
const wpg_setting_info *wpg_settings_table(size_t *count);
/* "everyday", "use", ... Static storage. */
const char *wpg_setting_group_name(wpg_setting_group group);

/* Reads environment (secure_getenv: nothing under setuid) and settings file: $VK_LAYER_SETTINGS_PATH (file or
 * folder) or ./vk_layer_settings.txt, and the configuration files, in which keys have no prefix.
 * LLVM_PROFILE_FILE stands in for an unset PROFILE_FILE (".vulkan-%b" before the extension);
 * LLVM_PROFILE_VERBOSE=1 for an unset LOG (debug). Always usable afterwards; problems are logged. */
void wpg_settings_load(wpg_settings *settings);
/* The same as a program of that name would have it. */
void wpg_settings_load_for(wpg_settings *settings, const char *program);
void wpg_settings_finish(wpg_settings *settings);

/* For the command, which refuses what the layer would only log: the first WAVEPGO_* variable that is no
 * setting, or whose value the setting does not take. */
wpg_status wpg_settings_check_environment(wpg_error *err);

/* Sets one field from text; WPG_E_ARGUMENT with a message that names the key and what is allowed. */
wpg_status wpg_settings_set(wpg_settings *settings, const char *key, const char *value, wpg_error *err);

#endif
