/* Names of records: composing and parsing are inverses, whatever an entry point is called. */
#include "runtime/profile/record_name.h"
#include "tests/unit/runtime/profile/profile_test.h"

#define HEX "00112233445566778899aabbccddeeff"

static wpg_record_name parts_of(const char *stage, const char *entry, uint32_t function, wpg_record_kind kind)
{
    wpg_record_name parts = {
        .shader = {.high = UINT64_C(0x0011223344556677), .low = UINT64_C(0x8899aabbccddeeff)},
        .entry = (char *)(uintptr_t)entry,
        .function = function,
        .kind = kind};
    (void)snprintf(parts.stage, sizeof parts.stage, "%s", stage);
    return parts;
}

static void names_are_spelled_so(void **state)
{
    (void)state;
    const struct {
        const char *stage, *entry;
        uint32_t function;
        wpg_record_kind kind;
        const char *name;
    } cases[] = {
        {"comp", "main", 0, WPG_RECORD_LANES, HEX ".comp.main#lanes"},
        {"frag", "main", 1, WPG_RECORD_WAVES, HEX ".frag.main.fn1#waves"},
        {"vert", "PS_Main-2", 0, WPG_RECORD_UNIFORM, HEX ".vert.PS_Main-2#uniform"},
        {"rahit", "a b#c", 0, WPG_RECORD_SELECTS, HEX ".rahit.a%20b%23c#selects"},
        {"tesc", "", 0, WPG_RECORD_VALUES, HEX ".tesc.#values"},
        {"tese", "", 4294967295u, WPG_RECORD_TRIPS, HEX ".tese..fn4294967295#trips"},
        {"geom", "main.fn1", 0, WPG_RECORD_SAMPLES, HEX ".geom.main%2Efn1#samples"},
        {"geom", "main.fn1", 2, WPG_RECORD_LANES, HEX ".geom.main%2Efn1.fn2#lanes"},
        {"geom", "main.fn1.fn2", 0, WPG_RECORD_LANES, HEX ".geom.main.fn1%2Efn2#lanes"},
        {"geom", "main.fn01", 0, WPG_RECORD_LANES, HEX ".geom.main.fn01#lanes"},
        {"geom", "main.fn4294967296", 0, WPG_RECORD_LANES, HEX ".geom.main.fn4294967296#lanes"},
        {"geom", "m\xc3\xa4in%\n\1", 0, WPG_RECORD_LANES, HEX ".geom.m%C3%A4in%25%0A%01#lanes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        wpg_record_name parts = parts_of(cases[i].stage, cases[i].entry, cases[i].function, cases[i].kind),
                        back;
        char *name;
        must(wpg_record_name_compose(&name, &parts, &err));
        assert_string_equal(name, cases[i].name);
        assert_true(wpg_profile_name_is_valid(name));
        must(wpg_record_name_parse(&back, name, &err));
        assert_true(wpg_hash_equal(back.shader, parts.shader));
        assert_string_equal(back.stage, parts.stage);
        assert_string_equal(back.entry, parts.entry);
        assert_int_equal(back.function, parts.function);
        assert_int_equal(back.kind, parts.kind);
        wpg_record_name_finish(&back);
        free(name);
    }
}

/* Every one-byte and many random entry names go there and back, to names that differ. */
static void any_entry_name_survives(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (unsigned i = 0; i < 20000; i++) {
        static const char alphabet[] = ".fn0129#%:a\x01\xff \n";
        char entry[16] = "";
        if (i < 255) {
            entry[0] = (char)(i + 1);
        } else {
            size_t length = (random >> 33) % sizeof entry;
            for (size_t c = 0; c < length; c++) {
                random = random * 6364136223846793005u + 1442695040888963407u;
                entry[c] = alphabet[(random >> 33) % (sizeof alphabet - 1)];
            }
        }
        random = random * 6364136223846793005u + 1442695040888963407u;
        wpg_record_name parts = parts_of("comp", entry, (uint32_t)(random >> 40) % 3, WPG_RECORD_LANES), back;
        char *name;
        must(wpg_record_name_compose(&name, &parts, &err));
        assert_true(wpg_profile_name_is_valid(name));
        must(wpg_record_name_parse(&back, name, &err));
        assert_string_equal(back.entry, entry);
        assert_int_equal(back.function, parts.function);
        wpg_record_name_finish(&back);
        free(name);
    }
}

static void other_names_are_refused(void **state)
{
    (void)state;
    const char *names[] = {
        "",
        "main",
        HEX,
        HEX ".",
        HEX ".comp",
        HEX ".comp.main",
        HEX ".comp.main#",
        HEX ".comp.main#lanesx",
        HEX ".comp.main#lanes#lanes",
        HEX ".pixel.main#lanes",
        HEX ".COMP.main#lanes",
        "00112233445566778899AABBCCDDEEFF.comp.main#lanes",
        "00112233445566778899aabbccddeef.comp.main#lanes",
        HEX "0.comp.main#lanes",
        HEX ".comp.ma%2#lanes",
        HEX ".comp.ma%#lanes",
        HEX ".comp.ma%zz#lanes",
        HEX ".comp.ma%2f#lanes",      /* lower-case escape */
        HEX ".comp.ma%41#lanes",      /* an escape that is not needed */
        HEX ".comp.ma%00#lanes",      /* no string has it */
        HEX ".comp.main%2Efn0#lanes", /* would not need it */
        HEX ".comp.m in#lanes",
        "pipeline." HEX "." HEX ".comp.main#entry",
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        wpg_record_name parts;
        wpg_error err = {0};
        if (wpg_record_name_parse(&parts, names[i], &err) != WPG_E_FORMAT)
            fail_msg("'%s' was taken", names[i]);
        assert_true(err.message[0] != '\0');
    }
    /* .fn0 reads as part of the entry's name */
    wpg_record_name parts;
    must(wpg_record_name_parse(&parts, HEX ".comp.main.fn0#lanes", &err));
    assert_string_equal(parts.entry, "main.fn0");
    assert_int_equal(parts.function, 0);
    wpg_record_name_finish(&parts);
}

static void bad_parts_are_refused(void **state)
{
    (void)state;
    char *name;
    wpg_record_name parts = parts_of("pixel", "main", 0, WPG_RECORD_LANES);
    assert_int_equal(wpg_record_name_compose(&name, &parts, NULL), WPG_E_ARGUMENT);
    parts = parts_of("comp", "main", 0, WPG_RECORD_KINDS);
    assert_int_equal(wpg_record_name_compose(&name, &parts, NULL), WPG_E_ARGUMENT);
    memset(parts.stage, 'x', sizeof parts.stage); /* not terminated */
    assert_int_equal(wpg_record_name_compose(&name, &parts, NULL), WPG_E_ARGUMENT);
    char *huge = malloc(70000);
    memset(huge, 'e', 69999);
    huge[69999] = '\0';
    parts = parts_of("comp", huge, 0, WPG_RECORD_LANES);
    assert_int_equal(wpg_record_name_compose(&name, &parts, NULL), WPG_E_LIMIT);
    huge[60000] = '\0';
    must(wpg_record_name_compose(&name, &parts, &err));
    free(name);
    free(huge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_spelled_so),
        cmocka_unit_test(any_entry_name_survives),
        cmocka_unit_test(other_names_are_refused),
        cmocka_unit_test(bad_parts_are_refused),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
