/* The copy that the guards make. See loop_clone.h.
 *
 *      P: ... OpBranch H                 P: ... OpBranch G
 *      H: loop header, merge M           G: bound or values (hoisted); OpSelectionMerge M DontFlatten; branch
 * T, F
 *         ...                            T: OpBranch H'
 *      M: phis; rest              =>     H': copy of the loop, bound or branches constant,
 *                                            phis with seams (seam.h), merge X
 *                                        X: phis as M had, of the copy; OpBranch M
 *                                        F: OpBranch H
 *                                        H: the loop, merge Y
 *                                        Y: phis as M had; OpBranch M
 *                                        M: phis of Y's and X's values; rest
 *
 * Values of the loop that are used after it go through phis of M too. M keeps its label, so nothing after the
 * loop changes but the ids of such values. Where H was the merge block of something before, G takes that
 * role. Structured rules: G's construct holds both loops; each loop's own merge block lies in its arm.
 * Source: SPIR-V 1.6, 2.11. */
#include "compiler/optimize/loop_clone.h"

#include "compiler/optimize/annotate.h"
#include "compiler/optimize/legality.h"
#include "compiler/optimize/seam.h"
#include "compiler/spirv/builder.h"

typedef struct cloner {
    wpg_context *context;
    wpg_module *module;
    wpg_function_profile *profile;
    const wpg_view *view;
    const wpg_guard_plan *plan;
    uint32_t *copy_of; /* [bound] id in the copy of an id of the loop; 0 where none */
    uint32_t bound;    /* of the module before */
    uint32_t replaced; /* the bound's id, read as `constant` everywhere in the copy; 0 where not */
    uint32_t constant;
    uint32_t zero; /* for seams; 0 where the copy has none */
    uint32_t guard_block, copy_block, rest_block, copy_merge, rest_merge; /* G T F X Y */
    uint32_t late_block, decide_block; /* where late values are loaded, and met again; 0: no late values */
    wpg_operand_list operands;
    WPG_VEC(wpg_inst *) merge_phis; /* of M, before */
    bool nomem;
} cloner;

static const wpg_block *block_at(const cloner *c, uint32_t index)
{
    return &c->view->cfg->blocks[index];
}

static uint32_t copied(const cloner *c, uint32_t id)
{
    return id < c->bound && c->copy_of[id] ? c->copy_of[id] : id;
}

/* Replaces id operands of an instruction that equal `from`. */
static void replace_in(cloner *c, wpg_inst *inst, uint32_t from, uint32_t to)
{
    if (!wpg_used_ids(&c->operands, c->module, inst))
        c->nomem = true; /* the view walked the same words, so this is memory */
    for (size_t i = 0; i < c->operands.count; i++)
        if (inst->words[c->operands.data[i]] == from)
            inst->words[c->operands.data[i]] = to;
}

static wpg_inst *insert_label(cloner *c, wpg_inst *where, uint32_t id)
{
    return wpg_inst_add(c->module, where, SpvOpLabel, id);
}

static wpg_inst *insert_copy(cloner *c, const wpg_inst *inst, wpg_inst *where)
{
    wpg_inst *copy =
        wpg_inst_insert(c->module, where, (SpvOp)inst->opcode, inst->words + 1, inst->count - 1u);
    return copy;
}

/* A constant of an integer or Boolean type. */
static uint32_t constant_of(cloner *c, uint32_t type, uint32_t bits)
{
    bool boolean = wpg_module_opcode_of(c->module, type) == SpvOpTypeBool;
    return boolean ? wpg_const_bool(c->module, bits != 0) : wpg_const_scalar(c->module, type, bits);
}

/* Puts a constant in place of the condition or selector of a branch that is decided. */
static void decide(cloner *c, uint32_t *operand, const wpg_inst *inst, const wpg_guard_fold *folds,
                   uint32_t count)
{
    for (uint32_t f = 0; f < count; f++)
        if (inst == folds[f].terminator && !folds[f].excluded)
            *operand = constant_of(c, wpg_module_def(c->module, inst->words[1])->type, folds[f].bits);
}

/* A copy whose operands and result are those of the copied loop. */
static void clone_inst(cloner *c, const wpg_inst *inst, wpg_inst *where)
{
    WPG_VEC(uint32_t) words = {0};
    bool fits = wpg_used_ids(&c->operands, c->module, inst) && wpg_vec_reserve(&words, inst->count);
    if (!fits) {
        c->nomem = true;
        wpg_vec_free(&words);
        return;
    }
    for (unsigned i = 1; i < inst->count; i++)
        words.data[words.count++] = inst->words[i];
    for (size_t i = 0; i < c->operands.count; i++) {
        uint32_t id = inst->words[c->operands.data[i]];
        words.data[c->operands.data[i] - 1] = id == c->replaced ? c->constant : copied(c, id);
    }
    if (c->plan->compare && inst == c->plan->compare)
        words.data[c->plan->bound_at - 1] = c->constant;
    decide(c, words.data, inst, c->plan->folds, c->plan->fold_count);
    if (inst->result)
        words.data[inst->type ? 1 : 0] = copied(c, inst->result);
    wpg_inst *copy = wpg_inst_insert(c->module, where, (SpvOp)inst->opcode, words.data, words.count);
    if (c->plan->compare && inst == block_at(c, c->plan->loop.header)->merge && c->plan->loop.exits == 1)
        copy->words[3] |= SpvLoopControlUnrollMask;
    wpg_vec_free(&words);
}

/* -- The bound before the loop -- */

static bool in_loop(const cloner *c, uint32_t id)
{
    uint32_t block = id < c->bound ? c->view->block_of[id] : WPG_NO_BLOCK;
    return block != WPG_NO_BLOCK && c->plan->loop.members[block];
}

static void decorate_copy(cloner *c, uint32_t of, uint32_t copy);

/* The value's computation, copied before `where` as far as it stands in the loop; gives its id there. */
static uint32_t hoist(cloner *c, wpg_map *done, uint32_t id, wpg_inst *where)
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
        decorate_copy(c, id, fresh);
    } else {
        c->nomem = true;
    }
    if (!wpg_map_set(done, id, fresh))
        c->nomem = true;
    wpg_vec_free(&operands);
    wpg_vec_free(&words);
    return fresh;
}

/* Does the copy of the phi get a seam? Of a loop that is to be unrolled, those of its header. */
static bool is_sewn(const cloner *c, uint32_t block, const wpg_inst *phi)
{
    if (c->plan->seams && c->plan->seams[phi->result])
        return true;
    return c->plan->compare && block == c->plan->loop.header && wpg_seam_wanted(c->module, phi);
}

/* Does the phi of the original get one? */
static bool is_sewn_in_rest(const cloner *c, const wpg_inst *phi)
{
    return c->plan->rest_seams && phi->result < c->bound && c->plan->rest_seams[phi->result];
}

static bool has_seams(const cloner *c)
{
    const wpg_cfg *cfg = c->view->cfg;
    for (uint32_t b = 0; c->plan->loop.traits & WPG_TRAIT_FLOAT && b < cfg->count; b++)
        for (const wpg_inst *inst = cfg->blocks[b].label->next;
             c->plan->loop.members[b] && inst != cfg->blocks[b].terminator; inst = inst->next)
            if (inst->opcode == SpvOpPhi && (is_sewn(c, b, inst) || is_sewn_in_rest(c, inst)))
                return true;
    return false;
}

/* Starts of the header's phis, in their place while the first test is computed before the loop. */
static bool seed_starts(cloner *c, wpg_map *done)
{
    const wpg_block *header = block_at(c, c->plan->loop.header);
    for (const wpg_inst *phi = header->label->next; phi != header->terminator; phi = phi->next)
        for (unsigned i = 3; phi->opcode == SpvOpPhi && i + 1 < phi->count; i += 2)
            if (phi->words[i + 1] == block_at(c, c->plan->preheader)->id &&
                !wpg_map_set(done, phi->result, phi->words[i]))
                return false;
    return true;
}

/* Loads late values as the loop would, after its first test; each then is a phi, of other bits where the test
 * fails:
 *
 *      G: first test; OpBranchConditional L, D     L: v = load; OpBranch D     D: phi v L, not V G */
static void load_late(cloner *c, wpg_map *done, uint32_t *values, wpg_inst *where)
{
    const wpg_guard_plan *plan = c->plan;
    const wpg_inst *branch = block_at(c, plan->loop.first_test)->terminator;
    bool on_true = branch->words[2] != block_at(c, plan->loop.merge)->id;
    c->late_block = wpg_module_fresh_id(c->module);
    c->decide_block = wpg_module_fresh_id(c->module);
    c->nomem |= !seed_starts(c, done);
    uint32_t stays = hoist(c, done, branch->words[1], where);
    wpg_inst_add(c->module, where, SpvOpSelectionMerge, c->decide_block, SpvSelectionControlMaskNone);
    wpg_inst_add(c->module, where, SpvOpBranchConditional, stays, on_true ? c->late_block : c->decide_block,
                 on_true ? c->decide_block : c->late_block);
    insert_label(c, where, c->late_block);
    for (uint32_t t = 0; t < plan->test_count; t++)
        if (plan->tests[t].late)
            values[t] = hoist(c, done, plan->tests[t].value, where);
    wpg_inst_add(c->module, where, SpvOpBranch, c->decide_block);
    insert_label(c, where, c->decide_block);
    for (uint32_t t = 0; t < plan->test_count; t++) {
        if (!plan->tests[t].late)
            continue;
        uint32_t type = wpg_module_def(c->module, plan->tests[t].value)->type;
        uint32_t phi = wpg_module_fresh_id(c->module);
        wpg_inst_add(c->module, where, SpvOpPhi, type, phi, values[t], c->late_block,
                     constant_of(c, type, plan->tests[t].bits ^ 1), c->guard_block);
        values[t] = phi;
    }
}

/* Has the value the bits asked for? */
static uint32_t test_holds(cloner *c, const wpg_guard_test *test, uint32_t value, wpg_inst *where)
{
    uint32_t type = wpg_module_def(c->module, test->value)->type, boolean = wpg_type_bool(c->module);
    bool is_boolean = wpg_module_opcode_of(c->module, type) == SpvOpTypeBool;
    if (is_boolean && test->bits)
        return value;
    uint32_t holds = wpg_module_fresh_id(c->module);
    if (is_boolean)
        wpg_inst_add(c->module, where, SpvOpLogicalNot, boolean, holds, value);
    else
        wpg_inst_add(c->module, where, SpvOpIEqual, boolean, holds, value, constant_of(c, type, test->bits));
    return holds;
}

/* Do all the values have the bits asked for? */
static uint32_t values_condition(cloner *c, wpg_map *done, wpg_inst *where)
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
    if (has_seams(c))
        c->zero = wpg_seam_zero(c->module, c->view, &c->plan->loop, c->plan->preheader,
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
static uint32_t bound_condition(cloner *c, wpg_map *done, wpg_inst *where)
{
    const wpg_guard_plan *plan = c->plan;
    uint32_t bound_id = plan->compare->words[plan->bound_at],
             type = wpg_module_def(c->module, bound_id)->type;
    uint32_t induction = plan->compare->words[7 - plan->bound_at];
    uint32_t induction_type = wpg_module_def(c->module, induction)->type, boolean = wpg_type_bool(c->module);
    uint32_t value = hoist(c, done, bound_id, where), condition = wpg_module_fresh_id(c->module);
    c->constant = wpg_const_scalar(c->module, type, plan->value);
    if (has_seams(c))
        c->zero = wpg_seam_zero(c->module, c->view, &plan->loop, plan->preheader, value, where);
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
static uint32_t guard_condition(cloner *c, wpg_inst *where)
{
    wpg_map done = {0};
    uint32_t condition =
        c->plan->compare ? bound_condition(c, &done, where) : values_condition(c, &done, where);
    wpg_map_free(&done);
    return condition;
}

/* -- Decorations -- */

static void decorate_copy(cloner *c, uint32_t of, uint32_t copy)
{
    for (wpg_inst *inst = c->module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        if ((inst->opcode != SpvOpDecorate && inst->opcode != SpvOpDecorateId &&
             inst->opcode != SpvOpDecorateString) ||
            inst->count < 3 || inst->words[1] != of)
            continue;
        wpg_inst *twin = insert_copy(c, inst, inst);
        if (twin->count > 1)
            twin->words[1] = copy;
    }
}

/* All decorations of the loop's ids in one walk. */
static void decorate_copies(cloner *c)
{
    for (wpg_inst *inst = c->module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        if ((inst->opcode != SpvOpDecorate && inst->opcode != SpvOpDecorateId &&
             inst->opcode != SpvOpDecorateString) ||
            inst->count < 3)
            continue;
        uint32_t copy = copied(c, inst->words[1]);
        if (copy == inst->words[1])
            continue;
        wpg_inst *twin = insert_copy(c, inst, inst);
        if (twin->count > 1)
            twin->words[1] = copy;
    }
}

/* -- Blocks -- */

static void assign_ids(cloner *c)
{
    const wpg_cfg *cfg = c->view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        if (!c->plan->loop.members[b])
            continue;
        for (const wpg_inst *inst = cfg->blocks[b].label;; inst = inst->next) {
            if (inst->result)
                c->copy_of[inst->result] = wpg_module_fresh_id(c->module);
            if (inst == cfg->blocks[b].terminator)
                break;
        }
    }
    c->guard_block = wpg_module_fresh_id(c->module);
    c->copy_block = wpg_module_fresh_id(c->module);
    c->rest_block = wpg_module_fresh_id(c->module);
    c->copy_merge = wpg_module_fresh_id(c->module);
    c->rest_merge = wpg_module_fresh_id(c->module);
    c->copy_of[block_at(c, c->plan->loop.merge)->id] = c->copy_merge;
    c->copy_of[block_at(c, c->plan->preheader)->id] = c->copy_block; /* in the header's phis */
}

/* Seams of the copied block's phis, which stand before `where`: the seam takes over the phi's id. */
static void sew(cloner *c, uint32_t b, wpg_inst *where)
{
    const wpg_block *block = block_at(c, b);
    for (const wpg_inst *phi = block->label->next; c->zero && phi != block->terminator; phi = phi->next) {
        if (phi->opcode != SpvOpPhi || !is_sewn(c, b, phi))
            continue;
        uint32_t seam = copied(c, phi->result), value = wpg_module_fresh_id(c->module);
        wpg_inst *copy = wpg_module_def(c->module, seam);
        if (!copy || copy->opcode != SpvOpPhi)
            continue;
        copy->words[2] = value;
        wpg_inst_set_operands(c->module, copy, copy->words + 1, copy->count - 1u);
        decorate_copy(c, phi->result, value);
        wpg_seam_insert(c->module, phi, value, seam, c->zero, where);
    }
}

static bool stands_before_seams(const wpg_inst *inst)
{
    return inst->opcode == SpvOpLabel || inst->opcode == SpvOpPhi || inst->opcode == SpvOpLine ||
           inst->opcode == SpvOpNoLine;
}

static void clone_blocks(cloner *c, wpg_inst *where)
{
    const wpg_cfg *cfg = c->view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        bool sewn = false;
        if (!c->plan->loop.members[b])
            continue;
        for (const wpg_inst *inst = cfg->blocks[b].label;; inst = inst->next) {
            if (!sewn && !stands_before_seams(inst)) {
                sew(c, b, where);
                sewn = true;
            }
            clone_inst(c, inst, where);
            if (inst == cfg->blocks[b].terminator)
                break;
        }
    }
}

static wpg_inst *last_of_loop(const cloner *c)
{
    wpg_inst *last = NULL;
    for (uint32_t b = 0; b < c->view->cfg->count; b++) /* blocks are in module order */
        if (c->plan->loop.members[b])
            last = block_at(c, b)->terminator;
    return last;
}

/* The original loop: entered from F, left to Y. */
static void rewire_original(cloner *c)
{
    const wpg_cfg *cfg = c->view->cfg;
    uint32_t merge = block_at(c, c->plan->loop.merge)->id, header = block_at(c, c->plan->loop.header)->id;
    uint32_t preheader = block_at(c, c->plan->preheader)->id;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        bool member = c->plan->loop.members[b];
        uint32_t from = member ? merge : header, to = member ? c->rest_merge : c->guard_block;
        replace_in(c, block->terminator, from, to);
        if (member && block->successor_count > 1)
            decide(c, &block->terminator->words[1], block->terminator, c->plan->rest_folds,
                   c->plan->rest_fold_count);
        if (block->merge)
            replace_in(c, block->merge, from, to);
    }
    for (wpg_inst *inst = block_at(c, c->plan->loop.header)->label->next;
         inst->opcode == SpvOpPhi || inst->opcode == SpvOpLine || inst->opcode == SpvOpNoLine;
         inst = inst->next)
        for (unsigned i = 4; inst->opcode == SpvOpPhi && i < inst->count; i += 2)
            if (inst->words[i] == preheader)
                inst->words[i] = c->rest_block;
}

/* -- Values after the loop -- */

/* One phi of M in X or Y: before `where`, of the copy's values or the loop's own. Gives its id. */
static uint32_t move_phi(cloner *c, const wpg_inst *phi, wpg_inst *where, bool of_copy)
{
    WPG_VEC(uint32_t) words = {0};
    uint32_t fresh = wpg_module_fresh_id(c->module);
    if (!wpg_vec_reserve(&words, phi->count)) {
        c->nomem = true;
        return fresh;
    }
    for (unsigned i = 1; i < phi->count; i++) {
        uint32_t word = phi->words[i];
        if (of_copy && i > 2)
            word = word == c->replaced ? c->constant : copied(c, word);
        words.data[words.count++] = word;
    }
    words.data[1] = fresh;
    wpg_inst_insert(c->module, where, SpvOpPhi, words.data, words.count);
    wpg_vec_free(&words);
    decorate_copy(c, phi->result, fresh);
    return fresh;
}

/* M's phis move to Y and, of the copy, to X; M gets phis of the two. */
static void split_merge_phis(cloner *c, wpg_inst *in_rest, wpg_inst *in_copy)
{
    wpg_inst **at;
    WPG_VEC_EACH (at, &c->merge_phis) {
        wpg_inst *phi = *at;
        uint32_t rest = move_phi(c, phi, in_rest, false), copy = move_phi(c, phi, in_copy, true);
        uint32_t merged[] = {phi->type, phi->result, rest, c->rest_merge, copy, c->copy_merge};
        wpg_inst_set_operands(c->module, phi, merged, sizeof merged / sizeof *merged);
    }
}

static bool is_merge_phi(const cloner *c, const wpg_inst *inst)
{
    for (size_t i = 0; i < c->merge_phis.count; i++)
        if (c->merge_phis.data[i] == inst)
            return true;
    return false;
}

/* Gives a value of the loop that is used after it a phi in M (before `where`), and its users that. */
static void merge_value(cloner *c, const wpg_inst *value, wpg_inst *where)
{
    const wpg_view *view = c->view;
    uint32_t phi = 0;
    for (uint32_t u = view->first_user[value->result]; u < view->first_user[value->result + 1]; u++) {
        wpg_inst *user = view->users[u];
        const wpg_inst *label = wpg_inst_label(user);
        uint32_t block = label ? wpg_cfg_find(view->cfg, label->result) : WPG_NO_BLOCK;
        if (block == WPG_NO_BLOCK || c->plan->loop.members[block] || is_merge_phi(c, user))
            continue;
        if (!phi) {
            phi = wpg_module_fresh_id(c->module);
            wpg_inst_add(c->module, where, SpvOpPhi, value->type, phi, value->result, c->rest_merge,
                         copied(c, value->result), c->copy_merge);
            decorate_copy(c, value->result, phi);
        }
        replace_in(c, user, value->result, phi);
    }
}

static void merge_values(cloner *c)
{
    const wpg_cfg *cfg = c->view->cfg;
    wpg_inst *where = block_at(c, c->plan->loop.merge)->label->next;
    for (uint32_t b = 0; b < cfg->count; b++)
        if (c->plan->loop.members[b])
            for (const wpg_inst *inst = cfg->blocks[b].label->next; inst != cfg->blocks[b].terminator;
                 inst = inst->next)
                if (inst->result && inst->type)
                    merge_value(c, inst, where);
}

/* Seams of the original's phis, last, since nothing that was looked up knows the ids they bring. */
static void sew_rest(cloner *c)
{
    const wpg_cfg *cfg = c->view->cfg;
    for (uint32_t b = 0; c->zero && c->plan->rest_seams && b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        wpg_inst *where = block->label->next;
        if (!c->plan->loop.members[b])
            continue;
        while (stands_before_seams(where))
            where = where->next;
        for (wpg_inst *phi = block->label->next; stands_before_seams(phi); phi = phi->next) {
            if (phi->opcode != SpvOpPhi || !is_sewn_in_rest(c, phi))
                continue;
            uint32_t seam = phi->result, value = wpg_module_fresh_id(c->module);
            phi->words[2] = value;
            wpg_inst_set_operands(c->module, phi, phi->words + 1, phi->count - 1u);
            decorate_copy(c, seam, value);
            wpg_seam_insert(c->module, phi, value, seam, c->zero, where);
        }
    }
}

/* -- All of it -- */

static void find_merge_phis(cloner *c)
{
    for (wpg_inst *inst = block_at(c, c->plan->loop.merge)->label->next;
         inst->opcode == SpvOpPhi || inst->opcode == SpvOpLine || inst->opcode == SpvOpNoLine;
         inst = inst->next)
        if (inst->opcode == SpvOpPhi && !wpg_vec_push(&c->merge_phis, inst))
            c->nomem = true;
}

static void build(cloner *c)
{
    wpg_inst *header = block_at(c, c->plan->loop.header)->label, *last = last_of_loop(c);
    uint32_t merge = block_at(c, c->plan->loop.merge)->id, original = header->result;
    uint32_t weights[2];
    bool weighed = wpg_scale_weights(weights, c->plan->takes[0], c->plan->takes[1]);

    insert_label(c, header, c->guard_block);
    uint32_t condition = guard_condition(c, header);
    if (c->plan->compare && !c->plan->range)
        c->replaced = c->plan->compare->words[c->plan->bound_at];
    wpg_inst_add(c->module, header, SpvOpSelectionMerge, merge, SpvSelectionControlDontFlattenMask);
    wpg_inst_insert(c->module, header, SpvOpBranchConditional,
                    (const uint32_t[]){condition, c->copy_block, c->rest_block, weights[0], weights[1]},
                    weighed ? 5 : 3);
    insert_label(c, header, c->copy_block);
    wpg_inst_add(c->module, header, SpvOpBranch, copied(c, original));
    clone_blocks(c, header);
    insert_label(c, header, c->copy_merge);
    wpg_inst *copy_out = wpg_inst_add(c->module, header, SpvOpBranch, merge);
    insert_label(c, header, c->rest_block);
    wpg_inst_add(c->module, header, SpvOpBranch, original);

    wpg_inst *after = last->next;
    insert_label(c, after, c->rest_merge);
    wpg_inst *rest_out = wpg_inst_add(c->module, after, SpvOpBranch, merge);
    rewire_original(c);
    split_merge_phis(c, rest_out, copy_out);
    merge_values(c);
    decorate_copies(c);
    sew_rest(c);
}

/* Counts of the block that decides: what came to the loop. Waves come to its header from before it or from
 * its own end. */
static wpg_block_weight entered_weight(const cloner *c, uint32_t origin)
{
    const wpg_block *preheader = block_at(c, c->plan->preheader);
    const wpg_block *back = block_at(c, c->plan->loop.back_edge);
    const wpg_block_weight *before = wpg_profile_block(c->profile, preheader->id);
    const wpg_block_weight *around = wpg_profile_block(c->profile, back->id);
    const wpg_block_weight *header = wpg_profile_block(c->profile, block_at(c, c->plan->loop.header)->id);
    wpg_block_weight entered = {.lanes = c->plan->entries, .origin = origin};
    if (before && preheader->successor_count == 1)
        return *before;
    if (header && around && back->successor_count == 1 && header->waves >= around->waves)
        entered.waves = header->waves - around->waves;
    else
        entered.unknown_by = c->profile->has_waves ? "guard" : NULL;
    return entered;
}

static bool inherit(cloner *c, wpg_map *map, uint32_t header)
{
    uint64_t state;
    return !wpg_map_get(map, header, &state) || wpg_map_set(map, copied(c, header), state);
}

/* Loops of the copy are not looked at again by the pass that made it, but by unswitching, which counts. */
static bool mark_loop(cloner *c, uint32_t header)
{
    wpg_function_profile *profile = c->profile;
    if (c->plan->compare)
        return wpg_map_set(&profile->guarded, copied(c, header), WPG_LOOP_GUARDED);
    if (!c->plan->decided)
        return wpg_map_set(&profile->valued, copied(c, header), 1) &&
               wpg_map_set(&profile->valued, header, 1) && inherit(c, &profile->guarded, header);
    bool own = header == block_at(c, c->plan->loop.header)->id;
    return (!own || wpg_map_set(&profile->unswitched, header, c->plan->decided)) &&
           inherit(c, &profile->unswitched, header) && inherit(c, &profile->valued, header) &&
           inherit(c, &profile->guarded, header);
}

static uint64_t part(uint64_t count, double share)
{
    return (uint64_t)((double)count * share + 0.5);
}

/* What can be guessed of a block of the copy or the original, where the two were counted as one: what one of
 * them cannot reach belongs to the other. */
static wpg_block_weight guess(const cloner *c, wpg_block_weight both, bool is_reached, bool other_reached,
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
static void enter_weights(cloner *c)
{
    const wpg_cfg *cfg = c->view->cfg;
    const wpg_block_weight *header = wpg_profile_block(c->profile, block_at(c, c->plan->loop.header)->id);
    const wpg_block_weight *merge = wpg_profile_block(c->profile, block_at(c, c->plan->loop.merge)->id);
    uint32_t origin = header ? header->origin : 0;
    wpg_block_weight entered = entered_weight(c, origin), left = merge ? *merge : entered;
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
            entered_all &= wpg_profile_add_block(c->profile, copied(c, cfg->blocks[b].id), measured);
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
    cloner c = {.context = context,
                .module = context->module,
                .profile = profile,
                .view = view,
                .plan = plan,
                .bound = context->module->bound};
    c.copy_of = calloc(c.bound, sizeof *c.copy_of);
    if (!c.copy_of)
        return wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
    find_merge_phis(&c);
    assign_ids(&c);
    if (!c.nomem) {
        build(&c);
        enter_weights(&c);
    }
    free(c.copy_of);
    wpg_vec_free(&c.operands);
    wpg_vec_free(&c.merge_phis);
    return c.nomem || context->module->arena.failed ? wpg_fail(context->err, WPG_E_NOMEM, "out of memory")
                                                    : WPG_OK;
}
