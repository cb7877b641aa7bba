/* The deny list (runtime/bundle/denied.h). A pipeline passes through if it ran when a device was lost, or if
 * the driver had it in hand when three processes in a row ended. A pipeline is counted in a cheaper way if
 * the driver took long to compile its counters. The list is read once, at the first question: the flight
 * records of processes that are gone are entered first. What is added later holds from the next run on.
 * Threads: any. */
#ifndef WPG_LAYER_BASE_DENIALS_H
#define WPG_LAYER_BASE_DENIALS_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/hash.h"

/* Whether a pipeline of this hash is on the deny list, in this process's mode. */
bool wpg_is_denied(wpg_hash128 hash);
/* Puts the pipelines on the list for the next run, and logs that. */
void wpg_denials_add(const wpg_hash128 *hashes, size_t count);
/* Reads the list, unless it was read. */
void wpg_denials_read(void);
/* The mode that entries of this process name: "generate", else "use". */
const char *wpg_denials_mode(void);
/* The driver came through the first use of the pipeline: earlier ends with it in hand are forgotten. */
void wpg_denials_fine(wpg_hash128 hash);
/* Generate: how a pipeline is to be counted by what was noted in earlier runs. */
typedef enum wpg_pace {
    WPG_PACE_USUAL,
    WPG_PACE_SLOW,  /* by lanes alone */
    WPG_PACE_SLOWER /* not at all */
} wpg_pace;
wpg_pace wpg_pace_of(wpg_hash128 hash);
/* What took the driver long. */
typedef enum wpg_paced {
    WPG_AT_CREATION,
    WPG_AT_FIRST_USE /* first_use.h */
} wpg_paced;
/* The driver took so many seconds, more than COMPILE_LIMIT, with the pipeline as it is counted at this pace.
 * Noted for the next run, and logged; once a process. */
void wpg_pace_note(wpg_hash128 hash, wpg_pace pace, double seconds, wpg_paced when);
void wpg_denials_finish(void);

#endif
