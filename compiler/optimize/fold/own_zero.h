/* A number that is zero and that no driver finds out: what optimisation barriers of folding are made of
 * (loops/opt_barrier.h). Private to compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_FOLD_OWN_ZERO_H
#define WPG_COMPILER_OPTIMIZE_FOLD_OWN_ZERO_H

#include "compiler/optimize/ir/pass.h"

/* The load that the zero is made of; 0: there is none. First choice: a load of an input by constant indices,
 * anywhere in the function. It differs between invocations, and a second load at the function's start gives
 * the same. Otherwise a load of a uniform block or push constant that every invocation comes by. */
uint32_t wpg_zero_source(const wpg_view *view);

/* True if the zero can stand before the instruction. */
bool wpg_zero_is_before(const wpg_view *view, uint32_t source, wpg_inst *inst);

/* Makes the zero, a u32. *where: what else is made of it may stand before that instruction. A
 * view of the function does not see the new instructions. */
uint32_t wpg_zero_make(wpg_inst **where, wpg_module *module, wpg_inst *function, uint32_t source);

#endif
