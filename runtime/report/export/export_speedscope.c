/* speedscope's own file format: two sampled profiles over one table of frames, by pipeline and by source
 * line. Source: speedscope's file-format-schema.json. */
#include <inttypes.h>
#include <string.h>

#include "runtime/base/hash.h"
#include "runtime/base/map.h"
#include "runtime/report/text/figures.h"
#include "runtime/report/export/export.h"
#include "runtime/report/export/stacks.h"

/* Frames of all stacks, each once. */
typedef struct frame_table {
    FILE *out;
    wpg_map known; /* hash of depth, name and, of a line, its file -> index */
    uint64_t count;
    bool failed;
} frame_table;

static uint64_t frame_index(frame_table *table, const wpg_report *report, const wpg_report_stack *stack,
                            size_t depth, const char *name)
{
    const bool is_line = depth == WPG_STACK_FRAMES - 1, in_file = depth >= WPG_STACK_FRAMES - 2;
    const uint64_t key = wpg_hash64_bytes(name, strlen(name)) * 31 + depth * 7 +
                         (in_file ? (uint64_t)(stack->file + 1) * 0x9e3779b97f4a7c15u : 0);
    uint64_t index = 0;
    if (wpg_map_get(&table->known, key, &index))
        return index;
    index = table->count++;
    table->failed |= !wpg_map_set(&table->known, key, index);
    if (!table->out)
        return index;
    (void)fputs(index ? ",\n  {\"name\": " : "\n  {\"name\": ", table->out);
    wpg_json_string(table->out, name);
    if (in_file) {
        (void)fputs(", \"file\": ", table->out);
        wpg_json_string(table->out, report->files.data[stack->file].name);
    }
    if (is_line)
        (void)fprintf(table->out, ", \"line\": %u", stack->line);
    (void)fputc('}', table->out);
    return index;
}

/* Walks all stacks; prints frames as they are met, or, with `samples`, each stack's indices. */
static void walk(frame_table *table, FILE *samples, const wpg_report *report, const wpg_report_stacks *stacks,
                 size_t most)
{
    char frames[WPG_STACK_FRAMES][WPG_STACK_TEXT];
    for (size_t i = 0; i < stacks->count; i++) {
        const size_t count = wpg_report_stack_frames(frames, report, &stacks->data[i]);
        if (samples)
            (void)fputs(i ? ", [" : "[", samples);
        for (size_t k = 0; k < count && k < most; k++) {
            const uint64_t index = frame_index(table, report, &stacks->data[i], k, frames[k]);
            if (samples)
                (void)fprintf(samples, "%s%" PRIu64, k ? ", " : "", index);
        }
        if (samples)
            (void)fputc(']', samples);
    }
}

static void print_profile(FILE *out, frame_table *table, const wpg_report *report,
                          const wpg_report_stacks *stacks, const char *by, size_t most)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < stacks->count; i++)
        sum += stacks->data[i].weight;
    (void)fprintf(out,
                  "\n  {\"type\": \"sampled\", \"name\": \"%s by %s\", \"unit\": \"%s\", "
                  "\"startValue\": 0, \"endValue\": %" PRIu64 ",\n   \"samples\": [",
                  wpg_report_stacks_unit(report), by, report->cost_is_time ? "nanoseconds" : "none", sum);
    walk(table, out, report, stacks, most);
    (void)fputs("],\n   \"weights\": [", out);
    for (size_t i = 0; i < stacks->count; i++)
        (void)fprintf(out, "%s%" PRIu64, i ? ", " : "", stacks->data[i].weight);
    (void)fputs("]}", out);
}

wpg_status wpg_report_speedscope(FILE *out, const wpg_report *report, const wpg_report_export *options)
{
    wpg_report_stacks stacks;
    frame_table table = {.out = out};
    (void)options;
    if (wpg_report_stacks_make(&stacks, report) != WPG_OK)
        return WPG_E_NOMEM;
    (void)fputs("{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n \"name\": ", out);
    wpg_json_string(out, report->path);
    (void)fprintf(out,
                  ", \"exporter\": \"wavepgo %s\", \"activeProfileIndex\": 0,\n \"shared\": {\"frames\": [",
                  WPG_VERSION);
    walk(&table, NULL, report, &stacks, WPG_STACK_FRAMES);
    (void)fputs("]},\n \"profiles\": [", out);
    table.out = NULL;
    print_profile(out, &table, report, &stacks, "pipeline", 1);
    (void)fputc(',', out);
    print_profile(out, &table, report, &stacks, "source line", WPG_STACK_FRAMES);
    (void)fputs("]}\n", out);
    wpg_map_free(&table.known);
    wpg_vec_free(&stacks);
    return table.failed ? WPG_E_NOMEM : WPG_OK;
}
