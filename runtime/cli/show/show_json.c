/* The whole profile as one JSON document for scripts, version 1 (--top is ignored). Absent kinds are null,
 * never zero. Pipelines and shaders are in the order of the text: dearest first. */
#include "runtime/report/text/figures.h"
#include "runtime/report/model/places.h"
#include "runtime/cli/show/show.h"

#include <inttypes.h>

static void print_array(FILE *out, const char *name, const uint64_t *values, size_t count)
{
    (void)fprintf(out, ", \"%s\": ", name);
    if (!values) {
        (void)fputs("null", out);
        return;
    }
    for (size_t i = 0; i < count; i++)
        (void)fprintf(out, "%s%" PRIu64, i ? ", " : "[", values[i]);
    (void)fputs(count ? "]" : "[]", out);
}

static void print_shader_key(FILE *out, wpg_hash128 shader, const char *stage, const char *entry)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, shader);
    (void)fprintf(out, "\"shader\": \"%s\", \"stage\": \"%s\", \"entry\": ", hex, stage);
    wpg_json_string(out, entry);
}

static void print_name(FILE *out, const char *name)
{
    (void)fputs(", \"name\": ", out);
    wpg_json_string(out, name);
}

static void print_pipeline(FILE *out, const wpg_report *report, const wpg_report_pipeline *pipeline)
{
    (void)fprintf(out, "{\"pipeline\": \"%s\"", pipeline->hex);
    print_name(out, pipeline->name);
    (void)fprintf(out, ", \"cost\": %.6g, \"stages\": [", pipeline->cost);
    for (size_t i = 0; i < pipeline->stage_count; i++) {
        const wpg_report_stage *stage = &pipeline->stages[i];
        const wpg_report_shader *shader = &report->shaders[stage->shader];
        (void)fputs(i ? ", {" : "{", out);
        print_shader_key(out, shader->hash, shader->stage, shader->entry);
        if (stage->shared)
            (void)fputs(", \"runs\": null, \"lanes\": null, \"waves\": ", out);
        else
            (void)fprintf(out, ", \"runs\": %" PRIu64 ", \"lanes\": %" PRIu64 ", \"waves\": ", stage->runs,
                          stage->lanes);
        if (stage->has_waves)
            (void)fprintf(out, "%" PRIu64 "}", stage->waves);
        else
            (void)fputs("null}", out);
    }
    (void)fputs("]}", out);
}

/* Places of the blocks; null where no line is known. */
static void print_places(FILE *out, const wpg_show_options *options, const wpg_report_shader *owner,
                         const wpg_shader_counts *shader)
{
    (void)fputs(", \"places\": [", out);
    for (uint32_t b = 0; b < shader->block_count; b++) {
        char place[WPG_PLACE_SIZE];
        (void)fputs(b ? ", " : "", out);
        if (*wpg_report_line_of(place, options->report, owner, shader->function, b))
            wpg_json_string(out, place);
        else
            (void)fputs("null", out);
    }
    (void)fputc(']', out);
}

static void print_function(FILE *out, const wpg_show_options *options, const wpg_report_shader *owner,
                           const wpg_shader_counts *shader)
{
    print_shader_key(out, shader->shader, shader->stage, shader->entry);
    print_name(out, owner->name);
    (void)fprintf(out, ", \"function\": %u, \"checksum\": \"%016" PRIx64 "\", \"blocks\": %zu",
                  shader->function, shader->checksum, shader->block_count);
    print_array(out, "waves", shader->waves, shader->block_count);
    print_array(out, "lanes", shader->lanes, shader->block_count);
    print_array(out, "uniform", shader->uniform, shader->block_count);
    if (owner->has_module)
        print_places(out, options, owner, shader);
    print_array(out, "selects", shader->selects, shader->select_counter_count);
    wpg_show_probes_json(out, shader, options->bundle);
    (void)fputs(", \"values\": ", out);
    wpg_show_values_json(out, shader->records[WPG_RECORD_VALUES]);
    (void)fputs(", \"words\": ", out);
    wpg_show_values_json(out, shader->records[WPG_RECORD_WORDS]);
    (void)fputs(", \"inputs\": ", out);
    wpg_show_values_json(out, shader->records[WPG_RECORD_INPUTS]);
    print_array(out, "samples", shader->samples, WPG_SAMPLES_COUNTERS);
}

static void print_functions(FILE *out, const wpg_show_options *options)
{
    const wpg_report *report = options->report;
    const char *between = "\n  {";
    for (size_t i = 0; i < report->shader_count; i++) {
        const wpg_report_shader *owner = &report->shaders[i];
        for (size_t f = 0; f < owner->function_count && wpg_show_wants(options, owner); f++) {
            (void)fputs(between, out);
            print_function(out, options, owner, owner->functions[f].counts);
            (void)fputc('}', out);
            between = ",\n  {";
        }
    }
}

void wpg_show_json(FILE *out, const wpg_show_options *options)
{
    const wpg_report *report = options->report;
    const wpg_shader_view *view = report->view;
    const char *between = "\n  ";
    (void)fputs("{\"wavepgo-show\": 1, \"profile\": ", out);
    wpg_json_string(out, report->path);
    (void)fprintf(out, ", \"cost\": \"%s\",\n \"pipelines\": [", report->cost_is_time ? "gpu time" : "work");
    for (size_t i = 0; i < report->pipeline_count; i++) {
        if (!wpg_show_wants_pipeline(options, &report->pipelines[i]))
            continue;
        (void)fputs(between, out);
        print_pipeline(out, report, &report->pipelines[i]);
        between = ",\n  ";
    }
    (void)fputs("],\n \"shaders\": [", out);
    print_functions(out, options);
    (void)fputc(']', out);
    if (options->bundle && !options->shader && !options->pipeline)
        wpg_show_facts_json(out, options->bundle);
    wpg_show_made_json(out, view);
    (void)fprintf(out,
                  ",\n \"push_constant_records\": %zu, \"foreign_records\": %zu, \"inconsistent_records\": "
                  "%zu}\n",
                  view->pushed, view->foreign, view->inconsistent);
}
