/* See structure.h. */
#include "compiler/instrument/code/structure.h"

#include <string.h>

#include "compiler/spirv/builder.h"

enum { NO = WPG_NO_BLOCK };

bool wpg_is_loop(const wpg_structure *s, uint32_t construct)
{
    return construct != NO && s->cfg->constructs[construct].kind == WPG_CONSTRUCT_LOOP;
}

uint32_t wpg_loop_around(const wpg_structure *s, uint32_t construct)
{
    uint32_t up = s->cfg->constructs[construct].parent;
    while (up != NO && !wpg_is_loop(s, up))
        up = s->cfg->constructs[up].parent;
    return up;
}

bool wpg_loop_repeats(const wpg_structure *s, uint32_t loop)
{
    return s->cfg->constructs[loop].back_edge != NO;
}

/* Code at the merge block runs once for each time the loop was entered: so it may not head a loop itself. */
bool wpg_loop_is_whole(const wpg_structure *s, uint32_t loop)
{
    return wpg_loop_repeats(s, loop) && wpg_construct_is_whole(s->cfg, loop) &&
           !wpg_is_loop(s, s->cfg->blocks[s->cfg->constructs[loop].merge].heads);
}

bool wpg_block_repeats(const wpg_structure *s, uint32_t block)
{
    for (uint32_t loop = s->cfg->blocks[block].loop; loop != NO; loop = wpg_loop_around(s, loop))
        if (wpg_loop_repeats(s, loop))
            return true;
    return false;
}

uint32_t wpg_outermost_whole_loop(const wpg_structure *s, uint32_t block)
{
    uint32_t found = NO;
    for (uint32_t loop = s->cfg->blocks[block].loop; loop != NO; loop = wpg_loop_around(s, loop))
        if (wpg_loop_is_whole(s, loop))
            found = loop;
    return found;
}

uint32_t wpg_forward_predecessor(const wpg_structure *s, uint32_t b)
{
    const wpg_block *block = &s->cfg->blocks[b];
    uint32_t found = NO;
    for (uint32_t i = 0; i < block->predecessor_count; i++) {
        uint32_t p = block->predecessors[i];
        if (s->cfg->blocks[p].rpo == NO || s->cfg->blocks[p].rpo >= block->rpo)
            continue;
        if (found != NO)
            return NO;
        found = p;
    }
    return found;
}

bool wpg_is_together_in(const wpg_structure *s, uint32_t loop, uint32_t b)
{
    for (uint32_t steps = 0; steps < s->cfg->count; steps++) {
        if (b == s->cfg->constructs[loop].header)
            return true;
        uint32_t merged = s->cfg->blocks[b].merges, continued = s->cfg->blocks[b].continues;
        if (merged != NO) {
            b = s->cfg->constructs[merged].header;
            if (!wpg_construct_holds(s->cfg, loop, b))
                return false;
            continue;
        }
        if (continued == loop)
            return true;
        if (continued != NO && continued != s->cfg->blocks[b].heads)
            return false;
        b = wpg_forward_predecessor(s, b);
        if (b == NO)
            return false;
    }
    return false;
}

bool wpg_is_together_from(const wpg_structure *s, uint32_t root, uint32_t b)
{
    for (uint32_t steps = 0; steps < s->cfg->count; steps++) {
        if (b == root)
            return true;
        uint32_t merged = s->cfg->blocks[b].merges, continued = s->cfg->blocks[b].continues;
        if (merged != NO)
            b = s->cfg->constructs[merged].header;
        else if (continued != NO && continued != s->cfg->blocks[b].heads)
            return false;
        else
            b = wpg_forward_predecessor(s, b);
        if (b == NO || !wpg_cfg_dominates(s->cfg, root, b))
            return false;
    }
    return false;
}

void wpg_mark_reached(const wpg_structure *s, uint32_t loop, uint32_t b)
{
    uint32_t top = 0;
    memset(s->seen, 0, s->cfg->count);
    s->stack[top++] = b;
    while (top) {
        const wpg_block *block = &s->cfg->blocks[s->stack[--top]];
        for (uint32_t i = 0; i < block->successor_count; i++) {
            uint32_t next = block->successors[i];
            if (s->seen[next] || next == s->cfg->constructs[loop].header ||
                !wpg_construct_holds(s->cfg, loop, next))
                continue;
            s->seen[next] = 1;
            s->stack[top++] = next;
        }
    }
}

bool wpg_is_passed_together(const wpg_structure *s, uint32_t loop, uint32_t b)
{
    return s->cfg->blocks[b].loop == loop &&
           wpg_cfg_dominates(s->cfg, b, s->cfg->constructs[loop].back_edge) && wpg_is_together_in(s, loop, b);
}

/* The target that a lane coming from `from` to a block goes on to, if the block does nothing but branch on a
 * phi whose value is known on that way: a constant, or the condition by which `from` branched. NO if it is
 * not known. */
static uint32_t threaded(const wpg_structure *s, uint32_t from, uint32_t at)
{
    const wpg_cfg *cfg = s->cfg;
    const wpg_inst *branch = cfg->blocks[at].terminator, *came = cfg->blocks[from].terminator;
    const wpg_inst *phi;
    if (branch->opcode != SpvOpBranchConditional || !(phi = wpg_module_def(cfg->module, branch->words[1])) ||
        phi->opcode != SpvOpPhi)
        return NO;
    bool here = false;
    for (const wpg_inst *inst = cfg->blocks[at].label; inst != branch; inst = inst->next)
        here |= inst == phi;
    for (unsigned i = 3; here && i + 1 < phi->count; i += 2) {
        if (phi->words[i + 1] != cfg->blocks[from].id)
            continue;
        uint64_t value;
        uint32_t width;
        if (!wpg_const_value(cfg->module, phi->words[i], &value, &width)) {
            if (came->opcode != SpvOpBranchConditional || came->words[1] != phi->words[i] ||
                came->words[2] == came->words[3])
                return NO;
            value = came->words[2] == cfg->blocks[at].id;
        }
        return wpg_cfg_find(cfg, branch->words[value ? 2 : 3]);
    }
    return NO;
}

/* May a lane go from a block to the loop's back edge without passing b? */
static bool reaches_back(const wpg_structure *s, uint32_t loop, uint32_t from, uint32_t b)
{
    const wpg_construct *l = &s->cfg->constructs[loop];
    uint32_t top = 0;
    memset(s->seen, 0, s->cfg->count);
    s->stack[top++] = from;
    s->seen[from] = 1;
    while (top) {
        uint32_t at = s->stack[--top];
        const wpg_block *block = &s->cfg->blocks[at];
        if (at == l->back_edge)
            return true;
        for (uint32_t i = 0; i < block->successor_count; i++) {
            uint32_t to = block->successors[i], next = threaded(s, at, to);
            if (next != NO && to != b) {
                if (to == l->back_edge && next == l->header)
                    return true; /* it takes the back edge */
                to = next;
            }
            if (to == b || s->seen[to] || !wpg_construct_holds(s->cfg, loop, to))
                continue;
            s->seen[to] = 1;
            s->stack[top++] = to;
        }
    }
    return false;
}

bool wpg_is_always_passed(const wpg_structure *s, uint32_t loop, uint32_t b)
{
    return !reaches_back(s, loop, s->cfg->constructs[loop].header, b);
}

bool wpg_always_leaves(const wpg_structure *s, uint32_t loop, uint32_t b)
{
    return !reaches_back(s, loop, b, NO);
}

bool wpg_structure_make(wpg_structure *s, const wpg_cfg *cfg, const wpg_mask_classes *classes,
                        bool small_arms, wpg_arena *arena)
{
    *s = (wpg_structure){.cfg = cfg, .trunk.scope = NO};
    s->scope_of = WPG_ARENA_ARRAY(arena, uint32_t, cfg->count);
    s->stack = WPG_ARENA_ARRAY(arena, uint32_t, (size_t)cfg->count + 1);
    s->seen = WPG_ARENA_ARRAY(arena, uint8_t, cfg->count);
    if (!s->scope_of || !s->stack || !s->seen)
        return false;
    return wpg_scopes_make(s, classes, small_arms, arena);
}
