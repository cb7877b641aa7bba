/* wavepgo report: reads a bundle or a profile, and writes the page, or JSON. */
#include "runtime/cli/report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "runtime/base/file.h"
#include "runtime/base/text.h"
#include "runtime/cli/common/command.h"
#include "runtime/cli/common/compare_file.h"
#include "runtime/cli/common/recover.h"
#include "runtime/cli/report/use_mode.h"
#include "runtime/config/settings.h"
#include "runtime/report/page/page.h"

/* So long use mode is asked; 2,000 pipelines take no longer. */
static const double USE_MODE_SECONDS = 2;

static int parse_top(wpg_report_job *job, const char *value)
{
    char *end;
    if (!value || *value < '0' || *value > '9')
        return wpg_usage_error(job->command, "--top takes a number");
    job->top = strtoul(value, &end, 10);
    return *end ? wpg_usage_error(job->command, "--top takes a number") : 0;
}

/* Of the setting SKIP_PASSES. */
static const char *letters(void)
{
    size_t count;
    const wpg_setting_info *table = wpg_settings_table(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].key, "SKIP_PASSES") == 0)
            return table[i].choices;
    return "";
}

int wpg_report_parse(wpg_report_job *job, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--json") == 0) {
            job->json = true;
        } else if (strcmp(argv[i], "--no-use-mode") == 0) {
            job->without_use_mode = true;
        } else if (strcmp(argv[i], "--skip-passes") == 0) {
            if (!value || !*value || value[strspn(value, letters())])
                return wpg_usage_error(job->command,
                                       "--skip-passes takes letters of passes: 'wavepgo help SKIP_PASSES'");
            job->skip_passes = value;
            i++;
        } else if (strcmp(argv[i], "--only") == 0 && strcmp(job->command, "advise") == 0) {
            if (!value)
                return wpg_usage_error(job->command, "--only needs a part of a name or hash");
            job->only = value;
            i++;
        } else if (strcmp(argv[i], "--top") == 0) {
            if (parse_top(job, value))
                return WPG_EXIT_USAGE;
            i++;
        } else if (strcmp(argv[i], "--estimate") == 0 || strcmp(argv[i], "--compare") == 0) {
            if (!value)
                return wpg_usage_error(job->command, "%s needs the JSON that 'wavepgo %s --json' printed",
                                       argv[i], argv[i] + 2);
            *(argv[i][2] == 'e' ? &job->estimate : &job->compare) = value;
            i++;
        } else if (strcmp(argv[i], "-o") == 0) {
            if (!value)
                return wpg_usage_error(job->command, "-o needs a file; - is standard output");
            job->out = argv[++i];
        } else if (argv[i][0] == '-' && argv[i][1]) {
            return wpg_usage_error(job->command, "no option is called '%s'", argv[i]);
        } else if (!wpg_vec_push(&job->paths,
                                 (const char *)argv[i])) { /* NOLINT(bugprone-sizeof-expression) */
            return wpg_complain(WPG_EXIT_FAILED, job->command, "out of memory");
        }
    }
    return job->paths.count
               ? 0
               : wpg_usage_error(job->command, "no bundle or profile is given: 'wavepgo run "
                                               "--generate -- PROGRAM' makes the bundle PROGRAM.wavepgo");
}

/* Takes another command's document into the report; it must be of that command (`key` names it). */
static wpg_status add_document(wpg_report *report, const char *name, const char *key, const char *path,
                               wpg_error *err)
{
    json_error_t error;
    if (!path)
        return WPG_OK;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!document)
        return wpg_fail(err, WPG_E_FORMAT, "%.100s: line %d: %.100s", path, error.line, error.text);
    char *text =
        json_object_get(document, key) ? json_dumps(document, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
    json_decref(document);
    if (!text)
        return wpg_fail(err, WPG_E_FORMAT, "%.100s is not what 'wavepgo %s --json' prints", path, name);
    const bool added = wpg_report_extra_add(report, name, text);
    free(text);
    return added ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

wpg_report *wpg_report_open(const wpg_report_job *job)
{
    wpg_report *report = NULL;
    char path[4400];
    wpg_error err;
    const wpg_report_options options = {.path = job->paths.data[0],
                                        .places = job->paths.data + 1,
                                        .place_count = job->paths.count - 1,
                                        .with_glsl = true};
    wpg_recover_folder(job->command, options.path, true);
    wpg_status status = wpg_report_load(&report, &options, &err);
    if (status == WPG_OK && !job->without_use_mode)
        (void)wpg_report_ask_use_mode(report, &options, job->skip_passes, USE_MODE_SECONDS);
    if (status == WPG_OK)
        status = wpg_report_advise(report, &err);
    if (status == WPG_OK)
        status = add_document(report, "estimate", "what_if", job->estimate, &err);
    /* What the last comparison left with the profile, if the counts are still those. */
    const char *compare = job->compare;
    if (!compare && wpg_compare_file_path(path, sizeof path, options.path) &&
        wpg_compare_file_is_current(options.path))
        compare = path;
    if (status == WPG_OK)
        status = add_document(report, "compare", "wavepgo-compare", compare, &err);
    if (status == WPG_OK)
        return report;
    (void)wpg_complain(0, job->command, "%s", err.message);
    wpg_report_destroy(report);
    return NULL;
}

static int cannot_write(const wpg_report_job *job, const char *why)
{
    return wpg_complain(WPG_EXIT_FAILED, job->command, "cannot write: %s", why);
}

int wpg_report_write(const wpg_report_job *job, void (*print)(FILE *out, const wpg_report *report),
                     const wpg_report *report)
{
    char *text = NULL;
    size_t size = 0;
    wpg_error err;
    if (!job->out || strcmp(job->out, "-") == 0) {
        print(stdout, report);
        return fflush(stdout) == 0 && !ferror(stdout) ? 0 : cannot_write(job, strerror(errno));
    }
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return cannot_write(job, "out of memory");
    print(memory, report);
    const bool bad = ferror(memory) != 0;
    if (fclose(memory) != 0 || bad) {
        free(text);
        return cannot_write(job, "out of memory");
    }
    const wpg_status status = wpg_file_write_atomic(job->out, text, size, &err);
    free(text);
    return status == WPG_OK ? 0 : wpg_complain(WPG_EXIT_FAILED, job->command, "%s", err.message);
}

int wpg_command_report(int argc, char **argv)
{
    wpg_report_job job = {.command = "report"};
    int code = wpg_report_parse(&job, argc, argv);
    if (!code && !job.json && !job.out && isatty(STDOUT_FILENO))
        code = wpg_usage_error(job.command, "name the page: -o report.html");
    wpg_report *report = code ? NULL : wpg_report_open(&job);
    if (!code)
        code = !report    ? WPG_EXIT_FAILED
               : job.json ? wpg_report_write(&job, wpg_report_json, report)
                          : wpg_report_write(&job, wpg_report_page, report);
    if (!code && job.out && strcmp(job.out, "-") != 0 && !job.json)
        (void)printf("%s: %zu pipeline%s, %zu shader%s, %zu piece%s of advice\n", job.out,
                     report->pipeline_count, wpg_plural(report->pipeline_count), report->shader_count,
                     wpg_plural(report->shader_count), report->advice.count,
                     wpg_plural(report->advice.count));
    wpg_report_destroy(report);
    wpg_vec_free(&job.paths);
    return code;
}
