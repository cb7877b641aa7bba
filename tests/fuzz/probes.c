/* Fuzzes instrumenting with everything on: a valid module, mutated so that it mostly stays valid, is
 * normalised and instrumented with any probes, strategy, sampling and target, or refused. What comes out is
 * valid, the same the second time, and a counter map whose words can be read from any memory. spirv-val is
 * the judge on both sides. */
#include "compiler/instrument/code/instrument.h"
#include "tests/fuzz/common/spirv.h"

static wpg_instrument_options options_of(const uint8_t choices[4])
{
    static const uint32_t samples[] = {1, 3, 16, 65536};
    bool waves = !(choices[1] & 1) || choices[1] & 2;
    return (wpg_instrument_options){
        .target = {.subgroup_basic = waves,
                   .subgroup_ballot = waves,
                   .subgroup_arithmetic = !(choices[1] & 4),
                   .subgroup_size = choices[1] & 8 ? 0 : 32,
                   .int64_atomics = choices[1] & 16,
                   .demote_to_helper = choices[1] & 32,
                   .early_tests = choices[1] & 64,
                   .memory_model_device_scope = choices[1] & 128,
                   .max_spirv_minor = choices[2] & 128 ? 0 : 6},
        .directory_entry = 0x1000,
        .by_binding = choices[1] & 2 && choices[3] & 1,
        .counter_set = choices[3] >> 1,
        .first_counter = choices[3],
        .select_sites = choices[2] & 1,
        .strategy = (wpg_strategy_choice)(choices[2] >> 1 & 7) % (WPG_STRATEGY_LANE + 1),
        .probes = (choices[0] ^ WPG_PROBES_ALL) & (WPG_PROBES_ALL | WPG_PROBE_EVERY),
        .sample = samples[choices[2] >> 4 & 3],
        .sample_seed = choices[3],
        .high_start = choices[2] & 64};
}

/* Every word and value of every probe, from memory that is too short, too. */
static void read_all(const wpg_counter_map *map)
{
    enum { MOST = 4096 };
    static uint64_t values[MOST];
    for (size_t i = 0; i < MOST; i++)
        values[i] = i * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t have = 0; have <= MOST; have += MOST / 2)
        for (uint32_t f = 0; f < map->function_count; f++)
            for (uint32_t t = 0; t < map->functions[f].table_count; t++) {
                const wpg_probe_table *table = &map->functions[f].tables[t];
                wpg_value_count pairs[WPG_VALUES_ENTRIES + 1];
                uint64_t extremes[2];
                for (uint32_t w = 0; w < table->word_count; w++)
                    (void)wpg_probe_value(map, &map->functions[f], table, w, values, have);
                for (uint32_t s = 0; s < table->site_count; s++)
                    if (wpg_probe_pairs(pairs, &table->sites[s], values, have) <= WPG_VALUES_ENTRIES + 1)
                        (void)wpg_probe_extremes(extremes, &table->sites[s], values, have);
                for (uint32_t r = 0; r < table->range_count; r++)
                    (void)wpg_probe_range_value(extremes, &table->ranges[r], values, have);
            }
}

/* Words after normalising and instrumenting, malloc'd; NULL if refused. */
static uint32_t *instrumented(size_t *count, const fuzz_module *input)
{
    const wpg_instrument_options options = options_of(input->choices);
    wpg_counter_map *map;
    wpg_stage stage;
    char name[64];
    uint32_t *words = NULL;
    wpg_module *module = fuzz_normal_form(&stage, name, input);
    if (module && wpg_instrument(&map, module, &stage, &options, NULL) == WPG_OK) {
        fuzz_check(wpg_module_emit(&words, count, module, NULL) == WPG_OK, "emit");
        read_all(map);
        wpg_counter_map_destroy(map);
    }
    wpg_module_destroy(module);
    return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_check_valid_input(instrumented, data, size);
    return 0;
}
