/* The deny list: pipelines in whose rewritten form a device was lost. They pass through from then on, until
 * the list is cleared (wavepgo clean). One file, "denied" in the cache folder, one line an entry:
 *
 *     PIPELINE-HASH <tab> MODE <tab> SECONDS SINCE 1970 <tab> PROGRAM
 *
 * Lines are appended by one write each time, so that programs may do so at once; what cannot be read as an
 * entry is skipped. Threads: no shared state. */
#ifndef WPG_RUNTIME_BUNDLE_DENIED_H
#define WPG_RUNTIME_BUNDLE_DENIED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"

typedef struct wpg_denied_entry {
    wpg_hash128 pipeline;
    char mode[16]; /* "generate", "use": the other mode's words are others */
    int64_t when;
    char program[128];
} wpg_denied_entry;

typedef struct wpg_denied {
    wpg_denied_entry *entries; /* owned; each pipeline and mode once, the latest */
    size_t count;
} wpg_denied;

/* The list of a cache folder; "" or a folder without one: an empty list. Always usable afterwards. */
wpg_status wpg_denied_read(wpg_denied *list, const char *folder, wpg_error *err);
void wpg_denied_finish(wpg_denied *list);
bool wpg_denied_has(const wpg_denied *list, wpg_hash128 pipeline, const char *mode);

/* Appends; makes the folder if it is missing. */
wpg_status wpg_denied_append(const char *folder, const wpg_denied_entry *entries, size_t count,
                             wpg_error *err);
/* The file's path; false when it is too long or there is no folder. */
bool wpg_denied_path(char *path, size_t size, const char *folder);

#endif
