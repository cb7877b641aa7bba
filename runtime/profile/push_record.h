/* Push-constant records: which values each word of a pipeline's push constants had at its draws and
 * dispatches. One record a pipeline:
 *
 *     pipeline.<pipeline hash>#push
 *
 * Value site w holds the values of word w, with counts. Counters: draws and dispatches (builds before
 * fleets: 1 for each profile merged), then for each word the draws with a value that found no room in the
 * table, and those before which no push covered the word. All of it adds. The record's hash is
 * WPG_PUSH_RECORD_HASH.
 *
 * Owns: nothing.
 * Threads: any. */
#ifndef WPG_RUNTIME_PROFILE_PUSH_RECORD_H
#define WPG_RUNTIME_PROFILE_PUSH_RECORD_H

#include "runtime/base/hash.h"
#include "runtime/profile/profile.h"

enum {
    WPG_PUSH_RECORD_HASH = 1,
    WPG_PUSH_RECORD_WORDS = 64, /* 256 bytes */
    WPG_PUSH_RECORD_COUNTERS = 1 + 2 * WPG_PUSH_RECORD_WORDS,
    WPG_PUSH_RECORD_NAME = 56, /* bytes of a name, with its end */
};

void wpg_push_record_compose(char name[WPG_PUSH_RECORD_NAME], wpg_hash128 pipeline);
/* False: not such a record, or of another shape. */
bool wpg_push_record_parse(wpg_hash128 *pipeline, const wpg_profile_record *record);

/* Draws and dispatches at which the word had a value that is not listed; before which it was never pushed. */
uint64_t wpg_push_record_others(const wpg_profile_record *record, uint32_t word);
uint64_t wpg_push_record_unpushed(const wpg_profile_record *record, uint32_t word);

#endif
