#include "runtime/profile/cspgo_text.h"

#include <inttypes.h>
#include <string.h>

#include "runtime/base/vec.h"
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

/* -- Writing ------------------------------------------------------------------------------------------- */

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

/* -- Reading ------------------------------------------------------------------------------------------- */

typedef struct cspgo_reader {
    const char *at, *end; /* rest of the current line */
    const char *next, *limit;
    size_t line;
    wpg_arena *arena;
    WPG_VEC(wpg_cspgo_record) records;
    WPG_VEC(wpg_cspgo_frame) frames;
    WPG_VEC(wpg_cspgo_count) counts;
    bool out_of_memory;
} cspgo_reader;

static bool next_line(cspgo_reader *r)
{
    if (r->next == r->limit)
        return false;
    const char *stop = memchr(r->next, '\n', (size_t)(r->limit - r->next));
    r->at = r->next;
    r->end = stop ? stop : r->limit;
    r->next = stop ? stop + 1 : r->limit;
    r->line++;
    return true;
}

static bool take(cspgo_reader *r, const char *text)
{
    size_t length = strlen(text);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0)
        return false;
    r->at += length;
    return true;
}

static bool take_number(cspgo_reader *r, uint64_t *value, uint64_t most)
{
    const char *start = r->at;
    *value = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++)
        if (__builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*r->at - '0'), value))
            return false;
    return r->at > start && (*start != '0' || r->at == start + 1) && *value <= most;
}

/* Up to a character that no name holds. */
static const char *take_name(cspgo_reader *r)
{
    const char *start = r->at;
    while (r->at<r->end && * r->at> ' ' && *r->at <= '~' && !strchr("[]:@", *r->at))
        r->at++;
    size_t length = (size_t)(r->at - start);
    if (!length || length > WPG_PROFILE_MAX_NAME)
        return NULL;
    char *name = wpg_arena_alloc(r->arena, length + 1, 1);
    if (name)
        memcpy(name, start, length);
    else
        r->out_of_memory = true;
    return name;
}

static bool read_head(cspgo_reader *r, wpg_cspgo_record *record, uint64_t *total)
{
    if (!take(r, "["))
        return false;
    wpg_vec_clear(&r->frames);
    for (bool more = true; more;) {
        uint64_t call = 0;
        wpg_cspgo_frame frame = {.function = take_name(r)};
        more = take(r, ":");
        if (!frame.function ||
            (more && (!take_number(r, &call, WPG_CSPGO_MAX_PROBE) || !call || !take(r, " @ "))))
            return false;
        frame.call = (uint32_t)call;
        if (r->frames.count == WPG_CSPGO_MAX_FRAMES || !wpg_vec_push(&r->frames, frame))
            return false;
    }
    record->frame_count = r->frames.count;
    record->frames = wpg_arena_memdup(r->arena, r->frames.data, r->frames.count * sizeof *r->frames.data);
    r->out_of_memory |= !record->frames;
    return take(r, "]:") && take_number(r, total, UINT64_MAX) && take(r, ":") &&
           take_number(r, &record->head, WPG_PROFILE_COUNTER_CLAMP) && r->at == r->end;
}

static bool read_count(cspgo_reader *r)
{
    uint64_t probe, last = r->counts.count ? r->counts.data[r->counts.count - 1].probe : 0;
    wpg_cspgo_count count = {0};
    if (!take_number(r, &probe, WPG_CSPGO_MAX_PROBE) || probe <= last || !take(r, ": ") ||
        !take_number(r, &count.count, WPG_PROFILE_COUNTER_CLAMP))
        return false;
    count.probe = (uint32_t)probe;
    if (take(r, " ")) {
        count.target = take_name(r);
        if (!count.target || !take(r, ":") || !take_number(r, &count.target_count, WPG_PROFILE_COUNTER_CLAMP))
            return false;
    }
    if (!wpg_vec_push(&r->counts, count))
        r->out_of_memory = true;
    return r->at == r->end;
}

/* One record, its head line being the current one. */
static bool read_record(cspgo_reader *r)
{
    wpg_cspgo_record record = {0};
    uint64_t total;
    bool has_checksum = false;
    wpg_vec_clear(&r->counts);
    if (!read_head(r, &record, &total))
        return false;
    while (!has_checksum) {
        if (!next_line(r) || !take(r, " "))
            return false;
        has_checksum = take(r, "!CFGChecksum: ");
        if (has_checksum ? !take_number(r, &record.checksum, UINT64_MAX) || r->at != r->end : !read_count(r))
            return false;
    }
    record.count_count = r->counts.count;
    record.counts = wpg_arena_memdup(r->arena, r->counts.data, r->counts.count * sizeof *r->counts.data);
    if (!record.counts || !wpg_vec_push(&r->records, record))
        r->out_of_memory = true;
    return total_of(&record) == total || r->out_of_memory;
}

wpg_status wpg_cspgo_read(wpg_cspgo_record **records, size_t *count, const char *text, size_t size,
                          wpg_arena *arena, wpg_error *err)
{
    cspgo_reader r = {.next = text, .limit = text + size, .arena = arena};
    wpg_status status = WPG_OK;
    while (status == WPG_OK && !r.out_of_memory && next_line(&r))
        if (!read_record(&r) && !r.out_of_memory)
            status =
                wpg_fail(err, WPG_E_FORMAT, "line %zu is not of a context-sensitive sample profile", r.line);
    wpg_cspgo_record *list =
        wpg_arena_memdup(arena, r.records.data, r.records.count * sizeof *r.records.data);
    if (status == WPG_OK && (r.out_of_memory || !list))
        status = wpg_fail(err, WPG_E_NOMEM, "no memory for a profile");
    if (status == WPG_OK) {
        *records = list;
        *count = r.records.count;
    }
    wpg_vec_free(&r.records);
    wpg_vec_free(&r.frames);
    wpg_vec_free(&r.counts);
    return status;
}
