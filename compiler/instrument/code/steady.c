/* See steady.h. */
#include "compiler/instrument/code/steady.h"

enum { NO = WPG_NO_BLOCK };

typedef struct finder {
    wpg_steady *steady;
    const wpg_structure *structure;
    const wpg_cfg *cfg;
    const wpg_mask_classes *classes;
} finder;

bool wpg_is_steady_value(const wpg_steady *steady, uint32_t id, uint32_t block)
{
    return wpg_divergence_at(steady->divergence, id, block) <= WPG_UNIFORM_SUBGROUP;
}

static uint32_t root_of(const finder *f, uint32_t class)
{
    uint32_t *up = f->steady->group_of;
    while (up[class] != class)
        class = up[class] = up[up[class]];
    return class;
}

static uint32_t group_of(const finder *f, uint32_t block)
{
    return root_of(f, f->classes->class_of[block]);
}

/* True if something was joined. */
static bool join(const finder *f, uint32_t a, uint32_t b)
{
    uint32_t x = group_of(f, a), y = group_of(f, b);
    /* The class with the lower number is the root: the groups are the same whatever the order. */
    if (x != y)
        f->steady->group_of[x > y ? x : y] = x < y ? x : y;
    return x != y;
}

/* All lanes leave the block over the same edge. */
static bool leaves_together(const finder *f, uint32_t b)
{
    const wpg_inst *end = f->cfg->blocks[b].terminator;
    if (f->cfg->blocks[b].changes_mask)
        return false;
    if (end->opcode == SpvOpBranch)
        return true;
    return (end->opcode == SpvOpBranchConditional || end->opcode == SpvOpSwitch) &&
           wpg_is_steady_value(f->steady, end->words[1], b);
}

/* `to` runs each time that lanes of `from` go there, and only then. Beside the edges that mask.h knows: a
 * header's edge to its own merge block, if no lane comes back from inside the construct. The tangle of the
 * header that parts is the one that would become whole again. */
static bool runs(const finder *f, uint32_t from, uint32_t to)
{
    const wpg_block *block = &f->cfg->blocks[to];
    return wpg_edge_runs_block(f->cfg, from, to) ||
           (block->merges != NO && f->cfg->constructs[block->merges].header == from &&
            !wpg_is_loop(f->structure, block->merges) && !wpg_is_loop(f->structure, block->heads) &&
            block->continues == NO && wpg_forward_predecessor(f->structure, to) == from);
}

static void join_branches(const finder *f)
{
    for (uint32_t i = 0; i < f->cfg->order_count; i++) {
        uint32_t b = f->cfg->order[i];
        const wpg_block *block = &f->cfg->blocks[b];
        if (block->successor_count == 0 || !leaves_together(f, b))
            continue;
        for (uint32_t s = 0; s < block->successor_count; s++)
            if (runs(f, b, block->successors[s]))
                (void)join(f, b, block->successors[s]);
    }
}

/* The block from which all lanes enter the loop, as the tangle that ran it; NO if there is none. */
static uint32_t entry_of(const finder *f, uint32_t loop)
{
    uint32_t from = wpg_forward_predecessor(f->structure, f->cfg->constructs[loop].header);
    return from != NO && leaves_together(f, from) ? from : NO;
}

/* As far as the groups are known. */
static bool is_steady(const finder *f, uint32_t loop)
{
    const wpg_construct *construct = &f->cfg->constructs[loop];
    const wpg_block *merge = &f->cfg->blocks[construct->merge];
    uint32_t group = group_of(f, construct->header);
    for (uint32_t i = 0; i < merge->predecessor_count; i++) {
        uint32_t exit = merge->predecessors[i];
        if (f->cfg->blocks[exit].rpo == NO)
            continue;
        if (group_of(f, exit) != group || !leaves_together(f, exit))
            return false;
    }
    return true;
}

/* Each steady loop may make one around it steady. Constructs inside come behind those around them: backwards,
 * one turn finds most. */
static void join_loops(const finder *f)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t c = f->cfg->construct_count; c-- > 0;) {
            if (f->steady->loop[c] || !wpg_is_loop(f->structure, c) || !wpg_loop_is_whole(f->structure, c))
                continue;
            uint32_t from = entry_of(f, c);
            if (from == NO || !is_steady(f, c))
                continue;
            f->steady->loop[c] = changed = true;
            (void)join(f, from, f->cfg->constructs[c].header);
        }
    }
}

/* Straight code may go to the end of a block that heads no loop: that block has no other place for it. */
static uint32_t place_of(const finder *f, uint32_t b)
{
    for (uint32_t loop = f->cfg->blocks[b].loop; loop != NO; loop = f->cfg->blocks[b].loop) {
        uint32_t header = f->cfg->constructs[loop].header;
        if (!f->steady->loop[loop] || group_of(f, b) != group_of(f, header))
            break;
        uint32_t from = entry_of(f, loop);
        if (from == NO || wpg_is_loop(f->structure, f->cfg->blocks[from].heads))
            break;
        b = from;
    }
    return b;
}

bool wpg_steady_make(wpg_steady *steady, const wpg_structure *structure, const wpg_mask_classes *classes,
                     wpg_arena *arena)
{
    const wpg_cfg *cfg = structure->cfg;
    const finder f = {steady, structure, cfg, classes};
    wpg_divergence *divergence;
    steady->group_of = WPG_ARENA_ARRAY(arena, uint32_t, classes->class_count);
    steady->place_of = WPG_ARENA_ARRAY(arena, uint32_t, cfg->count);
    steady->loop = WPG_ARENA_ARRAY(arena, bool, cfg->construct_count);
    if (wpg_divergence_compute(&divergence, cfg, arena) != WPG_OK || arena->failed)
        return false;
    steady->divergence = divergence;
    for (uint32_t class = 0; class < classes->class_count; class ++)
        steady->group_of[class] = class;
    join_branches(&f);
    join_loops(&f);
    for (uint32_t class = 0; class < classes->class_count; class ++)
        steady->group_of[class] = root_of(&f, class);
    for (uint32_t b = 0; b < cfg->count; b++)
        steady->place_of[b] = cfg->blocks[b].rpo == NO ? b : place_of(&f, b);
    return true;
}
