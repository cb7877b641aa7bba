/* Variables that the SSA tier is to leave in memory, and the loops that ask for it. Private to
 * compiler/optimize/passes. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_PASSES_SSA_KEEP_H
#define WPG_COMPILER_OPTIMIZE_PASSES_SSA_KEEP_H

#include "compiler/optimize/ir/pass.h"

/* By id of the normal form: labels of the loops' headers, and what is accessed in these loops. */
typedef struct wpg_kept {
    bool *labels, *variables; /* [bound] */
    uint32_t bound;
    bool any;       /* there is such a loop */
    wpg_view *view; /* of a function of the last SSA form, if no loop was found in any; the caller's */
} wpg_kept;

/* Adds such loops of the normal form itself, context->module, as far as its memory tells. Most are found so,
 * and the tier runs once. False when memory runs out. */
bool wpg_kept_foresee(wpg_kept *kept, wpg_context *context, wpg_arena *arena);

/* Adds the loops of the SSA form `values` in which a driver may compute floats of constants, or not, by the
 * code around it (facts/folding.h); then the variables that the normal form, context->module, accesses in
 * these. *found: an id in such a loop that was not there before; 0: there is none. False when memory runs
 * out. */
bool wpg_kept_add(uint32_t *found, wpg_kept *kept, wpg_context *context, wpg_module *values,
                  wpg_arena *arena);

/* Makes every variable of the set the argument of a call of an empty function: no pass makes values of it
 * then. False when memory runs out. */
bool wpg_kept_pin(wpg_module *module, const wpg_kept *kept);
/* Takes these calls and functions away again. */
void wpg_kept_unpin(wpg_module *module, const wpg_kept *kept);

#endif
