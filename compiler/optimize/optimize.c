/* Use mode: which passes run, in which order, and what they may do.
 *
 *      normal form + weights
 *            |
 *         bind            checksum, flow sanity, tables by label and result id       (weights.c)
 *            |
 *            |  wanted: a rare side of a select, or an exact small trip count?
 *            |---- no ----------------------------------+
 *           yes                                         |
 *        s   SSA tier     Function memory to values     |   (ssa.c, the caller's hook)
 *            |                                          |
 *        u   unflatten    rare select side -> branch    |   (unflatten.c, sink.c)
 *            |                                          |
 *        t   trip-guard   if (bound == B) unrolled copy |   (trip_guard.c, loop_clone.c)
 *            |                                          |
 *            +---- nothing done: the form before `s` ---+
 *            |
 *        a   annotate     branch weights, selection and loop control   (annotate.c)
 *            |
 *      module, remarks
 *
 * Annotate comes last so that the branches the others make carry weights too; the blocks they make are
 * entered into the profile's tables as they are made. A letter in wpg_optimize_options.passes leaves that
 * pass out; without 's', u and t work on the normal form, where a compiler front end has already made values
 * of memory. Legality is legality.h's. */
#include "compiler/optimize/optimize.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "compiler/optimize/legality.h"
#include "compiler/optimize/pass.h"

void wpg_optimize_defaults(wpg_optimize_options *options)
{
    *options = (wpg_optimize_options){.uniform_share = 0.9,
                                      .rare_share = 0.1,
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

void wpg_remark_add(wpg_context *context, wpg_remark_kind kind, const char *pass, uint32_t ordinal,
                    uint32_t block, const char *fmt, ...)
{
    wpg_remarks *remarks = context->remarks;
    uint32_t count = remarks->count;
    if ((count & (count - 1)) == 0) { /* full at powers of two */
        wpg_remark *grown = WPG_ARENA_ARRAY(&remarks->arena, wpg_remark, count ? (size_t)count * 2 : 1);
        if (!grown)
            return; /* the module matters more than what is said about it */
        if (count)
            memcpy(grown, remarks->items, count * sizeof *grown);
        remarks->items = grown;
    }
    wpg_remark *remark = &remarks->items[remarks->count++];
    *remark = (wpg_remark){.kind = kind, .pass = pass, .ordinal = ordinal, .block = block};
    va_list arguments;
    va_start(arguments, fmt);
    vsnprintf(remark->text, sizeof remark->text, fmt, arguments);
    va_end(arguments);
}

/* -- The passes -- */

static bool left_out(const wpg_context *context, char letter)
{
    return strchr(context->options->passes, letter) != NULL;
}

typedef wpg_status (*pass_fn)(bool *changed, wpg_context *context, wpg_function_profile *profile);

static wpg_status run_pass(bool *changed, wpg_context *context, char letter, pass_fn pass)
{
    if (left_out(context, letter))
        return WPG_OK;
    for (uint32_t i = 0; i < context->profile_count; i++)
        WPG_TRY(pass(changed, context, &context->profiles[i]));
    return WPG_OK;
}

static bool any_wants(wpg_context *context, char letter,
                      bool (*wanted)(wpg_context *, wpg_function_profile *))
{
    bool any = false;
    for (uint32_t i = 0; i < context->profile_count && !left_out(context, letter); i++)
        any |= wanted(context, &context->profiles[i]);
    return any;
}

/* Passes that move code. They work on `context->module`, which the SSA form replaces when they did something
 * there. */
static wpg_status run_transformations(bool *changed, wpg_context *context, wpg_ssa_fn ssa)
{
    bool selects = any_wants(context, 'u', wpg_unflatten_wanted);
    bool loops = any_wants(context, 't', wpg_trip_guard_wanted);
    if (!selects && !loops)
        return WPG_OK;
    wpg_module *normal = context->module, *values = NULL;
    if (!left_out(context, 's'))
        WPG_TRY(wpg_ssa_form(&values, context, ssa));
    if (values)
        context->module = values;
    bool moved = false;
    wpg_status status = run_pass(&moved, context, 'u', wpg_pass_unflatten);
    if (status == WPG_OK)
        status = run_pass(&moved, context, 't', wpg_pass_trip_guard);
    *changed |= moved;
    if (values) {
        context->module = moved ? values : normal;
        wpg_module_destroy(moved ? normal : values);
    }
    return status;
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
        if (status == WPG_OK)
            status = run_transformations(&done, &context, ssa);
        if (status == WPG_OK)
            status = run_pass(&done, &context, 'a', wpg_pass_annotate);
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
