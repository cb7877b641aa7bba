/* Alternating child processes, one a measurement: a layer acts from process start, so that every side needs
 * processes of its own, and alternating keeps slow drifts of the machine (clocks, temperature, other work)
 * out of the ratio. In each round the base and then every side run once; the ratio of a case is the median
 * over the rounds of side over base. */
#include "shaders/runner/compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "shaders/runner/child.h"
#include "shaders/runner/report.h"
#include "shaders/runner/timing.h"

/* What is compared of a case: device time, creation, and everything until the second execution can begin
 * (drivers that compile at the first dispatch pay there). */
typedef enum quantity { TIME, CREATE, COMPILE, QUANTITIES } quantity;
static const char *const quantity_names[QUANTITIES] = {"", "create_", "compile_"};

typedef struct side {
    bench_assignments environment;
    const char *label; /* "" without one */
    char label_text[32];
    double *values[QUANTITIES]; /* of the case in hand, one a round */
    double least_mhz, most_mhz; /* the GPU's shader clock around its executions; 0: unknown */
    bool equal, failed;
    int exit_status;             /* of the child that failed */
    double *ratios[QUANTITIES];  /* median ratio of each case so far */
    size_t measured, mismatched; /* cases: in `ratios`; with another output than the base's */
} side;

typedef struct comparison {
    const bench_options *options;
    side *base, *sides;
    size_t side_count;
    double *scratch; /* options->rounds */
    FILE *json;
    bool table;
    char stable_power[256]; /* what the last process said of it */
} comparison;

/* "NAME: VAR=VALUE": the name, and the list behind it. */
static const char *take_label(side *s, const char *text)
{
    size_t length = strcspn(text, ": =\t\n");
    s->label = s->label_text;
    if (text[length] != ':' || length == 0 || length >= sizeof s->label_text)
        return text;
    memcpy(s->label_text, text, length);
    s->label_text[length] = 0;
    return text + length + 1;
}

static bool has(const comparison *cmp, quantity q)
{
    return q == CREATE || !cmp->options->compile_only;
}

/* How far the clocks moved, and the first time that the power state is not held. */
static void note_power(comparison *cmp, side *s, const bench_measurement *m)
{
    for (size_t i = 0; i < 2; i++) {
        const double clock = m->shader_mhz[i];
        s->least_mhz = clock > 0 && (s->least_mhz <= 0 || clock < s->least_mhz) ? clock : s->least_mhz;
        s->most_mhz = clock > s->most_mhz ? clock : s->most_mhz;
    }
    if (cmp->options->stable_power && !*cmp->stable_power && strncmp(m->stable_power, "not held", 8) == 0)
        (void)fprintf(stderr, "wavepgo-bench: stable power state %s\n", m->stable_power);
    memcpy(cmp->stable_power, m->stable_power, sizeof cmp->stable_power);
}

/* One side in one round; false if no process could be made. */
static bool measure_side(comparison *cmp, side *s, const bench_case *c, uint32_t round, bench_measurement *m)
{
    if (!bench_child_run(m, cmp->options, c, &s->environment)) {
        (void)fprintf(stderr, "wavepgo-bench: cannot start a process: %s\n", strerror(errno));
        return false;
    }
    if (m->exit_status == BENCH_EXIT_NO_DEVICE || m->skipped)
        return true;
    if (!m->ok) {
        (void)fprintf(stderr, "wavepgo-bench: %s failed with the %s environment (exit status %d)\n", c->name,
                      s == cmp->base ? "second"
                      : *s->label    ? s->label
                                     : "first",
                      m->exit_status);
        s->failed = true;
        s->exit_status = m->exit_status;
    }
    note_power(cmp, s, m);
    s->values[TIME][round] = m->time_ms;
    s->values[CREATE][round] = m->create_ms;
    s->values[COMPILE][round] = m->compile_ms;
    return true;
}

static void check_output(const comparison *cmp, side *s, const bench_case *c, const char *base,
                         const char *checksum)
{
    if (s->failed || cmp->options->compile_only || strcmp(base, checksum) == 0)
        return;
    if (s->equal)
        (void)fprintf(stderr, "wavepgo-bench: %s: checksum %s in the %s environment, %s before\n", c->name,
                      checksum,
                      s == cmp->base ? "second"
                      : *s->label    ? s->label
                                     : "first",
                      base);
    s->equal = false;
}

/* All rounds of one case. Returns 0, 1, 77, or -1 for a skipped case, whose reason is in `base`. */
static int measure_case(comparison *cmp, const bench_case *c, bench_measurement *base)
{
    char first[17] = "";
    for (size_t i = 0; i <= cmp->side_count; i++) {
        side *s = i ? &cmp->sides[i - 1] : cmp->base;
        s->equal = true;
        s->failed = false;
        s->least_mhz = s->most_mhz = 0;
    }
    for (uint32_t round = 0; round < cmp->options->rounds; round++) {
        if (!measure_side(cmp, cmp->base, c, round, base))
            return 1;
        if (base->exit_status == BENCH_EXIT_NO_DEVICE)
            return BENCH_EXIT_NO_DEVICE;
        if (base->skipped)
            return -1;
        if (cmp->base->failed)
            return 1;
        if (!*first)
            memcpy(first, base->checksum, sizeof first);
        check_output(cmp, cmp->base, c, first, base->checksum);
        for (size_t i = 0; i < cmp->side_count; i++) {
            bench_measurement m;
            side *s = &cmp->sides[i];
            if (s->failed)
                continue;
            if (!measure_side(cmp, s, c, round, &m))
                return 1;
            if (m.skipped || m.exit_status == BENCH_EXIT_NO_DEVICE) {
                s->failed = true; /* not what the base said: something took the device or a feature away */
                s->exit_status = BENCH_EXIT_NO_DEVICE;
            }
            check_output(cmp, s, c, first, m.checksum);
        }
    }
    return 0;
}

static void json_number(FILE *json, const char *prefix, const char *key, const char *suffix, double value)
{
    (void)fprintf(json, ",\"%s%s%s\":%.6f", prefix, key, suffix, value);
}

static void json_clocks(FILE *json, const char *key, const side *s)
{
    if (s->most_mhz > 0)
        (void)fprintf(json, ",\"%s\":[%.0f,%.0f]", key, s->least_mhz, s->most_mhz);
    else
        (void)fprintf(json, ",\"%s\":\"unknown\"", key);
}

static void json_begin(const comparison *cmp, const side *s, const bench_case *c)
{
    (void)fputs("{\"case\":", cmp->json);
    bench_json_string(cmp->json, c->name);
    if (s && *s->label) {
        (void)fputs(",\"label\":", cmp->json);
        bench_json_string(cmp->json, s->label);
    }
    (void)fprintf(cmp->json, ",\"size\":\"%s\",\"rounds\":%u", bench_size_name(cmp->options->size),
                  cmp->options->rounds);
}

static void report_side(comparison *cmp, side *s, const bench_case *c, const char *checksum)
{
    size_t rounds = cmp->options->rounds;
    bench_stats a[QUANTITIES] = {0}, b[QUANTITIES] = {0}, ratio[QUANTITIES] = {0};
    bool equal = s->equal && cmp->base->equal;
    if (s->failed) {
        if (cmp->table)
            (void)printf("%-18s %-12s failed (exit status %d)\n", c->name, s->label, s->exit_status);
        if (cmp->json) {
            json_begin(cmp, s, c);
            (void)fprintf(cmp->json, ",\"state\":\"failed\",\"exit_status\":%d}\n", s->exit_status);
        }
        return;
    }
    s->mismatched += !equal;
    for (int q = 0; q < QUANTITIES; q++) {
        if (!has(cmp, (quantity)q))
            continue;
        for (size_t i = 0; i < rounds; i++)
            cmp->scratch[i] = s->values[q][i] / cmp->base->values[q][i];
        ratio[q] = bench_stats_of(cmp->scratch, rounds);
        a[q] = bench_stats_of(s->values[q], rounds);
        memcpy(cmp->scratch, cmp->base->values[q], rounds * sizeof *cmp->scratch);
        b[q] = bench_stats_of(cmp->scratch, rounds);
        s->ratios[q][s->measured] = ratio[q].median;
    }
    s->measured++;
    if (cmp->table) {
        (void)printf("%-18s %-12s ", c->name, s->label);
        if (has(cmp, TIME))
            (void)printf("%9.3f %9.3f %7.3f (%.3f-%.3f) ", a[TIME].median, b[TIME].median, ratio[TIME].median,
                         ratio[TIME].min, ratio[TIME].max);
        (void)printf("%9.3f %9.3f %7.3f  %s\n", a[CREATE].median, b[CREATE].median, ratio[CREATE].median,
                     cmp->options->compile_only ? ""
                     : equal                    ? "equal"
                                                : "DIFFERENT");
        (void)fflush(stdout);
    }
    if (cmp->json) {
        json_begin(cmp, s, c);
        for (int q = 0; q < QUANTITIES; q++) {
            if (!has(cmp, (quantity)q))
                continue;
            json_number(cmp->json, "a_", quantity_names[q], "ms", a[q].median);
            json_number(cmp->json, "b_", quantity_names[q], "ms", b[q].median);
            json_number(cmp->json, quantity_names[q], "ratio", "", ratio[q].median);
            json_number(cmp->json, quantity_names[q], "ratio", "_min", ratio[q].min);
            json_number(cmp->json, quantity_names[q], "ratio", "_max", ratio[q].max);
        }
        if (!cmp->options->compile_only)
            (void)fprintf(cmp->json, ",\"checksum\":\"%s\",\"equal\":%s,\"stable_power\":\"%s\"", checksum,
                          equal ? "true" : "false", cmp->stable_power);
        if (!cmp->options->compile_only) {
            json_clocks(cmp->json, "a_shader_mhz", s);
            json_clocks(cmp->json, "b_shader_mhz", cmp->base);
        }
        (void)fputs("}\n", cmp->json);
        (void)fflush(cmp->json);
    }
}

static void report_skipped(const comparison *cmp, const bench_case *c, const char *why)
{
    if (cmp->table)
        (void)printf("%-18s skipped: %s\n", c->name, why);
    if (cmp->json) {
        json_begin(cmp, NULL, c);
        (void)fprintf(cmp->json, ",\"state\":\"skipped\",\"why\":\"%s\"}\n", why);
    }
}

static void report_summary(const comparison *cmp, const side *s)
{
    if (!s->measured) {
        (void)fputs(cmp->table ? "no case was measured\n" : "", stdout);
        return;
    }
    double mean[QUANTITIES] = {0}, worst = 0;
    for (int q = 0; q < QUANTITIES; q++)
        mean[q] = has(cmp, (quantity)q) ? bench_geometric_mean(s->ratios[q], s->measured) : 0;
    for (size_t i = 0; has(cmp, TIME) && i < s->measured; i++)
        worst = s->ratios[TIME][i] > worst ? s->ratios[TIME][i] : worst;
    if (cmp->table) {
        (void)printf("geometric mean of %zu case%s%s%s:", s->measured, s->measured == 1 ? "" : "s",
                     *s->label ? ", " : "", s->label);
        if (has(cmp, TIME))
            (void)printf(" time ratio %.3f,", mean[TIME]);
        (void)printf(" creation ratio %.3f\n", mean[CREATE]);
    }
    if (cmp->json) {
        (void)fprintf(cmp->json, "{\"cases\":%zu", s->measured);
        if (*s->label) {
            (void)fputs(",\"label\":", cmp->json);
            bench_json_string(cmp->json, s->label);
        }
        for (int q = 0; q < QUANTITIES; q++)
            if (has(cmp, (quantity)q))
                json_number(cmp->json, "geomean_", quantity_names[q], "ratio", mean[q]);
        if (has(cmp, TIME))
            json_number(cmp->json, "worst_", "", "ratio", worst);
        (void)fputs("}\n", cmp->json);
    }
}

static void print_header(const comparison *cmp)
{
    const bench_options *o = cmp->options;
    for (uint32_t i = 0; i < o->compare_count; i++)
        (void)printf("A: %s\n", o->compare[i]);
    (void)printf(
        "B: %s\nsize %s, %u rounds of %u executions of %u binds; times in ms, ratios are A/B (median "
        "of pairs, range)\n%-18s %-12s ",
        o->against, bench_size_name(o->size), o->rounds, o->repeat, o->binds, "case", "");
    if (has(cmp, TIME))
        (void)printf("%9s %9s %7s %15s ", "A", "B", "A/B", "");
    (void)printf("%9s %9s %7s  %s\n", "A create", "B create", "A/B", o->compile_only ? "" : "outputs");
}

static int compare_all(comparison *cmp)
{
    size_t count;
    const bench_case *cases = bench_cases(&count);
    int exit_status = 0;
    if (cmp->table)
        print_header(cmp);
    for (size_t i = 0; i < count; i++) {
        bench_measurement base = {0};
        if (!bench_options_select(cmp->options, &cases[i]))
            continue;
        int status = measure_case(cmp, &cases[i], &base);
        if (status == BENCH_EXIT_NO_DEVICE)
            return status;
        if (status == 1)
            exit_status = 1;
        if (status == -1)
            report_skipped(cmp, &cases[i], base.why);
        for (size_t s = 0; status == 0 && s < cmp->side_count; s++) {
            report_side(cmp, &cmp->sides[s], &cases[i], base.checksum);
            if (cmp->sides[s].failed || !cmp->sides[s].equal || !cmp->base->equal)
                exit_status = 1;
        }
    }
    for (size_t s = 0; s < cmp->side_count; s++)
        report_summary(cmp, &cmp->sides[s]);
    return exit_status;
}

/* Environments and memory of the base and every side. */
static bool prepare_sides(side *sides, double *values, const bench_options *o, size_t cases)
{
    for (uint32_t i = 0; i <= o->compare_count; i++) {
        const char *text = i ? o->compare[i - 1] : o->against;
        if (!bench_assignments_parse(&sides[i].environment, take_label(&sides[i], text)))
            return false;
        for (int q = 0; q < QUANTITIES; q++) {
            sides[i].values[q] = values;
            sides[i].ratios[q] = values + o->rounds;
            values += o->rounds + cases;
        }
    }
    return true;
}

int bench_compare(const bench_options *o)
{
    size_t rounds = o->rounds, cases, count = (size_t)o->compare_count + 1;
    FILE *json = NULL;
    int exit_status = 2;
    bench_cases(&cases);
    side *sides = calloc(count, sizeof *sides);
    double *values = calloc(rounds + count * QUANTITIES * (rounds + cases), sizeof *values);
    if (sides && values && prepare_sides(sides, values + rounds, o, cases) && bench_json_open(&json, o)) {
        comparison cmp = {.options = o,
                          .base = sides,
                          .sides = sides + 1,
                          .side_count = count - 1,
                          .scratch = values,
                          .json = json,
                          .table = json != stdout};
        exit_status = compare_all(&cmp);
        if (!bench_json_close(json) && exit_status == 0)
            exit_status = 1;
    }
    for (size_t i = 0; sides && i < count; i++)
        bench_assignments_finish(&sides[i].environment);
    free(values);
    free(sides);
    return exit_status;
}
