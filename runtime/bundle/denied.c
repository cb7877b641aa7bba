#include "runtime/bundle/denied.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/descriptor.h"
#include "runtime/base/file.h"
#include "runtime/base/vec.h"

enum { LIST_LIMIT = 4 << 20, LINE_SIZE = 256 };

bool wpg_denied_path(char *path, size_t size, const char *folder)
{
    int length = *folder ? snprintf(path, size, "%s/denied", folder) : -1;
    return length > 0 && (size_t)length < size;
}

static bool read_line(wpg_denied_entry *entry, const char *line)
{
    char *end;
    const char *mode, *when;
    if (!wpg_hash_from_hex(&entry->pipeline, line) || line[WPG_HASH_HEX] != '\t')
        return false;
    mode = line + WPG_HASH_HEX + 1;
    size_t width = strcspn(mode, "\t");
    if (width == 0 || width >= sizeof entry->mode || mode[width] != '\t')
        return false;
    memcpy(entry->mode, mode, width);
    entry->mode[width] = '\0';
    when = mode + width + 1;
    entry->when = strtoll(when, &end, 10);
    if (end == when || *end != '\t')
        return false;
    (void)snprintf(entry->program, sizeof entry->program, "%.*s", (int)sizeof entry->program - 1, end + 1);
    return true;
}

wpg_status wpg_denied_read(wpg_denied *list, const char *folder, wpg_error *err)
{
    char path[4200], *rest = NULL;
    uint8_t *text;
    size_t size, lines = 0;
    WPG_VEC(wpg_denied_entry) found = {0};
    *list = (wpg_denied){0};
    if (!wpg_denied_path(path, sizeof path, folder))
        return WPG_OK;
    wpg_status status = wpg_file_read(&text, &size, path, LIST_LIMIT, err);
    if (status != WPG_OK)
        return status == WPG_E_NOT_FOUND ? WPG_OK : status;
    for (char *line = strtok_r((char *)text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        wpg_denied_entry entry = {.order = lines++};
        size_t i = 0;
        if (!read_line(&entry, line))
            continue;
        while (i < found.count && !(wpg_hash_equal(found.data[i].pipeline, entry.pipeline) &&
                                    strcmp(found.data[i].mode, entry.mode) == 0))
            i++;
        if (i < found.count)
            found.data[i] = entry;
        else if (!wpg_vec_push(&found, entry))
            status = wpg_fail(err, WPG_E_NOMEM, "out of memory for the deny list");
    }
    free(text);
    list->entries = found.data;
    list->count = found.count;
    return status;
}

void wpg_denied_finish(wpg_denied *list)
{
    free(list->entries);
    *list = (wpg_denied){0};
}

/* The entry of mode `mode` followed by `ending`. */
static const wpg_denied_entry *find(const wpg_denied *list, wpg_hash128 pipeline, const char *mode,
                                    const char *ending)
{
    const size_t length = strlen(mode);
    for (size_t i = 0; i < list->count; i++) {
        const wpg_denied_entry *entry = &list->entries[i];
        if (wpg_hash_equal(entry->pipeline, pipeline) && strncmp(entry->mode, mode, length) == 0 &&
            strcmp(entry->mode + length, ending) == 0)
            return entry;
    }
    return NULL;
}

bool wpg_denied_has(const wpg_denied *list, wpg_hash128 pipeline, const char *mode)
{
    return find(list, pipeline, mode, "") != NULL;
}

int wpg_denied_ended(const wpg_denied *list, wpg_hash128 pipeline, const char *mode)
{
    if (find(list, pipeline, mode, WPG_DENIED_ENDED3))
        return WPG_ENDED_MOST;
    const wpg_denied_entry *fine = find(list, pipeline, mode, WPG_DENIED_FINE);
    const wpg_denied_entry *twice = find(list, pipeline, mode, WPG_DENIED_ENDED2),
                           *once = find(list, pipeline, mode, WPG_DENIED_ENDED);
    if (twice && (!fine || fine->order < twice->order))
        return 2;
    return once && (!fine || fine->order < once->order);
}

/* A program's name may hold what would end a line. */
static void print_line(char *line, size_t size, const wpg_denied_entry *entry)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, entry->pipeline);
    int length =
        snprintf(line, size, "%s\t%s\t%" PRId64 "\t%s", hex, entry->mode, entry->when, entry->program);
    size_t end = length < 0 ? 0 : (size_t)length < size - 1 ? (size_t)length : size - 2;
    for (size_t i = 0; i < end; i++)
        if (line[i] == '\n' || line[i] == '\r')
            line[i] = '?';
    line[end] = '\n';
    line[end + 1] = '\0';
}

wpg_status wpg_denied_append(const char *folder, const wpg_denied_entry *entries, size_t count,
                             wpg_error *err)
{
    char path[4200];
    if (!wpg_denied_path(path, sizeof path, folder))
        return wpg_fail(err, WPG_E_NOT_FOUND, "there is no cache folder");
    WPG_TRY(wpg_make_folders(folder, err));
    char *text = calloc(count ? count : 1, LINE_SIZE);
    if (!text)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for the deny list");
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        print_line(text + used, LINE_SIZE, &entries[i]);
        used += strlen(text + used);
    }
    int fd = -1;
    wpg_status status = wpg_open_append(&fd, path, err);
    if (status == WPG_OK && (!wpg_write_all(fd, text, used) || fsync(fd) != 0))
        status = wpg_fail(err, WPG_E_IO, "cannot write %.160s: %s", path, strerror(errno));
    if (fd >= 0)
        (void)close(fd);
    free(text);
    return status;
}
