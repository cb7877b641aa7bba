/* See divisor_table.h.
 *
 *      q = n / d                 w = block.word                              d follows from the word
 *                                m = w == 96 ? 0x55555556 : w == 40 ? 0x9999999a : 0
 *                          =>    s = w == 96 ? 6 : w == 40 ? 5 : 0
 *                                if (m != 0)
 *                                    h = high half of n * m
 *                                    a = (((n - h) >> 1) + h) >> s
 *                                else
 *                                    b = n / d
 *                                q = phi a b
 *
 * The product is the quotient for every n (Granlund, Montgomery: Division by Invariant Integers using
 * Multiplication, 1994, figure 4.1). Two things are assumed: d follows from the word, and the word has the
 * value that it was compared with. A version of the stage for each value would copy the whole body. A
 * table costs some selects, and no barrier comes to stand behind a branch.
 *
 * Integers alone: no float is moved, and none is parted from what a driver fuses it with. A word is the same
 * for all invocations, so the branch is uniform. */
#include "compiler/optimize/fold/divisor_table.h"

#include "compiler/analysis/graph/inst_cost.h"
#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/ir/branch_weights.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/split.h"
#include "compiler/spirv/builder.h"

static const char PASS[] = "versions";

enum { MOST_DEPTH = 6 }; /* of divisors that are compared */

/* Weighted instructions of a product, and of a value in its table. Measured on lavapipe, which has no scalar
 * unit: a division costs more there than its weight says, so a value counts for half. */
static const double PRODUCT_COST = 6, CASE_COST = 1, CASE_COST_MEASURED = 0.5;

static bool divides(const wpg_inst *inst)
{
    return (inst->opcode == SpvOpUDiv || inst->opcode == SpvOpUMod) && inst->count == 5;
}

static bool is_u32(const wpg_module *module, uint32_t type)
{
    const wpg_inst *def = wpg_module_def(module, type);
    return def && def->opcode == SpvOpTypeInt && def->words[2] == 32 && !def->words[3];
}

static bool is_value(const wpg_solution *solution, uint32_t id)
{
    return id < solution->view->bound && solution->values[id].kind == WPG_SOLVED_VALUE;
}

/* May the block be split before the instruction? */
static bool may_split(const wpg_load_folded *folded, const wpg_inst *inst)
{
    const uint32_t block = folded->view->block_of[inst->result];
    return !wpg_block_stays_whole_because(folded->view->cfg, block) &&
           !wpg_split_parts_exact(folded->view, folded->exact, block, inst) &&
           !wpg_split_parts_sampled(folded->view, block, inst, NULL, 0) &&
           !wpg_is_in_counted_float_loop(folded->view, block);
}

static bool is_listed(const wpg_load_folded *folded, const wpg_inst *inst)
{
    return divides(inst) && is_value(folded->after, inst->words[4]) &&
           !wpg_is_one(folded->before, inst->words[4]) && !wpg_is_one(folded->after, inst->words[3]) &&
           is_u32(folded->view->module, inst->type) && may_split(folded, inst);
}

bool wpg_divisors_list(wpg_divisor_table *table, const wpg_load_folded *folded, uint32_t block,
                       bool no_scalar_unit)
{
    const wpg_cfg *cfg = folded->view->cfg;
    const wpg_divergence *divergence = wpg_view_divergence(folded->view);
    *table = (wpg_divisor_table){.block = block, .no_scalar_unit = no_scalar_unit};
    for (uint32_t b = 0; divergence && b < cfg->count; b++)
        for (wpg_inst *inst = cfg->blocks[b].label;
             folded->after->runs[b] && inst != cfg->blocks[b].terminator; inst = inst->next) {
            if (!is_listed(folded, inst))
                continue;
            if (table->division_count == WPG_MOST_DIVISIONS ||
                (!no_scalar_unit && wpg_divergence_at(divergence, inst->words[3], b) != WPG_DIVERGENT))
                return false;
            table->divisions[table->division_count++] = inst;
        }
    return table->division_count;
}

bool wpg_divisors_add(wpg_divisor_table *table, const wpg_load_folded *folded, uint32_t value)
{
    if (table->case_count == WPG_MOST_DIVISOR_CASES)
        return false;
    wpg_divisor_case *one = &table->cases[table->case_count];
    one->value = value;
    for (uint32_t i = 0; i < table->division_count; i++) {
        const uint32_t divisor = table->divisions[i]->words[4];
        if (!is_value(folded->after, divisor) || !(uint32_t)folded->after->values[divisor].bits)
            return false;
        one->divisors[i] = (uint32_t)folded->after->values[divisor].bits;
    }
    table->case_count++;
    return true;
}

/* -- Equal divisions -- */

/* Do both loads read one place of the uniform block that the table's word is in? */
static bool is_same_word(const wpg_module *module, const wpg_divisor_table *table, const wpg_inst *a,
                         const wpg_inst *b)
{
    wpg_word_place x, y;
    return wpg_word_place_of(&x, module, a) && wpg_word_place_of(&y, module, b) && x.count == y.count &&
           x.variable == y.variable && x.variable == table->block &&
           memcmp(x.indices, y.indices, x.count * sizeof *x.indices) == 0;
}

/* Are they one expression of the same values? */
static bool is_same(const wpg_module *module, const wpg_divisor_table *table, uint32_t a, uint32_t b,
                    unsigned depth)
{
    const wpg_inst *x = wpg_module_def(module, a), *y = wpg_module_def(module, b);
    if (a == b)
        return true;
    if (!x || !y || depth == MOST_DEPTH || x->opcode != y->opcode || x->count != y->count ||
        x->type != y->type)
        return false;
    if (x->opcode == SpvOpLoad)
        return is_same_word(module, table, x, y);
    if (x->opcode == SpvOpCompositeExtract)
        return is_same(module, table, x->words[3], y->words[3], depth + 1) &&
               memcmp(x->words + 4, y->words + 4, (x->count - 4u) * sizeof *x->words) == 0;
    if (x->opcode != SpvOpSelect && x->opcode != SpvOpIEqual && x->opcode != SpvOpINotEqual)
        return false;
    for (uint32_t i = 3; i < x->count; i++)
        if (!is_same(module, table, x->words[i], y->words[i], depth + 1))
            return false;
    return true;
}

/* An earlier division of the same block that gives the same; NULL: there is none. */
static const wpg_inst *earlier(const wpg_view *view, const wpg_divisor_table *table, uint32_t i)
{
    const wpg_inst *inst = table->divisions[i];
    for (uint32_t k = 0; k < i; k++) {
        const wpg_inst *other = table->divisions[k];
        if (other->opcode == inst->opcode && other->type == inst->type && other->words[3] == inst->words[3] &&
            view->block_of[other->result] == view->block_of[inst->result] &&
            is_same(view->module, table, other->words[4], inst->words[4], 0))
            return other;
    }
    return NULL;
}

double wpg_divisors_saving(const wpg_view *view, const wpg_divisor_table *table,
                           const wpg_function_profile *profile)
{
    const double of_case = table->no_scalar_unit ? CASE_COST_MEASURED : CASE_COST;
    double saved = 0;
    for (uint32_t i = 0; i < table->division_count; i++) {
        const uint32_t block = view->block_of[table->divisions[i]->result];
        const wpg_block_weight *weight = wpg_profile_block(profile, view->cfg->blocks[block].id);
        const double price = earlier(view, table, i) ? 0 : PRODUCT_COST + of_case * table->case_count;
        saved += (0.75 * wpg_inst_cost(view->module, table->divisions[i]) - price) *
                 (weight ? (double)weight->lanes : 0);
    }
    return saved;
}

/* -- The products -- */

wpg_divisor_product wpg_divisor_product_of(uint32_t divisor)
{
    uint32_t length = 0; /* the least with divisor <= 2^length */
    while (length < 32 && (UINT64_C(1) << length) < divisor)
        length++;
    const uint64_t rest = (UINT64_C(1) << length) - divisor;
    return (wpg_divisor_product){.factor = (uint32_t)((rest << 32) / divisor + 1),
                                 .halving = length != 0,
                                 .shift = length ? length - 1 : 0};
}

typedef struct maker {
    wpg_module *module;
    wpg_inst *where; /* what is made stands before it */
    uint32_t u32, boolean, pair;
} maker;

static uint32_t make(const maker *m, SpvOp opcode, uint32_t type, uint32_t a, uint32_t b)
{
    const uint32_t result = wpg_module_fresh_id(m->module);
    (void)wpg_inst_add(m->module, m->where, opcode, type, result, a, b);
    return result;
}

static uint32_t choose(const maker *m, uint32_t condition, uint32_t value, uint32_t other)
{
    const uint32_t result = wpg_module_fresh_id(m->module);
    (void)wpg_inst_add(m->module, m->where, SpvOpSelect, m->u32, result, condition,
                       wpg_const_u32(m->module, value), other);
    return result;
}

/* Of the values that the division's word may have: factor and shifts. A factor of 0: it has none of them. */
typedef struct chosen {
    uint32_t factor, halving, shift;
} chosen;

static chosen choose_product(const maker *m, const wpg_divisor_table *table, uint32_t division, uint32_t word)
{
    const uint32_t zero = wpg_const_u32(m->module, 0), one = wpg_const_u32(m->module, 1);
    chosen all = {zero, one, zero};
    for (uint32_t c = table->case_count; c-- > 0;) {
        const wpg_divisor_product of = wpg_divisor_product_of(table->cases[c].divisors[division]);
        const uint32_t has =
            make(m, SpvOpIEqual, m->boolean, word, wpg_const_u32(m->module, table->cases[c].value));
        all.factor = choose(m, has, of.factor, all.factor);
        all.shift = choose(m, has, of.shift, all.shift);
        if (!of.halving) /* a divisor of 1 */
            all.halving = choose(m, has, 0, all.halving);
    }
    return all;
}

/* The quotient or remainder by a product. */
static uint32_t make_product(const maker *m, const wpg_inst *division, const chosen *by)
{
    const uint32_t n = division->words[3], both = make(m, SpvOpUMulExtended, m->pair, n, by->factor);
    const uint32_t high = wpg_module_fresh_id(m->module);
    (void)wpg_inst_add(m->module, m->where, SpvOpCompositeExtract, m->u32, high, both, 1);
    const uint32_t left = make(m, SpvOpISub, m->u32, n, high);
    const uint32_t half = make(m, SpvOpShiftRightLogical, m->u32, left, by->halving);
    const uint32_t sum = make(m, SpvOpIAdd, m->u32, half, high);
    const uint32_t quotient = make(m, SpvOpShiftRightLogical, m->u32, sum, by->shift);
    return division->opcode == SpvOpUDiv
               ? quotient
               : make(m, SpvOpISub, m->u32, n, make(m, SpvOpIMul, m->u32, quotient, division->words[4]));
}

/* What the guards of one table have in common. */
typedef struct guards {
    wpg_context *context;
    wpg_function_profile *profile;
    const wpg_view *view; /* of the function before the first guard */
    const wpg_divisor_table *table;
    const wpg_word_source *source;
    uint32_t pair;  /* structure type of two words */
    double covered; /* share of waves whose value is a case */
} guards;

/* `labels`: of the product, of the division, of what is behind them. */
static wpg_status enter_counts(const guards *g, wpg_inst *branch, const uint32_t labels[3])
{
    const uint32_t header = wpg_inst_label(branch)->result;
    const wpg_block_weight *known = wpg_profile_block(g->profile, header);
    const wpg_block_weight whole = known ? *known : (wpg_block_weight){.unknown_by = PASS};
    wpg_block_weight fast = whole, slow = whole;
    fast.uniform_known = slow.uniform_known = false;
    fast.lanes = (uint64_t)((double)whole.lanes * g->covered);
    fast.waves = (uint64_t)((double)whole.waves * g->covered);
    slow.lanes = wpg_less(whole.lanes, fast.lanes);
    slow.waves = wpg_less(whole.waves, fast.waves);
    if (!whole.unknown_by)
        wpg_branch_weigh(g->context->module, branch, fast.waves, slow.waves);
    return wpg_profile_add_block(g->profile, labels[0], fast) &&
                   wpg_profile_add_block(g->profile, labels[1], slow) &&
                   wpg_profile_add_block(g->profile, labels[2], whole)
               ? WPG_OK
               : wpg_fail(g->context->err, WPG_E_NOMEM, "out of memory");
}

/* Puts the ith division behind a guard. `is_last`: of its block; the block's successors are told its new
 * label. */
static wpg_status guard(const guards *g, uint32_t i, bool is_last)
{
    wpg_module *module = g->context->module;
    wpg_inst *division = g->table->divisions[i];
    const uint32_t block = g->view->block_of[division->result];
    const maker m = {module, division, wpg_type_u32(module), wpg_type_bool(module), g->pair};
    const uint32_t labels[] = {wpg_module_fresh_id(module), wpg_module_fresh_id(module),
                               wpg_module_fresh_id(module)};
    const uint32_t slow = wpg_module_fresh_id(module);
    const chosen by = choose_product(&m, g->table, i, wpg_word_load(module, division, g->source));
    const uint32_t is_known = make(&m, SpvOpINotEqual, m.boolean, by.factor, wpg_const_u32(module, 0));
    (void)wpg_inst_add(module, division, SpvOpSelectionMerge, labels[2], SpvSelectionControlDontFlattenMask);
    wpg_inst *branch = wpg_inst_add(module, division, SpvOpBranchConditional, is_known, labels[0], labels[1]);
    (void)wpg_inst_add(module, division, SpvOpLabel, labels[0]);
    const uint32_t fast = make_product(&m, division, &by);
    (void)wpg_inst_add(module, division, SpvOpBranch, labels[2]);
    (void)wpg_inst_add(module, division, SpvOpLabel, labels[1]);
    (void)wpg_inst_add(module, division, (SpvOp)division->opcode, division->type, slow, division->words[3],
                       division->words[4]);
    (void)wpg_inst_add(module, division, SpvOpBranch, labels[2]);
    (void)wpg_inst_add(module, division, SpvOpLabel, labels[2]);
    const uint32_t phi[] = {division->type, division->result, fast, labels[0], slow, labels[1]};
    wpg_inst_rewrite(module, division, SpvOpPhi, phi, sizeof phi / sizeof *phi);
    if (is_last)
        wpg_retarget_phis(g->view->cfg, block, labels[2]);
    return enter_counts(g, branch, labels);
}

wpg_status wpg_divisors_apply(uint32_t *divisions, wpg_context *context, wpg_function_profile *profile,
                              const wpg_view *view, const wpg_divisor_table *table,
                              const wpg_word_source *source, double covered)
{
    const wpg_inst *first[WPG_MOST_DIVISIONS];
    *divisions = 0;
    for (uint32_t i = 0; i < table->division_count; i++)
        first[i] = earlier(view, table, i);
    const uint32_t u32 = wpg_type_u32(context->module), members[] = {u32, u32};
    const guards g = {.context = context,
                      .profile = profile,
                      .view = view,
                      .table = table,
                      .source = source,
                      .pair = wpg_type_struct_new(context->module, members, 2),
                      .covered = covered};
    /* From the last on: what stands behind a division of its block is the tail's already. */
    uint32_t told = WPG_NO_BLOCK;
    for (uint32_t i = table->division_count; i-- > 0;) {
        wpg_inst *division = table->divisions[i];
        const uint32_t block = view->block_of[division->result];
        if (first[i]) {
            const uint32_t copy[] = {division->type, division->result, first[i]->result};
            wpg_inst_rewrite(context->module, division, SpvOpCopyObject, copy, sizeof copy / sizeof *copy);
            continue;
        }
        WPG_TRY(guard(&g, i, block != told));
        told = block;
        ++*divisions;
    }
    return context->module->arena.failed ? wpg_fail(context->err, WPG_E_NOMEM, "out of memory") : WPG_OK;
}
