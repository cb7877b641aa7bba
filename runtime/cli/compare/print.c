/* A comparison as a table, and as CSV. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "runtime/base/text.h"
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

static const char *interval_of(char buffer[48], const wpg_compared *c)
{
    if (wpg_compare_tells_interval(c))
        (void)snprintf(buffer, 48, "%.2f to %.2f", c->ratio.low, c->ratio.high);
    else
        (void)snprintf(buffer, 48, "-");
    return buffer;
}

static void row(FILE *out, const char *name, const wpg_compared *c, const char *note)
{
    char off[32], use[32], interval[48];
    (void)fprintf(out, "%-*.*s %11s %11s   %5.2f   %-*s%s%s\n", NAME, NAME, name,
                  duration(off, sizeof off, c->off), duration(use, sizeof use, c->use), c->ratio.median,
                  *note ? 12 : 0, interval_of(interval, c), *note ? "   " : "", note);
}

/* The ratio of a pipeline that use mode left alone is no gain and no loss. */
static void unchanged_row(FILE *out, const char *name, const wpg_compared *c)
{
    char off[32], use[32];
    (void)fprintf(out, "%-*.*s %11s %11s       -   %-12s   unchanged\n", NAME, NAME, name,
                  duration(off, sizeof off, c->off), duration(use, sizeof use, c->use), "-");
}

static const char *note_of(wpg_verdict verdict)
{
    return verdict == WPG_VERDICT_NOISE  ? "changed, within the noise"
           : verdict == WPG_VERDICT_SAME ? "changed, no difference shown"
                                         : "changed";
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
    size_t listed = 0, left = 0;
    char name[NAME + 1];
    for (size_t i = 0; i < comparison->pipelines.count; i++) {
        const wpg_compared_pipeline *p = &comparison->pipelines.data[i];
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
        if (p->changed)
            row(out, name, &p->time, note_of(p->verdict));
        else
            unchanged_row(out, name, &p->time);
    }
    if (left)
        (void)fprintf(out, "%zu more: --json lists them\n", left);
    if (comparison->pipelines.count)
        (void)fprintf(out, "%" PRIu64 " of %zu pipelines changed\n", comparison->changed,
                      comparison->pipelines.count);
}

static void print_noise(FILE *out, const wpg_comparison *comparison)
{
    const wpg_noise *noise = &comparison->noise;
    if (!comparison->changed)
        (void)fprintf(out,
                      "No pipeline was changed: the ratios are noise, and what reading the profile costs.\n");
    else if (noise->count)
        (void)fprintf(out, "Noise: unchanged pipelines measured %.2f to %.2f.\n", noise->low, noise->high);
}

static void print_confidence(FILE *out, const wpg_comparison *comparison)
{
    if (comparison->headline == WPG_FIGURES)
        return;
    const wpg_compared *headline = &comparison->figures[comparison->headline];
    const size_t count = headline->ratio.count;
    if (wpg_compare_tells_interval(headline))
        (void)fprintf(out,
                      "\nRatios are use over off, medians of the rounds'. The intervals hold with %.3g %%.\n",
                      headline->ratio.confidence * 100);
    else
        (void)fprintf(
            out,
            "\nRatios are use over off, %s%zu round%s: too few for an interval. %d rounds give one of "
            "%d %% (--rounds).\n",
            count > 1 ? "medians of " : "of ", count, wpg_plural(count), (int)WPG_COMPARE_ROUNDS,
            (int)WPG_COMPARE_CONFIDENCE);
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
    print_noise(out, comparison);
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

static void csv_row(FILE *out, const wpg_compared *c, const char *verdict)
{
    (void)fprintf(out, ",%.9g,%.9g,%.6g,%.6g,%.6g,%.6g,%zu,%s\n", c->off, c->use, c->ratio.median,
                  c->ratio.low, c->ratio.high, c->ratio.confidence, c->ratio.count, verdict);
}

void wpg_compare_print_csv(FILE *out, const wpg_compare_result *result)
{
    const wpg_comparison *comparison = result->comparison;
    (void)fputs("what,hash,name,changed,off_seconds,use_seconds,ratio,low,high,confidence,rounds,verdict\n",
                out);
    for (int f = 0; f < WPG_FIGURES; f++)
        if (comparison->figures[f].ratio.count) {
            (void)fprintf(out, "%s,,,", wpg_figure_key((wpg_figure)f));
            csv_row(out, &comparison->figures[f], "");
        }
    for (size_t i = 0; i < comparison->pipelines.count; i++) {
        const wpg_compared_pipeline *p = &comparison->pipelines.data[i];
        if (!p->time.ratio.count)
            continue;
        (void)fprintf(out, "pipeline,%s,", p->hex);
        quoted(out, p->name);
        (void)fprintf(out, ",%d", (int)p->changed);
        csv_row(out, &p->time, wpg_verdict_key(p->verdict));
    }
}
