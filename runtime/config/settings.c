/* Parses and loads settings. The table is settings.inc. */
#include "runtime/config/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"
#include "runtime/config/pattern.h"
#include "runtime/config/values.h"

static const wpg_setting_info table[] = {
#define WPG_SETTING(KEY, field, type, preset, low, high, choices, group, help)                               \
    {#KEY, WPG_SETTING_##type,           preset, low, high, choices, WPG_GROUP_##group,                      \
     help, offsetof(wpg_settings, field)},
#include "runtime/config/settings.inc"
#undef WPG_SETTING
};
enum { SETTING_COUNT = sizeof table / sizeof table[0], SETTINGS_FILE_LIMIT = 1 << 20 };

const wpg_setting_info *wpg_settings_table(size_t *count)
{
    *count = SETTING_COUNT;
    return table;
}

const char *wpg_setting_group_name(wpg_setting_group group)
{
    static const char *const names[WPG_GROUP_COUNT] = {"everyday", "use", "tune", "experiments", "for tests"};
    return names[group];
}

static const wpg_setting_info *find(const char *key, size_t length)
{
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (strlen(table[i].key) == length && wpg_same_start(table[i].key, key, length))
            return &table[i];
    return NULL;
}

static bool parse_bool(bool *out, const char *value)
{
    static const char *const yes[] = {"1", "true", "on", "yes"}, *const no[] = {"0", "false", "off", "no"};
    for (size_t i = 0; i < 4; i++) {
        if (wpg_same_word(value, yes[i]) || wpg_same_word(value, no[i])) {
            *out = wpg_same_word(value, yes[i]);
            return true;
        }
    }
    return false;
}

/* A whole number; hexadecimal with 0x. */
static bool parse_int(int64_t *out, const char *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 0);
    *out = number;
    return errno == 0 && end != value && *end == '\0';
}

static wpg_status set_number(void *field, const wpg_setting_info *info, const char *value, wpg_error *err)
{
    int64_t whole = 0;
    double real = 0;
    bool good =
        info->type == WPG_SETTING_REAL
            ? wpg_parse_real(&real, value)
            : parse_int(&whole,
                        info->type == WPG_SETTING_SAMPLE && strncmp(value, "1/", 2) == 0 ? value + 2 : value);
    if (info->type != WPG_SETTING_REAL)
        real = (double)whole;
    if (!good || real < info->low || real > info->high)
        return wpg_fail(err, WPG_E_ARGUMENT, "%s: '%s' is no number from %.15g to %.15g", info->key, value,
                        info->low, info->high);
    if (info->type == WPG_SETTING_POWER && (whole & (whole - 1)))
        return wpg_fail(err, WPG_E_ARGUMENT, "%s: '%s' is no power of two from %.15g to %.15g", info->key,
                        value, info->low, info->high);
    if (info->type == WPG_SETTING_REAL)
        *(double *)field = real;
    else
        *(int64_t *)field = whole;
    return WPG_OK;
}

static wpg_status set_text(wpg_settings *settings, const wpg_setting_info *info, const char *value,
                           wpg_error *err)
{
    const char *copy = wpg_arena_strdup(&settings->arena, value);
    if (!copy)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for %s", info->key);
    *(const char **)((char *)settings + info->offset) = copy;
    return WPG_OK;
}

/* What the setting's type forbids in a text. */
static wpg_status check_text(const wpg_setting_info *info, const char *value, wpg_error *err)
{
    const char *wrong;
    int length = 0;
    uint64_t first, last;
    if (info->type == WPG_SETTING_PATTERN && (wrong = wpg_foreign_percent(value, info->choices)))
        return wpg_fail(err, WPG_E_ARGUMENT,
                        "%s: '%.2s' in '%.100s' stands for nothing: %% goes before one of %s", info->key,
                        wrong, value, info->choices);
    if (info->type == WPG_SETTING_LIST && (wrong = wpg_foreign_item(&length, value, info->choices)))
        return wpg_fail(err, WPG_E_ARGUMENT, "%s: '%.*s' is none of %s", info->key, length, wrong,
                        info->choices);
    if (info->type == WPG_SETTING_LETTERS && *(wrong = value + strspn(value, info->choices)))
        return wpg_fail(err, WPG_E_ARGUMENT, "%s: '%c' in '%.60s' is none of the letters %s", info->key,
                        *wrong, value, info->choices);
    if (info->type == WPG_SETTING_FRAMES && *value && !wpg_frames_parse(&first, &last, value))
        return wpg_fail(err, WPG_E_ARGUMENT, "%s: '%.60s' is no range of frames, such as 100-200, from 1",
                        info->key, value);
    return WPG_OK;
}

static wpg_status set(wpg_settings *settings, const wpg_setting_info *info, const char *value, wpg_error *err)
{
    void *field = (char *)settings + info->offset;
    switch (info->type) {
    case WPG_SETTING_CHOICE: {
        int index = wpg_choice_index(info->choices, value);
        if (index < 0)
            return wpg_fail(err, WPG_E_ARGUMENT, "%s: '%s' is none of %s", info->key, value, info->choices);
        *(int *)field = index;
        return WPG_OK;
    }
    case WPG_SETTING_BOOL:
        if (!parse_bool(field, value))
            return wpg_fail(err, WPG_E_ARGUMENT, "%s: '%s' is neither 0 nor 1", info->key, value);
        return WPG_OK;
    case WPG_SETTING_TEXT:
    case WPG_SETTING_PATTERN:
    case WPG_SETTING_LIST:
    case WPG_SETTING_LETTERS:
    case WPG_SETTING_FRAMES:
        WPG_TRY(check_text(info, value, err));
        return set_text(settings, info, value, err);
    case WPG_SETTING_POWER:
    case WPG_SETTING_INT:
    case WPG_SETTING_REAL:
    case WPG_SETTING_SAMPLE:
        return set_number(field, info, value, err);
    }
    return WPG_E_ARGUMENT;
}

static const char *key_at(size_t index)
{
    return index < SETTING_COUNT ? table[index].key : index == SETTING_COUNT ? "ENABLE" : "DISABLE";
}

static wpg_status no_setting(wpg_error *err, const char *prefix, const char *key)
{
    const char *nearest = wpg_nearest_name(key, key_at, SETTING_COUNT + (*prefix ? 2 : 0));
    return wpg_fail(err, WPG_E_ARGUMENT, "no setting is called %s%.60s%s%s%s%s", prefix, key,
                    nearest ? "; did you mean " : "", nearest ? prefix : "", nearest ? nearest : "",
                    nearest ? "?" : "");
}

wpg_status wpg_settings_set(wpg_settings *settings, const char *key, const char *value, wpg_error *err)
{
    const wpg_setting_info *info = find(key, strlen(key));
    if (!info)
        return no_setting(err, "", key);
    return set(settings, info, value, err);
}

/* A bad value goes to the log. A pattern is kept even so: the files of a run are worth more than their names.
 */
static void load_one(wpg_settings *settings, const wpg_setting_info *info, const char *value)
{
    wpg_error err;
    if (set(settings, info, value, &err) == WPG_OK)
        return;
    bool kept = info->type == WPG_SETTING_PATTERN && set_text(settings, info, value, NULL) == WPG_OK;
    wpg_log_warn("%s%s", kept ? "" : "setting ignored: ", err.message);
}

static char *trim(char *text)
{
    text += strspn(text, " \t\r");
    size_t length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1]))
        text[--length] = '\0';
    return text;
}

/* One line "<prefix>key = value"; other layers' keys are not ours to judge. */
static void apply_line(wpg_settings *settings, char *line, const char *prefix)
{
    size_t width = strlen(prefix);
    char *comment = strchr(line, '#'), *equals;
    if (comment)
        *comment = '\0';
    line = trim(line);
    if (!wpg_same_start(line, prefix, width) || !(equals = strchr(line, '=')))
        return;
    *equals = '\0';
    wpg_error err;
    const char *key = trim(line + width);
    const wpg_setting_info *info = find(key, strlen(key));
    if (info)
        load_one(settings, info, trim(equals + 1));
    else if (no_setting(&err, "", key) != WPG_OK)
        wpg_log_warn("setting ignored: %s", err.message);
}

static void load_file(wpg_settings *settings, const char *path, const char *prefix)
{
    uint8_t *text;
    size_t size;
    wpg_error err;
    wpg_status status = wpg_file_read(&text, &size, path, SETTINGS_FILE_LIMIT, &err);
    if (status != WPG_OK) {
        if (status != WPG_E_NOT_FOUND)
            wpg_log_warn("settings file: %s", err.message);
        return;
    }
    char *rest = NULL;
    for (char *line = strtok_r((char *)text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        apply_line(settings, line, prefix);
    free(text);
}

/* One file for all programs, then the program's own. */
static void load_configuration(wpg_settings *settings, const char *program)
{
    const char *xdg = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");
    char own[256], folder[3600], path[4096];
    int length = xdg && *xdg == '/'     ? snprintf(folder, sizeof folder, "%s/wavepgo", xdg)
                 : home && *home == '/' ? snprintf(folder, sizeof folder, "%s/.config/wavepgo", home)
                                        : -1;
    if (length < 0 || (size_t)length >= sizeof folder)
        return;
    if (!program)
        wpg_executable_name(own, sizeof own);
    const char *const names[] = {"wavepgo", program ? program : own};
    for (size_t i = 0; i < 2; i++)
        if (!strchr(names[i], '/') && (i == 0 || strcmp(names[0], names[1]) != 0) &&
            snprintf(path, sizeof path, "%s/%s.conf", folder, names[i]) < (int)sizeof path)
            load_file(settings, path, "");
}

static void load_settings_file(wpg_settings *settings)
{
    char path[4096];
    const char *given = secure_getenv("VK_LAYER_SETTINGS_PATH");
    struct stat info;
    if (!given || !*given)
        (void)snprintf(path, sizeof path, "vk_layer_settings.txt");
    else if (stat(given, &info) == 0 && S_ISDIR(info.st_mode))
        (void)snprintf(path, sizeof path, "%s/vk_layer_settings.txt", given);
    else
        (void)snprintf(path, sizeof path, "%s", given);
    load_file(settings, path, "wavepgo_shader_pgo.");
}

/* LLVM's own variables stand in where ours are unset, so that a script written for clang's profiles works. */
static void load_llvm_variables(wpg_settings *settings)
{
    const char *file = secure_getenv("LLVM_PROFILE_FILE"), *verbose = secure_getenv("LLVM_PROFILE_VERBOSE");
    if (file && *file && !*settings->profile_file) {
        const char *slash = strrchr(file, '/'), *dot = strrchr(slash ? slash : file, '.');
        int stem = (int)(dot ? (size_t)(dot - file) : strlen(file));
        char pattern[4096];
        (void)snprintf(pattern, sizeof pattern, "%.*s.vulkan-%%b%s", stem, file, dot ? dot : "");
        (void)set_text(settings, find("PROFILE_FILE", 12), pattern,
                       NULL); /* clang's letters stay as they are */
    }
    if (verbose && strcmp(verbose, "1") == 0 && !secure_getenv("WAVEPGO_LOG"))
        (void)wpg_settings_set(settings, "LOG", "debug", NULL);
}

/* -- The environment */

typedef wpg_status on_variable(void *context, const wpg_setting_info *info, const char *key,
                               const char *value);

/* Every WAVEPGO_* variable that has a value, until one is refused; info is NULL where that is no setting.
 * Nothing under setuid. */
static wpg_status each_variable(on_variable *seen, void *context)
{
    static const char prefix[] = "WAVEPGO_";
    for (char **at = getauxval(AT_SECURE) ? NULL : environ; at && *at; at++) {
        const char *key = *at + sizeof prefix - 1, *equals = strchr(*at, '=');
        char name[64];
        if (strncmp(*at, prefix, sizeof prefix - 1) != 0 || !equals || !equals[1])
            continue;
        (void)snprintf(name, sizeof name, "%.*s", (int)(equals - key < 63 ? equals - key : 63), key);
        if (strcmp(name, "ENABLE") == 0 || strcmp(name, "DISABLE") == 0)
            continue; /* the loader's */
        const wpg_setting_info *info = NULL;
        for (size_t i = 0; i < SETTING_COUNT; i++) /* variables are told apart by case */
            info = strcmp(table[i].key, name) == 0 ? &table[i] : info;
        WPG_TRY(seen(context, info, name, equals + 1));
    }
    return WPG_OK;
}

static wpg_status load_variable(void *context, const wpg_setting_info *info, const char *key,
                                const char *value)
{
    wpg_error err;
    if (info)
        load_one(context, info, value);
    else if (no_setting(&err, "WAVEPGO_", key) != WPG_OK)
        wpg_log_warn("setting ignored: %s", err.message);
    return WPG_OK;
}

typedef struct check_context {
    wpg_settings settings;
    wpg_error *err;
} check_context;

static wpg_status check_variable(void *context, const wpg_setting_info *info, const char *key,
                                 const char *value)
{
    check_context *check = context;
    wpg_error detail;
    if (!info)
        return no_setting(check->err, "WAVEPGO_", key);
    wpg_status status = set(&check->settings, info, value, &detail);
    return status == WPG_OK ? WPG_OK : wpg_fail(check->err, status, "WAVEPGO_%.240s", detail.message);
}

wpg_status wpg_settings_check_environment(wpg_error *err)
{
    check_context check = {.err = err};
    wpg_arena_init(&check.settings.arena);
    wpg_status status = each_variable(check_variable, &check);
    wpg_arena_finish(&check.settings.arena);
    return status;
}

void wpg_settings_load(wpg_settings *settings)
{
    wpg_settings_load_for(settings, NULL);
}

void wpg_settings_load_for(wpg_settings *settings, const char *program)
{
    *settings = (wpg_settings){0};
    wpg_arena_init(&settings->arena);
    for (size_t i = 0; i < SETTING_COUNT; i++) {
        if (table[i].type >= WPG_SETTING_TEXT) /* usable even when memory is out */
            *(const char **)((char *)settings + table[i].offset) = table[i].preset;
        else
            load_one(settings, &table[i], table[i].preset);
    }
    load_configuration(settings, program);
    load_settings_file(settings);
    (void)each_variable(load_variable, settings);
    load_llvm_variables(settings);
}

void wpg_settings_finish(wpg_settings *settings)
{
    wpg_arena_finish(&settings->arena);
    *settings = (wpg_settings){0};
}
