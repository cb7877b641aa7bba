/* From a pipeline's facts to its push-constant record: what adds up, what is no such record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/bundle/push_facts.h"
#include "runtime/profile/push_record.h"

#define PIPELINE "11223344556677889900aabbccddeeff"
static const char name[] = "pipeline." PIPELINE "#push";

static wpg_facts *facts_of(const char *kind)
{
    wpg_facts *facts = wpg_facts_create(kind, PIPELINE);
    assert_non_null(facts);
    assert_int_equal(wpg_facts_count(facts, "push.00", "0x00000005", 30, NULL), WPG_OK);
    assert_int_equal(wpg_facts_count(facts, "push.00", "0x00000007", 2, NULL), WPG_OK);
    assert_int_equal(wpg_facts_count(facts, "push.00", "*", 4, NULL), WPG_OK);
    assert_int_equal(wpg_facts_count(facts, "push.63", "0xffffffff", 9, NULL), WPG_OK);
    assert_int_equal(wpg_facts_sum(facts, "unpushed.63", 1, NULL), WPG_OK);
    assert_int_equal(wpg_facts_count(facts, "push.02", "nonsense", 9, NULL), WPG_OK);
    assert_int_equal(wpg_facts_sum(facts, "push.03", 9, NULL), WPG_OK);
    return facts;
}

static uint64_t count_of(const wpg_profile_record *record, uint32_t word, uint64_t value)
{
    for (size_t i = 0; i < record->sites[word].count; i++)
        if (record->sites[word].pairs[i].value == value)
            return record->sites[word].pairs[i].count;
    return 0;
}

static void adds_up(void **state)
{
    (void)state;
    wpg_profile *profile = wpg_profile_create(), *other = wpg_profile_create();
    wpg_facts *facts = facts_of("pipeline");
    assert_int_equal(wpg_push_facts_add(profile, facts, NULL), WPG_OK);
    assert_int_equal(wpg_push_facts_add(other, facts, NULL), WPG_OK);
    assert_int_equal(wpg_push_facts_add(other, facts, NULL), WPG_OK);
    assert_int_equal(wpg_profile_merge(profile, other, 3, NULL, NULL), WPG_OK);
    const wpg_profile_record *record = wpg_profile_find(profile, name, WPG_PUSH_RECORD_HASH);
    wpg_hash128 pipeline;
    char hex[WPG_HASH_HEX + 1];
    assert_non_null(record);
    assert_true(wpg_push_record_parse(&pipeline, record));
    wpg_hash_to_hex(hex, pipeline);
    assert_string_equal(hex, PIPELINE);
    assert_int_equal(record->counters[0], 7);
    assert_int_equal(record->site_count, WPG_PUSH_RECORD_WORDS);
    assert_int_equal(count_of(record, 0, 5), 210);
    assert_int_equal(count_of(record, 0, 7), 14);
    assert_int_equal(wpg_push_record_others(record, 0), 28);
    assert_int_equal(count_of(record, 63, UINT32_MAX), 63);
    assert_int_equal(wpg_push_record_unpushed(record, 63), 7);
    assert_int_equal(record->sites[2].count, 0);
    assert_int_equal(record->sites[3].count, 0);
    wpg_facts_destroy(facts);
    wpg_profile_destroy(profile);
    wpg_profile_destroy(other);
}

static void others_add_nothing(void **state)
{
    (void)state;
    wpg_profile *profile = wpg_profile_create();
    wpg_facts *facts = facts_of("shader"), *none = wpg_facts_create("pipeline", PIPELINE);
    assert_int_equal(wpg_facts_sum(none, "dispatches", 4, NULL), WPG_OK);
    assert_int_equal(wpg_push_facts_add(profile, facts, NULL), WPG_OK);
    assert_int_equal(wpg_push_facts_add(profile, none, NULL), WPG_OK);
    assert_int_equal(wpg_profile_count(profile), 0);
    wpg_facts_destroy(facts);
    wpg_facts_destroy(none);
    wpg_profile_destroy(profile);
}

/* Names and shapes that are not ours. */
static void refuses_other_records(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t counters;
        uint64_t hash;
    } cases[] = {
        {"pipeline." PIPELINE "#push", 128, WPG_PUSH_RECORD_HASH},
        {"pipeline." PIPELINE "#push", WPG_PUSH_RECORD_COUNTERS, 2},
        {"pipeline." PIPELINE "#pusH", WPG_PUSH_RECORD_COUNTERS, WPG_PUSH_RECORD_HASH},
        {"pipeline." PIPELINE "#push2", WPG_PUSH_RECORD_COUNTERS, WPG_PUSH_RECORD_HASH},
        {"pipelines" PIPELINE "#push", WPG_PUSH_RECORD_COUNTERS, WPG_PUSH_RECORD_HASH},
        {"pipeline.11223344556677889900AABBCCDDEEFF#push", WPG_PUSH_RECORD_COUNTERS, WPG_PUSH_RECORD_HASH},
        {"pipeline.1122334455667788990#push", WPG_PUSH_RECORD_COUNTERS, WPG_PUSH_RECORD_HASH},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t counters[WPG_PUSH_RECORD_COUNTERS + 1] = {1};
        wpg_profile *profile = wpg_profile_create();
        wpg_hash128 pipeline;
        assert_int_equal(
            wpg_profile_add(profile, cases[i].name, cases[i].hash, counters, cases[i].counters, 1, NULL),
            WPG_OK);
        assert_false(wpg_push_record_parse(&pipeline, wpg_profile_at(profile, 0)));
        wpg_profile_destroy(profile);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_up),
        cmocka_unit_test(others_add_nothing),
        cmocka_unit_test(refuses_other_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
