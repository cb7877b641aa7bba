/* See load_fold.h.
 *
 * Integer arithmetic on constants has one result on every implementation. Float arithmetic has not. Drivers
 * compute constant expressions at compile time with other last bits than at run time (a sine, a quotient).
 * They drop products with zero and sums with zero. They contract and re-associate once the phi between two
 * operations is gone. So this computes what the driver will know (push_solve.h) and compares it with what the
 * driver knew before:
 *
 *     kept      floats are computed with it, or it leaves what is followed: memory of the shader's own, a
 *               call, the next stage. That use keeps the load, and all that is computed on the way from the
 *               load to it. Other uses get the constant
 *     hidden    a phi or select that is decided now and was not: floats are computed with a constant then,
 *               or two float operations come together. Also a number that words of a loop's counter decide
 *               in one of its trips. An optimisation barrier behind it (opt_barrier.h) keeps the driver from
 *               seeing through
 *     veiled    a quotient or remainder that is known now, where it would be kept: that use gets the number
 *               behind an optimisation barrier, so that the division goes all the same
 *     standing  what decides whether a loop of float work is left: the driver is not to count its trips
 *               (standing.h). It keeps the load, too, where no barriers can keep the trips apart
 *     guarded   a variable of the shader's own that loses a store, and is not followed: what is left to be
 *               stored in it gets a barrier
 *     exposed   what none of these helps: another write to memory of the shader's own falls away; an exact
 *               output (legality.h) loses a user of what feeds it
 *
 * The loads behind exposed operations are left alone. The comparison repeats until nothing is new. Then loads
 * that decide no branch, loop bound, index or divisor are left alone too: they would gain little. Where other
 * loads decide one, the caller may have these folded along: the result depends on values anyway.
 *
 * FLOAT=spec, in stages without exact outputs: none of this. Every use gets the constant but those of
 * NoContraction, and drivers make of it what they make of constants (float_setting.h).
 *
 * NoContraction on a product that a decided phi exposes to a sum was tried instead of a barrier: bits of
 * llama.cpp's soft_max differed on lavapipe 25.0.7. */
#include "compiler/optimize/fold/load_fold.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/facts/index_memory.h"
#include "compiler/optimize/facts/induction.h"
#include "compiler/optimize/fold/float_setting.h"
#include "compiler/optimize/fold/own_zero.h"
#include "compiler/optimize/fold/standing.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/loops/opt_barrier.h"
#include "compiler/spirv/builder.h"
#include "compiler/spirv/const_fold.h"

typedef struct wpg_load_folding {
    wpg_load_fold job;
    wpg_context *context;
    wpg_module *module;
    const wpg_view *view;
    wpg_view *own_view; /* NULL: the view is the caller's */
    wpg_arena arena;
    uint64_t active; /* groups that are folded */
    const wpg_solution *before;
    wpg_solution after;
    uint64_t *masks;  /* [bound] groups behind an id that is constant now and was not */
    uint64_t decided; /* groups behind branches that are decided now */
    uint64_t exposed, wanted;
    uint64_t useful;  /* groups behind an operand that becomes a constant */
    uint32_t *folded; /* [bound] constants of the loads that are folded */
    bool *kept;       /* [bound] ids that float work uses: computed as before */
    bool *veiled;     /* [bound] quotients and remainders that float work uses: known, behind a barrier */
    bool *hidden;     /* [bound] phis and selects that get an optimisation barrier */
    bool *guarded;    /* [bound] variables that lose a store: what is left to be stored is hidden */
    bool *opaque;     /* [bound] what no driver is to know: what is hidden, and what loops stand by */
    uint32_t *veils;  /* [bound] the id that stands for a veiled one in float work; 0: no use needs one */
    uint32_t *chosen; /* [job.load_count] the id that stands for a load with a choice; 0: no use needs one */
    uint32_t zero_of; /* what the barriers' zero is made of; 0: there are none */
    uint32_t zero;    /* that zero; 0: not made yet */
    bool any_exposed, any_hidden, nomem;
    bool free; /* floats become constants, too */
    const char *why;
    uint32_t why_block;
    wpg_id_set exact;
    bool has_exact;
    wpg_operand_list operands, others;
} folder;

static void expose(folder *f, uint64_t groups, uint32_t block, const char *why)
{
    if (!f->any_exposed) {
        f->why = why;
        f->why_block = block;
    }
    f->any_exposed = true;
    f->exposed |= groups ? groups : f->active;
}

static bool is_new(const folder *f, uint32_t id)
{
    return id < f->view->bound && wpg_view_is_local(f->view, id) && wpg_is_one(&f->after, id) &&
           !wpg_is_one(f->before, id);
}

/* Puts a barrier behind the phi or select. False: none can stand there. */
static bool hide(folder *f, const wpg_inst *inst)
{
    if (!wpg_zero_is_before(f->view, f->zero_of, (wpg_inst *)(uintptr_t)inst) ||
        !wpg_opt_barrier_hides(f->module, inst->type))
        return false;
    f->any_hidden |= !f->hidden[inst->result];
    f->hidden[inst->result] = f->opaque[inst->result] = true;
    return true;
}

/* Does the pointer lead where a constant would be lost from sight? */
static bool is_unfollowed(const folder *f, uint32_t pointer)
{
    const SpvStorageClass class = wpg_pointer_class(f->module, pointer);
    const bool own = class == SpvStorageClassFunction || class == SpvStorageClassPrivate;
    return class == SpvStorageClassMax || (own && !wpg_is_index_memory(f->view, pointer));
}

/* -- What is behind a value */

static uint64_t mask_of(folder *f, const wpg_inst *inst)
{
    uint64_t mask = inst->opcode == SpvOpPhi ? f->decided : 0;
    const uint32_t member = wpg_member_taken_out(f->module, inst);
    if (member && member < f->view->bound)
        mask |= f->masks[member];
    if (!wpg_used_ids(&f->operands, f->module, inst))
        return f->active;
    for (size_t i = 0; i < f->operands.count; i++) {
        uint32_t id = inst->words[f->operands.data[i]];
        mask |= id < f->view->bound ? f->masks[id] : 0;
    }
    return mask;
}

static void find_masks(folder *f)
{
    const wpg_cfg *cfg = f->view->cfg;
    memset(f->masks, 0, f->view->bound * sizeof *f->masks);
    f->decided = 0;
    for (size_t i = 0; i < f->job.load_count; i++)
        if (f->job.loads[i].group & f->active)
            f->masks[f->job.loads[i].inst->result] = f->job.loads[i].group;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < cfg->order_count; i++) {
            const wpg_block *block = &cfg->blocks[cfg->order[i]];
            if (!f->after.runs[cfg->order[i]])
                continue;
            for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next) {
                if (!inst->result || !is_new(f, inst->result))
                    continue;
                uint64_t mask = f->masks[inst->result] | mask_of(f, inst);
                changed |= mask != f->masks[inst->result];
                f->masks[inst->result] = mask;
            }
            const wpg_inst *end = block->terminator;
            if ((end->opcode == SpvOpBranchConditional || end->opcode == SpvOpSwitch) &&
                is_new(f, end->words[1]) && (f->masks[end->words[1]] & ~f->decided)) {
                f->decided |= f->masks[end->words[1]];
                changed = true;
            }
        }
    }
}

/* -- What is exposed */

static bool copies(SpvOp opcode)
{
    switch (opcode) {
    case SpvOpPhi:
    case SpvOpSelect:
    case SpvOpCopyObject:
    case SpvOpCopyLogical:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeExtract:
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
    case SpvOpBitcast:
    case SpvOpStore: /* asked about by itself */
        return true;
    default:
        return false;
    }
}

static bool takes_remainder(SpvOp opcode)
{
    return opcode == SpvOpUMod || opcode == SpvOpSMod || opcode == SpvOpSRem;
}

static bool divides(SpvOp opcode)
{
    return opcode == SpvOpUDiv || opcode == SpvOpSDiv || takes_remainder(opcode);
}

/* Vectors are not followed part by part: may `id` alone decide a part of what the operation gives? */
static bool may_decide_a_part(const folder *f, const wpg_inst *inst, uint32_t id)
{
    bool remainder = takes_remainder((SpvOp)inst->opcode) && inst->words[4] == id;
    if (wpg_module_opcode_of(f->module, inst->type) != SpvOpTypeVector ||
        (!remainder && inst->opcode != SpvOpIMul && inst->opcode != SpvOpBitwiseAnd))
        return false;
    const wpg_inst *parts = wpg_module_def(f->module, f->after.values[id].constant);
    if (!parts || parts->opcode != SpvOpConstantComposite)
        return true;
    for (uint32_t i = 3; i < parts->count; i++) {
        uint64_t bits;
        uint32_t width;
        if (!wpg_const_value(f->module, parts->words[i], &bits, &width) || bits == remainder)
            return true;
    }
    return false;
}

/* May the value be `number` in some trip of a loop? */
static bool may_be(const folder *f, uint32_t id, uint32_t number)
{
    for (size_t i = 0; i < f->job.load_count; i++) {
        const wpg_known_choice *choice = f->job.loads[i].inst->result == id ? f->job.loads[i].choice : NULL;
        uint64_t bits;
        uint32_t width;
        bool may = false;
        for (uint32_t c = 0; choice && c < choice->count; c++)
            may |= wpg_const_value(f->module, choice->constants[c], &bits, &width) && bits == number;
        if (choice)
            return may;
    }
    return f->after.values[id].kind == WPG_SOLVED_SOME;
}

/* Do words that a counter chooses decide the result in some trip: x % 1, x * 0? Once a driver has unrolled
 * the loop, the result is a constant there. */
static bool may_decide_a_trip(const folder *f, const wpg_inst *inst)
{
    const bool remainder = takes_remainder((SpvOp)inst->opcode);
    if (wpg_module_opcode_of(f->module, inst->type) != SpvOpTypeInt ||
        (!remainder && inst->opcode != SpvOpIMul && inst->opcode != SpvOpBitwiseAnd) ||
        wpg_is_one(&f->after, inst->result))
        return false;
    for (unsigned i = remainder ? 4 : 3; i < 5; i++)
        if (is_new(f, inst->words[i]) && may_be(f, inst->words[i], remainder))
            return !wpg_goes_into_addresses(f->view, inst->result);
    return false;
}

/* Puts a barrier between the known result and its uses in float work, so that nothing divides for these.
 * False: none can stand there. */
static bool veil(folder *f, const wpg_inst *inst)
{
    if (!wpg_zero_is_before(f->view, f->zero_of, (wpg_inst *)(uintptr_t)inst) ||
        f->after.values[inst->result].kind != WPG_SOLVED_VALUE ||
        !wpg_opt_barrier_hides(f->module, inst->type))
        return false;
    f->veiled[inst->result] = true;
    f->useful |= f->masks[inst->result];
    f->wanted |= f->masks[inst->result];
    return true;
}

/* `id` is to be computed as before, and what it is computed of. False: a branch that is decided chooses it,
 * and no barrier can stand there. */
static bool keep(folder *f, uint32_t id, unsigned depth)
{
    const wpg_inst *inst = wpg_module_def(f->module, id);
    if (!is_new(f, id) || f->kept[id])
        return true;
    if (!inst || depth > 32)
        return false;
    if (inst->opcode == SpvOpPhi)
        return hide(f, inst);
    if (divides((SpvOp)inst->opcode) && veil(f, inst))
        return true;
    f->kept[id] = true;
    wpg_operand_list operands = {0};
    bool kept = wpg_used_ids(&operands, f->module, inst);
    for (size_t i = 0; kept && i < operands.count; i++)
        kept = keep(f, inst->words[operands.data[i]], depth + 1);
    wpg_vec_free(&operands);
    return kept;
}

/* Does the operation keep every operand that is constant now? */
static bool keeps_operands(folder *f, const wpg_inst *inst)
{
    wpg_operand_list operands = {0};
    bool kept = wpg_used_ids(&operands, f->module, inst);
    for (size_t i = 0; kept && i < operands.count; i++)
        kept = keep(f, inst->words[operands.data[i]], 0);
    wpg_vec_free(&operands);
    return kept;
}

static bool is_loop_phi(const folder *f, const wpg_inst *inst)
{
    uint32_t block = inst->opcode == SpvOpPhi ? f->view->block_of[inst->result] : WPG_NO_BLOCK;
    return block != WPG_NO_BLOCK && f->view->cfg->blocks[block].heads != WPG_NO_BLOCK &&
           f->view->cfg->blocks[block].loop == f->view->cfg->blocks[block].heads;
}

/* Does a float operand become a constant? */
static bool gets_float(const folder *f, const wpg_inst *inst)
{
    wpg_operand_list operands = {0};
    bool gets = !wpg_used_ids(&operands, f->module, inst);
    for (size_t i = 0; !gets && i < operands.count; i++) {
        uint32_t id = inst->words[operands.data[i]];
        const wpg_inst *def = is_new(f, id) ? wpg_module_def(f->module, id) : NULL;
        gets = def && wpg_bears_floats(f->module, def->type);
    }
    wpg_vec_free(&operands);
    return gets;
}

static bool is_decided_comparison(const folder *f, const wpg_inst *inst)
{
    return inst->result && wpg_module_opcode_of(f->module, inst->type) == SpvOpTypeBool &&
           inst->result < f->view->bound && f->after.values[inst->result].kind == WPG_SOLVED_VALUE;
}

/* Operations whose operands stay as they were: floats are computed, a loop stands by it, or the value leaves
 * what is followed. */
static bool keeps(const folder *f, const wpg_inst *inst)
{
    SpvOp opcode = (SpvOp)inst->opcode;
    if (inst->result && inst->result < f->view->bound && f->opaque[inst->result] && !f->hidden[inst->result])
        return true;
    const unsigned traits = wpg_inst_traits(f->module, inst);
    if (traits & (WPG_TRAIT_SUBGROUP | WPG_TRAIT_DERIVATIVE | WPG_TRAIT_UNKNOWN))
        return true;
    if (f->free)
        return opcode == SpvOpFunctionCall ||
               (inst->result && wpg_find_decoration(f->module, inst->result, SpvDecorationNoContraction));
    if (traits & WPG_TRAIT_FLOAT)
        return true;
    switch (opcode) {
    case SpvOpFunctionCall:
        return true;
    case SpvOpStore:
        return is_unfollowed(f, inst->words[1]) ||
               (wpg_pointer_class(f->module, inst->words[1]) == SpvStorageClassOutput &&
                f->context->stage->model != SpvExecutionModelFragment);
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        return is_unfollowed(f, inst->result);
    case SpvOpBranchConditional:
    case SpvOpSwitch:
        return is_new(f, inst->words[1]) && f->after.values[inst->words[1]].kind != WPG_SOLVED_VALUE;
    default:
        break;
    }
    if (is_loop_phi(f, inst))
        return wpg_bears_floats(f->module, inst->type);
    if (inst->result && !wpg_is_one(&f->after, inst->result))
        for (unsigned i = 3; i < 5 && i < inst->count; i++)
            if (is_new(f, inst->words[i]) && may_decide_a_part(f, inst, inst->words[i]))
                return true;
    return !copies(opcode) && !is_decided_comparison(f, inst) && gets_float(f, inst);
}

/* What an operation that gets a constant is good for, and what it gives away. */
static void ask_new(folder *f, uint32_t block, const wpg_inst *inst, uint64_t groups)
{
    SpvOp opcode = (SpvOp)inst->opcode;
    bool one = inst->result && wpg_is_one(&f->after, inst->result);
    bool compares = inst->result && wpg_module_opcode_of(f->module, inst->type) == SpvOpTypeBool;
    if (!f->free && may_decide_a_trip(f, inst) && !hide(f, inst)) {
        expose(f, groups, block, "an operation would be a constant in a trip of its loop");
        return;
    }
    if (keeps(f, inst)) {
        if (!keeps_operands(f, inst))
            expose(f, groups, block, "what a decided branch chooses would be a constant there");
        return;
    }
    f->useful |= groups;
    if (opcode == SpvOpAccessChain || opcode == SpvOpInBoundsAccessChain ||
        opcode == SpvOpBranchConditional || opcode == SpvOpSwitch) {
        f->wanted |= groups;
    } else if (divides(opcode) && is_new(f, inst->words[4]) &&
               !(one && wpg_is_one(&f->after, inst->words[3]))) {
        f->wanted |= f->masks[inst->words[4]];
    } else if (!one && inst->opcode == SpvOpUMulExtended) {
        f->wanted |= groups; /* a division by a constant that the host made a multiplication */
    } else if (!one && (is_loop_phi(f, inst) || compares) &&
               f->view->cfg->blocks[block].loop != WPG_NO_BLOCK) {
        f->wanted |= groups;
    }
}

/* -- Phis and selects that are decided */

static uint32_t live_edges(const wpg_solution *solution, const wpg_inst *phi, uint32_t block, uint32_t *id)
{
    uint32_t count = 0;
    for (uint32_t i = 3; i + 1 < phi->count; i += 2) {
        uint32_t from = wpg_cfg_find(solution->view->cfg, phi->words[i + 1]);
        if (from == WPG_NO_BLOCK || !solution->runs[from] || !wpg_solution_takes(solution, from, block))
            continue;
        *id = phi->words[i];
        count++;
    }
    return count;
}

/* What the phi or select is a copy of now and was not; 0 if it is as before. */
static uint32_t source_of(const folder *f, const wpg_inst *inst)
{
    uint32_t block = inst->result < f->view->bound ? f->view->block_of[inst->result] : WPG_NO_BLOCK, id = 0;
    if (block == WPG_NO_BLOCK || !f->after.runs[block] || f->hidden[inst->result])
        return 0;
    if (inst->opcode == SpvOpSelect && is_new(f, inst->words[3]))
        return f->after.values[inst->words[3]].kind == WPG_SOLVED_VALUE
                   ? inst->words[f->after.values[inst->words[3]].bits ? 4 : 5]
                   : 0;
    return inst->opcode == SpvOpPhi && live_edges(&f->after, inst, block, &id) == 1 &&
                   live_edges(f->before, inst, block, &id) > 1 && live_edges(&f->after, inst, block, &id) == 1
               ? id
               : 0;
}

/* Is the value used by arithmetic, through decided phis and plain copies of parts? */
static bool reaches_arithmetic(const folder *f, uint32_t id, unsigned depth)
{
    if (depth > 16)
        return true;
    for (uint32_t u = f->view->first_user[id]; u < f->view->first_user[id + 1]; u++) {
        const wpg_inst *user = f->view->users[u];
        uint32_t block = user->result < f->view->bound ? f->view->block_of[user->result] : WPG_NO_BLOCK;
        if (block == WPG_NO_BLOCK || !user->result || !f->after.runs[block])
            continue;
        if (wpg_is_rounded(f->module, user))
            return true;
        bool passes = user->opcode == SpvOpPhi || user->opcode == SpvOpSelect
                          ? source_of(f, user) == id
                          : copies((SpvOp)user->opcode) && user->result != id;
        if (passes && reaches_arithmetic(f, user->result, depth + 1))
            return true;
    }
    return false;
}

static void ask_decided(folder *f, uint32_t block, const wpg_inst *inst)
{
    uint32_t id = f->free ? 0 : source_of(f, inst);
    if (!id || !wpg_bears_floats(f->module, inst->type))
        return;
    uint64_t groups = f->decided;
    if (inst->opcode == SpvOpSelect)
        groups |= f->masks[inst->words[3]];
    if (f->has_exact && wpg_id_set_has(&f->exact, inst->result) && !hide(f, inst))
        expose(f, groups, block, "it decides what an exact output is made of");
    const wpg_inst *def = wpg_module_def(f->module, id);
    while (def && copies((SpvOp)def->opcode) && def->opcode != SpvOpPhi && def->opcode != SpvOpSelect &&
           def->opcode != SpvOpCompositeConstruct && def->count > 3)
        def = wpg_module_def(f->module, def->words[3]);
    bool made_here = def && (wpg_is_rounded(f->module, def) || def->opcode == SpvOpCompositeConstruct);
    if (!made_here || !reaches_arithmetic(f, inst->result, 0))
        return;
    if (!hide(f, inst))
        expose(f, groups, block, "two float operations would come together");
}

/* -- One round */

static void ask_running(folder *f, uint32_t index)
{
    const wpg_block *block = &f->view->cfg->blocks[index];
    for (const wpg_inst *inst = block->label->next; inst; inst = inst->next) {
        uint64_t groups = 0;
        bool known = false;
        if (!wpg_used_ids(&f->others, f->module, inst)) {
            expose(f, f->active, index, "an instruction is not known");
            return;
        }
        for (size_t i = 0; i < f->others.count; i++) {
            uint32_t id = inst->words[f->others.data[i]];
            if (!is_new(f, id) || (inst->result && f->after.values[inst->result].kind == WPG_SOLVED_NEVER))
                continue;
            groups |= f->masks[id];
            known = true;
        }
        if (known && !wpg_inst_is_non_semantic(f->module, inst))
            ask_new(f, index, inst, groups);
        if (inst->opcode == SpvOpPhi || inst->opcode == SpvOpSelect)
            ask_decided(f, index, inst);
        if (inst == block->terminator)
            return;
    }
}

/* Is the variable that a pointer comes from named where the shader still runs? */
static bool is_left(const folder *f, uint32_t pointer)
{
    const wpg_inst *root = wpg_pointer_root(f->module, pointer);
    if (!root || root->result >= f->view->bound || root->opcode != SpvOpVariable)
        return true;
    for (uint32_t u = f->view->first_user[root->result]; u < f->view->first_user[root->result + 1]; u++) {
        const wpg_inst *label = wpg_inst_label(f->view->users[u]);
        uint32_t block = label ? wpg_cfg_find(f->view->cfg, label->result) : WPG_NO_BLOCK;
        if (block == WPG_NO_BLOCK || f->after.runs[block])
            return true;
    }
    return false;
}

/* Can everything that is stored through the pointer be hidden? */
static bool may_hide_stores(const folder *f, uint32_t pointer, unsigned depth)
{
    for (uint32_t u = f->view->first_user[pointer]; u < f->view->first_user[pointer + 1]; u++) {
        wpg_inst *user = f->view->users[u];
        const wpg_inst *label = wpg_inst_label(user);
        const uint32_t block = label ? wpg_cfg_find(f->view->cfg, label->result) : WPG_NO_BLOCK;
        const wpg_inst *value = user->opcode == SpvOpStore ? wpg_module_def(f->module, user->words[2]) : NULL;
        if (block == WPG_NO_BLOCK || !f->after.runs[block] || user->opcode == SpvOpLoad ||
            wpg_inst_is_non_semantic(f->module, user))
            continue;
        const bool chain = user->opcode == SpvOpAccessChain || user->opcode == SpvOpInBoundsAccessChain;
        if (chain ? depth > 4 || user->words[3] != pointer || !may_hide_stores(f, user->result, depth + 1)
                  : !value || user->words[1] != pointer || !wpg_opt_barrier_hides(f->module, value->type) ||
                        !wpg_zero_is_before(f->view, f->zero_of, user))
            return false;
    }
    return true;
}

/* A store falls away. A driver could find out what the variable holds then, or bring two float operations
 * together through it. Barriers before all stores that are left keep it from that. False: one cannot have a
 * barrier. */
static bool guard(folder *f, const wpg_inst *root)
{
    if (!root || root->result >= f->view->bound || root->opcode != SpvOpVariable ||
        root->words[3] != SpvStorageClassFunction || root->count > 4)
        return false;
    if (!f->guarded[root->result])
        f->guarded[root->result] = may_hide_stores(f, root->result, 0);
    return f->guarded[root->result];
}

static void ask_dead(folder *f, uint32_t index)
{
    const wpg_block *block = &f->view->cfg->blocks[index];
    for (const wpg_inst *inst = block->label->next; inst && inst != block->terminator; inst = inst->next) {
        unsigned traits = wpg_inst_traits(f->module, inst);
        if ((traits & WPG_TRAIT_WRITES) &&
            (inst->opcode != SpvOpStore || (is_unfollowed(f, inst->words[1]) && is_left(f, inst->words[1]) &&
                                            !guard(f, wpg_pointer_root(f->module, inst->words[1])))) &&
            (inst->opcode == SpvOpStore || inst->opcode == SpvOpFunctionCall ||
             inst->opcode == SpvOpCopyMemory || inst->opcode == SpvOpExtInst))
            expose(f, f->decided, index, "a store to a variable of the shader's own falls away");
        if (!f->has_exact || !wpg_used_ids(&f->others, f->module, inst))
            continue;
        for (size_t i = 0; i < f->others.count; i++) {
            const wpg_inst *def = wpg_module_def(f->module, inst->words[f->others.data[i]]);
            if (def && def->result && wpg_view_is_local(f->view, def->result) &&
                wpg_id_set_has(&f->exact, def->result) && wpg_is_rounded(f->module, def))
                expose(f, f->decided, index, "a value that feeds an exact output would lose a user");
        }
    }
}

/* Is the value, or a part of it, what a loop's counter changes by? `sum`: it is the counter's next value. */
static bool steps_a_loop(const folder *f, uint32_t id, bool sum, unsigned depth)
{
    for (uint32_t u = f->view->first_user[id]; u < f->view->first_user[id + 1]; u++) {
        const wpg_inst *user = f->view->users[u];
        const bool adds = !sum && (user->opcode == SpvOpIAdd || user->opcode == SpvOpISub);
        const bool passes = adds || user->opcode == SpvOpBitcast || user->opcode == SpvOpCompositeExtract ||
                            user->opcode == SpvOpVectorShuffle;
        if (!user->result || user->result >= f->view->bound)
            continue;
        if ((sum && is_loop_phi(f, user)) ||
            (passes && depth < 6 && steps_a_loop(f, user->result, sum || adds, depth + 1)))
            return true;
    }
    return false;
}

/* Groups of loads that are folded where those of `deciding` are. No step of a loop is: with it a driver may
 * unroll the loop, with barriers between its trips. TensorFlow.js's pooling takes 0.75 of its time so, and
 * 0.65 with the step as it is (lavapipe 25.0.7). */
static uint64_t along(const folder *f, uint64_t deciding)
{
    uint64_t groups = f->useful, decided = 0;
    if (!f->job.along || !deciding)
        return 0;
    for (size_t i = 0; i < f->job.load_count; i++)
        if (f->job.loads[i].group & deciding)
            decided |= f->job.loads[i].words;
    const uint64_t words = f->job.along(&f->job, decided);
    for (size_t i = 0; i < f->job.load_count; i++)
        if (f->job.loads[i].words & ~words ||
            (!(f->job.loads[i].group & deciding) && steps_a_loop(f, f->job.loads[i].inst->result, false, 0)))
            groups &= ~f->job.loads[i].group;
    return groups;
}

/* Is anything left to be asked? */
static bool ask(folder *f)
{
    for (size_t i = 0; i < f->job.load_count; i++)
        f->folded[f->job.loads[i].inst->result] =
            f->job.loads[i].group & f->active ? f->job.loads[i].constant : 0;
    if (!wpg_push_solve(&f->after, f->view, f->folded, f->opaque, &f->arena)) {
        f->nomem = true;
        return false;
    }
    f->exposed = f->wanted = f->useful = 0;
    memset(f->kept, 0, f->view->bound * sizeof *f->kept);
    memset(f->guarded, 0, f->view->bound * sizeof *f->guarded);
    memset(f->veiled, 0, f->view->bound * sizeof *f->veiled);
    f->any_exposed = f->any_hidden = false;
    find_masks(f);
    for (uint32_t b = 0; b < f->view->cfg->count; b++) {
        if (f->after.runs[b])
            ask_running(f, b);
        else if (f->before->runs[b] && !f->free)
            ask_dead(f, b);
    }
    uint64_t left = f->active & ~f->exposed;
    if (f->any_exposed)
        wpg_remark_add(f->context, WPG_REMARK_REFUSED, f->job.pass, f->job.ordinal, f->why_block,
                       "%u loads of %s stay: %s", (unsigned)__builtin_popcountll(f->active & f->exposed),
                       f->job.what, f->why);
    else if (!f->any_hidden)
        left &= f->free && f->job.always ? f->useful : f->wanted | along(f, f->wanted & left);
    bool changed = left != f->active || f->any_hidden;
    f->active = left;
    if (!left) /* what is known now may rest on what is not folded */
        memset(f->hidden, 0, f->view->bound * sizeof *f->hidden);
    return changed && (left || f->job.always);
}

/* The constant that stands for a value at a use that is not kept, or what is chosen among constants; 0:
 * neither. */
static uint32_t constant_for(const folder *f, uint32_t id)
{
    const wpg_inst *def = wpg_module_def(f->module, id);
    for (size_t i = 0; i < f->job.load_count; i++) {
        if (f->job.loads[i].inst->result != id || !(f->job.loads[i].group & f->active))
            continue;
        if (f->job.loads[i].choice && !f->chosen[i])
            f->chosen[i] = wpg_module_fresh_id(f->module);
        return f->job.loads[i].choice ? f->chosen[i] : f->job.loads[i].constant;
    }
    if (!is_new(f, id) || !def || f->after.values[id].kind != WPG_SOLVED_VALUE)
        return 0;
    bool is_float, is_signed;
    uint32_t width = wpg_scalar_width(f->module, def->type, &is_float, &is_signed);
    if (width == 1)
        return wpg_const_bool(f->module, f->after.values[id].bits != 0);
    return !is_float && width == 32 ? wpg_const_scalar(f->module, def->type, f->after.values[id].bits) : 0;
}

/* Operands that are constant now. Where the operation or its result is kept as it was, veiled ones alone. */
static void fold_operands(folder *f, wpg_inst *inst)
{
    const bool stays = keeps(f, inst) || (inst->result && f->kept[inst->result]);
    if (wpg_inst_is_non_semantic(f->module, inst) || !wpg_used_ids(&f->operands, f->module, inst))
        return;
    for (size_t o = 0; o < f->operands.count; o++) {
        uint32_t id = inst->words[f->operands.data[o]], constant = is_new(f, id) ? constant_for(f, id) : 0;
        if (!constant || (stays && !f->veiled[id]))
            continue;
        if (stays && !f->veils[id])
            f->veils[id] = wpg_module_fresh_id(f->module);
        inst->words[f->operands.data[o]] = stays ? f->veils[id] : constant;
    }
}

static void replace_uses(const folder *f, uint32_t id, uint32_t by)
{
    for (uint32_t u = f->view->first_user[id]; u < f->view->first_user[id + 1]; u++) {
        wpg_inst *user = f->view->users[u];
        wpg_operand_list operands = {0};
        if (wpg_used_ids(&operands, f->module, user))
            for (size_t i = 0; i < operands.count; i++)
                if (user->words[operands.data[i]] == id)
                    user->words[operands.data[i]] = by;
        wpg_vec_free(&operands);
    }
}

/* A barrier between `value`, which is of the type of `inst`, and the id `seen`, before `where`. */
static void put_barrier(folder *f, const wpg_inst *inst, uint32_t value, uint32_t seen, wpg_inst *where)
{
    wpg_inst *unused;
    if (!f->zero)
        f->zero = wpg_zero_make(&unused, f->module, f->view->function, f->zero_of);
    while (where->opcode == SpvOpPhi)
        where = where->next;
    wpg_opt_barrier_insert(f->module, inst, value, seen, f->zero, where);
}

/* What is stored in guarded variables. */
static void hide_stores(folder *f, const wpg_block *block)
{
    for (wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next) {
        const wpg_inst *root =
            inst->opcode == SpvOpStore ? wpg_pointer_root(f->module, inst->words[1]) : NULL;
        if (!root || root->result >= f->view->bound || !f->guarded[root->result])
            continue;
        const uint32_t seen = wpg_module_fresh_id(f->module), value = inst->words[2];
        put_barrier(f, wpg_module_def(f->module, value), value, seen, inst);
        inst->words[2] = seen;
    }
}

/* Behind each hidden phi or select, for all its users; behind what is veiled, for those that were folded;
 * before stores to guarded variables. */
static void put_barriers(folder *f)
{
    for (uint32_t id = 0; id < f->view->bound; id++) {
        const bool hidden = f->hidden[id] && f->after.runs[f->view->block_of[id]];
        if (!hidden && !f->veils[id])
            continue;
        const wpg_inst *inst = wpg_module_def(f->module, id);
        const uint32_t seen = hidden ? wpg_module_fresh_id(f->module) : f->veils[id];
        if (hidden)
            replace_uses(f, id, seen);
        put_barrier(f, inst, hidden ? id : constant_for(f, id), seen, inst->next);
    }
    for (uint32_t b = 0; b < f->view->cfg->count; b++)
        if (f->after.runs[b])
            hide_stores(f, &f->view->cfg->blocks[b]);
}

/* Behind the load, which is what the choice comes to for an index that is no case. */
static void put_choice(const folder *f, const wpg_known_load *load, uint32_t chosen)
{
    wpg_module *m = f->module;
    const wpg_known_choice *c = load->choice;
    wpg_inst *where = load->inst->next;
    const uint32_t u32 = wpg_type_u32(m);
    uint32_t number = c->index ? c->index : c->part, value = load->inst->result;
    if (c->index && c->part) {
        const uint32_t product = wpg_module_fresh_id(m);
        number = wpg_module_fresh_id(m);
        (void)wpg_inst_add(m, where, SpvOpIMul, u32, product, c->index, wpg_const_u32(m, c->width));
        (void)wpg_inst_add(m, where, SpvOpIAdd, u32, number, product, c->part);
    }
    for (uint32_t i = 0; i < c->count; i++) {
        const uint32_t is = wpg_module_fresh_id(m), next = i + 1 < c->count ? wpg_module_fresh_id(m) : chosen;
        (void)wpg_inst_add(m, where, SpvOpIEqual, wpg_type_bool(m), is, number,
                           wpg_const_u32(m, c->cases[i]));
        (void)wpg_inst_add(m, where, SpvOpSelect, load->inst->type, next, is, c->constants[i], value);
        value = next;
    }
}

static void fold_all(folder *f)
{
    for (uint32_t b = 0; b < f->view->cfg->count; b++) {
        const wpg_block *block = &f->view->cfg->blocks[b];
        if (!f->after.runs[b])
            continue;
        for (wpg_inst *inst = block->label->next; inst; inst = inst == block->terminator ? NULL : inst->next)
            fold_operands(f, inst);
    }
    put_barriers(f);
    for (size_t i = 0; i < f->job.load_count; i++)
        if (f->chosen[i])
            put_choice(f, &f->job.loads[i], f->chosen[i]);
}

static void tell(const folder *f, wpg_load_folded *folded)
{
    *folded = (wpg_load_folded){
        .floats = f->free, .view = f->view, .exact = &f->exact, .before = f->before, .after = &f->after};
    for (size_t i = 0; i < f->job.load_count; i++) {
        if (!(f->job.loads[i].group & f->active))
            continue;
        folded->loads++;
        folded->words |= f->job.loads[i].words;
    }
    for (uint32_t b = 0; b < f->view->cfg->count; b++)
        folded->dead_blocks += f->before->runs[b] && !f->after.runs[b];
}

/* What loops stand by, and what hides where they do not. */
static bool find_standing(folder *f)
{
    uint32_t *known = WPG_ARENA_ARRAY(&f->arena, uint32_t, f->view->bound);
    wpg_standing standing = {.view = f->view,
                             .profile = wpg_profile_of(f->context, f->job.function),
                             .known = known,
                             .exact = &f->exact,
                             .barriers = f->zero_of != 0,
                             .every_loop = f->context->options->keep_trips,
                             .arena = &f->arena,
                             .opaque = f->opaque,
                             .hidden = f->hidden};
    if (!known)
        return false;
    for (size_t i = 0; i < f->job.load_count; i++)
        if (f->job.loads[i].group & f->active)
            known[f->job.loads[i].inst->result] = f->job.loads[i].constant;
    return wpg_standing_find(&standing);
}

static bool make_tables(folder *f)
{
    const uint32_t bound = f->view->bound;
    f->masks = WPG_ARENA_ARRAY(&f->arena, uint64_t, bound);
    f->folded = WPG_ARENA_ARRAY(&f->arena, uint32_t, bound);
    f->kept = WPG_ARENA_ARRAY(&f->arena, bool, bound);
    f->veiled = WPG_ARENA_ARRAY(&f->arena, bool, bound);
    f->guarded = WPG_ARENA_ARRAY(&f->arena, bool, bound);
    f->veils = WPG_ARENA_ARRAY(&f->arena, uint32_t, bound);
    f->hidden = WPG_ARENA_ARRAY(&f->arena, bool, bound);
    f->opaque = WPG_ARENA_ARRAY(&f->arena, bool, bound);
    f->chosen = WPG_ARENA_ARRAY(&f->arena, uint32_t, f->job.load_count);
    return f->chosen && f->masks && f->folded && f->kept && f->veiled && f->guarded && f->veils &&
           f->hidden && f->opaque;
}

/* A choice that stays one costs more than the load. */
static bool may_serve(const folder *f, const wpg_known_load *load)
{
    return !load->choice || wpg_is_in_counted_loop(f->view, f->view->block_of[load->inst->result]);
}

/* *found: there is something to fold. */
static wpg_status find(bool *found, folder *f)
{
    wpg_error reason = {0};
    *found = false;
    const wpg_status status =
        f->job.view ? WPG_OK : wpg_view_create(&f->own_view, f->module, f->job.function, &reason);
    if (status != WPG_OK) {
        if (status == WPG_E_NOMEM)
            return wpg_fail(f->context->err, WPG_E_NOMEM, "out of memory");
        wpg_remark_add(f->context, WPG_REMARK_REFUSED, f->job.pass, f->job.ordinal, 0, "%.140s",
                       reason.message);
        return WPG_OK;
    }
    f->view = f->job.view ? f->job.view : f->own_view;
    f->zero_of = wpg_zero_source(f->view);
    for (size_t i = 0; i < f->job.load_count; i++)
        f->active |= may_serve(f, &f->job.loads[i]) ? f->job.loads[i].group : 0;
    f->before = wpg_push_unfolded(f->view);
    f->nomem = !f->before || !make_tables(f) || (!f->free && !find_standing(f));
    while (!f->nomem && ask(f))
        ;
    if (f->nomem)
        return wpg_fail(f->context->err, WPG_E_NOMEM, "out of memory");
    *found = f->active || f->job.always;
    if (!*found && !f->job.silent)
        wpg_remark_add(f->context, WPG_REMARK_REFUSED, f->job.pass, f->job.ordinal, 0,
                       "no branch, loop bound, index or divisor would be decided");
    return WPG_OK;
}

wpg_status wpg_load_fold_find(wpg_load_folding **folding, wpg_load_folded *folded, const wpg_load_fold *job)
{
    bool found = false;
    *folding = NULL;
    *folded = (wpg_load_folded){0};
    folder *f = calloc(1, sizeof *f);
    if (!f)
        return wpg_fail(job->context->err, WPG_E_NOMEM, "out of memory");
    f->job = *job;
    f->context = job->context;
    f->module = job->context->module;
    wpg_arena_init(&f->arena);
    wpg_status status = wpg_exact_slice(&f->exact, f->module, f->context->err);
    if (status == WPG_OK) {
        f->has_exact = true;
        f->free = wpg_float_may_fold(f->context, &f->exact);
        status = find(&found, f);
    }
    if (status != WPG_OK || !found) {
        wpg_load_folding_destroy(f);
        return status;
    }
    tell(f, folded);
    *folding = f;
    return WPG_OK;
}

void wpg_load_folding_apply(wpg_load_folding *folding)
{
    fold_all(folding);
}

void wpg_load_folding_destroy(wpg_load_folding *folding)
{
    if (!folding)
        return;
    wpg_view_destroy(folding->own_view);
    wpg_vec_free(&folding->operands);
    wpg_vec_free(&folding->others);
    wpg_id_set_free(&folding->exact);
    wpg_arena_finish(&folding->arena);
    free(folding);
}
