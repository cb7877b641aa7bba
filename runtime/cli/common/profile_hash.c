#include "runtime/cli/common/profile_hash.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/file.h"
#include "runtime/base/vec.h"
#include "runtime/bundle/bundle.h"

enum { FILE_LIMIT = INT_MAX, DEEPEST = 3 };

typedef WPG_VEC(char) bytes;

static bool append(bytes *list, const char *text)
{
    const size_t length = strlen(text) + 1;
    if (!wpg_vec_reserve(list, length))
        return false;
    memcpy(list->data + list->count, text, length);
    list->count += length;
    return true;
}

static bool hash_file(char hex[WPG_HASH_HEX + 1], const char *path)
{
    uint8_t *data;
    size_t size;
    wpg_error err;
    if (wpg_file_read(&data, &size, path, FILE_LIMIT, &err) != WPG_OK)
        return false;
    wpg_hash_to_hex(hex, wpg_hash_bytes(data, size));
    free(data);
    return true;
}

static int counts(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && strcmp(entry->d_name, WPG_BUNDLE_COMPARE) != 0;
}

/* By bytes: alphasort follows the locale. */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool add_folder(bytes *list, const char *folder, int depth);

/* A line of the list: the name, and the hash of a file. Descends into folders. */
static bool add(bytes *list, const char *folder, const char *name, int depth)
{
    char path[PATH_MAX], hex[WPG_HASH_HEX + 1] = "";
    struct stat info;
    const size_t length = strlen(name);
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path || stat(path, &info) != 0 ||
        !append(list, name))
        return false;
    if (S_ISDIR(info.st_mode))
        return depth < DEEPEST && append(list, "{") && add_folder(list, path, depth + 1) && append(list, "}");
    if (!S_ISREG(info.st_mode) || (length > 4 && strcmp(name + length - 4, ".spv") == 0))
        return true;
    return hash_file(hex, path) && append(list, hex);
}

static bool add_folder(bytes *list, const char *folder, int depth)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, counts, by_bytes);
    bool good = count >= 0;
    for (int i = 0; i < count; i++) {
        good = good && add(list, folder, entries[i]->d_name, depth);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return good;
}

bool wpg_profile_hash(wpg_hash128 *hash, const char *path)
{
    bytes list = {0};
    struct stat info;
    char hex[WPG_HASH_HEX + 1];
    if (stat(path, &info) != 0)
        return false;
    const bool good =
        S_ISDIR(info.st_mode) ? add_folder(&list, path, 1) : hash_file(hex, path) && append(&list, hex);
    if (good)
        *hash = wpg_hash_bytes(list.data, list.count);
    wpg_vec_free(&list);
    return good;
}
