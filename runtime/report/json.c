/* The report as one JSON document, version 1: what the page shows, and what scripts read. Absent figures are
 * null, never zero. Sources and lines are by file; blocks, edges, branches, loops and values by function.
 *
 *     {"wavepgo-report": 1, "profile": "...", "cost": "gpu time" | "work", "files": [{name, text}],
 *      "pipelines": [...], "shaders": [...]}
 */
#include <inttypes.h>

#include "runtime/profile/probe_records.h"
#include "runtime/profile/value_records.h"
#include "runtime/report/figures.h"
#include "runtime/report/printers.h"

static void number(FILE *out, const char *key, bool measured, uint64_t value)
{
    if (measured)
        (void)fprintf(out, ", \"%s\": %" PRIu64, key, value);
    else
        (void)fprintf(out, ", \"%s\": null", key);
}

static void text(FILE *out, const char *key, const char *value)
{
    (void)fprintf(out, ", \"%s\": ", key);
    if (value)
        wpg_json_string(out, value);
    else
        (void)fputs("null", out);
}

/* -- Shaders */

static void print_lines(FILE *out, const wpg_report_shader *shader)
{
    (void)fputs(", \"lines\": [", out);
    for (size_t i = 0; i < shader->line_count; i++) {
        const wpg_report_line *line = &shader->lines[i];
        (void)fprintf(out, "%s[%u, %u", i ? ", " : "", line->file, line->line);
        (void)fprintf(out, shader->has_lanes ? ", %" PRIu64 : ", null", line->lanes);
        (void)fprintf(out, shader->has_waves ? ", %" PRIu64 : ", null", line->waves);
        (void)fprintf(out, shader->has_uniform ? ", %" PRIu64 "]" : ", null]", line->uniform);
    }
    (void)fputc(']', out);
}

static void print_blocks(FILE *out, const wpg_report_shader *shader, const wpg_report_function *function)
{
    (void)fputs(", \"blocks\": [", out);
    for (size_t b = 0; b < function->counts->block_count; b++) {
        const wpg_report_block *block = &function->blocks[b];
        (void)fprintf(out, "%s{\"block\": %zu", b ? ", " : "", b);
        number(out, "lanes", function->counts->lanes != NULL, block->lanes);
        number(out, "waves", function->counts->waves != NULL, block->waves);
        number(out, "uniform", function->counts->uniform != NULL, block->uniform);
        number(out, "instructions", shader->has_module, block->instructions);
        text(out, "kind", wpg_report_block_kind_name(block->kind));
        number(out, "file", block->file != WPG_REPORT_NONE, block->file);
        number(out, "line", block->file != WPG_REPORT_NONE, block->line);
        number(out, "depth", shader->has_module, block->depth);
        number(out, "idom", block->idom != WPG_REPORT_NONE, block->idom);
        (void)fputc('}', out);
    }
    (void)fputs("], \"edges\": [", out);
    for (size_t i = 0; i < function->edge_count; i++) {
        const wpg_report_edge *edge = &function->edges[i];
        (void)fprintf(out, "%s[%u, %u, ", i ? ", " : "", edge->from, edge->to);
        (void)fprintf(out, edge->known ? "%" PRIu64 "]" : "null]", edge->lanes);
    }
    (void)fputc(']', out);
}

static void print_branch(FILE *out, const wpg_branch_counts *branch, bool waves, bool first)
{
    (void)fprintf(out, "%s{\"block\": %u, \"true\": %" PRIu64 ", \"false\": %" PRIu64, first ? "" : ", ",
                  branch->block, branch->lanes[0], branch->lanes[1]);
    number(out, "waves", waves, branch->all_waves);
    number(out, "both", waves, branch->both);
    (void)fputc('}', out);
}

static void print_loop(FILE *out, const wpg_loop_counts *loop, bool waves, bool first)
{
    unsigned last = WPG_TRIP_BUCKETS;
    while (last && !loop->buckets[last - 1])
        last--;
    (void)fprintf(out, "%s{\"block\": %u, \"lanes\": %" PRIu64, first ? "" : ", ", loop->block, loop->lanes);
    number(out, "waves", waves, loop->waves);
    (void)fprintf(out, ", \"trips\": %" PRIu64 ", \"histogram\": [", loop->trips);
    for (unsigned i = 0; i < last; i++)
        (void)fprintf(out, "%s%" PRIu64, i ? ", " : "", loop->buckets[i]);
    (void)fputs("]}", out);
}

static void print_probes(FILE *out, const wpg_shader_counts *counts)
{
    const wpg_profile_record *const *records = counts->records;
    wpg_branch_counts branch;
    wpg_loop_counts loop;
    const size_t branches = wpg_branch_count(records[WPG_RECORD_BRANCHES]),
                 loops = wpg_loop_count(records[WPG_RECORD_TRIPS]);
    (void)fputs(", \"branches\": [", out);
    for (size_t i = 0; i < branches; i++) {
        wpg_branch_at(&branch, records[WPG_RECORD_BRANCHES], i);
        print_branch(out, &branch, true, i == 0);
    }
    for (size_t i = 0; i < wpg_lane_branch_count(records[WPG_RECORD_LANE_BRANCHES]); i++) {
        wpg_lane_branch_at(&branch, records[WPG_RECORD_LANE_BRANCHES], i);
        print_branch(out, &branch, false, i + branches == 0);
    }
    (void)fputs("], \"loops\": [", out);
    for (size_t i = 0; i < loops; i++) {
        wpg_loop_at(&loop, records[WPG_RECORD_TRIPS], i);
        print_loop(out, &loop, true, i == 0);
    }
    for (size_t i = 0; i < wpg_lane_loop_count(records[WPG_RECORD_LANE_TRIPS]); i++) {
        wpg_lane_loop_at(&loop, records[WPG_RECORD_LANE_TRIPS], i);
        print_loop(out, &loop, false, i + loops == 0);
    }
    (void)fputc(']', out);
}

/* Sites that were asked, with their commonest values. */
static void print_values(FILE *out, const char *key, const wpg_profile_record *record)
{
    enum { MOST_VALUES = 4 };
    const char *between = "";
    (void)fprintf(out, ", \"%s\": [", key);
    for (size_t i = 0; i < wpg_value_site_count(record); i++) {
        wpg_value_site_counts site;
        char value[24];
        if (!wpg_value_site_at(&site, record, i))
            break;
        if (site.asked) {
            (void)fprintf(out,
                          "%s{\"site\": %zu, \"kind\": \"%s\", \"block\": %u, \"asked\": %" PRIu64
                          ", \"agreed\": %" PRIu64 ", \"values\": [",
                          between, i, site.kind, site.block, site.asked, site.agreed);
            for (size_t k = 0; k < site.value_count && k < MOST_VALUES; k++) {
                (void)fprintf(out, "%s[", k ? ", " : "");
                wpg_json_string(out, wpg_value_text(value, &site, site.values[k].value));
                (void)fprintf(out, ", %" PRIu64 "]", site.values[k].count);
            }
            (void)fputs("]}", out);
            between = ", ";
        }
        wpg_value_site_finish(&site);
    }
    (void)fputc(']', out);
}

static void print_entry(FILE *out, const wpg_shader_counts *counts)
{
    wpg_entry_counts entry;
    if (!wpg_entry_read(&entry, counts->records[WPG_RECORD_ENTRY_MASK]) || !entry.waves)
        return;
    (void)fprintf(out,
                  ", \"waves-at-entry\": {\"waves\": %" PRIu64 ", \"lanes\": %" PRIu64
                  ", \"helpers\": %" PRIu64 ", \"whole\": %" PRIu64 ", \"size\": %.2f}",
                  entry.waves, entry.lanes, entry.helpers, entry.whole,
                  (double)entry.sizes / (double)entry.waves);
}

static void print_shader(FILE *out, const wpg_report_shader *shader)
{
    (void)fprintf(out, "{\"hash\": \"%s\", \"stage\": \"%s\"", shader->hex, shader->stage);
    text(out, "entry", shader->entry);
    text(out, "name", shader->name);
    text(out, "no-module", shader->no_module);
    number(out, "lanes", shader->has_lanes, shader->lanes);
    number(out, "waves", shader->has_waves, shader->waves);
    number(out, "work-lanes", shader->has_lanes, shader->work_lanes);
    number(out, "work-waves", shader->has_waves, shader->work_waves);
    (void)fprintf(out, ", \"cost\": %.17g, \"pipelines\": [", shader->cost);
    for (size_t i = 0; i < shader->pipeline_count; i++)
        (void)fprintf(out, "%s%u", i ? ", " : "", shader->pipelines[i]);
    (void)fputc(']', out);
    print_lines(out, shader);
    (void)fputs(", \"functions\": [", out);
    for (size_t i = 0; i < shader->function_count; i++) {
        const wpg_report_function *function = &shader->functions[i];
        (void)fprintf(out, "%s{\"function\": %u, \"checksum\": \"%016" PRIx64 "\"", i ? ", " : "",
                      function->counts->function, function->counts->checksum);
        print_entry(out, function->counts);
        print_blocks(out, shader, function);
        print_probes(out, function->counts);
        print_values(out, "values", function->counts->records[WPG_RECORD_VALUES]);
        print_values(out, "words", function->counts->records[WPG_RECORD_WORDS]);
        (void)fputc('}', out);
    }
    (void)fputs("]}", out);
}

/* -- Pipelines */

static void print_pipeline(FILE *out, const wpg_report_pipeline *pipeline)
{
    (void)fprintf(out, "{\"hash\": \"%s\"", pipeline->hex);
    text(out, "name", pipeline->name);
    (void)fprintf(out, ", \"cost\": %.17g", pipeline->cost);
    number(out, "draws", pipeline->has_facts, pipeline->draws);
    number(out, "dispatches", pipeline->has_facts, pipeline->dispatches);
    number(out, "submissions", pipeline->has_facts, pipeline->submissions);
    number(out, "gpu-nanoseconds", pipeline->has_time, pipeline->gpu_ns);
    number(out, "timed", pipeline->has_time, pipeline->timed);
    (void)fputs(", \"stages\": [", out);
    for (size_t i = 0; i < pipeline->stage_count; i++) {
        const wpg_report_stage *stage = &pipeline->stages[i];
        (void)fprintf(out, "%s{\"shader\": %u, \"runs\": %" PRIu64 ", \"lanes\": %" PRIu64, i ? ", " : "",
                      stage->shader, stage->runs, stage->lanes);
        number(out, "waves", stage->has_waves, stage->waves);
        (void)fputc('}', out);
    }
    (void)fputs("]}", out);
}

void wpg_report_json(FILE *out, const wpg_report *report)
{
    (void)fputs("{\"wavepgo-report\": 1", out);
    text(out, "profile", report->path);
    text(out, "version", WPG_VERSION);
    text(out, "cost", report->cost_is_time ? "gpu time" : "work");
    (void)fputs(",\n \"files\": [", out);
    for (size_t i = 0; i < report->files.count; i++) {
        (void)fputs(i ? ",\n  {\"name\": " : "\n  {\"name\": ", out);
        wpg_json_string(out, report->files.data[i].name);
        text(out, "text", report->files.data[i].text);
        (void)fputc('}', out);
    }
    (void)fputs("],\n \"pipelines\": [", out);
    for (size_t i = 0; i < report->pipeline_count; i++) {
        (void)fputs(i ? ",\n  " : "\n  ", out);
        print_pipeline(out, &report->pipelines[i]);
    }
    (void)fputs("],\n \"shaders\": [", out);
    for (size_t i = 0; i < report->shader_count; i++) {
        (void)fputs(i ? ",\n  " : "\n  ", out);
        print_shader(out, &report->shaders[i]);
    }
    (void)fputs("]}\n", out);
}
