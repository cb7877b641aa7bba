/* Makes profiles of the counts that killed runs left in a folder, before the folder is read. The layer beside
 * this command does the work (runtime/counters/recover.h). Threads: no shared state. */
#ifndef WPG_RUNTIME_CLI_COMMON_RECOVER_H
#define WPG_RUNTIME_CLI_COMMON_RECOVER_H

#include <stdbool.h>

/* Does nothing if `path` is no folder or holds no such counts. Reports to standard error for `command`;
 * `quiet`: failures only. */
void wpg_recover_folder(const char *command, const char *path, bool quiet);

#endif
