/* LLVM's text format: ours is byte for byte what llvm-profdata prints, and it is read as LLVM reads it. */
#include "tests/unit/runtime/profile/profile_test.h"

static void text_is_the_tools_text(int version)
{
    const char *tool = need_profdata(version);
    wpg_profile *sample = sample_profile();
    const char *ours = scratch_file("a.proftext"), *theirs = scratch_file("b.proftext");
    save(ours, sample, WPG_PROFILE_TEXT);
    expect_shown(tool, ours, sample);
    free(run("'%s' merge -text -o '%s' '%s'", tool, theirs, ours));
    free(run("cmp '%s' '%s'", ours, theirs));
    wpg_profile *back = load(theirs);
    expect_equal(sample, back);
    wpg_profile_destroy(back);
    wpg_profile_destroy(sample);
}

static void llvm_14(void **state)
{
    (void)state;
    text_is_the_tools_text(14);
}

static void llvm_19(void **state)
{
    (void)state;
    text_is_the_tools_text(19);
}

static void llvm_22(void **state)
{
    (void)state;
    text_is_the_tools_text(22);
}

static wpg_profile *read_text(const char *text)
{
    wpg_profile *p = wpg_profile_create();
    must(wpg_profile_read_memory(p, NULL, text, strlen(text), &err));
    return p;
}

static void liberal_spellings_are_read(void **state)
{
    (void)state;
    wpg_profile *p = read_text(
        "# comment\r\n:IR\r\n:entry_first\n\n\nname with blanks\r\n0x10\r\n# more\n2\n\n1\n# x\n2\r\n"
        "second\n010\n1\n3\nthird\n0b11\n1\n18446744073709551615");
    assert_int_equal(wpg_profile_count(p), 3);
    assert_non_null(wpg_profile_find(p, "name with blanks", 16));
    assert_non_null(wpg_profile_find(p, "second", 8));
    assert_non_null(wpg_profile_find(p, "third", 3));
    assert_true(wpg_profile_find(p, "third", 3)->counters[0] == UINT64_MAX);
    wpg_profile_destroy(p);
    /* one function twice is summed; values add pair by pair, whatever their order */
    p = read_text(":ir\nf\n1\n1\n4\n1\n1\n1\n3\n9:1\n3:2\n9:5\nf\n1\n1\n5\n1\n1\n1\n1\n3:40\n");
    const wpg_profile_record *r = wpg_profile_find(p, "f", 1);
    assert_int_equal(r->counters[0], 9);
    assert_int_equal(r->site_count, 1);
    assert_int_equal(r->sites[0].count, 2);
    assert_int_equal(r->sites[0].pairs[0].value, 3);
    assert_int_equal(r->sites[0].pairs[0].count, 42);
    assert_int_equal(r->sites[0].pairs[1].count, 6);
    wpg_profile_destroy(p);
}

static void bad_text_is_refused(void **state)
{
    (void)state;
    const struct {
        const char *text;
        wpg_status status;
        const char *words;
    } cases[] = {
        {"hello world\n", WPG_E_UNSUPPORTED, ":ir"},
        {":fe\nf\n1\n1\n1\n", WPG_E_UNSUPPORTED, ":ir"},
        {":csir\n", WPG_E_UNSUPPORTED, ":csir"},
        {":what\n", WPG_E_FORMAT, "line 1"},
        {":ir\nf\n", WPG_E_FORMAT, "truncated"},
        {":ir\nf\nzz\n", WPG_E_FORMAT, "line 3: 'zz' is not a function hash"},
        {":ir\nf\n1\n0\n", WPG_E_FORMAT, "without counters"},
        {":ir\nf\n1\n2\n1\n", WPG_E_FORMAT, "truncated"},
        {":ir\nf\n1\n99999999\n1\n", WPG_E_FORMAT, "counters"},
        {":ir\nf\n1\n30000000\n1\n", WPG_E_FORMAT, "counters"},
        {":ir\nf\n1\n1\n18446744073709551616\n", WPG_E_FORMAT, "not a counter"},
        {":ir\nf\n1\n1\n-1\n", WPG_E_FORMAT, "not a counter"},
        {":ir\nf\n1\n1\n1\n4\n", WPG_E_FORMAT, "value kinds"},
        {":ir\nf\n1\n1\n1\n1\n3\n", WPG_E_FORMAT, "value kind"},
        {":ir\nf\n1\n1\n1\n1\n1\n70000\n", WPG_E_FORMAT, "value sites"},
        {":ir\nf\n1\n1\n1\n1\n1\n2\n0\n", WPG_E_FORMAT, "truncated"},
        {":ir\nf\n1\n1\n1\n1\n1\n1\n4000000000\n", WPG_E_FORMAT, "truncated"},
        {":ir\nf\n1\n1\n1\n1\n1\n1\n1\n77\n", WPG_E_FORMAT, "value:count"},
        {":ir\nf\n1\n1\n1\n1\n1\n1\n1\nx:1\n", WPG_E_FORMAT, "value:count"},
        {":ir\nf\n1\n1\n1\n$2\n1\n", WPG_E_FORMAT, "truncated"},
        {":ir\nf\n1\n1\n1\n$1\n256\n", WPG_E_FORMAT, "bitmap"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wpg_error err = {0};
        wpg_profile *p = wpg_profile_create();
        assert_int_equal(wpg_profile_read_memory(p, NULL, cases[i].text, strlen(cases[i].text), &err),
                         cases[i].status);
        if (!strstr(err.message, cases[i].words))
            fail_msg("case %zu: '%s' does not say '%s'", i, err.message, cases[i].words);
        wpg_profile_destroy(p);
    }
}

/* Names that a line-based reader would take for something else are refused, by writer and model. */
static void ambiguous_names_are_refused(void **state)
{
    (void)state;
    const char *names[] = {"123", "$x"};
    for (size_t i = 0; i < 2; i++) {
        wpg_profile *p = wpg_profile_create();
        const uint64_t one[] = {1};
        uint8_t *data;
        size_t size;
        must(wpg_profile_add(p, names[i], 1, one, 1, 1, &err));
        assert_int_equal(wpg_profile_encode(&data, &size, p, WPG_PROFILE_TEXT, NULL), WPG_E_UNSUPPORTED);
        must(wpg_profile_encode(&data, &size, p, WPG_PROFILE_INDEXED, &err));
        free(data);
        wpg_profile_destroy(p);
    }
}

static void missing_files_are_named(void **state)
{
    (void)state;
    wpg_profile *p = wpg_profile_create();
    wpg_error err = {0};
    assert_int_equal(wpg_profile_read_file(p, NULL, scratch_file("absent"), &err), WPG_E_NOT_FOUND);
    assert_non_null(strstr(err.message, "absent"));
    write_bytes(scratch_file("bad"), "\1\2\3\4\5\6\7\10", 8);
    assert_int_equal(wpg_profile_read_file(p, NULL, scratch_file("bad"), &err), WPG_E_FORMAT);
    assert_non_null(strstr(err.message, "bad: no profile"));
    wpg_profile_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(llvm_14),
        cmocka_unit_test(llvm_19),
        cmocka_unit_test(llvm_22),
        cmocka_unit_test(liberal_spellings_are_read),
        cmocka_unit_test(bad_text_is_refused),
        cmocka_unit_test(ambiguous_names_are_refused),
        cmocka_unit_test(missing_files_are_named),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
