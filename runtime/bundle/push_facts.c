#include "runtime/bundle/push_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/push_record.h"

static const wpg_fact *table_of(const wpg_facts *facts, unsigned word)
{
    char key[24];
    (void)snprintf(key, sizeof key, "push.%02u", word);
    const wpg_fact *fact = wpg_facts_find(facts, key);
    return fact && fact->rule == WPG_FACT_COUNT ? fact : NULL;
}

static wpg_status add_values(wpg_profile *profile, const char *name, unsigned word, const wpg_fact *fact,
                             wpg_error *err)
{
    for (size_t i = 0; i < fact->value_count; i++) {
        char *end;
        unsigned long long value = strtoull(fact->values[i].value, &end, 16);
        if (!*end && value <= UINT32_MAX && fact->values[i].n)
            WPG_TRY(wpg_profile_add_value(profile, name, WPG_PUSH_RECORD_HASH, word, value, fact->values[i].n,
                                          err));
    }
    return WPG_OK;
}

wpg_status wpg_push_facts_add(wpg_profile *profile, const wpg_facts *facts, wpg_error *err)
{
    uint64_t counters[WPG_PUSH_RECORD_COUNTERS] = {1};
    char name[WPG_PUSH_RECORD_NAME], key[24];
    wpg_hash128 pipeline;
    bool any = false;
    if (strcmp(wpg_facts_kind(facts), "pipeline") != 0 ||
        !wpg_hash_from_hex(&pipeline, wpg_facts_subject(facts)))
        return WPG_OK;
    for (unsigned word = 0; word < WPG_PUSH_RECORD_WORDS; word++) {
        const wpg_fact *fact = table_of(facts, word);
        (void)snprintf(key, sizeof key, "unpushed.%02u", word);
        any |= fact != NULL;
        counters[1 + 2 * word] = fact ? fact->n : 0;
        counters[2 + 2 * word] = wpg_facts_get_sum(facts, key);
    }
    if (!any)
        return WPG_OK;
    wpg_push_record_compose(name, pipeline);
    WPG_TRY(wpg_profile_add(profile, name, WPG_PUSH_RECORD_HASH, counters, WPG_PUSH_RECORD_COUNTERS, 1, err));
    for (unsigned word = 0; word < WPG_PUSH_RECORD_WORDS; word++) {
        const wpg_fact *fact = table_of(facts, word);
        if (fact)
            WPG_TRY(add_values(profile, name, word, fact, err));
    }
    /* Words without a table keep their place. */
    return wpg_profile_reserve_sites(profile, name, WPG_PUSH_RECORD_HASH, WPG_PUSH_RECORD_WORDS, err);
}
