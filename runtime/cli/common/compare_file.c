#include "runtime/cli/common/compare_file.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "runtime/bundle/bundle.h"

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

static bool format(char *line, size_t size, const json_t *document)
{
    const char *headline = json_string_value(json_object_get(document, "headline"));
    const char *date = json_string_value(json_object_get(document, "date"));
    const char *device = json_string_value(json_object_get(document, "device"));
    const char *unit = headline ? unit_of(headline) : NULL;
    const json_t *ratio = unit ? json_object_get(json_object_get(document, "ratios"), headline) : NULL;
    if (!json_is_object(ratio) || !date ||
        json_integer_value(json_object_get(document, "wavepgo-compare")) != 1)
        return false;
    char interval[48] = ""; /* one round tells none */
    if (json_integer_value(json_object_get(ratio, "rounds")) > 1)
        (void)snprintf(interval, sizeof interval, " (%.2f to %.2f)",
                       json_number_value(json_object_get(ratio, "low")),
                       json_number_value(json_object_get(ratio, "high")));
    const int used = snprintf(line, size, "%.2f of the %s%s%s%.100s, measured on %.10s",
                              json_number_value(json_object_get(ratio, "ratio")), unit, interval,
                              device ? " on " : "", device ? device : "", date);
    return used > 0 && (size_t)used < size;
}

bool wpg_compare_file_line(char *line, size_t size, const char *profile)
{
    char path[4400];
    if (!wpg_compare_file_path(path, sizeof path, profile))
        return false;
    json_t *document = json_load_file(path, 0, NULL);
    const bool good = document && format(line, size, document);
    json_decref(document);
    return good;
}
