/* Facts about the graph for the rules of counting (rules.c): which blocks a wave reaches together, which
 * loops lanes leave together, where lanes leave a function.
 *
 * Whole loop: a loop that repeats. All lanes of the wave that enter it leave it by its merge block, together.
 * No lane demotes in it. Ownership: everything lives in the arena given. Threads: immutable once made. */
#ifndef WPG_COMPILER_INSTRUMENT_CODE_STRUCTURE_H
#define WPG_COMPILER_INSTRUMENT_CODE_STRUCTURE_H

#include "compiler/analysis/graph/mask.h"

/* A scope: blocks whose lanes all leave at the end of block `exit`, as one tangle. There their private
 * counters go to memory. A scope is either
 *     - a place where lanes leave the function, with the blocks whose every way ends there; or
 *     - a large arm of a selection outside of loops, with all blocks in the arm. A wave takes few of the
 *       large arms of a shader, and only their counters are gone through. In other arms they are dead.
 *
 * `root` is of the exit's mask class and dominates all blocks of the scope: the tangle at the exit is one
 * that ran root. Each lane that comes to a block of the scope is in the tangle at the exit. If the block runs
 * at most once for each lane and together from root on, its lanes are still one tangle there. */
typedef struct wpg_scope {
    uint32_t exit, root;
    uint32_t around; /* the scope in which an arm lies; WPG_NO_BLOCK if it lies in none */
} wpg_scope;

/* Blocks outside of loops whose lanes may leave the function at several exits (trunk.c). Their marks live in
 * the scope of one exit. They go to memory at every exit, and at splits: branches where the lanes of a tangle
 * may part for good. */
typedef struct wpg_trunk {
    uint32_t scope;   /* WPG_NO_BLOCK: there is no trunk */
    bool *holds;      /* [blocks] */
    uint32_t *splits; /* [split_count] blocks that end in a two-way branch */
    uint32_t split_count;
} wpg_trunk;

typedef struct wpg_structure {
    const wpg_cfg *cfg;
    wpg_scope *scopes; /* none where lanes may die within a block */
    uint32_t scope_count;
    uint32_t *scope_of; /* [blocks] the innermost; WPG_NO_BLOCK if it lies in none */
    wpg_trunk trunk;
    uint32_t *stack; /* [blocks + 1] scratch */
    uint8_t *seen;   /* [blocks] scratch */
} wpg_structure;

/* `small_arms`: arms of few blocks are scopes, too. False when memory ran out. */
bool wpg_structure_make(wpg_structure *s, const wpg_cfg *cfg, const wpg_mask_classes *classes,
                        bool small_arms, wpg_arena *arena);
/* The scopes of a structure that has all else (scopes.c). */
bool wpg_scopes_make(wpg_structure *s, const wpg_mask_classes *classes, bool small_arms, wpg_arena *arena);

/* False for an arm, and for WPG_NO_BLOCK. */
bool wpg_is_exit_scope(const wpg_structure *s, uint32_t scope);
/* The trunk (trunk.c). `small`: of few blocks, too. False when memory ran out. */
bool wpg_trunk_make(wpg_structure *s, const wpg_mask_classes *classes, bool small, wpg_arena *arena);

bool wpg_is_loop(const wpg_structure *s, uint32_t construct);
uint32_t wpg_loop_around(const wpg_structure *s, uint32_t construct);
bool wpg_loop_repeats(const wpg_structure *s, uint32_t loop);
bool wpg_loop_is_whole(const wpg_structure *s, uint32_t loop);
/* True if a loop that repeats holds the block. */
bool wpg_block_repeats(const wpg_structure *s, uint32_t block);
uint32_t wpg_outermost_whole_loop(const wpg_structure *s, uint32_t block);
/* The only predecessor that is not behind a back edge, WPG_NO_BLOCK if there are several. */
uint32_t wpg_forward_predecessor(const wpg_structure *s, uint32_t block);

/* Together(b in loop): the lanes that come to b in one iteration come as one tangle. True for
 *     - the loop's header,
 *     - a block with a single forward predecessor that is together,
 *     - the merge block of a construct whose header is together (reconvergence),
 *     - the loop's continue target (reconvergence). */
bool wpg_is_together_in(const wpg_structure *s, uint32_t loop, uint32_t block);
/* The same from block `root` on, which dominates the block. Of the lanes of one tangle at root, those that
 * come to the block (or enter the loop that it heads) come as one tangle, once. */
bool wpg_is_together_from(const wpg_structure *s, uint32_t root, uint32_t block);
/* True if all lanes still in the loop pass b once an iteration, as one tangle. Then the lane with most visits
 * has seen all of them. If every lane of the wave adds a number there, that lane holds the sum over all
 * visits. */
bool wpg_is_passed_together(const wpg_structure *s, uint32_t loop, uint32_t block);
/* No lane comes from the loop's header to its back edge without passing b. */
bool wpg_is_always_passed(const wpg_structure *s, uint32_t loop, uint32_t block);
/* No lane that comes to b in the loop takes the back edge in that iteration. */
bool wpg_always_leaves(const wpg_structure *s, uint32_t loop, uint32_t b);
/* Marks in s->seen what b reaches within an iteration of the loop. */
void wpg_mark_reached(const wpg_structure *s, uint32_t loop, uint32_t block);

#endif
