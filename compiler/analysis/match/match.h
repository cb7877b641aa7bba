/* Matches the blocks of two versions of a function, so that counts of the old version serve the new one.
 *
 *     old normal form --describe--> wpg_form --+
 *                                              +--> wpg_match: old block of each new block,
 *     new normal form --describe--> wpg_form --+               old select of each new select
 *
 * A form describes each block without ids, names or places:
 *     - what its instructions do: opcodes, result types, the buffers, textures and built-ins they touch,
 *     - the same with constants,
 *     - the block's neighbours,
 *     - its part in the control flow: what ends the block, what the block heads,
 *     - the constructs around it.
 *
 * Matching aligns two sequences of blocks in module order so that most instructions meet. Two blocks match
 * only if they have the same part in the control flow and mostly the same instructions. A block that was
 * inserted, or changed beyond that, has no partner.
 *
 * Counts of matched blocks are carried over. For the other blocks three rules apply: blocks of one
 * active-mask class have equal counts, lanes conserve flow, and where no lane ran no wave ran. A count that
 * does not follow stays unknown. Unknown is not zero.
 *
 * Ownership: a form stands by itself; a match and carried counts live in the arena given. Threads: forms are
 * immutable once made. Sources: Ayupov, Panchenko, Pupyrev, "Stale Profile Matching" (CC 2024): hashes of
 * blocks at several levels, then flow; LLVM's SampleProfileMatcher: anchors aligned by a longest common
 * subsequence; Needleman, Wunsch (1970) for its weighted form. */
#ifndef WPG_COMPILER_ANALYSIS_MATCH_H
#define WPG_COMPILER_ANALYSIS_MATCH_H

#include "compiler/analysis/graph/cfg.h"

typedef struct wpg_form wpg_form;

/* Describes a function of a normal form. */
wpg_status wpg_form_create(wpg_form **form, const wpg_cfg *cfg, wpg_error *err);
void wpg_form_destroy(wpg_form *form);
uint32_t wpg_form_blocks(const wpg_form *form);
uint32_t wpg_form_selects(const wpg_form *form);

/* The share of instructions that both forms have, 0 to 1, regardless of blocks (Dice's coefficient). Cheap:
 * used to choose which functions to match. */
double wpg_form_likeness(const wpg_form *a, const wpg_form *b);

/* Two functions below this likeness are no versions of one function: their matches are coincidence. */
#define WPG_MATCH_LIKENESS 0.5

typedef struct wpg_match {
    uint32_t *block;  /* [blocks of the new form]: block of the old form, WPG_NO_BLOCK if none */
    uint32_t *select; /* [select sites of the new form]: site of the old form, UINT32_MAX if none */
    uint32_t blocks;  /* matched */
    double likeness;  /* as wpg_form_likeness, of instructions in matched blocks only */
} wpg_match;

/* WPG_E_LIMIT: too many blocks to compare; WPG_E_NOMEM. */
wpg_status wpg_match_forms(wpg_match *match, const wpg_form *from, const wpg_form *to, wpg_arena *arena,
                           wpg_error *err);

/* Counts of one function; NULL = not measured. */
typedef struct wpg_block_counts {
    const uint64_t *lanes, *waves, *uniform; /* [blocks] */
} wpg_block_counts;

/* The share of the old counts that found a block, 0 to 1: by lanes summed over blocks. Without lanes: by
 * waves. Where nothing ran: by blocks. */
double wpg_match_share(const wpg_match *match, const wpg_form *from, const wpg_form *to,
                       const wpg_block_counts *counts);

/* Old counts on the new graph. known[b]: every measured kind of count of block b is known. An unknown count
 * is 0. *sound = false: the counts contradict the new graph's flow and must not be used. */
typedef struct wpg_carried {
    uint64_t *lanes, *waves, *uniform; /* [cfg->count]; NULL = not measured */
    bool *known;
    bool sound;
} wpg_carried;
wpg_status wpg_match_carry(wpg_carried *carried, const wpg_match *match, const wpg_block_counts *counts,
                           const wpg_cfg *cfg, wpg_arena *arena, wpg_error *err);

#endif
