#include "runtime/config/values.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool wpg_frames_parse(uint64_t *first, uint64_t *last, const char *text)
{
    char *end;
    bool begins = is_digit(*text);
    *first = 1;
    *last = UINT64_MAX;
    if (begins) {
        *first = strtoull(text, &end, 10);
        text = end;
        if (!*text) {
            *last = *first;
            return *first > 0;
        }
    }
    if (*text++ != '-')
        return false;
    if (*text || !begins) {
        if (!is_digit(*text))
            return false;
        *last = strtoull(text, &end, 10);
        text = end;
    }
    return !*text && *first > 0 && *first <= *last;
}

static int index_of(const char *choices, const char *value, size_t length)
{
    for (int index = 0; choices; index++) {
        const char *bar = strchr(choices, '|');
        size_t width = bar ? (size_t)(bar - choices) : strlen(choices);
        if (width == length && wpg_same_start(choices, value, length))
            return index;
        choices = bar ? bar + 1 : NULL;
    }
    return -1;
}

int wpg_choice_index(const char *choices, const char *value)
{
    return index_of(choices, value, strlen(value));
}

const char *wpg_foreign_item(int *length, const char *list, const char *choices)
{
    while (*list) {
        size_t width = strcspn(list, ", ");
        if (width && index_of(choices, list, width) < 0) {
            *length = (int)(width < 60 ? width : 60);
            return list;
        }
        list += width;
        list += strspn(list, ", ");
    }
    return NULL;
}

const char *wpg_foreign_percent(const char *pattern, const char *letters)
{
    for (const char *at = strchr(pattern, '%'); at; at = strchr(at + 2, '%')) {
        const bool pools = at[1] >= '1' && at[1] <= '9' && at[2] == 'm' && strchr(letters, 'm');
        if (!pools && (!at[1] || !strchr(letters, at[1])))
            return at;
    }
    return NULL;
}

enum { LONGEST_NAME = 40, NEAR = 2 };

/* How many letters are wrong, missing or too many (Levenshtein). */
static size_t distance(const char *a, const char *b)
{
    size_t row[LONGEST_NAME + 1], width = strlen(b);
    if (width > LONGEST_NAME || strlen(a) > LONGEST_NAME)
        return LONGEST_NAME;
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t before = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t best = before + (wpg_upper(a[i - 1]) != wpg_upper(b[j - 1]));
            before = row[j];
            best = best < row[j] + 1 ? best : row[j] + 1;
            row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
        }
    }
    return row[width];
}

const char *wpg_nearest_name(const char *key, const char *(*name)(size_t index), size_t count)
{
    const char *nearest = NULL;
    size_t least = NEAR + 1;
    for (size_t i = 0; i < count; i++) {
        size_t wrong = distance(key, name(i));
        if (wrong < least && 3 * wrong <= strlen(key)) {
            least = wrong;
            nearest = name(i);
        }
    }
    return nearest;
}
