/* The directory: each pipeline's literals lead to its own counters, whatever joins, in any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/counters/directory.h"

enum { SCRATCH = 8 };

typedef struct fixture {
    wpg_directory directory;
    void *words;
} fixture;

static fixture make(size_t count)
{
    fixture f = {.words = malloc(wpg_directory_bytes(count))};
    assert_non_null(f.words);
    assert_int_equal(wpg_directory_init(&f.directory, count, f.words, SCRATCH, NULL), WPG_OK);
    return f;
}

static void finish(fixture *f)
{
    wpg_directory_finish(&f->directory);
    free(f->words);
}

/* What the shader does with a seed. */
static uint64_t by_seed(const fixture *f, wpg_hash128 hash, uint32_t seed)
{
    wpg_directory_key key = wpg_directory_key_of(hash, f->directory.count);
    return f->directory.cells[(uint32_t)(key.tag * seed) >> key.shift];
}

static uint32_t seed_of(const fixture *f, wpg_hash128 hash)
{
    return f->directory.seeds[wpg_directory_key_of(hash, f->directory.count).seed];
}

static uint64_t shader_goes(const fixture *f, wpg_hash128 hash)
{
    return by_seed(f, hash, seed_of(f, hash));
}

/* splitmix64's step: a bijection of 64 bits. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static wpg_hash128 hash_of(uint64_t i)
{
    return (wpg_hash128){mix(i + 1), mix(~i)};
}

static void empty_leads_to_scratch(void **state)
{
    (void)state;
    fixture f = make(256);
    for (uint64_t i = 0; i < 1000; i++)
        assert_int_equal(shader_goes(&f, hash_of(i)), SCRATCH);
    finish(&f);
}

/* As many as a large test suite makes, in the layer's default size. */
static void none_is_refused(void **state)
{
    (void)state;
    enum { PIPELINES = 100000 };
    fixture f = make(1 << 18);
    for (uint64_t i = 0; i < PIPELINES; i++)
        assert_int_equal(wpg_directory_add(&f.directory, hash_of(i), 1000 + i, NULL), WPG_OK);
    for (uint64_t i = 0; i < PIPELINES; i++)
        assert_int_equal(shader_goes(&f, hash_of(i)), 1000 + i);
    assert_int_equal(f.directory.cells[0], SCRATCH);
    finish(&f);
}

/* Many of one seed: a shader that read the seed before another pipeline joined still goes to its own. */
static void old_seeds_stay_right(void **state)
{
    (void)state;
    enum { PIPELINES = 30 };
    fixture f = make(2048);
    uint32_t seeds[PIPELINES];
    for (uint64_t i = 0; i < PIPELINES; i++) {
        wpg_hash128 hash = {77 + (i << 32), hash_of(i).high};
        assert_int_equal(wpg_directory_add(&f.directory, hash, 1000 + i, NULL), WPG_OK);
        seeds[i] = seed_of(&f, hash);
        for (uint64_t j = 0; j <= i; j++) {
            wpg_hash128 earlier = {77 + (j << 32), hash_of(j).high};
            for (uint64_t since = j; since <= i; since++)
                assert_int_equal(by_seed(&f, earlier, seeds[since]), 1000 + j);
        }
    }
    finish(&f);
}

/* Another order gives other seeds, and the same keys and way. */
static void any_order(void **state)
{
    (void)state;
    fixture f = make(256), g = make(256);
    for (uint64_t i = 0; i < 100; i++) {
        assert_int_equal(wpg_directory_add(&f.directory, hash_of(i), 1000 + i, NULL), WPG_OK);
        assert_int_equal(wpg_directory_add(&g.directory, hash_of(99 - i), 1099 - i, NULL), WPG_OK);
    }
    for (uint64_t i = 0; i < 100; i++) {
        assert_int_equal(shader_goes(&f, hash_of(i)), 1000 + i);
        assert_int_equal(shader_goes(&g, hash_of(i)), 1000 + i);
    }
    finish(&f);
    finish(&g);
}

/* A full directory refuses, and what is in it stays right. Equal seed and tag: the second is refused. */
static void refuses(void **state)
{
    (void)state;
    fixture f = make(256);
    bool in[1000];
    unsigned taken = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        wpg_error err;
        wpg_status status = wpg_directory_add(&f.directory, hash_of(i), 1000 + i, &err);
        assert_true(status == WPG_OK || (status == WPG_E_LIMIT && strstr(err.message, "SLOTS")));
        in[i] = status == WPG_OK;
        taken += in[i];
    }
    assert_in_range(taken, 128, 255);
    assert_int_equal(f.directory.cells[0], SCRATCH);
    for (uint64_t i = 0; i < 1000; i++)
        if (in[i])
            assert_int_equal(shader_goes(&f, hash_of(i)), 1000 + i);
    finish(&f);
    f = make(256);
    assert_int_equal(wpg_directory_add(&f.directory, (wpg_hash128){5, 9}, 1, NULL), WPG_OK);
    assert_int_equal(wpg_directory_add(&f.directory, (wpg_hash128){5 + 256, 9}, 2, NULL), WPG_E_LIMIT);
    assert_int_equal(wpg_directory_add(&f.directory, (wpg_hash128){6, 9}, 3, NULL), WPG_OK);
    assert_int_equal(shader_goes(&f, (wpg_hash128){5, 9}), 1);
    finish(&f);
}

/* Who leaves leads to scratch by every seed it had, and its cells are others' again. */
static void leaves(void **state)
{
    (void)state;
    enum { PIPELINES = 30 };
    fixture f = make(2048);
    uint32_t seeds[PIPELINES];
    for (uint64_t i = 0; i < PIPELINES; i++) {
        wpg_hash128 hash = {77 + (i << 32), hash_of(i).high};
        assert_int_equal(wpg_directory_add(&f.directory, hash, 1000 + i, NULL), WPG_OK);
        seeds[i] = seed_of(&f, hash);
    }
    for (uint64_t gone = 0; gone < PIPELINES; gone++) {
        wpg_directory_remove(&f.directory, (wpg_hash128){77 + (gone << 32), hash_of(gone).high});
        for (uint64_t j = 0; j < PIPELINES; j++) {
            wpg_hash128 hash = {77 + (j << 32), hash_of(j).high};
            for (uint64_t since = j; since < PIPELINES; since++)
                assert_int_equal(by_seed(&f, hash, seeds[since]), j <= gone ? SCRATCH : 1000 + j);
        }
    }
    for (size_t cell = 0; cell < f.directory.count; cell++)
        assert_int_equal(f.directory.cells[cell], SCRATCH);
    wpg_directory_remove(&f.directory, hash_of(5)); /* it is not there */
    finish(&f);
}

/* Without end, a hundred at a time: the directory does not fill. */
static void come_and_go(void **state)
{
    (void)state;
    enum { PIPELINES = 200000, ALIVE = 100 };
    fixture f = make(256);
    for (uint64_t i = 0; i < PIPELINES; i++) {
        if (i >= ALIVE)
            wpg_directory_remove(&f.directory, hash_of(i - ALIVE));
        assert_int_equal(wpg_directory_add(&f.directory, hash_of(i), 1000 + i, NULL), WPG_OK);
        if (i % 1000 == 999)
            for (uint64_t j = i - ALIVE + 1; j <= i; j++)
                assert_int_equal(shader_goes(&f, hash_of(j)), 1000 + j);
    }
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(empty_leads_to_scratch),
                                       cmocka_unit_test(none_is_refused),
                                       cmocka_unit_test(old_seeds_stay_right),
                                       cmocka_unit_test(any_order),
                                       cmocka_unit_test(refuses),
                                       cmocka_unit_test(leaves),
                                       cmocka_unit_test(come_and_go)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
