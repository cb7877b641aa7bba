/* Asks use mode about each shader: the same passes as in the layer, on the module of the bundle. */
#include "runtime/cli/report/use_mode.h"

#include <time.h>

#include "compiler/normalize/normalize.h"
#include "compiler/normalize/spirv_tools.h"
#include "compiler/optimize/ir/optimize.h"
#include "runtime/profile/weights.h"
#include "runtime/report/model/shader_source.h"

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void keep_remarks(wpg_report *report, uint32_t index, const wpg_remarks *remarks)
{
    for (uint32_t i = 0; i < remarks->count; i++) {
        const wpg_remark *from = &remarks->items[i];
        const wpg_report_remark remark = {.done = from->kind == WPG_REMARK_DONE,
                                          .pass = from->pass,
                                          .text = from->text,
                                          .function = from->ordinal,
                                          .block = from->block};
        if (!wpg_report_remark_add(report, index, &remark))
            return;
    }
}

static void ask(wpg_report *report, uint32_t index, const char *place)
{
    wpg_report_shader *shader = &report->shaders[index];
    const wpg_shader_counts *functions;
    const size_t count =
        wpg_shader_view_find(&functions, report->view, shader->hash, shader->stage, shader->entry);
    wpg_shader_source source;
    wpg_weights weights;
    wpg_remarks *remarks = NULL;
    wpg_optimize_options how;
    wpg_arena arena;
    bool in_folder, changed;
    if (!count || wpg_shader_source_find(&source, &in_folder, place, functions, NULL) != WPG_OK)
        return;
    wpg_arena_init(&arena);
    wpg_optimize_defaults(&how);
    wpg_status status = wpg_normalize(source.module, &source.stage, NULL, NULL);
    source.stage.spec_count = 0;
    if (status == WPG_OK)
        status = wpg_weights_of_shader(&weights, &arena, functions, count);
    if (status == WPG_OK)
        status = wpg_optimize(&remarks, &changed, &source.module, &source.stage, &weights, &how, wpg_ssa_tier,
                              NULL);
    if (status == WPG_OK)
        keep_remarks(report, index, remarks);
    wpg_remarks_destroy(remarks);
    wpg_arena_finish(&arena);
    wpg_shader_source_finish(&source);
}

size_t wpg_report_ask_use_mode(wpg_report *report, const wpg_report_options *options, double seconds)
{
    const double end = now() + seconds, least = 0.01;
    double all = 0, rest;
    size_t asked = 0;
    for (size_t i = 0; i < report->shader_count; i++)
        all += report->shaders[i].cost;
    rest = all;
    for (size_t i = 0; i < report->shader_count && now() < end && rest > all * least; i++) {
        rest -= report->shaders[i].cost;
        if (!report->shaders[i].has_module)
            continue;
        for (size_t p = 0; p <= options->place_count && !report->shaders[i].remarks.count; p++) {
            const char *place = p ? options->places[p - 1] : report->is_bundle ? report->path : NULL;
            if (place)
                ask(report, (uint32_t)i, place);
        }
        asked++;
    }
    return asked;
}
