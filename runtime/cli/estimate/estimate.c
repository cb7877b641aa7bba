/* wavepgo estimate: options, and the steps in order. See estimate.h. */
#include "runtime/cli/estimate/estimate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/bundle/bundle.h"
#include "runtime/bundle/folder.h"
#include "runtime/cli/common/command.h"
#include "runtime/config/settings.h"
#include "runtime/config/values.h"

static bool is_hash(const char *text)
{
    size_t length = 0;
    for (; text[length]; length++)
        if (!isdigit((unsigned char)text[length]) && (text[length] < 'a' || text[length] > 'f'))
            return false;
    return length >= 4 && length <= WPG_HASH_HEX;
}

/* Hidden by the macro from clang-tidy's sizeof check: vectors of pointers. */
#define PUSH(vector, text)                                                                                   \
    wpg_vec_push((vector), (const char *)(text)) /* NOLINT(bugprone-sizeof-expression) */

/* What a setting may be: "a|b|c", or letters. */
static const char *choices_of(const char *setting)
{
    size_t count;
    const wpg_setting_info *table = wpg_settings_table(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].key, setting) == 0)
            return table[i].choices;
    return "";
}

/* The option's value into one of the options that say how forms are made; false: not such an option, or a bad
 * value, which *code then tells. */
static bool parse_how(int *code, wpg_estimate_how *how, const char *text, const char *value, bool *took)
{
    bool letters = strcmp(text, "--skip-passes") == 0, more = strcmp(text, "--and-passes") == 0;
    const bool floats = strcmp(text, "--float") == 0;
    *took = letters || more || floats || strcmp(text, "--repeat") == 0;
    if (strcmp(text, "--version-alone") == 0) {
        how->version_alone = true;
    } else if (strcmp(text, "--no-what-if") == 0) {
        how->no_what_if = true;
    } else if (strcmp(text, "--changed") == 0) {
        how->changed = how->no_what_if = true;
    } else if (!*took) {
        return false;
    } else if (!value) {
        *code = wpg_usage_error(WPG_ESTIMATE_COMMAND, "'%s' needs a value", text);
    } else if (floats) {
        const int choice = wpg_choice_index(choices_of("FLOAT"), value);
        how->floats = (uint32_t)(choice + 1);
        if (choice < 0)
            *code = wpg_usage_error(WPG_ESTIMATE_COMMAND, "--float takes one of %s, not '%s'",
                                    choices_of("FLOAT"), value);
    } else if (letters || more) {
        const char *known = letters ? choices_of("SKIP_PASSES") : WPG_ESTIMATE_AND;
        char *to = letters ? how->skip : how->and_passes;
        size_t size = letters ? sizeof how->skip : sizeof how->and_passes;
        if (value[strspn(value, known)] || strlen(value) >= size)
            *code = wpg_usage_error(WPG_ESTIMATE_COMMAND, "%s: '%s' is not made of the letters %s", text,
                                    value, known);
        else
            (void)snprintf(to, size, "%s", value);
    } else {
        char *end;
        unsigned long count = strtoul(value, &end, 10);
        if (*end || !isdigit((unsigned char)*value) || count < 1 || count > WPG_ESTIMATE_REPEATS)
            *code = wpg_usage_error(WPG_ESTIMATE_COMMAND, "--repeat takes 1 to %d, not '%s'",
                                    WPG_ESTIMATE_REPEATS, value);
        how->repeat = (uint32_t)count;
    }
    return true;
}

static int parse(wpg_estimate *estimate, bool *json, int argc, char **argv)
{
    for (int at = 1; at < argc; at++) {
        const char *text = argv[at];
        bool profile = strcmp(text, "--bundle") == 0 || strcmp(text, "--profile") == 0;
        bool kept = true, took;
        int code = 0;
        if (parse_how(&code, &estimate->how, text, at + 1 < argc ? argv[at + 1] : NULL, &took)) {
            if (code)
                return code;
            at += took;
        } else if (strcmp(text, "--json") == 0) {
            *json = true;
        } else if (profile || strcmp(text, "--driver") == 0) {
            const char **value = profile ? &estimate->profile_path : &estimate->driver;
            if (at + 1 >= argc)
                return wpg_usage_error(WPG_ESTIMATE_COMMAND, "'%s' needs a value", text);
            if (*value)
                return wpg_usage_error(WPG_ESTIMATE_COMMAND, "give one profile and one driver");
            *value = argv[++at];
        } else if (text[0] == '-') {
            return wpg_usage_error(WPG_ESTIMATE_COMMAND, "no option is called '%s'", text);
        } else if (access(text, R_OK) == 0) {
            kept = PUSH(&estimate->places, text);
        } else if (is_hash(text)) {
            kept = PUSH(&estimate->hashes, text);
        } else {
            return wpg_usage_error(WPG_ESTIMATE_COMMAND,
                                   "'%s' is no readable file and no hash (at least 4 digits)", text);
        }
        if (!kept)
            return wpg_complain(WPG_EXIT_FAILED, WPG_ESTIMATE_COMMAND, "out of memory");
    }
    if (!estimate->profile_path)
        return wpg_usage_error(WPG_ESTIMATE_COMMAND,
                               "no profile is given: add --bundle BUNDLE or --profile FILE");
    if (estimate->driver && access(estimate->driver, R_OK) != 0)
        return wpg_complain(WPG_EXIT_FAILED, WPG_ESTIMATE_COMMAND, "%s cannot be read", estimate->driver);
    if (wpg_is_bundle(estimate->profile_path) && !PUSH(&estimate->places, estimate->profile_path))
        return wpg_complain(WPG_EXIT_FAILED, WPG_ESTIMATE_COMMAND, "out of memory");
    if (!estimate->places.count)
        return wpg_usage_error(WPG_ESTIMATE_COMMAND,
                               "%s holds no shaders: name their modules (MODULE.spv...)",
                               estimate->profile_path);
    return 0;
}

static wpg_status look_at_all(wpg_estimate *estimate, const wpg_shader_view *view, wpg_error *err)
{
    WPG_TRY(wpg_estimate_collect(estimate, view, err));
    for (size_t i = 0; i < estimate->pipelines.count; i++) {
        wpg_estimate_pipeline *pipeline = &estimate->pipelines.data[i];
        if (*pipeline->problem)
            continue;
        WPG_TRY(wpg_estimate_make_forms(estimate, pipeline, err));
        if (!*pipeline->problem)
            WPG_TRY(wpg_estimate_compile(estimate, pipeline, err));
    }
    return WPG_OK;
}

static bool any_result(const wpg_estimate *estimate)
{
    if (estimate->how.changed)
        return true; /* that nothing changes is an answer */
    for (size_t i = 0; i < estimate->pipelines.count; i++)
        if (estimate->pipelines.data[i].results[WPG_ESTIMATE_ORIGINAL].count)
            return true;
    return false;
}

static int run(wpg_estimate *estimate, bool json)
{
    wpg_error err = {0};
    wpg_profile *profile = wpg_profile_create();
    wpg_shader_view *view = NULL;
    wpg_status status = profile ? wpg_profile_load(profile, NULL, estimate->profile_path, &err)
                                : wpg_fail(&err, WPG_E_NOMEM, "out of memory");
    if (status == WPG_OK)
        status = wpg_shader_view_create(&view, profile, &err);
    if (status == WPG_OK)
        status = look_at_all(estimate, view, &err);
    int code = 0;
    wpg_report *names = NULL;
    const wpg_report_options options = {.path = estimate->profile_path,
                                        .places = estimate->places.data,
                                        .place_count = estimate->places.count};
    if (status == WPG_OK && wpg_report_load(&names, &options, NULL) == WPG_OK)
        estimate->names = names;
    if (status != WPG_OK) {
        code = wpg_complain(status == WPG_E_UNSUPPORTED ? WPG_ESTIMATE_NO_STATISTICS : WPG_EXIT_FAILED,
                            WPG_ESTIMATE_COMMAND, "%s", err.message);
    } else {
        if (json && wpg_estimate_json(stdout, estimate) != 0)
            code = wpg_complain(WPG_EXIT_FAILED, WPG_ESTIMATE_COMMAND, "out of memory");
        else if (!json)
            wpg_estimate_text(stdout, estimate);
        if (!code && !any_result(estimate))
            code = WPG_EXIT_FAILED;
    }
    wpg_report_destroy(names);
    wpg_shader_view_destroy(view);
    wpg_profile_destroy(profile);
    return code;
}

int wpg_command_estimate(int argc, char **argv)
{
    wpg_estimate estimate = {0};
    bool json = false;
    int code = parse(&estimate, &json, argc, argv);
    if (!code)
        code = run(&estimate, json);
    for (size_t i = 0; i < estimate.pipelines.count; i++)
        wpg_estimate_pipeline_finish(&estimate.pipelines.data[i]);
    wpg_vec_free(&estimate.pipelines);
    wpg_vec_free(&estimate.places);
    wpg_vec_free(&estimate.hashes);
    return code;
}
