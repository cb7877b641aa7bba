/* The cost of emitted code under a profile: its machine blocks (machine.h) weighted by waves.
 *
 * A machine block of a structurised block runs as often as that block. For blocks that code generation made,
 * flow through the machine's graph gives the count. Flow may leave a count open, or contradict itself where a
 * branch over a cheap block was dropped. Then the block counts as the lesser of two sums: over the blocks
 * that lead to it, and over the blocks it leads to. Threads: any. */
#ifndef WPG_COMPILER_AMDGPU_PROFILE_SCORE_H
#define WPG_COMPILER_AMDGPU_PROFILE_SCORE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/error.h"

typedef struct wpg_code_score {
    uint64_t scratch;  /* dwords a lane moves from and to scratch memory: sum over blocks of waves * dwords;
                          saturating */
    uint64_t executed; /* instructions, likewise */
    uint32_t scratch_text, instructions; /* the same, each once */
    bool sound; /* the profile's counts are a flow in the machine's graph, too; not where a branch over a
                   cheap block was dropped, which waves without a lane then run through */
    uint32_t blocks, foreign,
        guessed; /* machine blocks; made by code generation; of these not decided by flow */
} wpg_code_score;

/* `waves`: of each of `block_count` structurised blocks. WPG_E_NOT_FOUND: no such kernel in the text;
 * WPG_E_FORMAT: it names a block that is not there, or branches to nowhere. */
wpg_status wpg_score_assembly(wpg_code_score *score, const char *assembly, const char *kernel, bool pal,
                              const uint64_t *waves, uint32_t block_count, wpg_error *err);

#endif
