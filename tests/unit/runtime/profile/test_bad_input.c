/* Every truncation and every change of one byte of a small valid file of each format is read or refused, and
 * what is refused leaves the profile as it was. Under the sanitizers this is the memory-safety test of the
 * readers. */
#include "tests/unit/runtime/profile/profile_test.h"

static wpg_profile *small_profile(void)
{
    wpg_profile *p = wpg_profile_create();
    const uint64_t counters[] = {3, 0, 70000};
    must(wpg_profile_add(p, "a.comp#lanes", 5, counters, 3, 1, &err));
    must(wpg_profile_add(p, "a.comp#lanes", 6, counters, 1, 1, &err));
    must(wpg_profile_add(p, "b.frag#values", 7, counters, 2, 1, &err));
    must(wpg_profile_add_value(p, "b.frag#values", 7, 1, 16, 2, &err));
    must(wpg_profile_add_value(p, "b.frag#values", 7, 1, 17, 2, &err));
    return p;
}

/* The bytes lie in a block of exactly their size, so that a read past the end is seen. */
static bool reads(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size ? size : 1);
    wpg_profile *p = wpg_profile_create();
    wpg_error why = {0};
    const uint64_t one[] = {1};
    must(wpg_profile_add(p, "kept", 1, one, 1, 1, &err));
    if (size)
        memcpy(exact, data, size);
    wpg_status status = wpg_profile_read_memory(p, NULL, exact, size, &why);
    if (status != WPG_OK) {
        assert_int_equal(wpg_profile_count(p), 1);
        assert_true(why.message[0] != '\0');
        assert_int_equal(why.status, status);
    }
    wpg_profile_destroy(p);
    free(exact);
    return status == WPG_OK;
}

static void abuse(const uint8_t *data, size_t size, bool truncation_shows)
{
    assert_true(reads(data, size));
    for (size_t length = 0; length < size; length++) {
        bool read = reads(data, length);
        if (truncation_shows && read)
            fail_msg("%zu of %zu bytes were read as a whole profile", length, size);
    }
    uint8_t *changed = malloc(size);
    memcpy(changed, data, size);
    size_t refused = 0;
    for (size_t at = 0; at < size; at++) {
        for (unsigned value = 1; value < 256; value++) {
            changed[at] = (uint8_t)(data[at] ^ value);
            refused += !reads(changed, size);
        }
        changed[at] = data[at];
    }
    free(changed);
    assert_true(refused > size); /* otherwise nothing is checked at all */
}

static void abuse_format(wpg_profile_format format)
{
    wpg_profile *p = small_profile();
    uint8_t *data;
    size_t size;
    must(wpg_profile_encode(&data, &size, p, format, &err));
    abuse(data, size, format != WPG_PROFILE_TEXT);
    free(data);
    wpg_profile_destroy(p);
}

static void raw_8(void **state)
{
    (void)state;
    abuse_format(WPG_PROFILE_RAW_8);
}

static void raw_9(void **state)
{
    (void)state;
    abuse_format(WPG_PROFILE_RAW_9);
}

static void raw_10(void **state)
{
    (void)state;
    abuse_format(WPG_PROFILE_RAW_10);
}

static void raw_11(void **state)
{
    (void)state;
    abuse_format(WPG_PROFILE_RAW_11);
}

static void indexed_7(void **state)
{
    (void)state;
    abuse_format(WPG_PROFILE_INDEXED);
}

static void text(void **state)
{
    (void)state;
    abuse_format(WPG_PROFILE_TEXT);
}

/* The newest indexed version, of a tool. */
static void indexed_13(void **state)
{
    (void)state;
    const char *tool = need_profdata(22);
    const char *in = scratch_file("a.proftext"), *out = scratch_file("a.profdata");
    wpg_profile *p = small_profile();
    save(in, p, WPG_PROFILE_TEXT);
    free(run("'%s' merge -o '%s' '%s'", tool, out, in));
    uint8_t *data;
    size_t size;
    must(wpg_file_read(&data, &size, out, 1 << 20, &err));
    abuse(data, size, false); /* sections behind the hash table are not looked at */
    free(data);
    wpg_profile_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_8),      cmocka_unit_test(raw_9),     cmocka_unit_test(raw_10),
        cmocka_unit_test(raw_11),     cmocka_unit_test(indexed_7), cmocka_unit_test(text),
        cmocka_unit_test(indexed_13),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
