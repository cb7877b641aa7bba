/* Annotated source for programs: CSV, and JSON of version 1. Absent figures are null or empty, never zero.
 *
 *     {"wavepgo-annotate": 1, "shader": "<hash>", "name", "stage", "entry", "no-source": null | "why",
 *      "files": [{"name", "lines": [{"line", "waves", "lanes", "uniform", "text"}]}],
 *      "blocks": [{"function", "block", "place", "waves", "lanes", "uniform", "instructions": ["..."]}]}
 *
 * Lines are those with code. Blocks are there where no module carries source. */
#include "runtime/report/listing/annotate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/report/text/figures.h"
#include "runtime/report/model/places.h"
#include "runtime/report/text/table.h"

/* The text of a line, malloc'd; NULL: the text has no such line, or no memory. */
static char *text_of_line(const wpg_report_file *file, uint32_t line)
{
    const char *at = file->text;
    for (uint32_t number = 1; at && number < line; number++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return at ? strndup(at, strcspn(at, "\r\n")) : NULL;
}

static const char *why_no_source(const wpg_annotate *annotate)
{
    if (wpg_annotate_has_source(annotate->report, annotate->shader))
        return NULL;
    if (!annotate->shader->has_module)
        return annotate->shader->no_module;
    return annotate->shader->line_count ? "the module has lines, and not their text"
                                        : "the module has no debug information";
}

/* -- CSV */

static void csv_counts(wpg_table *table, const wpg_report_shader *shader, uint64_t waves, uint64_t lanes,
                       uint64_t uniform)
{
    wpg_table_number(table, shader->has_waves, waves);
    wpg_table_number(table, shader->has_lanes, lanes);
    wpg_table_number(table, shader->has_uniform, uniform);
}

static void csv_lines(wpg_table *table, const wpg_annotate *annotate)
{
    const wpg_report_shader *shader = annotate->shader;
    for (size_t i = 0; i < shader->line_count; i++) {
        const wpg_report_line *line = &shader->lines[i];
        const wpg_report_file *file = &annotate->report->files.data[line->file];
        char *text = text_of_line(file, line->line);
        wpg_table_copy(table, shader->hex);
        wpg_table_copy(table, file->name);
        wpg_table_number(table, true, line->line);
        csv_counts(table, shader, line->waves, line->lanes, line->uniform);
        wpg_table_copy(table, text ? text : "");
        free(text);
    }
}

static void csv_blocks(wpg_table *table, const wpg_annotate *annotate)
{
    const wpg_report_shader *shader = annotate->shader;
    for (size_t i = 0; i < shader->function_count; i++) {
        const wpg_report_function *function = &shader->functions[i];
        for (uint32_t b = 0; b < function->counts->block_count; b++) {
            char place[WPG_PLACE_SIZE];
            wpg_table_copy(table, shader->hex);
            wpg_table_number(table, true, function->counts->function);
            wpg_table_number(table, true, b);
            wpg_table_copy(
                table, wpg_report_line_of(place, annotate->report, shader, function->counts->function, b));
            csv_counts(table, shader, function->blocks[b].waves, function->blocks[b].lanes,
                       function->blocks[b].uniform);
        }
    }
}

wpg_status wpg_annotate_csv(FILE *out, const wpg_annotate *annotate, wpg_error *err)
{
    static const wpg_column lines[] = {{.title = "shader"}, {.title = "file"},  {.title = "line"},
                                       {.title = "waves"},  {.title = "lanes"}, {.title = "uniform"},
                                       {.title = "text"}};
    static const wpg_column blocks[] = {{.title = "shader"}, {.title = "function"}, {.title = "block"},
                                        {.title = "place"},  {.title = "waves"},    {.title = "lanes"},
                                        {.title = "uniform"}};
    const bool source = wpg_annotate_has_source(annotate->report, annotate->shader);
    wpg_table table;
    wpg_table_init(&table, source ? lines : blocks, 7, true);
    if (source)
        csv_lines(&table, annotate);
    else
        csv_blocks(&table, annotate);
    wpg_table_csv(&table, out);
    const bool good = wpg_table_good(&table);
    wpg_table_finish(&table);
    return good ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

/* -- JSON */

static void json_counts(FILE *out, const wpg_report_shader *shader, uint64_t waves, uint64_t lanes,
                        uint64_t uniform)
{
    (void)fprintf(out, shader->has_waves ? ", \"waves\": %" PRIu64 : ", \"waves\": null", waves);
    (void)fprintf(out, shader->has_lanes ? ", \"lanes\": %" PRIu64 : ", \"lanes\": null", lanes);
    (void)fprintf(out, shader->has_uniform ? ", \"uniform\": %" PRIu64 : ", \"uniform\": null", uniform);
}

static void json_text(FILE *out, const char *key, const char *text)
{
    (void)fprintf(out, ", \"%s\": ", key);
    if (text)
        wpg_json_string(out, text);
    else
        (void)fputs("null", out);
}

static void json_files(FILE *out, const wpg_annotate *annotate)
{
    const wpg_report_shader *shader = annotate->shader;
    uint32_t file = WPG_REPORT_NONE;
    (void)fputs(",\n \"files\": [", out);
    for (size_t i = 0; i < shader->line_count; i++) {
        const wpg_report_line *line = &shader->lines[i];
        char *text = text_of_line(&annotate->report->files.data[line->file], line->line);
        if (line->file != file) {
            (void)fprintf(out, "%s\n  {\"name\": ", file == WPG_REPORT_NONE ? "" : "]},");
            wpg_json_string(out, annotate->report->files.data[line->file].name);
            (void)fputs(", \"lines\": [", out);
        }
        (void)fprintf(out, "%s\n   {\"line\": %u", line->file == file ? "," : "", line->line);
        json_counts(out, shader, line->waves, line->lanes, line->uniform);
        json_text(out, "text", text);
        (void)fputc('}', out);
        file = line->file;
        free(text);
    }
    (void)fputs(shader->line_count ? "]}]" : "]", out);
}

static void json_instructions(FILE *out, const wpg_annotate *annotate, uint32_t function, uint32_t block)
{
    char *text = annotate->normal ? wpg_annotate_block(annotate, function, block) : NULL;
    (void)fprintf(out, ", \"instructions\": %s", text ? "[" : "null");
    for (char *at = text; at && *at;) {
        char *end = strchr(at, '\n');
        if (end)
            *end = '\0';
        (void)fputs(at == text ? "" : ", ", out);
        wpg_json_string(out, at);
        at = end ? end + 1 : NULL;
    }
    (void)fputs(text ? "]" : "", out);
    free(text);
}

static void json_blocks(FILE *out, const wpg_annotate *annotate)
{
    const wpg_report_shader *shader = annotate->shader;
    const char *between = "";
    (void)fputs(",\n \"blocks\": [", out);
    for (size_t i = 0; i < shader->function_count; i++) {
        const wpg_report_function *function = &shader->functions[i];
        for (uint32_t b = 0; b < function->counts->block_count; b++) {
            char place[WPG_PLACE_SIZE];
            (void)wpg_report_line_of(place, annotate->report, shader, function->counts->function, b);
            (void)fprintf(out, "%s\n  {\"function\": %u, \"block\": %u", between, function->counts->function,
                          b);
            json_text(out, "place", *place ? place : NULL);
            json_counts(out, shader, function->blocks[b].waves, function->blocks[b].lanes,
                        function->blocks[b].uniform);
            json_instructions(out, annotate, function->counts->function, b);
            (void)fputc('}', out);
            between = ",";
        }
    }
    (void)fputc(']', out);
}

wpg_status wpg_annotate_json(FILE *out, const wpg_annotate *annotate, wpg_error *err)
{
    const wpg_report_shader *shader = annotate->shader;
    const char *why = why_no_source(annotate);
    (void)err;
    (void)fprintf(out, "{\"wavepgo-annotate\": 1, \"shader\": \"%s\"", shader->hex);
    json_text(out, "name", shader->name);
    json_text(out, "stage", shader->stage);
    json_text(out, "entry", shader->entry);
    json_text(out, "no-source", why);
    json_files(out, annotate);
    if (why)
        json_blocks(out, annotate);
    (void)fputs("}\n", out);
    return WPG_OK;
}
