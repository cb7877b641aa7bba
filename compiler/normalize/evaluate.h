/* Constant expressions of a function: scalar integers and booleans of constants, of phis whose ways in agree,
 * of variables in which nothing else was stored, and comparisons of constant floats. Private to
 * compiler/normalize. Threads: one. */
#ifndef WPG_COMPILER_NORMALIZE_EVALUATE_H
#define WPG_COMPILER_NORMALIZE_EVALUATE_H

#include "compiler/normalize/stored.h"

typedef struct wpg_known {
    uint64_t bits;
    uint8_t width, state;
} wpg_known;

typedef struct wpg_evaluator {
    wpg_module *module;
    const wpg_flow *flow; /* of the function asked about; its `only` and reachability count */
    wpg_stored stored;
    wpg_known *values; /* by id; in `arena` */
    uint32_t values_count;
    wpg_arena arena;
    WPG_VEC(uint32_t) asked;      /* ids whose state is not NOT_ASKED */
    WPG_VEC(uint32_t) dominators; /* by block: its immediate dominator; empty: not computed yet */
    uint32_t steps;               /* of the present question */
    bool out_of_memory;
} wpg_evaluator;

/* `flow` is of the functions that are begun later. */
void wpg_evaluator_init(wpg_evaluator *evaluator, wpg_module *module, const wpg_flow *flow);
/* Reads the function that is asked about from now on, of which the flow is. */
wpg_status wpg_evaluator_begin(wpg_evaluator *evaluator, const wpg_fold_job *job, wpg_error *err);
void wpg_evaluator_finish(wpg_evaluator *evaluator);
/* The scalar's bits and width in bits, if it is constant wherever control gets to its use. */
bool wpg_evaluate(wpg_evaluator *evaluator, uint32_t id, uint64_t *bits, uint32_t *width);
/* Call after the flow's reachability changed. */
void wpg_evaluator_forget(wpg_evaluator *evaluator);

#endif
