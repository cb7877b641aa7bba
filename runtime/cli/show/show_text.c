/* Tables for people: pipelines, shaders, blocks, dearest first. Shares are computed here, after merging,
 * never stored. */
#include "runtime/base/text.h"
#include "runtime/report/text/figures.h"
#include "runtime/report/text/heat.h"
#include "runtime/report/model/places.h"
#include "runtime/report/text/table.h"
#include "runtime/cli/show/show.h"

#include <stdlib.h>
#include <string.h>

static void print_number(FILE *out, int width, bool measured, uint64_t value)
{
    char text[28];
    (void)fprintf(out, " %*s", width, measured ? wpg_group_digits(text, value) : "-");
}

/* "97.1 %"; "-" where nothing was measured or nothing ran. */
static void print_share(FILE *out, bool measured, uint64_t part, uint64_t whole)
{
    if (measured && whole)
        (void)fprintf(out, " %7.1f%%", 100.0 * (double)part / (double)whole);
    else
        (void)fprintf(out, " %8s", "-");
}

static void print_ratio(FILE *out, bool measured, uint64_t part, uint64_t whole)
{
    if (measured && whole)
        (void)fprintf(out, " %10.1f", (double)part / (double)whole);
    else
        (void)fprintf(out, " %10s", "-");
}

static void print_bar(const wpg_terminal *terminal, int most, uint64_t part, uint64_t whole)
{
    int length = whole && most > 0 ? (int)(most * ((double)part / (double)whole) + 0.5) : 0;
    (void)fputs("  ", terminal->out);
    wpg_terminal_color(terminal, wpg_heat_color((double)part, (double)whole));
    for (int i = 0; i < length; i++)
        (void)fputc('#', terminal->out);
    wpg_terminal_color(terminal, WPG_COLOR_PLAIN);
    (void)fputc('\n', terminal->out);
}

/* -- Pipelines */

static const wpg_column pipeline_columns[] = {{.title = "COST", .drop = 1},
                                              {.title = "PIPELINE", .left = true},
                                              {.title = "STAGE", .left = true},
                                              {.title = "RUNS", .drop = 4},
                                              {.title = "WAVES"},
                                              {.title = "LANES"},
                                              {.title = "LANES/WAVE", .drop = 3},
                                              {.title = "UNIFORM", .drop = 2},
                                              {.title = "NAME", .left = true, .is_name = true}};
enum { PIPELINE_COLUMNS = sizeof pipeline_columns / sizeof *pipeline_columns, BEFORE_STAGE = 2 };

static void add_stage(wpg_table *table, const wpg_report *report, const wpg_report_stage *stage, bool named)
{
    const wpg_report_shader *shader = &report->shaders[stage->shader];
    char called[WPG_PLACE_SIZE];
    wpg_shader_totals totals = wpg_shader_sum(shader->functions[0].counts);
    wpg_table_text(table, "%s", shader->stage);
    wpg_table_number(table, !stage->shared, stage->runs);
    wpg_table_number(table, stage->has_waves, stage->waves);
    wpg_table_number(table, !stage->shared, stage->lanes);
    wpg_table_ratio(table, stage->has_waves, (double)stage->lanes, (double)stage->waves);
    wpg_table_share(table, shader->has_uniform && shader->has_waves, (double)totals.uniform,
                    (double)totals.waves);
    if (named)
        wpg_table_text(table, "  %s", wpg_report_called(called, shader->name, shader->hex));
}

/* A pipeline of one stage is one row, with its name and its shader's where these differ. */
static void add_pipeline(wpg_table *table, const wpg_show_options *options,
                         const wpg_report_pipeline *pipeline)
{
    const wpg_report *report = options->report;
    char hash[WPG_HASH_HEX + 1], called[WPG_PLACE_SIZE];
    const wpg_report_shader *only =
        pipeline->stage_count == 1 ? &report->shaders[pipeline->stages[0].shader] : NULL;
    wpg_table_share(table, true, pipeline->cost, 1);
    wpg_table_color(table, wpg_heat_color(pipeline->cost, 1));
    wpg_table_text(table, "%s", wpg_show_hash(hash, pipeline->hex, options));
    if (only) {
        add_stage(table, report, &pipeline->stages[0], false);
        if (strcmp(only->name, pipeline->name) == 0)
            wpg_table_text(table, "%s", pipeline->name);
        else
            wpg_table_text(table, "%.160s (%s)", pipeline->name,
                           wpg_report_called(called, only->name, only->hex));
        return;
    }
    for (size_t c = BEFORE_STAGE; c + 1 < PIPELINE_COLUMNS; c++)
        wpg_table_empty(table);
    wpg_table_text(table, "%s", pipeline->name);
    for (size_t i = 0; i < pipeline->stage_count; i++) {
        wpg_table_empty(table);
        wpg_table_empty(table);
        add_stage(table, report, &pipeline->stages[i], true);
    }
}

static void print_pipelines(const wpg_terminal *terminal, const wpg_show_options *options)
{
    const wpg_report *report = options->report;
    wpg_table table;
    size_t shown = 0, all = 0;
    wpg_table_init(&table, pipeline_columns, PIPELINE_COLUMNS, false);
    for (size_t i = 0; i < report->pipeline_count; i++) {
        if (!wpg_show_wants_pipeline(options, &report->pipelines[i]))
            continue;
        if (all++ < options->top || !options->top) {
            add_pipeline(&table, options, &report->pipelines[i]);
            shown++;
        }
    }
    if (shown) {
        (void)fputc('\n', terminal->out);
        wpg_table_print(&table, terminal, 0);
    }
    if (shown < all)
        (void)fprintf(terminal->out, "(%zu more; --top 0 shows all)\n", all - shown);
    if (shown && report->alone > 0)
        (void)fprintf(terminal->out,
                      "(%.1f%% of the work: %zu shader%s that no pipeline here has, see below)\n",
                      100 * report->alone, report->alone_count, wpg_plural(report->alone_count));
    wpg_table_finish(&table);
}

/* -- Blocks */

/* The longest place of the function's blocks, 0: none is known. */
static int place_width(const wpg_show_options *options, const wpg_report_shader *owner,
                       const wpg_shader_counts *shader)
{
    int most = 0;
    for (uint32_t b = 0; b < shader->block_count; b++) {
        char place[WPG_PLACE_SIZE];
        const int length =
            (int)strlen(wpg_report_line_of(place, options->report, owner, shader->function, b));
        most = length > most ? length : most;
    }
    return most;
}

static void print_block(FILE *out, const wpg_shader_counts *shader, size_t b)
{
    (void)fprintf(out, "    %6zu", b);
    print_number(out, 15, shader->waves, shader->waves ? shader->waves[b] : 0);
    print_number(out, 17, shader->lanes, shader->lanes ? shader->lanes[b] : 0);
    print_ratio(out, shader->waves && shader->lanes, shader->lanes ? shader->lanes[b] : 0,
                shader->waves ? shader->waves[b] : 0);
    print_share(out, shader->waves && shader->uniform, shader->uniform ? shader->uniform[b] : 0,
                shader->waves ? shader->waves[b] : 0);
}

/* Places stand between the figures and the bar, which takes what the terminal has left. */
static void print_blocks(const wpg_terminal *terminal, const wpg_show_options *options,
                         const wpg_report_shader *owner, const wpg_shader_counts *shader)
{
    enum { FIGURES = 64, BAR = 24 };
    FILE *out = terminal->out;
    size_t *order = wpg_blocks_by_heat(shader);
    if (!order)
        return;
    const size_t top = options->top, shown = top && top < shader->block_count ? top : shader->block_count;
    const uint64_t hottest = shader->block_count ? wpg_block_heat(shader, order[0]) : 0;
    const int place = place_width(options, owner, shader), used = FIGURES + (place ? place + 2 : 0) + 2;
    const int bar = terminal->width && terminal->width - used < BAR ? terminal->width - used : BAR;
    (void)fprintf(out, "    %6s %15s %17s %10s %8s%s\n", "BLOCK", "WAVES", "LANES", "LANES/WAVE", "UNIFORM",
                  place ? "  PLACE" : "");
    for (size_t i = 0; i < shown; i++) {
        char text[WPG_PLACE_SIZE];
        print_block(out, shader, order[i]);
        if (place)
            (void)fprintf(
                out, "  %-*s", place,
                wpg_report_line_of(text, options->report, owner, shader->function, (uint32_t)order[i]));
        print_bar(terminal, bar, wpg_block_heat(shader, order[i]), hottest);
    }
    if (shown < shader->block_count)
        (void)fprintf(out, "    (%zu more blocks)\n", shader->block_count - shown);
    free(order);
}

static void print_selects(FILE *out, const wpg_shader_counts *shader)
{
    enum { PER_SITE = 4 }; /* lanes true, lanes false, waves true, waves false */
    for (size_t site = 0; site < shader->select_counter_count / PER_SITE; site++) {
        const uint64_t *c = shader->selects + site * PER_SITE;
        char text[4][28];
        double lanes = (double)c[0] + (double)c[1];
        if (lanes == 0)
            continue;
        for (size_t i = 0; i < PER_SITE; i++)
            (void)wpg_group_digits(text[i], c[i]);
        (void)fprintf(out,
                      "    select %zu: true in %s lanes (%.1f%%), false in %s; waves with a true lane %s, "
                      "with a false lane %s\n",
                      site, text[0], 100.0 * (double)c[0] / lanes, text[1], text[2], text[3]);
    }
}

/* How much of what the counts stand for was counted. Exact counts may be among them. */
static void print_samples(FILE *out, const wpg_shader_counts *shader)
{
    if (!shader->samples || !shader->lanes || !shader->block_count)
        return;
    char seen[28], all[28];
    const uint64_t total = shader->lanes[0];
    const uint64_t sampled =
        shader->samples[WPG_SAMPLES_LANES] < total ? shader->samples[WPG_SAMPLES_LANES] : total;
    const uint64_t counted = total - sampled + shader->samples[WPG_SAMPLES_SEEN_LANES];
    (void)fprintf(out, "    sampled 1/%.2f: an estimate of %s invocations from %s\n",
                  counted ? (double)total / (double)counted : 0.0, wpg_group_digits(all, total),
                  wpg_group_digits(seen, counted));
}

/* Fragments that an early test would have killed are among those counted without. */
static void print_late(FILE *out, const wpg_shader_counts *shader)
{
    const wpg_profile_record *late = shader->records[WPG_RECORD_LATE];
    char text[28];
    if (late)
        (void)fprintf(out, "    counted without early tests: %s invocations\n",
                      wpg_group_digits(text, late->counters[0]));
}

/* -- Shaders */

static const wpg_column shader_columns[] = {{.title = "COST", .drop = 1},
                                            {.title = "SHADER", .left = true},
                                            {.title = "STAGE", .left = true},
                                            {.title = "BLOCKS", .drop = 4},
                                            {.title = "WAVES"},
                                            {.title = "LANES"},
                                            {.title = "LANES/WAVE", .drop = 3},
                                            {.title = "UNIFORM", .drop = 2},
                                            {.title = "NAME", .left = true, .is_name = true}};

static void add_function(wpg_table *table, const wpg_show_options *options, const wpg_report_shader *owner,
                         size_t f, double all)
{
    const wpg_shader_counts *shader = owner->functions[f].counts;
    char hash[WPG_HASH_HEX + 1];
    wpg_shader_totals totals = wpg_shader_sum(shader);
    if (f)
        wpg_table_empty(table);
    else
        wpg_table_share(table, true, owner->cost, all);
    wpg_table_color(table, wpg_heat_color(f ? 0 : owner->cost, all));
    wpg_table_text(table, "%s", wpg_show_hash(hash, owner->hex, options));
    wpg_table_text(table, "%s", shader->stage);
    wpg_table_number(table, true, shader->block_count);
    wpg_table_number(table, shader->waves, totals.waves);
    wpg_table_number(table, shader->lanes, totals.lanes);
    wpg_table_ratio(table, shader->waves && shader->lanes, (double)totals.lanes, (double)totals.waves);
    wpg_table_share(table, shader->waves && shader->uniform, (double)totals.uniform, (double)totals.waves);
    if (shader->function)
        wpg_table_text(table, "%s fn%u", owner->name, shader->function);
    else
        wpg_table_text(table, "%s", owner->name);
}

static void print_details(const wpg_terminal *terminal, const wpg_show_options *options,
                          const wpg_report_shader *owner, const wpg_shader_counts *shader)
{
    print_samples(terminal->out, shader);
    print_late(terminal->out, shader);
    if (options->blocks) {
        print_blocks(terminal, options, owner, shader);
        print_selects(terminal->out, shader);
        wpg_show_probes_text(terminal->out, shader, options);
    }
    if (options->values)
        wpg_show_values_text(terminal->out, shader);
}

static size_t add_functions(wpg_table *table, const wpg_show_options *options)
{
    const wpg_report *report = options->report;
    size_t count = 0;
    double all = 0;
    for (size_t i = 0; i < report->shader_count; i++)
        all += report->shaders[i].cost;
    for (size_t i = 0; i < report->shader_count; i++)
        for (size_t f = 0; f < report->shaders[i].function_count; f++)
            if (wpg_show_wants(options, &report->shaders[i])) {
                if (count++ < options->top || !options->top)
                    add_function(table, options, &report->shaders[i], f, all);
            }
    return count;
}

static void print_shaders(const wpg_terminal *terminal, const wpg_show_options *options)
{
    const wpg_report *report = options->report;
    wpg_table table;
    size_t row = 0;
    wpg_table_init(&table, shader_columns, sizeof shader_columns / sizeof *shader_columns, false);
    const size_t count = add_functions(&table, options), shown = wpg_table_rows(&table);
    if (count) {
        (void)fputs("\nSums over blocks:\n", terminal->out);
        wpg_table_fit(&table, terminal, 0);
        wpg_table_title(&table, terminal, 0);
    }
    for (size_t i = 0; i < report->shader_count; i++) {
        const wpg_report_shader *owner = &report->shaders[i];
        if (!wpg_show_wants(options, owner))
            continue;
        for (size_t f = 0; f < owner->function_count && row < shown; f++) {
            wpg_table_row(&table, terminal, 0, row++);
            print_details(terminal, options, owner, owner->functions[f].counts);
        }
    }
    if (shown < count)
        (void)fprintf(terminal->out, "(%zu more; --top 0 shows all)\n", count - shown);
    wpg_table_finish(&table);
}

/* -- All */

static void print_head(FILE *out, const wpg_show_options *options)
{
    const wpg_report *report = options->report;
    const wpg_shader_view *view = report->view;
    (void)fprintf(out, "%s: %zu pipeline%s, %zu shader function%s", report->path, report->pipeline_count,
                  wpg_plural(report->pipeline_count), view->shader_count, wpg_plural(view->shader_count));
    if (report->pipeline_count)
        (void)fprintf(out, "; cost is %s",
                      report->cost_is_time ? "GPU time" : "work, instructions times waves");
    (void)fputc('\n', out);
    wpg_show_made_text(out, view);
    if (view->foreign || view->inconsistent)
        (void)fprintf(out, "%zu record%s of other programs, %zu inconsistent left out\n", view->foreign,
                      wpg_plural(view->foreign), view->inconsistent);
    if (view->pushed)
        (void)fprintf(out, "values of push constants: of %zu pipeline%s\n", view->pushed,
                      wpg_plural(view->pushed));
}

void wpg_show_text(const wpg_terminal *terminal, const wpg_show_options *options)
{
    const wpg_report_shader *shader = options->shader;
    char called[WPG_PLACE_SIZE];
    if (shader)
        (void)fprintf(terminal->out, "%s: %s entry %s, shader %s\n",
                      wpg_report_called(called, shader->name, shader->hex), shader->stage, shader->entry,
                      shader->hex);
    else if (options->pipeline)
        (void)fprintf(terminal->out, "%s: pipeline %s\n", options->pipeline->name, options->pipeline->hex);
    else
        print_head(terminal->out, options);
    print_pipelines(terminal, options);
    if (options->bundle && !shader && !options->pipeline) {
        wpg_show_facts_text(terminal, options);
        wpg_show_verdicts_text(terminal->out, options);
    }
    print_shaders(terminal, options);
}
