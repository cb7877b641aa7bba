/* Reads and writes LLVM's text format: lines; '#' starts a comment, empty lines are skipped.
 *
 *     :ir
 *     name / hash / number of counters / counters, a line each
 *     [ $bitmap bytes / bytes ]
 *     [ number of kinds / per kind: kind / sites / per site: values / value:count ]
 *
 * A record's name that is a number, or starts with '$', cannot be told from what may stand before it. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"
#include "runtime/profile/profile_format.h"

/* The current line, [at, at + length) of the text, and its number for messages. */
typedef struct lines {
    const char *text;
    size_t size, next;
    const char *at; /* NULL at the end */
    size_t length, number;
} lines;

static void advance(lines *l)
{
    l->at = NULL;
    while (l->next < l->size) {
        const char *start = l->text + l->next;
        const char *stop = memchr(start, '\n', l->size - l->next);
        size_t length = stop ? (size_t)(stop - start) : l->size - l->next;
        l->next += length + (stop ? 1 : 0);
        l->number++;
        if (length && start[length - 1] == '\r')
            length--;
        if (length && start[0] != '#') {
            l->at = start;
            l->length = length;
            return;
        }
    }
    l->number++;
}

static bool parse_digits(uint64_t *value, const char *text, size_t length, unsigned base)
{
    uint64_t result = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned digit = 99;
        if (text[i] >= '0' && text[i] <= '9')
            digit = (unsigned)(text[i] - '0');
        else if ((text[i] | 0x20) >= 'a' && (text[i] | 0x20) <= 'f')
            digit = (unsigned)((text[i] | 0x20) - 'a') + 10;
        if (digit >= base || __builtin_mul_overflow(result, (uint64_t)base, &result) ||
            __builtin_add_overflow(result, (uint64_t)digit, &result))
            return false;
    }
    *value = result;
    return length > 0;
}

/* As LLVM's getAsInteger(0): 0x, 0b, 0o and a leading 0 choose the base. */
static bool parse_any_base(uint64_t *value, const char *text, size_t length)
{
    if (length > 2 && text[0] == '0') {
        switch (text[1] | 0x20) {
        case 'x':
            return parse_digits(value, text + 2, length - 2, 16);
        case 'b':
            return parse_digits(value, text + 2, length - 2, 2);
        case 'o':
            return parse_digits(value, text + 2, length - 2, 8);
        default:
            break;
        }
    }
    if (length > 1 && text[0] == '0')
        return parse_digits(value, text + 1, length - 1, 8);
    return parse_digits(value, text, length, 10);
}

static wpg_status bad_line(const lines *l, const char *what, wpg_error *err)
{
    if (!l->at)
        return wpg_fail(err, WPG_E_FORMAT, "text profile: it ends where %s should stand (truncated?)", what);
    return wpg_fail(err, WPG_E_FORMAT, "text profile, line %zu: '%.*s' is not %s", l->number,
                    (int)(l->length < 60 ? l->length : 60), l->at, what);
}

/* A decimal number of at most `limit` on a line of its own. */
static wpg_status take_number(uint64_t *value, lines *l, uint64_t limit, const char *what, wpg_error *err)
{
    if (!l->at || !parse_digits(value, l->at, l->length, 10) || *value > limit)
        return bad_line(l, what, err);
    advance(l);
    return WPG_OK;
}

static bool line_is(const lines *l, const char *word)
{
    return l->length == strlen(word) && wpg_same_start(l->at, word, l->length);
}

static wpg_status read_header(lines *l, wpg_error *err)
{
    bool ir = false;
    for (; l->at && l->at[0] == ':'; advance(l)) {
        if (line_is(l, ":ir"))
            ir = true;
        else if (line_is(l, ":csir") || line_is(l, ":single_byte_coverage") ||
                 line_is(l, ":temporal_prof_traces"))
            return wpg_fail(err, WPG_E_UNSUPPORTED, "text profile: '%.*s' profiles are not read",
                            (int)l->length, l->at);
        else if (!line_is(l, ":fe") && !line_is(l, ":entry_first") && !line_is(l, ":not_entry_first") &&
                 !line_is(l, ":instrument_loop_entries"))
            return bad_line(l, "a header that text profiles have", err);
    }
    if (!ir)
        return wpg_fail(err, WPG_E_UNSUPPORTED,
                        "text without an ':ir' header: no profile, or one of a front end");
    return WPG_OK;
}

/* One site of a kind: how many values, then value:count lines. */
static wpg_status read_site(wpg_profile *profile, const char *name, uint64_t func_hash, bool memop,
                            size_t site, lines *l, wpg_error *err)
{
    uint64_t count;
    WPG_TRY(take_number(&count, l, UINT32_MAX, "a number of values", err));
    if (count > (l->size - l->next) / 2 + 2) /* the shortest line is "a:1" of a name */
        return bad_line(l, "the last of that many values", err);
    wpg_profile_value *pairs = calloc((size_t)count + 1, sizeof *pairs);
    wpg_status status = pairs ? WPG_OK : wpg_fail(err, WPG_E_NOMEM, "no memory for values");
    for (size_t i = 0; i < count && status == WPG_OK; i++) {
        const char *colon = l->at ? memrchr(l->at, ':', l->length) : NULL;
        size_t left = colon ? (size_t)(colon - l->at) : 0;
        if (!colon || (memop && !parse_digits(&pairs[i].value, l->at, left, 10)) ||
            !parse_digits(&pairs[i].count, colon + 1, l->length - left - 1, 10))
            status = bad_line(l, "value:count", err);
        else
            advance(l);
    }
    if (status == WPG_OK && profile && memop)
        status = wpg_profile_add_pairs(profile, name, func_hash, site, pairs, (size_t)count, err);
    free(pairs);
    return status;
}

static wpg_status read_values(wpg_profile *profile, const char *name, uint64_t func_hash, lines *l,
                              wpg_error *err)
{
    uint64_t kinds, kind, sites;
    if (!l->at || !parse_digits(&kinds, l->at, l->length, 10) || kinds > UINT32_MAX)
        return WPG_OK; /* no value data: the next record's name */
    WPG_TRY(take_number(&kinds, l, WPG_VALUE_KINDS, "a number of value kinds", err));
    for (uint64_t k = 0; k < kinds; k++) {
        WPG_TRY(take_number(&kind, l, WPG_VALUE_KINDS - 1, "a value kind", err));
        WPG_TRY(take_number(&sites, l, WPG_PROFILE_MAX_SITES, "a number of value sites", err));
        for (size_t site = 0; site < sites; site++)
            WPG_TRY(read_site(profile, name, func_hash, kind == WPG_VALUE_KIND_MEMOP, site, l, err));
    }
    return WPG_OK;
}

static wpg_status read_bitmap(lines *l, wpg_error *err)
{
    uint64_t bytes, byte;
    if (!l->at || l->at[0] != '$')
        return WPG_OK;
    if (!parse_any_base(&bytes, l->at + 1, l->length - 1))
        return bad_line(l, "a number of bitmap bytes", err);
    advance(l);
    for (; bytes; bytes--) {
        if (!l->at || !parse_any_base(&byte, l->at, l->length) || byte > UINT8_MAX)
            return bad_line(l, "a bitmap byte", err);
        advance(l);
    }
    return WPG_OK;
}

static wpg_status read_counters(uint64_t **counters, size_t *count, lines *l, wpg_error *err)
{
    uint64_t wanted;
    WPG_TRY(take_number(&wanted, l, WPG_PROFILE_MAX_COUNTERS, "a number of counters", err));
    if (wanted == 0)
        return wpg_fail(err, WPG_E_FORMAT, "text profile, before line %zu: a record without counters",
                        l->number);
    if (wanted > (l->size - l->next) / 2 + 2) /* the shortest line is a digit */
        return bad_line(l, "the last of that many counters", err);
    uint64_t *values = malloc((size_t)wanted * sizeof *values);
    if (!values)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for counters");
    for (size_t i = 0; i < wanted; i++) {
        wpg_status status = take_number(&values[i], l, UINT64_MAX, "a counter", err);
        if (status != WPG_OK) {
            free(values);
            return status;
        }
    }
    *counters = values;
    *count = (size_t)wanted;
    return WPG_OK;
}

static wpg_status read_record(wpg_profile *profile, wpg_profile_stats *stats, lines *l, wpg_error *err)
{
    uint64_t func_hash, *counters = NULL;
    size_t count = 0;
    bool taken = false;
    char *name = strndup(l->at, l->length);
    if (!name)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a name");
    if (strlen(name) != l->length)
        name[0] = '\0'; /* an embedded NUL: no name at all, ignored below */
    advance(l);
    wpg_status status = WPG_OK;
    if (!l->at || !parse_any_base(&func_hash, l->at, l->length)) {
        status = bad_line(l, "a function hash", err);
    } else {
        advance(l);
        status = read_counters(&counters, &count, l, err);
    }
    if (status == WPG_OK)
        status = wpg_profile_take_record(profile, stats, &taken, name, func_hash, counters, count, err);
    if (status == WPG_OK)
        status = read_bitmap(l, err);
    if (status == WPG_OK)
        status = read_values(taken ? profile : NULL, name, func_hash, l, err);
    free(counters);
    free(name);
    return status;
}

wpg_status wpg_text_read(wpg_profile *profile, wpg_profile_stats *stats, const uint8_t *data, size_t size,
                         wpg_error *err)
{
    lines l = {.text = (const char *)data, .size = size};
    advance(&l);
    WPG_TRY(read_header(&l, err));
    while (l.at)
        WPG_TRY(read_record(profile, stats, &l, err));
    return WPG_OK;
}

static void write_values(wpg_writer *w, const wpg_profile_record *record)
{
    if (!record->site_count)
        return;
    wpg_write_text(w, "# Num Value Kinds:\n1\n# ValueKind = IPVK_MemOPSize:\n%d\n# NumValueSites:\n%zu\n",
                   WPG_VALUE_KIND_MEMOP, record->site_count);
    for (size_t s = 0; s < record->site_count; s++) {
        const wpg_profile_site *site = &record->sites[s];
        wpg_profile_value *pairs = wpg_site_by_count(site);
        wpg_write_text(w, "%zu\n", site->count);
        for (size_t i = 0; pairs && i < site->count; i++)
            wpg_write_text(w, "%llu:%llu\n", (unsigned long long)pairs[i].value,
                           (unsigned long long)wpg_clamp_counter(pairs[i].count));
        w->out_of_memory = w->out_of_memory || !pairs;
        free(pairs);
    }
}

wpg_status wpg_text_write(wpg_writer *w, const wpg_profile *profile, wpg_error *err)
{
    wpg_write_text(w, "# IR level Instrumentation Flag\n:ir\n");
    for (size_t i = 0; i < wpg_profile_count(profile); i++) {
        const wpg_profile_record *record = wpg_profile_at(profile, i);
        uint64_t number;
        if (record->name[0] == '$' || parse_digits(&number, record->name, strlen(record->name), 10))
            return wpg_fail(err, WPG_E_UNSUPPORTED, "'%.80s' is no name that a text profile can hold",
                            record->name);
        wpg_write_bytes(w, record->name, strlen(record->name));
        wpg_write_text(w, "\n# Func Hash:\n%llu\n# Num Counters:\n%zu\n# Counter Values:\n",
                       (unsigned long long)record->func_hash, record->counter_count);
        for (size_t c = 0; c < record->counter_count; c++)
            wpg_write_text(w, "%llu\n", (unsigned long long)wpg_clamp_counter(record->counters[c]));
        write_values(w, record);
        wpg_write_text(w, "\n");
    }
    if (w->out_of_memory)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a text profile");
    return WPG_OK;
}
