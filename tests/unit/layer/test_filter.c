/* The PIPELINES setting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "layer/rewrite/filter.h"

static const wpg_hash128 pipeline = {0x1111111122222222, 0xaabbccdd00112233};
static const wpg_filter_stage stages[] = {
    {.shader = {0x5, 0x0123456789abcdef}, .entry = "main", .name = ""},
    {.shader = {0x6, 0xfedcba9876543210}, .entry = "shade_hair", .name = "hair/blur"}};

static bool wants(const char *setting)
{
    return wpg_filter_wants(setting, pipeline, stages, 2);
}

static void selection(void **state)
{
    (void)state;
    assert_true(wants(""));
    assert_true(wants(NULL));
    assert_true(wants(" , ,"));
    assert_true(wants("main"));
    assert_false(wants("mai"));
    assert_true(wants("shade_*"));
    assert_true(wants("other, hair/*"));
    assert_true(wants("aabbccdd"));                         /* pipeline hash, high half first */
    assert_true(wants("AABBCCDD00112233"));                 /* either case */
    assert_true(wants("fedcba98"));                         /* shader hash */
    assert_false(wants("aabbccd"));                         /* too short for a hash: a name */
    assert_false(wants("bbccdd00"));                        /* not a prefix */
    assert_true(wants("aabbccdd001122331111111122222222")); /* whole */
    assert_false(wants("aabbccdd0011223311111111222222220"));
}

static void exclusion(void **state)
{
    (void)state;
    assert_false(wants("!main"));
    assert_true(wants("!other"));
    assert_false(wants("shade_*,!main"));
    assert_false(wants("!main,shade_*"));
    assert_true(wants("shade_*, !other"));
    assert_false(wants("*,!aabbccdd"));
    assert_true(wants("!"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(selection), cmocka_unit_test(exclusion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
