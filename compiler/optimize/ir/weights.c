/* Binds a profile to a module: checksums, flow sanity, and tables keyed by label and result id. The SSA tier
 * and our own passes keep these ids. See pass.h. */
#include "compiler/optimize/ir/pass.h"

#include <string.h>

#include "compiler/analysis/graph/normal_form.h"
#include "compiler/analysis/values/sites.h"
#include "compiler/optimize/ir/value_facts.h"
#include "compiler/optimize/ir/weights_check.h"
#include "compiler/optimize/ir/word_facts.h"

static const char PASS[] = "weights";

const wpg_function_profile *wpg_profile_of(const wpg_context *context, uint32_t function)
{
    for (uint32_t i = 0; i < context->profile_count; i++)
        if (context->profiles[i].function == function)
            return &context->profiles[i];
    return NULL;
}

wpg_block_weight *wpg_profile_block(const wpg_function_profile *profile, uint32_t label)
{
    uint64_t index;
    return wpg_map_get(&profile->labels, label, &index) ? &profile->blocks.data[index] : NULL;
}

const wpg_block_weight *wpg_known_block(const wpg_function_profile *profile, uint32_t label)
{
    const wpg_block_weight *weight = wpg_profile_block(profile, label);
    return weight && !weight->unknown_by ? weight : NULL;
}

bool wpg_profile_add_block(wpg_function_profile *profile, uint32_t label, wpg_block_weight weight)
{
    return wpg_map_set(&profile->labels, label, profile->blocks.count) &&
           wpg_vec_push(&profile->blocks, weight);
}

wpg_site_weight *wpg_profile_site(const wpg_function_profile *profile, uint32_t result)
{
    uint64_t index;
    return wpg_map_get(&profile->sites, result, &index) ? &profile->site_weights.data[index] : NULL;
}

static void profile_finish(wpg_function_profile *profile)
{
    wpg_cfg_destroy(profile->cfg);
    wpg_map_free(&profile->labels);
    wpg_map_free(&profile->sites);
    wpg_map_free(&profile->guarded);
    wpg_map_free(&profile->valued);
    wpg_map_free(&profile->unswitched);
    wpg_map_free(&profile->peeled);
    wpg_vec_free(&profile->facts);
    wpg_vec_free(&profile->indices);
    wpg_vec_free(&profile->words);
    wpg_vec_free(&profile->blocks);
    wpg_vec_free(&profile->site_weights);
}

void wpg_profiles_finish(wpg_context *context)
{
    for (uint32_t i = 0; i < context->profile_count; i++)
        profile_finish(&context->profiles[i]);
    free(context->profiles);
    context->profiles = NULL;
    context->profile_count = 0;
    wpg_analyses_finish(context);
}

/* Do the counts fit one another? A hundredth is let pass: merged counts may be scaled and saturated. Of
 * counts that are known in part whoever carried them over made sure. */
static wpg_status counts_are_sane(bool *sane, wpg_weights_finding *finding, wpg_context *context,
                                  const wpg_function_weights *w, const wpg_cfg *cfg)
{
    *sane = true;
    if (w->known)
        return WPG_OK;
    wpg_arena arena;
    wpg_arena_init(&arena);
    wpg_weights_findings findings = {0};
    wpg_status status =
        wpg_weights_check(&findings, cfg, w, WPG_CHECK_KINDS | WPG_CHECK_INFLOW, 0.01, &arena);
    *sane = status == WPG_OK && findings.total == 0;
    if (findings.count)
        *finding = findings.items[0];
    wpg_arena_finish(&arena);
    return status == WPG_OK ? WPG_OK : wpg_fail(context->err, status, "out of memory");
}

static bool fill_blocks(wpg_function_profile *profile, const wpg_function_weights *w, const wpg_cfg *cfg)
{
    const uint64_t *waves = profile->lanes_alone ? w->lanes : w->waves;
    const uint64_t *uniform = profile->lanes_alone ? w->lanes : w->uniform;
    for (uint32_t b = 0; b < cfg->count; b++) {
        wpg_block_weight weight = {.lanes = w->lanes ? w->lanes[b] : 0,
                                   .waves = waves ? waves[b] : 0,
                                   .uniform = uniform ? uniform[b] : 0,
                                   .origin = b,
                                   .uniform_known = uniform != NULL};
        bool known = !w->known || w->known[b];
        /* What is not known has a place, for blocks are found by number too, but no label leads there. */
        if (known ? !wpg_profile_add_block(profile, cfg->blocks[b].id, weight)
                  : !wpg_vec_push(&profile->blocks, weight))
            return false;
    }
    return true;
}

static wpg_status fill_sites(wpg_context *context, wpg_function_profile *profile,
                             const wpg_function_weights *w, const wpg_cfg *cfg)
{
    if (!w->selects)
        return WPG_OK;
    wpg_arena arena;
    wpg_arena_init(&arena);
    wpg_select_site *sites;
    uint32_t count;
    wpg_status status = wpg_select_sites(&sites, &count, cfg, &arena);
    if (status == WPG_OK && count != w->select_count)
        wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, w->ordinal, 0,
                       "the profile has %u select sites, the shader %u: selects left alone", w->select_count,
                       count);
    else
        for (uint32_t i = 0; status == WPG_OK && i < count; i++) {
            const uint64_t *c = w->selects + (size_t)i * 4;
            if ((w->select_known && !w->select_known[i]) || (w->known && !w->known[sites[i].block]))
                continue;
            wpg_site_weight site = {.lanes = {c[0], c[1]}, .waves = {c[2], c[3]}, .origin = sites[i].block};
            if (profile->lanes_alone)
                memcpy(site.waves, site.lanes, sizeof site.waves);
            if (!wpg_map_set(&profile->sites, sites[i].inst->result, profile->site_weights.count) ||
                !wpg_vec_push(&profile->site_weights, site))
                status = wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
        }
    wpg_arena_finish(&arena);
    return status;
}

/* Adds the profile of one function if it may be used; says why if not. */
static wpg_status bind_function(wpg_context *context, const wpg_function_weights *w, wpg_inst *function)
{
    wpg_cfg *cfg;
    wpg_error reason = {0};
    wpg_status status = wpg_cfg_create(&cfg, context->module, function, &reason);
    if (status == WPG_E_NOMEM)
        return wpg_fail(context->err, status, "out of memory");
    if (status != WPG_OK) {
        wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, w->ordinal, 0, "%s", reason.message);
        return WPG_OK;
    }
    bool sane = true;
    wpg_weights_finding finding = {0};
    if (cfg->count == w->block_count)
        status = counts_are_sane(&sane, &finding, context, w, cfg);
    if (status != WPG_OK) {
        wpg_cfg_destroy(cfg);
        return status;
    }
    if (wpg_cfg_checksum(cfg, WPG_NORMAL_FORM_VERSION) != w->checksum || cfg->count != w->block_count) {
        context->remarks->mismatch = true;
        wpg_remark_add(
            context, WPG_REMARK_REFUSED, PASS, w->ordinal, 0,
            "checksum of the control flow disagrees: the profile is of another shader, not applied");
    } else if (!sane) {
        wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, w->ordinal, finding.block,
                       "counts of block %u contradict each other (%s): not applied", finding.block,
                       finding.what);
    } else {
        wpg_function_profile *profile = &context->profiles[context->profile_count++];
        bool alone = context->options->lanes_alone && w->lanes;
        *profile = (wpg_function_profile){.function = function->result,
                                          .ordinal = w->ordinal,
                                          .lanes_alone = alone,
                                          .has_lanes = w->lanes != NULL,
                                          .has_waves = alone || w->waves,
                                          .has_uniform = alone || w->uniform,
                                          .cfg = cfg,
                                          .cfg_edits = context->module->edits};
        status = fill_blocks(profile, w, cfg) ? fill_sites(context, profile, w, cfg)
                                              : wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
        if (status == WPG_OK)
            status = wpg_value_facts_bind(context, profile, w, cfg);
        if (status == WPG_OK)
            status = wpg_word_facts_bind(context, profile, w, cfg);
        return status;
    }
    wpg_cfg_destroy(cfg);
    return WPG_OK;
}

static const wpg_function_weights *weights_of(const wpg_weights *weights, uint32_t ordinal)
{
    for (uint32_t i = 0; i < weights->function_count; i++)
        if (weights->functions[i].ordinal == ordinal)
            return &weights->functions[i];
    return NULL;
}

wpg_status wpg_profiles_bind(wpg_context *context, const wpg_weights *weights)
{
    wpg_inst **functions;
    uint32_t count = 0;
    wpg_arena arena;
    wpg_arena_init(&arena);
    wpg_status status =
        wpg_stage_functions(&functions, &count, context->module, context->stage, &arena, context->err);
    if (status == WPG_OK) {
        context->profiles = calloc(count, sizeof *context->profiles);
        status = context->profiles ? WPG_OK : wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
    }
    for (uint32_t ordinal = 0; ordinal < count && status == WPG_OK; ordinal++) {
        const wpg_function_weights *w = weights_of(weights, ordinal);
        if (w)
            status = bind_function(context, w, functions[ordinal]);
    }
    wpg_arena_finish(&arena);
    return status;
}
