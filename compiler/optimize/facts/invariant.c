/* See invariant.h.
 *
 * Hoisting a condition moves integer and Boolean work, comparisons of floats, and loads of memory that cannot
 * change. It never moves a load that the loop might not have done. It moves no floating-point arithmetic:
 * what a driver contracts depends on the place of the arithmetic.
 *
 * Behind a test a driver knows the tested value, and puts it in place of equal expressions. Mesa's nir_opt_if
 * puts true and false for the condition, puts the constant for a value that was compared with one, and goes
 * through and, or and not. LLVM's GVN does so for values that compare equal, floats too. So the pass has to
 * know what drivers may know. */
#include "compiler/optimize/facts/invariant.h"

#include "compiler/spirv/builder.h"

enum { DEEPEST = 12 };

/* -- What may be computed before the loop -- */

static bool is_in(const wpg_view *view, const wpg_loop *loop, uint32_t id)
{
    uint32_t block = id < view->bound ? view->block_of[id] : WPG_NO_BLOCK;
    return block != WPG_NO_BLOCK && loop->members[block];
}

static const char *load_refusal(bool *late, const wpg_view *view, const wpg_loop *loop, const wpg_inst *load)
{
    const char *why = NULL;
    uint32_t block = view->block_of[load->result];
    if (!wpg_load_is_read_only(view->module, load) && !wpg_load_is_draw_constant(view->module, load, &why))
        return why;
    if (wpg_loop_has_call_or_atomic(view, loop))
        return "the condition is loaded in a loop with calls or atomics";
    if (wpg_block_surely_runs(view, loop, block))
        return NULL;
    *late = true;
    return wpg_block_surely_runs_late(view, loop, block) && wpg_first_test_is_plain(view, loop)
               ? NULL
               : "the condition is loaded in a block that may not run: hoisting would speculate the load";
}

static const char *refusal(bool *late, const wpg_view *view, const wpg_loop *loop, uint32_t id,
                           unsigned depth)
{
    const wpg_inst *inst = wpg_module_def(view->module, id);
    if (!inst || depth > DEEPEST)
        return "";
    if (!is_in(view, loop, id))
        return NULL;
    if (inst->opcode == SpvOpLoad) {
        /* An index that changes makes another value, whatever the memory. */
        const wpg_inst *root = wpg_pointer_root(view->module, inst->words[3]);
        const char *path = root ? refusal(late, view, loop, inst->words[3], depth + 1) : "";
        return path ? path : load_refusal(late, view, loop, inst);
    }
    unsigned traits = wpg_inst_traits(view->module, inst);
    if (!(traits & WPG_TRAIT_SPECULATABLE))
        return "";
    wpg_operand_list operands = {0};
    const char *why = wpg_used_ids(&operands, view->module, inst) ? NULL : "";
    for (size_t i = 0; !why && i < operands.count; i++)
        why = refusal(late, view, loop, inst->words[operands.data[i]], depth + 1);
    wpg_vec_free(&operands);
    if (!why && (traits & WPG_TRAIT_FLOAT))
        return "the condition takes floating-point arithmetic, which must stay where it is";
    return why;
}

const char *wpg_invariant_refusal(bool *late, const wpg_view *view, const wpg_loop *loop, uint32_t id)
{
    *late = false;
    return wpg_is_module_constant(view->module, id) ? "" : refusal(late, view, loop, id, 0);
}

/* -- Before the SSA tier -- */

static bool is_stored_in(const wpg_view *view, const wpg_loop *loop, const wpg_inst *variable)
{
    for (uint32_t b = 0; b < view->cfg->count; b++) {
        const wpg_block *block = &view->cfg->blocks[b];
        for (const wpg_inst *inst = block->label; loop->members[b] && inst != block->terminator;
             inst = inst->next) {
            bool plain = inst->opcode == SpvOpStore || inst->opcode == SpvOpCopyMemory ||
                         inst->opcode == SpvOpCopyMemorySized;
            const wpg_inst *root = plain ? wpg_pointer_root(view->module, inst->words[1]) : NULL;
            if (plain ? !root || root == variable
                      : inst->opcode == SpvOpFunctionCall ||
                            (inst->opcode == SpvOpExtInst &&
                             (wpg_inst_traits(view->module, inst) & WPG_TRAIT_WRITES)))
                return true;
        }
    }
    return false;
}

bool wpg_may_follow(const wpg_view *view, const wpg_loop *loop, uint32_t id, wpg_leaf_rule *leaf,
                    unsigned depth)
{
    const wpg_inst *inst = wpg_module_def(view->module, id);
    if (!inst || depth > DEEPEST)
        return false;
    if (!is_in(view, loop, id))
        return true;
    bool holds = false;
    if (leaf(&holds, view, loop, inst))
        return holds;
    unsigned traits = wpg_inst_traits(view->module, inst);
    if (!(traits & WPG_TRAIT_SPECULATABLE) || (traits & WPG_TRAIT_FLOAT))
        return false;
    wpg_operand_list operands = {0};
    bool may = wpg_used_ids(&operands, view->module, inst);
    for (size_t i = 0; may && i < operands.count; i++)
        may = wpg_may_follow(view, loop, inst->words[operands.data[i]], leaf, depth + 1);
    wpg_vec_free(&operands);
    return may;
}

static bool load_may_be_invariant(bool *holds, const wpg_view *view, const wpg_loop *loop,
                                  const wpg_inst *inst)
{
    if (inst->opcode != SpvOpLoad)
        return false;
    SpvStorageClass class = wpg_pointer_class(view->module, inst->words[3]);
    const wpg_inst *root = wpg_pointer_root(view->module, inst->words[3]);
    if (class == SpvStorageClassFunction || class == SpvStorageClassPrivate)
        *holds = root && !is_stored_in(view, loop, root);
    else
        *holds = wpg_load_is_read_only(view->module, inst) ||
                 wpg_load_is_draw_constant(view->module, inst, &(const char *){NULL});
    return true;
}

bool wpg_may_be_invariant(const wpg_view *view, const wpg_loop *loop, uint32_t id)
{
    return !wpg_is_module_constant(view->module, id) &&
           wpg_may_follow(view, loop, id, load_may_be_invariant, 0);
}

/* -- What follows -- */

bool wpg_knowledge_init(wpg_knowledge *k, const wpg_view *view, wpg_arena *arena)
{
    *k = (wpg_knowledge){.view = view, .fact_of = WPG_ARENA_ARRAY(arena, uint32_t, view->bound)};
    for (uint32_t id = 0; k->fact_of && id < view->bound; id++)
        k->fact_of[id] = WPG_NO_FACT;
    return k->fact_of != NULL;
}

/* Are both defined in the function, by instructions of one kind? */
static bool look_alike(const wpg_view *view, uint32_t a, uint32_t b)
{
    const wpg_inst *x = wpg_module_def(view->module, a), *y = wpg_module_def(view->module, b);
    return x && y && x->opcode == y->opcode && x->count == y->count && x->type == y->type &&
           wpg_view_is_local(view, a) && wpg_view_is_local(view, b);
}

/* Do the two compute the same, so that a driver may take one for the other? */
static bool is_same(const wpg_view *view, uint32_t a, uint32_t b, unsigned depth)
{
    const wpg_inst *x = wpg_module_def(view->module, a), *y = wpg_module_def(view->module, b);
    if (a == b)
        return true;
    if (depth > DEEPEST || !look_alike(view, a, b))
        return false;
    if (x->opcode != SpvOpLoad && !(wpg_inst_traits(view->module, x) & WPG_TRAIT_SPECULATABLE))
        return false;
    for (uint16_t i = 3; i < x->count; i++) /* most differ at a glance: a literal, or an id of another kind */
        if (x->words[i] != y->words[i] && !look_alike(view, x->words[i], y->words[i]))
            return false;
    wpg_operand_list operands = {0};
    bool same = wpg_used_ids(&operands, view->module, x);
    uint16_t at = 0;
    for (uint16_t i = 3; same && i < x->count; i++) {
        while (at < operands.count && operands.data[at] < i)
            at++;
        bool is_id = at < operands.count && operands.data[at] == i;
        same = is_id ? is_same(view, x->words[i], y->words[i], depth + 1) : x->words[i] == y->words[i];
    }
    wpg_vec_free(&operands);
    return same && (x->opcode != SpvOpLoad || wpg_load_is_read_only(view->module, x) ||
                    wpg_load_is_draw_constant(view->module, x, &(const char *){NULL}));
}

static void learn(wpg_knowledge *k, uint32_t id, uint32_t bits, uint32_t *mask)
{
    if (!wpg_view_is_local(k->view, id))
        return;
    if (k->count >= WPG_MOST_FACTS) {
        k->overflows = true;
        return;
    }
    uint32_t fact = k->count++;
    k->bits[fact] = bits;
    *mask |= UINT32_C(1) << fact;
    for (uint32_t other = 0; other < k->view->bound; other++)
        if (k->fact_of[other] == WPG_NO_FACT && wpg_view_is_local(k->view, other) &&
            is_same(k->view, id, other, 0))
            k->fact_of[other] = fact;
}

/* The two are equal: one may stand for the other. */
static void know_equal(wpg_knowledge *k, uint32_t a, uint32_t b)
{
    uint64_t bits;
    uint32_t width;
    if (wpg_const_value(k->view->module, a, &bits, &width) && width == 32)
        learn(k, b, (uint32_t)bits, &k->facts);
    else if (wpg_const_value(k->view->module, b, &bits, &width) && width == 32)
        learn(k, a, (uint32_t)bits, &k->facts);
    else {
        learn(k, a, 0, &k->vague);
        learn(k, b, 0, &k->vague);
    }
}

static void know_different(wpg_knowledge *k, uint32_t a, uint32_t b)
{
    uint64_t bits;
    uint32_t width;
    if (wpg_const_value(k->view->module, a, &bits, &width) && width == 32)
        learn(k, b, (uint32_t)bits, &k->excluded);
    else if (wpg_const_value(k->view->module, b, &bits, &width) && width == 32)
        learn(k, a, (uint32_t)bits, &k->excluded);
}

static void know_condition(wpg_knowledge *k, uint32_t id, bool holds, unsigned depth)
{
    const wpg_inst *inst = wpg_module_def(k->view->module, id);
    learn(k, id, holds, &k->facts);
    if (!inst || depth > DEEPEST || !wpg_view_is_local(k->view, id))
        return;
    switch ((SpvOp)inst->opcode) {
    case SpvOpLogicalNot:
        know_condition(k, inst->words[3], !holds, depth + 1);
        break;
    case SpvOpCopyObject:
        know_condition(k, inst->words[3], holds, depth + 1);
        break;
    case SpvOpLogicalAnd:
    case SpvOpLogicalOr:
        if (holds != (inst->opcode == SpvOpLogicalAnd))
            break;
        know_condition(k, inst->words[3], holds, depth + 1);
        know_condition(k, inst->words[4], holds, depth + 1);
        break;
    case SpvOpIEqual:
    case SpvOpINotEqual:
        (holds == (inst->opcode == SpvOpIEqual) ? know_equal : know_different)(k, inst->words[3],
                                                                               inst->words[4]);
        break;
    case SpvOpLogicalEqual:
    case SpvOpLogicalNotEqual: /* of two Booleans either way says as much */
        learn(k, inst->words[3], 0, &k->vague);
        learn(k, inst->words[4], 0, &k->vague);
        break;
    case SpvOpFOrdEqual:
    case SpvOpFUnordEqual:
    case SpvOpFOrdNotEqual:
    case SpvOpFUnordNotEqual:
        if (holds == (inst->opcode == SpvOpFOrdEqual || inst->opcode == SpvOpFUnordEqual)) {
            learn(k, inst->words[3], 0, &k->vague);
            learn(k, inst->words[4], 0, &k->vague);
        }
        break;
    default:
        break;
    }
}

void wpg_know(wpg_knowledge *k, uint32_t id, uint32_t bits, bool excluded)
{
    const wpg_inst *inst = wpg_module_def(k->view->module, id);
    if (inst && wpg_module_opcode_of(k->view->module, inst->type) == SpvOpTypeBool)
        know_condition(k, id, (bits != 0) != excluded, 0);
    else
        learn(k, id, bits, excluded ? &k->excluded : &k->facts);
}
