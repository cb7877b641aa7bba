/* Slots and counters: who gets what, from many threads at once. */
#include <pthread.h>
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

enum { THREADS = 8, PIPELINES = 200 };
static wpg_layout shared;
static wpg_counter_slot *seen[THREADS][PIPELINES];
static atomic_int placements;

static void *make_all(void *arg)
{
    size_t me = (size_t)(uintptr_t)arg;
    for (size_t n = 0; n < PIPELINES; n++) {
        size_t i = (n + me * 31) % PIPELINES;
        bool placed = false;
        if (wpg_layout_claim(&seen[me][i], &shared, hash_of(i % 7, i), NULL) != WPG_OK ||
            wpg_layout_place(&placed, &shared, seen[me][i], i + 1, NULL) != WPG_OK)
            return "failed";
        atomic_fetch_add(&placements, placed);
    }
    return NULL;
}

/* Seven chains of many: every pipeline is placed once, ranges do not overlap, all threads see the same. */
static void threads_agree(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    wpg_error err;
    assert_int_equal(wpg_layout_init(&shared, 1 << 21, 1 << 18, &err), WPG_OK);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, make_all, (void *)(uintptr_t)i), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(atomic_load(&placements), PIPELINES);
    static bool taken[1 << 18];
    for (size_t i = 0; i < PIPELINES; i++) {
        for (size_t t = 1; t < THREADS; t++)
            assert_ptr_equal(seen[t][i], seen[0][i]);
        size_t first = atomic_load(&seen[0][i]->first);
        assert_true(first >= shared.scratch);
        for (size_t c = 0; c < i + 1; c++) {
            assert_false(taken[first + c]);
            taken[first + c] = true;
        }
    }
    wpg_layout_finish(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_slot_a_hash), cmocka_unit_test(places_until_full),
                                       cmocka_unit_test(threads_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
