/* The trunk (structure.h): blocks whose lanes may leave the function at several exits.
 *
 *     a: A                     exits: r1 (in B), r2, r3 (the last block)
 *     if (x) { B; return; }    trunk: a, c, e and the arm D, which no scope of an exit holds
 *     c: C                     splits: the branches on x and z
 *     if (y) { D; }            no split: all lanes of the selection on y meet again, whatever they do in D
 *     e: if (z) return;
 *     F
 *
 * A mark of the trunk goes to memory where lanes leave the function. It also does at a split, if the lanes
 * there go different ways. All lanes with a mark that is not in memory are then one tangle. Proof, by
 * induction: lanes of a tangle part at branches alone. A branch inside a construct that all its lanes leave
 * by its merge block (wpg_construct_is_whole), or at such a construct's head, parts them until that block. No
 * mark goes to memory before. Any other branch is a split: if it parts the tangle, the marks go to memory
 * there, and are cleared. Where lanes meet, a tangle only gains some. */
#include "compiler/instrument/code/structure.h"

enum { NO = WPG_NO_BLOCK };
/* Code for all marks stands at each split and exit. This code is longer than that of two blocks counted in
 * place. A small scope of an exit goes with the trunk. */
enum { MOST_PLACES = 12, LEAST_MARKS_A_PLACE = 2, LARGE_SCOPE = 24 };

static bool is_reached(const wpg_structure *s, uint32_t b)
{
    return s->cfg->blocks[b].rpo != NO;
}

/* Lanes that part at the block meet before any of them leaves the function. */
static bool is_enclosed(const wpg_structure *s, uint32_t b)
{
    const wpg_cfg *cfg = s->cfg;
    for (uint32_t i = 0; i < cfg->construct_count; i++)
        if ((cfg->constructs[i].header == b || wpg_construct_holds(cfg, i, b)) &&
            wpg_construct_is_whole(cfg, i))
            return true;
    return false;
}

/* False if lanes part in a way that no split can tell. */
static bool find_splits(wpg_structure *s)
{
    for (uint32_t b = 0; b < s->cfg->count; b++) {
        const wpg_block *block = &s->cfg->blocks[b];
        if (!is_reached(s, b) || block->successor_count < 2 || is_enclosed(s, b))
            continue;
        if (wpg_block_repeats(s, b) || block->terminator->opcode != SpvOpBranchConditional ||
            s->trunk.split_count == MOST_PLACES)
            return false;
        s->trunk.splits[s->trunk.split_count++] = b;
    }
    return true;
}

static uint32_t size_of(const wpg_structure *s, uint32_t scope)
{
    uint32_t size = 0;
    for (uint32_t b = 0; b < s->cfg->count; b++)
        size += s->scope_of[b] == scope;
    return size;
}

/* The exit with most blocks. */
static uint32_t main_scope(const wpg_structure *s)
{
    uint32_t found = NO, most = 0;
    for (uint32_t i = 0; i < s->scope_count; i++) {
        const uint32_t size = size_of(s, i);
        if (wpg_is_exit_scope(s, i) && size >= most) {
            most = size;
            found = i;
        }
    }
    return found;
}

static uint32_t count_exits(const wpg_structure *s)
{
    uint32_t exits = 0;
    for (uint32_t i = 0; i < s->scope_count; i++)
        exits += wpg_is_exit_scope(s, i);
    return exits;
}

/* Arms have marks of their own. Small scopes of other exits have none: no code of their own stands there. */
static bool is_of_trunk(const wpg_structure *s, uint32_t scope, uint32_t b)
{
    const uint32_t own = s->scope_of[b];
    return is_reached(s, b) && !wpg_block_repeats(s, b) && own != scope &&
           (own == NO || (wpg_is_exit_scope(s, own) && size_of(s, own) < LARGE_SCOPE)) &&
           wpg_is_together_from(s, 0, b);
}

bool wpg_trunk_make(wpg_structure *s, const wpg_mask_classes *classes, bool small, wpg_arena *arena)
{
    const uint32_t exits = count_exits(s);
    if (exits < 2 || exits > MOST_PLACES)
        return true;
    const uint32_t scope = main_scope(s);
    uint32_t classes_of_trunk = 0;
    s->trunk.holds = WPG_ARENA_ARRAY(arena, bool, s->cfg->count);
    s->trunk.splits = WPG_ARENA_ARRAY(arena, uint32_t, MOST_PLACES);
    if (!s->trunk.holds || !s->trunk.splits)
        return false;
    if (!find_splits(s))
        return true;
    for (uint32_t b = 0; b < s->cfg->count; b++)
        s->trunk.holds[b] = is_of_trunk(s, scope, b);
    for (uint32_t class = 0; class < classes->class_count; class ++)
        classes_of_trunk += s->trunk.holds[classes->representative[class]];
    const uint32_t places = s->trunk.split_count + exits;
    if (small || classes_of_trunk >= LEAST_MARKS_A_PLACE * places)
        s->trunk.scope = scope;
    return true;
}
