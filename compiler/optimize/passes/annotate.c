/* Annotate ('a'): writes the profile as hints for the driver: branch weights, and control of loops that hold
 * no other. (Selection control: flatten.c.) Changes no result. Hints of the program are kept.
 *
 * Weights are WAVE counts of the two ways (lanes where waves were not measured), because every wave may run a
 * way that few lanes take. If the target of a way has other predecessors, the weight is estimated from the
 * other way's counts. Source: SPIR-V 1.6, 3.49.17 (OpBranchConditional, OpSelectionMerge, OpLoopMerge), 3.22,
 * 3.23. Needs: a profile. Keeps: everything but the annotated instructions. */
#include "compiler/optimize/ir/branch_weights.h"

#include <stdio.h>

#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/loops.h"
#include "compiler/optimize/ir/pass.h"

static const char PASS[] = "annotate";

enum {
    UNROLL_TRIPS = 32, /* longest loop to ask for full unrolling */
    UNROLL_SIZE = 512, /* most instructions after unrolling or peeling */
    PEEL_TRIPS = 4,
    PARTIAL_TRIPS = 16, /* shortest loop to ask for partial unrolling */
    PARTIAL_COUNT = 4,
    PARTIAL_SIZE = 64, /* largest body for that */
    SPIRV_1_4 = 0x00010400,
};

typedef struct annotator {
    wpg_context *context;
    wpg_function_profile *profile;
    wpg_view *view;
    uint32_t weighted, branches, loops;
    bool changed;
    const wpg_id_set *exact; /* what feeds exact outputs; asked for at the first hint */
    wpg_status status;
} annotator;

static const wpg_block_weight *weight_of(const annotator *a, uint32_t block)
{
    return wpg_known_block(a->profile, a->view->cfg->blocks[block].id);
}

static uint32_t origin_of(const annotator *a, uint32_t block)
{
    const wpg_block_weight *weight = wpg_profile_block(a->profile, a->view->cfg->blocks[block].id);
    return weight ? weight->origin : block;
}

static bool has_one_predecessor(const annotator *a, uint32_t block)
{
    return a->view->cfg->blocks[block].predecessor_count == 1;
}

/* Count of the way from `block` to `target`, the other way being `other`; false if it cannot be told. */
static bool way_count(uint64_t *count, const annotator *a, uint32_t block, uint32_t target, uint32_t other)
{
    const wpg_block_weight *b = weight_of(a, block), *t = weight_of(a, target), *o = weight_of(a, other);
    bool waves = a->profile->has_waves;
    if (!b || !t || !o)
        return false;
    if (has_one_predecessor(a, target)) {
        *count = waves ? t->waves : t->lanes;
        return true;
    }
    if (!has_one_predecessor(a, other))
        return false;
    uint64_t lanes = wpg_less(b->lanes, o->lanes);
    if (!waves) {
        *count = lanes;
        return a->profile->has_lanes;
    }
    /* At least the waves that did not go the other way at all; at most those in which some lane may not have,
     * and no more than there were lanes. */
    uint64_t most = o->uniform_known && b->uniform_known ? wpg_less(b->waves, o->uniform) : b->waves;
    if (a->profile->has_lanes && lanes < most)
        most = lanes;
    uint64_t least = wpg_less(b->waves, o->waves);
    *count = most > least ? most : least;
    return true;
}

static void no_weights(annotator *a, uint32_t block, const char *why)
{
    uint32_t origin = origin_of(a, block);
    const wpg_block_weight *weight = wpg_profile_block(a->profile, a->view->cfg->blocks[block].id);
    wpg_branch_is_unknown(a->context, a->view->cfg->blocks[block].id,
                          weight && weight->unknown_by ? weight->unknown_by : PASS);
    wpg_remark_add(a->context, WPG_REMARK_REFUSED, PASS, a->profile->ordinal, origin,
                   "branch of block %u: no weights: %s", origin, why);
}

static void weigh_branch(annotator *a, uint32_t block)
{
    const wpg_cfg *cfg = a->view->cfg;
    wpg_inst *branch = cfg->blocks[block].terminator;
    a->branches++;
    if (branch->count >= 6) {
        a->weighted++; /* the application's, or given by the pass that made the branch */
        return;
    }
    uint32_t t = wpg_cfg_find(cfg, branch->words[2]), f = wpg_cfg_find(cfg, branch->words[3]);
    uint64_t on_true, on_false;
    uint32_t weights[2];
    if (t == f || t == WPG_NO_BLOCK || f == WPG_NO_BLOCK)
        no_weights(a, block, "both ways lead to one block");
    else if (!weight_of(a, block))
        no_weights(a, block, "it was not measured");
    else if (!way_count(&on_true, a, block, t, f) || !way_count(&on_false, a, block, f, t))
        no_weights(a, block, "both ways lead to blocks that other edges lead to: the ways were not measured");
    else if (!wpg_scale_weights(weights, on_true, on_false))
        no_weights(a, block, "it never ran");
    else {
        wpg_inst_set_operands(
            a->context->module, branch,
            (const uint32_t[]){branch->words[1], branch->words[2], branch->words[3], weights[0], weights[1]},
            5);
        a->weighted++;
        a->changed = true;
    }
}

/* -- Exact outputs -- */

/* Does the block hold floating-point work that feeds an exact output? A driver that follows a hint duplicates
 * or merges what it is about, and may contract it otherwise than in another pipeline that draws the same
 * thing. */
static bool block_is_exact(annotator *a, uint32_t block)
{
    const wpg_block *b = &a->view->cfg->blocks[block];
    if (!a->exact && a->status == WPG_OK)
        a->status = wpg_exact_get(&a->exact, a->context);
    for (const wpg_inst *inst = b->label; a->status == WPG_OK && inst != b->terminator; inst = inst->next)
        if (inst->result && (wpg_inst_traits(a->view->module, inst) & WPG_TRAIT_FLOAT) &&
            wpg_id_set_has(a->exact, inst->result))
            return true;
    return a->status != WPG_OK;
}

/* -- Loop control -- */

static void set_loop_control(annotator *a, wpg_inst *merge, uint32_t control, uint32_t parameter)
{
    uint32_t operands[] = {merge->words[1], merge->words[2], control, parameter};
    bool has_parameter = control & (SpvLoopControlPeelCountMask | SpvLoopControlPartialCountMask);
    wpg_inst_set_operands(a->context->module, merge, operands, has_parameter ? 4 : 3);
    a->loops++;
    a->changed = true;
}

/* May a driver unroll it? Not where that changes bits. */
static bool loop_may_be_unrolled(annotator *a, const wpg_loop *loop)
{
    for (uint32_t b = 0; b < a->view->cfg->count; b++)
        if (loop->members[b] && block_is_exact(a, b))
            return false;
    const wpg_unrolled *unrolled = wpg_unrolled_of(a->view);
    if (!unrolled)
        a->status = wpg_fail(a->context->err, WPG_E_NOMEM, "out of memory");
    return unrolled && !wpg_unrolled_folds(unrolled, loop);
}

typedef struct loop_control {
    uint32_t mask, parameter;
    const char *name;
} loop_control;

/* Mask 0: none is worth it. */
static loop_control choose_control(const wpg_loop *loop, double trips, bool exact, bool since_1_4)
{
    const uint64_t whole = (uint64_t)(trips + 0.5);
    if (exact && loop->exits == 1 && whole >= 1 && whole <= UNROLL_TRIPS &&
        loop->instructions * whole <= UNROLL_SIZE)
        return (loop_control){SpvLoopControlUnrollMask, 0, "Unroll"};
    if (!exact && since_1_4 && whole >= 1 && whole <= PEEL_TRIPS && trips >= (double)whole - 0.1 &&
        trips <= (double)whole + 0.1 && loop->instructions * whole <= UNROLL_SIZE)
        return (loop_control){SpvLoopControlPeelCountMask, (uint32_t)whole, "PeelCount"};
    if (since_1_4 && trips >= (double)PARTIAL_TRIPS && loop->instructions <= PARTIAL_SIZE)
        return (loop_control){SpvLoopControlPartialCountMask, PARTIAL_COUNT, "PartialCount"};
    return (loop_control){0};
}

/* A driver that unrolls a nest makes as many copies of its innermost loop as the product of all trips that it
 * cannot rule out, whatever the profile saw. */
static bool holds_loops(const wpg_cfg *cfg, const wpg_loop *loop)
{
    for (uint32_t c = 0; c < cfg->construct_count; c++)
        if (cfg->constructs[c].kind == WPG_CONSTRUCT_LOOP && cfg->constructs[c].header != loop->header &&
            loop->inside[cfg->constructs[c].header])
            return true;
    return false;
}

static void control_loop(annotator *a, uint32_t construct)
{
    const wpg_cfg *cfg = a->view->cfg;
    wpg_loop loop;
    uint64_t entries, header;
    if (!wpg_loop_describe(&loop, a->view, construct) || holds_loops(cfg, &loop))
        return;
    wpg_inst *merge = cfg->blocks[loop.header].merge;
    if (merge->count != 4 || merge->words[3] != SpvLoopControlMaskNone ||
        !wpg_loop_entries(&entries, a->view, a->profile, &loop) || !entries ||
        !wpg_block_lanes(&header, a->view, a->profile, loop.header) || header < entries)
        return;
    double trips = (double)header / (double)entries - (loop.top_tested ? 1 : 0);
    const loop_control control =
        choose_control(&loop, trips, header % entries == 0, a->context->module->version >= SPIRV_1_4);
    uint32_t origin = origin_of(a, loop.header);
    char parameter[16] = "";
    if (!control.mask || !loop_may_be_unrolled(a, &loop))
        return;
    set_loop_control(a, merge, control.mask, control.parameter);
    if (control.parameter)
        (void)snprintf(parameter, sizeof parameter, " %u", control.parameter);
    wpg_remark_add(a->context, WPG_REMARK_DONE, PASS, a->profile->ordinal, origin,
                   "loop at block %u: %.2f trips on average in %llu entries (lanes), %u instructions; %s%s",
                   origin, trips, (unsigned long long)entries, loop.instructions, control.name, parameter);
}

wpg_status wpg_pass_annotate(bool *changed, wpg_context *context, wpg_function_profile *profile)
{
    annotator a = {.context = context, .profile = profile};
    wpg_error reason = {0};
    wpg_status status = wpg_view_get(&a.view, context, profile->function, &reason);
    if (status != WPG_OK) {
        if (status == WPG_E_NOMEM)
            return wpg_fail(context->err, status, "out of memory");
        wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, profile->ordinal, 0, "%.140s", reason.message);
        return WPG_OK;
    }
    const wpg_cfg *cfg = a.view->cfg;
    for (uint32_t b = 0; b < cfg->count; b++) {
        const wpg_block *block = &cfg->blocks[b];
        if (block->terminator->opcode != SpvOpBranchConditional || block->rpo == WPG_NO_BLOCK)
            continue;
        weigh_branch(&a, b);
    }
    for (uint32_t c = 0; c < cfg->construct_count; c++)
        if (cfg->constructs[c].kind == WPG_CONSTRUCT_LOOP)
            control_loop(&a, c);
    if (a.changed || a.branches)
        wpg_remark_add(context, a.weighted ? WPG_REMARK_DONE : WPG_REMARK_REFUSED, PASS, profile->ordinal, 0,
                       "%u of %u branches carry weights (%s); control set on %u loops", a.weighted,
                       a.branches, profile->has_waves ? "waves" : "lanes", a.loops);
    *changed |= a.changed;
    if (a.status != WPG_OK)
        status = a.status;
    return status;
}
