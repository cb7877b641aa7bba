/* Which process owns a profile file: a record lock on one byte of <cache folder>/live.lock, at an offset that
 * the file's name gives. The system drops it when the process ends, however it ends, and a forked child does
 * not inherit it. Threads: under the files lock. */
#ifndef WPG_LAYER_PROFILE_CLAIMS_H
#define WPG_LAYER_PROFILE_CLAIMS_H

#include <stdbool.h>

/* true: `path` (absolute) is ours from now on, or nobody can tell (no cache folder). false: another live
 * process has it. */
bool wpg_claim(const char *path);
void wpg_claims_finish(void);

#endif
