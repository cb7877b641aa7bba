#include "runtime/profile/value_records.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"
#include "runtime/profile/profile_format.h"

/* Words of a site: what it is, block, line, asked, agreed, others, came. */
enum { SITE_WORDS = 7 };

size_t wpg_value_site_count(const wpg_profile_record *record)
{
    bool good = record && record->counter_count > 1 && (record->counter_count - 1) % SITE_WORDS == 0;
    return good ? (record->counter_count - 1) / SITE_WORDS : 0;
}

/* Unsigned numbers in the order of the values. */
static uint32_t order_of(const wpg_value_site_counts *site, uint64_t value)
{
    const uint32_t sign = UINT32_C(1) << 31, bits = (uint32_t)value;
    if (site->type == WPG_VALUES_SINT)
        return bits ^ sign;
    if (site->type == WPG_VALUES_FLOAT)
        return bits & sign ? ~bits : bits | sign;
    return bits;
}

static void widen(wpg_value_site_counts *site, const wpg_profile_site *values)
{
    for (size_t i = 0; i < values->count; i++) {
        uint64_t value = values->pairs[i].value;
        if (!site->has_range || order_of(site, value) < order_of(site, site->least))
            site->least = value;
        if (!site->has_range || order_of(site, value) > order_of(site, site->most))
            site->most = value;
        site->has_range = true;
    }
}

bool wpg_value_site_at(wpg_value_site_counts *site, const wpg_profile_record *record, size_t i)
{
    static const char *const kinds[] = {"index",     "descriptor", "address", "bound", "switch",
                                        "condition", "argument",   "word",    "input"};
    const uint64_t *words = record->counters + 1 + i * SITE_WORDS, runs = record->counters[0];
    uint64_t what = runs ? words[0] / runs : 0;
    size_t sites = wpg_value_site_count(record), kind = what & 0xff;
    uint64_t type = what >> 8 & 0xff;
    *site = (wpg_value_site_counts){.number = (uint32_t)kind,
                                    .kind = kind < sizeof kinds / sizeof *kinds ? kinds[kind] : "?",
                                    .ask = what >> 16 & 3,
                                    .block = runs ? (uint32_t)(words[1] / runs) : 0,
                                    .line = runs ? (uint32_t)(words[2] / runs) : 0,
                                    .asked = words[3],
                                    .agreed = words[4],
                                    .others = words[5],
                                    .came = words[6]};
    site->type = WPG_VALUES_UINT;
    if (type <= WPG_VALUES_WIDE)
        site->type = (uint32_t)type;
    if (i < record->site_count && record->sites[i].count) {
        site->values = wpg_site_by_count(&record->sites[i]);
        if (!site->values)
            return false;
        site->value_count = record->sites[i].count;
        widen(site, &record->sites[i]);
    }
    if (sites + i < record->site_count)
        widen(site, &record->sites[sites + i]);
    return true;
}

void wpg_value_site_finish(wpg_value_site_counts *site)
{
    free(site->values);
    *site = (wpg_value_site_counts){0};
}

/* The value of the visit with that key; NULL if the site lost it. `guess`: where it mostly is. */
static const wpg_profile_value *of_visit(const wpg_profile_site *site, uint64_t key, size_t guess)
{
    if (guess < site->count && site->pairs[guess].value >> 32 == key)
        return &site->pairs[guess];
    for (size_t i = 0; i < site->count; i++)
        if (site->pairs[i].value >> 32 == key)
            return &site->pairs[i];
    return NULL;
}

wpg_status wpg_visits_read(const wpg_word_visit **visits, uint32_t *count, const wpg_profile_record *record,
                           wpg_arena *arena)
{
    const size_t words = wpg_value_site_count(record);
    *visits = NULL;
    *count = 0;
    if (!words || record->site_count < 3 * words)
        return WPG_OK;
    const wpg_profile_site *sites = record->sites + 2 * words;
    wpg_word_visit *all = WPG_ARENA_ARRAY(arena, wpg_word_visit, sites[0].count);
    uint32_t taken = 0, at;
    for (size_t v = 0; all && v < sites[0].count; v++) {
        const wpg_profile_value *value = &sites[0].pairs[v];
        uint32_t *bits = WPG_ARENA_ARRAY(arena, uint32_t, words);
        const uint64_t key = sites[0].pairs[v].value >> 32;
        for (size_t w = 0; bits && value && w < words; w++) {
            value = of_visit(&sites[w], key, v);
            bits[w] = value ? (uint32_t)value->value : 0;
        }
        if (!bits || !value)
            continue;
        for (at = taken++; at > 0 && all[at - 1].waves < sites[0].pairs[v].count; at--)
            all[at] = all[at - 1];
        all[at] = (wpg_word_visit){sites[0].pairs[v].count, bits};
    }
    if (arena->failed)
        return WPG_E_NOMEM;
    *visits = all;
    *count = taken;
    return WPG_OK;
}

/* The shortest decimal that is the number: 0.7, not 0.699999988. */
static void float_text(char buffer[24], float number)
{
    double back;
    for (int digits = 1; digits <= 9; digits++) {
        (void)wpg_format(buffer, 24, "%.*g", digits, (double)number);
        if (!wpg_parse_real(&back, buffer) || (float)back == number)
            break;
    }
}

const char *wpg_value_text(char buffer[24], const wpg_value_site_counts *site, uint64_t value)
{
    uint32_t bits = (uint32_t)value;
    float number;
    memcpy(&number, &bits, sizeof number);
    if (site->type == WPG_VALUES_FLOAT)
        float_text(buffer, number);
    else if (site->type == WPG_VALUES_SINT)
        (void)snprintf(buffer, 24, "%" PRId32, (int32_t)bits);
    else if (site->type == WPG_VALUES_BOOL)
        (void)snprintf(buffer, 24, "%s", value ? "true" : "false");
    else
        (void)snprintf(buffer, 24, "%" PRIu64, value);
    return buffer;
}
