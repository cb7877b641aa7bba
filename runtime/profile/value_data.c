/* LLVM's ValueProfData: the value sites of one record in raw and indexed files.
 *
 *     u32 total size (a multiple of 8, this header included) | u32 kinds
 *     per kind: u32 kind | u32 sites | u8 values[sites] | pad to 8 | { u64 value, u64 count } of all sites
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/profile_format.h"

/* The MemOPSize sites; `r` is limited to this ValueProfData and stands behind the site count. */
static wpg_status read_kind(wpg_profile *profile, const char *name, uint64_t func_hash, uint32_t kind,
                            wpg_reader *r, wpg_error *err)
{
    uint32_t sites = wpg_read_u32(r);
    const uint8_t *counts = wpg_read_bytes(r, sites);
    (void)wpg_read_bytes(r, (8 - (sites & 7)) & 7);
    if (r->overrun)
        return wpg_fail(err, WPG_E_FORMAT, "%.80s: value data is truncated (%u sites)", name, sites);
    if (profile && kind == WPG_VALUE_KIND_MEMOP && sites)
        WPG_TRY(wpg_profile_reserve_sites(profile, name, func_hash, sites, err));
    for (uint32_t site = 0; site < sites; site++) {
        wpg_profile_value pairs[WPG_VALUES_PER_SITE];
        for (size_t i = 0; i < counts[site]; i++) {
            pairs[i].value = wpg_read_u64(r);
            pairs[i].count = wpg_read_u64(r);
        }
        if (r->overrun)
            return wpg_fail(err, WPG_E_FORMAT, "%.80s: value data is truncated (site %u)", name, site);
        if (profile && kind == WPG_VALUE_KIND_MEMOP && counts[site])
            WPG_TRY(wpg_profile_add_pairs(profile, name, func_hash, site, pairs, counts[site], err));
    }
    return WPG_OK;
}

wpg_status wpg_value_data_read(wpg_profile *profile, const char *name, uint64_t func_hash, wpg_reader *r,
                               wpg_error *err)
{
    size_t start = r->at;
    uint32_t total = wpg_read_u32(r), kinds = wpg_read_u32(r);
    if (r->overrun || total < 8 || total % 8 || total > r->size - start)
        return wpg_fail(err, WPG_E_FORMAT, "%.80s: value data at %zu is truncated or has a bad size", name,
                        start);
    if (kinds > WPG_VALUE_KINDS)
        return wpg_fail(err, WPG_E_FORMAT, "%.80s: value data of %u kinds", name, kinds);
    wpg_reader part = wpg_reader_over(r->data + start, total);
    wpg_read_seek(&part, 8);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < kinds; i++) {
        uint32_t kind = wpg_read_u32(&part);
        if (kind >= WPG_VALUE_KINDS || (seen >> kind & 1))
            return wpg_fail(err, WPG_E_FORMAT, "%.80s: value kind %u", name, kind);
        seen |= 1u << kind;
        WPG_TRY(read_kind(profile, name, func_hash, kind, &part, err));
    }
    wpg_read_seek(r, start + total);
    return WPG_OK;
}

static int by_count(const void *a, const void *b)
{
    const wpg_profile_value *left = a, *right = b;
    uint64_t x = wpg_clamp_counter(left->count),
             y = wpg_clamp_counter(right->count); /* as they are written */
    if (x != y)
        return x > y ? -1 : 1;
    return left->value < right->value ? -1 : left->value > right->value;
}

wpg_profile_value *wpg_site_by_count(const wpg_profile_site *site)
{
    wpg_profile_value *pairs = malloc((site->count + 1) * sizeof *pairs);
    if (pairs && site->count) {
        memcpy(pairs, site->pairs, site->count * sizeof *pairs);
        qsort(pairs, site->count, sizeof *pairs, by_count);
    }
    return pairs;
}

static size_t written_values(const wpg_profile_site *site)
{
    return site->count < WPG_VALUES_PER_SITE ? site->count : WPG_VALUES_PER_SITE;
}

static void write_site(wpg_writer *w, const wpg_profile_site *site, bool *truncated)
{
    wpg_profile_value *pairs = wpg_site_by_count(site);
    if (!pairs) {
        w->out_of_memory = true;
        return;
    }
    *truncated = *truncated || site->count > WPG_VALUES_PER_SITE;
    for (size_t i = 0; i < written_values(site); i++) {
        wpg_write_u64(w, pairs[i].value);
        wpg_write_u64(w, wpg_clamp_counter(pairs[i].count));
    }
    free(pairs);
}

void wpg_value_data_write(wpg_writer *w, const wpg_profile_record *record, bool *truncated)
{
    size_t values = 0, sites = record->site_count;
    for (size_t i = 0; i < sites; i++)
        values += written_values(&record->sites[i]);
    size_t total = 8;
    if (sites)
        total += 8 + ((sites + 7) & ~(size_t)7) + values * 16; /* at most 65535 * 255 pairs: below 2^32 */
    wpg_write_u32(w, (uint32_t)total);
    wpg_write_u32(w, sites ? 1 : 0);
    if (!sites)
        return;
    wpg_write_u32(w, WPG_VALUE_KIND_MEMOP);
    wpg_write_u32(w, (uint32_t)sites);
    for (size_t i = 0; i < sites; i++)
        wpg_write_u8(w, (uint8_t)written_values(&record->sites[i]));
    for (size_t i = sites; i % 8; i++)
        wpg_write_u8(w, 0);
    for (size_t i = 0; i < sites; i++)
        write_site(w, &record->sites[i], truncated);
}
