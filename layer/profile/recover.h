/* Profiles from what a killed process left (live.h). A folder's journals that no living process holds are
 * read, their files written whole, then journal and counters removed. A journal that cannot be read stays,
 * with its counters. Journals are untrusted input: profiles are written into the journal's own folder only.
 * Threads: under the files lock, or a process without one. */
#ifndef WPG_LAYER_PROFILE_RECOVER_H
#define WPG_LAYER_PROFILE_RECOVER_H

#include "runtime/counters/recover.h"

void wpg_recover(wpg_recover_request *request);
/* The same; the log says what happened. */
void wpg_recover_told(const char *folder);

#endif
