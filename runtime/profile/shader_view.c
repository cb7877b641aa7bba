#include "runtime/profile/shader_view.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/profile/made_record.h"
#include "runtime/profile/push_record.h"
#include "runtime/profile/push_set_record.h"

static int compare_hash(wpg_hash128 a, wpg_hash128 b)
{
    if (a.high != b.high)
        return a.high < b.high ? -1 : 1;
    return a.low == b.low ? 0 : a.low < b.low ? -1 : 1;
}

static int compare_shader(wpg_hash128 shader, const char *stage, const char *entry,
                          const wpg_shader_counts *other)
{
    int order = compare_hash(shader, other->shader);
    if (!order)
        order = strcmp(stage, other->stage);
    return order ? order : strcmp(entry, other->entry);
}

static int compare_counts(const void *left, const void *right)
{
    const wpg_shader_counts *a = left, *b = right;
    int order = compare_shader(a->shader, a->stage, a->entry, b);
    if (!order && a->function != b->function)
        order = a->function < b->function ? -1 : 1;
    if (!order && a->checksum != b->checksum)
        order = a->checksum < b->checksum ? -1 : 1;
    return order;
}

/* One record as found, before records of one function are joined. */
typedef struct entry_of {
    wpg_shader_counts key;
    wpg_record_kind kind;
    const wpg_profile_record *record;
} entry_of;

typedef struct pipeline_entry {
    wpg_hash128 pipeline;
    wpg_pipeline_stage_counts stage;
} pipeline_entry;

static int compare_entries(const void *left, const void *right)
{
    const entry_of *a = left, *b = right;
    int order = compare_counts(&a->key, &b->key);
    return order ? order : (int)a->kind - (int)b->kind;
}

/* Stages in pipeline order, as people expect to read them. */
static int stage_rank(const char *stage)
{
    static const char *const order[] = {"vert", "tesc", "tese", "geom",  "task",  "mesh",  "frag",
                                        "comp", "rgen", "rint", "rahit", "rchit", "rmiss", "rcall"};
    int rank = 0;
    while (rank < (int)(sizeof order / sizeof order[0]) && strcmp(order[rank], stage) != 0)
        rank++;
    return rank;
}

static int compare_pipelines(const void *left, const void *right)
{
    const pipeline_entry *a = left, *b = right;
    int order = compare_hash(a->pipeline, b->pipeline);
    if (!order)
        order = stage_rank(a->stage.stage) - stage_rank(b->stage.stage);
    if (!order)
        order = strcmp(a->stage.stage, b->stage.stage);
    return order ? order : compare_hash(a->stage.shader, b->stage.shader);
}

static bool join(wpg_shader_counts *counts, const entry_of *entry)
{
    const wpg_profile_record *record = entry->record;
    if (entry->kind > WPG_RECORD_UNIFORM) { /* not one counter a block */
        counts->records[entry->kind] = record;
        if (entry->kind == WPG_RECORD_SELECTS) {
            counts->selects = record->counters;
            counts->select_counter_count = record->counter_count;
        }
        if (entry->kind == WPG_RECORD_SAMPLES && record->counter_count == WPG_SAMPLES_COUNTERS)
            counts->samples = record->counters;
        return true;
    }
    if (counts->block_count && counts->block_count != record->counter_count)
        return false;
    counts->block_count = record->counter_count;
    counts->records[entry->kind] = record;
    if (entry->kind == WPG_RECORD_LANES)
        counts->lanes = record->counters;
    else if (entry->kind == WPG_RECORD_WAVES)
        counts->waves = record->counters;
    else if (entry->kind == WPG_RECORD_UNIFORM)
        counts->uniform = record->counters;
    return true;
}

static void join_entries(wpg_shader_view *view, entry_of *entries, size_t count)
{
    if (count)
        qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < count; i++) {
        wpg_shader_counts *last = view->shader_count ? &view->shaders[view->shader_count - 1] : NULL;
        if (!last || compare_counts(last, &entries[i].key) != 0) {
            last = &view->shaders[view->shader_count++];
            *last = entries[i].key;
        }
        if (!join(last, &entries[i]))
            view->inconsistent++;
    }
}

static void join_pipelines(wpg_shader_view *view, pipeline_entry *entries, wpg_pipeline_stage_counts *stages,
                           size_t count)
{
    if (count)
        qsort(entries, count, sizeof *entries, compare_pipelines);
    for (size_t i = 0; i < count; i++) {
        wpg_pipeline_counts *last = view->pipeline_count ? &view->pipelines[view->pipeline_count - 1] : NULL;
        if (!last || !wpg_hash_equal(last->pipeline, entries[i].pipeline)) {
            last = &view->pipelines[view->pipeline_count++];
            *last = (wpg_pipeline_counts){.pipeline = entries[i].pipeline, .stages = stages + i};
        }
        stages[i] = entries[i].stage;
        last->stage_count++;
    }
}

/* The entry's name moves into the view's arena; the rest of *parts stays readable. */
static const char *keep_entry(wpg_shader_view *view, const wpg_record_name *parts)
{
    const char *entry = wpg_arena_strdup(&view->arena, parts->entry);
    return entry ? entry : "";
}

static void sort_record(wpg_shader_view *view, const wpg_profile_record *record, entry_of *entries,
                        size_t *entry_count, pipeline_entry *pipelines, size_t *pipeline_count)
{
    wpg_record_name parts;
    wpg_hash128 pipeline;
    wpg_made made_by;
    if (wpg_made_record_parse(&made_by, record->name)) {
        view->made[view->made_count++] = record;
        return;
    }
    if (wpg_pipeline_record_parse(&pipeline, &parts, record->name, NULL) == WPG_OK) {
        if (record->counter_count != WPG_PIPELINE_COUNTERS) {
            view->inconsistent++;
        } else {
            pipeline_entry *made = &pipelines[(*pipeline_count)++];
            *made = (pipeline_entry){pipeline,
                                     {.shader = parts.shader,
                                      .entry = keep_entry(view, &parts),
                                      .checksum = record->func_hash,
                                      .counters = record->counters}};
            memcpy(made->stage.stage, parts.stage, sizeof parts.stage);
        }
    } else if (wpg_push_record_parse(&pipeline, record)) {
        view->pushed++;
        return;
    } else if (wpg_push_set_record_parse(&pipeline, record)) {
        return;
    } else if (wpg_record_name_parse(&parts, record->name, NULL) != WPG_OK) {
        view->foreign++;
        return;
    } else {
        entry_of *made = &entries[(*entry_count)++];
        *made = (entry_of){.key = {.shader = parts.shader,
                                   .entry = keep_entry(view, &parts),
                                   .function = parts.function,
                                   .checksum = record->func_hash},
                           .kind = parts.kind,
                           .record = record};
        memcpy(made->key.stage, parts.stage, sizeof parts.stage);
    }
    wpg_record_name_finish(&parts);
}

wpg_status wpg_shader_view_create(wpg_shader_view **out, const wpg_profile *profile, wpg_error *err)
{
    wpg_shader_view *view = calloc(1, sizeof *view);
    size_t count = wpg_profile_count(profile), entry_count = 0, pipeline_count = 0;
    if (!view)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a view of the profile");
    wpg_arena_init(&view->arena);
    entry_of *entries = WPG_ARENA_ARRAY(&view->arena, entry_of, count);
    pipeline_entry *pipelines = WPG_ARENA_ARRAY(&view->arena, pipeline_entry, count);
    wpg_pipeline_stage_counts *stages = WPG_ARENA_ARRAY(&view->arena, wpg_pipeline_stage_counts, count);
    view->made = WPG_ARENA_ARRAY(&view->arena, const wpg_profile_record *, count);
    view->shaders = WPG_ARENA_ARRAY(&view->arena, wpg_shader_counts, count);
    view->pipelines = WPG_ARENA_ARRAY(&view->arena, wpg_pipeline_counts, count);
    for (size_t i = 0; i < count && !view->arena.failed; i++)
        sort_record(view, wpg_profile_at(profile, i), entries, &entry_count, pipelines, &pipeline_count);
    if (view->arena.failed) {
        wpg_shader_view_destroy(view);
        return wpg_fail(err, WPG_E_NOMEM, "no memory for a view of the profile");
    }
    join_entries(view, entries, entry_count);
    join_pipelines(view, pipelines, stages, pipeline_count);
    *out = view;
    return WPG_OK;
}

void wpg_shader_view_destroy(wpg_shader_view *view)
{
    if (!view)
        return;
    wpg_arena_finish(&view->arena);
    free(view);
}

size_t wpg_shader_view_find(const wpg_shader_counts **first, const wpg_shader_view *view, wpg_hash128 shader,
                            const char *stage, const char *entry)
{
    size_t low = 0, high = view->shader_count, count = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_shader(shader, stage, entry, &view->shaders[middle]) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    *first = view->shaders + low;
    while (low + count < view->shader_count &&
           compare_shader(shader, stage, entry, &view->shaders[low + count]) == 0)
        count++;
    return count;
}

const wpg_pipeline_counts *wpg_shader_view_find_pipeline(const wpg_shader_view *view, wpg_hash128 pipeline)
{
    size_t low = 0, high = view->pipeline_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_hash(pipeline, view->pipelines[middle].pipeline);
        if (order == 0)
            return &view->pipelines[middle];
        if (order > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
