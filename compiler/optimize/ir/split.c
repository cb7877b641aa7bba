/* See split.h. */
#include "compiler/optimize/ir/split.h"

#include "compiler/optimize/ir/loops.h"

static bool is_loop_header(const wpg_block *block)
{
    return block->merge && block->merge->opcode == SpvOpLoopMerge;
}

const char *wpg_block_stays_whole_because(const wpg_cfg *cfg, uint32_t block)
{
    if (is_loop_header(&cfg->blocks[block]))
        return "it is in a loop header";
    return wpg_block_is_in_continue(cfg, block) ? "it is in a continue construct" : NULL;
}

void wpg_blocks_stay_whole(bool *whole, const wpg_cfg *cfg)
{
    for (uint32_t b = 0; b < cfg->count; b++)
        whole[b] |= is_loop_header(&cfg->blocks[b]);
    for (uint32_t c = 0; c < cfg->construct_count; c++) {
        const wpg_construct *loop = &cfg->constructs[c];
        uint32_t count = 0;
        if (loop->kind != WPG_CONSTRUCT_LOOP || loop->continue_target == WPG_NO_BLOCK)
            continue;
        const uint32_t *from = wpg_cfg_dominated(&count, cfg, loop->continue_target);
        for (uint32_t i = 0; i < count; i++)
            whole[from[i]] |= wpg_loop_has_in_continue(cfg, loop, from[i]);
        if (loop->back_edge != WPG_NO_BLOCK)
            whole[loop->back_edge] |= wpg_loop_has_in_continue(cfg, loop, loop->back_edge);
    }
}

bool wpg_split_parts_exact(const wpg_view *view, const wpg_id_set *exact, uint32_t block,
                           const wpg_inst *first)
{
    const wpg_inst *end = view->cfg->blocks[block].terminator;
    wpg_operand_list operands = {0};
    bool splits = false;
    const wpg_inst *named = first; /* the first with a position */
    while (named != end && !named->result)
        named = named->next;
    for (const wpg_inst *inst = named; inst && inst != end && !splits; inst = inst->next) {
        if (!(wpg_inst_traits(view->module, inst) & WPG_TRAIT_FLOAT) || !wpg_id_set_has(exact, inst->result))
            continue;
        splits = !wpg_used_ids(&operands, view->module, inst);
        for (size_t i = 0; i < operands.count; i++) {
            uint32_t id = inst->words[operands.data[i]];
            const wpg_inst *def = wpg_module_def(view->module, id);
            splits |= def && wpg_view_is_local(view, id) && view->block_of[id] == block &&
                      view->position[id] < view->position[named->result] &&
                      (wpg_inst_traits(view->module, def) & WPG_TRAIT_FLOAT);
        }
    }
    wpg_vec_free(&operands);
    return splits;
}

static bool is_used_from(const wpg_view *view, uint32_t id, const wpg_inst *first, const wpg_inst *end)
{
    for (const wpg_inst *inst = first; inst && inst != end; inst = inst->next)
        for (uint32_t u = view->first_user[id]; u < view->first_user[id + 1]; u++)
            if (view->users[u] == inst)
                return true;
    return false;
}

bool wpg_split_parts_sampled(const wpg_view *view, uint32_t block, const wpg_inst *first,
                             wpg_inst *const *moved, size_t count)
{
    const wpg_block *of = &view->cfg->blocks[block];
    for (const wpg_inst *inst = of->label; inst && inst != first; inst = inst->next) {
        bool stays = inst->opcode == SpvOpSampledImage;
        for (size_t i = 0; stays && i < count; i++)
            stays = moved[i] != inst;
        if (stays && is_used_from(view, inst->result, first, of->terminator))
            return true;
    }
    return false;
}

void wpg_retarget_phis(const wpg_cfg *cfg, uint32_t block, uint32_t to)
{
    const wpg_block *b = &cfg->blocks[block];
    for (uint32_t s = 0; s < b->successor_count; s++) {
        wpg_inst *phi = wpg_next_phi(cfg->blocks[b->successors[s]].label->next);
        for (; phi; phi = wpg_next_phi(phi->next))
            for (unsigned i = 4; i < phi->count; i += 2)
                if (phi->words[i] == b->id)
                    phi->words[i] = to;
    }
}
