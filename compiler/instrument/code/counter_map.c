/* Reads the counter map. */
#include "compiler/instrument/code/instrument.h"

#include <stdio.h>
#include <string.h>

uint32_t wpg_path_keys(const wpg_path_table *table)
{
    return table->most ? 0 : (uint32_t)table->words << (table->bits - 1);
}

uint32_t wpg_path_counters(const wpg_path_table *table)
{
    return wpg_path_keys(table) + ((uint32_t)table->copies << table->bits);
}

static uint32_t next_digit(uint32_t *place, uint32_t radix)
{
    const uint32_t digit = *place % radix;
    *place /= radix;
    return digit;
}

/* The one word of the key that the place itself tells; 0: no wave has that place. */
static uint32_t key_of_place(const wpg_counter_map *map, const wpg_counter_path *path, uint32_t place)
{
    const wpg_path_table *table = &path->table;
    const wpg_path_field *fields = &map->path_fields[path->first];
    uint32_t key = (next_digit(&place, table->most) + 1) << path->lanes.shift | UINT32_C(1) << WPG_KEY_BITS;
    key |= (table->part ? next_digit(&place, 2) : 1) << WPG_LANES_WIDTH;
    for (uint32_t i = 0; i < WPG_WAVE_FIELDS * path->count; i += WPG_WAVE_FIELDS) {
        if (fields[i].width)
            key |= next_digit(&place, table->most + UINT32_C(1)) << fields[i].shift;
        else if (fields[i + 1].width)
            key |= next_digit(&place, 2) << fields[i + 1].shift;
    }
    return place ? 0 : key;
}

/* Of the key at a place; 0 while it is not written. */
static uint32_t key_word(const wpg_counter_map *map, const wpg_counter_path *path, uint32_t word,
                         uint32_t place, const uint64_t *values)
{
    const wpg_path_table *table = &path->table;
    uint32_t at = (word << table->bits) + place;
    if (table->most)
        return key_of_place(map, path, place);
    return (uint32_t)(values[table->first + at / 2] >> at % 2 * 32);
}

static uint32_t number_in(uint32_t word, wpg_path_field field)
{
    return (word >> field.shift & ((UINT32_C(1) << field.width) - 1)) + field.plus;
}

/* What one wave adds to a counter of a tally that all its lanes came to so often. */
static uint64_t share_of_alike(uint32_t size, uint64_t lanes, uint64_t visits, uint32_t kind)
{
    if ((lanes == size) != (kind == 0))
        return 0;
    return visits * (kind == 1 ? lanes : 1);
}

uint32_t wpg_path_field_count(const wpg_counter_path *path)
{
    return path->count * (path->mixed ? WPG_WAVE_FIELDS : 1);
}

/* What one wave whose lanes differ adds: lanes, waves, uniform. */
static void numbers_of_wave(uint64_t numbers[3], const wpg_wave_fields *fields, const uint32_t words[3],
                            uint64_t lanes, bool all)
{
    const uint64_t waves = number_in(words[1], fields->waves);
    numbers[0] = number_in(words[0], fields->lanes);
    numbers[1] = waves;
    numbers[2] = number_in(words[2], fields->uniform);
    if (!fields->lanes.width) {
        numbers[0] = waves * lanes;
        numbers[2] = all ? waves : 0;
    } else if (!fields->waves.width) {
        numbers[1] = numbers[0] != 0;
        numbers[2] = all && numbers[0] == lanes;
    }
}

/* What one wave of that key adds to a counter of a tally. */
static uint64_t share_of_key(const wpg_counter_map *map, const wpg_counter_path *path, uint32_t tally,
                             uint32_t kind, uint32_t place, const uint64_t *values)
{
    const uint32_t of_lanes = key_word(map, path, path->lanes.word, place, values);
    const uint64_t lanes = number_in(of_lanes, path->lanes);
    const wpg_path_field *fields = &map->path_fields[path->first];
    if (!of_lanes)
        return 0;
    if (!path->mixed) {
        const uint32_t word = key_word(map, path, fields[tally].word, place, values);
        return word ? share_of_alike(path->size, lanes, number_in(word, fields[tally]), kind) : 0;
    }
    wpg_wave_fields of = {fields[WPG_WAVE_FIELDS * tally], fields[WPG_WAVE_FIELDS * tally + 1],
                          fields[WPG_WAVE_FIELDS * tally + 2]};
    const uint32_t words[] = {key_word(map, path, of.lanes.word, place, values),
                              key_word(map, path, of.waves.word, place, values),
                              key_word(map, path, of.uniform.word, place, values)};
    if (!words[0] || !words[1] || !words[2])
        return 0;
    uint64_t numbers[3];
    numbers_of_wave(numbers, &of, words, lanes, of_lanes >> WPG_LANES_WIDTH & 1);
    /* As wpg_memory_add_tally: one number tells all of visits by full waves. */
    if (numbers[1] == numbers[2] && numbers[0] == numbers[1] * path->size)
        return kind == 0 ? numbers[1] : 0;
    return kind == 0 ? 0 : numbers[kind - 1];
}

/* What the paths add to a tally's counter: 0 full, 1 lanes, 2 waves, 3 uniform. */
static uint64_t sum_of_paths(const wpg_counter_map *map, const wpg_counter_path *path, uint32_t tally,
                             uint32_t kind, const uint64_t *values)
{
    const wpg_path_table *table = &path->table;
    const uint64_t *counts = values + table->first + wpg_path_keys(table);
    uint64_t total = 0;
    for (uint32_t place = 0; place < UINT32_C(1) << table->bits; place++) {
        uint64_t count = 0;
        for (uint32_t copy = 0; copy < table->copies; copy++)
            count += counts[(copy << table->bits) + place];
        /* Read while waves are on their way, the count may be there before the key. */
        if (count)
            total += count * share_of_key(map, path, tally, kind, place, values);
    }
    return total;
}

static uint64_t counted_by_paths(const wpg_counter_map *map, uint32_t index, const uint64_t *values,
                                 size_t have)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < map->path_count; i++) {
        const wpg_counter_path *path = &map->paths[i];
        const uint32_t size = wpg_path_counters(&path->table), from = index - path->full;
        if (index >= path->full && from / WPG_TALLY_COUNTERS < path->count && have >= size &&
            path->table.first <= have - size)
            total += sum_of_paths(map, path, from / WPG_TALLY_COUNTERS, from % WPG_TALLY_COUNTERS, values);
    }
    return total;
}

static uint64_t counted_by_spread(const wpg_counter_map *map, uint32_t index, const uint64_t *values,
                                  size_t have)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < map->spread_count; i++)
        for (uint32_t copy = 0; map->spreads[i].counter == index && copy < WPG_COPIES; copy++) {
            size_t at = (size_t)map->spreads[i].first + (size_t)copy * WPG_SPREAD;
            total += at < have ? values[at] : 0;
        }
    return total;
}

/* A counter, all its copies added up. */
static uint64_t counter_sum(const wpg_counter_map *map, uint32_t index, const uint64_t *values, size_t have)
{
    uint64_t total = counted_by_paths(map, index, values, have) + counted_by_spread(map, index, values, have);
    uint64_t at = index;
    uint32_t copies = index >= map->first_counter && map->slots > 1 ? map->slots : 1;
    for (uint32_t i = 0; i < copies && at < have; i++, at += map->counter_count / copies)
        total += values[at];
    return total;
}

uint64_t wpg_counter_value(const wpg_counter_map *map, uint32_t index, const uint64_t *values, size_t have)
{
    uint32_t sum = index - map->first_counter - map->counter_count;
    if (index < map->first_counter || index - map->first_counter < map->counter_count ||
        sum >= map->sum_count)
        return counter_sum(map, index, values, have);
    uint64_t total = 0;
    for (uint32_t i = 0; i < map->sums[sum].count; i++) {
        const wpg_counter_term *term = &map->terms[map->sums[sum].first + i];
        total += counter_sum(map, term->counter, values, have) * (uint64_t)(int64_t)term->factor;
    }
    /* Read while waves are on their way, some counters of a difference may be ahead of others. */
    return total > UINT64_MAX / 2 ? 0 : total;
}

const char *wpg_method_name(wpg_method method)
{
    static const char *const names[] = {"none",  "lane", "naive",  "additive", "edge",
                                        "trips", "mark", "select", "sum"};
    return (unsigned)method < sizeof names / sizeof *names ? names[method] : "?";
}

void wpg_counter_map_describe(char *text, size_t size, const wpg_counter_map *map)
{
    uint32_t counts[WPG_METHOD_SUM + 1] = {0}, blocks = 0;
    for (uint32_t f = 0; f < map->function_count; f++) {
        const wpg_function_counters *function = &map->functions[f];
        blocks += function->block_count;
        for (uint32_t b = 0; function->methods && b < function->block_count; b++)
            counts[function->methods[b] <= WPG_METHOD_SUM ? function->methods[b] : 0]++;
    }
    int used = snprintf(text, size, "%u blocks", blocks);
    for (uint32_t m = 1; m <= WPG_METHOD_SUM; m++)
        if (counts[m] && used >= 0 && (size_t)used < size)
            used += snprintf(text + used, size - (size_t)used, ", %u %s", counts[m],
                             wpg_method_name((wpg_method)m));
    if (used >= 0 && (size_t)used < size)
        (void)snprintf(text + used, size - (size_t)used, "; %u private counters, %u in memory", map->cells,
                       map->counter_count);
}

void wpg_counter_map_destroy(wpg_counter_map *map)
{
    if (!map)
        return;
    wpg_arena arena = map->arena;
    wpg_arena_finish(&arena);
}

bool wpg_strategy_find(wpg_strategy_choice *choice, const char *name)
{
    static const char *const names[] = {"auto", "derived", "additive", "naive", "slots", "lane"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *choice = (wpg_strategy_choice)i;
            return true;
        }
    return false;
}

static uint64_t term_value(const wpg_counter_map *map, const wpg_function_counters *function,
                           const wpg_probe_term *term, const uint64_t *values, size_t have)
{
    const uint32_t *blocks = NULL;
    switch ((wpg_term_source)term->source) {
    case WPG_TERM_CONSTANT:
        return term->index;
    case WPG_TERM_COUNTER:
        return wpg_counter_value(map, term->index, values, have);
    case WPG_TERM_LANES:
        blocks = function->lanes;
        break;
    case WPG_TERM_WAVES:
        blocks = function->waves;
        break;
    case WPG_TERM_UNIFORM:
        blocks = function->uniform;
        break;
    default:
        break;
    }
    return blocks ? wpg_counter_value(map, blocks[term->index], values, have) : 0;
}

uint64_t wpg_probe_value(const wpg_counter_map *map, const wpg_function_counters *function,
                         const wpg_probe_table *table, uint32_t word, const uint64_t *values, size_t have)
{
    uint64_t plus = 0, minus = 0;
    for (uint32_t t = table->first[word]; t < table->first[word + 1]; t++)
        *(table->terms[t].minus ? &minus : &plus) +=
            term_value(map, function, &table->terms[t], values, have);
    return plus > minus ? plus - minus : 0;
}

uint32_t wpg_probe_pairs(wpg_value_count pairs[WPG_VALUES_ENTRIES + 1], const wpg_probe_site *site,
                         const uint64_t *values, size_t have)
{
    uint32_t count = 0;
    if (site->first == WPG_NO_COUNTER || have < WPG_VALUES_COUNTERS ||
        site->first > have - WPG_VALUES_COUNTERS)
        return 0;
    const uint64_t *table = values + site->first;
    if (table[WPG_VALUES_ZERO])
        pairs[count++] = (wpg_value_count){0, table[WPG_VALUES_ZERO]};
    for (uint32_t e = 0; e < WPG_VALUES_ENTRIES; e++)
        if (table[WPG_VALUES_COUNT(e)])
            pairs[count++] =
                (wpg_value_count){table[WPG_VALUES_VALUE(e)] & UINT32_MAX, table[WPG_VALUES_COUNT(e)]};
    return count;
}

/* A value from its place in the order: undoes `ordered` of probe_values.c. */
static uint32_t value_of(uint32_t key, wpg_value_order order)
{
    const uint32_t sign = UINT32_C(1) << 31;
    switch (order) {
    case WPG_ORDER_SIGNED:
        return key ^ sign;
    case WPG_ORDER_FLOAT:
        return key & sign ? key ^ sign : ~key;
    default:
        return key;
    }
}

bool wpg_probe_extremes(uint64_t extremes[2], const wpg_probe_site *site, const uint64_t *values, size_t have)
{
    if (site->first == WPG_NO_COUNTER || have < WPG_VALUES_COUNTERS ||
        site->first > have - WPG_VALUES_COUNTERS || !values[site->first + WPG_VALUES_OTHERS])
        return false;
    const uint64_t *table = values + site->first;
    extremes[0] = value_of(~(uint32_t)table[WPG_VALUES_LEAST], (wpg_value_order)site->order);
    extremes[1] = value_of((uint32_t)table[WPG_VALUES_GREATEST], (wpg_value_order)site->order);
    return true;
}

uint32_t wpg_probe_samples(uint64_t *offered, const wpg_probe_reservoir *reservoir, const uint64_t *values,
                           size_t have)
{
    const size_t counters = reservoir->width ? WPG_RESERVOIR_COUNTERS(reservoir->width) : 0;
    *offered = 0;
    if (!counters || have < counters || reservoir->first > have - counters)
        return 0;
    *offered = (uint32_t)values[reservoir->first];
    return *offered < WPG_RESERVOIR_PLACES ? (uint32_t)*offered : WPG_RESERVOIR_PLACES;
}

uint32_t wpg_probe_sample_word(const wpg_probe_reservoir *reservoir, uint32_t place, uint32_t word,
                               const uint64_t *values)
{
    const size_t at =
        (size_t)reservoir->first + 1 + (size_t)place * WPG_RESERVOIR_STRIDE(reservoir->width) + word / 2;
    return (uint32_t)(word % 2 ? values[at] >> 32 : values[at]);
}

bool wpg_probe_range_value(uint64_t extremes[2], const wpg_probe_range *range, const uint64_t *values,
                           size_t have)
{
    if (have < 2 || range->first > have - 2)
        return false;
    uint32_t most = (uint32_t)values[range->first], least = ~(uint32_t)values[range->first + 1];
    extremes[0] = least;
    extremes[1] = most;
    return least <= most; /* at first the least is the largest number there is */
}
