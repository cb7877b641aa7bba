/* Chrome's trace event format: complete events laid one after another, on one row by pipeline, on another by
 * source line, each inside its shader inside its pipeline. An aggregate: the order means nothing, and
 * `otherData` says so. A microsecond of the trace is one of GPU time, or 1000 units of work. Source: "Trace
 * Event Format". */
#include <inttypes.h>

#include "runtime/report/text/figures.h"
#include "runtime/report/export/export.h"
#include "runtime/report/export/stacks.h"

enum { ROW_PIPELINES = 1, ROW_LINES = 2, NANO = 1000 };

static void print_event(FILE *out, const char *name, const char *category, int row, uint64_t start,
                        uint64_t length)
{
    (void)fputs(",\n  {\"ph\": \"X\", \"pid\": 1, \"name\": ", out);
    wpg_json_string(out, name);
    (void)fprintf(out, ", \"cat\": \"%s\", \"tid\": %d, \"ts\": %" PRIu64 ".%03u, \"dur\": %" PRIu64 ".%03u}",
                  category, row, start / NANO, (unsigned)(start % NANO), length / NANO,
                  (unsigned)(length % NANO));
}

/* The weight of the stacks from `first` on that are of its pipeline (and its shader). */
static uint64_t run_weight(const wpg_report_stacks *stacks, size_t first, bool same_shader)
{
    const wpg_report_stack *head = &stacks->data[first];
    uint64_t sum = 0;
    for (size_t i = first; i < stacks->count && stacks->data[i].pipeline == head->pipeline &&
                           (!same_shader || stacks->data[i].shader == head->shader);
         i++)
        sum += stacks->data[i].weight;
    return sum;
}

static void print_stack(FILE *out, const wpg_report *report, const wpg_report_stacks *stacks, size_t index,
                        uint64_t start)
{
    static const char *const categories[WPG_STACK_FRAMES] = {"pipeline", "shader", "function", "line"};
    char frames[WPG_STACK_FRAMES][WPG_STACK_TEXT], name[2 * WPG_STACK_TEXT];
    const wpg_report_stack *stack = &stacks->data[index], *before = index ? stack - 1 : NULL;
    const size_t count = wpg_report_stack_frames(frames, report, stack);
    const bool new_pipeline = !before || before->pipeline != stack->pipeline;
    if (new_pipeline)
        for (int row = ROW_PIPELINES; row <= ROW_LINES; row++)
            print_event(out, frames[0], categories[0], row, start, run_weight(stacks, index, false));
    if (count > 1 && (new_pipeline || before->shader != stack->shader))
        print_event(out, frames[1], categories[1], ROW_LINES, start, run_weight(stacks, index, true));
    if (count == WPG_STACK_FRAMES) {
        (void)snprintf(name, sizeof name, "%s %s", frames[3], frames[2]);
        print_event(out, name, categories[3], ROW_LINES, start, stack->weight);
    }
}

wpg_status wpg_report_chrome_trace(FILE *out, const wpg_report *report, const wpg_report_export *options)
{
    wpg_report_stacks stacks;
    uint64_t start = 0;
    (void)options;
    if (wpg_report_stacks_make(&stacks, report) != WPG_OK)
        return WPG_E_NOMEM;
    (void)fprintf(out,
                  "{\"displayTimeUnit\": \"ns\",\n \"otherData\": {\"creator\": \"wavepgo %s\", \"note\": "
                  "\"an aggregate, not a timeline: sums laid one after another, dearest pipeline first\", "
                  "\"unit\": \"%s\"},\n \"traceEvents\": [\n  {\"ph\": \"M\", \"pid\": 1, \"name\": "
                  "\"process_name\", \"args\": {\"name\": ",
                  WPG_VERSION,
                  report->cost_is_time ? "nanoseconds of GPU time" : "work: 1000 units shown as 1 us");
    wpg_json_string(out, report->path);
    (void)fprintf(out,
                  "}},\n  {\"ph\": \"M\", \"pid\": 1, \"tid\": %d, \"name\": \"thread_name\", \"args\": "
                  "{\"name\": \"%s by pipeline\"}},\n  {\"ph\": \"M\", \"pid\": 1, \"tid\": %d, \"name\": "
                  "\"thread_name\", \"args\": {\"name\": \"%s by source line\"}}",
                  ROW_PIPELINES, wpg_report_stacks_unit(report), ROW_LINES, wpg_report_stacks_unit(report));
    for (size_t i = 0; i < stacks.count; i++) {
        print_stack(out, report, &stacks, i, start);
        start += stacks.data[i].weight;
    }
    (void)fputs("]}\n", out);
    wpg_vec_free(&stacks);
    return WPG_OK;
}
