/* The deny list: what was appended is read, each pipeline once, and lines that are none are skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "runtime/base/file.h"
#include "runtime/bundle/denied.h"

static char folder[] = "/tmp/wavepgo-test-denied-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
    char path[128];
    (void)state;
    (void)snprintf(path, sizeof path, "%s/denied", folder);
    (void)unlink(path);
    return rmdir(folder);
}

static void put_and_read(void **state)
{
    const wpg_denied_entry entries[] = {
        {.pipeline = {1, 2}, .mode = "generate", .when = 1000, .program = "a game"},
        {.pipeline = {1, 2}, .mode = "use", .when = 2000, .program = "line\nend"},
        {.pipeline = {3, 4}, .mode = "generate", .when = 3000, .program = ""},
        {.pipeline = {1, 2}, .mode = "generate", .when = 4000, .program = "later"},
    };
    wpg_denied list;
    wpg_error err;
    (void)state;
    assert_int_equal(wpg_denied_read(&list, folder, &err), WPG_OK);
    assert_int_equal(list.count, 0);
    assert_int_equal(wpg_denied_append(folder, entries, 2, &err), WPG_OK);
    assert_int_equal(wpg_denied_append(folder, entries + 2, 2, &err), WPG_OK);
    assert_int_equal(wpg_denied_read(&list, folder, &err), WPG_OK);
    assert_int_equal(list.count, 3);
    assert_true(wpg_denied_has(&list, (wpg_hash128){1, 2}, "generate"));
    assert_true(wpg_denied_has(&list, (wpg_hash128){1, 2}, "use"));
    assert_true(wpg_denied_has(&list, (wpg_hash128){3, 4}, "generate"));
    assert_false(wpg_denied_has(&list, (wpg_hash128){3, 4}, "use"));
    assert_false(wpg_denied_has(&list, (wpg_hash128){2, 1}, "use"));
    assert_string_equal(list.entries[0].program, "later");
    assert_int_equal(list.entries[0].when, 4000);
    assert_string_equal(list.entries[1].program, "line?end");
    wpg_denied_finish(&list);
    assert_int_equal(wpg_denied_read(&list, "", &err), WPG_OK); /* no folder: an empty list */
    assert_int_equal(wpg_denied_append("", entries, 1, &err), WPG_E_NOT_FOUND);
}

/* What one run after the other appended: how it counts. */
static void ended_in_a_row(void **state)
{
    static const struct {
        const char *mode;
        int64_t when;
        int counts; /* after that entry */
    } entries[] = {{"generate-ended", 100, 1}, {"generate-fine", 100, 0},   {"generate-ended", 100, 1},
                   {"use-ended", 102, 1},      {"generate-ended2", 103, 2}, {"generate-fine", 103, 0},
                   {"generate-ended", 103, 1}, {"generate-ended2", 103, 2}, {"generate-ended3", 107, 3},
                   {"generate-fine", 108, 3}};
    const wpg_hash128 hash = {7, 8};
    wpg_denied list;
    wpg_error err;
    (void)state;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        wpg_denied_entry entry = {.pipeline = hash, .when = entries[i].when, .program = "game"};
        (void)snprintf(entry.mode, sizeof entry.mode, "%s", entries[i].mode);
        assert_int_equal(wpg_denied_append(folder, &entry, 1, &err), WPG_OK);
        assert_int_equal(wpg_denied_read(&list, folder, &err), WPG_OK);
        assert_int_equal(wpg_denied_ended(&list, hash, "generate"), entries[i].counts);
        assert_int_equal(wpg_denied_ended(&list, hash, "use"), i >= 3);
        assert_int_equal(wpg_denied_ended(&list, (wpg_hash128){8, 7}, "generate"), 0);
        assert_false(wpg_denied_has(&list, hash, "generate"));
        wpg_denied_finish(&list);
    }
}

static void garbage(void **state)
{
    static const char *const lines[] = {
        "",
        "\n\n",
        "0123",
        "00000000000000010000000000000002",
        "00000000000000010000000000000002\tgenerate",
        "00000000000000010000000000000002\tgenerate\t",
        "00000000000000010000000000000002\tgenerate\tsoon\tgame",
        "00000000000000010000000000000002\tgenerate\t12",
        "00000000000000010000000000000002\ta mode that is far too long\t12\tgame",
        "00000000000000010000000000000002\t\t12\tgame",
        "0000000000000001000000000000000g\tuse\t12\tgame",
    };
    char path[128];
    wpg_denied list;
    wpg_error err;
    (void)state;
    (void)snprintf(path, sizeof path, "%s/denied", folder);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_int_equal(wpg_file_write_atomic(path, lines[i], strlen(lines[i]), &err), WPG_OK);
        assert_int_equal(wpg_denied_read(&list, folder, &err), WPG_OK);
        assert_int_equal(list.count, 0);
        wpg_denied_finish(&list);
    }
    /* A good line among them counts. */
    const char text[] = "junk\n00000000000000010000000000000002\tuse\t7\tx\n0000";
    assert_int_equal(wpg_file_write_atomic(path, text, sizeof text - 1, &err), WPG_OK);
    assert_int_equal(wpg_denied_read(&list, folder, &err), WPG_OK);
    assert_int_equal(list.count, 1);
    wpg_denied_finish(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(put_and_read), cmocka_unit_test(ended_in_a_row),
                                       cmocka_unit_test(garbage)};
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
