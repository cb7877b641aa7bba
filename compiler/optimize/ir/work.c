#include "compiler/optimize/ir/work.h"

#include "compiler/optimize/ir/legality.h"

/* Of a branch: masks of lanes, phis behind it. */
static const double BRANCH_COST = 4;

/* What a driver keeps of a function whose branches may have constant conditions. */
static void mark_reached(bool *reached, const wpg_module *module, const wpg_cfg *cfg, uint32_t from)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < cfg->order_count; i++) {
            const wpg_block *block = &cfg->blocks[cfg->order[i]];
            const wpg_inst *end = block->terminator;
            const SpvOp known = end->opcode == SpvOpBranchConditional
                                    ? wpg_module_opcode_of(module, end->words[1])
                                    : SpvOpNop;
            if (cfg->order[i] != from && !reached[cfg->order[i]])
                continue;
            reached[cfg->order[i]] = true;
            for (uint32_t s = 0; s < block->successor_count; s++) {
                const uint32_t to = block->successors[s], label = cfg->blocks[to].id;
                if ((known == SpvOpConstantTrue && label != end->words[2]) ||
                    (known == SpvOpConstantFalse && label != end->words[3]) || reached[to])
                    continue;
                reached[to] = more = true;
            }
        }
    }
}

static double cost_of(const wpg_module *module, const wpg_block *block)
{
    const wpg_inst *end = block->terminator;
    const SpvOp known =
        end->opcode == SpvOpBranchConditional ? wpg_module_opcode_of(module, end->words[1]) : SpvOpNop;
    const bool decides = (end->opcode == SpvOpBranchConditional && known != SpvOpConstantTrue &&
                          known != SpvOpConstantFalse) ||
                         end->opcode == SpvOpSwitch;
    double cost = decides ? BRANCH_COST : 0;
    for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next)
        cost += wpg_inst_cost(module, inst);
    return cost;
}

static double of_function(const wpg_context *context, const wpg_function_profile *profile)
{
    wpg_view *view;
    double work = 0;
    if (wpg_view_create(&view, context->module, profile->function, NULL) != WPG_OK)
        return -1;
    bool *reached = WPG_ARENA_ARRAY(&view->arena, bool, view->cfg->count);
    if (reached)
        mark_reached(reached, context->module, view->cfg, 0);
    else
        work = -1;
    for (uint32_t b = 0; b < view->cfg->count && work >= 0; b++) {
        const wpg_block *block = &view->cfg->blocks[b];
        if (!reached[b])
            continue;
        const wpg_block_weight *weight = wpg_profile_block(profile, block->id);
        const double runs = !weight ? -1 : (double)(profile->has_waves ? weight->waves : weight->lanes);
        work = runs < 0 ? -1 : work + runs * cost_of(context->module, block);
    }
    wpg_view_destroy(view);
    return work;
}

double wpg_work(const wpg_context *context)
{
    double work = 0;
    for (uint32_t i = 0; i < context->profile_count; i++) {
        const double one = of_function(context, &context->profiles[i]);
        if (one < 0)
            return -1;
        work += one;
    }
    return work;
}
