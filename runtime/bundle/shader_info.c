#include "runtime/bundle/shader_info.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/file.h"
#include "runtime/base/text.h"

enum { SPIRV_LIMIT = 256 << 20 };

/* -- Facts out of an info */

static wpg_status say(wpg_facts *facts, wpg_error *err, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static wpg_status say(wpg_facts *facts, wpg_error *err, const char *key, const char *fmt, ...)
{
    char text[128];
    va_list args;
    va_start(args, fmt);
    (void)wpg_format_list(text, sizeof text, fmt, args);
    va_end(args);
    return wpg_facts_is(facts, key, text, err);
}

static wpg_status fill(wpg_facts *facts, const wpg_shader_info *info, wpg_error *err)
{
    char key[32], hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, info->words);
    WPG_TRY(wpg_facts_is(facts, "stage", info->stage, err));
    WPG_TRY(wpg_facts_is(facts, "entry", info->entry ? info->entry : "", err));
    WPG_TRY(wpg_facts_is(facts, "words", hex, err));
    WPG_TRY(say(facts, err, "identity", "%" PRIu32, info->identity));
    WPG_TRY(say(facts, err, "normal-form", "%" PRIu32, info->normal_form));
    for (size_t i = 0; i < info->spec_count; i++) {
        const wpg_shader_spec *spec = &info->specs[i];
        (void)snprintf(key, sizeof key, "spec.%" PRIu32, spec->id);
        WPG_TRY(say(facts, err, key, "%" PRIu32 " %0*" PRIx64, spec->size,
                    spec->size <= 8 ? (int)spec->size * 2 : 16, spec->bits));
    }
    for (size_t i = 0; i < info->function_count; i++) {
        const wpg_shader_function *function = &info->functions[i];
        (void)snprintf(key, sizeof key, "function.%" PRIu32, function->ordinal);
        WPG_TRY(say(facts, err, key, "%016" PRIx64 " %" PRIu32, function->checksum, function->block_count));
    }
    return WPG_OK;
}

wpg_status wpg_shader_info_encode(wpg_facts **out, const wpg_shader_info *info, wpg_error *err)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, info->shader);
    wpg_facts *facts = wpg_facts_create("shader", hex);
    if (!facts)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a shader's facts");
    wpg_status status = fill(facts, info, err);
    if (status == WPG_OK)
        *out = facts;
    else
        wpg_facts_destroy(facts);
    return status;
}

/* -- An info out of facts */

static bool number_after(uint32_t *number, const char *key, const char *prefix)
{
    size_t length = strlen(prefix);
    int used = 0;
    if (strncmp(key, prefix, length) != 0 || key[length] < '0' || key[length] > '9')
        return false;
    return strlen(key + length) <= 9 && sscanf(key + length, "%" SCNu32 "%n", number, &used) == 1 &&
           key[length + (size_t)used] == '\0';
}

static wpg_status take(wpg_shader_info *info, const wpg_fact *fact, wpg_error *err)
{
    wpg_shader_spec spec = {0};
    wpg_shader_function function = {0};
    int used = 0;
    if (fact->rule != WPG_FACT_IS)
        return WPG_OK; /* a later version's */
    if (number_after(&spec.id, fact->key, "spec.")) {
        if (sscanf(fact->text, "%1" SCNu32 " %16" SCNx64 "%n", &spec.size, &spec.bits, &used) != 2 ||
            fact->text[used] || (spec.size != 1 && spec.size != 2 && spec.size != 4 && spec.size != 8))
            return wpg_fail(err, WPG_E_FORMAT, "%s is malformed: %.40s", fact->key, fact->text);
        info->specs[info->spec_count++] = spec;
    } else if (number_after(&function.ordinal, fact->key, "function.")) {
        if (sscanf(fact->text, "%16" SCNx64 " %9" SCNu32 "%n", &function.checksum, &function.block_count,
                   &used) != 2 ||
            fact->text[used])
            return wpg_fail(err, WPG_E_FORMAT, "%s is malformed: %.40s", fact->key, fact->text);
        info->functions[info->function_count++] = function;
    }
    return WPG_OK;
}

static int by_id(const void *a, const void *b)
{
    uint32_t left = ((const wpg_shader_spec *)a)->id, right = ((const wpg_shader_spec *)b)->id;
    return left < right ? -1 : left > right;
}

static int by_ordinal(const void *a, const void *b)
{
    uint32_t left = ((const wpg_shader_function *)a)->ordinal,
             right = ((const wpg_shader_function *)b)->ordinal;
    return left < right ? -1 : left > right;
}

static wpg_status decode(wpg_shader_info *info, const wpg_facts *facts, wpg_error *err)
{
    const char *stage = wpg_facts_get_text(facts, "stage");
    size_t room = wpg_facts_size(facts) + 1;
    if (strcmp(wpg_facts_kind(facts), "shader") != 0 || strlen(wpg_facts_subject(facts)) != WPG_HASH_HEX ||
        !wpg_hash_from_hex(&info->shader, wpg_facts_subject(facts)))
        return wpg_fail(err, WPG_E_FORMAT, "these facts are not of a shader");
    if (!*stage || strlen(stage) >= sizeof info->stage)
        return wpg_fail(err, WPG_E_FORMAT, "the stage of shader %s is not given", wpg_facts_subject(facts));
    memcpy(info->stage, stage, strlen(stage) + 1);
    (void)wpg_hash_from_hex(&info->words, wpg_facts_get_text(facts, "words"));
    const char *identity = wpg_facts_get_text(facts, "identity");
    info->identity = *identity ? (uint32_t)strtoul(identity, NULL, 10) : 1;
    info->normal_form = (uint32_t)strtoul(wpg_facts_get_text(facts, "normal-form"), NULL, 10);
    info->entry = strdup(wpg_facts_get_text(facts, "entry"));
    info->specs = calloc(room, sizeof *info->specs);
    info->functions = calloc(room, sizeof *info->functions);
    if (!info->entry || !info->specs || !info->functions)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a shader's facts");
    for (size_t i = 0; i < wpg_facts_size(facts); i++)
        WPG_TRY(take(info, wpg_facts_at(facts, i), err));
    qsort(info->specs, info->spec_count, sizeof *info->specs, by_id);
    qsort(info->functions, info->function_count, sizeof *info->functions, by_ordinal);
    return WPG_OK;
}

wpg_status wpg_shader_info_decode(wpg_shader_info *info, const wpg_facts *facts, wpg_error *err)
{
    wpg_shader_info made = {0};
    wpg_status status = decode(&made, facts, err);
    if (status == WPG_OK)
        *info = made;
    else
        wpg_shader_info_finish(&made);
    return status;
}

void wpg_shader_info_finish(wpg_shader_info *info)
{
    free(info->entry);
    free(info->specs);
    free(info->functions);
    *info = (wpg_shader_info){0};
}

/* -- In a bundle */

wpg_status wpg_bundle_shader_path(char *path, size_t size, const char *bundle, wpg_hash128 shader,
                                  const char *ending, wpg_error *err)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, shader);
    int length = snprintf(path, size, "%s/shaders/%s%s", bundle, hex, ending);
    return length >= 0 && (size_t)length < size ? WPG_OK : wpg_fail(err, WPG_E_LIMIT, "a path is too long");
}

wpg_status wpg_bundle_shader_info(wpg_shader_info *info, const char *bundle, wpg_hash128 shader,
                                  wpg_error *err)
{
    char path[4200];
    wpg_facts *facts;
    WPG_TRY(wpg_bundle_shader_path(path, sizeof path, bundle, shader, ".info", err));
    WPG_TRY(wpg_facts_read_file(&facts, path, err));
    wpg_status status = wpg_shader_info_decode(info, facts, err);
    wpg_facts_destroy(facts);
    return status;
}

wpg_status wpg_bundle_shader_words(uint32_t **words, size_t *count, const char *bundle, wpg_hash128 shader,
                                   wpg_error *err)
{
    char path[4200];
    uint8_t *data;
    size_t size;
    WPG_TRY(wpg_bundle_shader_path(path, sizeof path, bundle, shader, ".spv", err));
    WPG_TRY(wpg_file_read(&data, &size, path, SPIRV_LIMIT, err));
    if (size == 0 || size % sizeof **words) {
        free(data);
        return wpg_fail(err, WPG_E_FORMAT, "%s: not a number of whole words", path);
    }
    *words = (uint32_t *)(void *)data; /* malloc'd: aligned for any type */
    *count = size / sizeof **words;
    return WPG_OK;
}
