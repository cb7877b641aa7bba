#include "runtime/cli/common/setting_option.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/log.h"
#include "runtime/cli/common/command.h"
#include "runtime/cli/common/enable.h"

int wpg_setting_options_init(wpg_setting_options *options, const char *command)
{
    wpg_error err;
    *options = (wpg_setting_options){.command = command};
    if (wpg_settings_check_environment(&err) != WPG_OK)
        return wpg_usage_error(command, "%s", err.message);
    wpg_log_open(WPG_LOG_ERROR, NULL); /* what is wrong in files the layer says, once */
    wpg_settings_load(&options->checked);
    wpg_log_open(WPG_LOG_WARN, NULL);
    return 0;
}

void wpg_setting_options_finish(wpg_setting_options *options)
{
    wpg_settings_finish(&options->checked);
}

/* "--flush-interval" to "FLUSH_INTERVAL". */
static void key_of_option(char *key, size_t size, const char *option, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length && used < size - 1; i++)
        key[used++] = option[i] == '-' ? '_' : (char)toupper((unsigned char)option[i]);
    key[used] = '\0';
}

static const wpg_setting_info *find_setting(const char *key)
{
    size_t count;
    const wpg_setting_info *table = wpg_settings_table(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].key, key) == 0)
            return &table[i];
    return NULL;
}

static char *absolute(const char *path)
{
    char folder[PATH_MAX];
    size_t size = strlen(path) + sizeof folder + 2;
    char *result = malloc(size);
    if (!result)
        return NULL;
    if (*path == '/' || strncmp(path, "%t", 2) == 0 || !getcwd(folder, sizeof folder))
        (void)snprintf(result, size, "%s", path);
    else
        (void)snprintf(result, size, "%s/%s", folder, path);
    return result;
}

static bool names_file(const char *key)
{
    static const char *const keys[] = {"PROFILE_FILE", "PROFILE_USE", "BUNDLE", "LOG_FILE", "USE_LOG",
                                       "DUMP",         "TRIGGER",     "STATS",  "TIMES"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

int wpg_setting_set(wpg_setting_options *options, const char *key, const char *value)
{
    wpg_error err;
    char name[80];
    if (wpg_settings_set(&options->checked, key, value, &err) != WPG_OK)
        return wpg_usage_error(options->command, "%s", err.message);
    char *path = names_file(key) && *value ? absolute(value) : NULL;
    (void)snprintf(name, sizeof name, "WAVEPGO_%s", key);
    wpg_environment_set(options->print, name, path ? path : value);
    free(path);
    return 0;
}

int wpg_setting_option_take(wpg_setting_options *options, int left, char **argv)
{
    char key[64];
    const char *equals = strchr(argv[0], '=');
    key_of_option(key, sizeof key, argv[0] + 2,
                  equals ? (size_t)(equals - argv[0] - 2) : strlen(argv[0] + 2));
    const wpg_setting_info *info = find_setting(key);
    if (!info) {
        (void)wpg_usage_error(options->command, "no option is called '%s'", argv[0]);
        return 0;
    }
    const char *value = equals ? equals + 1 : NULL;
    bool plain_switch = !value && info->type == WPG_SETTING_BOOL &&
                        (left < 2 || (strcmp(argv[1], "0") != 0 && strcmp(argv[1], "1") != 0));
    int used = equals || plain_switch ? 1 : 2;
    if (plain_switch)
        value = "1";
    if (!value && (left < 2 || strcmp(argv[1], "--") == 0)) {
        (void)wpg_usage_error(options->command, "'%s' needs a value", argv[0]);
        return 0;
    }
    return wpg_setting_set(options, key, value ? value : argv[1]) == 0 ? used : 0;
}
