/* A profile in memory: records by name and function hash.
 *
 *     raw, indexed or text file --profile_io.h--> wpg_profile --merge--> wpg_profile --profile_io.h--> file
 *
 * A record is an array of saturating 64-bit counters and, optionally, value sites with pairs of value and
 * count. Counters and pair counts saturate at UINT64_MAX. Records are sorted by name (byte order), then hash:
 * equal contents give equal files.
 *
 * Owns: everything in the profile; names, counters and values given to it are copied. A record that the
 * profile hands out lives until the profile is destroyed, its contents until the profile's next change.
 * Threads: one thread at a time while the profile changes. Any number of readers after a first
 * wpg_profile_at, until the next change. */
#ifndef WPG_RUNTIME_PROFILE_PROFILE_H
#define WPG_RUNTIME_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

typedef struct wpg_profile wpg_profile;

typedef struct wpg_profile_value {
    uint64_t value, count;
} wpg_profile_value;

/* One value site: how often each value was seen, sorted by value, each value once. */
typedef struct wpg_profile_site {
    wpg_profile_value *pairs;
    size_t count, capacity;
} wpg_profile_site;

/* Borrowed views into the profile; read only. */
typedef struct wpg_profile_record {
    const char *name;
    uint64_t func_hash;
    uint64_t *counters; /* [counter_count], at least one */
    size_t counter_count;
    wpg_profile_site *sites; /* [site_count]; LLVM's value kind MemOPSize */
    size_t site_count;
} wpg_profile_record;

/* What a merge or a read did; counts add to what is there, so that one struct can serve several calls. */
typedef struct wpg_profile_stats {
    size_t added;      /* records that were new */
    size_t merged;     /* records added to one of the same name, hash and counter count */
    size_t mismatched; /* records dropped: same name and hash, fewer counters than another (LLVM warns) */
    size_t ignored; /* records dropped: what they hold is outside this model (coverage bitmaps alone, ...) */
} wpg_profile_stats;

enum {
    WPG_PROFILE_MAX_NAME = 65535,  /* bytes of a record's name */
    WPG_PROFILE_MAX_SITES = 65535, /* value sites of a record (16 bits in raw profiles) */
};
#define WPG_PROFILE_HASH_MASK    UINT64_C(0x0fffffffffffffff) /* LLVM reserves bits 60-63 of a hash */
#define WPG_PROFILE_MAX_COUNTERS ((size_t)1 << 26)            /* of one record */

wpg_profile *wpg_profile_create(void); /* NULL when memory runs out */
void wpg_profile_destroy(wpg_profile *profile);

/* What a record's name must be for every format to carry it: 1 to WPG_PROFILE_MAX_NAME bytes, no control
 * character (LLVM separates names by \x01, its text format lines), no leading '#' or ':' (comment and header
 * of the text format), no leading or trailing blank. */
bool wpg_profile_name_is_valid(const char *name);

/* Adds counters[i] * weight to the record (name, func_hash), making it if it is not there.
 * WPG_E_ARGUMENT: an invalid name, count 0 or weight 0, bits 60-63 of the hash set;
 * WPG_E_MISMATCH: the record is there with another counter count; WPG_E_LIMIT: count too large;
 * WPG_E_NOMEM. The profile is unchanged on failure. */
wpg_status wpg_profile_add(wpg_profile *profile, const char *name, uint64_t func_hash,
                           const uint64_t *counters, size_t count, uint64_t weight, wpg_error *err);

/* Adds `count` to `value` at value site `site` of an existing record (make it by wpg_profile_add first),
 * which grows to hold that site. WPG_E_NOT_FOUND: no such record; WPG_E_LIMIT: site too large; WPG_E_NOMEM.
 */
wpg_status wpg_profile_add_value(wpg_profile *profile, const char *name, uint64_t func_hash, size_t site,
                                 uint64_t value, uint64_t count, wpg_error *err);

/* Gives an existing record at least `count` value sites (empty ones are kept: their index means something).
 */
wpg_status wpg_profile_reserve_sites(wpg_profile *profile, const char *name, uint64_t func_hash, size_t count,
                                     wpg_error *err);

/* Exact match, NULL if there is none. */
const wpg_profile_record *wpg_profile_find(const wpg_profile *profile, const char *name, uint64_t func_hash);

size_t wpg_profile_count(const wpg_profile *profile);
/* Bytes of memory that its records take, about; without those of value sites. */
size_t wpg_profile_bytes(const wpg_profile *profile);
/* The i-th record in order; NULL from wpg_profile_count on. Sorts first if the profile changed. */
const wpg_profile_record *wpg_profile_at(const wpg_profile *profile, size_t i);

/* Adds every record of `from`, times `weight` (at least 1), into `into`; the two must differ. Value sites
 * merge pair by pair. Of records whose counter counts disagree the one with more counters stays; the other is
 * dropped and counted in *stats (may be NULL). So what a merge gives depends on neither order nor grouping
 * (README.md, Merging). On failure (WPG_E_NOMEM, WPG_E_ARGUMENT) `into` may hold part of `from`. */
wpg_status wpg_profile_merge(wpg_profile *into, const wpg_profile *from, uint64_t weight,
                             wpg_profile_stats *stats, wpg_error *err);

/* How alike two profiles are, as `llvm-profdata overlap` judges edge counters: for each record the sum over
 * its counters of min(a[i]/A, b[i]/B), where A and B are the profiles' own totals over all counters; the
 * whole is the sum of that over the records in both. 0 = nothing in common, 1 = the same distribution. */
typedef struct wpg_profile_overlap {
    double whole;                     /* 0..1 */
    double common;                    /* the same with totals over the records in both alone */
    size_t shared, mismatched;        /* records in both; in both but with another counter count */
    size_t only_first, only_second;   /* records in one only */
    double total_first, total_second; /* A and B */
} wpg_profile_overlap;
void wpg_profile_measure_overlap(wpg_profile_overlap *overlap, const wpg_profile *first,
                                 const wpg_profile *second);

#endif
