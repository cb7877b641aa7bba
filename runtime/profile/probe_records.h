/* Reads the records that probes write (compiler/instrument/probes/probe_*.c), word by word.
 *
 * Every word is additive, since profiles are merged by adding. The first word is 1 in a profile as written,
 * and the number of profiles in a merged one. Words that describe, such as block ids, are multiples of the
 * first. A record without its kind's shape gives no sites.
 *
 * Owns: nothing.
 * Threads: any. */
#ifndef WPG_RUNTIME_PROFILE_PROBE_RECORDS_H
#define WPG_RUNTIME_PROFILE_PROBE_RECORDS_H

#include "runtime/profile/profile.h"

/* One conditional branch, in module order. Live lanes and waves at its end; index 0 = the condition holds. */
typedef struct wpg_branch_counts {
    uint32_t block;
    uint64_t lanes[2], waves[2];
    uint64_t all_waves; /* with any live lane there */
    uint64_t both;      /* waves that went both ways; all_waves - both agreed */
} wpg_branch_counts;
size_t wpg_branch_count(const wpg_profile_record *record); /* NULL: 0 */
void wpg_branch_at(wpg_branch_counts *branch, const wpg_profile_record *record, size_t i);

/* The same of a record without waves (#lane_branches): waves are zero, and mean nothing. */
size_t wpg_lane_branch_count(const wpg_profile_record *record);
void wpg_lane_branch_at(wpg_branch_counts *branch, const wpg_profile_record *record, size_t i);

/* One target of a switch; the targets of one switch follow each other, the default's first. */
typedef struct wpg_case_counts {
    uint32_t block, target; /* of the switch; where it goes */
    uint64_t lanes, waves;
    uint64_t all_waves; /* with any live lane at the switch */
} wpg_case_counts;
size_t wpg_case_count(const wpg_profile_record *record);
void wpg_case_at(wpg_case_counts *target, const wpg_profile_record *record, size_t i);

enum { WPG_TRIP_BUCKETS = 32 };
/* One loop, outer before inner. A trip is a time a lane takes the back edge. */
typedef struct wpg_loop_counts {
    uint32_t block;                     /* header */
    uint64_t lanes, waves;              /* that entered */
    uint64_t trips;                     /* of all lanes */
    uint64_t buckets[WPG_TRIP_BUCKETS]; /* lanes by trips: 0, 1, 2-3, 4-7, ... */
} wpg_loop_counts;
size_t wpg_loop_count(const wpg_profile_record *record);
void wpg_loop_at(wpg_loop_counts *loop, const wpg_profile_record *record, size_t i);

/* The same of a record without waves (#lane_trips). */
size_t wpg_lane_loop_count(const wpg_profile_record *record);
void wpg_lane_loop_at(wpg_loop_counts *loop, const wpg_profile_record *record, size_t i);

enum { WPG_FULLNESS_BUCKETS = 9 };
/* How waves entered the stage. */
typedef struct wpg_entry_counts {
    uint64_t waves, lanes, helpers; /* live lanes, helper lanes */
    uint64_t whole; /* waves with a lane, live or helper, in every slot: the rest are tail waves */
    uint64_t sizes; /* sum of the waves' sizes */
    uint64_t eighths[WPG_FULLNESS_BUCKETS]; /* waves by live lanes in eighths of the size, rounded down */
} wpg_entry_counts;
/* False: there is no such record. */
bool wpg_entry_read(wpg_entry_counts *entry, const wpg_profile_record *record);

#endif
