/* Sets of push-constant words: a bounded table, what goes along with what, words that few sets agree on. */
#include "runtime/base/push_sets.h"
#include "tests/unit/runtime/base/base_test.h"

static void count_words(wpg_push_sets *sets, uint64_t words, uint32_t a, uint32_t b, uint32_t c, uint64_t n)
{
    const uint32_t values[WPG_PUSH_SET_WORDS] = {a, b, c, 77};
    wpg_push_sets_count(sets, words, values, n, 0);
}

static uint64_t count_of(const wpg_push_sets *sets, uint64_t words, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t values[WPG_PUSH_SET_WORDS] = {a, b, c};
    for (uint32_t i = 0; i < sets->count; i++)
        if (sets->sets[i].key == wpg_push_set_key(words, values))
            return sets->sets[i].n;
    return 0;
}

static void few_sets_are_exact(void **state)
{
    (void)state;
    wpg_push_sets sets = {0};
    for (uint32_t i = 0; i < 100; i++)
        count_words(&sets, i % 5 ? 7 : 5, i % 2, 9 * (i % 5), 4, 2);
    assert_int_equal(sets.count, 10);
    assert_int_equal(sets.others, 0);
    assert_int_equal(wpg_push_sets_listed(&sets), 200);
    assert_int_equal(count_of(&sets, 7, 1, 9, 4), 20);
    assert_int_equal(count_of(&sets, 5, 0, 0, 4), 20); /* word 1 was not pushed */
    assert_int_equal(count_of(&sets, 7, 0, 0, 4), 0);
    count_words(&sets, 7, 1, 2, 3, 0); /* nothing happened */
    assert_int_equal(sets.count, 10);
    wpg_push_sets_clear(&sets);
    assert_int_equal(wpg_push_sets_listed(&sets), 0);
    count_words(&sets, 0, 1, 2, 3, 6); /* none was pushed: a set like any other */
    assert_int_equal(count_of(&sets, 0, 0, 0, 0), 6);
    wpg_push_sets_finish(&sets);
}

/* Without words of many values the rarest set gives way, and totals stay exact. */
static void the_rarest_gives_way(void **state)
{
    (void)state;
    wpg_push_sets sets = {0};
    uint64_t all = 0;
    for (uint32_t i = 0; i < 200; i++) {
        count_words(&sets, 7, i, 0, 0, 1);
        count_words(&sets, 7, 1000, 5, 6, 3);
        all += 4;
    }
    assert_int_equal(sets.count, WPG_PUSH_SETS);
    assert_int_equal(wpg_push_sets_listed(&sets) + sets.others, all);
    assert_int_equal(count_of(&sets, 7, 1000, 5, 6), 600);
    wpg_push_sets_sort(&sets);
    assert_int_equal(sets.sets[0].n, 600);
    wpg_push_sets_finish(&sets);
}

/* A matrix and flags: the words of the matrix are loosened, and the flags keep exact sets. */
static void words_of_many_values_are_loosened(void **state)
{
    (void)state;
    wpg_push_sets sets = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        const uint32_t values[WPG_PUSH_SET_WORDS] = {i, ~i, i % 4 == 0, 5};
        wpg_push_sets_count(&sets, 15, values, 1, 3);
    }
    assert_int_equal(sets.loose, 3);
    assert_int_equal(sets.count, 2);
    assert_int_equal(sets.others, 0);
    wpg_push_sets_sort(&sets);
    assert_int_equal(sets.sets[0].n, 750);
    assert_int_equal(sets.sets[0].words, 12);
    assert_int_equal(sets.sets[1].values[2], 1);
    wpg_push_sets_finish(&sets);
}

static void expect_same(wpg_push_sets *a, wpg_push_sets *b)
{
    wpg_push_sets_sort(a);
    wpg_push_sets_sort(b);
    assert_int_equal(a->count, b->count);
    assert_true(a->loose == b->loose);
    assert_true(a->others == b->others);
    for (uint32_t i = 0; i < a->count; i++)
        assert_memory_equal(&a->sets[i], &b->sets[i], sizeof *a->sets);
}

/* While no table is full, in every order; loose words of one table are loose in the sum. */
static void adds_in_every_order(void **state)
{
    (void)state;
    wpg_push_sets parts[3] = {{0}}, left = {0}, right = {0};
    for (uint32_t i = 0; i < 30; i++)
        count_words(&parts[i % 3], 7, i % 4, i % 6, i, i + 1);
    parts[1].others = 9;
    wpg_push_sets_loosen(&parts[2], 4);
    for (int i = 0; i < 3; i++)
        wpg_push_sets_add(&left, &parts[i], 0);
    wpg_push_sets_add(&parts[2], &parts[1], 0);
    wpg_push_sets_add(&right, &parts[2], 0);
    wpg_push_sets_add(&right, &parts[0], 0);
    expect_same(&left, &right);
    assert_int_equal(left.loose, 4);
    assert_int_equal(wpg_push_sets_listed(&left), 30 * 31 / 2);
    left.sets[0].n = UINT64_MAX;
    wpg_push_sets_add(&left, &right, 0);
    assert_true(left.sets[0].n == UINT64_MAX);
    wpg_push_sets_finish(&left);
    wpg_push_sets_finish(&right);
    for (int i = 0; i < 3; i++)
        wpg_push_sets_finish(&parts[i]);
}

/* Two shapes, each with a stride of its own, and an offset that is free. */
static void strides_go_along_with_sizes(void **state)
{
    (void)state;
    wpg_push_sets sets = {0};
    for (uint32_t i = 0; i < 8; i++)
        count_words(&sets, 7, 100 + i % 2, 200 + i % 2, i, 10);
    const uint32_t first[WPG_PUSH_SET_WORDS] = {100, 200, 2}, mixed[WPG_PUSH_SET_WORDS] = {100, 201, 2};
    assert_int_equal(wpg_push_sets_along(&sets, first, 1, 0.99), 3);
    assert_int_equal(wpg_push_sets_along(&sets, first, 0, 0.99), 0);
    assert_int_equal(wpg_push_sets_along(&sets, first, 0, 0.5), 3);
    assert_int_equal(wpg_push_sets_along(&sets, first, 4, 0.99), 7);
    assert_int_equal(wpg_push_sets_along(&sets, mixed, 1, 0.99), 1);
    assert_int_equal(wpg_push_sets_along(&sets, mixed, 3, 0.99), 0); /* never seen */
    count_words(&sets, 7, 100, 999, 0, 1);                           /* 1 of 41 */
    assert_int_equal(wpg_push_sets_along(&sets, first, 1, 0.99), 1);
    assert_int_equal(wpg_push_sets_along(&sets, first, 1, 0.95), 3);
    wpg_push_sets_finish(&sets);
}

/* Words that belong together stay, a word that splits every set goes. */
static void narrows_to_words_that_few_sets_agree_on(void **state)
{
    (void)state;
    wpg_push_sets sets = {0};
    uint64_t words;
    for (uint32_t i = 0; i < 30; i++)
        count_words(&sets, 7, 100 + i % 3, 200 + i % 3, i, 10 + i % 3);
    assert_int_equal(wpg_push_sets_narrow(&words, &sets, 16, 0.9), 3);
    assert_int_equal(words, 3);
    assert_int_equal(sets.count, 3);
    assert_int_equal(sets.sets[0].values[0], 102);
    assert_int_equal(sets.sets[0].n, 120);
    assert_int_equal(sets.others, 0);
    wpg_push_sets_finish(&sets);
    /* Ten shapes are few enough as they are; sets without a word that nearly all have count among the others.
     */
    for (uint32_t i = 0; i < 10; i++)
        count_words(&sets, 7, i, i * i, 4, 100);
    count_words(&sets, 5, 0, 0, 4, 10);
    assert_int_equal(wpg_push_sets_narrow(&words, &sets, 16, 0.9), 10);
    assert_int_equal(words, 7);
    assert_int_equal(sets.others, 10);
    wpg_push_sets_finish(&sets);
    /* Nothing is certain of a table that ran over. */
    count_words(&sets, 7, 1, 2, 3, 80);
    sets.others = 20;
    assert_int_equal(wpg_push_sets_narrow(&words, &sets, 16, 0.9), 0);
    assert_int_equal(count_of(&sets, 7, 1, 2, 3), 80);
    wpg_push_sets_finish(&sets);
    /* No word that few sets agree on is left. */
    for (uint32_t i = 0; i < 30; i++)
        count_words(&sets, 7, i, i, i, 1);
    assert_int_equal(wpg_push_sets_narrow(&words, &sets, 16, 0.9), 0);
    wpg_push_sets_finish(&sets);
    assert_int_equal(wpg_push_sets_narrow(&words, &sets, 16, 0.9), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_sets_are_exact),
        cmocka_unit_test(the_rarest_gives_way),
        cmocka_unit_test(words_of_many_values_are_loosened),
        cmocka_unit_test(adds_in_every_order),
        cmocka_unit_test(strides_go_along_with_sizes),
        cmocka_unit_test(narrows_to_words_that_few_sets_agree_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
