/* Content hashes: the values that xxHash publishes, and hexadecimal there and back. */
#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "tests/unit/runtime/base/base_test.h"

static void known_values(void **state)
{
    (void)state;
    char hex[WPG_HASH_HEX + 1];
    /* XXH3_128bits and XXH3_64bits of no bytes, seed 0: xxHash's own sanity test */
    wpg_hash_to_hex(hex, wpg_hash_bytes("", 0));
    assert_string_equal(hex, "99aa06d3014798d86001c324468d497f");
    assert_true(wpg_hash64_bytes("", 0) == UINT64_C(0x2d06800538d394c2));
    wpg_hash_to_hex(hex, wpg_hash_bytes("abc", 3));
    assert_string_equal(hex, "06b05ab6733a618578af5f94892f3950");
    assert_true(wpg_hash_equal(wpg_hash_bytes("abc", 3), wpg_hash_bytes("abcd", 3)));
    assert_false(wpg_hash_equal(wpg_hash_bytes("abc", 3), wpg_hash_bytes("abd", 3)));
}

static void hex_there_and_back(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (unsigned i = 0; i < 1000; i++) {
        wpg_hash128 hash = {next_random(&random) >> (i % 64), next_random(&random) >> (i % 63)}, back;
        char hex[WPG_HASH_HEX + 1];
        wpg_hash_to_hex(hex, hash);
        assert_int_equal(strlen(hex), WPG_HASH_HEX);
        assert_true(wpg_hash_from_hex(&back, hex));
        assert_true(wpg_hash_equal(hash, back));
    }
    wpg_hash128 hash = {1, 2};
    const char *bad[] = {"",
                         "0",
                         "0123456789abcdef0123456789abcde",
                         "0123456789abcdef0123456789abcdeg",
                         " 123456789abcdef0123456789abcdef",
                         "0x23456789abcdef0123456789abcdef"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(wpg_hash_from_hex(&hash, bad[i]));
        assert_true(hash.low == 1 && hash.high == 2);
    }
    assert_true(
        wpg_hash_from_hex(&hash, "0123456789abcdef0123456789abcdef.comp")); /* what follows is the caller's */
    assert_true(hash.high == UINT64_C(0x0123456789abcdef) && hash.low == hash.high);
}

static void errors_are_filled(void **state)
{
    (void)state;
    wpg_error err;
    assert_int_equal(wpg_fail(&err, WPG_E_FORMAT, "%s %d", "word", 7), WPG_E_FORMAT);
    assert_int_equal(err.status, WPG_E_FORMAT);
    assert_string_equal(err.message, "word 7");
    assert_int_equal(wpg_fail(NULL, WPG_E_LIMIT, "unseen"), WPG_E_LIMIT);
    char longer[1000];
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    (void)wpg_fail(&err, WPG_E_IO, "%s", longer);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(hex_there_and_back),
        cmocka_unit_test(errors_are_filled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
