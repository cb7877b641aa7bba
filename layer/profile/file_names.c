#include "layer/profile/file_names.h"

#include <stdio.h>
#include <string.h>

#include "layer/base/state.h"
#include "layer/profile/bundle_files.h"
#include "runtime/base/log.h"
#include "runtime/config/pattern.h"

static void make_path(char *path, size_t size, const char *pattern, const char *hash)
{
    char full[4096], expanded[4096];
    wpg_error err;
    const char *slash = strrchr(pattern, '/');
    (void)snprintf(full, sizeof full, "%s%s", pattern, slash && !slash[1] ? "%b.profraw" : "");
    if (wpg_pattern_expand(expanded, sizeof expanded, full, hash, &err) != WPG_OK) {
        wpg_log_once(WPG_LOG_WARN, "PROFILE_FILE: %s", err.message);
        (void)snprintf(expanded, sizeof expanded, "%s.profraw", hash);
    }
    int length = expanded[0] == '/' ? snprintf(path, size, "%s", expanded)
                                    : snprintf(path, size, "%s/%s", wpg_the_process.folder, expanded);
    if (length < 0 || (size_t)length >= size)
        path[0] = '\0';
}

/* Else one file holds all pipelines. */
static bool is_per_pipeline(const char *pattern)
{
    return wpg_pattern_has(pattern, 'b') || pattern[strlen(pattern) - 1] == '/';
}

static char in_bundle[4096]; /* the default pattern of a bundle */

bool wpg_file_is_own(const char *pattern, wpg_hash128 pipeline)
{
    return is_per_pipeline(pattern) && (pattern != in_bundle || wpg_bundle_takes(pipeline));
}

void wpg_file_nominal(char *path, size_t size, wpg_hash128 pipeline, bool shader_only, const char *pattern)
{
    char hex[WPG_HASH_HEX + 1], name[WPG_HASH_HEX + 16];
    wpg_hash_to_hex(hex, pipeline);
    (void)snprintf(name, sizeof name, "%s%s", shader_only ? "shader-" : "", hex);
    make_path(path, size, pattern,
              wpg_file_is_own(pattern, pipeline) ? name
              : pattern == in_bundle             ? "more"
                                                 : "all");
}

/* A pattern that expands to `folder` and `file`: a percent sign in the folder's name stands for itself. */
static void escape(char *pattern, size_t size, const char *folder, const char *file)
{
    size_t used = 0;
    for (; *folder && used + 2 < size; folder++) {
        if (*folder == '%')
            pattern[used++] = '%';
        pattern[used++] = *folder;
    }
    (void)snprintf(pattern + used, size - used, "%s", file);
}

static void find_in_bundle(void)
{
    escape(in_bundle, sizeof in_bundle, wpg_bundle_folder(), "/%b.profraw");
}

const char *wpg_file_pattern(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const char *pattern = wpg_the_process.settings.profile_file;
    if (pattern && *pattern)
        return pattern;
    if (!wpg_bundle_on())
        return "%e-%b.profraw";
    (void)pthread_once(&once, find_in_bundle);
    return in_bundle;
}
