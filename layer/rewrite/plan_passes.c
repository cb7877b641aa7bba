#include "layer/rewrite/plan_passes.h"

#include <stdio.h>
#include <string.h>

#include "layer/profile/use.h"
#include "layer/rewrite/interface.h"
#include "layer/rewrite/variant_words.h"
#include "layer/rewrite/wave_size.h"
#include "runtime/base/log.h"

enum { USUAL_WAVE = 64 }; /* lanes; for stages whose waves were not counted */

/* -- One set */

/* What all stages together are made of, those that change: what a verdict is about. */
static wpg_hash128 hash_of_words(const wpg_rewrite *stages, size_t count)
{
    wpg_hash128 all = {0};
    for (size_t i = 0; i < count; i++) {
        const wpg_rewrite *stage = &stages[i];
        wpg_hash128 parts[3] = {all, {i, stage->wave_size}};
        if (!stage->changed && !stage->wave_size)
            continue;
        if (stage->changed)
            parts[2] = wpg_hash_bytes(stage->out_words, stage->out_count * sizeof *stage->out_words);
        all = wpg_hash_bytes(parts, sizeof parts);
    }
    return all;
}

/* Waves that entered the stage; where they were not counted, its lanes, which are as many for each wave of
 * it. 0: nothing is known. */
static double waves_of(const wpg_weights *weights)
{
    for (uint32_t i = 0; i < weights->function_count; i++) {
        const wpg_function_weights *f = &weights->functions[i];
        if (f->ordinal == 0 && f->block_count && (!f->known || f->known[0]))
            return f->waves ? (double)f->waves[0] : f->lanes ? (double)f->lanes[0] / (double)USUAL_WAVE : 0;
    }
    return 0;
}

/* Rewrites `stages`, which are the plan's own or others of the same, with all passes but those of
 * `leave_out`; whether any changed. plan->later: some words would have to be made, and nothing is decided. */
static bool rewrite_all(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos, bool whole,
                        wpg_rewrite *stages, const char *leave_out)
{
    bool changed = false;
    for (size_t i = 0; i < plan->count; i++) {
        wpg_rewrite *stage = &stages[i];
        wpg_wave_choice wave = {0};
        wpg_weights weights;
        wpg_arena arena;
        wpg_arena_init(&arena);
        bool good = stages == plan->stages || (wpg_rewrite_recall(stage, &plan->stages[i], NULL) &&
                                               wpg_rewrite_parse(stage, &stage->why) == WPG_OK);
        if (good) {
            wpg_use_find(&weights, &arena, plan->hash, stage, plan->when == WPG_REWRITE_NOW);
            if (plan->waves)
                plan->waves[i] = waves_of(&weights);
            if (whole)
                wave = wpg_wave_choice_of(&plan->device->features, &infos[plan->at[i]]);
            good = stage->later || wpg_rewrite_use(stage, &weights, &plan->device->features, &wave, leave_out,
                                                   plan->when) == WPG_OK;
        }
        if (stage->later) {
            plan->later = true;
            wpg_arena_finish(&arena);
            return false;
        }
        if (!good) {
            stage->changed = false;
            stage->wave_size = 0;
            wpg_log_warn("pipeline %s: stage %s (%s) is left as it is: %s", plan->label,
                         wpg_stage_name(plan->stages[i].stage.model), plan->stages[i].entry,
                         stage->why.message[0] ? stage->why.message : "out of memory");
        }
        changed |= stage->changed || stage->wave_size;
        wpg_arena_finish(&arena);
    }
    return changed;
}

/* -- Use */

/* True if variants won, of the words that they would be made of now. plan->later: the cache lacks these. */
static bool by_value(wpg_pipeline_plan *plan, const wpg_tune_win *win)
{
    wpg_hash128 words;
    if (!win->by_value || !plan->device->variants || plan->part)
        return false;
    if (wpg_variant_words(&words, &plan->later, plan->device, plan->hash, plan->stages, plan->count,
                          plan->when) &&
        wpg_hash_equal(words, win->value_words))
        return true;
    if (plan->later)
        return false;
    wpg_log_info("pipeline %s: the verdict on push constants is for other words and is not applied",
                 plan->label);
    return false;
}

/* What is safe by rule. */
static void use_by_rule(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos, bool whole)
{
    plan->values_by_rule = true;
    char leave_out[WPG_LETTERS_BY_RULE];
    wpg_rewrite_not_by_rule(leave_out, &plan->device->features);
    plan->changed = rewrite_all(plan, infos, whole, plan->stages, leave_out);
}

/* Tuning is not finished: what is safe by rule, unless just these words did not win. */
static void use_open(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos, bool whole,
                     const wpg_tune_win *win)
{
    (void)snprintf(plan->won, sizeof plan->won, "open, %u of %u samples: what is safe by rule",
                   win->progress.have, win->progress.need);
    plan->verdict = plan->won;
    use_by_rule(plan, infos, whole);
    plan->values_by_rule = !win->values_lost;
    if (plan->later)
        return;
    const wpg_hash128 words = hash_of_words(plan->stages, plan->count);
    for (size_t i = 0; plan->changed && i < win->lost_count; i++)
        if (wpg_hash_equal(words, win->lost[i])) {
            (void)snprintf(plan->won, sizeof plan->won, "open, %u of %u samples", win->progress.have,
                           win->progress.need);
            wpg_pipeline_plan_give_up(plan, true,
                                      "what is safe by rule did not win, and its tuning is not finished");
            return;
        }
    wpg_log_info("pipeline %s: its tuning is %s", plan->label, plan->won);
}

/* Exactly what won on this device. Without a verdict, or while tuning is open, nothing says that what is safe
 * by rule does not win: that is applied. */
static void use_verdict(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos, bool whole)
{
    const wpg_tune_win *win = wpg_tune_winner(plan->device, plan->hash);
    char leave_out[WPG_VERDICT_PASSES];
    if (!win) {
        plan->verdict = "not tuned on this device: what is safe by rule";
        use_by_rule(plan, infos, whole);
        if (!plan->later)
            wpg_log_info("pipeline %s: %s", plan->label, plan->verdict);
        return;
    }
    wpg_use_note_known();
    if (win->open) {
        use_open(plan, infos, whole, win);
        return;
    }
    plan->by_value = by_value(plan, win);
    if (plan->later)
        return;
    if (win->base || plan->by_value) {
        wpg_verdict_join(plan->won, win->set.passes, plan->by_value);
        if (win->is_static)
            (void)strcat(plan->won, " (static)");
        plan->verdict = plan->won;
    } else
        plan->verdict = "none won on this device";
    if (!win->base) {
        wpg_pipeline_plan_give_up(plan, true, "%s",
                                  plan->by_value ? "tuning found nothing faster but variants on this device"
                                                 : "tuning found nothing faster on this device");
        return;
    }
    wpg_tune_leave_out(leave_out, win->set.passes);
    plan->changed = rewrite_all(plan, infos, whole, plan->stages, leave_out);
    if (plan->later)
        return;
    if (!wpg_hash_equal(hash_of_words(plan->stages, plan->count), win->set.words)) {
        plan->verdict = "of other words: not applied";
        wpg_pipeline_plan_give_up(plan, true,
                                  "its verdict is of other words (another profile, or build of this layer)");
    } else
        wpg_log_info("pipeline %s: passes %s by its %sverdict, %.3f of the %s", plan->label, win->set.passes,
                     win->is_static ? "static " : "", win->ratio, win->is_static ? "cost" : "time");
}

void wpg_plan_use(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos, bool whole)
{
    wpg_interface_note(plan, plan->targets);
    if (plan->later)
        return;
    if (plan->device->tuned) {
        use_verdict(plan, infos, whole);
        return;
    }
    plan->verdict = *wpg_use_bundle() ? "none of this device: what is safe by rule" : NULL;
    use_by_rule(plan, infos, whole);
}

/* -- Tune */

/* The nth set of passes to try: all, those that are safe by rule, all but one, one alone. Those by rule are
 * what use mode applies until something won, so they are timed early. false: there are no more. */
static bool nth_set(char passes[WPG_VERDICT_PASSES], size_t n, const wpg_device_features *features)
{
    static const char all[] = WPG_TUNED_PASSES;
    const size_t letters = sizeof all - 1, but_one = 2, alone = but_one + letters;
    char not_by_rule[WPG_LETTERS_BY_RULE];
    size_t used = 0;
    if (n >= alone + letters)
        return false;
    wpg_rewrite_not_by_rule(not_by_rule, features);
    for (size_t i = 0; i < letters; i++)
        if (n == 0 || (n == 1 && !strchr(not_by_rule, all[i])) ||
            (n >= but_one && n < alone && i != n - but_one) || (n >= alone && i == n - alone))
            passes[used++] = all[i];
    passes[used] = '\0';
    return true;
}

/* Makes a candidate of a set, if its words are those of no other and not the original's. */
static void try_set(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos, uint32_t count,
                    const char *passes)
{
    wpg_plan_candidate *candidate = &plan->candidates[plan->candidate_count];
    wpg_rewrite *stages = WPG_ARENA_ARRAY(&plan->arena, wpg_rewrite, plan->count);
    candidate->modules = WPG_ARENA_ARRAY(&plan->arena, VkShaderModule, count);
    candidate->infos = WPG_ARENA_ARRAY(&plan->arena, VkPipelineShaderStageCreateInfo, count);
    if (!stages || !candidate->modules || !candidate->infos)
        return;
    char leave_out[WPG_VERDICT_PASSES];
    wpg_tune_leave_out(leave_out, passes);
    bool is_new = rewrite_all(plan, infos, true, stages, leave_out);
    wpg_tune_set set = {.words = hash_of_words(stages, plan->count)};
    memcpy(set.passes, passes, strlen(passes) + 1);
    for (size_t i = 0; i < plan->candidate_count; i++)
        is_new &= !wpg_hash_equal(plan->candidates[i].set.words, set.words);
    if (is_new) {
        candidate->set = set;
        plan->candidate_count++;
        wpg_pipeline_plan_stages(plan, infos, count, stages, candidate->modules, candidate->infos);
    }
    for (size_t i = 0; i < plan->count; i++)
        wpg_rewrite_finish(&stages[i]);
}

/* Makes a candidate of variants by push constants. */
static void try_values(wpg_pipeline_plan *plan)
{
    wpg_plan_candidate *candidate = &plan->candidates[plan->candidate_count];
    bool later;
    *candidate = (wpg_plan_candidate){0}; /* a set that gave nothing new may have left its arrays there */
    if (!plan->device->variants || !wpg_variant_words(&candidate->set.words, &later, plan->device, plan->hash,
                                                      plan->stages, plan->count, WPG_REWRITE_NOW))
        return;
    memcpy(candidate->set.passes, WPG_VERDICT_BY_VALUE, sizeof WPG_VERDICT_BY_VALUE);
    plan->candidate_count++;
}

void wpg_plan_tune(wpg_pipeline_plan *plan, const VkPipelineShaderStageCreateInfo *infos, uint32_t count,
                   wpg_plan_kind kind)
{
    char passes[WPG_VERDICT_PASSES];
    if (kind != WPG_PLAN_PIPELINE && kind != WPG_PLAN_LINK) {
        wpg_pipeline_plan_give_up(plan, true, "what is shared or of rays is not tuned");
        return;
    }
    wpg_interface_note(plan, plan->targets);
    const size_t most = (size_t)wpg_the_process.settings.tune_candidates;
    plan->candidates = WPG_ARENA_ARRAY(&plan->arena, wpg_plan_candidate, most);
    plan->waves = WPG_ARENA_ARRAY(&plan->arena, double, plan->count);
    if (!plan->waves)
        plan->candidates = NULL;
    for (size_t i = 0; plan->candidates && plan->candidate_count < most && !plan->why[0] &&
                       nth_set(passes, i, &plan->device->features);
         i++)
        if (passes[0]) {
            try_set(plan, infos, count, passes);
            if (i == 0 && plan->candidate_count < most && !plan->why[0])
                try_values(plan);
        }
    if (plan->arena.failed)
        wpg_pipeline_plan_give_up(plan, false, "out of memory");
    if (plan->why[0])
        return;
    if (plan->candidate_count == 0) {
        wpg_pipeline_plan_give_up(plan, true, "no pass changes it: nothing to tune");
        return;
    }
    wpg_tune_set sets[WPG_VERDICT_CANDIDATES];
    for (size_t i = 0; i < plan->candidate_count; i++)
        sets[i] = plan->candidates[i].set;
    plan->tuned = wpg_tune_pipeline(plan->device, plan->hash, sets, plan->candidate_count);
    for (size_t i = 0; plan->tuned && i < plan->candidate_count; i++) {
        plan->candidates[i].alternative = wpg_tune_open(plan->tuned, &sets[i]);
        plan->changed |= plan->candidates[i].alternative != 0;
        plan->by_value |= plan->candidates[i].alternative && !plan->candidates[i].infos;
    }
    plan->by_bind = plan->changed;
    if (!plan->tuned)
        wpg_pipeline_plan_give_up(plan, false, "out of memory");
    else if (!plan->changed)
        wpg_pipeline_plan_give_up(plan, true, "its verdict is known: nothing is left to tune");
}
