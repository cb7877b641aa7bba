/* Where a program is that a user names on a command line. Threads: no shared state but the environment. */
#ifndef WPG_RUNTIME_CLI_COMMON_PROGRAM_PATH_H
#define WPG_RUNTIME_CLI_COMMON_PROGRAM_PATH_H

#include <limits.h>
#include <stdbool.h>

/* The file that a shell would start, without symbolic links. false: there is none. */
bool wpg_program_path(char path[PATH_MAX], const char *program);

#endif
