/* Files beside a file: "<stem>.<pid><ending>". A process writes one if another process owns "<stem><ending>"
 * (file_locks.h), or if it merges into a pool at its end (pool.h). A folder is read once for each ending.
 * Threads: under the files lock. */
#ifndef WPG_LAYER_FILES_BESIDE_H
#define WPG_LAYER_FILES_BESIDE_H

#include <stddef.h>

/* Turns `path` into this process's name beside it: ".<pid>" before the last extension. */
void wpg_beside_name(char *path, size_t size);
/* The same, and claims the name (file_locks.h). Containers number their processes anew: where a process of
 * another container has that name, a number is taken that no process has. */
void wpg_beside_claim(char *path, size_t size);

/* Calls `visit` for each file beside `path` whose process has ended, among the files of the folder's first
 * reading. Each file is visited once in the life of this process. A file whose process may be alive is left
 * out. */
void wpg_beside_each(const char *path, void (*visit)(const char *beside, void *context), void *context);
/* Removes these files; returns their number. */
size_t wpg_beside_remove(const char *path);
void wpg_beside_finish(void);

#endif
