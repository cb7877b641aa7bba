/* Tables: widths, names that are cut, columns that are left out, numbers that never are; CSV. And the
 * terminal: colours where they are asked for, none in pipes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/report/text/table.h"

static const wpg_column columns[] = {{.title = "COST", .drop = 1},
                                     {.title = "KEY", .left = true},
                                     {.title = "LANES"},
                                     {.title = "RATIO", .drop = 2},
                                     {.title = "NAME", .left = true, .is_name = true}};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void fill(wpg_table *table, bool raw)
{
    wpg_table_init(table, columns, COLUMNS, raw);
    wpg_table_share(table, true, 3, 4);
    wpg_table_copy(table, "ab");
    wpg_table_number(table, true, 1234567);
    wpg_table_ratio(table, true, 5, 2);
    wpg_table_copy(table, "a name, of \"many\" letters");
    wpg_table_share(table, true, 1, 0); /* nothing ran */
    wpg_table_empty(table);
    wpg_table_number(table, false, 7);
    wpg_table_ratio(table, false, 1, 1);
    wpg_table_text(table, "%s%d", "b", 2);
}

/* What a table of that width prints. */
static void check(int width, const char *expected)
{
    char *text = NULL;
    size_t size;
    wpg_table table;
    wpg_terminal terminal = {.out = open_memstream(&text, &size), .width = width};
    fill(&table, false);
    wpg_table_print(&table, &terminal, 0);
    wpg_table_finish(&table);
    assert_int_equal(fclose(terminal.out), 0);
    assert_string_equal(text, expected);
    free(text);
}

static void test_piped(void **state)
{
    (void)state;
    check(0, " COST  KEY      LANES  RATIO  NAME\n"
             "75.0%  ab   1,234,567    2.5  a name, of \"many\" letters\n"
             "    -               -      -  b2\n");
}

static void test_cut(void **state)
{
    (void)state;
    check(48, " COST  KEY      LANES  RATIO  NAME\n"
              "75.0%  ab   1,234,567    2.5  a name, of \"man...\n"
              "    -               -      -  b2\n");
}

static void test_left_out(void **state)
{
    (void)state;
    check(44, " COST  KEY      LANES  NAME\n"
              "75.0%  ab   1,234,567  a name, of \"m...\n"
              "    -               -  b2\n");
    check(20, "KEY      LANES  NAME\n"
              "ab   1,234,567  a name, of \"m...\n"
              "             -  b2\n");
}

/* Characters, not bytes: no character is cut in two. */
static void test_utf8(void **state)
{
    static const wpg_column one[] = {{.title = "N", .left = true, .is_name = true}, {.title = "X"}};
    char *text = NULL;
    size_t size;
    wpg_table table;
    wpg_terminal terminal = {.out = open_memstream(&text, &size), .width = 19};
    (void)state;
    wpg_table_init(&table, one, 2, false);
    wpg_table_copy(&table, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4"
                           "\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6");
    wpg_table_number(&table, true, 1);
    wpg_table_print(&table, &terminal, 0);
    wpg_table_finish(&table);
    (void)fclose(terminal.out);
    assert_string_equal(text, "N                 X\n"
                              "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3"
                              "\xa4\xc3\xb6\xc3\xbc\xc3\xa4...  1\n");
    free(text);
}

static void test_csv(void **state)
{
    char *text = NULL;
    size_t size;
    wpg_table table;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    fill(&table, true);
    wpg_table_csv(&table, out);
    wpg_table_finish(&table);
    (void)fclose(out);
    assert_string_equal(text, "cost,key,lanes,ratio,name\n"
                              "0.75,ab,1234567,2.5,\"a name, of \"\"many\"\" letters\"\n"
                              ",,,,b2\n");
    free(text);
}

/* -- The terminal */

static void test_heat(void **state)
{
    (void)state;
    assert_int_equal(wpg_heat_color(0, 100), WPG_COLOR_DIM);
    assert_int_equal(wpg_heat_color(1, 100), WPG_COLOR_PLAIN);
    assert_int_equal(wpg_heat_color(10, 100), WPG_COLOR_WARM);
    assert_int_equal(wpg_heat_color(50, 100), WPG_COLOR_HOT);
    assert_int_equal(wpg_heat_color(100, 100), WPG_COLOR_HOTTEST);
    assert_int_equal(wpg_heat_color(0, 0), WPG_COLOR_DIM);
}

/* Standard output goes to a file while `options` print a coloured line; returns what the file got. */
static const char *printed(char *got, size_t size, wpg_color_choice color, bool *pager)
{
    const wpg_terminal_options options = {.color = color};
    wpg_terminal terminal;
    FILE *file = tmpfile();
    assert_non_null(file);
    (void)fflush(stdout);
    const int before = dup(STDOUT_FILENO);
    assert_true(before >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0);
    wpg_terminal_open(&terminal, &options);
    *pager = terminal.pager != 0;
    wpg_terminal_color(&terminal, WPG_COLOR_HOT);
    (void)fputs("hot\033[2J", terminal.out);
    wpg_terminal_color(&terminal, WPG_COLOR_PLAIN);
    const bool written = wpg_terminal_close(&terminal);
    (void)dup2(before, STDOUT_FILENO);
    (void)close(before);
    rewind(file);
    got[fread(got, 1, size - 1, file)] = '\0';
    (void)fclose(file);
    assert_true(written);
    assert_int_equal(terminal.width, 0);
    return got;
}

/* Without colours a file gets the text as it is. With them what came from a name is escaped. */
static void test_colors(void **state)
{
    char got[64];
    bool pager;
    (void)state;
    assert_string_equal(printed(got, sizeof got, WPG_COLOR_AUTO, &pager), "hot\033[2J");
    assert_false(pager);
    assert_string_equal(printed(got, sizeof got, WPG_COLOR_NEVER, &pager), "hot\033[2J");
    assert_string_equal(printed(got, sizeof got, WPG_COLOR_ALWAYS, &pager), "\033[31mhot\\x1b[2J\033[0m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_piped),  cmocka_unit_test(test_cut), cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_utf8),   cmocka_unit_test(test_csv), cmocka_unit_test(test_heat),
        cmocka_unit_test(test_colors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
