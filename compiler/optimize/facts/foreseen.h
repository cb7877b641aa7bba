/* Loops that fold once memory has become values, told while variables still stand in memory. Private to
 * compiler/optimize. Threads: no shared state. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_FORESEEN_H
#define WPG_COMPILER_OPTIMIZE_FACTS_FORESEEN_H

#include "compiler/analysis/graph/cfg.h"
#include "compiler/spirv/module.h"

/* By construct: an id in each loop that wpg_loops_that_fold (folding.h) is expected to name once the function
 * is in SSA form, else 0. An expectation, in one walk of the function and two of its loops: a loop may be
 * missed, or named in vain. In `arena`; NULL when memory ran out. */
const uint32_t *wpg_loops_foreseen_to_fold(const wpg_module *module, const wpg_cfg *cfg, wpg_arena *arena);

#endif
