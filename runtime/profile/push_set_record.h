/* Records of sets of push-constant words: which values the words of a pipeline's push constants had together
 * at its draws and dispatches (runtime/base/push_sets.h). One record a pipeline:
 *
 *     pipeline.<pipeline hash>#push-sets
 *
 * A set has a key of 31 bits, made of its words and their values. Site 0 holds the keys, each as key << 32,
 * with the draws and dispatches that had the set. Site 1 + w holds value | key << 32 for each set in which
 * word w was pushed, with the same count. So stock llvm-profdata adds up equal sets. Its limit of values a
 * site drops the same sets everywhere. Counters: draws and dispatches (builds before fleets: 1 for each
 * profile merged), those of sets that are not listed, then for each word the runs in which it is loose. All
 * of it adds. The record's hash is WPG_PUSH_SET_RECORD_HASH.
 *
 * Owns: nothing.
 * Threads: any. */
#ifndef WPG_RUNTIME_PROFILE_PUSH_SET_RECORD_H
#define WPG_RUNTIME_PROFILE_PUSH_SET_RECORD_H

#include "runtime/base/hash.h"
#include "runtime/base/push_sets.h"
#include "runtime/profile/profile.h"

enum {
    WPG_PUSH_SET_RECORD_HASH = 1,
    WPG_PUSH_SET_RECORD_COUNTERS = 2 + WPG_PUSH_SET_WORDS,
    WPG_PUSH_SET_RECORD_SITES = 1 + WPG_PUSH_SET_WORDS,
    WPG_PUSH_SET_RECORD_NAME = 60, /* bytes of a name, with its end */
};

void wpg_push_set_record_compose(char name[WPG_PUSH_SET_RECORD_NAME], wpg_hash128 pipeline);
/* False: not such a record, or of another shape. */
bool wpg_push_set_record_parse(wpg_hash128 *pipeline, const wpg_profile_record *record);

/* Makes the pipeline's record, or adds to it: draws and dispatches, those of sets that are not listed, and
 * the runs in which each word is loose. WPG_E_NOMEM. */
wpg_status wpg_push_set_record_add(wpg_profile *profile, const char *name, uint64_t commands, uint64_t others,
                                   const uint64_t loose[WPG_PUSH_SET_WORDS], wpg_error *err);
/* Adds a set to the record: words and their values, n draws and dispatches. WPG_E_NOT_FOUND, WPG_E_NOMEM. */
wpg_status wpg_push_set_record_count(wpg_profile *profile, const char *name, uint64_t words,
                                     const uint32_t values[WPG_PUSH_SET_WORDS], uint64_t n, wpg_error *err);

/* The commonest sets of a record, sorted; the rest are among the others. *sets is empty before. False when
 * memory runs out. */
bool wpg_push_set_record_read(wpg_push_sets *sets, const wpg_profile_record *record);

#endif
