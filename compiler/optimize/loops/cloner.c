/* See cloner.h. Blocks are named as in the pictures of loop_clone.c and loop_peel.c. P stands before the
 * loop, H is its header, M its merge block. G is the block that comes first now. X and Y are the merge blocks
 * of copy and original. */
#include "compiler/optimize/loops/cloner.h"

#include "compiler/optimize/loops/opt_barrier.h"
#include "compiler/spirv/builder.h"

/* Replaces id operands of an instruction that equal `from`. */
static void replace_in(wpg_cloner *c, wpg_inst *inst, uint32_t from, uint32_t to)
{
    if (!wpg_used_ids(&c->operands, c->module, inst))
        c->nomem = true; /* the view walked the same words, so this is memory */
    for (size_t i = 0; i < c->operands.count; i++)
        if (inst->words[c->operands.data[i]] == from)
            inst->words[c->operands.data[i]] = to;
}

wpg_inst *wpg_cloner_label(wpg_cloner *c, wpg_inst *where, uint32_t id)
{
    return wpg_inst_add(c->module, where, SpvOpLabel, id);
}

static wpg_inst *insert_copy(wpg_cloner *c, const wpg_inst *inst, wpg_inst *where)
{
    wpg_inst *copy =
        wpg_inst_insert(c->module, where, (SpvOp)inst->opcode, inst->words + 1, inst->count - 1u);
    return copy;
}

uint32_t wpg_cloner_constant(wpg_cloner *c, uint32_t type, uint32_t bits)
{
    bool boolean = wpg_module_opcode_of(c->module, type) == SpvOpTypeBool;
    return boolean ? wpg_const_bool(c->module, bits != 0) : wpg_const_scalar(c->module, type, bits);
}

/* Puts a constant in place of the condition or selector of a branch that is decided. */
static void decide(wpg_cloner *c, uint32_t *operand, const wpg_inst *inst, const wpg_guard_fold *folds,
                   uint32_t count)
{
    for (uint32_t f = 0; f < count; f++)
        if (inst == folds[f].terminator && !folds[f].excluded)
            *operand = wpg_cloner_constant(c, wpg_module_def(c->module, inst->words[1])->type, folds[f].bits);
}

/* A copy whose operands and result are those of the copied loop. */
static void clone_inst(wpg_cloner *c, const wpg_inst *inst, wpg_inst *where)
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
        words.data[c->operands.data[i] - 1] = id == c->replaced ? c->constant : wpg_cloner_copied(c, id);
    }
    if (c->plan->compare && inst == c->plan->compare)
        words.data[c->plan->bound_at - 1] = c->constant;
    decide(c, words.data, inst, c->plan->folds, c->plan->fold_count);
    if (inst->result)
        words.data[inst->type ? 1 : 0] = wpg_cloner_copied(c, inst->result);
    wpg_inst *copy = wpg_inst_insert(c->module, where, (SpvOp)inst->opcode, words.data, words.count);
    if (c->plan->compare && inst == wpg_cloner_block(c, c->plan->loop.header)->merge &&
        c->plan->loop.exits == 1)
        copy->words[3] |= SpvLoopControlUnrollMask;
    wpg_vec_free(&words);
}

/* -- Decorations -- */

void wpg_cloner_decorate(wpg_cloner *c, uint32_t of, uint32_t copy)
{
    for (wpg_inst *inst = c->module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        if ((inst->opcode != SpvOpDecorate && inst->opcode != SpvOpDecorateId &&
             inst->opcode != SpvOpDecorateString) ||
            inst->count < 3 || inst->words[1] != of)
            continue;
        wpg_inst *other = insert_copy(c, inst, inst);
        if (other->count > 1)
            other->words[1] = copy;
    }
}

void wpg_decorate_copies(wpg_module *module, const uint32_t *copy_of, uint32_t bound)
{
    for (wpg_inst *inst = module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next) {
        if ((inst->opcode != SpvOpDecorate && inst->opcode != SpvOpDecorateId &&
             inst->opcode != SpvOpDecorateString) ||
            inst->count < 3 || inst->words[1] >= bound || !copy_of[inst->words[1]])
            continue;
        wpg_inst *other =
            wpg_inst_insert(module, inst, (SpvOp)inst->opcode, inst->words + 1, inst->count - 1u);
        if (other->count > 1)
            other->words[1] = copy_of[inst->words[1]];
    }
}

/* -- Optimisation barriers -- */

/* Does the copy of the phi get an optimisation barrier? Of a loop that is to be unrolled, those of its
 * header. */
static bool gets_barrier(const wpg_cloner *c, uint32_t block, const wpg_inst *phi)
{
    if (c->plan->barriers && c->plan->barriers[phi->result])
        return true;
    return c->plan->compare && block == c->plan->loop.header && wpg_opt_barrier_wanted(c->module, phi);
}

/* Does the phi of the original get one? */
static bool gets_barrier_in_rest(const wpg_cloner *c, const wpg_inst *phi)
{
    return c->plan->rest_barriers && phi->result < c->bound && c->plan->rest_barriers[phi->result];
}

bool wpg_cloner_has_barriers(const wpg_cloner *c)
{
    const wpg_cfg *cfg = c->view->cfg;
    for (uint32_t b = 0; c->plan->loop.traits & WPG_TRAIT_FLOAT && b < cfg->count; b++)
        for (const wpg_inst *inst = cfg->blocks[b].label->next;
             c->plan->loop.members[b] && inst != cfg->blocks[b].terminator; inst = inst->next)
            if (inst->opcode == SpvOpPhi && (gets_barrier(c, b, inst) || gets_barrier_in_rest(c, inst)))
                return true;
    return false;
}

/* -- Blocks -- */

static void assign_ids(wpg_cloner *c)
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
    c->copy_of[wpg_cloner_block(c, c->plan->loop.merge)->id] = c->copy_merge;
    c->copy_of[wpg_cloner_block(c, c->plan->preheader)->id] = c->copy_block; /* in the header's phis */
}

/* What the phi's optimisation barrier is made of. */
static uint32_t zero_for(const wpg_cloner *c, uint32_t phi)
{
    return c->even && c->plan->even && phi < c->bound && c->plan->even[phi] ? c->even : c->zero;
}

/* Optimisation barriers of the copied block's phis, which stand before `where`: each takes over the
 * phi's id. */
static void add_barriers(wpg_cloner *c, uint32_t b, wpg_inst *where)
{
    const wpg_block *block = wpg_cloner_block(c, b);
    for (const wpg_inst *phi = block->label->next; c->zero && phi != block->terminator; phi = phi->next) {
        if (phi->opcode != SpvOpPhi || !gets_barrier(c, b, phi))
            continue;
        uint32_t barrier = wpg_cloner_copied(c, phi->result), value = wpg_module_fresh_id(c->module);
        wpg_inst *copy = wpg_module_def(c->module, barrier);
        if (!copy || copy->opcode != SpvOpPhi)
            continue;
        copy->words[2] = value;
        wpg_inst_set_operands(c->module, copy, copy->words + 1, copy->count - 1u);
        wpg_cloner_decorate(c, phi->result, value);
        wpg_opt_barrier_insert(c->module, phi, value, barrier, zero_for(c, phi->result), where);
    }
}

static bool stands_before_barriers(const wpg_inst *inst)
{
    return inst->opcode == SpvOpLabel || inst->opcode == SpvOpPhi || inst->opcode == SpvOpLine ||
           inst->opcode == SpvOpNoLine;
}

void wpg_cloner_copy(wpg_cloner *c, wpg_inst *where)
{
    const wpg_cfg *cfg = c->view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        bool barred = false;
        if (!c->plan->loop.members[b])
            continue;
        for (const wpg_inst *inst = cfg->blocks[b].label;; inst = inst->next) {
            if (!barred && !stands_before_barriers(inst)) {
                add_barriers(c, b, where);
                barred = true;
            }
            clone_inst(c, inst, where);
            if (inst == cfg->blocks[b].terminator)
                break;
        }
    }
}

/* The instruction behind the loop's last block. */
static wpg_inst *loop_end(const wpg_cloner *c)
{
    wpg_inst *last = NULL;
    for (uint32_t b = 0; b < c->view->cfg->count; b++) /* blocks are in module order */
        if (c->plan->loop.members[b])
            last = wpg_cloner_block(c, b)->terminator;
    return last->next;
}

wpg_inst *wpg_cloner_rewire(wpg_cloner *c)
{
    const wpg_cfg *cfg = c->view->cfg;
    wpg_inst *header = wpg_cloner_block(c, c->plan->loop.header)->label, *after = loop_end(c);
    uint32_t merge = wpg_cloner_block(c, c->plan->loop.merge)->id;
    wpg_cloner_label(c, header, c->rest_block);
    wpg_inst_add(c->module, header, SpvOpBranch, header->result);
    wpg_cloner_label(c, after, c->rest_merge);
    wpg_inst *rest_out = wpg_inst_add(c->module, after, SpvOpBranch, merge);
    uint32_t preheader = wpg_cloner_block(c, c->plan->preheader)->id;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        bool member = c->plan->loop.members[b];
        uint32_t from = member ? merge : header->result, to = member ? c->rest_merge : c->guard_block;
        replace_in(c, block->terminator, from, to);
        if (member && block->successor_count > 1)
            decide(c, &block->terminator->words[1], block->terminator, c->plan->rest_folds,
                   c->plan->rest_fold_count);
        if (block->merge)
            replace_in(c, block->merge, from, to);
    }
    wpg_inst *phi = wpg_next_phi(header->next);
    for (; phi; phi = wpg_next_phi(phi->next))
        for (unsigned i = 4; i < phi->count; i += 2)
            if (phi->words[i] == preheader)
                phi->words[i] = c->rest_block;
    return rest_out;
}

/* -- Values after the loop -- */

/* One phi of M in X or Y: before `where`, of the copy's values or the loop's own. Gives its id. */
static uint32_t move_phi(wpg_cloner *c, const wpg_inst *phi, wpg_inst *where, bool of_copy)
{
    WPG_VEC(uint32_t) words = {0};
    uint32_t fresh = wpg_module_fresh_id(c->module);
    if (!wpg_vec_reserve(&words, phi->count + 2u)) {
        c->nomem = true;
        return fresh;
    }
    for (unsigned i = 1; i < phi->count; i++) {
        uint32_t word = phi->words[i];
        if (of_copy && i > 2)
            word = word == c->replaced ? c->constant : wpg_cloner_copied(c, word);
        words.data[words.count++] = word;
    }
    words.data[1] = fresh;
    if (of_copy && c->also_from) {
        words.data[words.count++] = wpg_const_null(c->module, phi->type);
        words.data[words.count++] = c->also_from;
    }
    wpg_inst_insert(c->module, where, SpvOpPhi, words.data, words.count);
    wpg_vec_free(&words);
    wpg_cloner_decorate(c, phi->result, fresh);
    return fresh;
}

/* M's phis move to Y and, of the copy, to X; M gets phis of the two. */
static void split_merge_phis(wpg_cloner *c, wpg_inst *in_rest, wpg_inst *in_copy)
{
    wpg_inst **at;
    WPG_VEC_EACH (at, &c->merge_phis) {
        wpg_inst *phi = *at;
        uint32_t rest = move_phi(c, phi, in_rest, false), copy = move_phi(c, phi, in_copy, true);
        uint32_t merged[] = {phi->type, phi->result, rest, c->rest_merge, copy, c->copy_merge};
        wpg_inst_set_operands(c->module, phi, merged, sizeof merged / sizeof *merged);
    }
}

static bool is_merge_phi(const wpg_cloner *c, const wpg_inst *inst)
{
    for (size_t i = 0; i < c->merge_phis.count; i++)
        if (c->merge_phis.data[i] == inst)
            return true;
    return false;
}

/* The copy of a value that M's predecessors have, as X has it: a phi before `in_copy` where a block leads
 * there in which it may be none. */
static uint32_t copy_at_merge(wpg_cloner *c, const wpg_inst *value, wpg_inst *in_copy)
{
    const wpg_block *merge = wpg_cloner_block(c, c->plan->loop.merge);
    uint32_t copy = wpg_cloner_copied(c, value->result), fresh;
    WPG_VEC(uint32_t) words = {0};
    if (!c->also_from)
        return copy;
    fresh = wpg_module_fresh_id(c->module);
    if (!wpg_vec_reserve(&words, 4 + 2 * (size_t)merge->predecessor_count)) {
        c->nomem = true;
        return fresh;
    }
    words.data[words.count++] = value->type;
    words.data[words.count++] = fresh;
    for (uint32_t p = 0; p < merge->predecessor_count; p++) {
        words.data[words.count++] = copy;
        words.data[words.count++] = wpg_cloner_copied(c, wpg_cloner_block(c, merge->predecessors[p])->id);
    }
    words.data[words.count++] = wpg_const_null(c->module, value->type);
    words.data[words.count++] = c->also_from;
    wpg_inst_insert(c->module, in_copy, SpvOpPhi, words.data, words.count);
    wpg_vec_free(&words);
    wpg_cloner_decorate(c, value->result, fresh);
    return fresh;
}

/* Gives a value of the loop that is used after it a phi in M (before `where`), and its users that. */
static void merge_value(wpg_cloner *c, const wpg_inst *value, wpg_inst *where, wpg_inst *in_copy)
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
            uint32_t copy = copy_at_merge(c, value, in_copy);
            phi = wpg_module_fresh_id(c->module);
            wpg_inst_add(c->module, where, SpvOpPhi, value->type, phi, value->result, c->rest_merge, copy,
                         c->copy_merge);
            wpg_cloner_decorate(c, value->result, phi);
        }
        replace_in(c, user, value->result, phi);
    }
}

static void merge_values(wpg_cloner *c, wpg_inst *in_copy)
{
    const wpg_cfg *cfg = c->view->cfg;
    wpg_inst *where = wpg_cloner_block(c, c->plan->loop.merge)->label->next;
    for (uint32_t b = 0; b < cfg->count; b++)
        if (c->plan->loop.members[b])
            for (const wpg_inst *inst = cfg->blocks[b].label->next; inst != cfg->blocks[b].terminator;
                 inst = inst->next)
                if (inst->result && inst->type)
                    merge_value(c, inst, where, in_copy);
}

void wpg_cloner_merge(wpg_cloner *c, wpg_inst *in_rest, wpg_inst *in_copy)
{
    split_merge_phis(c, in_rest, in_copy);
    merge_values(c, in_copy);
}

static void add_barriers_to_rest(wpg_cloner *c)
{
    const wpg_cfg *cfg = c->view->cfg;
    for (uint32_t b = 0; c->zero && c->plan->rest_barriers && b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        wpg_inst *where = block->label->next;
        if (!c->plan->loop.members[b])
            continue;
        while (stands_before_barriers(where))
            where = where->next;
        for (wpg_inst *phi = block->label->next; stands_before_barriers(phi); phi = phi->next) {
            if (phi->opcode != SpvOpPhi || !gets_barrier_in_rest(c, phi))
                continue;
            uint32_t barrier = phi->result, zero = zero_for(c, barrier),
                     value = wpg_module_fresh_id(c->module);
            phi->words[2] = value;
            wpg_inst_set_operands(c->module, phi, phi->words + 1, phi->count - 1u);
            wpg_cloner_decorate(c, barrier, value);
            wpg_opt_barrier_insert(c->module, phi, value, barrier, zero, where);
        }
    }
}

void wpg_cloner_seal(wpg_cloner *c)
{
    wpg_decorate_copies(c->module, c->copy_of, c->bound);
    add_barriers_to_rest(c);
}

/* -- Counts -- */

wpg_block_weight wpg_cloner_entered(const wpg_cloner *c, uint32_t origin)
{
    const wpg_block *preheader = wpg_cloner_block(c, c->plan->preheader);
    const wpg_block *back = wpg_cloner_block(c, c->plan->loop.back_edge);
    const wpg_block_weight *before = wpg_profile_block(c->profile, preheader->id);
    const wpg_block_weight *around = wpg_profile_block(c->profile, back->id);
    const wpg_block_weight *header =
        wpg_profile_block(c->profile, wpg_cloner_block(c, c->plan->loop.header)->id);
    wpg_block_weight entered = {.lanes = c->plan->entries, .origin = origin};
    if (before && preheader->successor_count == 1)
        return *before;
    if (header && around && back->successor_count == 1 && header->waves >= around->waves)
        entered.waves = header->waves - around->waves;
    else
        entered.unknown_by = c->profile->has_waves ? "guard" : NULL;
    return entered;
}

bool wpg_cloner_inherit(wpg_cloner *c, wpg_map *map, uint32_t header)
{
    uint64_t state;
    return !wpg_map_get(map, header, &state) || wpg_map_set(map, wpg_cloner_copied(c, header), state);
}

/* -- All of it -- */

static void find_merge_phis(wpg_cloner *c)
{
    wpg_inst *phi = wpg_next_phi(wpg_cloner_block(c, c->plan->loop.merge)->label->next);
    for (; phi; phi = wpg_next_phi(phi->next))
        if (!wpg_vec_push(&c->merge_phis, phi))
            c->nomem = true;
}

wpg_status wpg_cloner_init(wpg_cloner *c, wpg_context *context, wpg_function_profile *profile,
                           const wpg_view *view, const wpg_guard_plan *plan)
{
    *c = (wpg_cloner){.context = context,
                      .module = context->module,
                      .profile = profile,
                      .view = view,
                      .plan = plan,
                      .bound = context->module->bound};
    c->copy_of = calloc(c->bound, sizeof *c->copy_of);
    if (!c->copy_of)
        return wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
    find_merge_phis(c);
    assign_ids(c);
    return WPG_OK;
}

wpg_status wpg_cloner_finish(wpg_cloner *c)
{
    free(c->copy_of);
    wpg_vec_free(&c->operands);
    wpg_vec_free(&c->merge_phis);
    return c->nomem || c->module->arena.failed ? wpg_fail(c->context->err, WPG_E_NOMEM, "out of memory")
                                               : WPG_OK;
}
