#include "runtime/profile/weights.h"

#include "runtime/profile/value_records.h"

/* What the record says of each site; *count = 0 without one. */
static const wpg_value_weight *take_values(uint32_t *taken, wpg_arena *arena,
                                           const wpg_profile_record *record)
{
    size_t count = wpg_value_site_count(record);
    *taken = 0;
    if (!count || !record->counters[0])
        return NULL;
    wpg_value_weight *values = WPG_ARENA_ARRAY(arena, wpg_value_weight, count);
    for (size_t i = 0; values && i < count; i++) {
        wpg_value_site_counts site;
        if (!wpg_value_site_at(&site, record, i)) {
            arena->failed = true;
            return NULL;
        }
        wpg_value_share *shares = WPG_ARENA_ARRAY(arena, wpg_value_share, site.value_count);
        for (size_t v = 0; shares && v < site.value_count; v++)
            shares[v] = (wpg_value_share){(uint32_t)site.values[v].value, site.values[v].count};
        values[i] = (wpg_value_weight){.kind = site.number,
                                       .type = (uint32_t)site.type,
                                       .block = site.block,
                                       .asked = site.asked,
                                       .agreed = site.agreed,
                                       .others = site.others,
                                       .shares = shares,
                                       .share_count = (uint32_t)site.value_count};
        wpg_value_site_finish(&site);
    }
    *taken = values ? (uint32_t)count : 0;
    return values;
}

wpg_status wpg_weights_of_shader(wpg_weights *weights, wpg_arena *arena, const wpg_shader_counts *first,
                                 size_t count)
{
    *weights = (wpg_weights){0};
    wpg_function_weights *taken = WPG_ARENA_ARRAY(arena, wpg_function_weights, count);
    for (size_t i = 0; taken && i < count; i++) {
        taken[i] = (wpg_function_weights){
            .ordinal = first[i].function,
            .checksum = first[i].checksum,
            .block_count = (uint32_t)first[i].block_count,
            .lanes = first[i].lanes,
            .waves = first[i].waves,
            .uniform = first[i].uniform,
            .select_count = (uint32_t)(first[i].select_counter_count / WPG_SELECT_COUNTERS),
            .selects = first[i].selects,
        };
        taken[i].values = take_values(&taken[i].value_count, arena, first[i].records[WPG_RECORD_VALUES]);
        taken[i].words = take_values(&taken[i].word_count, arena, first[i].records[WPG_RECORD_WORDS]);
        WPG_TRY(wpg_visits_read(&taken[i].visits, &taken[i].visit_count, first[i].records[WPG_RECORD_WORDS],
                                arena));
    }
    if (!taken || arena->failed)
        return WPG_E_NOMEM;
    *weights = (wpg_weights){taken, (uint32_t)count};
    return WPG_OK;
}
