/* Vectors of uniform blocks whose words are equal: what is computed of them alike is computed once. Works on
 * the version of a stage (versions.c), in SSA form. Private to compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_FOLD_EQUAL_FOLD_H
#define WPG_COMPILER_OPTIMIZE_FOLD_EQUAL_FOLD_H

#include "compiler/optimize/fold/load_fold.h"

/* An operand that drivers must not see through. */
typedef struct wpg_equal_use {
    wpg_inst *inst;
    unsigned operand; /* its word */
} wpg_equal_use;

typedef struct wpg_equal_plan {
    WPG_VEC(wpg_inst *) vectors;    /* that become their first component, several times */
    WPG_VEC(wpg_equal_use) mixes;   /* vectors whose components meet there */
    WPG_VEC(wpg_equal_use) counted; /* integers by which a loop is left */
    uint64_t words;                 /* what the plan rests on, as in wpg_known_load */
    uint64_t asked;                 /* words of all loads that it could have rested on */
    bool *merged;                   /* [view->bound] vectors whose components become one value; NULL: none */
    uint32_t zero_of;               /* a value that drivers do not know (wpg_zero_source) */
} wpg_equal_plan;

/* Plans for those of the loads that are vectors of equal floats and rest on no other words than `allowed`.
 * `profile` is of the function, or NULL: then no plan. `merged` lives in `arena`; free the rest by
 * wpg_equal_plan_finish. False when memory runs out. */
bool wpg_equal_plan_make(wpg_equal_plan *plan, const wpg_context *context,
                         const wpg_function_profile *profile, const wpg_load_folded *folded,
                         const wpg_known_load *loads, size_t load_count, uint64_t allowed, wpg_arena *arena);
/* Weighted instructions that go where the vector's components become one value. */
double wpg_equal_saving(const wpg_module *module, const wpg_inst *inst);
/* Carries it out in the function. False when memory runs out. */
bool wpg_equal_plan_apply(const wpg_equal_plan *plan, wpg_module *module, wpg_inst *function);
void wpg_equal_plan_finish(wpg_equal_plan *plan);

#endif
