/* Steady control: which loops all lanes leave together, which blocks have the same lanes, and where what
 * holds for them is found out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler/instrument/code/steady.h"
#include "tests/support/flow_subject.h"

typedef struct subject {
    flow_subject flow;
    wpg_steady steady;
} subject;

/* `u` is equal for all lanes of a dispatch, `x` for none. */
static void begin(subject *s, const char *body)
{
    flow_begin(&s->flow, "layout(set = 0, binding = 1) uniform U { uint u, v; };\n", body, false);
    s->steady = (wpg_steady){0};
    assert_true(wpg_steady_make(&s->steady, &s->flow.structure, &s->flow.classes, &s->flow.arena));
}

static void end(subject *s)
{
    flow_end(&s->flow);
}

static uint32_t block(const subject *s, uint32_t element)
{
    return flow_block(&s->flow, element);
}

static bool together(const subject *s, uint32_t a, uint32_t b)
{
    const uint32_t *class_of = s->flow.classes.class_of, *group_of = s->steady.group_of;
    return group_of[class_of[block(s, a)]] == group_of[class_of[block(s, b)]];
}

/* The innermost loop around the block that writes o[element]. */
static bool in_steady_loop(const subject *s, uint32_t element)
{
    uint32_t loop = s->flow.cfg->blocks[block(s, element)].loop;
    assert_int_not_equal(loop, WPG_NO_BLOCK);
    return s->steady.loop[loop];
}

static void loops(void **state)
{
    (void)state;
    subject s;
    begin(&s, "for (uint i = 0u; i < u; i++) for (uint k = 0u; k < 3u; k++) o[1] = k;");
    assert_true(in_steady_loop(&s, 1) && together(&s, 0, 1) && together(&s, 1, 9));
    assert_int_equal(s.flow.cfg->blocks[s.steady.place_of[block(&s, 1)]].loop, WPG_NO_BLOCK);
    end(&s);
    begin(&s, "for (uint i = 0u; i < x; i++) o[1] = i;");
    assert_true(!in_steady_loop(&s, 1) && !together(&s, 0, 1) && together(&s, 0, 9));
    assert_int_equal(s.steady.place_of[block(&s, 1)], block(&s, 1));
    end(&s);
    /* What only some lanes can do makes a loop unsteady. */
    begin(&s, "for (uint i = 0u; i < u; i++) { o[1] = i; if (o[x] == 7u) break; o[2] = i; }");
    assert_true(!in_steady_loop(&s, 1) && !together(&s, 0, 1) && !together(&s, 1, 2));
    end(&s);
    begin(&s, "for (uint i = 0u; i < u; i++) { o[1] = i; if (x > 7u) { if (v == i) break; } o[2] = i; }");
    assert_true(!in_steady_loop(&s, 1) && !together(&s, 0, 1));
    end(&s);
    begin(&s, "for (uint i = 0u; i < u; i++) { o[1] = i; if (v == i) break; o[2] = i; }");
    assert_true(in_steady_loop(&s, 1) && together(&s, 0, 1) && together(&s, 1, 2));
    end(&s);
    begin(&s, "for (uint i = 0u; i < u; i++) { o[1] = i; if (o[x] == 7u) continue; o[2] = i; }");
    assert_true(in_steady_loop(&s, 1) && together(&s, 0, 1) && !together(&s, 1, 2));
    end(&s);
}

static void branches(void **state)
{
    (void)state;
    subject s;
    begin(&s, "if (u == 1u) o[1] = x; else { o[2] = x; if (x > 5u) o[3] = x; }");
    assert_true(together(&s, 0, 1) && together(&s, 0, 2) && !together(&s, 0, 3) && together(&s, 0, 9));
    end(&s);
    begin(&s, "switch (u) { case 1u: o[1] = x; break; case 2u: o[2] = x; break; default: o[3] = x; }");
    assert_true(together(&s, 0, 1) && together(&s, 0, 2) && together(&s, 0, 3));
    end(&s);
    begin(&s, "if (u == 1u) { o[1] = x; return; } o[2] = x;");
    assert_true(together(&s, 0, 1) && together(&s, 0, 2));
    end(&s);
    begin(&s, "if (x > u) { o[1] = x; return; } o[2] = x;");
    assert_true(!together(&s, 0, 1) && !together(&s, 0, 2));
    end(&s);
}

/* A loop in an arm: steady, with the arm's lanes. */
static void arms(void **state)
{
    (void)state;
    subject s;
    begin(&s, "if (x > 5u) { o[1] = x; for (uint i = 0u; i < u; i++) o[2] = i; o[3] = x; }");
    assert_true(in_steady_loop(&s, 2) && together(&s, 1, 2) && together(&s, 1, 3) && !together(&s, 0, 2));
    assert_int_equal(s.steady.place_of[block(&s, 2)], block(&s, 1));
    end(&s);
    /* The bound is a value that a lane computes for itself. */
    begin(&s, "uint n = x * v; for (uint i = 0u; i < n; i++) { o[1] = i; if (u == i) o[2] = i; }");
    assert_true(!in_steady_loop(&s, 1) && !together(&s, 0, 1) && together(&s, 1, 2));
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loops), cmocka_unit_test(branches),
                                       cmocka_unit_test(arms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
