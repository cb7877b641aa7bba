/* Files of the cache: <folder>/<first two digits of the key>/<key>, little-endian:
 *
 *     "WPGCACH1" | key low, high | size | XXH3-128 of the blob, low, high | blob
 */
#include "runtime/bundle/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/bytes.h"
#include "runtime/base/descriptor.h"
#include "runtime/base/file.h"
#include "runtime/bundle/answers.h"

enum { HEADER_SIZE = 8 + 16 + 8 + 16, BLOB_LIMIT = 256 << 20, ANSWERS_HEX = 16 };
static const char magic[8] = {'W', 'P', 'G', 'C', 'A', 'C', 'H', '1'};

void wpg_cache_init(wpg_cache *cache, const char *setting, const char *base)
{
    const char *home = secure_getenv("HOME"), *xdg = secure_getenv("XDG_CACHE_HOME");
    int length = 0;
    cache->folder[0] = '\0';
    if (setting && strcmp(setting, "none") == 0)
        return;
    if (setting && setting[0] == '/')
        length = snprintf(cache->folder, sizeof cache->folder, "%s", setting);
    else if (setting && *setting)
        length = snprintf(cache->folder, sizeof cache->folder, "%s/%s", base, setting);
    else if (xdg && xdg[0] == '/')
        length = snprintf(cache->folder, sizeof cache->folder, "%s/wavepgo", xdg);
    else if (home && home[0] == '/')
        length = snprintf(cache->folder, sizeof cache->folder, "%s/.cache/wavepgo", home);
    if (length < 0 || (size_t)length >= sizeof cache->folder)
        cache->folder[0] = '\0';
}

static void path_of(char *path, size_t size, const wpg_cache *cache, wpg_hash128 key, bool folder_only)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, key);
    if (folder_only)
        (void)snprintf(path, size, "%s/%.2s", cache->folder, hex);
    else
        (void)snprintf(path, size, "%s/%.2s/%s", cache->folder, hex, hex);
}

wpg_status wpg_cache_get(uint8_t **data, size_t *size, const wpg_cache *cache, wpg_hash128 key,
                         wpg_error *err)
{
    char path[4096];
    uint8_t *file;
    size_t file_size;
    if (!cache->folder[0])
        return wpg_fail(err, WPG_E_NOT_FOUND, "there is no cache");
    path_of(path, sizeof path, cache, key, false);
    WPG_TRY(wpg_file_read(&file, &file_size, path, BLOB_LIMIT, err));
    wpg_reader r = wpg_reader_over(file, file_size);
    const uint8_t *found_magic = wpg_read_bytes(&r, sizeof magic);
    wpg_hash128 found, hash;
    found.low = wpg_read_u64(&r);
    found.high = wpg_read_u64(&r);
    uint64_t blob_size = wpg_read_u64(&r);
    hash.low = wpg_read_u64(&r);
    hash.high = wpg_read_u64(&r);
    const uint8_t *blob = blob_size == file_size - HEADER_SIZE ? wpg_read_bytes(&r, (size_t)blob_size) : NULL;
    if (!found_magic || !blob || r.overrun || memcmp(found_magic, magic, sizeof magic) != 0 ||
        !wpg_hash_equal(found, key) || !wpg_hash_equal(hash, wpg_hash_bytes(blob, (size_t)blob_size))) {
        free(file);
        return wpg_fail(err, WPG_E_FORMAT, "%s is damaged", path);
    }
    memmove(file, blob, (size_t)blob_size);
    *data = file;
    *size = (size_t)blob_size;
    return WPG_OK;
}

static wpg_status write_file(const char *path, const wpg_writer *w, wpg_error *err)
{
    char temporary[4200];
    static unsigned number;
    (void)snprintf(temporary, sizeof temporary, "%s.%ld-%u", path, (long)getpid(),
                   __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED));
    int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return wpg_fail(err, WPG_E_IO, "cannot make %s: %s", temporary, strerror(errno));
    bool written = wpg_write_all(fd, w->data, w->size);
    bool closed = close(fd) == 0;
    if (written && closed && rename(temporary, path) == 0)
        return WPG_OK;
    wpg_status status = wpg_fail(err, WPG_E_IO, "cannot write %s: %s", path, strerror(errno));
    (void)unlink(temporary);
    return status;
}

wpg_status wpg_cache_put(const wpg_cache *cache, wpg_hash128 key, const void *data, size_t size,
                         wpg_error *err)
{
    char path[4096];
    if (!cache->folder[0])
        return wpg_fail(err, WPG_E_NOT_FOUND, "there is no cache");
    if (size > BLOB_LIMIT - HEADER_SIZE)
        return wpg_fail(err, WPG_E_LIMIT, "%zu bytes are too many for the cache", size);
    path_of(path, sizeof path, cache, key, true);
    WPG_TRY(wpg_make_folders(path, err));
    wpg_writer w = {0};
    wpg_hash128 hash = wpg_hash_bytes(data, size);
    wpg_write_bytes(&w, magic, sizeof magic);
    wpg_write_u64(&w, key.low);
    wpg_write_u64(&w, key.high);
    wpg_write_u64(&w, size);
    wpg_write_u64(&w, hash.low);
    wpg_write_u64(&w, hash.high);
    wpg_write_bytes(&w, data, size);
    path_of(path, sizeof path, cache, key, false);
    wpg_status status = w.out_of_memory ? wpg_fail(err, WPG_E_NOMEM, "out of memory for a cache entry")
                                        : write_file(path, &w, err);
    wpg_writer_finish(&w);
    return status;
}

/* -- Clearing */

static bool is_hex(const char *text, size_t length)
{
    return strspn(text, "0123456789abcdef") >= length;
}

/* "<key>", or "<key>.<pid>-<number>": not yet renamed. */
static bool is_blob(const char *name, const char *shard)
{
    return is_hex(name, WPG_HASH_HEX) && strncmp(name, shard, 2) == 0 &&
           (name[WPG_HASH_HEX] == '\0' || name[WPG_HASH_HEX] == '.');
}

static wpg_status clear_shard(size_t *files, uint64_t *bytes, int parent, const char *shard,
                              bool is_ours(const char *name, const char *shard), bool dry_run, wpg_error *err)
{
    wpg_status status = WPG_OK;
    int fd = openat(parent, shard, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    struct stat info;
    if (!folder) {
        if (fd >= 0)
            (void)close(fd);
        return WPG_OK; /* no folder: not ours */
    }
    while ((entry = readdir(folder))) {
        if (!is_ours(entry->d_name, shard) ||
            fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode))
            continue;
        if (!dry_run && unlinkat(dirfd(folder), entry->d_name, 0) != 0) {
            status =
                wpg_fail(err, WPG_E_IO, "cannot remove %s/%s: %s", shard, entry->d_name, strerror(errno));
            continue;
        }
        ++*files;
        *bytes += (uint64_t)info.st_size;
    }
    (void)closedir(folder);
    if (!dry_run)
        (void)unlinkat(parent, shard, AT_REMOVEDIR); /* stays if anything else is in it */
    return status;
}

/* A file of answers: the hash of a program's name, and what a killed process left half written beside it. */
static bool is_answers(const char *name, const char *shard)
{
    (void)shard;
    return is_hex(name, ANSWERS_HEX) && (name[ANSWERS_HEX] == '\0' || name[ANSWERS_HEX] == '.');
}

wpg_status wpg_cache_clear(size_t *files, uint64_t *bytes, const wpg_cache *cache, bool dry_run,
                           wpg_error *err)
{
    wpg_status status = WPG_OK;
    const struct dirent *entry;
    *files = 0;
    *bytes = 0;
    DIR *folder = cache->folder[0] ? opendir(cache->folder) : NULL;
    if (!folder)
        return !cache->folder[0] || errno == ENOENT
                   ? WPG_OK
                   : wpg_fail(err, WPG_E_IO, "cannot open %.160s: %s", cache->folder, strerror(errno));
    status = clear_shard(files, bytes, dirfd(folder), WPG_ANSWERS_FOLDER, is_answers, dry_run, err);
    while ((entry = readdir(folder)))
        if (strlen(entry->d_name) == 2 && is_hex(entry->d_name, 2)) {
            wpg_status one = clear_shard(files, bytes, dirfd(folder), entry->d_name, is_blob, dry_run, err);
            status = one == WPG_OK ? status : one;
        }
    (void)closedir(folder);
    return status;
}
