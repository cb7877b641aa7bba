/* Trip guard ('t'): versions a loop on its bound. The bound is uniform, and by the profile the trip count is
 * always the same small number. The copy has that bound as a constant, so the driver can unroll it:
 *
 *      for (i = 0; i < n; i++) body    =>    if (n == 16) { for (i = 0; i < 16; i++) body }  [[unroll]]
 *                                            else         { for (i = 0; i < n;  i++) body }
 *
 * This file finds loops and decides; induction.c reads the loop's test; loop_clone.c makes the copy. The copy
 * is right for every n that passes the guard. So a wrong profile costs time only. Needs: values in SSA form
 * (the induction variable is a phi), a profile with lanes. Legality: legality.h. */
#include "compiler/optimize/facts/induction.h"
#include "compiler/optimize/fold/standing.h"

#include <stdio.h>

#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/loops/opt_barrier.h"
#include "compiler/optimize/passes/guard_walk.h"
#include "compiler/spirv/builder.h"
#include "runtime/base/text.h"

static const char PASS[] = "trip-guard";

enum {
    UNROLLED_SIZE = 4096, /* most instructions a guarded copy may unroll to */
    /* Most words a guarded copy may load from storage buffers once unrolled. A loop that gathers more waits
     * for memory, not for its counter: measured on lavapipe 25 (17 words a trip, 8 trips), 1.6 times slower
     * and 40 times the compile time. */
    UNROLLED_LOADS = 64,
};

/* -- The bound -- */

/* NULL if the value is one for a whole draw and may be had before the loop. */
static const char *bound_refusal(const wpg_view *view, const wpg_loop *loop, uint32_t id, unsigned depth)
{
    const wpg_module *module = view->module;
    const wpg_inst *inst = wpg_module_def(module, id);
    if (inst && wpg_const_value(module, id, &(uint64_t){0}, &(uint32_t){0}))
        return NULL;
    if (!inst || !wpg_view_is_local(view, id) || depth > 8)
        return "the bound is not a value that is constant for a draw";
    uint32_t block = view->block_of[id];
    bool inside = block != WPG_NO_BLOCK && loop->members[block];
    if (inst->opcode == SpvOpLoad) {
        const char *why = NULL;
        if (!wpg_load_is_draw_constant(module, inst, &why))
            return why;
        if (!inside)
            return NULL;
        if (!wpg_block_surely_runs(view, loop, block))
            return "the bound is loaded in a block that may not run: hoisting would speculate the load";
        return wpg_loop_has_call_or_atomic(view, loop) ? "the bound is loaded in a loop with calls or atomics"
                                                       : NULL;
    }
    unsigned traits = wpg_inst_traits(module, inst);
    if (!(traits & WPG_TRAIT_SPECULATABLE) || (traits & WPG_TRAIT_FLOAT))
        return "the bound is not a value that is constant for a draw";
    wpg_operand_list operands = {0};
    const char *why = wpg_used_ids(&operands, module, inst) ? NULL : "the bound's computation is not known";
    for (size_t i = 0; !why && i < operands.count; i++)
        why = bound_refusal(view, loop, inst->words[operands.data[i]], depth + 1);
    wpg_vec_free(&operands);
    return why;
}

/* -- What the profile says -- */

/* Is the block on the test's own way out? */
static bool is_behind_test(const wpg_cfg *cfg, const wpg_guard_plan *plan, uint32_t block)
{
    const wpg_block *test = &cfg->blocks[plan->test];
    for (uint32_t s = 0; s < test->successor_count; s++)
        if (!plan->loop.inside[test->successors[s]] && plan->loop.members[test->successors[s]])
            return wpg_cfg_dominates(cfg, test->successors[s], block);
    return false;
}

/* Did lanes leave the loop otherwise than by the test? */
static const char *other_exits_refusal(const wpg_guarder *g, const wpg_guard_plan *plan)
{
    const wpg_cfg *cfg = g->view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        if (!plan->loop.members[b] || b == plan->test || block->rpo == WPG_NO_BLOCK ||
            is_behind_test(cfg, plan, b))
            continue;
        uint32_t inside = WPG_NO_BLOCK, outside = 0;
        for (uint32_t s = 0; s < block->successor_count; s++) {
            if (plan->loop.members[block->successors[s]])
                inside = block->successors[s];
            else
                outside++;
        }
        if (!outside && block->successor_count)
            continue;
        uint64_t lanes = 0, stayed = 0;
        if (!wpg_block_lanes(&lanes, g->view, g->profile, b))
            return "another way out of the loop was not measured";
        if (lanes && inside != WPG_NO_BLOCK && cfg->blocks[inside].predecessor_count == 1 &&
            block->successor_count == 2 && wpg_block_lanes(&stayed, g->view, g->profile, inside) &&
            stayed == lanes)
            continue;
        if (lanes)
            return "lanes left the loop by a break, return or kill";
    }
    return NULL;
}

/* Fills evaluations, entries and trips. */
static const char *trips_refusal(wpg_guarder *g, wpg_guard_plan *plan)
{
    uint64_t lanes;
    if (!wpg_loop_entries(&plan->entries, g->view, g->profile, &plan->loop) ||
        !wpg_block_lanes(&lanes, g->view, g->profile, plan->test))
        return "its entries were not measured";
    if (!plan->entries || !lanes)
        return "it never ran";
    bool before_body = plan->loop.top_tested && plan->test == plan->loop.first_test;
    double average = (double)lanes / (double)plan->entries - (before_body ? 1 : 0);
    if (lanes % plan->entries != 0) {
        wpg_format(g->text, sizeof g->text,
                   "%.2f trips on average in %llu entries: not always the same count", average,
                   (unsigned long long)plan->entries);
        return g->text;
    }
    uint64_t evaluations = lanes / plan->entries, trips = evaluations - (before_body ? 1 : 0);
    if (trips < 1 || trips > g->context->options->max_guarded_trips || evaluations < 2) {
        snprintf(g->text, sizeof g->text, "%llu trips, outside what is guarded (1 to %u)",
                 (unsigned long long)trips, g->context->options->max_guarded_trips);
        return g->text;
    }
    plan->evaluations = (uint32_t)evaluations;
    plan->trips = (uint32_t)trips;
    return other_exits_refusal(g, plan);
}

/* -- Legality of the copy -- */

static const char *inner_refusal(const wpg_guarder *g, const wpg_loop *loop)
{
    const wpg_cfg *cfg = g->view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        uint64_t state = WPG_LOOP_SEEN;
        if (loop->members[b] && wpg_map_get(&g->profile->guarded, cfg->blocks[b].id, &state) &&
            state == WPG_LOOP_GUARDED)
            return "a loop inside it is guarded already";
    }
    return NULL;
}

/* Words of a value of that type; saturates at more than any limit here. */
static uint32_t words_of_type(const wpg_module *module, uint32_t type, unsigned depth)
{
    const wpg_inst *def = wpg_module_def(module, type);
    uint64_t words = 0, length = 0;
    uint32_t bits;
    if (!def || depth > 8)
        return UNROLLED_LOADS + 1;
    switch (def->opcode) {
    case SpvOpTypeInt:
    case SpvOpTypeFloat:
        return def->words[2] > 32 ? 2 : 1;
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
        words = (uint64_t)def->words[3] * words_of_type(module, def->words[2], depth + 1);
        break;
    case SpvOpTypeArray:
        words = wpg_const_value(module, def->words[3], &length, &bits) && length <= UNROLLED_LOADS
                    ? length * words_of_type(module, def->words[2], depth + 1)
                    : UNROLLED_LOADS + 1;
        break;
    case SpvOpTypeStruct:
        for (uint16_t i = 2; i < def->count && words <= UNROLLED_LOADS; i++)
            words += words_of_type(module, def->words[i], depth + 1);
        break;
    default:
        return 2; /* a pointer */
    }
    return words > UNROLLED_LOADS ? UNROLLED_LOADS + 1 : (uint32_t)words;
}

/* Words that one trip loads from storage buffers. */
static uint64_t loads_a_trip(const wpg_view *view, const wpg_loop *loop)
{
    uint64_t words = 0;
    for (uint32_t b = 0; b < view->cfg->count; b++) {
        if (!loop->members[b])
            continue;
        const wpg_block *block = &view->cfg->blocks[b];
        for (const wpg_inst *inst = block->label->next; inst != block->terminator; inst = inst->next) {
            if (inst->opcode != SpvOpLoad)
                continue;
            SpvStorageClass class = wpg_pointer_class(view->module, inst->words[3]);
            if (class == SpvStorageClassStorageBuffer || class == SpvStorageClassPhysicalStorageBuffer)
                words += words_of_type(view->module, inst->type, 0);
        }
    }
    return words;
}

/* What the normal form shows already, before the SSA tier is run for it. */
static const char *early_refusal(wpg_guarder *g, wpg_guard_plan *plan)
{
    const wpg_loop *loop = &plan->loop;
    const wpg_inst *merge = g->view->cfg->blocks[loop->header].merge;
    if (merge->words[3] & SpvLoopControlDontUnrollMask)
        return "the application asks not to unroll it";
    if (loop->traits & WPG_TRAITS_FIXED) {
        snprintf(g->text, sizeof g->text, "it has %s", wpg_trait_name(loop->traits));
        return g->text;
    }
    uint64_t loads = loads_a_trip(g->view, loop) * plan->trips;
    if (loads > UNROLLED_LOADS) {
        snprintf(g->text, sizeof g->text, "unrolled, it would load %llu words: it waits for memory",
                 (unsigned long long)loads);
        return g->text;
    }
    return NULL;
}

static const char *copy_refusal(wpg_guarder *g, wpg_guard_plan *plan)
{
    const wpg_loop *loop = &plan->loop;
    const char *why = early_refusal(g, plan);
    if (why)
        return why;
    uint64_t unrolled = (uint64_t)loop->instructions * plan->trips;
    uint64_t allowed = (uint64_t)g->view->instruction_count * g->context->options->max_growth / 100;
    if (unrolled > UNROLLED_SIZE || g->grown + loop->instructions > allowed) {
        snprintf(g->text, sizeof g->text, "%u instructions, %llu unrolled: too large", loop->instructions,
                 (unsigned long long)unrolled);
        return g->text;
    }
    why = inner_refusal(g, loop);
    if (!why)
        why = wpg_loop_copy_refusal(&plan->preheader, g->view, loop, &g->slices->exact, &g->slices->helper);
    if (!why)
        why = wpg_opt_barrier_refusal(g->view, loop);
    const uint32_t bound = plan->compare->words[plan->bound_at];
    if (!why && wpg_unrolling_decides(g->view, loop, bound, g->arena))
        why = "unrolled, a branch of its body is decided: drivers may round the arithmetic there otherwise";
    uint32_t folded = why ? 0 : wpg_unrolling_folds(g->view, loop, bound, g->arena);
    if (!folded)
        return why;
    snprintf(g->text, sizeof g->text, "unrolled, %%%u becomes a constant, which drivers round their own way",
             folded);
    return g->text;
}

/* -- Finding -- */

/* Does the value depend on a variable of the shader's own that is in memory? */
static bool reads_own_memory(const wpg_view *view, uint32_t id, unsigned depth)
{
    const wpg_inst *inst = wpg_view_is_local(view, id) ? wpg_module_def(view->module, id) : NULL;
    if (!inst || depth > 4 || inst->opcode == SpvOpPhi)
        return false;
    if (inst->opcode == SpvOpLoad) {
        const SpvStorageClass class = wpg_pointer_class(view->module, inst->words[3]);
        return class == SpvStorageClassFunction || class == SpvStorageClassPrivate;
    }
    wpg_operand_list operands = {0};
    bool reads = false;
    if (wpg_used_ids(&operands, view->module, inst))
        for (size_t i = 0; i < operands.count; i++)
            reads |= reads_own_memory(view, inst->words[operands.data[i]], depth + 1);
    wpg_vec_free(&operands);
    return reads;
}

/* Why the trips of a loop are not known as first, step and bound. */
static const char *why_no_test(const wpg_view *view, const wpg_loop *loop)
{
    const wpg_cfg *cfg = view->cfg;
    bool leaves = false;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_inst *end = cfg->blocks[b].terminator;
        bool exits = false;
        for (uint32_t i = 0; loop->members[b] && i < cfg->blocks[b].successor_count; i++)
            exits |= !loop->inside[cfg->blocks[b].successors[i]];
        if (!exits || end->opcode != SpvOpBranchConditional)
            continue;
        leaves = true;
        if (reads_own_memory(view, end->words[1], 0))
            return "its counter is a variable that stays in memory: last bits would depend on the form of "
                   "the "
                   "loop";
    }
    return leaves ? "no integer that starts at a constant and changes by a constant is compared in each trip"
                  : "no condition ends it";
}

/* NULL when the loop may be guarded as planned; the refusal otherwise. "" = no candidate, nothing to say. */
static const char *plan_loop(wpg_guarder *g, wpg_guard_plan *plan)
{
    const wpg_view *view = g->view;
    wpg_induction i = {0};
    bool found = false, constant = false;
    for (uint32_t b = 0; b < view->cfg->count && !found; b++) {
        if (!plan->loop.members[b] || !wpg_read_loop_test(plan, view, b))
            continue;
        for (plan->bound_at = 4; plan->bound_at >= 3 && !found; plan->bound_at--) {
            uint32_t bound = plan->compare->words[plan->bound_at], value;
            found = wpg_read_induction(&i, view, &plan->loop, plan->compare->words[7 - plan->bound_at]);
            constant = found && wpg_is_u32_const(view->module, bound, &value);
            if (found)
                break;
        }
    }
    if (!found || constant)
        return constant ? "" : why_no_test(view, &plan->loop);
    const wpg_inst *bound = wpg_module_def(view->module, plan->compare->words[plan->bound_at]);
    const wpg_inst *type = bound ? wpg_module_def(view->module, bound->type) : NULL;
    if (!type || type->opcode != SpvOpTypeInt || type->words[2] != 32)
        return "the bound is no 32-bit integer";
    const char *why = trips_refusal(g, plan);
    if (!why)
        why = bound_refusal(view, &plan->loop, bound->result, 0);
    if (!why)
        why = wpg_bound_value_refusal(plan, &i);
    return why ? why : copy_refusal(g, plan);
}

static const char *plan_guard(wpg_guarder *g, wpg_guard_plan *plan)
{
    const char *why = plan_loop(g, plan);
    if (why)
        return why;
    const wpg_block_weight *before = wpg_profile_block(g->profile, g->view->cfg->blocks[plan->preheader].id);
    plan->takes[0] = g->profile->has_waves && before && before->waves ? before->waves : plan->entries;
    return NULL;
}

static bool is_dealt_with(const wpg_guarder *g, uint32_t header)
{
    return wpg_map_get(&g->profile->guarded, header, NULL);
}

static bool mark_seen(wpg_guarder *g, uint32_t header)
{
    return wpg_map_set(&g->profile->guarded, header, WPG_LOOP_SEEN);
}

static bool mark_guarded(wpg_guarder *g, uint32_t header)
{
    return wpg_map_set(&g->profile->guarded, header, WPG_LOOP_GUARDED);
}

static void tell(wpg_guarder *g, const wpg_guard_plan *plan)
{
    snprintf(g->text, sizeof g->text,
             "%u trips in all %llu entries (lanes); guarded, copy of %u instructions with bound %d",
             plan->trips, (unsigned long long)plan->entries, plan->loop.instructions, (int)plan->value);
}

wpg_status wpg_pass_trip_guard(bool *changed, wpg_context *context, wpg_function_profile *profile)
{
    static const wpg_guard_pass pass = {.name = PASS,
                                        .inner_first = true,
                                        .skips = is_dealt_with,
                                        .enters = mark_seen,
                                        .plan = plan_guard,
                                        .tell = tell,
                                        .leaves = mark_guarded};
    return profile->has_lanes ? wpg_guard_loops(changed, &pass, context, profile) : WPG_OK;
}

/* A bound in the normal form: a value loaded from memory that is not the function's own must be constant for
 * a draw; one kept in a variable cannot be told yet. */
static const char *early_bound_refusal(const wpg_view *view, uint32_t id, unsigned depth)
{
    const wpg_inst *inst = wpg_module_def(view->module, id);
    const char *why = NULL;
    if (!inst || !wpg_view_is_local(view, id) || depth > 8)
        return NULL;
    if (inst->opcode == SpvOpLoad) {
        SpvStorageClass class = wpg_pointer_class(view->module, inst->words[3]);
        bool own = class == SpvStorageClassFunction || class == SpvStorageClassPrivate;
        return own || wpg_load_is_draw_constant(view->module, inst, &why) ? NULL : why;
    }
    if (!(wpg_inst_traits(view->module, inst) & WPG_TRAIT_PURE))
        return NULL;
    wpg_operand_list operands = {0};
    if (wpg_used_ids(&operands, view->module, inst))
        for (size_t i = 0; !why && i < operands.count; i++)
            why = early_bound_refusal(view, inst->words[operands.data[i]], depth + 1);
    wpg_vec_free(&operands);
    return why;
}

/* Whole trips per entry, within limits, as far as the normal form shows: else says why, and marks the loop as
 * seen. A test against a constant is none of ours. */
static bool loop_is_wanted(wpg_guarder *g, wpg_guard_plan *plan, bool *tested)
{
    const wpg_view *view = g->view;
    *tested = false;
    for (uint32_t b = 0; b < view->cfg->count; b++) {
        uint32_t value;
        if (!plan->loop.members[b] || !wpg_read_loop_test(plan, view, b) ||
            wpg_is_u32_const(view->module, plan->compare->words[3], &value) ||
            wpg_is_u32_const(view->module, plan->compare->words[4], &value))
            continue;
        *tested = true;
        const char *why = trips_refusal(g, plan);
        if (!why)
            why = early_refusal(g, plan);
        if (!why)
            why = early_bound_refusal(view, plan->compare->result, 0);
        if (!why)
            return true;
        uint32_t origin = wpg_guard_origin(g, plan->loop.header);
        wpg_remark_add(g->context, WPG_REMARK_REFUSED, PASS, g->profile->ordinal, origin,
                       "loop at block %u: refused: %s", origin, why);
        return false;
    }
    return false;
}

bool wpg_trip_guard_wanted(wpg_context *context, wpg_function_profile *profile)
{
    wpg_guarder g = {.context = context, .profile = profile};
    if (!profile->has_lanes || wpg_view_get(&g.view, context, profile->function, &(wpg_error){0}) != WPG_OK)
        return false;
    bool wanted = false;
    const wpg_cfg *cfg = g.view->cfg;
    for (uint32_t c = 0; c < cfg->construct_count; c++) {
        wpg_guard_plan plan = {0};
        bool tested;
        if (!wpg_loop_describe(&plan.loop, g.view, c))
            continue;
        if (loop_is_wanted(&g, &plan, &tested))
            wanted = true;
        else if (tested) /* said why; when memory is short it is said twice */
            wpg_map_set(&profile->guarded, cfg->blocks[plan.loop.header].id, WPG_LOOP_SEEN);
    }
    return wanted;
}
