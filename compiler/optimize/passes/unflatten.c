/* Un-flatten ('u'): turns a select into a branch if few waves need its expensive operand.
 *
 *      ...chain...                          OpSelectionMerge m DontFlatten
 *      x = OpSelect c rare common    =>     OpBranchConditional c r m
 *                                        r: chain;  OpBranch m
 *                                        m: x = OpPhi rare r, common b
 *
 * Selects of one block with one condition share the branch. The hottest come first (cost of the chain times
 * waves of the block). Each application works on a fresh view, so the result depends on the module and the
 * profile alone. Needs: a profile with select sites. Keeps: result ids, block weights. Legality: legality.h;
 * sinking only removes executions. */
#include "compiler/optimize/ir/pass.h"

#include <stdio.h>

#include "compiler/optimize/facts/folding.h"
#include "compiler/optimize/ir/branch_weights.h"
#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/split.h"
#include "compiler/optimize/passes/sink.h"

enum { MAX_BRANCHES = 64 }; /* per function */

static const char PASS[] = "unflatten";

typedef struct unflattener {
    bool speak; /* say why selects are refused: only once no branch is left to make */
    wpg_context *context;
    wpg_function_profile *profile;
    wpg_view *view;
    const wpg_slices *slices;
} unflattener;

/* The side (0: true, 1: false) that few waves need, -1 if none. A side is rare by waves; by lanes alone only
 * when no lane ever needed it: a side with few lanes may still run in every wave. */
static int rare_side(const wpg_context *context, const wpg_function_profile *profile,
                     const wpg_site_weight *site, uint64_t *needed, uint64_t *of)
{
    if (!site->lanes[0] && !site->lanes[1])
        return -1;
    uint64_t most = site->waves[0] > site->waves[1] ? site->waves[0] : site->waves[1];
    if (!profile->has_waves || !most) {
        int unused = !site->lanes[0] ? 0 : 1;
        *needed = 0;
        *of = site->lanes[!unused];
        return site->lanes[unused] ? -1 : unused;
    }
    uint64_t waves = profile->blocks.data[site->origin].waves;
    int side = site->waves[0] < site->waves[1] ? 0 : 1;
    *needed = site->waves[side];
    *of = waves > most ? waves : most;
    return (double)*needed <= context->options->rare_share * (double)*of ? side : -1;
}

bool wpg_unflatten_wanted(wpg_context *context, wpg_function_profile *profile)
{
    for (size_t i = 0; i < profile->site_weights.count; i++)
        if (rare_side(context, profile, &profile->site_weights.data[i], &(uint64_t){0}, &(uint64_t){0}) >= 0)
            return true;
    return false;
}

static void refuse(unflattener *u, wpg_site_weight *site, const wpg_inst *select, const char *why)
{
    site->settled = true;
    wpg_remark_add(u->context, WPG_REMARK_REFUSED, PASS, u->profile->ordinal, site->origin,
                   "select %%%u in block %u: refused: %s", select->result, site->origin, why);
}

/* Would the branch stand in a loop that a driver unrolls and folds, or not, by what is in it? */
static bool folds_around(const unflattener *u, uint32_t block)
{
    wpg_arena arena;
    if (u->view->cfg->blocks[block].loop == WPG_NO_BLOCK)
        return false;
    wpg_arena_init(&arena);
    bool folds = wpg_may_fold_by_itself(u->view, block) || arena.failed;
    wpg_arena_finish(&arena);
    return folds;
}

/* NULL if the branch is legal and worth it. `text` holds messages with figures. */
static const char *refusal(const unflattener *u, const wpg_sink *sink, char *text, size_t size)
{
    const char *whole = wpg_block_stays_whole_because(u->view->cfg, sink->block);
    if (whole)
        return whole;
    for (size_t i = 0; i < sink->chain.count; i++) {
        const wpg_inst *inst = sink->chain.data[i];
        if ((wpg_inst_traits(u->view->module, inst) & WPG_TRAIT_FLOAT) &&
            wpg_id_set_has(&u->slices->exact, inst->result))
            return "floating-point work that feeds Position, FragDepth, an Invariant or other exact output";
    }
    for (size_t i = 0; i < sink->selects.count; i++)
        if (wpg_id_set_has(&u->slices->helper, sink->selects.data[i]->result))
            return "it feeds an implicit-lod sample, derivative, quad or subgroup operation";
    if (sink->cost < u->context->options->unflatten_cost) {
        if (sink->kept && sink->kept->result)
            snprintf(text, size, "operand %%%u is %s; what could be skipped costs %u, less than %u",
                     sink->kept->result, sink->kept_why, sink->cost, u->context->options->unflatten_cost);
        else
            snprintf(text, size, "the rare side's own work costs %u, less than %u", sink->cost,
                     u->context->options->unflatten_cost);
        return text;
    }
    if (folds_around(u, sink->block))
        return "a loop around it computes of constants what a driver rounds its own way when it unrolls it";
    if (wpg_split_parts_exact(u->view, &u->slices->exact, sink->block, sink->selects.data[0]))
        return "the branch would split exact floating-point arithmetic";
    if (wpg_split_parts_sampled(u->view, sink->block, sink->selects.data[0], sink->chain.data,
                                sink->chain.count))
        return "the branch would part a sampled image from its use";
    return NULL;
}

/* Selects with the first one's condition, from it to the end of its block, that have counts. */
static bool gather(const unflattener *u, wpg_sink *sink, wpg_inst *first, int rare)
{
    *sink = (wpg_sink){.block = u->view->block_of[first->result],
                       .condition = first->words[3],
                       .rare = rare,
                       .exact = &u->slices->exact};
    const wpg_inst *end = u->view->cfg->blocks[sink->block].terminator;
    for (wpg_inst *inst = first; inst && inst != end; inst = inst->next) {
        if (inst->opcode != SpvOpSelect || inst->count != 6 || inst->words[3] != sink->condition)
            continue;
        const wpg_site_weight *site = wpg_profile_site(u->profile, inst->result);
        if (site && !site->settled && !wpg_vec_push(&sink->selects, inst))
            return false;
    }
    return true;
}

typedef struct best_site {
    wpg_sink sink;
    double gain;
    uint64_t needed, of;
} best_site;

/* Looks at one select; keeps its group in *best if it gains more. */
static wpg_status consider(unflattener *u, best_site *best, wpg_inst *select, wpg_site_weight *site)
{
    uint64_t needed, of;
    int rare = rare_side(u->context, u->profile, site, &needed, &of);
    if (rare < 0) {
        site->settled = true;
        return WPG_OK;
    }
    wpg_sink sink;
    wpg_status status = gather(u, &sink, select, rare)
                            ? wpg_sink_chain(&sink, u->view, u->context->err)
                            : wpg_fail(u->context->err, WPG_E_NOMEM, "out of memory");
    if (status == WPG_OK) {
        char text[128];
        const char *why = refusal(u, &sink, text, sizeof text);
        double gain = (double)sink.cost * (double)of;
        if (why && u->speak)
            refuse(u, site, select, why);
        if (!why && gain > best->gain) {
            wpg_sink previous = best->sink;
            *best = (best_site){.sink = sink, .gain = gain, .needed = needed, .of = of};
            sink = previous;
        }
    }
    wpg_sink_free(&sink);
    return status;
}

/* Makes the branch. The view is stale afterwards. */
static wpg_status apply(unflattener *u, const best_site *best)
{
    wpg_module *module = u->context->module;
    const wpg_sink *sink = &best->sink;
    wpg_inst *first = sink->selects.data[0];
    uint32_t before = u->view->cfg->blocks[sink->block].id;
    uint32_t branch = wpg_module_fresh_id(module), merge = wpg_module_fresh_id(module);
    wpg_site_weight *site = wpg_profile_site(u->profile, first->result);

    for (size_t i = 0; i < sink->lifted.count; i++)
        wpg_inst_move(module, sink->lifted.data[i], first);
    wpg_inst_add(module, first, SpvOpSelectionMerge, merge, SpvSelectionControlDontFlattenMask);
    uint32_t on_true = sink->rare == 0 ? branch : merge, on_false = sink->rare == 0 ? merge : branch;
    uint32_t weights[2];
    if (wpg_scale_weights(weights, site->waves[0], site->waves[1]))
        wpg_inst_add(module, first, SpvOpBranchConditional, sink->condition, on_true, on_false, weights[0],
                     weights[1]);
    else
        wpg_inst_add(module, first, SpvOpBranchConditional, sink->condition, on_true, on_false);
    wpg_inst_add(module, first, SpvOpLabel, branch);
    wpg_inst *out = wpg_inst_add(module, first, SpvOpBranch, merge);
    wpg_inst_add(module, first, SpvOpLabel, merge);
    for (size_t i = 0; i < sink->chain.count; i++)
        wpg_inst_move(module, sink->chain.data[i], out);
    wpg_inst *after = first;
    for (size_t i = 0; i < sink->selects.count; i++) {
        wpg_inst *select = sink->selects.data[i];
        uint32_t phi[] = {select->type,
                          select->result,
                          wpg_select_operand(select, sink->rare),
                          branch,
                          wpg_select_operand(select, !sink->rare),
                          before};
        if (select != after)
            wpg_inst_move(module, select, after);
        else
            after = after->next;
        wpg_inst_rewrite(module, select, SpvOpPhi, phi, sizeof phi / sizeof *phi);
        wpg_profile_site(u->profile, select->result)->settled = true;
    }
    wpg_retarget_phis(u->view->cfg, sink->block, merge);

    const wpg_block_weight *whole = wpg_profile_block(u->profile, before);
    wpg_block_weight rest = whole ? *whole : (wpg_block_weight){.origin = site->origin};
    wpg_block_weight rare = {
        .lanes = site->lanes[sink->rare], .waves = site->waves[sink->rare], .origin = rest.origin};
    if (!wpg_profile_add_block(u->profile, branch, rare) || !wpg_profile_add_block(u->profile, merge, rest))
        return wpg_fail(u->context->err, WPG_E_NOMEM, "out of memory");
    wpg_remark_add(
        u->context, WPG_REMARK_DONE, PASS, u->profile->ordinal, site->origin,
        "%zu select%s in block %u: %llu of %llu waves need it; %zu instructions (cost %u) now in a branch",
        sink->selects.count, sink->selects.count == 1 ? "" : "s", site->origin,
        (unsigned long long)best->needed, (unsigned long long)best->of, sink->chain.count, sink->cost);
    return WPG_OK;
}

/* Settles the selects that went into the new branch: their counts were taken under another mask. */
static void settle_moved(unflattener *u, const wpg_sink *sink)
{
    for (size_t i = 0; i < sink->chain.count; i++) {
        wpg_inst *inst = sink->chain.data[i];
        wpg_site_weight *site =
            inst->opcode == SpvOpSelect ? wpg_profile_site(u->profile, inst->result) : NULL;
        if (site && !site->settled)
            refuse(u, site, inst, "it went into the branch made for another select");
    }
}

/* Finds the most worthwhile branch over a fresh view and makes it; *done = false when there is none. */
static wpg_status step(bool *done, unflattener *u)
{
    *done = false;
    best_site best = {0};
    wpg_error reason = {0};
    wpg_status status = wpg_view_get(&u->view, u->context, u->profile->function, &reason);
    if (status != WPG_OK)
        return status == WPG_E_NOMEM ? wpg_fail(u->context->err, status, "out of memory") : WPG_OK;
    for (uint32_t b = 0; b < u->view->cfg->count && status == WPG_OK; b++) {
        const wpg_block *block = &u->view->cfg->blocks[b];
        if (block->rpo == WPG_NO_BLOCK)
            continue;
        for (wpg_inst *inst = block->label; inst != block->terminator && status == WPG_OK;
             inst = inst->next) {
            wpg_site_weight *site = inst->opcode == SpvOpSelect && inst->count == 6
                                        ? wpg_profile_site(u->profile, inst->result)
                                        : NULL;
            if (site && !site->settled)
                status = consider(u, &best, inst, site);
        }
    }
    if (status == WPG_OK && best.gain > 0) {
        settle_moved(u, &best.sink);
        status = apply(u, &best);
        *done = true;
    }
    wpg_sink_free(&best.sink);
    if (*done)
        wpg_analyses_drop(u->context);
    u->view = NULL;
    return status;
}

wpg_status wpg_pass_unflatten(bool *changed, wpg_context *context, wpg_function_profile *profile)
{
    if (!wpg_unflatten_wanted(context, profile))
        return WPG_OK;
    unflattener u = {.context = context, .profile = profile};
    wpg_status status = wpg_slices_get(&u.slices, context);
    bool again = status == WPG_OK;
    for (unsigned made = 0; again && status == WPG_OK && made < MAX_BRANCHES; made++) {
        status = step(&again, &u);
        *changed |= again;
    }
    u.speak = true;
    if (status == WPG_OK && !again)
        status = step(&again, &u);
    return status;
}
