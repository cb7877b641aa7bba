/* What was counted against what the interpreter says: blocks, selects, and the records of probes. */
#ifndef WPG_TESTS_E2E_RANDOM_COMPARE_H
#define WPG_TESTS_E2E_RANDOM_COMPARE_H

#include "compiler/instrument/code/instrument.h"
#include "tests/e2e/random/simt.h"

enum { COMPARE_MESSAGE = 512 };

typedef struct comparison {
    const wpg_counter_map *map;
    const uint64_t *values; /* [have] the stage's counters, from the pipeline's base */
    size_t have;
    const wpg_module *plain; /* the module before counting */
    simt_counts *want;
    bool from_zero; /* counters started at zero: least and most trips mean something */
    bool settle;    /* where uniform may be one of several numbers, `values` decide: want is set to them */
    /* Running totals over comparisons. */
    uint64_t blocks, executions, numbers; /* numbers: of selects and probes */
    uint32_t functions;                   /* beside the entry function */
    char *message;                        /* [COMPARE_MESSAGE] the first disagreement */
} comparison;

/* False: message says where they differ. */
bool compare_counts(comparison *c);

#endif
