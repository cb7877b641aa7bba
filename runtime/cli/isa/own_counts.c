/* Counts that a kernel made of its own structurised blocks (--generate). Reads them from the array that the
 * kernel's caller read back, into a profile, and from a profile. The records are the layer's, under the
 * checksum of the structurised graph. One shader's counts of both kinds stand side by side, and merge like
 * any. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/file.h"
#include "runtime/cli/isa/isa.h"
#include "runtime/profile/profile_io.h"
#include "runtime/profile/record_name.h"

static wpg_status add_record(wpg_profile *profile, const wpg_isa *isa, wpg_record_kind kind,
                             const wpg_amdgpu_counts *counts, const uint64_t *values, wpg_error *err)
{
    wpg_record_name name = {
        .shader = isa->shader, .stage = "comp", .entry = (char *)(uintptr_t)isa->entry, .kind = kind};
    char *text;
    if (!values)
        return WPG_OK;
    WPG_TRY(wpg_record_name_compose(&text, &name, err));
    wpg_status status = wpg_profile_add(profile, text, counts->checksum, values, counts->block_count, 1, err);
    free(text);
    return status;
}

static wpg_status write_profile(const wpg_isa *isa, const wpg_amdgpu_counts *counts, wpg_error *err)
{
    wpg_profile *profile = wpg_profile_create();
    if (!profile)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_status status = add_record(profile, isa, WPG_RECORD_WAVES, counts, counts->waves, err);
    if (status == WPG_OK)
        status = add_record(profile, isa, WPG_RECORD_LANES, counts, counts->lanes, err);
    if (status == WPG_OK)
        status = add_record(profile, isa, WPG_RECORD_UNIFORM, counts, counts->uniform, err);
    if (status == WPG_OK)
        status = wpg_profile_write_file(isa->options.out, profile, WPG_PROFILE_RAW_10, err);
    wpg_profile_destroy(profile);
    return status;
}

wpg_status wpg_isa_read_counters(const wpg_isa *isa, wpg_error *err)
{
    const wpg_counter_table *table = &isa->counters;
    uint8_t *bytes;
    size_t size;
    wpg_amdgpu_counts counts;
    WPG_TRY(wpg_file_read(&bytes, &size, isa->options.counters, (size_t)1 << 30, err));
    wpg_status status = WPG_OK;
    uint64_t *array = calloc(table->count ? table->count : 1, sizeof *array);
    if (!array)
        status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
    else if (size != (size_t)table->count * sizeof *array)
        status = wpg_fail(err, WPG_E_MISMATCH,
                          "%s has %zu bytes: the counters of this kernel are %u numbers of 64 bits",
                          isa->options.counters, size, table->count);
    for (size_t i = 0; status == WPG_OK && i < size; i++) /* little-endian, as the GPU */
        array[i / 8] |= (uint64_t)bytes[i] << i % 8 * 8;
    if (status == WPG_OK) {
        wpg_counters_view(&counts, table, array);
        status = write_profile(isa, &counts, err);
    }
    free(array);
    free(bytes);
    return status;
}

/* -- From a profile */

static uint64_t *copy_of(const uint64_t *from, size_t count, wpg_arena *arena)
{
    uint64_t *copy = from ? WPG_ARENA_ARRAY(arena, uint64_t, count) : NULL;
    if (copy)
        memcpy(copy, from, count * sizeof *copy);
    return copy;
}

bool wpg_isa_own_counts(wpg_amdgpu_counts *counts, const wpg_isa *isa, uint64_t checksum,
                        uint32_t block_count, wpg_arena *arena)
{
    const wpg_shader_counts *first;
    size_t count = wpg_shader_names_find(&first, isa->view, &isa->names, "comp", isa->entry);
    for (size_t i = 0; i < count; i++) {
        const wpg_shader_counts *it = &first[i];
        if (it->function != 0 || it->checksum != checksum || it->block_count != block_count || !it->waves)
            continue;
        *counts = (wpg_amdgpu_counts){.checksum = checksum,
                                      .block_count = block_count,
                                      .waves = copy_of(it->waves, block_count, arena),
                                      .lanes = copy_of(it->lanes, block_count, arena),
                                      .uniform = copy_of(it->uniform, block_count, arena)};
        return counts->waves != NULL;
    }
    return false;
}
