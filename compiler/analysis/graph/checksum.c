/* The 60-bit checksum of a graph. A profile is applied only to a graph with the profile's checksum. */
#include <string.h>

#include "compiler/analysis/graph/cfg.h"

#include "runtime/base/hash.h"

uint64_t wpg_cfg_checksum(const wpg_cfg *cfg, uint32_t normal_form_version)
{
    /* The words below describe the graph completely; hashing goes block by block, the running value first, so
     * that no buffer of the function's size is needed. Written as bytes: equal on every machine. */
    enum { WORDS = 6 };
    uint64_t hash = (uint64_t)normal_form_version << 32 | cfg->count;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        bool loop = block->merge && block->merge->opcode == SpvOpLoopMerge;
        uint32_t head[WORDS] = {
            b,
            block->terminator->opcode,
            block->merge ? block->merge->opcode : 0,
            block->merge ? wpg_cfg_find(cfg, block->merge->words[1]) : WPG_NO_BLOCK,
            loop ? wpg_cfg_find(cfg, block->merge->words[2]) : WPG_NO_BLOCK,
            block->successor_count,
        };
        for (uint32_t i = 0; i < WORDS + block->successor_count; i++) {
            uint32_t word = i < WORDS ? head[i] : block->successors[i - WORDS];
            uint8_t bytes[sizeof hash + sizeof word]; /* little-endian, as all that builds (module.c) */
            memcpy(bytes, &hash, sizeof hash);
            memcpy(bytes + sizeof hash, &word, sizeof word);
            hash = wpg_hash64_bytes(bytes, sizeof bytes);
        }
    }
    return hash & ((UINT64_C(1) << 60) - 1);
}
