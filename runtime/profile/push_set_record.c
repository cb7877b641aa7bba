#include "runtime/profile/push_set_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/arithmetic.h"
#include "runtime/profile/profile_format.h"

static const char prefix[] = "pipeline.", suffix[] = "#push-sets";

void wpg_push_set_record_compose(char name[WPG_PUSH_SET_RECORD_NAME], wpg_hash128 pipeline)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, pipeline);
    (void)snprintf(name, WPG_PUSH_SET_RECORD_NAME, "%s%s%s", prefix, hex, suffix);
}

bool wpg_push_set_record_parse(wpg_hash128 *pipeline, const wpg_profile_record *record)
{
    char name[WPG_PUSH_SET_RECORD_NAME];
    if (strncmp(record->name, prefix, sizeof prefix - 1) != 0 ||
        strlen(record->name) != sizeof prefix - 1 + WPG_HASH_HEX + sizeof suffix - 1 ||
        !wpg_hash_from_hex(pipeline, record->name + sizeof prefix - 1))
        return false;
    wpg_push_set_record_compose(name, *pipeline);
    return strcmp(name, record->name) == 0 && record->func_hash == WPG_PUSH_SET_RECORD_HASH &&
           record->counter_count == WPG_PUSH_SET_RECORD_COUNTERS;
}

/* -- Writing */

wpg_status wpg_push_set_record_add(wpg_profile *profile, const char *name, uint64_t commands, uint64_t others,
                                   const uint64_t loose[WPG_PUSH_SET_WORDS], wpg_error *err)
{
    uint64_t counters[WPG_PUSH_SET_RECORD_COUNTERS] = {commands, others};
    memcpy(counters + 2, loose, WPG_PUSH_SET_WORDS * sizeof *loose);
    WPG_TRY(wpg_profile_add(profile, name, WPG_PUSH_SET_RECORD_HASH, counters, WPG_PUSH_SET_RECORD_COUNTERS,
                            1, err));
    return wpg_profile_reserve_sites(profile, name, WPG_PUSH_SET_RECORD_HASH, WPG_PUSH_SET_RECORD_SITES, err);
}

wpg_status wpg_push_set_record_count(wpg_profile *profile, const char *name, uint64_t words,
                                     const uint32_t values[WPG_PUSH_SET_WORDS], uint64_t n, wpg_error *err)
{
    /* 31 bits: the largest 64-bit numbers are no values to LLVM. */
    const uint64_t key = wpg_push_set_key(words, values) >> 33 << 32;
    if (!n)
        return WPG_OK;
    WPG_TRY(wpg_profile_add_value(profile, name, WPG_PUSH_SET_RECORD_HASH, 0, key, n, err));
    for (uint64_t left = words; left; left &= left - 1) {
        const unsigned word = (unsigned)__builtin_ctzll(left);
        WPG_TRY(wpg_profile_add_value(profile, name, WPG_PUSH_SET_RECORD_HASH, 1 + word, key | values[word],
                                      n, err));
    }
    return WPG_OK;
}

/* -- Reading */

/* The first pair of the set with that key, or of a later one. */
static size_t place_of(const wpg_profile_site *site, uint64_t key)
{
    size_t low = 0, high = site->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (site->pairs[middle].value < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_of(const wpg_profile_site *site, size_t at, uint64_t key)
{
    return at < site->count && site->pairs[at].value >> 32 == key >> 32;
}

/* False: the key stands for two sets. */
static bool read_words(uint64_t *words, uint32_t *values, const wpg_profile_record *record, uint64_t key)
{
    *words = 0;
    for (unsigned word = 0; word < WPG_PUSH_SET_WORDS && 1 + word < record->site_count; word++) {
        const wpg_profile_site *site = &record->sites[1 + word];
        const size_t at = place_of(site, key);
        if (!is_of(site, at, key))
            continue;
        if (is_of(site, at + 1, key))
            return false;
        *words |= UINT64_C(1) << word;
        values[word] = (uint32_t)site->pairs[at].value;
    }
    return true;
}

bool wpg_push_set_record_read(wpg_push_sets *sets, const wpg_profile_record *record)
{
    static const wpg_profile_site none;
    const wpg_profile_site *keys = record->site_count ? &record->sites[0] : &none;
    wpg_profile_value *pairs = wpg_site_by_count(keys);
    if (!pairs)
        return false;
    sets->others = record->counters[1];
    for (unsigned word = 0; word < WPG_PUSH_SET_WORDS; word++)
        if (record->counters[2 + word])
            sets->loose |= UINT64_C(1) << word;
    /* The commonest come first, and a rarer one takes no place: `others` gets it. */
    for (size_t i = 0; i < keys->count; i++) {
        uint32_t values[WPG_PUSH_SET_WORDS] = {0};
        uint64_t words;
        if (i < WPG_VALUES_PER_SITE && !(uint32_t)pairs[i].value &&
            read_words(&words, values, record, pairs[i].value))
            wpg_push_sets_count(sets, words, values, pairs[i].count, 0);
        else
            sets->others = wpg_add_saturating(sets->others, pairs[i].count);
    }
    free(pairs);
    wpg_push_sets_sort(sets);
    return true;
}
