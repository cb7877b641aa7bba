/* Fuzzes use mode: a valid module is normalised and optimised by a made-up profile, any push constants, any
 * thresholds and any choice of passes, or refused. What comes out is valid, and the same the second time. */
#include "compiler/instrument/code/instrument.h"
#include "compiler/optimize/ir/optimize.h"
#include "tests/fuzz/common/spirv.h"
#include "tests/support/weights.h"

/* Counts of any size in some places of the profile, in half of the inputs. */
static void spoil(const wpg_function_weights *weights, const uint8_t choices[4])
{
    static const uint64_t some[] = {0, 1, 7, 8000, UINT64_C(1) << 32, UINT64_MAX};
    uint64_t *counts = (uint64_t *)(uintptr_t)weights->lanes, state = choices[3] + UINT64_C(1);
    for (uint32_t i = 0; (choices[2] & 1) && i < weights->block_count * 3; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        if (state >> 62 == 0)
            counts[i] = some[(state >> 32) % (sizeof some / sizeof *some)];
    }
}

/* Every word of the push constants has a value, small ones mostly, in half of the inputs. */
static uint32_t pushes_of(wpg_push_value values[WPG_PUSH_FOLD_WORDS], const uint8_t choices[4])
{
    static const uint32_t some[] = {0, 1, 2, 5, 0x3f800000, 0x80000000, 0x7fc12345, UINT32_MAX};
    for (uint32_t i = 0; i < WPG_PUSH_FOLD_WORDS; i++)
        values[i] = (wpg_push_value){i * 4, some[(choices[3] + i * (1u + (choices[3] >> 4))) % 8]};
    return (choices[2] >> 3 ^ choices[3]) & 1 ? WPG_PUSH_FOLD_WORDS : 0; /* seeds: by choices[2] */
}

static wpg_optimize_options options_of(const uint8_t choices[4])
{
    wpg_optimize_options options;
    wpg_optimize_defaults(&options);
    if (choices[2] & 2)
        options.unflatten_cost = 1;
    if (choices[2] & 4)
        options.rare_share = 1;
    if (choices[2] & 8)
        options.uniform_share = 0;
    options.max_guarded_trips = 1u << (choices[2] >> 4 & 7);
    options.scalarise = choices[1] & 1;
    options.floats = (wpg_float_choice)((choices[0] >> 1 ^ choices[1] >> 2) & 3);
    if (choices[2] & 128)
        options.max_growth = 100000;
    options.outputs.known = choices[1] & 2;
    options.measure = choices[0] & 1;
    for (uint32_t i = 0; i < WPG_OUTPUT_LOCATIONS; i++)
        options.outputs.read[i] = choices[1] >> (2 + i % 6) & 1 ? 15 : 0;
    return options;
}

/* The profile of every function that the counter map names; NULL when memory runs out. */
static wpg_function_weights *profile(const wpg_module *normal, const wpg_counter_map *map,
                                     const uint8_t choices[4])
{
    wpg_function_weights *functions = calloc(map->function_count + 1u, sizeof *functions);
    fuzz_check(functions != NULL, "memory");
    for (uint32_t f = 0; f < map->function_count; f++) {
        fuzz_check(test_weights(&functions[f], normal, &map->functions[f], choices[1], NULL), "profile");
        spoil(&functions[f], choices);
    }
    return functions;
}

/* Sets in which some words follow from others: two sets, each word with the given value in one or both. */
static void count_sets(wpg_push_sets *sets, const wpg_optimize_options *options, uint8_t choice)
{
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t values[WPG_PUSH_SET_WORDS] = {0};
        uint64_t words = 0;
        for (uint32_t p = 0; p < options->push_count; p++) {
            const uint32_t word = options->pushes[p].offset / 4;
            words |= UINT64_C(1) << word;
            values[word] = options->pushes[p].value + (i && choice >> word % 8 & 1);
        }
        wpg_push_sets_count(sets, words, values, 50, 0);
    }
}

/* Inputs as constants: any of them with any value. Nothing but a few constants is left of it. */
static void ask_inputs(wpg_module *module, const wpg_stage *stage, const wpg_weights *weights,
                       const uint8_t choices[4])
{
    wpg_known_input known[8];
    double saving;
    for (uint32_t i = 0; i < 8; i++)
        known[i] = (wpg_known_input){i, (uint32_t)choices[3] * 0x01010101u << i};
    for (size_t count = 8; count > 0; count--)
        if (wpg_inputs_what_if(&saving, module, stage, weights, known, count, wpg_ssa_tier, NULL) == WPG_OK) {
            fuzz_check(saving <= 1, "a saving of more than there is");
            return;
        }
}

/* Words after normalising and optimising, malloc'd; NULL if refused or nothing was done. */
static uint32_t *optimised(size_t *count, const fuzz_module *input)
{
    wpg_push_value pushes[WPG_PUSH_FOLD_WORDS];
    wpg_push_sets sets = {0};
    wpg_optimize_options options = options_of(input->choices);
    wpg_counter_map *map;
    wpg_remarks *remarks = NULL;
    wpg_stage stage;
    char name[64];
    bool changed = false;
    uint32_t *words = NULL;
    options.pushes = pushes;
    options.push_along = (uint64_t)(input->choices[2] ^ input->choices[3]) * UINT64_C(0x0101010101010101);
    options.push_count = pushes_of(pushes, input->choices);
    if (input->choices[1] & 2) {
        count_sets(&sets, &options, input->choices[3]);
        options.push_sets = &sets;
    }
    wpg_module *module = fuzz_normal_form(&stage, name, input);
    if (module && test_plan(&map, module, &stage, NULL) == WPG_OK) {
        wpg_function_weights *functions = profile(module, map, input->choices);
        const wpg_weights weights = {functions, map->function_count};
        if (stage.model == SpvExecutionModelFragment && input->choices[0] & 1)
            ask_inputs(module, &stage, &weights, input->choices);
        if (wpg_optimize(&remarks, &changed, &module, &stage, &weights, &options, wpg_ssa_tier, NULL) ==
                WPG_OK &&
            changed)
            fuzz_check(wpg_module_emit(&words, count, module, NULL) == WPG_OK, "emit");
        for (uint32_t f = 0; f < map->function_count; f++)
            test_weights_finish(&functions[f]);
        free(functions);
        wpg_remarks_destroy(remarks);
        wpg_counter_map_destroy(map);
    }
    wpg_module_destroy(module);
    wpg_push_sets_finish(&sets);
    return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_check_valid_input(optimised, data, size);
    return 0;
}
