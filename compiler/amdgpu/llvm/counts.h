/* Counts of a structurised function as plain tables: planned by counters/counters.c, read from a profile,
 * attached by profile/weights.c. Blocks are those of the structurised function, in order. Their order and the
 * checksum of the control flow are the key: the same passes (driver/compile.c) give the same blocks. Threads:
 * as the owner. */
#ifndef WPG_COMPILER_AMDGPU_LLVM_COUNTS_H
#define WPG_COMPILER_AMDGPU_LLVM_COUNTS_H

#include <stdint.h>

typedef struct wpg_amdgpu_counts {
    uint64_t checksum; /* 60 bits, over the structurised control flow graph: successors by index, in order */
    uint32_t block_count;
    uint64_t *waves;   /* [block_count] times a wave started the block with a lane; never NULL in a profile */
    uint64_t *lanes;   /* [block_count] lanes then active, or NULL */
    uint64_t *uniform; /* [block_count] waves with all the lanes that the wave entered with; or NULL */
} wpg_amdgpu_counts;

#endif
