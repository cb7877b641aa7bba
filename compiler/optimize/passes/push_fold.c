/* Push fold ('p'): replaces loads of push constants by the constants that the caller gives; the driver folds
 * what follows (load_fold.h), and what weights of 0 leave nothing of goes (weight_fold.h). Right if the
 * caller binds the result only while the words have those values.
 *
 * Needs: values (wpg_optimize_options.pushes); no profile. Works best after the SSA tier. Gives:
 * wpg_remarks.push_words, the words that the result depends on. The loads stay, where a use keeps them. */
#include "compiler/optimize/facts/push_values.h"
#include "compiler/optimize/fold/fold_saving.h"
#include "compiler/optimize/fold/load_fold.h"

static const char PASS[] = "push-fold";

typedef WPG_VEC(wpg_known_load) load_list;

/* The function's loads that lie in known words; their constants are made. False when memory ran out. */
static bool collect(load_list *loads, wpg_context *context, const wpg_inst *function, uint32_t ordinal,
                    const wpg_push_known *known)
{
    const wpg_inst *end = wpg_function_end((wpg_inst *)(uintptr_t)function);
    for (wpg_inst *inst = function->next; inst && inst != end; inst = inst->next) {
        wpg_known_load found = {.inst = inst, .group = UINT64_C(1) << loads->count % 64};
        const char *why;
        if (!wpg_is_push_load(context->module, inst))
            continue;
        found.constant = wpg_push_constant_of(&found.words, &why, context->module, inst, known);
        if (!found.constant)
            wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, ordinal, 0,
                           "a load of a push constant stays: %s", why);
        else if (!wpg_vec_push(loads, found))
            return false;
    }
    return true;
}

static uint64_t along(const wpg_load_fold *job, uint64_t decided)
{
    const wpg_optimize_options *options = job->context->options;
    const wpg_push_known *known = job->of;
    return options->push_sets ? wpg_push_sets_along(options->push_sets, known->words, decided, WPG_PUSH_ALONG)
                              : options->push_along;
}

/* What the fold saves of the function's work, from 0 to 1. */
static double share_saved(const wpg_context *context, uint32_t function, const wpg_load_folded *folded)
{
    wpg_fold_saving of;
    wpg_fold_saving_measure(&of, context->module, wpg_profile_of(context, function), folded, NULL, NULL);
    return of.whole > 0 ? (of.saved + of.branches) / of.whole : 0;
}

static const double LEAST_SAVED = 0.03; /* as SURE_GAIN of versions */

/* Loads that decide something. Where floats become constants (FLOAT=spec), else those that save work. */
static wpg_status find(wpg_load_folding **folding, wpg_load_folded *folded, wpg_load_fold *job)
{
    job->silent = job->context->options->floats == WPG_FLOAT_SPEC;
    WPG_TRY(wpg_load_fold_find(folding, folded, job));
    if (*folding || !job->silent)
        return WPG_OK;
    job->always = true;
    WPG_TRY(wpg_load_fold_find(folding, folded, job));
    if (*folding && folded->loads && share_saved(job->context, job->function, folded) >= LEAST_SAVED)
        return WPG_OK;
    wpg_load_folding_destroy(*folding);
    *folding = NULL;
    wpg_remark_add(job->context, WPG_REMARK_REFUSED, PASS, job->ordinal, 0, "next to nothing would be saved");
    return WPG_OK;
}

bool wpg_push_fold_wanted(const wpg_context *context)
{
    if (context->options->push_count == 0)
        return false;
    for (const wpg_inst *inst = wpg_first_function(context->module); inst; inst = inst->next)
        if (wpg_is_push_load(context->module, inst))
            return true;
    return false;
}

/* Folds the loads, and what they weigh by 0. *count: operations that had such a weight. */
static wpg_status fold(uint32_t *count, wpg_context *context, wpg_inst *function, wpg_load_folding *folding,
                       wpg_load_folded *folded, const load_list *loads)
{
    wpg_arena arena;
    wpg_weight_plan weights;
    wpg_arena_init(&arena);
    bool fits = wpg_weight_plan_make(&weights, context, folded, loads->data, loads->count, &arena);
    if (fits) {
        wpg_load_folding_apply(folding);
        fits = wpg_weight_plan_apply(&weights, context->module, function, &arena);
        folded->words |= weights.words;
        *count = (uint32_t)weights.actions.count;
    }
    wpg_weight_plan_finish(&weights);
    wpg_arena_finish(&arena);
    return fits ? WPG_OK : wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
}

static wpg_status fold_function(bool *changed, wpg_context *context, wpg_inst *function, uint32_t ordinal,
                                const wpg_push_known *known)
{
    load_list loads = {0};
    wpg_load_folded folded = {0};
    wpg_load_folding *folding = NULL;
    wpg_status status = WPG_OK;
    if (!collect(&loads, context, function, ordinal, known))
        status = wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
    else if (loads.count)
        status = find(&folding, &folded,
                      &(wpg_load_fold){.context = context,
                                       .pass = PASS,
                                       .what = "push constants",
                                       .function = function->result,
                                       .ordinal = ordinal,
                                       .loads = loads.data,
                                       .load_count = loads.count,
                                       .along = along,
                                       .of = (void *)(uintptr_t)known});
    wpg_remarks *remarks = context->remarks;
    if (folding && context->options->measure && remarks->saving_count < WPG_MOST_SAVINGS)
        remarks->savings[remarks->saving_count++] =
            (wpg_pass_saving){.pass = PASS, .share = share_saved(context, function->result, &folded)};
    uint32_t weights = 0;
    if (folding)
        status = fold(&weights, context, function, folding, &folded, &loads);
    const bool done = folding && status == WPG_OK;
    wpg_load_folding_destroy(folding);
    wpg_vec_free(&loads);
    if (!done)
        return status;
    context->remarks->push_words |= folded.words;
    *changed = true;
    wpg_remark_add(context, WPG_REMARK_DONE, PASS, ordinal, 0,
                   "%u loads of push constants are constants (words 0x%llx), %u blocks fall away, "
                   "%u operations had a weight of 0",
                   (unsigned)folded.loads, (unsigned long long)folded.words, (unsigned)folded.dead_blocks,
                   (unsigned)weights);
    return status;
}

wpg_status wpg_pass_push_fold(bool *changed, wpg_context *context)
{
    wpg_push_known known;
    wpg_status status = WPG_OK;
    uint32_t ordinal = 0;
    wpg_push_known_make(&known, context->options->pushes, context->options->push_count);
    for (wpg_inst *function = wpg_first_function(context->module); function && status == WPG_OK;
         function = wpg_next_function(function->next), ordinal++)
        status = fold_function(changed, context, function, ordinal, &known);
    return status;
}
