/* The hash map against a naive model: an array of keys below a limit. */
#include "runtime/base/map.h"
#include "tests/unit/runtime/base/base_test.h"

enum { KEYS = 2000 };

/* Keys that collide in their low bits, as handles and ids do. */
static uint64_t key_of(unsigned i)
{
    return i % 3 == 0 ? (uint64_t)i << 40 : i % 3 == 1 ? i : (uint64_t)i * 4096;
}

static void check(const wpg_map *map, const uint64_t *values, const bool *present)
{
    size_t count = 0, slots = 0;
    for (unsigned i = 0; i < KEYS; i++) {
        uint64_t value = 12345;
        bool found = wpg_map_get(map, key_of(i), &value);
        assert_int_equal(found, present[i]);
        assert_true(value == (found ? values[i] : 12345)); /* untouched when absent */
        count += present[i];
    }
    assert_int_equal(map->count, count);
    for (size_t i = 0; i < map->capacity; i++)
        slots += map->slots[i].used;
    assert_int_equal(slots, count);
}

static void random_operations(void **state)
{
    (void)state;
    wpg_map map = {0};
    static uint64_t values[KEYS];
    static bool present[KEYS];
    uint64_t random = 1;
    check(&map, values, present);
    for (unsigned step = 0; step < 200000; step++) {
        unsigned i = (unsigned)(next_random(&random) % KEYS);
        /* phases of mostly growing and mostly shrinking */
        bool remove = next_random(&random) % 100 < (step / 20000 % 2 ? 70 : 30);
        if (remove) {
            uint64_t value = 12345;
            assert_int_equal(wpg_map_remove(&map, key_of(i), &value), present[i]);
            assert_true(value == (present[i] ? values[i] : 12345));
            present[i] = false;
        } else {
            values[i] = next_random(&random);
            assert_true(wpg_map_set(&map, key_of(i), values[i]));
            present[i] = true;
        }
        if (step % 5000 == 0)
            check(&map, values, present);
    }
    check(&map, values, present);
    for (unsigned i = 0; i < KEYS; i++)
        assert_int_equal(wpg_map_remove(&map, key_of(i), NULL), present[i]);
    assert_int_equal(map.count, 0);
    wpg_map_free(&map);
    assert_false(wpg_map_get(&map, 1, NULL));
}

static void every_key_is_a_key(void **state)
{
    (void)state;
    wpg_map map = {0};
    const uint64_t keys[] = {0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63};
    for (size_t i = 0; i < 5; i++)
        assert_true(wpg_map_set(&map, keys[i], ~keys[i]));
    for (size_t i = 0; i < 5; i++) {
        uint64_t value;
        assert_true(wpg_map_get(&map, keys[i], &value));
        assert_true(value == ~keys[i]);
    }
    assert_int_equal(map.count, 5);
    wpg_map_free(&map);
}

/* What a look-up walks over: the longest run of used slots bounds it, whatever keys programs' handles are. */
static size_t longest_run(const wpg_map *map)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < 2 * map->capacity; i++) { /* twice: runs go round the end */
        run = map->slots[i % map->capacity].used ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void many_keys_are_near(void **state)
{
    (void)state;
    /* Small numbers, addresses of records, of pages, handles with their number above. */
    static const uint64_t steps[] = {1, 48, 4096, UINT64_C(1) << 32};
    for (uint64_t count = 1000; count <= 100000; count *= 10)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
            wpg_map map = {0};
            for (uint64_t i = 0; i < count; i++)
                assert_true(wpg_map_set(&map, UINT64_C(0x7f0000000000) + i * steps[s], i));
            assert_in_range(map.capacity, count, count * 3);
            /* Up to three quarters full, linear probing: its logarithm, times some. */
            assert_in_range(longest_run(&map), 2, 400);
            wpg_map_free(&map);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_operations),
                                       cmocka_unit_test(every_key_is_a_key),
                                       cmocka_unit_test(many_keys_are_near)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
