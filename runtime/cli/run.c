/* wavepgo run: sets the environment that enables the layer explicitly, and becomes the program (exec). So
 * exit code, signals and terminal are the program's own. */
#include "runtime/cli/common/command.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/bundle/bundle.h"
#include "runtime/cli/common/compare_file.h"
#include "runtime/cli/common/container.h"
#include "runtime/cli/common/enable.h"
#include "runtime/cli/common/setting_option.h"

static const char command_name[] = "run";

typedef struct run_options {
    wpg_setting_options settings;
    const char *use, *tune;
    bool generate;
} run_options;

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
            options->settings.print = true;
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
        else if (strncmp(argv[at], "--", 2) != 0 ||
                 !(used = wpg_setting_option_take(&options->settings, argc - at, argv + at)))
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
    if (at >= argc && !options->settings.print)
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
        int code = wpg_setting_set(&options->settings, "PROFILE_USE", options->tune);
        code = code ? code : wpg_setting_set(&options->settings, "BUNDLE", options->tune);
        return code ? code : wpg_setting_set(&options->settings, "MODE", "tune");
    }
    if (options->use) {
        if (stat(options->use, &info) != 0)
            return wpg_complain(WPG_EXIT_FAILED, command_name,
                                "cannot read profile %s: %s; 'wavepgo merge' makes a profile", options->use,
                                strerror(errno));
        int code = wpg_setting_set(&options->settings, "PROFILE_USE", options->use);
        if (code || !options->generate)
            return code ? code : wpg_setting_set(&options->settings, "MODE", "use");
    }
    if (!options->generate)
        return 0; /* the mode, if any, is the environment's or --mode's */
    if (!*wpg_environment_get("WAVEPGO_PROFILE_FILE") && !*wpg_environment_get("LLVM_PROFILE_FILE") &&
        !*wpg_environment_get("WAVEPGO_BUNDLE")) {
        int code = wpg_setting_set(&options->settings, "BUNDLE", "%e.wavepgo");
        if (code)
            return code;
    }
    return wpg_setting_set(&options->settings, "MODE", "generate");
}

/* What the profile bought when it was compared last. Said here, before the program starts: the layer, which
 * ends with the names of what it changed, reads no JSON. Silent where the summary is. */
static void say_measured(const run_options *options, char *const *program)
{
    char line[600];
    if (options->use && !options->generate && options->settings.checked.summary &&
        wpg_compare_file_line(line, sizeof line, options->use, program))
        (void)wpg_complain(0, command_name, "%s: %s", options->use, line);
}

/* A container's loader does not see the folder that this command names: there the layer acts as an implicit
 * one, which needs its variable. */
static void enable_in_container(char *const *program)
{
    wpg_container container = wpg_container_of(program);
    if (container == WPG_CONTAINER_NONE)
        return;
    if (!*wpg_environment_get("WAVEPGO_ENABLE"))
        wpg_environment_set(false, "WAVEPGO_ENABLE", "1");
    if (container == WPG_CONTAINER_STEAM && !wpg_layer_is_installed())
        (void)wpg_complain(0, command_name,
                           "Steam's container takes only installed layers along, and this one is not: "
                           "'wavepgo install --user' installs it. The program starts without it");
}

/* `run --compare PROFILE` is `compare --profile PROFILE`. */
static bool wants_comparison(int argc, char **argv)
{
    for (int at = 1; at < argc && strcmp(argv[at], "--") != 0; at++)
        if (strcmp(argv[at], "--compare") == 0 || strncmp(argv[at], "--compare=", 10) == 0)
            return true;
    return false;
}

static int compare(int argc, char **argv)
{
    char joined[PATH_MAX + 16];
    for (int at = 1; at < argc && strcmp(argv[at], "--") != 0; at++)
        if (strcmp(argv[at], "--compare") == 0)
            argv[at] = (char *)(uintptr_t) "--profile";
        else if (strncmp(argv[at], "--compare=", 10) == 0) {
            (void)snprintf(joined, sizeof joined, "--profile=%s", argv[at] + 10);
            argv[at] = joined;
        }
    argv[0] = (char *)(uintptr_t) "compare";
    return wpg_command_compare(argc, argv);
}

int wpg_command_run(int argc, char **argv)
{
    run_options options = {0};
    int program = argc;
    if (wants_comparison(argc, argv))
        return compare(argc, argv);
    int code = wpg_setting_options_init(&options.settings, command_name);
    if (code)
        return code;
    /* --print-environment may stand anywhere, and decides how the first variable is set. */
    for (int at = 1; at < argc && strcmp(argv[at], "--") != 0; at++)
        options.settings.print |= strcmp(argv[at], "--print-environment") == 0;
    code = parse(&options, &program, argc, argv);
    if (!code)
        code = apply_mode(&options);
    if (!code)
        code = wpg_enable_layer(options.settings.print, command_name);
    if (!code && !options.settings.print) {
        enable_in_container(argv + program);
        say_measured(&options, argv + program);
    }
    wpg_setting_options_finish(&options.settings);
    if (code || options.settings.print)
        return code;
    (void)execvp(argv[program], argv + program);
    code = errno == ENOENT ? 127 : 126; /* as shells do */
    return wpg_complain(code, command_name, "cannot run %s: %s", argv[program], strerror(errno));
}
