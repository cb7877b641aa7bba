/* The report as one JSON document, version 1: what the page shows, and what scripts read. Absent figures are
 * null, never zero. Sources and lines are by file; blocks, edges, branches, loops and values by function.
 *
 *     {"wavepgo-report": 1, "profile": "...", "cost": "gpu time" | "work",
 *      "pipelines": [{hash, name, cost, draws, ..., stages: [{shader: index, runs, lanes, waves}]}],
 *      "advice": [{kind, shader, function, block, what, evidence, saving, of-all}],
 *      "shaders": [{hash, stage, entry, name, lines: [[file, line, lanes, waves, uniform]], remarks,
 *                   functions: [{blocks: {count, lanes: [...], ...}, edges: [[from, to, lanes]], branches,
 *                                loops, values, words}]}],
 *      "files": [{name, text, generated}],
 *      "estimate": {...}, "compare": {...}      documents of those commands, if they were given
 *     }
 *
 * The page has the same in pieces: the index, one piece a shader, one a file.
 */
#include <inttypes.h>

#include "runtime/profile/probe_records.h"
#include "runtime/profile/value_records.h"
#include "runtime/report/text/figures.h"
#include "runtime/report/page/page.h"

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

/* One column of the blocks; null where nothing was measured. */
#define COLUMN(out, key, measured, format, value)                                                            \
    do {                                                                                                     \
        (void)fprintf(out, ", \"%s\": ", key);                                                               \
        if (!(measured))                                                                                     \
            (void)fputs("null", out);                                                                        \
        for (size_t b = 0; (measured) && b < count; b++)                                                     \
            (void)fprintf(out, "%s" format, b ? "," : "[", value);                                           \
        if (measured)                                                                                        \
            (void)fputs(count ? "]" : "[]", out);                                                            \
    } while (0)

static void print_blocks(FILE *out, const wpg_report_shader *shader, const wpg_report_function *function)
{
    const wpg_report_block *blocks = function->blocks;
    const size_t count = function->counts->block_count;
    (void)fprintf(out, ", \"blocks\": {\"count\": %zu", count);
    COLUMN(out, "lanes", function->counts->lanes, "%" PRIu64, blocks[b].lanes);
    COLUMN(out, "waves", function->counts->waves, "%" PRIu64, blocks[b].waves);
    COLUMN(out, "uniform", function->counts->uniform, "%" PRIu64, blocks[b].uniform);
    COLUMN(out, "instructions", shader->has_module, "%u", blocks[b].instructions);
    COLUMN(out, "kind", shader->has_module, "\"%s\"", wpg_report_block_kind_name(blocks[b].kind));
    COLUMN(out, "file", shader->has_module, "%d",
           blocks[b].file == WPG_REPORT_NONE ? -1 : (int)blocks[b].file);
    COLUMN(out, "line", shader->has_module, "%u", blocks[b].line);
    COLUMN(out, "depth", shader->has_module, "%u", blocks[b].depth);
    (void)fputs("}, \"edges\": [", out);
    for (size_t i = 0; i < function->edge_count; i++) {
        const wpg_report_edge *edge = &function->edges[i];
        (void)fprintf(out, "%s[%u,%u,", i ? "," : "", edge->from, edge->to);
        if (edge->known)
            (void)fprintf(out, "%" PRIu64 "]", edge->lanes);
        else
            (void)fputs("null]", out);
    }
    (void)fputc(']', out);
}

static void print_branches(FILE *out, const wpg_report_function *function)
{
    (void)fputs(", \"branches\": [", out);
    for (size_t i = 0; i < function->branch_count; i++) {
        const wpg_report_branch *branch = &function->branches[i];
        (void)fprintf(out, "%s{\"block\": %u", i ? ", " : "", branch->block);
        number(out, "true", branch->has_lanes, branch->lanes[0]);
        number(out, "false", branch->has_lanes, branch->lanes[1]);
        number(out, "waves", branch->has_waves, branch->waves);
        number(out, "both", branch->has_waves, branch->both);
        (void)fprintf(out, ", \"idle\": %.0f", branch->idle);
        number(out, "never", branch->never != WPG_REPORT_NONE, branch->never);
        (void)fputc('}', out);
    }
    (void)fputc(']', out);
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

static void print_loops(FILE *out, const wpg_shader_counts *counts)
{
    const wpg_profile_record *record = counts->records[WPG_RECORD_TRIPS],
                             *by_lane = counts->records[WPG_RECORD_LANE_TRIPS];
    const size_t loops = wpg_loop_count(record);
    wpg_loop_counts loop;
    (void)fputs(", \"loops\": [", out);
    for (size_t i = 0; i < loops; i++) {
        wpg_loop_at(&loop, record, i);
        print_loop(out, &loop, true, i == 0);
    }
    for (size_t i = 0; i < wpg_lane_loop_count(by_lane); i++) {
        wpg_lane_loop_at(&loop, by_lane, i);
        print_loop(out, &loop, false, i + loops == 0);
    }
    (void)fputc(']', out);
}

/* Sites that were asked, with their commonest values. */
static void print_values(FILE *out, const char *key, const wpg_profile_record *record,
                         const wpg_report_function *named)
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
                          ", \"agreed\": %" PRIu64,
                          between, i, site.kind, site.block, site.asked, site.agreed);
            text(out, "name", named && i < named->word_count ? named->word_names[i] : NULL);
            (void)fputs(", \"values\": [", out);
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

static void print_remarks(FILE *out, const wpg_report_shader *shader)
{
    (void)fputs(", \"remarks\": [", out);
    for (size_t i = 0; i < shader->remarks.count; i++) {
        const wpg_report_remark *remark = &shader->remarks.data[i];
        (void)fprintf(out, "%s{\"done\": %s, \"function\": %u, \"block\": %u", i ? ", " : "",
                      remark->done ? "true" : "false", remark->function, remark->block);
        text(out, "pass", remark->pass);
        text(out, "text", remark->text);
        (void)fputc('}', out);
    }
    (void)fputc(']', out);
}

/* What a table of shaders shows. */
static void print_summary(FILE *out, const wpg_report_shader *shader)
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
}

static void print_detail(FILE *out, const wpg_report_shader *shader)
{
    print_lines(out, shader);
    print_remarks(out, shader);
    (void)fputs(", \"functions\": [", out);
    for (size_t i = 0; i < shader->function_count; i++) {
        const wpg_report_function *function = &shader->functions[i];
        (void)fprintf(out, "%s{\"function\": %u, \"checksum\": \"%016" PRIx64 "\"", i ? ", " : "",
                      function->counts->function, function->counts->checksum);
        print_entry(out, function->counts);
        print_blocks(out, shader, function);
        print_branches(out, function);
        print_loops(out, function->counts);
        print_values(out, "values", function->counts->records[WPG_RECORD_VALUES], NULL);
        print_values(out, "words", function->counts->records[WPG_RECORD_WORDS], function);
        (void)fputc('}', out);
    }
    (void)fputc(']', out);
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
        (void)fprintf(out, "%s{\"shader\": %u", i ? ", " : "", stage->shader);
        number(out, "runs", !stage->shared, stage->runs);
        number(out, "lanes", !stage->shared, stage->lanes);
        number(out, "waves", stage->has_waves, stage->waves);
        (void)fputc('}', out);
    }
    (void)fputs("]}", out);
}

static void print_advice(FILE *out, const wpg_report_advice *advice)
{
    (void)fprintf(out, "{\"kind\": \"%s\", \"shader\": %u, \"function\": %u, \"block\": %u",
                  wpg_report_advice_name(advice->kind), advice->shader, advice->function, advice->block);
    text(out, "what", advice->what);
    text(out, "evidence", advice->evidence);
    text(out, "prediction", advice->saving > 0 ? NULL : wpg_report_no_prediction(advice));
    if (advice->saving >= 0)
        (void)fprintf(out, ", \"saving\": %.6f, \"of-all\": %.6f}", advice->saving, advice->of_all);
    else
        (void)fputs(", \"saving\": null, \"of-all\": null}", out);
}

/* -- All */

/* The text of a JSON document; '<' stands in strings alone there. */
void wpg_report_json_extra(FILE *out, const wpg_report_extra *extra)
{
    for (const char *at = extra->json; *at; at++)
        if (*at == '<')
            (void)fputs("\\u003c", out);
        else
            (void)fputc(*at, out);
}

static void print_head(FILE *out, const wpg_report *report)
{
    (void)fputs("{\"wavepgo-report\": 1", out);
    text(out, "profile", report->path);
    text(out, "version", WPG_VERSION);
    text(out, "cost", report->cost_is_time ? "gpu time" : "work");
    (void)fputs(", \"made\": [", out);
    for (size_t i = 0; i < report->made.count; i++) {
        (void)fputs(i ? ", " : "", out);
        wpg_json_string(out, report->made.data[i]);
    }
    (void)fputs("],\n \"pipelines\": [", out);
    for (size_t i = 0; i < report->pipeline_count; i++) {
        (void)fputs(i ? ",\n  " : "\n  ", out);
        print_pipeline(out, &report->pipelines[i]);
    }
    (void)fputs("],\n \"advice\": [", out);
    for (size_t i = 0; i < report->advice.count; i++) {
        (void)fputs(i ? ",\n  " : "\n  ", out);
        print_advice(out, &report->advice.data[i]);
    }
    (void)fputs("],\n \"shaders\": [", out);
}

void wpg_report_json_index(FILE *out, const wpg_report *report)
{
    print_head(out, report);
    for (size_t i = 0; i < report->shader_count; i++) {
        (void)fputs(i ? ",\n  " : "\n  ", out);
        print_summary(out, &report->shaders[i]);
        (void)fputc('}', out);
    }
    (void)fputs("]}\n", out);
}

void wpg_report_json_shader(FILE *out, const wpg_report_shader *shader)
{
    (void)fprintf(out, "{\"hash\": \"%s\"", shader->hex);
    print_detail(out, shader);
    (void)fputs("}\n", out);
}

void wpg_report_json_file(FILE *out, const wpg_report_file *file)
{
    (void)fputs("{\"name\": ", out);
    wpg_json_string(out, file->name);
    text(out, "text", file->text);
    (void)fprintf(out, ", \"generated\": %s", file->generated ? "true" : "false");
    (void)fputc('}', out);
}

void wpg_report_json(FILE *out, const wpg_report *report)
{
    print_head(out, report);
    for (size_t i = 0; i < report->shader_count; i++) {
        (void)fputs(i ? ",\n  " : "\n  ", out);
        print_summary(out, &report->shaders[i]);
        print_detail(out, &report->shaders[i]);
        (void)fputc('}', out);
    }
    (void)fputs("],\n \"files\": [", out);
    for (size_t i = 0; i < report->files.count; i++) {
        (void)fputs(i ? ",\n  " : "\n  ", out);
        wpg_report_json_file(out, &report->files.data[i]);
    }
    (void)fputc(']', out);
    for (size_t i = 0; i < report->extras.count; i++) {
        (void)fprintf(out, ",\n \"%s\": ", report->extras.data[i].name);
        wpg_report_json_extra(out, &report->extras.data[i]);
    }
    (void)fputs("}\n", out);
}
