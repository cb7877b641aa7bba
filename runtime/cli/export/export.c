/* wavepgo export: reads bundles and profiles, and writes what other programs read. Formats of profiles go
 * through the merge room. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "runtime/cli/common/command.h"
#include "runtime/cli/common/recover.h"
#include "runtime/cli/merge/merge.h"
#include "runtime/report/export/export.h"
#include "runtime/report/model/source_names.h"
#include "runtime/report/export/stacks.h"

static const char command_name[] = "export";

typedef struct export_format {
    const char *name;
    wpg_status (*print)(FILE *out, const wpg_report *report, const wpg_report_export *options);
    bool has_lines; /* --sources says something */
} export_format;

static const export_format formats[] = {{"lcov", wpg_report_lcov, true},
                                        {"callgrind", wpg_report_callgrind, true},
                                        {"speedscope", wpg_report_speedscope, false},
                                        {"chrome-trace", wpg_report_chrome_trace, false},
                                        {"folded", wpg_report_folded, false}};

typedef struct export_job {
    const export_format *format; /* NULL: one of a profile, which `merge` has */
    bool has_format;
    wpg_merge_options merge;
    const char *sources;
    WPG_VEC(const char *) paths;
} export_job;

/* -- Options */

static int parse_format(export_job *job, const char *name)
{
    for (size_t i = 0; name && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].name, name) == 0)
            job->format = &formats[i];
    job->has_format = job->format || (name && wpg_merge_parse_format(&job->merge, name));
    return job->has_format
               ? 0
               : wpg_usage_error(command_name,
                                 "--format is one of lcov, callgrind, speedscope, chrome-trace, folded, "
                                 "indexed, text, raw8, raw9, raw10, raw11, cspgo-text");
}

static int no_memory(void)
{
    return wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
}

/* An option with a value: "--key value" or "--key=value". *value is NULL where none is given. */
static bool is_option(const char **value, int *at, const char *key, int argc, char **argv)
{
    const size_t length = strlen(key);
    if (strncmp(argv[*at], key, length) != 0 || (argv[*at][length] && argv[*at][length] != '='))
        return false;
    if (argv[*at][length])
        *value = argv[*at] + length + 1;
    else
        *value = *at + 1 < argc ? argv[++*at] : NULL;
    return true;
}

static int parse_one(export_job *job, int *at, int argc, char **argv)
{
    const char *value = NULL, *argument = argv[*at];
    if (is_option(&value, at, "--format", argc, argv))
        return parse_format(job, value);
    if (is_option(&value, at, "--count", argc, argv))
        return value && wpg_merge_parse_unit(&job->merge.unit, value)
                   ? 0
                   : wpg_usage_error(command_name, "--count is lanes or waves");
    if (is_option(&job->sources, at, "--sources", argc, argv))
        return job->sources && *job->sources ? 0 : wpg_usage_error(command_name, "--sources takes a folder");
    if (is_option(&value, at, "--shaders", argc, argv)) {
        if (!value)
            return wpg_usage_error(command_name, "--shaders takes a folder");
        return wpg_vec_push(&job->merge.shaders, value)
                   ? 0
                   : no_memory(); /* NOLINT(bugprone-sizeof-expression) */
    }
    if (is_option(&job->merge.out, at, "-o", argc, argv))
        return job->merge.out ? 0 : wpg_usage_error(command_name, "-o needs a file; - is standard output");
    if (strcmp(argument, "--quiet") == 0) {
        job->merge.quiet = true;
        return 0;
    }
    if (argument[0] == '-' && argument[1])
        return wpg_usage_error(command_name, "no option is called '%s'", argument);
    return wpg_vec_push(&job->paths, argument) && /* NOLINT(bugprone-sizeof-expression) */
                   wpg_vec_push(&job->merge.inputs, (wpg_merge_input){argument, 1, false})
               ? 0
               : no_memory();
}

static int check(const export_job *job)
{
    const bool counts = job->merge.cspgo || (job->format && job->format->print == wpg_report_lcov);
    if (!job->has_format)
        return wpg_usage_error(command_name, "no format is given: add --format lcov, for instance");
    if (!job->paths.count)
        return wpg_usage_error(command_name,
                               "no bundle or profile is given: 'wavepgo run --generate -- PROGRAM' "
                               "makes the bundle PROGRAM.wavepgo");
    if (job->merge.unit != WPG_CSPGO_AUTO && !counts)
        return wpg_usage_error(command_name, "--count needs --format lcov or cspgo-text");
    if (job->sources && !(job->format && job->format->has_lines))
        return wpg_usage_error(command_name, "--sources needs --format lcov or callgrind");
    if (job->merge.shaders.count && !job->format && !job->merge.cspgo)
        return wpg_usage_error(command_name,
                               "a profile has no shaders: --shaders does not go with this format");
    return 0;
}

static int parse(export_job *job, int argc, char **argv)
{
    int code = 0;
    for (int at = 1; at < argc && !code; at++)
        code = parse_one(job, &at, argc, argv);
    return code ? code : check(job);
}

/* -- Lines that are missing */

/* Why nothing of the shader is in a coverage; NULL: something is. */
static const char *why_not(const wpg_report_shader *shader, bool waves)
{
    if (!shader->has_module)
        return shader->no_module;
    if (!shader->line_count)
        return "its SPIR-V has no source lines";
    if (waves ? !shader->has_waves : !shader->has_lanes)
        return waves ? "its waves were not measured" : "its lanes were not measured";
    return NULL;
}

/* Names up to five shaders that are left out. False: nothing is left to write. */
static bool say_missing(const wpg_report *report, bool waves, bool quiet)
{
    enum { SAID = 5 };
    char label[WPG_STACK_TEXT];
    size_t missing = 0, no_lines = 0;
    for (size_t i = 0; i < report->shader_count; i++) {
        const char *why = why_not(&report->shaders[i], waves);
        if (!why)
            continue;
        no_lines += report->shaders[i].has_module && !report->shaders[i].line_count;
        if (missing++ < SAID && !quiet)
            (void)wpg_complain(0, command_name, "left out: %s: %s",
                               wpg_report_shader_label(label, sizeof label, &report->shaders[i]), why);
    }
    if (missing > SAID && !quiet)
        (void)wpg_complain(0, command_name, "left out: %zu more", missing - SAID);
    if (no_lines && (!quiet || missing == report->shader_count))
        (void)wpg_complain(
            0, command_name,
            "compile shaders with debug information for their lines: glslang -g or -gVS, glslc -g, "
            "dxc -fspv-debug=line");
    return missing < report->shader_count;
}

/* -- Writing */

static int write_sources(const export_job *job, const wpg_report *report)
{
    wpg_source_names names;
    wpg_error err;
    wpg_status status = wpg_make_folders(job->sources, &err);
    if (status == WPG_OK && wpg_source_names_make(&names, report, job->sources) != WPG_OK)
        return no_memory();
    if (status != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    for (uint32_t i = 0; i < report->files.count && status == WPG_OK; i++) {
        const wpg_report_file *file = &report->files.data[i];
        if (names.files[i].file == i && file->text && !file->generated)
            status = wpg_file_write_atomic(names.files[i].name, file->text, strlen(file->text), &err);
    }
    wpg_source_names_finish(&names);
    return status == WPG_OK ? 0 : wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
}

/* "game" of "some/where/game.wavepgo/" */
static void test_name(char *name, size_t size, const char *path)
{
    (void)snprintf(name, size, "%s", path);
    for (size_t length = strlen(name); length > 1 && name[length - 1] == '/';)
        name[--length] = '\0';
    char *slash = strrchr(name, '/');
    if (slash)
        memmove(name, slash + 1, strlen(slash + 1) + 1);
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = '\0';
}

static int print(const export_job *job, const wpg_report *report)
{
    char *text = NULL, test[256];
    size_t size = 0;
    wpg_error err;
    const char *out = job->merge.out;
    test_name(test, sizeof test, report->path);
    const wpg_report_export options = {
        .waves = job->merge.unit == WPG_CSPGO_WAVES, .sources = job->sources, .test = test};
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return no_memory();
    const bool failed = job->format->print(memory, report, &options) != WPG_OK || ferror(memory);
    int code = fclose(memory) != 0 || failed ? no_memory() : 0;
    if (!code && strcmp(out, "-") != 0) {
        if (wpg_file_write_atomic(out, text, size, &err) != WPG_OK)
            code = wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    } else if (!code && (fwrite(text, 1, size, stdout) != size || fflush(stdout) != 0)) {
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "cannot write: %s", strerror(errno));
    }
    free(text);
    return code;
}

static int export_report(const export_job *job)
{
    wpg_report *report = NULL;
    wpg_error err;
    const wpg_report_options options = {.path = job->paths.data[0],
                                        .more = job->paths.data + 1,
                                        .more_count = job->paths.count - 1,
                                        .places = job->merge.shaders.data,
                                        .place_count = job->merge.shaders.count};
    for (size_t i = 0; i < job->paths.count; i++)
        wpg_recover_folder(command_name, job->paths.data[i], true);
    if (wpg_report_load(&report, &options, &err) != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    int code = 0;
    if (job->format->print == wpg_report_lcov &&
        !say_missing(report, job->merge.unit == WPG_CSPGO_WAVES, job->merge.quiet))
        code =
            wpg_complain(WPG_EXIT_FAILED, command_name, "none of %zu shader%s has lines: nothing is written",
                         report->shader_count, wpg_plural(report->shader_count));
    if (!code && job->sources)
        code = write_sources(job, report);
    if (!code)
        code = print(job, report);
    wpg_report_destroy(report);
    return code;
}

int wpg_command_export(int argc, char **argv)
{
    export_job job = {.merge = {.command = command_name, .out = "-", .plain = true}};
    int code = parse(&job, argc, argv);
    if (!code)
        code = job.format ? export_report(&job) : wpg_merge_files(&job.merge);
    wpg_vec_free(&job.paths);
    wpg_vec_free(&job.merge.inputs);
    wpg_vec_free(&job.merge.shaders);
    return code;
}
