/* Profile files of a folder: `merge`, `show` and use mode read them when they are given a folder.
 *
 * Owns: wpg_path_list owns its paths, until wpg_path_list_finish.
 * Threads: any. */
#ifndef WPG_RUNTIME_BUNDLE_FOLDER_H
#define WPG_RUNTIME_BUNDLE_FOLDER_H

#include "runtime/profile/profile_io.h"

typedef struct wpg_path_list {
    char **paths; /* owned, as are the strings */
    size_t count;
} wpg_path_list;

void wpg_path_list_finish(wpg_path_list *list);

/* Appends `path` itself if it is a file, the *.profraw, *.profdata and *.proftext files in it (not in its
 * subfolders, sorted by name) if it is a folder, or what it matches as a glob pattern if nothing has that
 * name; "-" (standard input) as it is. WPG_E_NOT_FOUND when that gives no file. */
wpg_status wpg_path_list_add(wpg_path_list *list, const char *path, wpg_error *err);

/* For the command: reads everything at `path` (file, folder, "-" or /dev/fd/N) into `profile`. The first bad
 * file stops it. *stats may be NULL. */
wpg_status wpg_profile_load(wpg_profile *profile, wpg_profile_stats *stats, const char *path, wpg_error *err);

#endif
