#include "runtime/profile/record_name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bytes.h"
#include "runtime/profile/profile.h"

static const char *const kinds[WPG_RECORD_KINDS] = {
    [WPG_RECORD_LANES] = "lanes",
    [WPG_RECORD_WAVES] = "waves",
    [WPG_RECORD_UNIFORM] = "uniform",
    [WPG_RECORD_SELECTS] = "selects",
    [WPG_RECORD_VALUES] = "values",
    [WPG_RECORD_TRIPS] = "trips",
    [WPG_RECORD_SAMPLES] = "samples",
    [WPG_RECORD_BRANCHES] = "branches",
    [WPG_RECORD_CASES] = "cases",
    [WPG_RECORD_ENTRY_MASK] = "entry_mask",
    [WPG_RECORD_LATE] = "late",
    [WPG_RECORD_LANE_BRANCHES] = "lane_branches",
    [WPG_RECORD_LANE_TRIPS] = "lane_trips",
    [WPG_RECORD_WORDS] = "words",
    [WPG_RECORD_INPUTS] = "inputs",
};
static const char *const stages[] = {"vert", "tesc", "tese", "geom",  "frag",  "comp",  "task",
                                     "mesh", "rgen", "rint", "rahit", "rchit", "rmiss", "rcall"};

wpg_record_kind wpg_record_kind_find(const char *name)
{
    unsigned kind = 0;
    while (kind < WPG_RECORD_KINDS && strcmp(kinds[kind], name) != 0)
        kind++;
    return (wpg_record_kind)kind;
}

static bool stage_is_known(const char *stage, size_t length)
{
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
        if (strlen(stages[i]) == length && memcmp(stages[i], stage, length) == 0)
            return true;
    return false;
}

static bool is_plain(unsigned char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
}

/* Whether the text reads as ".fn<k>" to its end: *k gets the number, which has no leading zero and fits 32
 * bits. */
static bool reads_as_function(uint32_t *k, const char *text, size_t length)
{
    uint64_t value = 0;
    if (length < 4 || length > 13 || memcmp(text, ".fn", 3) != 0 || text[3] == '0')
        return false;
    for (size_t i = 3; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *k = (uint32_t)value;
    return value <= UINT32_MAX;
}

wpg_status wpg_record_name_compose(char **name, const wpg_record_name *parts, wpg_error *err)
{
    char hex[WPG_HASH_HEX + 1];
    if (!memchr(parts->stage, 0, sizeof parts->stage) || !stage_is_known(parts->stage, strlen(parts->stage)))
        return wpg_fail(err, WPG_E_ARGUMENT, "unknown shader stage '%.*s'", (int)sizeof parts->stage,
                        parts->stage);
    if ((unsigned)parts->kind >= WPG_RECORD_KINDS)
        return wpg_fail(err, WPG_E_ARGUMENT, "unknown kind of record (%d)", (int)parts->kind);
    wpg_hash_to_hex(hex, parts->shader);
    wpg_writer w = {0};
    wpg_write_text(&w, "%s.%s.", hex, parts->stage);
    const char *entry = parts->entry ? parts->entry : "";
    size_t length = strlen(entry);
    for (size_t i = 0; i < length && w.size <= WPG_PROFILE_MAX_NAME; i++) {
        unsigned char c = (unsigned char)entry[i];
        uint32_t k;
        if (is_plain(c) && !(c == '.' && reads_as_function(&k, entry + i, length - i)))
            wpg_write_u8(&w, c);
        else
            wpg_write_text(&w, "%%%02X", (unsigned)c);
    }
    if (parts->function)
        wpg_write_text(&w, ".fn%u", (unsigned)parts->function);
    wpg_write_text(&w, "#%s", kinds[parts->kind]);
    wpg_write_u8(&w, 0);
    if (w.out_of_memory || w.size - 1 > WPG_PROFILE_MAX_NAME) {
        bool out_of_memory = w.out_of_memory;
        wpg_writer_finish(&w);
        return out_of_memory
                   ? wpg_fail(err, WPG_E_NOMEM, "no memory for a record's name")
                   : wpg_fail(err, WPG_E_LIMIT, "the entry point's name is too long (%zu bytes)", length);
    }
    *name = (char *)w.data;
    return WPG_OK;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Undoes the escapes; false if `text` is not what compose writes for any entry name. */
static bool unescape(char *entry, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        int value = (unsigned char)text[i];
        if (value == '%') {
            int high = length - i >= 3 ? hex_digit(text[i + 1]) : -1;
            int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
            if (low < 0 || (high | low) == 0)
                return false;
            value = high * 16 + low;
            i += 2;
        } else if (!is_plain((unsigned char)value)) {
            return false;
        }
        *entry++ = (char)value;
    }
    *entry = '\0';
    return true;
}

wpg_status wpg_record_name_parse(wpg_record_name *parts, const char *name, wpg_error *err)
{
    wpg_record_name result = {.kind = WPG_RECORD_KINDS};
    const char *hash_end = name + WPG_HASH_HEX;
    if (!wpg_hash_from_hex(&result.shader, name) || *hash_end != '.')
        return wpg_fail(err, WPG_E_FORMAT, "record name '%.80s' does not begin with a shader hash", name);
    const char *stage = hash_end + 1, *dot = strchr(stage, '.');
    if (!dot || !stage_is_known(stage, (size_t)(dot - stage)))
        return wpg_fail(err, WPG_E_FORMAT, "record name '%.80s' has no known shader stage", name);
    memcpy(result.stage, stage, (size_t)(dot - stage));
    const char *entry = dot + 1, *mark = strchr(entry, '#');
    if (mark)
        result.kind = wpg_record_kind_find(mark + 1);
    if (result.kind == WPG_RECORD_KINDS)
        return wpg_fail(err, WPG_E_FORMAT, "record name '%.80s' ends in no known kind", name);
    size_t length = (size_t)(mark - entry);
    for (size_t i = length; i-- > 0;)
        if (entry[i] == '.') {
            if (reads_as_function(&result.function, entry + i, length - i))
                length = i;
            else
                result.function = 0;
            break;
        }
    result.entry = malloc(length + 1);
    if (!result.entry)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for an entry point's name");
    /* Exactly what compose gives: a second spelling of a name would be a second record of it. */
    char *again = NULL;
    wpg_status status =
        unescape(result.entry, entry, length) ? wpg_record_name_compose(&again, &result, err) : WPG_E_FORMAT;
    if (status == WPG_OK && strcmp(again, name) != 0)
        status = WPG_E_FORMAT;
    free(again);
    if (status != WPG_OK) {
        free(result.entry);
        return status == WPG_E_FORMAT
                   ? wpg_fail(err, status, "record name '%.80s' is not spelled as wavepgo spells it", name)
                   : status;
    }
    *parts = result;
    return WPG_OK;
}

void wpg_record_name_finish(wpg_record_name *parts)
{
    free(parts->entry);
    *parts = (wpg_record_name){0};
}
