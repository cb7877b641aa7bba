/* Names of source files in exports: flat, unique, and never outside a folder. */
#include "runtime/report/model/source_names.h"

#include <stdio.h>
#include <string.h>

#include "runtime/base/hash.h"

enum { MOST_LETTERS = 160, HASH_ROOM = 16 };

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

/* One component of a path: no separator, no leading dot or dash. Of a long name the end is kept. */
static void flatten(char *flat, const char *name)
{
    const size_t length = strlen(name);
    const char *from = length > MOST_LETTERS ? name + length - MOST_LETTERS : name;
    while (*from == '/' || *from == '\\')
        from++;
    char *to = flat;
    if (*from == '.' || *from == '-' || !*from)
        *to++ = '_';
    for (; *from; from++)
        *to++ = is_plain(*from) ? *from : '_';
    *to = '\0';
}

static void clean(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '_';
}

/* The file whose text a file without text stands for. */
static uint32_t stands_for(const wpg_report *report, uint32_t file)
{
    uint32_t found = file;
    size_t texts = 0;
    for (uint32_t i = 0; i < report->files.count && !report->files.data[file].text; i++)
        if (report->files.data[i].text && !report->files.data[i].generated &&
            strcmp(report->files.data[i].name, report->files.data[file].name) == 0) {
            found = i;
            texts++;
        }
    return texts == 1 ? found : file;
}

static char *compose(wpg_arena *arena, const wpg_report_file *file, const char *folder)
{
    const size_t room = strlen(file->name) + (folder ? strlen(folder) : 0) + HASH_ROOM + 8;
    char *name = wpg_arena_alloc(arena, room, 1);
    char flat[MOST_LETTERS + 2];
    if (!name)
        return NULL;
    if (folder && file->text && !file->generated) {
        flatten(flat, file->name);
        (void)snprintf(name, room, "%s/%s", folder, flat);
    } else {
        (void)snprintf(name, room, "%s", file->name);
        clean(name);
    }
    return name;
}

/* Two files of one name: both get digits of a hash of what tells them apart. */
static bool tell_apart(wpg_source_names *names, const wpg_report *report)
{
    const size_t count = report->files.count;
    bool *twice = wpg_arena_alloc(&names->arena, count + 1, sizeof *twice);
    if (!twice)
        return false;
    for (size_t a = 0; a < count; a++)
        for (size_t b = 0; b < count && !twice[a]; b++)
            twice[a] = names->files[a].file != names->files[b].file &&
                       strcmp(names->files[a].name, names->files[b].name) == 0;
    for (size_t i = 0; i < count; i++) {
        const wpg_report_file *file = &report->files.data[names->files[i].file];
        if (!twice[i])
            continue;
        const uint64_t hash = wpg_hash64_bytes(file->name, strlen(file->name)) * 3 +
                              (file->text ? wpg_hash64_bytes(file->text, strlen(file->text)) : 1);
        const size_t room = strlen(names->files[i].name) + HASH_ROOM;
        char *name = wpg_arena_alloc(&names->arena, room, 1);
        if (!name)
            return false;
        (void)snprintf(name, room, "%s@%08x", names->files[i].name, (unsigned)(hash >> 32));
        names->files[i].name = name;
    }
    return true;
}

wpg_status wpg_source_names_make(wpg_source_names *names, const wpg_report *report, const char *folder)
{
    const size_t count = report->files.count;
    wpg_arena_init(&names->arena);
    names->files = WPG_ARENA_ARRAY(&names->arena, wpg_source_name, count + 1);
    for (uint32_t i = 0; names->files && i < count; i++) {
        const uint32_t file = stands_for(report, i);
        names->files[i] = (wpg_source_name){compose(&names->arena, &report->files.data[file], folder), file};
    }
    if (names->files && !names->arena.failed && tell_apart(names, report))
        return WPG_OK;
    wpg_source_names_finish(names);
    return WPG_E_NOMEM;
}

void wpg_source_names_finish(wpg_source_names *names)
{
    wpg_arena_finish(&names->arena);
    names->files = NULL;
}
