/* Splits a block in two around a new selection: when a split is allowed, and which phis follow. Private to
 * compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_IR_SPLIT_H
#define WPG_COMPILER_OPTIMIZE_IR_SPLIT_H

#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/pass.h"

/* NULL if the block can be split, otherwise the reason (static storage). Loop headers cannot be split (back
 * edges come in, the merge instruction must stay), and continue constructs cannot. */
const char *wpg_block_stays_whole_because(const wpg_cfg *cfg, uint32_t block);
/* whole[b] becomes true for every block b that cannot be split. */
void wpg_blocks_stay_whole(bool *whole, const wpg_cfg *cfg);
/* True if a split of `block` before its instruction `first` parts two floating-point operations of `exact`
 * that a driver may fuse within a block. True when memory ran out. */
bool wpg_split_parts_exact(const wpg_view *view, const wpg_id_set *exact, uint32_t block,
                           const wpg_inst *first);
/* True if a split of `block` before its instruction `first` parts an OpSampledImage from a use of it: both
 * stand in one block (SPIR-V 1.6, 3.52.10). The `count` instructions of `moved` do not count: they leave the
 * block with all their uses. */
bool wpg_split_parts_sampled(const wpg_view *view, uint32_t block, const wpg_inst *first,
                             wpg_inst *const *moved, size_t count);
/* In the phis of the block's successors, replaces the block as parent by the label `to`. */
void wpg_retarget_phis(const wpg_cfg *cfg, uint32_t block, uint32_t to);

#endif
