/* The chain under a branch. See sink.h.
 *
 * The chain is the largest set of pure instructions whose every use is in the set or is the rare operand of
 * one of the selects. It is found by collecting every pure instruction that the rare operands reach
 * backwards, then removing those that break a rule until nothing changes. Sinking removes executions and adds
 * none: a member's block dominates the selects' block and lies in the same loop. */
#include "compiler/optimize/passes/sink.h"

#include "compiler/optimize/ir/legality.h"

enum { MAX_CHAIN = 4096, MAX_LIFT = 16 }; /* instructions; depth of a lifted expression */

typedef struct collector {
    const wpg_view *view;
    wpg_sink *sink;
    wpg_map members; /* result id -> 1 while in the set */
    wpg_map lifted;  /* result id -> 1 for what is to be lifted before the split */
    WPG_VEC(uint32_t) ids;
    wpg_operand_list operands;
    uint32_t split; /* position of the first select */
    bool nomem;
} collector;

void wpg_sink_free(wpg_sink *sink)
{
    wpg_vec_free(&sink->selects);
    wpg_vec_free(&sink->chain);
    wpg_vec_free(&sink->lifted);
}

static bool is_member(const collector *c, uint32_t id)
{
    return wpg_map_get(&c->members, id, NULL);
}

static bool is_group_select(const collector *c, const wpg_inst *inst)
{
    for (size_t i = 0; i < c->sink->selects.count; i++)
        if (c->sink->selects.data[i] == inst)
            return true;
    return false;
}

/* Does anything between the two positions of the selects' block write memory or wait? Reads that do not come
 * from read-only memory may not cross it. */
static bool writes_between(const collector *c, const wpg_inst *from, const wpg_inst *to)
{
    for (const wpg_inst *inst = from; inst && inst != to; inst = inst->next)
        if (wpg_inst_traits(c->view->module, inst) &
            (WPG_TRAIT_WRITES | WPG_TRAIT_BARRIER | WPG_TRAIT_UNKNOWN))
            return true;
    return false;
}

static bool has_visible_effect_operands(const wpg_inst *load)
{
    const uint32_t harmless = SpvMemoryAccessAlignedMask | SpvMemoryAccessNontemporalMask;
    return load->opcode == SpvOpLoad && load->count > 4 && (load->words[4] & ~harmless) != 0;
}

/* NULL if memory allows the read to move to the split, else why not. */
static const char *read_stays_because(const collector *c, const wpg_inst *inst)
{
    const wpg_module *module = c->view->module;
    if (inst->opcode == SpvOpLoad && wpg_load_is_read_only(module, inst))
        return NULL;
    if (inst->opcode == SpvOpLoad) {
        const wpg_inst *root = wpg_pointer_root(module, inst->words[3]);
        if (!root || root->words[3] == SpvStorageClassInput || has_visible_effect_operands(inst) ||
            wpg_variable_has(module, root, SpvDecorationVolatile) ||
            wpg_variable_has(module, root, SpvDecorationCoherent))
            return "a load from volatile, coherent or unknown memory";
    }
    if (c->view->block_of[inst->result] != c->sink->block)
        return "a load from writable memory in another block";
    const wpg_inst *first = c->sink->selects.data[0];
    bool before = c->view->position[inst->result] < c->split;
    if (writes_between(c, before ? inst : first, before ? first : inst))
        return "a load with a store, atomic or barrier in between";
    return NULL;
}

/* NULL if the instruction may be a member as far as it alone is concerned. */
static const char *stays_because(const collector *c, const wpg_inst *inst)
{
    const wpg_cfg *cfg = c->view->cfg;
    unsigned traits = wpg_inst_traits(c->view->module, inst);
    if (is_group_select(c, inst))
        return "a select of the same branch"; /* made where the branch ends */
    if (traits & WPG_TRAITS_FIXED)
        return wpg_trait_name(traits);
    if (!(traits & WPG_TRAIT_PURE) || !inst->result)
        return "no pure instruction";
    uint32_t block = c->view->block_of[inst->result];
    if (block == WPG_NO_BLOCK || !wpg_cfg_dominates(cfg, block, c->sink->block) ||
        cfg->blocks[block].loop != cfg->blocks[c->sink->block].loop)
        return "outside the select's loop";
    return traits & WPG_TRAIT_READS ? read_stays_because(c, inst) : NULL;
}

static void note_kept(collector *c, const wpg_inst *inst, const char *why)
{
    if (!c->sink->kept) {
        c->sink->kept = inst;
        c->sink->kept_why = why;
    }
}

static void collect(collector *c, uint32_t id)
{
    const wpg_inst *inst = wpg_module_def(c->view->module, id);
    if (!inst || !wpg_view_is_local(c->view, id) || is_member(c, id) || c->ids.count >= MAX_CHAIN)
        return;
    const char *why = stays_because(c, inst);
    if (why) {
        note_kept(c, inst, why);
        return;
    }
    if (!wpg_map_set(&c->members, id, 1) || !wpg_vec_push(&c->ids, id))
        c->nomem = true;
}

/* Are all uses of the id in the set, or the rare side of one of the selects? */
static bool used_only_inside(const collector *c, uint32_t id)
{
    const wpg_view *view = c->view;
    for (uint32_t u = view->first_user[id]; u < view->first_user[id + 1]; u++) {
        const wpg_inst *user = view->users[u];
        if (user->result && is_member(c, user->result))
            continue;
        bool rare_operand = false;
        wpg_inst **select;
        WPG_VEC_EACH (select, &c->sink->selects)
            rare_operand |= *select == user && user->words[3] != id &&
                            wpg_select_operand(user, c->sink->rare) == id &&
                            wpg_select_operand(user, !c->sink->rare) != id;
        if (!rare_operand)
            return false;
    }
    return true;
}

/* A sample must stand in the block of its OpSampledImage: both are members or neither. */
static bool splits_sampled_image(collector *c, const wpg_inst *inst)
{
    if (!wpg_used_ids(&c->operands, c->view->module, inst))
        return true;
    for (size_t i = 0; i < c->operands.count; i++) {
        uint32_t id = inst->words[c->operands.data[i]];
        if (wpg_module_opcode_of(c->view->module, id) == SpvOpSampledImage && !is_member(c, id))
            return true;
    }
    return false;
}

static void strike_out(collector *c)
{
    for (bool again = true; again && !c->nomem;) {
        again = false;
        for (size_t i = 0; i < c->ids.count; i++) {
            uint32_t id = c->ids.data[i];
            if (!is_member(c, id))
                continue;
            const wpg_inst *inst = wpg_module_def(c->view->module, id);
            if (used_only_inside(c, id) && !splits_sampled_image(c, inst))
                continue;
            wpg_map_remove(&c->members, id, NULL);
            again = true;
        }
    }
}

/* Is the id's value there at the split? Members will be made in the branch. */
static bool available(const collector *c, uint32_t id)
{
    return !wpg_view_is_local(c->view, id) || c->view->block_of[id] != c->sink->block ||
           c->view->position[id] < c->split || wpg_map_get(&c->lifted, id, NULL);
}

/* Makes the id's value available: what stands after the split and needs nothing of it is to be lifted before
 * it. Both places are of one block, so it runs as often; memory is not crossed, and exact arithmetic not
 * moved. */
static bool lift(collector *c, uint32_t id, unsigned depth)
{
    if (available(c, id))
        return true;
    wpg_inst *inst = wpg_module_def(c->view->module, id);
    unsigned traits = wpg_inst_traits(c->view->module, inst);
    if (depth > MAX_LIFT || is_member(c, id) || is_group_select(c, inst) ||
        !(traits & WPG_TRAIT_SPECULATABLE) || inst->opcode == SpvOpSelect ||
        ((traits & WPG_TRAIT_FLOAT) && wpg_id_set_has(c->sink->exact, id)))
        return false;
    wpg_operand_list operands = {0};
    bool there = wpg_used_ids(&operands, c->view->module, inst);
    for (size_t i = 0; there && i < operands.count; i++)
        there = lift(c, inst->words[operands.data[i]], depth + 1);
    wpg_vec_free(&operands);
    if (there && (!wpg_map_set(&c->lifted, id, 1) || !wpg_vec_push(&c->sink->lifted, inst)))
        c->nomem = true;
    return there;
}

/* Are all leaves of the id's chain there at the split? `seen` holds the members looked at already. */
static bool leaves_available(collector *c, uint32_t id, wpg_map *seen)
{
    if (!is_member(c, id))
        return lift(c, id, 0);
    if (wpg_map_get(seen, id, NULL))
        return true;
    if (!wpg_map_set(seen, id, 1)) {
        c->nomem = true;
        return false;
    }
    const wpg_inst *inst = wpg_module_def(c->view->module, id);
    wpg_operand_list operands = {0};
    bool there = wpg_used_ids(&operands, c->view->module, inst);
    for (size_t i = 0; there && i < operands.count; i++)
        there = leaves_available(c, inst->words[operands.data[i]], seen);
    wpg_vec_free(&operands);
    return there;
}

/* May this later select join the branch at the first one? */
static bool may_join(collector *c, const wpg_inst *select)
{
    for (const wpg_inst *inst = c->sink->selects.data[0]; inst != select; inst = inst->next)
        if (wpg_inst_traits(c->view->module, inst) & (WPG_TRAIT_UNKNOWN | WPG_TRAIT_DEMOTE) ||
            inst->opcode == SpvOpFunctionCall)
            return false;
    wpg_map seen = {0};
    bool joins = lift(c, wpg_select_operand(select, !c->sink->rare), 0) &&
                 leaves_available(c, wpg_select_operand(select, c->sink->rare), &seen);
    wpg_map_free(&seen);
    return joins;
}

static void collect_all(collector *c)
{
    wpg_map_free(&c->members);
    wpg_map_free(&c->lifted);
    wpg_vec_clear(&c->ids);
    wpg_vec_clear(&c->sink->lifted);
    c->sink->kept = NULL;
    wpg_inst **select;
    WPG_VEC_EACH (select, &c->sink->selects)
        collect(c, wpg_select_operand(*select, c->sink->rare));
    for (size_t i = 0; i < c->ids.count && !c->nomem; i++) {
        const wpg_inst *inst = wpg_module_def(c->view->module, c->ids.data[i]);
        if (!wpg_used_ids(&c->operands, c->view->module, inst))
            continue;
        for (size_t j = 0; j < c->operands.count; j++)
            collect(c, inst->words[c->operands.data[j]]);
    }
    strike_out(c);
}

/* Drops the first later select that cannot join; false when all can. */
static bool drop_one(collector *c)
{
    wpg_sink *sink = c->sink;
    for (size_t i = 1; i < sink->selects.count; i++) {
        if (may_join(c, sink->selects.data[i]))
            continue;
        for (size_t j = i + 1; j < sink->selects.count; j++)
            sink->selects.data[j - 1] = sink->selects.data[j];
        sink->selects.count--;
        return true;
    }
    return false;
}

static int by_position(const wpg_view *view, uint32_t a, uint32_t b)
{
    return view->position[a] < view->position[b] ? -1 : view->position[a] > view->position[b];
}

static void take_chain(collector *c)
{
    wpg_sink *sink = c->sink;
    wpg_vec_clear(&sink->chain);
    sink->cost = 0;
    for (size_t i = 0; i < c->ids.count; i++) {
        uint32_t id = c->ids.data[i];
        if (!is_member(c, id))
            continue;
        wpg_inst *inst = wpg_module_def(c->view->module, id);
        if (!wpg_vec_push(&sink->chain, inst))
            c->nomem = true;
        sink->cost += wpg_inst_cost(c->view->module, inst);
    }
    for (size_t i = 1; i < sink->chain.count; i++) { /* insertion sort: chains are short */
        wpg_inst *inst = sink->chain.data[i];
        size_t j = i;
        for (; j && by_position(c->view, inst->result, sink->chain.data[j - 1]->result) < 0; j--)
            sink->chain.data[j] = sink->chain.data[j - 1];
        sink->chain.data[j] = inst;
    }
}

wpg_status wpg_sink_chain(wpg_sink *sink, const wpg_view *view, wpg_error *err)
{
    collector c = {.view = view, .sink = sink, .split = view->position[sink->selects.data[0]->result]};
    do
        collect_all(&c);
    while (!c.nomem && drop_one(&c));
    take_chain(&c);
    wpg_map_free(&c.members);
    wpg_map_free(&c.lifted);
    wpg_vec_free(&c.ids);
    wpg_vec_free(&c.operands);
    return c.nomem ? wpg_fail(err, WPG_E_NOMEM, "out of memory") : WPG_OK;
}
