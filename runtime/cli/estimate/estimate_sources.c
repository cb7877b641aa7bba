/* Finds the pipelines to estimate, and the SPIR-V of their stages. Pipelines come from the profile's pipeline
 * records; SPIR-V from bundles, folders of <hash>.spv and files. */
#include "runtime/cli/estimate/estimate.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/bundle/bundle.h"
#include "runtime/report/text/heat.h"
#include "runtime/report/model/shader_source.h"

/* -- Modules */

static wpg_status read_from(wpg_estimate_stage *to, const char *place, const wpg_shader_counts *shader,
                            wpg_error *err)
{
    wpg_shader_source source;
    bool in_folder;
    WPG_TRY(wpg_shader_source_find(&source, &in_folder, place, shader, err));
    to->stage = source.stage;
    to->spec = source.spec;
    to->forms[WPG_ESTIMATE_ORIGINAL] = (wpg_estimate_words){.words = source.words, .count = source.count};
    wpg_module_destroy(source.module);
    return WPG_OK;
}

/* -- Stages */

/* In the order a pipeline runs them; those that no pipeline of ours can have are not in it. */
static const char *const stage_order[] = {"vert", "tesc", "tese", "geom", "frag", "comp"};

static int place_of(const char *stage)
{
    for (int i = 0; i < (int)(sizeof stage_order / sizeof *stage_order); i++)
        if (strcmp(stage_order[i], stage) == 0)
            return i;
    return -1;
}

static bool found_stage(wpg_estimate_pipeline *pipeline, const wpg_estimate *estimate,
                        const wpg_shader_view *view, wpg_hash128 shader, const char *stage, const char *entry)
{
    wpg_estimate_stage made = {0};
    made.functions = wpg_shader_view_find(&made.counts, view, shader, stage, entry);
    bool found = false;
    for (size_t i = 0; made.functions && i < estimate->places.count && !found; i++)
        found = read_from(&made, estimate->places.data[i], made.counts, NULL) == WPG_OK;
    if (!found && !*pipeline->problem)
        (void)snprintf(pipeline->problem, sizeof pipeline->problem, "%s: %s", stage,
                       made.functions ? "its SPIR-V is not at hand" : "it was not counted");
    for (size_t i = 0; found && i < made.functions; i++) {
        wpg_shader_totals totals = wpg_shader_sum(&made.counts[i]);
        pipeline->heat += made.counts[i].waves ? totals.waves : totals.lanes;
        made.by_lanes |= !made.counts[i].waves;
        made.sampled |= made.counts[i].samples != NULL;
    }
    if (found)
        pipeline->stages[pipeline->stage_count++] = made;
    return found;
}

static void no_such_pipeline(wpg_estimate_pipeline *pipeline, const char *stage)
{
    (void)snprintf(pipeline->problem, sizeof pipeline->problem,
                   "not possible: a pipeline with a stage %s cannot be made from its shaders alone", stage);
}

/* The stages whose modules are at hand, in order; how many. */
static size_t fill_stages(wpg_estimate_pipeline *pipeline, const wpg_estimate *estimate,
                          const wpg_shader_view *view, const wpg_pipeline_counts *from)
{
    size_t found = 0;
    for (int place = 0; place < (int)(sizeof stage_order / sizeof *stage_order); place++)
        for (size_t i = 0; i < from->stage_count; i++) {
            const wpg_pipeline_stage_counts *stage = &from->stages[i];
            if (place_of(stage->stage) == place && pipeline->stage_count < WPG_ESTIMATE_STAGES)
                found += found_stage(pipeline, estimate, view, stage->shader, stage->stage, stage->entry);
        }
    for (size_t i = 0; i < from->stage_count; i++)
        if (place_of(from->stages[i].stage) < 0) {
            no_such_pipeline(pipeline, from->stages[i].stage);
            found++; /* it is told of */
        }
    if (!*pipeline->problem && pipeline->stage_count != from->stage_count)
        (void)snprintf(pipeline->problem, sizeof pipeline->problem,
                       "not possible: the profile has %zu stages of it", from->stage_count);
    if (!*pipeline->problem && strcmp(pipeline->stages[0].counts->stage, "vert") != 0 &&
        strcmp(pipeline->stages[0].counts->stage, "comp") != 0)
        (void)snprintf(pipeline->problem, sizeof pipeline->problem,
                       "not possible: no vertex shader of it was counted");
    return found;
}

/* -- What is asked for */

static bool starts_with(wpg_hash128 hash, const char *digits)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(hex, hash);
    return strncmp(hex, digits, strlen(digits)) == 0;
}

/* Is the pipeline, or the shader of one of its stages, asked for? Marks what it was asked for by. */
static bool is_wanted(const wpg_estimate *estimate, bool *met, wpg_hash128 hash,
                      const wpg_pipeline_counts *pipeline)
{
    bool wanted = estimate->hashes.count == 0;
    for (size_t i = 0; i < estimate->hashes.count; i++) {
        bool is = starts_with(hash, estimate->hashes.data[i]);
        for (size_t s = 0; pipeline && s < pipeline->stage_count; s++)
            is |= starts_with(pipeline->stages[s].shader, estimate->hashes.data[i]);
        met[i] |= is;
        wanted |= is;
    }
    return wanted;
}

static bool in_pipeline(const wpg_shader_view *view, wpg_hash128 shader)
{
    for (size_t i = 0; i < view->pipeline_count; i++)
        for (size_t s = 0; s < view->pipelines[i].stage_count; s++)
            if (wpg_hash_equal(view->pipelines[i].stages[s].shader, shader))
                return true;
    return false;
}

/* Words of push constants that nearly always had one value, as a variant takes them (VARIANT_SHARE). */
static void find_pushes(wpg_estimate_pipeline *pipeline, const wpg_facts *facts)
{
    for (uint32_t word = 0; facts && word < WPG_PUSH_FOLD_WORDS; word++) {
        char key[24];
        (void)snprintf(key, sizeof key, "push.%02u", (unsigned)word);
        const wpg_fact *fact = wpg_facts_find(facts, key);
        if (!fact || fact->rule != WPG_FACT_COUNT || !fact->value_count)
            continue;
        (void)snprintf(key, sizeof key, "unpushed.%02u", (unsigned)word);
        double all = (double)fact->n + (double)wpg_facts_get_sum(facts, key);
        for (size_t i = 0; i < fact->value_count; i++)
            all += (double)fact->values[i].n;
        if ((double)fact->values[0].n >= 0.99 * all)
            pipeline->push_along |= UINT64_C(1) << word;
        if ((double)fact->values[0].n >= 0.9 * all)
            pipeline->pushes[pipeline->push_count++] = (wpg_push_value){
                .offset = 4 * word, .value = (uint32_t)strtoul(fact->values[0].value, NULL, 16)};
    }
}

static int hotter(const void *left, const void *right)
{
    const wpg_estimate_pipeline *a = left, *b = right;
    if (a->gpu_nanoseconds != b->gpu_nanoseconds)
        return a->gpu_nanoseconds > b->gpu_nanoseconds ? -1 : 1;
    if (a->heat != b->heat)
        return a->heat > b->heat ? -1 : 1;
    char x[WPG_HASH_HEX + 1], y[WPG_HASH_HEX + 1];
    wpg_hash_to_hex(x, a->hash);
    wpg_hash_to_hex(y, b->hash);
    return strcmp(x, y);
}

static wpg_status keep(wpg_estimate *estimate, wpg_estimate_pipeline *pipeline, size_t found, wpg_error *err)
{
    if (found && wpg_vec_push(&estimate->pipelines, *pipeline))
        return WPG_OK;
    wpg_estimate_pipeline_finish(pipeline);
    estimate->without_modules++;
    return found ? wpg_fail(err, WPG_E_NOMEM, "out of memory") : WPG_OK;
}

static wpg_status collect(wpg_estimate *estimate, bool *met, const wpg_shader_view *view,
                          const wpg_bundle *bundle, wpg_error *err)
{
    for (size_t i = 0; i < view->pipeline_count; i++) {
        const wpg_pipeline_counts *from = &view->pipelines[i];
        wpg_estimate_pipeline pipeline = {.hash = from->pipeline};
        if (!is_wanted(estimate, met, from->pipeline, from))
            continue;
        char hex[WPG_HASH_HEX + 1];
        wpg_hash_to_hex(hex, from->pipeline);
        const wpg_facts *facts = wpg_bundle_find(bundle, "pipeline", hex);
        pipeline.gpu_nanoseconds = facts ? wpg_facts_get_sum(facts, "gpu-nanoseconds") : 0;
        estimate->by_time |= pipeline.gpu_nanoseconds != 0;
        find_pushes(&pipeline, facts);
        size_t found = fill_stages(&pipeline, estimate, view, from);
        WPG_TRY(keep(estimate, &pipeline, found, err));
    }
    /* Compute shaders that are in no pipeline: shader objects. */
    for (size_t i = 0; i < view->shader_count; i++) {
        const wpg_shader_counts *shader = &view->shaders[i];
        wpg_estimate_pipeline pipeline = {.hash = shader->shader, .is_shader = true};
        if (shader->function || strcmp(shader->stage, "comp") != 0 || in_pipeline(view, shader->shader) ||
            !is_wanted(estimate, met, shader->shader, NULL))
            continue;
        size_t found = found_stage(&pipeline, estimate, view, shader->shader, shader->stage, shader->entry);
        WPG_TRY(keep(estimate, &pipeline, found, err));
    }
    return WPG_OK;
}

wpg_status wpg_estimate_collect(wpg_estimate *estimate, const wpg_shader_view *view, wpg_error *err)
{
    wpg_bundle bundle = {0};
    wpg_status status = WPG_OK;
    if (wpg_is_bundle(estimate->profile_path))
        status = wpg_bundle_load(&bundle, estimate->profile_path, 1, err);
    bool *met = calloc(estimate->hashes.count + 1, sizeof *met);
    if (status == WPG_OK && !met)
        status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
    if (status == WPG_OK)
        status = collect(estimate, met, view, &bundle, err);
    for (size_t i = 0; status == WPG_OK && i < estimate->hashes.count; i++)
        if (!met[i])
            status = wpg_fail(err, WPG_E_NOT_FOUND, "%s has no pipeline or shader %s", estimate->profile_path,
                              estimate->hashes.data[i]);
    if (status == WPG_OK && !estimate->pipelines.count)
        status = wpg_fail(err, WPG_E_NOT_FOUND, "none of the given modules belongs to a pipeline of %s",
                          estimate->profile_path);
    if (status == WPG_OK)
        qsort(estimate->pipelines.data, estimate->pipelines.count, sizeof *estimate->pipelines.data, hotter);
    free(met);
    wpg_bundle_finish(&bundle);
    return status;
}

static void result_finish(wpg_estimate_result *result)
{
    for (size_t i = 0; i < result->count; i++)
        free(result->executables[i].statistics);
    free(result->executables);
}

void wpg_estimate_pipeline_finish(wpg_estimate_pipeline *pipeline)
{
    for (size_t i = 0; i < pipeline->stage_count; i++) {
        free(pipeline->stages[i].spec);
        for (int form = 0; form < WPG_ESTIMATE_FORMS; form++)
            free(pipeline->stages[i].forms[form].words);
    }
    for (int form = 0; form < WPG_ESTIMATE_FORMS; form++)
        result_finish(&pipeline->results[form]);
    *pipeline = (wpg_estimate_pipeline){0};
}
