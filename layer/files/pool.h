/* Merge pools (%m in PROFILE_FILE, as in LLVM_PROFILE_FILE): files that runs add their counts to.
 *
 *     while it runs:  counts --> "<stem>.<pid><ending>", the process's own, rewritten by each flush
 *     at its end:     folder locked;
 *                     pool + own counts + what killed runs left beside the pool --> pool, whole;
 *                     the files beside it removed
 *
 * The lock is on the folder (flock), so a pool is replaced by rename like every profile. A killed run leaves
 * its own file. `show` and `merge` of the folder add that file to the pool, and the next run that ends merges
 * it into the pool. Threads: under the files lock. */
#ifndef WPG_LAYER_FILES_POOL_H
#define WPG_LAYER_FILES_POOL_H

#include "layer/files/spill.h"
#include "runtime/base/file_batch.h"
#include "runtime/profile/profile_io.h"

struct wpg_pool_entry;

typedef struct wpg_pool {
    wpg_file_batch batch;
    wpg_profile_format format;
    wpg_file_done *done; /* told once a pool holds the counts; not after a failed put */
    char *folder;        /* that is locked; NULL: none */
    int lock;
    WPG_VEC(struct wpg_pool_entry *) entries; /* of the batch */
} wpg_pool;

void wpg_pool_init(wpg_pool *pool, wpg_profile_format format, wpg_file_done *done);
/* Merges `counts` and what was spilled into the pool `path`, then removes `own` (the process's file). On
 * failure `path` is unchanged: WPG_E_IO (the folder cannot be locked), or the error of reading the pool. */
wpg_status wpg_pool_put(wpg_pool *pool, const char *path, const char *own, const wpg_profile *counts,
                        const wpg_spill *spill, void *who, wpg_error *err);
/* Writes the pools and unlocks. */
void wpg_pool_finish(wpg_pool *pool);

#endif
