/* What constants in place of loads save of a function's work, by what the profile counted. Private to
 * compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_FOLD_FOLD_SAVING_H
#define WPG_COMPILER_OPTIMIZE_FOLD_FOLD_SAVING_H

#include "compiler/optimize/fold/equal_fold.h"
#include "compiler/optimize/fold/load_fold.h"
#include "compiler/optimize/fold/weight_fold.h"

/* Weighted instructions (wpg_inst_cost), times the lanes that ran them but for `code` and `fallen`. */
typedef struct wpg_fold_saving {
    double whole, saved; /* all of the function; what falls away of it */
    double branches;     /* that are decided: what they cost by themselves, not in `saved` */
    double entries;      /* lanes that entered */
    double code, fallen; /* instructions as they stand there; those that are needed no more, run or not */
    double arrays;       /* scalars of the function's arrays that nothing needs any more, times `entries` */
} wpg_fold_saving;

/* What is constant itself, divisions by what is, branches that are decided, what weights of zero leave
 * nothing of, and equal parts of vectors. `profile` NULL: each block ran once. The plans may be NULL. */
void wpg_fold_saving_measure(wpg_fold_saving *out, const wpg_module *module,
                             const wpg_function_profile *profile, const wpg_load_folded *folded,
                             const wpg_weight_plan *weights, const wpg_equal_plan *equal);

#endif
