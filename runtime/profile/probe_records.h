/* The records that probes leave (compiler/instrument/probe_*.c), word by word. Every word is additive; the
 * first is 1 in a profile as written and the number of profiles once merged, and words that describe (block
 * ids) are multiples of it. Records that do not have a kind's shape give no sites. Threads: no shared state.
 */
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

#endif
