/* wavepgo diff: reads two profiles, and hands what changed to a printer. */
#include "runtime/cli/diff/diff.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"
#include "runtime/cli/common/command.h"
#include "runtime/cli/common/recover.h"

static const char command_name[] = "diff";

typedef struct diff_job {
    wpg_output output;
    const char *paths[2], *use_logs[2];
    double threshold;
    bool raw;
    size_t top, path_count;
} diff_job;

static int print(const diff_job *job, const wpg_diff *diff)
{
    wpg_terminal terminal;
    bool good = !diff->out_of_memory;
    wpg_output_open(&terminal, &job->output);
    if (job->output.json)
        wpg_diff_json(terminal.out, diff);
    else if (job->output.csv)
        good &= wpg_diff_csv(terminal.out, diff);
    else
        good &= wpg_diff_text(&terminal, diff, job->top);
    const int code = wpg_output_close(&terminal, command_name, 0);
    return good ? code : wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
}

static int compare(const diff_job *job, wpg_report *const reports[2])
{
    wpg_diff diff = {.reports = {reports[0], reports[1]}, .threshold = job->threshold, .raw = job->raw};
    int code = 0;
    wpg_diff_match(&diff);
    if (job->use_logs[0])
        code = wpg_diff_use_logs(&diff, command_name, job->use_logs);
    if (code == 0) {
        wpg_diff_compare(&diff);
        code = print(job, &diff);
    }
    wpg_diff_finish(&diff);
    return code;
}

static int run(const diff_job *job)
{
    wpg_report *reports[2] = {NULL, NULL};
    wpg_error err;
    int code = 0;
    for (unsigned i = 0; i < 2 && code == 0; i++) {
        const wpg_report_options options = {.path = job->paths[i]};
        wpg_recover_folder(command_name, job->paths[i], true);
        if (wpg_report_load(&reports[i], &options, &err) != WPG_OK)
            code = wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    }
    if (code == 0)
        code = compare(job, reports);
    wpg_report_destroy(reports[0]);
    wpg_report_destroy(reports[1]);
    return code;
}

static bool parse_count(size_t *value, const char *text)
{
    char *end = NULL;
    *value = text ? strtoul(text, &end, 10) : 0;
    return text && end != text && *end == '\0' && *text != '-';
}

/* 0, or an exit code. */
static int read_option(diff_job *job, int argc, char **argv, int *at)
{
    const char *option = argv[*at], *value = *at + 1 < argc ? argv[*at + 1] : NULL;
    const int taken = wpg_output_option(&job->output, command_name, argc, argv, at);
    if (taken)
        return taken > 0 ? 0 : WPG_EXIT_USAGE;
    if (strcmp(option, "--raw") == 0) {
        job->raw = true;
    } else if (strcmp(option, "--threshold") == 0) {
        if (!value || !wpg_parse_real(&job->threshold, value) || job->threshold < 0)
            return wpg_usage_error(command_name, "--threshold takes a percentage");
        ++*at;
    } else if (strcmp(option, "--top") == 0) {
        if (!parse_count(&job->top, value))
            return wpg_usage_error(command_name, "--top takes a number");
        ++*at;
    } else if (strcmp(option, "--use-logs") == 0) {
        if (*at + 2 >= argc)
            return wpg_usage_error(command_name, "--use-logs takes two use logs");
        job->use_logs[0] = argv[++*at];
        job->use_logs[1] = argv[++*at];
    } else if (option[0] == '-' && option[1]) {
        return wpg_usage_error(command_name, "no option is called '%s'", option);
    } else if (job->path_count == 2) {
        return wpg_usage_error(command_name, "give two bundles or profiles");
    } else {
        job->paths[job->path_count++] = option;
    }
    return 0;
}

int wpg_command_diff(int argc, char **argv)
{
    diff_job job = {.threshold = 1, .top = 20};
    for (int at = 1; at < argc; at++) {
        const int code = read_option(&job, argc, argv, &at);
        if (code)
            return code;
    }
    return job.path_count == 2 ? run(&job) : wpg_usage_error(command_name, "give two bundles or profiles");
}
