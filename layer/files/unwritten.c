#include "layer/files/unwritten.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "runtime/base/hash.h"
#include "runtime/base/log.h"

/* The reason at the end of a message that the system gave: "cannot ... PATH: REASON". */
static const char *reason_of(const char *message)
{
    const char *reason = message;
    for (const char *at = message; (at = strstr(at, ": ")); at += 2)
        reason = at + 2;
    return reason;
}

static bool is_first(uint64_t key)
{
    static _Atomic uint64_t said[16]; /* 0 = free */
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        uint64_t before = 0;
        if (atomic_compare_exchange_strong(&said[i], &before, key))
            return true;
        if (before == key)
            return false;
    }
    return false;
}

static bool is_forbidden(const char *reason)
{
    static const int numbers[] = {EROFS, EACCES, EPERM, ENOENT};
    char text[128];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const char *known = strerror_r(numbers[i], text, sizeof text);
        if (strcmp(reason, known) == 0)
            return true;
    }
    return false;
}

void wpg_say_unwritten(const char *path, const wpg_error *err)
{
    const char *slash = strrchr(path, '/'), *reason = reason_of(err->message);
    const size_t folder = slash ? (size_t)(slash - path) : 0;
    if (!is_first((wpg_hash64_bytes(path, folder) ^ wpg_hash64_bytes(reason, strlen(reason))) | 1))
        return;
    wpg_log_error("%s is not written: %s. %s", path, err->message,
                  is_forbidden(reason)
                      ? "Name a folder that the program may write, by BUNDLE or PROFILE_FILE: a container "
                        "sees other folders. More files of this folder are not mentioned"
                      : "More files of this folder that fail so are not mentioned");
}
