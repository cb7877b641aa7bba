/* A comparison as a table, and as CSV. */
#include <math.h>
#include <string.h>

#include "runtime/cli/compare/compare.h"

enum { MOST_LISTED = 20, NAME = 40 };

static const char *duration(char *buffer, size_t size, double seconds)
{
    const double scale = seconds >= 1 ? 1 : seconds >= 1e-3 ? 1e3 : seconds >= 1e-6 ? 1e6 : 1e9;
    const char *unit = scale == 1 ? "s" : scale == 1e3 ? "ms" : scale == 1e6 ? "us" : "ns";
    const double value = seconds * scale;
    (void)snprintf(buffer, size, "%.*f %s", value >= 100 ? 0 : value >= 10 ? 1 : 2, value, unit);
    return buffer;
}

static void row(FILE *out, const char *name, const wpg_compared *c, const char *note)
{
    char off[32], use[32], interval[48] = "-"; /* one round tells none */
    if (c->ratio.count > 1)
        (void)snprintf(interval, sizeof interval, "%.2f to %.2f", c->ratio.low, c->ratio.high);
    (void)fprintf(out, "%-*.*s %11s %11s   %5.2f   %s%s\n", NAME, NAME, name,
                  duration(off, sizeof off, c->off), duration(use, sizeof use, c->use), c->ratio.median,
                  interval, note);
}

static const wpg_times *any_times(const wpg_rounds *rounds)
{
    return rounds->count ? &rounds->data[0].side[WPG_SIDE_USE].times : NULL;
}

static void print_head(FILE *out, const wpg_compare_result *result)
{
    const wpg_times *times = any_times(result->rounds);
    const size_t count = result->rounds->count;
    for (char *const *word = result->options->program; *word; word++)
        (void)fprintf(out, "%s%s", word == result->options->program ? "" : " ", *word);
    (void)fprintf(out, "\n%zu round%s of off and use%s%s%s%s\n", count, count == 1 ? "" : "s",
                  result->interrupted ? " (interrupted)" : "", times && times->device[0] ? ", on " : "",
                  times ? times->device : "", result->options->bare ? "; off is without the layer" : "");
    (void)fprintf(out, "\n%-*s %11s %11s   RATIO   INTERVAL\n", NAME, "WHAT", "OFF", "USE");
}

static void print_pipelines(FILE *out, const wpg_comparison *comparison)
{
    size_t listed = 0, left = 0, changed = 0;
    char name[NAME + 1];
    for (size_t i = 0; i < comparison->pipelines.count; i++) {
        const wpg_compared_pipeline *p = &comparison->pipelines.data[i];
        changed += p->changed;
        if (!p->time.ratio.count || listed == MOST_LISTED) {
            left++;
            continue;
        }
        if (listed++ == 0)
            (void)fprintf(out, "\n%-*s %11s %11s   RATIO   INTERVAL\n", NAME, "PIPELINE: GPU TIME A COMMAND",
                          "OFF", "USE");
        if (p->name[0])
            (void)snprintf(name, sizeof name, "%.30s %.8s", p->name, p->hex);
        else
            (void)snprintf(name, sizeof name, "%.8s", p->hex);
        row(out, name, &p->time, p->changed ? "   changed" : "");
    }
    if (left)
        (void)fprintf(out, "%zu more: --json lists them\n", left);
    if (comparison->pipelines.count)
        (void)fprintf(out, "%zu of %zu pipelines changed\n", changed, comparison->pipelines.count);
}

static void print_confidence(FILE *out, const wpg_comparison *comparison)
{
    if (comparison->headline == WPG_FIGURES)
        return;
    const wpg_median *ratio = &comparison->figures[comparison->headline].ratio;
    if (ratio->count > 1)
        (void)fprintf(out,
                      "\nRatios are use over off, medians of the rounds'. The intervals hold with %.3g %%.\n",
                      ratio->confidence * 100);
    else
        (void)fprintf(out, "\nRatios are use over off, of one round: it tells no interval.\n");
    if (ratio->confidence * 100 < WPG_COMPARE_CONFIDENCE)
        (void)fprintf(out, "For %d %% take 6 rounds or more (--rounds).\n", (int)WPG_COMPARE_CONFIDENCE);
}

void wpg_compare_print_text(FILE *out, const wpg_compare_result *result)
{
    const wpg_comparison *comparison = result->comparison;
    print_head(out, result);
    for (int f = 0; f < WPG_FIGURES; f++)
        if (comparison->figures[f].ratio.count)
            row(out, wpg_figure_title((wpg_figure)f), &comparison->figures[f], "");
    if (!comparison->same_work && comparison->figures[WPG_FIGURE_WALL].ratio.count)
        (void)fprintf(
            out,
            "The GPU ran %.2f times the commands in use runs: wall and processor time are not of the "
            "same work.\n",
            comparison->work.median);
    print_pipelines(out, comparison);
    print_confidence(out, comparison);
}

/* -- CSV */

static void quoted(FILE *out, const char *text)
{
    (void)fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            (void)fputc('"', out);
        (void)fputc(*text, out);
    }
    (void)fputc('"', out);
}

static void csv_row(FILE *out, const wpg_compared *c)
{
    (void)fprintf(out, ",%.9g,%.9g,%.6g,%.6g,%.6g,%.6g,%zu\n", c->off, c->use, c->ratio.median, c->ratio.low,
                  c->ratio.high, c->ratio.confidence, c->ratio.count);
}

void wpg_compare_print_csv(FILE *out, const wpg_compare_result *result)
{
    const wpg_comparison *comparison = result->comparison;
    (void)fputs("what,hash,name,changed,off_seconds,use_seconds,ratio,low,high,confidence,rounds\n", out);
    for (int f = 0; f < WPG_FIGURES; f++)
        if (comparison->figures[f].ratio.count) {
            (void)fprintf(out, "%s,,,", wpg_figure_key((wpg_figure)f));
            csv_row(out, &comparison->figures[f]);
        }
    for (size_t i = 0; i < comparison->pipelines.count; i++) {
        const wpg_compared_pipeline *p = &comparison->pipelines.data[i];
        if (!p->time.ratio.count)
            continue;
        (void)fprintf(out, "pipeline,%s,", p->hex);
        quoted(out, p->name);
        (void)fprintf(out, ",%d", (int)p->changed);
        csv_row(out, &p->time);
    }
}
