#include "runtime/cli/common/compare_file.h"

#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/text.h"
#include "runtime/bundle/bundle.h"
#include "runtime/cli/common/profile_hash.h"
#include "runtime/cli/common/program_path.h"

bool wpg_compare_file_path(char *path, size_t size, const char *profile)
{
    size_t length = strlen(profile);
    while (length > 1 && profile[length - 1] == '/')
        length--;
    const char *end = wpg_is_bundle(profile) ? "/" WPG_BUNDLE_COMPARE : "." WPG_BUNDLE_COMPARE;
    const int used = snprintf(path, size, "%.*s%s", (int)length, profile, end);
    return used > 0 && (size_t)used < size;
}

static const char *unit_of(const char *headline)
{
    static const char *const units[][2] = {{"frame-median", "frame time"},
                                           {"wall", "wall time"},
                                           {"gpu", "GPU time"},
                                           {"processor", "processor time"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i][0], headline) == 0)
            return units[i][1];
    return NULL;
}

/* -- Of which program and profile */

static const char *string_of(const json_t *document, const char *key)
{
    const char *text = json_string_value(json_object_get(document, key));
    return text ? text : "";
}

/* The counts are those that were measured. */
static bool is_of_profile(const json_t *document, const char *profile)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash128 hash;
    if (json_integer_value(json_object_get(document, "wavepgo-compare")) != 1 ||
        !wpg_profile_hash(&hash, profile))
        return false;
    wpg_hash_to_hex(hex, hash);
    return strcmp(hex, string_of(document, "profile-hash")) == 0;
}

static bool is_of_program(const json_t *document, const char *program)
{
    char path[PATH_MAX];
    return wpg_program_path(path, program) && strcmp(path, string_of(document, "program")) == 0;
}

static bool same_words(const json_t *command, char *const *program)
{
    size_t at = 0;
    for (; program[at]; at++) {
        const char *word = json_string_value(json_array_get(command, at));
        if (!word || (at && strcmp(word, program[at]) != 0)) /* the first: is_of_program */
            return false;
    }
    return json_array_size(command) == at;
}

/* -- The line */

typedef struct text {
    char *data;
    size_t size, used;
} text;

static void add(text *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(text *to, const char *fmt, ...)
{
    va_list list;
    va_start(list, fmt);
    const int used = to->used < to->size ? vsnprintf(to->data + to->used, to->size - to->used, fmt, list) : 0;
    va_end(list);
    to->used += used > 0 ? (size_t)used : 0;
}

static void add_command(text *to, const json_t *command)
{
    enum { MOST = 120 }; /* of a long command line */
    const size_t start = to->used;
    for (size_t i = 0; i < json_array_size(command); i++) {
        const char *word = json_string_value(json_array_get(command, i));
        if (to->used - start > MOST) {
            add(to, " ...");
            return;
        }
        add(to, " %.*s", (int)MOST, word ? word : "");
    }
}

static bool add_ratio(text *to, const json_t *document)
{
    const char *headline = string_of(document, "headline"), *unit = unit_of(headline);
    const json_t *ratio = unit ? json_object_get(json_object_get(document, "ratios"), headline) : NULL;
    if (!json_is_object(ratio))
        return false;
    const double low = json_number_value(json_object_get(ratio, "low")),
                 high = json_number_value(json_object_get(ratio, "high"));
    const long long rounds = json_integer_value(json_object_get(ratio, "rounds"));
    add(to, "%.2f of the %s (", json_number_value(json_object_get(ratio, "ratio")), unit);
    if (json_number_value(json_object_get(ratio, "confidence")) >= 0.95)
        add(to, "%.2f to %.2f%s)", low, high, low <= 1 && high >= 1 ? ": no difference shown" : "");
    else
        add(to, "of %lld round%s: too few for an interval)", rounds, wpg_plural((unsigned long long)rounds));
    return true;
}

static bool format(char *line, size_t size, const json_t *document, char *const *program)
{
    text out = {.data = line, .size = size};
    const char *device = string_of(document, "device");
    const json_t *command = json_object_get(document, "command");
    if (json_integer_value(json_object_get(document, "changed")) == 0)
        add(&out, "changed no pipeline");
    else if (!add_ratio(&out, document))
        return false;
    if (*device)
        add(&out, " on %.100s", device);
    add(&out, ", measured on %.10s with%s", string_of(document, "date"),
        same_words(command, program) ? "" : " other arguments:");
    add_command(&out, command);
    return out.used < size;
}

/* NULL: there is none. */
static json_t *load(const char *profile)
{
    char path[4400];
    return wpg_compare_file_path(path, sizeof path, profile) && access(path, R_OK) == 0
               ? json_load_file(path, 0, NULL)
               : NULL;
}

bool wpg_compare_file_is_current(const char *profile)
{
    json_t *document = load(profile);
    const bool good = document && is_of_profile(document, profile);
    json_decref(document);
    return good;
}

bool wpg_compare_file_line(char *line, size_t size, const char *profile, char *const *program)
{
    json_t *document = program[0] ? load(profile) : NULL;
    const bool good = document && is_of_program(document, program[0]) && is_of_profile(document, profile) &&
                      format(line, size, document, program);
    json_decref(document);
    return good;
}
