/* A loop's test and its induction variables: what the trip guard, peeling and folding read of them. Private
 * to compiler/optimize. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_INDUCTION_H
#define WPG_COMPILER_OPTIMIZE_FACTS_INDUCTION_H

#include "compiler/optimize/loops/loop_clone.h"

typedef struct wpg_induction {
    uint32_t first, step; /* value at the first test; added for each further one (modulo 2^32) */
} wpg_induction;

/* Reads the block's branch as the loop's test (test, compare, stays_on): an integer comparison, negated or
 * not, one way to the merge block, through blocks of that way alone or none, run once per trip. */
bool wpg_read_loop_test(wpg_guard_plan *plan, const wpg_view *view, uint32_t block);
/* The value of a 32-bit scalar constant, or of one cast to another 32-bit integer; false for any other id. */
bool wpg_is_u32_const(const wpg_module *module, uint32_t id, uint32_t *value);
/* The result of a comparison of two 32-bit integers; wpg_opcode_compares_ints(opcode) holds. */
bool wpg_compare_ints(SpvOp opcode, uint32_t a, uint32_t b);
/* Reads `id` as an induction variable of the loop (a phi of its header with constant start and step), or as
 * its value after the step; through bitcasts between 32-bit integers. */
bool wpg_read_induction(wpg_induction *out, const wpg_view *view, const wpg_loop *loop, uint32_t id);
/* Does a test that leaves the loop compare an induction variable with a constant, once a trip? Drivers unroll
 * such a loop if it is short. */
bool wpg_loop_is_counted(const wpg_view *view, const wpg_loop *loop);
/* Is such a loop around the block? Drivers that unroll it know its counter in each trip. */
bool wpg_is_in_counted_loop(const wpg_view *view, uint32_t block);
/* Fills value, range, last and leaving from evaluations; NULL, or why no bound serves (static storage). */
const char *wpg_bound_value_refusal(wpg_guard_plan *plan, const wpg_induction *i);

#endif
