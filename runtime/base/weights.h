/* The table of weights: what a profile says of the functions of one shader, as the compiler takes it.
 *
 * runtime/profile/weights.h fills the table, the optimiser reads it. Neither knows the other.
 *
 * Owns: nothing; every array is borrowed.
 * Threads: any; plain data. */
#ifndef WPG_RUNTIME_BASE_WEIGHTS_H
#define WPG_RUNTIME_BASE_WEIGHTS_H

#include <stdbool.h>
#include <stdint.h>

/* Counters of one select site, consecutive. Waves: waves with at least one live lane for which the condition
 * was true / false. */
enum {
    WPG_SELECT_LANES_TRUE,
    WPG_SELECT_LANES_FALSE,
    WPG_SELECT_WAVES_TRUE,
    WPG_SELECT_WAVES_FALSE,
    WPG_SELECT_COUNTERS
};

/* One value that was seen at a value site: its bits, and in how many waves. */
typedef struct wpg_value_share {
    uint32_t bits;
    uint64_t waves;
} wpg_value_share;

/* What was seen at one value site (compiler/analysis/values/value_sites.h), in the order of the sites. */
typedef struct wpg_value_weight {
    uint32_t kind, type, block; /* wpg_value_kind, wpg_value_type, block id: must equal the site's */
    uint64_t asked;             /* waves */
    uint64_t agreed; /* of these, waves whose live lanes all had one value; 0 where that was not asked */
    uint64_t others; /* waves whose value was not kept */
    const wpg_value_share *shares; /* the commonest first */
    uint32_t share_count;
} wpg_value_weight;

/* The values that the words of uniform blocks had together, in a fair sample of the waves asked. */
typedef struct wpg_word_visit {
    uint64_t waves;       /* that it stands for */
    const uint32_t *bits; /* [word_count] */
} wpg_word_visit;

/* Counts of one function of the normal form; arrays borrowed; NULL = not measured. */
typedef struct wpg_function_weights {
    uint32_t ordinal;  /* as in wpg_function_counters */
    uint64_t checksum; /* of the profile's CFG: must equal the module's, else nothing of it is applied */
    uint32_t block_count;
    const uint64_t *lanes, *waves, *uniform; /* [block_count] */
    const bool *known; /* [block_count]: the block's counts mean something; NULL: those of all blocks do.
                          Counts carried over from another version of the shader leave blocks unknown */
    uint32_t select_count;
    const uint64_t *selects;  /* [select_count * WPG_SELECT_COUNTERS] */
    const bool *select_known; /* [select_count]; NULL: all */
    uint32_t value_count;     /* 0: values were not asked about */
    const wpg_value_weight *values;
    /* Words of uniform blocks (compiler/analysis/values/word_sites.h); 0: not asked about. */
    uint32_t word_count;
    const wpg_value_weight *words;
    uint32_t visit_count;
    const wpg_word_visit *visits; /* the most frequent first */
} wpg_function_weights;

typedef struct wpg_weights {
    const wpg_function_weights *functions;
    uint32_t function_count;
} wpg_weights;

#endif
