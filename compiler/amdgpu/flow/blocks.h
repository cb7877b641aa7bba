/* A structurised function as a plain graph: its blocks in their order, successors by index in order, and the
 * graph's checksum. The same module through the same passes gives the same block i; an equal checksum proves
 * that. Unreachable blocks keep their place. Ownership: wpg_blocks_finish. Threads: as LLVM's, one context,
 * one thread. */
#ifndef WPG_COMPILER_AMDGPU_FLOW_BLOCKS_H
#define WPG_COMPILER_AMDGPU_FLOW_BLOCKS_H

#include <llvm-c/Types.h>

#include "runtime/base/error.h"
#include "runtime/base/map.h"

typedef struct wpg_blocks {
    uint32_t count;
    LLVMBasicBlockRef *blocks;
    uint32_t *first;   /* [count + 1]: successors of block i are to[first[i] .. first[i + 1] - 1] */
    uint32_t *to;      /* an edge that a switch has twice stands here twice */
    uint8_t *header;   /* [count] a back edge of a depth-first walk from the entry leads here */
    uint32_t *depth;   /* [count] loops around the block, by these back edges */
    uint64_t checksum; /* 60 bits */
    wpg_map index;     /* LLVMBasicBlockRef -> i */
} wpg_blocks;

/* *blocks needs no value before; on failure it is empty. WPG_E_NOMEM only. */
wpg_status wpg_blocks_of(wpg_blocks *blocks, LLVMValueRef function, wpg_error *err);
void wpg_blocks_finish(wpg_blocks *blocks);
/* UINT32_MAX: not a block of the function. */
uint32_t wpg_blocks_index(const wpg_blocks *blocks, LLVMBasicBlockRef block);

#endif
