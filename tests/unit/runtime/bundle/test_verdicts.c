/* Verdicts: round trip through a bundle, everything that a file may have wrong, and what merging keeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/bundle/bundle.h"
#include "runtime/bundle/use_log.h"
#include "runtime/bundle/verdicts.h"
#include "tests/support/locales.h"

static wpg_verdict sample_verdict(uint32_t samples)
{
    wpg_verdict verdict = {.pipeline = {3, 4},
                           .device = {.name = "llvmpipe (LLVM 19, 256 bits)",
                                      .vendor = 0x10005,
                                      .driver = 13,
                                      .version = 0x64000,
                                      .uuid = {1, 0xff}},
                           .build = "0badcafe",
                           .confidence = 0.95,
                           .margin = 0.01,
                           .count = 3};
    static const char *const passes[] = {"", "au", "u"};
    for (uint32_t i = 0; i < 3; i++) {
        wpg_candidate *at = &verdict.alternatives[i];
        (void)strcpy(at->passes, passes[i]);
        if (i) {
            at->words = (wpg_hash128){i, 9};
            at->outcome = i == 1 ? WPG_OUTCOME_WINS : WPG_OUTCOME_LOSES;
            at->ratio = i == 1 ? 0.5 : 2.25;
            at->low = at->ratio - 0.125;
            at->high = at->ratio + 0.125;
            at->looks = 1;
        }
        at->count = samples;
        for (uint32_t j = 0; j < samples; j++)
            at->samples[j] = (wpg_sample){UINT32_MAX - j, j, UINT64_C(0xffffffffff) - j};
    }
    return verdict;
}

static wpg_facts *facts_of(const wpg_verdict *verdict)
{
    wpg_facts *facts;
    wpg_error err;
    if (wpg_verdict_encode(&facts, verdict, &err) != WPG_OK)
        fail_msg("%s", err.message);
    return facts;
}

static void round_trip(void **state)
{
    (void)state;
    wpg_verdict verdict = sample_verdict(WPG_VERDICT_SAMPLES), *back;
    wpg_facts *facts = facts_of(&verdict), *read;
    wpg_writer out = {0};
    assert_string_equal(wpg_facts_get_text(facts, "winner"), "au");
    wpg_facts_encode(&out, facts);
    assert_int_equal(wpg_facts_decode(&read, out.data, out.size, NULL), WPG_OK);
    assert_int_equal(wpg_verdict_decode(&back, read, NULL), WPG_OK);
    assert_memory_equal(back, &verdict, sizeof verdict);
    assert_string_equal(wpg_verdict_winner(back)->passes, "au");
    assert_true(wpg_verdict_settled(back));
    free(back);
    wpg_writer_finish(&out);
    wpg_facts_destroy(read);
    wpg_facts_destroy(facts);
}

static void is_refused(const char *key, const char *text)
{
    wpg_verdict verdict = sample_verdict(2), *back = NULL;
    wpg_facts *facts = facts_of(&verdict);
    wpg_error err = {0};
    assert_int_equal(wpg_facts_is(facts, key, text, NULL), WPG_OK);
    wpg_status status = wpg_verdict_decode(&back, facts, &err);
    if (status != WPG_E_FORMAT && status != WPG_E_MISMATCH)
        fail_msg("%s %s is taken", key, text);
    assert_true(err.message[0] != '\0');
    assert_null(back);
    wpg_facts_destroy(facts);
}

static void bad_ones_are_refused(void **state)
{
    (void)state;
    is_refused("pipeline", "12");
    is_refused("pipeline", "00000000000000040000000000000004"); /* not the subject's */
    is_refused("device", "another");
    is_refused("device.id", "1");
    is_refused("driver.id", "13 x");
    is_refused("driver.uuid", "00");
    is_refused("method", "guess");
    is_refused("confidence", "1.5");
    is_refused("confidence", "nan");
    is_refused("margin", "-0.100000");
    is_refused("candidate.ua", "wins 0.500000 0.400000 0.600000 1 16 00000000000000090000000000000001");
    is_refused("candidate.u", "wins");
    is_refused("candidate.u", "won 0.500000 0.400000 0.600000 1 16 00000000000000090000000000000001");
    is_refused("candidate.u", "wins 0.5 0.400000 0.600000 1 16 00000000000000090000000000000001");
    is_refused("candidate.u", "wins 0.500000 0.400000 0.600000 1 129 00000000000000090000000000000001");
    is_refused("candidate.u", "wins 0.500000 0.400000 0.600000 1 16 0009");
    is_refused("candidate.u", "wins 0.500000 0.400000 0.600000-1 16 00000000000000090000000000000001");
    is_refused("candidate.u", "wins 0.500000 0.400000 0.600000 1  16 00000000000000090000000000000001");
    is_refused("driver.id", "-1 00000007");
    is_refused("samples.u", "1:2");
    is_refused("samples.u", "1:2:3 ");
    is_refused("samples.u", "1:2:10000000000");
    is_refused("samples.u", "1:2:3  1:2:3");
    is_refused("samples.-", "1:200000000:3");
}

/* The sum of all samples of what stands after merging. */
static wpg_facts *merged(const wpg_verdict *a, const wpg_verdict *b)
{
    return wpg_verdict_merge(facts_of(a), facts_of(b));
}

static void stands(const wpg_verdict *a, const wpg_verdict *b, const char *winner)
{
    for (int turn = 0; turn < 2; turn++) {
        wpg_facts *facts = turn ? merged(a, b) : merged(b, a);
        assert_string_equal(wpg_facts_get_text(facts, "winner"), winner);
        wpg_facts_destroy(facts);
    }
}

static void merging_keeps_one(void **state)
{
    (void)state;
    wpg_verdict many = sample_verdict(32), few = sample_verdict(16), open = many, equal = many;
    few.alternatives[1].outcome = WPG_OUTCOME_LOSES;
    stands(&many, &few, "au");
    open.alternatives[1].outcome = WPG_OUTCOME_OPEN;
    stands(&many, &open, "au"); /* as many samples: the settled one */
    equal.alternatives[1].outcome = WPG_OUTCOME_UNDECIDED;
    stands(&many, &equal, "-"); /* "undecided" < "wins" as text: which does not matter, that it is one does */
    /* The driver's figures give way to a look that was taken, however many samples wait beside them. */
    wpg_verdict judged = sample_verdict(WPG_VERDICT_SAMPLES);
    judged.is_static = true;
    judged.alternatives[1].outcome = WPG_OUTCOME_UNDECIDED;
    judged.alternatives[1].looks = judged.alternatives[2].looks = 0;
    stands(&judged, &few, "-");
    few.alternatives[1].outcome = WPG_OUTCOME_WINS;
    stands(&judged, &few, "au");
    few.alternatives[1].outcome = WPG_OUTCOME_LOSES;
    /* What cannot be read gives way. */
    wpg_facts *bad = facts_of(&many);
    assert_int_equal(wpg_facts_is(bad, "method", "guess", NULL), WPG_OK);
    wpg_facts *facts = wpg_verdict_merge(bad, facts_of(&few));
    assert_string_equal(wpg_facts_get_text(facts, "method"), "timestamps");
    wpg_facts_destroy(facts);
}

/* Variants apply beside a set that won, unless that is faster than they are. */
static void variants_beside(void **state)
{
    (void)state;
    wpg_verdict verdict = sample_verdict(16);
    wpg_candidate *set = &verdict.alternatives[1], *values = &verdict.alternatives[2];
    (void)strcpy(values->passes, WPG_VERDICT_BY_VALUE);
    assert_null(wpg_verdict_by_value(&verdict)); /* they lost */
    values->outcome = WPG_OUTCOME_WINS;
    assert_null(wpg_verdict_by_value(&verdict)); /* slower than the set */
    values->ratio = values->low = values->high = 0.25;
    assert_ptr_equal(wpg_verdict_by_value(&verdict), values);
    assert_ptr_equal(wpg_verdict_winner(&verdict), set);
    wpg_facts *facts = facts_of(&verdict);
    assert_string_equal(wpg_facts_get_text(facts, "winner"), "apu");
    wpg_facts_destroy(facts);
    set->outcome = WPG_OUTCOME_LOSES;
    assert_null(wpg_verdict_winner(&verdict));
    facts = facts_of(&verdict);
    assert_string_equal(wpg_facts_get_text(facts, "winner"), "p");
    wpg_facts_destroy(facts);
}

static void lives_in_a_bundle(void **state)
{
    (void)state;
    char folder[] = "/tmp/wavepgo-verdicts-XXXXXX", path[256], hex[WPG_HASH_HEX + 1];
    assert_non_null(mkdtemp(folder));
    wpg_verdict many = sample_verdict(32), few = sample_verdict(16);
    wpg_facts *facts[] = {facts_of(&few), facts_of(&many)};
    wpg_hash_to_hex(hex, wpg_verdict_subject(wpg_device_key_hash(&many.device), many.pipeline));
    assert_string_equal(hex, wpg_facts_subject(facts[0]));
    for (int i = 0; i < 2; i++) { /* of two processes that lived at once */
        assert_int_equal(
            wpg_bundle_facts_path(path, sizeof path, folder, "verdict", hex, i ? ".12" : "", NULL), WPG_OK);
        assert_int_equal(wpg_facts_write_file(path, facts[i], NULL), WPG_OK);
        wpg_facts_destroy(facts[i]);
    }
    assert_int_equal(wpg_bundle_write_index(folder, NULL), WPG_OK);
    wpg_bundle bundle = {0};
    assert_int_equal(wpg_bundle_load(&bundle, folder, 3, NULL), WPG_OK);
    assert_int_equal(bundle.sets.count, 1);
    assert_int_equal(bundle.conflicts, 0);
    wpg_verdict *back;
    assert_int_equal(wpg_verdict_decode(&back, wpg_bundle_find(&bundle, "verdict", hex), NULL), WPG_OK);
    assert_int_equal(back->alternatives[0].count, 32);
    free(back);
    wpg_bundle_finish(&bundle);
    wpg_bundle_remove(folder);
    assert_false(wpg_is_bundle(folder));
}

/* What a program with a decimal comma writes is read by every other: a verdict and a line of the use log. */
static void any_locale(void **state)
{
    wpg_verdict verdict = sample_verdict(2), *back;
    wpg_use_stage stage = {.stage = "frag", .found = "anchors", .matched = 94.5};
    wpg_writer line = {0};
    const wpg_use_form form = {.contents = 2};
    (void)state;
    if (!wpg_enter_comma_locale())
        skip();
    wpg_facts *facts = facts_of(&verdict);
    wpg_use_log_line(&line, verdict.pipeline, "now 1 test", &stage, 1, &form);
    wpg_leave_comma_locale();
    assert_string_equal(wpg_facts_get_text(facts, "confidence"), "0.950000");
    assert_int_equal(wpg_verdict_decode(&back, facts, NULL), WPG_OK);
    assert_true(back->alternatives[2].ratio == 2.25);
    wpg_write_u8(&line, 0);
    assert_non_null(strstr((const char *)line.data, "\"matched\": 94.5,"));
    assert_non_null(strstr((const char *)line.data, ", \"contents\": 2, \"stages\""));
    wpg_writer_finish(&line);
    free(back);
    wpg_facts_destroy(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),        cmocka_unit_test(bad_ones_are_refused),
        cmocka_unit_test(merging_keeps_one), cmocka_unit_test(variants_beside),
        cmocka_unit_test(lives_in_a_bundle), cmocka_unit_test(any_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
