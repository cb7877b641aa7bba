/* What a merge holds: the sum of what was read so far, and never the inputs. Private to the merge room.
 *
 * Owns: wpg_merge_state owns the profile, the bundle's facts and the names of folders.
 * Threads: one. */
#ifndef WPG_RUNTIME_CLI_MERGE_MERGE_STATE_H
#define WPG_RUNTIME_CLI_MERGE_MERGE_STATE_H

#include "runtime/bundle/bundle.h"
#include "runtime/cli/merge/resume.h"

typedef struct wpg_merge_state {
    wpg_merge_options *options;
    wpg_profile *profile;
    wpg_bundle bundle; /* facts of the bundles that were read, where a bundle is written */
    wpg_profile_stats stats;
    wpg_merge_resume resume;
    WPG_VEC(char *) folders; /* owned: of lists, in which a format that needs SPIR-V looks for it */
    size_t files, bad, left_out, swept;
} wpg_merge_state;

/* Both return the exit code and complain themselves. */
int wpg_merge_write_profile(const wpg_merge_state *state, const wpg_merge_options *options);
int wpg_merge_write_bundle(wpg_merge_state *state, const wpg_merge_options *options);

#endif
