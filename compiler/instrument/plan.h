/* The plan: everything that will be counted and where, made before the module is touched.
 *
 *     module --cfg, classes, sites--> points, one for each place that gets code --> counter map
 *
 * Ownership: everything here lives in `arena` and in the cfgs; wpg_plan_finish frees both. The map is handed
 * over to the caller. */
#ifndef WPG_COMPILER_INSTRUMENT_PLAN_H
#define WPG_COMPILER_INSTRUMENT_PLAN_H

#include "compiler/analysis/mask.h"
#include "compiler/analysis/sites.h"
#include "compiler/instrument/instrument.h"

/* How the code tells a live lane from a helper. */
typedef enum wpg_helper_test {
    WPG_HELPER_NONE,    /* every active lane is live: no fragment stage */
    WPG_HELPER_OP,      /* OpIsHelperInvocationEXT */
    WPG_HELPER_BUILTIN, /* BuiltIn HelperInvocation: right only where nothing demotes */
    WPG_HELPER_UNKNOWN, /* fragment, but neither: helper lanes' atomics have no effect by Vulkan's rules, and
                           that is all there is */
} wpg_helper_test;

/* One condition of select sites: WPG_SELECT_COUNTERS counters from `first`. */
typedef struct wpg_select_tally {
    uint32_t condition, first;
} wpg_select_tally;

/* A place that gets counting code. */
typedef struct wpg_point {
    uint32_t block; /* block index */
    wpg_inst
        *before; /* code goes before this instruction; NULL: at the block's start, after phis and variables */
    uint32_t lanes, waves, uniform; /* counters of the block's class, WPG_NO_COUNTER where not counted here */
    uint32_t record,
        resolve; /* construct watched for demotes that the block heads, or merges; WPG_NO_BLOCK if none */
    const wpg_select_tally *selects;
    uint32_t select_count;
} wpg_point;

typedef struct wpg_function_plan {
    wpg_inst *function;
    wpg_cfg *cfg;
    wpg_mask_classes classes;
    wpg_point *points; /* by block, and within a block in instruction order */
    uint32_t point_count;
    bool watches;                   /* some point records */
    struct wpg_probe_point *probes; /* by block (probe.h) */
    uint32_t probe_count;
    bool is_entry;
} wpg_function_plan;

typedef struct wpg_plan {
    wpg_arena arena;
    const wpg_module *module;
    const wpg_stage *stage;
    const wpg_instrument_options *options;
    wpg_inst *entry_point;
    const struct wpg_strategy *strategy;
    wpg_helper_test helper_test;
    bool demotes;                 /* some function of the module demotes */
    bool declare_early_tests;     /* fragment: the stage had them implicitly and loses them by counting */
    wpg_function_plan *functions; /* the entry function first */
    uint32_t function_count;
    uint32_t counter_count;
    uint64_t probe_ids; /* upper bound of the ids that probes take */
    wpg_counter_map *map;
} wpg_plan;

wpg_status wpg_plan_make(wpg_plan *plan, const wpg_module *module, const wpg_stage *stage,
                         const wpg_instrument_options *options, wpg_error *err);
/* Frees all but the map, unless nobody took it: set plan->map to NULL when taking it. */
void wpg_plan_finish(wpg_plan *plan);

/* Select sites of a function (selects.c): gives each its counters in `counters`, and makes the points:
 * *starts holds, for each block, what is tallied at the block's start; *late the other points, by block. */
typedef struct wpg_select_starts {
    const wpg_select_tally *selects;
    uint32_t count;
} wpg_select_starts;
wpg_status wpg_plan_selects(wpg_plan *plan, const wpg_function_plan *function,
                            wpg_function_counters *counters, wpg_select_starts **starts, wpg_point **late,
                            uint32_t *late_count);

/* Whether the stage's own code left early depth and stencil tests possible (early_tests.c). */
/* Whether counting may declare early tests and change nothing but the counting: what the stage does cannot
 * tell early tests from late ones. `wpg_had_early_tests` is implied. The pipeline's state has a say too:
 * target.early_tests. */
bool wpg_may_declare_early_tests(const wpg_module *module, const wpg_inst *entry_point);
bool wpg_had_early_tests(const wpg_module *module, const wpg_inst *entry_point);

#endif
