/* Matching of the PIPELINES setting. */
#include "layer/rewrite/filter.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "compiler/spirv/debug.h"
#include "runtime/base/text.h"

enum { LEAST_HASH_DIGITS = 8 };

static bool is_hash_prefix(const char *item)
{
    size_t length = strlen(item);
    if (length < LEAST_HASH_DIGITS || length > WPG_HASH_HEX)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isxdigit((unsigned char)item[i]))
            return false;
    return true;
}

static bool hash_starts_with(wpg_hash128 hash, const char *item)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, hash);
    return wpg_same_start(hex, item, strlen(item));
}

static bool is_like(const char *text, void *item)
{
    return fnmatch(item, text, 0) == 0;
}

static bool matches(const char *item, wpg_hash128 pipeline, const wpg_filter_stage *stages,
                    size_t stage_count)
{
    if (is_hash_prefix(item)) {
        bool found = hash_starts_with(pipeline, item);
        for (size_t i = 0; i < stage_count && !found; i++)
            found = hash_starts_with(stages[i].shader, item);
        if (found)
            return true;
    }
    for (size_t i = 0; i < stage_count; i++)
        if (fnmatch(item, stages[i].entry, 0) == 0 ||
            (stages[i].name && *stages[i].name && fnmatch(item, stages[i].name, 0) == 0) ||
            (stages[i].module && wpg_module_debug_string(stages[i].module, is_like, (void *)(uintptr_t)item)))
            return true;
    return false;
}

bool wpg_filter_wants(const char *setting, wpg_hash128 pipeline, const wpg_filter_stage *stages,
                      size_t stage_count)
{
    bool any_positive = false, wanted = false;
    for (const char *at = setting; at && *at;) {
        char item[256];
        size_t length = strcspn(at, ","), skip = strspn(at, " \t");
        const char *start = at + (skip < length ? skip : length);
        size_t width = length - (size_t)(start - at);
        while (width && (start[width - 1] == ' ' || start[width - 1] == '\t'))
            width--;
        at += length + (at[length] == ',');
        bool excludes = width && start[0] == '!';
        start += excludes;
        width -= excludes;
        if (width == 0 || width >= sizeof item)
            continue;
        memcpy(item, start, width);
        item[width] = '\0';
        bool hit = matches(item, pipeline, stages, stage_count);
        if (excludes && hit)
            return false;
        any_positive |= !excludes;
        wanted |= !excludes && hit;
    }
    return wanted || !any_positive;
}
