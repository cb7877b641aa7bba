/* What becomes constant once drivers unroll loops. Private to compiler/optimize. Threads: no shared state. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_UNROLLED_H
#define WPG_COMPILER_OPTIMIZE_FACTS_UNROLLED_H

#include "compiler/optimize/ir/loops.h"

/* What is constant once loops are unrolled and some ids have known values. */
typedef struct wpg_unrolled {
    const wpg_view *view;
    const bool *may, *is; /* [bound] constant somewhere then; constant already */
} wpg_unrolled;

/* known: [bound] the constant that an id equals, 0 for none; or NULL. `one`: an id that is some constant, 0
 * for none. Tables live in `arena`. False when memory runs out. */
bool wpg_unrolled_solve(wpg_unrolled *unrolled, const wpg_view *view, const uint32_t *known, uint32_t one,
                        wpg_arena *arena);

#endif
