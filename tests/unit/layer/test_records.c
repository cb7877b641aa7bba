/* The records of a counted pipeline: what is the stage's, and what a function's that was left as a call. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "layer/profile/records.h"
#include "runtime/profile/profile.h"

enum { ENTRY_CHECKSUM = 0x11, CALLED_CHECKSUM = 0x22, COUNTERS = 4 };

/* A fragment stage of two functions, a block each: lanes in counters 0 and 1; sampled, counted late. */
static void fill(wpg_counted *counted, wpg_counter_map *map, wpg_function_counters functions[2],
                 uint32_t lanes[2])
{
    static char entry[] = "main";
    for (uint32_t i = 0; i < 2; i++) {
        lanes[i] = i;
        functions[i] = (wpg_function_counters){.ordinal = i,
                                               .checksum = i ? CALLED_CHECKSUM : ENTRY_CHECKSUM,
                                               .block_count = 1,
                                               .lanes = &lanes[i]};
    }
    *map = (wpg_counter_map){.functions = functions,
                             .function_count = 2,
                             .counter_count = COUNTERS,
                             .slots = 1,
                             .sample_rate = 2,
                             .seen_lanes = 2,
                             .seen_waves = WPG_NO_COUNTER,
                             .without_early_tests = true};
    counted->values[0] = 10;
    counted->values[1] = 20;
    counted->values[2] = 5;
    counted->stages[0] = (wpg_counted_stage){.shader = {1, 2}, .stage = "frag", .entry = entry, .map = map};
    counted->made = "";
}

static void expect(const wpg_profile *profile, const char *name, uint64_t checksum, uint64_t first)
{
    const wpg_profile_record *record = wpg_profile_find(profile, name, checksum);
    assert_non_null(record);
    assert_int_equal(record->counters[0], first);
}

#define SHADER "00000000000000020000000000000001.frag.main"

static void by_function(void **state)
{
    wpg_counter_slot slot = {.count = COUNTERS};
    wpg_counted *counted = wpg_counted_create((wpg_hash128){3, 4}, &slot, 1);
    wpg_profile *profile = wpg_profile_create();
    wpg_counter_map map;
    wpg_function_counters functions[2];
    uint32_t lanes[2];
    wpg_error err = {.message = ""};
    (void)state;
    assert_true(counted && profile);
    if (!counted->values)
        counted->values = calloc(COUNTERS, sizeof *counted->values);
    fill(counted, &map, functions, lanes);
    assert_int_equal(wpg_files_records(profile, counted, &err), WPG_OK);
    expect(profile, SHADER "#lanes", ENTRY_CHECKSUM, 10);
    expect(profile, SHADER ".fn1#lanes", CALLED_CHECKSUM, 20);
    expect(profile, SHADER "#late", ENTRY_CHECKSUM, 10);
    expect(profile, SHADER "#samples", ENTRY_CHECKSUM, 5);
    /* Nothing else: what is the stage's is not under the name of the last function. */
    for (size_t i = 0; i < wpg_profile_count(profile); i++)
        assert_true(strncmp(wpg_profile_at(profile, i)->name, SHADER ".fn1#", sizeof SHADER ".fn1#" - 1) !=
                        0 ||
                    wpg_profile_at(profile, i)->func_hash == CALLED_CHECKSUM);
    wpg_profile_destroy(profile);
    counted->stages[0] = (wpg_counted_stage){.map = NULL};
    wpg_counted_destroy(counted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_function)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
