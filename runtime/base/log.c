#include "runtime/base/log.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/descriptor.h"
#include "runtime/base/hash.h"
#include "runtime/base/text.h"

static int current_level = WPG_LOG_WARN;
static int current_fd = STDERR_FILENO;
static int writers; /* threads that may hold a descriptor they loaded from current_fd */

bool wpg_log_enabled(wpg_log_level level)
{
    return (int)level <= __atomic_load_n(&current_level, __ATOMIC_RELAXED);
}

void wpg_log(wpg_log_level level, const char *fmt, ...)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};
    if (!wpg_log_enabled(level))
        return;
    char line[1024];
    int saved = errno, prefix = snprintf(line, sizeof line, "wavepgo: %s: ", names[level]);
    va_list args;
    va_start(args, fmt);
    int body = wpg_format_list(line + prefix, sizeof line - (size_t)prefix - 1, fmt, args);
    va_end(args);
    if (body >= 0) {
        unsigned char before = 0;
        char shown[4 * sizeof line + 1];
        for (char *at = line;
             (at = strpbrk(at, "\n\r"));) /* of a name, or of a validator's text: one message is one line */
            *at = ' ';
        size_t length = wpg_escape_controls(shown, line, strlen(line), &before);
        shown[length++] = '\n';
        /* One write a line: lines of several threads or processes do not mix. A full disk must not stop the
         * program, so that a short write is dropped. */
        (void)__atomic_add_fetch(&writers, 1, __ATOMIC_SEQ_CST);
        ssize_t written = wpg_write_quietly(__atomic_load_n(&current_fd, __ATOMIC_SEQ_CST), shown, length);
        (void)written;
        (void)__atomic_sub_fetch(&writers, 1, __ATOMIC_SEQ_CST);
    }
    errno = saved;
}

void wpg_log_close(void)
{
    enum { MOST_WAITS = 1000 };
    int fd = __atomic_exchange_n(&current_fd, STDERR_FILENO, __ATOMIC_SEQ_CST);
    if (fd == STDERR_FILENO)
        return;
    /* Who writes now may have loaded it. In a forked child such a thread is gone: then it stays open. */
    for (int i = 0; i < MOST_WAITS && __atomic_load_n(&writers, __ATOMIC_SEQ_CST); i++)
        (void)sched_yield();
    if (!__atomic_load_n(&writers, __ATOMIC_SEQ_CST))
        (void)close(fd);
}

void wpg_log_open(wpg_log_level level, const char *path)
{
    wpg_log_close();
    __atomic_store_n(&current_level, (int)level, __ATOMIC_RELAXED);
    if (!path || !*path)
        return;
    int fd;
    wpg_error err;
    if (wpg_open_append(&fd, path, &err) != WPG_OK)
        wpg_log_once(WPG_LOG_WARN, "log file: %s; messages go to standard error", err.message);
    else
        __atomic_store_n(&current_fd, fd, __ATOMIC_SEQ_CST);
}

bool wpg_log_is_first(const char *text)
{
    static uint64_t said[16]; /* 0 = free */
    const uint64_t key = wpg_hash64_bytes(text, strcspn(text, ":")) | 1;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        uint64_t before = 0;
        if (__atomic_compare_exchange_n(&said[i], &before, key, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return true;
        if (before == key)
            return false;
    }
    return false;
}
