/* See weight_fold.h.
 *
 *     x * 0 = 0        mix(x, y, 0) = mix(x, 0, 0)        mix(x, y, 1) = mix(0, y, 1)
 *
 * Uber-shaders weigh their parts: mix(diffuse, metal, metalness), coat * coatWeight. With the weight known to
 * be 0, the part falls away, with its texture fetches, lights and loops: drivers remove what nothing uses.
 * Published for games: Zeroploit (NVIDIA 2020), AZP (arXiv 2011.10550).
 *
 * Why it is right:
 *  - x * 0 is 0 where x is finite; its sign may differ. Vulkan lets implementations assume just that, where
 *    SignedZeroInfNanPreserve is absent (Vulkan 1.3, shaderSignedZeroInfNanPreserveFloat32), and Mesa does so
 *    with constants. By default it is done in fragment stages that write no memory. Their results are
 *    colours: a program cannot notice but where it shows an infinity or a NaN, and shows less of these then.
 *    The setting FLOAT allows it nowhere, or in every stage.
 *  - What feeds an exact output (legality.h), and what is NoContraction, stays.
 *
 * Last bits: drivers see neither the weight nor the zero. A value that they cannot see through stands for it,
 * and every operation that is left has the operands' values that it had. Products with 1 and sums with 0
 * stay: they cost little, and drivers rewrite them together with their neighbours (Mesa makes x * (w + y) of
 * x * w + x * y). mix(x, y, w) is specified as x * (1 - w) + y * w, and Mesa computes so: with w = 1 that is
 * y. Loops that a driver may unroll keep all their float work or lose all of it, since less of it might make
 * the driver unroll.
 *
 * One thing is left: a value that stays may lose a user, and Mesa rewrites sums by how often their parts are
 * used. So a result may be rounded otherwise than before, as the driver may round it anyway. In one of 80
 * random kernels a last bit changed so, in no real shader tried. A barrier behind such values was tried: it
 * changed other kernels' bits, since some rules ask for no number of uses. */
#include "compiler/optimize/fold/weight_fold.h"

#include <spirv/unified1/GLSL.std.450.h>
#include <string.h>

#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/fold/float_setting.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/parts.h"
#include "compiler/optimize/loops/opt_barrier.h"
#include "compiler/optimize/fold/own_zero.h"
#include "compiler/optimize/fold/repeats.h"
#include "compiler/spirv/builder.h"
#include "compiler/spirv/const_float.h"

enum { ZERO = 0, ONE = 0x3f800000 };
static const uint32_t MINUS_ZERO = 0x80000000;
/* Weighted instructions that have to be there twice by sums with 0. */
enum { LEAST_REPEATED = 16 };

/* A number, or a vector of equal ones. */
typedef struct wpg_weight_known {
    bool is;
    uint32_t bits;
    uint64_t words; /* that it rests on; 0: drivers know it, too */
} known;

typedef struct planner {
    wpg_weight_plan *plan;
    const wpg_module *module;
    const wpg_view *view;
    const wpg_solution *after;
    known *values;       /* [bound] */
    uint32_t *action_of; /* [bound] index + 1 in plan->actions */
    const wpg_id_set *exact;
    bool *fixed;        /* [bound] NoContraction */
    uint64_t sum_words; /* that sums with 0 rest on, kept or not */
} planner;

/* -- Types and constants -- */

static bool is_f32(const wpg_module *module, uint32_t type)
{
    const wpg_inst *def = wpg_module_def(module, type);
    if (def && def->opcode == SpvOpTypeVector)
        def = wpg_module_def(module, def->words[2]);
    return def && def->opcode == SpvOpTypeFloat && def->words[2] == 32 && def->count == 3;
}

static bool is_word(const wpg_module *module, uint32_t type)
{
    const wpg_inst *def = wpg_module_def(module, type);
    return def && (def->opcode == SpvOpTypeInt ? def->words[2] == 32 : is_f32(module, type));
}

/* Of floats, zeros of both signs are one number here. */
static known number(bool is_float, uint32_t bits)
{
    return (known){.is = true, .bits = is_float && bits == MINUS_ZERO ? ZERO : bits};
}

static known splat_of(const wpg_module *module, uint32_t id, unsigned depth)
{
    const wpg_inst *def = wpg_module_def(module, id);
    uint64_t bits;
    uint32_t width;
    if (!def || depth > 2 || !is_word(module, def->type))
        return (known){0};
    if (def->opcode == SpvOpConstantNull)
        return (known){.is = true};
    if (def->opcode != SpvOpConstantComposite)
        return wpg_const_value(module, id, &bits, &width) && width == 32
                   ? number(is_f32(module, def->type), (uint32_t)bits)
                   : (known){0};
    known all = splat_of(module, def->words[3], depth + 1);
    for (uint32_t i = 4; i < def->count && all.is; i++) {
        known one = splat_of(module, def->words[i], depth + 1);
        all.is = one.is && one.bits == all.bits;
    }
    return all;
}

static known value_of(const planner *p, uint32_t id)
{
    return id < p->view->bound && wpg_view_is_local(p->view, id) ? p->values[id] : splat_of(p->module, id, 0);
}

/* -- Known numbers -- */

/* Both, if they are the same number. */
static known both(known a, known b)
{
    return a.is && b.is && a.bits == b.bits ? (known){true, a.bits, a.words | b.words} : (known){0};
}

static known known_phi(const planner *p, const wpg_inst *phi, uint32_t block)
{
    known all = {0};
    bool any = false;
    for (uint32_t i = 3; i + 1 < phi->count; i += 2) {
        uint32_t from = wpg_cfg_find(p->view->cfg, phi->words[i + 1]);
        if (from == WPG_NO_BLOCK || !p->after->runs[from] || !wpg_solution_takes(p->after, from, block))
            continue;
        all = any ? both(all, value_of(p, phi->words[i])) : value_of(p, phi->words[i]);
        any = true;
    }
    return all;
}

static known known_operands(const planner *p, const wpg_inst *inst, unsigned first)
{
    known all = first < inst->count ? value_of(p, inst->words[first]) : (known){0};
    for (unsigned i = first + 1; i < inst->count; i++)
        all = both(all, value_of(p, inst->words[i]));
    return all;
}

static bool multiplies(SpvOp opcode)
{
    return opcode == SpvOpFMul || opcode == SpvOpVectorTimesScalar || opcode == SpvOpDot ||
           opcode == SpvOpMatrixTimesVector || opcode == SpvOpVectorTimesMatrix;
}

/* Is one factor zero? */
static known zero_factor(const planner *p, const wpg_inst *inst)
{
    for (unsigned i = 3; i < 5; i++) {
        known factor = value_of(p, inst->words[i]);
        if (factor.is && factor.bits == ZERO)
            return factor;
    }
    return (known){0};
}

static known exact(const planner *p, const wpg_inst *inst)
{
    const uint32_t first = inst->opcode == SpvOpExtInst ? 5 : 3, count = inst->count - first;
    uint64_t bits[WPG_FLOAT_OPERANDS], result;
    known all = {.is = inst->count > first && count <= WPG_FLOAT_OPERANDS};
    for (uint32_t i = 0; all.is && i < count; i++) {
        known operand = value_of(p, inst->words[first + i]);
        bits[i] = operand.bits;
        all.words |= operand.words;
        all.is = operand.is;
    }
    SpvOp opcode = inst->opcode == SpvOpVectorTimesScalar ? SpvOpFMul : (SpvOp)inst->opcode;
    all.is = all.is && wpg_fold_exact_float(&result, opcode, first == 5 ? inst->words[4] : 0, bits, count);
    if (all.is)
        all.bits = number(true, (uint32_t)result).bits;
    return all;
}

/* The sign of a zero is not known, and would be a bit of an integer. */
static known known_cast(const planner *p, const wpg_inst *inst)
{
    const known from = value_of(p, inst->words[3]);
    const wpg_inst *def = wpg_module_def(p->module, inst->words[3]);
    if (!from.is)
        return from;
    if (is_f32(p->module, inst->type))
        return (known){true, number(true, from.bits).bits, from.words};
    return from.bits != ZERO || !is_f32(p->module, def->type) ? from : (known){0};
}

/* Of a mix by 0 or 1: the word of the operand that is multiplied by zero; 0: none is. */
static unsigned idle_operand(const planner *p, const wpg_inst *inst, known *weight)
{
    if (inst->opcode != SpvOpExtInst || inst->words[4] != GLSLstd450FMix || inst->count != 8)
        return 0;
    *weight = value_of(p, inst->words[7]);
    if (!weight->is)
        return 0;
    return weight->bits == ZERO ? 6 : weight->bits == ONE ? 5 : 0;
}

static known known_inst(const planner *p, const wpg_inst *inst, uint32_t block)
{
    known result, weight;
    uint32_t left, leaf;
    if (multiplies((SpvOp)inst->opcode) && zero_factor(p, inst).is)
        return zero_factor(p, inst);
    switch (inst->opcode) {
    case SpvOpPhi:
        return known_phi(p, inst, block);
    case SpvOpCompositeConstruct:
        return known_operands(p, inst, 3);
    case SpvOpCopyObject:
        return value_of(p, inst->words[3]);
    case SpvOpBitcast:
        return known_cast(p, inst);
    case SpvOpSelect:
        return both(value_of(p, inst->words[4]), value_of(p, inst->words[5]));
    case SpvOpVectorShuffle:
        return both(value_of(p, inst->words[3]), value_of(p, inst->words[4]));
    case SpvOpCompositeExtract:
        leaf = wpg_part_of(p->module, inst, &left);
        return left <= 1 ? value_of(p, leaf) : (known){0};
    default:
        break;
    }
    const unsigned idle = idle_operand(p, inst, &weight);
    if (idle) {
        result = value_of(p, inst->words[11 - idle]);
        result.words |= weight.words;
        return result;
    }
    bool folds = inst->opcode == SpvOpFMul || inst->opcode == SpvOpVectorTimesScalar ||
                 inst->opcode == SpvOpFAdd || inst->opcode == SpvOpFSub || inst->opcode == SpvOpFDiv ||
                 inst->opcode == SpvOpFNegate || inst->opcode == SpvOpConvertSToF ||
                 inst->opcode == SpvOpConvertUToF || inst->opcode == SpvOpExtInst;
    return folds ? exact(p, inst) : (known){0};
}

static bool may_change(const planner *p, const wpg_inst *inst)
{
    return !wpg_id_set_has(p->exact, inst->result) && !p->fixed[inst->result];
}

static void find_fixed(bool *fixed, const wpg_view *view)
{
    for (const wpg_inst *inst = view->module->first; inst && inst->opcode != SpvOpFunction; inst = inst->next)
        if (inst->opcode == SpvOpDecorate && inst->count > 2 && inst->words[1] < view->bound &&
            inst->words[2] == SpvDecorationNoContraction)
            fixed[inst->words[1]] = true;
}

static void find_known(planner *p, const wpg_known_load *loads, size_t load_count)
{
    const wpg_cfg *cfg = p->view->cfg;
    bool changed = true;
    for (size_t i = 0; i < load_count; i++) {
        known value = splat_of(p->module, loads[i].constant, 0);
        value.words = loads[i].words;
        p->values[loads[i].inst->result] = value;
    }
    for (unsigned round = 0; changed && round < 16; round++) {
        changed = false;
        for (uint32_t o = 0; o < cfg->order_count; o++) {
            const wpg_block *block = &cfg->blocks[cfg->order[o]];
            for (const wpg_inst *inst = block->label->next;
                 p->after->runs[cfg->order[o]] && inst != block->terminator; inst = inst->next) {
                if (!inst->result || p->values[inst->result].is || !is_word(p->module, inst->type))
                    continue;
                known value = known_inst(p, inst, cfg->order[o]);
                if (!value.is || !may_change(p, inst))
                    continue;
                p->values[inst->result] = value;
                changed = true;
            }
        }
    }
}

/* -- Actions -- */

/* A number that is made of known ones alone stays: nothing falls away with it, and drivers join it with what
 * uses it in their way. */
static bool known_operands_alone(const planner *p, const wpg_inst *inst)
{
    wpg_operand_list operands = {0};
    bool alone = wpg_used_ids(&operands, p->module, inst);
    for (size_t i = 0; alone && i < operands.count; i++) {
        uint32_t id = inst->words[operands.data[i]];
        alone = value_of(p, id).is || wpg_module_opcode_of(p->module, id) == SpvOpExtInstImport;
    }
    wpg_vec_free(&operands);
    return alone;
}

static bool plan_inst(planner *p, wpg_inst *inst)
{
    const known result = p->values[inst->result];
    known weight = result;
    wpg_weight_action action = {.inst = inst};
    action.operand = idle_operand(p, inst, &weight);
    if (!action.operand && (!multiplies((SpvOp)inst->opcode) || !result.is || result.bits != ZERO))
        return true;
    if (!is_f32(p->module, inst->type) || !may_change(p, inst) ||
        !wpg_zero_is_before(p->view, p->plan->zero_of, inst) || known_operands_alone(p, inst))
        return true;
    if (!action.operand)
        weight = result;
    if (!weight.words || (action.operand && value_of(p, inst->words[action.operand]).is))
        return true;
    p->plan->words |= weight.words;
    p->action_of[inst->result] = (uint32_t)p->plan->actions.count + 1;
    return wpg_vec_push(&p->plan->actions, action);
}

/* By block: is it in such a loop? `unrollable` is by construct. */
static bool *in_unrollable_loops(const wpg_view *view, const bool *unrollable, wpg_arena *arena)
{
    const wpg_cfg *cfg = view->cfg;
    bool *in = WPG_ARENA_ARRAY(arena, bool, cfg->count);
    for (uint32_t c = 0; in && c < cfg->construct_count; c++) {
        wpg_loop loop;
        if (!unrollable[c] || !wpg_loop_describe(&loop, view, c))
            continue;
        for (uint32_t b = 0; b < cfg->count; b++)
            in[b] |= loop.members[b];
    }
    return in;
}

/* Asks `plan` of each instruction that runs, but in these loops. */
static bool plan_each(planner *p, const bool *in_loops, bool (*plan)(planner *p, wpg_inst *inst))
{
    const wpg_cfg *cfg = p->view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++)
        for (wpg_inst *inst = cfg->blocks[b].label->next;
             p->after->runs[b] && !in_loops[b] && inst != cfg->blocks[b].terminator; inst = inst->next)
            if (inst->result && !plan(p, inst))
                return false;
    return true;
}

/* A sum of x and what is known to be 0, made of known values alone: x is left, and may be what another sum
 * is. */
static bool plan_sum(planner *p, wpg_inst *inst)
{
    wpg_weight_action action = {.inst = inst};
    known zero = {0};
    if (inst->opcode != SpvOpFAdd && inst->opcode != SpvOpFSub)
        return true;
    for (unsigned i = 3; i < 5; i++) {
        const known term = value_of(p, inst->words[i]);
        if (term.is && term.bits == ZERO && term.words && !value_of(p, inst->words[7 - i]).is) {
            action.operand = i;
            zero = term;
        }
    }
    if (!action.operand || p->action_of[inst->words[action.operand]] || !is_f32(p->module, inst->type) ||
        !may_change(p, inst) || !wpg_zero_is_before(p->view, p->plan->zero_of, inst))
        return true;
    p->sum_words |= zero.words;
    return wpg_vec_push(&p->plan->actions, action);
}

/* -- Work that is there twice now -- */

static uint32_t cost_of_repeats(const planner *p, const bool *repeats)
{
    const wpg_cfg *cfg = p->view->cfg;
    uint32_t cost = 0;
    for (uint32_t b = 0; b < cfg->count; b++)
        for (const wpg_inst *inst = cfg->blocks[b].label->next; inst != cfg->blocks[b].terminator;
             inst = inst->next)
            cost += inst->result && repeats[inst->result] ? wpg_inst_cost(p->module, inst) : 0;
    return cost;
}

/* With the first `count` actions; what was there twice before does not count. NULL when memory runs out. */
static bool *find_repeats(const planner *p, const bool *before, size_t count, wpg_arena *arena)
{
    const uint32_t bound = p->view->bound;
    bool *repeats = WPG_ARENA_ARRAY(arena, bool, bound);
    if (!repeats || !wpg_repeats_find(repeats, p->view, p->after->runs, p->plan->actions.data, count,
                                      p->plan->shown, arena))
        return NULL;
    for (uint32_t id = 0; before && id < bound; id++)
        repeats[id] &= !before[id];
    return repeats;
}

/* Plans sums, and keeps them where much work is there twice by them. */
static bool plan_repeats(planner *p, const bool *in_loops, wpg_arena *arena)
{
    wpg_weight_plan *plan = p->plan;
    const size_t products = plan->actions.count;
    if (!plan_each(p, in_loops, plan_sum))
        return false;
    if (!plan->actions.count)
        return true;
    const bool *before = find_repeats(p, NULL, 0, arena);
    bool *now = before ? find_repeats(p, before, products, arena) : NULL;
    if (now && plan->actions.count > products) {
        bool *with_sums = find_repeats(p, before, plan->actions.count, arena);
        if (!with_sums)
            return false;
        if (cost_of_repeats(p, with_sums) >= cost_of_repeats(p, now) + LEAST_REPEATED) {
            for (size_t i = products; i < plan->actions.count; i++)
                p->action_of[plan->actions.data[i].inst->result] = (uint32_t)i + 1;
            plan->words |= p->sum_words;
            now = with_sums;
        } else {
            plan->actions.count = products;
        }
    }
    plan->repeats = now;
    return now != NULL;
}

/* -- What is needed -- */

typedef struct needs {
    const planner *p;
    bool *needed; /* [bound] */
    uint32_t *worklist, count;
    bool with_actions;
    wpg_operand_list operands;
} needs;

static void need(needs *n, uint32_t id)
{
    if (id >= n->p->view->bound || !wpg_view_is_local(n->p->view, id) || n->needed[id])
        return;
    n->needed[id] = true;
    n->worklist[n->count++] = id;
}

/* All but the operand in word `without`; 0: all. */
static bool need_operands(needs *n, const wpg_inst *inst, unsigned without)
{
    const bool listed = wpg_used_ids(&n->operands, n->p->module, inst);
    for (size_t i = 0; i < n->operands.count; i++)
        if (n->operands.data[i] != without)
            need(n, inst->words[n->operands.data[i]]);
    return listed;
}

static bool need_behind(needs *n, uint32_t id)
{
    const planner *p = n->p;
    const wpg_inst *inst = wpg_module_def(p->module, id);
    uint32_t block = p->view->block_of[id], left;
    uint32_t index = n->with_actions ? p->action_of[id] : 0;
    if (!inst || block == WPG_NO_BLOCK)
        return true;
    if (index) {
        unsigned operand = p->plan->actions.data[index - 1].operand;
        return !operand || need_operands(n, inst, operand);
    }
    if (inst->opcode == SpvOpCompositeExtract) {
        need(n, wpg_part_of(p->module, inst, &left));
        return true;
    }
    if (inst->opcode != SpvOpPhi)
        return need_operands(n, inst, 0);
    for (uint32_t i = 3; i + 1 < inst->count; i += 2) {
        uint32_t from = wpg_cfg_find(p->view->cfg, inst->words[i + 1]);
        if (from != WPG_NO_BLOCK && p->after->runs[from] && wpg_solution_takes(p->after, from, block))
            need(n, inst->words[i]);
    }
    return true;
}

/* Marks what has an effect, and all that is computed for it. */
static bool mark(needs *n)
{
    const planner *p = n->p;
    const wpg_cfg *cfg = p->view->cfg;
    bool fits = true;
    for (uint32_t b = 0; fits && b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        for (const wpg_inst *inst = block->label->next; fits && p->after->runs[b] && inst;
             inst = inst->next) {
            bool removable = inst->result &&
                             (inst->opcode == SpvOpPhi || inst->opcode == SpvOpVariable ||
                              (wpg_inst_traits(p->module, inst) & (WPG_TRAIT_PURE | WPG_TRAIT_DERIVATIVE)));
            if (!removable)
                fits = need_operands(n, inst, 0);
            if (!removable && inst->result)
                need(n, inst->result);
            if (inst == block->terminator)
                break;
        }
    }
    while (fits && n->count)
        fits = need_behind(n, n->worklist[--n->count]);
    return fits;
}

static bool *find_needed(const planner *p, bool with_actions, wpg_arena *arena)
{
    needs n = {.p = p,
               .needed = WPG_ARENA_ARRAY(arena, bool, p->view->bound),
               .worklist = WPG_ARENA_ARRAY(arena, uint32_t, p->view->bound),
               .with_actions = with_actions};
    const bool marked = n.needed && n.worklist && mark(&n);
    wpg_vec_free(&n.operands);
    return marked ? n.needed : NULL;
}

/* Does a loop that drivers may unroll lose some of its float work, and keep other? */
static bool splits_loop(const planner *p, const bool *unrollable, const bool *dead, const bool *needed)
{
    const wpg_cfg *cfg = p->view->cfg;
    for (uint32_t c = 0; c < cfg->construct_count; c++) {
        wpg_loop loop;
        bool loses = false, keeps = false;
        if (!unrollable[c] || !wpg_loop_describe(&loop, p->view, c))
            continue;
        for (uint32_t b = 0; b < cfg->count; b++)
            for (const wpg_inst *inst = cfg->blocks[b].label->next;
                 loop.members[b] && p->after->runs[b] && inst != cfg->blocks[b].terminator; inst = inst->next)
                if (inst->result && (wpg_inst_traits(p->module, inst) & WPG_TRAIT_FLOAT)) {
                    loses |= dead[inst->result];
                    keeps |= needed[inst->result];
                }
        if (loses && keeps)
            return true;
    }
    return false;
}

/* -- The plan -- */

static bool has_zero(const wpg_module *module, const wpg_known_load *loads, size_t load_count)
{
    for (size_t i = 0; i < load_count; i++) {
        known value = splat_of(module, loads[i].constant, 0);
        if (value.is && value.bits == ZERO && is_f32(module, loads[i].inst->type))
            return true;
    }
    return false;
}

static void begin_actions(planner *p, const wpg_weight_ground *ground)
{
    p->plan->zero_of = ground->zero_of;
    p->fixed = ground->fixed;
    p->values = ground->values;
    p->action_of = ground->action_of;
}

static bool make(planner *p, const wpg_context *context, const wpg_known_load *loads, size_t load_count,
                 wpg_arena *arena)
{
    const uint32_t bound = p->view->bound;
    const bool is_free = wpg_float_is_free(context);
    wpg_weight_ground ground = {.room = 0};
    bool *dead = WPG_ARENA_ARRAY(arena, bool, bound);
    p->plan->dead = p->plan->repeats = dead;
    if (!dead || !wpg_weight_ground_make(&ground, p->view, is_free, NULL, arena, arena))
        return false;
    if (!is_free && has_zero(p->module, loads, load_count))
        p->plan->why =
            "no branch, loop bound, index or divisor would be decided, and products with weights of 0 "
            "stay here (FLOAT)";
    if (!ground.in_loops)
        return true;
    begin_actions(p, &ground);
    find_known(p, loads, load_count);
    if (!plan_each(p, ground.in_loops, plan_inst) || !plan_repeats(p, ground.in_loops, arena))
        return false;
    if (!p->plan->actions.count)
        return true;
    const bool *before = find_needed(p, false, arena), *needed = find_needed(p, true, arena);
    if (!before || !needed)
        return false;
    for (uint32_t id = 0; id < bound; id++)
        dead[id] = before[id] && !needed[id];
    if (splits_loop(p, wpg_unrollable_loops(p->view), dead, needed)) {
        memset(dead, 0, bound * sizeof *dead);
        p->plan->repeats = dead;
        wpg_vec_clear(&p->plan->actions);
        p->plan->words = 0;
        p->plan->why = "a loop that drivers may unroll would lose a part of its work";
    }
    return true;
}

bool wpg_weight_ground_make(wpg_weight_ground *ground, const wpg_view *view, bool is_free,
                            const bool *in_loops, wpg_arena *arena, wpg_arena *scratch)
{
    *ground = (wpg_weight_ground){.zero_of = wpg_zero_source(view),
                                  .values = ground->values,
                                  .action_of = ground->action_of,
                                  .room = ground->room};
    if (!ground->zero_of || !is_free)
        return true;
    const bool *unrollable = in_loops ? NULL : wpg_unrollable_loops(view);
    ground->in_loops = unrollable ? in_unrollable_loops(view, unrollable, arena) : in_loops;
    ground->fixed = WPG_ARENA_ARRAY(arena, bool, view->bound);
    if (ground->room < view->bound) {
        ground->room = view->bound + view->bound / 8;
        ground->values = WPG_ARENA_ARRAY(scratch, known, ground->room);
        ground->action_of = WPG_ARENA_ARRAY(scratch, uint32_t, ground->room);
    }
    if (ground->fixed)
        find_fixed(ground->fixed, view);
    return ground->in_loops && ground->fixed && ground->values && ground->action_of;
}

static planner planner_of(wpg_weight_plan *plan, const wpg_load_folded *folded)
{
    *plan = (wpg_weight_plan){.words = 0};
    return (planner){.plan = plan,
                     .module = folded->view->module,
                     .view = folded->view,
                     .after = folded->after,
                     .exact = folded->exact};
}

bool wpg_weight_plan_make(wpg_weight_plan *plan, const wpg_context *context, const wpg_load_folded *folded,
                          const wpg_known_load *loads, size_t load_count, wpg_arena *arena)
{
    planner p = planner_of(plan, folded);
    plan->shown = wpg_float_may_fold(context, folded->exact);
    return make(&p, context, loads, load_count, arena) && !arena->failed;
}

/* -- The actions of few loads -- */

static const uint32_t LISTED = UINT32_MAX; /* in action_of: a user that has no action yet */

/* What uses known values, over and over, until nothing more is known: as find_known and plan_each, without
 * a look at the rest of the function. Leaves the scratch zeroed. */
static bool follow_loads(planner *p, const bool *in_loops, const wpg_known_load *loads, size_t load_count)
{
    const wpg_view *view = p->view;
    WPG_VEC(uint32_t) news = {0};
    WPG_VEC(wpg_inst *) users = {0};
    bool fits = true;
    for (size_t i = 0; i < load_count && fits; i++) {
        known value = splat_of(p->module, loads[i].constant, 0);
        value.words = loads[i].words;
        if (!value.is)
            continue;
        p->values[loads[i].inst->result] = value;
        fits = wpg_vec_push(&news, loads[i].inst->result);
    }
    for (size_t n = 0; n < news.count && fits; n++)
        for (uint32_t u = view->first_user[news.data[n]]; u < view->first_user[news.data[n] + 1] && fits;
             u++) {
            wpg_inst *user = view->users[u];
            const uint32_t block = user->result ? view->block_of[user->result] : WPG_NO_BLOCK;
            if (block == WPG_NO_BLOCK || !p->after->runs[block])
                continue;
            if (p->action_of[user->result] != LISTED)
                fits = wpg_vec_push(&users, user);
            p->action_of[user->result] = LISTED;
            if (p->values[user->result].is || !is_word(p->module, user->type))
                continue;
            const known value = known_inst(p, user, block);
            if (!value.is || !may_change(p, user))
                continue;
            p->values[user->result] = value;
            fits = fits && wpg_vec_push(&news, user->result);
        }
    for (size_t i = 0; i < users.count && fits; i++)
        if (!in_loops[view->block_of[users.data[i]->result]])
            fits = plan_inst(p, users.data[i]);
    for (size_t i = 0; i < users.count; i++)
        p->action_of[users.data[i]->result] = 0;
    for (size_t i = 0; i < news.count; i++)
        p->values[news.data[i]] = (known){0};
    wpg_vec_free(&news);
    wpg_vec_free(&users);
    return fits;
}

bool wpg_weight_actions_find(wpg_weight_plan *plan, const wpg_weight_ground *ground,
                             const wpg_load_folded *folded, const wpg_known_load *loads, size_t load_count)
{
    planner p = planner_of(plan, folded);
    begin_actions(&p, ground);
    return !ground->in_loops || follow_loads(&p, ground->in_loops, loads, load_count);
}

void wpg_weight_plan_finish(wpg_weight_plan *plan)
{
    wpg_vec_free(&plan->actions);
}

/* -- Carrying it out -- */

/* Zeros that drivers do not know, by type, in the entry block. */
typedef struct unknown_zero {
    uint32_t type, id;
} unknown_zero;

typedef struct doer {
    wpg_module *module;
    wpg_inst *where;      /* in the entry block: zeros are made before it */
    uint32_t zero, bound; /* zero 0: drivers may see the zeros */
    uint32_t *instead;    /* [bound] */
    WPG_VEC(unknown_zero) zeros;
} doer;

static uint32_t zero_of_type(doer *d, uint32_t type)
{
    wpg_module *m = d->module;
    for (size_t i = 0; i < d->zeros.count; i++)
        if (d->zeros.data[i].type == type)
            return d->zeros.data[i].id;
    const wpg_inst *def = wpg_module_def(m, type);
    uint32_t id;
    if (!d->zero)
        return wpg_const_null(m, type);
    if (def->opcode == SpvOpTypeVector) {
        uint32_t words[6] = {type}, count = def->words[3], part = zero_of_type(d, def->words[2]);
        words[1] = id = wpg_module_fresh_id(m);
        for (uint32_t i = 0; i < count && i < 4; i++)
            words[2 + i] = part;
        (void)wpg_inst_insert(m, d->where, SpvOpCompositeConstruct, words, 2 + count);
    } else {
        id = wpg_module_fresh_id(m);
        (void)wpg_inst_add(m, d->where, SpvOpBitcast, type, id, d->zero);
    }
    (void)wpg_vec_push(&d->zeros, (unknown_zero){type, id});
    return id;
}

static void replace_all(const doer *d, wpg_inst *function)
{
    wpg_operand_list operands = {0};
    for (wpg_inst *inst = function; inst->opcode != SpvOpFunctionEnd; inst = inst->next) {
        if (!wpg_used_ids(&operands, d->module, inst))
            continue;
        for (size_t i = 0; i < operands.count; i++) {
            uint32_t *id = &inst->words[operands.data[i]];
            if (*id < d->bound && d->instead[*id])
                *id = d->instead[*id];
        }
    }
    wpg_vec_free(&operands);
}

bool wpg_weight_plan_apply(const wpg_weight_plan *plan, wpg_module *module, wpg_inst *function,
                           wpg_arena *arena)
{
    doer d = {.module = module, .bound = module->bound};
    d.instead = WPG_ARENA_ARRAY(arena, uint32_t, d.bound);
    if (!d.instead)
        return false;
    if (!plan->actions.count)
        return true;
    if (!plan->shown)
        d.zero = wpg_zero_make(&d.where, module, function, plan->zero_of);
    for (size_t i = 0; i < plan->actions.count; i++) {
        const wpg_weight_action *action = &plan->actions.data[i];
        uint32_t zero = zero_of_type(&d, action->inst->type);
        if (action->operand)
            action->inst->words[action->operand] = zero;
        else
            d.instead[action->inst->result] = zero;
    }
    replace_all(&d, function);
    wpg_vec_free(&d.zeros);
    return !module->arena.failed;
}
