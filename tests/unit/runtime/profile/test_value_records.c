/* Reading the records of value sites: kinds, ranges in the order of the type, values as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/profile/value_records.h"

enum { KIND = 5, ASK_VALUES = 2 };

/* One site of a type: values seen often, and further ones outside the table's first slots. */
static void read_site(wpg_value_site_counts *site, uint32_t type, wpg_profile_value *pairs, size_t count,
                      wpg_profile_value *extremes, size_t extreme_count)
{
    uint64_t words[] = {1, KIND | (uint64_t)type << 8 | ASK_VALUES << 16, 4, 17, 100, 0, 0, 100};
    wpg_profile_site sites[] = {{.pairs = pairs, .count = count},
                                {.pairs = extremes, .count = extreme_count}};
    const wpg_profile_record record = {
        .name = "", .counters = words, .counter_count = 8, .sites = sites, .site_count = 2};
    assert_int_equal(wpg_value_site_count(&record), 1);
    assert_true(wpg_value_site_at(site, &record, 0));
    assert_string_equal(site->kind, "condition");
    assert_int_equal(site->line, 17);
    assert_int_equal(site->ask, ASK_VALUES);
}

static uint32_t bits_of(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* The same bits lie otherwise by each type. */
static void ranges_have_the_order_of_the_type(void **state)
{
    (void)state;
    static const struct {
        uint32_t type, values[3], least, most;
    } cases[] = {
        {WPG_VALUES_UINT, {7, 0xfffffffd, 3}, 3, 0xfffffffd},
        {WPG_VALUES_SINT, {7, 0xfffffffd, 3}, 0xfffffffd, 7},
        {WPG_VALUES_FLOAT, {0x3f800000, 0xc0000000, 0xbf800000}, 0xc0000000, 0x3f800000},
        {WPG_VALUES_BOOL, {1, 0, 1}, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wpg_profile_value pairs[] = {{cases[i].values[0], 10}, {cases[i].values[1], 20}};
        wpg_profile_value extremes[] = {{cases[i].values[2], 1}};
        wpg_value_site_counts site;
        read_site(&site, cases[i].type, pairs, 2, extremes, 1);
        assert_true(site.has_range);
        assert_int_equal(site.least, cases[i].least);
        assert_int_equal(site.most, cases[i].most);
        assert_int_equal(site.value_count, 2);
        assert_int_equal(site.values[0].count, 20); /* the commonest first */
        wpg_value_site_finish(&site);
        assert_null(site.values);
        assert_int_equal(site.value_count, 0);
    }
}

/* What stands behind the table's values widens the range alone. */
static void extremes_widen_the_range(void **state)
{
    (void)state;
    wpg_profile_value pairs[] = {{50, 10}};
    wpg_profile_value extremes[] = {{2, 1}, {90, 1}};
    wpg_value_site_counts site;
    read_site(&site, WPG_VALUES_UINT, pairs, 1, extremes, 2);
    assert_int_equal(site.least, 2);
    assert_int_equal(site.most, 90);
    assert_int_equal(site.value_count, 1);
    wpg_value_site_finish(&site);
    read_site(&site, WPG_VALUES_UINT, pairs, 0, extremes, 0);
    assert_false(site.has_range);
    wpg_value_site_finish(&site);
}

static void writes_values(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        uint64_t bits;
        const char *text;
    } cases[] = {
        {WPG_VALUES_UINT, 0xfffffffd, "4294967293"},
        {WPG_VALUES_SINT, 0xfffffffd, "-3"},
        {WPG_VALUES_SINT, 7, "7"},
        {WPG_VALUES_BOOL, 1, "true"},
        {WPG_VALUES_BOOL, 0, "false"},
        {WPG_VALUES_FLOAT, 0x3f000000, "0.5"},
    };
    char text[24];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const wpg_value_site_counts site = {.type = cases[i].type};
        assert_string_equal(wpg_value_text(text, &site, cases[i].bits), cases[i].text);
    }
    const wpg_value_site_counts number = {.type = WPG_VALUES_FLOAT};
    assert_string_equal(wpg_value_text(text, &number, bits_of(-1.25F)), "-1.25");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_have_the_order_of_the_type),
        cmocka_unit_test(extremes_widen_the_range),
        cmocka_unit_test(writes_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
