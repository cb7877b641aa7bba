/* Notes which changed pipelines the driver has in hand, in case the process does not survive that
 * (runtime/bundle/flight.h). A pipeline that three runs in a row did not survive is denied (denials.h).
 *
 * Owns: this process's flight record, made at the first begin. Without a cache folder, or with CRASH_GUARD=0,
 * there is no record. Begin and end are some stores. Threads: any. */
#ifndef WPG_LAYER_BASE_FLIGHT_RECORDER_H
#define WPG_LAYER_BASE_FLIGHT_RECORDER_H

#include <stdint.h>

#include "runtime/base/hash.h"

/* The driver gets the changed pipeline of that hash, to compile or to run for the first time. Returns the
 * flight, which `end` takes; 0: the pipeline is not noted. */
uint32_t wpg_flight_begin(wpg_hash128 hash);
/* The driver has compiled the pipeline, or has run it. */
void wpg_flight_end(uint32_t flight);
/* The process ends in order: the record is removed. */
void wpg_flight_finish(void);
/* The layer is unloaded: no thread is in it any more. */
void wpg_flight_unload(void);

#endif
