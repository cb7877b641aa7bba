/* See repeats.h. Value numbering over the dominator tree. Source: Briggs, Cooper, Simpson, "Value Numbering"
 * (Software: Practice and Experience, 1997). Each value has a number: the id that first computed it, or for a
 * zero that stands for a product the id of its type, behind all ids. */
#include "compiler/optimize/fold/repeats.h"

#include <string.h>

#include "compiler/optimize/ir/legality.h"
#include "runtime/base/hash.h"

enum { MOST_WORDS = 24 }; /* of an instruction that is looked at */

typedef struct numbering {
    const wpg_view *view;
    const wpg_module *module;
    const wpg_weight_action *actions;
    const uint32_t *action_of; /* [bound] index + 1 */
    bool shown;
    uint32_t *numbers;      /* [bound] */
    uint32_t *heads, *next; /* [mask + 1] and [bound] ids of instructions by hash; 0: no more */
    uint32_t mask;
    wpg_operand_list operands;
} numbering;

/* Does the result hang on the operands alone, all through the shader? */
static bool is_steady(const numbering *n, const wpg_inst *inst)
{
    const unsigned traits = wpg_inst_traits(n->module, inst);
    if (!inst->result || inst->count > MOST_WORDS || (traits & WPG_TRAIT_UNKNOWN))
        return false;
    if (inst->opcode == SpvOpLoad)
        return wpg_load_is_read_only(n->module, inst);
    return wpg_opcode_takes_texels(inst->opcode) ||
           ((traits & WPG_TRAIT_PURE) && !(traits & WPG_TRAIT_READS));
}

static const wpg_weight_action *action_on(const numbering *n, const wpg_inst *inst)
{
    const uint32_t index = n->action_of[inst->result];
    return index ? &n->actions[index - 1] : NULL;
}

static uint32_t zero_of(const numbering *n, const wpg_inst *inst)
{
    return n->view->bound + inst->type;
}

/* The instruction with the numbers of its operands. False: one operand is not known as such. */
static bool numbered(uint32_t words[MOST_WORDS], numbering *n, const wpg_inst *inst)
{
    const wpg_weight_action *action = action_on(n, inst);
    if (!wpg_used_ids(&n->operands, n->module, inst))
        return false;
    memcpy(words, inst->words, inst->count * sizeof *words);
    words[2] = 0;
    for (size_t i = 0; i < n->operands.count; i++) {
        uint32_t *word = &words[n->operands.data[i]];
        if (action && action->operand == n->operands.data[i])
            *word = zero_of(n, inst);
        else if (*word < n->view->bound && wpg_view_is_local(n->view, *word))
            *word = n->numbers[*word];
    }
    return true;
}

/* What x + 0 is where drivers see the zero; 0: it is no such sum. */
static uint32_t sum_with_zero(const numbering *n, const wpg_inst *inst)
{
    const wpg_weight_action *action = n->shown ? action_on(n, inst) : NULL;
    if (!action || (inst->opcode != SpvOpFAdd && (inst->opcode != SpvOpFSub || action->operand != 4)))
        return 0;
    const uint32_t other = inst->words[7 - action->operand];
    return other < n->view->bound && wpg_view_is_local(n->view, other) ? n->numbers[other] : 0;
}

/* True if the instruction repeats an earlier one. */
static bool number(numbering *n, const wpg_inst *inst)
{
    const wpg_cfg *cfg = n->view->cfg;
    const wpg_weight_action *action = action_on(n, inst);
    uint32_t words[MOST_WORDS], others[MOST_WORDS];
    n->numbers[inst->result] = inst->result;
    if (action && (!action->operand || sum_with_zero(n, inst))) {
        n->numbers[inst->result] = action->operand ? sum_with_zero(n, inst) : zero_of(n, inst);
        return false;
    }
    if (!is_steady(n, inst) || !numbered(words, n, inst))
        return false;
    const size_t size = inst->count * sizeof *words;
    uint32_t *head = &n->heads[wpg_hash64_bytes(words, size) & n->mask];
    for (uint32_t id = *head; id; id = n->next[id]) {
        const wpg_inst *earlier = wpg_module_def(n->module, id);
        if (earlier->count == inst->count && numbered(others, n, earlier) &&
            memcmp(words, others, size) == 0 &&
            wpg_cfg_dominates(cfg, n->view->block_of[id], n->view->block_of[inst->result])) {
            n->numbers[inst->result] = n->numbers[id];
            return true;
        }
    }
    n->next[inst->result] = *head;
    *head = inst->result;
    return false;
}

static bool make_tables(numbering *n, size_t count, wpg_arena *arena)
{
    const uint32_t bound = n->view->bound;
    uint32_t *action_of = WPG_ARENA_ARRAY(arena, uint32_t, bound), room = 64;
    while (room < n->view->instruction_count)
        room *= 2;
    n->action_of = action_of;
    n->numbers = WPG_ARENA_ARRAY(arena, uint32_t, bound);
    n->next = WPG_ARENA_ARRAY(arena, uint32_t, bound);
    n->heads = WPG_ARENA_ARRAY(arena, uint32_t, room);
    n->mask = room - 1;
    if (!action_of || !n->numbers || !n->next || !n->heads)
        return false;
    for (uint32_t id = 0; id < bound; id++)
        n->numbers[id] = id;
    for (size_t i = 0; i < count; i++)
        action_of[n->actions[i].inst->result] = (uint32_t)i + 1;
    return true;
}

bool wpg_repeats_find(bool *repeats, const wpg_view *view, const bool *runs, const wpg_weight_action *actions,
                      size_t count, bool shown, wpg_arena *arena)
{
    const wpg_cfg *cfg = view->cfg;
    numbering n = {.view = view, .module = view->module, .actions = actions, .shown = shown};
    if (!make_tables(&n, count, arena))
        return false;
    for (uint32_t o = 0; o < cfg->order_count; o++) {
        const wpg_block *block = &cfg->blocks[cfg->order[o]];
        for (const wpg_inst *inst = block->label->next; runs[cfg->order[o]] && inst != block->terminator;
             inst = inst->next)
            if (inst->result)
                repeats[inst->result] = number(&n, inst);
    }
    wpg_vec_free(&n.operands);
    return true;
}
