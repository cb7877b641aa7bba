/* What becomes constant once drivers unroll loops. Private to compiler/optimize. Threads: no shared state. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_UNROLLED_H
#define WPG_COMPILER_OPTIMIZE_FACTS_UNROLLED_H

#include "compiler/optimize/ir/loops.h"

/* What is constant once loops are unrolled and some ids have known values. */
typedef struct wpg_unrolled {
    const wpg_view *view;
    const bool *may, *is; /* [bound] constant somewhere then; constant already */
    const bool *holds;    /* [bound] variables of the shader's own that may hold a constant somewhere */
} wpg_unrolled;

/* With no known values, once for a view. NULL when memory runs out. */
const wpg_unrolled *wpg_unrolled_of(const wpg_view *view);
/* known: [bound] the constant that an id equals, 0 for none. Tables live in `arena`. False when memory runs
 * out. */
bool wpg_unrolled_with(wpg_unrolled *unrolled, const wpg_view *view, const uint32_t *known, wpg_arena *arena);
/* `one`: an id that is some constant. */
bool wpg_unrolled_with_one(wpg_unrolled *unrolled, const wpg_view *view, uint32_t one, wpg_arena *arena);

/* True where one constant operand makes the result constant in part. A vector is partly constant when one
 * component is: drivers work by component. A logical operation is decided by one side. */
bool wpg_one_part_folds(SpvOp opcode);

#endif
