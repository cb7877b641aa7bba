/* The whole profile as one JSON document for scripts (--top is ignored). Absent kinds are null, never
 * zero. */
#include "runtime/report/figures.h"
#include "runtime/report/heat.h"
#include "runtime/cli/show/show.h"

#include <inttypes.h>
#include <stdlib.h>

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

static void print_pipeline(FILE *out, const wpg_pipeline_counts *pipeline)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, pipeline->pipeline);
    (void)fprintf(out, "{\"pipeline\": \"%s\", \"stages\": [", hex);
    for (size_t i = 0; i < pipeline->stage_count; i++) {
        const wpg_pipeline_stage_counts *stage = &pipeline->stages[i];
        (void)fputs(i ? ", {" : "{", out);
        print_shader_key(out, stage->shader, stage->stage, stage->entry);
        (void)fprintf(out, ", \"runs\": %" PRIu64 ", \"lanes\": %" PRIu64 ", \"waves\": ",
                      stage->counters[WPG_PIPELINE_RUNS], stage->counters[WPG_PIPELINE_LANES]);
        if (stage->counters[WPG_PIPELINE_WAVES_RUNS])
            (void)fprintf(out, "%" PRIu64 "}", stage->counters[WPG_PIPELINE_WAVES]);
        else
            (void)fputs("null}", out);
    }
    (void)fputs("]}", out);
}

void wpg_show_json(FILE *out, const char *title, const wpg_shader_view *view, const wpg_show_options *options)
{
    size_t *order = wpg_shaders_by_heat(view);
    (void)fputs("{\"profile\": ", out);
    wpg_json_string(out, title);
    (void)fputs(",\n \"pipelines\": [", out);
    for (size_t i = 0; i < view->pipeline_count; i++) {
        (void)fputs(i ? ",\n  " : "\n  ", out);
        print_pipeline(out, &view->pipelines[i]);
    }
    (void)fputs("],\n \"shaders\": [", out);
    for (size_t i = 0; order && i < view->shader_count; i++) {
        const wpg_shader_counts *shader = &view->shaders[order[i]];
        (void)fputs(i ? ",\n  {" : "\n  {", out);
        print_shader_key(out, shader->shader, shader->stage, shader->entry);
        (void)fprintf(out, ", \"function\": %u, \"checksum\": \"%016" PRIx64 "\", \"blocks\": %zu",
                      shader->function, shader->checksum, shader->block_count);
        print_array(out, "waves", shader->waves, shader->block_count);
        print_array(out, "lanes", shader->lanes, shader->block_count);
        print_array(out, "uniform", shader->uniform, shader->block_count);
        print_array(out, "selects", shader->selects, shader->select_counter_count);
        wpg_show_probes_json(out, shader, options->bundle);
        (void)fputs(", \"values\": ", out);
        wpg_show_values_json(out, shader->records[WPG_RECORD_VALUES]);
        (void)fputs(", \"words\": ", out);
        wpg_show_values_json(out, shader->records[WPG_RECORD_WORDS]);
        print_array(out, "samples", shader->samples, WPG_SAMPLES_COUNTERS);
        (void)fputc('}', out);
    }
    (void)fputc(']', out);
    if (options->bundle)
        wpg_show_facts_json(out, options->bundle);
    (void)fprintf(out,
                  ",\n \"push_constant_records\": %zu, \"foreign_records\": %zu, \"inconsistent_records\": "
                  "%zu}\n",
                  view->pushed, view->foreign, view->inconsistent);
    free(order);
}
