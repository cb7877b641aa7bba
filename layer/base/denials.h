/* The deny list (runtime/bundle/denied.h): pipelines that ran when a device was lost, and pass through from
 * then on. The list is read once, at the first question. Threads: any. */
#ifndef WPG_LAYER_BASE_DENIALS_H
#define WPG_LAYER_BASE_DENIALS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/hash.h"

/* Whether a pipeline of this hash is on the deny list, in this process's mode. */
bool wpg_is_denied(wpg_hash128 hash);
/* Puts the pipelines on the list for the next run, and logs that. */
void wpg_denials_add(const wpg_hash128 *hashes, size_t count);
void wpg_denials_finish(void);

#endif
