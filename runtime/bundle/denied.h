/* The deny list: pipelines whose rewritten form ran when a device was lost, was in the driver's hands when a
 * process ended, or took a driver long to compile.
 *
 * A listed pipeline passes through, or is counted in a cheaper way, until the list is cleared (wavepgo
 * clean). The list is one file, "denied", in the cache folder. An entry is one line:
 *
 *     PIPELINE-HASH <tab> MODE <tab> SECONDS SINCE 1970 <tab> PROGRAM
 *
 * One write appends all lines of a call, so that several programs may append at once. A line that is no entry
 * is skipped.
 *
 * Owns: wpg_denied owns its entries, until wpg_denied_finish.
 * Threads: any. */
#ifndef WPG_RUNTIME_BUNDLE_DENIED_H
#define WPG_RUNTIME_BUNDLE_DENIED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"

#define WPG_DENIED_SLOW   "slow"
#define WPG_DENIED_SLOWER "slower"

/* Behind "generate" or "use": a process ended while the driver had the pipeline in hand (flight.h); so did
 * the next; and the third, since when the pipeline passes through. FINE: a process came through with it. */
#define WPG_DENIED_ENDED  "-ended"
#define WPG_DENIED_ENDED2 "-ended2"
#define WPG_DENIED_ENDED3 "-ended3"
#define WPG_DENIED_FINE   "-fine"
enum { WPG_ENDED_MOST = 3 };

typedef struct wpg_denied_entry {
    wpg_hash128 pipeline;
    char mode[16]; /* "generate", "use": the other mode's words are others. Counted, the driver took long:
                      WPG_DENIED_SLOW; once more, by lanes alone: WPG_DENIED_SLOWER. Or the mode and one of
                      the endings above */
    int64_t when;
    char program[128];
    size_t order; /* its line in the file; several may be appended within one second */
} wpg_denied_entry;

typedef struct wpg_denied {
    wpg_denied_entry *entries; /* owned; each pipeline and mode once, the latest */
    size_t count;
} wpg_denied;

/* The list of a cache folder; "" or a folder without one: an empty list. Always usable afterwards. */
wpg_status wpg_denied_read(wpg_denied *list, const char *folder, wpg_error *err);
void wpg_denied_finish(wpg_denied *list);
bool wpg_denied_has(const wpg_denied *list, wpg_hash128 pipeline, const char *mode);
/* How many processes in a row ended with the pipeline in the driver's hands, in mode "generate" or "use": up
 * to WPG_ENDED_MOST, which also stands for more. */
int wpg_denied_ended(const wpg_denied *list, wpg_hash128 pipeline, const char *mode);

/* Appends; makes the folder if it is missing. */
wpg_status wpg_denied_append(const char *folder, const wpg_denied_entry *entries, size_t count,
                             wpg_error *err);
/* The file's path; false when it is too long or there is no folder. */
bool wpg_denied_path(char *path, size_t size, const char *folder);

#endif
