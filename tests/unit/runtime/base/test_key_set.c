/* The set of keys against a naive model. */
#include "runtime/base/key_set.h"
#include "tests/unit/runtime/base/base_test.h"

enum { KEYS = 5000 };

/* 0, small ones, and such as collide in their low bits. */
static uint64_t key_of(unsigned i)
{
    return i % 2 ? (uint64_t)i << 40 : i / 2;
}

static void adds_once(void **state)
{
    (void)state;
    wpg_key_set set = {0};
    static bool present[KEYS];
    uint64_t random = 1;
    size_t count = 0;
    for (unsigned step = 0; step < 20000; step++) {
        unsigned i = (unsigned)(next_random(&random) % KEYS);
        assert_int_equal(wpg_key_set_has(&set, key_of(i)), present[i]);
        assert_int_equal(wpg_key_set_add(&set, key_of(i)), !present[i]);
        count += !present[i];
        present[i] = true;
        assert_int_equal(set.count, count);
    }
    for (unsigned i = 0; i < KEYS; i++)
        assert_int_equal(wpg_key_set_has(&set, key_of(i)), present[i]);
    assert_true(set.capacity * 7 >= count * 8 - 8 && set.capacity < count * 4);
    wpg_key_set_free(&set);
    assert_false(wpg_key_set_has(&set, 0));
    wpg_key_set_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(adds_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
