/* See equal_fold.h.
 *
 *     r = block.radius            (1, 1, 1)                r = block.radius.xxx
 *     loop 32 times               per light       ->       loop 32 times
 *         sum += exp(-r * d)      three exp                    sum += exp(-r * d)      one exp
 *
 * Parameters of surfaces are colours, and often grey: radii, tints, opacities of (1, 1, 1). Drivers work by
 * component. They compute f(r.x), f(r.y) and f(r.z), and only one of them where they see one value.
 *
 * Why it is right: the words are equal where the version runs (versions.c), and what is computed alike of
 * equal bits is equal. No number becomes a constant.
 *
 * Last bits. Drivers rewrite sums by what their parts share: Mesa makes r * (a + b) of r * a + r * b. So
 * - where components meet (dot products, lengths, matrices, single components), each goes through an
 *   optimisation barrier made of a zero of its own (opt_barrier.h), and is a value of its own from there;
 * - what feeds an exact output (legality.h) stays;
 * - a loop that drivers may unroll, and that gets shorter, might be unrolled now. Where it is so long that no
 *   driver known unrolled it before, its counter goes through a barrier: it stays a loop. Otherwise the
 *   vectors that shorten it stay;
 * - a product of such a value and others is joined as before: components do not meet there. But the value has
 *   more users, and Mesa asks for the number of users in some rules. So a result may be rounded otherwise, as
 *   the driver may round it anyway. The setting FLOAT says where that may be (float_setting.h); it was seen
 *   in no real shader. */
#include "compiler/optimize/fold/equal_fold.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <string.h>

#include "compiler/analysis/values/equal_parts.h"
#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/fold/float_setting.h"
#include "compiler/optimize/fold/own_zero.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/loops/opt_barrier.h"
#include "compiler/spirv/builder.h"

enum {
    /* Float operations that a loop unrolls to, from which no driver known unrolls it: Mesa stops at 832. */
    LONG_UNROLLED = 1024,
    LEAST_SAVED = 8, /* weighted instructions for each entry into the stage that a vector has to save */
    MOST_PARTS = 4,
};

/* What one instruction saves, and the words that this rests on. */
typedef struct saving {
    uint64_t rests;
    double saved;
} saving;

typedef struct planner {
    wpg_equal_plan *plan;
    const wpg_context *context;
    const wpg_function_profile *profile;
    const wpg_module *module;
    const wpg_view *view;
    const wpg_solution *flow;
    const wpg_known_load *loads;
    size_t load_count;
    bool *taken; /* [load_count] loads that are vectors of equal words, and worth it */
    bool *given; /* [bound] their results */
    uint64_t *given_words;
    wpg_equal_parts parts;
    const bool *loops; /* by construct: drivers may unroll it */
    const wpg_id_set *exact;
    wpg_arena *arena;
    wpg_operand_list operands;
    WPG_VEC(saving) savings; /* of what is merged, in the order of the function */
    double entries;          /* of the function */
} planner;

static const wpg_inst *vector_type(const wpg_module *module, uint32_t type)
{
    const wpg_inst *def = wpg_module_def(module, type);
    return def && def->opcode == SpvOpTypeVector && def->words[3] <= MOST_PARTS ? def : NULL;
}

static bool is_float_vector(const wpg_module *module, uint32_t type)
{
    const wpg_inst *def = vector_type(module, type),
                   *part = def ? wpg_module_def(module, def->words[2]) : NULL;
    return part && part->opcode == SpvOpTypeFloat && part->words[2] == 32 && part->count == 3;
}

/* -- What becomes one value -- */

static bool is_merged(const planner *p, uint32_t id)
{
    const uint32_t block =
        id < p->view->bound && wpg_view_is_local(p->view, id) ? p->view->block_of[id] : WPG_NO_BLOCK;
    return block != WPG_NO_BLOCK && p->parts.merged[id] && p->flow->runs[block];
}

static bool solve(planner *p)
{
    memset(p->given, 0, p->view->bound * sizeof *p->given);
    for (size_t i = 0; i < p->load_count; i++) {
        const uint32_t id = p->loads[i].inst->result;
        if (!p->taken[i])
            continue;
        p->given[id] = true;
        p->given_words[id] = p->loads[i].words;
    }
    p->parts = (wpg_equal_parts){.cfg = p->view->cfg,
                                 .runs = p->flow->runs,
                                 .given = p->given,
                                 .words = p->given_words,
                                 .bound = p->view->bound,
                                 .arena = p->arena};
    return wpg_equal_parts_find(&p->parts);
}

/* -- What must not change -- */

/* Does the function calculate with the components of a vector together? */
static bool mixes(const wpg_module *module, const wpg_inst *inst)
{
    switch ((SpvOp)inst->opcode) {
    case SpvOpExtInst:
        return !wpg_inst_is_non_semantic(module, inst) && !wpg_is_by_component(module, inst);
    case SpvOpStore:
    case SpvOpCompositeConstruct:
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
        return false;
    case SpvOpCompositeExtract: /* the first component is the value itself */
        return inst->count == 5 && inst->words[4] != 0;
    default:
        return !wpg_is_by_component(module, inst);
    }
}

/* The operand of an integer comparison that varies; 0: there is none. */
static unsigned counter_of(const planner *p, const wpg_inst *compare)
{
    if (!compare || !wpg_opcode_compares_ints(compare->opcode))
        return 0;
    for (unsigned i = 3; i < 5; i++) {
        const wpg_inst *def = wpg_module_def(p->module, compare->words[i]);
        if (def && wpg_view_is_local(p->view, compare->words[i]) &&
            wpg_opt_barrier_hides(p->module, def->type))
            return i;
    }
    return 0;
}

/* Hides by what a loop is left. False: not all of it can be. */
static bool hide_exits(planner *p, const wpg_loop *loop)
{
    const wpg_cfg *cfg = p->view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        bool leaves = false;
        for (uint32_t s = 0; loop->inside[b] && block->successor_count > 1 && s < block->successor_count; s++)
            leaves |= !loop->inside[block->successors[s]];
        if (!leaves || !p->flow->runs[b])
            continue;
        wpg_inst *compare = wpg_module_def(p->module, block->terminator->words[1]);
        const unsigned operand = counter_of(p, compare);
        if (!operand || !wpg_zero_is_before(p->view, p->plan->zero_of, compare) ||
            !wpg_vec_push(&p->plan->counted, ((wpg_equal_use){compare, operand})))
            return false;
    }
    return true;
}

/* Float operations of one trip that drivers surely made of the loop, and trips by the profile. */
static bool was_long(const planner *p, const wpg_loop *loop)
{
    const wpg_cfg *cfg = p->view->cfg;
    uint64_t operations = 0, entries, lanes;
    for (uint32_t b = 0; b < cfg->count; b++)
        for (const wpg_inst *inst = cfg->blocks[b].label->next;
             loop->members[b] && p->flow->runs[b] && inst != cfg->blocks[b].terminator; inst = inst->next) {
            if (!inst->result || !(wpg_inst_traits(p->module, inst) & WPG_TRAIT_FLOAT) ||
                inst->opcode == SpvOpFNegate)
                continue;
            const wpg_inst *type = vector_type(p->module, inst->type);
            operations +=
                type && (!p->parts.equal[inst->result] || p->parts.merged[inst->result]) ? type->words[3] : 1;
        }
    return wpg_loop_entries(&entries, p->view, p->profile, loop) && entries &&
           wpg_block_lanes(&lanes, p->view, p->profile, loop->header) &&
           lanes / entries * operations >= LONG_UNROLLED;
}

/* Words that would shorten the loop. */
static uint64_t words_in(const planner *p, const wpg_loop *loop)
{
    const wpg_cfg *cfg = p->view->cfg;
    uint64_t words = 0;
    for (uint32_t b = 0; b < cfg->count; b++)
        for (const wpg_inst *inst = cfg->blocks[b].label->next;
             loop->members[b] && inst != cfg->blocks[b].terminator; inst = inst->next)
            if (inst->result && is_merged(p, inst->result) && wpg_inst_cost(p->module, inst))
                words |= p->parts.rests[inst->result];
    return words;
}

/* Words of loops that might be unrolled now; with barriers planned where that helps. */
static uint64_t ask_loops(planner *p)
{
    uint64_t refused = 0;
    wpg_vec_clear(&p->plan->counted);
    for (uint32_t c = 0; c < p->view->cfg->construct_count; c++) {
        wpg_loop loop;
        if (!p->loops[c] || !wpg_loop_describe(&loop, p->view, c))
            continue;
        const uint64_t words = words_in(p, &loop);
        if (words && (!was_long(p, &loop) || !hide_exits(p, &loop)))
            refused |= words;
    }
    return refused;
}

/* Words of what must not change, or meets where no barrier can stand. */
static uint64_t ask_uses(planner *p)
{
    const wpg_cfg *cfg = p->view->cfg;
    uint64_t refused = 0;
    wpg_vec_clear(&p->plan->mixes);
    for (uint32_t b = 0; b < cfg->count; b++)
        for (wpg_inst *inst = cfg->blocks[b].label->next;
             p->flow->runs[b] && inst != cfg->blocks[b].terminator; inst = inst->next) {
            if (inst->result && is_merged(p, inst->result) && wpg_id_set_has(p->exact, inst->result))
                refused |= p->parts.rests[inst->result];
            if (!mixes(p->module, inst) || !wpg_used_ids(&p->operands, p->module, inst))
                continue;
            for (size_t i = 0; i < p->operands.count; i++) {
                const uint32_t id = inst->words[p->operands.data[i]];
                const wpg_inst *def = wpg_module_def(p->module, id);
                if (!is_merged(p, id) || !def || !is_float_vector(p->module, def->type))
                    continue;
                if (!wpg_zero_is_before(p->view, p->plan->zero_of, inst) ||
                    !wpg_vec_push(&p->plan->mixes, ((wpg_equal_use){inst, p->operands.data[i]})))
                    refused |= p->parts.rests[id];
            }
        }
    return refused;
}

/* -- Worth -- */

static bool find_savings(planner *p)
{
    const wpg_cfg *cfg = p->view->cfg;
    wpg_vec_clear(&p->savings);
    p->entries = 0;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block_weight *weight = wpg_profile_block(p->profile, cfg->blocks[b].id);
        const double runs = weight && p->profile->has_lanes ? (double)weight->lanes : 1;
        p->entries = b == 0 ? runs : p->entries;
        for (const wpg_inst *inst = cfg->blocks[b].label->next; inst != cfg->blocks[b].terminator;
             inst = inst->next)
            if (inst->result && is_merged(p, inst->result) &&
                !wpg_vec_push(&p->savings, ((saving){p->parts.rests[inst->result],
                                                     runs * wpg_equal_saving(p->module, inst)})))
                return false;
    }
    return true;
}

static double saved_by(const planner *p, uint64_t words)
{
    double saved = 0;
    for (size_t i = 0; i < p->savings.count; i++)
        if ((p->savings.data[i].rests & words) == words)
            saved += p->savings.data[i].saved;
    return p->entries > 0 ? saved / p->entries : 0;
}

double wpg_equal_saving(const wpg_module *module, const wpg_inst *inst)
{
    const wpg_inst *type = vector_type(module, inst->type);
    const bool computes = inst->opcode != SpvOpLoad && inst->opcode != SpvOpPhi;
    return type && computes ? wpg_inst_cost(module, inst) * (1 - 1.0 / type->words[3]) : 0;
}

/* -- The plan -- */

static bool may_serve(const planner *p, const wpg_known_load *load, uint64_t allowed)
{
    const wpg_inst *constant = wpg_module_def(p->module, load->constant);
    return is_float_vector(p->module, load->inst->type) && !(load->words & ~allowed) && constant &&
           load->inst->result < p->view->bound && p->view->block_of[load->inst->result] != WPG_NO_BLOCK;
}

/* Leaves out what rests on these words. True: something was. */
static bool leave_out(planner *p, uint64_t words)
{
    bool any = false;
    for (size_t i = 0; i < p->load_count; i++)
        if (p->taken[i] && (p->loads[i].words & words)) {
            p->taken[i] = false;
            any = true;
        }
    return any;
}

/* Words of vectors that save next to nothing. */
static uint64_t idle_words(const planner *p)
{
    uint64_t idle = 0;
    for (size_t i = 0; i < p->load_count; i++)
        if (p->taken[i] && saved_by(p, p->loads[i].words) < (double)LEAST_SAVED)
            idle |= p->loads[i].words;
    return idle;
}

static bool choose(planner *p, uint64_t allowed)
{
    bool any = false;
    for (size_t i = 0; i < p->load_count; i++) {
        any |= p->taken[i] = may_serve(p, &p->loads[i], allowed);
        p->plan->asked |= p->taken[i] ? p->loads[i].words : 0;
    }
    while (any) {
        if (!solve(p) || !find_savings(p))
            return false;
        if (leave_out(p, idle_words(p) | ask_uses(p) | ask_loops(p))) {
            any = false;
            for (size_t i = 0; i < p->load_count; i++)
                any |= p->taken[i];
            continue;
        }
        break;
    }
    if (!any) {
        wpg_vec_clear(&p->plan->mixes);
        wpg_vec_clear(&p->plan->counted);
        return true;
    }
    p->plan->merged = WPG_ARENA_ARRAY(p->arena, bool, p->view->bound);
    for (uint32_t id = 0; p->plan->merged && id < p->view->bound; id++)
        p->plan->merged[id] = is_merged(p, id);
    for (size_t i = 0; i < p->load_count; i++) {
        if (!p->taken[i])
            continue;
        p->plan->words |= p->loads[i].words;
        if (!wpg_vec_push(&p->plan->vectors, p->loads[i].inst))
            return false;
    }
    return p->plan->merged != NULL;
}

static bool make(planner *p, uint64_t allowed)
{
    const uint32_t bound = p->view->bound;
    p->taken = WPG_ARENA_ARRAY(p->arena, bool, p->load_count + 1);
    p->given = WPG_ARENA_ARRAY(p->arena, bool, bound);
    p->given_words = WPG_ARENA_ARRAY(p->arena, uint64_t, bound);
    p->loops = wpg_unrollable_loops(p->view);
    return p->taken && p->given && p->given_words && p->loops && choose(p, allowed);
}

bool wpg_equal_plan_make(wpg_equal_plan *plan, const wpg_context *context,
                         const wpg_function_profile *profile, const wpg_load_folded *folded,
                         const wpg_known_load *loads, size_t load_count, uint64_t allowed, wpg_arena *arena)
{
    planner p = {.plan = plan,
                 .context = context,
                 .profile = profile,
                 .module = context->module,
                 .view = folded->view,
                 .flow = folded->after,
                 .exact = folded->exact,
                 .loads = loads,
                 .load_count = load_count,
                 .arena = arena};
    bool any = false;
    *plan = (wpg_equal_plan){.zero_of = wpg_zero_source(folded->view)};
    for (size_t i = 0; i < load_count; i++)
        any |= is_float_vector(p.module, loads[i].inst->type);
    if (!any || !profile || !plan->zero_of || !wpg_float_is_free(context) ||
        wpg_float_may_fold(context, folded->exact))
        return true;
    const bool made = make(&p, allowed) && !arena->failed;
    wpg_vec_free(&p.operands);
    wpg_vec_free(&p.savings);
    return made;
}

void wpg_equal_plan_finish(wpg_equal_plan *plan)
{
    wpg_vec_free(&plan->vectors);
    wpg_vec_free(&plan->mixes);
    wpg_vec_free(&plan->counted);
}

/* -- Carrying it out -- */

static void replace_uses(const wpg_module *module, wpg_inst *function, uint32_t id, uint32_t by)
{
    wpg_operand_list operands = {0};
    for (wpg_inst *inst = function; inst->opcode != SpvOpFunctionEnd; inst = inst->next) {
        if (inst->result == by || !wpg_used_ids(&operands, module, inst))
            continue;
        for (size_t i = 0; i < operands.count; i++)
            if (inst->words[operands.data[i]] == id)
                inst->words[operands.data[i]] = by;
    }
    wpg_vec_free(&operands);
}

static void repeat_first(wpg_module *module, wpg_inst *function, wpg_inst *vector)
{
    const uint32_t count = wpg_module_def(module, vector->type)->words[3];
    uint32_t words[4 + MOST_PARTS] = {vector->type, wpg_module_fresh_id(module), vector->result,
                                      vector->result};
    (void)wpg_inst_insert(module, vector->next, SpvOpVectorShuffle, words, 4 + count);
    replace_uses(module, function, vector->result, words[1]);
}

/* A value that drivers do not know for each component: the first is `zero`. */
static void make_zeros(uint32_t zeros[MOST_PARTS], wpg_module *module, uint32_t zero, wpg_inst *where)
{
    const uint32_t u32 = wpg_type_u32(module);
    zeros[0] = zero;
    for (uint32_t i = 1; i < MOST_PARTS; i++) {
        const uint32_t sum = wpg_module_fresh_id(module);
        wpg_inst_add(module, where, SpvOpIAdd, u32, sum, zeros[i - 1], wpg_const_u32(module, 2 * i + 1));
        zeros[i] = wpg_opt_barrier_zero_of(module, sum, where);
    }
}

/* Before the use, the vector's bits go through integers, each component with a zero of its own. */
static void hide_apart(wpg_module *module, const wpg_equal_use *use, const uint32_t zeros[MOST_PARTS])
{
    const uint32_t value = use->inst->words[use->operand], type = wpg_module_def(module, value)->type;
    const uint32_t count = wpg_module_def(module, type)->words[3];
    const uint32_t u32s = wpg_type_vector(module, wpg_type_u32(module), count);
    uint32_t words[2 + MOST_PARTS] = {u32s, wpg_module_fresh_id(module)};
    const uint32_t bits = wpg_module_fresh_id(module), mixed = wpg_module_fresh_id(module),
                   seen = wpg_module_fresh_id(module);
    for (uint32_t i = 0; i < count && i < MOST_PARTS; i++)
        words[2 + i] = zeros[i];
    (void)wpg_inst_insert(module, use->inst, SpvOpCompositeConstruct, words, 2 + count);
    wpg_inst_add(module, use->inst, SpvOpBitcast, u32s, bits, value);
    wpg_inst_add(module, use->inst, SpvOpBitwiseOr, u32s, mixed, bits, words[1]);
    wpg_inst_add(module, use->inst, SpvOpBitcast, type, seen, mixed);
    use->inst->words[use->operand] = seen;
}

static void hide_counter(wpg_module *module, const wpg_equal_use *use, uint32_t zero)
{
    const uint32_t value = use->inst->words[use->operand], seen = wpg_module_fresh_id(module);
    wpg_opt_barrier_insert(module, wpg_module_def(module, value), value, seen, zero, use->inst);
    use->inst->words[use->operand] = seen;
}

bool wpg_equal_plan_apply(const wpg_equal_plan *plan, wpg_module *module, wpg_inst *function)
{
    wpg_inst *where;
    uint32_t zeros[MOST_PARTS];
    if (!plan->vectors.count)
        return true;
    const uint32_t zero = wpg_zero_make(&where, module, function, plan->zero_of);
    make_zeros(zeros, module, zero, where);
    for (size_t i = 0; i < plan->mixes.count; i++)
        hide_apart(module, &plan->mixes.data[i], zeros);
    for (size_t i = 0; i < plan->counted.count; i++)
        hide_counter(module, &plan->counted.data[i], zeros[0]);
    for (size_t i = 0; i < plan->vectors.count; i++)
        repeat_first(module, function, plan->vectors.data[i]);
    return !module->arena.failed;
}
