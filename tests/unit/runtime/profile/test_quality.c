/* Profile quality: figures that can be reckoned by hand. */
#include <math.h>

#include "tests/unit/runtime/profile/profile_test.h"

#include "runtime/profile/quality.h"

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* A profile of lanes of shader A (three blocks) and B (one), and waves of A where they are not NULL. */
static wpg_profile *profile_of(const uint64_t *a, const uint64_t *b, const uint64_t *waves)
{
    wpg_profile *made = wpg_profile_create();
    assert_int_equal(wpg_profile_add(made, SHADER_A "#lanes", 77, a, 3, 1, NULL), WPG_OK);
    if (b)
        assert_int_equal(wpg_profile_add(made, SHADER_B "#lanes", 78, b, 1, 1, NULL), WPG_OK);
    if (waves)
        assert_int_equal(wpg_profile_add(made, SHADER_A "#waves", 77, waves, 3, 1, NULL), WPG_OK);
    return made;
}

typedef struct pair {
    wpg_profile *profiles[2];
    wpg_shader_view *views[2];
    wpg_quality quality;
} pair;

static void measure(pair *p, wpg_profile *first, wpg_profile *second)
{
    p->profiles[0] = first;
    p->profiles[1] = second;
    for (int i = 0; i < 2; i++)
        assert_int_equal(wpg_shader_view_create(&p->views[i], p->profiles[i], NULL), WPG_OK);
    assert_int_equal(wpg_quality_measure(&p->quality, p->views[0], p->views[1], NULL), WPG_OK);
}

static void finish(pair *p)
{
    wpg_quality_finish(&p->quality);
    for (int i = 0; i < 2; i++) {
        wpg_shader_view_destroy(p->views[i]);
        wpg_profile_destroy(p->profiles[i]);
    }
}

static void itself(void **state)
{
    (void)state;
    const uint64_t a[] = {100, 60, 40}, b[] = {50}, w[] = {10, 6, 6};
    pair p;
    measure(&p, profile_of(a, b, w), profile_of(a, b, w));
    assert_int_equal(p.quality.count, 2);
    assert_int_equal(p.quality.only_first + p.quality.only_second, 0);
    assert_true(near(p.quality.all[WPG_QUALITY_LANES].overlap, 1));
    assert_true(near(p.quality.all[WPG_QUALITY_LANES].difference, 0));
    assert_true(near(p.quality.all[WPG_QUALITY_WAVES].overlap, 1));
    assert_int_equal(p.quality.known[WPG_QUALITY_LANES], 2);
    assert_int_equal(p.quality.known[WPG_QUALITY_WAVES], 1);
    assert_false(p.quality.all[WPG_QUALITY_UNIFORM].known);
    finish(&p);
}

/* Twice as often is the same profile; another split is not. */
static void reckoned(void **state)
{
    (void)state;
    const uint64_t a[] = {100, 60, 40}, a2[] = {10, 1, 9}, b[] = {200}, b2[] = {60};
    pair p;
    measure(&p, profile_of(a, b, NULL), profile_of(a2, b2, NULL));
    const wpg_quality_score *all = &p.quality.all[WPG_QUALITY_LANES];
    const wpg_quality_score *f = &p.quality.functions[0].scores[WPG_QUALITY_LANES];
    /* A: .5 .3 .2 beside .5 .05 .45 */
    assert_true(near(f->overlap, 0.75));
    assert_true(near(f->difference, 0.5 / (0.5 + 0.3 + 0.45)));
    assert_true(near(p.quality.functions[1].scores[WPG_QUALITY_LANES].overlap, 1));
    /* All: A measured 20 of 80. Scaled together: .25 .15 .1 .5 beside .125 .0125 .1125 .75 */
    assert_true(near(all->overlap, 0.25 * 0.75 + 0.75));
    assert_true(near(all->difference, (0.125 + 0.1375 + 0.0125 + 0.25) / (0.25 + 0.15 + 0.1125 + 0.75)));
    finish(&p);
}

/* What one has alone is not compared, nor what belongs to another control flow. */
static void common_alone(void **state)
{
    (void)state;
    const uint64_t a[] = {100, 60, 40}, b[] = {1000000};
    pair p;
    measure(&p, profile_of(a, b, NULL), profile_of(a, NULL, NULL));
    assert_int_equal(p.quality.count, 1);
    assert_int_equal(p.quality.only_first, 1);
    assert_int_equal(p.quality.only_second, 0);
    assert_true(near(p.quality.all[WPG_QUALITY_LANES].overlap, 1));
    assert_true(near(p.quality.all[WPG_QUALITY_LANES].difference, 0));
    finish(&p);
    wpg_profile *changed = wpg_profile_create();
    assert_int_equal(wpg_profile_add(changed, SHADER_A "#lanes", 99, a, 3, 1, NULL), WPG_OK);
    measure(&p, profile_of(a, NULL, NULL), changed);
    assert_int_equal(p.quality.count, 0);
    assert_int_equal(p.quality.only_first + p.quality.only_second, 2);
    assert_false(p.quality.all[WPG_QUALITY_LANES].known);
    finish(&p);
}

/* A function that one never ran is wrong as a whole; one that neither ran is right. */
static void never_run(void **state)
{
    (void)state;
    const uint64_t a[] = {100, 60, 40}, none[] = {0, 0, 0}, b[] = {0};
    pair p;
    measure(&p, profile_of(a, b, NULL), profile_of(none, b, NULL));
    assert_true(near(p.quality.functions[0].scores[WPG_QUALITY_LANES].overlap, 0));
    assert_true(near(p.quality.functions[0].scores[WPG_QUALITY_LANES].difference, 1));
    assert_true(near(p.quality.functions[1].scores[WPG_QUALITY_LANES].overlap, 1));
    assert_true(near(p.quality.functions[1].scores[WPG_QUALITY_LANES].difference, 0));
    assert_true(near(p.quality.all[WPG_QUALITY_LANES].overlap, 0));
    finish(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(itself), cmocka_unit_test(reckoned),
                                       cmocka_unit_test(common_alone), cmocka_unit_test(never_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
