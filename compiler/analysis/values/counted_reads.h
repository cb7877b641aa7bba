/* Words of uniform blocks that a loop of counted trips reads one after the other, by its counter:
 *
 *      for (i = 0; i < 2; i++)
 *          ... block.words[(72 + 4 * i) / 16][...]         reads words 18 and 19
 *
 * Where the counter's limit is no constant, the read has the place of the first trip alone.
 *
 * A guess: nobody here proves that the index has no other value. A caller proves that, or makes of the read
 * what holds for any index.
 * Threads: no shared state. */
#ifndef WPG_COMPILER_ANALYSIS_COUNTED_READS_H
#define WPG_COMPILER_ANALYSIS_COUNTED_READS_H

#include "compiler/analysis/values/word_places.h"

enum { WPG_MOST_COUNTED = 16 }; /* values of a counter, and words of a read */

/* What a function does with one number: a phi, or a variable of its own. */
typedef struct wpg_counter {
    uint32_t start, step, limit;
    uint32_t values, only; /* how many it gets; the id of the one that it gets, 0: of several */
    uint16_t test;         /* opcode of the comparison with the limit */
    bool has_start, has_step, has_limit, is_none;
} wpg_counter;

/* Found when the first read asks. */
typedef struct wpg_counters {
    const wpg_module *module;
    const wpg_inst *function;
    wpg_arena *arena;
    wpg_counter *of; /* [bound] of phis and variables; NULL: not found yet */
    uint32_t bound;
} wpg_counters;

/* Places that a value has by one counter, in its order; none is there twice. Each is within its types. */
typedef struct wpg_counted_read {
    wpg_inst *load;       /* of the block */
    uint32_t index, part; /* ids that the place hangs on: an index of the chain, a component; 0: none */
    uint32_t width;       /* of the vector that `part` is a component of */
    uint32_t part_at;     /* its word of the chain; 0: it is none there */
    bool loads_vector;    /* and the value is a component, the last index of a place */
    uint32_t counter;     /* the phi or variable that the place hangs on */
    bool first_alone;     /* the counter has no constant limit: the one place is the first trip's */
    uint32_t count;
    wpg_word_place places[WPG_MOST_COUNTED];
    uint32_t linear[WPG_MOST_COUNTED]; /* index * width + part, or the one of both that there is */
} wpg_counted_read;

/* The places of a 32-bit integer that is loaded, or taken out of a vector that is. False: the value is no
 * such integer, its place is constant, no counter decides the place, or memory ran out
 * (counters->arena->failed). */
bool wpg_counted_read_of(wpg_counted_read *read, wpg_counters *counters, const wpg_inst *value);

#endif
