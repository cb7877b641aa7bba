/* What the disk cache keeps beside the words: counter maps and remarks, there and back, and from bad bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "layer/base/map_codec.h"

static uint32_t lanes[] = {10, 11, WPG_NO_COUNTER, 12}, waves[] = {13, 14, WPG_NO_COUNTER, 15},
                selects[] = {16, 20};
static wpg_counter_sum sums[] = {{0, 2}, {2, 1}};
static wpg_counter_term terms[] = {{10, 1}, {23, -1}, {12, 8}};
static uint8_t methods[] = {WPG_METHOD_NAIVE, WPG_METHOD_EDGE, WPG_METHOD_NONE, WPG_METHOD_SUM};
static uint32_t first_word[] = {0, 1, 3, 3};
static wpg_probe_term words[] = {
    {WPG_TERM_CONSTANT, false, 900}, {WPG_TERM_LANES, false, 3}, {WPG_TERM_COUNTER, true, 23}};
static wpg_probe_table tables[] = {
    {.record = "branches", .word_count = 3, .first = first_word, .terms = words}};
/* An if without an else, and a block that nothing leads to. */
static uint8_t flags[] = {WPG_BLOCK_REACHABLE, WPG_BLOCK_REACHABLE | WPG_BLOCK_LOSES_LANES, 0,
                          WPG_BLOCK_REACHABLE};
static uint32_t first_edge[] = {0, 2, 3, 3, 3}, successors[] = {1, 3, 3};
static wpg_function_counters functions[] = {
    {.function = 4,
     .checksum = 0x0123456789abcdef,
     .kinds = WPG_KIND_LANES | WPG_KIND_WAVES | WPG_KIND_SELECTS,
     .block_count = 4,
     .flow = {4, flags, first_edge, successors},
     .lanes = lanes,
     .waves = waves,
     .methods = methods,
     .select_count = 2,
     .selects = selects,
     .table_count = 1,
     .tables = tables},
    {.function = 90, .ordinal = 1, .kinds = WPG_KIND_LANES, .block_count = 1, .lanes = lanes}};
static const wpg_counter_map sample = {.functions = functions,
                                       .function_count = 2,
                                       .first_counter = 10,
                                       .counter_count = 14,
                                       .slots = 1,
                                       .sums = sums,
                                       .sum_count = 2,
                                       .terms = terms,
                                       .term_count = 3,
                                       .without_early_tests = true,
                                       .over_budget = true,
                                       .sample_rate = 16,
                                       .seen_lanes = 22,
                                       .seen_waves = 23,
                                       .note = "a note"};

static void round_trip(void **state)
{
    (void)state;
    wpg_writer w = {0};
    wpg_counter_map *map;
    wpg_error err;
    wpg_map_encode(&w, &sample);
    wpg_reader r = wpg_reader_over(w.data, w.size);
    assert_int_equal(wpg_map_decode(&map, &r, &err), WPG_OK);
    assert_int_equal(r.at, w.size);
    assert_int_equal(map->function_count, 2);
    assert_int_equal(map->counter_count, 14);
    assert_int_equal(map->slots, 1);
    assert_true(map->without_early_tests && map->over_budget);
    assert_int_equal(map->sum_count, 2);
    assert_memory_equal(map->sums, sums, sizeof sums);
    assert_memory_equal(map->terms, terms, sizeof terms);
    assert_memory_equal(map->functions[0].methods, methods, sizeof methods);
    assert_int_equal(map->functions[0].flow.count, 4);
    assert_memory_equal(map->functions[0].flow.flags, flags, sizeof flags);
    assert_memory_equal(map->functions[0].flow.first, first_edge, sizeof first_edge);
    assert_memory_equal(map->functions[0].flow.successors, successors, sizeof successors);
    assert_int_equal(map->functions[1].flow.count, 0);
    uint64_t values[24] = {[10] = 7, [12] = 100, [23] = 3};
    assert_int_equal(wpg_counter_value(map, 10, values, 24), 7);
    assert_int_equal(wpg_counter_value(map, 10, values, 10), 0);
    assert_int_equal(wpg_counter_value(map, 24, values, 24), 4);
    assert_int_equal(wpg_counter_value(map, 25, values, 24), 800);
    assert_int_equal(wpg_counter_value(map, 26, values, 24), 0);
    values[10] = 0; /* ahead of what it is to be subtracted from */
    assert_int_equal(wpg_counter_value(map, 24, values, 24), 0);
    assert_int_equal(map->sample_rate, 16);
    assert_int_equal(map->seen_lanes, 22);
    assert_int_equal(map->seen_waves, 23);
    assert_string_equal(map->note, "a note");
    assert_memory_equal(map->functions[0].lanes, lanes, sizeof lanes);
    assert_memory_equal(map->functions[0].waves, waves, sizeof waves);
    assert_null(map->functions[0].uniform); /* absent stays absent */
    assert_memory_equal(map->functions[0].selects, selects, sizeof selects);
    const wpg_probe_table *table = map->functions[0].tables;
    assert_int_equal(map->functions[0].table_count, 1);
    assert_string_equal(table->record, "branches");
    assert_int_equal(table->word_count, 3);
    assert_memory_equal(table->first, first_word, sizeof first_word);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(table->terms[i].source, words[i].source);
        assert_int_equal(table->terms[i].minus, words[i].minus);
        assert_int_equal(table->terms[i].index, words[i].index);
    }
    assert_true(map->functions[0].checksum == functions[0].checksum);
    assert_int_equal(map->functions[1].ordinal, 1);
    wpg_counter_map_destroy(map);
    wpg_writer_finish(&w);
}

static void check_tables(const wpg_counter_map *map)
{
    for (uint32_t f = 0; f < map->function_count; f++)
        for (uint32_t i = 0; i < map->functions[f].table_count; i++) {
            const wpg_probe_table *table = &map->functions[f].tables[i];
            for (uint32_t t = 0; t < table->first[table->word_count]; t++) {
                uint32_t index = table->terms[t].index;
                assert_true(table->terms[t].source < WPG_TERM_SOURCES);
                if (table->terms[t].source == WPG_TERM_COUNTER)
                    assert_true(index - map->first_counter < map->counter_count);
                else if (table->terms[t].source != WPG_TERM_CONSTANT)
                    assert_true(index < map->functions[f].block_count);
            }
        }
}

/* Cut anywhere: refused. Changed anywhere: refused or a map whose every index is in range, never a crash. */
static void bad_bytes(void **state)
{
    (void)state;
    wpg_writer w = {0};
    wpg_counter_map *map;
    wpg_map_encode(&w, &sample);
    for (size_t i = 0; i < w.size; i++) {
        uint8_t *cut = malloc(i ? i : 1); /* its own allocation: a read beyond it is seen by the sanitizer */
        memcpy(cut, w.data, i);
        wpg_reader r = wpg_reader_over(cut, i);
        assert_int_equal(wpg_map_decode(&map, &r, NULL), WPG_E_FORMAT);
        free(cut);
        for (unsigned bit = 0; bit < 8; bit++) {
            w.data[i] ^= (uint8_t)(1u << bit);
            r = wpg_reader_over(w.data, w.size);
            if (wpg_map_decode(&map, &r, NULL) == WPG_OK) {
                for (uint32_t f = 0; f < map->function_count; f++)
                    for (uint32_t b = 0; map->functions[f].lanes && b < map->functions[f].block_count; b++)
                        assert_true(map->functions[f].lanes[b] == WPG_NO_COUNTER ||
                                    map->functions[f].lanes[b] - map->first_counter <
                                        map->counter_count + map->sum_count);
                check_tables(map);
                wpg_counter_map_destroy(map);
            }
            w.data[i] ^= (uint8_t)(1u << bit);
        }
    }
    wpg_writer_finish(&w);
}

/* A reservoir comes back; its places are read as the shader fills them; one that ends beyond the stage's
 * counters, or has more words than there are sites, is refused. */
static void reservoirs(void **state)
{
    (void)state;
    enum { FIRST = 10, WIDTH = 3, COUNTERS = WPG_RESERVOIR_COUNTERS(WIDTH), HAVE = FIRST + COUNTERS };
    wpg_probe_site sites[WIDTH] = {{WPG_NO_COUNTER, 0}, {WPG_NO_COUNTER, 0}, {WPG_NO_COUNTER, 0}};
    wpg_probe_term one = {WPG_TERM_CONSTANT, false, 1};
    uint32_t first[] = {0, 1};
    wpg_probe_table table = {"words", 1, first, &one, WIDTH, sites, 0, NULL, {FIRST, WIDTH}};
    wpg_function_counters function = {.block_count = 1, .lanes = lanes, .table_count = 1, .tables = &table};
    wpg_counter_map map = {.functions = &function,
                           .function_count = 1,
                           .first_counter = FIRST,
                           .counter_count = COUNTERS,
                           .slots = 1};
    wpg_writer w = {0};
    wpg_counter_map *back;
    wpg_map_encode(&w, &map);
    wpg_reader r = wpg_reader_over(w.data, w.size);
    assert_int_equal(wpg_map_decode(&back, &r, NULL), WPG_OK);
    const wpg_probe_reservoir *read = &back->functions[0].tables[0].reservoir;
    assert_int_equal(read->width, WIDTH);
    uint64_t values[HAVE] = {[FIRST] = 2, [FIRST + 3] = UINT64_C(5) << 32 | 4, [FIRST + 4] = 6}, offered;
    assert_int_equal(wpg_probe_samples(&offered, read, values, HAVE - 1), 0);
    assert_int_equal(wpg_probe_samples(&offered, read, values, HAVE), 2);
    assert_int_equal(offered, 2);
    for (uint32_t i = 0; i < WIDTH; i++)
        assert_int_equal(wpg_probe_sample_word(read, 1, i, values), 4 + i);
    values[FIRST] = 1000;
    assert_int_equal(wpg_probe_samples(&offered, read, values, HAVE), WPG_RESERVOIR_PLACES);
    assert_int_equal(offered, 1000);
    wpg_counter_map_destroy(back);
    wpg_writer_finish(&w);
    for (unsigned wrong = 0; wrong < 2; wrong++) {
        w = (wpg_writer){0};
        map.counter_count = wrong ? COUNTERS - 1 : COUNTERS;
        table.site_count = wrong ? WIDTH : WIDTH - 1;
        wpg_map_encode(&w, &map);
        r = wpg_reader_over(w.data, w.size);
        assert_int_not_equal(wpg_map_decode(&back, &r, NULL), WPG_OK);
        wpg_writer_finish(&w);
    }
}

/* Value sites come back; tables of values are read as the shader fills them; one that ends beyond the stage's
 * counters is refused. */
static void value_sites(void **state)
{
    (void)state;
    enum { FIRST = 10, AT = FIRST + 1, HAVE = AT + WPG_VALUES_COUNTERS };
    wpg_probe_site sites[] = {{WPG_NO_COUNTER, WPG_ORDER_UNSIGNED}, {AT, WPG_ORDER_SIGNED}};
    wpg_probe_term one = {WPG_TERM_CONSTANT, false, 1};
    uint32_t first[] = {0, 1};
    wpg_probe_range range = {AT + WPG_VALUES_ZERO, 0};
    wpg_probe_table table = {"values", 1, first, &one, 2, sites, 1, &range, {0}};
    wpg_function_counters function = {.block_count = 1, .lanes = lanes, .table_count = 1, .tables = &table};
    wpg_counter_map map = {.functions = &function,
                           .function_count = 1,
                           .first_counter = FIRST,
                           .counter_count = 1 + WPG_VALUES_COUNTERS,
                           .slots = 1};
    wpg_writer w = {0};
    wpg_counter_map *back;
    wpg_map_encode(&w, &map);
    wpg_reader r = wpg_reader_over(w.data, w.size);
    assert_int_equal(wpg_map_decode(&back, &r, NULL), WPG_OK);
    const wpg_probe_table *read = back->functions[0].tables;
    assert_int_equal(read->site_count, 2);
    assert_int_equal(read->range_count, 1);
    assert_int_equal(read->ranges[0].first, AT + WPG_VALUES_ZERO);
    uint64_t values[HAVE] = {[AT + WPG_VALUES_ZERO] = 5,
                             [AT + WPG_VALUES_VALUE(3)] = UINT64_C(0x1fffffffe),
                             [AT + WPG_VALUES_COUNT(3)] = 7,
                             [AT + WPG_VALUES_VALUE(4)] = 9, /* taken, not counted yet */
                             [AT + WPG_VALUES_OTHERS] = 2,
                             [AT + WPG_VALUES_GREATEST] = UINT32_C(0x80000004),
                             [AT + WPG_VALUES_LEAST] = ~UINT32_C(0x7ffffffd)};
    wpg_value_count pairs[WPG_VALUES_ENTRIES + 1];
    uint64_t extremes[2];
    assert_int_equal(wpg_probe_pairs(pairs, &read->sites[0], values, HAVE), 0);
    assert_int_equal(wpg_probe_pairs(pairs, &read->sites[1], values, HAVE - 1), 0);
    assert_int_equal(wpg_probe_pairs(pairs, &read->sites[1], values, HAVE), 2);
    assert_true(pairs[0].value == 0 && pairs[0].count == 5);
    assert_true(pairs[1].value == 0xfffffffe && pairs[1].count == 7);
    assert_true(wpg_probe_extremes(extremes, &read->sites[1], values, HAVE));
    assert_true(extremes[0] == 0xfffffffd && extremes[1] == 4); /* -3, 4 */
    values[AT + WPG_VALUES_OTHERS] = 0;
    assert_false(wpg_probe_extremes(extremes, &read->sites[1], values, HAVE));
    wpg_counter_map_destroy(back);
    wpg_writer_finish(&w);
    sites[1].first++;
    wpg_map_encode(&w, &map);
    r = wpg_reader_over(w.data, w.size);
    assert_int_equal(wpg_map_decode(&back, &r, NULL), WPG_E_FORMAT);
    wpg_writer_finish(&w);
}

static void index_out_of_range(void **state)
{
    (void)state;
    wpg_counter_map wrong = sample;
    wpg_counter_map *map;
    wpg_error err;
    wrong.counter_count = 9;
    wrong.sum_count = 0; /* the second select's counters end beyond it */
    wpg_writer w = {0};
    wpg_map_encode(&w, &wrong);
    wpg_reader r = wpg_reader_over(w.data, w.size);
    assert_int_equal(wpg_map_decode(&map, &r, &err), WPG_E_FORMAT);
    wpg_writer_finish(&w);
}

static void remarks(void **state)
{
    (void)state;
    wpg_remark items[] = {{WPG_REMARK_DONE, "annotate", 0, 3, "loop unrolled"},
                          {WPG_REMARK_REFUSED, "unflatten", 1, 7, "too cheap"}};
    wpg_remarks from = {.items = items,
                        .count = 2,
                        .mismatch = true,
                        .wave_size = 32,
                        .push_words = UINT64_C(1) << 63 | 5,
                        .tests = {{1, 2, 300, 0xffffffff}, {0, 7, 4, 1}},
                        .test_count = 2},
                *to;
    wpg_error err;
    wpg_writer w = {0};
    wpg_remarks_encode(&w, &from);
    wpg_reader r = wpg_reader_over(w.data, w.size);
    assert_int_equal(wpg_remarks_decode(&to, &r, &err), WPG_OK);
    assert_int_equal(to->count, 2);
    assert_true(to->mismatch);
    assert_int_equal(to->wave_size, 32);
    assert_true(to->push_words == from.push_words);
    assert_int_equal(to->test_count, 2);
    assert_memory_equal(to->tests, from.tests, 2 * sizeof *from.tests);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(to->items[i].kind, items[i].kind);
        assert_string_equal(to->items[i].pass, items[i].pass);
        assert_string_equal(to->items[i].text, items[i].text);
        assert_int_equal(to->items[i].block, items[i].block);
    }
    wpg_remarks_destroy(to);
    for (size_t i = 0; i < w.size; i++) {
        r = wpg_reader_over(w.data, i);
        assert_int_equal(wpg_remarks_decode(&to, &r, NULL), WPG_E_FORMAT);
    }
    wpg_writer_finish(&w);
    w = (wpg_writer){0};
    wpg_remarks_encode(&w, NULL);
    r = wpg_reader_over(w.data, w.size);
    assert_int_equal(wpg_remarks_decode(&to, &r, &err), WPG_OK);
    assert_int_equal(to->count, 0);
    wpg_remarks_destroy(to);
    wpg_writer_finish(&w);
}

enum { PATHS_FIRST = 10, PATHS_COUNTERS = 100, PATHS_HAVE = PATHS_FIRST + PATHS_COUNTERS };

/* Two tallies, at 10 and 14; four places of two words at 24, twice four counts at 28. */
static const wpg_counter_path good_path = {.table = {.first = 24, .words = 2, .bits = 2, .copies = 2},
                                           .full = 10,
                                           .size = 8,
                                           .lanes = {0, 0, 8, 0},
                                           .count = 2};

/* NULL if the map is refused when it is read back. */
static wpg_counter_map *fields_back(wpg_counter_path path, wpg_path_field *fields, uint32_t count,
                                    wpg_counter_spread spread)
{
    wpg_counter_map map = {.first_counter = PATHS_FIRST,
                           .counter_count = PATHS_COUNTERS,
                           .slots = 1,
                           .paths = &path,
                           .path_count = 1,
                           .path_fields = fields,
                           .path_field_count = count,
                           .spreads = &spread,
                           .spread_count = 1};
    wpg_writer w = {0};
    wpg_counter_map *back = NULL;
    wpg_map_encode(&w, &map);
    wpg_reader r = wpg_reader_over(w.data, w.size);
    if (wpg_map_decode(&back, &r, NULL) != WPG_OK)
        back = NULL;
    wpg_writer_finish(&w);
    return back;
}

static wpg_counter_map *paths_back(wpg_counter_path path, wpg_path_field last, wpg_counter_spread spread)
{
    wpg_path_field fields[2] = {{0, 8, 1, 0}, last};
    return fields_back(path, fields, 2, spread);
}

/* Waves whose lanes differ: a tally to which all lanes came, a mark, and one with numbers of its own. */
static void mixed_waves(void **state)
{
    (void)state;
    wpg_path_field fields[WPG_WAVE_FIELDS * PATHS_COUNTERS] = {
        {0}, {1, 28, 2, 0}, {0}, {0, 9, 4, 0}, {0}, {0}, {1, 0, 10, 0}, {1, 10, 8, 0}, {1, 18, 8, 0}};
    wpg_counter_path path = good_path;
    path.mixed = true;
    path.count = 3;
    wpg_counter_map *map = fields_back(path, fields, 9, (wpg_counter_spread){.counter = 90, .first = 40});
    assert_non_null(map);
    uint64_t values[PATHS_HAVE] = {0};
    const uint64_t written = UINT64_C(1) << 30, all = 1 << 8;
    values[24] = (written | 3 << 9 | all | 8) << 32; /* place 1: eight lanes, all of E; 3 have the mark */
    values[26] = (written | 2u << 28 | 1 << 18 | 5 << 10 | 12) << 32;
    values[25] = written | 5 << 9 | 5; /* place 2: five lanes, some had left; all have the mark */
    values[27] = written | 1 << 28 | 2 << 18 | 2 << 10 | 16;
    values[28 + 1] = 3; /* place 1, in both copies */
    values[32 + 1] = 4;
    values[28 + 2] = 2;
    /* Place 1: twice by all, once by three, 12 lanes in 5 waves, one uniform. Place 2: once by five lanes,
     * once by five, and 16 lanes in two uniform waves, which are full. */
    const uint64_t expected[] = {14, 10, 2, 0, 0, 31, 9, 0, 4, 84, 35, 7};
    for (uint32_t i = 0; i < 12; i++)
        assert_int_equal(wpg_counter_value(map, 10 + i, values, PATHS_HAVE), expected[i]);
    wpg_counter_map_destroy(map);
    path.count = PATHS_COUNTERS; /* more fields than there are */
    assert_null(fields_back(path, fields, 9, (wpg_counter_spread){.counter = 90, .first = 40}));
}

/* A table without keys: waves of at most two lanes, which all came to the start and some to a mark. */
static void keys_by_place(void **state)
{
    (void)state;
    wpg_path_field fields[2 * WPG_WAVE_FIELDS] = {{0}, {.plus = 1}, {0}, {0, 9, 2, 0}, {0}, {0}};
    const wpg_counter_spread spread = {.counter = 90, .first = 40};
    wpg_counter_path path = good_path;
    path.mixed = true;
    path.count = 2;
    path.table.words = 1;
    path.table.bits = 3;
    path.table.most = 2;
    wpg_counter_map *map = fields_back(path, fields, 6, spread);
    assert_non_null(map);
    assert_int_equal(map->paths[0].table.most, 2);
    assert_false(map->paths[0].table.part);
    uint64_t values[PATHS_HAVE] = {0};
    values[path.table.first + 1 + 2] = 3; /* two lanes, one with the mark */
    values[path.table.first + 8 + 2] = 2; /* in the other copy: one lane, with the mark */
    values[path.table.first + 7] = 9;     /* no such wave */
    const uint64_t expected[] = {0, 8, 5, 5, 0, 5, 5, 2};
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(wpg_counter_value(map, 10 + i, values, PATHS_HAVE), expected[i]);
    wpg_counter_map_destroy(map);
    path.table.part = true; /* one lane, as another had left, with the mark */
    map = fields_back(path, fields, 6, spread);
    assert_non_null(map);
    memset(values, 0, sizeof values);
    values[path.table.first + 4] = 1;
    const uint64_t of_part[] = {0, 1, 1, 0, 0, 1, 1, 0};
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(wpg_counter_value(map, 10 + i, values, PATHS_HAVE), of_part[i]);
    wpg_counter_map_destroy(map);
    path.table.most = WPG_PATH_LANES + 1;
    assert_null(fields_back(path, fields, 6, spread));
    path.table.most = 2;
    path.table.words = 2;
    assert_null(fields_back(path, fields, 6, spread));
    path.table.words = 1;
    path.mixed = false;
    assert_null(fields_back(path, fields, 2, spread));
}

/* What paths and copies add to counters; tables and fields that lie elsewhere are refused. */
static void paths(void **state)
{
    (void)state;
    const wpg_path_field visits = {1, 0, 16, 1};
    const wpg_counter_spread spread = {.counter = 18, .first = 40};
    wpg_counter_map *map = paths_back(good_path, visits, spread);
    assert_non_null(map);
    uint64_t values[PATHS_HAVE] = {0};
    const uint64_t written = UINT64_C(1) << 30;
    values[10] = 100;
    values[24] = (written | 1 << 8 | 8) << 32; /* place 1: eight lanes, which came once and 5 + 1 times */
    values[26] = (written | 5) << 32;
    values[25] = written | 1 << 8 | 3; /* place 2: three lanes, once and 2 + 1 times */
    values[27] = written | 2;
    values[28 + 1] = 3; /* place 1, in both copies */
    values[32 + 1] = 4;
    values[28 + 2] = 2;
    const uint64_t expected[] = {107, 6, 2, 2, 42, 18, 6, 6};
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(wpg_counter_value(map, 10 + i, values, PATHS_HAVE), expected[i]);
    assert_int_equal(wpg_counter_value(map, 10, values, 35), 100); /* a table that is not all there */
    values[18] = 1;
    values[40] = 2;
    values[96] = 3;
    assert_int_equal(wpg_counter_value(map, 18, values, PATHS_HAVE), 6);
    wpg_counter_map_destroy(map);
    wpg_counter_path bad[6];
    for (size_t i = 0; i < 6; i++)
        bad[i] = good_path;
    bad[0].table.first = PATHS_HAVE - 11; /* one counter too short */
    bad[1].table.words = WPG_PATH_WORDS + 1;
    bad[2].table.bits = 0;
    bad[3].table.copies = 0;
    bad[4].full = PATHS_HAVE - 7;
    bad[5].lanes.word = 2;
    for (size_t i = 0; i < 6; i++)
        assert_null(paths_back(bad[i], visits, spread));
    assert_null(paths_back(good_path, (wpg_path_field){1, 15, 16, 0}, spread));
    assert_null(paths_back(good_path, visits, (wpg_counter_spread){.counter = 18, .first = 54}));
    assert_null(paths_back(good_path, visits, (wpg_counter_spread){.counter = PATHS_HAVE, .first = 40}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(round_trip),    cmocka_unit_test(bad_bytes),
                                       cmocka_unit_test(value_sites),   cmocka_unit_test(reservoirs),
                                       cmocka_unit_test(paths),         cmocka_unit_test(mixed_waves),
                                       cmocka_unit_test(keys_by_place), cmocka_unit_test(index_out_of_range),
                                       cmocka_unit_test(remarks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
