/* Seams: what keeps a driver from re-associating arithmetic across the trips of a loop it unrolls for us.
 * Private to compiler/optimize. */
#ifndef WPG_COMPILER_OPTIMIZE_LOOPS_SEAM_H
#define WPG_COMPILER_OPTIMIZE_LOOPS_SEAM_H

#include "compiler/analysis/divergence.h"
#include "compiler/optimize/ir/loops.h"

/* NULL if every floating-point value that goes from trip to trip can have a seam, or needs none; else why not
 * (static storage). */
const char *wpg_seam_refusal(const wpg_view *view, const wpg_loop *loop);

/* Does a value of the type hold floating-point numbers? Yes where it cannot be told. */
bool wpg_bears_floats(const wpg_module *module, uint32_t type);
/* Does the loop write floating-point memory of a storage class that it reads, too? */
bool wpg_carries_floats_in_memory(const wpg_view *view, const wpg_loop *loop);

/* Can the phi get a seam, and does it need one where it is to stand for a wall between trips or ways? */
bool wpg_seam_wanted(const wpg_module *module, const wpg_inst *phi);

/* Can a seam keep drivers from knowing a value of the type: 32-bit numbers, Booleans? */
bool wpg_seam_hides(const wpg_module *module, uint32_t type);

/* A u32 that is zero, which compilers do not find out, computed before `where`, in a block that dominates the
 * loop's copy: of the start of a header phi where one is no constant, else of `otherwise`, a 32-bit integer.
 */
uint32_t wpg_seam_zero(wpg_module *module, const wpg_view *view, const wpg_loop *loop, uint32_t preheader,
                       uint32_t otherwise, wpg_inst *where);

/* The same of that value alone. */
uint32_t wpg_seam_zero_of(wpg_module *module, uint32_t of, wpg_inst *where);

/* A value of the function to make such a zero of, of a block that dominates `preheader`: one that differs
 * between invocations where there is one. 0: there is none. *agreed: one that the lanes of a wave agree on, 0
 * if there is none; NULL is fine. */
uint32_t wpg_seam_source(uint32_t *agreed, const wpg_view *view, uint32_t preheader,
                         const wpg_divergence *divergence);

/* `result` = the bits of `value`, both of the type of `phi`, for which wpg_seam_hides, before `where`. */
void wpg_seam_insert(wpg_module *module, const wpg_inst *phi, uint32_t value, uint32_t result, uint32_t zero,
                     wpg_inst *where);

#endif
