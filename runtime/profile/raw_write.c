/* Writes raw profiles as LLVM's profile runtime would. The layout is in profile_format.inc. */
#include <string.h>

#include "runtime/base/log.h"
#include "runtime/base/map.h"
#include "runtime/profile/profile_format.h"

typedef struct totals {
    uint64_t counters, names_size;
} totals;

/* Adds up, and makes sure that names of different records have different references. */
static wpg_status measure(totals *sum, const wpg_profile *profile, wpg_error *err)
{
    wpg_map refs = {0}; /* name reference -> index + 1 of its first record */
    const char *previous = NULL;
    wpg_status status = WPG_OK;
    for (size_t i = 0; i < wpg_profile_count(profile) && status == WPG_OK; i++) {
        const wpg_profile_record *record = wpg_profile_at(profile, i);
        sum->counters += record->counter_count;
        if (previous && strcmp(previous, record->name) == 0)
            continue;
        sum->names_size += strlen(record->name) + (previous ? 1 : 0);
        previous = record->name;
        uint64_t ref = wpg_profile_name_ref(record->name, strlen(record->name));
        if (wpg_map_get(&refs, ref, NULL))
            status = wpg_fail(err, WPG_E_LIMIT, "%.80s: another name has the same MD5 half", record->name);
        else if (!wpg_map_set(&refs, ref, i + 1))
            status = wpg_fail(err, WPG_E_NOMEM, "no memory for a raw profile");
    }
    wpg_map_free(&refs);
    return status;
}

/* The names joined by \x01, behind their size and a 0 for "not compressed". */
static void write_names(wpg_writer *w, const wpg_profile *profile, uint64_t size)
{
    const char *previous = NULL;
    wpg_write_uleb(w, size);
    wpg_write_uleb(w, 0);
    for (size_t i = 0; i < wpg_profile_count(profile); i++) {
        const char *name = wpg_profile_at(profile, i)->name;
        if (previous && strcmp(previous, name) == 0)
            continue;
        if (previous)
            wpg_write_u8(w, 1);
        wpg_write_bytes(w, name, strlen(name));
        previous = name;
    }
}

static void write_data(wpg_writer *w, const wpg_profile *profile, unsigned version, uint64_t counters_delta)
{
    uint64_t size = wpg_raw_data_size(version), counter = counters_delta;
    for (size_t i = 0; i < wpg_profile_count(profile); i++) {
        const wpg_profile_record *record = wpg_profile_at(profile, i);
        wpg_raw_data data = {
            .name_ref = wpg_profile_name_ref(record->name, strlen(record->name)),
            .func_hash = record->func_hash,
            .counter_ptr = counter - i * size,
            .counter_count = (uint32_t)record->counter_count,
            .sites_memop = (uint16_t)record->site_count,
        };
        wpg_raw_data_write(w, &data, version);
        counter += 8 * (uint64_t)record->counter_count;
    }
}

wpg_status wpg_raw_write(wpg_writer *w, const wpg_profile *profile, unsigned version, wpg_error *err)
{
    totals sum = {0};
    WPG_TRY(measure(&sum, profile, err));
    wpg_writer names = {0};
    if (wpg_profile_count(profile))
        write_names(&names, profile, sum.names_size);
    uint64_t counters_delta = wpg_profile_count(profile) * (uint64_t)wpg_raw_data_size(version);
    wpg_raw_header header = {
        .magic = WPG_RAW_MAGIC_64,
        .version = version | WPG_PROFILE_IR_FLAG,
        .data_count = wpg_profile_count(profile),
        .counter_count = sum.counters,
        .names_size = names.size,
        .counters_delta = counters_delta,
        .value_kind_last = version >= 10 ? WPG_VALUE_KINDS - 1 : WPG_VALUE_KIND_MEMOP,
    };
    wpg_raw_header_write(w, &header, version);
    write_data(w, profile, version, counters_delta);
    for (size_t i = 0; i < wpg_profile_count(profile); i++) {
        const wpg_profile_record *record = wpg_profile_at(profile, i);
        for (size_t c = 0; c < record->counter_count; c++)
            wpg_write_u64(w, wpg_clamp_counter(record->counters[c]));
    }
    wpg_write_bytes(w, names.data, names.size);
    wpg_write_align(w, 8);
    bool truncated = false;
    for (size_t i = 0; i < wpg_profile_count(profile); i++)
        if (wpg_profile_at(profile, i)->site_count) /* records without value sites have no value data */
            wpg_value_data_write(w, wpg_profile_at(profile, i), &truncated);
    bool out_of_memory = w->out_of_memory || names.out_of_memory;
    wpg_writer_finish(&names);
    if (out_of_memory)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a raw profile");
    if (truncated)
        wpg_log_warn("a value site has more values than a profile file can hold: the most frequent are kept");
    return WPG_OK;
}
