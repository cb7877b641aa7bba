#include "compiler/optimize/ir/word_facts.h"

#include <string.h>

#include "compiler/analysis/values/value_sites.h"

static const char PASS[] = "versions";

uint32_t wpg_word_fact_at(const wpg_function_profile *profile, const wpg_word_place *place)
{
    for (uint32_t f = 0; f < profile->words.count; f++)
        if (memcmp(&profile->words.data[f].place, place, sizeof *place) == 0)
            return f;
    return UINT32_MAX;
}

double wpg_word_fact_share(const wpg_word_fact *fact)
{
    return fact->asked ? (double)fact->waves / (double)fact->asked : 0;
}

static bool take(wpg_function_profile *profile, const wpg_word_site *sites, const wpg_function_weights *w)
{
    for (uint32_t i = 0; i < w->word_count; i++) {
        const wpg_value_weight *seen = &w->words[i];
        if (seen->share_count && seen->asked &&
            !wpg_vec_push(&profile->words, (wpg_word_fact){.place = sites[i].place,
                                                           .site = i,
                                                           .is_float = sites[i].type == WPG_VALUE_FLOAT,
                                                           .bits = seen->shares[0].bits,
                                                           .waves = seen->shares[0].waves,
                                                           .asked = seen->asked}))
            return false;
    }
    profile->visits = w->visits;
    profile->visit_count = w->visit_count;
    return true;
}

wpg_status wpg_word_facts_bind(wpg_context *context, wpg_function_profile *profile,
                               const wpg_function_weights *w, const wpg_cfg *cfg)
{
    wpg_word_site *sites;
    uint32_t count;
    wpg_arena arena;
    bool agree, good = true;
    if (!w->word_count)
        return WPG_OK;
    wpg_arena_init(&arena);
    wpg_status status = wpg_word_sites(&sites, &count, cfg, &arena);
    agree = status == WPG_OK && count >= w->word_count;
    for (uint32_t i = 0; agree && i < w->word_count; i++)
        agree = w->words[i].kind == WPG_VALUE_WORD && w->words[i].type == (uint32_t)sites[i].type;
    if (agree)
        good = take(profile, sites, w);
    else if (status == WPG_OK)
        wpg_remark_add(context, WPG_REMARK_REFUSED, PASS, w->ordinal, 0,
                       "the profile's words of uniform blocks are not the shader's: left alone");
    wpg_arena_finish(&arena);
    return status == WPG_OK && good ? WPG_OK : wpg_fail(context->err, WPG_E_NOMEM, "out of memory");
}
