/* Conservation of flow: what is derived from the counts of some blocks is what a flow truly was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/analysis/graph/conservation.h"
#include "runtime/base/arithmetic.h"

enum { BLOCKS = 9, EDGES = 24 };

typedef struct graph {
    uint32_t first[BLOCKS + 1], targets[EDGES];
    uint64_t counts[BLOCKS], edges[EDGES];
} graph;

/* A random graph; the last block is the end. */
static void make_graph(graph *g, uint64_t *random)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < BLOCKS; b++) {
        uint32_t ways = b + 1 < BLOCKS ? 1 + (uint32_t)(wpg_next_random(random) % 2) : 0;
        g->first[b] = n;
        for (uint32_t i = 0; i < ways; i++) /* the first way leads on, so that every walk can end */
            g->targets[n++] = i ? 1 + (uint32_t)(wpg_next_random(random) % (BLOCKS - 1)) : b + 1;
    }
    g->first[BLOCKS] = n;
}

static void walk(graph *g, uint64_t *random, unsigned walks)
{
    for (unsigned w = 0; w < walks; w++)
        for (uint32_t at = 0;;) {
            uint32_t ways = g->first[at + 1] - g->first[at];
            g->counts[at]++;
            if (!ways)
                break;
            uint32_t e = g->first[at] + (uint32_t)(wpg_next_random(random) % (ways * 2)) % ways;
            g->edges[e]++;
            at = g->targets[e];
        }
}

static void derives_the_truth(void **state)
{
    (void)state;
    uint64_t random = 1;
    unsigned derived = 0;
    for (unsigned round = 0; round < 2000; round++) {
        graph g = {0};
        wpg_conservation flow;
        wpg_arena arena;
        wpg_arena_init(&arena);
        make_graph(&g, &random);
        walk(&g, &random, 1 + round % 5);
        assert_true(wpg_conservation_create(&flow, BLOCKS, g.first, g.targets, &arena));
        flow.exact = round % 2;
        for (uint32_t b = 0; b < BLOCKS; b++)
            if (wpg_next_random(&random) % 3) {
                flow.known[b] = true;
                flow.counts[b] = g.counts[b];
            }
        assert_true(wpg_conservation_solve(&flow, &arena));
        for (uint32_t e = 0; e < g.first[BLOCKS]; e++)
            if (flow.edge_known[e]) {
                assert_int_equal(flow.edges[e], g.edges[e]);
                derived++;
            }
        for (uint32_t b = 0; b < BLOCKS; b++) {
            if (flow.known[b])
                assert_int_equal(flow.counts[b], g.counts[b]);
            assert_int_equal(wpg_conservation_check(&flow, b, true), WPG_SIDE_AGREES);
            assert_int_equal(wpg_conservation_check(&flow, b, false), WPG_SIDE_AGREES);
        }
        wpg_arena_finish(&arena);
    }
    assert_true(derived > 4000);
}

/* 0 -> 1 | 2, 1 -> 2: the edge round block 1 follows; a count too many is found on the side where it is. */
static void names_the_side(void **state)
{
    (void)state;
    static const uint32_t first[] = {0, 2, 3, 3}, targets[] = {1, 2, 2};
    static const struct {
        uint64_t counts[3];
        bool bound;
        wpg_side_verdict leaves_0, leaves_1, enters_2;
    } cases[] = {
        {{10, 4, 10}, false, WPG_SIDE_AGREES, WPG_SIDE_AGREES, WPG_SIDE_AGREES},
        {{10, 4, 11}, false, WPG_SIDE_AGREES, WPG_SIDE_AGREES, WPG_SIDE_TOO_LITTLE},
        {{10, 12, 12}, false, WPG_SIDE_TOO_MUCH, WPG_SIDE_AGREES, WPG_SIDE_AGREES},
        {{10, 4, 9}, false, WPG_SIDE_AGREES, WPG_SIDE_AGREES, WPG_SIDE_TOO_MUCH},
        {{10, 4, 9}, true, WPG_SIDE_AGREES, WPG_SIDE_AGREES, WPG_SIDE_AGREES},
        {{10, 4, 5}, true, WPG_SIDE_AGREES, WPG_SIDE_AGREES, WPG_SIDE_TOO_MUCH},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wpg_conservation flow;
        wpg_arena arena;
        wpg_arena_init(&arena);
        assert_true(wpg_conservation_create(&flow, 3, first, targets, &arena));
        if (cases[i].bound)
            flow.leaving[1] = WPG_SIDE_BOUND;
        memcpy(flow.counts, cases[i].counts, sizeof cases[i].counts);
        flow.known[0] = flow.known[1] = flow.known[2] = true;
        assert_true(wpg_conservation_solve(&flow, &arena));
        assert_int_equal(wpg_conservation_check(&flow, 0, true), cases[i].leaves_0);
        assert_int_equal(wpg_conservation_check(&flow, 1, true), cases[i].leaves_1);
        assert_int_equal(wpg_conservation_check(&flow, 2, false), cases[i].enters_2);
        wpg_arena_finish(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derives_the_truth),
        cmocka_unit_test(names_the_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
