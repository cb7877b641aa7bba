/* Finds instructions that a driver would fold once a loop is unrolled. Private to compiler/optimize. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_FOLDING_H
#define WPG_COMPILER_OPTIMIZE_FACTS_FOLDING_H

#include "compiler/optimize/facts/induction.h"
#include "compiler/optimize/facts/unrolled.h"

/* The result id of an instruction of the loop that unrolling may turn into a constant expression, and whose
 * value a driver may compute otherwise at compile time than at run time: a sine, a quotient, a product
 * contracted with a sum. 0 if there is none. `known` is an id that is constant in the unrolled copy (a
 * guarded bound), 0 for none. Returns some id when memory runs out. Scratch lives in `arena`. */
uint32_t wpg_unrolling_folds(const wpg_view *view, const wpg_loop *loop, uint32_t known, wpg_arena *arena);

/* As wpg_unrolling_folds, of what was solved (unrolled.h). */
uint32_t wpg_unrolled_folds(const wpg_unrolled *unrolled, const wpg_loop *loop);

/* The first id in the loop's members with such a value: constant somewhere (may), not constant already (is).
 * Tables by id. */
uint32_t wpg_first_rounded(const wpg_module *module, const wpg_cfg *cfg, const bool *may, const bool *is,
                           const wpg_loop *loop);

/* True if the test stays in the loop so often that no driver unrolls it. bound_last: the bound is the
 * comparison's second operand. */
bool wpg_runs_long(const wpg_induction *i, SpvOp compare, uint32_t bound, bool bound_last, bool stays);

/* The same for loops around the block whose trips a driver may count without us. Whether a driver unrolls
 * such a loop, and computes the value at compile time, depends on the code in and around it. Measured on
 * lavapipe 25.0.7: nine cosines of constants are folded while they stand in Function memory, and computed
 * once the SSA tier has made values of it. */
uint32_t wpg_may_fold_by_itself(const wpg_view *view, uint32_t block);

/* The same by construct: such an id for each loop that has one, else 0. In `arena`; NULL when memory ran
 * out. */
const uint32_t *wpg_loops_that_fold(const wpg_view *view, wpg_arena *arena);

/* True if the block is in a loop with floating-point work whose trips a driver may count. The size of the
 * loop decides whether the driver unrolls it and re-associates across trips. True when memory runs out. */
bool wpg_is_in_counted_float_loop(const wpg_view *view, uint32_t block);

/* By construct: true for a loop of floating-point work that a driver might unroll without us. Its trips can
 * be counted, and are not too many for any driver. The amount of code in the loop decides whether the driver
 * unrolls. With less code in it, a driver may unroll where it did not before, and arithmetic of two trips
 * meets. Found once for a view; NULL when memory ran out. */
const bool *wpg_unrollable_loops(const wpg_view *view);

/* True for GLSL.std.450 instructions whose result is the same number on every implementation. */
bool wpg_is_exact_function(uint32_t number);
/* True for floating-point arithmetic but for these instructions: what a driver may contract, re-associate or
 * compute otherwise at compile time. */
bool wpg_is_rounded(const wpg_module *module, const wpg_inst *inst);
/* True for floating-point work that a driver may fuse with its user, or split, depending on how often and
 * where it is used. False for work that NoContraction protects, or that gives the same number everywhere
 * (min, floor, ...). */
bool wpg_is_fused_by_use(const wpg_module *module, const wpg_inst *inst);

#endif
