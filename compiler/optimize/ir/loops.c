/* Loop facts. See loops.h. */
#include "compiler/optimize/ir/loops.h"

#include "compiler/optimize/ir/legality.h"

/* Unreachable blocks named by members (merge blocks of selections that never rejoin, say) belong to the loop:
 * a copy of the loop needs its own. */
static void add_unreachable(wpg_loop *loop, const wpg_cfg *cfg)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t b = 0; b < cfg->count; b++) {
            if (!loop->members[b])
                continue;
            const wpg_block *block = &cfg->blocks[b];
            uint32_t named[2] = {WPG_NO_BLOCK, WPG_NO_BLOCK};
            if (block->merge) {
                named[0] = wpg_cfg_find(cfg, block->merge->words[1]);
                if (block->merge->opcode == SpvOpLoopMerge)
                    named[1] = wpg_cfg_find(cfg, block->merge->words[2]);
            }
            for (uint32_t i = 0; i < block->successor_count + 2; i++) {
                uint32_t other = i < 2 ? named[i] : block->successors[i - 2];
                if (other == WPG_NO_BLOCK || loop->members[other] || other == loop->merge ||
                    cfg->blocks[other].rpo != WPG_NO_BLOCK)
                    continue;
                loop->members[other] = again = true;
            }
        }
    }
}

/* Members that lead to the back edge. */
static bool find_inside(wpg_loop *loop, const wpg_cfg *cfg, wpg_arena *arena)
{
    uint32_t *worklist = WPG_ARENA_ARRAY(arena, uint32_t, cfg->count), count = 0;
    loop->inside = WPG_ARENA_ARRAY(arena, bool, cfg->count);
    if (!worklist || !loop->inside)
        return false;
    worklist[count++] = loop->back_edge;
    loop->inside[loop->back_edge] = true;
    while (count) {
        const wpg_block *block = &cfg->blocks[worklist[--count]];
        for (uint32_t p = 0; block->label != cfg->blocks[loop->header].label && p < block->predecessor_count;
             p++) {
            uint32_t from = block->predecessors[p];
            if (!loop->members[from] || loop->inside[from] || cfg->blocks[from].rpo == WPG_NO_BLOCK)
                continue;
            loop->inside[from] = true;
            worklist[count++] = from;
        }
    }
    return true;
}

bool wpg_loop_is_left_by(const wpg_cfg *cfg, const wpg_loop *loop, uint32_t from, uint32_t to)
{
    return loop->inside[from] && !loop->inside[to] && cfg->blocks[to].label->next->opcode != SpvOpUnreachable;
}

bool wpg_loop_leads_to_merge(const wpg_view *view, const wpg_loop *loop, uint32_t block)
{
    const wpg_cfg *cfg = view->cfg;
    for (uint32_t steps = 0; steps < cfg->count && block != loop->merge; steps++) {
        if (!loop->members[block] || loop->inside[block] || cfg->blocks[block].successor_count != 1)
            return false;
        block = cfg->blocks[block].successors[0];
    }
    return block == loop->merge;
}

static void find_first_test(wpg_loop *loop, const wpg_cfg *cfg)
{
    loop->first_test = WPG_NO_BLOCK;
    loop->top_tested = false;
    uint32_t block = loop->header;
    for (uint32_t steps = 0; steps < cfg->count; steps++) {
        const wpg_block *b = &cfg->blocks[block];
        if (b->terminator->opcode == SpvOpBranchConditional) {
            loop->first_test = block;
            for (uint32_t s = 0; s < b->successor_count; s++)
                loop->top_tested |= !loop->inside[b->successors[s]];
            return;
        }
        if (b->terminator->opcode != SpvOpBranch || b->successor_count != 1 ||
            !loop->members[b->successors[0]])
            return;
        block = b->successors[0];
        if (block == loop->header)
            return;
    }
}

bool wpg_loop_members(wpg_loop *loop, const wpg_cfg *cfg, uint32_t construct, wpg_arena *arena)
{
    const wpg_construct *c = &cfg->constructs[construct];
    *loop = (wpg_loop){.construct = construct,
                       .header = c->header,
                       .merge = c->merge,
                       .continue_target = c->continue_target,
                       .back_edge = c->back_edge};
    if (c->kind != WPG_CONSTRUCT_LOOP || c->merge == WPG_NO_BLOCK || c->back_edge == WPG_NO_BLOCK ||
        cfg->blocks[c->header].rpo == WPG_NO_BLOCK || cfg->blocks[c->merge].rpo == WPG_NO_BLOCK ||
        cfg->blocks[c->back_edge].rpo == WPG_NO_BLOCK || !wpg_cfg_dominates(cfg, c->header, c->merge))
        return false;
    loop->members = WPG_ARENA_ARRAY(arena, bool, cfg->count);
    if (!loop->members)
        return false;
    uint32_t count, behind_count;
    const uint32_t *from = wpg_cfg_dominated(&count, cfg, loop->header),
                   *behind = wpg_cfg_dominated(&behind_count, cfg, loop->merge);
    for (uint32_t i = 0; i < count; i++)
        loop->members[from[i]] = true;
    for (uint32_t i = 0; i < behind_count; i++)
        loop->members[behind[i]] = false;
    if (cfg->order_count < cfg->count)
        add_unreachable(loop, cfg);
    return true;
}

static bool describe(wpg_loop *loop, const wpg_view *view, uint32_t construct, wpg_arena *arena)
{
    const wpg_cfg *cfg = view->cfg;
    if (!wpg_loop_members(loop, cfg, construct, arena) || !find_inside(loop, cfg, arena))
        return false;
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (!loop->members[b])
            continue;
        loop->member_count++;
        for (uint32_t s = 0; loop->inside[b] && s < cfg->blocks[b].successor_count; s++)
            loop->exits += !loop->inside[cfg->blocks[b].successors[s]];
        for (const wpg_inst *inst = cfg->blocks[b].label;; inst = inst->next) {
            loop->instructions += !wpg_inst_is_non_semantic(view->module, inst);
            loop->cost += wpg_inst_cost(view->module, inst);
            loop->traits |= wpg_inst_traits(view->module, inst);
            if (inst == cfg->blocks[b].terminator)
                break;
        }
    }
    find_first_test(loop, cfg);
    return true;
}

static bool make_room(wpg_view_memo *memo, uint32_t constructs)
{
    if (memo->loops)
        return true;
    memo->described = WPG_ARENA_ARRAY(memo->arena, bool, constructs + 1u);
    memo->is_loop = WPG_ARENA_ARRAY(memo->arena, bool, constructs + 1u);
    if (memo->described && memo->is_loop)
        memo->loops = WPG_ARENA_ARRAY(memo->arena, wpg_loop, constructs + 1u);
    return memo->loops != NULL;
}

bool wpg_loop_describe(wpg_loop *loop, const wpg_view *view, uint32_t construct)
{
    wpg_view_memo *memo = view->memo;
    if (!make_room(memo, view->cfg->construct_count)) {
        view->module->arena.failed = 1;
        return false;
    }
    if (!memo->described[construct]) {
        memo->described[construct] = true;
        memo->is_loop[construct] = describe(&memo->loops[construct], view, construct, memo->arena);
        if (memo->arena->failed)
            view->module->arena.failed = 1;
    }
    *loop = memo->loops[construct];
    return memo->is_loop[construct];
}

bool wpg_block_lanes(uint64_t *lanes, const wpg_view *view, const wpg_function_profile *profile,
                     uint32_t block)
{
    const wpg_block_weight *weight =
        profile->has_lanes ? wpg_profile_block(profile, view->cfg->blocks[block].id) : NULL;
    if (!weight || weight->unknown_by)
        return false;
    *lanes = weight->lanes;
    return true;
}

bool wpg_loop_entries(uint64_t *entries, const wpg_view *view, const wpg_function_profile *profile,
                      const wpg_loop *loop)
{
    const wpg_cfg *cfg = view->cfg;
    const wpg_block *header = &cfg->blocks[loop->header];
    uint64_t sum = 0, lanes, back;
    bool known = true;
    for (uint32_t p = 0; p < header->predecessor_count && known; p++) {
        uint32_t from = header->predecessors[p];
        if (loop->members[from])
            continue;
        known = cfg->blocks[from].successor_count == 1 && wpg_block_lanes(&lanes, view, profile, from);
        sum += known ? lanes : 0;
    }
    if (known) {
        *entries = sum;
        return true;
    }
    if (cfg->blocks[loop->back_edge].successor_count != 1 || loop->back_edge == loop->header ||
        !wpg_block_lanes(&back, view, profile, loop->back_edge) ||
        !wpg_block_lanes(&lanes, view, profile, loop->header) || back > lanes)
        return false;
    *entries = lanes - back;
    return true;
}

bool wpg_loop_has_in_continue(const wpg_cfg *cfg, const wpg_construct *loop, uint32_t block)
{
    if (loop->kind != WPG_CONSTRUCT_LOOP || loop->continue_target == WPG_NO_BLOCK || loop->header == block)
        return false;
    const bool dominated = cfg->blocks[loop->continue_target].rpo != WPG_NO_BLOCK &&
                           loop->continue_target != loop->header &&
                           wpg_cfg_dominates(cfg, loop->continue_target, block);
    return (loop->back_edge == block || dominated) &&
           !(loop->merge != WPG_NO_BLOCK && cfg->blocks[loop->merge].rpo != WPG_NO_BLOCK &&
             wpg_cfg_dominates(cfg, loop->merge, block));
}

bool wpg_block_is_in_continue(const wpg_cfg *cfg, uint32_t block)
{
    for (uint32_t c = 0; c < cfg->construct_count; c++)
        if (wpg_loop_has_in_continue(cfg, &cfg->constructs[c], block))
            return true;
    return false;
}
