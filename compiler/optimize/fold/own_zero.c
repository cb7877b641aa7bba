/* See own_zero.h. */
#include "compiler/optimize/fold/own_zero.h"

#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/loops/opt_barrier.h"
#include "compiler/spirv/builder.h"

enum { MOST_WORDS = 9 }; /* of an access chain that is made again */

/* A load of 32-bit numbers of that storage class. */
static bool is_load_of(const wpg_module *module, const wpg_inst *inst, SpvStorageClass class)
{
    return inst->opcode == SpvOpLoad && wpg_opt_barrier_hides(module, inst->type) &&
           wpg_module_opcode_of(module, inst->type) != SpvOpTypeBool &&
           wpg_pointer_class(module, inst->words[3]) == class;
}

/* May the load be made again where the function starts? An input is the same in all of a shader, and may be
 * read at any time. */
static bool is_repeatable(const wpg_module *module, const wpg_inst *load)
{
    const wpg_inst *pointer = wpg_module_def(module, load->words[3]);
    if (load->count > 4 || !pointer || pointer->count > MOST_WORDS ||
        !is_load_of(module, load, SpvStorageClassInput))
        return false;
    if (pointer->opcode == SpvOpVariable)
        return true;
    if ((pointer->opcode != SpvOpAccessChain && pointer->opcode != SpvOpInBoundsAccessChain) ||
        wpg_module_opcode_of(module, pointer->words[3]) != SpvOpVariable)
        return false;
    for (uint32_t i = 4; i < pointer->count; i++)
        if (!wpg_is_module_constant(module, pointer->words[i]))
            return false;
    return true;
}

/* The first load in the block that may serve in place; 0: none. */
static uint32_t in_place(const wpg_view *view, const wpg_block *block)
{
    for (const wpg_inst *inst = block->label->next; inst && inst != block->terminator; inst = inst->next)
        if (is_load_of(view->module, inst, SpvStorageClassUniform) ||
            is_load_of(view->module, inst, SpvStorageClassPushConstant))
            return inst->result;
    return 0;
}

uint32_t wpg_zero_source(const wpg_view *view)
{
    const wpg_cfg *cfg = view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++)
        for (const wpg_inst *inst = cfg->blocks[b].label->next; inst && inst != cfg->blocks[b].terminator;
             inst = inst->next)
            if (is_repeatable(view->module, inst))
                return inst->result;
    for (uint32_t b = 0, found;; b = cfg->blocks[b].successors[0]) {
        if ((found = in_place(view, &cfg->blocks[b])))
            return found;
        if (cfg->blocks[b].successor_count != 1 ||
            cfg->blocks[cfg->blocks[b].successors[0]].predecessor_count != 1)
            return 0;
    }
}

static uint32_t block_of(const wpg_view *view, wpg_inst *inst)
{
    if (inst->result && inst->result < view->bound && view->block_of[inst->result] != WPG_NO_BLOCK)
        return view->block_of[inst->result];
    const wpg_inst *label = wpg_inst_label(inst);
    return label ? wpg_cfg_find(view->cfg, label->result) : WPG_NO_BLOCK;
}

bool wpg_zero_is_before(const wpg_view *view, uint32_t source, wpg_inst *inst)
{
    const uint32_t block = block_of(view, inst);
    if (!source || block == WPG_NO_BLOCK)
        return false;
    if (is_repeatable(view->module, wpg_module_def(view->module, source)))
        return true;
    const uint32_t zero = view->block_of[source];
    if (zero != block)
        return wpg_cfg_dominates(view->cfg, zero, block);
    return inst->result && inst->result < view->bound &&
           view->position[inst->result] > view->position[source];
}

uint32_t wpg_zero_make(wpg_inst **where, wpg_module *module, wpg_inst *function, uint32_t source)
{
    wpg_inst *load = wpg_module_def(module, source);
    if (!is_repeatable(module, load)) {
        *where = load->next;
        return wpg_opt_barrier_zero_of(module, source, *where);
    }
    wpg_inst *at = function;
    while (at->opcode != SpvOpLabel)
        at = at->next;
    at = at->next;
    while (at->opcode == SpvOpVariable || at->opcode == SpvOpLine || at->opcode == SpvOpNoLine)
        at = at->next;
    *where = at;
    uint32_t pointer = load->words[3], again = wpg_module_fresh_id(module);
    const wpg_inst *chain = wpg_module_def(module, pointer);
    if (chain->opcode != SpvOpVariable) {
        uint32_t words[MOST_WORDS - 1] = {chain->type, pointer = wpg_module_fresh_id(module)};
        uint32_t count = 2;
        for (uint32_t i = 3; i < chain->count && count < MOST_WORDS - 1; i++)
            words[count++] = chain->words[i];
        wpg_inst_insert(module, at, (SpvOp)chain->opcode, words, count);
    }
    wpg_inst_add(module, at, SpvOpLoad, load->type, again, pointer);
    return wpg_opt_barrier_zero_of(module, again, at);
}
