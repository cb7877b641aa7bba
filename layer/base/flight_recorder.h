/* Notes which changed pipelines the driver has in hand, for the case that the process does not survive it
 * (runtime/bundle/flight.h). What it was three times in a row passes through from then on (denials.h).
 *
 * The record is made at the first begin. Without a cache folder, or with CRASH_GUARD=0, there is none. Begin
 * and end are some stores. Threads: any. */
#ifndef WPG_LAYER_BASE_FLIGHT_RECORDER_H
#define WPG_LAYER_BASE_FLIGHT_RECORDER_H

#include <stdint.h>

#include "runtime/base/hash.h"

/* The driver gets the pipeline of that hash, as changed: to compile, or to run for the first time. Returns
 * what `end` takes; 0: it is not noted. */
uint32_t wpg_flight_begin(wpg_hash128 hash);
/* The driver has come back. */
void wpg_flight_end(uint32_t flight);
/* The process ends in order: its record goes. */
void wpg_flight_finish(void);
/* The layer is unloaded: no thread is in it any more. */
void wpg_flight_unload(void);

#endif
