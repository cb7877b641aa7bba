/* Asks use mode about each shader: the same passes as in the layer, on the module of the bundle. */
#include "runtime/cli/report/use_mode.h"

#include <time.h>

#include "compiler/normalize/normalize.h"
#include "compiler/normalize/spirv_tools.h"
#include "compiler/optimize/ir/optimize.h"
#include "runtime/base/vec.h"
#include "runtime/profile/value_records.h"
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

/* Inputs that had one value all through the run, as constants: what that would save. */
static wpg_status ask_inputs(wpg_report_shader *shader, wpg_module *module, const wpg_stage *stage,
                             const wpg_shader_counts *entry, const wpg_weights *weights)
{
    const wpg_profile_record *record = entry->function == 0 ? entry->records[WPG_RECORD_INPUTS] : NULL;
    WPG_VEC(wpg_known_input) known = {0};
    wpg_status status = WPG_OK;
    for (size_t i = 0; i < wpg_value_site_count(record) && status == WPG_OK; i++) {
        wpg_value_site_counts site;
        if (!wpg_value_site_at(&site, record, i))
            status = WPG_E_NOMEM;
        else if (wpg_report_is_steady(&site) &&
                 !wpg_vec_push(&known, ((wpg_known_input){(uint32_t)i, (uint32_t)site.values[0].value})))
            status = WPG_E_NOMEM;
        wpg_value_site_finish(&site);
    }
    if (status == WPG_OK && known.count)
        shader->has_input_saving = wpg_inputs_what_if(&shader->input_saving, module, stage, weights,
                                                      known.data, known.count, wpg_ssa_tier, NULL) == WPG_OK;
    wpg_vec_free(&known);
    return status;
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
        status = ask_inputs(shader, source.module, &source.stage, functions, &weights);
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
