/* Counters into records, records into files. Sources: DESIGN 5; runtime/profile/record_name.h and
 * pipeline_record.h for the names. */
#include "layer/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "layer/bundle_files.h"
#include "layer/claims.h"
#include "layer/summary.h"
#include "runtime/base/file_batch.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"
#include "runtime/base/vec.h"
#include "runtime/bundle/bundle.h"
#include "runtime/config/pattern.h"
#include "runtime/profile/pipeline_record.h"
#include "runtime/profile/profile_io.h"
#include "runtime/profile/record_name.h"

typedef struct wpg_file {
    wpg_hash128 pipeline; /* zero: the one file of all pipelines */
    char *path;
    wpg_profile *retired; /* what destroyed devices counted; NULL until there is any */
    wpg_profile *now;     /* while writing */
    wpg_hash128 written;  /* of the bytes on disk */
    wpg_hash128 writing;  /* of those in the batch */
    bool on_disk, failed;
    bool changed; /* since it was written */
} wpg_file;

static struct {
    pthread_mutex_t lock;
    WPG_VEC(wpg_file *) list;
    wpg_map by_pipeline; /* low half of the hash -> wpg_file; 0 for the file of all */
    wpg_map runs;        /* pipeline hashes whose run was counted */
    wpg_map swept;       /* folder and ending -> 1 */
} files = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* -- Counted pipelines */

wpg_counted *wpg_counted_create(wpg_hash128 pipeline, wpg_counter_slot *slot, size_t stage_count)
{
    wpg_counted *counted = calloc(1, sizeof *counted + stage_count * sizeof *counted->stages);
    if (!counted)
        return NULL;
    counted->pipeline = pipeline;
    counted->slot = slot;
    counted->stage_count = stage_count;
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
    }
    free(counted->values);
    free(counted);
}

/* -- Records */

/* Counts of the binds that were counted, for all binds (sample_bind.c). */
static uint64_t scaled(const wpg_counted *counted, uint64_t value)
{
    const uint64_t rate = counted->binds ? (uint64_t)wpg_the_process.settings.sample : 1;
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

/* The record's value sites: values and how often each was seen; then for each site the extremes of what found
 * no room, seen once a profile, so that merged profiles hold the extremes of each. */
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
    name->function = 0;
    return add_record(profile, name, WPG_RECORD_SAMPLES, entry->checksum, counters, WPG_SAMPLES_COUNTERS,
                      err);
}

static wpg_status add_stage(wpg_profile *profile, const wpg_counted *counted, const wpg_counted_stage *stage,
                            uint64_t *scratch, wpg_error *err)
{
    const wpg_counter_map *map = stage->map;
    wpg_record_name name = {.shader = stage->shader, .entry = stage->entry};
    memcpy(name.stage, stage->stage, sizeof name.stage);
    /* A sample that caught nothing says nothing: absent, not zero. */
    if ((map->sample_rate > 1 && value_at(counted, map, map->seen_lanes) == 0) ||
        (counted->binds && !counted->binds_counted))
        return WPG_OK;
    for (uint32_t j = 0; j < map->function_count; j++)
        WPG_TRY(add_function(profile, &name, counted, map, &map->functions[j], scratch, err));
    for (uint32_t j = 0; j < map->function_count; j++) {
        const wpg_function_counters *function = &map->functions[j];
        if (function->ordinal != 0)
            continue;
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

static wpg_status add_counted(wpg_profile *profile, const wpg_counted *counted, wpg_error *err)
{
    uint64_t *scratch = calloc(scratch_needed(counted), sizeof *scratch);
    if (!scratch)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for records");
    wpg_status status = WPG_OK;
    for (size_t i = 0; i < counted->stage_count && status == WPG_OK; i++)
        status = add_stage(profile, counted, &counted->stages[i], scratch, err);
    free(scratch);
    return status;
}

/* -- Files; all under the files lock */

static void make_path(char *path, size_t size, const char *pattern, const char *hash)
{
    char full[4096], expanded[4096];
    wpg_error err;
    const char *slash = strrchr(pattern, '/');
    (void)snprintf(full, sizeof full, "%s%s", pattern, slash && !slash[1] ? "%b.profraw" : "");
    if (wpg_pattern_expand(expanded, sizeof expanded, full, hash, &err) != WPG_OK) {
        wpg_log_once(WPG_LOG_WARN, "PROFILE_FILE: %s", err.message);
        (void)snprintf(expanded, sizeof expanded, "%s.profraw", hash);
    }
    int length = expanded[0] == '/' ? snprintf(path, size, "%s", expanded)
                                    : snprintf(path, size, "%s/%s", wpg_the_process.folder, expanded);
    if (length < 0 || (size_t)length >= size)
        path[0] = '\0';
}

/* Another live process has the file: .<pid> before its last extension. */
static void avoid(char *path, size_t size)
{
    char extension[64], suffix[96];
    char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    (void)snprintf(extension, sizeof extension, "%s", path + stem);
    int more = snprintf(suffix, sizeof suffix, ".%ld%s", (long)getpid(), extension);
    if (more > 0 && stem + (size_t)more < size)
        memcpy(path + stem, suffix, (size_t)more + 1);
}

/* What killed processes left half written, once for every folder and kind of name. */
static void sweep_once(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    char folder[4096];
    if (!slash || !dot || dot < slash)
        return;
    (void)snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    uint64_t key = wpg_hash64_bytes(folder, strlen(folder)) ^ wpg_hash64_bytes(dot, strlen(dot));
    if (wpg_map_get(&files.swept, key, NULL) || !wpg_map_set(&files.swept, key, 1))
        return;
    size_t removed = wpg_file_sweep(folder, dot);
    if (removed)
        wpg_log_info("%zu file%s that a killed process left in %s removed", removed, wpg_plural(removed),
                     folder);
}

static wpg_file *make_file(wpg_hash128 pipeline, bool per_pipeline, bool shader_only, const char *pattern)
{
    char hex[WPG_HASH_HEX + 1], name[WPG_HASH_HEX + 16], path[4096];
    wpg_hash_to_hex(hex, pipeline);
    (void)snprintf(name, sizeof name, "%s%s", shader_only ? "shader-" : "", hex);
    make_path(path, sizeof path, pattern, per_pipeline ? name : "all");
    if (!wpg_claim(path)) {
        avoid(path, sizeof path);
        wpg_log_info("another process writes this profile: ours goes to %s", path);
    }
    sweep_once(path);
    wpg_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->pipeline = pipeline;
    file->path = strdup(path);
    if (!file->path || !wpg_vec_push(&files.list, file)) {
        free(file->path);
        free(file);
        return NULL;
    }
    return file;
}

/* A pattern that expands to `folder` and `file`: a percent sign in the folder's name stands for itself. */
static void escape(char *pattern, size_t size, const char *folder, const char *file)
{
    size_t used = 0;
    for (; *folder && used + 2 < size; folder++) {
        if (*folder == '%')
            pattern[used++] = '%';
        pattern[used++] = *folder;
    }
    (void)snprintf(pattern + used, size - used, "%s", file);
}

/* PROFILE_FILE; where it says nothing, the bundle's folder, else the working folder. */
static const char *default_pattern(void)
{
    static char in_bundle[4096];
    const char *pattern = wpg_the_process.settings.profile_file;
    if (pattern && *pattern)
        return pattern;
    if (!wpg_bundle_on())
        return "%e-%b.profraw";
    if (!*in_bundle)
        escape(in_bundle, sizeof in_bundle, wpg_bundle_folder(), "/%b.profraw");
    return in_bundle;
}

static wpg_file *file_of(wpg_hash128 pipeline, bool shader_only)
{
    const char *pattern = default_pattern();
    size_t length = strlen(pattern);
    bool per_pipeline = wpg_pattern_has(pattern, 'b') || pattern[length - 1] == '/';
    uint64_t found, key = per_pipeline ? pipeline.low : 0;
    if (wpg_map_get(&files.by_pipeline, key, &found)) {
        wpg_file *file = (wpg_file *)(uintptr_t)found;
        return !per_pipeline || wpg_hash_equal(file->pipeline, pipeline) ? file : NULL;
    }
    wpg_file *file = make_file(pipeline, per_pipeline, shader_only, pattern);
    if (file && !wpg_map_set(&files.by_pipeline, key, (uint64_t)(uintptr_t)file))
        return NULL; /* stays in the list, unused */
    return file;
}

void wpg_files_add(wpg_device *device, wpg_counted *counted)
{
    if (atomic_exchange(&counted->slot->listed, true)) {
        wpg_counted_destroy(counted);
        return;
    }
    (void)pthread_mutex_lock(&device->counted_lock);
    counted->next = device->counted;
    device->counted = counted;
    (void)pthread_mutex_unlock(&device->counted_lock);
}

/* Before counts are read: which file, and whether it counts the run. Done here, not at creation, so that
 * making a pipeline never waits for a file being written. */
static bool assign_file(wpg_counted *counted)
{
    if (counted->file)
        return true;
    counted->file = file_of(counted->pipeline, counted->shader_only);
    if (!counted->file)
        return false;
    counted->first_run = !wpg_map_get(&files.runs, counted->pipeline.low, NULL);
    (void)wpg_map_set(&files.runs, counted->pipeline.low, 1);
    return true;
}

static void say_failed(wpg_file *file, const wpg_error *err)
{
    if (!file->failed)
        wpg_log_error("%s is not written: %s", file->path, err->message);
    file->failed = true;
}

/* The device's list as it is now. It grows at its head only, and only retiring takes it away (under the files
 * lock): the rest of it can be walked while pipelines are made. */
static wpg_counted *counted_of(wpg_device *device)
{
    (void)pthread_mutex_lock(&device->counted_lock);
    wpg_counted *head = device->counted;
    (void)pthread_mutex_unlock(&device->counted_lock);
    return head;
}

/* Reads a device's counters; notes which files have news. */
static void read_counters(wpg_device *device)
{
    for (wpg_counted *counted = counted_of(device); counted; counted = counted->next) {
        if (!assign_file(counted))
            continue;
        uint64_t binds = atomic_load(&counted->slot->binds);
        counted->file->changed |= binds != counted->binds;
        counted->binds = binds;
        counted->binds_counted = atomic_load(&counted->slot->binds_counted);
        counted->file->changed |=
            wpg_counters_read(counted->values, device->counters, counted->slot) || !counted->file->on_disk;
    }
}

/* Puts what was read into the profiles of the files that have news; into the lasting part when the device
 * retires. */
static void add_records(wpg_counted *head, bool retiring)
{
    wpg_error err;
    for (wpg_counted *counted = head; counted; counted = counted->next) {
        if (!counted->file || (!retiring && !counted->file->changed))
            continue;
        wpg_profile **into = retiring ? &counted->file->retired : &counted->file->now;
        if (!*into)
            *into = wpg_profile_create();
        wpg_status status =
            *into ? add_counted(*into, counted, &err) : wpg_fail(&err, WPG_E_NOMEM, "out of memory");
        if (status != WPG_OK)
            say_failed(counted->file, &err);
    }
}

/* Out of the list that all devices are in; whether it was the last. */
static bool unlink_device(wpg_device *device)
{
    wpg_process *process = &wpg_the_process;
    (void)pthread_mutex_lock(&process->lock);
    wpg_device **at = &process->device_list;
    while (*at && *at != device)
        at = &(*at)->next_device;
    if (*at)
        *at = device->next_device;
    bool last = process->device_list == NULL;
    (void)pthread_mutex_unlock(&process->lock);
    return last;
}

/* One step for the writer thread: it finds what the device counted in the device or in the lasting part,
 * never in both, never in neither. */
bool wpg_files_retire(wpg_device *device)
{
    (void)pthread_mutex_lock(&files.lock);
    if (!wpg_counters_readable(device->counters))
        wpg_log_debug("nothing was counted on this device");
    else {
        read_counters(device);
        add_records(counted_of(device), true);
    }
    bool last = unlink_device(device);
    wpg_counted *counted = device->counted;
    device->counted = NULL;
    (void)pthread_mutex_unlock(&files.lock);
    while (counted) {
        wpg_counted *next = counted->next;
        wpg_counted_destroy(counted);
        counted = next;
    }
    return last;
}

static void file_done(void *who, const wpg_error *err)
{
    wpg_file *file = who;
    if (err) {
        say_failed(file, err);
        return;
    }
    wpg_summary_file(file->path, !file->on_disk);
    wpg_log_debug("%s written", file->path);
    file->written = file->writing;
    file->on_disk = true;
    file->failed = false;
    file->changed = false;
}

static wpg_status encode(uint8_t **data, size_t *size, wpg_file *file, wpg_error *err)
{
    if (!file->now && !(file->now = wpg_profile_create()))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    if (file->retired)
        WPG_TRY(wpg_profile_merge(file->now, file->retired, 1, NULL, err));
    if (wpg_profile_count(file->now) == 0)
        return WPG_OK;
    return wpg_profile_encode(data, size, file->now, (wpg_profile_format)wpg_the_process.settings.raw_version,
                              err);
}

static void write_file(wpg_file_batch *batch, wpg_file *file)
{
    wpg_error err;
    uint8_t *data = NULL;
    size_t size = 0;
    wpg_status status = encode(&data, &size, file, &err);
    if (status == WPG_OK && data) {
        file->writing = wpg_hash_bytes(data, size);
        if (file->on_disk && wpg_hash_equal(file->writing, file->written))
            file->changed = false;
        else
            status = wpg_file_batch_put(batch, file->path, data, size, file, &err);
    }
    if (status != WPG_OK)
        say_failed(file, &err);
    free(data);
}

static bool lock_files(bool unloading)
{
    struct timespec until;
    if (!unloading)
        return pthread_mutex_lock(&files.lock) == 0;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    return pthread_mutex_timedlock(&files.lock, &until) == 0;
}

void wpg_files_write_all(bool unloading)
{
    wpg_process *process = &wpg_the_process;
    if (!wpg_process_is_owner() || !lock_files(unloading))
        return;
    (void)pthread_mutex_lock(&process->lock);
    for (wpg_device *device = process->device_list; device; device = device->next_device)
        if (wpg_counters_readable(device->counters))
            read_counters(device);
    /* A file may hold pipelines of several devices: all are read before any is added. */
    for (wpg_device *device = process->device_list; device; device = device->next_device)
        add_records(counted_of(device), false);
    (void)pthread_mutex_unlock(&process->lock);
    wpg_file_batch batch;
    wpg_file_batch_init(&batch, file_done);
    for (size_t i = 0; i < files.list.count; i++) {
        if (files.list.data[i]->changed)
            write_file(&batch, files.list.data[i]);
        wpg_profile_destroy(files.list.data[i]->now);
        files.list.data[i]->now = NULL;
    }
    wpg_file_batch_commit(&batch);
    wpg_bundle_write();
    (void)pthread_mutex_unlock(&files.lock);
}

void wpg_files_finish(void)
{
    for (size_t i = 0; i < files.list.count; i++) {
        wpg_profile_destroy(files.list.data[i]->retired);
        free(files.list.data[i]->path);
        free(files.list.data[i]);
    }
    wpg_vec_free(&files.list);
    wpg_map_free(&files.by_pipeline);
    wpg_map_free(&files.runs);
    wpg_map_free(&files.swept);
    wpg_claims_finish();
}
