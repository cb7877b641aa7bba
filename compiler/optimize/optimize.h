/* Use mode: a normalised module and what a profile says of it in; a faster module with the same results out.
 * Which passes run, in which order, is one readable function in optimize.c. Legality: DESIGN 6; every pass
 * reports what it did and why not. Threads: one module, one thread. */
#ifndef WPG_COMPILER_OPTIMIZE_OPTIMIZE_H
#define WPG_COMPILER_OPTIMIZE_OPTIMIZE_H

#include "compiler/spirv/stage.h"

/* Counts of one function of the normal form, from the profile; arrays borrowed; NULL = not measured. */
typedef struct wpg_function_weights {
    uint32_t ordinal;  /* as in wpg_function_counters */
    uint64_t checksum; /* of the profile's CFG: must equal the module's, else nothing of it is applied */
    uint32_t block_count;
    const uint64_t *lanes, *waves, *uniform; /* [block_count] */
    uint32_t select_count;
    const uint64_t *selects; /* [select_count * WPG_SELECT_COUNTERS] in the order lanes true, lanes false,
                                waves true, waves false */
} wpg_function_weights;

typedef struct wpg_weights {
    const wpg_function_weights *functions;
    uint32_t function_count;
} wpg_weights;

/* Thresholds: settings of use, never of the profile. */
typedef struct wpg_optimize_options {
    double uniform_share; /* a block is uniform when uniform/waves is at least this; 0.9 */
    double rare_share;    /* a select's expensive side is rare when waves that need it are at most this share;
                             0.1 */
    uint32_t unflatten_cost;    /* least cost (weighted instructions) worth a branch; 24 */
    uint32_t max_guarded_trips; /* largest trip count the trip-count guard specialises for; 64 */
    uint32_t max_growth;        /* most instructions a pass may add to a function, as a share of 100; 200 */
    char passes[64];            /* letters of passes to leave out, "" = none; see optimize.c */
} wpg_optimize_options;

void wpg_optimize_defaults(wpg_optimize_options *options);

typedef enum wpg_remark_kind { WPG_REMARK_DONE, WPG_REMARK_REFUSED } wpg_remark_kind;
typedef struct wpg_remark {
    wpg_remark_kind kind;
    const char *pass;        /* "annotate", "unflatten", "trip-guard", static storage */
    uint32_t ordinal, block; /* function ordinal and block id in the normal form */
    char text[160];
} wpg_remark;

typedef struct wpg_remarks {
    wpg_arena arena;
    wpg_remark *items;
    uint32_t count;
    bool mismatch; /* some function's checksum disagreed: nothing of its profile was applied */
} wpg_remarks;

void wpg_remarks_destroy(wpg_remarks *remarks);

/* A hook for the SSA tier, so that this folder needs no SPIRV-Tools: gives new malloc'd words for words. NULL
 * = not available; passes that need it refuse. */
typedef wpg_status (*wpg_ssa_fn)(uint32_t **out_words, size_t *out_count, const uint32_t *words, size_t count,
                                 wpg_error *err);

/* Optimises. *module is replaced when the SSA tier was run (the old one is destroyed). *changed = false:
 * nothing was done, the caller may use the original words. On failure *module is destroyed and set to NULL:
 * pass the original through. */
wpg_status wpg_optimize(wpg_remarks **remarks, bool *changed, wpg_module **module, const wpg_stage *stage,
                        const wpg_weights *weights, const wpg_optimize_options *options, wpg_ssa_fn ssa,
                        wpg_error *err);

#endif
