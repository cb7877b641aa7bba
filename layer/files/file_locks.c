/* File ownership by record locks. */
#include "layer/files/file_locks.h"
#include "layer/base/disk_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/file.h"
#include "runtime/base/hash.h"
#include "runtime/bundle/bundle.h"

static int lock_file = -1;
static bool tried;

static int open_lock_file(void)
{
    const wpg_cache *cache = wpg_disk_cache();
    char path[4096];
    if (tried)
        return lock_file;
    tried = true;
    if (!cache->folder[0] || wpg_make_folders(cache->folder, NULL) != WPG_OK)
        return -1;
    (void)snprintf(path, sizeof path, "%s/live.lock", cache->folder);
    lock_file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    return lock_file;
}

bool wpg_file_lock(const char *path)
{
    int fd = open_lock_file();
    if (fd < 0)
        return true;
    struct flock lock = {.l_type = F_WRLCK,
                         .l_whence = SEEK_SET,
                         .l_start =
                             (off_t)(wpg_hash64_bytes(path, strlen(path)) >> (sizeof(off_t) == 8 ? 2 : 34)),
                         .l_len = 1};
    return fcntl(fd, F_SETLK, &lock) == 0 || (errno != EACCES && errno != EAGAIN);
}

char *wpg_file_lock_facts(bool *alone, const char *bundle, const char *kind, wpg_hash128 subject)
{
    char path[4200], hex[WPG_HASH_HEX + 1], tag[32];
    wpg_hash_to_hex(hex, subject);
    if (wpg_bundle_facts_path(path, sizeof path, bundle, kind, hex, "", NULL) != WPG_OK)
        return NULL;
    *alone = wpg_file_lock(path);
    (void)snprintf(tag, sizeof tag, ".%ld", (long)getpid());
    if (!*alone && wpg_bundle_facts_path(path, sizeof path, bundle, kind, hex, tag, NULL) != WPG_OK)
        return NULL;
    return strdup(path);
}

void wpg_file_locks_finish(void)
{
    if (lock_file >= 0)
        (void)close(lock_file);
    lock_file = -1;
    tried = false;
}
