/* A hash of what a profile says: of the file's bytes, or of the files in a folder or bundle. It tells whether
 * a figure that was kept with the profile is of the same counts. Threads: no shared state. */
#ifndef WPG_RUNTIME_CLI_COMMON_PROFILE_HASH_H
#define WPG_RUNTIME_CLI_COMMON_PROFILE_HASH_H

#include <stdbool.h>

#include "runtime/base/hash.h"

/* In a folder compare.json, hidden files, and the bytes of SPIR-V do not count: SPIR-V is named by its
 * hash. false: the path cannot be read. */
bool wpg_profile_hash(wpg_hash128 *hash, const char *path);

#endif
