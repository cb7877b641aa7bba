/* Blocks that run in the first trip of their loop alone, once the bound is known. Private to
 * compiler/optimize. Threads: no shared state. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_FIRST_TRIP_H
#define WPG_COMPILER_OPTIMIZE_FACTS_FIRST_TRIP_H

#include "compiler/analysis/values/int_value.h"
#include "compiler/optimize/ir/pass.h"

/* True if the block runs only while `counter`, a phi, has the value that it starts with. `bound` knows what
 * the bound of the loop's test is made of. */
bool wpg_runs_in_first_trip(const wpg_view *view, uint32_t block, uint32_t counter, wpg_int_walk *bound);

#endif
