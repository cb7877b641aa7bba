/* Which file a pipeline counts into, by PROFILE_FILE and the bundle. Threads: any. */
#ifndef WPG_LAYER_PROFILE_FILE_NAMES_H
#define WPG_LAYER_PROFILE_FILE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/hash.h"

/* PROFILE_FILE; where it says nothing, the bundle's folder, else the working folder. Static storage. */
const char *wpg_file_pattern(void);
/* True if the pipeline has a file of its own, else it shares one with others. */
bool wpg_file_is_own(const char *pattern, wpg_hash128 pipeline);
/* Where a pipeline counts into, if no other process does. In a pool, first into a file beside it. */
void wpg_file_nominal(char *path, size_t size, wpg_hash128 pipeline, bool shader_only, const char *pattern);

#endif
