/* wavepgo annotate: finds a shader by name or hash, and prints its source with counts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/normalize/normalize.h"
#include "runtime/base/vec.h"
#include "runtime/cli/common/command.h"
#include "runtime/cli/common/output.h"
#include "runtime/cli/common/recover.h"
#include "runtime/report/listing/annotate.h"
#include "runtime/report/model/shader_source.h"

static const char command_name[] = "annotate";

typedef struct annotate_job {
    wpg_output output;
    const char *path, *name;
    WPG_VEC(const char *) places;
    long context;
    bool spirv; /* no GLSL by SPIRV-Cross */
} annotate_job;

/* -- The shader */

/* The shader's SPIR-V in normal form. False: no place has it. */
static bool find_module(wpg_shader_source *source, const annotate_job *job, const wpg_report *report,
                        const wpg_report_shader *shader)
{
    bool in_folder;
    for (size_t i = 0; i <= job->places.count; i++) {
        const char *place = i ? job->places.data[i - 1] : report->is_bundle ? report->path : NULL;
        if (!place ||
            wpg_shader_source_find(source, &in_folder, place, shader->functions[0].counts, NULL) != WPG_OK)
            continue;
        if (wpg_normalize(source->module, &source->stage, NULL, NULL) == WPG_OK) {
            source->stage.spec = NULL; /* the normal form bears the values of specialisation */
            source->stage.spec_count = 0;
            return true;
        }
        wpg_shader_source_finish(source);
    }
    return false;
}

static wpg_status print(const wpg_terminal *terminal, const annotate_job *job, const wpg_annotate *annotate,
                        wpg_error *err)
{
    if (job->output.json)
        return wpg_annotate_json(terminal->out, annotate, err);
    if (job->output.csv)
        return wpg_annotate_csv(terminal->out, annotate, err);
    return wpg_annotate_text(terminal, annotate, err);
}

static int annotate_shader(const annotate_job *job, const wpg_report *report, const wpg_report_shader *shader)
{
    wpg_annotate annotate = {.report = report, .shader = shader, .context = job->context};
    wpg_shader_source source;
    wpg_terminal terminal;
    wpg_error err;
    const bool listed = shader->has_module && !wpg_annotate_has_source(report, shader) &&
                        find_module(&source, job, report, shader);
    if (listed) {
        annotate.normal = source.module;
        annotate.stage = &source.stage;
    }
    wpg_output_open(&terminal, &job->output);
    const wpg_status status = print(&terminal, job, &annotate, &err);
    const int code = wpg_output_close(&terminal, command_name, 0);
    if (listed)
        wpg_shader_source_finish(&source);
    return status == WPG_OK ? code : wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
}

static int annotate(const annotate_job *job)
{
    const wpg_report_options options = {.path = job->path,
                                        .places = job->places.data,
                                        .place_count = job->places.count,
                                        .with_glsl = !job->spirv};
    wpg_report *report;
    wpg_error err;
    uint32_t index = 0; /* the hottest */
    int code;
    wpg_recover_folder(command_name, job->path, true);
    if (wpg_report_load(&report, &options, &err) != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    if (job->name && wpg_report_find_shader(&index, report, job->name, &err) != WPG_OK)
        code = wpg_complain(WPG_EXIT_FAILED, command_name, "%s", err.message);
    else
        code = annotate_shader(job, report, &report->shaders[index]);
    wpg_report_destroy(report);
    return code;
}

/* -- Options */

static bool parse_context(long *context, const char *text)
{
    char *end;
    if (text && strcmp(text, "all") == 0) {
        *context = WPG_CONTEXT_ALL;
        return true;
    }
    errno = 0;
    *context = text ? strtol(text, &end, 10) : -1;
    return text && errno == 0 && end != text && *end == '\0' && *context >= 0;
}

/* 0, or an exit code. */
static int read_option(annotate_job *job, int argc, char **argv, int *at)
{
    const char *value = *at + 1 < argc ? argv[*at + 1] : NULL;
    const int taken = wpg_output_option(&job->output, command_name, argc, argv, at);
    if (taken)
        return taken > 0 ? 0 : WPG_EXIT_USAGE;
    if (strcmp(argv[*at], "--context") == 0) {
        if (!parse_context(&job->context, value))
            return wpg_usage_error(command_name, "--context takes a number of lines, or all");
        ++*at;
    } else if (strcmp(argv[*at], "--spirv") == 0) {
        job->spirv = true;
    } else if (strcmp(argv[*at], "--shaders") == 0) {
        if (!value)
            return wpg_usage_error(command_name, "--shaders needs a bundle or a folder of SPIR-V");
        if (!wpg_vec_push(&job->places, (const char *)argv[++*at])) /* NOLINT(bugprone-sizeof-expression) */
            return wpg_complain(WPG_EXIT_FAILED, command_name, "out of memory");
    } else if (argv[*at][0] == '-' && argv[*at][1]) {
        return wpg_usage_error(command_name, "no option is called '%s'", argv[*at]);
    } else if (!job->path) {
        job->path = argv[*at];
    } else if (!job->name) {
        job->name = argv[*at];
    } else {
        return wpg_usage_error(command_name, "give one bundle or profile, and one name");
    }
    return 0;
}

int wpg_command_annotate(int argc, char **argv)
{
    annotate_job job = {.context = WPG_CONTEXT_AUTO};
    int code = 0;
    for (int at = 1; at < argc && code == 0; at++)
        code = read_option(&job, argc, argv, &at);
    if (code == 0 && !job.path)
        code = wpg_usage_error(command_name, "no bundle or profile is given");
    if (code == 0)
        code = annotate(&job);
    wpg_vec_free(&job.places);
    return code;
}
