/* The window of counting: ranges of frames, the trigger file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "layer/base/window.h"
#include "runtime/config/values.h"

static void ranges(void **state)
{
    static const struct {
        const char *text;
        uint64_t first, last; /* first 0: no range */
    } cases[] = {{"10-20", 10, 20}, {"7", 7, 7},   {"5-", 5, UINT64_MAX}, {"-9", 1, 9},
                 {"3-3", 3, 3},     {"", 0, 0},    {"-", 0, 0},           {"0", 0, 0},
                 {"0-5", 0, 0},     {"9-3", 0, 0}, {"a-b", 0, 0},         {"1-b", 0, 0},
                 {"1-2x", 0, 0},    {"1,2", 0, 0}, {"--3", 0, 0},         {"1--3", 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t first, last;
        bool good = wpg_frames_parse(&first, &last, cases[i].text);
        assert_int_equal(good, cases[i].first != 0);
        if (good) {
            assert_int_equal(first, cases[i].first);
            assert_int_equal(last, cases[i].last);
        }
    }
}

static void frames(void **state)
{
    (void)state;
    wpg_window_set_up("3-4", "", "/");
    assert_true(wpg_window_exists());
    for (int frame = 1; frame <= 6; frame++) {
        assert_int_equal(wpg_window_open(), frame == 3 || frame == 4);
        wpg_window_frame();
    }
    wpg_window_set_up("x", "", "/");
    assert_false(wpg_window_exists());
    assert_true(wpg_window_open());
}

static void trigger(void **state)
{
    char folder[] = "/tmp/wavepgo-test-window-XXXXXX", path[128];
    const struct timespec pause = {.tv_nsec = 110 * 1000 * 1000};
    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/go", folder);
    wpg_window_set_up("", "go", folder);
    assert_true(wpg_window_exists());
    assert_false(wpg_window_open());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    (void)fclose(file);
    (void)nanosleep(&pause, NULL);
    assert_false(wpg_window_open()); /* looked for when something is submitted, not by itself */
    wpg_window_poll();
    assert_true(wpg_window_open());
    (void)unlink(path);
    (void)nanosleep(&pause, NULL);
    wpg_window_poll();
    assert_false(wpg_window_open());
    (void)rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges), cmocka_unit_test(frames),
                                       cmocka_unit_test(trigger)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
