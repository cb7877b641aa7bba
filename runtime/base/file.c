#include "runtime/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/descriptor.h"
#include "runtime/base/file_batch.h"

static wpg_status io_error(wpg_error *err, const char *what, const char *path)
{
    return wpg_fail(err, errno == ENOENT ? WPG_E_NOT_FOUND : WPG_E_IO, "cannot %s %s: %s", what, path,
                    strerror(errno));
}

/* Reads to the end. `room`: bytes that are expected, from which the buffer grows; a zero byte goes behind the
 * data. WPG_E_LIMIT: there are more than `limit`. */
static wpg_status read_to_end(uint8_t **data, size_t *size, int fd, size_t room, const char *path,
                              size_t limit, wpg_error *err)
{
    uint8_t *buffer = malloc(room + 1);
    size_t length = 0;
    wpg_status status = buffer ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "no memory for %s", path);
    while (status == WPG_OK) {
        if (length == room) {
            room = room ? room * 2 : 65536;
            uint8_t *grown = realloc(buffer, room + 1);
            if (!grown) {
                status = wpg_fail(err, WPG_E_NOMEM, "no memory for %s", path);
                break;
            }
            buffer = grown;
        }
        ssize_t got = read(fd, buffer + length, room - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            status = io_error(err, "read", path);
        if (got <= 0)
            break;
        length += (size_t)got;
        if (length > limit)
            status = wpg_fail(err, WPG_E_LIMIT, "%s is larger than %zu bytes", path, limit);
    }
    if (status != WPG_OK) {
        free(buffer);
        return status;
    }
    buffer[length] = 0;
    *data = buffer;
    *size = length;
    return WPG_OK;
}

wpg_status wpg_file_read(uint8_t **data, size_t *size, const char *path, size_t limit, wpg_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe is not waited for */
    if (fd < 0)
        return io_error(err, "open", path);
    struct stat info;
    wpg_status status = WPG_OK;
    if (fstat(fd, &info) != 0)
        status = io_error(err, "read", path);
    else if (!S_ISREG(info.st_mode))
        status = wpg_fail(err, WPG_E_IO, "%s is not a regular file", path);
    else if ((uint64_t)info.st_size > limit)
        status = wpg_fail(err, WPG_E_LIMIT, "%s is larger than %zu bytes", path, limit);
    if (status == WPG_OK) /* one byte more, so that the end is seen without growing */
        status = read_to_end(data, size, fd, (size_t)info.st_size + 1, path, limit, err);
    (void)close(fd);
    return status;
}

/* The descriptor that a path of /dev or /proc stands for; -1 for a file like any other. */
static int given_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    int number = -1, used = 0;
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0)
        return STDIN_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0 &&
            (sscanf(path + strlen(folders[i]), "%9d%n", &number, &used) != 1 || number < 0 ||
             path[strlen(folders[i]) + (size_t)used]))
            number = -1;
    return number;
}

wpg_status wpg_file_read_given(uint8_t **data, size_t *size, const char *path, size_t limit, wpg_error *err)
{
    int fd = given_descriptor(path);
    if (fd < 0)
        return wpg_file_read(data, size, path, limit, err);
    if (fcntl(fd, F_GETFD) < 0)
        return wpg_fail(err, WPG_E_NOT_FOUND, "cannot read %s: %s", path, strerror(errno));
    return read_to_end(data, size, fd, 0, path, limit, err);
}

wpg_status wpg_make_folders(const char *path, wpg_error *err)
{
    char *copy = strdup(path);
    if (!copy)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a path");
    wpg_status status = WPG_OK;
    for (char *at = copy + 1; status == WPG_OK && *copy; at++) {
        char saved = *at;
        if (saved != '/' && saved != '\0')
            continue;
        *at = '\0';
        struct stat info;
        int why = mkdir(copy, 0777) == 0 ? 0 : errno; /* stat has another reason: nothing is there */
        if (why && (stat(copy, &info) != 0 || !S_ISDIR(info.st_mode)))
            status = wpg_fail(err, WPG_E_IO, "cannot make folder %s: %s", copy,
                              strerror(why == EEXIST ? ENOTDIR : why));
        *at = saved;
        if (!saved)
            break;
    }
    free(copy);
    return status;
}

/* -- Writing: a batch of one; or what is no file, as it is */

static wpg_status write_through(const char *path, const void *data, size_t size, wpg_error *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return wpg_fail(err, WPG_E_IO, "cannot write %s: %s", path,
                        errno == ENXIO ? "it is a pipe and no process reads it" : strerror(errno));
    int flags = fcntl(fd, F_GETFL); /* the reader that is there is given its time */
    bool good = flags >= 0 && fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0 && wpg_write_all(fd, data, size);
    int why = errno;
    if (close(fd) != 0 && good) {
        why = errno;
        good = false;
    }
    return good ? WPG_OK : wpg_fail(err, WPG_E_IO, "cannot write %s: %s", path, strerror(why));
}

static void keep_error(void *who, const wpg_error *err)
{
    if (err)
        *(wpg_error *)who = *err;
}

static wpg_status replace(const char *path, const void *data, size_t size, bool unsynced, wpg_error *err)
{
    wpg_file_batch batch;
    wpg_error mine = {0};
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return wpg_fail(err, WPG_E_IO, "cannot write %s: it is a folder", path);
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return write_through(path, data, size, err);
    wpg_file_batch_init(&batch, keep_error);
    batch.unsynced = unsynced;
    WPG_TRY(wpg_file_batch_put(&batch, path, data, size, &mine, err));
    wpg_file_batch_commit(&batch);
    return mine.status == WPG_OK ? WPG_OK : wpg_fail(err, mine.status, "%s", mine.message);
}

wpg_status wpg_file_write_atomic(const char *path, const void *data, size_t size, wpg_error *err)
{
    return replace(path, data, size, false, err);
}

wpg_status wpg_file_replace(const char *path, const void *data, size_t size, wpg_error *err)
{
    return replace(path, data, size, true, err);
}
