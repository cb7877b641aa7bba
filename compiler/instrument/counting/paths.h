/* Counts whole waves by their path: one addition to memory for a wave, in place of one for each tally.
 *
 * When lanes leave a region, each holds its marks and visits. These numbers, packed into words, are the
 * lane's path through the region. Most waves of a program take one of few paths, with all their lanes alike.
 * Counter memory has a table of paths, each with a number of lanes (path_table.h). A wave that finds its own
 * there adds one to its count. Every other wave goes by its lanes' numbers together (waves.h), and takes a
 * free place of the table.
 *
 * Reading undoes it: a path's count times its visits to a block adds to that block's counters
 * (wpg_counter_value). So counts are exact, in whatever order waves come.
 *
 * Ball, Larus: Efficient Path Profiling, MICRO 1996 number paths of one run through a routine. Here numbers
 * are a wave's marks and trips, since blocks are what is asked for.
 *
 * Ownership, threads: as inject.h. */
#ifndef WPG_COMPILER_INSTRUMENT_COUNTING_PATHS_H
#define WPG_COMPILER_INSTRUMENT_COUNTING_PATHS_H

#include "compiler/instrument/counting/path_table.h"

/* Once tallies have counters: gives regions their path and table, where that gains, and tells the map. */
void wpg_plan_paths(wpg_chooser *c);

/* After the counters' declarations. */
void wpg_paths_declare(wpg_inject *in);

/* A wave leaves a region that has a path. */
typedef struct wpg_path_use {
    wpg_table_use table;
    uint32_t rest;    /* u32: zero if the path tells all of this lane's numbers; 0 = always */
    uint32_t first;   /* u32: the hash of the wave's first lane */
    uint32_t tallied; /* bool, equal in all lanes: tallies must be added */
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
