/* Where an element of a block lies, by the block's explicit layout (SPIR-V 1.6, 3.20: Offset, ArrayStride,
 * MatrixStride, RowMajor). Private to compiler/optimize. Threads: no shared state. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_BLOCK_LAYOUT_H
#define WPG_COMPILER_OPTIMIZE_FACTS_BLOCK_LAYOUT_H

#include "compiler/optimize/ir/pass.h"

typedef struct wpg_block_place {
    uint32_t type, offset; /* bytes from the start of the block */
    uint32_t stride;       /* of a matrix; between a vector's components; 0: tight */
    bool row_major;
} wpg_block_place;

/* The place of one element; `at` is that of the whole. False, with *why (static storage), if the element
 * cannot be followed. */
bool wpg_block_element(wpg_block_place *out, const char **why, const wpg_module *module, wpg_block_place at,
                       uint64_t index);
/* Bytes of a scalar type; 0: it is none of 8 to 64 bits. */
uint32_t wpg_block_scalar_size(const wpg_module *module, uint32_t type);

#endif
