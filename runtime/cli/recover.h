/* What killed runs left in a folder, made into profiles before the folder is read. The layer beside this
 * command does it (runtime/counters/recover.h). Threads: no shared state. */
#ifndef WPG_RUNTIME_CLI_RECOVER_H
#define WPG_RUNTIME_CLI_RECOVER_H

#include <stdbool.h>

/* Does nothing where `path` is no folder or holds nothing of the kind. What happened is said for `command` on
 * standard error; `quiet`: failures only. */
void wpg_recover_folder(const char *command, const char *path, bool quiet);

#endif
