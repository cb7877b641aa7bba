/* Counting strategies: how waves, lanes and uniform get from the lanes into memory.
 *
 * A strategy names the kinds it counts and says whether it can work under a plan. The plan then numbers
 * counters for these kinds. The injector calls the strategy once for the module, once at each function's
 * start, and once at each point. A strategy changes control flow only through inject.h, which keeps the
 * structure valid. Strategies are constant data, tried in the order of wpg_strategies. */
#ifndef WPG_COMPILER_INSTRUMENT_CODE_STRATEGY_H
#define WPG_COMPILER_INSTRUMENT_CODE_STRATEGY_H

#include "compiler/instrument/code/inject.h"

typedef struct wpg_strategy {
    const char *name;
    uint32_t kinds; /* WPG_KIND_* */
    wpg_method method;
    bool private_cells; /* wave operations are there, so that cells can be added up (cells.c) */
    /* NULL if it can work (the plan's module, stage, options, helper_test, demotes are set), else why not. */
    const char *(*refuses)(const wpg_plan *plan);
    void (*declare)(wpg_inject *in);                                  /* capabilities, types, variables */
    void (*enter)(wpg_inject *in, const wpg_function_plan *function); /* code at a function's start */
    void (*count)(wpg_inject *in, const wpg_function_plan *function, const wpg_point *point);
} wpg_strategy;

extern const wpg_strategy wpg_strategy_naive, wpg_strategy_per_lane;
extern const wpg_strategy *const wpg_strategies[]; /* best first, NULL at the end */

#endif
