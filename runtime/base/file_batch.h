/* Writes several files together: each appears whole or not at all, and one wait for the disk serves them all.
 *
 *     put     --> "<path>.tmp.<letters>"; all files of a batch lie in one folder and share the letters
 *     commit  --> the files are on the disk --> each is renamed
 *
 * The first file of a batch is its lead. The lead is locked (flock) while temporary files of the batch exist.
 * The lock tells wpg_file_sweep which temporary files belong to a living process. Process ids cannot: another
 * name space or another machine may have the same ones.
 *
 * Owns: the paths and the lead's descriptor, from put to commit.
 * Threads: one batch, one thread at a time. */
#ifndef WPG_RUNTIME_BASE_FILE_BATCH_H
#define WPG_RUNTIME_BASE_FILE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/base/vec.h"

/* One file has come to its end: err NULL, it is there; else it is as it was before. */
typedef void wpg_file_done(void *who, const wpg_error *err);

typedef struct wpg_file_waiting {
    char *path;
    void *who;
} wpg_file_waiting;

typedef struct wpg_file_batch {
    wpg_file_done *done;
    WPG_VEC(wpg_file_waiting) files;
    size_t folder; /* length of the folder's part of each path */
    int lead;      /* of files.data[0]; held while there are any */
    bool unsynced; /* set before the commit: it does not wait for the disk */
    char letters[7];
} wpg_file_batch;

/* Takes no memory and opens no file. */
void wpg_file_batch_init(wpg_file_batch *batch, wpg_file_done *done);
/* Writes the file under its temporary name and makes missing folders. Refuses a path where something other
 * than a file is, a device say. The commit that this or a later call makes calls `done`. After a failure
 * `done` is not called, and err tells. */
wpg_status wpg_file_batch_put(wpg_file_batch *batch, const char *path, const void *data, size_t size,
                              void *who, wpg_error *err);
/* The same; the file begins with the first `before` bytes of descriptor `from`. */
wpg_status wpg_file_batch_put_behind(wpg_file_batch *batch, const char *path, int from, uint64_t before,
                                     const void *data, size_t size, void *who, wpg_error *err);
/* Syncs (unless `unsynced`) and renames every waiting file. Afterwards the batch is empty and may be used
 * again. */
void wpg_file_batch_commit(wpg_file_batch *batch);

/* Removes the temporary files of killed processes from `folder`, for files whose names end in `ending`
 * (".profraw"). Returns their number. Files that a living process is writing stay, as do files whose writer
 * is unknown. */
size_t wpg_file_sweep(const char *folder, const char *ending);

#endif
