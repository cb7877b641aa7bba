/* Scopes: which arms of selections are scopes of their own, which scope a block lies in, and the trunk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/flow_subject.h"

/* MANY: 16 conditions, so 32 blocks. */
static void begin(flow_subject *s, const char *body, bool small_arms)
{
    flow_begin(s,
               "#define IF(b) if ((x & b) != 0u) o[x] = b;\n"
               "#define FOUR(b) IF(b) IF(b * 2u) IF(b * 4u) IF(b * 8u)\n"
               "#define MANY FOUR(1u) FOUR(16u) FOUR(256u) FOUR(4096u)\n",
               body, small_arms);
}

/* The scope of the block that writes o[element]. */
static uint32_t scope(const flow_subject *s, uint32_t element)
{
    return s->structure.scope_of[flow_block(s, element)];
}

static void arms(void **state)
{
    (void)state;
    flow_subject s;
    begin(&s, "if (x < 5u) { o[1] = x; MANY o[2] = x; } else { o[3] = x; MANY o[4] = x; } o[5] = x;", false);
    assert_int_equal(s.structure.scope_count, 3);
    assert_true(scope(&s, 0) == scope(&s, 5) && scope(&s, 1) == scope(&s, 2) && scope(&s, 3) == scope(&s, 4));
    assert_true(scope(&s, 0) != scope(&s, 1) && scope(&s, 1) != scope(&s, 3) && scope(&s, 0) != scope(&s, 3));
    for (uint32_t i = 1; i < 3; i++) {
        const wpg_scope *arm = &s.structure.scopes[i];
        assert_int_equal(arm->around, 0);
        assert_int_equal(s.classes.class_of[arm->root], s.classes.class_of[arm->exit]);
    }
    flow_end(&s);
    /* Else-ifs: the first else has most of the shader in it, its arms do not. */
    begin(&s,
          "if (x < 5u) { o[1] = x; MANY } else if (x < 9u) { o[2] = x; MANY } else if (x < 12u) { o[3] = x; "
          "MANY } else { o[4] = x; MANY }",
          false);
    for (uint32_t a = 0; a < 5; a++)
        for (uint32_t b = a + 1; b < 5; b++)
            assert_true(scope(&s, a) != scope(&s, b));
    flow_end(&s);
}

static void no_arms(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "if (x < 5u) { o[1] = x; FOUR(1u) } MANY MANY",                               /* small */
        "if (x < 5u) { o[1] = x; MANY MANY MANY }",                                   /* all there is */
        "for (uint i = 0u; i < x; i++) { if (x < i) { o[1] = x; MANY } } MANY MANY",  /* in a loop */
        "if (x < 5u) { o[1] = x; MANY if (o[x] == 3u) return; o[2] = x; } MANY MANY", /* left early */
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        flow_subject s;
        begin(&s, bodies[i], false);
        for (uint32_t k = 0; k < s.structure.scope_count; k++)
            assert_true(s.cfg->blocks[s.structure.scopes[k].exit].successor_count == 0);
        flow_end(&s);
    }
}

/* As the tests of random shaders ask for: any arm outside of loops, in arms as well. */
static void small_arms(void **state)
{
    (void)state;
    flow_subject s;
    begin(&s, "if (x < 5u) { o[1] = x; if (x > 2u) o[2] = x; o[3] = x; }", true);
    assert_int_equal(s.structure.scope_count, 3);
    assert_true(scope(&s, 1) == scope(&s, 3) && scope(&s, 1) != scope(&s, 2) && scope(&s, 0) != scope(&s, 1));
    assert_int_equal(s.structure.scopes[scope(&s, 2)].around, scope(&s, 1));
    flow_end(&s);
}

static bool is_split(const flow_subject *s, uint32_t element)
{
    const wpg_trunk *trunk = &s->structure.trunk;
    for (uint32_t i = 0; i < trunk->split_count; i++)
        if (trunk->splits[i] == flow_block(s, element))
            return true;
    return false;
}

static bool holds(const flow_subject *s, uint32_t element)
{
    return s->structure.trunk.holds[flow_block(s, element)];
}

/* The block of o[n] ends in the branch behind it. */
static void trunk(void **state)
{
    (void)state;
    flow_subject s;
    begin(&s,
          "if (x < 5u) { o[1] = x; return; } o[2] = x; MANY if (x > 9u) { o[3] = x; if (x > "
          "20u) { o[4] = x; return; } o[5] = x; } o[6] = x; if (x > 30u) return; o[7] = x; IF(8u) o[8] = x;",
          false);
    assert_int_equal(s.structure.trunk.scope, scope(&s, 9));
    assert_int_equal(s.structure.trunk.split_count, 4);
    assert_true(is_split(&s, 0) && is_split(&s, 3) && is_split(&s, 6) && !is_split(&s, 7));
    for (uint32_t element = 0; element <= 6; element++)
        assert_true(holds(&s, element));
    assert_true(!holds(&s, 7) && !holds(&s, 8) && !holds(&s, 9));
    flow_end(&s);
}

static void no_trunk(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "o[1] = x; MANY o[2] = x;",                                               /* one exit */
        "if (x < 5u) { o[1] = x; return; } o[2] = x;",                            /* few blocks */
        "if (x < 5u) { o[1] = x; return; } FOUR(1u) if (x > 30u) return; IF(8u)", /* few for the places */
        "for (uint i = 0u; i < x; i++) { MANY if (o[i] == 3u) return; } MANY",    /* left from a loop */
        "MANY switch (x) { case 1u: o[1] = x; return; case 2u: o[2] = x; } MANY", /* parts by a switch */
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        flow_subject s;
        begin(&s, bodies[i], false);
        assert_int_equal(s.structure.trunk.scope, WPG_NO_BLOCK);
        flow_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(arms), cmocka_unit_test(no_arms),
                                       cmocka_unit_test(small_arms), cmocka_unit_test(trunk),
                                       cmocka_unit_test(no_trunk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
