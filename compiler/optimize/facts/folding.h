/* What a driver would fold once a loop is unrolled. Private to compiler/optimize. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_FOLDING_H
#define WPG_COMPILER_OPTIMIZE_FACTS_FOLDING_H

#include "compiler/optimize/ir/loops.h"

/* The result id of an instruction of the loop whose value may become a constant expression by unrolling and
 * whose result the driver may compute otherwise at compile time than at run time (a sine, a quotient, a
 * product contracted with a sum); 0 if there is none. `known` is an id that is a constant in the unrolled
 * copy (a guarded bound), 0 for none. Gives some id when memory runs out. Scratch lives in `arena`. */
uint32_t wpg_unrolling_folds(const wpg_view *view, const wpg_loop *loop, uint32_t known, wpg_arena *arena);

/* The same for loops whose trips a driver may count without us: those around the block, all of the function
 * for WPG_NO_BLOCK. Whether it unrolls them, and so computes that value at compile time, hangs on the code in
 * and around them: measured on lavapipe 25.0.7, where nine cosines of constants are folded while they stand
 * in Function memory and computed once the SSA tier has made values of it. */
uint32_t wpg_may_fold_by_itself(const wpg_view *view, uint32_t block, wpg_arena *arena);

/* Is the block in a loop with floating-point work whose trips a driver may count? Whether it unrolls that
 * one, and re-associates across the trips, hangs on how large the loop is. True when memory runs out. */
bool wpg_is_in_counted_float_loop(const wpg_view *view, uint32_t block, wpg_arena *arena);

/* By construct: loops of floating-point work whose trips a driver may count without us, and are not so many
 * that none would unroll them. It does so by how much stands in them: with less in them it may where it did
 * not, and what two trips compute meets. In `arena`; NULL when memory ran out. */
const bool *wpg_unrollable_loops(const wpg_view *view, wpg_arena *arena);

/* GLSL.std.450 instructions whose result is one number on every implementation. */
bool wpg_is_exact_function(uint32_t number);
/* Floating-point work that a driver may fuse with what uses it, or split, by how often and where it is used:
 * all but what NoContraction protects and what gives one number everywhere (min, floor, ...). */
bool wpg_is_fused_by_use(const wpg_module *module, const wpg_inst *inst);

#endif
