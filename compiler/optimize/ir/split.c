/* See split.h. */
#include "compiler/optimize/ir/split.h"

#include "compiler/optimize/ir/loops.h"

const char *wpg_block_stays_whole_because(const wpg_cfg *cfg, uint32_t block)
{
    const wpg_block *b = &cfg->blocks[block];
    if (b->merge && b->merge->opcode == SpvOpLoopMerge)
        return "it is in a loop header";
    return wpg_block_is_in_continue(cfg, block) ? "it is in a continue construct" : NULL;
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
