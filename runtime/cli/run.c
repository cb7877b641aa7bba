/* wavepgo run: sets the environment that enables the layer explicitly, and becomes the program (exec). So
 * exit code, signals and terminal are the program's own. */
#include "runtime/cli/common/command.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/log.h"
#include "runtime/bundle/bundle.h"
#include "runtime/cli/common/enable.h"
#include "runtime/config/settings.h"

static const char command_name[] = "run";

typedef struct run_options {
    wpg_settings checked; /* every option goes through the table, so that a bad value is refused before the
                             program starts */
    const char *use, *tune;
    bool generate, print;
} run_options;

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

/* A relative file stays where the user meant it even if the program changes folder. */
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
    static const char *const keys[] = {"PROFILE_FILE", "PROFILE_USE", "BUNDLE", "LOG_FILE",
                                       "USE_LOG",      "DUMP",        "TRIGGER"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

static int set_setting(run_options *options, const char *key, const char *value)
{
    wpg_error err;
    char name[80];
    if (wpg_settings_set(&options->checked, key, value, &err) != WPG_OK)
        return wpg_usage_error(command_name, "%s", err.message);
    char *path = names_file(key) && *value ? absolute(value) : NULL;
    (void)snprintf(name, sizeof name, "WAVEPGO_%s", key);
    wpg_environment_set(options->print, name, path ? path : value);
    free(path);
    return 0;
}

/* One option that is a setting: "--key value", "--key=value", "--key" for a switch. Gives how many words it
 * took, 0 on error. */
static int setting_option(run_options *options, int left, char **argv)
{
    char key[64];
    const char *equals = strchr(argv[0], '=');
    key_of_option(key, sizeof key, argv[0] + 2,
                  equals ? (size_t)(equals - argv[0] - 2) : strlen(argv[0] + 2));
    const wpg_setting_info *info = find_setting(key);
    if (!info) {
        (void)wpg_usage_error(command_name, "no option is called '%s'", argv[0]);
        return 0;
    }
    const char *value = equals ? equals + 1 : NULL;
    bool plain_switch = !value && info->type == WPG_SETTING_BOOL &&
                        (left < 2 || (strcmp(argv[1], "0") != 0 && strcmp(argv[1], "1") != 0));
    int used = equals || plain_switch ? 1 : 2;
    if (plain_switch)
        value = "1";
    if (!value && (left < 2 || strcmp(argv[1], "--") == 0)) {
        (void)wpg_usage_error(command_name, "'%s' needs a value", argv[0]);
        return 0;
    }
    return set_setting(options, key, value ? value : argv[1]) == 0 ? used : 0;
}

static int parse(run_options *options, int *program, int argc, char **argv)
{
    int at = 1;
    while (at < argc && argv[at][0] == '-') {
        int used = 1;
        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        if (strcmp(argv[at], "--generate") == 0)
            options->generate = true;
        else if (strcmp(argv[at], "--print-environment") == 0)
            options->print = true;
        else if (strncmp(argv[at], "--use=", 6) == 0)
            options->use = argv[at] + 6;
        else if (strcmp(argv[at], "--use") == 0 && at + 1 < argc && strcmp(argv[at + 1], "--") != 0)
            options->use = argv[at + (used++)];
        else if (strcmp(argv[at], "--use") == 0)
            return wpg_usage_error(command_name, "'--use' needs a profile: a file or a folder");
        else if (strncmp(argv[at], "--tune=", 7) == 0)
            options->tune = argv[at] + 7;
        else if (strcmp(argv[at], "--tune") == 0 && at + 1 < argc && strcmp(argv[at + 1], "--") != 0)
            options->tune = argv[at + (used++)];
        else if (strcmp(argv[at], "--tune") == 0)
            return wpg_usage_error(command_name,
                                   "'--tune' needs a bundle: a folder that --bundle or merge wrote");
        else if (strncmp(argv[at], "--", 2) != 0 || !(used = setting_option(options, argc - at, argv + at)))
            return strncmp(argv[at], "--", 2) == 0
                       ? WPG_EXIT_USAGE
                       : wpg_usage_error(command_name, "no option is called '%s'", argv[at]);
        at += used;
    }
    *program = at;
    if (options->tune && (options->use || options->generate))
        return wpg_usage_error(
            command_name,
            "--tune cannot be combined with --generate or --use: its profile comes from the bundle");
    if (at >= argc && !options->print)
        return wpg_usage_error(
            command_name, "no program is given: put it after '--', as in 'wavepgo run --generate -- game'");
    return 0;
}

static int apply_mode(run_options *options)
{
    struct stat info;
    if (options->tune) {
        if (!wpg_is_bundle(options->tune))
            return wpg_complain(WPG_EXIT_FAILED, command_name,
                                "%s is no bundle: 'wavepgo run --generate --bundle DIR' makes one",
                                options->tune);
        int code = set_setting(options, "PROFILE_USE", options->tune);
        code = code ? code : set_setting(options, "BUNDLE", options->tune);
        return code ? code : set_setting(options, "MODE", "tune");
    }
    if (options->use) {
        if (stat(options->use, &info) != 0)
            return wpg_complain(WPG_EXIT_FAILED, command_name,
                                "cannot read profile %s: %s; 'wavepgo merge' makes a profile", options->use,
                                strerror(errno));
        int code = set_setting(options, "PROFILE_USE", options->use);
        if (code || !options->generate)
            return code ? code : set_setting(options, "MODE", "use");
    }
    if (!options->generate)
        return 0; /* the mode, if any, is the environment's or --mode's */
    if (!*wpg_environment_get("WAVEPGO_PROFILE_FILE") && !*wpg_environment_get("LLVM_PROFILE_FILE") &&
        !*wpg_environment_get("WAVEPGO_BUNDLE")) {
        int code = set_setting(options, "BUNDLE", "%e.wavepgo");
        if (code)
            return code;
    }
    return set_setting(options, "MODE", "generate");
}

int wpg_command_run(int argc, char **argv)
{
    run_options options = {0};
    int program = argc;
    wpg_error err;
    if (wpg_settings_check_environment(&err) != WPG_OK)
        return wpg_usage_error(command_name, "%s", err.message);
    wpg_log_open(WPG_LOG_ERROR, NULL); /* what is wrong in files the layer says, once */
    wpg_settings_load(&options.checked);
    wpg_log_open(WPG_LOG_WARN, NULL);
    /* --print-environment may stand anywhere, and decides how the first variable is set. */
    for (int at = 1; at < argc && strcmp(argv[at], "--") != 0; at++)
        options.print |= strcmp(argv[at], "--print-environment") == 0;
    int code = parse(&options, &program, argc, argv);
    if (!code)
        code = apply_mode(&options);
    if (!code)
        code = wpg_enable_layer(options.print, command_name);
    wpg_settings_finish(&options.checked);
    if (code || options.print)
        return code;
    (void)execvp(argv[program], argv + program);
    code = errno == ENOENT ? 127 : 126; /* as shells do */
    return wpg_complain(code, command_name, "cannot run %s: %s", argv[program], strerror(errno));
}
