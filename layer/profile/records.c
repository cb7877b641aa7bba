/* Makes records from counters. Source: runtime/profile/README.md; names: runtime/profile/record_name.h,
 * runtime/profile/pipeline_record.h. */
#include "layer/profile/records.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/map_codec.h"
#include "layer/base/sampling.h"
#include "layer/profile/bundle_files.h"
#include "runtime/bundle/bundle.h"
#include "runtime/profile/made_record.h"
#include "runtime/profile/pipeline_record.h"
#include "runtime/profile/record_name.h"

/* -- Counted pipelines */

wpg_counted *wpg_counted_create(wpg_hash128 pipeline, wpg_counter_slot *slot, size_t stage_count)
{
    wpg_counted *counted = calloc(1, sizeof *counted + stage_count * sizeof *counted->stages);
    if (!counted)
        return NULL;
    counted->pipeline = pipeline;
    counted->slot = slot;
    counted->stage_count = stage_count;
    counted->rate = wpg_sampling_rate();
    counted->made = "";
    size_t count = atomic_load(&slot->count);
    counted->values = calloc(count ? count : 1, sizeof *counted->values);
    if (!counted->values) {
        free(counted);
        return NULL;
    }
    return counted;
}

void wpg_counted_destroy(wpg_counted *counted)
{
    if (!counted)
        return;
    for (size_t i = 0; i < counted->stage_count; i++) {
        free(counted->stages[i].entry);
        wpg_counter_map_destroy(counted->stages[i].map);
        free(counted->stages[i].packed);
    }
    free(counted->values);
    free(counted);
}

static bool has_visits(const wpg_counter_map *map)
{
    for (uint32_t f = 0; f < map->function_count; f++)
        for (uint32_t t = 0; t < map->functions[f].table_count; t++)
            if (map->functions[f].tables[t].reservoir.width)
                return true;
    return false;
}

void wpg_counted_pack(wpg_counted *counted)
{
    for (size_t i = 0; i < counted->stage_count; i++) {
        wpg_counted_stage *stage = &counted->stages[i];
        if (!stage->map)
            continue;
        counted->visits |= has_visits(stage->map);
        if (!stage->packed) {
            wpg_writer out = {0};
            wpg_map_encode(&out, stage->map);
            if (!out.out_of_memory && (stage->packed = malloc(out.size))) {
                memcpy(stage->packed, out.data, out.size);
                stage->packed_size = out.size;
            }
            wpg_writer_finish(&out);
        }
        if (stage->packed) {
            wpg_counter_map_destroy(stage->map);
            stage->map = NULL;
        }
    }
}

wpg_status wpg_counted_unpack(wpg_counted *counted, wpg_error *err)
{
    for (size_t i = 0; i < counted->stage_count; i++) {
        wpg_counted_stage *stage = &counted->stages[i];
        if (stage->map)
            continue;
        wpg_reader in = wpg_reader_over(stage->packed, stage->packed_size);
        WPG_TRY(wpg_map_decode(&stage->map, &in, err));
    }
    return WPG_OK;
}

/* -- Records */

/* Counts of the binds that were counted, for all binds (sample_bind.c). */
static uint64_t scaled(const wpg_counted *counted, uint64_t value)
{
    const uint64_t rate = counted->binds ? counted->rate : 1;
    return value <= UINT64_MAX / rate ? value * rate : UINT64_MAX;
}

/* One kind's counters, block by block. Indices count from the pipeline's base. */
static void gather(uint64_t *out, const wpg_counted *counted, const wpg_counter_map *map,
                   const uint32_t *indices, size_t count)
{
    size_t have = atomic_load(&counted->slot->count);
    for (size_t i = 0; i < count; i++)
        out[i] = scaled(counted, wpg_counter_value(map, indices[i], counted->values, have));
}

static wpg_status add_record(wpg_profile *profile, wpg_record_name *name, wpg_record_kind kind, uint64_t hash,
                             const uint64_t *counters, size_t count, wpg_error *err)
{
    char *text;
    if (count == 0)
        return WPG_OK;
    name->kind = kind;
    WPG_TRY(wpg_record_name_compose(&text, name, err));
    wpg_status status = wpg_profile_add(profile, text, hash & WPG_PROFILE_HASH_MASK, counters, count, 1, err);
    free(text);
    return status;
}

static wpg_status add_selects(wpg_profile *profile, wpg_record_name *name, const wpg_counted *counted,
                              const wpg_counter_map *map, const wpg_function_counters *function,
                              uint64_t *scratch, wpg_error *err)
{
    size_t have = atomic_load(&counted->slot->count);
    for (uint32_t i = 0; i < function->select_count; i++)
        for (uint32_t j = 0; j < WPG_SELECT_COUNTERS; j++) {
            uint32_t first = function->selects[i];
            scratch[i * WPG_SELECT_COUNTERS + j] =
                first != WPG_NO_COUNTER
                    ? scaled(counted, wpg_counter_value(map, first + j, counted->values, have))
                    : 0;
        }
    return add_record(profile, name, WPG_RECORD_SELECTS, function->checksum, scratch,
                      (size_t)function->select_count * WPG_SELECT_COUNTERS, err);
}

enum { MOST_WORDS = 256 }; /* of a visit */

/* The reservoir's visits (probes/reservoir.h): a value site for each word, whose values have the visit's key
 * above them. Equal visits have equal keys, in every profile. So they add up when profiles merge. */
static wpg_status add_visits(wpg_profile *profile, const char *name, uint64_t hash,
                             const wpg_counted *counted, const wpg_probe_table *table, wpg_error *err)
{
    const wpg_probe_reservoir *reservoir = &table->reservoir;
    uint64_t offered;
    uint32_t words[MOST_WORDS];
    uint32_t taken =
        wpg_probe_samples(&offered, reservoir, counted->values, atomic_load(&counted->slot->count));
    if (!taken || reservoir->width > MOST_WORDS)
        return WPG_OK;
    WPG_TRY(wpg_profile_reserve_sites(profile, name, hash, 3 * (size_t)table->site_count, err));
    for (uint32_t place = 0; place < taken; place++) {
        for (uint32_t w = 0; w < reservoir->width; w++)
            words[w] = wpg_probe_sample_word(reservoir, place, w, counted->values);
        const uint64_t key = wpg_hash64_bytes(words, reservoir->width * sizeof *words) << 32;
        for (uint32_t w = 0; w < reservoir->width; w++)
            WPG_TRY(wpg_profile_add_value(profile, name, hash, 2 * (size_t)table->site_count + w,
                                          key | words[w], scaled(counted, offered / taken), err));
    }
    return WPG_OK;
}

/* The record's value sites: values and how often each was seen; then for each site the extremes of what found
 * no room, seen once a profile, so that merged profiles hold the extremes of each; then visits. */
static wpg_status add_values(wpg_profile *profile, wpg_record_name *name, wpg_record_kind kind, uint64_t hash,
                             const wpg_counted *counted, const wpg_probe_table *table, wpg_error *err)
{
    size_t have = atomic_load(&counted->slot->count);
    char *text;
    if (!table->site_count)
        return WPG_OK;
    hash &= WPG_PROFILE_HASH_MASK;
    name->kind = kind;
    WPG_TRY(wpg_record_name_compose(&text, name, err));
    wpg_status status = wpg_profile_reserve_sites(profile, text, hash, 2 * (size_t)table->site_count, err);
    for (uint32_t s = 0; s < table->site_count && status == WPG_OK; s++) {
        wpg_value_count pairs[WPG_VALUES_ENTRIES + 1];
        uint64_t extremes[2];
        uint32_t count = wpg_probe_pairs(pairs, &table->sites[s], counted->values, have);
        for (uint32_t i = 0; i < count && status == WPG_OK; i++)
            status = wpg_profile_add_value(profile, text, hash, s, pairs[i].value,
                                           scaled(counted, pairs[i].count), err);
        bool some = wpg_probe_extremes(extremes, &table->sites[s], counted->values, have);
        for (uint32_t i = 0; some && i < 2 && status == WPG_OK; i++)
            status = wpg_profile_add_value(profile, text, hash, (size_t)table->site_count + s, extremes[i], 1,
                                           err);
    }
    if (status == WPG_OK)
        status = add_visits(profile, text, hash, counted, table, err);
    free(text);
    return status;
}

/* What does not add goes to the bundle. */
static void add_ranges(const wpg_record_name *name, uint64_t hash, const wpg_counted *counted,
                       const wpg_probe_table *table)
{
    size_t have = atomic_load(&counted->slot->count);
    char key[WPG_FACTS_WORD];
    for (uint32_t i = 0; i < table->range_count; i++) {
        uint64_t extremes[2];
        if (!wpg_probe_range_value(extremes, &table->ranges[i], counted->values, have))
            continue;
        wpg_bundle_trips_key(key, name->function, table->ranges[i].block, hash & WPG_PROFILE_HASH_MASK);
        wpg_bundle_extreme(name->shader, key, (int64_t)extremes[0], (int64_t)extremes[1]);
    }
}

static wpg_status add_tables(wpg_profile *profile, wpg_record_name *name, const wpg_counted *counted,
                             const wpg_counter_map *map, const wpg_function_counters *function,
                             uint64_t *scratch, wpg_error *err)
{
    size_t have = atomic_load(&counted->slot->count);
    for (uint32_t i = 0; i < function->table_count; i++) {
        const wpg_probe_table *table = &function->tables[i];
        wpg_record_kind kind = wpg_record_kind_find(table->record);
        if (kind == WPG_RECORD_KINDS)
            return wpg_fail(err, WPG_E_ARGUMENT, "no record is called '%s'", table->record);
        for (uint32_t w = 0; w < table->word_count; w++)
            scratch[w] = scaled(counted, wpg_probe_value(map, function, table, w, counted->values, have));
        WPG_TRY(add_record(profile, name, kind, function->checksum, scratch, table->word_count, err));
        WPG_TRY(add_values(profile, name, kind, function->checksum, counted, table, err));
        if (!counted->recovered)
            add_ranges(name, function->checksum, counted, table);
    }
    return WPG_OK;
}

static wpg_status add_function(wpg_profile *profile, wpg_record_name *name, const wpg_counted *counted,
                               const wpg_counter_map *map, const wpg_function_counters *function,
                               uint64_t *scratch, wpg_error *err)
{
    const struct {
        const uint32_t *indices;
        wpg_record_kind kind;
    } kinds[] = {{function->lanes, WPG_RECORD_LANES},
                 {function->waves, WPG_RECORD_WAVES},
                 {function->uniform, WPG_RECORD_UNIFORM}};
    name->function = function->ordinal;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!kinds[i].indices)
            continue; /* not measured is absent, not zero */
        gather(scratch, counted, map, kinds[i].indices, function->block_count);
        WPG_TRY(add_record(profile, name, kinds[i].kind, function->checksum, scratch, function->block_count,
                           err));
    }
    if (function->selects)
        WPG_TRY(add_selects(profile, name, counted, map, function, scratch, err));
    return add_tables(profile, name, counted, map, function, scratch, err);
}

static wpg_status add_pipeline_record(wpg_profile *profile, const wpg_record_name *name,
                                      const wpg_counted *counted, const wpg_counter_map *map,
                                      const wpg_function_counters *entry, wpg_error *err)
{
    uint64_t counters[WPG_PIPELINE_COUNTERS] = {0};
    counters[WPG_PIPELINE_RUNS] = counted->first_run;
    if (entry->lanes && entry->block_count)
        gather(&counters[WPG_PIPELINE_LANES], counted, map, entry->lanes, 1);
    if (entry->waves && entry->block_count) {
        gather(&counters[WPG_PIPELINE_WAVES], counted, map, entry->waves, 1);
        counters[WPG_PIPELINE_WAVES_RUNS] = counted->first_run;
    }
    char *text;
    WPG_TRY(wpg_pipeline_record_compose(&text, counted->pipeline, name, err));
    wpg_status status = wpg_profile_add(profile, text, entry->checksum & WPG_PROFILE_HASH_MASK, counters,
                                        WPG_PIPELINE_COUNTERS, 1, err);
    free(text);
    return status;
}

/* A count by its index, as it is in memory; 0 where there is none. */
static uint64_t value_at(const wpg_counted *counted, const wpg_counter_map *map, uint32_t index)
{
    return wpg_counter_value(map, index, counted->values, atomic_load(&counted->slot->count));
}

/* Of a sampled stage: what was seen beside what that stands for. */
static wpg_status add_samples(wpg_profile *profile, wpg_record_name *name, const wpg_counted *counted,
                              const wpg_counter_map *map, const wpg_function_counters *entry, wpg_error *err)
{
    const uint32_t lanes = entry->lanes ? entry->lanes[0] : WPG_NO_COUNTER;
    const uint32_t waves = entry->waves ? entry->waves[0] : WPG_NO_COUNTER;
    bool inside = map->sample_rate > 1; /* the shader; else by bind */
    const uint64_t counters[WPG_SAMPLES_COUNTERS] = {
        [WPG_SAMPLES_SEEN_LANES] = value_at(counted, map, inside ? map->seen_lanes : lanes),
        [WPG_SAMPLES_LANES] = scaled(counted, value_at(counted, map, lanes)),
        [WPG_SAMPLES_SEEN_WAVES] = value_at(counted, map, inside ? map->seen_waves : waves),
        [WPG_SAMPLES_WAVES] = scaled(counted, value_at(counted, map, waves)),
    };
    return add_record(profile, name, WPG_RECORD_SAMPLES, entry->checksum, counters, WPG_SAMPLES_COUNTERS,
                      err);
}

/* Whether a lane entered the stage. A killed run does not tell how many of its binds were counted. */
static bool entered(const wpg_counted *counted, const wpg_counter_map *map)
{
    for (uint32_t i = 0; i < map->function_count; i++) {
        const wpg_function_counters *function = &map->functions[i];
        if (function->ordinal == 0 && function->lanes && function->block_count)
            return value_at(counted, map, function->lanes[0]) != 0;
    }
    return true;
}

/* A sample that caught nothing says nothing: absent, not zero. */
static bool says_something(const wpg_counted *counted, const wpg_counter_map *map)
{
    if (map->sample_rate > 1 && value_at(counted, map, map->seen_lanes) == 0)
        return false;
    return !counted->sampled ||
           (counted->recovered && !counted->ended ? entered(counted, map) : counted->binds_counted != 0);
}

static wpg_status add_stage(wpg_profile *profile, const wpg_counted *counted, const wpg_counted_stage *stage,
                            uint64_t *scratch, wpg_error *err)
{
    const wpg_counter_map *map = stage->map;
    wpg_record_name name = {.shader = stage->shader, .entry = stage->entry};
    memcpy(name.stage, stage->stage, sizeof name.stage);
    for (uint32_t j = 0; j < map->function_count; j++)
        WPG_TRY(add_function(profile, &name, counted, map, &map->functions[j], scratch, err));
    for (uint32_t j = 0; j < map->function_count; j++) {
        const wpg_function_counters *function = &map->functions[j];
        if (function->ordinal != 0)
            continue;
        name.function = 0; /* what follows is the stage's */
        if (!counted->shader_only)
            WPG_TRY(add_pipeline_record(profile, &name, counted, map, function, err));
        if (map->sample_rate > 1 || counted->binds)
            WPG_TRY(add_samples(profile, &name, counted, map, function, err));
        if (map->without_early_tests && function->lanes) {
            const uint64_t late = scaled(counted, value_at(counted, map, function->lanes[0]));
            WPG_TRY(add_record(profile, &name, WPG_RECORD_LATE, function->checksum, &late, 1, err));
        }
    }
    return WPG_OK;
}

static size_t scratch_needed(const wpg_counted *counted)
{
    size_t most = 1;
    for (size_t i = 0; i < counted->stage_count; i++)
        for (uint32_t j = 0; j < counted->stages[i].map->function_count; j++) {
            const wpg_function_counters *function = &counted->stages[i].map->functions[j];
            size_t selects = (size_t)function->select_count * WPG_SELECT_COUNTERS;
            most = function->block_count > most ? function->block_count : most;
            most = selects > most ? selects : most;
            for (uint32_t k = 0; k < function->table_count; k++)
                most = function->tables[k].word_count > most ? function->tables[k].word_count : most;
        }
    return most;
}

wpg_status wpg_files_records(wpg_profile *profile, const wpg_counted *counted, wpg_error *err)
{
    uint64_t *scratch = calloc(scratch_needed(counted), sizeof *scratch);
    if (!scratch)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for records");
    wpg_status status = WPG_OK;
    bool said = false;
    for (size_t i = 0; i < counted->stage_count && status == WPG_OK; i++)
        if (says_something(counted, counted->stages[i].map)) {
            said = true;
            status = add_stage(profile, counted, &counted->stages[i], scratch, err);
        }
    free(scratch);
    const uint64_t pipelines = counted->first_run;
    if (status == WPG_OK && *counted->made && said)
        status = wpg_profile_add(profile, counted->made, WPG_MADE_RECORD_HASH, &pipelines, 1, 1, err);
    return status;
}
