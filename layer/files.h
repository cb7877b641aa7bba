/* From counters to profile files.
 *
 *     counted pipelines --read--> records
 *         --merge with what earlier devices left--> one profile a file --> disk
 *
 * A file belongs to one pipeline hash (pattern with %b) or to all. It is written again only when its counts
 * changed, whole, by rename. Threads: any; writes are one at a time. Locks are taken in the order files,
 * process, device. */
#ifndef WPG_LAYER_FILES_H
#define WPG_LAYER_FILES_H

#include "compiler/instrument/instrument.h"
#include "layer/state.h"
#include "runtime/profile/profile.h"

typedef struct wpg_counted_stage {
    wpg_hash128 shader;
    char stage[8];
    char *entry;          /* owned */
    wpg_counter_map *map; /* owned */
} wpg_counted_stage;

/* One instrumented pipeline of one device. */
typedef struct wpg_counted {
    struct wpg_counted *next;
    wpg_hash128 pipeline;
    wpg_counter_slot *slot; /* the device's */
    uint64_t *values;       /* [slot->count] as last read */
    /* Sampling by bind, as last read: counts stand for N times as much where binds is not 0. */
    uint64_t binds, binds_counted;
    struct wpg_file *file;
    bool shader_only; /* a library part: its file is shader-<hash>, it belongs to no one pipeline */
    bool recovered;   /* of a killed run: what does not add is not told to this run's bundle */
    uint64_t rate;    /* SAMPLE */
    bool first_run;   /* the first of this pipeline hash in the process: it counts the run */
    size_t stage_count;
    wpg_counted_stage stages[];
} wpg_counted;

/* A record with room for `stage_count` stages; NULL when memory runs out. */
wpg_counted *wpg_counted_create(wpg_hash128 pipeline, wpg_counter_slot *slot, size_t stage_count);
void wpg_counted_destroy(wpg_counted *counted);

/* Takes over `counted` and counts it from now on; a second one of the same pipeline hash on the device is
 * dropped, since its counters are the same. */
void wpg_files_add(wpg_device *device, wpg_counted *counted);

/* Adds the records of what was read of a pipeline. */
wpg_status wpg_files_records(wpg_profile *profile, const wpg_counted *counted, wpg_error *err);

/* Reads a device's counters for the last time, forgets its pipelines, and takes it out of the list of
 * devices; whether it was the last there. */
bool wpg_files_retire(wpg_device *device);

/* Whether a pipeline of the device counts. */
bool wpg_files_has(wpg_device *device);
/* Reads the counters of every device. True if some counter rose since the last read. */
bool wpg_files_read_all(void);

/* Writes every file whose counts changed. `unloading`: the last time, from the destructor, without waiting
 * for a lock that another thread may hold for ever. */
void wpg_files_write_all(bool unloading);
void wpg_files_finish(void);

#endif
