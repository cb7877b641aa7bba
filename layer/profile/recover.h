/* Makes profiles from the files of a killed process (live.h). Reads a folder's journals that no living
 * process holds, writes their profiles whole, then removes journal and counters. An unreadable journal stays,
 * with its counters. Journals are untrusted input: profiles are written into the journal's own folder only.
 * Threads: under the files lock, or a process without one. */
#ifndef WPG_LAYER_PROFILE_RECOVER_H
#define WPG_LAYER_PROFILE_RECOVER_H

#include "runtime/counters/recover.h"

void wpg_recover(wpg_recover_request *request);
/* The same, and logs what happened. */
void wpg_recover_told(const char *folder);

#endif
