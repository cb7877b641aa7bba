/* The three forms of a stage: original; by use mode's rules; without blocks that never ran. Use mode has its
 * default thresholds here, and no variants, wave size or verdicts: these depend on the device. The command's
 * options leave passes out, and let others in. */
#include "runtime/cli/estimate/estimate.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compiler/normalize/normalize.h"
#include "compiler/normalize/spirv_tools.h"
#include "compiler/optimize/ir/optimize.h"
#include "compiler/spirv/builder.h"
#include "runtime/profile/weights.h"

/* What a device may allow at the most; what is not valid even so is not asked for again. */
static const wpg_validate_options allowed = {.vulkan_minor = 3,
                                             .uniform_buffer_standard_layout = true,
                                             .scalar_block_layout = true,
                                             .workgroup_scalar_block_layout = true,
                                             .relax_block_layout = true,
                                             .local_size_id = true};

double wpg_estimate_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static int by_size(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double wpg_estimate_median(double *times, size_t count)
{
    if (!count)
        return 0;
    qsort(times, count, sizeof *times, by_size);
    return count % 2 ? times[count / 2] : (times[count / 2 - 1] + times[count / 2]) / 2;
}

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

/* -- The use form */

static bool has_letter(const wpg_estimate *estimate, wpg_pass_letter letter)
{
    return strchr(estimate->how.and_passes, (char)letter) != NULL;
}

static void choose_passes(wpg_optimize_options *options, const wpg_estimate *estimate,
                          const wpg_estimate_pipeline *pipeline)
{
    enum { SMALL_WAVE = 32, USUAL_WAVE = 64 };
    wpg_optimize_defaults(options);
    if (estimate->how.floats)
        options->floats = (wpg_float_choice)(estimate->how.floats - 1);
    options->scalarise = has_letter(estimate, WPG_PASS_SCALARISE);
    if (has_letter(estimate, WPG_PASS_PUSH_FOLD)) {
        options->pushes = pipeline->pushes;
        options->push_count = pipeline->push_count;
        options->push_along = pipeline->push_along;
    }
    if (has_letter(estimate, WPG_PASS_WAVE_SIZE))
        options->wave = (wpg_wave_choice){SMALL_WAVE, USUAL_WAVE, UINT32_MAX, 0.5};
    /* Where the zero guard does something there are no versions. */
    const char guard[] = {WPG_PASS_ZERO_GUARD, 0};
    (void)snprintf(options->passes, sizeof options->passes, "%s%s", estimate->how.skip,
                   estimate->how.version_alone ? guard : "");
}

static void note_passes(wpg_estimate_stage *s, const wpg_remarks *remarks)
{
    s->pass_count = 0;
    s->wave_size = remarks->wave_size;
    for (uint32_t i = 0; i < remarks->count; i++) {
        size_t at = 0;
        while (at < s->pass_count && strcmp(s->passes[at], remarks->items[i].pass) != 0)
            at++;
        if (remarks->items[i].kind == WPG_REMARK_DONE && at == s->pass_count && at < WPG_ESTIMATE_PASSES)
            s->passes[s->pass_count++] = remarks->items[i].pass;
    }
}

static bool did(const wpg_estimate_stage *s, const char *pass)
{
    for (size_t i = 0; i < s->pass_count; i++)
        if (strcmp(s->passes[i], pass) == 0)
            return true;
    return false;
}

/* Decides the test at the entry that versions.c made: what it chooses stays, and no other body. */
static wpg_status decide_version(wpg_module *module, const wpg_stage *stage, wpg_error *err)
{
    wpg_normal_info folded = {0};
    const wpg_inst *entry = wpg_find_entry_point(module, stage->model, stage->entry);
    wpg_inst *inst = entry && entry->count > 2 ? wpg_module_def(module, entry->words[2]) : NULL;
    while (inst && inst->opcode != SpvOpBranchConditional && inst->opcode != SpvOpFunctionEnd)
        inst = inst->next;
    if (!inst || inst->opcode != SpvOpBranchConditional)
        return wpg_fail(err, WPG_E_FORMAT, "its version has no test at the entry");
    inst->words[1] = wpg_const_bool(module, true);
    return wpg_fold_branches(module, &folded, err);
}

/* One making of the form: words, or NULL where use mode changes none. */
static wpg_status make_use(wpg_estimate_words *made, const wpg_estimate *estimate,
                           const wpg_estimate_pipeline *pipeline, wpg_estimate_stage *s,
                           const wpg_weights *weights, wpg_error *err)
{
    wpg_module *module = NULL;
    wpg_remarks *remarks = NULL;
    wpg_optimize_options options;
    bool changed = false;
    *made = (wpg_estimate_words){0};
    choose_passes(&options, estimate, pipeline);
    WPG_TRY(normal_form(&module, s, err));
    WPG_TRY(wpg_optimize(&remarks, &changed, &module, &s->stage, weights, &options, wpg_ssa_tier, err));
    note_passes(s, remarks);
    wpg_remarks_destroy(remarks);
    wpg_status status = changed ? wpg_module_emit(&made->words, &made->count, module, err) : WPG_OK;
    wpg_module_destroy(module);
    return status;
}

static wpg_status keep_version(wpg_estimate_stage *s, const wpg_estimate_words *made, wpg_error *err)
{
    wpg_module *module = NULL;
    WPG_TRY(wpg_module_parse(&module, made->words, made->count, err));
    wpg_status status = decide_version(module, &s->stage, err);
    if (status == WPG_OK)
        return keep(s, WPG_ESTIMATE_USE, module, err);
    wpg_module_destroy(module);
    return status;
}

static wpg_status use_form(const wpg_estimate *estimate, const wpg_estimate_pipeline *pipeline,
                           wpg_estimate_stage *s, const wpg_weights *weights, wpg_error *err)
{
    double times[WPG_ESTIMATE_REPEATS];
    uint32_t count = estimate->how.repeat ? estimate->how.repeat : 1;
    wpg_estimate_words made = {0};
    wpg_status status = WPG_OK;
    for (uint32_t i = 0; i < count && status == WPG_OK; i++) {
        free(made.words);
        double start = wpg_estimate_clock();
        status = make_use(&made, estimate, pipeline, s, weights, err);
        times[i] = wpg_estimate_clock() - start;
    }
    s->rewrite_us = status == WPG_OK ? wpg_estimate_median(times, count) : 0;
    s->emitted = made.count;
    if (status == WPG_OK && made.words) {
        wpg_module *module = NULL;
        if (estimate->how.version_alone && did(s, "versions"))
            status = keep_version(s, &made, err);
        else if ((status = wpg_module_parse(&module, made.words, made.count, err)) == WPG_OK)
            status = keep(s, WPG_ESTIMATE_USE, module, err);
    }
    free(made.words);
    return status;
}

/* -- The what-if */

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

/* -- All forms */

static wpg_status make_stage(const wpg_estimate *estimate, wpg_estimate_pipeline *pipeline,
                             wpg_estimate_stage *s, wpg_error *err)
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
    if (status == WPG_OK && (status = use_form(estimate, pipeline, s, &weights, &why)) != WPG_OK)
        note(s, WPG_ESTIMATE_USE, &why);
    if (status == WPG_OK || status != WPG_E_NOMEM)
        if (!*pipeline->problem && !estimate->how.no_what_if &&
            (status = cut_form(s, &weights, &why)) != WPG_OK)
            note(s, WPG_ESTIMATE_CUT, &why);
    wpg_arena_finish(&arena);
    return status == WPG_E_NOMEM ? wpg_fail(err, WPG_E_NOMEM, "out of memory") : WPG_OK;
}

wpg_status wpg_estimate_make_forms(const wpg_estimate *estimate, wpg_estimate_pipeline *pipeline,
                                   wpg_error *err)
{
    for (size_t i = 0; i < pipeline->stage_count && !*pipeline->problem; i++)
        WPG_TRY(make_stage(estimate, pipeline, &pipeline->stages[i], err));
    return WPG_OK;
}
