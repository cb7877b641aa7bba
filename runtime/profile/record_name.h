/* Names of profile records: the one place that composes and parses them.
 *
 *     <shader hash, 32 hex digits>.<stage>.<entry point>[.fn<k>]#<kind>
 *
 * Entry names come from the program. A character outside [A-Za-z0-9_.-] becomes %XX, in upper-case
 * hexadecimal. A dot that would read as the start of ".fn<k>" becomes %2E. So composing and parsing are exact
 * inverses, and every composed name is valid in every profile format. Which pipeline a shader belongs to is
 * in further records: pipeline_record.h.
 *
 * Owns: nothing; what composing and parsing allocate is the caller's.
 * Threads: any. */
#ifndef WPG_RUNTIME_PROFILE_RECORD_NAME_H
#define WPG_RUNTIME_PROFILE_RECORD_NAME_H

#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"

/* What a record counts (README.md, A raw profile). */
typedef enum wpg_record_kind {
    WPG_RECORD_LANES,         /* live lanes, one counter a block */
    WPG_RECORD_WAVES,         /* waves, one counter a block */
    WPG_RECORD_UNIFORM,       /* waves that arrived whole, one counter a block */
    WPG_RECORD_SELECTS,       /* select sites, a fixed number of counters each */
    WPG_RECORD_VALUES,        /* value sites (value/count pairs) */
    WPG_RECORD_TRIPS,         /* entries and trips of loops */
    WPG_RECORD_SAMPLES,       /* invocations seen and represented */
    WPG_RECORD_BRANCHES,      /* each direction of conditional branches (probe_records.h) */
    WPG_RECORD_CASES,         /* each target of switches */
    WPG_RECORD_ENTRY_MASK,    /* how waves start */
    WPG_RECORD_LATE,          /* invocations counted without the early tests the stage had before */
    WPG_RECORD_LANE_BRANCHES, /* as BRANCHES and TRIPS where waves were not counted */
    WPG_RECORD_LANE_TRIPS,
    WPG_RECORD_WORDS,  /* words of uniform blocks (as VALUES) */
    WPG_RECORD_INPUTS, /* inputs of fragment stages (as VALUES) */
    WPG_RECORD_KINDS
} wpg_record_kind;

typedef struct wpg_record_name {
    wpg_hash128 shader;
    char stage[8];     /* vert tesc tese geom frag comp task mesh rgen rint rahit rchit rmiss rcall */
    char *entry;       /* entry point as the application named it; owned by a parsed name */
    uint32_t function; /* 0 = the entry function itself, else k of ".fn<k>" */
    wpg_record_kind kind;
} wpg_record_name;

/* The kind of that name ("lanes", "waves", ...), WPG_RECORD_KINDS if there is none. */
wpg_record_kind wpg_record_kind_find(const char *name);

/* The counters of a #samples record, of a stage in which not everything was counted: at the entry, what was
 * seen and what it stands for. The counts of such a stage are written scaled already, so that all profiles
 * merge by addition; what was counted without sampling has no such record. Waves 0: not measured. */
enum {
    WPG_SAMPLES_SEEN_LANES,
    WPG_SAMPLES_LANES,
    WPG_SAMPLES_SEEN_WAVES,
    WPG_SAMPLES_WAVES,
    WPG_SAMPLES_COUNTERS
};

/* *name is malloc'd, the caller frees it. WPG_E_ARGUMENT: unknown stage or kind; WPG_E_LIMIT: a longer entry
 * name than a record's name can hold; WPG_E_NOMEM. */
wpg_status wpg_record_name_compose(char **name, const wpg_record_name *parts, wpg_error *err);

/* Fills *parts; release it with wpg_record_name_finish. WPG_E_FORMAT: not a name that compose gives. */
wpg_status wpg_record_name_parse(wpg_record_name *parts, const char *name, wpg_error *err);
void wpg_record_name_finish(wpg_record_name *parts);

#endif
