/* See pattern.h. */
#include "runtime/config/pattern.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/hash.h"
#include "runtime/base/text.h"

/* How many pools "m" or "<digit>m" at the text's begin asks for; 0: it is something else. */
static int pool_count(const char *text)
{
    if (*text == 'm')
        return 1;
    return *text >= '1' && *text <= '9' && text[1] == 'm' ? *text - '0' : 0;
}

bool wpg_pattern_has(const char *pattern, char letter)
{
    for (const char *at = pattern; *at; at++) {
        if (*at != '%')
            continue;
        if (at[1] == letter || (letter == 'm' && pool_count(at + 1)))
            return true;
        if (at[1])
            at++; /* "%%b" holds no %b */
    }
    return false;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *back = strrchr(path, '\\');
    if (back && (!slash || back > slash))
        slash = back;
    return slash ? slash + 1 : path;
}

/* Under Wine /proc/self/exe is Wine's loader: the game is the argument that ends in .exe. */
static bool windows_program(char *name, size_t size)
{
    uint8_t *line;
    size_t length;
    bool found = false;
    FILE *file = fopen("/proc/self/cmdline", "re");
    if (!file)
        return false;
    line = malloc(65536);
    length = line ? fread(line, 1, 65535, file) : 0;
    (void)fclose(file);
    for (size_t at = 0; line && at < length && !found;) {
        line[length] = '\0';
        const char *argument = (const char *)line + at;
        size_t width = strlen(argument);
        if (width > 4 && wpg_same_word(argument + width - 4, ".exe")) {
            (void)snprintf(name, size, "%s", base_name(argument));
            found = true;
        }
        at += width + 1;
    }
    free(line);
    return found;
}

void wpg_executable_name(char *name, size_t size)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) {
        (void)snprintf(name, size, "unknown");
        return;
    }
    path[length] = '\0';
    const char *base = base_name(path);
    if (strncmp(base, "wine", 4) == 0 && windows_program(name, size))
        return;
    (void)snprintf(name, size, "%s", base);
}

static void pool_name(char *name, size_t size, int pools)
{
    char executable[4096];
    wpg_executable_name(executable, sizeof executable);
    (void)snprintf(name, size, "%" PRIu64 "_%ld", wpg_hash64_bytes(executable, strlen(executable)),
                   (long)getpid() % pools);
}

static const char *temporary_folder(void)
{
    const char *folder = secure_getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

wpg_status wpg_pattern_expand(char *path, size_t size, const char *pattern, const char *hash, wpg_error *err)
{
    size_t used = 0;
    for (const char *at = pattern; *at; at++) {
        char value[4096] = {at[0], '\0'};
        bool folder_allowed = true;
        if (*at == '%' && at[1]) {
            folder_allowed = false;
            int pools = pool_count(++at);
            at += pools && *at != 'm';
            switch (*at) {
            case 'm':
                pool_name(value, sizeof value, pools);
                break;
            case 'b':
                (void)snprintf(value, sizeof value, "%s", hash ? hash : "");
                break;
            case 'p':
                (void)snprintf(value, sizeof value, "%ld", (long)getpid());
                break;
            case 'e':
                wpg_executable_name(value, sizeof value);
                break;
            case 'h':
                if (gethostname(value, sizeof value) != 0)
                    (void)snprintf(value, sizeof value, "localhost");
                value[sizeof value - 1] = '\0';
                break;
            case 't':
                (void)snprintf(value, sizeof value, "%s", temporary_folder());
                folder_allowed = true;
                break;
            case '%':
                (void)snprintf(value, sizeof value, "%%");
                break;
            default:
                (void)snprintf(value, sizeof value, "%%%c", *at);
                break;
            }
        }
        for (char *slash = value; !folder_allowed && (slash = strchr(slash, '/'));)
            *slash = '_';
        size_t length = strlen(value);
        if (length >= size - used)
            return wpg_fail(err, WPG_E_LIMIT, "file name from pattern '%s' is too long", pattern);
        memcpy(path + used, value, length);
        used += length;
    }
    path[used] = '\0';
    return WPG_OK;
}
