/* The disk cache: what was put is got, and nothing else is. */
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
#include "runtime/bundle/cache.h"

static wpg_cache cache;
static char folder[] = "/tmp/wavepgo-test-cache-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    wpg_cache_init(&cache, folder, "/");
    return 0;
}

static void remove_entry(wpg_hash128 key)
{
    char hex[WPG_HASH_HEX + 1], path[256];
    wpg_hash_to_hex(hex, key);
    (void)snprintf(path, sizeof path, "%s/%.2s/%s", folder, hex, hex);
    (void)unlink(path);
    *strrchr(path, '/') = '\0';
    (void)rmdir(path);
}

static int drop_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static void put_and_get(void **state)
{
    (void)state;
    const wpg_hash128 key = {0x1234, 0xabcd}, other = {0x1235, 0xabcd};
    uint8_t *data;
    size_t size;
    wpg_error err;
    assert_int_equal(wpg_cache_get(&data, &size, &cache, key, &err), WPG_E_NOT_FOUND);
    assert_int_equal(wpg_cache_put(&cache, key, "words", 5, &err), WPG_OK);
    assert_int_equal(wpg_cache_get(&data, &size, &cache, key, &err), WPG_OK);
    assert_int_equal(size, 5);
    assert_memory_equal(data, "words", 5);
    free(data);
    assert_int_equal(wpg_cache_put(&cache, key, "", 0, &err), WPG_OK); /* replaced; an empty blob is one */
    assert_int_equal(wpg_cache_get(&data, &size, &cache, key, &err), WPG_OK);
    assert_int_equal(size, 0);
    free(data);
    assert_int_equal(wpg_cache_get(&data, &size, &cache, other, &err), WPG_E_NOT_FOUND);
    remove_entry(key);
}

/* Every single changed byte and every cut is noticed. */
static void damaged(void **state)
{
    (void)state;
    const wpg_hash128 key = {1, 2};
    char hex[WPG_HASH_HEX + 1], path[256];
    uint8_t *good, *data;
    size_t good_size, size;
    wpg_error err;
    assert_int_equal(wpg_cache_put(&cache, key, "some words", 10, &err), WPG_OK);
    wpg_hash_to_hex(hex, key);
    (void)snprintf(path, sizeof path, "%s/%.2s/%s", folder, hex, hex);
    assert_int_equal(wpg_file_read(&good, &good_size, path, 4096, &err), WPG_OK);
    for (size_t i = 0; i < good_size; i++) {
        good[i] ^= 0x40;
        assert_int_equal(wpg_file_write_atomic(path, good, good_size, &err), WPG_OK);
        assert_int_equal(wpg_cache_get(&data, &size, &cache, key, &err), WPG_E_FORMAT);
        good[i] ^= 0x40;
        assert_int_equal(wpg_file_write_atomic(path, good, i, &err), WPG_OK);
        assert_int_equal(wpg_cache_get(&data, &size, &cache, key, &err), WPG_E_FORMAT);
    }
    assert_int_equal(wpg_file_write_atomic(path, good, good_size, &err), WPG_OK);
    assert_int_equal(wpg_cache_get(&data, &size, &cache, key, &err), WPG_OK);
    free(data);
    free(good);
    remove_entry(key);
}

static void where(void **state)
{
    (void)state;
    wpg_cache c;
    (void)setenv("HOME", "/nowhere/somebody", 1);
    (void)unsetenv("XDG_CACHE_HOME");
    wpg_cache_init(&c, "", "/base");
    assert_string_equal(c.folder, "/nowhere/somebody/.cache/wavepgo");
    (void)setenv("XDG_CACHE_HOME", "/xdg", 1);
    wpg_cache_init(&c, "", "/base");
    assert_string_equal(c.folder, "/xdg/wavepgo");
    wpg_cache_init(&c, "mine", "/base");
    assert_string_equal(c.folder, "/base/mine");
    wpg_cache_init(&c, "none", "/base");
    assert_string_equal(c.folder, "");
    assert_int_equal(wpg_cache_put(&c, (wpg_hash128){1, 1}, "x", 1, NULL), WPG_E_NOT_FOUND);
    (void)setenv("XDG_CACHE_HOME", "relative", 1); /* the specification: to be ignored */
    (void)unsetenv("HOME");
    wpg_cache_init(&c, "", "/base");
    assert_string_equal(c.folder, "");
}

/* Each refusal has its own status: callers go on without a cache, or say which file is bad. */
static void refuses(void **state)
{
    (void)state;
    enum { TOO_MANY = (256 << 20) - 48 + 1 };
    const wpg_hash128 key = {0x77, 0x88};
    uint8_t *data;
    size_t size, files;
    uint64_t bytes;
    wpg_error err;
    wpg_cache none, blocked;
    wpg_cache_init(&none, "none", "/");
    assert_int_equal(wpg_cache_get(&data, &size, &none, key, &err), WPG_E_NOT_FOUND);
    assert_int_equal(wpg_cache_clear(&files, &bytes, &none, false, &err), WPG_OK);
    /* One byte more than the largest blob; the data is not read. */
    assert_int_equal(wpg_cache_put(&cache, key, "", TOO_MANY, &err), WPG_E_LIMIT);
    /* A file stands where the cache's folder, or the blob's, should be. */
    char path[128], shard[160], hex[WPG_HASH_HEX + 1];
    (void)snprintf(path, sizeof path, "%s/file", folder);
    assert_int_equal(wpg_file_write_atomic(path, "x", 1, &err), WPG_OK);
    wpg_cache_init(&blocked, path, "/");
    assert_int_equal(wpg_cache_put(&blocked, key, "x", 1, &err), WPG_E_IO);
    assert_int_equal(wpg_cache_clear(&files, &bytes, &blocked, false, &err), WPG_E_IO);
    (void)unlink(path);
    assert_int_equal(wpg_cache_clear(&files, &bytes, &blocked, false, &err), WPG_OK); /* not there */
    /* A folder stands where the blob should be: the rename fails, and nothing half written stays. */
    wpg_hash_to_hex(hex, key);
    (void)snprintf(shard, sizeof shard, "%s/%.2s", folder, hex);
    (void)snprintf(path, sizeof path, "%s/%.2s/%s", folder, hex, hex);
    assert_int_equal(mkdir(shard, 0700), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(wpg_cache_put(&cache, key, "x", 1, &err), WPG_E_IO);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(shard), 0);
}

/* Clearing takes blobs and what a killed process left of them, in their folder, and nothing else. */
static void clears(void **state)
{
    (void)state;
    const wpg_hash128 key = {3, 4};
    char hex[WPG_HASH_HEX + 1], half[256], foreign[256], elsewhere[256], shard[160];
    size_t files;
    uint64_t bytes;
    wpg_error err;
    wpg_hash_to_hex(hex, key);
    assert_int_equal(wpg_cache_put(&cache, key, "words", 5, &err), WPG_OK);
    (void)snprintf(shard, sizeof shard, "%s/%.2s", folder, hex);
    (void)snprintf(half, sizeof half, "%s/%s.12-0", shard, hex);
    (void)snprintf(foreign, sizeof foreign, "%s/%sx", shard, hex);
    (void)snprintf(elsewhere, sizeof elsewhere, "%s/ff%s", shard, hex + 2); /* of another folder */
    assert_int_equal(wpg_file_write_atomic(half, "ab", 2, &err), WPG_OK);
    assert_int_equal(wpg_file_write_atomic(foreign, "abc", 3, &err), WPG_OK);
    assert_int_equal(wpg_file_write_atomic(elsewhere, "abcd", 4, &err), WPG_OK);
    for (int dry_run = 1; dry_run >= 0; dry_run--) {
        assert_int_equal(wpg_cache_clear(&files, &bytes, &cache, dry_run, &err), WPG_OK);
        assert_int_equal(files, 2);
        assert_int_equal(bytes, 48 + 5 + 2);
        assert_int_equal(access(half, F_OK), dry_run ? 0 : -1);
    }
    assert_int_equal(wpg_cache_clear(&files, &bytes, &cache, false, &err), WPG_OK);
    assert_int_equal(files, 0);
    assert_int_equal(unlink(foreign), 0);
    assert_int_equal(unlink(elsewhere), 0);
    assert_int_equal(wpg_cache_put(&cache, key, "words", 5, &err), WPG_OK);
    assert_int_equal(wpg_cache_clear(&files, &bytes, &cache, false, &err), WPG_OK);
    assert_int_equal(access(shard, F_OK), -1); /* an empty folder goes, too */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(put_and_get), cmocka_unit_test(damaged),
                                       cmocka_unit_test(refuses), cmocka_unit_test(clears),
                                       cmocka_unit_test(where)};
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
