/* Flows fitted to what is known of some blocks, or of several together: what determines a flow gives it back;
 * what contradicts itself is told. No LLVM. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "compiler/amdgpu/flow/flow_fit.h"

enum { MOST = 32 };

/* Frequencies by fitted probabilities, times the entries. */
static double fit(double *frequencies, const wpg_flow_graph *graph, double entries, const wpg_flow_sum *sums,
                  uint32_t count)
{
    double probabilities[2 * MOST], rest = -1;
    wpg_error err = {0};
    wpg_arena arena;
    if (wpg_flow_fit(probabilities, false, &rest, graph, entries, sums, count, &err) != WPG_OK)
        fail_msg("%s", err.message);
    wpg_arena_init(&arena);
    assert_int_equal(wpg_flow_solve(frequencies, graph, probabilities, &arena, NULL), WPG_OK);
    wpg_arena_finish(&arena);
    for (uint32_t b = 0; b < graph->block_count; b++) {
        double sum = 0;
        for (uint32_t e = graph->first[b]; e < graph->first[b + 1]; e++)
            sum += probabilities[e];
        assert_true(graph->first[b] == graph->first[b + 1] || fabs(sum - 1) < 1e-9);
        frequencies[b] *= entries;
    }
    return rest;
}

static bool near(double is, double wanted)
{
    return fabs(is - wanted) <= 0.01 * wanted + 0.01;
}

/* A rotated loop in a loop: the guard and the latch each hold a copy of the header's test.
 *     0 -> 1; 1 (outer body, guard) -> 2 | 4; 2 (inner body) -> 3; 3 (latch) -> 2 | 4; 4 -> 1 | 5 */
static void copies_of_a_header(void **state)
{
    (void)state;
    static uint32_t first[] = {0, 1, 3, 4, 6, 8, 8}, targets[] = {1, 2, 4, 3, 2, 4, 1, 5};
    const wpg_flow_graph graph = {6, first, targets};
    static const uint32_t entry[] = {0}, guard_and_latch[] = {1, 3}, body[] = {2}, outer[] = {4};
    /* 10 times in, 5 times round the outer loop each, of these 3 in 5 do 100 rounds of the inner one. */
    const wpg_flow_sum sums[] = {
        {10, entry, 1}, {50 + 3000, guard_and_latch, 2}, {3000, body, 1}, {50, outer, 1}};
    const double wanted[] = {10, 50, 3000, 3000, 50, 10};
    double frequencies[6];
    assert_true(fit(frequencies, &graph, 10, sums, 4) < 1e-3);
    for (uint32_t b = 0; b < 6; b++)
        if (!near(frequencies[b], wanted[b]))
            fail_msg("block %u: %g, not %g", b, frequencies[b], wanted[b]);
}

/* 0 -> 1 | 2; 1 -> 2; 2 -> 3 | 4; 3 -> 4: the blocks of an if that never ran, and one that always did. */
static void never_and_always(void **state)
{
    (void)state;
    static uint32_t first[] = {0, 2, 3, 5, 6, 6}, targets[] = {1, 2, 2, 3, 4, 4};
    const wpg_flow_graph graph = {5, first, targets};
    static const uint32_t one[] = {1}, three[] = {3};
    const wpg_flow_sum sums[] = {{0, one, 1}, {1000, three, 1}};
    double frequencies[5];
    assert_true(fit(frequencies, &graph, 1000, sums, 2) < 0.01);
    assert_true(frequencies[1] < 1e-6);
    assert_true(near(frequencies[3], 1000));
}

/* More than can come: the rest says so, and the flow is one all the same. */
static void contradictions(void **state)
{
    (void)state;
    static uint32_t first[] = {0, 2, 3, 3}, targets[] = {1, 2, 2};
    const wpg_flow_graph graph = {3, first, targets};
    static const uint32_t one[] = {1}, two[] = {2};
    const wpg_flow_sum sums[] = {{300, one, 1}, {100, two, 1}};
    double frequencies[3];
    double rest = fit(frequencies, &graph, 100, sums, 2);
    assert_true(rest > 0.3 && rest < 0.6);
    assert_true(frequencies[1] <= 100.001 && near(frequencies[2], 100));
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Blocks in a line, some with a way past the next ones or back; all blocks are told, some two by two: the
 * sums come out as they were. */
static void random_flows(void **state)
{
    (void)state;
    enum { BLOCKS = 16 };
    double sum_of_rests = 0;
    unsigned close = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t random = seed;
        uint32_t first[BLOCKS + 1], targets[2 * BLOCKS], edges = 0, members[BLOCKS], sum_count = 0;
        double probabilities[2 * BLOCKS], wanted[BLOCKS], frequencies[BLOCKS];
        wpg_flow_sum sums[BLOCKS];
        wpg_arena arena;
        for (uint32_t b = 0; b < BLOCKS; b++) {
            first[b] = edges;
            if (b + 1 == BLOCKS)
                continue;
            double share = 0.02 + 0.96 * (double)(next_random(&random) % 1001) / 1000;
            bool one = next_random(&random) % 3 == 0, back = b > 1 && next_random(&random) % 4 == 0;
            probabilities[edges] = one ? 1 : back ? 1 - share * 0.9 : 1 - share;
            targets[edges++] = b + 1;
            if (one)
                continue;
            probabilities[edges] = 1 - probabilities[edges - 1];
            targets[edges++] = back ? 1 + (uint32_t)(next_random(&random) % b)
                                    : b + 1 + (uint32_t)(next_random(&random) % (BLOCKS - b - 1));
        }
        first[BLOCKS] = edges;
        const wpg_flow_graph graph = {BLOCKS, first, targets};
        wpg_arena_init(&arena);
        assert_int_equal(wpg_flow_solve(wanted, &graph, probabilities, &arena, NULL), WPG_OK);
        wpg_arena_finish(&arena);
        for (uint32_t b = 0; b < BLOCKS; b++)
            members[b] = b;
        for (uint32_t b = 0; b < BLOCKS;) {
            uint32_t together = b + 1 < BLOCKS && next_random(&random) % 3 == 0 ? 2 : 1;
            double count = 0;
            for (uint32_t i = b; i < b + together; i++)
                count += wanted[i] * 1e6;
            sums[sum_count++] = (wpg_flow_sum){count, members + b, together};
            b += together;
        }
        double rest = fit(frequencies, &graph, 1e6, sums, sum_count);
        close += rest < 0.01;
        sum_of_rests += rest;
    }
    print_message("rest: %.4f by mean, below 0.01 in %u of 300\n", sum_of_rests / 300, close);
    assert_true(sum_of_rests / 300 < 0.03 && close > 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(copies_of_a_header),
                                       cmocka_unit_test(never_and_always), cmocka_unit_test(contradictions),
                                       cmocka_unit_test(random_flows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
