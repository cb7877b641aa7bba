/* Files written together: each appears whole or not at all, and the disk is waited for once for all of them.
 *
 *     put     --> "<path>.tmp.<letters>", the same letters for a batch, which is of one folder
 *     commit  --> what was put is on the disk --> renamed
 *
 * The first file of a batch, the lead, is locked (flock) as long as any of them is there under that name: by
 * that wpg_file_sweep tells what a killed process left from what a living one writes, whatever name space or
 * machine's process numbers it lives in. Threads: one at a time a batch. */
#ifndef WPG_RUNTIME_BASE_FILE_BATCH_H
#define WPG_RUNTIME_BASE_FILE_BATCH_H

#include <stddef.h>

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
    char letters[7];
} wpg_file_batch;

/* No memory is taken, no file is opened. */
void wpg_file_batch_init(wpg_file_batch *batch, wpg_file_done *done);
/* Writes the file under its temporary name and makes missing folders; what is there and no file, a device
 * say, is refused. `done` is told later, by a commit that
 * this or another call makes; not after a failure, of which err tells. */
wpg_status wpg_file_batch_put(wpg_file_batch *batch, const char *path, const void *data, size_t size,
                              void *who, wpg_error *err);
/* Ends all that waits; the batch is as new then. */
void wpg_file_batch_commit(wpg_file_batch *batch);

/* Removes what a process that was killed left of files in `folder` whose names end in `ending` (".profraw"):
 * how many. What another process is writing stays, and so does all that cannot be told. */
size_t wpg_file_sweep(const char *folder, const char *ending);

#endif
