/* The result of the last `wavepgo compare` of a profile, kept with it: compare.json in a bundle, else
 * PROFILE.compare.json beside the file (runtime/cli/compare/result.c has the schema). Threads: no shared
 * state. */
#ifndef WPG_RUNTIME_CLI_COMMON_COMPARE_FILE_H
#define WPG_RUNTIME_CLI_COMMON_COMPARE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Where the profile's result is. false: the path is too long. */
bool wpg_compare_file_path(char *path, size_t size, const char *profile);

/* The result beside the profile is of the counts that the profile has now. Runs and merges change them. */
bool wpg_compare_file_is_current(const char *profile);

/* "0.74 of the frame time (0.70 to 0.78) on llvmpipe, measured on 2026-11-25 with vkcube --c 600". false:
 * there is no result, it cannot be read, or it is of another program, or of other counts than the profile has
 * now. `program`: argument words of the program that is about to run, NULL at their end. */
bool wpg_compare_file_line(char *line, size_t size, const char *profile, char *const *program);

#endif
