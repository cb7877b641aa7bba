/* Checkpoints of a merge (--resume). Beside OUT lies OUT.partial while the merge goes on: what the first
 * inputs add up to, as a text profile, which keeps everything. A comment in its first line says how many
 * files that are, and a hash of their names, sizes, times and weights. A killed merge that is called again
 * with the same inputs skips those files.
 *
 * Owns: nothing.
 * Threads: one. */
#ifndef WPG_RUNTIME_CLI_MERGE_RESUME_H
#define WPG_RUNTIME_CLI_MERGE_RESUME_H

#include "runtime/base/hash.h"
#include "runtime/cli/merge/merge.h"

typedef struct wpg_merge_resume {
    bool on;
    char path[4200];
    double seconds;
    wpg_hash128 seen; /* of the files so far, in their order */
    uint64_t files;
    wpg_hash128 skipped;       /* of the files in the checkpoint that was there */
    uint64_t skip;             /* their number */
    uint64_t written_at, cost; /* nanoseconds: when the last checkpoint was written, and what it took */
} wpg_merge_resume;

/* Adds the checkpoint that is there to `profile`. Returns an exit code; complains itself. */
int wpg_merge_resume_begin(wpg_merge_resume *resume, wpg_profile *profile, const wpg_merge_options *options);
/* The next file of the merge. *skip: the checkpoint has it. */
int wpg_merge_resume_next(wpg_merge_resume *resume, bool *skip, const char *path, uint64_t weight,
                          const char *command);
/* The file is in `profile` now: writes a checkpoint if it is time. A failure is said and ends checkpoints. */
void wpg_merge_resume_done(wpg_merge_resume *resume, const wpg_profile *profile, const char *command);
/* All inputs were read. */
int wpg_merge_resume_complete(const wpg_merge_resume *resume, const char *command);
/* OUT is written: the checkpoint goes. */
void wpg_merge_resume_finish(wpg_merge_resume *resume);

#endif
