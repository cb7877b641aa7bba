#include "runtime/bundle/folder.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/bundle/bundle.h"

void wpg_path_list_finish(wpg_path_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (wpg_path_list){0};
}

static wpg_status push(wpg_path_list *list, const char *folder, const char *name, wpg_error *err)
{
    size_t size = (folder ? strlen(folder) : 0) + strlen(name) + 2;
    char **grown = realloc(list->paths, (list->count + 1) * sizeof *grown);
    if (grown)
        list->paths = grown;
    char *path = grown ? malloc(size) : NULL;
    if (!path)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a list of files");
    (void)snprintf(path, size, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
    list->paths[list->count++] = path;
    return WPG_OK;
}

static int is_profile(const struct dirent *entry)
{
    static const char *const endings[] = {".profraw", ".profdata", ".proftext"};
    const char *dot = strrchr(entry->d_name, '.');
    for (size_t i = 0; dot && dot != entry->d_name && i < sizeof endings / sizeof endings[0]; i++)
        if (strcmp(dot, endings[i]) == 0)
            return 1;
    return 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* alphasort follows the locale: the order must not */
}

static wpg_status add_folder(wpg_path_list *list, const char *path, wpg_error *err)
{
    struct dirent **entries;
    int count = scandir(path, &entries, is_profile, by_bytes);
    if (count < 0)
        return wpg_fail(err, WPG_E_IO, "cannot read folder %s: %s", path, strerror(errno));
    wpg_status status = WPG_OK;
    if (!count && wpg_is_bundle(path))
        status = wpg_fail(
            err, WPG_E_NOT_FOUND,
            "bundle %s has no counts: its pipelines passed through or were left out (PIPELINES)", path);
    else if (!count)
        status = wpg_fail(
            err, WPG_E_NOT_FOUND,
            "no profile files in folder %s: did the program run under 'wavepgo run --generate'?", path);
    for (int i = 0; i < count; i++) {
        if (status == WPG_OK)
            status = push(list, path, entries[i]->d_name, err);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static wpg_status add_matches(wpg_path_list *list, const char *pattern, wpg_error *err)
{
    glob_t matches = {0};
    int result = glob(pattern, 0, NULL, &matches);
    wpg_status status = WPG_OK;
    if (result == GLOB_NOSPACE)
        status = wpg_fail(err, WPG_E_NOMEM, "no memory for the files that match %s", pattern);
    else if (result != 0)
        status = wpg_fail(err, WPG_E_NOT_FOUND, "no file or folder %s", pattern);
    for (size_t i = 0; status == WPG_OK && i < matches.gl_pathc; i++) {
        struct stat info;
        if (stat(matches.gl_pathv[i], &info) == 0 && S_ISDIR(info.st_mode))
            status = add_folder(list, matches.gl_pathv[i], err);
        else
            status = push(list, NULL, matches.gl_pathv[i], err);
    }
    globfree(&matches);
    return status;
}

wpg_status wpg_path_list_add(wpg_path_list *list, const char *path, wpg_error *err)
{
    struct stat info;
    size_t length = strlen(path);
    if (strcmp(path, "-") == 0)
        return push(list, NULL, path, err);
    if (stat(path, &info) != 0)
        return add_matches(list, path, err);
    if (!S_ISDIR(info.st_mode))
        return push(list, NULL, path, err);
    char *trimmed = strdup(path);
    if (!trimmed)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a list of files");
    while (length > 1 && trimmed[length - 1] == '/')
        trimmed[--length] = '\0';
    wpg_status status = add_folder(list, trimmed, err);
    free(trimmed);
    return status;
}

wpg_status wpg_profile_load(wpg_profile *profile, wpg_profile_stats *stats, const char *path, wpg_error *err)
{
    wpg_path_list list = {0};
    wpg_status status = wpg_path_list_add(&list, path, err);
    for (size_t i = 0; status == WPG_OK && i < list.count; i++)
        status = wpg_profile_read_given(profile, stats, list.paths[i], err);
    wpg_path_list_finish(&list);
    return status;
}
