/* What destroyed pipelines counted, on the disk: everything spilled is there again, in any order of spilling,
 * and a failure leaves what was there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <cmocka.h>

#include "layer/files/spill.h"
#include "runtime/base/file_batch.h"

static char folder[64], path[128];

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/wavepgo-test-spill-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof path, "%s/below/all.profraw", folder);
    return 0;
}

static int remove_folder(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* Records [from, to), each with its number and a value of it. */
static wpg_profile *profile_of(unsigned from, unsigned to)
{
    wpg_profile *profile = wpg_profile_create();
    assert_non_null(profile);
    for (unsigned i = from; i < to; i++) {
        char name[32];
        const uint64_t counters[] = {i, 1, UINT64_C(1) << 40};
        (void)snprintf(name, sizeof name, "record %u", i);
        assert_int_equal(wpg_profile_add(profile, name, i, counters, 3, 1, NULL), WPG_OK);
        assert_int_equal(wpg_profile_add_value(profile, name, i, 1, i, 5, NULL), WPG_OK);
    }
    return profile;
}

static void add(wpg_spill *spill, unsigned from, unsigned to)
{
    wpg_error err = {.message = ""};
    wpg_profile *profile = profile_of(from, to);
    if (wpg_spill_add(spill, path, profile, WPG_PROFILE_RAW_10, &err) != WPG_OK)
        fail_msg("%s", err.message);
    wpg_profile_destroy(profile);
}

static void expect_equal(const wpg_profile *left, const wpg_profile *right)
{
    uint8_t *one, *other;
    size_t size, other_size;
    assert_int_equal(wpg_profile_encode(&one, &size, left, WPG_PROFILE_TEXT, NULL), WPG_OK);
    assert_int_equal(wpg_profile_encode(&other, &other_size, right, WPG_PROFILE_TEXT, NULL), WPG_OK);
    assert_int_equal(size, other_size);
    assert_memory_equal(one, other, size);
    free(one);
    free(other);
}

/* Some twice: a pipeline that was made again. */
static wpg_profile *all_parts(void)
{
    wpg_profile *all = profile_of(0, 100), *again = profile_of(50, 120);
    assert_int_equal(wpg_profile_merge(all, again, 1, NULL, NULL), WPG_OK);
    wpg_profile_destroy(again);
    return all;
}

static void nothing_is_lost(void **state)
{
    (void)state;
    const unsigned orders[2][3][2] = {{{0, 30}, {30, 100}, {50, 120}}, {{50, 120}, {0, 30}, {30, 100}}};
    wpg_profile *all = all_parts();
    for (int order = 0; order < 2; order++) {
        wpg_spill spill = {.file = -1};
        for (int part = 0; part < 3; part++)
            add(&spill, orders[order][part][0], orders[order][part][1]);
        wpg_profile *read = wpg_profile_create();
        assert_int_equal(wpg_spill_read(read, &spill, NULL), WPG_OK);
        expect_equal(read, all);
        wpg_profile_destroy(read);
        wpg_spill_clear(&spill);
        assert_int_equal(spill.size, 0);
        wpg_spill_clear(&spill);
    }
    wpg_profile_destroy(all);
}

/* The file of a flush: what was spilled, and the rest behind it, as one profile. */
static void a_file_of_it(void **state)
{
    (void)state;
    wpg_spill spill = {.file = -1};
    wpg_file_batch batch;
    uint8_t *data;
    size_t size;
    wpg_profile *all = all_parts(), *rest = profile_of(50, 120), *read = wpg_profile_create();
    add(&spill, 30, 100);
    add(&spill, 0, 30);
    assert_int_equal(wpg_profile_encode(&data, &size, rest, WPG_PROFILE_RAW_10, NULL), WPG_OK);
    for (int round = 0; round < 2; round++) { /* each flush writes it whole */
        wpg_file_batch_init(&batch, NULL);
        assert_int_equal(
            wpg_file_batch_put_behind(&batch, path, spill.file, spill.size, data, size, NULL, NULL), WPG_OK);
        wpg_file_batch_commit(&batch);
    }
    assert_int_equal(wpg_profile_read_file(read, NULL, path, NULL), WPG_OK);
    expect_equal(read, all);
    free(data);
    wpg_profile_destroy(read);
    wpg_profile_destroy(rest);
    wpg_profile_destroy(all);
    wpg_spill_clear(&spill);
}

/* No room: an error, and what was spilled before is there as it was; with room again it goes on. */
static void full_disk(void **state)
{
    (void)state;
    wpg_spill spill = {.file = -1};
    wpg_error err = {.message = ""};
    struct rlimit limit, less;
    wpg_profile *all = profile_of(0, 2000), *large = profile_of(10, 2000), *read = wpg_profile_create();
    add(&spill, 0, 10);
    const uint64_t before = spill.size;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    less = limit;
    less.rlim_cur = (rlim_t)before + 1000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
    wpg_status status = wpg_spill_add(&spill, path, large, WPG_PROFILE_RAW_10, &err);
    wpg_spill none = {.file = -1};
    wpg_status first = wpg_spill_add(&none, path, large, WPG_PROFILE_RAW_10, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(status, WPG_E_IO);
    assert_true(err.message[0]);
    assert_int_equal(first, WPG_E_IO);
    assert_int_equal(none.size, 0);
    assert_int_equal(spill.size, before);
    assert_int_equal(lseek(spill.file, 0, SEEK_END), before);
    assert_int_equal(wpg_spill_add(&spill, path, large, WPG_PROFILE_RAW_10, NULL), WPG_OK);
    assert_int_equal(wpg_spill_read(read, &spill, NULL), WPG_OK);
    expect_equal(read, all);
    wpg_profile_destroy(read);
    wpg_profile_destroy(large);
    wpg_profile_destroy(all);
    wpg_spill_clear(&spill);
}

static void no_folder(void **state)
{
    (void)state;
    wpg_spill spill = {.file = -1};
    wpg_error err = {.message = ""};
    wpg_profile *profile = profile_of(0, 1);
    assert_int_not_equal(
        wpg_spill_add(&spill, "/proc/self/status/all.profraw", profile, WPG_PROFILE_RAW_10, &err), WPG_OK);
    assert_true(err.message[0]);
    assert_int_equal(spill.size, 0);
    wpg_profile_destroy(profile);
}

/* Somebody cut the file: an error, no crash, and no profile. */
static void cut_file(void **state)
{
    (void)state;
    wpg_spill spill = {.file = -1};
    wpg_file_batch batch;
    wpg_error err = {.message = ""};
    add(&spill, 0, 100);
    assert_int_equal(ftruncate(spill.file, 100), 0);
    wpg_file_batch_init(&batch, NULL);
    assert_int_equal(wpg_file_batch_put_behind(&batch, path, spill.file, spill.size, "", 0, NULL, &err),
                     WPG_E_IO);
    assert_true(err.message[0]);
    wpg_file_batch_commit(&batch);
    wpg_profile *read = wpg_profile_create();
    assert_int_equal(wpg_spill_read(read, &spill, &err), WPG_E_IO);
    assert_int_equal(wpg_profile_count(read), 0);
    wpg_profile_destroy(read);
    wpg_spill_clear(&spill);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_lost, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_file_of_it, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(full_disk, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(no_folder, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(cut_file, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
