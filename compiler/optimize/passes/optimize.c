/* Use mode: which passes run, in which order, and what they may do.
 *
 *      normal form + weights
 *            |
 *         bind            checksum, flow sanity, tables by label and result id       (ir/weights.c)
 *            |
 *        o   outputs      what nobody reads is written to memory of the shader's own       (outputs.c)
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
 *        p   push-fold    loads of given push constants (push_fold.c, load_fold.c, push_solve.c)
 *            |                                          |
 *        z   zero-guard   if (weight != 0) what it multiplies  (zero_guard.c, stretch.c, zero_live.c)
 *            |                                          |
 *        c   versions     if (words of uniform blocks as ever) the body with these; else a copy  (versions.c,
 *            |                                          |                        load_fold.c)
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
#include "compiler/optimize/ir/optimize.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/values/select_work.h"
#include "compiler/optimize/ir/pass.h"
#include "compiler/optimize/ir/work.h"

void wpg_optimize_defaults(wpg_optimize_options *options)
{
    *options = (wpg_optimize_options){.uniform_share = 0.9,
                                      .rare_share = 0.1,
                                      .value_share = 0.9,
                                      .unflatten_cost = WPG_SELECT_WORK,
                                      .max_guarded_trips = 64,
                                      .max_growth = 200,
                                      .floats = WPG_FLOAT_FRAGMENTS};
}

/* -- The passes -- */

const wpg_pass wpg_passes[] = {
    {WPG_PASS_UNFLATTEN, "unflatten", wpg_unflatten_wanted, wpg_pass_unflatten, false},
    {WPG_PASS_VALUE_GUARD, "value-guard", wpg_value_guard_wanted, wpg_pass_value_guard, true},
    {WPG_PASS_UNSWITCH, "unswitch", wpg_unswitch_wanted, wpg_pass_unswitch, false},
    {WPG_PASS_TRIP_GUARD, "trip-guard", wpg_trip_guard_wanted, wpg_pass_trip_guard, false},
    {WPG_PASS_PEEL, "peel", wpg_peel_wanted, wpg_pass_peel, false},
    {WPG_PASS_SCALARISE, "scalarise", wpg_scalarise_wanted, wpg_pass_scalarise, false},
    {WPG_PASS_FLATTEN, "flatten", NULL, wpg_pass_flatten, false},
    {WPG_PASS_ANNOTATE, "annotate", NULL, wpg_pass_annotate, false},
};
const size_t wpg_pass_count = sizeof wpg_passes / sizeof *wpg_passes;

/* In place of versions, where it does something: in a version its tests would be decided, and drivers would
 * see the zeros behind them (fold/weight_fold.h). */
static const wpg_pass zero_guard = {WPG_PASS_ZERO_GUARD, "zero-guard", wpg_zero_guard_wanted,
                                    wpg_pass_zero_guard, false};

static wpg_status run_pass(bool *changed, wpg_context *context, const wpg_pass *pass)
{
    if (wpg_pass_is_left_out(context, pass->letter))
        return WPG_OK;
    for (uint32_t i = 0; i < context->profile_count; i++) {
        bool done = false;
        WPG_TRY(pass->run(&done, context, &context->profiles[i]));
        if (done)
            wpg_analyses_drop(context);
        *changed |= done;
    }
    return WPG_OK;
}

/* The same, and what it saves, where that is asked. */
static wpg_status run_measured(bool *changed, wpg_context *context, const wpg_pass *pass, double whole)
{
    wpg_remarks *remarks = context->remarks;
    bool done = false;
    const double before = whole > 0 ? wpg_work(context) : -1;
    WPG_TRY(run_pass(&done, context, pass));
    *changed |= done;
    const double after = done && before >= 0 ? wpg_work(context) : -1;
    if (after >= 0 && remarks->saving_count < WPG_MOST_SAVINGS)
        remarks->savings[remarks->saving_count++] =
            (wpg_pass_saving){.pass = pass->name, .share = (before - after) / whole};
    return WPG_OK;
}

static bool any_wants(wpg_context *context, const wpg_pass *pass)
{
    bool any = false;
    for (uint32_t i = 0; i < context->profile_count && !wpg_pass_is_left_out(context, pass->letter); i++)
        any |= pass->wanted(context, &context->profiles[i]);
    return any;
}

/* Passes that move code. They work on `context->module`, which the SSA form replaces when they did something
 * there. */
static wpg_status run_transformations(bool *changed, wpg_context *context, wpg_ssa_fn ssa)
{
    bool pushes = !wpg_pass_is_left_out(context, WPG_PASS_PUSH_FOLD) && wpg_push_fold_wanted(context);
    bool versions = !wpg_pass_is_left_out(context, WPG_PASS_VERSIONS) && wpg_versions_wanted(context);
    bool wanted = pushes || versions || any_wants(context, &zero_guard);
    for (size_t i = 0; i < wpg_pass_count; i++)
        if (wpg_passes[i].wanted && (!wanted || wpg_passes[i].says_why))
            wanted |= any_wants(context, &wpg_passes[i]);
    if (!wanted)
        return WPG_OK;
    wpg_module *normal = context->module, *values = NULL;
    if (!wpg_pass_is_left_out(context, WPG_PASS_SSA))
        WPG_TRY(wpg_ssa_form(&values, context, ssa));
    if (values)
        context->module = values;
    const double whole = context->options->measure ? wpg_work(context) : -1;
    bool moved = false;
    wpg_status status = pushes ? wpg_pass_push_fold(&moved, context) : WPG_OK;
    bool guarded = false;
    if (status == WPG_OK)
        status = run_measured(&guarded, context, &zero_guard, whole);
    moved |= guarded;
    if (versions && !guarded && status == WPG_OK)
        status = wpg_pass_versions(&moved, context);
    if (moved)
        wpg_analyses_drop(context);
    for (size_t i = 0; i < wpg_pass_count && status == WPG_OK; i++)
        if (wpg_passes[i].wanted)
            status = run_measured(&moved, context, &wpg_passes[i], whole);
    *changed |= moved;
    if (values) {
        wpg_module *left = moved ? normal : values;
        context->module = moved ? values : normal;
        wpg_analyses_leave(context, left);
        wpg_module_destroy(left);
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
        wpg_arena_scope scope;
        wpg_arena_scope_begin(&scope);
        wpg_arena_init(&said->arena);
        status = wpg_profiles_bind(&context, weights);
        if (status == WPG_OK && !wpg_pass_is_left_out(&context, WPG_PASS_OUTPUTS))
            status = wpg_pass_outputs(&done, &context);
        if (status == WPG_OK && !wpg_pass_is_left_out(&context, WPG_PASS_WAVE_SIZE))
            wpg_choose_wave_size(&context);
        if (status == WPG_OK)
            status = run_transformations(&done, &context, ssa);
        if (status == WPG_OK)
            status = run_hints(&done, &context);
        if (status == WPG_OK && context.module->arena.failed)
            status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
        wpg_profiles_finish(&context);
        wpg_arena_scope_end(&scope);
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
