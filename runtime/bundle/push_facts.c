#include "runtime/bundle/push_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/arithmetic.h"
#include "runtime/profile/push_record.h"
#include "runtime/profile/push_set_record.h"

/* -- Each word alone */

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

static uint64_t commands_of(const wpg_facts *facts)
{
    return wpg_add_saturating(wpg_facts_get_sum(facts, "draws"), wpg_facts_get_sum(facts, "dispatches"));
}

static wpg_status add_words(wpg_profile *profile, wpg_hash128 pipeline, const wpg_facts *facts,
                            wpg_error *err)
{
    uint64_t counters[WPG_PUSH_RECORD_COUNTERS] = {commands_of(facts)};
    char name[WPG_PUSH_RECORD_NAME], key[24];
    bool any = false;
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

/* -- Words together */

static const char SET[] = "pushes.";
/* Sets that are read of one pipeline's facts; the rest are among the others. A run writes WPG_PUSH_SETS at
 * most, a profile carries 255. */
enum { MOST_SETS = 1024 };

static void read_loose(uint64_t loose[WPG_PUSH_SET_WORDS], const wpg_facts *facts)
{
    char key[24];
    for (unsigned word = 0; word < WPG_PUSH_SET_WORDS; word++) {
        (void)snprintf(key, sizeof key, "loose.%02u", word);
        loose[word] = wpg_facts_get_sum(facts, key);
    }
}

static bool parse_word(uint32_t *value, const char *text)
{
    *value = 0;
    for (int i = 0; i < 8; i++) {
        const char c = text[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
        *value = *value << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

/* "00001000 - 00000020" */
static bool parse_set(uint64_t *words, uint32_t values[WPG_PUSH_SET_WORDS], const char *text)
{
    *words = 0;
    for (unsigned word = 0; word < WPG_PUSH_SET_WORDS; word++) {
        if (*text == '-') {
            text++;
        } else if (parse_word(&values[word], text)) {
            *words |= UINT64_C(1) << word;
            text += 8;
        } else {
            return false;
        }
        if (!*text)
            return true;
        if (*text++ != ' ')
            return false;
    }
    return false;
}

/* True for a set: its words, their values, its draws and dispatches. */
static bool read_set(uint64_t *words, uint32_t values[WPG_PUSH_SET_WORDS], uint64_t *n,
                     const wpg_facts *facts, const wpg_fact *fact)
{
    char key[WPG_FACTS_WORD + 1];
    if (fact->rule != WPG_FACT_IS || strncmp(fact->key, SET, sizeof SET - 1) != 0 ||
        !parse_set(words, values, fact->text))
        return false;
    (void)snprintf(key, sizeof key, "pushed.%s", fact->key + sizeof SET - 1);
    *n = wpg_facts_get_sum(facts, key);
    return true;
}

static wpg_status add_sets(wpg_profile *profile, wpg_hash128 pipeline, const wpg_facts *facts, wpg_error *err)
{
    char name[WPG_PUSH_SET_RECORD_NAME];
    uint64_t words, n, others = wpg_facts_get_sum(facts, "pushed.others"), loose[WPG_PUSH_SET_WORDS];
    uint32_t values[WPG_PUSH_SET_WORDS] = {0};
    unsigned count = 0;
    for (size_t i = 0; i < wpg_facts_size(facts); i++)
        if (read_set(&words, values, &n, facts, wpg_facts_at(facts, i)) && ++count > MOST_SETS)
            others = wpg_add_saturating(others, n);
    if (!count)
        return WPG_OK;
    wpg_push_set_record_compose(name, pipeline);
    read_loose(loose, facts);
    WPG_TRY(wpg_push_set_record_add(profile, name, commands_of(facts), others, loose, err));
    count = 0;
    for (size_t i = 0; count < MOST_SETS && i < wpg_facts_size(facts); i++) {
        memset(values, 0, sizeof values);
        if (!read_set(&words, values, &n, facts, wpg_facts_at(facts, i)))
            continue;
        count++;
        WPG_TRY(wpg_push_set_record_count(profile, name, words, values, n, err));
    }
    return WPG_OK;
}

wpg_status wpg_push_facts_add(wpg_profile *profile, const wpg_facts *facts, wpg_error *err)
{
    wpg_hash128 pipeline;
    if (strcmp(wpg_facts_kind(facts), "pipeline") != 0 ||
        !wpg_hash_from_hex(&pipeline, wpg_facts_subject(facts)))
        return WPG_OK;
    WPG_TRY(add_words(profile, pipeline, facts, err));
    return add_sets(profile, pipeline, facts, err);
}

static wpg_status say_set(wpg_facts *facts, const wpg_push_set *set, wpg_error *err)
{
    char key[32], text[WPG_PUSH_SET_WORDS * 9 + 1];
    size_t length = 0;
    for (uint64_t left = set->words, word = 0; left || !word; left &= ~(UINT64_C(1) << word), word++) {
        const char *separator = word ? " " : "";
        const int put = left >> word & 1 ? snprintf(text + length, sizeof text - length, "%s%08" PRIx32,
                                                    separator, set->values[word])
                                         : snprintf(text + length, sizeof text - length, "%s-", separator);
        length += (size_t)put;
    }
    (void)snprintf(key, sizeof key, "%s%016" PRIx64, SET, set->key);
    WPG_TRY(wpg_facts_is(facts, key, text, err));
    (void)snprintf(key, sizeof key, "pushed.%016" PRIx64, set->key);
    return wpg_facts_sum(facts, key, set->n, err);
}

wpg_status wpg_push_facts_say(wpg_facts *facts, const wpg_push_sets *sets, wpg_error *err)
{
    char key[24];
    for (uint32_t i = 0; i < sets->count; i++)
        WPG_TRY(say_set(facts, &sets->sets[i], err));
    if (sets->others)
        WPG_TRY(wpg_facts_sum(facts, "pushed.others", sets->others, err));
    for (uint64_t left = sets->loose; left; left &= left - 1) {
        (void)snprintf(key, sizeof key, "loose.%02d", __builtin_ctzll(left));
        WPG_TRY(wpg_facts_sum(facts, key, 1, err));
    }
    return WPG_OK;
}

wpg_status wpg_push_facts_sets(wpg_push_sets *sets, const wpg_facts *facts, wpg_error *err)
{
    char name[WPG_PUSH_SET_RECORD_NAME];
    const wpg_hash128 any = {0};
    wpg_profile *profile = wpg_profile_create();
    wpg_status status =
        profile ? add_sets(profile, any, facts, err) : wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_push_set_record_compose(name, any);
    const wpg_profile_record *record =
        status == WPG_OK ? wpg_profile_find(profile, name, WPG_PUSH_SET_RECORD_HASH) : NULL;
    if (record && !wpg_push_set_record_read(sets, record))
        status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_profile_destroy(profile);
    return status;
}
