/* Makes the guarded copy of a loop. See loop_clone.h; its steps: cloner.h.
 *
 *      P: ... OpBranch H                 P: ... OpBranch G
 *      H: loop header, merge M           G: bound or values (hoisted); OpSelectionMerge M DontFlatten;
 *                                            branch T, F
 *         ...                            T: OpBranch H'
 *      M: phis; rest              =>     H': copy of the loop, bound or branches constant,
 *                                            phis with optimisation barriers (opt_barrier.h), merge X
 *                                        X: phis as M had, of the copy; OpBranch M
 *                                        F: OpBranch H
 *                                        H: the loop, merge Y
 *                                        Y: phis as M had; OpBranch M
 *                                        M: phis of Y's and X's values; rest
 *
 * Values of the loop that are used after it go through phis of M too. M keeps its label, so nothing after the
 * loop changes but the ids of such values. If H was the merge block of an earlier construct, G takes that
 * role. Structured rules: G's construct holds both loops, and each loop's merge block lies in its arm.
 * Source: SPIR-V 1.6, 2.11. */
#include "compiler/optimize/loops/loop_clone.h"

#include "compiler/optimize/ir/branch_weights.h"
#include "compiler/optimize/loops/cloner.h"
#include "compiler/optimize/loops/opt_barrier.h"
#include "compiler/spirv/builder.h"

/* -- The bound before the loop -- */

static bool in_loop(const wpg_cloner *c, uint32_t id)
{
    uint32_t block = id < c->bound ? c->view->block_of[id] : WPG_NO_BLOCK;
    return block != WPG_NO_BLOCK && c->plan->loop.members[block];
}

/* The value's computation, copied before `where` as far as it stands in the loop; gives its id there. */
static uint32_t hoist(wpg_cloner *c, wpg_map *done, uint32_t id, wpg_inst *where)
{
    uint64_t known;
    if (!in_loop(c, id))
        return id;
    if (wpg_map_get(done, id, &known))
        return (uint32_t)known;
    const wpg_inst *inst = wpg_module_def(c->module, id);
    wpg_operand_list operands = {0};
    WPG_VEC(uint32_t) words = {0};
    uint32_t fresh = wpg_module_fresh_id(c->module);
    if (wpg_used_ids(&operands, c->module, inst) && wpg_vec_reserve(&words, inst->count)) {
        for (unsigned i = 1; i < inst->count; i++)
            words.data[words.count++] = inst->words[i];
        for (size_t i = 0; i < operands.count; i++)
            words.data[operands.data[i] - 1] = hoist(c, done, inst->words[operands.data[i]], where);
        words.data[1] = fresh;
        wpg_inst_insert(c->module, where, (SpvOp)inst->opcode, words.data, words.count);
        wpg_cloner_decorate(c, id, fresh);
    } else {
        c->nomem = true;
    }
    if (!wpg_map_set(done, id, fresh))
        c->nomem = true;
    wpg_vec_free(&operands);
    wpg_vec_free(&words);
    return fresh;
}

/* Starts of the header's phis, in their place while the first test is computed before the loop. */
static bool seed_starts(wpg_cloner *c, wpg_map *done)
{
    const wpg_block *header = wpg_cloner_block(c, c->plan->loop.header);
    for (const wpg_inst *phi = header->label->next; phi != header->terminator; phi = phi->next)
        for (unsigned i = 3; phi->opcode == SpvOpPhi && i + 1 < phi->count; i += 2)
            if (phi->words[i + 1] == wpg_cloner_block(c, c->plan->preheader)->id &&
                !wpg_map_set(done, phi->result, phi->words[i]))
                return false;
    return true;
}

/* Loads late values as the loop would, after its first test; each then is a phi, of other bits where the test
 * fails:
 *
 *      G: first test; OpBranchConditional L, D     L: v = load; OpBranch D     D: phi v L, not V G */
static void load_late(wpg_cloner *c, wpg_map *done, uint32_t *values, wpg_inst *where)
{
    const wpg_guard_plan *plan = c->plan;
    const wpg_inst *branch = wpg_cloner_block(c, plan->loop.first_test)->terminator;
    bool on_true = plan->loop.inside[wpg_cfg_find(c->view->cfg, branch->words[2])];
    c->late_block = wpg_module_fresh_id(c->module);
    c->decide_block = wpg_module_fresh_id(c->module);
    c->nomem |= !seed_starts(c, done);
    uint32_t stays = hoist(c, done, branch->words[1], where);
    wpg_inst_add(c->module, where, SpvOpSelectionMerge, c->decide_block, SpvSelectionControlMaskNone);
    wpg_inst_add(c->module, where, SpvOpBranchConditional, stays, on_true ? c->late_block : c->decide_block,
                 on_true ? c->decide_block : c->late_block);
    wpg_cloner_label(c, where, c->late_block);
    for (uint32_t t = 0; t < plan->test_count; t++)
        if (plan->tests[t].late)
            values[t] = hoist(c, done, plan->tests[t].value, where);
    wpg_inst_add(c->module, where, SpvOpBranch, c->decide_block);
    wpg_cloner_label(c, where, c->decide_block);
    for (uint32_t t = 0; t < plan->test_count; t++) {
        if (!plan->tests[t].late)
            continue;
        uint32_t type = wpg_module_def(c->module, plan->tests[t].value)->type;
        uint32_t phi = wpg_module_fresh_id(c->module);
        wpg_inst_add(c->module, where, SpvOpPhi, type, phi, values[t], c->late_block,
                     wpg_cloner_constant(c, type, plan->tests[t].bits ^ 1), c->guard_block);
        values[t] = phi;
    }
}

/* Has the value the bits asked for? */
static uint32_t test_holds(wpg_cloner *c, const wpg_guard_test *test, uint32_t value, wpg_inst *where)
{
    uint32_t type = wpg_module_def(c->module, test->value)->type, boolean = wpg_type_bool(c->module);
    bool is_boolean = wpg_module_opcode_of(c->module, type) == SpvOpTypeBool;
    if (is_boolean && test->bits)
        return value;
    uint32_t holds = wpg_module_fresh_id(c->module);
    if (is_boolean)
        wpg_inst_add(c->module, where, SpvOpLogicalNot, boolean, holds, value);
    else
        wpg_inst_add(c->module, where, SpvOpIEqual, boolean, holds, value,
                     wpg_cloner_constant(c, type, test->bits));
    return holds;
}

/* Do all the values have the bits asked for? */
static uint32_t values_condition(wpg_cloner *c, wpg_map *done, wpg_inst *where)
{
    uint32_t boolean = wpg_type_bool(c->module), all = 0, values[WPG_MOST_TESTS] = {0};
    bool late = false;
    for (uint32_t t = 0; t < c->plan->test_count; t++) {
        if (!c->plan->tests[t].late)
            values[t] = hoist(c, done, c->plan->tests[t].value, where);
        late |= c->plan->tests[t].late;
    }
    if (late)
        load_late(c, done, values, where);
    if (wpg_cloner_has_barriers(c))
        c->zero = wpg_opt_barrier_zero(c->module, c->view, &c->plan->loop, c->plan->preheader,
                                       c->plan->varying ? c->plan->varying : values[0], where);
    for (uint32_t t = 0; t < c->plan->test_count; t++) {
        uint32_t equal = test_holds(c, &c->plan->tests[t], values[t], where);
        uint32_t both = all ? wpg_module_fresh_id(c->module) : equal;
        if (all)
            wpg_inst_add(c->module, where, SpvOpLogicalAnd, boolean, both, all, equal);
        all = both;
    }
    return all;
}

/* Is the bound such that the trips are those of the copy? */
static uint32_t bound_condition(wpg_cloner *c, wpg_map *done, wpg_inst *where)
{
    const wpg_guard_plan *plan = c->plan;
    uint32_t bound_id = plan->compare->words[plan->bound_at],
             type = wpg_module_def(c->module, bound_id)->type;
    uint32_t induction = plan->compare->words[7 - plan->bound_at];
    uint32_t induction_type = wpg_module_def(c->module, induction)->type, boolean = wpg_type_bool(c->module);
    uint32_t value = hoist(c, done, bound_id, where), condition = wpg_module_fresh_id(c->module);
    c->constant = wpg_const_scalar(c->module, type, plan->value);
    if (wpg_cloner_has_barriers(c))
        c->zero = wpg_opt_barrier_zero(c->module, c->view, &plan->loop, plan->preheader, value, where);
    if (!plan->range) {
        wpg_inst_add(c->module, where, SpvOpIEqual, boolean, condition, value, c->constant);
        return condition;
    }
    uint32_t side[2], at[2] = {plan->last, plan->leaving};
    for (unsigned i = 0; i < 2; i++) {
        uint32_t constant = wpg_const_scalar(c->module, induction_type, at[i]);
        side[i] = wpg_module_fresh_id(c->module);
        wpg_inst_add(c->module, where, (SpvOp)plan->compare->opcode, boolean, side[i],
                     plan->bound_at == 4 ? constant : value, plan->bound_at == 4 ? value : constant);
    }
    uint32_t stays = side[plan->stays_on ? 0 : 1], leaves = side[plan->stays_on ? 1 : 0];
    uint32_t not_leaves = wpg_module_fresh_id(c->module);
    /* stays_on: at `last` true and at `leaving` false; else the other way round. */
    wpg_inst_add(c->module, where, SpvOpLogicalNot, boolean, not_leaves, leaves);
    wpg_inst_add(c->module, where, SpvOpLogicalAnd, boolean, condition, stays, not_leaves);
    return condition;
}

/* The guard's condition, inserted before `where`. */
static uint32_t guard_condition(wpg_cloner *c, wpg_inst *where)
{
    wpg_map done = {0};
    uint32_t condition =
        c->plan->compare ? bound_condition(c, &done, where) : values_condition(c, &done, where);
    wpg_map_free(&done);
    return condition;
}

/* -- All of it -- */

static void build(wpg_cloner *c)
{
    wpg_inst *header = wpg_cloner_block(c, c->plan->loop.header)->label;
    uint32_t merge = wpg_cloner_block(c, c->plan->loop.merge)->id, original = header->result;
    uint32_t weights[2];
    bool weighed = wpg_scale_weights(weights, c->plan->takes[0], c->plan->takes[1]);

    wpg_cloner_label(c, header, c->guard_block);
    uint32_t condition = guard_condition(c, header);
    if (c->plan->compare && !c->plan->range)
        c->replaced = c->plan->compare->words[c->plan->bound_at];
    wpg_inst_add(c->module, header, SpvOpSelectionMerge, merge, SpvSelectionControlDontFlattenMask);
    wpg_inst_insert(c->module, header, SpvOpBranchConditional,
                    (const uint32_t[]){condition, c->copy_block, c->rest_block, weights[0], weights[1]},
                    weighed ? 5 : 3);
    wpg_cloner_label(c, header, c->copy_block);
    wpg_inst_add(c->module, header, SpvOpBranch, wpg_cloner_copied(c, original));
    wpg_cloner_copy(c, header);
    wpg_cloner_label(c, header, c->copy_merge);
    wpg_inst *copy_out = wpg_inst_add(c->module, header, SpvOpBranch, merge);
    wpg_inst *rest_out = wpg_cloner_rewire(c);
    wpg_cloner_merge(c, rest_out, copy_out);
    wpg_cloner_seal(c);
}

/* Loops of the copy are not looked at again by the pass that made it, but by unswitching, which counts. */
static bool mark_loop(wpg_cloner *c, uint32_t header)
{
    wpg_function_profile *profile = c->profile;
    if (c->plan->compare)
        return wpg_map_set(&profile->guarded, wpg_cloner_copied(c, header), WPG_LOOP_GUARDED);
    if (!c->plan->decided)
        return wpg_map_set(&profile->valued, wpg_cloner_copied(c, header), 1) &&
               wpg_map_set(&profile->valued, header, 1) && wpg_cloner_inherit(c, &profile->guarded, header);
    bool own = header == wpg_cloner_block(c, c->plan->loop.header)->id;
    return (!own || wpg_map_set(&profile->unswitched, header, c->plan->decided)) &&
           wpg_cloner_inherit(c, &profile->unswitched, header) &&
           wpg_cloner_inherit(c, &profile->valued, header) &&
           wpg_cloner_inherit(c, &profile->guarded, header);
}

static uint64_t part(uint64_t count, double share)
{
    return (uint64_t)((double)count * share + 0.5);
}

/* What can be guessed of a block of the copy or the original, where the two were counted as one: what one of
 * them cannot reach belongs to the other. */
static wpg_block_weight guess(const wpg_cloner *c, wpg_block_weight both, bool is_reached, bool other_reached,
                              double share)
{
    share = !is_reached ? 0 : !other_reached ? 1 : share;
    both.lanes = part(both.lanes, share);
    both.waves = part(both.waves, share);
    both.uniform = part(both.uniform, share);
    both.unknown_by = c->plan->unknown_by;
    return both;
}

/* The new blocks' counts: the copy ran as the loop did, what was left of the original did not; or which ran
 * how often cannot be told. */
static void enter_weights(wpg_cloner *c)
{
    const wpg_cfg *cfg = c->view->cfg;
    const wpg_block_weight *header =
        wpg_profile_block(c->profile, wpg_cloner_block(c, c->plan->loop.header)->id);
    const wpg_block_weight *merge =
        wpg_profile_block(c->profile, wpg_cloner_block(c, c->plan->loop.merge)->id);
    uint32_t origin = header ? header->origin : 0;
    wpg_block_weight entered = wpg_cloner_entered(c, origin), left = merge ? *merge : entered;
    wpg_block_weight none = {.origin = origin}, ran = entered;
    none.unknown_by = c->plan->unknown_by;
    double taken = (double)c->plan->takes[0], share = taken / (taken + (double)c->plan->takes[1] + 1e-9);
    bool guesses = c->plan->unknown_by && c->plan->live && c->plan->rest_live;
    if (c->plan->unknown_by)
        ran = left = none;
    if (guesses) {
        ran = guess(c, entered, true, true, share);
        none = guess(c, entered, true, true, 1 - share);
    }
    bool entered_all = true;
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (!c->plan->loop.members[b])
            continue;
        wpg_block_weight *weight = wpg_profile_block(c->profile, cfg->blocks[b].id);
        if (weight) {
            wpg_block_weight measured = *weight;
            *weight = (wpg_block_weight){.origin = measured.origin, .unknown_by = c->plan->unknown_by};
            if (guesses) {
                bool here = c->plan->live[b], there = c->plan->rest_live[b];
                *weight = guess(c, measured, there, here, 1 - share);
                measured = guess(c, measured, here, there, share);
            } else if (c->plan->unknown_by) {
                measured = *weight;
            }
            entered_all &=
                wpg_profile_add_block(c->profile, wpg_cloner_copied(c, cfg->blocks[b].id), measured);
        }
        if (cfg->blocks[b].merge && cfg->blocks[b].merge->opcode == SpvOpLoopMerge)
            entered_all &= mark_loop(c, cfg->blocks[b].id);
    }
    entered_all &= wpg_profile_add_block(c->profile, c->guard_block, entered) &&
                   wpg_profile_add_block(c->profile, c->copy_block, ran) &&
                   wpg_profile_add_block(c->profile, c->copy_merge, left) &&
                   wpg_profile_add_block(c->profile, c->rest_block, none) &&
                   wpg_profile_add_block(c->profile, c->rest_merge, none);
    if (c->late_block) {
        wpg_block_weight untold = {.origin = origin, .unknown_by = c->plan->pass};
        entered_all &= wpg_profile_add_block(c->profile, c->late_block, untold) &&
                       wpg_profile_add_block(c->profile, c->decide_block, entered);
        wpg_branch_is_unknown(c->context, c->guard_block, c->plan->pass);
    }
    c->nomem |= !entered_all;
}

wpg_status wpg_guard_apply(wpg_context *context, wpg_function_profile *profile, const wpg_view *view,
                           const wpg_guard_plan *plan)
{
    wpg_cloner c;
    WPG_TRY(wpg_cloner_init(&c, context, profile, view, plan));
    if (!c.nomem) {
        build(&c);
        enter_weights(&c);
    }
    return wpg_cloner_finish(&c);
}
