/* Records of push-constant sets: what is written is read, in every format and after stock llvm-profdata
 * merged it. Keys that stand for two sets, records of other shapes. */
#include "runtime/profile/push_set_record.h"
#include "tests/unit/runtime/profile/profile_test.h"

static const wpg_hash128 pipeline = {0x1122334455667788u, 0x99aabbccddeeff00u};
#define NAME "pipeline.99aabbccddeeff001122334455667788#push-sets"

static void count_words(wpg_profile *p, uint64_t words, uint32_t a, uint32_t b, uint64_t n)
{
    uint32_t values[WPG_PUSH_SET_WORDS] = {a, b};
    values[63] = 0xffffffff;
    must(wpg_push_set_record_count(p, NAME, words, values, n, &err));
}

static wpg_profile *make(uint64_t others, uint64_t loose)
{
    wpg_profile *p = wpg_profile_create();
    char name[WPG_PUSH_SET_RECORD_NAME];
    wpg_push_set_record_compose(name, pipeline);
    assert_string_equal(name, NAME);
    uint64_t words[WPG_PUSH_SET_WORDS];
    for (unsigned word = 0; word < WPG_PUSH_SET_WORDS; word++)
        words[word] = loose >> word & 1;
    must(wpg_push_set_record_add(p, name, 7, others, words, &err));
    return p;
}

/* Word 63 all ones, word 0 pushed or not. */
static wpg_profile *one_run(void)
{
    wpg_profile *p = make(4, 0);
    count_words(p, UINT64_C(1) << 63 | 3, 1, 2, 30);
    count_words(p, UINT64_C(1) << 63 | 2, 0, 2, 20);
    count_words(p, 0, 0, 0, 1);
    return p;
}
static wpg_profile *another_run(void)
{
    wpg_profile *p = make(5, 2);
    count_words(p, UINT64_C(1) << 63 | 1, 1, 0, 100);
    return p;
}

static void read_sets(wpg_push_sets *sets, const wpg_profile *p)
{
    const wpg_profile_record *record = wpg_profile_find(p, NAME, WPG_PUSH_SET_RECORD_HASH);
    wpg_hash128 parsed;
    assert_non_null(record);
    assert_true(wpg_push_set_record_parse(&parsed, record));
    assert_true(wpg_hash_equal(parsed, pipeline));
    *sets = (wpg_push_sets){0};
    assert_true(wpg_push_set_record_read(sets, record));
}

static void expect_one_run(const wpg_profile *p, uint64_t weight)
{
    wpg_push_sets sets;
    read_sets(&sets, p);
    assert_int_equal(sets.count, 3);
    assert_int_equal(sets.others, 4 * weight);
    assert_int_equal(sets.loose, 0);
    assert_int_equal(sets.sets[0].n, 30 * weight);
    assert_true(sets.sets[0].words == (UINT64_C(1) << 63 | 3));
    assert_int_equal(sets.sets[0].values[1], 2);
    assert_int_equal(sets.sets[0].values[63], 0xffffffff);
    assert_true(sets.sets[1].words == (UINT64_C(1) << 63 | 2));
    assert_int_equal(sets.sets[1].values[0], 0);
    assert_int_equal(sets.sets[2].words, 0);
    wpg_push_sets_finish(&sets);
}

static void round_trip(void **state)
{
    (void)state;
    const wpg_profile_format formats[] = {WPG_PROFILE_RAW_8, WPG_PROFILE_RAW_10, WPG_PROFILE_INDEXED,
                                          WPG_PROFILE_TEXT};
    wpg_profile *p = one_run();
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const char *path = scratch_file("sets");
        save(path, p, formats[i]);
        wpg_profile *back = load(path);
        expect_equal(p, back);
        expect_one_run(back, 1);
        wpg_profile_destroy(back);
    }
    wpg_profile_destroy(p);
}

/* A word that is loose in one run is loose in the sum: its sets become one. */
static void expect_both(const wpg_profile *p)
{
    wpg_push_sets sets;
    read_sets(&sets, p);
    assert_int_equal(sets.loose, 2);
    assert_int_equal(sets.others, 9);
    assert_int_equal(sets.count, 3);
    assert_int_equal(sets.sets[0].n, 130);
    assert_true(sets.sets[0].words == (UINT64_C(1) << 63 | 1));
    wpg_push_sets_finish(&sets);
}

static void merges_in_every_order(void **state)
{
    (void)state;
    wpg_profile *a = one_run(), *b = another_run(), *c = one_run(), *left = wpg_profile_create(),
                *right = wpg_profile_create(), *three = wpg_profile_create();
    must(wpg_profile_merge(left, a, 1, NULL, &err));
    must(wpg_profile_merge(left, b, 1, NULL, &err));
    must(wpg_profile_merge(right, b, 1, NULL, &err));
    must(wpg_profile_merge(right, a, 1, NULL, &err));
    expect_equal(left, right);
    expect_both(left);
    must(wpg_profile_merge(left, c, 1, NULL, &err)); /* (a b) c */
    must(wpg_profile_merge(c, b, 1, NULL, &err));    /* a (c b) */
    must(wpg_profile_merge(three, a, 1, NULL, &err));
    must(wpg_profile_merge(three, c, 1, NULL, &err));
    expect_equal(left, three);
    wpg_profile *all[] = {a, b, c, left, right, three};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        wpg_profile_destroy(all[i]);
}

static void stock_tool_merges(int version, wpg_profile_format format)
{
    const char *tool = need_profdata(version);
    const char *first = scratch_file("first"), *second = scratch_file("second");
    const char *out = scratch_file("merged"), *text = scratch_file("text");
    wpg_profile *a = one_run(), *b = another_run();
    save(first, a, format);
    save(second, b, format);
    free(run("'%s' merge -o '%s' '%s' '%s'", tool, out, first, second));
    char *shown = run("'%s' show --all-functions --counts --memop-sizes '%s'", tool, out);
    assert_non_null(strstr(shown, NAME));
    free(shown);
    wpg_profile *merged = load(out), *want = wpg_profile_create();
    must(wpg_profile_merge(want, a, 1, NULL, &err));
    must(wpg_profile_merge(want, b, 1, NULL, &err));
    expect_equal(want, merged);
    expect_both(merged);
    free(run("'%s' merge --text -o '%s' --weighted-input=3,'%s'", tool, text, first));
    wpg_profile *weighed = load(text);
    expect_one_run(weighed, 3);
    wpg_profile *all[] = {a, b, merged, want, weighed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        wpg_profile_destroy(all[i]);
}
static void llvm_14_merges(void **state)
{
    (void)state;
    stock_tool_merges(14, WPG_PROFILE_RAW_8);
}
static void llvm_19_merges(void **state)
{
    (void)state;
    stock_tool_merges(19, WPG_PROFILE_INDEXED);
}
static void llvm_22_merges(void **state)
{
    (void)state;
    stock_tool_merges(22, WPG_PROFILE_INDEXED);
}

/* More sets than a file carries: the commonest stay whole, and each with all its words. */
static void crowds_keep_the_commonest(void **state)
{
    (void)state;
    enum { MANY = 600 };
    wpg_profile *p = make(0, 0);
    uint64_t all = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        count_words(p, 3, i, i / 2, 1 + i);
        all += 1 + i;
    }
    wpg_push_sets sets;
    read_sets(&sets, p);
    assert_int_equal(sets.count, WPG_PUSH_SETS);
    assert_int_equal(wpg_push_sets_listed(&sets) + sets.others, all);
    const char *path = scratch_file("crowd");
    save(path, p, WPG_PROFILE_INDEXED);
    wpg_profile *back = load(path);
    wpg_push_sets again;
    read_sets(&again, back);
    assert_int_equal(again.count, WPG_PUSH_SETS);
    for (uint32_t i = 0; i < WPG_PUSH_SETS; i++) {
        assert_int_equal(again.sets[i].n, MANY - i);
        assert_int_equal(again.sets[i].words, 3);
        assert_int_equal(again.sets[i].values[0], MANY - 1 - i);
        assert_int_equal(again.sets[i].values[1], (MANY - 1 - i) / 2);
    }
    wpg_push_sets_finish(&sets);
    wpg_push_sets_finish(&again);
    wpg_profile_destroy(back);
    wpg_profile_destroy(p);
}

/* A key of two sets, and pairs that are no keys: their counts are the others'. */
static void what_is_unclear_is_no_set(void **state)
{
    (void)state;
    wpg_profile *p = one_run();
    uint32_t values[WPG_PUSH_SET_WORDS] = {1, 2};
    values[63] = 0xffffffff;
    const uint64_t key = wpg_push_set_key(UINT64_C(1) << 63 | 3, values) >> 33 << 32;
    must(wpg_profile_add_value(p, NAME, WPG_PUSH_SET_RECORD_HASH, 2, key | 99, 1, &err));
    must(wpg_profile_add_value(p, NAME, WPG_PUSH_SET_RECORD_HASH, 0, 12345, 7, &err));
    wpg_push_sets sets;
    read_sets(&sets, p);
    assert_int_equal(sets.count, 2);
    assert_int_equal(sets.others, 4 + 30 + 7);
    wpg_push_sets_finish(&sets);
    wpg_profile_destroy(p);
}

static void refuses_other_records(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t counters;
        uint64_t hash;
    } cases[] = {
        {NAME, WPG_PUSH_SET_RECORD_COUNTERS - 1, WPG_PUSH_SET_RECORD_HASH},
        {NAME, WPG_PUSH_SET_RECORD_COUNTERS, 2},
        {NAME "s", WPG_PUSH_SET_RECORD_COUNTERS, WPG_PUSH_SET_RECORD_HASH},
        {"pipeline.99aabbccddeeff001122334455667788#push", WPG_PUSH_SET_RECORD_COUNTERS, 1},
        {"pipeline.99AABBCCDDEEFF001122334455667788#push-sets", WPG_PUSH_SET_RECORD_COUNTERS, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t counters[WPG_PUSH_SET_RECORD_COUNTERS] = {1};
        wpg_profile *p = wpg_profile_create();
        wpg_hash128 parsed;
        must(wpg_profile_add(p, cases[i].name, cases[i].hash, counters, cases[i].counters, 1, &err));
        assert_false(wpg_push_set_record_parse(&parsed, wpg_profile_at(p, 0)));
        wpg_profile_destroy(p);
    }
    /* Without sites there are no sets. */
    uint64_t counters[WPG_PUSH_SET_RECORD_COUNTERS] = {1, 8};
    wpg_profile *p = wpg_profile_create();
    must(wpg_profile_add(p, NAME, WPG_PUSH_SET_RECORD_HASH, counters, WPG_PUSH_SET_RECORD_COUNTERS, 1, &err));
    wpg_push_sets sets;
    read_sets(&sets, p);
    assert_int_equal(sets.count, 0);
    assert_int_equal(sets.others, 8);
    wpg_profile_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(merges_in_every_order),
        cmocka_unit_test(llvm_14_merges),
        cmocka_unit_test(llvm_19_merges),
        cmocka_unit_test(llvm_22_merges),
        cmocka_unit_test(crowds_keep_the_commonest),
        cmocka_unit_test(what_is_unclear_is_no_set),
        cmocka_unit_test(refuses_other_records),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
