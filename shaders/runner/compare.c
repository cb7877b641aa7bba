/* Alternating child processes, one a measurement: a layer acts from process start, so that both sides need
 * processes of their own, and alternating keeps slow drifts of the machine (clocks, temperature, other work)
 * out of the ratio. The ratio of a case is the median over the ratios of neighbouring runs. */
#include "shaders/runner/compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/base/vec.h"
#include "shaders/runner/report.h"
#include "shaders/runner/timing.h"

enum { MAX_CHILD_OUTPUT = 1 << 20 };

typedef WPG_VEC(char *) assignments; /* VAR=VALUE, malloc'd; handed to putenv in the child */

typedef struct measurement {
    int exit_status;
    bool ok, skipped;
    char checksum[17];
    double time_ms, create_ms;
} measurement;

typedef struct comparison {
    double *a_time, *b_time, *ratio, *a_create, *b_create, *create_ratio; /* options->rounds of each */
    char checksum[17];
    bool equal, skipped;
} comparison;

static void free_assignments(assignments *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->data[i]);
    wpg_vec_free(list);
}

/* Cuts `text` into VAR=VALUE words as a shell would: at white space, which '...' and "..." keep, as does a
 * backslash outside quotes. */
static bool parse_assignments(assignments *list, const char *text)
{
    const char *space = " \t\n";
    memset(list, 0, sizeof *list);
    for (text += strspn(text, space); *text; text += strspn(text, space)) {
        char *word = malloc(strlen(text) + 1);
        size_t length = 0;
        char quote = 0;
        if (!word || !wpg_vec_push(list, word)) {
            free(word);
            return false;
        }
        for (; *text && (quote || !strchr(space, *text)); text++) {
            if (!quote && *text == '\\' && text[1])
                word[length++] = *++text;
            else if (quote ? *text == quote : *text == '\'' || *text == '"')
                quote = quote ? 0 : *text;
            else
                word[length++] = *text;
        }
        word[length] = 0;
        if (quote || !strchr(word, '=') || *word == '=') {
            (void)fprintf(stderr, "wavepgo-bench: not VAR=VALUE: %s\n", word);
            return false;
        }
    }
    return true;
}

static _Noreturn void become_child(const bench_options *o, const bench_case *c, const assignments *env,
                                   int output)
{
    char repeat[16];
    char *argv[16];
    int argc = 0;
    (void)snprintf(repeat, sizeof repeat, "%u", o->repeat);
    const char *fixed[] = {
        "wavepgo-bench",          "--json",   "-",    "--case",    c->name,         "--size",
        bench_size_name(o->size), "--repeat", repeat, "--shaders", o->shader_folder};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        argv[argc++] = (char *)fixed[i];
    if (o->device) {
        argv[argc++] = (char *)"--device";
        argv[argc++] = (char *)o->device;
    }
    argv[argc] = NULL;
    for (size_t i = 0; i < env->count; i++)
        putenv(env->data[i]);
    if (dup2(output, STDOUT_FILENO) >= 0)
        execv("/proc/self/exe", argv);
    (void)fprintf(stderr, "wavepgo-bench: cannot run itself: %s\n", strerror(errno));
    _exit(126);
}

/* Reads until the child closes its end; a longer output than the limit is read on and dropped. */
static void read_all(char *text, int from)
{
    size_t length = 0;
    char rest[4096];
    for (;;) {
        bool full = length == MAX_CHILD_OUTPUT;
        ssize_t n =
            full ? read(from, rest, sizeof rest) : read(from, text + length, MAX_CHILD_OUTPUT - length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        if (!full)
            length += (size_t)n;
    }
    text[length] = 0;
}

static bool number_after(double *value, const char *line, const char *key)
{
    const char *at = strstr(line, key);
    char *end;
    if (!at)
        return false;
    at += strlen(key);
    *value = strtod(at, &end);
    return end != at;
}

/* The child's line of JSON is the one that begins as ours do: a layer may print lines of its own. */
static void parse_output(measurement *m, const char *text)
{
    static const char begin[] = "{\"case\":", sum[] = "\"checksum\":\"";
    const char *line = text;
    while (line && strncmp(line, begin, sizeof begin - 1) != 0) {
        line = strchr(line, '\n');
        if (line)
            line++;
    }
    if (!line)
        return;
    m->skipped = strstr(line, "\"state\":\"skipped\"") != NULL;
    const char *checksum = strstr(line, sum);
    if (checksum && strlen(checksum) >= sizeof sum - 1 + 16) {
        memcpy(m->checksum, checksum + sizeof sum - 1, 16);
        m->ok = number_after(&m->time_ms, line, "\"median_ms\":") && m->time_ms > 0 &&
                number_after(&m->create_ms, line, "\"create_ms\":") && m->create_ms > 0;
    }
}

static bool run_child(measurement *m, const bench_options *o, const bench_case *c, const assignments *env)
{
    int ends[2], status;
    memset(m, 0, sizeof *m);
    char *text = malloc(MAX_CHILD_OUTPUT + 1);
    if (!text || pipe(ends) != 0) {
        free(text);
        return false;
    }
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become_child(o, c, env, ends[1]);
    }
    close(ends[1]);
    if (child > 0) {
        read_all(text, ends[0]);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        m->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (m->exit_status == 0)
            parse_output(m, text);
    }
    close(ends[0]);
    free(text);
    return child > 0;
}

/* All rounds of one case. Returns the exit status so far: 0, 77 or 1. */
static int compare_case(comparison *cmp, const bench_options *o, const bench_case *c,
                        const assignments sides[2])
{
    cmp->equal = true;
    cmp->skipped = false;
    cmp->checksum[0] = 0;
    for (uint32_t round = 0; round < o->rounds; round++) {
        measurement m[2];
        for (int side = 0; side < 2; side++) {
            if (!run_child(&m[side], o, c, &sides[side])) {
                (void)fprintf(stderr, "wavepgo-bench: cannot start a process: %s\n", strerror(errno));
                return 1;
            }
            if (m[side].exit_status == BENCH_EXIT_NO_DEVICE)
                return BENCH_EXIT_NO_DEVICE;
            if (m[side].skipped) {
                cmp->skipped = true;
                return 0;
            }
            if (!m[side].ok) {
                (void)fprintf(stderr, "wavepgo-bench: %s failed with the %s environment (exit status %d)\n",
                              c->name, side ? "second" : "first", m[side].exit_status);
                return 1;
            }
            if (!cmp->checksum[0])
                memcpy(cmp->checksum, m[side].checksum, sizeof cmp->checksum);
            if (strcmp(cmp->checksum, m[side].checksum) != 0) {
                (void)fprintf(stderr, "wavepgo-bench: %s: checksum %s in the %s environment, %s before\n",
                              c->name, m[side].checksum, side ? "second" : "first", cmp->checksum);
                cmp->equal = false;
            }
        }
        cmp->a_time[round] = m[0].time_ms;
        cmp->b_time[round] = m[1].time_ms;
        cmp->ratio[round] = m[0].time_ms / m[1].time_ms;
        cmp->a_create[round] = m[0].create_ms;
        cmp->b_create[round] = m[1].create_ms;
        cmp->create_ratio[round] = m[0].create_ms / m[1].create_ms;
    }
    return cmp->equal ? 0 : 1;
}

typedef struct summary {
    double *ratios, *create_ratios; /* one a case */
    size_t count;
} summary;

static void report_case(const bench_options *o, const bench_case *c, comparison *cmp, FILE *json,
                        summary *sum)
{
    if (cmp->skipped) {
        if (json != stdout)
            (void)printf("%-18s skipped\n", c->name);
        return;
    }
    size_t n = o->rounds;
    bench_stats a = bench_stats_of(cmp->a_time, n), b = bench_stats_of(cmp->b_time, n);
    bench_stats ratio = bench_stats_of(cmp->ratio, n);
    bench_stats a_create = bench_stats_of(cmp->a_create, n), b_create = bench_stats_of(cmp->b_create, n);
    bench_stats create_ratio = bench_stats_of(cmp->create_ratio, n);
    sum->ratios[sum->count] = ratio.median;
    sum->create_ratios[sum->count++] = create_ratio.median;
    if (json != stdout) {
        (void)printf("%-18s %9.3f %9.3f %7.3f (%.3f-%.3f) %9.3f %9.3f %7.3f  %s\n", c->name, a.median,
                     b.median, ratio.median, ratio.min, ratio.max, a_create.median, b_create.median,
                     create_ratio.median, cmp->equal ? "equal" : "DIFFERENT");
        (void)fflush(stdout);
    }
    if (json) {
        (void)fputs("{\"case\":", json);
        bench_json_string(json, c->name);
        (void)fprintf(
            json,
            ",\"size\":\"%s\",\"rounds\":%u,\"a_ms\":%.6f,\"b_ms\":%.6f,\"ratio\":%.6f,\"ratio_min\":%.6f,",
            bench_size_name(o->size), o->rounds, a.median, b.median, ratio.median, ratio.min);
        (void)fprintf(json,
                      "\"ratio_max\":%.6f,\"a_create_ms\":%.6f,\"b_create_ms\":%.6f,\"create_ratio\":%.6f,"
                      "\"checksum\":\"%s\","
                      "\"equal\":%s}\n",
                      ratio.max, a_create.median, b_create.median, create_ratio.median, cmp->checksum,
                      cmp->equal ? "true" : "false");
    }
}

static void report_summary(const summary *sum, FILE *json)
{
    if (!sum->count) {
        (void)fputs(json == stdout ? "" : "no case was measured\n", stdout);
        return;
    }
    double ratio = bench_geometric_mean(sum->ratios, sum->count);
    double create_ratio = bench_geometric_mean(sum->create_ratios, sum->count);
    if (json != stdout)
        (void)printf("geometric mean of %zu cases: time ratio %.3f, creation ratio %.3f\n", sum->count, ratio,
                     create_ratio);
    if (json)
        (void)fprintf(json, "{\"cases\":%zu,\"geomean_ratio\":%.6f,\"geomean_create_ratio\":%.6f}\n",
                      sum->count, ratio, create_ratio);
}

static int compare_all(const bench_options *o, const assignments sides[2], comparison *cmp, summary *sum,
                       FILE *json)
{
    size_t count;
    const bench_case *cases = bench_cases(&count);
    int exit_status = 0;
    if (json != stdout)
        (void)printf(
            "A: %s\nB: %s\nsize %s, %u rounds of %u executions; times in ms, ratios are A/B (median of "
            "pairs, range)\n"
            "%-18s %9s %9s %7s %15s %9s %9s %7s  %s\n",
            o->compare, o->against, bench_size_name(o->size), o->rounds, o->repeat, "case", "A", "B", "A/B",
            "", "A create", "B create", "A/B", "outputs");
    for (size_t i = 0; i < count; i++) {
        if (!bench_options_select(o, &cases[i]))
            continue;
        int status = compare_case(cmp, o, &cases[i], sides);
        if (status == BENCH_EXIT_NO_DEVICE)
            return status;
        if (status)
            exit_status = 1;
        if (status == 0 || !cmp->equal)
            report_case(o, &cases[i], cmp, json, sum);
    }
    report_summary(sum, json);
    return exit_status;
}

int bench_compare(const bench_options *o)
{
    assignments sides[2] = {{0}, {0}};
    size_t rounds = o->rounds, cases;
    FILE *json = NULL;
    int exit_status = 2;
    bench_cases(&cases);
    double *values = calloc(6 * rounds + 2 * cases, sizeof *values);
    if (values && parse_assignments(&sides[0], o->compare) && parse_assignments(&sides[1], o->against) &&
        bench_json_open(&json, o)) {
        comparison cmp = {values,
                          values + rounds,
                          values + 2 * rounds,
                          values + 3 * rounds,
                          values + 4 * rounds,
                          values + 5 * rounds,
                          "",
                          true,
                          false};
        summary sum = {values + 6 * rounds, values + 6 * rounds + cases, 0};
        exit_status = compare_all(o, sides, &cmp, &sum, json);
        if (!bench_json_close(json) && exit_status == 0)
            exit_status = 1;
    }
    free(values);
    free_assignments(&sides[0]);
    free_assignments(&sides[1]);
    return exit_status;
}
