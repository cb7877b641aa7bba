/* A table of paths in counter memory: keys, and how many waves had each.
 *
 *     keys:   u32 of word 0, one a place, then as many of each further word; 0: free
 *     counts: a counter a place; in compute stages several times, by workgroup, since processors that add to
 *             one cache line wait for each other
 *
 * Of few possible keys each has a place of its own, and none is in memory (wpg_path_table.most). A wave then
 * needs to look for nothing.
 *
 * Why no lock is needed. Word 0 is taken by compare-and-exchange. The lane that gets it writes the other
 * words, once each. No written word is zero. A wave counts by a key only if it saw every word of the key.
 *
 * Ownership, threads: as inject.h. */
#ifndef WPG_COMPILER_INSTRUMENT_COUNTING_PATH_TABLE_H
#define WPG_COMPILER_INSTRUMENT_COUNTING_PATH_TABLE_H

#include "compiler/instrument/code/inject.h"
#include "compiler/instrument/counting/methods.h"

/* The next counter that begins a cache line. */
uint32_t wpg_next_line(const wpg_chooser *c);
/* Counters for a table of the region, whose keys have so many words; `alike`: of waves whose lanes are
 * alike. */
void wpg_table_reserve(wpg_chooser *c, wpg_path_table *table, uint32_t words, const wpg_region *region,
                       bool alike);
/* The same for a table in which each of `places` keys has its place, of waves of at most `most` lanes. False:
 * there are too many. */
bool wpg_table_reserve_all(wpg_chooser *c, wpg_path_table *table, uint64_t places, uint32_t most, bool part);
void wpg_table_declare(wpg_inject *in, const wpg_path_table *table);

/* One wave's search for its key. */
typedef struct wpg_table_use {
    uint32_t words; /* the counters as words */
    uint32_t *key;  /* [words of a key] u32; NULL: the module is spoilt */
    uint32_t hash;  /* u32: of the key */
    uint32_t place; /* u32 */
    uint32_t found; /* u32: the last word of the key that is there, 0 while the place is free */
} wpg_table_use;

/* A key of written words, without numbers. */
wpg_table_use wpg_table_begin(wpg_inject *in, const wpg_path_table *table);
/* words[field.word] gets the number (u32), which fits its field. A word may be 0: nothing yet. */
void wpg_field_put(wpg_inject *in, uint32_t *words, wpg_path_field field, uint32_t number);
/* u32: the number in a field. */
uint32_t wpg_field_get(wpg_inject *in, const uint32_t *words, wpg_path_field field);

void wpg_table_hash(wpg_inject *in, const wpg_path_table *table, wpg_table_use *use);
/* Looks at the place of a hash (u32). Returns a u32 that is not zero if it does not hold this lane's key. */
uint32_t wpg_table_look_up(wpg_inject *in, const wpg_path_table *table, wpg_table_use *use, uint32_t hash);
/* The lane for which `when` (bool) holds takes the place, if that was free. */
void wpg_table_take(wpg_inject *in, const wpg_path_table *table, const wpg_table_use *use, uint32_t when);
/* It adds one to the count of the place. */
void wpg_table_count(wpg_inject *in, const wpg_path_table *table, const wpg_table_use *use, uint32_t when);

#endif
