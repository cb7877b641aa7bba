#include "layer/files/beside.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layer/files/file_locks.h"
#include "runtime/base/hash.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"

typedef struct beside_file {
    char *path;    /* NULL: visited */
    uint64_t stem; /* hash of the path that the file is beside */
    pid_t process;
} beside_file;

static struct {
    WPG_VEC(beside_file) list;
    wpg_map folders; /* hash of folder and ending -> 1: was read */
    wpg_map claimed; /* hash of path -> 1: this process's own */
} beside;

/* The last extension of the file's name; the end of the path if there is none. */
static const char *ending_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    return dot && (!slash || dot > slash) ? dot : path + strlen(path);
}

/* More than any process number (Linux: PID_MAX_LIMIT). */
enum { PROCESSES = 1 << 22, CLAIMS = 256 };

static void name_beside(char *path, size_t size, long number)
{
    char ending[256], suffix[320];
    size_t stem = (size_t)(ending_of(path) - path);
    (void)snprintf(ending, sizeof ending, "%s", path + stem);
    int more = snprintf(suffix, sizeof suffix, ".%ld%s", number, ending);
    if (more > 0 && stem + (size_t)more < size)
        memcpy(path + stem, suffix, (size_t)more + 1);
}

void wpg_beside_name(char *path, size_t size)
{
    name_beside(path, size, (long)getpid());
}

void wpg_beside_claim(char *path, size_t size)
{
    char first[4200];
    (void)snprintf(first, sizeof first, "%s", path);
    for (long i = 0; i < CLAIMS; i++) {
        (void)snprintf(path, size, "%s", first);
        name_beside(path, size, (long)getpid() + i * PROCESSES);
        if (wpg_file_lock(path))
            break;
    }
    (void)wpg_map_set(&beside.claimed, wpg_hash64_bytes(path, strlen(path)), 1);
}

/* Splits "<stem>.<pid><ending>": the length of the stem, 0 for any other name. */
static size_t split(pid_t *process, const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    if (!tail || length <= tail || strcmp(name + length - tail, ending) != 0)
        return 0;
    size_t at = length - tail;
    while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
        at--;
    errno = 0;
    long number = strtol(name + at, NULL, 10);
    if (at == length - tail || at < 2 || name[at - 1] != '.' || errno || number <= 0 || number > INT32_MAX)
        return 0;
    *process = (pid_t)number;
    return at - 1;
}

static void note(const char *folder, const char *name, const char *ending)
{
    char path[4400];
    pid_t process;
    size_t stem = split(&process, name, ending);
    if (!stem)
        return;
    (void)snprintf(path, sizeof path, "%s/%.*s%s", folder, (int)stem, name, ending);
    beside_file file = {.stem = wpg_hash64_bytes(path, strlen(path)), .process = process};
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    file.path = strdup(path);
    if (file.path && !wpg_vec_push(&beside.list, file))
        free(file.path);
}

static void read_folder(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    if (!slash)
        return;
    (void)snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    uint64_t key = wpg_hash64_bytes(folder, strlen(folder)) ^ wpg_hash64_bytes(ending, strlen(ending));
    if (wpg_map_get(&beside.folders, key, NULL) || !wpg_map_set(&beside.folders, key, 1))
        return;
    if (slash == path)
        folder[0] = '\0';
    DIR *listing = opendir(*folder ? folder : "/");
    for (const struct dirent *entry; listing && (entry = readdir(listing));)
        note(folder, entry->d_name, ending);
    if (listing)
        (void)closedir(listing);
}

/* A process of another container goes by a number that means nothing here, or is ours: its claim tells. */
static bool has_ended(const beside_file *file)
{
    if (wpg_map_get(&beside.claimed, wpg_hash64_bytes(file->path, strlen(file->path)), NULL))
        return false;
    return (file->process == getpid() || (kill(file->process, 0) != 0 && errno == ESRCH)) &&
           wpg_file_lock(file->path);
}

void wpg_beside_each(const char *path, void (*visit)(const char *beside, void *context), void *context)
{
    read_folder(path, ending_of(path));
    uint64_t stem = wpg_hash64_bytes(path, strlen(path));
    for (size_t i = 0; i < beside.list.count; i++) {
        beside_file *file = &beside.list.data[i];
        if (!file->path || file->stem != stem || !has_ended(file))
            continue;
        visit(file->path, context);
        free(file->path);
        file->path = NULL;
    }
}

static void remove_one(const char *path, void *removed)
{
    *(size_t *)removed += unlink(path) == 0;
}

size_t wpg_beside_remove(const char *path)
{
    size_t removed = 0;
    wpg_beside_each(path, remove_one, &removed);
    return removed;
}

void wpg_beside_finish(void)
{
    beside_file *file;
    WPG_VEC_EACH (file, &beside.list)
        free(file->path);
    wpg_vec_free(&beside.list);
    wpg_map_free(&beside.folders);
    wpg_map_free(&beside.claimed);
}
