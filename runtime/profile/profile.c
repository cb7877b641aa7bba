#include "runtime/profile/profile.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/arena.h"
#include "runtime/base/arithmetic.h"
#include "runtime/base/hash.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"
#include "runtime/profile/profile_format.h"

/* Records, names and counters lie in the arena (their sizes never change); value sites are on the heap. */
typedef struct entry {
    wpg_profile_record record; /* first, so that a record's address is its entry's */
    struct entry *same_key;    /* next in the chain of equal 64-bit keys */
} entry;

struct wpg_profile {
    wpg_arena arena;
    wpg_map by_key; /* key_of(name, hash) -> entry */
    WPG_VEC(entry *) entries;
    bool in_order; /* entries are sorted */
};

wpg_profile *wpg_profile_create(void)
{
    wpg_profile *profile = calloc(1, sizeof *profile);
    if (profile) {
        wpg_arena_init(&profile->arena);
        profile->in_order = true;
    }
    return profile;
}

void wpg_profile_destroy(wpg_profile *profile)
{
    if (!profile)
        return;
    entry **e;
    WPG_VEC_EACH (e, &profile->entries) {
        for (size_t i = 0; i < (*e)->record.site_count; i++)
            free((*e)->record.sites[i].pairs);
        free((*e)->record.sites);
    }
    wpg_vec_free(&profile->entries);
    wpg_map_free(&profile->by_key);
    wpg_arena_finish(&profile->arena);
    free(profile);
}

bool wpg_profile_name_is_valid(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length > WPG_PROFILE_MAX_NAME || name[0] == '#' || name[0] == ':' || name[0] == ' ' ||
        name[length - 1] == ' ')
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
            return false;
    return true;
}

static uint64_t key_of(const char *name, uint64_t func_hash)
{
    return wpg_hash64_bytes(name, strlen(name)) + func_hash * UINT64_C(0x9e3779b97f4a7c15);
}

static entry *find(const wpg_profile *profile, const char *name, uint64_t func_hash)
{
    uint64_t value;
    if (!wpg_map_get(&profile->by_key, key_of(name, func_hash), &value))
        return NULL;
    for (entry *e = (entry *)(uintptr_t)value; e; e = e->same_key)
        if (e->record.func_hash == func_hash && strcmp(e->record.name, name) == 0)
            return e;
    return NULL;
}

static int compare_key(const wpg_profile_record *record, const char *name, uint64_t func_hash)
{
    int order = strcmp(record->name, name); /* compares as unsigned bytes */
    if (order)
        return order;
    return record->func_hash < func_hash ? -1 : record->func_hash > func_hash;
}

static entry *insert(wpg_profile *profile, const char *name, uint64_t func_hash, size_t count)
{
    entry *e = WPG_ARENA_NEW(&profile->arena, entry);
    char *copy = wpg_arena_strdup(&profile->arena, name);
    uint64_t *counters = WPG_ARENA_ARRAY(&profile->arena, uint64_t, count);
    if (!e || !copy || !counters || !wpg_vec_reserve(&profile->entries, 1))
        return NULL;
    e->record = (wpg_profile_record){
        .name = copy, .func_hash = func_hash, .counters = counters, .counter_count = count};
    uint64_t key = key_of(name, func_hash), chain = 0;
    (void)wpg_map_get(&profile->by_key, key, &chain);
    e->same_key = (entry *)(uintptr_t)chain;
    if (!wpg_map_set(&profile->by_key, key, (uintptr_t)e))
        return NULL;
    if (profile->entries.count) {
        const entry *last = profile->entries.data[profile->entries.count - 1];
        profile->in_order = profile->in_order && compare_key(&last->record, name, func_hash) < 0;
    }
    (void)wpg_vec_push(&profile->entries, e);
    return e;
}

wpg_status wpg_profile_add(wpg_profile *profile, const char *name, uint64_t func_hash,
                           const uint64_t *counters, size_t count, uint64_t weight, wpg_error *err)
{
    if (!wpg_profile_name_is_valid(name))
        return wpg_fail(err, WPG_E_ARGUMENT, "'%.80s' cannot be a profile record's name", name);
    if (func_hash & ~WPG_PROFILE_HASH_MASK)
        return wpg_fail(err, WPG_E_ARGUMENT, "%.80s: bits 60-63 of the function hash are reserved", name);
    if (count == 0 || weight == 0)
        return wpg_fail(err, WPG_E_ARGUMENT, "%.80s: a record without counters, or with weight 0", name);
    if (count > WPG_PROFILE_MAX_COUNTERS)
        return wpg_fail(err, WPG_E_LIMIT, "%.80s: %zu counters in one record", name, count);
    entry *e = find(profile, name, func_hash);
    if (e && e->record.counter_count != count)
        return wpg_fail(err, WPG_E_MISMATCH, "%.80s has %zu counters, not %zu", name, e->record.counter_count,
                        count);
    if (!e && !(e = insert(profile, name, func_hash, count)))
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a profile record");
    for (size_t i = 0; i < count; i++)
        e->record.counters[i] =
            wpg_add_saturating(e->record.counters[i], wpg_multiply_saturating(counters[i], weight));
    return WPG_OK;
}

/* Value sites */

static wpg_status grow_sites(wpg_profile_record *record, size_t count, wpg_error *err)
{
    if (count <= record->site_count)
        return WPG_OK;
    if (count > WPG_PROFILE_MAX_SITES)
        return wpg_fail(err, WPG_E_LIMIT, "%.80s: more than %d value sites", record->name,
                        WPG_PROFILE_MAX_SITES);
    wpg_profile_site *sites = realloc(record->sites, count * sizeof *sites);
    if (!sites)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for value sites");
    memset(sites + record->site_count, 0, (count - record->site_count) * sizeof *sites);
    record->sites = sites;
    record->site_count = count;
    return WPG_OK;
}

static wpg_status find_record(wpg_profile_record **record, const wpg_profile *profile, const char *name,
                              uint64_t func_hash, wpg_error *err)
{
    entry *e = find(profile, name, func_hash);
    if (!e)
        return wpg_fail(err, WPG_E_NOT_FOUND, "no record %.80s with that hash", name);
    *record = &e->record;
    return WPG_OK;
}

wpg_status wpg_profile_reserve_sites(wpg_profile *profile, const char *name, uint64_t func_hash, size_t count,
                                     wpg_error *err)
{
    wpg_profile_record *record = NULL;
    WPG_TRY(find_record(&record, profile, name, func_hash, err));
    return grow_sites(record, count, err);
}

wpg_status wpg_profile_add_value(wpg_profile *profile, const char *name, uint64_t func_hash, size_t site,
                                 uint64_t value, uint64_t count, wpg_error *err)
{
    wpg_profile_record *record = NULL;
    WPG_TRY(find_record(&record, profile, name, func_hash, err));
    WPG_TRY(grow_sites(record, site < WPG_PROFILE_MAX_SITES ? site + 1 : SIZE_MAX, err));
    wpg_profile_site *s = &record->sites[site];
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->pairs[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < s->count && s->pairs[low].value == value) {
        s->pairs[low].count = wpg_add_saturating(s->pairs[low].count, count);
        return WPG_OK;
    }
    if (!wpg_vec_grow_((void **)&s->pairs, &s->capacity, s->count, 1, sizeof *s->pairs))
        return wpg_fail(err, WPG_E_NOMEM, "no memory for values");
    memmove(s->pairs + low + 1, s->pairs + low, (s->count - low) * sizeof *s->pairs);
    s->pairs[low] = (wpg_profile_value){value, count};
    s->count++;
    return WPG_OK;
}

/* Adds pairs sorted by value, each value once. */
static wpg_status merge_site(wpg_profile_site *site, const wpg_profile_value *pairs, size_t count,
                             uint64_t weight, wpg_error *err)
{
    if (!count)
        return WPG_OK;
    if (count > SIZE_MAX / sizeof *pairs - site->count)
        return wpg_fail(err, WPG_E_LIMIT, "too many values at one site");
    wpg_profile_value *merged = malloc((site->count + count) * sizeof *merged);
    if (!merged)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for values");
    size_t a = 0, b = 0, n = 0;
    while (a < site->count || b < count) {
        bool from_a = b == count || (a < site->count && site->pairs[a].value <= pairs[b].value);
        bool from_b = a == site->count || (b < count && pairs[b].value <= site->pairs[a].value);
        wpg_profile_value pair = {from_a ? site->pairs[a].value : pairs[b].value, 0};
        if (from_a)
            pair.count = site->pairs[a++].count;
        if (from_b)
            pair.count = wpg_add_saturating(pair.count, wpg_multiply_saturating(pairs[b++].count, weight));
        merged[n++] = pair;
    }
    size_t capacity = site->count + count;
    free(site->pairs);
    *site = (wpg_profile_site){merged, n, capacity};
    return WPG_OK;
}

static int compare_values(const void *a, const void *b)
{
    uint64_t left = ((const wpg_profile_value *)a)->value, right = ((const wpg_profile_value *)b)->value;
    return left < right ? -1 : left > right;
}

wpg_status wpg_profile_add_pairs(wpg_profile *profile, const char *name, uint64_t func_hash, size_t site,
                                 wpg_profile_value *pairs, size_t count, wpg_error *err)
{
    wpg_profile_record *record = NULL;
    WPG_TRY(find_record(&record, profile, name, func_hash, err));
    WPG_TRY(grow_sites(record, site < WPG_PROFILE_MAX_SITES ? site + 1 : SIZE_MAX, err));
    if (!count)
        return WPG_OK;
    qsort(pairs, count, sizeof *pairs, compare_values);
    size_t n = 0;
    for (size_t i = 1; i < count; i++) {
        if (pairs[i].value == pairs[n].value)
            pairs[n].count = wpg_add_saturating(pairs[n].count, pairs[i].count);
        else
            pairs[++n] = pairs[i];
    }
    return merge_site(&record->sites[site], pairs, n + 1, 1, err);
}

/* Look-up and order */

const wpg_profile_record *wpg_profile_find(const wpg_profile *profile, const char *name, uint64_t func_hash)
{
    const entry *e = find(profile, name, func_hash);
    return e ? &e->record : NULL;
}

static int compare_entries(const void *a, const void *b)
{
    const entry *left = *(entry *const *)a, *right = *(entry *const *)b;
    return compare_key(&left->record, right->record.name, right->record.func_hash);
}

static void sort(wpg_profile *profile)
{
    qsort(profile->entries.data, profile->entries.count, sizeof *profile->entries.data, compare_entries);
    profile->in_order = true;
}

size_t wpg_profile_bytes(const wpg_profile *profile)
{
    return profile->arena.bytes + profile->by_key.capacity * sizeof *profile->by_key.slots +
           profile->entries.capacity * sizeof *profile->entries.data;
}

size_t wpg_profile_count(const wpg_profile *profile)
{
    return profile->entries.count;
}

const wpg_profile_record *wpg_profile_at(const wpg_profile *profile, size_t i)
{
    if (i >= profile->entries.count)
        return NULL;
    if (!profile->in_order)
        sort((wpg_profile *)profile); /* the order is no part of what the profile holds */
    return &profile->entries.data[i]->record;
}

/* Merging */

/* The record starts anew, with another number of counters. What it had stays in the arena: a record only
 * ever grows. */
static wpg_status widen(wpg_profile *profile, entry *e, size_t count, wpg_error *err)
{
    uint64_t *counters = WPG_ARENA_ARRAY(&profile->arena, uint64_t, count);
    if (!counters)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a profile record");
    for (size_t i = 0; i < e->record.site_count; i++)
        free(e->record.sites[i].pairs);
    free(e->record.sites);
    e->record.sites = NULL;
    e->record.site_count = 0;
    e->record.counters = counters;
    e->record.counter_count = count;
    return WPG_OK;
}

/* Adds a record. Of two with another number of counters the one with more stays, whichever came first: so
 * the order of a merge makes no difference. *taken: it was added, and its values may be. */
static wpg_status add_widest(wpg_profile *profile, wpg_profile_stats *stats, bool *taken, const char *name,
                             uint64_t func_hash, const uint64_t *counters, size_t count, uint64_t weight,
                             wpg_error *err)
{
    size_t before = wpg_profile_count(profile);
    wpg_error detail;
    wpg_status status = wpg_profile_add(profile, name, func_hash, counters, count, weight, &detail);
    if (status == WPG_E_MISMATCH) {
        entry *e = find(profile, name, func_hash);
        stats->mismatched++;
        *taken = e->record.counter_count < count;
        if (!*taken)
            return WPG_OK;
        WPG_TRY(widen(profile, e, count, err));
        return wpg_profile_add(profile, name, func_hash, counters, count, weight, err);
    }
    if (status != WPG_OK)
        return wpg_fail(err, status, "%s", detail.message);
    if (wpg_profile_count(profile) > before)
        stats->added++;
    else
        stats->merged++;
    *taken = true;
    return WPG_OK;
}

wpg_status wpg_profile_merge(wpg_profile *into, const wpg_profile *from, uint64_t weight,
                             wpg_profile_stats *stats, wpg_error *err)
{
    wpg_profile_stats own = {0};
    if (!stats)
        stats = &own;
    if (into == from || weight == 0)
        return wpg_fail(err, WPG_E_ARGUMENT, "a profile merged into itself, or with weight 0");
    for (size_t i = 0; i < wpg_profile_count(from); i++) {
        const wpg_profile_record *record = wpg_profile_at(from, i);
        bool taken;
        WPG_TRY(add_widest(into, stats, &taken, record->name, record->func_hash, record->counters,
                           record->counter_count, weight, err));
        if (!taken || !record->site_count)
            continue;
        wpg_profile_record *mine = &find(into, record->name, record->func_hash)->record;
        WPG_TRY(grow_sites(mine, record->site_count, err));
        for (size_t s = 0; s < record->site_count; s++)
            WPG_TRY(merge_site(&mine->sites[s], record->sites[s].pairs, record->sites[s].count, weight, err));
    }
    return WPG_OK; /* in order again when it is next read: many files are merged before that */
}

wpg_status wpg_profile_take_record(wpg_profile *profile, wpg_profile_stats *stats, bool *taken,
                                   const char *name, uint64_t func_hash, const uint64_t *counters,
                                   size_t count, wpg_error *err)
{
    *taken = false;
    if (!wpg_profile_name_is_valid(name) || (func_hash & ~WPG_PROFILE_HASH_MASK)) {
        stats->ignored++;
        return WPG_OK;
    }
    return add_widest(profile, stats, taken, name, func_hash, counters, count, 1, err);
}
