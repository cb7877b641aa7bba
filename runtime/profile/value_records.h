/* Reads the record that the probe of values writes (compiler/instrument/probes/probe_values.c).
 *
 * The record's words and its value sites are given side by side. As for all probes, words that describe are
 * multiples of the first word, which is the number of profiles merged. A record of another shape gives no
 * sites.
 *
 * Owns: nothing; the caller releases each site with wpg_value_site_finish.
 * Threads: any. */
#ifndef WPG_RUNTIME_PROFILE_VALUE_RECORDS_H
#define WPG_RUNTIME_PROFILE_VALUE_RECORDS_H

#include "runtime/base/arena.h"
#include "runtime/base/weights.h"
#include "runtime/profile/profile.h"

typedef struct wpg_value_site_counts {
    uint32_t number;  /* of the kind, as wpg_value_kind of compiler/analysis/values/value_sites.h */
    const char *kind; /* "index", "descriptor", ... (value_records.c); "?" */
    enum { WPG_VALUES_BOOL, WPG_VALUES_UINT, WPG_VALUES_SINT, WPG_VALUES_FLOAT, WPG_VALUES_WIDE } type;
    uint32_t ask;           /* bits: 1 uniformity, else it is proved; 2 values, else none are kept */
    uint32_t block, line;   /* line 0: unknown */
    uint64_t asked, agreed; /* waves; agreed: those whose live lanes all had one value */
    uint64_t came;          /* waves that were there: in loops a part of them is asked */
    /* Waves whose value found no room in the table. Listed counts are exact all the same, but an unlisted
     * value may be as common as `others`. */
    uint64_t others;
    wpg_profile_value *values; /* bits of 32-bit values, the commonest first; malloc'd */
    size_t value_count;
    bool has_range;
    uint64_t least, most; /* bits; in the order of the type */
} wpg_value_site_counts;

size_t wpg_value_site_count(const wpg_profile_record *record); /* NULL: 0 */
/* False when memory ran out. Release with wpg_value_site_finish. */
bool wpg_value_site_at(wpg_value_site_counts *site, const wpg_profile_record *record, size_t i);
void wpg_value_site_finish(wpg_value_site_counts *site);

/* The visits that a reservoir kept (compiler/instrument/probes/reservoir.h), the most frequent first, each
 * with a value for every site. *visits lives in `arena`; none where the record has no reservoir. WPG_E_NOMEM
 * only. */
wpg_status wpg_visits_read(const wpg_word_visit **visits, uint32_t *count, const wpg_profile_record *record,
                           wpg_arena *arena);

/* A value as people write it: "7", "-3", "0.5", "true"; at most 24 bytes with the end. */
const char *wpg_value_text(char buffer[24], const wpg_value_site_counts *site, uint64_t value);

#endif
