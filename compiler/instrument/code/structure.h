/* What the rules of counting ask of the graph (rules.c): which blocks a wave comes to together, which loops
 * lanes leave together, where a function's lanes leave it.
 *
 * Whole loop: it repeats, and all lanes of the wave that enter it leave it by its merge block, together; no
 * lane demotes in it. Ownership: everything lives in the arena given. Threads: immutable once made. */
#ifndef WPG_COMPILER_INSTRUMENT_CODE_STRUCTURE_H
#define WPG_COMPILER_INSTRUMENT_CODE_STRUCTURE_H

#include "compiler/analysis/mask.h"

/* Where lanes leave the function, and from which block on they leave it all by there, as one tangle.
 *
 * `root` is of the exit's mask class and dominates it: the tangle at the exit is one that ran root. A block b
 * is in the scope if root dominates it and every way from b ends at the exit: so each lane that comes to b is
 * in the tangle at the exit, and if b runs at most once for each lane and together from root on, its lanes
 * are still one tangle there. */
typedef struct wpg_scope {
    uint32_t exit, root;
} wpg_scope;

typedef struct wpg_structure {
    const wpg_cfg *cfg;
    wpg_scope *scopes; /* none where lanes may die within a block */
    uint32_t scope_count;
    uint32_t *scope_of; /* [blocks] WPG_NO_BLOCK if it lies in none */
    uint32_t *stack;    /* [blocks + 1] scratch */
    uint8_t *seen;      /* [blocks] scratch */
} wpg_structure;

/* False when memory ran out. */
bool wpg_structure_make(wpg_structure *s, const wpg_cfg *cfg, const wpg_mask_classes *classes,
                        wpg_arena *arena);

bool wpg_is_loop(const wpg_structure *s, uint32_t construct);
uint32_t wpg_loop_around(const wpg_structure *s, uint32_t construct);
bool wpg_loop_repeats(const wpg_structure *s, uint32_t loop);
bool wpg_loop_is_whole(const wpg_structure *s, uint32_t loop);
/* Whether some loop that repeats holds the block. */
bool wpg_block_repeats(const wpg_structure *s, uint32_t block);
uint32_t wpg_outermost_whole_loop(const wpg_structure *s, uint32_t block);
/* The only predecessor that is not behind a back edge, WPG_NO_BLOCK if there are several. */
uint32_t wpg_forward_predecessor(const wpg_structure *s, uint32_t block);

/* Together(b in loop): the lanes that come to b in one iteration come as one tangle. So for the loop's
 * header; for a block with a single forward predecessor that is together; for the merge block of a construct
 * whose header is together (reconvergence); for the loop's continue target (reconvergence). */
bool wpg_is_together_in(const wpg_structure *s, uint32_t loop, uint32_t block);
/* The same from block `root` on, that dominates it: of the lanes of one tangle at root, those that come to
 * the block (or enter the loop that it heads) come as one tangle, once. */
bool wpg_is_together_from(const wpg_structure *s, uint32_t root, uint32_t block);
/* All lanes still in the loop pass b once an iteration, as one tangle: the lane with most visits has seen all
 * of them, and what every lane of the wave adds there is, in that lane, the sum over all visits. */
bool wpg_is_passed_together(const wpg_structure *s, uint32_t loop, uint32_t block);
/* No lane comes from the loop's header to its back edge without passing b. */
bool wpg_is_always_passed(const wpg_structure *s, uint32_t loop, uint32_t block);
/* Marks in s->seen what b reaches within an iteration of the loop. */
void wpg_mark_reached(const wpg_structure *s, uint32_t loop, uint32_t block);

#endif
