/* From a pipeline's facts to its push-constant records: what adds up, what is no such record. Sets as facts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/bundle/push_facts.h"
#include "runtime/profile/push_record.h"
#include "runtime/profile/push_set_record.h"

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
    assert_int_equal(wpg_facts_sum(facts, "draws", 1, NULL), WPG_OK);
    assert_int_equal(wpg_facts_sum(facts, "dispatches", 40, NULL), WPG_OK);
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
    assert_int_equal(record->counters[0], 7 * 41);
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

/* -- Sets */

static wpg_push_sets sets_of(uint32_t last, uint64_t n)
{
    wpg_push_sets sets = {.others = 4};
    const uint32_t first[WPG_PUSH_SET_WORDS] = {5, 6, 0, 8}, second[WPG_PUSH_SET_WORDS] = {[63] = last};
    wpg_push_sets_count(&sets, 11, first, 30, 0);
    wpg_push_sets_count(&sets, UINT64_C(1) << 63, second, n, 0);
    wpg_push_sets_count(&sets, 0, first, 1, 0);
    return sets;
}

static wpg_facts *say(const wpg_push_sets *sets)
{
    wpg_facts *facts = wpg_facts_create("pipeline", PIPELINE);
    assert_int_equal(wpg_push_facts_say(facts, sets, NULL), WPG_OK);
    return facts;
}

static void sets_round_trip(void **state)
{
    (void)state;
    wpg_push_sets sets = sets_of(0xffffffff, 20), back = {0};
    wpg_facts *facts = say(&sets), *again;
    wpg_writer out = {0};
    wpg_facts_encode(&out, facts);
    wpg_write_u8(&out, 0);
    assert_non_null(strstr((const char *)out.data, " 00000005 00000006 - 00000008\n"));
    assert_non_null(strstr((const char *)out.data, " - - - - - - - "));
    assert_non_null(strstr((const char *)out.data, "sum pushed.others 4\n"));
    assert_int_equal(wpg_facts_decode(&again, out.data, out.size - 1, NULL), WPG_OK);
    assert_int_equal(wpg_push_facts_sets(&back, again, NULL), WPG_OK);
    wpg_push_sets_sort(&sets);
    assert_int_equal(back.count, 3);
    assert_int_equal(back.others, 4);
    assert_memory_equal(back.sets, sets.sets, 3 * sizeof *sets.sets);
    wpg_push_sets_finish(&back);
    wpg_push_sets_finish(&sets);
    wpg_writer_finish(&out);
    wpg_facts_destroy(facts);
    wpg_facts_destroy(again);
}

/* Equal sets add up, different ones stay; what is loose in one file is loose in all. In every order. */
static void sets_merge(void **state)
{
    (void)state;
    wpg_push_sets a = sets_of(1, 20), b = sets_of(2, 40), sum = {0};
    wpg_push_sets_loosen(&b, 2);
    wpg_facts *left = say(&a), *right = say(&b), *first = say(&a);
    assert_int_equal(wpg_facts_merge(left, right, 3, NULL, NULL), WPG_OK);
    size_t conflicts = 0;
    wpg_facts *weighed = wpg_facts_create("pipeline", PIPELINE);
    assert_int_equal(wpg_facts_merge(weighed, right, 3, &conflicts, NULL), WPG_OK);
    assert_int_equal(wpg_facts_merge(weighed, first, 1, &conflicts, NULL), WPG_OK);
    assert_int_equal(conflicts, 0);
    wpg_writer one = {0}, other = {0};
    wpg_facts_encode(&one, left);
    wpg_facts_encode(&other, weighed);
    assert_int_equal(one.size, other.size);
    assert_memory_equal(one.data, other.data, one.size);
    assert_int_equal(wpg_push_facts_sets(&sum, left, NULL), WPG_OK);
    assert_int_equal(sum.loose, 2);
    assert_int_equal(sum.others, 16);
    assert_int_equal(sum.count, 4); /* the first sets became one */
    assert_int_equal(sum.sets[0].n + sum.sets[1].n, 120 + 120);
    assert_int_equal(sum.sets[2].n, 20);
    assert_int_equal(sum.sets[3].n, 4);
    /* The way through records gives the same, whether facts or records are merged. */
    wpg_profile *p = wpg_profile_create(), *q = wpg_profile_create();
    assert_int_equal(wpg_push_facts_add(p, left, NULL), WPG_OK);
    assert_int_equal(wpg_push_facts_add(q, weighed, NULL), WPG_OK);
    wpg_push_sets read = {0};
    const wpg_profile_record *record =
        wpg_profile_find(p, "pipeline." PIPELINE "#push-sets", WPG_PUSH_SET_RECORD_HASH);
    assert_non_null(record);
    assert_true(wpg_push_set_record_read(&read, record));
    assert_int_equal(read.count, sum.count);
    assert_memory_equal(read.sets, sum.sets, sum.count * sizeof *sum.sets);
    wpg_push_sets_finish(&read);
    wpg_push_sets_finish(&sum);
    wpg_push_sets_finish(&a);
    wpg_push_sets_finish(&b);
    wpg_writer_finish(&one);
    wpg_writer_finish(&other);
    wpg_profile_destroy(p);
    wpg_profile_destroy(q);
    wpg_facts *all[] = {left, right, first, weighed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        wpg_facts_destroy(all[i]);
}

static void malformed_sets_are_left_out(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",   " ",    "0000000",  "000000001",   "0000000A", "00000001 ", "00000001  00000002",
        "--", "- -,", "0x000001", "00000001 - ~"};
    wpg_facts *facts = wpg_facts_create("pipeline", PIPELINE);
    char key[32], many[WPG_PUSH_SET_WORDS * 2 + 4];
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        (void)snprintf(key, sizeof key, "pushes.%016x", i);
        assert_int_equal(wpg_facts_is(facts, key, texts[i], NULL), WPG_OK);
        (void)snprintf(key, sizeof key, "pushed.%016x", i);
        assert_int_equal(wpg_facts_sum(facts, key, 5, NULL), WPG_OK);
    }
    for (unsigned i = 0; i < sizeof many - 1; i++)
        many[i] = i % 2 ? ' ' : '-';
    many[2 * (WPG_PUSH_SET_WORDS + 1) - 1] = '\0'; /* 65 words */
    assert_int_equal(wpg_facts_is(facts, "pushes.much", many, NULL), WPG_OK);
    assert_int_equal(wpg_facts_count(facts, "pushes.table", "00000001", 7, NULL), WPG_OK);
    assert_int_equal(wpg_facts_is(facts, "pushes.uncounted", "00000009", NULL), WPG_OK);
    assert_int_equal(wpg_facts_is(facts, "pushed.text", "9", NULL), WPG_OK);
    wpg_push_sets sets = {0};
    assert_int_equal(wpg_push_facts_sets(&sets, facts, NULL), WPG_OK);
    assert_int_equal(sets.count, 0);
    many[2 * WPG_PUSH_SET_WORDS - 1] = '\0'; /* 64 words */
    assert_int_equal(wpg_facts_is(facts, "pushes.much", many, NULL), WPG_OK);
    assert_int_equal(wpg_facts_sum(facts, "pushed.much", 3, NULL), WPG_OK);
    assert_int_equal(wpg_push_facts_sets(&sets, facts, NULL), WPG_OK);
    assert_int_equal(sets.count, 1);
    assert_int_equal(sets.sets[0].n, 3);
    wpg_push_sets_finish(&sets);
    wpg_facts_destroy(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_up),
        cmocka_unit_test(others_add_nothing),
        cmocka_unit_test(refuses_other_records),
        cmocka_unit_test(sets_round_trip),
        cmocka_unit_test(sets_merge),
        cmocka_unit_test(malformed_sets_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
