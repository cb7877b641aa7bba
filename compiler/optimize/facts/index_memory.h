/* Function variables that hold integers for addresses alone. Private to compiler/optimize.
 * Threads: no shared state. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_INDEX_MEMORY_H
#define WPG_COMPILER_OPTIMIZE_FACTS_INDEX_MEMORY_H

#include "compiler/optimize/ir/pass.h"

/* True if the pointer leads into such a variable: a Function variable of integers, loaded and stored
 * alone. What is loaded from the variable goes through integer arithmetic into indices and into
 * memory that the shader shares. No branch, no comparison, no float and no other stage depends on such a
 * value. So a driver that knows the value changes addresses alone, and an address is exact. */
bool wpg_is_index_memory(const wpg_view *view, uint32_t pointer);
/* The same of an integer. */
bool wpg_goes_into_addresses(const wpg_view *view, uint32_t id);

#endif
