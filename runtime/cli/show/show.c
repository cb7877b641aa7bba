/* wavepgo show: reads a profile and hands it to a printer. */
#include "runtime/cli/show/show.h"
#include "runtime/cli/common/command.h"
#include "runtime/cli/common/recover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char command_name[] = "show";

typedef struct show_job {
    wpg_show_options options;
    const char *path, *name, *use_log, *bundle;
} show_job;

static int print(const wpg_show_options *options)
{
    wpg_terminal terminal;
    bool good = true;
    wpg_output_open(&terminal, &options->output);
    if (options->output.json)
        wpg_show_json(terminal.out, options);
    else if (options->output.csv)
        good = wpg_show_csv(terminal.out, options);
    else
        wpg_show_text(&terminal, options);
    const int code = wpg_output_close(&terminal, command_name, 0);
    return good ? code : wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
}

/* A pipeline of one stage is that shader. */
static void select_found(wpg_show_options *options, const wpg_report_found *found)
{
    const wpg_report *report = options->report;
    const wpg_report_pipeline *pipeline =
        found->pipeline == WPG_REPORT_NONE ? NULL : &report->pipelines[found->pipeline];
    if (pipeline && pipeline->stage_count != 1)
        options->pipeline = pipeline;
    else
        options->shader = &report->shaders[pipeline ? pipeline->stages[0].shader : found->shader];
}

/* A bundle may be without counts: its facts are shown all the same. */
static int show_profile(const show_job *job)
{
    const wpg_report_options how = {.path = job->path, .may_be_empty = true};
    wpg_show_options options = job->options;
    wpg_report *report;
    wpg_error err;
    wpg_report_found found;
    int code = 0;
    wpg_recover_folder(command_name, job->path, true);
    if (wpg_report_load(&report, &how, &err) != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    options.report = report;
    options.bundle = report->is_bundle ? &report->bundle : NULL;
    if (job->name && wpg_report_find(&found, report, job->name, &err) != WPG_OK) {
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    } else if (job->name) {
        select_found(&options, &found);
        options.blocks = options.values = true;
    }
    if (code == 0)
        code = print(&options);
    wpg_report_destroy(report);
    return code;
}

static int show_use_log(const show_job *job)
{
    const wpg_report_options how = {.path = job->bundle, .may_be_empty = true};
    wpg_report *report = NULL;
    wpg_terminal terminal;
    wpg_error err;
    if (job->bundle && wpg_report_load(&report, &how, &err) != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    wpg_output_open(&terminal, &job->options.output);
    const int code = wpg_show_use_log(terminal.out, job->use_log, report);
    wpg_report_destroy(report);
    return wpg_output_close(&terminal, command_name, code);
}

static bool parse_count(size_t *value, const char *text)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    *value = (size_t)number;
    return errno == 0 && end != text && *end == '\0' && *text != '-';
}

/* An option with a value. 0: taken; -1: another; else an exit code. */
static int read_valued(show_job *job, const char *option, const char *value)
{
    if (strcmp(option, "--top") == 0)
        return value && parse_count(&job->options.top, value)
                   ? 0
                   : wpg_usage_error(command_name, "--top takes a number");
    if (strcmp(option, "--use-log") == 0) {
        job->use_log = value;
        return value ? 0
                     : wpg_usage_error(
                           command_name,
                           "--use-log needs the file that 'wavepgo run --use PROFILE --use-log FILE' wrote");
    }
    if (strcmp(option, "--bundle") != 0)
        return -1;
    job->bundle = value;
    return value ? 0 : wpg_usage_error(command_name, "--bundle needs the bundle that has the shaders");
}

static int read_option(show_job *job, int argc, char **argv, int *at)
{
    const char *option = argv[*at];
    const int taken = wpg_output_option(&job->options.output, command_name, argc, argv, at);
    if (taken)
        return taken > 0 ? 0 : WPG_EXIT_USAGE;
    const int code = read_valued(job, option, *at + 1 < argc ? argv[*at + 1] : NULL);
    if (code >= 0) {
        ++*at;
        return code;
    }
    if (strcmp(option, "--blocks") == 0)
        job->options.blocks = true;
    else if (strcmp(option, "--values") == 0)
        job->options.values = true;
    else if (strcmp(option, "--full") == 0)
        job->options.full = true;
    else if (option[0] == '-' && option[1])
        return wpg_usage_error(command_name, "no option is called '%s'", option);
    else if (!job->path)
        job->path = option;
    else if (!job->name)
        job->name = option;
    else
        return wpg_usage_error(command_name,
                               "give one file or folder, and one name; 'wavepgo merge' joins several");
    return 0;
}

int wpg_command_show(int argc, char **argv)
{
    show_job job = {.options = {.top = 20}};
    for (int at = 1; at < argc; at++) {
        const int code = read_option(&job, argc, argv, &at);
        if (code)
            return code;
    }
    if (job.use_log)
        return job.path
                   ? wpg_usage_error(command_name, "--use-log cannot be combined with a profile; --bundle "
                                                   "names the one that has the shaders")
                   : show_use_log(&job);
    if (job.bundle)
        return wpg_usage_error(command_name, "--bundle goes with --use-log");
    if (!job.path)
        return wpg_usage_error(command_name, "no profile is given: name a file or a folder");
    return show_profile(&job);
}
