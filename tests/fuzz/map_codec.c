/* Fuzzes what the disk cache keeps beside the words: a counter map, then remarks. What is read is written and
 * read again as the same, and every count of it can be asked for, from memory that is too short, too. */
#include "layer/base/map_codec.h"
#include "tests/fuzz/common/fuzz.h"

/* A seed with some of everything. */
static void write_seed(wpg_writer *out)
{
    static uint32_t indices[] = {10, 11, WPG_NO_COUNTER, 74}, selects[] = {16, 20}, first[] = {0, 1, 3};
    static uint8_t methods[] = {WPG_METHOD_NAIVE, WPG_METHOD_EDGE, WPG_METHOD_NONE, WPG_METHOD_SUM};
    static wpg_counter_term terms[] = {{10, 1}, {23, -1}, {12, 8}};
    static wpg_counter_sum sums[] = {{0, 2}, {2, 1}};
    static wpg_probe_term words[] = {
        {WPG_TERM_CONSTANT, false, 900}, {WPG_TERM_LANES, false, 3}, {WPG_TERM_COUNTER, true, 23}};
    static wpg_probe_site sites[] = {{WPG_NO_COUNTER, WPG_ORDER_UNSIGNED}};
    static wpg_probe_range ranges[] = {{12, 1}};
    static wpg_probe_table table = {"trips", 2, first, words, 1, sites, 1, ranges, {24, 1}};
    static wpg_function_counters function = {.function = 4,
                                             .checksum = 0x0123456789abcdef,
                                             .kinds = WPG_KIND_LANES | WPG_KIND_WAVES | WPG_KIND_SELECTS,
                                             .block_count = 4,
                                             .lanes = indices,
                                             .waves = indices,
                                             .methods = methods,
                                             .select_count = 2,
                                             .selects = selects,
                                             .table_count = 1,
                                             .tables = &table};
    static const wpg_counter_map map = {.functions = &function,
                                        .function_count = 1,
                                        .first_counter = 10,
                                        .counter_count = 64,
                                        .slots = 1,
                                        .sums = sums,
                                        .sum_count = 2,
                                        .terms = terms,
                                        .term_count = 3,
                                        .sample_rate = 16,
                                        .seen_lanes = 22,
                                        .seen_waves = 23,
                                        .note = "a note"};
    static wpg_remark remark = {WPG_REMARK_DONE, "unflatten", 0, 3, "done"};
    static const wpg_remarks remarks = {
        .items = &remark, .count = 1, .push_words = 3, .tests = {{0, 1, 16, 5}}, .test_count = 1};
    wpg_map_encode(out, &map);
    wpg_remarks_encode(out, &remarks);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    wpg_writer out = {0};
    (void)argc, (void)argv;
    write_seed(&out);
    fuzz_seed("map", out.data, out.size);
    wpg_writer_finish(&out);
    return 0;
}

static void ask(const wpg_counter_map *map)
{
    static const uint64_t values[64] = {[3] = 7, [40] = UINT64_MAX};
    for (uint32_t f = 0; f < map->function_count; f++) {
        const wpg_function_counters *function = &map->functions[f];
        for (uint32_t b = 0; b < function->block_count; b++) {
            if (function->lanes)
                (void)wpg_counter_value(map, function->lanes[b], values, 64);
            if (function->waves)
                (void)wpg_counter_value(map, function->waves[b], values, 64);
        }
        for (uint32_t t = 0; t < function->table_count; t++) {
            const wpg_probe_reservoir *kept = &function->tables[t].reservoir;
            uint64_t offered;
            for (uint32_t w = 0; w < function->tables[t].word_count; w++)
                (void)wpg_probe_value(map, function, &function->tables[t], w, values, 64);
            if (wpg_probe_samples(&offered, kept, values, 64))
                (void)wpg_probe_sample_word(kept, 0, kept->width - 1, values);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wpg_reader in = wpg_reader_over(data, size);
    wpg_counter_map *map, *again;
    wpg_remarks *remarks;
    wpg_writer out = {0}, out2 = {0};
    if (wpg_map_decode(&map, &in, NULL) == WPG_OK) {
        ask(map);
        wpg_map_encode(&out, map);
        wpg_reader back = wpg_reader_over(out.data, out.size);
        fuzz_check(wpg_map_decode(&again, &back, NULL) == WPG_OK, "own output is not read");
        wpg_map_encode(&out2, again);
        fuzz_check(out.size == out2.size && memcmp(out.data, out2.data, out.size) == 0, "own output changes");
        wpg_counter_map_destroy(again);
        wpg_counter_map_destroy(map);
    }
    if (wpg_remarks_decode(&remarks, &in, NULL) == WPG_OK)
        wpg_remarks_destroy(remarks);
    wpg_writer_finish(&out);
    wpg_writer_finish(&out2);
    return 0;
}
