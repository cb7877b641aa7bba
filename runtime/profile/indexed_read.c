/* Reads indexed profiles. The layout is in profile_format.inc.
 *
 * The payload of the hash table lies in one piece. The reader walks the payload from front to back, as LLVM's
 * own iterator does, and trusts no bucket offset. */
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/profile_format.h"

/* Header and summary; *r stands at the payload afterwards. */
static wpg_status read_header(wpg_indexed_header *header, unsigned *version, wpg_reader *r, wpg_error *err)
{
    (void)wpg_read_u64(r);
    uint64_t field = wpg_read_u64(r), number = field & WPG_PROFILE_VERSION_MASK;
    if (r->overrun)
        return wpg_fail(err, WPG_E_FORMAT, "indexed profile: truncated header");
    if (number < WPG_INDEXED_FIRST_VERSION || number > WPG_INDEXED_LAST_VERSION)
        return wpg_fail(err, WPG_E_VERSION, "indexed profile version %llu (4 to 13 are read)",
                        (unsigned long long)number);
    const char *refusal = wpg_profile_refusal(field, false);
    if (refusal)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "indexed profile: %s", refusal);
    *version = (unsigned)number;
    wpg_read_seek(r, 0);
    wpg_indexed_header_read(header, r, *version);
    uint64_t fields = wpg_read_u64(r), cutoffs = wpg_read_u64(r), words;
    if (r->overrun)
        return wpg_fail(err, WPG_E_FORMAT, "indexed profile: truncated header");
    if (header->hash_type != 0)
        return wpg_fail(err, WPG_E_VERSION, "indexed profile: names hashed by method %llu (0, MD5, is read)",
                        (unsigned long long)header->hash_type);
    if (__builtin_mul_overflow(cutoffs, UINT64_C(3), &words) ||
        __builtin_add_overflow(words, fields, &words) || words > (r->size - r->at) / 8)
        return wpg_fail(err, WPG_E_FORMAT, "indexed profile: truncated summary");
    (void)wpg_read_bytes(r, (size_t)words * 8); /* the summary is made anew from the counters */
    return WPG_OK;
}

/* Items in the table of buckets at `offset`, which must lie behind the payload's begin and inside the file.
 */
static wpg_status read_table(uint64_t *items, const wpg_reader *payload, uint64_t offset, wpg_error *err)
{
    wpg_reader r = *payload;
    if (offset < payload->at || offset > payload->size)
        return wpg_fail(err, WPG_E_FORMAT,
                        "indexed profile: its hash table is outside the file (truncated?)");
    wpg_read_seek(&r, (size_t)offset);
    uint64_t buckets = wpg_read_u64(&r);
    *items = wpg_read_u64(&r);
    if (r.overrun || buckets > (r.size - r.at) / 8)
        return wpg_fail(err, WPG_E_FORMAT, "indexed profile: its hash table is truncated");
    if (buckets == 0 || (buckets & (buckets - 1)))
        return wpg_fail(err, WPG_E_FORMAT, "indexed profile: a hash table of %llu buckets",
                        (unsigned long long)buckets);
    return WPG_OK;
}

/* One function of a name: hash, counters, bitmap, values. */
static wpg_status read_function(wpg_profile *profile, wpg_profile_stats *stats, const char *name,
                                wpg_reader *r, unsigned version, wpg_error *err)
{
    uint64_t hash = wpg_read_u64(r), count = wpg_read_u64(r);
    if (r->overrun || count > (r->size - r->at) / 8)
        return wpg_fail(err, WPG_E_FORMAT, "indexed profile: the counters of %.80s are truncated", name);
    bool taken = false;
    if (count) {
        uint64_t *counters = malloc((size_t)count * sizeof *counters);
        if (!counters)
            return wpg_fail(err, WPG_E_NOMEM, "no memory for counters");
        for (size_t i = 0; i < count; i++)
            counters[i] = wpg_read_u64(r);
        wpg_status status =
            wpg_profile_take_record(profile, stats, &taken, name, hash, counters, (size_t)count, err);
        free(counters);
        WPG_TRY(status);
    } else {
        stats->ignored++;
    }
    if (version >= WPG_INDEXED_BITMAP_VERSION) {
        uint64_t bitmap = wpg_read_u64(r);
        if (r->overrun || bitmap > (r->size - r->at) / 8 || !wpg_read_bytes(r, (size_t)bitmap * 8))
            return wpg_fail(err, WPG_E_FORMAT, "indexed profile: the bitmap of %.80s is truncated", name);
    }
    return wpg_value_data_read(taken ? profile : NULL, name, hash, r, err);
}

static wpg_status read_item(wpg_profile *profile, wpg_profile_stats *stats, wpg_reader *r, unsigned version,
                            wpg_error *err)
{
    uint64_t ref = wpg_read_u64(r), name_size = wpg_read_u64(r), data_size = wpg_read_u64(r);
    const uint8_t *bytes = name_size <= r->size - r->at ? wpg_read_bytes(r, (size_t)name_size) : NULL;
    const uint8_t *data = bytes && data_size <= r->size - r->at ? wpg_read_bytes(r, (size_t)data_size) : NULL;
    if (!data)
        return wpg_fail(err, WPG_E_FORMAT, "indexed profile: an item passes the end of the hash table");
    if (wpg_profile_name_ref((const char *)bytes, (size_t)name_size) != ref)
        return wpg_fail(err, WPG_E_FORMAT, "indexed profile: a name disagrees with its hash");
    char *name = malloc((size_t)name_size + 1);
    if (!name)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a name");
    memcpy(name, bytes, (size_t)name_size);
    name[name_size] = '\0';
    if (memchr(name, 0, (size_t)name_size))
        name[0] = '\0'; /* no name at all: ignored below */
    wpg_reader part = wpg_reader_over(data, (size_t)data_size);
    wpg_status status = WPG_OK;
    while (status == WPG_OK && part.at < part.size)
        status = read_function(profile, stats, name, &part, version, err);
    free(name);
    return status;
}

wpg_status wpg_indexed_read(wpg_profile *profile, wpg_profile_stats *stats, const uint8_t *data, size_t size,
                            wpg_error *err)
{
    wpg_reader r = wpg_reader_over(data, size);
    wpg_indexed_header header;
    unsigned version = 0;
    uint64_t items = 0;
    WPG_TRY(read_header(&header, &version, &r, err));
    WPG_TRY(read_table(&items, &r, header.hash_offset, err));
    r.size = (size_t)header.hash_offset;
    while (items) {
        unsigned low = wpg_read_u8(&r), in_bucket = low | (unsigned)wpg_read_u8(&r) << 8;
        if (r.overrun || in_bucket > items || in_bucket == 0)
            return wpg_fail(err, WPG_E_FORMAT, "indexed profile: bad bucket before %zu", r.at);
        items -= in_bucket;
        for (; in_bucket; in_bucket--)
            WPG_TRY(read_item(profile, stats, &r, version, err));
    }
    return WPG_OK;
}
