/* Which process owns a profile file: a file lock (fcntl) on one byte of <cache folder>/live.lock, at an
 * offset made from the file's name. The system drops the lock when the process ends, however it ends. A
 * forked child does not inherit the lock. Threads: under the files lock. */
#ifndef WPG_LAYER_FILES_FILE_LOCKS_H
#define WPG_LAYER_FILES_FILE_LOCKS_H

#include <stdbool.h>

#include "runtime/base/hash.h"

/* True: `path` (absolute) is ours from now on, or there is no cache folder to decide by. False: another live
 * process owns it. */
bool wpg_file_lock(const char *path);
/* The path of the facts of a kind about a hash in a bundle, ours as long as we live. *alone: no other live
 * process owns it; otherwise the name has our process id, and `merge` adds it. malloc'd; NULL: the path is
 * too long or there is no memory. */
char *wpg_file_lock_facts(bool *alone, const char *bundle, const char *kind, wpg_hash128 subject);
void wpg_file_locks_finish(void);

#endif
