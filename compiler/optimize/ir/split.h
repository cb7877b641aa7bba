/* Splitting a block in two around a new selection: when that may be done, and what follows the block along.
 * Private to compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_IR_SPLIT_H
#define WPG_COMPILER_OPTIMIZE_IR_SPLIT_H

#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/pass.h"

/* Blocks that cannot be split: loop headers (back edges come in, the merge instruction must stay) and
 * continue constructs. NULL if this one can, else why not (static storage). */
const char *wpg_block_stays_whole_because(const wpg_cfg *cfg, uint32_t block);
/* Would a split of `block` before `first`, one of its instructions, part two floating-point operations of
 * `exact` that a driver may fuse within a block? True when memory ran out. */
bool wpg_split_parts_exact(const wpg_view *view, const wpg_id_set *exact, uint32_t block,
                           const wpg_inst *first);
/* In the block's successors, what came from the block now comes from the label `to`. */
void wpg_retarget_phis(const wpg_cfg *cfg, uint32_t block, uint32_t to);

#endif
