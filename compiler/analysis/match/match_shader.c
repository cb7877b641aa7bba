#include "compiler/analysis/match/match_shader.h"

#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/graph/normal_form.h"

static wpg_status describe(wpg_shader_forms *forms, uint32_t ordinal, const wpg_module *module,
                           wpg_inst *function, wpg_error *err)
{
    wpg_cfg *cfg;
    wpg_status status = wpg_cfg_create(&cfg, module, function, err);
    if (status == WPG_E_NOMEM)
        return status;
    if (status != WPG_OK)
        return WPG_OK;
    forms->checksums[ordinal] = wpg_cfg_checksum(cfg, WPG_NORMAL_FORM_VERSION);
    status = wpg_form_create(&forms->functions[ordinal], cfg, err);
    wpg_cfg_destroy(cfg);
    return status;
}

static wpg_status describe_all(wpg_shader_forms **out, const wpg_module *module, wpg_inst *const *functions,
                               uint32_t count, wpg_error *err)
{
    wpg_shader_forms *forms = calloc(1, sizeof *forms);
    wpg_form **made = calloc(count, sizeof *made);
    uint64_t *checksums = calloc(count, sizeof *checksums);
    if (!forms || !made || !checksums) {
        free(forms);
        free((void *)made);
        free(checksums);
        return wpg_fail(err, WPG_E_NOMEM, "no memory to describe a shader");
    }
    *forms = (wpg_shader_forms){made, checksums, count};
    wpg_status status = WPG_OK;
    for (uint32_t i = 0; i < count && status == WPG_OK; i++)
        status = describe(forms, i, module, functions[i], err);
    if (status != WPG_OK) {
        wpg_shader_forms_destroy(forms);
        return status;
    }
    *out = forms;
    return WPG_OK;
}

wpg_status wpg_shader_forms_create(wpg_shader_forms **out, const wpg_module *module, const wpg_stage *stage,
                                   wpg_error *err)
{
    wpg_inst **functions;
    uint32_t count;
    wpg_arena arena;
    wpg_arena_init(&arena);
    wpg_status status = wpg_stage_functions(&functions, &count, module, stage, &arena, err);
    if (status == WPG_OK)
        status = describe_all(out, module, functions, count, err);
    wpg_arena_finish(&arena);
    return status;
}

void wpg_shader_forms_destroy(wpg_shader_forms *forms)
{
    if (!forms)
        return;
    for (uint32_t i = 0; i < forms->count; i++)
        wpg_form_destroy(forms->functions[i]);
    free((void *)forms->functions);
    free(forms->checksums);
    free(forms);
}

/* What the old shader's blocks weigh in the share. */
static double weight_of(const wpg_function_weights *w)
{
    const uint64_t *counts = w->lanes ? w->lanes : w->waves;
    double sum = 0;
    for (uint32_t b = 0; counts && b < w->block_count; b++)
        sum += (double)counts[b];
    return sum;
}

static bool carry_selects(wpg_function_weights *made, const wpg_match *match, const wpg_function_weights *old,
                          uint32_t count, wpg_arena *arena)
{
    uint64_t *selects = WPG_ARENA_ARRAY(arena, uint64_t, (size_t)count * WPG_SELECT_COUNTERS);
    bool *known = WPG_ARENA_ARRAY(arena, bool, count);
    if (arena->failed)
        return false;
    for (uint32_t s = 0; s < count; s++) {
        uint32_t from = match->select[s];
        if (from >= old->select_count)
            continue;
        memcpy(selects + (size_t)s * WPG_SELECT_COUNTERS, old->selects + (size_t)from * WPG_SELECT_COUNTERS,
               WPG_SELECT_COUNTERS * sizeof *selects);
        known[s] = true;
    }
    made->select_count = count;
    made->selects = selects;
    made->select_known = known;
    return true;
}

/* One function; *taken: its counts are in *made. */
static wpg_status match_function(wpg_function_weights *made, double *share, double *likeness, bool *taken,
                                 const wpg_form *from, const wpg_function_weights *old, const wpg_form *to,
                                 const wpg_cfg *cfg, wpg_arena *arena, wpg_error *err)
{
    const wpg_block_counts counts = {old->lanes, old->waves, old->uniform};
    wpg_match match;
    wpg_carried carried;
    *taken = false;
    wpg_status status = wpg_match_forms(&match, from, to, arena, err);
    if (status == WPG_E_LIMIT)
        return WPG_OK; /* not matched, then */
    WPG_TRY(status);
    *likeness = match.likeness;
    if (match.likeness < WPG_MATCH_LIKENESS)
        return WPG_OK;
    WPG_TRY(wpg_match_carry(&carried, &match, &counts, cfg, arena, err));
    if (!carried.sound)
        return WPG_OK;
    *made = (wpg_function_weights){.ordinal = old->ordinal,
                                   .checksum = wpg_cfg_checksum(cfg, WPG_NORMAL_FORM_VERSION),
                                   .block_count = cfg->count,
                                   .lanes = carried.lanes,
                                   .waves = carried.waves,
                                   .uniform = carried.uniform,
                                   .known = carried.known};
    if (old->selects && !carry_selects(made, &match, old, wpg_form_selects(to), arena))
        return wpg_fail(err, WPG_E_NOMEM, "no memory to match a shader");
    *share = wpg_match_share(&match, from, to, &counts);
    *taken = true;
    return WPG_OK;
}

wpg_status wpg_match_shader(wpg_shader_match *match, const wpg_shader_forms *from, const wpg_weights *counts,
                            const wpg_shader_forms *to, const wpg_module *module, const wpg_stage *stage,
                            wpg_arena *arena, wpg_error *err)
{
    *match = (wpg_shader_match){0};
    wpg_function_weights *made = WPG_ARENA_ARRAY(arena, wpg_function_weights, counts->function_count);
    wpg_inst **functions;
    uint32_t function_count;
    if (!made)
        return wpg_fail(err, WPG_E_NOMEM, "no memory to match a shader");
    WPG_TRY(wpg_stage_functions(&functions, &function_count, module, stage, arena, err));
    double all = 0, found = 0, blocks = 0, found_blocks = 0;
    uint32_t taken_count = 0;
    for (uint32_t i = 0; i < counts->function_count; i++) {
        const wpg_function_weights *old = &counts->functions[i];
        uint32_t k = old->ordinal;
        if (k >= from->count || !from->functions[k] || from->checksums[k] != old->checksum ||
            wpg_form_blocks(from->functions[k]) != old->block_count)
            continue; /* counts of another normal form */
        double share = 0, likeness = 0, weight = weight_of(old);
        all += weight;
        blocks += old->block_count;
        if (k >= to->count || !to->functions[k] || k >= function_count)
            continue;
        wpg_cfg *cfg;
        WPG_TRY(wpg_cfg_create(&cfg, module, functions[k], err));
        bool taken;
        wpg_status status = match_function(&made[taken_count], &share, &likeness, &taken, from->functions[k],
                                           old, to->functions[k], cfg, arena, err);
        wpg_cfg_destroy(cfg);
        WPG_TRY(status);
        taken_count += taken;
        found += share * weight;
        found_blocks += share * old->block_count;
        if (k == 0)
            match->likeness = likeness;
    }
    match->weights = (wpg_weights){made, taken_count};
    match->share = all > 0 ? found / all : blocks > 0 ? found_blocks / blocks : 0;
    return WPG_OK;
}
