/* Which block of the normal form holds which of a kernel's markers (lang.h). Ownership: plain data. Threads:
 * none kept. */
#ifndef WPG_TESTS_E2E_ORACLE_BLOCK_MAP_H
#define WPG_TESTS_E2E_ORACLE_BLOCK_MAP_H

#include <stdbool.h>

#include "compiler/spirv/stage.h"
#include "tests/e2e/oracle/sim.h"

enum { BLOCK_MAP_FUNCTIONS = 8, BLOCK_MAP_BLOCKS = 256 };

typedef struct block_map_block {
    uint64_t marks;   /* bit k: marker k is stored here */
    uint32_t same_as; /* a block without markers that only leads to one block, which only it leads to: that
                         one; else UINT32_MAX */
    bool unreachable;
    bool calls;          /* a function */
    uint32_t leads_to;   /* its one successor, UINT32_MAX if it has more or none */
    uint32_t targets[2]; /* of a conditional branch: if true, if false; else UINT32_MAX */
} block_map_block;

typedef struct block_map {
    struct {
        uint32_t ordinal, block_count; /* the entry function is 0 */
        uint64_t checksum;
        uint32_t select_count;
        block_map_block blocks[BLOCK_MAP_BLOCKS];
    } functions[BLOCK_MAP_FUNCTIONS];
    uint32_t function_count;
} block_map;

/* Normalises the module for that stage and looks. Exits with a message when the module is not a kernel's. */
void block_map_make(block_map *map, const uint32_t *words, size_t count, const wpg_stage *stage);

#endif
