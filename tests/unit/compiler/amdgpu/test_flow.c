/* Counts of blocks against the graph: what is derived, what is refused. No LLVM. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "compiler/amdgpu/profile/verify.h"

/* 0 -> 1 | 2, 1 -> 2, 2 -> 3 | 4, 3 -> 4, 4 -> 1' (a loop back to 5) ...: an if, an else by a join, a loop.
 */
static uint32_t first[] = {0, 2, 3, 5, 6, 7, 9, 9};
static uint32_t targets[] = {1, 2, 2, 3, 4, 4, 5, 5, 6};
static const wpg_flow_graph graph = {7, first, targets};

static void derives(void **state)
{
    (void)state;
    const uint64_t counts[] = {10, 3, 10, 8, 10, 40, 10};
    const uint64_t wanted[] = {3, 7, 3, 8, 2, 8, 10, 30, 10};
    wpg_flow_edges edges;
    wpg_arena arena;
    wpg_arena_init(&arena);
    assert_int_equal(wpg_flow_derive(&edges, &graph, counts, &arena, NULL), WPG_OK);
    assert_true(edges.sound);
    assert_int_equal(edges.unknown, 0);
    for (uint32_t e = 0; e < 9; e++)
        assert_int_equal(edges.counts[e], wanted[e]);
    wpg_arena_finish(&arena);
}

/* Every count but the entry's, one more and one less, is no flow. */
static void finds_each_change(void **state)
{
    (void)state;
    for (uint32_t b = 0; b < 7; b++)
        for (int by = -1; by <= 1; by += 2) {
            uint64_t counts[] = {10, 3, 10, 8, 10, 40, 10};
            wpg_flow_edges edges;
            wpg_arena arena;
            wpg_arena_init(&arena);
            counts[b] += (uint64_t)(int64_t)by;
            assert_int_equal(wpg_flow_derive(&edges, &graph, counts, &arena, NULL), WPG_OK);
            /* Blocks 1, 3 and 5 are arms and a loop: any number up to their header's is a flow. */
            assert_true(edges.sound == (b == 1 || b == 3 || b == 5));
            wpg_arena_finish(&arena);
        }
}

static void arms_are_bounded(void **state)
{
    (void)state;
    const uint64_t more_than_header[] = {10, 11, 10, 8, 10, 40, 10};
    const uint64_t unreached[] = {0, 0, 0, 0, 0, 5, 0};
    wpg_flow_edges edges;
    wpg_arena arena;
    wpg_arena_init(&arena);
    assert_int_equal(wpg_flow_derive(&edges, &graph, more_than_header, &arena, NULL), WPG_OK);
    assert_false(edges.sound);
    assert_int_equal(wpg_flow_derive(&edges, &graph, unreached, &arena, NULL), WPG_OK);
    assert_true(edges.sound); /* a loop of nothing but itself is a flow; its waves come from nowhere: */
    const uint64_t no_way_in[] = {0, 0, 0, 0, 0, 5, 5};
    assert_int_equal(wpg_flow_derive(&edges, &graph, no_way_in, &arena, NULL), WPG_OK);
    assert_false(edges.sound);
    wpg_arena_finish(&arena);
}

/* Two blocks with the same two successors leave their four edges open, within bounds. */
static void leaves_open(void **state)
{
    (void)state;
    uint32_t f[] = {0, 2, 4, 6, 7, 8, 8}, t[] = {1, 2, 3, 4, 3, 4, 5, 5};
    const wpg_flow_graph crossed = {6, f, t};
    uint64_t counts[] = {10, 4, 6, 7, 3, 10};
    wpg_flow_edges edges;
    wpg_arena arena;
    wpg_arena_init(&arena);
    assert_int_equal(wpg_flow_derive(&edges, &crossed, counts, &arena, NULL), WPG_OK);
    assert_true(edges.sound);
    assert_int_equal(edges.unknown, 4);
    assert_true(edges.known[0] && edges.counts[0] == 4 && edges.known[1] && edges.counts[1] == 6);
    wpg_arena_finish(&arena);
}

/* Blocks without a count, as the edge that code generation splits, get theirs from their neighbours. */
static void derives_through_uncounted(void **state)
{
    (void)state;
    /* 0 -> 1 | 3, 1 -> 2, 2 -> 2 | 3, with 1 (a preheader) and 3 not counted */
    uint32_t f[] = {0, 2, 3, 5, 6, 6}, t[] = {1, 3, 2, 2, 3, 4};
    const wpg_flow_graph g = {5, f, t};
    const uint64_t counts[] = {10, 99, 40, 99, 10}, wanted[] = {4, 6, 4, 36, 4, 10};
    const bool known[] = {true, false, true, false, true};
    wpg_flow_edges edges;
    wpg_arena arena;
    wpg_arena_init(&arena);
    assert_int_equal(wpg_flow_derive_some(&edges, &g, counts, known, &arena, NULL), WPG_OK);
    assert_true(edges.sound);
    assert_true(edges.known[5] && edges.counts[5] == 10);
    assert_int_equal(edges.unknown, 5); /* how many of 10 enter the loop of 40 is open */
    const bool header[] = {true, true, true, false, true};
    uint64_t more[] = {10, 4, 40, 99, 10};
    assert_int_equal(wpg_flow_derive_some(&edges, &g, more, header, &arena, NULL), WPG_OK);
    assert_true(edges.sound && !edges.unknown);
    for (uint32_t e = 0; e < 6; e++)
        assert_int_equal(edges.counts[e], wanted[e]);
    more[4] = 9;
    assert_int_equal(wpg_flow_derive_some(&edges, &g, more, header, &arena, NULL), WPG_OK);
    assert_false(edges.sound);
    more[4] = WPG_FLOW_MOST + 1;
    assert_int_equal(wpg_flow_derive_some(&edges, &g, more, header, &arena, NULL), WPG_E_FORMAT);
    wpg_arena_finish(&arena);
}

static void solves(void **state)
{
    (void)state;
    const uint64_t counts[] = {10, 3, 10, 8, 10, 40, 10};
    const double probabilities[] = {.3, .7, 1, .8, .2, 1, 1, .75, .25},
                 endless[] = {.3, .7, 1, .8, .2, 1, 1, 1, 0};
    double frequencies[7];
    wpg_arena arena;
    wpg_arena_init(&arena);
    assert_int_equal(wpg_flow_solve(frequencies, &graph, probabilities, &arena, NULL), WPG_OK);
    for (uint32_t b = 0; b < 7; b++)
        assert_true(fabs(frequencies[b] * 10 - (double)counts[b]) < 1e-9);
    assert_true(wpg_flow_difference(frequencies, counts, 7) < 1e-12);
    frequencies[5] = 3; /* a trip less of four: 3/81 against 40/910 ... */
    assert_true(wpg_flow_difference(frequencies, counts, 7) > 0.1);
    assert_int_equal(wpg_flow_solve(frequencies, &graph, endless, &arena, NULL), WPG_E_UNSUPPORTED);
    const uint64_t nothing[7] = {0};
    assert_true(wpg_flow_difference(frequencies, nothing, 7) >= 1);
    wpg_arena_finish(&arena);
}

static uint32_t problems(wpg_counts_rule *rule, uint64_t waves[7], uint64_t lanes[7], uint64_t uniform[7])
{
    wpg_counts_verdict verdict;
    const wpg_amdgpu_counts counts = {.block_count = 7, .waves = waves, .lanes = lanes, .uniform = uniform};
    wpg_arena arena;
    wpg_arena_init(&arena);
    assert_int_equal(wpg_counts_verify(&verdict, &graph, &counts, 32, &arena, NULL), WPG_OK);
    wpg_arena_finish(&arena);
    *rule = verdict.problems ? verdict.first[0].rule : WPG_COUNTS_RULES;
    return verdict.problems;
}

static void rules(void **state)
{
    (void)state;
    wpg_counts_rule rule;
    uint64_t waves[] = {10, 3, 10, 8, 10, 40, 10}, lanes[] = {320, 50, 320, 60, 320, 900, 320};
    uint64_t uniform[] = {10, 1, 10, 0, 10, 12, 10};
    assert_int_equal(problems(&rule, waves, lanes, uniform), 0);
    assert_int_equal(problems(&rule, waves, lanes, NULL), 0);
    assert_int_equal(problems(&rule, waves, NULL, uniform), 0);
    lanes[3] = 7;
    assert_true(problems(&rule, waves, lanes, uniform) == 1 && rule == WPG_COUNTS_LANES_FEW);
    lanes[3] = 8 * 32 + 1;
    assert_true(problems(&rule, waves, lanes, uniform) == 1 && rule == WPG_COUNTS_LANES_MANY);
    lanes[3] = 60;
    uniform[1] = 4;
    assert_true(problems(&rule, waves, lanes, uniform) == 1 && rule == WPG_COUNTS_UNIFORM);
    uniform[1] = 1;
    waves[2] = 11;
    assert_true(problems(&rule, waves, lanes, uniform) > 0 && rule == WPG_COUNTS_WAVES_FLOW);
    waves[2] = 10;
    lanes[4]--;
    assert_true(problems(&rule, waves, lanes, uniform) > 0 && rule == WPG_COUNTS_LANES_FLOW);
    for (unsigned i = 0; i < WPG_COUNTS_RULES; i++)
        assert_true(*wpg_counts_rule_name((wpg_counts_rule)i));

    wpg_counts_verdict verdict;
    wpg_arena arena;
    wpg_arena_init(&arena);
    const wpg_amdgpu_counts fewer = {.block_count = 6, .waves = waves};
    assert_int_equal(wpg_counts_verify(&verdict, &graph, &fewer, 32, &arena, NULL), WPG_E_MISMATCH);
    wpg_arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derives),
        cmocka_unit_test(finds_each_change),
        cmocka_unit_test(arms_are_bounded),
        cmocka_unit_test(leaves_open),
        cmocka_unit_test(solves),
        cmocka_unit_test(rules),
        cmocka_unit_test(derives_through_uncounted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
