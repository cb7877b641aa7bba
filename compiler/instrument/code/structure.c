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

bool wpg_is_always_passed(const wpg_structure *s, uint32_t loop, uint32_t b)
{
    const wpg_construct *l = &s->cfg->constructs[loop];
    uint32_t top = 0;
    memset(s->seen, 0, s->cfg->count);
    s->stack[top++] = l->header;
    s->seen[l->header] = 1;
    while (top) {
        uint32_t at = s->stack[--top];
        const wpg_block *block = &s->cfg->blocks[at];
        if (at == l->back_edge)
            return false;
        for (uint32_t i = 0; i < block->successor_count; i++) {
            uint32_t to = block->successors[i], next = threaded(s, at, to);
            if (next != NO && to != b) {
                if (to == l->back_edge && next == l->header)
                    return false; /* it takes the back edge */
                to = next;
            }
            if (to == b || s->seen[to] || !wpg_construct_holds(s->cfg, loop, to))
                continue;
            s->seen[to] = 1;
            s->stack[top++] = to;
        }
    }
    return true;
}

/* -- Scopes */

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

/* Which exit is reached from each block: its number, NONE, or SEVERAL; by the graph backwards, to a fixed
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

static bool make_scopes(wpg_structure *s, const wpg_mask_classes *classes, wpg_arena *arena)
{
    const wpg_cfg *cfg = s->cfg;
    uint32_t count = 0;
    for (uint32_t b = 0; b < cfg->count; b++) {
        s->scope_of[b] = NO;
        count += is_exit(&cfg->blocks[b]);
    }
    if (lanes_may_die_within(cfg))
        return true;
    s->scopes = WPG_ARENA_ARRAY(arena, wpg_scope, count);
    if (!s->scopes)
        return false;
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (!is_exit(&cfg->blocks[b]))
            continue;
        s->scope_of[b] = s->scope_count;
        s->scopes[s->scope_count++] = (wpg_scope){b, classes->representative[classes->class_of[b]]};
    }
    find_exits(s, s->scope_of);
    for (uint32_t b = 0; b < cfg->count; b++) {
        uint32_t scope = s->scope_of[b];
        if (scope != NO && (scope == SEVERAL || !wpg_cfg_dominates(cfg, s->scopes[scope].root, b)))
            s->scope_of[b] = NO;
    }
    return true;
}

bool wpg_structure_make(wpg_structure *s, const wpg_cfg *cfg, const wpg_mask_classes *classes,
                        wpg_arena *arena)
{
    *s = (wpg_structure){.cfg = cfg};
    s->scope_of = WPG_ARENA_ARRAY(arena, uint32_t, cfg->count);
    s->stack = WPG_ARENA_ARRAY(arena, uint32_t, (size_t)cfg->count + 1);
    s->seen = WPG_ARENA_ARRAY(arena, uint8_t, cfg->count);
    if (!s->scope_of || !s->stack || !s->seen)
        return false;
    return make_scopes(s, classes, arena);
}
