#include "runtime/base/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include <linux/magic.h>

/* -- Writing */

typedef struct held_signals {
    sigset_t before, waiting;
} held_signals;

static void hold_back(held_signals *held)
{
    sigset_t ours;
    (void)sigemptyset(&ours);
    (void)sigaddset(&ours, SIGXFSZ);
    (void)sigaddset(&ours, SIGPIPE);
    (void)sigemptyset(&held->waiting);
    (void)sigpending(&held->waiting);
    (void)pthread_sigmask(SIG_BLOCK, &ours, &held->before);
}

/* Takes the signal that came with `error`, 0 if there was none. Keeps errno. */
static void let_go(const held_signals *held, int error)
{
    static const struct timespec at_once = {0};
    int saved = errno, raised = error == EFBIG ? SIGXFSZ : error == EPIPE ? SIGPIPE : 0;
    sigset_t caused;
    if (raised && !sigismember(&held->waiting, raised)) { /* one that waited before is the program's own */
        (void)sigemptyset(&caused);
        (void)sigaddset(&caused, raised);
        while (sigtimedwait(&caused, NULL, &at_once) < 0 && errno == EINTR)
            ;
    }
    (void)pthread_sigmask(SIG_SETMASK, &held->before, NULL);
    errno = saved;
}

ssize_t wpg_write_quietly(int fd, const void *data, size_t size)
{
    held_signals held;
    hold_back(&held);
    ssize_t put = write(fd, data, size);
    let_go(&held, put < 0 ? errno : 0);
    return put;
}

bool wpg_allocate_quietly(int fd, size_t size)
{
    held_signals held;
    hold_back(&held);
    bool good = fallocate(fd, 0, 0, (off_t)size) == 0;
    let_go(&held, good ? 0 : errno);
    return good;
}

bool wpg_write_all(int fd, const void *data, size_t size)
{
    const char *bytes = data;
    while (size) {
        ssize_t put = wpg_write_quietly(fd, bytes, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        bytes += put;
        size -= (size_t)put;
    }
    return true;
}

bool wpg_copy_all(int to, int from, uint64_t size)
{
    static const size_t piece = (size_t)1 << 18;
    char *bytes = malloc(piece);
    uint64_t at = 0;
    while (bytes && at < size) {
        const uint64_t left = size - at;
        const ssize_t got = pread(from, bytes, left < piece ? (size_t)left : piece, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            errno = EIO; /* it was cut */
        if (got <= 0 || !wpg_write_all(to, bytes, (size_t)got))
            break;
        at += (uint64_t)got;
    }
    const int saved = errno;
    free(bytes);
    errno = saved;
    return bytes && at == size;
}

/* -- Appending */

enum { MOST_LINKS = 16 };

static wpg_status cannot_open(wpg_error *err, const char *path, const char *why)
{
    return wpg_fail(err, WPG_E_IO, "cannot open %s: %s", path, why);
}

static void set_waiting(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags >= 0)
        (void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
}

/* `at` becomes the place that the link there names. */
static bool follow(char at[PATH_MAX], int link)
{
    char target[PATH_MAX];
    ssize_t length = readlinkat(link, "", target, sizeof target - 1);
    if (length <= 0)
        return false;
    target[length] = '\0';
    char *slash = strrchr(at, '/');
    size_t folder = *target == '/' || !slash ? 0 : (size_t)(slash - at) + 1;
    if (folder + (size_t)length >= PATH_MAX)
        return false;
    memcpy(at + folder, target, (size_t)length + 1);
    return true;
}

wpg_status wpg_open_append(int *fd, const char *path, wpg_error *err)
{
    enum { HOW = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK };
    char at[PATH_MAX];
    if (snprintf(at, sizeof at, "%s", path) >= PATH_MAX)
        return cannot_open(err, path, strerror(ENAMETOOLONG));
    for (int links = 0; links < MOST_LINKS; links++) {
        struct stat info;
        struct statfs system;
        int opened = open(at, HOW | O_NOFOLLOW, 0666);
        if (opened >= 0) {
            if (fstat(opened, &info) == 0 && !S_ISFIFO(info.st_mode))
                set_waiting(opened); /* a terminal that is stopped loses nothing */
            *fd = opened;
            return WPG_OK;
        }
        if (errno == ENXIO)
            return cannot_open(err, path, "it is a pipe and no process reads it");
        if (errno != ELOOP)
            return cannot_open(err, path, strerror(errno));
        /* What is looked at is what is followed: the link may be another one the next moment. */
        int link = open(at, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        if (link < 0)
            return cannot_open(err, path, strerror(errno));
        bool good = fstat(link, &info) == 0 && fstatfs(link, &system) == 0;
        bool own = good && (info.st_uid == geteuid() || info.st_uid == 0);
        bool of_kernel = own && system.f_type == PROC_SUPER_MAGIC; /* /dev/fd/63, /dev/stderr */
        good = own && (of_kernel || !S_ISLNK(info.st_mode) || follow(at, link));
        int why = errno;
        (void)close(link);
        if (!own)
            return cannot_open(err, path, "it is a link of another user; name the file itself");
        if (!good)
            return cannot_open(err, path, strerror(why));
        if (of_kernel) {
            opened = open(at, HOW & ~O_CREAT);
            if (opened < 0)
                return cannot_open(err, path, strerror(errno));
            set_waiting(opened);
            *fd = opened;
            return WPG_OK;
        }
    }
    return cannot_open(err, path, strerror(ELOOP));
}
