/* From the profile's records to the table that the compiler takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/profile/weights.h"

static void takes_counts_and_values(void **state)
{
    (void)state;
    /* Two profiles merged. Two sites: a switch on an int in block 3, and a condition nobody came to. */
    uint64_t words[] = {2,   (UINT64_C(4) | 2 << 8 | 2 << 16) * 2, 6, 0, 100, 99, 7,
                        100, (UINT64_C(5) | 1 << 8 | 2 << 16) * 2, 8, 0, 0,   0,  0,
                        0};
    wpg_profile_value pairs[] = {{1, 3}, {9, 90}};
    wpg_profile_site sites[] = {{.pairs = pairs, .count = 2}, {0}, {0}, {0}};
    wpg_profile_record record = {
        .name = "", .counters = words, .counter_count = 15, .sites = sites, .site_count = 4};
    uint64_t lanes[] = {8, 4}, selects[] = {1, 2, 3, 4};
    wpg_shader_counts shader = {.function = 1,
                                .checksum = 77,
                                .block_count = 2,
                                .lanes = lanes,
                                .select_counter_count = 4,
                                .selects = selects,
                                .records = {[WPG_RECORD_VALUES] = &record}};
    wpg_weights weights;
    wpg_arena arena;
    wpg_arena_init(&arena);
    assert_int_equal(wpg_weights_of_shader(&weights, &arena, &shader, 1), WPG_OK);
    assert_int_equal(weights.function_count, 1);
    const wpg_function_weights *function = &weights.functions[0];
    assert_int_equal(function->ordinal, 1);
    assert_int_equal(function->checksum, 77);
    assert_int_equal(function->block_count, 2);
    assert_ptr_equal(function->lanes, lanes);
    assert_null(function->waves);
    assert_int_equal(function->select_count, 1);
    assert_int_equal(function->value_count, 2);
    const wpg_value_weight *value = &function->values[0];
    assert_int_equal(value->kind, 4);
    assert_int_equal(value->type, 2);
    assert_int_equal(value->block, 3);
    assert_int_equal(value->asked, 100);
    assert_int_equal(value->agreed, 99);
    assert_int_equal(value->others, 7);
    assert_int_equal(value->share_count, 2);
    assert_int_equal(value->shares[0].bits, 9); /* the commonest first */
    assert_int_equal(value->shares[0].waves, 90);
    assert_int_equal(value->shares[1].bits, 1);
    assert_int_equal(function->values[1].share_count, 0);
    assert_int_equal(function->values[1].block, 4);
    record.counter_count = 14; /* no record of values */
    assert_int_equal(wpg_weights_of_shader(&weights, &arena, &shader, 1), WPG_OK);
    assert_int_equal(weights.functions[0].value_count, 0);
    wpg_arena_finish(&arena);
}

/* What words held together: visits that every site has, the most frequent first. */
static void takes_visits(void **state)
{
    (void)state;
    enum { A = 7, B = 9, LOST = 8 };
#define KEYED(key, bits) ((uint64_t)(key) << 32 | (bits))
    uint64_t words[] = {
        1, 7 | 1 << 8 | 2 << 16, 0, 0, 100, 100, 0, 100, 7 | 1 << 8 | 2 << 16, 0, 0, 100, 100, 0, 100};
    wpg_profile_value first[] = {{KEYED(A, 64), 30}, {KEYED(LOST, 1), 60}, {KEYED(B, 32), 70}};
    wpg_profile_value second[] = {{KEYED(A, 5), 30}, {KEYED(B, 0xffffffff), 70}};
    wpg_profile_site sites[] = {
        {0}, {0}, {0}, {0}, {.pairs = first, .count = 3}, {.pairs = second, .count = 2}};
    wpg_profile_record record = {
        .name = "", .counters = words, .counter_count = 15, .sites = sites, .site_count = 6};
    wpg_shader_counts shader = {.block_count = 1, .records = {[WPG_RECORD_WORDS] = &record}};
    wpg_weights weights;
    wpg_arena arena;
    wpg_arena_init(&arena);
    assert_int_equal(wpg_weights_of_shader(&weights, &arena, &shader, 1), WPG_OK);
    const wpg_function_weights *function = &weights.functions[0];
    assert_int_equal(function->visit_count, 2);
    assert_int_equal(function->visits[0].waves, 70);
    assert_int_equal(function->visits[0].bits[0], 32);
    assert_int_equal(function->visits[0].bits[1], 0xffffffff);
    assert_int_equal(function->visits[1].bits[0], 64);
    assert_int_equal(function->visits[1].bits[1], 5);
    record.site_count = 5; /* an older profile, or a part of one */
    assert_int_equal(wpg_weights_of_shader(&weights, &arena, &shader, 1), WPG_OK);
    assert_int_equal(weights.functions[0].visit_count, 0);
    wpg_arena_finish(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(takes_counts_and_values),
                                       cmocka_unit_test(takes_visits)};
    return cmocka_run_group_tests_name("weights", tests, NULL, NULL);
}
