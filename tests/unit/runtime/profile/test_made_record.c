/* Records of who made a profile: composing and parsing are exact inverses, odd texts included; other names
 * are refused; every name is a valid record's, and stock llvm-profdata adds the records up. */
#include "runtime/profile/made_record.h"
#include "tests/unit/runtime/profile/profile_test.h"

static const wpg_made samples[] = {
    {{"game.exe", "Game 3.1", "AMD Radeon RX 7900 XTX (RADV NAVI31)", "radv Mesa 25.0.7-2", "0.1.0"}},
    {{"", "", "", "", ""}},
    {{"100%", "a#b:c\x01\xff\n", ".", "-_%2E", "\xe6\x97\xa5"}},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static void round_trip(void **state)
{
    (void)state;
    for (size_t i = 0; i <= SAMPLES; i++) {
        char name[WPG_MADE_NAME];
        wpg_made made, back;
        if (i < SAMPLES)
            made = samples[i];
        else /* the longest there can be */
            for (size_t part = 0; part < WPG_MADE_PARTS; part++) {
                memset(made.parts[part], '\x7f', WPG_MADE_TEXT - 1);
                made.parts[part][WPG_MADE_TEXT - 1] = '\0';
            }
        wpg_made_record_compose(name, &made);
        assert_true(strlen(name) < WPG_MADE_NAME);
        assert_true(wpg_profile_name_is_valid(name));
        assert_true(wpg_made_record_parse(&back, name));
        for (size_t part = 0; part < WPG_MADE_PARTS; part++)
            assert_string_equal(back.parts[part], made.parts[part]);
    }
}

static void others_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {
        "made.a.b.c.d.e",
        "made.a.b.c.d#pipelines",
        "made.a.b.c.d.e.f#pipelines",
        "made.#pipelines",
        "made#pipelines",
        "mode.a.b.c.d.e#pipelines",
        "made.a b.b.c.d.e#pipelines", /* not escaped */
        "made.%61.b.c.d.e#pipelines", /* escaped for nothing */
        "made.%2e.b.c.d.e#pipelines", /* not as compose writes */
        "made.%00.b.c.d.e#pipelines",
        "made.a.b.c.d.%2#pipelines",
        "made.a.b.c.d.%#pipelines",
        "made.a.b.c.d.e#pipelines#pipelines",
    };
    wpg_made made;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (wpg_made_record_parse(&made, names[i]))
            fail_msg("%s is taken", names[i]);
    char longer[WPG_MADE_TEXT + 32] = "made.";
    memset(longer + 5, 'a', WPG_MADE_TEXT);
    strcpy(longer + 5 + WPG_MADE_TEXT, "....#pipelines");
    assert_false(wpg_made_record_parse(&made, longer));
}

static void stock_adds_them_up(void **state)
{
    (void)state;
    const char *tool = need_profdata(19);
    const char *raw = scratch_file("made.profraw"), *merged = scratch_file("made.profdata");
    wpg_profile *p = sample_profile(), *twice = wpg_profile_create();
    for (size_t i = 0; i < SAMPLES; i++) {
        char name[WPG_MADE_NAME];
        const uint64_t pipelines = i + 1;
        wpg_made_record_compose(name, &samples[i]);
        must(wpg_profile_add(p, name, WPG_MADE_RECORD_HASH, &pipelines, 1, 1, &err));
    }
    save(raw, p, WPG_PROFILE_RAW_10);
    must(wpg_profile_merge(twice, p, 2, NULL, &err));
    free(run("'%s' merge -o '%s' '%s' '%s'", tool, merged, raw, raw));
    wpg_profile *back = load(merged);
    expect_equal(twice, back);
    wpg_profile_destroy(back);
    wpg_profile_destroy(twice);
    wpg_profile_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip), cmocka_unit_test(others_are_refused),
                                       cmocka_unit_test(stock_adds_them_up)};
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
