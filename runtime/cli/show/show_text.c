/* Tables for people: pipelines, shaders, blocks, hottest first. Shares are computed here, after merging,
 * never stored. */
#include "runtime/base/text.h"
#include "runtime/report/figures.h"
#include "runtime/report/heat.h"
#include "runtime/cli/show/show.h"

#include <stdlib.h>

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

static void print_bar(FILE *out, uint64_t part, uint64_t whole)
{
    int length = whole ? (int)(24.0 * (double)part / (double)whole + 0.5) : 0;
    (void)fputs("  ", out);
    for (int i = 0; i < length; i++)
        (void)fputc('#', out);
    (void)fputc('\n', out);
}

static const wpg_shader_counts *entry_function(const wpg_shader_view *view,
                                               const wpg_pipeline_stage_counts *stage)
{
    const wpg_shader_counts *first;
    size_t count = wpg_shader_view_find(&first, view, stage->shader, stage->stage, stage->entry);
    for (size_t i = 0; i < count; i++)
        if (first[i].function == 0 && first[i].checksum == stage->checksum)
            return &first[i];
    return NULL;
}

typedef struct pipeline_row {
    const wpg_pipeline_counts *pipeline;
    uint64_t heat;
} pipeline_row;

static int hotter_pipeline(const void *left, const void *right)
{
    const pipeline_row *a = left, *b = right;
    if (a->heat != b->heat)
        return a->heat > b->heat ? -1 : 1;
    return a->pipeline < b->pipeline ? -1 : a->pipeline > b->pipeline;
}

static void print_pipeline(FILE *out, const wpg_shader_view *view, const wpg_pipeline_counts *pipeline)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, pipeline->pipeline);
    for (size_t i = 0; i < pipeline->stage_count; i++) {
        const wpg_pipeline_stage_counts *stage = &pipeline->stages[i];
        const uint64_t *counters = stage->counters;
        const wpg_shader_counts *shader = entry_function(view, stage);
        wpg_shader_totals totals = shader ? wpg_shader_sum(shader) : (wpg_shader_totals){0};
        (void)fprintf(out, "%-32s  %-5s", i ? "" : hex, stage->stage);
        print_number(out, 6, true, counters[WPG_PIPELINE_RUNS]);
        print_number(out, 15, counters[WPG_PIPELINE_WAVES_RUNS] > 0, counters[WPG_PIPELINE_WAVES]);
        print_number(out, 17, true, counters[WPG_PIPELINE_LANES]);
        print_ratio(out, counters[WPG_PIPELINE_WAVES_RUNS] > 0, counters[WPG_PIPELINE_LANES],
                    counters[WPG_PIPELINE_WAVES]);
        print_share(out, shader && shader->uniform && shader->waves, totals.uniform, totals.waves);
        (void)fprintf(out, "  %s\n", stage->entry);
    }
}

static void print_pipelines(FILE *out, const wpg_shader_view *view, const wpg_show_options *options)
{
    pipeline_row *rows = malloc((view->pipeline_count + 1) * sizeof *rows);
    if (!rows || !view->pipeline_count) {
        free(rows);
        return;
    }
    for (size_t i = 0; i < view->pipeline_count; i++) {
        rows[i] = (pipeline_row){&view->pipelines[i], 0};
        for (size_t k = 0; k < view->pipelines[i].stage_count; k++) {
            const uint64_t lanes = view->pipelines[i].stages[k].counters[WPG_PIPELINE_LANES];
            rows[i].heat = rows[i].heat > lanes ? rows[i].heat : lanes;
        }
    }
    qsort(rows, view->pipeline_count, sizeof *rows, hotter_pipeline);
    (void)fprintf(out, "\n%-32s  %-5s %6s %15s %17s %10s %8s  %s\n", "PIPELINE", "STAGE", "RUNS", "WAVES",
                  "LANES", "LANES/WAVE", "UNIFORM", "ENTRY");
    size_t shown = options->top && options->top < view->pipeline_count ? options->top : view->pipeline_count;
    for (size_t i = 0; i < shown; i++)
        print_pipeline(out, view, rows[i].pipeline);
    if (shown < view->pipeline_count)
        (void)fprintf(out, "(%zu more; --top 0 shows all)\n", view->pipeline_count - shown);
    free(rows);
}

static void print_blocks(FILE *out, const wpg_shader_counts *shader, size_t top)
{
    size_t *order = wpg_blocks_by_heat(shader);
    if (!order)
        return;
    size_t shown = top && top < shader->block_count ? top : shader->block_count;
    uint64_t hottest = shader->block_count ? wpg_block_heat(shader, order[0]) : 0;
    (void)fprintf(out, "    %6s %15s %17s %10s %8s\n", "BLOCK", "WAVES", "LANES", "LANES/WAVE", "UNIFORM");
    for (size_t i = 0; i < shown; i++) {
        size_t b = order[i];
        (void)fprintf(out, "    %6zu", b);
        print_number(out, 15, shader->waves, shader->waves ? shader->waves[b] : 0);
        print_number(out, 17, shader->lanes, shader->lanes ? shader->lanes[b] : 0);
        print_ratio(out, shader->waves && shader->lanes, shader->lanes ? shader->lanes[b] : 0,
                    shader->waves ? shader->waves[b] : 0);
        print_share(out, shader->waves && shader->uniform, shader->uniform ? shader->uniform[b] : 0,
                    shader->waves ? shader->waves[b] : 0);
        print_bar(out, wpg_block_heat(shader, b), hottest);
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

static void print_shader(FILE *out, const wpg_shader_counts *shader, const wpg_show_options *options)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_shader_totals totals = wpg_shader_sum(shader);
    wpg_hash_to_hex(hex, shader->shader);
    (void)fprintf(out, "%-32s  %-5s", hex, shader->stage);
    print_number(out, 6, true, shader->block_count);
    print_number(out, 15, shader->waves, totals.waves);
    print_number(out, 17, shader->lanes, totals.lanes);
    print_ratio(out, shader->waves && shader->lanes, totals.lanes, totals.waves);
    print_share(out, shader->waves && shader->uniform, totals.uniform, totals.waves);
    (void)fprintf(out, "  %s", shader->entry);
    if (shader->function)
        (void)fprintf(out, " fn%u", shader->function);
    (void)fputc('\n', out);
    print_samples(out, shader);
    print_late(out, shader);
    if (options->blocks) {
        print_blocks(out, shader, options->top);
        print_selects(out, shader);
        wpg_show_probes_text(out, shader, options->bundle);
    }
    if (options->values)
        wpg_show_values_text(out, shader);
}

void wpg_show_text(FILE *out, const char *title, const wpg_shader_view *view, const wpg_show_options *options)
{
    size_t *order = wpg_shaders_by_heat(view);
    size_t shown = options->top && options->top < view->shader_count ? options->top : view->shader_count;
    (void)fprintf(out, "%s: %zu pipeline%s, %zu shader function%s\n", title, view->pipeline_count,
                  wpg_plural(view->pipeline_count), view->shader_count, wpg_plural(view->shader_count));
    if (view->foreign || view->inconsistent)
        (void)fprintf(out, "%zu record%s of other programs, %zu inconsistent left out\n", view->foreign,
                      wpg_plural(view->foreign), view->inconsistent);
    if (view->pushed)
        (void)fprintf(out, "values of push constants: of %zu pipeline%s\n", view->pushed,
                      wpg_plural(view->pushed));
    print_pipelines(out, view, options);
    if (options->bundle) {
        wpg_show_facts_text(out, options->bundle, options->top);
        wpg_show_verdicts_text(out, options->bundle);
    }
    if (!order || !view->shader_count) {
        free(order);
        return;
    }
    (void)fprintf(out, "\n%-32s  %-5s %6s %15s %17s %10s %8s  %s\n", "SHADER (sums over blocks)", "STAGE",
                  "BLOCKS", "WAVES", "LANES", "LANES/WAVE", "UNIFORM", "ENTRY");
    for (size_t i = 0; i < shown; i++)
        print_shader(out, &view->shaders[order[i]], options);
    if (shown < view->shader_count)
        (void)fprintf(out, "(%zu more; --top 0 shows all)\n", view->shader_count - shown);
    free(order);
}
