/* Flight records: what is read of one, and whose records are taken. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "runtime/base/file.h"
#include "runtime/bundle/flight.h"

static char folder[] = "/tmp/wavepgo-test-flight-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int drop_folder(void **state)
{
    char path[128];
    (void)state;
    (void)snprintf(path, sizeof path, "%s/flights", folder);
    return rmdir(path) || rmdir(folder);
}

static wpg_flight_page good(void)
{
    wpg_flight_page page = {
        .magic = WPG_FLIGHT_MAGIC, .order = WPG_FLIGHT_ORDER, .mode = "use", .program = "game"};
    page.slots[0] = page.slots[5] = (wpg_hash128){1, 2};
    page.slots[WPG_FLIGHT_SLOTS - 1] = (wpg_hash128){0, 3};
    return page;
}

static wpg_status read_page(wpg_flight *flight, const wpg_flight_page *page, size_t size)
{
    return wpg_flight_read(flight, (const uint8_t *)page, size, NULL);
}

static void reads_each_pipeline_once(void **state)
{
    const wpg_flight_page page = good();
    wpg_flight flight;
    (void)state;
    assert_int_equal(read_page(&flight, &page, sizeof page), WPG_OK);
    assert_int_equal(flight.count, 2);
    assert_true(wpg_hash_equal(flight.pipelines[0], (wpg_hash128){1, 2}));
    assert_true(wpg_hash_equal(flight.pipelines[1], (wpg_hash128){0, 3}));
    assert_string_equal(flight.mode, "use");
    assert_string_equal(flight.program, "game");
}

static void refuses_what_is_none(void **state)
{
    wpg_flight flight;
    wpg_flight_page page = good();
    (void)state;
    assert_int_equal(read_page(&flight, &page, sizeof page - 1), WPG_E_FORMAT);
    page.magic[0] = 'x';
    assert_int_equal(read_page(&flight, &page, sizeof page), WPG_E_FORMAT);
    page = good();
    page.order = 0x04030201;
    assert_int_equal(read_page(&flight, &page, sizeof page), WPG_E_FORMAT);
    page = good();
    memset(page.mode, 'u', sizeof page.mode);
    assert_int_equal(read_page(&flight, &page, sizeof page), WPG_E_FORMAT);
    page = good();
    memset(page.program, 'g', sizeof page.program);
    assert_int_equal(read_page(&flight, &page, sizeof page), WPG_E_FORMAT);
}

/* Another process: it has a pipeline in hand, says that it is ready, and waits to be killed. */
static pid_t fly(uint64_t low)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
        wpg_flight_record record;
        const bool made = wpg_flight_open(&record, folder, "generate", "a child", NULL) == WPG_OK;
        if (made)
            record.page->slots[3] = (wpg_hash128){low, 9};
        (void)!write(ready[1], made ? "y" : "n", 1);
        for (;;)
            (void)pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    (void)close(ready[0]);
    (void)close(ready[1]);
    return child;
}

static void end(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static size_t take(uint64_t *low)
{
    wpg_flights flights;
    assert_int_equal(wpg_flights_take(&flights, folder, NULL), WPG_OK);
    const size_t count = flights.count;
    *low = count ? flights.entries[0].pipelines[0].low : 0;
    if (count) {
        assert_int_equal(flights.entries[0].count, 1);
        assert_string_equal(flights.entries[0].program, "a child");
    }
    wpg_flights_finish(&flights);
    return count;
}

static void only_of_the_dead(void **state)
{
    wpg_flight_record mine, other_folder;
    uint64_t low;
    wpg_error err;
    wpg_flights none;
    (void)state;
    assert_int_equal(wpg_flights_take(&none, "", &err), WPG_OK);
    assert_int_equal(none.count, 0);
    assert_int_equal(take(&low), 0); /* no folder yet */
    const pid_t one = fly(11), other = fly(12);
    assert_int_equal(take(&low), 0);
    end(one);
    assert_int_equal(take(&low), 1);
    assert_int_equal(low, 11);
    assert_int_equal(take(&low), 0); /* once */
    end(other);
    assert_int_equal(take(&low), 1);
    assert_int_equal(low, 12);
    assert_int_equal(wpg_flight_open(&mine, folder, "use", "this", &err), WPG_OK);
    assert_int_equal(access(mine.path, F_OK), 0);
    wpg_flight_remove(&mine);
    assert_int_not_equal(access(mine.path, F_OK), 0);
    wpg_flight_close(&mine);
    assert_int_equal(wpg_flight_open(&other_folder, "", "use", "this", &err), WPG_E_NOT_FOUND);
}

/* What else lies there: a file that is none goes, a link is not followed. */
static void strangers(void **state)
{
    char path[256], target[256];
    uint64_t low;
    (void)state;
    (void)snprintf(target, sizeof target, "%s/target", folder);
    (void)snprintf(path, sizeof path, "%s/flights/1-link", folder);
    assert_int_equal(wpg_file_write_atomic(target, "kept", 4, NULL), WPG_OK);
    assert_int_equal(symlink(target, path), 0);
    assert_int_equal(take(&low), 0);
    assert_int_equal(access(target, F_OK), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(target), 0);
    (void)snprintf(path, sizeof path, "%s/flights/1-junk", folder);
    assert_int_equal(wpg_file_write_atomic(path, "junk", 4, NULL), WPG_OK);
    assert_int_equal(take(&low), 0);
    assert_int_not_equal(access(path, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_each_pipeline_once),
                                       cmocka_unit_test(refuses_what_is_none),
                                       cmocka_unit_test(only_of_the_dead), cmocka_unit_test(strangers)};
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
