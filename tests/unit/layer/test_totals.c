/* Totals of a pipeline: push-constant values in a bounded table, sums, the facts they become. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "layer/profile/totals.h"

static uint64_t all_of(const wpg_word_values *word)
{
    uint64_t sum = word->others;
    for (int i = 0; i < WPG_PUSH_VALUES; i++)
        sum += word->counts[i];
    return sum;
}

static uint64_t count_of(const wpg_word_values *word, uint32_t value)
{
    for (int i = 0; i < WPG_PUSH_VALUES; i++)
        if (word->counts[i] && word->values[i] == value)
            return word->counts[i];
    return 0;
}

static void few_values_are_exact(void **state)
{
    (void)state;
    wpg_word_values word = {0};
    for (uint32_t i = 0; i < 80; i++)
        wpg_word_count(&word, i % WPG_PUSH_VALUES, i + 1); /* zero is a value like any other */
    for (uint32_t value = 0; value < WPG_PUSH_VALUES; value++) {
        uint64_t want = 0;
        for (uint32_t i = value; i < 80; i += WPG_PUSH_VALUES)
            want += i + 1;
        assert_int_equal(count_of(&word, value), want);
    }
    assert_int_equal(word.others, 0);
    wpg_word_count(&word, 99, 0); /* nothing happened */
    assert_int_equal(all_of(&word), 80 * 81 / 2);
}

/* A value that becomes common after the table was full of rare ones is found; totals stay exact. */
static void late_but_common(void **state)
{
    (void)state;
    wpg_word_values word = {0};
    for (uint32_t i = 0; i < 1000; i++)
        wpg_word_count(&word, 1000 + i, 1);
    for (uint32_t i = 0; i < 500; i++) {
        wpg_word_count(&word, 7, 1);
        wpg_word_count(&word, 5000 + i, 1);
    }
    assert_int_equal(all_of(&word), 2000);
    assert_true(count_of(&word, 7) >= 499 && count_of(&word, 7) <= 500);
}

static void adds(void **state)
{
    (void)state;
    const wpg_hash128 hash = {0x1234, 0xabcd};
    wpg_totals *totals = wpg_totals_of(hash);
    assert_non_null(totals);
    assert_ptr_equal(wpg_totals_of(hash), totals);
    assert_ptr_not_equal(wpg_totals_of((wpg_hash128){0x1235, 0xabcd}), totals);
    assert_null(wpg_totals_of((wpg_hash128){0x1234, 0xabce})); /* half a hash is not the hash */
    uint64_t counters[WPG_RECORD_COUNTER_COUNT] = {[WPG_RECORD_SUBMISSIONS] = 1, [WPG_RECORD_DRAWS] = 5};
    wpg_word_values *words = calloc(WPG_PUSH_WORDS, sizeof *words);
    assert_non_null(words);
    wpg_word_count(&words[0], 0xdead, 4);
    words[0].unpushed = 1;
    words[1].unpushed = 5;
    wpg_word_count(&words[2], 1, 5); /* not of the layout: no part of it */
    wpg_push_sets sets = {0};
    const uint32_t together[WPG_PUSH_WORDS] = {0xdead, 7};
    wpg_push_sets_count(&sets, 1, together, 4, 0);
    wpg_push_sets_count(&sets, 0, together, 1, 0);
    for (int i = 0; i < 3; i++)
        wpg_totals_add(totals, counters, words, &sets, 3);
    wpg_totals_add_time(totals, 1000, 3); /* the first: a driver may compile then */
    wpg_totals_add_time(totals, 500, 1);
    const uint64_t statistics[WPG_STATISTIC_COUNT] = {[2] = 9, [10] = 1};
    wpg_totals_add_statistics(totals, statistics, 2);
    wpg_facts *fixed = wpg_facts_create("pipeline", "000000000000abcd0000000000001234");
    assert_int_equal(wpg_facts_is(fixed, "stage.vert", "x main", NULL), WPG_OK);
    wpg_totals_describe(totals, fixed);
    wpg_totals_name(totals, "name.1", "of\nthe program");
    wpg_totals_name(totals, "name.1", "another");
    for (int i = 0; i < 2 * WPG_TOTALS_NAMES; i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "name.%d", 1 + i % 2);
        wpg_totals_name(totals, key, "again");
    }
    assert_true(totals->changed);
    wpg_facts *facts = wpg_totals_facts(totals);
    assert_false(totals->changed);
    wpg_writer out = {0};
    wpg_facts_encode(&out, facts);
    wpg_write_u8(&out, 0);
    assert_string_equal((const char *)out.data,
                        "wavepgo-facts 1 pipeline 000000000000abcd0000000000001234\n"
                        "sum draws 15\nsum gpu-commands 4\nsum gpu-first-commands 3\n"
                        "sum gpu-first-nanoseconds 1000\nsum gpu-nanoseconds 1500\n"
                        "is name.1 of\\nthe program\nis name.2 again\n"
                        "count push.00 0x0000dead 12\ncount push.01 * 0\n"
                        "sum pushed.442ab26065c90037 12\nsum pushed.c77b3abb6f87acd9 3\n"
                        "is pushes.442ab26065c90037 0000dead\nis pushes.c77b3abb6f87acd9 -\n"
                        "sum runs 1\nis stage.vert x main\n"
                        "sum statistic.compute-invocations 1\nsum statistic.vertex-invocations 9\n"
                        "sum statistics-commands 2\nsum submissions 3\nsum unpushed.00 3\n"
                        "sum unpushed.01 15\nend\n");
    wpg_writer_finish(&out);
    wpg_facts_destroy(facts);
    free(words);
    wpg_push_sets_finish(&sets);
    wpg_totals_finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_values_are_exact),
                                       cmocka_unit_test(late_but_common), cmocka_unit_test(adds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
