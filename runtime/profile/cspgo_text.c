#include "runtime/profile/cspgo_text.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/profile/profile_format.h"

/* May a function be called so? Visible ASCII without '[', ']', ':', '@', not empty. */
static bool name_is_valid(const char *name)
{
    if (!*name || strlen(name) > WPG_PROFILE_MAX_NAME)
        return false;
    for (; *name; name++)
        if (*name <= ' ' || *name > '~' || strchr("[]:@", *name))
            return false;
    return true;
}

/* Sum of the counts as written: what stands in a record's head line. Saturating. */
static uint64_t total_of(const wpg_cspgo_record *record)
{
    uint64_t total = 0;
    for (size_t i = 0; i < record->count_count; i++)
        if (__builtin_add_overflow(total, wpg_clamp_counter(record->counts[i].count), &total))
            total = UINT64_MAX;
    return total;
}

static wpg_status check(const wpg_cspgo_record *record, wpg_error *err)
{
    if (!record->frame_count)
        return wpg_fail(err, WPG_E_ARGUMENT, "a context without functions");
    if (record->frame_count > WPG_CSPGO_MAX_FRAMES)
        return wpg_fail(err, WPG_E_LIMIT, "a context of %zu calls", record->frame_count);
    for (size_t i = 0; i < record->frame_count; i++) {
        const wpg_cspgo_frame *frame = &record->frames[i];
        if (!frame->function || !name_is_valid(frame->function))
            return wpg_fail(err, WPG_E_ARGUMENT, "a function's name does not fit the format");
        if ((frame->call == 0) != (i + 1 == record->frame_count))
            return wpg_fail(err, WPG_E_ARGUMENT, "a context with a call missing");
        if (frame->call > WPG_CSPGO_MAX_PROBE)
            return wpg_fail(err, WPG_E_LIMIT, "probe %" PRIu32 ": too many blocks and calls", frame->call);
    }
    for (size_t i = 0, last = 0; i < record->count_count; last = record->counts[i++].probe) {
        const wpg_cspgo_count *count = &record->counts[i];
        if (count->probe <= last || (count->target && !name_is_valid(count->target)))
            return wpg_fail(err, WPG_E_ARGUMENT, "probe %" PRIu32 " out of order, or its target",
                            count->probe);
        if (count->probe > WPG_CSPGO_MAX_PROBE)
            return wpg_fail(err, WPG_E_LIMIT, "probe %" PRIu32 ": too many blocks and calls", count->probe);
    }
    return WPG_OK;
}

wpg_status wpg_cspgo_write(wpg_writer *w, const wpg_cspgo_record *record, wpg_error *err)
{
    WPG_TRY(check(record, err));
    wpg_write_u8(w, '[');
    for (size_t i = 0; i < record->frame_count; i++) {
        wpg_write_bytes(w, record->frames[i].function, strlen(record->frames[i].function));
        if (record->frames[i].call)
            wpg_write_text(w, ":%" PRIu32 " @ ", record->frames[i].call);
    }
    wpg_write_text(w, "]:%" PRIu64 ":%" PRIu64 "\n", total_of(record), wpg_clamp_counter(record->head));
    for (size_t i = 0; i < record->count_count; i++) {
        const wpg_cspgo_count *count = &record->counts[i];
        wpg_write_text(w, " %" PRIu32 ": %" PRIu64, count->probe, wpg_clamp_counter(count->count));
        if (count->target) {
            wpg_write_u8(w, ' ');
            wpg_write_bytes(w, count->target, strlen(count->target));
            wpg_write_text(w, ":%" PRIu64, wpg_clamp_counter(count->target_count));
        }
        wpg_write_u8(w, '\n');
    }
    wpg_write_text(w, " !CFGChecksum: %" PRIu64 "\n", record->checksum);
    return w->out_of_memory ? wpg_fail(err, WPG_E_NOMEM, "no memory for a profile") : WPG_OK;
}
