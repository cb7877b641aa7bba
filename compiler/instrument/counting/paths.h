/* Counts whole waves by their path: one addition to memory for a wave, in place of one for each tally.
 *
 * When lanes leave a region, each holds its marks and visits. These numbers, packed into words, are the
 * lane's path through the region. Most waves of a program take one of few paths, with all their lanes alike.
 * Counter memory has a table of paths, each with a number of lanes. A wave that finds its own there adds one
 * to its count. Every other wave adds its tallies (flush.c), and takes a free place of the table.
 *
 *     keys:   u32 of word 0, one a place, then as many of each further word; 0: free
 *     counts: a counter a place; in compute stages several times, by workgroup, since processors that add to
 *             one cache line wait for each other
 *
 * Where all tallies are marks, and few, a wave whose lanes differ has a path of its own: how many lanes have
 * each mark. It is looked for in a second table, behind the first.
 *
 * Reading undoes it: a path's count times its visits to a block adds to that block's counters
 * (wpg_counter_value). So counts are exact, in whatever order waves come.
 *
 * Why no lock is needed. Word 0 is taken by compare-and-exchange. The lane that gets it writes the other
 * words, once each. No written word is zero. A wave counts by a key only if it saw every word of the key.
 *
 * Ball, Larus: Efficient Path Profiling, MICRO 1996 number paths of one run through a routine. Here numbers
 * are a wave's marks and trips, since blocks are what is asked for.
 *
 * Ownership, threads: as inject.h. */
#ifndef WPG_COMPILER_INSTRUMENT_COUNTING_PATHS_H
#define WPG_COMPILER_INSTRUMENT_COUNTING_PATHS_H

#include "compiler/instrument/code/inject.h"
#include "compiler/instrument/counting/methods.h"

/* Once tallies have counters: gives regions their path and table, where that gains, and tells the map. */
void wpg_plan_paths(wpg_chooser *c);

/* After the counters' declarations. */
void wpg_paths_declare(wpg_inject *in);

/* A wave leaves a region that has a path. */
typedef struct wpg_path_use {
    uint32_t words;       /* the counters as words */
    uint32_t *key;        /* [words of a key] u32: this lane's path */
    uint32_t rest;        /* u32: zero if the path tells all of this lane's numbers; 0 = always */
    uint32_t hash, first; /* u32: of the key; the wave's first lane's */
    uint32_t place;       /* u32: of the table, by the latter */
    uint32_t found;       /* u32: the last word of the key that is there, 0 while the place is free */
    uint32_t tallied;     /* bool, equal in all lanes: tallies must be added */
} wpg_path_use;
wpg_path_use wpg_path_ask(wpg_inject *in, const wpg_function_plan *f, const wpg_path_plan *path,
                          const wpg_leaving *leaving);
/* Where tallies are added: takes a free place. */
void wpg_path_take(wpg_inject *in, const wpg_path_plan *path, const wpg_path_use *use,
                   const wpg_leaving *leaving);
/* For all waves: counts those that found their path. */
void wpg_path_count(wpg_inject *in, const wpg_path_plan *path, const wpg_path_use *use,
                    const wpg_leaving *leaving);

#endif
