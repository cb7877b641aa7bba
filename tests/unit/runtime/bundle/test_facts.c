/* Facts: round trip, merge rules, bounds, and every way in which a file can be bad. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/bundle/facts.h"
#include "runtime/bundle/shader_info.h"

static const char sample_text[] = "wavepgo-facts 1 pipeline 0123\n"
                                  "count push.00 0x00000001 7\n"
                                  "count push.00 0x00000002 3\n"
                                  "count push.00 * 5\n"
                                  "count push.01 * 0\n"
                                  "sum draws 18446744073709551615\n"
                                  "is name a\\\\b \\n c\\xc3\\xa9\n"
                                  "range trips -9223372036854775808 9223372036854775807\n"
                                  "end\n";
/* As written: ordered by key. */
static const char canonical[] = "wavepgo-facts 1 pipeline 0123\n"
                                "sum draws 18446744073709551615\n"
                                "is name a\\\\b \\n c\\xc3\\xa9\n"
                                "count push.00 0x00000001 7\n"
                                "count push.00 0x00000002 3\n"
                                "count push.00 * 5\n"
                                "count push.01 * 0\n"
                                "range trips -9223372036854775808 9223372036854775807\n"
                                "end\n";

static wpg_facts *read_text(const char *text)
{
    wpg_facts *facts = NULL;
    wpg_error err = {0};
    if (wpg_facts_decode(&facts, text, strlen(text), &err) != WPG_OK)
        fail_msg("%s", err.message);
    return facts;
}

static void is_written(wpg_facts *facts, const char *expected)
{
    wpg_writer out = {0};
    wpg_facts_encode(&out, facts);
    assert_false(out.out_of_memory);
    wpg_write_u8(&out, 0);
    assert_string_equal((const char *)out.data, expected);
    wpg_writer_finish(&out);
}

static void round_trip(void **state)
{
    (void)state;
    wpg_facts *facts = read_text(sample_text);
    assert_string_equal(wpg_facts_get_text(facts, "name"), "a\\b \n c\xc3\xa9");
    assert_int_equal(wpg_facts_get_sum(facts, "draws"), UINT64_MAX);
    assert_int_equal(wpg_facts_find(facts, "trips")->low, INT64_MIN);
    is_written(facts, canonical);
    wpg_facts_destroy(facts);
    facts = read_text(canonical);
    is_written(facts, canonical);
    wpg_facts_destroy(facts);
}

static void every_truncation(void **state)
{
    (void)state;
    size_t size = sizeof canonical - 1;
    for (size_t cut = 0; cut < size; cut++) {
        wpg_facts *facts = NULL;
        wpg_error err = {0};
        char *copy = malloc(cut ? cut : 1);
        assert_non_null(copy);
        memcpy(copy, canonical, cut);
        assert_int_not_equal(wpg_facts_decode(&facts, copy, cut, &err), WPG_OK);
        assert_true(err.message[0]);
        assert_null(facts);
        free(copy);
    }
}

/* Whatever one byte becomes: refused with a message, or read and written as something that reads alike. */
static void every_byte(void **state)
{
    (void)state;
    static const char others[] = {0, '\n', ' ', '*', '0', '9', 'a', '-', '\\', '\x7f', '\xff'};
    char copy[sizeof canonical];
    for (size_t i = 0; i < sizeof canonical - 1; i++)
        for (size_t j = 0; j < sizeof others; j++) {
            wpg_facts *facts = NULL, *again = NULL;
            wpg_error err = {0};
            memcpy(copy, canonical, sizeof copy);
            copy[i] = others[j];
            if (wpg_facts_decode(&facts, copy, sizeof canonical - 1, &err) != WPG_OK) {
                assert_true(err.message[0]);
                continue;
            }
            wpg_writer out = {0}, out2 = {0};
            wpg_facts_encode(&out, facts);
            assert_int_equal(wpg_facts_decode(&again, out.data, out.size, &err), WPG_OK);
            wpg_facts_encode(&out2, again);
            assert_int_equal(out.size, out2.size);
            assert_memory_equal(out.data, out2.data, out.size);
            wpg_writer_finish(&out);
            wpg_writer_finish(&out2);
            wpg_facts_destroy(facts);
            wpg_facts_destroy(again);
        }
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *lines, *message;
    } cases[] = {
        {"sum a 1\nsum a 2\nend\n", "line 3: a key stands twice"},
        {"sum a 18446744073709551616\nend\n", "line 2: sum takes a key and a number"},
        {"sum a -1\nend\n", "line 2: sum takes a key and a number"},
        {"sum a 01\nend\n", "line 2: sum takes a key and a number"},
        {"sum a 1 \nend\n", "line 2: sum takes a key and a number"},
        {"sum a 1 2\nend\n", "line 2: sum takes a key and a number"},
        {"sum  1\nend\n", "line 2: a rule and a key are expected"},
        {"\nend\n", "line 2: a rule and a key are expected"},
        {"most a 1\nend\n", "line 2: no rule is called so: is, sum, range, count"},
        {"range a 2 1\nend\n", "line 2: range takes a key and two numbers, the smaller first"},
        {"range a -0 1\nend\n", "line 2: range takes a key and two numbers, the smaller first"},
        {"is a \\q\nend\n", "line 2: is takes a key and a text"},
        {"is a \\x00\nend\n", "line 2: is takes a key and a text"},
        {"is a\nend\n", "line 2: is takes a key and a text"},
        {"count a x 0\nend\n", "line 2: a value that was never seen"},
        {"count a x 1\ncount a x 1\nend\n", "line 3: a value stands twice"},
        {"count a * 1\ncount a * 1\nend\n", "line 3: a key stands twice"},
        {"sum a 1\ncount a x 1\nend\n", "line 3: fact a has another rule"},
        {"end\nsum a 1\n", "line 3: something follows the end"},
        {"sum a 1\n", "line 2: cut short: the last line is `end`"},
        {"sum a 1\nend", "line 3: cut short"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        wpg_facts *facts;
        wpg_error err = {0};
        (void)snprintf(text, sizeof text, "wavepgo-facts 1 pipeline x\n%s", cases[i].lines);
        assert_int_not_equal(wpg_facts_decode(&facts, text, strlen(text), &err), WPG_OK);
        assert_string_equal(err.message, cases[i].message);
    }
    wpg_facts *facts;
    wpg_error err;
    assert_int_equal(wpg_facts_decode(&facts, "wavepgo-facts 2 a b\nend\n", 24, &err), WPG_E_VERSION);
    assert_string_equal(err.message, "facts of version 2, not 1");
    assert_int_equal(wpg_facts_decode(&facts, "{\"a\": 1}\n", 9, &err), WPG_E_FORMAT);
    assert_string_equal(err.message, "this is no file of facts");
}

static void merge_rules(void **state)
{
    (void)state;
    wpg_facts *a = read_text("wavepgo-facts 1 k s\nsum n 5\nrange r 3 4\nis same x\nis other b\n"
                             "count c one 10\ncount c two 1\ncount c * 2\nsum only-a 1\nis rule x\nend\n");
    wpg_facts *b = read_text("wavepgo-facts 1 k s\nsum n 7\nrange r -1 3\nis same x\nis other a\n"
                             "count c two 4\ncount c three 1\nsum only-b 2\nsum rule 1\nend\n");
    size_t conflicts = 0;
    assert_int_equal(wpg_facts_merge(a, b, 3, &conflicts, NULL), WPG_OK);
    assert_int_equal(conflicts, 2); /* other, rule */
    is_written(a,
               "wavepgo-facts 1 k s\ncount c two 13\ncount c one 10\ncount c three 3\ncount c * 2\n"
               "sum n 26\nsum only-a 1\nsum only-b 6\nis other a\nrange r -1 4\nis rule x\nis same x\nend\n");
    wpg_facts *c = wpg_facts_create("k", "t");
    assert_int_equal(wpg_facts_merge(a, c, 1, NULL, NULL), WPG_E_MISMATCH);
    wpg_facts_destroy(a);
    wpg_facts_destroy(b);
    wpg_facts_destroy(c);
}

/* A full table: the total stays exact, what is common stays in it. */
static void full_table(void **state)
{
    (void)state;
    wpg_facts *facts = wpg_facts_create("k", "s");
    char value[16];
    uint64_t total = 0;
    for (int i = 0; i < 1000; i++) {
        (void)snprintf(value, sizeof value, "v%d", i);
        assert_int_equal(wpg_facts_count(facts, "c", value, 1, NULL), WPG_OK);
        assert_int_equal(wpg_facts_count(facts, "c", "often", 2, NULL), WPG_OK);
        total += 3;
    }
    wpg_facts_sort(facts);
    const wpg_fact *fact = wpg_facts_find(facts, "c");
    assert_int_equal(fact->value_count, WPG_FACTS_VALUES);
    assert_string_equal(fact->values[0].value, "often");
    assert_int_equal(fact->values[0].n, 2000);
    uint64_t sum = fact->n;
    for (size_t i = 0; i < fact->value_count; i++)
        sum += fact->values[i].n;
    assert_int_equal(sum, total);
    wpg_facts_destroy(facts);
}

/* The order of a merge makes no difference: tables that overflow, texts and rules that contradict. */
static void any_order(void **state)
{
    (void)state;
    enum { PARTS = 40 };
    wpg_facts *parts[PARTS], *total;
    wpg_writer want = {0};
    char value[16];
    for (int i = 0; i < PARTS; i++) {
        parts[i] = wpg_facts_create("k", "s");
        for (int j = 0; j < WPG_FACTS_VALUES; j++) {
            (void)snprintf(value, sizeof value, "v%d", (i * 7 + j * 5) % 150);
            assert_int_equal(wpg_facts_count(parts[i], "c", value, (uint64_t)(1 + (i * 31 + j) % 9), NULL),
                             WPG_OK);
        }
        (void)snprintf(value, sizeof value, "%d", i * 17 % PARTS);
        assert_int_equal(wpg_facts_is(parts[i], "text", value, NULL), WPG_OK);
        assert_int_equal(i % 3 == 0   ? wpg_facts_is(parts[i], "rule", value, NULL)
                         : i % 3 == 1 ? wpg_facts_range(parts[i], "rule", i, 2 * i, NULL)
                                      : wpg_facts_count(parts[i], "rule", value, 3, NULL),
                         WPG_OK);
        assert_int_equal(i % 2 ? wpg_facts_range(parts[i], "mixed", i, 2 * i, NULL)
                               : wpg_facts_count(parts[i], "mixed", value, 3, NULL),
                         WPG_OK);
    }
    for (int step = 1; step < PARTS; step += 2) { /* but for multiples of 5, an order each */
        if (step % 5 == 0)
            continue;
        wpg_writer got = {0};
        total = wpg_facts_create("k", "s");
        for (int i = 0; i < PARTS; i++)
            assert_int_equal(wpg_facts_merge(total, parts[i * step % PARTS], 1, NULL, NULL), WPG_OK);
        wpg_facts_encode(&got, total);
        wpg_facts_destroy(total);
        if (step == 1) {
            want = got;
            continue;
        }
        assert_int_equal(got.size, want.size);
        assert_memory_equal(got.data, want.data, want.size);
        wpg_writer_finish(&got);
    }
    assert_int_equal(wpg_facts_decode(&total, want.data, want.size, NULL), WPG_OK);
    assert_int_equal(wpg_facts_find(total, "c")->value_count, WPG_FACTS_VALUES);
    assert_int_equal(wpg_facts_find(total, "rule")->rule, WPG_FACT_IS);
    assert_int_equal(wpg_facts_find(total, "mixed")->rule, WPG_FACT_RANGE);
    assert_int_equal(wpg_facts_find(total, "mixed")->low, 1);
    wpg_facts_destroy(total);
    for (int i = 0; i < PARTS; i++)
        wpg_facts_destroy(parts[i]);
    wpg_writer_finish(&want);
}

static void arguments(void **state)
{
    (void)state;
    wpg_facts *facts = wpg_facts_create("k", "s");
    assert_null(wpg_facts_create("two words", "s"));
    assert_null(wpg_facts_create("k", ""));
    assert_int_equal(wpg_facts_sum(facts, "a b", 1, NULL), WPG_E_ARGUMENT);
    assert_int_equal(wpg_facts_sum(facts, "", 1, NULL), WPG_E_ARGUMENT);
    assert_int_equal(wpg_facts_count(facts, "a", "x y", 1, NULL), WPG_E_ARGUMENT);
    assert_int_equal(wpg_facts_range(facts, "a", 2, 1, NULL), WPG_E_ARGUMENT);
    assert_int_equal(wpg_facts_sum(facts, "n", UINT64_MAX, NULL), WPG_OK);
    assert_int_equal(wpg_facts_sum(facts, "n", 1, NULL), WPG_OK);
    assert_int_equal(wpg_facts_get_sum(facts, "n"), UINT64_MAX);
    assert_int_equal(wpg_facts_is(facts, "n", "x", NULL), WPG_E_MISMATCH);
    assert_int_equal(wpg_facts_get_sum(facts, "none"), 0);
    assert_string_equal(wpg_facts_get_text(facts, "none"), "");
    wpg_facts_destroy(facts);
}

static void shader_info(void **state)
{
    (void)state;
    wpg_shader_spec specs[] = {{2, 4, 0x10}, {11, 8, UINT64_MAX}, {300, 1, 7}};
    wpg_shader_function functions[] = {{0, 12, 0xfedcba9876543}, {3, 1, 5}};
    wpg_shader_info info = {.shader = {1, 2},
                            .words = {3, 4},
                            .stage = "comp",
                            .entry = "main \xc3\xa9",
                            .normal_form = 9,
                            .specs = specs,
                            .spec_count = 3,
                            .functions = functions,
                            .function_count = 2},
                    back;
    wpg_facts *facts;
    wpg_error err;
    assert_int_equal(wpg_shader_info_encode(&facts, &info, &err), WPG_OK);
    assert_int_equal(wpg_shader_info_decode(&back, facts, &err), WPG_OK);
    wpg_facts_destroy(facts);
    assert_memory_equal(&back.shader, &info.shader, sizeof info.shader);
    assert_memory_equal(&back.words, &info.words, sizeof info.words);
    assert_string_equal(back.stage, "comp");
    assert_string_equal(back.entry, info.entry);
    assert_int_equal(back.normal_form, 9);
    assert_int_equal(back.spec_count, 3);
    assert_int_equal(back.function_count, 2);
    assert_memory_equal(back.functions, functions, sizeof functions);
    for (size_t i = 0; i < 3; i++)
        assert_true(back.specs[i].id == specs[i].id && back.specs[i].size == specs[i].size &&
                    back.specs[i].bits == specs[i].bits);
    wpg_shader_info_finish(&back);
    static const char *const bad[] = {
        "wavepgo-facts 1 pipeline 00000000000000020000000000000001\nis stage comp\nend\n",
        "wavepgo-facts 1 shader 01\nis stage comp\nend\n",
        "wavepgo-facts 1 shader 00000000000000020000000000000001\nend\n",
        "wavepgo-facts 1 shader 00000000000000020000000000000001\nis stage muchtoolong\nend\n",
        "wavepgo-facts 1 shader 00000000000000020000000000000001\nis stage comp\nis spec.1 3 00\nend\n",
        "wavepgo-facts 1 shader 00000000000000020000000000000001\nis stage comp\nis function.0 xyz 1\nend\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        facts = read_text(bad[i]);
        assert_int_equal(wpg_shader_info_decode(&back, facts, &err), WPG_E_FORMAT);
        wpg_facts_destroy(facts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip), cmocka_unit_test(every_truncation), cmocka_unit_test(every_byte),
        cmocka_unit_test(refused),    cmocka_unit_test(merge_rules),      cmocka_unit_test(full_table),
        cmocka_unit_test(any_order),  cmocka_unit_test(arguments),        cmocka_unit_test(shader_info),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
