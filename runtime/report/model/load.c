/* Loads a report: profile and bundle, then each shader's module, then costs and order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/normalize/normalize.h"
#include "runtime/base/arithmetic.h"
#include "runtime/base/map.h"
#include "runtime/bundle/folder.h"
#include "runtime/report/model/internal.h"
#include "runtime/report/model/shader_source.h"

static wpg_status no_memory(wpg_error *err)
{
    return wpg_fail(err, WPG_E_NOMEM, "out of memory");
}

/* -- Shaders from the profile */

static wpg_status make_function(wpg_report_function *function, wpg_report_shader *shader,
                                const wpg_shader_counts *counts, wpg_arena *arena)
{
    function->counts = counts;
    function->blocks = WPG_ARENA_ARRAY(arena, wpg_report_block, counts->block_count);
    if (!function->blocks)
        return WPG_E_NOMEM;
    shader->has_lanes |= counts->lanes != NULL;
    shader->has_waves |= counts->waves != NULL;
    shader->has_uniform |= counts->uniform != NULL;
    for (size_t b = 0; b < counts->block_count; b++) {
        wpg_report_block *block = &function->blocks[b];
        *block = (wpg_report_block){.lanes = counts->lanes ? counts->lanes[b] : 0,
                                    .waves = counts->waves ? counts->waves[b] : 0,
                                    .uniform = counts->uniform ? counts->uniform[b] : 0,
                                    .file = WPG_REPORT_NONE,
                                    .idom = WPG_REPORT_NONE};
        shader->most_lanes = block->lanes > shader->most_lanes ? block->lanes : shader->most_lanes;
        shader->most_waves = block->waves > shader->most_waves ? block->waves : shader->most_waves;
    }
    if (counts->function == 0 && counts->block_count) {
        shader->lanes = wpg_add_saturating(shader->lanes, function->blocks[0].lanes);
        shader->waves = wpg_add_saturating(shader->waves, function->blocks[0].waves);
    }
    return WPG_OK;
}

static wpg_status make_shaders(wpg_report *report, wpg_error *err)
{
    const wpg_shader_view *view = report->view;
    report->shaders = WPG_ARENA_ARRAY(&report->arena, wpg_report_shader, view->shader_count);
    if (!report->shaders)
        return no_memory(err);
    for (size_t i = 0, count; i < view->shader_count; i += count) {
        const wpg_shader_counts *first = &view->shaders[i];
        wpg_report_shader *shader = &report->shaders[report->shader_count++];
        count = wpg_shader_view_find(&first, view, first->shader, first->stage, first->entry);
        *shader = (wpg_report_shader){.hash = first->shader, .stage = first->stage, .entry = first->entry};
        wpg_hash_to_hex(shader->hex, first->shader);
        shader->functions = WPG_ARENA_ARRAY(&report->arena, wpg_report_function, count);
        if (!shader->functions)
            return no_memory(err);
        for (size_t k = 0; k < count; k++)
            if (make_function(&shader->functions[shader->function_count++], shader, &first[k],
                              &report->arena) != WPG_OK)
                return no_memory(err);
    }
    return WPG_OK;
}

/* -- Modules */

static wpg_status read_module(wpg_report_loader *loader, wpg_report_shader *shader, wpg_shader_source *found,
                              wpg_error *err)
{
    wpg_report_sources sources;
    WPG_TRY(wpg_report_read_sources(&sources, loader, found->module, err));
    shader->name = wpg_report_module_name(loader, found->module, &sources, &found->stage);
    WPG_TRY(wpg_normalize(found->module, &found->stage, NULL, err));
    wpg_stage normal = found->stage; /* the normal form bears the values of specialisation */
    normal.spec = NULL;
    normal.spec_count = 0;
    WPG_TRY(wpg_report_read_blocks(loader, shader, &sources, found->module, &normal, err));
    return wpg_report_read_lines(loader, shader, &sources, found->words, found->count, &found->stage, err);
}

bool wpg_report_find_source(wpg_shader_source *source, const wpg_report_loader *loader,
                            const wpg_report_shader *shader, wpg_error *err)
{
    const wpg_report *report = loader->report;
    bool in_folder;
    const wpg_report_options *options = loader->options;
    for (size_t i = 0; i <= options->more_count + options->place_count; i++) {
        const char *place = i > options->more_count ? options->places[i - 1 - options->more_count]
                            : i                     ? options->more[i - 1]
                                                    : report->path;
        if (i <= options->more_count && !wpg_is_bundle(place))
            continue;
        if (wpg_shader_source_find(source, &in_folder, place, shader->functions[0].counts, err) == WPG_OK)
            return true;
    }
    return false;
}

static wpg_status find_module(wpg_report_loader *loader, wpg_report_shader *shader)
{
    wpg_error err = {0};
    wpg_shader_source found;
    const bool there = wpg_report_find_source(&found, loader, shader, &err);
    const wpg_status status = there ? read_module(loader, shader, &found, &err) : WPG_E_NOT_FOUND;
    if (there)
        wpg_shader_source_finish(&found);
    shader->has_module = status == WPG_OK;
    if (!there)
        shader->no_module = loader->report->is_bundle ? "the bundle has no SPIR-V of it"
                                                      : "a profile has no SPIR-V: give the bundle";
    else if (status != WPG_OK)
        shader->no_module = wpg_arena_strdup(&loader->report->arena, err.message);
    return status == WPG_E_NOMEM ? status : WPG_OK;
}

static void add_work(wpg_report_shader *shader)
{
    for (size_t i = 0; i < shader->function_count; i++)
        for (size_t b = 0; b < shader->functions[i].counts->block_count; b++) {
            const wpg_report_block *block = &shader->functions[i].blocks[b];
            const uint64_t weight = shader->has_module ? block->instructions : 1;
            const uint64_t lanes = wpg_multiply_saturating(block->lanes, weight);
            shader->work_lanes = wpg_add_saturating(shader->work_lanes, lanes);
            shader->work_waves =
                wpg_add_saturating(shader->work_waves, wpg_multiply_saturating(block->waves, weight));
        }
}

/* -- Pipelines */

/* Low half of a shader's hash -> the first shader with it. */
static wpg_status index_shaders(wpg_map *first, const wpg_report *report, wpg_error *err)
{
    for (size_t i = 0; i < report->shader_count; i++)
        if (!wpg_map_get(first, report->shaders[i].hash.low, NULL) &&
            !wpg_map_set(first, report->shaders[i].hash.low, i))
            return no_memory(err);
    return WPG_OK;
}

static uint32_t shader_index(const wpg_report *report, const wpg_map *first,
                             const wpg_pipeline_stage_counts *stage)
{
    uint64_t at = report->shader_count;
    (void)wpg_map_get(first, stage->shader.low, &at);
    for (size_t i = (size_t)at; i < report->shader_count; i++)
        if (wpg_hash_equal(report->shaders[i].hash, stage->shader) &&
            strcmp(report->shaders[i].stage, stage->stage) == 0 &&
            strcmp(report->shaders[i].entry, stage->entry) == 0)
            return (uint32_t)i;
    return WPG_REPORT_NONE;
}

/* Each text once. */
static void read_making(wpg_report *report, const wpg_facts *facts)
{
    for (size_t i = 0; i < wpg_facts_size(facts); i++) {
        const wpg_fact *fact = wpg_facts_at(facts, i);
        size_t at = 0;
        if (fact->rule != WPG_FACT_IS || strncmp(fact->key, "made.", strlen("made.")) != 0)
            continue;
        while (at < report->made.count && strcmp(report->made.data[at], fact->text) != 0)
            at++;
        if (at == report->made.count)
            (void)wpg_vec_push(&report->made,
                               (const char *)fact->text); /* NOLINT(bugprone-sizeof-expression) */
    }
}

static void read_facts(wpg_report *report, wpg_report_pipeline *pipeline, const wpg_facts *facts)
{
    if (!facts)
        return;
    read_making(report, facts);
    pipeline->has_facts = true;
    pipeline->draws = wpg_facts_get_sum(facts, "draws");
    pipeline->dispatches = wpg_facts_get_sum(facts, "dispatches");
    pipeline->submissions = wpg_facts_get_sum(facts, "submissions");
    pipeline->gpu_ns = wpg_facts_get_sum(facts, "gpu-nanoseconds");
    pipeline->timed = wpg_facts_get_sum(facts, "gpu-commands");
    const uint64_t first = wpg_facts_get_sum(facts, "gpu-first-nanoseconds"),
                   commands = wpg_facts_get_sum(facts, "gpu-first-commands");
    if (commands < pipeline->timed && first <= pipeline->gpu_ns) { /* a driver may compile in them */
        pipeline->gpu_ns -= first;
        pipeline->timed -= commands;
    }
    pipeline->has_time = wpg_facts_find(facts, "gpu-nanoseconds") != NULL;
}

/* "is stage.frag HASH ENTRY". False: no such fact, or a shader without counts. */
static bool stage_of_fact(wpg_report_stage *stage, const wpg_report *report, const wpg_map *first,
                          const wpg_fact *fact)
{
    wpg_pipeline_stage_counts of = {.entry = ""};
    if (fact->rule != WPG_FACT_IS || strncmp(fact->key, "stage.", strlen("stage.")) != 0 ||
        strlen(fact->text) < WPG_HASH_HEX + 1 || !wpg_hash_from_hex(&of.shader, fact->text))
        return false;
    (void)snprintf(of.stage, sizeof of.stage, "%.7s", fact->key + strlen("stage."));
    of.entry = fact->text + WPG_HASH_HEX + 1;
    *stage = (wpg_report_stage){.shader = shader_index(report, first, &of), .shared = true};
    return stage->shader != WPG_REPORT_NONE;
}

/* Pipelines that the bundle has facts of, and no counts: they were linked from libraries, whose shaders count
 * for themselves. */
static wpg_status add_linked(wpg_report *report, const wpg_map *first, wpg_error *err)
{
    for (size_t i = 0; i < report->bundle.sets.count; i++) {
        const wpg_facts *facts = report->bundle.sets.data[i];
        wpg_hash128 hash;
        if (strcmp(wpg_facts_kind(facts), "pipeline") != 0 ||
            !wpg_hash_from_hex(&hash, wpg_facts_subject(facts)) ||
            wpg_shader_view_find_pipeline(report->view, hash))
            continue;
        wpg_report_pipeline *pipeline = &report->pipelines[report->pipeline_count];
        *pipeline = (wpg_report_pipeline){.hash = hash};
        wpg_hash_to_hex(pipeline->hex, hash);
        pipeline->stages = WPG_ARENA_ARRAY(&report->arena, wpg_report_stage, wpg_facts_size(facts));
        if (!pipeline->stages)
            return no_memory(err);
        for (size_t k = 0; k < wpg_facts_size(facts); k++)
            pipeline->stage_count += stage_of_fact(&pipeline->stages[pipeline->stage_count], report, first,
                                                   wpg_facts_at(facts, k));
        read_facts(report, pipeline, facts);
        report->pipeline_count += pipeline->stage_count > 0;
    }
    return WPG_OK;
}

static wpg_status link_stages(wpg_report *report, const wpg_map *first, wpg_error *err)
{
    const wpg_shader_view *view = report->view;
    report->pipelines = WPG_ARENA_ARRAY(&report->arena, wpg_report_pipeline,
                                        view->pipeline_count + report->bundle.sets.count);
    if (!report->pipelines)
        return no_memory(err);
    for (size_t i = 0; i < view->pipeline_count; i++) {
        const wpg_pipeline_counts *counts = &view->pipelines[i];
        wpg_report_pipeline *pipeline = &report->pipelines[report->pipeline_count++];
        *pipeline = (wpg_report_pipeline){.hash = counts->pipeline};
        wpg_hash_to_hex(pipeline->hex, counts->pipeline);
        pipeline->stages = WPG_ARENA_ARRAY(&report->arena, wpg_report_stage, counts->stage_count);
        if (!pipeline->stages)
            return no_memory(err);
        for (size_t k = 0; k < counts->stage_count; k++) {
            const uint64_t *counters = counts->stages[k].counters;
            const uint32_t shader = shader_index(report, first, &counts->stages[k]);
            if (shader != WPG_REPORT_NONE)
                pipeline->stages[pipeline->stage_count++] =
                    (wpg_report_stage){.shader = shader,
                                       .runs = counters[WPG_PIPELINE_RUNS],
                                       .lanes = counters[WPG_PIPELINE_LANES],
                                       .waves = counters[WPG_PIPELINE_WAVES],
                                       .has_waves = counters[WPG_PIPELINE_WAVES_RUNS] > 0};
        }
        if (report->is_bundle)
            read_facts(report, pipeline, wpg_bundle_find(&report->bundle, "pipeline", pipeline->hex));
    }
    return add_linked(report, first, err);
}

static wpg_status make_pipelines(wpg_report *report, wpg_error *err)
{
    wpg_map first = {0};
    wpg_status status = index_shaders(&first, report, err);
    if (status == WPG_OK)
        status = link_stages(report, &first, err);
    wpg_map_free(&first);
    return status;
}

/* -- Costs and order */

/* Lanes a wave over all work that was counted in waves: what lanes are divided by where waves are absent. */
static double lanes_per_wave(const wpg_report *report)
{
    double lanes = 0, waves = 0;
    for (size_t i = 0; i < report->shader_count; i++)
        if (report->shaders[i].work_waves) {
            lanes += (double)report->shaders[i].work_lanes;
            waves += (double)report->shaders[i].work_waves;
        }
    return waves > 0 && lanes > waves ? lanes / waves : 1;
}

static double work_of(const wpg_report_shader *shader, double width)
{
    return shader->work_waves ? (double)shader->work_waves : (double)shader->work_lanes / width;
}

/* The pipeline's part of its shaders' work, by entering lanes. users: how many linked pipelines share each
 * shader. */
static double work_of_pipeline(const wpg_report *report, wpg_report_pipeline *pipeline, const size_t *users,
                               double width)
{
    pipeline->work = 0;
    for (size_t i = 0; i < pipeline->stage_count; i++) {
        const wpg_report_shader *shader = &report->shaders[pipeline->stages[i].shader];
        const wpg_report_stage *stage = &pipeline->stages[i];
        const double part = stage->shared   ? 1 / (double)users[stage->shader]
                            : shader->lanes ? (double)stage->lanes / (double)shader->lanes
                                            : 0;
        pipeline->stages[i].work = work_of(shader, width) * (part < 1 ? part : 1);
        pipeline->work += pipeline->stages[i].work;
    }
    return pipeline->work;
}

static int dearer_shader(const void *left, const void *right)
{
    const wpg_report_shader *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost > b->cost ? -1 : 1;
    return strcmp(a->hex, b->hex);
}

static int dearer_pipeline(const void *left, const void *right)
{
    const wpg_report_pipeline *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost > b->cost ? -1 : 1;
    return strcmp(a->hex, b->hex);
}

static void rank_shaders(wpg_report *report, double width)
{
    for (size_t i = 0; i < report->shader_count; i++)
        report->shaders[i].cost = work_of(&report->shaders[i], width);
    qsort(report->shaders, report->shader_count, sizeof *report->shaders, dearer_shader);
}

/* Work of the shaders that no pipeline has. users: how many have each. */
static double work_alone(wpg_report *report, const size_t *users)
{
    double work = 0;
    for (size_t i = 0; i < report->shader_count; i++)
        if (!users[i]) {
            work += report->shaders[i].cost;
            report->alone_count++;
        }
    return work;
}

static wpg_status rank_pipelines(wpg_report *report, double width)
{
    double all = 0;
    size_t *users = calloc(2 * report->shader_count + 1, sizeof *users);
    if (!users)
        return WPG_E_NOMEM;
    size_t *any = users + report->shader_count; /* linked or not */
    for (size_t i = 0; i < report->pipeline_count; i++)
        for (size_t k = 0; k < report->pipelines[i].stage_count; k++) {
            users[report->pipelines[i].stages[k].shader] += report->pipelines[i].stages[k].shared;
            any[report->pipelines[i].stages[k].shader]++;
        }
    const double alone = work_alone(report, any);
    report->cost_is_time = report->pipeline_count > 0;
    for (size_t i = 0; i < report->pipeline_count; i++) {
        wpg_report_pipeline *pipeline = &report->pipelines[i];
        pipeline->cost = work_of_pipeline(report, pipeline, users, width);
        report->cost_is_time &= pipeline->has_time || pipeline->cost <= 0;
    }
    for (size_t i = 0; i < report->pipeline_count; i++) {
        if (report->cost_is_time)
            report->pipelines[i].cost = (double)report->pipelines[i].gpu_ns;
        all += report->pipelines[i].cost;
    }
    if (!report->cost_is_time && alone > 0) {
        all += alone;
        report->alone = alone / all;
    }
    for (size_t i = 0; all > 0 && i < report->pipeline_count; i++)
        report->pipelines[i].cost /= all;
    if (report->pipeline_count)
        qsort(report->pipelines, report->pipeline_count, sizeof *report->pipelines, dearer_pipeline);
    free(users);
    return WPG_OK;
}

/* Which pipelines have a shader. */
static wpg_status link_pipelines(wpg_report *report)
{
    size_t *room = calloc(report->shader_count + 1, sizeof *room);
    if (!room)
        return WPG_E_NOMEM;
    for (size_t i = 0; i < report->pipeline_count; i++)
        for (size_t k = 0; k < report->pipelines[i].stage_count; k++)
            room[report->pipelines[i].stages[k].shader]++;
    wpg_status status = WPG_OK;
    for (size_t i = 0; i < report->shader_count; i++) {
        report->shaders[i].pipelines = WPG_ARENA_ARRAY(&report->arena, uint32_t, room[i]);
        status = report->shaders[i].pipelines ? status : WPG_E_NOMEM;
    }
    free(room);
    for (size_t i = 0; status == WPG_OK && i < report->pipeline_count; i++)
        for (size_t k = 0; k < report->pipelines[i].stage_count; k++) {
            wpg_report_shader *shader = &report->shaders[report->pipelines[i].stages[k].shader];
            shader->pipelines[shader->pipeline_count++] = (uint32_t)i;
        }
    return status;
}

/* -- All */

static wpg_status add_counts(wpg_report *report, const char *path, bool may_be_empty, wpg_error *err)
{
    if (wpg_is_bundle(path)) {
        report->is_bundle = true;
        WPG_TRY(wpg_bundle_load(&report->bundle, path, 1, err));
    }
    const wpg_status found = wpg_profile_load(report->profile, NULL, path, err);
    return found == WPG_E_NOT_FOUND && wpg_is_bundle(path) && may_be_empty ? WPG_OK : found;
}

static wpg_status load(wpg_report_loader *loader, wpg_error *err)
{
    wpg_report *report = loader->report;
    const wpg_report_options *options = loader->options;
    report->path = wpg_arena_strdup(&report->arena, options->path);
    report->profile = wpg_profile_create();
    if (!report->path || !report->profile)
        return no_memory(err);
    WPG_TRY(add_counts(report, options->path, options->may_be_empty, err));
    for (size_t i = 0; i < options->more_count; i++)
        WPG_TRY(add_counts(report, options->more[i], options->may_be_empty, err));
    WPG_TRY(wpg_shader_view_create(&report->view, report->profile, err));
    if (!report->view->shader_count && !options->may_be_empty)
        return wpg_fail(err, WPG_E_NOT_FOUND, "%s has no counts of shaders", options->path);
    WPG_TRY(make_shaders(report, err));
    for (size_t i = 0; i < report->shader_count; i++) {
        if (!options->without_modules && find_module(loader, &report->shaders[i]) != WPG_OK)
            return no_memory(err);
        add_work(&report->shaders[i]);
    }
    const double width = lanes_per_wave(report);
    rank_shaders(report, width);
    if (options->with_glsl)
        wpg_report_write_glsl(loader);
    WPG_TRY(make_pipelines(report, err));
    if (rank_pipelines(report, width) != WPG_OK || link_pipelines(report) != WPG_OK)
        return no_memory(err);
    wpg_report_name_all(loader);
    return report->arena.failed ? no_memory(err) : WPG_OK;
}

wpg_status wpg_report_load(wpg_report **out, const wpg_report_options *options, wpg_error *err)
{
    wpg_report *report = calloc(1, sizeof *report);
    if (!report)
        return no_memory(err);
    wpg_arena_init(&report->arena);
    wpg_report_loader loader = {.report = report, .options = options};
    const wpg_status status = load(&loader, err);
    wpg_map_free(&loader.files);
    if (status == WPG_OK)
        *out = report;
    else
        wpg_report_destroy(report);
    return status;
}

bool wpg_report_extra_add(wpg_report *report, const char *name, const char *json)
{
    const wpg_report_extra extra = {wpg_arena_strdup(&report->arena, name),
                                    wpg_arena_strdup(&report->arena, json)};
    return extra.name && extra.json && wpg_vec_push(&report->extras, extra);
}

void wpg_report_destroy(wpg_report *report)
{
    if (!report)
        return;
    wpg_shader_view_destroy(report->view);
    wpg_profile_destroy(report->profile);
    wpg_bundle_finish(&report->bundle);
    for (size_t i = 0; i < report->shader_count; i++)
        wpg_vec_free(&report->shaders[i].remarks);
    wpg_vec_free(&report->files);
    wpg_vec_free(&report->advice);
    wpg_vec_free(&report->made);
    wpg_vec_free(&report->extras);
    wpg_arena_finish(&report->arena);
    free(report);
}
