/* wavepgo run: sets the environment that enables the layer explicitly and becomes the program (exec), so that
 * the exit code, signals and terminal are the program's own. */
#include "runtime/cli/command.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/cli/manifest.h"
#include "runtime/config/settings.h"

static const char command_name[] = "run";

typedef struct run_options {
    wpg_settings checked; /* every option goes through the table, so that a bad value is refused before the
                             program starts */
    const char *use;
    bool generate, print;
} run_options;

static void set_variable(const run_options *options, const char *name, const char *value)
{
    if (options->print) {
        (void)printf("export %s='", name);
        for (const char *at = value; *at; at++) {
            if (*at == '\'')
                (void)fputs("'\\''", stdout);
            else
                (void)fputc(*at, stdout);
        }
        (void)puts("'");
    }
    (void)setenv(name, value, 1);
}

/* List variables of the loader are colon-separated; ours goes last, so that others sit above it.
 */
static void join(const run_options *options, const char *name, const char *first, const char *second)
{
    size_t size = strlen(first) + strlen(second) + 2;
    char *value = malloc(size);
    if (!value)
        return;
    (void)snprintf(value, size, "%s%s%s", first, *first && *second ? ":" : "", second);
    set_variable(options, name, value);
    free(value);
}

static bool list_contains(const char *list, const char *item)
{
    size_t width = strlen(item);
    for (const char *at = list; (at = strstr(at, item)); at += width)
        if ((at == list || at[-1] == ':') && (at[width] == '\0' || at[width] == ':'))
            return true;
    return false;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static int enable_layer(const run_options *options)
{
    char folder[PATH_MAX];
    if (!wpg_own_manifest_folder(folder, "explicit"))
        return wpg_complain(WPG_EXIT_FAILED, command_name,
                            "the layer's manifest is not where it should be: %s/%s", folder,
                            wpg_own_manifest_name());
    /* VK_LAYER_PATH, where set, makes the loader ignore VK_ADD_LAYER_PATH. Ours goes last: older loaders
     * (1.3.239) order layers by where they find them, not by their order in VK_INSTANCE_LAYERS. */
    const char *name = *variable("VK_LAYER_PATH") ? "VK_LAYER_PATH" : "VK_ADD_LAYER_PATH";
    join(options, name, variable(name), folder);
    if (!list_contains(variable("VK_INSTANCE_LAYERS"), WPG_LAYER_NAME))
        join(options, "VK_INSTANCE_LAYERS", variable("VK_INSTANCE_LAYERS"), WPG_LAYER_NAME);
    return 0;
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
    static const char *const keys[] = {"PROFILE_FILE", "PROFILE_USE", "BUNDLE",
                                       "LOG_FILE",     "USE_LOG",     "DUMP"};
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
    set_variable(options, name, path ? path : value);
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
        else if (strncmp(argv[at], "--", 2) != 0 || !(used = setting_option(options, argc - at, argv + at)))
            return strncmp(argv[at], "--", 2) == 0
                       ? WPG_EXIT_USAGE
                       : wpg_usage_error(command_name, "no option is called '%s'", argv[at]);
        at += used;
    }
    *program = at;
    if (options->generate && options->use)
        return wpg_usage_error(command_name, "--generate and --use exclude each other");
    if (at >= argc && !options->print)
        return wpg_usage_error(command_name, "which program? Put it after '--'");
    return 0;
}

static int apply_mode(run_options *options)
{
    struct stat info;
    if (options->use) {
        if (stat(options->use, &info) != 0)
            return wpg_complain(WPG_EXIT_FAILED, command_name, "cannot read profile %s: %s", options->use,
                                strerror(errno));
        int code = set_setting(options, "PROFILE_USE", options->use);
        return code ? code : set_setting(options, "MODE", "use");
    }
    if (!options->generate)
        return 0; /* the mode, if any, is the environment's or --mode's */
    if (!*variable("WAVEPGO_PROFILE_FILE") && !*variable("LLVM_PROFILE_FILE") &&
        !*variable("WAVEPGO_BUNDLE")) {
        int code = set_setting(options, "PROFILE_FILE", "%e.wavepgo/%b.profraw");
        if (code)
            return code;
    }
    return set_setting(options, "MODE", "generate");
}

int wpg_command_run(int argc, char **argv)
{
    run_options options = {0};
    int program = argc;
    wpg_settings_load(&options.checked);
    /* --print-environment may stand anywhere, and decides how the first variable is set. */
    for (int at = 1; at < argc && strcmp(argv[at], "--") != 0; at++)
        options.print |= strcmp(argv[at], "--print-environment") == 0;
    int code = parse(&options, &program, argc, argv);
    if (!code)
        code = apply_mode(&options);
    if (!code)
        code = enable_layer(&options);
    wpg_settings_finish(&options.checked);
    if (code || options.print)
        return code;
    (void)execvp(argv[program], argv + program);
    code = errno == ENOENT ? 127 : 126; /* as shells do */
    return wpg_complain(code, command_name, "cannot run %s: %s", argv[program], strerror(errno));
}
