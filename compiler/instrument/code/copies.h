/* How often a driver may copy a loop's body when it unrolls the loop. Private to compiler/instrument. */
#ifndef WPG_COMPILER_INSTRUMENT_CODE_COPIES_H
#define WPG_COMPILER_INSTRUMENT_CODE_COPIES_H

#include "compiler/analysis/graph/cfg.h"

/* At least 1; 1 if it is left as it is. An estimate, rather too high: a step of one is assumed, and that all
 * drivers unroll what one of Mesa's does (nir_opt_loop_unroll: constant bounds, up to 32 trips, more where
 * the program asks for it; a bound that is unknown is guessed from an array that the loop indexes).
 * Threads: none shared. */
uint32_t wpg_loop_copies(const wpg_module *module, const wpg_cfg *cfg, uint32_t loop);

/* True if the loop accesses a variable of the invocation or workgroup by an index that is no constant. */
bool wpg_loop_indexes(const wpg_module *module, const wpg_cfg *cfg, uint32_t loop);
/* The loop is left over the edge to the block, maybe through blocks that only lead out. */
bool wpg_loop_leaves(const wpg_cfg *cfg, uint32_t loop, uint32_t to);

#endif
