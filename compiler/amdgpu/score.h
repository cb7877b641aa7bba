/* What emitted code costs under a profile, read from the assembly text.
 *
 * Instructions find their structurised block by the block's name, which LLVM prints beside the label of each
 * machine block that comes from it ("; %wpg.5"): wpg_score_name gives block i its name before code
 * generation. Machine blocks that code generation made by itself (a split edge, a loop over the lanes of a
 * divergent descriptor) carry no such name; they count as the block that stands before them, and the score
 * says how many they are.
 *
 * Scratch traffic is every access to a lane's scratch memory, spills and private arrays alike: scratch_*
 * instructions, and where a GPU has none (gfx9, gfx10) buffer_* instructions, which our HSA code has for
 * nothing else; PAL code has them for the program's buffers too, so that of these only spills count, by
 * LLVM's remark "Folded". Spills into lanes of a register (v_writelane) or accumulation registers are no
 * traffic. Plain text, no LLVM. Threads: any. */
#ifndef WPG_COMPILER_AMDGPU_SCORE_H
#define WPG_COMPILER_AMDGPU_SCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wpg_code_score {
    uint64_t scratch;  /* dwords a lane, weighted: sum over blocks of waves * dwords; saturating */
    uint64_t executed; /* instructions, weighted likewise: what the waves issue if no branch skips a part of a
                          block */
    uint32_t scratch_text, instructions; /* the same, each once */
    uint32_t blocks, foreign;            /* machine blocks; of these without a structurised block's name */
} wpg_code_score;

enum { WPG_SCORE_NAME = 20 };
/* "wpg.INDEX" into `name`. */
void wpg_score_name(char name[WPG_SCORE_NAME], uint32_t index);

/* `waves`: of each of `block_count` structurised blocks. False: there is no such kernel in the text, or it
 * names a block that is not there. */
bool wpg_score_assembly(wpg_code_score *score, const char *assembly, const char *kernel, bool pal,
                        const uint64_t *waves, uint32_t block_count);

/* Dwords that a line of assembly moves from or to scratch; 0 if none. */
unsigned wpg_score_scratch(const char *line, size_t length, bool pal);

#endif
