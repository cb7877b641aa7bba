/* Tuning: the interval against known truth, thousands of simulated tunings with heavy-tailed noise, drift and
 * several kinds of work, whose rates of wrong verdicts must stay below what is stated; blocks, resuming. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/tune/intervals.h"
#include "runtime/tune/tuning.h"

static uint64_t seed;

static uint64_t bits(void)
{
    uint64_t x = seed += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static double uniform(void)
{
    return ((double)(bits() >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979323846 * uniform());
}

/* Of a time: lognormal, and one in twenty hit by something that has no mean (Pareto, exponent 1). */
static double noise(void)
{
    double factor = exp(0.05 * normal());
    return uniform() < 0.05 ? factor * fmin(1 / uniform(), 1e4) : factor;
}

/* -- The interval */

static void quantiles(void **state)
{
    (void)state;
    assert_true(fabs(wpg_normal_quantile(0.5)) < 1e-9);
    assert_true(fabs(wpg_normal_quantile(0.025) - 1.959963985) < 1e-8);
    assert_true(fabs(wpg_normal_quantile(0.001) - 3.090232306) < 1e-8);
}

static void interval_by_hand(void **state)
{
    (void)state;
    /* x = 0 1 2, y = x + 10: the differences are 8 9 9 10 10 10 11 11 12, their median 10. */
    double x[] = {2, 0, 1}, y[] = {11, 12, 10};
    wpg_stratum strata[] = {{x, y, 3, 3, 5}, {NULL, NULL, 0, 0, 7}};
    wpg_ratio ratio;
    assert_true(wpg_ratio_interval(&ratio, strata, 2, 0.25));
    assert_true(fabs(log(ratio.ratio) - 10) < 1e-6);
    /* z(0.25) sqrt(7 / 108) = 0.1717: the first with 2.95 of 9 pairs at or below, and beyond 6.05. */
    assert_true(fabs(log(ratio.low) - 9) < 1e-6);
    assert_true(fabs(log(ratio.high) - 11) < 1e-6);
    /* Too few for so small a tail: nothing is known of either end. */
    assert_true(wpg_ratio_interval(&ratio, strata, 1, 0.001));
    assert_true(ratio.low == 0 && isinf(ratio.high));
    assert_false(wpg_ratio_interval(&ratio, strata + 1, 1, 0.25));
}

static void interval_covers(void **state)
{
    (void)state;
    enum { TRIALS = 3000, M = 20, N = 24 };
    unsigned below = 0, above = 0;
    seed = 11;
    for (int trial = 0; trial < TRIALS; trial++) {
        double x[2][M], y[2][N];
        wpg_stratum strata[2];
        for (int s = 0; s < 2; s++) {
            for (int i = 0; i < M; i++)
                x[s][i] = log(1000 * (s + 1) * noise());
            for (int i = 0; i < N; i++)
                y[s][i] = log(0.8 * 1000 * (s + 1) * noise());
            strata[s] = (wpg_stratum){x[s], y[s], M, N, s + 1};
        }
        wpg_ratio ratio;
        assert_true(wpg_ratio_interval(&ratio, strata, 2, 0.025));
        assert_true(ratio.low <= ratio.ratio && ratio.ratio <= ratio.high);
        below += ratio.high < 0.8;
        above += ratio.low > 0.8;
    }
    print_message("interval: %u of %d lie below the truth, %u above; stated 2.5 %% each\n", below, TRIALS,
                  above);
    /* 2.5 % is 75; three standard deviations of that count are 26. */
    assert_true(below <= 101 && above <= 101);
    assert_true(below + above >= 60); /* not so wide as to say nothing */
}

/* -- Whole tunings */

static wpg_verdict *made(size_t candidates, double margin)
{
    wpg_verdict *verdict = calloc(1, sizeof *verdict);
    assert_non_null(verdict);
    verdict->confidence = 0.95;
    verdict->margin = margin;
    verdict->count = 1 + candidates;
    verdict->pipeline = (wpg_hash128){bits(), bits()};
    for (size_t i = 1; i <= candidates; i++)
        verdict->alternatives[i].passes[0] = (char)('a' + i - 1);
    return verdict;
}

/* Three kinds of work, slow drift, noise; alternative i takes ratios[i] times as long. */
static wpg_sample ran(double ratio, unsigned step)
{
    unsigned kind = (unsigned)(bits() % 3);
    double drift = 1 + 0.2 * sin(step * 0.01);
    return (wpg_sample){kind, 0, (uint64_t)(10000 * (1 + 4 * kind) * drift * ratio * noise())};
}

static void tune(wpg_verdict *verdict, const double *ratios)
{
    wpg_tuning tuning;
    wpg_tuning_init(&tuning, verdict);
    for (unsigned step = 0; !wpg_verdict_settled(verdict); step++) {
        assert_true(step < 5000);
        size_t chosen = wpg_tuning_choose(&tuning);
        assert_true(chosen < verdict->count);
        assert_true(chosen == 0 || verdict->alternatives[chosen].outcome == WPG_OUTCOME_OPEN);
        (void)wpg_tuning_add(&tuning, chosen, ran(ratios[chosen], step));
    }
    assert_int_equal(wpg_tuning_choose(&tuning), 0);
}

/* How many tunings have a candidate with that outcome. */
static unsigned tunings_with(wpg_outcome outcome, unsigned trials, size_t candidates, double margin,
                             const double *ratios)
{
    unsigned found = 0;
    for (unsigned trial = 0; trial < trials; trial++) {
        wpg_verdict *verdict = made(candidates, margin);
        bool any = false;
        tune(verdict, ratios);
        for (size_t i = 1; i <= candidates; i++)
            any |= verdict->alternatives[i].outcome == outcome;
        found += any;
        free(verdict);
    }
    return found;
}

static void equal_never_wins(void **state)
{
    (void)state;
    static const double equal[] = {1, 1, 1, 1, 1}, nearly[] = {1, 0.95, 0.95};
    seed = 22;
    /* Confidence 95 %: at most 2.5 % of the pipelines get a winner that is none; the same for losers. */
    unsigned wins = tunings_with(WPG_OUTCOME_WINS, 2000, 4, 0, equal);
    unsigned loses = tunings_with(WPG_OUTCOME_LOSES, 2000, 4, 0, equal);
    print_message("A/A: %u of 2000 tunings have a winner, %u of 2000 a loser; stated 50 each\n", wins, loses);
    assert_true(wins <= 50 && loses <= 50);
    assert_true(wins + loses >= 4); /* the simulation is able to show one */
    /* Faster, but by no more than the margin. */
    unsigned short_of = tunings_with(WPG_OUTCOME_WINS, 1000, 2, 0.05, nearly);
    print_message("at the margin: %u of 1000 tunings have a winner; stated 25\n", short_of);
    assert_true(short_of <= 25);
}

static void faster_wins(void **state)
{
    (void)state;
    static const double faster[] = {1, 0.9}, slower[] = {1, 1.1};
    seed = 33;
    unsigned wins = tunings_with(WPG_OUTCOME_WINS, 500, 1, 0.01, faster);
    unsigned loses = tunings_with(WPG_OUTCOME_LOSES, 500, 1, 0.01, slower);
    print_message("A/B: ratio 0.9 wins in %u of 500, ratio 1.1 loses in %u of 500\n", wins, loses);
    assert_true(wins >= 475 && loses >= 475);
}

static void stops_early(void **state)
{
    (void)state;
    static const double ratios[] = {1, 5, 0.2, 1};
    seed = 44;
    wpg_verdict *verdict = made(3, 0.01);
    tune(verdict, ratios);
    const wpg_candidate *slow = &verdict->alternatives[1], *fast = &verdict->alternatives[2];
    assert_int_equal(slow->outcome, WPG_OUTCOME_LOSES);
    assert_int_equal(fast->outcome, WPG_OUTCOME_WINS);
    assert_int_equal(slow->count, wpg_tune_looks[0]);
    assert_int_equal(fast->looks, 1);
    assert_true(fast->low < 0.2 && fast->high > 0.2 && slow->low < 5 && slow->high > 5);
    assert_ptr_equal(wpg_verdict_winner(verdict), fast);
    free(verdict);
}

static void blocks_are_balanced(void **state)
{
    (void)state;
    wpg_verdict *verdict = made(3, 0);
    wpg_tuning tuning;
    unsigned first[4] = {0}, seen[4] = {0};
    wpg_tuning_init(&tuning, verdict);
    for (int block = 0; block < 400; block++) {
        unsigned in_block = 0;
        for (int i = 0; i < 4; i++) {
            size_t chosen = wpg_tuning_choose(&tuning);
            in_block |= 1u << chosen;
            seen[chosen]++;
            first[chosen] += i == 0;
        }
        assert_int_equal(in_block, 15); /* each once */
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(seen[i], 400);
        assert_in_range(first[i], 60, 140); /* 100, standard deviation 8.7 */
    }
    free(verdict);
}

/* Work that is never the same again is compared by its shape, or all together. */
static void rare_kinds_are_joined(void **state)
{
    (void)state;
    for (int by_shape = 0; by_shape < 2; by_shape++) {
        seed = 55;
        wpg_verdict *verdict = made(1, 0.01);
        wpg_tuning tuning;
        wpg_tuning_init(&tuning, verdict);
        for (uint32_t i = 0; i < 600 && !wpg_verdict_settled(verdict); i++) {
            size_t chosen = wpg_tuning_choose(&tuning);
            wpg_sample sample = {by_shape ? i : i % 3, i, (uint64_t)((chosen ? 500 : 1000) * noise())};
            (void)wpg_tuning_add(&tuning, chosen, sample);
        }
        assert_int_equal(verdict->alternatives[1].outcome, WPG_OUTCOME_WINS);
        free(verdict);
    }
}

/* Times of unlike work are never held against each other: the candidate got the short work. */
static void kinds_are_kept_apart(void **state)
{
    (void)state;
    seed = 66;
    wpg_verdict *verdict = made(1, 0.01);
    wpg_tuning tuning;
    wpg_tuning_init(&tuning, verdict);
    for (int i = 0; i < 2000 && !wpg_verdict_settled(verdict); i++) {
        size_t chosen = wpg_tuning_choose(&tuning);
        uint32_t kind = uniform() < (chosen ? 0.9 : 0.1);
        (void)wpg_tuning_add(&tuning, chosen,
                             (wpg_sample){7, kind, (uint64_t)((kind ? 100 : 10000) * exp(0.02 * normal()))});
    }
    assert_int_not_equal(verdict->alternatives[1].outcome, WPG_OUTCOME_WINS);
    assert_true(verdict->alternatives[1].low < 1 && verdict->alternatives[1].high > 1);
    free(verdict);
}

/* Interrupted and taken up again, the same samples lead to the same verdict. */
static void resumes(void **state)
{
    (void)state;
    seed = 77;
    wpg_verdict *whole = made(2, 0.01), *part = malloc(sizeof *part);
    *part = *whole;
    wpg_tuning one, other;
    wpg_tuning_init(&one, whole);
    wpg_tuning_init(&other, part);
    unsigned decided_whole = 0, decided_part = 0;
    for (unsigned i = 0; i < 600; i++) {
        if (i % 50 == 49) { /* killed: nothing but the verdict is left */
            wpg_facts *facts;
            assert_int_equal(wpg_verdict_encode(&facts, part, NULL), WPG_OK);
            free(part);
            assert_int_equal(wpg_verdict_decode(&part, facts, NULL), WPG_OK);
            wpg_facts_destroy(facts);
            wpg_tuning_init(&other, part);
        }
        wpg_sample sample = ran(i % 3 == 1 ? 0.85 : 1, i);
        decided_whole += wpg_tuning_add(&one, i % 3, sample);
        decided_part += wpg_tuning_add(&other, i % 3, sample);
    }
    assert_true(wpg_verdict_settled(whole) && wpg_verdict_settled(part));
    assert_int_equal(decided_whole, decided_part);
    for (size_t i = 0; i < 3; i++) {
        const wpg_candidate *a = &whole->alternatives[i], *b = &part->alternatives[i];
        assert_int_equal(a->outcome, b->outcome);
        assert_int_equal(a->count, b->count);
        assert_int_equal(a->looks, b->looks);
        assert_true(fabs(a->ratio - b->ratio) < 1e-5);
    }
    assert_int_equal(whole->alternatives[1].outcome, WPG_OUTCOME_WINS);
    free(whole);
    free(part);
}

/* What is open says how far it is: the candidate furthest behind, up to its own next look. */
static void tells_progress(void **state)
{
    (void)state;
    wpg_verdict *verdict = made(2, 0.01);
    wpg_tuning tuning;
    wpg_tuning_init(&tuning, verdict);
    seed = 88;
    wpg_tune_progress at = wpg_tune_progress_of(verdict);
    assert_true(at.have == 0 && at.need == 16 && wpg_verdict_unfinished(verdict));
    for (unsigned i = 0; i < 7; i++)
        (void)wpg_tuning_add(&tuning, i % 2, ran(1, i)); /* 4 of the original, 3 of the first */
    assert_int_equal(wpg_tune_candidate_progress(verdict, 1).have, 3);
    assert_int_equal(wpg_tune_candidate_progress(verdict, 2).have, 0);
    assert_int_equal(wpg_tune_progress_of(verdict).have, 0);
    for (unsigned i = 0; i < 3 * 20; i++)
        (void)wpg_tuning_add(&tuning, i % 3, ran(1, i));
    at = wpg_tune_progress_of(verdict);
    assert_true(at.have == 20 && at.need == 32);
    verdict->alternatives[1].outcome = WPG_OUTCOME_LOSES;
    assert_true(wpg_verdict_unfinished(verdict));
    verdict->alternatives[2].outcome = WPG_OUTCOME_WINS;
    assert_int_equal(wpg_tune_progress_of(verdict).need, 0);
    assert_false(wpg_verdict_unfinished(verdict)); /* settled */
    verdict->alternatives[1].outcome = WPG_OUTCOME_OPEN;
    assert_false(wpg_verdict_unfinished(verdict)); /* what won applies */
    verdict->alternatives[2].outcome = WPG_OUTCOME_OPEN;
    verdict->is_static = true;
    assert_false(wpg_verdict_unfinished(verdict)); /* the driver's figures decide */
    free(verdict);
}

/* A file may say anything: a candidate with more looks than there are is undecided, never looked at again,
 * and what is no open candidate takes no sample. */
static void foreign_statistics(void **state)
{
    (void)state;
    for (uint32_t looks = 0; looks <= WPG_TUNE_LOOKS + 1; looks++) {
        wpg_verdict *verdict = made(3, 0.01);
        wpg_candidate *strange = &verdict->alternatives[1];
        strange->looks = looks;
        strange->outcome = WPG_OUTCOME_OPEN;
        wpg_tuning tuning;
        wpg_tuning_init(&tuning, verdict);
        const bool known = looks < WPG_TUNE_LOOKS;
        assert_int_equal(strange->outcome, known ? WPG_OUTCOME_OPEN : WPG_OUTCOME_UNDECIDED);
        for (unsigned i = 0; i < 3 * 16; i++)
            (void)wpg_tuning_add(&tuning, i % 3, ran(1, i));
        assert_int_equal(strange->count, known ? 16 : 0);
        assert_int_equal(strange->looks, looks == 0 ? 1 : looks);
        assert_false(wpg_tuning_add(&tuning, verdict->count, ran(1, 0))); /* no such candidate */
        free(verdict);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles),
        cmocka_unit_test(interval_by_hand),
        cmocka_unit_test(interval_covers),
        cmocka_unit_test(equal_never_wins),
        cmocka_unit_test(faster_wins),
        cmocka_unit_test(stops_early),
        cmocka_unit_test(tells_progress),
        cmocka_unit_test(blocks_are_balanced),
        cmocka_unit_test(rare_kinds_are_joined),
        cmocka_unit_test(kinds_are_kept_apart),
        cmocka_unit_test(resumes),
        cmocka_unit_test(foreign_statistics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
