/* Writes indexed profiles of version 7. The layout is in profile_format.inc.
 *
 * Version 7 is the newest that llvm-profdata 14 reads, and all later ones read it. The summary is computed as
 * LLVM's InstrProfSummaryBuilder does. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/log.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"
#include "runtime/profile/profile_format.h"

/* LLVM's ProfileSummaryBuilder::DefaultCutoffs, parts per million of the total count. */
static const uint32_t cutoffs[] = {10000,  100000, 200000, 300000, 400000, 500000, 600000, 700000,
                                   800000, 900000, 950000, 990000, 999000, 999900, 999990, 999999};
enum { CUTOFFS = sizeof cutoffs / sizeof cutoffs[0] };

/* Functions of one name, records [first, first + count) of the profile. */
typedef struct item {
    uint64_t ref;
    size_t first, count;
} item;
typedef WPG_VEC(item) item_list;

static int descending(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left > right ? -1 : left < right;
}

static uint64_t max_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* `counts` sorted from the greatest. Per cutoff: how many counts, and the least of them, make up that share.
 */
static void write_cutoffs(wpg_writer *w, const uint64_t *counts, size_t count, uint64_t total)
{
    size_t seen = 0;
    uint64_t sum = 0, least = 0;
    for (size_t i = 0; i < CUTOFFS; i++) {
        /* total * cutoff / 1000000 without overflow */
        uint64_t wanted = total / 1000000 * cutoffs[i] + total % 1000000 * cutoffs[i] / 1000000;
        while (seen < count && sum < wanted) {
            least = counts[seen];
            while (seen < count && counts[seen] == least) { /* equal counts come and go together */
                sum += least;
                seen++;
            }
        }
        wpg_write_u64(w, cutoffs[i]);
        wpg_write_u64(w, least);
        wpg_write_u64(w, seen);
    }
}

static wpg_status write_summary(wpg_writer *w, const wpg_profile *profile, wpg_error *err)
{
    wpg_indexed_summary summary = {.functions = wpg_profile_count(profile)};
    WPG_VEC(uint64_t) counts = {0};
    for (size_t i = 0; i < summary.functions; i++) {
        const wpg_profile_record *record = wpg_profile_at(profile, i);
        if (!wpg_vec_reserve(&counts, record->counter_count)) {
            wpg_vec_free(&counts);
            return wpg_fail(err, WPG_E_NOMEM, "no memory for a profile's summary");
        }
        for (size_t c = 0; c < record->counter_count; c++) {
            uint64_t count = wpg_clamp_counter(record->counters[c]);
            uint64_t *most = c == 0 ? &summary.max_function_count : &summary.max_internal_count;
            *most = max_of(*most, count);
            summary.max_count = max_of(summary.max_count, count);
            if (__builtin_add_overflow(summary.total, count, &summary.total))
                summary.total = UINT64_MAX;
            counts.data[counts.count++] = count;
        }
    }
    summary.counts = counts.count;
    if (counts.count)
        qsort(counts.data, counts.count, sizeof *counts.data, descending);
    size_t fields_at = w->size, fields = 0;
    wpg_write_u64(w, 0);
    wpg_write_u64(w, CUTOFFS);
#define WPG_INDEXED_SUMMARY_FIELD(name)                                                                      \
    wpg_write_u64(w, summary.name);                                                                          \
    fields++;
#include "runtime/profile/profile_format.inc"
    wpg_write_u64_at(w, fields_at, fields);
    write_cutoffs(w, counts.data, counts.count, summary.total);
    wpg_vec_free(&counts);
    return WPG_OK;
}

static wpg_status collect_items(item_list *items, const wpg_profile *profile, wpg_error *err)
{
    wpg_map refs = {0};
    wpg_status status = WPG_OK;
    for (size_t i = 0; i < wpg_profile_count(profile) && status == WPG_OK; i++) {
        const char *name = wpg_profile_at(profile, i)->name;
        if (i && strcmp(wpg_profile_at(profile, i - 1)->name, name) == 0) {
            items->data[items->count - 1].count++;
            continue;
        }
        uint64_t ref = wpg_profile_name_ref(name, strlen(name));
        if (wpg_map_get(&refs, ref, NULL))
            status = wpg_fail(err, WPG_E_LIMIT, "%.80s: another name has the same MD5 half", name);
        else if (!wpg_map_set(&refs, ref, i) || !wpg_vec_push(items, (item){ref, i, 1}))
            status = wpg_fail(err, WPG_E_NOMEM, "no memory for a profile's hash table");
    }
    wpg_map_free(&refs);
    return status;
}

static void write_item(wpg_writer *w, const wpg_profile *profile, const item *it, bool *truncated)
{
    const char *name = wpg_profile_at(profile, it->first)->name;
    wpg_write_u64(w, it->ref);
    wpg_write_u64(w, strlen(name));
    size_t size_at = w->size;
    wpg_write_u64(w, 0);
    wpg_write_bytes(w, name, strlen(name));
    size_t start = w->size;
    for (size_t i = it->first; i < it->first + it->count; i++) {
        const wpg_profile_record *record = wpg_profile_at(profile, i);
        wpg_write_u64(w, record->func_hash);
        wpg_write_u64(w, record->counter_count);
        for (size_t c = 0; c < record->counter_count; c++)
            wpg_write_u64(w, wpg_clamp_counter(record->counters[c]));
        wpg_value_data_write(w, record, truncated);
    }
    wpg_write_u64_at(w, size_at, w->size - start);
}

/* As many buckets as LLVM's OnDiskChainedHashTableGenerator: a power of two, at most three quarters full. */
static size_t bucket_count(size_t items)
{
    size_t buckets = 1;
    while (items > 2 && buckets < items * 4 / 3)
        buckets *= 2;
    return buckets;
}

/* Payload bucket by bucket, items of a bucket by name, then the table; *table_at is where that begins. */
static wpg_status write_hash_table(wpg_writer *w, size_t *table_at, const wpg_profile *profile,
                                   const item_list *items, wpg_error *err)
{
    size_t buckets = bucket_count(items->count);
    size_t *heads = malloc(buckets * sizeof *heads), *next = malloc((items->count + 1) * sizeof *next);
    uint64_t *offsets = calloc(buckets, sizeof *offsets);
    wpg_status status = WPG_OK;
    bool truncated = false;
    if (!heads || !next || !offsets) {
        status = wpg_fail(err, WPG_E_NOMEM, "no memory for a profile's hash table");
        goto done;
    }
    memset(heads, 0xff, buckets * sizeof *heads); /* SIZE_MAX: end of chain */
    for (size_t i = items->count; i-- > 0;) {
        size_t bucket = (size_t)(items->data[i].ref & (buckets - 1));
        next[i] = heads[bucket];
        heads[bucket] = i;
    }
    for (size_t bucket = 0; bucket < buckets; bucket++) {
        size_t length = 0;
        for (size_t i = heads[bucket]; i != SIZE_MAX; i = next[i])
            length++;
        if (!length)
            continue;
        if (length > UINT16_MAX) {
            status = wpg_fail(err, WPG_E_LIMIT, "too many names share a bucket of the hash table");
            goto done;
        }
        offsets[bucket] = w->size;
        wpg_write_u8(w, (uint8_t)length);
        wpg_write_u8(w, (uint8_t)(length >> 8));
        for (size_t i = heads[bucket]; i != SIZE_MAX; i = next[i])
            write_item(w, profile, &items->data[i], &truncated);
    }
    wpg_write_align(w, 8);
    *table_at = w->size;
    wpg_write_u64(w, buckets);
    wpg_write_u64(w, items->count);
    for (size_t bucket = 0; bucket < buckets; bucket++)
        wpg_write_u64(w, offsets[bucket]);
    if (truncated)
        wpg_log_warn("a value site has more values than a profile file can hold: the most frequent are kept");
done:
    free(heads);
    free(next);
    free(offsets);
    return status;
}

wpg_status wpg_indexed_write(wpg_writer *w, const wpg_profile *profile, wpg_error *err)
{
    wpg_indexed_header header = {.magic = WPG_INDEXED_MAGIC,
                                 .version = WPG_INDEXED_WRITTEN_VERSION | WPG_PROFILE_IR_FLAG};
    item_list items = {0};
    size_t table_at = 0;
    wpg_indexed_header_write(w, &header, WPG_INDEXED_WRITTEN_VERSION);
    size_t hash_offset_at = w->size - 8; /* the last field of that version */
    wpg_status status = write_summary(w, profile, err);
    if (status == WPG_OK)
        status = collect_items(&items, profile, err);
    if (status == WPG_OK)
        status = write_hash_table(w, &table_at, profile, &items, err);
    wpg_vec_free(&items);
    wpg_write_u64_at(w, hash_offset_at, table_at);
    if (status == WPG_OK && w->out_of_memory)
        status = wpg_fail(err, WPG_E_NOMEM, "no memory for an indexed profile");
    return status;
}
