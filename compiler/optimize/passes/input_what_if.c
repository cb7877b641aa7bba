/* What-if: inputs of a fragment stage that had one value all through the profile, as constants of the source.
 * Nothing is changed: the author may write so, use mode must not. Interpolated constants have last bits of
 * their own, and another draw may have other values. Float work takes the constants as FLOAT=spec would. */
#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/values/input_sites.h"
#include "compiler/optimize/fold/fold_saving.h"
#include "compiler/optimize/ir/pass.h"
#include "compiler/spirv/builder.h"

static const char PASS[] = "inputs";

typedef struct what_if {
    wpg_context *context;
    const wpg_known_input *known;
    size_t known_count;
    const wpg_input_site *sites; /* of the normal form */
    wpg_function_profile *profile;
    WPG_VEC(wpg_known_load) loads;
    wpg_arena arena;
    double saving;
} what_if;

/* The value of a component of what the instruction loads. False: not known. */
static bool bits_of(uint32_t *bits, const what_if *w, const wpg_inst *load, uint32_t component)
{
    wpg_word_place place;
    if (!load || load->opcode != SpvOpLoad || !wpg_input_place_of(&place, w->context->module, load))
        return false;
    if (component != WPG_NO_BLOCK)
        place.indices[place.count++] = component;
    for (size_t i = 0; i < w->known_count; i++)
        if (memcmp(&w->sites[w->known[i].site].place, &place, sizeof place) == 0) {
            *bits = w->known[i].bits;
            return true;
        }
    return false;
}

static bool add(what_if *w, wpg_inst *inst, uint32_t constant)
{
    return constant && wpg_vec_push(&w->loads, (wpg_known_load){.inst = inst,
                                                                .constant = constant,
                                                                .words = 1,
                                                                .group = UINT64_C(1) << w->loads.count % 64});
}

static bool add_vector(what_if *w, wpg_inst *load, const wpg_inst *type)
{
    wpg_module *m = w->context->module;
    uint32_t parts[4], bits;
    for (uint32_t c = 0; c < type->words[3]; c++) {
        if (c > 3 || !bits_of(&bits, w, load, c))
            return true;
        parts[c] = wpg_const_scalar(m, type->words[2], bits);
    }
    return add(w, load, wpg_const_composite(m, load->type, parts, type->words[3]));
}

/* False when memory ran out. */
static bool look_at(what_if *w, wpg_inst *inst)
{
    wpg_module *m = w->context->module;
    const wpg_inst *type = inst->type ? wpg_module_def(m, inst->type) : NULL;
    uint32_t bits;
    if (inst->opcode == SpvOpLoad && type && type->opcode == SpvOpTypeVector)
        return add_vector(w, inst, type);
    const bool known = inst->opcode == SpvOpLoad
                           ? bits_of(&bits, w, inst, WPG_NO_BLOCK)
                           : inst->opcode == SpvOpCompositeExtract && inst->count == 5 &&
                                 bits_of(&bits, w, wpg_module_def(m, inst->words[3]), inst->words[4]);
    return !known || add(w, inst, wpg_const_scalar(m, inst->type, bits));
}

static wpg_status judge(what_if *w, const wpg_load_folded *folded)
{
    wpg_weight_plan weights = {0};
    wpg_fold_saving of;
    if (!wpg_weight_plan_make(&weights, w->context, folded, w->loads.data, w->loads.count, &w->arena))
        return wpg_fail(w->context->err, WPG_E_NOMEM, "out of memory");
    wpg_fold_saving_measure(&of, w->context->module, w->profile, folded, &weights, NULL);
    w->saving = of.whole > 0 ? (of.saved + of.branches) / of.whole : 0;
    wpg_weight_plan_finish(&weights);
    return WPG_OK;
}

static wpg_status fold(what_if *w)
{
    wpg_load_folded folded;
    wpg_inst *function = (wpg_inst *)(uintptr_t)wpg_module_def(w->context->module, w->profile->function);
    const wpg_inst *end = wpg_function_end(function);
    for (wpg_inst *inst = function->next; inst != end; inst = inst->next)
        if (!look_at(w, inst))
            return wpg_fail(w->context->err, WPG_E_NOMEM, "out of memory");
    w->saving = 0;
    const wpg_load_fold job = {.context = w->context,
                               .pass = PASS,
                               .what = "inputs",
                               .function = function->result,
                               .loads = w->loads.data,
                               .load_count = w->loads.count,
                               .always = true};
    if (!w->loads.count)
        return WPG_OK;
    wpg_load_folding *folding;
    WPG_TRY(wpg_load_fold_find(&folding, &folded, &job));
    const wpg_status status = folding ? judge(w, &folded) : WPG_OK;
    wpg_load_folding_destroy(folding);
    return status;
}

/* The entry function's sites, in the normal form. */
static wpg_status find_sites(what_if *w)
{
    wpg_view *view;
    wpg_input_site *sites;
    uint32_t count = 0;
    WPG_TRY(wpg_view_create(&view, w->context->module, w->profile->function, w->context->err));
    wpg_status status = wpg_input_sites(&sites, &count, view->cfg, &w->arena);
    wpg_view_destroy(view);
    if (status != WPG_OK)
        return wpg_fail(w->context->err, status, "out of memory");
    for (size_t i = 0; i < w->known_count; i++)
        if (w->known[i].site >= count)
            return wpg_fail(w->context->err, WPG_E_MISMATCH, "the profile's inputs are not the shader's");
    w->sites = sites;
    return WPG_OK;
}

static wpg_status run(what_if *w, wpg_ssa_fn ssa)
{
    wpg_context *context = w->context;
    wpg_module *normal = context->module, *values = NULL;
    for (uint32_t i = 0; i < context->profile_count; i++)
        if (context->profiles[i].ordinal == 0)
            w->profile = &context->profiles[i];
    if (!w->profile)
        return wpg_fail(context->err, WPG_E_MISMATCH, "the profile is of another shader");
    WPG_TRY(find_sites(w));
    WPG_TRY(wpg_ssa_form(&values, context, ssa));
    if (values)
        context->module = values;
    const wpg_status status = fold(w);
    context->module = normal;
    wpg_module_destroy(values);
    return status;
}

wpg_status wpg_inputs_what_if(double *saving, wpg_module *module, const wpg_stage *stage,
                              const wpg_weights *weights, const wpg_known_input *known, size_t count,
                              wpg_ssa_fn ssa, wpg_error *err)
{
    wpg_optimize_options options;
    wpg_remarks *remarks = calloc(1, sizeof *remarks);
    if (!remarks)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_arena_init(&remarks->arena);
    wpg_optimize_defaults(&options);
    options.floats = WPG_FLOAT_SPEC;
    wpg_context context = {
        .module = module, .stage = stage, .options = &options, .remarks = remarks, .err = err};
    what_if w = {.context = &context, .known = known, .known_count = count, .saving = -1};
    wpg_arena_init(&w.arena);
    wpg_status status = wpg_profiles_bind(&context, weights);
    if (status == WPG_OK)
        status = run(&w, ssa);
    *saving = w.saving;
    wpg_profiles_finish(&context);
    wpg_vec_free(&w.loads);
    wpg_arena_finish(&w.arena);
    wpg_remarks_destroy(remarks);
    return status;
}
