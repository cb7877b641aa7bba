/* What `wavepgo compare` makes of rounds: pipelines that use mode left alone are the noise, and no gain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/cli/compare/compare.h"

enum { PIPELINES = 4, COMMANDS = 10 };

/* Whether a pipeline was changed; milliseconds of a command in use runs of even and odd rounds. Off: 1. */
typedef struct pipeline {
    bool changed;
    double even, odd;
} pipeline;

static void add(wpg_measured *measured, uint64_t id, bool changed, double milliseconds)
{
    const double each = milliseconds * 1e6;
    const wpg_times_pipeline one = {.hash = {.low = id, .high = id},
                                    .changed = changed,
                                    .runs = 2,
                                    .commands = COMMANDS,
                                    .nanoseconds = (uint64_t)(each * COMMANDS),
                                    .first_commands = 1,
                                    .first_nanoseconds = (uint64_t)each};
    assert_true(wpg_vec_push(&measured->times.pipelines, one));
    measured->times.changed += changed;
    measured->times.made++;
    measured->figures[WPG_FIGURE_GPU] += each * COMMANDS * 1e-9;
}

static void compare(wpg_comparison *comparison, wpg_rounds *rounds, const pipeline *pipelines, size_t count,
                    size_t round_count)
{
    wpg_error err;
    *rounds = (wpg_rounds){0};
    for (size_t r = 0; r < round_count; r++) {
        wpg_round round = {0};
        for (int side = 0; side < WPG_SIDES; side++) {
            for (int f = 0; f < WPG_FIGURES; f++)
                round.side[side].figures[f] = f == WPG_FIGURE_GPU ? 0 : NAN;
            for (size_t p = 0; p < count; p++)
                if (side == WPG_SIDE_OFF)
                    add(&round.side[side], p + 1, false, 1);
                else
                    add(&round.side[side], p + 1, pipelines[p].changed,
                        r % 2 ? pipelines[p].odd : pipelines[p].even);
        }
        assert_true(wpg_vec_push(rounds, round));
    }
    assert_int_equal(wpg_compare_rounds(comparison, rounds, NULL, &err), WPG_OK);
}

static void finish(wpg_comparison *comparison, wpg_rounds *rounds)
{
    wpg_comparison_finish(comparison);
    for (size_t r = 0; r < rounds->count; r++)
        for (int side = 0; side < WPG_SIDES; side++)
            wpg_measured_finish(&rounds->data[r].side[side]);
    wpg_vec_free(rounds);
}

static const wpg_compared_pipeline *find(const wpg_comparison *comparison, uint64_t id)
{
    for (size_t i = 0; i < comparison->pipelines.count; i++)
        if (comparison->pipelines.data[i].hash.low == id)
            return &comparison->pipelines.data[i];
    fail_msg("pipeline %d is missing", (int)id);
    return NULL;
}

static void verdicts(const char *expected, const pipeline *pipelines, size_t count, size_t round_count)
{
    wpg_comparison comparison;
    wpg_rounds rounds;
    char text[200] = "";
    compare(&comparison, &rounds, pipelines, count, round_count);
    for (size_t p = 0; p < count; p++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", p ? " " : "",
                       wpg_verdict_key(find(&comparison, p + 1)->verdict));
    assert_string_equal(text, expected);
    finish(&comparison, &rounds);
}

static void unchanged_pipelines_are_the_noise(void **state)
{
    (void)state;
    const pipeline pipelines[PIPELINES] = {
        {false, 0.65, 0.65}, {true, 0.7, 0.7}, {true, 0.3, 0.3}, {false, 1.05, 1.05}};
    wpg_comparison comparison;
    wpg_rounds rounds;
    compare(&comparison, &rounds, pipelines, PIPELINES, 2);
    assert_int_equal(comparison.noise.count, 2);
    assert_true(fabs(comparison.noise.low - 0.65) < 1e-6);
    assert_true(fabs(comparison.noise.high - 1.05) < 1e-6);
    assert_int_equal(comparison.changed, 2);
    finish(&comparison, &rounds);
    verdicts("unchanged noise few-rounds unchanged", pipelines, PIPELINES, 2);
    verdicts("unchanged noise less unchanged", pipelines, PIPELINES, 6);
}

static void rounds_decide(void **state)
{
    (void)state;
    const pipeline pipelines[PIPELINES] = {{true, 0.5, 0.6}, {true, 0.9, 1.1}, {true, 1.2, 1.3}};
    verdicts("few-rounds few-rounds few-rounds", pipelines, 3, 1);
    verdicts("few-rounds few-rounds few-rounds", pipelines, 3, 5);
    verdicts("less same more", pipelines, 3, 6);
}

static char *printed(const pipeline *pipelines, size_t count, size_t round_count)
{
    char *text = NULL, *program[] = {(char[]){"game"}, NULL};
    size_t size = 0;
    wpg_comparison comparison;
    wpg_rounds rounds;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    compare(&comparison, &rounds, pipelines, count, round_count);
    const wpg_compare_options options = {.program = program, .rounds = (int)round_count};
    wpg_compare_print_text(out, &(wpg_compare_result){.options = &options,
                                                      .rounds = &rounds,
                                                      .comparison = &comparison,
                                                      .date = "",
                                                      .program = "",
                                                      .profile_hash = ""});
    (void)fclose(out);
    finish(&comparison, &rounds);
    return text;
}

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in:\n%s", part, text);
}

static void what_is_printed(void **state)
{
    (void)state;
    const pipeline pipelines[PIPELINES] = {{false, 0.65, 0.65}, {true, 0.3, 0.4}, {true, 0.9, 1.2}};
    char *text = printed(pipelines, 3, 2);
    has(text, "    -   -              unchanged\n");
    has(text, " 0.35   -              changed\n");
    has(text, "2 of 3 pipelines changed\nNoise: unchanged pipelines measured 0.65 to 0.65.\n");
    has(text, "medians of 2 rounds: too few for an interval. 6 rounds give one of 95 % (--rounds).\n");
    free(text);
    text = printed(pipelines, 3, 6);
    has(text, " 0.35   0.30 to 0.40   changed\n");
    has(text, " 1.05   0.90 to 1.20   changed, no difference shown\n");
    has(text, "The intervals hold with 96.9 %.\n");
    free(text);
    text = printed(pipelines, 1, 6);
    has(text, "0 of 1 pipelines changed\nNo pipeline was changed: the ratios are noise");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unchanged_pipelines_are_the_noise),
        cmocka_unit_test(rounds_decide),
        cmocka_unit_test(what_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
