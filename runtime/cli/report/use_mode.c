/* Asks use mode about each shader: the same passes as in the layer, on the module of the bundle. */
#include "runtime/cli/report/use_mode.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "compiler/normalize/normalize.h"
#include "compiler/normalize/spirv_tools.h"
#include "compiler/optimize/ir/optimize.h"
#include "runtime/base/vec.h"
#include "runtime/bundle/push_facts.h"
#include "runtime/profile/value_records.h"
#include "runtime/profile/weights.h"
#include "runtime/report/model/shader_source.h"

static double now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* What the pass of this remark saves; each pass is told once. Negative: not known. */
static double saving_of(wpg_pass_saving *savings, uint32_t count, const wpg_remark *remark)
{
    static const double least = 0.005; /* what pays in another way than by instructions */
    for (uint32_t i = 0; i < count; i++)
        if (savings[i].pass && remark->kind == WPG_REMARK_DONE &&
            strcmp(savings[i].pass, remark->pass) == 0) {
            savings[i].pass = NULL;
            return savings[i].share >= least ? savings[i].share : -1;
        }
    return -1;
}

/* `pass` NULL: of all passes. */
static void keep_remarks(wpg_report *report, uint32_t index, wpg_remarks *remarks, const char *pass)
{
    for (uint32_t i = 0; i < remarks->count; i++) {
        const wpg_remark *from = &remarks->items[i];
        if (pass && strcmp(from->pass, pass) != 0)
            continue;
        const wpg_report_remark remark = {.done = from->kind == WPG_REMARK_DONE,
                                          .pass = from->pass,
                                          .text = from->text,
                                          .function = from->ordinal,
                                          .block = from->block,
                                          .saving = saving_of(remarks->savings, remarks->saving_count, from)};
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

/* -- One shader */

typedef struct question {
    wpg_shader_source source; /* in normal form; the module is NULL once the optimiser took it */
    wpg_weights weights;
    const wpg_shader_counts *functions;
    wpg_arena arena;
} question;

/* False: the shader cannot be optimised. Nothing is to be finished then. */
static bool question_make(question *q, const wpg_report *report, const wpg_report_shader *shader,
                          const char *place)
{
    bool in_folder;
    const size_t count =
        wpg_shader_view_find(&q->functions, report->view, shader->hash, shader->stage, shader->entry);
    if (!count || wpg_shader_source_find(&q->source, &in_folder, place, q->functions, NULL) != WPG_OK)
        return false;
    wpg_arena_init(&q->arena);
    wpg_status status = wpg_normalize(q->source.module, &q->source.stage, NULL, NULL);
    q->source.stage.spec_count = 0;
    if (status == WPG_OK)
        status = wpg_weights_of_shader(&q->weights, &q->arena, q->functions, count);
    if (status == WPG_OK)
        return true;
    wpg_arena_finish(&q->arena);
    wpg_shader_source_finish(&q->source);
    return false;
}

static void question_finish(question *q)
{
    wpg_arena_finish(&q->arena);
    wpg_shader_source_finish(&q->source);
}

/* NULL: it failed. */
static wpg_remarks *optimize(question *q, const wpg_optimize_options *how)
{
    wpg_remarks *remarks = NULL;
    bool changed;
    return wpg_optimize(&remarks, &changed, &q->source.module, &q->source.stage, &q->weights, how,
                        wpg_ssa_tier, NULL) == WPG_OK
               ? remarks
               : NULL;
}

/* What the variant for the commonest push constants of its first pipeline saves, as the layer makes it at
 * draws: by the share that these are of all draws and dispatches. */
static void ask_pushes(wpg_report *report, uint32_t index, const char *place)
{
    static const double least_share = 0.9; /* the default of VARIANT_SHARE */
    enum { FEW = 16 };                     /* as the layer (layer/profile/usual.h) */
    const wpg_report_shader *shader = &report->shaders[index];
    const wpg_facts *facts =
        shader->pipeline_count
            ? wpg_bundle_find(&report->bundle, "pipeline", report->pipelines[shader->pipelines[0]].hex)
            : NULL;
    wpg_push_sets sets = {0};
    wpg_push_value values[WPG_PUSH_FOLD_WORDS];
    uint64_t words = 0;
    wpg_optimize_options how;
    question q;
    wpg_optimize_defaults(&how);
    if (facts && wpg_push_facts_sets(&sets, facts, NULL) == WPG_OK && wpg_push_sets_listed(&sets) &&
        wpg_push_sets_narrow(&words, &sets, FEW, least_share) && question_make(&q, report, shader, place)) {
        const double all = (double)wpg_push_sets_listed(&sets) + (double)sets.others;
        for (uint32_t i = 0; i < WPG_PUSH_SET_WORDS; i++)
            if (words >> i & 1)
                values[how.push_count++] = (wpg_push_value){i * 4, sets.sets[0].values[i]};
        how.pushes = values;
        how.push_sets = &sets;
        how.measure = true;
        (void)snprintf(how.passes, sizeof how.passes, "aceflortuvwz");
        wpg_remarks *remarks = optimize(&q, &how);
        for (uint32_t i = 0; remarks && i < remarks->saving_count; i++)
            remarks->savings[i].share *= (double)sets.sets[0].n / all;
        if (remarks)
            keep_remarks(report, index, remarks, "push-fold");
        wpg_remarks_destroy(remarks);
        question_finish(&q);
    }
    wpg_push_sets_finish(&sets);
}

static void ask(wpg_report *report, uint32_t index, const char *place, const char *skip_passes)
{
    question q;
    wpg_optimize_options how;
    if (!question_make(&q, report, &report->shaders[index], place))
        return;
    wpg_optimize_defaults(&how);
    how.measure = true;
    if (skip_passes)
        (void)snprintf(how.passes, sizeof how.passes, "%s", skip_passes);
    if (ask_inputs(&report->shaders[index], q.source.module, &q.source.stage, q.functions, &q.weights) ==
        WPG_OK) {
        wpg_remarks *remarks = optimize(&q, &how);
        if (remarks)
            keep_remarks(report, index, remarks, NULL);
        wpg_remarks_destroy(remarks);
    }
    question_finish(&q);
    if (!skip_passes || !strchr(skip_passes, WPG_PASS_PUSH_FOLD))
        ask_pushes(report, index, place);
}

size_t wpg_report_ask_use_mode(wpg_report *report, const wpg_report_options *options, const char *skip_passes,
                               double seconds)
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
                ask(report, (uint32_t)i, place, skip_passes);
        }
        asked++;
    }
    return asked;
}
