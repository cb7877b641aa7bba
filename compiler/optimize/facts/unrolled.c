/* See unrolled.h.
 *
 * A forward may-analysis over the function, to a fixed point. `may`: constant somewhere after unrolling.
 * `is`: constant already, so folded with and without us. */
#include "compiler/optimize/facts/unrolled.h"

#include <string.h>

#include "compiler/optimize/ir/legality.h"
#include "compiler/spirv/builder.h"

typedef struct folding {
    const wpg_view *view;
    bool *may, *is;        /* [bound] */
    bool *holds;           /* [bound] Function and Private variables that may hold a constant somewhere */
    const uint32_t *known; /* [bound] constants that ids are taken to equal; 0: not. NULL: none */
    wpg_operand_list operands;
    WPG_VEC(uint32_t) variables;     /* of the function and the module */
    WPG_VEC(const wpg_inst *) work;  /* to be looked at again */
    WPG_VEC(const wpg_inst *) again; /* loads of the shader's own memory, and parts taken out of vectors */
    bool again_due, failed;
} folding;

static bool is_module_constant(const folding *f, uint32_t id)
{
    return wpg_is_module_constant(f->view->module, id) ||
           wpg_module_opcode_of(f->view->module, id) == SpvOpExtInstImport; /* an operand of OpExtInst */
}

bool wpg_one_part_folds(SpvOp opcode)
{
    return opcode == SpvOpPhi || opcode == SpvOpCompositeConstruct || opcode == SpvOpCompositeInsert ||
           opcode == SpvOpVectorShuffle || opcode == SpvOpVectorInsertDynamic || opcode == SpvOpSelect ||
           opcode == SpvOpLogicalOr || opcode == SpvOpLogicalAnd;
}

/* -- Zeros -- */

/* May a part of the constant be that number? */
static bool constant_may_be(const wpg_module *module, uint32_t id, uint32_t number, unsigned depth)
{
    const wpg_inst *def = wpg_module_def(module, id);
    uint64_t bits;
    uint32_t width;
    if (def && def->opcode == SpvOpConstantComposite && depth < 4) {
        for (uint32_t i = 3; i < def->count; i++)
            if (constant_may_be(module, def->words[i], number, depth + 1))
                return true;
        return false;
    }
    if (!wpg_const_value(module, id, &bits, &width) || bits == number)
        return true;
    return !number && !(bits & ~(UINT64_C(1) << (width - 1))); /* -0 */
}

/* The constant that a value is taken to equal; 0: none. */
static uint32_t constant_of(const folding *f, uint32_t id)
{
    return is_module_constant(f, id) ? id : f->known && id < f->view->bound ? f->known[id] : 0;
}

/* The constant that a part of a vector is taken to equal; 0: none. */
static uint32_t part_of(const folding *f, uint32_t id, uint32_t part, unsigned depth)
{
    const wpg_module *module = f->view->module;
    const wpg_inst *def = wpg_module_def(module, id), *constant = wpg_module_def(module, constant_of(f, id));
    if (constant)
        return constant->opcode == SpvOpConstantComposite && part + 3u < constant->count
                   ? constant->words[3 + part]
                   : 0;
    if (!def || depth > 8)
        return 0;
    if (def->opcode == SpvOpBitcast || def->opcode == SpvOpCopyObject)
        return part_of(f, def->words[3], part, depth + 1);
    if (def->opcode != SpvOpVectorShuffle || part + 5u >= def->count)
        return 0;
    const uint32_t from = def->words[5 + part];
    const wpg_inst *first = wpg_module_def(module, def->words[3]);
    const wpg_inst *type = first ? wpg_module_def(module, first->type) : NULL;
    if (!type || type->opcode != SpvOpTypeVector || from == UINT32_MAX)
        return 0;
    return from < type->words[3] ? part_of(f, def->words[3], from, depth + 1)
                                 : part_of(f, def->words[4], from - type->words[3], depth + 1);
}

/* May the value be that number once it is constant? */
static bool may_be(const folding *f, uint32_t id, uint32_t number, unsigned depth)
{
    const wpg_inst *def = wpg_module_def(f->view->module, id);
    if (!def || depth > 8)
        return true;
    if (constant_of(f, id))
        return constant_may_be(f->view->module, constant_of(f, id), number, 0);
    switch ((SpvOp)def->opcode) {
    case SpvOpCompositeExtract:
        if (def->count == 5 && part_of(f, def->words[3], def->words[4], 0))
            return constant_may_be(f->view->module, part_of(f, def->words[3], def->words[4], 0), number, 0);
        return may_be(f, def->words[3], number, depth + 1);
    case SpvOpBitcast:
    case SpvOpCopyObject:
        return may_be(f, def->words[3], number, depth + 1);
    case SpvOpVectorShuffle:
        for (uint32_t part = 0; part + 5u < def->count; part++) {
            const uint32_t constant = part_of(f, id, part, 0);
            if (!constant || constant_may_be(f->view->module, constant, number, 0))
                return true;
        }
        return false;
    case SpvOpSelect:
        return may_be(f, def->words[4], number, depth + 1) || may_be(f, def->words[5], number, depth + 1);
    default:
        return true;
    }
}

/* One constant operand is enough where it is a zero: 0 * x, 0 / x, 0 << x; or a one: x % 1. */
static bool one_may_decide(const folding *f, const wpg_inst *inst)
{
    if (inst->count < 5)
        return false;
    const uint32_t a = inst->words[3], b = inst->words[4];
    switch ((SpvOp)inst->opcode) {
    case SpvOpIMul:
    case SpvOpBitwiseAnd:
    case SpvOpFMul:
    case SpvOpVectorTimesScalar:
        return (f->may[a] && may_be(f, a, 0, 0)) || (f->may[b] && may_be(f, b, 0, 0));
    case SpvOpUMod:
    case SpvOpSMod:
    case SpvOpSRem:
        return (f->may[a] && may_be(f, a, 0, 0)) || (f->may[b] && may_be(f, b, 1, 0));
    case SpvOpUDiv:
    case SpvOpSDiv:
    case SpvOpShiftLeftLogical:
    case SpvOpShiftRightLogical:
    case SpvOpShiftRightArithmetic:
        return f->may[a] && may_be(f, a, 0, 0);
    default:
        return false;
    }
}

/* -- Memory of the shader's own -- */

static bool is_own(const wpg_module *module, uint32_t pointer)
{
    SpvStorageClass class = wpg_pointer_class(module, pointer);
    return class == SpvStorageClassFunction || class == SpvStorageClassPrivate;
}

static bool reads_own_memory(const wpg_module *module, const wpg_inst *inst)
{
    return inst->opcode == SpvOpLoad && is_own(module, inst->words[3]);
}

/* The variable may hold anything. A pointer that is not followed may lead to each. */
static void give_up(folding *f, uint32_t pointer)
{
    uint32_t variable = wpg_own_variable(f->view->module, pointer);
    for (uint32_t id = variable; id < (variable ? variable + 1 : f->view->bound); id++)
        f->holds[id] = true;
}

/* Is the variable stored to as a whole in the entry block, before any other use? Then nothing sees what it
 * held at first. */
static bool starts_stored(const folding *f, uint32_t variable)
{
    const wpg_block *entry = &f->view->cfg->blocks[0];
    uint32_t first = f->view->first_user[variable];
    const wpg_inst *user = first < f->view->first_user[variable + 1] ? f->view->users[first] : NULL;
    if (!user || user->opcode != SpvOpStore || user->words[1] != variable)
        return false;
    for (const wpg_inst *inst = entry->label; inst != entry->terminator; inst = inst->next)
        if (inst == user)
            return true;
    return false;
}

static bool takes_pointers_plainly(const wpg_module *module, const wpg_inst *inst)
{
    return inst->opcode == SpvOpLoad || inst->opcode == SpvOpVariable || inst->opcode == SpvOpAccessChain ||
           inst->opcode == SpvOpInBoundsAccessChain || wpg_inst_is_non_semantic(module, inst);
}

/* What this function does with the pointer but loads and access chains. */
static void note_uses(folding *f, bool *stored, uint32_t pointer)
{
    const wpg_view *view = f->view;
    const uint32_t variable = wpg_own_variable(view->module, pointer);
    for (uint32_t u = view->first_user[pointer]; u < view->first_user[pointer + 1]; u++) {
        const wpg_inst *user = view->users[u];
        if (takes_pointers_plainly(view->module, user))
            continue;
        if (user->opcode != SpvOpStore)
            give_up(f, pointer);
        else if (user->words[1] == pointer && variable)
            stored[variable] = true;
        else if (user->words[1] == pointer)
            give_up(f, pointer);
    }
}

/* Of other functions, any use but loads and access chains. */
static bool note_other_functions(folding *f)
{
    const wpg_module *module = f->view->module;
    const wpg_cfg *cfg = f->view->cfg;
    const wpg_inst *own_end = wpg_function_end(cfg->blocks[cfg->count - 1].terminator);
    for (const wpg_inst *inst = wpg_first_function(module); inst; inst = inst->next) {
        if (inst == f->view->function)
            inst = own_end;
        if (takes_pointers_plainly(module, inst) || (wpg_inst_traits(module, inst) & WPG_TRAIT_FLOAT))
            continue;
        if (!wpg_used_ids(&f->operands, module, inst))
            return false;
        for (size_t i = 0; i < f->operands.count; i++)
            if (is_own(module, inst->words[f->operands.data[i]]))
                give_up(f, inst->words[f->operands.data[i]]);
    }
    return true;
}

static void note_pointer(folding *f, bool *stored, const wpg_inst *def)
{
    const uint32_t id = def->result;
    if (def->opcode >= SpvOpSNegate && def->opcode <= SpvOpFwidthCoarse && def->opcode != SpvOpSelect)
        return; /* numbers, for speed */
    if (!id || id >= f->view->bound || !is_own(f->view->module, id))
        return;
    if (def->opcode == SpvOpVariable) {
        f->holds[id] |= def->count > 4 && !starts_stored(f, id);
        f->failed |= !wpg_vec_push(&f->variables, id);
    }
    note_uses(f, stored, id);
}

/* Variables written by anything but stores of this function, those that are never stored to, and those that
 * start with a constant. */
static bool find_holders(folding *f, wpg_arena *arena)
{
    bool *stored = WPG_ARENA_ARRAY(arena, bool, f->view->bound);
    if (!stored || !note_other_functions(f))
        return false;
    for (const wpg_inst *inst = f->view->module->first; inst && inst->opcode != SpvOpFunction;
         inst = inst->next)
        note_pointer(f, stored, inst);
    for (const wpg_inst *inst = f->view->function; wpg_in_function(inst); inst = inst->next)
        note_pointer(f, stored, inst);
    f->holds[0] = true; /* what is no variable here */
    for (size_t i = 0; i < f->variables.count; i++)
        f->holds[f->variables.data[i]] |= !stored[f->variables.data[i]];
    return !f->failed;
}

static void visit_store(folding *f, const wpg_inst *store)
{
    uint32_t variable = wpg_own_variable(f->view->module, store->words[1]);
    bool changed = f->may[store->words[2]] && !f->holds[variable];
    f->holds[variable] |= changed;
    f->again_due |= changed;
}

/* -- The analysis -- */

static bool moves_parts(SpvOp opcode)
{
    return opcode == SpvOpCompositeConstruct || opcode == SpvOpCompositeInsert ||
           opcode == SpvOpVectorShuffle;
}

/* The number that is a part of a vector, through what only moves parts; 0: not told. */
static uint32_t moved_part(const wpg_module *module, uint32_t vector, uint32_t part)
{
    for (unsigned depth = 0; depth < 16; depth++) {
        const wpg_inst *def = wpg_module_def(module, vector);
        const wpg_inst *type = def ? wpg_module_def(module, def->type) : NULL;
        if (!type || type->opcode != SpvOpTypeVector || part >= type->words[3])
            return 0;
        if (def->opcode == SpvOpCompositeInsert && def->count == 6) {
            if (def->words[5] == part)
                return def->words[3];
            vector = def->words[4];
        } else if (def->opcode == SpvOpCompositeConstruct) {
            return def->count == 3 + type->words[3] ? def->words[3 + part] : 0; /* of numbers */
        } else if (def->opcode == SpvOpVectorShuffle && def->words[5 + part] != UINT32_MAX) {
            const wpg_inst *first = wpg_module_def(module, def->words[3]);
            const wpg_inst *from = first ? wpg_module_def(module, first->type) : NULL;
            if (!from || from->opcode != SpvOpTypeVector)
                return 0;
            const bool in_first = def->words[5 + part] < from->words[3];
            vector = def->words[in_first ? 3 : 4];
            part = def->words[5 + part] - (in_first ? 0 : from->words[3]);
        } else {
            return 0;
        }
    }
    return 0;
}

/* The number that an extract takes; 0: not told. */
static uint32_t part_taken(const wpg_module *module, const wpg_inst *inst)
{
    return inst->opcode == SpvOpCompositeExtract && inst->count == 5
               ? moved_part(module, inst->words[3], inst->words[4])
               : 0;
}

/* Evaluates one instruction; true if its result changed. */
static bool visit(folding *f, const wpg_inst *inst)
{
    const wpg_module *module = f->view->module;
    if (inst->opcode == SpvOpStore)
        visit_store(f, inst);
    if (!inst->result || (f->may[inst->result] && f->is[inst->result]))
        return false;
    bool may = false, is = false;
    const bool *known_may = f->may, *known_is = f->is;
    unsigned traits = wpg_inst_traits(module, inst);
    const uint32_t part = part_taken(module, inst);
    if (part) {
        may = f->may[part];
        is = f->is[part];
    } else if (reads_own_memory(module, inst)) {
        may = f->holds[wpg_own_variable(module, inst->words[3])];
    } else if (inst->opcode == SpvOpPhi || ((traits & WPG_TRAIT_PURE) && !(traits & WPG_TRAIT_READS))) {
        if (!wpg_used_ids(&f->operands, module, inst))
            return false;
        bool all = true, any = false, all_is = true;
        size_t step = inst->opcode == SpvOpPhi ? 2 : 1;
        for (size_t i = 0; i < f->operands.count; i += step) {
            uint32_t id = inst->words[f->operands.data[i]];
            all &= known_may[id];
            any |= known_may[id];
            all_is &= known_is[id];
        }
        may = wpg_one_part_folds((SpvOp)inst->opcode) ? any : all || one_may_decide(f, inst);
        is = all_is && inst->opcode != SpvOpPhi;
    }
    bool changed = (may && !f->may[inst->result]) || (is && !f->is[inst->result]);
    f->may[inst->result] |= may;
    f->is[inst->result] |= is;
    return changed;
}

/* The users of the id are to be looked at again: phis alone, or all. */
static bool note_users(folding *f, uint32_t id, bool phis)
{
    for (uint32_t i = f->view->first_user[id]; i < f->view->first_user[id + 1]; i++)
        if (!phis || f->view->users[i]->opcode == SpvOpPhi)
            f->failed |= !wpg_vec_push(&f->work, f->view->users[i]);
    return !f->failed;
}

static void visit_and_note(folding *f, const wpg_inst *inst, bool phis)
{
    if (visit(f, inst))
        (void)note_users(f, inst->result, phis);
}

/* What hangs on a change, to the fixed point. A vector with another constant part is what it was, but not
 * what is taken out of it, which is looked at again. */
static bool settle(folding *f)
{
    while (f->work.count || f->again_due) {
        while (f->work.count) {
            const wpg_inst *inst = wpg_vec_pop(&f->work);
            f->again_due |= moves_parts((SpvOp)inst->opcode);
            visit_and_note(f, inst, false);
        }
        const size_t count = f->again_due ? f->again.count : 0;
        f->again_due = false;
        for (size_t i = 0; i < count; i++)
            visit_and_note(f, f->again.data[i], false);
    }
    return !f->failed;
}

static void note_again(folding *f, const wpg_inst *inst)
{
    if (reads_own_memory(f->view->module, inst) || part_taken(f->view->module, inst))
        f->failed |= !wpg_vec_push(&f->again, inst); /* NOLINT(bugprone-sizeof-expression) */
}

static bool list_again(folding *f)
{
    const wpg_cfg *cfg = f->view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++)
        for (const wpg_inst *inst = cfg->blocks[b].label; inst != cfg->blocks[b].terminator;
             inst = inst->next)
            note_again(f, inst);
    return !f->failed;
}

/* Each instruction once, in an order in which only phis come before what they use. */
static bool visit_all(folding *f)
{
    const wpg_cfg *cfg = f->view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++)
        for (const wpg_inst *inst = cfg->blocks[b].label; inst != cfg->blocks[b].terminator;
             inst = inst->next) {
            visit_and_note(f, inst, true);
            note_again(f, inst);
        }
    return settle(f);
}

static bool make_tables(folding *f, const wpg_view *view, const uint32_t *known, wpg_arena *arena)
{
    *f = (folding){.view = view,
                   .known = known,
                   .may = WPG_ARENA_ARRAY(arena, bool, view->bound),
                   .is = WPG_ARENA_ARRAY(arena, bool, view->bound),
                   .holds = WPG_ARENA_ARRAY(arena, bool, view->bound)};
    return f->may && f->is && f->holds;
}

static void note_constant(folding *f, const wpg_inst *inst)
{
    if (inst->result && inst->result < f->view->bound && is_module_constant(f, inst->result))
        f->is[inst->result] = f->may[inst->result] = true;
}

static bool solve(folding *f, wpg_arena *arena)
{
    if (!find_holders(f, arena))
        return false;
    for (uint32_t id = 0; f->known && id < f->view->bound; id++)
        f->may[id] = f->known[id] != 0;
    for (const wpg_inst *inst = f->view->module->first; inst && inst->opcode != SpvOpFunction;
         inst = inst->next)
        note_constant(f, inst);
    for (const wpg_inst *inst = f->view->function; wpg_in_function(inst); inst = inst->next)
        if (inst->opcode == SpvOpUndef)
            note_constant(f, inst);
    return visit_all(f);
}

/* Frees what is not in the arena. */
static void finish(wpg_unrolled *unrolled, folding *f)
{
    wpg_vec_free(&f->operands);
    wpg_vec_free(&f->variables);
    wpg_vec_free(&f->work);
    wpg_vec_free(&f->again);
    *unrolled = (wpg_unrolled){.view = f->view, .may = f->may, .is = f->is, .holds = f->holds};
}

bool wpg_unrolled_with(wpg_unrolled *unrolled, const wpg_view *view, const uint32_t *known, wpg_arena *arena)
{
    folding f;
    const bool solved = make_tables(&f, view, known, arena) && solve(&f, arena);
    finish(unrolled, &f);
    return solved;
}

const wpg_unrolled *wpg_unrolled_of(const wpg_view *view)
{
    wpg_view_memo *memo = view->memo;
    if (!memo->unrolled) {
        wpg_unrolled *made = WPG_ARENA_NEW(memo->arena, wpg_unrolled);
        if (made && wpg_unrolled_with(made, view, NULL, memo->arena))
            memo->unrolled = made;
    }
    return memo->unrolled;
}

/* One more constant makes no value vary that did not: the fixed point is found from the one without it. */
bool wpg_unrolled_with_one(wpg_unrolled *unrolled, const wpg_view *view, uint32_t one, wpg_arena *arena)
{
    const wpg_unrolled *base = wpg_unrolled_of(view);
    folding f;
    bool solved = base && make_tables(&f, view, NULL, arena);
    if (!solved)
        return false;
    memcpy(f.may, base->may, view->bound * sizeof *f.may);
    memcpy(f.is, base->is, view->bound * sizeof *f.is);
    memcpy(f.holds, base->holds, view->bound * sizeof *f.holds);
    if (one < view->bound && !f.may[one]) {
        f.may[one] = true;
        solved = list_again(&f) && note_users(&f, one, false) && settle(&f);
    }
    finish(unrolled, &f);
    return solved;
}
