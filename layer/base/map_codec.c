/* Encodes and decodes the counter map and the remarks of a cached rewrite. */
#include "layer/base/map_codec.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/vec.h"

/* More than any module of the largest size we take can have. */
enum {
    MAX_FUNCTIONS = 1 << 20,
    MAX_BLOCKS = 1 << 22,
    MAX_REMARKS = 1 << 20,
    MAX_TEXT = 4096,
    MAX_TABLES = 64
};

static void write_text(wpg_writer *out, const char *text)
{
    size_t length = strlen(text);
    length = length < MAX_TEXT ? length : MAX_TEXT;
    wpg_write_uleb(out, length);
    wpg_write_bytes(out, text, length);
}

static const char *read_text(wpg_arena *arena, wpg_reader *in)
{
    uint64_t length = wpg_read_uleb(in);
    const uint8_t *bytes = length <= MAX_TEXT ? wpg_read_bytes(in, (size_t)length) : NULL;
    char *text = WPG_ARENA_ARRAY(arena, char, length <= MAX_TEXT ? (size_t)length + 1 : 1);
    if (bytes && text)
        memcpy(text, bytes, (size_t)length);
    return text ? text : "";
}

static void write_indices(wpg_writer *out, const uint32_t *indices, size_t count)
{
    wpg_write_u8(out, indices != NULL);
    for (size_t i = 0; indices && i < count; i++)
        wpg_write_uleb(out, indices[i]);
}

static uint32_t *read_indices(wpg_arena *arena, wpg_reader *in, size_t count)
{
    if (!wpg_read_u8(in) || in->overrun || count > in->size - in->at) /* one byte an index at least */
        return NULL;
    uint32_t *indices = WPG_ARENA_ARRAY(arena, uint32_t, count ? count : 1);
    for (size_t i = 0; indices && i < count; i++)
        indices[i] = (uint32_t)wpg_read_uleb(in);
    return indices;
}

static void write_flow(wpg_writer *out, const wpg_block_graph *flow)
{
    wpg_write_u8(out, flow->count != 0);
    if (!flow->count)
        return;
    wpg_write_bytes(out, flow->flags, flow->count);
    for (uint32_t b = 0; b < flow->count; b++) {
        wpg_write_uleb(out, flow->first[b + 1] - flow->first[b]);
        for (uint32_t e = flow->first[b]; e < flow->first[b + 1]; e++)
            wpg_write_uleb(out, flow->successors[e]);
    }
}

static void write_tables(wpg_writer *out, const wpg_function_counters *function)
{
    wpg_write_uleb(out, function->table_count);
    for (uint32_t i = 0; i < function->table_count; i++) {
        const wpg_probe_table *table = &function->tables[i];
        write_text(out, table->record);
        wpg_write_uleb(out, table->word_count);
        for (uint32_t w = 0; w < table->word_count; w++)
            wpg_write_uleb(out, table->first[w + 1] - table->first[w]);
        for (uint32_t t = 0; t < table->first[table->word_count]; t++) {
            wpg_write_u8(out, (uint8_t)(table->terms[t].source << 1 | table->terms[t].minus));
            wpg_write_uleb(out, table->terms[t].index);
        }
        wpg_write_uleb(out, table->site_count);
        for (uint32_t s = 0; s < table->site_count; s++) {
            wpg_write_u8(out, table->sites[s].order);
            wpg_write_uleb(out, table->sites[s].first);
        }
        wpg_write_uleb(out, table->range_count);
        for (uint32_t r = 0; r < table->range_count; r++) {
            wpg_write_uleb(out, table->ranges[r].first);
            wpg_write_uleb(out, table->ranges[r].block);
        }
        wpg_write_uleb(out, table->reservoir.width);
        if (table->reservoir.width)
            wpg_write_uleb(out, table->reservoir.first);
    }
}

static void write_field(wpg_writer *out, wpg_path_field field)
{
    const uint8_t bytes[] = {field.word, field.shift, field.width, field.plus};
    wpg_write_bytes(out, bytes, sizeof bytes);
}

static void write_path(wpg_writer *out, const wpg_counter_map *map, const wpg_counter_path *path)
{
    wpg_write_uleb(out, path->table.first);
    wpg_write_u8(out, path->table.words);
    wpg_write_u8(out, path->table.bits);
    wpg_write_u8(out, path->table.copies);
    wpg_write_u8(out, path->table.most);
    wpg_write_u8(out, path->table.part);
    wpg_write_u8(out, path->mixed);
    wpg_write_uleb(out, path->full);
    wpg_write_uleb(out, path->size);
    write_field(out, path->lanes);
    wpg_write_uleb(out, path->count);
    for (uint32_t i = 0; i < wpg_path_field_count(path); i++)
        write_field(out, map->path_fields[path->first + i]);
}

void wpg_map_encode(wpg_writer *out, const wpg_counter_map *map)
{
    wpg_write_uleb(out, map->first_counter);
    wpg_write_uleb(out, map->counter_count);
    wpg_write_uleb(out, map->slots);
    wpg_write_uleb(out, map->cells);
    wpg_write_uleb(out, map->sum_count);
    for (uint32_t i = 0; i < map->sum_count; i++) {
        const wpg_counter_term *terms = map->terms + map->sums[i].first;
        wpg_write_uleb(out, map->sums[i].count);
        for (uint32_t j = 0; j < map->sums[i].count; j++) {
            wpg_write_uleb(out, terms[j].counter);
            wpg_write_uleb(out, (uint32_t)terms[j].factor);
        }
    }
    wpg_write_uleb(out, map->path_count);
    for (uint32_t i = 0; i < map->path_count; i++)
        write_path(out, map, &map->paths[i]);
    wpg_write_uleb(out, map->spread_count);
    for (uint32_t i = 0; i < map->spread_count; i++) {
        wpg_write_uleb(out, map->spreads[i].counter);
        wpg_write_uleb(out, map->spreads[i].first);
    }
    wpg_write_u8(out, (uint8_t)(map->without_early_tests | map->over_budget << 1));
    wpg_write_uleb(out, map->sample_rate);
    if (map->sample_rate > 1) {
        wpg_write_uleb(out, map->seen_lanes);
        wpg_write_uleb(out, map->seen_waves);
    }
    write_text(out, map->note);
    wpg_write_uleb(out, map->function_count);
    for (uint32_t i = 0; i < map->function_count; i++) {
        const wpg_function_counters *function = &map->functions[i];
        wpg_write_uleb(out, function->function);
        wpg_write_uleb(out, function->ordinal);
        wpg_write_u64(out, function->checksum);
        wpg_write_uleb(out, function->kinds);
        wpg_write_uleb(out, function->block_count);
        write_indices(out, function->lanes, function->block_count);
        write_indices(out, function->waves, function->block_count);
        write_indices(out, function->uniform, function->block_count);
        wpg_write_u8(out, function->methods != NULL);
        if (function->methods)
            wpg_write_bytes(out, function->methods, function->block_count);
        wpg_write_uleb(out, function->select_count);
        write_indices(out, function->selects, function->select_count);
        write_flow(out, &function->flow);
        write_tables(out, function);
    }
}

/* Every index must lie in the stage's own range. */
static bool in_range(const wpg_counter_map *map, const uint32_t *indices, size_t count, uint32_t width)
{
    uint64_t end = (uint64_t)map->first_counter + map->counter_count + map->sum_count;
    for (size_t i = 0; indices && i < count; i++)
        if (indices[i] != WPG_NO_COUNTER &&
            (indices[i] < map->first_counter || (uint64_t)indices[i] + width > end))
            return false;
    return true;
}

/* Sums, of counters of the stage only. */
static bool read_sums(wpg_counter_map *map, wpg_arena *arena, wpg_reader *in)
{
    uint64_t sums = wpg_read_uleb(in);
    if (in->overrun || sums > in->size - in->at) /* a byte each at least */
        return false;
    WPG_VEC(wpg_counter_term) terms = {0};
    map->sums = WPG_ARENA_ARRAY(arena, wpg_counter_sum, (size_t)sums + 1);
    bool good = map->sums != NULL;
    for (uint64_t i = 0; good && i < sums; i++) {
        uint64_t count = wpg_read_uleb(in);
        good = !in->overrun && count <= in->size - in->at;
        map->sums[i] = (wpg_counter_sum){(uint32_t)terms.count, good ? (uint32_t)count : 0};
        for (uint64_t j = 0; good && j < count; j++) {
            uint32_t counter = (uint32_t)wpg_read_uleb(in), factor = (uint32_t)wpg_read_uleb(in);
            good = counter >= map->first_counter && counter - map->first_counter < map->counter_count &&
                   wpg_vec_push(&terms, ((wpg_counter_term){counter, (int32_t)factor}));
        }
    }
    map->sum_count = good ? (uint32_t)sums : 0;
    map->term_count = (uint32_t)terms.count;
    map->terms = wpg_arena_memdup(arena, terms.data, terms.count * sizeof *terms.data);
    wpg_vec_free(&terms);
    return good && !in->overrun;
}

/* It lies in a key. */
static bool read_field(wpg_path_field *field, const wpg_path_table *table, wpg_reader *in)
{
    const uint8_t *bytes = wpg_read_bytes(in, 4);
    if (!bytes || bytes[0] >= table->words || bytes[1] + bytes[2] > WPG_KEY_BITS)
        return false;
    *field = (wpg_path_field){bytes[0], bytes[1], bytes[2], bytes[3]};
    return true;
}

/* The table lies in the stage's own counters. */
static bool read_path_table(wpg_path_table *table, const wpg_counter_map *map, wpg_reader *in)
{
    uint64_t first = wpg_read_uleb(in), end = (uint64_t)map->first_counter + map->counter_count;
    table->words = wpg_read_u8(in);
    table->bits = wpg_read_u8(in);
    table->copies = wpg_read_u8(in);
    table->most = wpg_read_u8(in);
    table->part = wpg_read_u8(in) != 0;
    if (in->overrun || first < map->first_counter || first > end || !table->words ||
        table->words > WPG_PATH_WORDS || !table->bits || table->bits > WPG_PATH_BITS || !table->copies ||
        table->copies > WPG_COPIES || table->most > WPG_PATH_LANES || (table->most && table->words > 1))
        return false;
    table->first = (uint32_t)first;
    return end - first >= wpg_path_counters(table);
}

static bool read_paths(wpg_counter_map *map, wpg_arena *arena, wpg_reader *in)
{
    uint64_t paths = wpg_read_uleb(in), end = (uint64_t)map->first_counter + map->counter_count;
    if (in->overrun || paths > in->size - in->at)
        return false;
    WPG_VEC(wpg_path_field) fields = {0};
    map->paths = WPG_ARENA_ARRAY(arena, wpg_counter_path, (size_t)paths + 1);
    bool good = map->paths != NULL;
    for (uint64_t i = 0; good && i < paths; i++) {
        wpg_counter_path path = {.first = (uint32_t)fields.count};
        good = read_path_table(&path.table, map, in);
        path.mixed = wpg_read_u8(in) != 0;
        good = good && (path.mixed || !path.table.most);
        uint64_t full = wpg_read_uleb(in), size = wpg_read_uleb(in);
        good = good && full >= map->first_counter && full <= end && size <= UINT32_MAX &&
               read_field(&path.lanes, &path.table, in);
        uint64_t count = wpg_read_uleb(in);
        good = good && !in->overrun && count <= (end - full) / WPG_TALLY_COUNTERS;
        path.full = (uint32_t)full;
        path.size = (uint32_t)size;
        path.count = good ? (uint32_t)count : 0;
        for (uint32_t j = 0; good && j < wpg_path_field_count(&path); j++) {
            wpg_path_field field = {0};
            good = read_field(&field, &path.table, in) && wpg_vec_push(&fields, field);
        }
        map->paths[i] = path;
    }
    map->path_count = good ? (uint32_t)paths : 0;
    map->path_field_count = (uint32_t)fields.count;
    map->path_fields = wpg_arena_memdup(arena, fields.data, fields.count * sizeof *fields.data);
    wpg_vec_free(&fields);
    return good && !in->overrun;
}

static bool read_spreads(wpg_counter_map *map, wpg_arena *arena, wpg_reader *in)
{
    uint64_t spreads = wpg_read_uleb(in);
    if (in->overrun || spreads > in->size - in->at) /* two bytes each */
        return false;
    map->spreads = WPG_ARENA_ARRAY(arena, wpg_counter_spread, (size_t)spreads + 1);
    bool good = map->spreads != NULL;
    for (uint64_t i = 0; good && i < spreads; i++) {
        wpg_counter_spread *spread = &map->spreads[i];
        spread->counter = (uint32_t)wpg_read_uleb(in);
        spread->first = (uint32_t)wpg_read_uleb(in);
        good = !in->overrun && spread->counter >= map->first_counter &&
               spread->counter - map->first_counter < map->counter_count &&
               spread->first >= map->first_counter &&
               (uint64_t)(spread->first - map->first_counter) + (WPG_COPIES - 1) * WPG_SPREAD <
                   map->counter_count;
    }
    map->spread_count = good ? (uint32_t)spreads : 0;
    return good;
}

/* A term's index must name something there is. */
static bool term_in_range(const wpg_probe_term *term, const wpg_function_counters *function,
                          const wpg_counter_map *map)
{
    switch ((wpg_term_source)term->source) {
    case WPG_TERM_CONSTANT:
        return true;
    case WPG_TERM_COUNTER:
        return term->index >= map->first_counter &&
               (uint64_t)term->index - map->first_counter < (uint64_t)map->counter_count + map->sum_count;
    case WPG_TERM_LANES:
        return function->lanes && term->index < function->block_count;
    case WPG_TERM_WAVES:
        return function->waves && term->index < function->block_count;
    case WPG_TERM_UNIFORM:
        return function->uniform && term->index < function->block_count;
    default:
        return false;
    }
}

static bool read_sites(wpg_probe_table *table, const wpg_counter_map *map, wpg_arena *arena, wpg_reader *in)
{
    uint64_t sites = wpg_read_uleb(in);
    if (in->overrun || sites > in->size - in->at) /* two bytes a site */
        return false;
    table->sites = WPG_ARENA_ARRAY(arena, wpg_probe_site, (size_t)sites);
    table->site_count = table->sites ? (uint32_t)sites : 0;
    for (uint32_t s = 0; s < table->site_count; s++) {
        uint8_t order = wpg_read_u8(in);
        uint32_t first = (uint32_t)wpg_read_uleb(in);
        if (in->overrun || order >= WPG_ORDERS || !in_range(map, &first, 1, WPG_VALUES_COUNTERS))
            return false;
        table->sites[s] = (wpg_probe_site){first, order};
    }
    return table->sites != NULL;
}

static bool read_ranges(wpg_probe_table *table, const wpg_function_counters *function,
                        const wpg_counter_map *map, wpg_arena *arena, wpg_reader *in)
{
    uint64_t ranges = wpg_read_uleb(in);
    if (in->overrun || ranges > in->size - in->at) /* two bytes a range */
        return false;
    table->ranges = WPG_ARENA_ARRAY(arena, wpg_probe_range, (size_t)ranges);
    table->range_count = table->ranges ? (uint32_t)ranges : 0;
    for (uint32_t r = 0; r < table->range_count; r++) {
        uint32_t first = (uint32_t)wpg_read_uleb(in), block = (uint32_t)wpg_read_uleb(in);
        if (in->overrun || block >= function->block_count || first == WPG_NO_COUNTER ||
            !in_range(map, &first, 1, 2))
            return false;
        table->ranges[r] = (wpg_probe_range){first, block};
    }
    return table->ranges != NULL;
}

static bool read_reservoir(wpg_probe_table *table, const wpg_counter_map *map, wpg_reader *in)
{
    uint64_t width = wpg_read_uleb(in);
    if (in->overrun || width > table->site_count)
        return false;
    if (!width)
        return true;
    table->reservoir = (wpg_probe_reservoir){(uint32_t)wpg_read_uleb(in), (uint32_t)width};
    return !in->overrun && table->reservoir.first != WPG_NO_COUNTER &&
           in_range(map, &table->reservoir.first, 1, WPG_RESERVOIR_COUNTERS(width));
}

static bool read_table(wpg_probe_table *table, const wpg_function_counters *function,
                       const wpg_counter_map *map, wpg_arena *arena, wpg_reader *in)
{
    table->record = read_text(arena, in);
    uint64_t words = wpg_read_uleb(in), terms = 0;
    if (in->overrun || words > in->size - in->at) /* one byte a word at least */
        return false;
    table->word_count = (uint32_t)words;
    table->first = WPG_ARENA_ARRAY(arena, uint32_t, (size_t)words + 1);
    for (size_t w = 0; table->first && w < words; w++) {
        uint64_t more = wpg_read_uleb(in);
        if (in->overrun || more > in->size || (terms += more) > in->size) /* two bytes a term */
            return false;
        table->first[w + 1] = (uint32_t)terms;
    }
    table->terms = WPG_ARENA_ARRAY(arena, wpg_probe_term, (size_t)terms);
    for (size_t t = 0; table->first && table->terms && t < terms; t++) {
        uint8_t source = wpg_read_u8(in);
        table->terms[t] = (wpg_probe_term){.source = source >> 1, .minus = source & 1};
        table->terms[t].index = (uint32_t)wpg_read_uleb(in);
        if (in->overrun || !term_in_range(&table->terms[t], function, map))
            return false;
    }
    return table->first && table->terms && read_sites(table, map, arena, in) &&
           read_ranges(table, function, map, arena, in) && read_reservoir(table, map, in);
}

static bool read_tables(wpg_function_counters *function, const wpg_counter_map *map, wpg_arena *arena,
                        wpg_reader *in)
{
    uint64_t tables = wpg_read_uleb(in);
    if (in->overrun || tables > MAX_TABLES)
        return false;
    function->tables = WPG_ARENA_ARRAY(arena, wpg_probe_table, (size_t)tables);
    function->table_count = function->tables ? (uint32_t)tables : 0;
    for (uint32_t i = 0; i < function->table_count; i++)
        if (!read_table(&function->tables[i], function, map, arena, in))
            return false;
    return true;
}

/* Of `count` blocks. */
static bool read_flow(wpg_block_graph *flow, uint32_t count, wpg_arena *arena, wpg_reader *in)
{
    WPG_VEC(uint32_t) successors = {0};
    if (!wpg_read_u8(in))
        return !in->overrun;
    const uint8_t *flags = wpg_read_bytes(in, count);
    flow->first = flags ? WPG_ARENA_ARRAY(arena, uint32_t, (size_t)count + 1) : NULL;
    bool good = flow->first && count;
    for (uint32_t b = 0; good && b < count; b++) {
        uint64_t edges = wpg_read_uleb(in);
        good = !(flags[b] & ~WPG_BLOCK_FLAGS) && edges <= count;
        for (uint64_t e = 0; good && e < edges; e++) {
            uint64_t to = wpg_read_uleb(in);
            good = !in->overrun && to < count && wpg_vec_push(&successors, (uint32_t)to);
        }
        flow->first[b + 1] = (uint32_t)successors.count;
    }
    if (good) {
        flow->count = count;
        flow->flags = wpg_arena_memdup(arena, flags, count);
        flow->successors =
            wpg_arena_memdup(arena, successors.data, successors.count * sizeof *successors.data);
    }
    wpg_vec_free(&successors);
    return good && flow->flags && flow->successors;
}

static bool read_function(wpg_function_counters *function, const wpg_counter_map *map, wpg_arena *arena,
                          wpg_reader *in)
{
    function->function = (uint32_t)wpg_read_uleb(in);
    function->ordinal = (uint32_t)wpg_read_uleb(in);
    function->checksum = wpg_read_u64(in);
    function->kinds = (uint32_t)wpg_read_uleb(in);
    uint64_t blocks = wpg_read_uleb(in);
    if (in->overrun || blocks > MAX_BLOCKS)
        return false;
    function->block_count = (uint32_t)blocks;
    function->lanes = read_indices(arena, in, function->block_count);
    function->waves = read_indices(arena, in, function->block_count);
    function->uniform = read_indices(arena, in, function->block_count);
    if (wpg_read_u8(in)) {
        const uint8_t *methods = wpg_read_bytes(in, function->block_count);
        function->methods = methods ? wpg_arena_memdup(arena, methods, function->block_count) : NULL;
    }
    uint64_t selects = wpg_read_uleb(in);
    if (in->overrun || selects > MAX_BLOCKS)
        return false;
    function->select_count = (uint32_t)selects;
    function->selects = read_indices(arena, in, function->select_count);
    bool good = !in->overrun && in_range(map, function->lanes, function->block_count, 1) &&
                in_range(map, function->waves, function->block_count, 1) &&
                in_range(map, function->uniform, function->block_count, 1) &&
                in_range(map, function->selects, function->select_count, WPG_SELECT_COUNTERS);
    return good && read_flow(&function->flow, function->block_count, arena, in) &&
           read_tables(function, map, arena, in);
}

wpg_status wpg_map_decode(wpg_counter_map **map, wpg_reader *in, wpg_error *err)
{
    wpg_arena arena;
    wpg_arena_init(&arena);
    wpg_counter_map *made = WPG_ARENA_NEW(&arena, wpg_counter_map);
    bool good = made != NULL;
    if (good) {
        made->first_counter = (uint32_t)wpg_read_uleb(in);
        made->counter_count = (uint32_t)wpg_read_uleb(in);
        made->slots = (uint32_t)wpg_read_uleb(in);
        made->cells = (uint32_t)wpg_read_uleb(in);
        good = made->slots >= 1 && made->slots <= WPG_SLOTS && made->counter_count % made->slots == 0 &&
               read_sums(made, &arena, in) && read_paths(made, &arena, in) && read_spreads(made, &arena, in);
        const uint8_t flags = wpg_read_u8(in);
        made->without_early_tests = flags & 1;
        made->over_budget = flags & 2;
        made->sample_rate = (uint32_t)wpg_read_uleb(in);
        bool sampled = made->sample_rate > 1;
        made->seen_lanes = sampled ? (uint32_t)wpg_read_uleb(in) : WPG_NO_COUNTER;
        made->seen_waves = sampled ? (uint32_t)wpg_read_uleb(in) : WPG_NO_COUNTER;
        const char *note = read_text(&arena, in);
        size_t length = strnlen(note, sizeof made->note - 1);
        memcpy(made->note, note, length);
        uint64_t functions = wpg_read_uleb(in);
        good = good && !in->overrun && in_range(made, &made->seen_lanes, 1, 1) &&
               in_range(made, &made->seen_waves, 1, 1) && functions <= MAX_FUNCTIONS &&
               functions <= in->size - in->at;
        made->functions = good ? WPG_ARENA_ARRAY(&arena, wpg_function_counters, (size_t)functions) : NULL;
        made->function_count = good ? (uint32_t)functions : 0;
        for (uint32_t i = 0; good && i < made->function_count; i++)
            good = made->functions && read_function(&made->functions[i], made, &arena, in);
    }
    if (!good || arena.failed) {
        wpg_arena_finish(&arena);
        return wpg_fail(err, WPG_E_FORMAT, "a cached counter map is malformed");
    }
    made->arena = arena;
    *map = made;
    return WPG_OK;
}

static void write_test(wpg_writer *out, const wpg_word_test *test)
{
    wpg_write_uleb(out, test->set);
    wpg_write_uleb(out, test->binding);
    wpg_write_uleb(out, test->offset);
    wpg_write_u32(out, test->bits);
}

static wpg_word_test read_test(wpg_reader *in)
{
    wpg_word_test test;
    test.set = (uint32_t)wpg_read_uleb(in);
    test.binding = (uint32_t)wpg_read_uleb(in);
    test.offset = (uint32_t)wpg_read_uleb(in);
    test.bits = wpg_read_u32(in);
    return test;
}

void wpg_remarks_encode(wpg_writer *out, const wpg_remarks *remarks)
{
    wpg_write_uleb(out, remarks ? remarks->count : 0);
    wpg_write_u8(out, remarks && remarks->mismatch);
    wpg_write_uleb(out, remarks ? remarks->wave_size : 0);
    wpg_write_uleb(out, remarks ? remarks->push_words : 0);
    wpg_write_uleb(out, remarks ? remarks->test_count : 0);
    for (uint32_t i = 0; remarks && i < remarks->test_count; i++)
        write_test(out, &remarks->tests[i]);
    wpg_write_uleb(out, remarks ? remarks->saved_within : 0);
    wpg_write_uleb(out, remarks ? remarks->saved_alone : 0);
    for (uint32_t i = 0; remarks && i < remarks->count; i++) {
        const wpg_remark *remark = &remarks->items[i];
        wpg_write_u8(out, remark->kind == WPG_REMARK_DONE);
        write_text(out, remark->pass);
        wpg_write_uleb(out, remark->ordinal);
        wpg_write_uleb(out, remark->block);
        write_text(out, remark->text);
    }
}

wpg_status wpg_remarks_decode(wpg_remarks **remarks, wpg_reader *in, wpg_error *err)
{
    wpg_remarks *made = calloc(1, sizeof *made);
    if (!made)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_arena_init(&made->arena);
    uint64_t count = wpg_read_uleb(in);
    made->mismatch = wpg_read_u8(in) != 0;
    made->wave_size = (uint32_t)wpg_read_uleb(in);
    made->push_words = wpg_read_uleb(in);
    const uint64_t tests = wpg_read_uleb(in);
    made->test_count = tests <= WPG_MOST_WORD_TESTS ? (uint32_t)tests : 0;
    for (uint32_t i = 0; i < made->test_count; i++)
        made->tests[i] = read_test(in);
    made->saved_within = (uint32_t)wpg_read_uleb(in);
    made->saved_alone = (uint32_t)wpg_read_uleb(in);
    bool good = tests <= WPG_MOST_WORD_TESTS && !in->overrun && count <= MAX_REMARKS &&
                count <= in->size - in->at + 1;
    made->items = good ? WPG_ARENA_ARRAY(&made->arena, wpg_remark, (size_t)count) : NULL;
    made->count = made->items ? (uint32_t)count : 0;
    for (uint32_t i = 0; good && i < made->count; i++) {
        wpg_remark *remark = &made->items[i];
        remark->kind = wpg_read_u8(in) ? WPG_REMARK_DONE : WPG_REMARK_REFUSED;
        remark->pass = read_text(&made->arena, in);
        remark->ordinal = (uint32_t)wpg_read_uleb(in);
        remark->block = (uint32_t)wpg_read_uleb(in);
        const char *text = read_text(&made->arena, in);
        memcpy(remark->text, text, strnlen(text, sizeof remark->text - 1));
        good = !in->overrun;
    }
    if (!good || made->arena.failed) {
        wpg_arena_finish(&made->arena);
        free(made);
        return wpg_fail(err, WPG_E_FORMAT, "cached remarks are malformed");
    }
    *remarks = made;
    return WPG_OK;
}
