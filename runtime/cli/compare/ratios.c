/* Ratios of rounds, and their medians. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cli/compare/compare.h"

/* What the rounds gave for one figure. */
typedef struct series {
    double *off, *use, *ratios;
    size_t count;
} series;

static bool series_init(series *s, size_t most)
{
    *s = (series){.off = calloc(most + 1, sizeof(double)),
                  .use = calloc(most + 1, sizeof(double)),
                  .ratios = calloc(most + 1, sizeof(double))};
    return s->off && s->use && s->ratios;
}

static void series_finish(series *s)
{
    free(s->off);
    free(s->use);
    free(s->ratios);
}

static void series_add(series *s, double off, double use)
{
    if (!(off > 0) || !(use > 0))
        return;
    s->off[s->count] = off;
    s->use[s->count] = use;
    s->ratios[s->count++] = use / off;
}

static void compare(wpg_compared *out, series *s)
{
    *out = (wpg_compared){0};
    if (!wpg_median_interval(&out->ratio, s->ratios, s->count, WPG_COMPARE_CONFIDENCE / 100.0))
        return;
    wpg_median side;
    (void)wpg_median_interval(&side, s->off, s->count, 0.5);
    out->off = side.median;
    (void)wpg_median_interval(&side, s->use, s->count, 0.5);
    out->use = side.median;
}

/* -- Pipelines */

static double steady(const wpg_times_pipeline *p)
{
    uint64_t commands;
    return p ? wpg_times_steady(&commands, p) * 1e-9 : 0;
}

/* All pipelines that both sides of a round timed, at the off run's commands. */
static void add_gpu(series *s, const wpg_round *round)
{
    const wpg_measured *off = &round->side[WPG_SIDE_OFF], *use = &round->side[WPG_SIDE_USE];
    double sums[WPG_SIDES] = {0};
    for (size_t i = 0; i < off->times.pipelines.count; i++) {
        const wpg_times_pipeline *a = &off->times.pipelines.data[i], *b = wpg_measured_find(use, a->hash);
        if (!b)
            continue;
        sums[WPG_SIDE_OFF] += steady(a) * (double)a->commands;
        sums[WPG_SIDE_USE] += steady(b) * (double)a->commands;
    }
    series_add(s, sums[WPG_SIDE_OFF], sums[WPG_SIDE_USE]);
}

static bool is_known(const wpg_comparison *comparison, wpg_hash128 hash)
{
    for (size_t i = 0; i < comparison->pipelines.count; i++)
        if (wpg_hash_equal(comparison->pipelines.data[i].hash, hash))
            return true;
    return false;
}

/* One pipeline over all rounds. */
static void compare_pipeline(wpg_compared_pipeline *out, const wpg_rounds *rounds, series *s)
{
    double time = 0, all = 0;
    s->count = 0;
    for (size_t r = 0; r < rounds->count; r++) {
        const wpg_measured *off = &rounds->data[r].side[WPG_SIDE_OFF];
        const wpg_times_pipeline *a = wpg_measured_find(off, out->hash),
                                 *b = wpg_measured_find(&rounds->data[r].side[WPG_SIDE_USE], out->hash);
        series_add(s, steady(a), steady(b));
        out->changed |= b && b->changed;
        time += a ? steady(a) * (double)a->commands : 0;
        all += isnan(off->figures[WPG_FIGURE_GPU]) ? 0 : off->figures[WPG_FIGURE_GPU];
    }
    out->share = all > 0 ? time / all : 0;
    compare(&out->time, s);
}

static int dearer(const void *left, const void *right)
{
    const wpg_compared_pipeline *a = left, *b = right;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return strcmp(a->hex, b->hex);
}

static bool compare_pipelines(wpg_comparison *comparison, const wpg_rounds *rounds, const wpg_report *report,
                              series *s)
{
    for (size_t r = 0; r < rounds->count; r++)
        for (int side = 0; side < WPG_SIDES; side++) {
            const wpg_times *times = &rounds->data[r].side[side].times;
            for (size_t i = 0; i < times->pipelines.count; i++) {
                wpg_compared_pipeline one = {.hash = times->pipelines.data[i].hash};
                if (is_known(comparison, one.hash))
                    continue;
                wpg_hash_to_hex(one.hex, one.hash);
                wpg_compare_name(one.name, report, one.hex);
                compare_pipeline(&one, rounds, s);
                if (!wpg_vec_push(&comparison->pipelines, one))
                    return false;
            }
        }
    if (comparison->pipelines.count)
        qsort(comparison->pipelines.data, comparison->pipelines.count, sizeof *comparison->pipelines.data,
              dearer);
    return true;
}

/* -- All */

/* A program that runs for a certain time does more where it is faster: how much more. */
static void compare_work(wpg_comparison *comparison, const wpg_rounds *rounds, series *s)
{
    static const double tolerance = 0.02;
    s->count = 0;
    for (size_t r = 0; r < rounds->count; r++) {
        double commands[WPG_SIDES] = {0};
        for (int side = 0; side < WPG_SIDES; side++) {
            const wpg_times *times = &rounds->data[r].side[side].times;
            for (size_t i = 0; i < times->pipelines.count; i++)
                commands[side] += (double)times->pipelines.data[i].commands;
        }
        series_add(s, commands[WPG_SIDE_OFF], commands[WPG_SIDE_USE]);
    }
    comparison->same_work =
        !wpg_median_interval(&comparison->work, s->ratios, s->count, WPG_COMPARE_CONFIDENCE / 100.0) ||
        fabs(comparison->work.median - 1) <= tolerance;
}

/* What one line says: what a person waits for. */
static wpg_figure headline_of(const wpg_comparison *comparison)
{
    static const wpg_figure order[] = {WPG_FIGURE_FRAME, WPG_FIGURE_WALL, WPG_FIGURE_GPU,
                                       WPG_FIGURE_PROCESSOR};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const bool whole = order[i] == WPG_FIGURE_WALL || order[i] == WPG_FIGURE_PROCESSOR;
        if (comparison->figures[order[i]].ratio.count && (comparison->same_work || !whole))
            return order[i];
    }
    return WPG_FIGURES;
}

wpg_status wpg_compare_rounds(wpg_comparison *comparison, const wpg_rounds *rounds, const wpg_report *report,
                              wpg_error *err)
{
    series s;
    *comparison = (wpg_comparison){0};
    bool good = series_init(&s, rounds->count);
    for (int f = 0; f < WPG_FIGURES && good; f++) {
        s.count = 0;
        for (size_t r = 0; r < rounds->count; r++)
            if (f == WPG_FIGURE_GPU)
                add_gpu(&s, &rounds->data[r]);
            else
                series_add(&s, rounds->data[r].side[WPG_SIDE_OFF].figures[f],
                           rounds->data[r].side[WPG_SIDE_USE].figures[f]);
        compare(&comparison->figures[f], &s);
    }
    good = good && compare_pipelines(comparison, rounds, report, &s);
    if (good)
        compare_work(comparison, rounds, &s);
    series_finish(&s);
    if (good)
        wpg_compare_judge(comparison, rounds);
    comparison->headline = headline_of(comparison);
    if (good)
        return WPG_OK;
    wpg_comparison_finish(comparison);
    return wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

void wpg_comparison_finish(wpg_comparison *comparison)
{
    wpg_vec_free(&comparison->pipelines);
}
