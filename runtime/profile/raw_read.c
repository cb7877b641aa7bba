/* Reads raw profiles. The layout is in profile_format.inc.
 *
 *     header --checked against the file's size--> section boundaries --> record by record */
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/names.h"
#include "runtime/profile/profile_format.h"

/* Records may share counters (LLVM's linkers fold functions), but not without end: the sum over records is
 * limited, so that a small file cannot ask for endless work. */
enum { MOST_SHARING = 16 };

typedef struct section {
    uint64_t at, size;
} section;

typedef struct raw_file {
    const uint8_t *data;
    size_t size;
    unsigned version;
    wpg_raw_header header;
    section records, counters, names;
    uint64_t values_at;
    uint64_t counters_left; /* of MOST_SHARING times the counters */
} raw_file;

/* Takes the next `count` times `unit` bytes at *at, padded to 8 if asked for; false if they pass the end. */
static bool take_section(section *out, uint64_t *at, uint64_t limit, uint64_t count, uint64_t unit,
                         uint64_t padding)
{
    uint64_t size;
    if (__builtin_mul_overflow(count, unit, &size) || size > limit - *at)
        return false;
    *out = (section){*at, size};
    *at += size;
    if (padding > limit - *at)
        return false;
    *at += padding;
    return true;
}

static uint64_t padding_of(uint64_t size)
{
    return (8 - (size & 7)) & 7;
}

static wpg_status read_header(raw_file *file, uint64_t start, wpg_error *err)
{
    wpg_reader r = wpg_reader_over(file->data, file->size);
    wpg_read_seek(&r, (size_t)start);
    uint64_t magic = wpg_read_u64(&r), version = wpg_read_u64(&r);
    if (r.overrun)
        return wpg_fail(err, WPG_E_FORMAT, "raw profile: %llu bytes are too few for a header",
                        (unsigned long long)(file->size - start));
    if (magic == WPG_RAW_MAGIC_32)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "raw profile of a 32-bit program");
    if (magic == __builtin_bswap64(WPG_RAW_MAGIC_64) || magic == __builtin_bswap64(WPG_RAW_MAGIC_32))
        return wpg_fail(err, WPG_E_VERSION, "raw profile of a big-endian machine");
    if (magic != WPG_RAW_MAGIC_64)
        return wpg_fail(err, WPG_E_FORMAT, "no raw profile at offset %llu", (unsigned long long)start);
    uint64_t number = version & WPG_PROFILE_VERSION_MASK;
    if (number < WPG_RAW_FIRST_VERSION || number > WPG_RAW_LAST_VERSION)
        return wpg_fail(err, WPG_E_VERSION, "raw profile version %llu (8 to 11 are read)",
                        (unsigned long long)number);
    const char *refusal = wpg_profile_refusal(version, true);
    if (refusal)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "raw profile: %s", refusal);
    file->version = (unsigned)number;
    wpg_read_seek(&r, (size_t)start);
    wpg_raw_header_read(&file->header, &r, file->version);
    if (r.overrun)
        return wpg_fail(err, WPG_E_FORMAT, "raw profile: truncated header");
    return WPG_OK;
}

/* Where each section is; the order is the file's. */
static wpg_status place_sections(raw_file *file, uint64_t start, wpg_error *err)
{
    const wpg_raw_header *h = &file->header;
    uint64_t at = start + wpg_raw_header_size(file->version), limit = file->size;
    section skipped;
    const char *what = "binary ids";
    if (h->binary_ids_size % 8 || !take_section(&skipped, &at, limit, h->binary_ids_size, 1, 0))
        goto bad;
    what = "records";
    if (!take_section(&file->records, &at, limit, h->data_count, wpg_raw_data_size(file->version),
                      h->padding_before_counters))
        goto bad;
    what = "counters";
    if (!take_section(&file->counters, &at, limit, h->counter_count, 8, h->padding_after_counters))
        goto bad;
    what = "bitmaps";
    if (!take_section(&skipped, &at, limit, h->bitmap_size, 1, h->padding_after_bitmap))
        goto bad;
    what = "uniform counters";
    if (!take_section(&skipped, &at, limit, h->uniform_count, 8, h->padding_after_uniform))
        goto bad;
    what = "names";
    if (!take_section(&file->names, &at, limit, h->names_size, 1, padding_of(h->names_size)))
        goto bad;
    what = "vtables"; /* 24 bytes each: no padding */
    if (!take_section(&skipped, &at, limit, h->vtable_count, WPG_RAW_VTABLE_SIZE, 0))
        goto bad;
    what = "vtable names";
    if (!take_section(&skipped, &at, limit, h->vtable_names_size, 1, padding_of(h->vtable_names_size)))
        goto bad;
    file->values_at = at;
    file->counters_left = h->counter_count * MOST_SHARING;
    return WPG_OK;
bad:
    return wpg_fail(err, WPG_E_FORMAT, "raw profile: the %s pass the end of the file (truncated?)", what);
}

static wpg_status read_counters(uint64_t **counters, raw_file *file, const wpg_raw_data *data, size_t index,
                                const char *name, wpg_error *err)
{
    /* Both are relative, the pointer to this record and the delta to the first. */
    uint64_t delta = file->header.counters_delta - index * (uint64_t)wpg_raw_data_size(file->version);
    uint64_t offset = data->counter_ptr - delta;
    if (data->counter_count == 0)
        return wpg_fail(err, WPG_E_FORMAT, "%.80s: a record without counters", name);
    if (offset >= file->counters.size || data->counter_count > (file->counters.size - offset) / 8)
        return wpg_fail(err, WPG_E_FORMAT, "%.80s: counters outside the counter section", name);
    if (data->counter_count > file->counters_left)
        return wpg_fail(err, WPG_E_LIMIT, "%.80s: too many records share their counters", name);
    file->counters_left -= data->counter_count;
    *counters = malloc(data->counter_count * sizeof **counters);
    if (!*counters)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for counters");
    wpg_reader r = wpg_reader_over(file->data, file->size);
    wpg_read_seek(&r, (size_t)(file->counters.at + offset));
    for (size_t i = 0; i < data->counter_count; i++)
        (*counters)[i] = wpg_read_u64(&r);
    return WPG_OK;
}

static wpg_status read_record(wpg_profile *profile, wpg_profile_stats *stats, raw_file *file,
                              const wpg_raw_data *data, size_t index, const wpg_names *names,
                              wpg_reader *values, wpg_error *err)
{
    const char *name = wpg_names_find(names, data->name_ref);
    uint64_t *counters = NULL;
    bool taken;
    if (!name)
        return wpg_fail(err, WPG_E_FORMAT, "raw profile: the name of record %zu is not in the names section",
                        index);
    WPG_TRY(read_counters(&counters, file, data, index, name, err));
    wpg_status status = wpg_profile_take_record(profile, stats, &taken, name, data->func_hash, counters,
                                                data->counter_count, err);
    free(counters);
    if (status == WPG_OK && (data->sites_calls || data->sites_memop || data->sites_vtable))
        status = wpg_value_data_read(taken ? profile : NULL, name, data->func_hash, values, err);
    return status;
}

static wpg_status read_records(wpg_profile *profile, wpg_profile_stats *stats, raw_file *file,
                               wpg_reader *values, wpg_error *err)
{
    wpg_names names = {0};
    wpg_arena_init(&names.arena);
    wpg_status status = wpg_names_read(&names, file->data + file->names.at, (size_t)file->names.size, err);
    wpg_reader r = wpg_reader_over(file->data, file->size);
    wpg_read_seek(&r, (size_t)file->records.at);
    for (size_t i = 0; i < file->header.data_count && status == WPG_OK; i++) {
        wpg_raw_data data;
        wpg_raw_data_read(&data, &r, file->version);
        status = read_record(profile, stats, file, &data, i, &names, values, err);
    }
    wpg_names_finish(&names);
    return status;
}

wpg_status wpg_raw_read(wpg_profile *profile, wpg_profile_stats *stats, const uint8_t *data, size_t size,
                        wpg_error *err)
{
    uint64_t start = 0;
    do {
        raw_file file = {.data = data, .size = size};
        if (start % 8)
            return wpg_fail(err, WPG_E_FORMAT, "raw profile at offset %llu is not aligned",
                            (unsigned long long)start);
        WPG_TRY(read_header(&file, start, err));
        WPG_TRY(place_sections(&file, start, err));
        wpg_reader values = wpg_reader_over(data, size);
        wpg_read_seek(&values, (size_t)file.values_at);
        WPG_TRY(read_records(profile, stats, &file, &values, err));
        for (start = values.at; start < size && data[start] == 0; start++)
            ; /* zeros may separate profiles */
    } while (start < size);
    return WPG_OK;
}
