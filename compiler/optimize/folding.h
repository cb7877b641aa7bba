/* What a driver would fold once a loop is unrolled. Private to compiler/optimize. */
#ifndef WPG_COMPILER_OPTIMIZE_FOLDING_H
#define WPG_COMPILER_OPTIMIZE_FOLDING_H

#include "compiler/optimize/loops.h"

/* The result id of an instruction of the loop whose value may become a constant expression by unrolling and
 * whose result the driver may compute otherwise at compile time than at run time (a sine, a quotient, a
 * product contracted with a sum); 0 if there is none. `known` is an id that is a constant in the unrolled
 * copy (a guarded bound), 0 for none. Gives some id when memory runs out. Scratch lives in `arena`. */
uint32_t wpg_unrolling_folds(const wpg_view *view, const wpg_loop *loop, uint32_t known, wpg_arena *arena);

#endif
