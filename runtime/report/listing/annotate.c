/* Source lines, or blocks of SPIR-V, with counts in the gutter. */
#include "runtime/report/listing/annotate.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/graph/cfg.h"
#include "runtime/report/text/figures.h"
#include "runtime/report/listing/listing.h"
#include "runtime/report/model/places.h"
#include "runtime/report/text/table.h"

enum { LONG_FILE = 300, AUTO_CONTEXT = 5, HOT_PART = 10 };

/* A line is hot from a tenth of the shader's hottest line on. */
static uint64_t heat_of(const wpg_report_shader *shader, const wpg_report_line *line)
{
    return shader->has_waves ? line->waves : line->lanes;
}

static uint64_t hottest_line(const wpg_report_shader *shader)
{
    uint64_t most = 0;
    for (size_t i = 0; i < shader->line_count; i++) {
        const uint64_t heat = heat_of(shader, &shader->lines[i]);
        most = heat > most ? heat : most;
    }
    return most;
}

bool wpg_annotate_has_source(const wpg_report *report, const wpg_report_shader *shader)
{
    for (size_t i = 0; i < shader->line_count; i++)
        if (report->files.data[shader->lines[i].file].text)
            return true;
    return false;
}

/* -- The gutter */

static const wpg_column text_columns[] = {{.title = "WAVES"},      {.title = "LANES"},
                                          {.title = "LANES/WAVE"}, {.title = "UNIFORM"},
                                          {.title = "LINE"},       {.title = "SOURCE", .left = true}};
static const wpg_column block_columns[] = {{.title = "WAVES"},
                                           {.title = "LANES"},
                                           {.title = "LANES/WAVE"},
                                           {.title = "UNIFORM"},
                                           {.title = "SPIR-V", .left = true}};
enum { GUTTER = 4 };

static void add_counts(wpg_table *table, const wpg_report_shader *shader, uint64_t waves, uint64_t lanes,
                       uint64_t uniform, uint64_t hottest)
{
    const wpg_color color = wpg_heat_color((double)(shader->has_waves ? waves : lanes), (double)hottest);
    wpg_table_number(table, shader->has_waves, waves);
    wpg_table_color(table, color);
    wpg_table_number(table, shader->has_lanes, lanes);
    wpg_table_color(table, color);
    wpg_table_ratio(table, shader->has_waves && shader->has_lanes, (double)lanes, (double)waves);
    wpg_table_share(table, shader->has_uniform && shader->has_waves, (double)uniform, (double)waves);
}

static void add_blank(wpg_table *table, size_t count)
{
    while (count-- > 0)
        wpg_table_empty(table);
}

/* -- Source */

/* A text line, malloc'd: without its end, tabs as blanks. */
static char *line_text(const char *at, size_t length)
{
    enum { TAB = 4 };
    char *text = malloc(length * TAB + 1), *to = text;
    for (size_t i = 0; text && i < length; i++) {
        if (at[i] == '\t')
            for (unsigned k = 0; k < TAB; k++)
                *to++ = ' ';
        else if (at[i] != '\r')
            *to++ = at[i];
    }
    if (text)
        *to = '\0';
    return text;
}

/* The lines of a shader in one file. */
typedef struct file_lines {
    const wpg_report_line *first;
    size_t count;
    uint32_t file;
} file_lines;

static bool next_file(file_lines *lines, const wpg_report_shader *shader, size_t *at)
{
    if (*at >= shader->line_count)
        return false;
    *lines = (file_lines){&shader->lines[*at], 0, shader->lines[*at].file};
    while (*at < shader->line_count && shader->lines[*at].file == lines->file) {
        lines->count++;
        (*at)++;
    }
    return true;
}

/* True if the line is within `context` lines of a hot one. */
static bool is_near(const wpg_annotate *annotate, const file_lines *lines, uint32_t line, long context)
{
    const uint64_t hottest = hottest_line(annotate->shader);
    if (context < 0)
        return true;
    for (size_t i = 0; i < lines->count; i++) {
        const long away = labs((long)lines->first[i].line - (long)line);
        const uint64_t heat = heat_of(annotate->shader, &lines->first[i]);
        if (away <= context && heat && heat >= hottest / HOT_PART)
            return true;
    }
    return false;
}

static long context_of(const wpg_annotate *annotate, const char *text)
{
    size_t count = 0;
    for (const char *at = text; *at; at++)
        count += *at == '\n';
    if (annotate->context != WPG_CONTEXT_AUTO)
        return annotate->context;
    return count > LONG_FILE ? AUTO_CONTEXT : WPG_CONTEXT_ALL;
}

static void add_line(wpg_table *table, const wpg_annotate *annotate, const wpg_report_line *line,
                     uint32_t number, const char *text, size_t length)
{
    char *shown = line_text(text, length);
    if (line)
        add_counts(table, annotate->shader, line->waves, line->lanes, line->uniform,
                   hottest_line(annotate->shader));
    else
        add_blank(table, GUTTER);
    wpg_table_text(table, "%u", number);
    wpg_table_copy(table, shown ? shown : "");
    free(shown);
}

/* One row a source line; a row "..." for lines that are left out. */
static void add_file(wpg_table *table, const wpg_annotate *annotate, const file_lines *lines,
                     const char *text)
{
    const long context = context_of(annotate, text);
    const wpg_report_line *next = lines->first, *end = lines->first + lines->count;
    bool gap = false;
    uint32_t number = 1;
    for (const char *at = text; *at; number++) {
        const size_t length = strcspn(at, "\n");
        const wpg_report_line *line = next < end && next->line == number ? next++ : NULL;
        if (is_near(annotate, lines, number, context)) {
            if (gap) {
                add_blank(table, GUTTER + 1);
                wpg_table_copy(table, "...");
            }
            add_line(table, annotate, line, number, at, length);
            gap = false;
        } else {
            gap = true;
        }
        at += length + (at[length] == '\n');
    }
}

/* A file whose text no module has: its lines with code, by number. */
static void add_numbers(wpg_table *table, const wpg_annotate *annotate, const file_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        add_line(table, annotate, &lines->first[i], lines->first[i].line, "", 0);
}

static bool print_source(const wpg_terminal *terminal, const wpg_annotate *annotate)
{
    const wpg_report *report = annotate->report;
    wpg_terminal wide = *terminal;
    file_lines lines;
    bool good = true;
    wide.width = 0; /* source lines are not cut */
    for (size_t at = 0; next_file(&lines, annotate->shader, &at);) {
        const wpg_report_file *file = &report->files.data[lines.file];
        wpg_table table;
        wpg_table_init(&table, text_columns, sizeof text_columns / sizeof *text_columns, false);
        if (file->text)
            add_file(&table, annotate, &lines, file->text);
        else
            add_numbers(&table, annotate, &lines);
        (void)fprintf(terminal->out, "\n%s%s\n", file->name,
                      file->text ? "" : " (no module carries its text)");
        wpg_table_print(&table, &wide, 0);
        good = good && wpg_table_good(&table);
        wpg_table_finish(&table);
    }
    return good;
}

/* -- SPIR-V */

char *wpg_annotate_block(const wpg_annotate *annotate, uint32_t function, uint32_t block)
{
    wpg_arena arena;
    wpg_inst **functions;
    uint32_t count = 0;
    wpg_cfg *cfg = NULL;
    wpg_listing listing = {0};
    char *text = NULL;
    size_t size;
    FILE *out = NULL;
    wpg_arena_init(&arena);
    if (wpg_stage_functions(&functions, &count, annotate->normal, annotate->stage, &arena, NULL) == WPG_OK &&
        function < count && wpg_cfg_create(&cfg, annotate->normal, functions[function], NULL) == WPG_OK &&
        block < cfg->count && wpg_listing_init(&listing, annotate->normal, NULL) == WPG_OK)
        out = open_memstream(&text, &size);
    for (const wpg_inst *inst = out ? cfg->blocks[block].label->next : NULL; inst; inst = inst->next) {
        if (inst->opcode != SpvOpLine && inst->opcode != SpvOpNoLine) {
            wpg_listing_print(out, &listing, inst);
            (void)fputc('\n', out);
        }
        if (inst == cfg->blocks[block].terminator)
            break;
    }
    wpg_listing_finish(&listing);
    wpg_cfg_destroy(cfg);
    wpg_arena_finish(&arena);
    if (out && fclose(out) != 0) {
        free(text);
        text = NULL;
    }
    return text;
}

static void add_block(wpg_table *table, const wpg_annotate *annotate, const wpg_report_function *function,
                      uint32_t b)
{
    const wpg_report_block *block = &function->blocks[b];
    const wpg_report_shader *shader = annotate->shader;
    char name[WPG_PLACE_SIZE];
    const char *kind = wpg_report_block_kind_name(block->kind);
    const bool placed = block->file != WPG_REPORT_NONE;
    (void)wpg_report_block_text(name, annotate->report, shader, function->counts->function, b);
    add_counts(table, shader, block->waves, block->lanes, block->uniform,
               shader->has_waves ? shader->most_waves : shader->most_lanes);
    wpg_table_text(table, "%s%s%s", name, placed || !*kind ? "" : " ", placed ? "" : kind);
    wpg_table_color(table, WPG_COLOR_HEAD);
    char *text = annotate->normal ? wpg_annotate_block(annotate, function->counts->function, b) : NULL;
    for (char *at = text; at && *at;) {
        char *end = strchr(at, '\n');
        if (end)
            *end = '\0';
        add_blank(table, GUTTER);
        wpg_table_text(table, "    %s", at);
        at = end ? end + 1 : NULL;
    }
    free(text);
}

static bool print_blocks(const wpg_terminal *terminal, const wpg_annotate *annotate)
{
    const wpg_report_shader *shader = annotate->shader;
    wpg_terminal wide = *terminal;
    bool good = true;
    wide.width = 0;
    for (size_t i = 0; i < shader->function_count; i++) {
        const wpg_report_function *function = &shader->functions[i];
        wpg_table table;
        wpg_table_init(&table, block_columns, sizeof block_columns / sizeof *block_columns, false);
        for (uint32_t b = 0; b < function->counts->block_count; b++)
            add_block(&table, annotate, function, b);
        (void)fprintf(terminal->out, "\nfunction %u\n", function->counts->function);
        wpg_table_print(&table, &wide, 0);
        good = good && wpg_table_good(&table);
        wpg_table_finish(&table);
    }
    return good;
}

/* -- All */

static void print_head(const wpg_terminal *terminal, const wpg_annotate *annotate, bool source)
{
    const wpg_report_shader *shader = annotate->shader;
    char called[WPG_PLACE_SIZE], lanes[28], waves[28];
    double all = 0;
    for (size_t i = 0; i < annotate->report->shader_count; i++)
        all += annotate->report->shaders[i].cost;
    (void)fprintf(terminal->out, "%s (%s %s): ", wpg_report_called(called, shader->name, shader->hex),
                  shader->stage, shader->entry);
    if (shader->has_waves)
        (void)fprintf(terminal->out, "%s waves, ", wpg_group_digits(waves, shader->waves));
    (void)fprintf(terminal->out, "%s lanes, %.1f%% of the work\n", wpg_group_digits(lanes, shader->lanes),
                  all > 0 ? 100 * shader->cost / all : 0.0);
    if (source && shader->is_generated)
        (void)fputs(
            "no source: the module has no debug information; this is GLSL that SPIRV-Cross made of it\n",
            terminal->out);
    if (source)
        return;
    if (!shader->has_module)
        (void)fprintf(terminal->out, "no source, no SPIR-V: %s\n", shader->no_module);
    else
        (void)fputs(shader->line_count
                        ? "no source: the module has lines, and not their text; compile with -g\n"
                        : "no source: the module has no debug information; compile with -g\n",
                    terminal->out);
}

wpg_status wpg_annotate_text(const wpg_terminal *terminal, const wpg_annotate *annotate, wpg_error *err)
{
    const bool source = wpg_annotate_has_source(annotate->report, annotate->shader);
    print_head(terminal, annotate, source);
    const bool good = source ? print_source(terminal, annotate) : print_blocks(terminal, annotate);
    return good ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "out of memory");
}
