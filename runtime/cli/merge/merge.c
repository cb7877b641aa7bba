/* wavepgo merge: merges profiles into one, as llvm-profdata merge does; also folders, patterns and
 * bundles. */
#include "runtime/cli/merge/merge.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/text.h"
#include "runtime/bundle/bundle.h"
#include "runtime/cli/common/command.h"
#include "runtime/cli/merge/select.h"

static const char command_name[] = "merge";

bool wpg_merge_parse_format(wpg_merge_options *options, const char *name)
{
    static const struct {
        const char *name;
        wpg_profile_format format;
    } formats[] = {{"indexed", WPG_PROFILE_INDEXED}, {"text", WPG_PROFILE_TEXT},
                   {"raw8", WPG_PROFILE_RAW_8},      {"raw9", WPG_PROFILE_RAW_9},
                   {"raw10", WPG_PROFILE_RAW_10},    {"raw11", WPG_PROFILE_RAW_11}};
    options->cspgo = strcmp(name, "cspgo-text") == 0;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            options->format = formats[i].format;
            return true;
        }
    }
    return options->cspgo;
}

bool wpg_merge_parse_unit(wpg_cspgo_unit *unit, const char *name)
{
    *unit = strcmp(name, "waves") == 0 ? WPG_CSPGO_WAVES : WPG_CSPGO_LANES;
    return *unit == WPG_CSPGO_WAVES || strcmp(name, "lanes") == 0;
}

static bool ends_in(const char *text, const char *ending)
{
    size_t length = strlen(text), width = strlen(ending);
    return length > width && strcmp(text + length - width, ending) == 0;
}

static bool names_bundle(const char *out)
{
    return ends_in(out, ".bundle") || ends_in(out, ".wavepgo") || ends_in(out, "/") || wpg_is_bundle(out);
}

static int add_input(wpg_merge_options *options, wpg_merge_input input)
{
    return wpg_vec_push(&options->inputs, input)
               ? 0
               : wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
}

static size_t from_stdin(const wpg_merge_options *options)
{
    size_t count = 0;
    for (size_t i = 0; i < options->inputs.count; i++)
        count += strcmp(options->inputs.data[i].path, "-") == 0;
    return count;
}

static int parse(wpg_merge_options *options, int argc, char **argv)
{
    bool only_files = false;
    for (int at = 1; at < argc; at++) {
        const char *argument = argv[at], *value = at + 1 < argc ? argv[at + 1] : NULL;
        bool took_value = false;
        wpg_merge_input input = {argument, 1, false};
        int code = 0;
        if (!only_files && argument[0] == '@' && argument[1] && access(argument, F_OK) != 0) {
            code = add_input(options, (wpg_merge_input){argument + 1, 1, true});
        } else if (only_files || argument[0] != '-' || !argument[1]) {
            code = add_input(options, input);
        } else if (strcmp(argument, "--") == 0) {
            only_files = true;
        } else if (strcmp(argument, "--quiet") == 0) {
            options->quiet = true;
        } else if (strcmp(argument, "--keep-going") == 0) {
            options->keep_going = true;
        } else if (strcmp(argument, "--allow-empty") == 0) {
            options->allow_empty = true;
        } else if (strncmp(argument, "--format=", 9) == 0 || strcmp(argument, "--format") == 0) {
            took_value = argument[8] == '\0';
            const char *name = took_value ? value : argument + 9;
            if (name && strcmp(name, "bundle") == 0)
                options->bundle = true;
            else if (name && wpg_merge_parse_format(options, name))
                options->plain = true;
            else
                code = wpg_usage_error(
                    command_name,
                    "--format is one of indexed, bundle, text, raw8, raw9, raw10, raw11, cspgo-text");
        } else if (strncmp(argument, "--count=", 8) == 0 || strcmp(argument, "--count") == 0) {
            took_value = argument[7] == '\0';
            const char *name = took_value ? value : argument + 8;
            if (!name || !wpg_merge_parse_unit(&options->unit, name))
                code = wpg_usage_error(command_name, "--count is waves or lanes");
        } else if (strncmp(argument, "--shaders=", 10) == 0 || strcmp(argument, "--shaders") == 0) {
            took_value = argument[9] == '\0';
            const char *folder = took_value ? value : argument + 10;
            if (!folder)
                code = wpg_usage_error(command_name, "--shaders takes a folder");
            else if (!wpg_vec_push(&options->shaders, folder)) /* NOLINT(bugprone-sizeof-expression) */
                code = wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
        } else if (strncmp(argument, "--weighted=", 11) == 0 || strcmp(argument, "--weighted") == 0) {
            took_value = argument[10] == '\0';
            const char *text = took_value ? value : argument + 11;
            if (!text || !wpg_merge_parse_weighted(&input, text) || input.path == text)
                code = wpg_usage_error(command_name, "--weighted takes N,FILE with N at least 1");
            else
                code = add_input(options, input);
        } else if (strncmp(argument, "--input-files=", 14) == 0 && argument[14]) {
            code = add_input(options, (wpg_merge_input){argument + 14, 1, true});
        } else if ((strcmp(argument, "-f") == 0 || strcmp(argument, "--input-files") == 0) && value) {
            took_value = true;
            code = add_input(options, (wpg_merge_input){value, 1, true});
        } else if (strcmp(argument, "--resume") == 0) {
            options->resume = true;
        } else if (strncmp(argument, "--checkpoint=", 13) == 0 || strcmp(argument, "--checkpoint") == 0) {
            took_value = argument[12] == '\0';
            const char *text = took_value ? value : argument + 13;
            if (!text || !wpg_parse_real(&options->resume_seconds, text) || options->resume_seconds < 0 ||
                options->resume_seconds > 86400)
                code = wpg_usage_error(command_name, "--checkpoint takes seconds, from 0 to 86400");
        } else if (wpg_merge_parse_select(options, &at, argc, argv)) {
            continue;
        } else if (strcmp(argument, "-o") == 0 && value) {
            options->out = value;
            took_value = true;
        } else if (strncmp(argument, "-o", 2) == 0 && argument[2]) {
            options->out = argument + 2;
        } else {
            code = wpg_usage_error(command_name, "no option is called '%s', or it needs a value", argument);
        }
        if (code)
            return code;
        at += took_value;
    }
    if (!options->out)
        return wpg_usage_error(command_name, "no output is given: add -o OUT");
    options->bundle |= !options->plain && names_bundle(options->out);
    if (options->resume && (options->bundle || strcmp(options->out, "-") == 0))
        return wpg_usage_error(command_name, "--resume needs a profile as OUT, in a file");
    if (options->allow_empty && (options->bundle || options->format != WPG_PROFILE_TEXT))
        return wpg_usage_error(command_name, "--allow-empty needs --format text");
    if (from_stdin(options) > 1)
        return wpg_usage_error(command_name, "standard input is named twice");
    if (!options->inputs.count)
        return wpg_usage_error(command_name, "no profile is given: name files or folders");
    if (!options->cspgo && (options->unit != WPG_CSPGO_AUTO || options->shaders.count))
        return wpg_usage_error(command_name, "--count and --shaders need --format=cspgo-text");
    return 0;
}

int wpg_command_merge(int argc, char **argv)
{
    wpg_merge_options options = {
        .command = command_name, .format = WPG_PROFILE_INDEXED, .resume_seconds = 10};
    int code = parse(&options, argc, argv);
    if (!code)
        code = wpg_merge_files(&options);
    wpg_vec_free(&options.inputs);
    wpg_vec_free(&options.shaders);
    return code;
}
