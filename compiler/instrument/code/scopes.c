/* Finds scopes (structure.h): those of the function's exits, and those of large arms. */
#include "compiler/instrument/code/structure.h"

enum { NO = WPG_NO_BLOCK };
/* Blocks: a smaller arm is no scope, and a smaller scope has no arm that is one. */
enum { LEAST_ARM = 24, LEAST_WHOLE = 64, MOST_ARMS = 16 };

/* -- Exits of the function */

static bool is_exit(const wpg_block *block)
{
    return block->rpo != NO && block->successor_count == 0 && block->terminator->opcode != SpvOpUnreachable;
}

static bool lanes_may_die_within(const wpg_cfg *cfg)
{
    for (uint32_t b = 0; b < cfg->count; b++)
        if (cfg->blocks[b].rpo != NO && cfg->blocks[b].changes_mask)
            return true;
    return false;
}

bool wpg_is_exit_scope(const wpg_structure *s, uint32_t scope)
{
    return scope != NO && is_exit(&s->cfg->blocks[s->scopes[scope].exit]);
}

/* Which exit is reached from each block: its number, NO, or SEVERAL; by the graph backwards, to a fixed
 * point (loops make it take a few rounds). */
enum { SEVERAL = UINT32_MAX - 1 };

static uint32_t join(uint32_t a, uint32_t b)
{
    if (a == NO || b == NO)
        return a == NO ? b : a;
    return a == b ? a : SEVERAL;
}

static void find_exits(const wpg_structure *s, uint32_t *exit_of)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = s->cfg->order_count; i-- > 0;) {
            uint32_t b = s->cfg->order[i], found = exit_of[b];
            const wpg_block *block = &s->cfg->blocks[b];
            for (uint32_t k = 0; k < block->successor_count; k++)
                found = join(found, exit_of[block->successors[k]]);
            changed |= found != exit_of[b];
            exit_of[b] = found;
        }
    }
}

static void find_exit_scopes(wpg_structure *s, const wpg_mask_classes *classes)
{
    const wpg_cfg *cfg = s->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (!is_exit(&cfg->blocks[b]))
            continue;
        s->scope_of[b] = s->scope_count;
        s->scopes[s->scope_count++] = (wpg_scope){b, classes->representative[classes->class_of[b]], NO};
    }
    find_exits(s, s->scope_of);
    for (uint32_t b = 0; b < cfg->count; b++) {
        uint32_t scope = s->scope_of[b];
        if (scope != NO && (scope == SEVERAL || !wpg_cfg_dominates(cfg, s->scopes[scope].root, b)))
            s->scope_of[b] = NO;
    }
}

/* -- Large arms */

/* The block of the arm that starts at `a`, of a construct with that merge block, from which all lanes of the
 * arm leave it; NO if there is none. */
static uint32_t end_of_arm(const wpg_structure *s, const wpg_mask_classes *classes, uint32_t a,
                           uint32_t merge)
{
    const wpg_block *block = &s->cfg->blocks[merge];
    for (uint32_t i = 0; i < block->predecessor_count; i++) {
        uint32_t p = block->predecessors[i];
        if (s->cfg->blocks[p].rpo != NO && classes->class_of[p] == classes->class_of[a] &&
            wpg_cfg_dominates(s->cfg, a, p))
            return p;
    }
    return NO;
}

/* sizes[b]: how many blocks b dominates. A dominator comes before what it dominates. */
static void find_sizes(const wpg_cfg *cfg, uint32_t *sizes)
{
    for (uint32_t i = cfg->order_count; i-- > 0;) {
        uint32_t b = cfg->order[i], up = cfg->blocks[b].idom;
        sizes[b]++;
        if (up != NO)
            sizes[up] += sizes[b];
    }
}

static void add_arm(wpg_structure *s, uint32_t a, uint32_t exit, uint32_t around)
{
    for (uint32_t b = 0; b < s->cfg->count; b++)
        if (s->cfg->blocks[b].rpo != NO && wpg_cfg_dominates(s->cfg, a, b))
            s->scope_of[b] = s->scope_count;
    s->scopes[s->scope_count++] = (wpg_scope){exit, a, around};
}

/* The arms of a selection. What fills most of the scope around gains nothing by one of its own. */
static void find_arms(wpg_structure *s, const wpg_mask_classes *classes, const wpg_construct *selection,
                      const uint32_t *sizes, bool small, uint32_t most)
{
    const wpg_block *header = &s->cfg->blocks[selection->header];
    const uint32_t around = s->scope_of[selection->header];
    const uint32_t whole = around == NO ? s->cfg->count : sizes[s->scopes[around].root];
    for (uint32_t i = 0; i < header->successor_count && s->scope_count < most; i++) {
        uint32_t a = header->successors[i];
        if (a == selection->merge || s->cfg->blocks[a].predecessor_count != 1 || wpg_block_repeats(s, a))
            continue;
        uint32_t exit = end_of_arm(s, classes, a, selection->merge), size = sizes[a];
        bool large = whole >= LEAST_WHOLE && size >= LEAST_ARM && size <= whole / 4 * 3;
        if (exit != NO && (large || small))
            add_arm(s, a, exit, around);
    }
}

bool wpg_scopes_make(wpg_structure *s, const wpg_mask_classes *classes, bool small_arms, wpg_arena *arena)
{
    const wpg_cfg *cfg = s->cfg;
    uint32_t exits = 0;
    for (uint32_t b = 0; b < cfg->count; b++) {
        s->scope_of[b] = NO;
        exits += is_exit(&cfg->blocks[b]);
    }
    if (lanes_may_die_within(cfg))
        return true;
    s->scopes = WPG_ARENA_ARRAY(arena, wpg_scope, (size_t)exits + MOST_ARMS);
    uint32_t *sizes = WPG_ARENA_ARRAY(arena, uint32_t, cfg->count);
    if (!s->scopes || !sizes)
        return false;
    find_exit_scopes(s, classes);
    if (cfg->count < LEAST_WHOLE && !small_arms)
        return true;
    find_sizes(cfg, sizes);
    for (uint32_t i = 0; i < cfg->construct_count; i++)
        if (!wpg_is_loop(s, i) && wpg_construct_is_whole(cfg, i))
            find_arms(s, classes, &cfg->constructs[i], sizes, small_arms, exits + MOST_ARMS);
    return true;
}
