/* The three forms of a stage: original; by use mode's rules; without blocks that never ran. Use mode has its
 * default thresholds here, and no variants, wave size or verdicts: these depend on the device. */
#include "runtime/cli/estimate/estimate.h"

#include <stdlib.h>

#include "compiler/normalize/normalize.h"
#include "compiler/normalize/spirv_tools.h"
#include "compiler/optimize/ir/optimize.h"
#include "runtime/profile/weights.h"

/* What a device may allow at the most; what is not valid even so is not asked for again. */
static const wpg_validate_options allowed = {.vulkan_minor = 3,
                                             .uniform_buffer_standard_layout = true,
                                             .scalar_block_layout = true,
                                             .workgroup_scalar_block_layout = true,
                                             .relax_block_layout = true,
                                             .local_size_id = true};

const char *wpg_estimate_form_name(wpg_estimate_form form)
{
    static const char *const names[] = {"original", "use", "what-if"};
    return names[form];
}

static wpg_status normal_form(wpg_module **module, const wpg_estimate_stage *s, wpg_error *err)
{
    const wpg_estimate_words *words = &s->forms[WPG_ESTIMATE_ORIGINAL];
    WPG_TRY(wpg_module_parse(module, words->words, words->count, err));
    wpg_status status = wpg_normalize(*module, &s->stage, NULL, err);
    if (status != WPG_OK) {
        wpg_module_destroy(*module);
        *module = NULL;
    }
    return status;
}

/* The module's words into a form of the stage; destroys the module. */
static wpg_status keep(wpg_estimate_stage *s, wpg_estimate_form form, wpg_module *module, wpg_error *err)
{
    const wpg_estimate_words *given = &s->forms[WPG_ESTIMATE_ORIGINAL];
    wpg_estimate_words *to = &s->forms[form];
    wpg_status status = wpg_module_emit(&to->words, &to->count, module, err);
    wpg_module_destroy(module);
    if (status != WPG_OK)
        return status;
    if (wpg_spirv_validate(to->words, to->count, &allowed, err) == WPG_OK ||
        wpg_spirv_validate(given->words, given->count, &allowed, NULL) != WPG_OK)
        return WPG_OK;
    free(to->words);
    *to = (wpg_estimate_words){0};
    return WPG_E_FORMAT;
}

static wpg_status use_form(wpg_estimate_stage *s, const wpg_weights *weights, wpg_error *err)
{
    wpg_module *module = NULL;
    wpg_remarks *remarks = NULL;
    wpg_optimize_options options;
    bool changed = false;
    wpg_optimize_defaults(&options);
    WPG_TRY(normal_form(&module, s, err));
    WPG_TRY(wpg_optimize(&remarks, &changed, &module, &s->stage, weights, &options, wpg_ssa_tier, err));
    wpg_remarks_destroy(remarks);
    if (changed)
        return keep(s, WPG_ESTIMATE_USE, module, err);
    wpg_module_destroy(module);
    return WPG_OK;
}

static wpg_status cut_form(wpg_estimate_stage *s, const wpg_weights *weights, wpg_error *err)
{
    wpg_module *module = NULL;
    wpg_normal_info folded = {0};
    WPG_TRY(normal_form(&module, s, err));
    wpg_status status = wpg_cut_dead(&s->cut, module, &s->stage, weights, err);
    if (status == WPG_OK && s->cut.mismatch)
        status = wpg_fail(err, WPG_E_MISMATCH, "the profile is of another version of this shader");
    if (status == WPG_OK && s->cut.decided + s->cut.cases) {
        status = wpg_fold_branches(module, &folded, err);
        if (status == WPG_OK)
            return keep(s, WPG_ESTIMATE_CUT, module, err);
    }
    wpg_module_destroy(module);
    return status;
}

static void note(wpg_estimate_stage *s, wpg_estimate_form form, const wpg_error *err)
{
    s->forms[form].missing = true;
    if (!*s->note)
        (void)snprintf(s->note, sizeof s->note, "%s: %.160s", wpg_estimate_form_name(form), err->message);
}

static wpg_status make_stage(wpg_estimate_pipeline *pipeline, wpg_estimate_stage *s, wpg_error *err)
{
    wpg_arena arena;
    wpg_weights weights;
    wpg_error why = {0};
    wpg_module *module = NULL;
    wpg_arena_init(&arena);
    wpg_status status = wpg_weights_of_shader(&weights, &arena, s->counts, s->functions);
    if (status == WPG_OK) {
        status = normal_form(&module, s, &why);
        if (status == WPG_OK)
            status = wpg_reflect(&s->reflection, module, &s->stage, &why);
        wpg_module_destroy(module);
        if (status != WPG_OK)
            (void)snprintf(pipeline->problem, sizeof pipeline->problem, "not possible: %s: %.150s",
                           s->counts->stage, why.message);
    }
    if (status == WPG_OK && (status = use_form(s, &weights, &why)) != WPG_OK)
        note(s, WPG_ESTIMATE_USE, &why);
    if (status == WPG_OK || status != WPG_E_NOMEM)
        if (!*pipeline->problem && (status = cut_form(s, &weights, &why)) != WPG_OK)
            note(s, WPG_ESTIMATE_CUT, &why);
    wpg_arena_finish(&arena);
    return status == WPG_E_NOMEM ? wpg_fail(err, WPG_E_NOMEM, "out of memory") : WPG_OK;
}

wpg_status wpg_estimate_make_forms(wpg_estimate_pipeline *pipeline, wpg_error *err)
{
    for (size_t i = 0; i < pipeline->stage_count && !*pipeline->problem; i++)
        WPG_TRY(make_stage(pipeline, &pipeline->stages[i], err));
    return WPG_OK;
}
