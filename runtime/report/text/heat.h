/* Which shaders and blocks are hot: the order in which commands print them. Threads: no shared state. */
#ifndef WPG_RUNTIME_REPORT_TEXT_HEAT_H
#define WPG_RUNTIME_REPORT_TEXT_HEAT_H

#include "runtime/profile/shader_view.h"

/* Sums over one function's blocks. */
typedef struct wpg_shader_totals {
    uint64_t waves, lanes, uniform; /* over all blocks; saturating */
} wpg_shader_totals;

wpg_shader_totals wpg_shader_sum(const wpg_shader_counts *shader);
/* Indices of the shaders, hottest first: by block executions (waves, lanes where waves are absent), ties by
 * the view's order. malloc'd, NULL when memory runs out or there are none. */
size_t *wpg_shaders_by_heat(const wpg_shader_view *view);
/* How hot a block is: waves, or lanes where waves are absent. */
uint64_t wpg_block_heat(const wpg_shader_counts *shader, size_t block);
size_t *wpg_blocks_by_heat(const wpg_shader_counts *shader);

#endif
