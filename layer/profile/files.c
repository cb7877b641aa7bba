/* Writes records into files: see files.h. Source: runtime/profile/README.md, runtime/bundle/README.md. */
#include "layer/profile/files_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "layer/base/summary.h"
#include "layer/files/beside.h"
#include "layer/profile/bundle_files.h"
#include "layer/profile/check_counts.h"
#include "layer/files/file_locks.h"
#include "layer/profile/file_names.h"
#include "layer/files/hurry.h"
#include "layer/profile/live.h"
#include "layer/files/pool.h"
#include "layer/profile/recover.h"
#include "layer/files/unwritten.h"
#include "runtime/base/file_batch.h"
#include "runtime/base/key_set.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"
#include "runtime/base/vec.h"
#include "runtime/bundle/bundle.h"
#include "runtime/config/pattern.h"
#include "runtime/profile/profile_io.h"

static struct {
    pthread_mutex_t lock;
    atomic_size_t unused; /* pipelines destroyed since the writer was woken for them */
    WPG_VEC(wpg_file *) list;
    wpg_map by_pipeline; /* low half of the hash -> wpg_file; 0 for the file of all */
    wpg_key_set runs;    /* low halves of the hashes of pipelines whose run was counted */
    wpg_map swept;       /* folder and ending -> 1 */
} files = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* -- Files; all under the files lock */

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
    wpg_recover_told(folder);
    size_t removed = wpg_file_sweep(folder, dot);
    if (removed)
        wpg_log_info("removed %zu file%s that a killed process left in %s", removed, wpg_plural(removed),
                     folder);
}

/* The path is ours. A run replaces the profiles of an earlier run: also those that the earlier run's other
 * processes wrote beside it, or `show` of the folder would add them to ours. True if there was a profile. */
static bool take_over(const char *path)
{
    struct stat info;
    size_t removed = wpg_beside_remove(path);
    if (removed)
        wpg_log_info("%s: removed %zu profiles that other processes of an earlier run wrote beside it", path,
                     removed);
    bool there = stat(path, &info) == 0 && S_ISREG(info.st_mode);
    if (there)
        wpg_log_info("%s is of an earlier run and will be replaced (%%m in PROFILE_FILE adds runs up)", path);
    return there;
}

static wpg_file *make_file(wpg_hash128 pipeline, bool shader_only, const char *pattern)
{
    char path[4096];
    wpg_file_nominal(path, sizeof path, pipeline, shader_only, pattern);
    sweep_once(path);
    const bool pool = wpg_pattern_has(pattern, 'm');
    char pool_path[4096] = "";
    bool replaces = false;
    if (pool) {
        (void)snprintf(pool_path, sizeof pool_path, "%s", path);
        wpg_beside_claim(path, sizeof path);
    } else if (wpg_file_lock(path))
        replaces = take_over(path);
    else {
        wpg_beside_claim(path, sizeof path);
        wpg_log_info("another process writes this profile: this process writes %s", path);
    }
    wpg_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    file->pipeline = pipeline;
    file->replaces = replaces;
    file->shared = !wpg_file_is_own(pattern, pipeline);
    file->path = strdup(path);
    file->pool = pool ? strdup(pool_path) : NULL;
    if (!file->path || (pool && !file->pool) || !wpg_vec_push(&files.list, file)) {
        free(file->path);
        free(file->pool);
        free(file);
        return NULL;
    }
    return file;
}

static wpg_file *file_of(wpg_hash128 pipeline, bool shader_only)
{
    const char *pattern = wpg_file_pattern();
    bool per_pipeline = wpg_file_is_own(pattern, pipeline);
    uint64_t found, key = per_pipeline ? pipeline.low : 0;
    if (wpg_map_get(&files.by_pipeline, key, &found)) {
        wpg_file *file = (wpg_file *)(uintptr_t)found;
        return !per_pipeline || wpg_hash_equal(file->pipeline, pipeline) ? file : NULL;
    }
    wpg_file *file = make_file(pipeline, shader_only, pattern);
    if (file && !wpg_map_set(&files.by_pipeline, key, (uint64_t)(uintptr_t)file))
        return NULL; /* stays in the list, unused */
    return file;
}

bool wpg_files_assign(const wpg_device *device, wpg_counted *counted)
{
    if (counted->file)
        return true;
    counted->file = file_of(counted->pipeline, counted->shader_only);
    if (!counted->file)
        return false;
    counted->file->counting++;
    counted->first_run = wpg_key_set_add(&files.runs, counted->pipeline.low);
    wpg_live_assign(device, counted, counted->file->path);
    return true;
}

/* Its counts shall outlive a killed process. */
static void keep(wpg_device *device, wpg_counted *counted)
{
    char path[4096];
    const char *pattern = wpg_file_pattern();
    wpg_file_nominal(path, sizeof path, counted->pipeline, counted->shader_only, pattern);
    if (wpg_pattern_has(pattern, 'm'))
        wpg_beside_name(path, sizeof path);
    wpg_live_pipeline(device, counted, path);
    if (pthread_mutex_trylock(&files.lock) != 0)
        return;
    (void)wpg_files_assign(device, counted);
    (void)pthread_mutex_unlock(&files.lock);
}

void wpg_files_add(wpg_device *device, wpg_counted *counted)
{
    if (atomic_exchange(&counted->slot->listed, true)) {
        wpg_counted_destroy(counted);
        return;
    }
    if (wpg_counters_keepable(device->counters))
        keep(device, counted);
    wpg_counted_pack(counted);
    (void)pthread_mutex_lock(&device->counted_lock);
    counted->next = device->counted;
    device->counted = counted;
    (void)pthread_mutex_unlock(&device->counted_lock);
}

wpg_profile_format wpg_files_format(void)
{
    return (wpg_profile_format)wpg_the_process.settings.raw_version;
}

static void say_failed(wpg_file *file, const wpg_error *err)
{
    if (!file->failed)
        wpg_say_unwritten(file->path, err);
    file->failed = true;
}

wpg_counted *wpg_files_counted(wpg_device *device)
{
    (void)pthread_mutex_lock(&device->counted_lock);
    wpg_counted *head = device->counted;
    (void)pthread_mutex_unlock(&device->counted_lock);
    return head;
}

bool wpg_files_has(wpg_device *device)
{
    return wpg_files_counted(device) != NULL;
}

/* The visits that reservoirs keep (probes/reservoir.h): cells that later visits write again. */
static void read_visits(wpg_counted *counted, const wpg_counters *counters)
{
    if (wpg_counted_unpack(counted, NULL) != WPG_OK)
        return;
    for (size_t s = 0; s < counted->stage_count; s++) {
        const wpg_counter_map *map = counted->stages[s].map;
        for (uint32_t f = 0; f < map->function_count; f++)
            for (uint32_t t = 0; t < map->functions[f].table_count; t++) {
                const wpg_probe_reservoir *kept = &map->functions[f].tables[t].reservoir;
                if (kept->width)
                    wpg_counters_read_cells(counted->values, counters, counted->slot, kept->first + (size_t)1,
                                            WPG_RESERVOIR_COUNTERS(kept->width) - 1);
            }
    }
    wpg_counted_pack(counted);
}

bool wpg_files_read(wpg_device *device, wpg_counted *head)
{
    bool any = false;
    for (wpg_counted *counted = head; counted; counted = counted->next) {
        if (!wpg_files_assign(device, counted))
            continue;
        uint64_t binds = atomic_load(&counted->slot->binds);
        counted->file->changed |= binds != counted->binds;
        counted->binds = binds;
        counted->binds_counted = atomic_load(&counted->slot->binds_counted);
        bool rose = wpg_counters_read(counted->values, device->counters, counted->slot);
        if (rose && counted->visits)
            read_visits(counted, device->counters);
        counted->file->changed |= rose || !counted->file->on_disk;
        any |= rose;
    }
    return any;
}

void wpg_files_add_records(wpg_counted *head, bool retiring)
{
    wpg_error err;
    for (wpg_counted *counted = head; counted; counted = counted->next) {
        if (!counted->file || (!retiring && !counted->file->changed))
            continue;
        wpg_profile **into = retiring ? &counted->file->retired : &counted->file->now;
        if (!*into)
            *into = wpg_profile_create();
        wpg_status status =
            *into ? wpg_counted_unpack(counted, &err) : wpg_fail(&err, WPG_E_NOMEM, "out of memory");
        if (status == WPG_OK)
            status = wpg_files_records(*into, counted, &err);
        if (status != WPG_OK)
            say_failed(counted->file, &err);
        wpg_counted_pack(counted);
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
        (void)wpg_files_read(device, wpg_files_counted(device));
        if (!atomic_load(&device->lost)) /* work of a lost device ended midway */
            wpg_check_counts(&device->impossible, wpg_files_counted(device));
        wpg_files_add_records(wpg_files_counted(device), true);
    }
    wpg_check_counts_done(device->impossible);
    wpg_files_keep_ended(device, wpg_files_counted(device), true);
    wpg_live_retired(device);
    for (size_t i = 0; i < files.list.count; i++)
        wpg_files_spill(files.list.data[i]);
    bool last = unlink_device(device);
    wpg_counted *counted = device->counted;
    device->counted = NULL;
    for (const wpg_counted *at = counted; at; at = at->next)
        if (at->file)
            at->file->counting--;
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
    if (!file->on_disk && !file->pool)
        wpg_summary_file(file->path, file->replaces ? WPG_SUMMARY_REPLACED : WPG_SUMMARY_NEW);
    wpg_log_debug("%s written", file->path);
    file->written = file->writing;
    file->on_disk = true;
    file->failed = false;
    file->changed = false;
    wpg_files_rest(file);
}

static wpg_live_frame pooled; /* files whose counts a pool has; under the files lock */

/* The pool holds the counts: what this process counts from here on is new to the pool. */
static void pool_done(void *who, const wpg_error *err)
{
    wpg_file *file = who;
    if (err) {
        say_failed(file, err);
        return;
    }
    wpg_summary_file(file->pool, WPG_SUMMARY_POOLED);
    wpg_log_debug("%s: the counts of this run are added", file->pool);
    wpg_profile_destroy(file->retired);
    file->retired = NULL;
    wpg_spill_clear(&file->spill);
    wpg_live_pooled(&pooled, file->path);
    file->on_disk = false;
    file->failed = false;
    file->changed = false;
}

/* Adds what was retired to `now`, but for what was spilled. Once a round of writing. On failure memory and
 * disk are as they were. */
static wpg_status add_up(wpg_file *file, wpg_error *err)
{
    if (!file->now && !(file->now = wpg_profile_create()))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    WPG_TRY(wpg_files_recall(file, err));
    return file->retired ? wpg_profile_merge(file->now, file->retired, 1, NULL, err) : WPG_OK;
}

static void write_file(wpg_file_batch *batch, wpg_file *file)
{
    wpg_error err;
    uint8_t *data = NULL;
    size_t size = 0;
    wpg_status status = wpg_profile_count(file->now)
                            ? wpg_profile_encode(&data, &size, file->now, wpg_files_format(), &err)
                            : WPG_OK;
    if (status == WPG_OK && (data || file->spill.size)) {
        file->writing = wpg_hash_bytes(data, size);
        file->writing.high ^= file->spill.size; /* what was spilled does not change */
        if (file->on_disk && wpg_hash_equal(file->writing, file->written)) {
            file->changed = false;
            wpg_files_rest(file);
        } else
            status = wpg_file_batch_put_behind(batch, file->path, file->spill.file, file->spill.size, data,
                                               size, file, &err);
    }
    if (status != WPG_OK)
        say_failed(file, &err);
    free(data);
}

/* Counts that cannot go into their pool go into the process's own file, as before the end. */
static void write_pools(void)
{
    wpg_error err;
    wpg_pool pool;
    wpg_pool_init(&pool, wpg_files_format(), pool_done);
    for (size_t i = 0; i < files.list.count; i++) {
        wpg_file *file = files.list.data[i];
        if (!file->pool || !file->changed || (!wpg_profile_count(file->now) && !file->spill.size))
            continue;
        if (wpg_pool_put(&pool, file->pool, file->path, file->now, &file->spill, file, &err) != WPG_OK)
            wpg_log_warn("the counts of this run are not added to %s but stay in %s: %s", file->pool,
                         file->path, err.message);
    }
    wpg_pool_finish(&pool);
    wpg_live_commit(&pooled, NULL);
    pooled = (wpg_live_frame){.out = {0}};
}

/* `ends`: no device counts any more, or the process goes. Under the files lock. */
static void write_changed(bool ends)
{
    wpg_error err;
    wpg_file_batch batch;
    for (size_t i = 0; i < files.list.count; i++) {
        wpg_file *file = files.list.data[i];
        if (file->changed && add_up(file, &err) != WPG_OK) {
            say_failed(file, &err);
            file->changed = false;
        }
    }
    if (ends)
        write_pools();
    wpg_file_batch_init(&batch, file_done);
    for (size_t i = 0; i < files.list.count; i++) {
        if (files.list.data[i]->changed)
            write_file(&batch, files.list.data[i]);
        wpg_profile_destroy(files.list.data[i]->now);
        files.list.data[i]->now = NULL;
    }
    wpg_file_batch_commit(&batch);
}

void wpg_files_write_ended(wpg_file *const *list, size_t count)
{
    wpg_error err;
    wpg_file_batch batch;
    wpg_file_batch_init(&batch, file_done);
    for (size_t i = 0; i < count; i++) {
        wpg_file *file = list[i];
        if (!file->changed || file->counting || file->pool)
            continue;
        if (add_up(file, &err) == WPG_OK)
            write_file(&batch, file);
        else /* a flush tries again */
            say_failed(file, &err);
        wpg_profile_destroy(file->now);
        file->now = NULL;
    }
    wpg_file_batch_commit(&batch);
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

/* The head of the list of devices. Under the files lock: devices leave the list under that lock only, and
 * come at the head, so that the rest can be walked while others are made. */
static wpg_device *first_device(void)
{
    wpg_process *process = &wpg_the_process;
    (void)pthread_mutex_lock(&process->lock);
    wpg_device *head = process->device_list;
    (void)pthread_mutex_unlock(&process->lock);
    return head;
}

/* True if a counter of any device has risen. Under the files lock. */
static bool read_devices(wpg_device *head)
{
    bool any = false;
    for (wpg_device *device = head; device; device = device->next_device)
        if (wpg_counters_readable(device->counters))
            any |= wpg_files_read(device, wpg_files_counted(device));
    return any;
}

bool wpg_files_read_all(void)
{
    if (!wpg_process_is_owner())
        return false;
    (void)pthread_mutex_lock(&files.lock);
    bool any = read_devices(first_device());
    (void)pthread_mutex_unlock(&files.lock);
    return any;
}

void wpg_files_write_all(bool unloading)
{
    if (!wpg_process_is_owner() || !lock_files(unloading))
        return;
    wpg_device *head = first_device();
    if (!unloading)
        wpg_files_retire_list(head, true);
    if (!unloading || !atomic_load(&wpg_the_process.left))
        (void)read_devices(head);
    const bool ends = unloading || !head;
    for (size_t i = 0; ends && i < files.list.count; i++)
        files.list.data[i]->changed |= files.list.data[i]->pool != NULL; /* flushed, but not into the pool */
    /* A file may hold pipelines of several devices: all are read before any is added. */
    for (wpg_device *device = head; device; device = device->next_device)
        wpg_files_add_records(wpg_files_counted(device), false);
    write_changed(ends);
    wpg_bundle_write();
    (void)pthread_mutex_unlock(&files.lock);
}

void wpg_files_write_new(void)
{
    if (!wpg_bundle_on() || !wpg_process_is_owner() || !lock_files(false))
        return;
    wpg_bundle_write_new();
    (void)pthread_mutex_unlock(&files.lock);
}

void wpg_files_retire_unused(void)
{
    if (!wpg_process_is_owner() || pthread_mutex_lock(&files.lock) != 0)
        return;
    wpg_files_retire_list(first_device(), true);
    (void)pthread_mutex_unlock(&files.lock);
}

void wpg_files_release(wpg_device *device, wpg_counter_slot *slot)
{
    if (!wpg_process_is_owner() || !wpg_counters_release(device->counters, slot) ||
        atomic_fetch_add(&files.unused, 1) + 1 < WPG_RETIRED_AT_ONCE)
        return;
    atomic_store(&files.unused, 0);
    if (wpg_writer_retire() || pthread_mutex_trylock(&files.lock) != 0)
        return;
    wpg_files_retire_list(first_device(), false);
    (void)pthread_mutex_unlock(&files.lock);
}

void wpg_files_finish(void)
{
    for (size_t i = 0; i < files.list.count; i++) {
        wpg_spill_clear(&files.list.data[i]->spill);
        wpg_profile_destroy(files.list.data[i]->retired);
        free(files.list.data[i]->path);
        free(files.list.data[i]->pool);
        free(files.list.data[i]);
    }
    wpg_vec_free(&files.list);
    wpg_map_free(&files.by_pipeline);
    wpg_key_set_free(&files.runs);
    wpg_map_free(&files.swept);
    wpg_beside_finish();
    wpg_file_locks_finish();
}
