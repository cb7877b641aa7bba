/* Answers: what was noted is found, in this process and by the next, and nothing else is. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "runtime/base/file.h"
#include "runtime/bundle/answers.h"

enum { RECORD = 40 };

static wpg_cache cache;
static char folder[] = "/tmp/wavepgo-test-answers-XXXXXX";
static const char program[] = "a program";
static char path[160], place[128]; /* of the file; of its folder */

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    wpg_cache_init(&cache, folder, "/");
    (void)snprintf(place, sizeof place, "%s/" WPG_ANSWERS_FOLDER, folder);
    (void)snprintf(path, sizeof path, "%s/%016" PRIx64, place, wpg_hash64_bytes(program, strlen(program)));
    return 0;
}

static int drop_file(void **state)
{
    (void)state;
    return unlink(path) == 0 && rmdir(place) == 0 ? 0 : -1;
}

static int drop_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static wpg_hash128 key_of(uint64_t number)
{
    return (wpg_hash128){number * UINT64_C(0x9e3779b97f4a7c15), ~number};
}

static wpg_hash128 answer_of(uint64_t number)
{
    return (wpg_hash128){number + 7, number << 32};
}

static wpg_answers *opened(void)
{
    wpg_answers *answers = wpg_answers_open(&cache, program);
    assert_non_null(answers);
    return answers;
}

/* The answers [first, end) are there, or none of them is. */
static void has(wpg_answers *answers, uint64_t first, uint64_t end, bool there)
{
    for (uint64_t i = first; i < end; i++) {
        wpg_hash128 answer = {1, 2}, expected = there ? answer_of(i) : answer;
        assert_int_equal(wpg_answers_find(&answer, answers, key_of(i)), there);
        assert_true(wpg_hash_equal(answer, expected));
    }
}

static void note(wpg_answers *answers, uint64_t first, uint64_t end)
{
    for (uint64_t i = first; i < end; i++)
        (void)wpg_answers_note(answers, key_of(i), answer_of(i));
}

static size_t size_of_file(void)
{
    struct stat info;
    return stat(path, &info) == 0 ? (size_t)info.st_size : 0;
}

static void kept(void **state)
{
    (void)state;
    wpg_answers *answers = opened();
    has(answers, 0, 3, false);
    assert_int_equal(wpg_answers_flush(answers, NULL), WPG_OK);
    assert_int_equal(access(path, F_OK), -1); /* nothing to write */
    assert_int_equal(wpg_answers_note(answers, key_of(0), answer_of(0)), 1);
    assert_int_equal(wpg_answers_note(answers, key_of(0), answer_of(0)), 1); /* known */
    assert_int_equal(wpg_answers_note(answers, key_of(1), answer_of(1)), 2);
    has(answers, 0, 2, true);
    assert_int_equal(wpg_answers_flush(answers, NULL), WPG_OK);
    assert_int_equal(size_of_file(), 2 * RECORD);
    assert_int_equal(wpg_answers_flush(answers, NULL), WPG_OK);
    assert_int_equal(size_of_file(), 2 * RECORD);
    /* The low half of a key is not the key. */
    wpg_hash128 answer, near = {key_of(1).low, key_of(1).high + 1};
    assert_false(wpg_answers_find(&answer, answers, near));
    wpg_answers_close(answers);

    answers = opened();
    has(answers, 0, 2, true);
    has(answers, 2, 9, false);
    assert_int_equal(wpg_answers_note(answers, key_of(1), answer_of(5)), 1); /* another answer */
    assert_int_equal(wpg_answers_flush(answers, NULL), WPG_OK);
    wpg_answers_close(answers);
    answers = opened();
    assert_true(wpg_answers_find(&answer, answers, key_of(1)));
    assert_true(wpg_hash_equal(answer, answer_of(5)));
    wpg_answers_close(answers);
    wpg_answers_close(NULL);
    answers = wpg_answers_open(&cache, "another program");
    assert_non_null(answers);
    has(answers, 0, 2, false);
    wpg_answers_close(answers);
}

/* Two processes at once: each finds at its start what either wrote. */
static void shared(void **state)
{
    (void)state;
    wpg_answers *one = opened(), *other = opened();
    note(one, 0, 50);
    note(other, 50, 100);
    assert_int_equal(wpg_answers_flush(one, NULL), WPG_OK);
    assert_int_equal(wpg_answers_flush(other, NULL), WPG_OK);
    has(one, 50, 100, false);
    wpg_answers_close(one);
    wpg_answers_close(other);
    one = opened();
    has(one, 0, 100, true);
    wpg_answers_close(one);
}

/* Every byte changed in turn costs its own answer alone; the next flush makes the file whole again. */
static void damaged(void **state)
{
    (void)state;
    uint8_t *bytes;
    size_t size;
    wpg_answers *answers = opened();
    note(answers, 0, 3);
    assert_int_equal(wpg_answers_flush(answers, NULL), WPG_OK);
    wpg_answers_close(answers);
    assert_int_equal(wpg_file_read(&bytes, &size, path, 4096, NULL), WPG_OK);
    assert_int_equal(size, 3 * RECORD);
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= 0x40;
        assert_int_equal(wpg_file_replace(path, bytes, size, NULL), WPG_OK);
        bytes[at] ^= 0x40;
        answers = opened();
        for (size_t i = 0; i < 3; i++)
            has(answers, i, i + 1, i != at / RECORD);
        note(answers, 9, 10);
        assert_int_equal(wpg_answers_flush(answers, NULL), WPG_OK);
        assert_int_equal(size_of_file(), 3 * RECORD);
        wpg_answers_close(answers);
    }
    /* Cut at every place: what is appended then would not be found. */
    for (size_t length = 0; length < size; length++) {
        assert_int_equal(wpg_file_replace(path, bytes, length, NULL), WPG_OK);
        answers = opened();
        has(answers, 0, length / RECORD, true);
        has(answers, length / RECORD, 3, false);
        note(answers, 9, 10);
        assert_int_equal(wpg_answers_flush(answers, NULL), WPG_OK);
        wpg_answers_close(answers);
        answers = opened();
        has(answers, 0, length / RECORD, true);
        has(answers, 9, 10, true);
        wpg_answers_close(answers);
    }
    free(bytes);
}

/* Memory and file have an end. The newest half stays. */
static void bounded(void **state)
{
    (void)state;
    wpg_answers *answers = opened();
    note(answers, 0, WPG_ANSWERS_MOST + 10);
    has(answers, WPG_ANSWERS_MOST - 5, WPG_ANSWERS_MOST, true);
    has(answers, WPG_ANSWERS_MOST, WPG_ANSWERS_MOST + 10, false);
    assert_int_equal(wpg_answers_flush(answers, NULL), WPG_OK);
    wpg_answers_close(answers);
    assert_int_equal(size_of_file(), (size_t)WPG_ANSWERS_MOST * RECORD);
    answers = opened();
    has(answers, 0, WPG_ANSWERS_MOST, true);
    wpg_answers_close(answers);
    /* One more, of a process that had read less. */
    uint8_t *bytes;
    size_t size;
    assert_int_equal(wpg_file_read(&bytes, &size, path, SIZE_MAX / 2, NULL), WPG_OK);
    uint8_t *more = malloc(size + RECORD);
    assert_non_null(more);
    memcpy(more, bytes, size);
    memcpy(more + size, bytes, RECORD); /* the first again: it is the newest now */
    assert_int_equal(wpg_file_replace(path, more, size + RECORD, NULL), WPG_OK);
    free(bytes);
    free(more);
    answers = opened();
    has(answers, 0, 1, true);
    has(answers, 1, WPG_ANSWERS_MOST / 2, false);
    has(answers, WPG_ANSWERS_MOST - 100, WPG_ANSWERS_MOST, true);
    note(answers, WPG_ANSWERS_MOST, WPG_ANSWERS_MOST + 1);
    assert_int_equal(wpg_answers_flush(answers, NULL), WPG_OK);
    wpg_answers_close(answers);
    assert_int_equal(size_of_file(), ((size_t)WPG_ANSWERS_MOST / 2 + 1) * RECORD);
}

/* Without a cache they last as long as the process; where the file cannot be, that is said once asked. */
static void nowhere(void **state)
{
    (void)state;
    wpg_error err;
    wpg_answers *answers = wpg_answers_open(&(wpg_cache){0}, program);
    assert_non_null(answers);
    note(answers, 0, 3);
    assert_int_equal(wpg_answers_flush(answers, &err), WPG_OK);
    has(answers, 0, 3, true);
    wpg_answers_close(answers);
    /* A folder stands where the file should be. */
    assert_int_equal(mkdir(place, 0700), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    answers = opened();
    note(answers, 0, 3);
    assert_int_equal(wpg_answers_flush(answers, &err), WPG_E_IO);
    assert_non_null(strstr(err.message, path));
    has(answers, 0, 3, true);
    wpg_answers_close(answers);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(place), 0);
    /* The folder is made by the first flush. */
    wpg_cache deep = {0};
    (void)snprintf(deep.folder, sizeof deep.folder, "%s/deep/er", folder);
    answers = wpg_answers_open(&deep, program);
    assert_non_null(answers);
    note(answers, 0, 3);
    assert_int_equal(wpg_answers_flush(answers, &err), WPG_OK);
    wpg_answers_close(answers);
    /* Clearing takes the file. */
    size_t files;
    uint64_t bytes;
    for (int dry_run = 1; dry_run >= 0; dry_run--) {
        assert_int_equal(wpg_cache_clear(&files, &bytes, &deep, dry_run, &err), WPG_OK);
        assert_int_equal(files, 1);
        assert_int_equal(bytes, 3 * RECORD);
    }
    assert_int_equal(wpg_cache_clear(&files, &bytes, &deep, false, &err), WPG_OK);
    assert_int_equal(files, 0);
    assert_int_equal(rmdir(deep.folder), 0);
    *strrchr(deep.folder, '/') = '\0';
    assert_int_equal(rmdir(deep.folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(kept, drop_file), cmocka_unit_test_teardown(shared, drop_file),
        cmocka_unit_test_teardown(damaged, drop_file), cmocka_unit_test_teardown(bounded, drop_file),
        cmocka_unit_test(nowhere)};
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
