/* Text is the same in every locale of the program; the program's locale stays what it was. */
#include "runtime/base/text.h"
#include "runtime/base/bytes.h"
#include "runtime/base/error.h"
#include "tests/support/locales.h"
#include "tests/unit/runtime/base/base_test.h"

static void texts(void)
{
    char text[32];
    double value;
    wpg_error err;
    wpg_writer w = {0};
    assert_int_equal(wpg_format(text, sizeof text, "%.3f %d", 0.125, 3), 7);
    assert_string_equal(text, "0.125 3");
    assert_int_equal(wpg_format(text, 3, "%.3f", 0.125), 5); /* cut, as snprintf does */
    assert_string_equal(text, "0.");
    assert_true(wpg_parse_real(&value, "0.9") && value == 0.9);
    assert_true(wpg_parse_real(&value, "-2.5e3") && value == -2500);
    static const char *const wrong[] = {"", "0,9", "0.9x", "nan", "1e999", "zero"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(wpg_parse_real(&value, wrong[i]));
    (void)wpg_fail(&err, WPG_E_LIMIT, "%.1f", 1.5);
    assert_string_equal(err.message, "1.5");
    wpg_write_text(&w, "%.1f", 2.5);
    assert_memory_equal(w.data, "2.5", 3);
    wpg_writer_finish(&w);
    assert_true(wpg_same_word("PIPELINES", "pipelines"));
    assert_false(wpg_same_word("pipeline", "pipelines"));
    assert_true(wpg_same_start("pipeline", "PIPELINES", 8));
    assert_false(wpg_same_start("pip", "PIPELINES", 8));
    assert_int_equal(wpg_upper('i'), 'I');
}

static void as_in_c(void **state)
{
    (void)state;
    texts();
}

static void as_in_c_under_a_comma(void **state)
{
    char text[16];
    (void)state;
    if (!wpg_enter_comma_locale())
        skip();
    texts();
    (void)snprintf(text, sizeof text, "%.1f", 0.5);
    wpg_leave_comma_locale();
    assert_string_equal(text, "0,5"); /* the program's own */
}

static void escapes(const char *text, const char *expected)
{
    char out[256];
    unsigned char before = 0;
    size_t length = wpg_escape_controls(out, text, strlen(text), &before);
    assert_string_equal(out, expected);
    assert_int_equal(length, strlen(expected));
}

static void controls_are_escaped(void **state)
{
    (void)state;
    escapes("plain\ttext\n", "plain\ttext\n");
    escapes("\x1b]0;title\x07 \x7f\r", "\\x1b]0;title\\x07 \\x7f\\x0d");
    escapes("caf\xc3\xa9 \xe2\x82\xac",
            "caf\xc3\xa9 \xe2\x82\xac"); /* letters whose bytes look like controls */
    escapes("\xc2\x9b"
            "2J \x9b"
            "2J",
            "\xc2\\x9b"
            "2J \\x9b"
            "2J");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_in_c), cmocka_unit_test(as_in_c_under_a_comma),
                                       cmocka_unit_test(controls_are_escaped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
