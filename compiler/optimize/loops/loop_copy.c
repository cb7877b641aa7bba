/* Decides which loops may get a guarded copy. See loop_clone.h; legality: legality.h. */
#include "compiler/optimize/loops/loop_clone.h"

bool wpg_block_surely_runs(const wpg_view *view, const wpg_loop *loop, uint32_t block)
{
    return loop->members[block] && view->cfg->blocks[block].rpo != WPG_NO_BLOCK &&
           wpg_view_post_dominates(view, block, loop->header);
}

bool wpg_block_surely_runs_late(const wpg_view *view, const wpg_loop *loop, uint32_t block)
{
    const wpg_cfg *cfg = view->cfg;
    uint32_t b = WPG_NO_BLOCK;
    if (loop->first_test == WPG_NO_BLOCK || !loop->top_tested)
        return false;
    const wpg_block *test = &cfg->blocks[loop->first_test];
    for (uint32_t s = 0; s < test->successor_count; s++)
        if (loop->inside[test->successors[s]])
            b = test->successors[s];
    return b != WPG_NO_BLOCK && b != loop->header && loop->members[b] && loop->members[block] &&
           cfg->blocks[block].rpo != WPG_NO_BLOCK && wpg_view_post_dominates(view, block, b);
}

static bool is_plain(const wpg_view *view, const wpg_loop *loop, uint32_t id, unsigned depth)
{
    uint32_t block = id < view->bound ? view->block_of[id] : WPG_NO_BLOCK;
    const wpg_inst *inst = wpg_module_def(view->module, id);
    if (block == WPG_NO_BLOCK || !loop->members[block] || !inst)
        return inst != NULL;
    if (inst->opcode == SpvOpPhi)
        return block == loop->header;
    if (depth > 8 || !wpg_block_surely_runs(view, loop, block))
        return false;
    if (inst->opcode == SpvOpLoad)
        return wpg_load_is_draw_constant(view->module, inst, &(const char *){NULL});
    unsigned traits = wpg_inst_traits(view->module, inst);
    if (!(traits & WPG_TRAIT_SPECULATABLE) || (traits & WPG_TRAIT_FLOAT))
        return false;
    wpg_operand_list operands = {0};
    bool plain = wpg_used_ids(&operands, view->module, inst);
    for (size_t i = 0; plain && i < operands.count; i++)
        plain = is_plain(view, loop, inst->words[operands.data[i]], depth + 1);
    wpg_vec_free(&operands);
    return plain;
}

bool wpg_first_test_is_plain(const wpg_view *view, const wpg_loop *loop)
{
    if (loop->first_test == WPG_NO_BLOCK || !loop->top_tested)
        return false;
    const wpg_inst *branch = view->cfg->blocks[loop->first_test].terminator;
    return branch->opcode == SpvOpBranchConditional && is_plain(view, loop, branch->words[1], 0);
}

bool wpg_loop_has_call_or_atomic(const wpg_view *view, const wpg_loop *loop)
{
    for (uint32_t b = 0; b < view->cfg->count; b++) {
        const wpg_block *block = &view->cfg->blocks[b];
        for (const wpg_inst *inst = block->label; loop->members[b] && inst != block->terminator;
             inst = inst->next) {
            unsigned both = WPG_TRAIT_WRITES | WPG_TRAIT_READS;
            if ((wpg_inst_traits(view->module, inst) & both) == both)
                return true;
        }
    }
    return false;
}

static bool is_used_after(const wpg_view *view, const wpg_loop *loop, uint32_t id)
{
    for (uint32_t u = view->first_user[id]; u < view->first_user[id + 1]; u++) {
        const uint32_t user = wpg_view_block_of(view, view->users[u]);
        if (user != WPG_NO_BLOCK && !loop->members[user])
            return true;
    }
    return false;
}

static const char *contents_refusal(const wpg_view *view, const wpg_loop *loop, const wpg_id_set *exact,
                                    const wpg_id_set *helper)
{
    const wpg_cfg *cfg = view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (!loop->members[b])
            continue;
        for (const wpg_inst *inst = cfg->blocks[b].label->next; inst != cfg->blocks[b].terminator;
             inst = inst->next) {
            if (!inst->result)
                continue;
            if ((wpg_inst_traits(view->module, inst) & WPG_TRAIT_FLOAT) &&
                wpg_id_set_has(exact, inst->result))
                return "floating-point work in it feeds Position, FragDepth, an Invariant or other exact "
                       "output";
            if (wpg_id_set_has(helper, inst->result))
                return "it feeds an implicit-lod sample, derivative, quad or subgroup operation";
            if (!wpg_type_may_be_merged(view->module, inst->type) && is_used_after(view, loop, inst->result))
                return "a pointer, image or the like made in it is used after it";
        }
    }
    return NULL;
}

/* Shape: one way in, ways out only to the merge block or out of the function. */
static const char *shape_refusal(uint32_t *preheader, const wpg_view *view, const wpg_loop *loop)
{
    const wpg_cfg *cfg = view->cfg;
    const wpg_block *header = &cfg->blocks[loop->header], *merge = &cfg->blocks[loop->merge];
    *preheader = WPG_NO_BLOCK;
    for (uint32_t p = 0; p < header->predecessor_count; p++) {
        if (loop->members[header->predecessors[p]])
            continue;
        if (*preheader != WPG_NO_BLOCK)
            return "several blocks lead into it";
        *preheader = header->predecessors[p];
    }
    if (*preheader == WPG_NO_BLOCK)
        return "no block leads into it";
    for (uint32_t p = 0; p < merge->predecessor_count; p++)
        if (!loop->members[merge->predecessors[p]])
            return "its merge block is reached from outside";
    for (uint32_t b = 0; b < cfg->count; b++)
        for (uint32_t s = 0; loop->members[b] && s < cfg->blocks[b].successor_count; s++)
            if (!loop->members[cfg->blocks[b].successors[s]] && cfg->blocks[b].successors[s] != loop->merge)
                return "a branch leaves it for an outer construct";
    for (uint32_t c = 0; c < cfg->construct_count; c++)
        if (cfg->constructs[c].continue_target == loop->merge ||
            (cfg->constructs[c].merge == loop->merge && c != loop->construct))
            return "its merge block serves another construct";
    if (wpg_block_is_in_continue(cfg, loop->header))
        return "it is in a continue construct";
    return NULL;
}

const char *wpg_loop_copy_refusal(uint32_t *preheader, const wpg_view *view, const wpg_loop *loop,
                                  const wpg_id_set *exact, const wpg_id_set *helper)
{
    if (wpg_has_decoration_groups(view->module))
        return "the module decorates by groups";
    const char *why = shape_refusal(preheader, view, loop);
    return why ? why : contents_refusal(view, loop, exact, helper);
}
