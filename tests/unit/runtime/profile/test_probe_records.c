/* Probe records, read back: shapes, merged weights, and records that are not what they should be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/profile/probe_records.h"

static wpg_profile_record record_of(uint64_t *words, size_t count)
{
    return (wpg_profile_record){.name = "", .counters = words, .counter_count = count};
}

static void test_branches(void **state)
{
    (void)state;
    /* Two profiles merged: block 7 is 14. */
    uint64_t words[] = {2, 14, 100, 28, 10, 4, 12, 18, 0, 0, 0, 0, 0};
    wpg_profile_record record = record_of(words, 13);
    wpg_branch_counts branch;
    assert_int_equal(wpg_branch_count(&record), 2);
    wpg_branch_at(&branch, &record, 0);
    assert_int_equal(branch.block, 7);
    assert_int_equal(branch.lanes[0], 100);
    assert_int_equal(branch.lanes[1], 28);
    assert_int_equal(branch.waves[0], 10);
    assert_int_equal(branch.waves[1], 4);
    assert_int_equal(branch.all_waves, 12);
    assert_int_equal(branch.both, 2);
    wpg_branch_at(&branch, &record, 1);
    assert_int_equal(branch.block, 9);
    assert_int_equal(branch.both, 0);
}

static void test_misshapen(void **state)
{
    (void)state;
    uint64_t words[] = {0, 1, 2, 3, UINT64_MAX, 5, 1};
    wpg_branch_counts branch;
    assert_int_equal(wpg_branch_count(NULL), 0);
    for (size_t count = 1; count < 7; count++) {
        wpg_profile_record record = record_of(words, count);
        assert_int_equal(wpg_branch_count(&record), 0);
    }
    /* No weight, and more waves than there can be. */
    wpg_profile_record record = record_of(words, 7);
    assert_int_equal(wpg_branch_count(&record), 1);
    wpg_branch_at(&branch, &record, 0);
    assert_int_equal(branch.block, 0);
    assert_true(branch.both == UINT64_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_branches), cmocka_unit_test(test_misshapen)};
    return cmocka_run_group_tests_name("probe records", tests, NULL, NULL);
}
