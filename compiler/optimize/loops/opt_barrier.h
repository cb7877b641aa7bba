/* Optimisation barriers keep a driver from re-associating arithmetic across the trips of a loop that it
 * unrolls for us. Private to compiler/optimize. */
#ifndef WPG_COMPILER_OPTIMIZE_LOOPS_OPT_BARRIER_H
#define WPG_COMPILER_OPTIMIZE_LOOPS_OPT_BARRIER_H

#include "compiler/analysis/values/divergence.h"
#include "compiler/optimize/ir/loops.h"

/* NULL if every floating-point value that goes from trip to trip can have an optimisation barrier, or needs
 * none. Otherwise the reason (static storage). */
const char *wpg_opt_barrier_refusal(const wpg_view *view, const wpg_loop *loop);

/* True if a value of the type may hold floating-point numbers. */
bool wpg_bears_floats(const wpg_module *module, uint32_t type);
/* True if the loop writes floating-point memory of a storage class that it also reads. */
bool wpg_carries_floats_in_memory(const wpg_view *view, const wpg_loop *loop);

/* True if the phi can get an optimisation barrier, and needs one to stand between trips or ways. */
bool wpg_opt_barrier_wanted(const wpg_module *module, const wpg_inst *phi);

/* True if an optimisation barrier can hide a value of the type from drivers: 32-bit numbers, Booleans. */
bool wpg_opt_barrier_hides(const wpg_module *module, uint32_t type);

/* Makes a u32 that is zero and that compilers do not find out, before `where`, in a block that dominates the
 * loop's copy. It is made of the start of a header phi, if one start is no constant. Otherwise it is made of
 * `otherwise`, a 32-bit integer. */
uint32_t wpg_opt_barrier_zero(wpg_module *module, const wpg_view *view, const wpg_loop *loop,
                              uint32_t preheader, uint32_t otherwise, wpg_inst *where);

/* The same, made of `of`. */
uint32_t wpg_opt_barrier_zero_of(wpg_module *module, uint32_t of, wpg_inst *where);

/* A value to make such a zero of, in a block that dominates `preheader`. If possible it differs between
 * invocations. 0: there is none. *agreed: a value that the lanes of a wave agree on, 0 if there is none;
 * `agreed` may be NULL. */
uint32_t wpg_opt_barrier_source(uint32_t *agreed, const wpg_view *view, uint32_t preheader,
                                const wpg_divergence *divergence);

/* `result` = the bits of `value`, before `where`. Both are of the type of `phi`, which wpg_opt_barrier_hides.
 */
void wpg_opt_barrier_insert(wpg_module *module, const wpg_inst *phi, uint32_t value, uint32_t result,
                            uint32_t zero, wpg_inst *where);

#endif
