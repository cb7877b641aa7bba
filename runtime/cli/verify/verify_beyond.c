/* Pipelines beyond BUNDLE_PIPELINES have counts in a bundle, but neither facts nor shaders. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/bundle/bundle.h"
#include "runtime/cli/verify/verify.h"

static bool has_facts(const char *const *bundles, size_t count, wpg_hash128 pipeline)
{
    char hex[WPG_HASH_HEX + 1], path[8400];
    wpg_hash_to_hex(hex, pipeline);
    for (size_t i = 0; i < count; i++)
        if (wpg_bundle_facts_path(path, sizeof path, bundles[i], "pipeline", hex, "", NULL) == WPG_OK &&
            access(path, F_OK) == 0)
            return true;
    return false;
}

/* Library parts and shader objects stand in no pipeline record. */
static bool has_shared_file(const char *const *bundles, size_t count)
{
    char path[8400];
    for (size_t i = 0; i < count; i++)
        if (snprintf(path, sizeof path, "%s/more.profraw", bundles[i]) < (int)sizeof path &&
            access(path, F_OK) == 0)
            return true;
    return false;
}

/* Of each shader of some pipeline: 1 if the facts of one of them are in a bundle, else 0. */
static bool note_shaders(wpg_map *known, const wpg_shader_view *view, const char *const *bundles,
                         size_t count)
{
    bool good = true;
    for (size_t p = 0; good && p < view->pipeline_count; p++) {
        const wpg_pipeline_counts *pipeline = &view->pipelines[p];
        const bool facts = has_facts(bundles, count, pipeline->pipeline);
        for (size_t s = 0; good && s < pipeline->stage_count; s++) {
            const uint64_t key = pipeline->stages[s].shader.low;
            uint64_t before = 0;
            (void)wpg_map_get(known, key, &before);
            good = wpg_map_set(known, key, before || facts);
        }
    }
    return good;
}

wpg_status wpg_verify_beyond_find(wpg_verify_beyond *beyond, const wpg_shader_view *view,
                                  const char *const *places, size_t count, wpg_error *err)
{
    const char **bundles = calloc(count ? count : 1, sizeof *bundles);
    size_t bundle_count = 0;
    *beyond = (wpg_verify_beyond){0};
    for (size_t i = 0; bundles && i < count; i++)
        if (wpg_is_bundle(places[i]))
            bundles[bundle_count++] = places[i];
    bool good = bundles != NULL;
    if (bundle_count) {
        beyond->any = true;
        beyond->shared_file = has_shared_file(bundles, bundle_count);
        good = note_shaders(&beyond->shaders, view, bundles, bundle_count);
    }
    free(bundles);
    if (good)
        return WPG_OK;
    wpg_map_free(&beyond->shaders);
    return wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

bool wpg_verify_is_beyond(const wpg_verify_beyond *beyond, wpg_hash128 shader)
{
    uint64_t facts;
    if (!beyond->any)
        return false;
    return wpg_map_get(&beyond->shaders, shader.low, &facts) ? !facts : beyond->shared_file;
}

void wpg_verify_beyond_finish(wpg_verify_beyond *beyond)
{
    wpg_map_free(&beyond->shaders);
}
