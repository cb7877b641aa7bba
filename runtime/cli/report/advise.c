/* wavepgo advise: the author's list as text. */
#include "runtime/cli/report/report.h"

#include "runtime/cli/common/command.h"
#include "runtime/report/model/places.h"
#include "runtime/report/page/page.h"

static size_t top; /* the printer takes a report alone */

static void print_advice(FILE *out, const wpg_report *report)
{
    size_t shown = top && top < report->advice.count ? top : report->advice.count;
    char place[200], called[WPG_PLACE_SIZE];
    for (size_t i = 0; i < shown; i++) {
        const wpg_report_advice *advice = &report->advice.data[i];
        const wpg_report_shader *shader = &report->shaders[advice->shader];
        (void)fprintf(out, "%s%zu. %s, %s\n   %s\n   because %s\n", i ? "\n" : "", i + 1,
                      wpg_report_called(called, shader->name, shader->hex),
                      wpg_report_place(place, sizeof place, report, shader, advice->function, advice->block),
                      advice->what, advice->evidence);
        if (advice->saving > 0)
            (void)fprintf(out, "   predicted: %.1f %% of the shader's work, %.1f %% of all\n",
                          100 * advice->saving, 100 * advice->of_all);
        else
            (void)fprintf(out, "   %s\n", wpg_report_no_prediction(advice));
    }
    if (shown < report->advice.count)
        (void)fprintf(out, "\n(%zu more; --top 0 shows all)\n", report->advice.count - shown);
    if (!report->advice.count)
        (void)fprintf(out, "Nothing stands out in %s.\n", report->path);
}

/* Leaves advice on what has the name. 0, or an exit code after a complaint. */
static int select_advice(wpg_report *report, const char *part)
{
    wpg_report_found found;
    wpg_error err;
    size_t kept = 0;
    if (wpg_report_find(&found, report, part, &err) != WPG_OK)
        return wpg_complain(WPG_EXIT_FAILED, "advise", "%s", err.message);
    for (size_t i = 0; i < report->advice.count; i++) {
        const wpg_report_advice *advice = &report->advice.data[i];
        bool wanted = advice->shader == found.shader;
        if (found.pipeline != WPG_REPORT_NONE)
            for (size_t s = 0; s < report->pipelines[found.pipeline].stage_count; s++)
                wanted |= report->pipelines[found.pipeline].stages[s].shader == advice->shader;
        if (wanted)
            report->advice.data[kept++] = *advice;
    }
    report->advice.count = kept;
    return 0;
}

int wpg_command_advise(int argc, char **argv)
{
    wpg_report_job job = {.command = "advise", .top = 20};
    int code = wpg_report_parse(&job, argc, argv);
    wpg_report *report = code ? NULL : wpg_report_open(&job);
    top = job.top;
    if (!code && report && job.only)
        code = select_advice(report, job.only);
    if (!code)
        code = report ? wpg_report_write(&job, job.json ? wpg_report_json : print_advice, report)
                      : WPG_EXIT_FAILED;
    wpg_report_destroy(report);
    wpg_vec_free(&job.paths);
    return code;
}
