/* Instrumented pipelines, and the records that their counters become. Threads: a counted pipeline has one
 * user at a time (the files lock). */
#ifndef WPG_LAYER_PROFILE_RECORDS_H
#define WPG_LAYER_PROFILE_RECORDS_H

#include "compiler/instrument/code/instrument.h"
#include "layer/base/state.h"
#include "runtime/profile/profile.h"

typedef struct wpg_counted_stage {
    wpg_hash128 shader;
    char stage[8];
    char *entry;          /* owned */
    wpg_counter_map *map; /* owned; NULL while packed */
    uint8_t *packed;      /* owned: the map as bytes (map_codec.h); NULL before it was packed */
    size_t packed_size;
} wpg_counted_stage;

/* One instrumented pipeline of one device. */
typedef struct wpg_counted {
    struct wpg_counted *next;
    wpg_hash128 pipeline;
    wpg_counter_slot *slot; /* the device's */
    uint64_t *values;       /* [slot->count] as last read */
    /* Sampling by bind, as last read. If binds is not 0, counts are multiplied by N. */
    uint64_t binds, binds_counted;
    bool unused;            /* nothing used it when the last drain was asked for, */
    unsigned unused_claims; /* after so many claims of its slot */
    bool sampled;           /* by bind or frame: until a bind was counted nothing is known */
    struct wpg_file *file;
    bool shader_only; /* a library part: its file is shader-<hash>, it belongs to no one pipeline */
    bool recovered;   /* of a killed run: what does not add is not told to this run's bundle */
    bool ended;       /* and its last values and binds are known */
    uint64_t rate;    /* SAMPLE */
    const char *made; /* name of the record that says who counted (made_record.h); "" if unknown; borrowed */
    bool first_run;   /* the first of this pipeline hash in the process: it counts the run */
    bool visits;      /* some map has a reservoir of visits */
    size_t stage_count;
    wpg_counted_stage stages[];
} wpg_counted;

/* A record with room for `stage_count` stages; NULL when memory runs out. */
wpg_counted *wpg_counted_create(wpg_hash128 pipeline, wpg_counter_slot *slot, size_t stage_count);
void wpg_counted_destroy(wpg_counted *counted);

/* A test suite makes 100,000 pipelines, and each counts until the process ends. So maps are kept as bytes
 * (a quarter of the size) and made again where they are read. A map that cannot be packed stays as it is. */
void wpg_counted_pack(wpg_counted *counted);
wpg_status wpg_counted_unpack(wpg_counted *counted, wpg_error *err);

/* Adds the records of what was read of a pipeline; its maps are unpacked. */
wpg_status wpg_files_records(wpg_profile *profile, const wpg_counted *counted, wpg_error *err);

#endif
