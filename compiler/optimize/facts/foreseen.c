/* See foreseen.h.
 *
 * unrolled.h asks the same of a function in SSA form, to a fixed point. Here variables take the part of phis:
 *
 *      stores      which variables are given a constant somewhere                    one walk of the function
 *                  (bounds also by a short computation)
 *      sweep       what is computed of these, and stored again                       two walks of the loops
 *      judge       loops that leave by such a value, and round another */
#include "compiler/optimize/facts/foreseen.h"

#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/facts/induction.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/spirv/builder.h"

/* What is stored to a variable of the shader's own. */
typedef struct own_stores {
    const wpg_inst *constant, *other; /* the last store of a constant, and of anything else */
    uint32_t constants, others;
} own_stores;

typedef struct foresight {
    const wpg_module *module;
    const wpg_cfg *cfg;
    own_stores *stores; /* [bound] by variable */
    bool *may, *is;     /* [bound] as in unrolled.h; of a variable: it may hold a constant */
    wpg_operand_list operands;
    wpg_arena *arena;
} foresight;

static void note_variable(foresight *f, const wpg_inst *variable)
{
    f->may[variable->result] |= variable->count > 4;
}

static void note_declaration(foresight *f, const wpg_inst *inst)
{
    if (!inst->result)
        return;
    if (inst->opcode == SpvOpVariable)
        note_variable(f, inst);
    else if (inst->opcode == SpvOpExtInstImport || wpg_is_module_constant(f->module, inst->result))
        f->may[inst->result] = f->is[inst->result] = true;
}

/* An integer that a cast or a sum makes of what variables may hold by now: `int(SAMPLES)`. */
static bool is_constant_bound(foresight *f, uint32_t id)
{
    const wpg_inst *inst = wpg_module_def(f->module, id);
    if (!inst || inst->count > 5 || wpg_module_opcode_of(f->module, inst->type) != SpvOpTypeInt ||
        inst->opcode == SpvOpPhi || !(wpg_inst_traits(f->module, inst) & WPG_TRAIT_PURE))
        return false;
    for (uint32_t i = 3; i < inst->count; i++) {
        const wpg_inst *load = wpg_module_def(f->module, inst->words[i]);
        if (!load || (!f->is[load->result] &&
                      (load->opcode != SpvOpLoad || !f->may[wpg_own_variable(f->module, load->words[3])])))
            return false;
    }
    return inst->count > 3;
}

static void note_store(foresight *f, const wpg_inst *inst)
{
    const uint32_t variable = wpg_own_variable(f->module, inst->words[1]);
    own_stores *stores = &f->stores[variable];
    if (!variable)
        return;
    if (f->is[inst->words[2]]) {
        stores->constant = inst;
        stores->constants++;
    } else {
        stores->other = inst;
        stores->others++;
    }
    f->may[variable] |= f->is[inst->words[2]] || is_constant_bound(f, inst->words[2]);
}

/* -- Sweep -- */

static bool may_be_constant(foresight *f, const wpg_inst *inst, bool *is)
{
    const unsigned traits = wpg_inst_traits(f->module, inst);
    if (inst->opcode == SpvOpLoad)
        return f->may[wpg_own_variable(f->module, inst->words[3])];
    if (inst->opcode != SpvOpPhi && (!(traits & WPG_TRAIT_PURE) || (traits & WPG_TRAIT_READS)))
        return false;
    if (!wpg_used_ids(&f->operands, f->module, inst))
        return false;
    bool all = true, any = false, all_is = true;
    for (size_t i = 0; i < f->operands.count; i += inst->opcode == SpvOpPhi ? 2 : 1) {
        const uint32_t id = inst->words[f->operands.data[i]];
        all &= f->may[id];
        any |= f->may[id];
        all_is &= f->is[id];
    }
    *is = all_is && inst->opcode != SpvOpPhi;
    return wpg_one_part_folds((SpvOp)inst->opcode) ? any : all;
}

static void sweep_inst(foresight *f, const wpg_inst *inst)
{
    if (inst->opcode == SpvOpStore) {
        const uint32_t variable = wpg_own_variable(f->module, inst->words[1]);
        f->may[variable] |= variable && f->may[inst->words[2]];
    } else if (inst->result) {
        bool is = false;
        f->may[inst->result] |= may_be_constant(f, inst, &is);
        f->is[inst->result] |= is;
    }
}

/* Blocks stand in an order in which definitions do. Twice: what one trip stores, the next one loads. */
static void sweep_loops(foresight *f)
{
    for (uint32_t i = 0; i < 2 * f->cfg->count; i++) {
        const wpg_block *block = &f->cfg->blocks[i % f->cfg->count];
        for (const wpg_inst *inst = block->label->next;
             block->loop != WPG_NO_BLOCK && inst != block->terminator; inst = inst->next)
            sweep_inst(f, inst);
    }
}

/* -- Judge -- */

/* Does the edge leave the loop, at once or by a block that does nothing else? */
static bool leaves(const foresight *f, const wpg_loop *loop, uint32_t to)
{
    const wpg_block *block = &f->cfg->blocks[to];
    return to == loop->merge || !loop->members[to] ||
           (block->successor_count == 1 && block->successors[0] == loop->merge);
}

/* The variable that the integer is loaded from, before a step or a cast; 0: none. */
static uint32_t counter_of(const foresight *f, uint32_t id)
{
    const wpg_inst *inst = wpg_module_def(f->module, id);
    for (unsigned depth = 0; inst && depth < 4; depth++) {
        uint32_t step;
        if (inst->opcode == SpvOpLoad)
            return wpg_own_variable(f->module, inst->words[3]);
        if (inst->opcode != SpvOpBitcast && (inst->opcode != SpvOpIAdd || inst->count != 5) &&
            (inst->opcode != SpvOpISub || inst->count != 5))
            return 0;
        const bool second = inst->opcode == SpvOpIAdd && wpg_is_u32_const(f->module, inst->words[3], &step);
        inst = wpg_module_def(f->module, inst->words[second ? 4 : 3]);
    }
    return 0;
}

/* Reads the variable as a counter that is set to a constant once, and stepped by another in one place. */
static bool read_counter(wpg_induction *out, const foresight *f, uint32_t variable)
{
    const own_stores *stores = &f->stores[variable];
    if (stores->constants != 1 || stores->others != 1 || stores->constant->words[1] != variable)
        return false;
    const wpg_inst *next = wpg_module_def(f->module, stores->other->words[2]);
    if (!next || next->count != 5 || (next->opcode != SpvOpIAdd && next->opcode != SpvOpISub) ||
        counter_of(f, next->result) != variable ||
        !wpg_is_u32_const(f->module, stores->constant->words[2], &out->first))
        return false;
    const bool last = wpg_is_u32_const(f->module, next->words[4], &out->step);
    if (next->opcode == SpvOpISub)
        out->step = 0u - out->step;
    return last || (next->opcode == SpvOpIAdd && wpg_is_u32_const(f->module, next->words[3], &out->step));
}

/* Is this a test that no driver counts, or counts to a large number? Of a counter that is stepped in more
 * places than it is set in, nobody knows where it starts in a loop. */
static bool stays_a_loop(const foresight *f, const wpg_inst *compare, bool stays)
{
    for (unsigned at = 3; compare->count == 5 && at <= 4; at++) {
        const uint32_t variable = counter_of(f, compare->words[at]);
        wpg_induction i;
        uint32_t bound;
        if (!variable || !wpg_is_u32_const(f->module, compare->words[7 - at], &bound))
            continue;
        if (f->stores[variable].others > f->stores[variable].constants)
            return true;
        if (read_counter(&i, f, variable))
            return wpg_runs_long(&i, (SpvOp)compare->opcode, bound, at == 3, stays);
    }
    return false;
}

/* Does the block leave the loop by a test that a driver counts? */
static bool counts(const foresight *f, const wpg_loop *loop, const wpg_block *block)
{
    const wpg_inst *end = block->terminator;
    if (end->opcode != SpvOpBranchConditional || !f->may[end->words[1]])
        return false;
    for (uint32_t s = 0; s < block->successor_count; s++) {
        const wpg_inst *compare = wpg_module_def(f->module, end->words[1]);
        if (leaves(f, loop, block->successors[s]))
            return !compare || !wpg_opcode_compares_ints(compare->opcode) ||
                   !stays_a_loop(f, compare, end->words[2] != f->cfg->blocks[block->successors[s]].id);
    }
    return false;
}

static uint32_t judge(const foresight *f, uint32_t construct)
{
    wpg_loop loop;
    if (f->cfg->constructs[construct].kind != WPG_CONSTRUCT_LOOP ||
        !wpg_loop_members(&loop, f->cfg, construct, f->arena))
        return 0;
    bool counted = false;
    for (uint32_t b = 0; b < f->cfg->count && !counted; b++)
        counted = loop.members[b] && counts(f, &loop, &f->cfg->blocks[b]);
    return counted ? wpg_first_rounded(f->module, f->cfg, f->may, f->is, &loop) : 0;
}

static bool has_loop(const wpg_cfg *cfg)
{
    for (uint32_t c = 0; c < cfg->construct_count; c++)
        if (cfg->constructs[c].kind == WPG_CONSTRUCT_LOOP)
            return true;
    return false;
}

static void solve(foresight *f)
{
    const wpg_inst *inst = f->module->first;
    for (; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        note_declaration(f, inst);
    const wpg_inst *end = f->cfg->blocks[f->cfg->count - 1].terminator;
    for (inst = f->cfg->blocks[0].label; inst != end; inst = inst->next) {
        if (inst->opcode == SpvOpStore)
            note_store(f, inst);
        else if (inst->opcode == SpvOpVariable)
            note_variable(f, inst);
    }
    sweep_loops(f);
}

const uint32_t *wpg_loops_foreseen_to_fold(const wpg_module *module, const wpg_cfg *cfg, wpg_arena *arena)
{
    uint32_t *ids = WPG_ARENA_ARRAY(arena, uint32_t, cfg->construct_count + 1u);
    if (!ids || !has_loop(cfg))
        return ids;
    foresight f = {.module = module,
                   .cfg = cfg,
                   .stores = WPG_ARENA_ARRAY(arena, own_stores, module->bound),
                   .may = WPG_ARENA_ARRAY(arena, bool, module->bound),
                   .is = WPG_ARENA_ARRAY(arena, bool, module->bound),
                   .arena = arena};
    if (f.stores && f.may && f.is) {
        solve(&f);
        for (uint32_t c = 0; c < cfg->construct_count; c++)
            ids[c] = judge(&f, c);
    }
    wpg_vec_free(&f.operands);
    return arena->failed ? NULL : ids;
}
