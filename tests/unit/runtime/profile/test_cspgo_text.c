/* CSSPGO text: llvm-profdata takes what is written, says the same, and gives the same text back. */
#include "runtime/profile/cspgo_text.h"

#include "tests/unit/runtime/profile/profile_test.h"

#define A "0123456789abcdef0123456789abcdef.comp."

static const wpg_cspgo_frame deep[] = {{A "main", 3}, {A "helper_f1_vf3_", 2}, {A "leaf", 0}};
static const wpg_cspgo_frame alone[] = {{A "main", 0}};
static const wpg_cspgo_frame kept[] = {{A "fn.00ff", 0}};
static const wpg_cspgo_count deep_counts[] = {{1, 10, NULL, 0}, {2, 0, NULL, 0}, {3, 20, NULL, 0}};
static const wpg_cspgo_count main_counts[] = {{1, 5, NULL, 0}, {3, 30, A "helper_f1_vf3_", 30}};
static const wpg_cspgo_count huge_counts[] = {{1, UINT64_MAX, NULL, 0}, {65535, UINT64_MAX, NULL, 0}};
static const wpg_cspgo_record sample[] = {
    {alone, 1, 12345, 5, main_counts, 2},
    {deep, 3, (UINT64_C(1) << 60) - 1, 10, deep_counts, 3},
    {kept, 1, 0, UINT64_MAX, huge_counts, 2},
};
enum { SAMPLE = sizeof sample / sizeof sample[0] };

static const char sample_text[] =
    "[" A "main]:35:5\n 1: 5\n 3: 30 " A "helper_f1_vf3_:30\n !CFGChecksum: 12345\n"
    "[" A "main:3 @ " A "helper_f1_vf3_:2 @ " A "leaf]:30:10\n 1: 10\n 2: 0\n 3: 20\n"
    " !CFGChecksum: 1152921504606846975\n"
    "[" A "fn.00ff]:144115188075855872:72057594037927936\n 1: 72057594037927936\n"
    " 65535: 72057594037927936\n !CFGChecksum: 0\n";

static void text_is_fixed(void **state)
{
    (void)state;
    wpg_writer w = {0};
    for (size_t i = 0; i < SAMPLE; i++)
        must(wpg_cspgo_write(&w, &sample[i], &err));
    wpg_write_u8(&w, 0);
    assert_string_equal((char *)w.data, sample_text);
    wpg_writer_finish(&w);
}

/* The sample and nothing else, its records in any order: the tool sorts by heat. */
static void expect_sample(const char *text)
{
    size_t size = 0;
    for (size_t i = 0; i < SAMPLE; i++) {
        wpg_writer w = {0};
        must(wpg_cspgo_write(&w, &sample[i], &err));
        wpg_write_u8(&w, 0);
        if (!strstr(text, (char *)w.data))
            fail_msg("record %zu is not in:\n%s", i, text);
        size += w.size - 1;
        wpg_writer_finish(&w);
    }
    assert_int_equal(strlen(text), size);
}

static void round_trip(int version)
{
    const char *tool = need_profdata(version);
    const char *ours = scratch_file("a.txt"), *theirs = scratch_file("b.txt"),
               *binary = scratch_file("b.bin");
    write_bytes(ours, sample_text, sizeof sample_text - 1);
    free(run("'%s' merge --sample -o '%s' '%s'", tool, binary, ours));
    free(run("'%s' merge --sample --text -o '%s' '%s'", tool, theirs, binary));
    char *text = run("cat '%s'", theirs);
    expect_sample(text);
    free(text);
    char *shown = run("'%s' show --sample '%s'", tool, binary);
    assert_non_null(strstr(shown, "Function: " A "main:3 @ " A "helper_f1_vf3_:2 @ " A
                                  "leaf: CFG checksum 1152921504606846975\n30, 10, 3 sampled lines"));
    assert_non_null(strstr(shown, "Function: " A "main: CFG checksum 12345\n35, 5, 2 sampled lines"));
    assert_non_null(strstr(shown, "  3: 30, calls: " A "helper_f1_vf3_:30\n"));
    free(shown);
}

static void llvm_19(void **state)
{
    (void)state;
    round_trip(19);
}

static void llvm_22(void **state)
{
    (void)state;
    round_trip(22);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    static const wpg_cspgo_count backwards[] = {{2, 1, NULL, 0}, {1, 1, NULL, 0}}, zero[] = {{0, 1, NULL, 0}},
                                 large[] = {{65536, 1, NULL, 0}}, target[] = {{1, 1, "a b", 1}};
    static const wpg_cspgo_frame no_call[] = {{"a", 0}, {"b", 0}}, last_call[] = {{"a", 1}},
                                 empty[] = {{"", 0}}, odd[] = {{"a@b", 0}}, newline[] = {{"a\nb", 0}},
                                 far[] = {{"a", 65536}, {"b", 0}};
    const wpg_cspgo_record bad[] = {
        {alone, 1, 1, 1, backwards, 2}, {alone, 1, 1, 1, zero, 1}, {alone, 1, 1, 1, large, 1},
        {alone, 1, 1, 1, target, 1},    {alone, 0, 1, 1, NULL, 0}, {no_call, 2, 1, 1, NULL, 0},
        {last_call, 1, 1, 1, NULL, 0},  {empty, 1, 1, 1, NULL, 0}, {odd, 1, 1, 1, NULL, 0},
        {newline, 1, 1, 1, NULL, 0},    {far, 2, 1, 1, NULL, 0}};
    wpg_writer w = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        wpg_error error = {0};
        wpg_status status = wpg_cspgo_write(&w, &bad[i], &error);
        if (status != WPG_E_ARGUMENT && status != WPG_E_LIMIT)
            fail_msg("record %zu is written", i);
        assert_true(*error.message);
    }
    assert_int_equal(w.size, 0);
    wpg_writer_finish(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_is_fixed), cmocka_unit_test(llvm_19),
                                       cmocka_unit_test(llvm_22),
                                       cmocka_unit_test(what_does_not_fit_is_refused)};
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
