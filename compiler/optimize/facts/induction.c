/* Reads a counted loop's test, its induction variable, and the bound that gives the counted trips. See
 * induction.h. */
#include "compiler/optimize/facts/induction.h"

#include "compiler/spirv/builder.h"
#include "compiler/spirv/const_fold.h"

/* The same 32 bits before bitcasts: Tint and Zink count in unsigned numbers, and cast on the way;
 * Zink casts constants, too. */
static uint32_t before_casts(const wpg_module *module, uint32_t id)
{
    const wpg_inst *inst = wpg_module_def(module, id);
    for (; inst && inst->opcode == SpvOpBitcast; inst = wpg_module_def(module, id)) {
        const wpg_inst *to = wpg_module_def(module, inst->type);
        if (!to || to->opcode != SpvOpTypeInt || to->words[2] != 32)
            break;
        id = inst->words[3];
    }
    return id;
}

bool wpg_is_u32_const(const wpg_module *module, uint32_t id, uint32_t *value)
{
    uint64_t bits;
    uint32_t width;
    if (!wpg_const_value(module, before_casts(module, id), &bits, &width) || width != 32)
        return false;
    *value = (uint32_t)bits;
    return true;
}

static bool is_signed_compare(SpvOp opcode)
{
    return opcode == SpvOpSGreaterThan || opcode == SpvOpSGreaterThanEqual || opcode == SpvOpSLessThan ||
           opcode == SpvOpSLessThanEqual;
}

bool wpg_compare_ints(SpvOp opcode, uint32_t a, uint32_t b)
{
    uint64_t result = 0;
    const uint64_t bits[] = {a, b};
    const uint32_t widths[] = {32, 32};
    return wpg_fold_scalar(&result, opcode, 1, bits, widths, 2) && result;
}

static bool stays(const wpg_guard_plan *plan, uint32_t induction, uint32_t bound)
{
    bool result = plan->bound_at == 4 ? wpg_compare_ints((SpvOp)plan->compare->opcode, induction, bound)
                                      : wpg_compare_ints((SpvOp)plan->compare->opcode, bound, induction);
    return result == plan->stays_on;
}

/* -- The test -- */

bool wpg_read_loop_test(wpg_guard_plan *plan, const wpg_view *view, uint32_t block)
{
    const wpg_cfg *cfg = view->cfg;
    const wpg_block *b = &cfg->blocks[block];
    if (b->terminator->opcode != SpvOpBranchConditional || b->rpo == WPG_NO_BLOCK ||
        b->loop != plan->loop.construct || !wpg_cfg_dominates(cfg, block, plan->loop.back_edge))
        return false;
    uint32_t t = wpg_cfg_find(cfg, b->terminator->words[2]), f = wpg_cfg_find(cfg, b->terminator->words[3]);
    if (t == WPG_NO_BLOCK || f == WPG_NO_BLOCK || plan->loop.inside[t] == plan->loop.inside[f] ||
        !wpg_loop_leads_to_merge(view, &plan->loop, plan->loop.inside[t] ? f : t))
        return false;
    wpg_inst *compare = wpg_module_def(view->module, b->terminator->words[1]);
    bool stays_on = plan->loop.inside[t];
    for (; compare && compare->opcode == SpvOpLogicalNot; stays_on = !stays_on)
        compare = wpg_module_def(view->module, compare->words[3]);
    if (!compare || !wpg_opcode_compares_ints(compare->opcode) || compare->count != 5)
        return false;
    plan->test = block;
    plan->compare = compare;
    plan->stays_on = stays_on;
    return true;
}

/* -- The induction variable -- */

static uint32_t induction_at(const wpg_induction *i, uint32_t evaluation) /* from 1 */
{
    return i->first + (evaluation - 1) * i->step;
}

bool wpg_read_induction(wpg_induction *out, const wpg_view *view, const wpg_loop *loop, uint32_t id)
{
    const wpg_module *module = view->module;
    id = before_casts(module, id);
    const wpg_inst *inst = wpg_module_def(module, id), *phi = inst;
    if (!inst)
        return false;
    if (inst->opcode == SpvOpIAdd || inst->opcode == SpvOpISub) {
        phi = wpg_module_def(module, before_casts(module, inst->words[3]));
        if (inst->opcode == SpvOpIAdd && (!phi || phi->opcode != SpvOpPhi))
            phi = wpg_module_def(module, before_casts(module, inst->words[4]));
    }
    if (!phi || phi->opcode != SpvOpPhi || phi->count != 7 || view->block_of[phi->result] != loop->header)
        return false;
    unsigned back = phi->words[4] == view->cfg->blocks[loop->back_edge].id ? 3 : 5;
    if (phi->words[back + 1] != view->cfg->blocks[loop->back_edge].id)
        return false;
    const wpg_inst *next = wpg_module_def(module, before_casts(module, phi->words[back]));
    uint32_t start, step;
    if (!next || next->count != 5 || !wpg_is_u32_const(module, phi->words[8 - back], &start))
        return false;
    bool phi_first = before_casts(module, next->words[3]) == phi->result,
         phi_second = before_casts(module, next->words[4]) == phi->result;
    if (phi_first == phi_second || !wpg_is_u32_const(module, next->words[phi_first ? 4 : 3], &step))
        return false;
    if (next->opcode == SpvOpISub && phi_first)
        step = 0u - step;
    else if (next->opcode != SpvOpIAdd)
        return false;
    if (!step || (id != phi->result && id != next->result))
        return false;
    *out = (wpg_induction){.first = id == phi->result ? start : start + step, .step = step};
    return true;
}

/* The test before a phi of the test itself and of constants: front ends write `i < n && !done` so, also where
 * `done` is false. NULL: the branch's condition is no such phi. */
static const wpg_inst *short_circuit(const wpg_view *view, const wpg_inst *branch)
{
    const wpg_module *module = view->module;
    const wpg_inst *phi = wpg_module_def(module, branch->words[1]);
    if (branch->opcode != SpvOpBranchConditional || !phi || phi->opcode != SpvOpPhi)
        return NULL;
    const uint32_t before = view->cfg->blocks[view->block_of[phi->result]].idom;
    const wpg_inst *end = before == WPG_NO_BLOCK ? NULL : view->cfg->blocks[before].terminator;
    if (!end || end->opcode != SpvOpBranchConditional)
        return NULL;
    for (unsigned i = 3; i < phi->count; i += 2) {
        const wpg_inst *value = wpg_module_def(module, phi->words[i]);
        if (value && value->opcode == SpvOpLogicalNot)
            value = wpg_module_def(module, value->words[3]);
        if (!value || (value->result != end->words[1] && !wpg_is_module_constant(module, value->result)))
            return NULL;
    }
    return wpg_module_def(module, end->words[1]);
}

/* The comparison that decides whether the loop is left at the block; NULL: none does. */
static const wpg_inst *leaving_test(const wpg_view *view, const wpg_loop *loop, uint32_t block)
{
    const wpg_block *b = &view->cfg->blocks[block];
    wpg_guard_plan plan = {.loop = *loop};
    bool leaves = false;
    for (uint32_t i = 0; loop->inside[block] && i < b->successor_count; i++)
        leaves |= !loop->inside[b->successors[i]];
    if (!leaves)
        return NULL;
    const wpg_inst *test =
        wpg_read_loop_test(&plan, view, block) ? plan.compare : short_circuit(view, b->terminator);
    return test && wpg_opcode_compares_ints(test->opcode) && test->count == 5 ? test : NULL;
}

bool wpg_loop_is_counted(const wpg_view *view, const wpg_loop *loop)
{
    for (uint32_t b = 0; b < view->cfg->count; b++) {
        const wpg_inst *test = leaving_test(view, loop, b);
        wpg_induction i;
        uint32_t limit;
        for (unsigned at = 3; test && at <= 4; at++)
            if (wpg_is_u32_const(view->module, test->words[at], &limit) &&
                wpg_read_induction(&i, view, loop, test->words[7 - at]))
                return true;
    }
    return false;
}

bool wpg_is_in_counted_loop(const wpg_view *view, uint32_t block)
{
    for (uint32_t c = block == WPG_NO_BLOCK ? view->cfg->construct_count : 0; c < view->cfg->construct_count;
         c++) {
        wpg_loop loop;
        if (view->cfg->constructs[c].kind == WPG_CONSTRUCT_LOOP && wpg_loop_describe(&loop, view, c) &&
            loop.members[block] && wpg_loop_is_counted(view, &loop))
            return true;
    }
    return false;
}

/* Does the loop leave exactly at the measured test with this bound? */
static bool leaves_on_time(const wpg_guard_plan *plan, const wpg_induction *i, uint32_t bound)
{
    for (uint32_t e = 1; e < plan->evaluations; e++)
        if (!stays(plan, induction_at(i, e), bound))
            return false;
    return !stays(plan, induction_at(i, plan->evaluations), bound);
}

/* Do the induction values up to the last test run one way in the comparison's order, without wrapping? */
static bool is_monotone(const wpg_guard_plan *plan, const wpg_induction *i)
{
    SpvOp opcode = (SpvOp)plan->compare->opcode;
    if (opcode == SpvOpIEqual || opcode == SpvOpINotEqual)
        return false;
    bool is_signed = is_signed_compare(opcode);
    int64_t value = is_signed ? (int64_t)(int32_t)i->first : (int64_t)i->first, step = (int32_t)i->step;
    int64_t end = value + step * (int64_t)(plan->evaluations - 1);
    return is_signed ? end >= INT32_MIN && end <= INT32_MAX : end >= 0 && end <= UINT32_MAX;
}

const char *wpg_bound_value_refusal(wpg_guard_plan *plan, const wpg_induction *i)
{
    plan->leaving = induction_at(i, plan->evaluations);
    plan->last = induction_at(i, plan->evaluations - 1);
    const uint32_t tries[] = {plan->leaving, plan->last, plan->leaving + 1, plan->leaving - 1};
    for (unsigned t = 0; t < sizeof tries / sizeof *tries; t++) {
        if (!leaves_on_time(plan, i, tries[t]))
            continue;
        plan->value = tries[t];
        plan->range = leaves_on_time(plan, i, tries[t] + 1) || leaves_on_time(plan, i, tries[t] - 1);
        return plan->range && !is_monotone(plan, i) ? "its induction variable wraps" : NULL;
    }
    return "no bound gives the trips that were counted";
}
