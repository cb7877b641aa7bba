/* Slots and counters: who gets what, from many threads at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "runtime/counters/layout.h"

static wpg_hash128 hash_of(uint64_t low, uint64_t high)
{
    return (wpg_hash128){low, high};
}

static void one_slot_a_hash(void **state)
{
    (void)state;
    wpg_layout layout;
    wpg_counter_slot *a, *b, *c, *again;
    wpg_error err;
    assert_int_equal(wpg_layout_init(&layout, 1000, 4096, &err), WPG_OK);
    assert_int_equal(layout.slot_count, 1024);
    assert_int_equal(wpg_layout_claim(&a, &layout, hash_of(5, 1), &err), WPG_OK);
    /* Others of the same low bits hang in the same chain. */
    assert_int_equal(wpg_layout_claim(&b, &layout, hash_of(5, 2), &err), WPG_OK);
    assert_int_equal(wpg_layout_claim(&c, &layout, hash_of(5 + 1024, 1), &err), WPG_OK);
    assert_true(a != b && b != c && a != c);
    assert_int_equal(wpg_layout_claim(&again, &layout, hash_of(5, 1), &err), WPG_OK);
    assert_ptr_equal(a, again);
    assert_int_equal(wpg_layout_claim(&again, &layout, hash_of(5 + 1024, 1), &err), WPG_OK);
    assert_ptr_equal(c, again);
    wpg_layout_finish(&layout);
}

static void places_until_full(void **state)
{
    (void)state;
    wpg_layout layout;
    wpg_counter_slot *slot;
    wpg_error err;
    bool placed;
    assert_int_equal(wpg_layout_init(&layout, 64, 4096, &err), WPG_OK);
    size_t scratch = wpg_layout_scratch_for(4096), next = scratch;
    assert_int_equal(layout.scratch, scratch);
    for (uint64_t i = 0; next + 100 <= 4096; i++, next += 100) {
        assert_int_equal(wpg_layout_claim(&slot, &layout, hash_of(i, 0), &err), WPG_OK);
        assert_int_equal(wpg_layout_place(&placed, &layout, slot, 100, &err), WPG_OK);
        assert_true(placed);
        assert_int_equal(atomic_load(&slot->first), next); /* after the scratch block, never in it */
        assert_int_equal(wpg_layout_place(&placed, &layout, slot, 100, &err), WPG_OK);
        assert_false(placed);
        assert_int_equal(wpg_layout_place(&placed, &layout, slot, 99, &err), WPG_E_MISMATCH);
    }
    assert_int_equal(wpg_layout_claim(&slot, &layout, hash_of(63, 0), &err), WPG_OK);
    assert_int_equal(wpg_layout_place(&placed, &layout, slot, 100, &err), WPG_E_LIMIT);
    assert_int_equal(wpg_layout_place(&placed, &layout, slot, scratch + 1, &err), WPG_E_LIMIT);
    assert_int_equal(wpg_layout_place(&placed, &layout, slot, 0, &err), WPG_E_LIMIT);
    assert_int_equal(wpg_layout_place(&placed, &layout, slot, 4096 - next, &err),
                     WPG_OK); /* what is left fits */
    wpg_layout_finish(&layout);
    assert_int_equal(wpg_layout_init(&layout, 64, 4, &err), WPG_E_ARGUMENT);
}

/* The slot of a hash that was not there, with so many counters. */
static wpg_counter_slot *make(wpg_layout *layout, uint64_t hash, size_t count)
{
    wpg_counter_slot *slot;
    bool placed;
    assert_int_equal(wpg_layout_claim(&slot, layout, hash_of(hash, 0), NULL), WPG_OK);
    assert_int_equal(wpg_layout_place(&placed, layout, slot, count, NULL), WPG_OK);
    assert_true(placed);
    return slot;
}

static void drop(wpg_layout *layout, wpg_counter_slot *slot, bool reuse)
{
    wpg_layout_take_out(layout, slot);
    wpg_layout_drop(layout, slot, reuse);
}

static void users_are_counted(void **state)
{
    (void)state;
    wpg_layout layout;
    wpg_counter_slot *slot, *again;
    assert_int_equal(wpg_layout_init(&layout, 64, 4096, NULL), WPG_OK);
    assert_int_equal(wpg_layout_claim(&slot, &layout, hash_of(3, 0), NULL), WPG_OK);
    assert_int_equal(wpg_layout_claim(&again, &layout, hash_of(3, 0), NULL), WPG_OK);
    assert_ptr_equal(slot, again);
    assert_int_equal(atomic_load(&slot->users), 2);
    wpg_counter_slot *behind;
    assert_int_equal(wpg_layout_claim(&behind, &layout, hash_of(3 + 64, 0), NULL), WPG_OK);
    drop(&layout, slot, true); /* from the end of its chain; it had no counters */
    assert_int_equal(wpg_layout_claim(&again, &layout, hash_of(3 + 64, 0), NULL), WPG_OK);
    assert_ptr_equal(again, behind);
    assert_int_equal(wpg_layout_claim(&slot, &layout, hash_of(3, 0), NULL), WPG_OK);
    assert_int_equal(atomic_load(&slot->users), 1); /* a new one, wherever it lies */
    wpg_layout_finish(&layout);
}

/* What was given back is handed out first, joined with its neighbours, and never what somebody has. */
static void handed_out_again(void **state)
{
    (void)state;
    wpg_layout layout;
    wpg_counter_slot *slots[8];
    assert_int_equal(wpg_layout_init(&layout, 64, 4096, NULL), WPG_OK);
    for (uint64_t i = 0; i < 8; i++)
        slots[i] = make(&layout, i, 10);
    const size_t first = layout.scratch, used = layout.used;
    drop(&layout, slots[1], true);
    drop(&layout, slots[3], true);
    assert_int_equal(layout.given_back.count, 2);
    drop(&layout, slots[2], true); /* joins both */
    assert_int_equal(layout.given_back.count, 1);
    assert_int_equal(atomic_load(&make(&layout, 10, 25)->first), first + 10);
    assert_int_equal(atomic_load(&make(&layout, 11, 6)->first), used); /* five are left there: too few */
    assert_int_equal(atomic_load(&make(&layout, 12, 5)->first), first + 35);
    assert_int_equal(layout.given_back.count, 0);
    drop(&layout, slots[6], false); /* not to be used again */
    assert_int_equal(layout.given_back.count, 0);
    wpg_layout_finish(&layout);
}

/* Without end, of any sizes, some at a time: memory does not run out, and no two overlap. */
static void come_and_go(void **state)
{
    (void)state;
    enum { ALIVE = 16, STEPS = 20000, CAPACITY = 8192 };
    static uint64_t owner[CAPACITY];
    wpg_counter_slot *alive[ALIVE] = {NULL};
    wpg_layout layout;
    uint64_t random = 1;
    assert_int_equal(wpg_layout_init(&layout, 64, CAPACITY, NULL), WPG_OK);
    for (uint64_t i = 1; i <= STEPS; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        wpg_counter_slot **at = &alive[random >> 60];
        if (*at) {
            const size_t first = atomic_load(&(*at)->first), count = atomic_load(&(*at)->count);
            for (size_t c = first; c < first + count; c++) {
                assert_int_equal(owner[c], (*at)->hash.low);
                owner[c] = 0;
            }
            drop(&layout, *at, true);
        }
        *at = make(&layout, i, 1 + (size_t)(random >> 33) % 200);
        const size_t first = atomic_load(&(*at)->first), count = atomic_load(&(*at)->count);
        assert_true(first >= layout.scratch && first + count <= CAPACITY);
        for (size_t c = first; c < first + count; c++) {
            assert_int_equal(owner[c], 0);
            owner[c] = i;
        }
    }
    wpg_layout_finish(&layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_slot_a_hash), cmocka_unit_test(places_until_full),
                                       cmocka_unit_test(users_are_counted),
                                       cmocka_unit_test(handed_out_again), cmocka_unit_test(come_and_go)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
