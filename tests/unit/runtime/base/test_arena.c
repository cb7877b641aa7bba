/* Arena and vector: alignment, zeroed memory, no overlap, sizes that overflow. */
#include <malloc.h>
#include <stdalign.h>

#include "runtime/base/arena.h"
#include "runtime/base/vec.h"
#include "tests/unit/runtime/base/base_test.h"

static void blocks_are_apart(void **state)
{
    (void)state;
    enum { BLOCKS = 3000 };
    static unsigned char *blocks[BLOCKS];
    static size_t sizes[BLOCKS];
    wpg_arena arena;
    uint64_t random = 7;
    wpg_arena_init(&arena);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < BLOCKS; i++) {
            sizes[i] = (size_t)(next_random(&random) % (i % 100 == 0 ? 200000 : 300));
            blocks[i] = wpg_arena_alloc(&arena, sizes[i], 1);
            assert_non_null(blocks[i]);
            assert_int_equal((uintptr_t)blocks[i] % alignof(max_align_t), 0);
            for (size_t b = 0; b < sizes[i]; b++)
                assert_int_equal(blocks[i][b], 0);
            memset(blocks[i], (int)(i & 0xff) | 1, sizes[i]);
        }
        for (unsigned i = 0; i < BLOCKS; i++)
            for (size_t b = 0; b < sizes[i]; b++)
                assert_int_equal(blocks[i][b], (i & 0xff) | 1);
        assert_false(arena.failed);
        wpg_arena_finish(&arena); /* and it may be used again */
    }
    void *a = wpg_arena_alloc(&arena, 0, 8), *b = wpg_arena_alloc(&arena, 8, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
    assert_string_equal(wpg_arena_strdup(&arena, "copied"), "copied");
    assert_memory_equal(wpg_arena_memdup(&arena, "a\0b", 3), "a\0b", 3);
    wpg_arena_finish(&arena);
}

/* Thousands of arenas that hold little are kept at once. */
static void small_ones_are_small(void **state)
{
    (void)state;
    wpg_arena small, large;
    wpg_arena_init(&small);
    wpg_arena_init(&large);
    assert_non_null(wpg_arena_alloc(&small, 1, 500));
    assert_in_range(malloc_usable_size(small.head), 500, 4096);
    /* Those that hold much ask seldom. */
    size_t asked = 0;
    const void *head = NULL;
    for (size_t i = 0; i < 20000; i++) {
        assert_non_null(wpg_arena_alloc(&large, 1, 100));
        asked += head != (const void *)large.head;
        head = large.head;
    }
    assert_in_range(asked, 1, 45); /* 2 MB by 64 KiB */
    wpg_arena_finish(&small);
    wpg_arena_finish(&large);
}

/* In a scope memory comes again, zeroed; what outlives the scope stays. */
static void scopes_give_memory_again(void **state)
{
    (void)state;
    enum { BYTES = 300000 };
    wpg_arena_scope outer, inner;
    wpg_arena left, arena;
    wpg_arena_init(&left);
    wpg_arena_scope_begin(&outer);
    unsigned char *stays = wpg_arena_alloc(&left, BYTES, 1);
    assert_non_null(stays);
    memset(stays, 1, BYTES);
    for (unsigned round = 0; round < 8; round++) {
        const size_t bytes = BYTES - round * 20000;
        wpg_arena_init(&arena);
        unsigned char *block = wpg_arena_alloc(&arena, bytes, 1);
        assert_non_null(block);
        for (size_t b = 0; b < bytes; b++)
            assert_int_equal(block[b], 0);
        memset(block, 2, bytes);
        unsigned char *raw = wpg_arena_alloc_raw(&arena, bytes, 1);
        assert_non_null(raw);
        memset(raw, 3, bytes);
        assert_int_equal(block[bytes - 1], 2);
        if (round == 3)
            wpg_arena_scope_begin(&inner);
        wpg_arena_finish(&arena);
    }
    wpg_arena_scope_end(&inner);
    wpg_arena_scope_end(&outer);
    for (size_t b = 0; b < BYTES; b++)
        assert_int_equal(stays[b], 1);
    assert_null(wpg_arena_alloc_raw(&left, SIZE_MAX, 2));
    assert_true(left.failed);
    wpg_arena_finish(&left);
}

static void overflow_fails(void **state)
{
    (void)state;
    wpg_arena arena;
    wpg_arena_init(&arena);
    assert_null(wpg_arena_alloc(&arena, SIZE_MAX, 2));
    assert_true(arena.failed);
    assert_null(wpg_arena_alloc(&arena, SIZE_MAX - 3, 1));
    assert_non_null(wpg_arena_alloc(&arena, 1, 1)); /* later requests are served, the failure stays known */
    assert_true(arena.failed);
    wpg_arena_finish(&arena);
}

static void vectors_grow(void **state)
{
    (void)state;
    WPG_VEC(uint32_t) v = {0};
    uint32_t *item, sum = 0;
    WPG_VEC_EACH (item, &v)
        fail();
    for (uint32_t i = 0; i < 100000; i++)
        assert_true(wpg_vec_push(&v, i));
    assert_int_equal(v.count, 100000);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(v.data[i], i);
    WPG_VEC_EACH (item, &v)
        sum += *item;
    assert_int_equal(sum, (uint32_t)(UINT64_C(100000) * 99999 / 2));
    assert_int_equal(wpg_vec_pop(&v), 99999);
    size_t capacity = v.capacity;
    assert_false(wpg_vec_reserve(&v, SIZE_MAX));
    assert_false(wpg_vec_reserve(&v, SIZE_MAX / 2)); /* the product overflows */
    assert_int_equal(v.capacity, capacity);
    assert_int_equal(v.count, 99999);
    wpg_vec_clear(&v);
    assert_int_equal(v.count, 0);
    wpg_vec_free(&v);
    assert_null(v.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_apart),
        cmocka_unit_test(small_ones_are_small),
        cmocka_unit_test(scopes_give_memory_again),
        cmocka_unit_test(overflow_fails),
        cmocka_unit_test(vectors_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
