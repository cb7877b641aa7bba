/* Every truncation and every change of one byte of a small valid file of each format is read or refused, and
 * what is refused leaves the profile as it was. Under the sanitizers this is the memory-safety test of the
 * readers. */
#include "runtime/base/bytes.h"
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

/* What each check is for: one field set to what it must not be, and the words of the refusal. */
typedef struct damage {
    size_t at;
    unsigned size;
    uint64_t value;
    const char *words;
} damage;

static void expect_damage_seen(wpg_profile_format format, const damage *cases, size_t count)
{
    wpg_profile *p = small_profile();
    uint8_t *data, *changed;
    size_t size;
    must(wpg_profile_encode(&data, &size, p, format, &err));
    changed = malloc(size);
    for (size_t i = 0; i < count; i++) {
        wpg_error err = {0};
        wpg_profile *out = wpg_profile_create();
        memcpy(changed, data, size);
        for (unsigned b = 0; b < cases[i].size; b++)
            changed[cases[i].at + b] = (uint8_t)(cases[i].value >> (8 * b));
        if (wpg_profile_read_memory(out, NULL, changed, size, &err) == WPG_OK)
            fail_msg("offset %zu set to %llu was taken", cases[i].at, (unsigned long long)cases[i].value);
        if (!strstr(err.message, cases[i].words))
            fail_msg("offset %zu: '%s' does not say '%s'", cases[i].at, err.message, cases[i].words);
        wpg_profile_destroy(out);
    }
    free(changed);
    free(data);
    wpg_profile_destroy(p);
}

static void raw_fields_are_checked(void **state)
{
    (void)state;
    /* version 10: header of 128 bytes, records of 64; the first has 3 of the 6 counters, the last 2 */
    const damage cases[] = {
        {16, 8, 4, "binary ids"},
        {16, 8, 1 << 20, "binary ids"},
        {24, 8, 1000, "records"},
        {24, 8, UINT64_MAX / 64 + 1, "records"}, /* the product overflows to 0 */
        {40, 8, UINT64_MAX / 8 + 2, "counters"},
        {48, 8, UINT64_MAX, "counters"},
        {56, 8, 1 << 20, "bitmaps"},
        {72, 8, 1 << 20, "names"},
        {104, 8, UINT64_MAX / 24 + 2, "vtables"},
        {112, 8, UINT64_MAX, "vtable names"},
        {128, 8, 1, "names section"},
        {128 + 16, 8, 3 * 64 - 8, "outside the counter section"},
        {128 + 16, 8, 3 * 64 + 6 * 8, "outside the counter section"},
        {128 + 16, 8, 3 * 64 + 4 * 8, "outside the counter section"},
        {128 + 16, 8, UINT64_MAX, "outside the counter section"},
        {128 + 48, 4, 0, "without counters"},
        {128 + 48, 4, 7, "outside the counter section"},
        {128 + 48, 4, UINT32_MAX, "outside the counter section"},
        {128 + 54, 2, 1,
         "value data"}, /* the first record's data is then the last one's, and that has none */
    };
    expect_damage_seen(WPG_PROFILE_RAW_10, cases, sizeof cases / sizeof cases[0]);
}

static void indexed_fields_are_checked(void **state)
{
    (void)state;
    /* 40 bytes of header, 448 of summary; one bucket at 488, its first item "a.comp#lanes", data from 526 on
     */
    const damage cases[] = {
        {24, 8, 1, "hashed by method"},
        {32, 8, UINT64_MAX, "outside the file"},
        {32, 8, 480, "outside the file"},
        {32, 8, 488, "hash table"},
        {40, 8, UINT64_MAX, "summary"},
        {48, 8, UINT64_MAX / 3 + 1, "summary"},
        {488, 2, 0, "bad bucket"},
        {488, 2, 3, "bad bucket"},
        {490, 8, 1, "disagrees with its hash"},
        {498, 8, UINT64_MAX, "passes the end"},
        {506, 8, UINT64_MAX, "passes the end"},
        {506, 8, 4, "truncated"},
        {534, 8, UINT64_MAX / 8, "truncated"},
        {534, 8, 12, "truncated"},
        {566, 4, 0, "bad size"},
        {566, 4, 12, "bad size"},
        {566, 4, 1 << 16, "bad size"},
        {570, 4, 4, "kinds"},
        {570, 4, 1, "truncated"},
    };
    expect_damage_seen(WPG_PROFILE_INDEXED, cases, sizeof cases / sizeof cases[0]);
}

/* Many records that share few counters ask for more work than the file is worth. */
static void shared_counters_are_limited(void **state)
{
    (void)state;
    enum { RECORDS = 100 };
    wpg_profile *p = wpg_profile_create();
    const uint64_t counters[4] = {1, 2, 3, 4};
    for (unsigned i = 0; i < RECORDS; i++)
        must(wpg_profile_add(p, "same#lanes", i, counters, 4, 1, &err));
    uint8_t *data;
    size_t size;
    must(wpg_profile_encode(&data, &size, p, WPG_PROFILE_RAW_10, &err));
    wpg_writer w = {0};
    wpg_write_bytes(&w, data, size);
    wpg_write_u64_at(&w, 40, 4); /* one record's counters, the others' are padding now */
    wpg_write_u64_at(&w, 48, (RECORDS - 1) * 32);
    for (size_t i = 0; i < RECORDS; i++)
        wpg_write_u64_at(&w, 128 + 64 * i + 16, RECORDS * 64 - i * 64);
    wpg_error err = {0};
    wpg_profile *out = wpg_profile_create();
    assert_int_equal(wpg_profile_read_memory(out, NULL, w.data, w.size, &err), WPG_E_LIMIT);
    assert_non_null(strstr(err.message, "share"));
    wpg_profile_destroy(out);
    wpg_writer_finish(&w);
    free(data);
    wpg_profile_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_8),
        cmocka_unit_test(raw_9),
        cmocka_unit_test(raw_10),
        cmocka_unit_test(raw_11),
        cmocka_unit_test(indexed_7),
        cmocka_unit_test(text),
        cmocka_unit_test(indexed_13),
        cmocka_unit_test(raw_fields_are_checked),
        cmocka_unit_test(indexed_fields_are_checked),
        cmocka_unit_test(shared_counters_are_limited),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
