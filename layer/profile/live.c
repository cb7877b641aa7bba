#include "layer/profile/live.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "layer/base/map_codec.h"
#include "layer/base/sampling.h"
#include "runtime/base/descriptor.h"
#include "runtime/base/file.h"
#include "runtime/base/log.h"
#include "runtime/counters/recover.h"

enum { JOURNAL_MOST = 256 << 20 }; /* bytes: beyond it counts are no longer kept */

static struct {
    pthread_mutex_t lock;
    char journal[4200]; /* "" = none yet */
    size_t folder;      /* length of the folder's part of it, with the slash */
    int file;
    bool refused;
    off_t size;
    unsigned devices; /* numbers given so far */
} live = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

/* -- Files */

static void counters_path(char *path, size_t size, unsigned device)
{
    (void)snprintf(path, size, "%s.%u", live.journal, device);
}

/* Said once; what there is goes. Counts are written by flushes alone from here on. Under the lock. */
static void give_up(const char *why)
{
    char path[4400];
    wpg_log_once(WPG_LOG_INFO, "if the program is killed, counts since the last flush are lost: %s", why);
    live.refused = true;
    if (live.file < 0)
        return;
    (void)unlink(live.journal);
    (void)close(live.file);
    live.file = -1;
    for (unsigned i = 1; i <= live.devices; i++) {
        counters_path(path, sizeof path, i);
        (void)unlink(path);
    }
}

static bool write_all(const void *data, size_t size)
{
    if (lseek(live.file, live.size, SEEK_SET) < 0 || !wpg_write_all(live.file, data, size))
        return false;
    live.size += (off_t)size;
    return true;
}

/* Under the lock. */
static void append(const wpg_writer *entries)
{
    if (live.file < 0)
        return;
    wpg_writer frame = {0};
    wpg_write_u32(&frame, WPG_LIVE_FRAME);
    wpg_write_u32(&frame, (uint32_t)entries->size);
    wpg_write_u64(&frame, wpg_hash64_bytes(entries->data, entries->size));
    wpg_write_bytes(&frame, entries->data, entries->size);
    if (entries->out_of_memory || frame.out_of_memory || entries->size > JOURNAL_MOST - (size_t)live.size)
        give_up("the journal is too long");
    else if (!write_all(frame.data, frame.size))
        give_up(strerror(errno));
    wpg_writer_finish(&frame);
}

/* A record lock: a forked child does not hold it. */
static bool lock_journal(void)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(live.file, F_SETLK, &lock) == 0;
}

/* Beside the profile of that path. Under the lock. */
static bool open_journal(const char *path)
{
    const char *slash = strrchr(path, '/');
    uint64_t token = 0;
    wpg_error err;
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) /* a device */
        return false;
    if (live.file >= 0 || live.refused || !slash)
        return live.file >= 0;
    live.folder = (size_t)(slash - path) + 1;
    if (live.folder >= 3900)
        return false;
    (void)snprintf(live.journal, sizeof live.journal, "%.*s", (int)live.folder, path);
    if (wpg_make_folders(live.journal, &err) != WPG_OK) {
        give_up(err.message);
        return false;
    }
    if (getrandom(&token, sizeof token, GRND_NONBLOCK) != sizeof token)
        token = (uint64_t)time(NULL);
    (void)snprintf(live.journal + live.folder, sizeof live.journal - live.folder,
                   WPG_LIVE_PREFIX "%ld-%016" PRIx64 WPG_LIVE_ENDING, (long)getpid(), token);
    live.file = open(live.journal, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    live.size = 0;
    if (live.file < 0 || !lock_journal() || !write_all(WPG_LIVE_MAGIC, sizeof WPG_LIVE_MAGIC - 1))
        give_up(strerror(errno));
    return live.file >= 0;
}

/* All of its space is taken now: a write into a page that a full disk has no room for would kill the program.
 * Under the lock. */
static void keep_device(wpg_device *device)
{
    char path[4400];
    wpg_error err = {.message = ""};
    size_t size = wpg_counters_keepable(device->counters);
    device->live = ++live.devices;
    counters_path(path, sizeof path, device->live);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0 || !wpg_allocate_quietly(file, size))
        give_up(strerror(errno));
    else if (wpg_counters_keep(device->counters, file, &err) != WPG_OK)
        give_up(err.message);
    if (live.file < 0)
        (void)unlink(path);
    if (file >= 0)
        (void)close(file);
}

/* -- Entries */

static void write_text(wpg_writer *out, const char *text)
{
    size_t length = strlen(text);
    wpg_write_uleb(out, length);
    wpg_write_bytes(out, text, length);
}

/* Profiles go by their names in the journal's folder; a file elsewhere gets none, nor one that could be a
 * journal. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && (size_t)(slash - path) + 1 == live.folder &&
                   strncmp(path, live.journal, live.folder) == 0 && !strstr(slash, WPG_LIVE_ENDING)
               ? slash + 1
               : "";
}

static void write_hash(wpg_writer *out, wpg_hash128 hash)
{
    wpg_write_u64(out, hash.low);
    wpg_write_u64(out, hash.high);
}

static void write_pipeline(wpg_writer *out, const wpg_device *device, const wpg_counted *counted,
                           const char *path)
{
    wpg_write_u8(out, 'P');
    wpg_write_uleb(out, device->live);
    wpg_write_uleb(out, atomic_load(&counted->slot->first));
    wpg_write_uleb(out, atomic_load(&counted->slot->count));
    wpg_write_uleb(out, device->binds || wpg_sampling_is_by_pipeline() ? wpg_sampling_rate() : 0);
    write_hash(out, counted->pipeline);
    wpg_write_u8(out, counted->shader_only);
    write_text(out, name_of(path));
    wpg_write_uleb(out, counted->stage_count);
    for (size_t i = 0; i < counted->stage_count; i++) {
        const wpg_counted_stage *stage = &counted->stages[i];
        write_hash(out, stage->shader);
        write_text(out, stage->stage);
        write_text(out, stage->entry);
        wpg_map_encode(out, stage->map);
    }
}

void wpg_live_pipeline(wpg_device *device, const wpg_counted *counted, const char *path)
{
    if (!wpg_counters_keepable(device->counters) || !wpg_process_is_owner())
        return;
    (void)pthread_mutex_lock(&live.lock);
    if (open_journal(path) && *name_of(path)) {
        wpg_writer entry = {0};
        if (!device->live) {
            keep_device(device);
            wpg_write_u8(&entry, 'M');
            wpg_write_uleb(&entry, device->live);
            write_text(&entry, device->made);
        }
        write_pipeline(&entry, device, counted, path);
        append(&entry);
        wpg_writer_finish(&entry);
    }
    (void)pthread_mutex_unlock(&live.lock);
}

void wpg_live_assign(const wpg_device *device, const wpg_counted *counted, const char *path)
{
    (void)pthread_mutex_lock(&live.lock);
    if (live.file >= 0 && device->live && *name_of(path)) {
        wpg_writer entry = {0};
        wpg_write_u8(&entry, 'A');
        wpg_write_uleb(&entry, device->live);
        write_hash(&entry, counted->pipeline);
        wpg_write_u8(&entry, counted->first_run);
        write_text(&entry, name_of(path));
        append(&entry);
        wpg_writer_finish(&entry);
    }
    (void)pthread_mutex_unlock(&live.lock);
}

void wpg_live_ended(wpg_live_frame *frame, const wpg_device *device, const wpg_counted *counted)
{
    (void)pthread_mutex_lock(&live.lock);
    if (live.file >= 0 && device->live) {
        const size_t count = atomic_load(&counted->slot->count);
        wpg_write_u8(&frame->out, 'E');
        wpg_write_uleb(&frame->out, device->live);
        write_hash(&frame->out, counted->pipeline);
        wpg_write_uleb(&frame->out, counted->binds);
        wpg_write_uleb(&frame->out, counted->binds_counted);
        wpg_write_uleb(&frame->out, count);
        for (size_t i = 0; i < count; i++)
            wpg_write_uleb(&frame->out, counted->values[i]);
    }
    (void)pthread_mutex_unlock(&live.lock);
}

void wpg_live_pooled(wpg_live_frame *frame, const char *path)
{
    (void)pthread_mutex_lock(&live.lock);
    if (live.file >= 0 && *name_of(path)) {
        wpg_write_u8(&frame->out, 'B');
        write_text(&frame->out, name_of(path));
        wpg_write_uleb(&frame->out, 0);
    }
    (void)pthread_mutex_unlock(&live.lock);
}

void wpg_live_commit(wpg_live_frame *frame, const wpg_device *device)
{
    (void)pthread_mutex_lock(&live.lock);
    if (device && device->live) {
        wpg_write_u8(&frame->out, 'R');
        wpg_write_uleb(&frame->out, device->live);
    }
    if (frame->out.size)
        append(&frame->out);
    (void)pthread_mutex_unlock(&live.lock);
    wpg_writer_finish(&frame->out);
}

void wpg_live_retired(const wpg_device *device)
{
    char path[4400];
    (void)pthread_mutex_lock(&live.lock);
    if (live.file >= 0 && device->live) {
        counters_path(path, sizeof path, device->live);
        (void)unlink(path);
    }
    (void)pthread_mutex_unlock(&live.lock);
}

bool wpg_live_is_own(const char *name)
{
    (void)pthread_mutex_lock(&live.lock);
    const bool own = live.journal[0] && strcmp(live.journal + live.folder, name) == 0;
    (void)pthread_mutex_unlock(&live.lock);
    return own;
}

void wpg_live_finish(void)
{
    char path[4400];
    (void)pthread_mutex_lock(&live.lock);
    if (live.file >= 0) {
        (void)unlink(live.journal);
        for (unsigned i = 1; i <= live.devices; i++) {
            counters_path(path, sizeof path, i);
            (void)unlink(path);
        }
        (void)close(live.file);
        live.file = -1;
    }
    live.refused = true; /* nothing is left that would be written at another end */
    (void)pthread_mutex_unlock(&live.lock);
}
