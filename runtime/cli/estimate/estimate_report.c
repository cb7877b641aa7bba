/* Prints the results of `wavepgo estimate`: tables for people, or one JSON document. Statistics keep the
 * driver's names. Known statistics are printed in a fixed order, and which direction is better is known.
 * Others stand only in JSON, or where a driver has no known one. */
#include "runtime/cli/estimate/estimate.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "runtime/report/text/figures.h"
#include "runtime/report/model/places.h"

/* RADV's names. "Subgroups per SIMD" is its occupancy: waves that fit beside each other. */
static const char *const known[] = {"VGPRs",
                                    "Pre-Sched VGPRs",
                                    "SGPRs",
                                    "Spilled VGPRs",
                                    "Spilled SGPRs",
                                    "LDS size",
                                    "Scratch size",
                                    "Subgroups per SIMD",
                                    "Code size",
                                    "Instructions",
                                    "Branches",
                                    "Latency",
                                    "Inverse Throughput"};
enum { KNOWN = sizeof known / sizeof *known };
static const char *const summed[] = {"VGPRs",     "Pre-Sched VGPRs", "Subgroups per SIMD",
                                     "Code size", "Latency",         "Inverse Throughput"};
enum { SUMMED = sizeof summed / sizeof *summed };

/* -- Looking up */

/* The result of a form, that of the original where it is made of the same words. */
static const wpg_estimate_result *result_of(const wpg_estimate_pipeline *pipeline, wpg_estimate_form form)
{
    const wpg_estimate_result *result = &pipeline->results[form];
    return result->same ? &pipeline->results[WPG_ESTIMATE_ORIGINAL] : result;
}

/* The executable of the same stages as one of the original's; NULL if there is none. */
static const wpg_estimate_executable *same_stages(const wpg_estimate_result *result,
                                                  const wpg_estimate_executable *as)
{
    for (size_t i = 0; i < result->count; i++)
        if (strcmp(result->executables[i].stages, as->stages) == 0 &&
            strcmp(result->executables[i].name, as->name) == 0)
            return &result->executables[i];
    return NULL;
}

static const wpg_estimate_statistic *find(const wpg_estimate_executable *executable, const char *name)
{
    for (size_t i = 0; executable && i < executable->count; i++)
        if (executable->statistics[i].is_number && strcmp(executable->statistics[i].name, name) == 0)
            return &executable->statistics[i];
    return NULL;
}

static bool has_known(const wpg_estimate_executable *executable)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (find(executable, known[i]))
            return true;
    return false;
}

/* How many forms are told of: the what-if is the last. */
static int form_count(const wpg_estimate_how *how)
{
    return how->no_what_if ? WPG_ESTIMATE_CUT : WPG_ESTIMATE_FORMS;
}

/* -- Text */

static void print_change(FILE *out, const wpg_estimate_statistic *from, const wpg_estimate_statistic *to)
{
    char text[24] = "-";
    if (to && to->number == from->number)
        (void)snprintf(text, sizeof text, "=");
    else if (to && from->number != 0)
        (void)snprintf(text, sizeof text, "%+.1f%%", (to->number / from->number - 1) * 100);
    (void)fprintf(out, " %9s", text);
}

static void print_row(FILE *out, const char *name,
                      const wpg_estimate_executable *const forms[WPG_ESTIMATE_FORMS], int count)
{
    const wpg_estimate_statistic *values[WPG_ESTIMATE_FORMS];
    bool any = false;
    for (int form = 0; form < count; form++) {
        values[form] = find(forms[form], name);
        any |= values[form] && values[form]->number != 0;
    }
    if (!any || !values[WPG_ESTIMATE_ORIGINAL])
        return;
    (void)fprintf(out, "    %-24s", name);
    for (int form = 0; form < count; form++)
        (void)fprintf(out, " %12s", values[form] ? values[form]->value : "-");
    for (int form = 1; form < count; form++)
        print_change(out, values[WPG_ESTIMATE_ORIGINAL], values[form]);
    (void)fputc('\n', out);
}

static void print_executable(FILE *out, const wpg_estimate_pipeline *pipeline, size_t index, int count)
{
    const wpg_estimate_executable *forms[WPG_ESTIMATE_FORMS];
    const wpg_estimate_executable *first = &pipeline->results[WPG_ESTIMATE_ORIGINAL].executables[index];
    char title[40];
    for (int form = 0; form < WPG_ESTIMATE_FORMS; form++)
        forms[form] = same_stages(result_of(pipeline, (wpg_estimate_form)form), first);
    (void)snprintf(title, sizeof title, "%.20s, waves of %" PRIu32, first->stages, first->subgroup_size);
    if (count == WPG_ESTIMATE_FORMS)
        (void)fprintf(out, "  %-26s %12s %12s %12s %9s %9s\n", title, "ORIGINAL", "USE", "WHAT-IF", "USE",
                      "WHAT-IF");
    else
        (void)fprintf(out, "  %-26s %12s %12s %9s\n", title, "ORIGINAL", "USE", "USE");
    if (has_known(first))
        for (size_t i = 0; i < KNOWN; i++)
            print_row(out, known[i], forms, count);
    else
        for (size_t i = 0; i < first->count; i++)
            print_row(out, first->statistics[i].name, forms, count);
}

/* The entry point; where that is "main", the shader's name and the hash's first digits. */
static void print_stage(FILE *out, const wpg_estimate_stage *s, const wpg_estimate *estimate)
{
    const wpg_estimate_how *how = &estimate->how;
    char hex[WPG_HASH_HEX + 1], called[WPG_PLACE_SIZE];
    wpg_hash_to_hex(hex, s->counts->shader);
    const wpg_report_shader *shader = wpg_report_shader_of(estimate->names, hex);
    (void)fprintf(out, "  %s %s:", s->counts->stage,
                  shader && strcmp(s->stage.entry, "main") == 0 ? wpg_report_called(called, shader->name, hex)
                                                                : s->stage.entry);
    if (!how->no_what_if)
        (void)fprintf(out, " %" PRIu32 " of %" PRIu32 " blocks never executed", s->cut.dead, s->cut.blocks);
    (void)fprintf(out, " (%s%s)", s->by_lanes ? "by lanes" : "by waves",
                  s->sampled ? ", SAMPLED: some may have been" : "");
    if (s->cut.undecided + s->cut.left)
        (void)fprintf(out, "; %" PRIu32 " branches left alone", s->cut.undecided + s->cut.left);
    if (s->cut.unknown)
        (void)fprintf(out, "; %" PRIu32 " functions not known", s->cut.unknown);
    (void)fputc('\n', out);
    if (*s->note)
        (void)fprintf(out, "    %s\n", s->note);
}

/* Processor time of the driver to create the pipeline, and ours before that. */
static void print_times(FILE *out, const wpg_estimate_pipeline *pipeline, int count)
{
    double ours = 0;
    for (size_t s = 0; s < pipeline->stage_count; s++)
        ours += pipeline->stages[s].rewrite_us;
    (void)fprintf(out, "  compile time, ms:");
    for (int form = 0; form < count; form++) {
        const wpg_estimate_result *result = result_of(pipeline, (wpg_estimate_form)form);
        if (result->compile_us > 0)
            (void)fprintf(out, " %s %.2f,", wpg_estimate_form_name((wpg_estimate_form)form),
                          result->compile_us * 1e-3);
    }
    (void)fprintf(out, " rewriting %.2f\n", ours * 1e-3);
}

static void print_pipeline(FILE *out, const wpg_estimate_pipeline *pipeline, const wpg_estimate *estimate)
{
    const wpg_estimate_how *how = &estimate->how;
    char hex[WPG_HASH_HEX + 1], digits[28];
    wpg_hash_to_hex(hex, pipeline->hash);
    (void)fprintf(out, "\n%s %s", pipeline->is_shader ? "SHADER" : "PIPELINE", hex);
    if (pipeline->gpu_nanoseconds)
        (void)fprintf(out, "  %.3f ms GPU", (double)pipeline->gpu_nanoseconds * 1e-6);
    (void)fprintf(out, "  %s block executions", wpg_group_digits(digits, pipeline->heat));
    const wpg_report_pipeline *named =
        pipeline->is_shader ? NULL : wpg_report_pipeline_of(estimate->names, hex);
    if (named)
        (void)fprintf(out, "  %s", named->name);
    (void)fputc('\n', out);
    if (*pipeline->problem) {
        (void)fprintf(out, "  %s\n", pipeline->problem);
        return;
    }
    for (size_t s = 0; s < pipeline->stage_count; s++)
        print_stage(out, &pipeline->stages[s], estimate);
    for (int form = 1; form < WPG_ESTIMATE_FORMS; form++) {
        const wpg_estimate_result *result = &pipeline->results[form];
        if (*result->problem)
            (void)fprintf(out, "  %s: %s\n", wpg_estimate_form_name((wpg_estimate_form)form),
                          result->problem);
    }
    if (how->repeat)
        print_times(out, pipeline, form_count(how));
    if (how->changed && pipeline->results[WPG_ESTIMATE_USE].same)
        (void)fprintf(out, "  use mode changes nothing: not compiled\n");
    else if (how->no_what_if && pipeline->results[WPG_ESTIMATE_USE].same)
        (void)fprintf(out, "  use mode changes nothing: the original alone\n");
    else if (pipeline->results[WPG_ESTIMATE_USE].same && pipeline->results[WPG_ESTIMATE_CUT].same)
        (void)fprintf(out, "  use mode changes nothing, and every block ran: the original alone\n");
    for (size_t i = 0; i < pipeline->results[WPG_ESTIMATE_ORIGINAL].count; i++)
        print_executable(out, pipeline, i, form_count(how));
}

/* Ratios of one statistic over the executables that have it in both forms. */
typedef struct ratios {
    size_t count, less, more;
    double log_sum, least, most;
} ratios;

static void add_ratio(ratios *to, double from, double value)
{
    double ratio = value / from;
    if (from <= 0 || value <= 0)
        return;
    to->log_sum += log(ratio);
    to->less += value < from;
    to->more += value > from;
    to->least = !to->count || ratio < to->least ? ratio : to->least;
    to->most = !to->count || ratio > to->most ? ratio : to->most;
    to->count++;
}

static ratios sum_up(const wpg_estimate *estimate, wpg_estimate_form form, const char *name)
{
    ratios sum = {0};
    for (size_t p = 0; p < estimate->pipelines.count; p++) {
        const wpg_estimate_pipeline *pipeline = &estimate->pipelines.data[p];
        const wpg_estimate_result *from = &pipeline->results[WPG_ESTIMATE_ORIGINAL];
        for (size_t i = 0; i < from->count; i++) {
            const wpg_estimate_statistic *a = find(&from->executables[i], name);
            const wpg_estimate_statistic *b =
                find(same_stages(result_of(pipeline, form), &from->executables[i]), name);
            if (a && b)
                add_ratio(&sum, a->number, b->number);
        }
    }
    return sum;
}

static void print_summary(FILE *out, const wpg_estimate *estimate)
{
    bool titled = false;
    int last = form_count(&estimate->how) - 1;
    for (size_t i = 0; i < SUMMED; i++) {
        ratios use = sum_up(estimate, WPG_ESTIMATE_USE, summed[i]),
               cut = sum_up(estimate, WPG_ESTIMATE_CUT, summed[i]);
        if (!use.count && !cut.count)
            continue;
        if (!titled && last == WPG_ESTIMATE_USE)
            (void)fprintf(out, "\n%-28s %33s\n%-28s %33s\n", "RATIO TO ORIGINAL", "USE", "(all executables)",
                          "geometric mean, least to most");
        else if (!titled)
            (void)fprintf(out, "\n%-28s %33s  %33s\n%-28s %33s  %33s\n", "RATIO TO ORIGINAL", "USE",
                          "WHAT-IF", "(all executables)", "geometric mean, least to most",
                          "geometric mean, least to most");
        titled = true;
        (void)fprintf(out, "  %-26s", summed[i]);
        for (int form = 1; form <= last; form++) {
            const ratios *r = form == WPG_ESTIMATE_USE ? &use : &cut;
            char text[48] = "-";
            if (r->count)
                (void)snprintf(text, sizeof text, "%.2f, %.2f to %.2f of %zu",
                               exp(r->log_sum / (double)r->count), r->least, r->most, r->count);
            (void)fprintf(out, " %33s%s", text, form < last ? " " : "\n");
        }
    }
}

void wpg_estimate_text(FILE *out, const wpg_estimate *estimate)
{
    size_t count = estimate->pipelines.count;
    (void)fprintf(out, "%s: %zu pipeline%s, the hottest first (by %s)\n", estimate->profile_path, count,
                  count == 1 ? "" : "s", estimate->by_time ? "GPU time" : "block executions");
    if (*estimate->device.name)
        (void)fprintf(out, "compiled for %s, by %s %s\n", estimate->device.name, estimate->device.driver,
                      estimate->device.info);
    if (!estimate->how.no_what_if)
        (void)fprintf(
            out, "WHAT-IF: without the blocks that the profile never saw executed. It would be wrong where "
                 "one of them is\n"
                 "needed: it is compiled here to be looked at, and never shipped.\n");
    if (estimate->without_modules)
        (void)fprintf(out, "%zu more without their SPIR-V here\n", estimate->without_modules);
    for (size_t i = 0; i < count; i++)
        print_pipeline(out, &estimate->pipelines.data[i], estimate);
    print_summary(out, estimate);
}

/* -- JSON */

/* Drivers may say what is no UTF-8. */
static json_t *text_json(const char *text)
{
    json_t *value = json_string(text);
    return value ? value : json_string("?");
}

static json_t *hash_json(wpg_hash128 hash)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, hash);
    return json_string(hex);
}

static json_t *number_json(const wpg_estimate_statistic *s)
{
    bool whole = strpbrk(s->value, ".eEn") == NULL && fabs(s->number) < 9e15;
    return whole ? json_integer((json_int_t)s->number) : json_real(isfinite(s->number) ? s->number : 0.0);
}

static json_t *executable_json(const wpg_estimate_executable *executable)
{
    json_t *object = json_object(), *statistics = json_object();
    (void)json_object_set_new(object, "name", text_json(executable->name));
    (void)json_object_set_new(object, "stages", text_json(executable->stages));
    (void)json_object_set_new(object, "subgroup_size", json_integer(executable->subgroup_size));
    for (size_t i = 0; i < executable->count; i++) {
        const wpg_estimate_statistic *s = &executable->statistics[i];
        (void)json_object_set_new(statistics, s->name, s->is_number ? number_json(s) : text_json(s->value));
    }
    (void)json_object_set_new(object, "statistics", statistics);
    return object;
}

static json_t *result_json(const wpg_estimate_pipeline *pipeline, wpg_estimate_form form)
{
    const wpg_estimate_result *result = result_of(pipeline, form);
    const char *problem = pipeline->results[form].problem;
    json_t *object = json_object(), *list = json_array();
    for (size_t i = 0; i < result->count; i++)
        (void)json_array_append_new(list, executable_json(&result->executables[i]));
    (void)json_object_set_new(object, "same_as_original",
                              json_boolean(form == WPG_ESTIMATE_ORIGINAL || pipeline->results[form].same));
    (void)json_object_set_new(object, "problem", *problem ? text_json(problem) : json_null());
    (void)json_object_set_new(object, "compile_microseconds",
                              result->compile_us > 0 ? json_real(result->compile_us) : json_null());
    (void)json_object_set_new(object, "executables", list);
    return object;
}

static json_t *passes_json(const wpg_estimate_stage *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->pass_count; i++)
        (void)json_array_append_new(list, json_string(s->passes[i]));
    return list;
}

/* Of the module in each form. A form without words of its own is the original. */
static json_t *words_json(const wpg_estimate_stage *s)
{
    json_t *object = json_object();
    for (int form = 0; form < WPG_ESTIMATE_FORMS; form++) {
        size_t count = form == WPG_ESTIMATE_USE ? s->emitted : s->forms[form].count;
        (void)json_object_set_new(object, wpg_estimate_form_name((wpg_estimate_form)form),
                                  json_integer((json_int_t)(count ? count : s->forms[0].count)));
    }
    return object;
}

static json_t *stage_json(const wpg_estimate_stage *s)
{
    json_t *object = json_object();
    (void)json_object_set_new(object, "stage", text_json(s->counts->stage));
    (void)json_object_set_new(object, "entry", text_json(s->stage.entry));
    (void)json_object_set_new(object, "shader", hash_json(s->counts->shader));
    (void)json_object_set_new(object, "blocks", json_integer(s->cut.blocks));
    (void)json_object_set_new(object, "never_executed", json_integer(s->cut.dead));
    (void)json_object_set_new(object, "branches_decided", json_integer(s->cut.decided));
    (void)json_object_set_new(object, "cases_dropped", json_integer(s->cut.cases));
    (void)json_object_set_new(object, "branches_left", json_integer(s->cut.undecided + s->cut.left));
    (void)json_object_set_new(object, "passes", passes_json(s));
    (void)json_object_set_new(object, "words", words_json(s));
    (void)json_object_set_new(object, "wave_size", s->wave_size ? json_integer(s->wave_size) : json_null());
    (void)json_object_set_new(object, "rewrite_microseconds", json_real(s->rewrite_us));
    (void)json_object_set_new(object, "by", json_string(s->by_lanes ? "lanes" : "waves"));
    (void)json_object_set_new(object, "sampled", json_boolean(s->sampled));
    (void)json_object_set_new(object, "problem", *s->note ? text_json(s->note) : json_null());
    return object;
}

static json_t *pipeline_json(const wpg_estimate_pipeline *pipeline, const wpg_estimate_how *how)
{
    json_t *object = json_object(), *stages = json_array(), *forms = json_object();
    (void)json_object_set_new(object, pipeline->is_shader ? "shader" : "pipeline", hash_json(pipeline->hash));
    (void)json_object_set_new(object, "gpu_nanoseconds", json_integer((json_int_t)pipeline->gpu_nanoseconds));
    (void)json_object_set_new(object, "block_executions", json_integer((json_int_t)pipeline->heat));
    (void)json_object_set_new(object, "problem",
                              *pipeline->problem ? text_json(pipeline->problem) : json_null());
    for (size_t s = 0; s < pipeline->stage_count; s++)
        (void)json_array_append_new(stages, stage_json(&pipeline->stages[s]));
    (void)json_object_set_new(object, "stages", stages);
    for (int form = 0; form < form_count(how); form++)
        (void)json_object_set_new(forms, wpg_estimate_form_name((wpg_estimate_form)form),
                                  result_json(pipeline, (wpg_estimate_form)form));
    (void)json_object_set_new(object, "forms", forms);
    return object;
}

static json_t *ratios_json(ratios r)
{
    json_t *object = json_object();
    (void)json_object_set_new(object, "executables", json_integer((json_int_t)r.count));
    (void)json_object_set_new(object, "less", json_integer((json_int_t)r.less));
    (void)json_object_set_new(object, "more", json_integer((json_int_t)r.more));
    if (r.count) {
        (void)json_object_set_new(object, "geometric_mean", json_real(exp(r.log_sum / (double)r.count)));
        (void)json_object_set_new(object, "least", json_real(r.least));
        (void)json_object_set_new(object, "most", json_real(r.most));
    }
    return object;
}

static json_t *summary_json(const wpg_estimate *estimate)
{
    json_t *object = json_object();
    for (int form = 1; form < form_count(&estimate->how); form++) {
        json_t *part = json_object();
        for (size_t i = 0; i < SUMMED; i++)
            (void)json_object_set_new(part, summed[i],
                                      ratios_json(sum_up(estimate, (wpg_estimate_form)form, summed[i])));
        (void)json_object_set_new(object, wpg_estimate_form_name((wpg_estimate_form)form), part);
    }
    return object;
}

int wpg_estimate_json(FILE *out, const wpg_estimate *estimate)
{
    json_t *root = json_object(), *device = json_object(), *pipelines = json_array();
    (void)json_object_set_new(root, "profile", text_json(estimate->profile_path));
    (void)json_object_set_new(
        root, "what_if", json_string("without blocks that the profile never saw executed; never shipped"));
    (void)json_object_set_new(device, "name", text_json(estimate->device.name));
    (void)json_object_set_new(device, "driver", text_json(estimate->device.driver));
    (void)json_object_set_new(device, "info", text_json(estimate->device.info));
    (void)json_object_set_new(root, "device", device);
    (void)json_object_set_new(root, "order",
                              json_string(estimate->by_time ? "gpu_nanoseconds" : "block_executions"));
    (void)json_object_set_new(root, "without_modules", json_integer((json_int_t)estimate->without_modules));
    for (size_t i = 0; i < estimate->pipelines.count; i++)
        (void)json_array_append_new(pipelines, pipeline_json(&estimate->pipelines.data[i], &estimate->how));
    (void)json_object_set_new(root, "pipelines", pipelines);
    (void)json_object_set_new(root, "ratios", summary_json(estimate));
    int failed = json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    (void)fputc('\n', out);
    json_decref(root);
    return failed ? -1 : 0;
}
