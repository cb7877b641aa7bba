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

static void test_cases_and_loops(void **state)
{
    (void)state;
    uint64_t cases[] = {3, 12, 15, 70, 9, 20, 12, 18, 30, 5, 20};
    wpg_profile_record record = record_of(cases, 11);
    wpg_case_counts target;
    assert_int_equal(wpg_case_count(&record), 2);
    wpg_case_at(&target, &record, 1);
    assert_int_equal(target.block, 4);
    assert_int_equal(target.target, 6);
    assert_int_equal(target.lanes, 30);
    assert_int_equal(target.waves, 5);
    assert_int_equal(target.all_waves, 20);
    uint64_t loops[37] = {1, 8, 100, 7, 250, 40, 0, 60};
    record = record_of(loops, 37);
    wpg_loop_counts loop;
    assert_int_equal(wpg_loop_count(&record), 1);
    wpg_loop_at(&loop, &record, 0);
    assert_int_equal(loop.block, 8);
    assert_int_equal(loop.lanes, 100);
    assert_int_equal(loop.waves, 7);
    assert_int_equal(loop.trips, 250);
    assert_int_equal(loop.buckets[0], 40);
    assert_int_equal(loop.buckets[2], 60);
    assert_int_equal(wpg_case_count(&record), 0);
}

static void test_entry(void **state)
{
    (void)state;
    uint64_t words[15] = {1, 10, 70, 6, 8, 80, 0, 1, 2, 0, 0, 0, 0, 0, 7};
    wpg_profile_record record = record_of(words, 15);
    wpg_entry_counts entry;
    assert_true(wpg_entry_read(&entry, &record));
    assert_int_equal(entry.waves, 10);
    assert_int_equal(entry.lanes, 70);
    assert_int_equal(entry.helpers, 6);
    assert_int_equal(entry.whole, 8);
    assert_int_equal(entry.sizes, 80);
    assert_int_equal(entry.eighths[8], 7);
    record.counter_count = 14;
    assert_false(wpg_entry_read(&entry, &record));
    assert_false(wpg_entry_read(&entry, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_branches),
                                       cmocka_unit_test(test_cases_and_loops), cmocka_unit_test(test_entry),
                                       cmocka_unit_test(test_misshapen)};
    return cmocka_run_group_tests_name("probe records", tests, NULL, NULL);
}
