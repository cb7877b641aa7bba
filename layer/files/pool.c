#include "layer/files/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "layer/files/beside.h"
#include "runtime/base/file.h"
#include "runtime/base/log.h"

typedef struct wpg_pool_entry {
    wpg_pool *pool;
    void *who;
    char *own;
    WPG_VEC(char *) merged; /* files beside the pool that went into it */
    wpg_profile *total;     /* while it is put together */
} wpg_pool_entry;

/* A program that ends waits so long for another one that writes the pool: LOCK_TRIES times LOCK_PAUSE. */
enum { LOCK_TRIES = 200, LOCK_PAUSE = 10 * 1000 * 1000 };

void wpg_pool_init(wpg_pool *pool, wpg_profile_format format, wpg_file_done *done)
{
    *pool = (wpg_pool){.format = format, .done = done, .lock = -1};
}

static void destroy_entry(wpg_pool_entry *entry)
{
    for (size_t i = 0; i < entry->merged.count; i++)
        free(entry->merged.data[i]);
    wpg_vec_free(&entry->merged);
    wpg_profile_destroy(entry->total);
    free(entry->own);
    free(entry);
}

/* Killed between the rename and this, a run is counted twice by `show` of the folder. */
static void put_done(void *who, const wpg_error *err)
{
    wpg_pool_entry *entry = who;
    if (!err) {
        (void)unlink(entry->own);
        for (size_t i = 0; i < entry->merged.count; i++)
            (void)unlink(entry->merged.data[i]);
    }
    entry->pool->done(entry->who, err);
}

static void leave_folder(wpg_pool *pool)
{
    wpg_file_batch_commit(&pool->batch);
    for (size_t i = 0; i < pool->entries.count; i++)
        destroy_entry(pool->entries.data[i]);
    wpg_vec_free(&pool->entries);
    if (pool->lock >= 0)
        (void)close(pool->lock);
    pool->lock = -1;
    free(pool->folder);
    pool->folder = NULL;
}

void wpg_pool_finish(wpg_pool *pool)
{
    leave_folder(pool);
}

static wpg_status lock_folder(wpg_pool *pool, const char *folder, wpg_error *err)
{
    WPG_TRY(wpg_make_folders(folder, err));
    pool->lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result = pool->lock < 0 ? -1 : flock(pool->lock, LOCK_EX | LOCK_NB);
    for (int i = 0; i < LOCK_TRIES && result != 0 && pool->lock >= 0 && errno == EWOULDBLOCK; i++) {
        (void)nanosleep(&(struct timespec){.tv_nsec = LOCK_PAUSE}, NULL);
        result = flock(pool->lock, LOCK_EX | LOCK_NB);
    }
    return result == 0
               ? WPG_OK
               : wpg_fail(err, WPG_E_IO, "the folder %s cannot be locked: %s", folder, strerror(errno));
}

static wpg_status enter_folder(wpg_pool *pool, const char *path, wpg_error *err)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
    if (!folder)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_status status = WPG_OK;
    if (pool->folder && strcmp(pool->folder, folder) == 0)
        free(folder);
    else {
        leave_folder(pool);
        wpg_file_batch_init(&pool->batch, put_done);
        status = lock_folder(pool, folder, err);
        pool->folder = folder;
        if (status != WPG_OK)
            leave_folder(pool);
    }
    return status;
}

/* What a killed run left beside the pool. A file that is no profile stays where it is. */
static void merge_left(const char *path, void *context)
{
    wpg_pool_entry *entry = context;
    wpg_error err;
    char *copy = strdup(path);
    if (!copy || !wpg_vec_reserve(&entry->merged, 1)) {
        free(copy);
        return;
    }
    if (wpg_profile_read_file(entry->total, NULL, path, &err) == WPG_OK)
        (void)wpg_vec_push(&entry->merged, copy);
    else {
        wpg_log_warn("a profile left by a killed run is not merged: %s", err.message);
        free(copy);
    }
}

static wpg_status add_up(wpg_pool_entry *entry, const char *path, const wpg_profile *counts,
                         const wpg_spill *spill, wpg_error *err)
{
    wpg_profile_stats stats = {0};
    if (!(entry->total = wpg_profile_create()))
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    if (access(path, F_OK) == 0)
        WPG_TRY(wpg_profile_read_file(entry->total, NULL, path, err));
    wpg_beside_each(path, merge_left, entry);
    WPG_TRY(wpg_profile_merge(entry->total, counts, 1, &stats, err));
    WPG_TRY(wpg_spill_read(entry->total, spill, err));
    if (stats.mismatched)
        wpg_log_warn(
            "%s: %zu records of this run are left out: the pool has records of the same shaders with "
            "other numbers of counters (remove the pool to start anew)",
            path, stats.mismatched);
    return WPG_OK;
}

static wpg_status put(wpg_pool_entry *entry, const char *path, const wpg_profile *counts,
                      const wpg_spill *spill, wpg_error *err)
{
    uint8_t *data = NULL;
    size_t size = 0;
    wpg_pool *pool = entry->pool;
    WPG_TRY(add_up(entry, path, counts, spill, err));
    WPG_TRY(wpg_profile_encode(&data, &size, entry->total, pool->format, err));
    wpg_profile_destroy(entry->total);
    entry->total = NULL;
    wpg_status status = wpg_file_batch_put(&pool->batch, path, data, size, entry, err);
    free(data);
    return status;
}

wpg_status wpg_pool_put(wpg_pool *pool, const char *path, const char *own, const wpg_profile *counts,
                        const wpg_spill *spill, void *who, wpg_error *err)
{
    WPG_TRY(enter_folder(pool, path, err));
    wpg_pool_entry *entry = calloc(1, sizeof *entry);
    if (!entry || !wpg_vec_reserve(&pool->entries, 1) || !(entry->own = strdup(own))) {
        free(entry);
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    }
    entry->pool = pool;
    entry->who = who;
    wpg_status status = put(entry, path, counts, spill, err);
    if (status == WPG_OK)
        (void)wpg_vec_push(&pool->entries, entry);
    else
        destroy_entry(entry);
    return status;
}
