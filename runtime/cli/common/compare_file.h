/* The result of the last `wavepgo compare` of a profile, kept with it: compare.json in a bundle, else
 * PROFILE.compare.json beside the file (runtime/cli/compare/result.c has the schema). Threads: no shared
 * state. */
#ifndef WPG_RUNTIME_CLI_COMMON_COMPARE_FILE_H
#define WPG_RUNTIME_CLI_COMMON_COMPARE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Where the profile's result is. false: the path is too long. */
bool wpg_compare_file_path(char *path, size_t size, const char *profile);

/* "0.74 of the frame time (0.70 to 0.78) on llvmpipe, measured on 2026-11-25". false: there is no result, or
 * it cannot be read. */
bool wpg_compare_file_line(char *line, size_t size, const char *profile);

#endif
