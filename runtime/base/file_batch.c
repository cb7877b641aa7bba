/* Batches of files, and the sweep of temporary files that killed processes left. */
#include "runtime/base/file_batch.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/descriptor.h"
#include "runtime/base/file.h"
#include "runtime/base/hash.h"

static const char infix[] = ".tmp.";
enum {
    LETTERS = 6,
    SUFFIX = sizeof infix - 1 + LETTERS, /* characters */
    MOST_FILES = 128,                    /* of a batch */
    /* So many are waited for one by one, more by waiting for the whole file system: 2000 small files took 7 s
     * and 0.6 s (ext4). */
    MOST_SINGLY = 8,
    ATTEMPTS = 16,
    YOUNG = 60, /* seconds */
};

static wpg_status failed(wpg_error *err, const char *what, const char *path)
{
    return wpg_fail(err, errno == ENOENT ? WPG_E_NOT_FOUND : WPG_E_IO, "cannot %s %s: %s", what, path,
                    strerror(errno));
}

void wpg_file_batch_init(wpg_file_batch *batch, wpg_file_done *done)
{
    *batch = (wpg_file_batch){.done = done, .lead = -1};
}

/* -- Temporary names */

static char *temporary_of(const char *path, const char *letters)
{
    size_t size = strlen(path) + SUFFIX + 1;
    char *name = malloc(size);
    if (name)
        (void)snprintf(name, size, "%s%s%s", path, infix, letters);
    return name;
}

/* Letters that no other call of this process takes, and hardly one of another process. */
static void choose_letters(char letters[LETTERS])
{
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    static uint64_t calls;
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t seed[] = {(uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)getpid(),
                             __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED)};
    uint64_t number = wpg_hash64_bytes(seed, sizeof seed);
    for (int i = 0; i < LETTERS; i++, number /= sizeof all - 1)
        letters[i] = all[number % (sizeof all - 1)];
}

/* A new file with letters of its own, locked. A sweeper that came between the two has removed it. mkstemp
 * would make it for this user alone, and widening that later needs the umask, which cannot be read without
 * changing it under other threads. */
static int open_lead(char *temporary)
{
    char *letters = temporary + strlen(temporary) - LETTERS;
    struct stat info;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        choose_letters(letters);
        int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno == EEXIST)
            continue;
        if (fd < 0)
            return -1;
        (void)flock(fd, LOCK_EX); /* a file system without locks: none are swept there */
        if (fstat(fd, &info) != 0 || info.st_nlink)
            return fd;
        (void)close(fd);
    }
    errno = EAGAIN;
    return -1;
}

static wpg_status make_folder_of(const char *path, size_t length, wpg_error *err)
{
    if (!length)
        return WPG_OK;
    char *folder = strndup(path, length);
    if (!folder)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a path");
    wpg_status status = wpg_make_folders(folder, err);
    free(folder);
    return status;
}

/* What a file is to hold: the beginning of a descriptor, then bytes. */
typedef struct contents {
    int from;
    uint64_t before;
    const void *data;
    size_t size;
} contents;

static wpg_status write_contents(int fd, const contents *what, const char *path, wpg_error *err)
{
    if (what->before && !wpg_copy_all(fd, what->from, what->before))
        return failed(err, "write", path);
    return wpg_write_all(fd, what->data, what->size) ? WPG_OK : failed(err, "write", path);
}

/* The file under its temporary name; it is removed again when that fails. */
static wpg_status write_temporary(wpg_file_batch *batch, char *temporary, const char *path,
                                  const contents *what, wpg_error *err)
{
    bool leads = !batch->files.count;
    int fd = leads ? open_lead(temporary) : open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return failed(err, "create", path);
    wpg_status status = write_contents(fd, what, path, err);
    if (status == WPG_OK && leads) {
        batch->lead = fd;
        memcpy(batch->letters, temporary + strlen(temporary) - LETTERS, LETTERS);
        return WPG_OK;
    }
    if (close(fd) != 0 && status == WPG_OK)
        status = failed(err, "write", path);
    if (status != WPG_OK)
        (void)unlink(temporary);
    return status;
}

/* A device, a pipe: renaming would put a file in the place of /dev/null. */
static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

static wpg_status put(wpg_file_batch *batch, const char *path, const contents *what, void *who,
                      wpg_error *err)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) : 0;
    if (batch->files.count >= MOST_FILES ||
        (batch->files.count &&
         (batch->folder != folder || strncmp(batch->files.data[0].path, path, folder) != 0)))
        wpg_file_batch_commit(batch);
    if (is_special(path))
        return wpg_fail(err, WPG_E_IO, "%s is no regular file", path);
    WPG_TRY(make_folder_of(path, folder, err));
    wpg_file_waiting file = {strdup(path), who};
    char *temporary = temporary_of(path, batch->files.count ? batch->letters : "XXXXXX");
    wpg_status status = file.path && temporary && wpg_vec_reserve(&batch->files, 1)
                            ? write_temporary(batch, temporary, path, what, err)
                            : wpg_fail(err, WPG_E_NOMEM, "no memory for a path");
    if (status == WPG_OK) {
        batch->folder = folder;
        (void)wpg_vec_push(&batch->files, file);
    } else {
        free(file.path);
        if (!batch->files.count)
            wpg_vec_free(&batch->files); /* an empty batch owns nothing */
    }
    free(temporary);
    return status;
}

wpg_status wpg_file_batch_put(wpg_file_batch *batch, const char *path, const void *data, size_t size,
                              void *who, wpg_error *err)
{
    return put(batch, path, &(const contents){-1, 0, data, size}, who, err);
}

wpg_status wpg_file_batch_put_behind(wpg_file_batch *batch, const char *path, int from, uint64_t before,
                                     const void *data, size_t size, void *who, wpg_error *err)
{
    return put(batch, path, &(const contents){from, before, data, size}, who, err);
}

/* -- Commit */

static int sync_one(const char *temporary)
{
    int fd = open(temporary, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int result = fsync(fd);
    (void)close(fd);
    return result;
}

static wpg_status sync_all(wpg_file_batch *batch, wpg_error *err)
{
    bool singly = batch->files.count <= MOST_SINGLY;
    if ((singly ? fsync(batch->lead) : syncfs(batch->lead)) != 0)
        return failed(err, "write", batch->files.data[0].path);
    for (size_t i = 1; singly && i < batch->files.count; i++) {
        const char *path = batch->files.data[i].path;
        char *temporary = temporary_of(path, batch->letters);
        int result = temporary ? sync_one(temporary) : -1;
        free(temporary);
        if (result != 0)
            return failed(err, "write", path);
    }
    return WPG_OK;
}

static wpg_status rename_one(const wpg_file_waiting *file, const char *letters, bool good, wpg_error *err)
{
    char *temporary = temporary_of(file->path, letters);
    wpg_status status = WPG_OK;
    if (!temporary)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a path");
    if (good && rename(temporary, file->path) != 0) {
        status = failed(err, "rename to", file->path);
        good = false;
    }
    if (!good)
        (void)unlink(temporary);
    free(temporary);
    return status;
}

void wpg_file_batch_commit(wpg_file_batch *batch)
{
    wpg_error not_synced, not_renamed;
    if (!batch->files.count)
        return;
    wpg_status synced = batch->unsynced ? WPG_OK : sync_all(batch, &not_synced);
    /* The lead last: it stands for the others. */
    for (size_t i = batch->files.count; i-- > 0;) {
        wpg_file_waiting *file = &batch->files.data[i];
        wpg_status status = rename_one(file, batch->letters, synced == WPG_OK, &not_renamed);
        if (batch->done)
            batch->done(file->who, synced != WPG_OK ? &not_synced : status != WPG_OK ? &not_renamed : NULL);
        free(file->path);
    }
    (void)close(batch->lead);
    wpg_vec_free(&batch->files);
    wpg_file_batch_init(batch, batch->done);
}

/* -- Sweeping */

typedef struct letters_of {
    char letters[LETTERS + 1];
    bool held; /* by a living process, or it cannot be told */
} letters_of;
typedef WPG_VEC(letters_of) letters_list;

/* "<...ending>.tmp.<letters>": the letters; NULL for any other name. */
static const char *letters_in(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    if (length < SUFFIX + tail)
        return NULL;
    const char *at = name + length - SUFFIX;
    if (strncmp(at, infix, sizeof infix - 1) != 0 || strncmp(at - tail, ending, tail) != 0)
        return NULL;
    at += sizeof infix - 1;
    for (int i = 0; i < LETTERS; i++)
        if (!isalnum((unsigned char)at[i]))
            return NULL;
    return at;
}

static letters_of *find_letters(letters_list *list, const char *letters)
{
    letters_of *each;
    WPG_VEC_EACH (each, list)
        if (memcmp(each->letters, letters, LETTERS) == 0)
            return each;
    return NULL;
}

/* A lead that is not locked yet is empty, and young. */
static bool may_be_new(const struct stat *info)
{
    return info->st_size == 0 && time(NULL) - info->st_mtime < YOUNG;
}

static bool is_held(int folder, const char *name)
{
    struct stat info;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno != ENOENT;
    bool held = flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &info) != 0 || may_be_new(&info);
    (void)close(fd);
    return held;
}

/* One pass over the folder's temporary files. */
static size_t pass(const char *path, const char *ending, letters_list *list, char what)
{
    size_t removed = 0;
    struct stat info;
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *letters = letters_in(entry->d_name, ending);
        if (!letters || fstatat(dirfd(folder), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(info.st_mode))
            continue;
        letters_of *known = find_letters(list, letters);
        if (what == 'l' && !known) {
            letters_of fresh = {.held = false};
            memcpy(fresh.letters, letters, LETTERS);
            (void)wpg_vec_push(list, fresh);
        } else if (what == 'h' && known)
            known->held = known->held || is_held(dirfd(folder), entry->d_name);
        else if (what == 'r' && known && !known->held)
            removed += unlinkat(dirfd(folder), entry->d_name, 0) == 0;
    }
    if (folder)
        (void)closedir(folder);
    return removed;
}

size_t wpg_file_sweep(const char *folder, const char *ending)
{
    letters_list list = {0};
    size_t removed = 0;
    /* Which letters there are; then, in a listing begun after these, which leads are held: a lead is there
     * before the others and goes after them. */
    (void)pass(folder, ending, &list, 'l');
    if (list.count) {
        (void)pass(folder, "", &list, 'h');
        removed = pass(folder, ending, &list, 'r');
    }
    wpg_vec_free(&list);
    return removed;
}
