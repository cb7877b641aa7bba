/* Use mode: which passes run, in which order, and what they may do.
 *
 *      normal form + weights
 *            |
 *         bind            checksum, flow sanity, tables by label and result id       (weights.c)
 *            |
 *        w   wave-size    smaller waves, asked of the driver: no word changes     (wave_size.c)
 *            |
 *            |  wanted: values of push constants, a rare side of a select, an exact small trip count,
 *            |          a uniform value, a condition that stands still, one of the first trip, an index that
 *            |          lanes agree on?
 *            |---- no ----------------------------------+
 *           yes                                         |
 *        s   SSA tier     Function memory to values     |   (ssa.c, the caller's hook)
 *            |                                          |
 *        p   push-fold    loads of given push constants (push_fold.c, push_solve.c, push_values.c)
 *            |                                          |
 *        u   unflatten    rare select side -> branch    |   (unflatten.c, sink.c)
 *            |                                          |
 *        v   value-guard  if (value == V) copy of a loop, its branches decided  (value_guard.c, value_fold.c,
 *            |                                          |                        loop_clone.c)
 *        l   unswitch     if (condition) loop with it decided; else loop with it decided  (unswitch.c,
 *            |                                          |                        invariant.c, value_fold.c)
 *        t   trip-guard   if (bound == B) unrolled copy |   (trip_guard.c, loop_clone.c)
 *            |                                          |
 *        e   peel         first trip; the others        |   (peel.c, peel_facts.c, loop_peel.c, value_fold.c)
 *            |                                          |
 *        r   scalarise    if (all agree) scalar loads   |   (scalarise.c, region.c)
 *            |                                          |
 *            +---- nothing done: the form before `s` ---+
 *            |
 *        f   flatten      selection control             (flatten.c)
 *            |
 *        a   annotate     branch weights, loop control  (annotate.c)
 *            |
 *      module, remarks
 *
 * Annotate comes last so that the branches the others make carry weights too; the blocks they make are
 * entered into the profile's tables as they are made. A letter in wpg_optimize_options.passes leaves that
 * pass out; without 's', p, u, l, t and e work on the normal form, where a compiler front end has already
 * made values of memory. Legality is legality.h's. */
#include "compiler/optimize/optimize.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/optimize/folding.h"
#include "compiler/optimize/legality.h"
#include "compiler/optimize/pass.h"
#include "runtime/base/text.h"

void wpg_optimize_defaults(wpg_optimize_options *options)
{
    *options = (wpg_optimize_options){.uniform_share = 0.9,
                                      .rare_share = 0.1,
                                      .value_share = 0.9,
                                      .unflatten_cost = 24,
                                      .max_guarded_trips = 64,
                                      .max_growth = 200};
}

/* -- Remarks -- */

void wpg_remarks_destroy(wpg_remarks *remarks)
{
    if (!remarks)
        return;
    wpg_arena_finish(&remarks->arena);
    free(remarks);
}

wpg_remarks *wpg_remarks_copy(const wpg_remarks *remarks)
{
    wpg_remarks *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    wpg_arena_init(&made->arena);
    made->mismatch = remarks->mismatch;
    made->wave_size = remarks->wave_size;
    made->push_words = remarks->push_words;
    made->count = remarks->count;
    made->items = WPG_ARENA_ARRAY(&made->arena, wpg_remark, remarks->count);
    for (uint32_t i = 0; made->items && i < made->count; i++) {
        made->items[i] = remarks->items[i];
        made->items[i].pass = wpg_arena_strdup(&made->arena, remarks->items[i].pass);
    }
    if (!made->arena.failed)
        return made;
    wpg_remarks_destroy(made);
    return NULL;
}

/* The hints gain little; a branch without weights is a remark of its own. */
static bool is_hint(const wpg_remark *remark)
{
    return strcmp(remark->pass, "annotate") == 0 || strcmp(remark->pass, "flatten") == 0;
}

static bool has(const wpg_remarks *remarks, const wpg_remark *like, wpg_remark_kind kind)
{
    for (uint32_t i = 0; remarks && i < remarks->count; i++) {
        const wpg_remark *it = &remarks->items[i];
        if (it->kind == kind && it->ordinal == like->ordinal && it->block == like->block &&
            strcmp(it->pass, like->pass) == 0)
            return true;
    }
    return false;
}

const wpg_remark *wpg_remarks_lost(const wpg_remarks *before, const wpg_remarks *now)
{
    for (uint32_t i = 0; before && i < before->count; i++) {
        const wpg_remark *it = &before->items[i];
        if (it->kind == WPG_REMARK_DONE && !is_hint(it) && has(now, it, WPG_REMARK_REFUSED) &&
            !has(now, it, WPG_REMARK_DONE))
            return it;
    }
    return NULL;
}

/* Room for one more in an array of the remarks' arena that is grown at powers of two; NULL when memory ran
 * out: the module matters more than what is said about it. */
static void *grow(wpg_remarks *remarks, void *items, uint32_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return items;
    void *grown = wpg_arena_alloc(&remarks->arena, count ? (size_t)count * 2 : 1, size);
    if (grown && count)
        memcpy(grown, items, count * size);
    return grown;
}

void wpg_remark_add(wpg_context *context, wpg_remark_kind kind, const char *pass, uint32_t ordinal,
                    uint32_t block, const char *fmt, ...)
{
    wpg_remarks *remarks = context->remarks;
    wpg_remark *items = grow(remarks, remarks->items, remarks->count, sizeof *items);
    if (!items)
        return;
    remarks->items = items;
    wpg_remark *remark = &remarks->items[remarks->count++];
    *remark = (wpg_remark){.kind = kind, .pass = pass, .ordinal = ordinal, .block = block};
    va_list arguments;
    va_start(arguments, fmt);
    wpg_format_list(remark->text, sizeof remark->text, fmt, arguments);
    va_end(arguments);
}

void wpg_branch_is_unknown(wpg_context *context, uint32_t label, const char *pass)
{
    wpg_remarks *remarks = context->remarks;
    wpg_unknown_branch *unknown = grow(remarks, remarks->unknown, remarks->unknown_count, sizeof *unknown);
    if (!unknown)
        return;
    remarks->unknown = unknown;
    remarks->unknown[remarks->unknown_count++] = (wpg_unknown_branch){label, pass};
}

/* -- The passes -- */

static bool left_out(const wpg_context *context, char letter)
{
    return strchr(context->options->passes, letter) != NULL;
}

const wpg_pass wpg_passes[] = {
    {'u', "unflatten", wpg_unflatten_wanted, wpg_pass_unflatten},
    {'v', "value-guard", wpg_value_guard_wanted, wpg_pass_value_guard},
    {'l', "unswitch", wpg_unswitch_wanted, wpg_pass_unswitch},
    {'t', "trip-guard", wpg_trip_guard_wanted, wpg_pass_trip_guard},
    {'e', "peel", wpg_peel_wanted, wpg_pass_peel},
    {'r', "scalarise", wpg_scalarise_wanted, wpg_pass_scalarise},
    {'f', "flatten", NULL, wpg_pass_flatten},
    {'a', "annotate", NULL, wpg_pass_annotate},
};
const size_t wpg_pass_count = sizeof wpg_passes / sizeof *wpg_passes;

static wpg_status run_pass(bool *changed, wpg_context *context, const wpg_pass *pass)
{
    if (left_out(context, pass->letter))
        return WPG_OK;
    for (uint32_t i = 0; i < context->profile_count; i++)
        WPG_TRY(pass->run(changed, context, &context->profiles[i]));
    return WPG_OK;
}

static bool any_wants(wpg_context *context, const wpg_pass *pass)
{
    bool any = false;
    for (uint32_t i = 0; i < context->profile_count && !left_out(context, pass->letter); i++)
        any |= pass->wanted(context, &context->profiles[i]);
    return any;
}

/* Whether the values of the SSA form cannot stand for the normal form's memory, since a driver may fold the
 * one and compute the other: said as a remark, but for want of memory. */
static bool folds_by_itself(wpg_context *context, wpg_module *values)
{
    bool folds = false;
    for (uint32_t i = 0; i < context->profile_count && !folds; i++) {
        wpg_view *view;
        wpg_arena arena;
        if (wpg_view_create(&view, values, context->profiles[i].function, NULL) != WPG_OK)
            return true;
        wpg_arena_init(&arena);
        uint32_t folded = wpg_may_fold_by_itself(view, WPG_NO_BLOCK, &arena);
        folds = folded || arena.failed;
        if (folded)
            wpg_remark_add(
                context, WPG_REMARK_REFUSED, "ssa", context->profiles[i].ordinal, 0,
                "a loop of counted trips computes %%%u of constants, which a driver rounds its own "
                "way or not by the code around it",
                folded);
        wpg_arena_finish(&arena);
        wpg_view_destroy(view);
    }
    return folds;
}

/* Passes that move code. They work on `context->module`, which the SSA form replaces when they did something
 * there. */
static wpg_status run_transformations(bool *changed, wpg_context *context, wpg_ssa_fn ssa)
{
    bool pushes = !left_out(context, 'p') && wpg_push_fold_wanted(context), wanted = pushes;
    for (size_t i = 0; i < wpg_pass_count; i++)
        wanted |= wpg_passes[i].wanted && any_wants(context, &wpg_passes[i]);
    if (!wanted)
        return WPG_OK;
    wpg_module *normal = context->module, *values = NULL;
    if (!left_out(context, 's'))
        WPG_TRY(wpg_ssa_form(&values, context, ssa));
    if (values && folds_by_itself(context, values)) {
        wpg_module_destroy(values);
        values = NULL;
    }
    if (values)
        context->module = values;
    bool moved = false;
    wpg_status status = pushes ? wpg_pass_push_fold(&moved, context) : WPG_OK;
    for (size_t i = 0; i < wpg_pass_count && status == WPG_OK; i++)
        if (wpg_passes[i].wanted)
            status = run_pass(&moved, context, &wpg_passes[i]);
    *changed |= moved;
    if (values) {
        context->module = moved ? values : normal;
        wpg_module_destroy(moved ? normal : values);
    }
    return status;
}

/* Passes that only say something of what stands there. */
static wpg_status run_hints(bool *changed, wpg_context *context)
{
    for (size_t i = 0; i < wpg_pass_count; i++)
        if (!wpg_passes[i].wanted)
            WPG_TRY(run_pass(changed, context, &wpg_passes[i]));
    return WPG_OK;
}

wpg_status wpg_optimize(wpg_remarks **remarks, bool *changed, wpg_module **module, const wpg_stage *stage,
                        const wpg_weights *weights, const wpg_optimize_options *options, wpg_ssa_fn ssa,
                        wpg_error *err)
{
    wpg_remarks *said = calloc(1, sizeof *said);
    wpg_status status = WPG_OK;
    bool done = false;
    wpg_context context = {
        .module = *module, .stage = stage, .options = options, .remarks = said, .err = err};
    if (!said) {
        status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
    } else {
        wpg_arena_init(&said->arena);
        status = wpg_profiles_bind(&context, weights);
        if (status == WPG_OK && !left_out(&context, 'w'))
            wpg_choose_wave_size(&context);
        if (status == WPG_OK)
            status = run_transformations(&done, &context, ssa);
        if (status == WPG_OK)
            status = run_hints(&done, &context);
        if (status == WPG_OK && context.module->arena.failed)
            status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
        wpg_profiles_finish(&context);
    }
    *module = context.module;
    if (status != WPG_OK) {
        wpg_module_destroy(*module);
        *module = NULL;
        wpg_remarks_destroy(said);
        return status;
    }
    *remarks = said;
    *changed = done;
    return WPG_OK;
}
