/* Reading a bundle that is being written, and what happened between two readings. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/cli/top/top.h"

double wpg_top_written(const char *path)
{
    char file[4400];
    struct stat info;
    double latest = 0;
    const bool bundle = wpg_is_bundle(path);
    DIR *folder = bundle ? NULL : opendir(path);
    if (bundle && (size_t)snprintf(file, sizeof file, "%s/%s", path, WPG_BUNDLE_INDEX) < sizeof file &&
        stat(file, &info) == 0)
        latest = (double)info.st_mtim.tv_sec + (double)info.st_mtim.tv_nsec * 1e-9;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (!strstr(entry->d_name, ".prof") ||
            (size_t)snprintf(file, sizeof file, "%s/%s", path, entry->d_name) >= sizeof file ||
            stat(file, &info) != 0)
            continue;
        const double when = (double)info.st_mtim.tv_sec + (double)info.st_mtim.tv_nsec * 1e-9;
        latest = when > latest ? when : latest;
    }
    if (folder)
        (void)closedir(folder);
    return latest;
}

/* -- Words */

static const wpg_report_shader *find(const wpg_report *report, const wpg_report_shader *shader)
{
    for (size_t i = 0; report && i < report->shader_count; i++)
        if (wpg_hash_equal(report->shaders[i].hash, shader->hash) &&
            strcmp(report->shaders[i].stage, shader->stage) == 0 &&
            strcmp(report->shaders[i].entry, shader->entry) == 0)
            return &report->shaders[i];
    return NULL;
}

/* Whether the words of every shader and the name of every pipeline are known. */
static bool knows_all(const wpg_report *words, const wpg_report *report)
{
    for (size_t i = 0; i < report->shader_count; i++)
        if (!find(words, &report->shaders[i]))
            return false;
    return words && words->pipeline_count >= report->pipeline_count;
}

static wpg_status read_words(wpg_top_source *source, wpg_error *err)
{
    const wpg_report_options options = {.path = source->path};
    wpg_report *made;
    WPG_TRY(wpg_report_load(&made, &options, err));
    wpg_report_destroy(source->words);
    source->words = made;
    return WPG_OK;
}

/* -- One reading */

/* Instructions of the block, 1 where they are not known. */
static double instructions(const wpg_report_shader *words, size_t function, size_t block)
{
    if (!words || !words->has_module || function >= words->function_count ||
        block >= words->functions[function].counts->block_count)
        return 1;
    return (double)words->functions[function].blocks[block].instructions;
}

/* Adds `part` of the shader: a shader of several pipelines is shared out by the lanes that entered it. */
static void add_shader(wpg_top_pipeline *pipeline, const wpg_report_shader *shader,
                       const wpg_report_shader *words, double part)
{
    enum { NO_WAVES = 8 }; /* lanes a wave where waves were not measured: an order of magnitude */
    double lanes = 0, waves = 0, uniform = 0;
    for (size_t f = 0; f < shader->function_count; f++)
        for (size_t b = 0; b < shader->functions[f].counts->block_count; b++) {
            const wpg_report_block *block = &shader->functions[f].blocks[b];
            lanes += (double)block->lanes;
            waves += (double)block->waves;
            uniform += (double)block->uniform;
            const double runs = shader->has_waves ? (double)block->waves : (double)block->lanes / NO_WAVES;
            pipeline->work += part * runs * instructions(words, f, b);
        }
    if (!shader->has_waves)
        return;
    pipeline->has_waves = true;
    pipeline->has_uniform |= shader->has_uniform;
    pipeline->lanes += (uint64_t)(part * lanes);
    pipeline->waves += (uint64_t)(part * waves);
    pipeline->uniform += (uint64_t)(part * uniform);
}

static void read_pipeline(wpg_top_pipeline *out, const wpg_report *report, const wpg_report_pipeline *from,
                          const wpg_report *words)
{
    *out = (wpg_top_pipeline){.hash = from->hash,
                              .draws = from->draws + from->dispatches,
                              .has_draws = from->has_facts,
                              .gpu_ns = from->has_time ? from->gpu_ns : 0};
    memcpy(out->hex, from->hex, sizeof out->hex);
    for (size_t k = 0; k < from->stage_count; k++) {
        const wpg_report_shader *shader = &report->shaders[from->stages[k].shader];
        const wpg_report_stage *stage = &from->stages[k];
        const double part = stage->shared   ? (shader->cost > 0 ? stage->work / shader->cost : 0)
                            : shader->lanes ? (double)stage->lanes / (double)shader->lanes
                                            : 0;
        add_shader(out, shader, find(words, shader), part < 1 ? part : 1);
    }
}

/* Shaders that count under their own hash: those of pipelines linked from libraries, and shader objects. */
static void read_lone(wpg_top_pipeline *out, const wpg_report_shader *shader, const wpg_report *words)
{
    *out = (wpg_top_pipeline){.hash = shader->hash};
    memcpy(out->hex, shader->hex, sizeof out->hex);
    add_shader(out, shader, find(words, shader), 1);
}

static wpg_status take(wpg_top_snapshot *snapshot, const wpg_report *report, const wpg_report *words,
                       wpg_error *err)
{
    snapshot->pipelines =
        calloc(report->pipeline_count + report->shader_count + 1, sizeof *snapshot->pipelines);
    if (!snapshot->pipelines)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    snapshot->count = report->pipeline_count;
    snapshot->timed = true;
    for (size_t i = 0; i < report->pipeline_count; i++)
        read_pipeline(&snapshot->pipelines[i], report, &report->pipelines[i], words);
    for (size_t i = 0; i < report->shader_count; i++)
        if (!report->shaders[i].pipeline_count)
            read_lone(&snapshot->pipelines[snapshot->count++], &report->shaders[i], words);
    for (size_t i = 0; i < snapshot->count; i++)
        snapshot->timed &= snapshot->pipelines[i].gpu_ns > 0 || !(snapshot->pipelines[i].work > 0);
    return WPG_OK;
}

wpg_status wpg_top_read(wpg_top_snapshot *snapshot, wpg_top_source *source, wpg_error *err)
{
    const wpg_report_options options = {.path = source->path, .without_modules = true};
    wpg_report *report;
    *snapshot = (wpg_top_snapshot){.when = wpg_top_written(source->path)};
    WPG_TRY(wpg_report_load(&report, &options, err));
    wpg_status status = knows_all(source->words, report) ? WPG_OK : read_words(source, err);
    if (status == WPG_OK)
        status = take(snapshot, report, source->words, err);
    wpg_report_destroy(report);
    return status;
}

void wpg_top_snapshot_finish(wpg_top_snapshot *snapshot)
{
    free(snapshot->pipelines);
    *snapshot = (wpg_top_snapshot){0};
}

void wpg_top_source_finish(wpg_top_source *source)
{
    wpg_report_destroy(source->words);
    source->words = NULL;
}

/* -- Between two */

static const wpg_top_pipeline *before_of(const wpg_top_snapshot *before, wpg_hash128 hash)
{
    for (size_t i = 0; before && i < before->count; i++)
        if (wpg_hash_equal(before->pipelines[i].hash, hash))
            return &before->pipelines[i];
    return NULL;
}

/* Counts fall where another run began: then all of it is new. */
static wpg_top_pipeline since(const wpg_top_pipeline *now, const wpg_top_pipeline *before)
{
    wpg_top_pipeline made = *now;
    if (!before || before->work > now->work || before->draws > now->draws || before->waves > now->waves ||
        before->lanes > now->lanes || before->uniform > now->uniform || before->gpu_ns > now->gpu_ns)
        return made;
    made.work -= before->work;
    made.gpu_ns -= before->gpu_ns;
    made.draws -= before->draws;
    made.lanes -= before->lanes;
    made.waves -= before->waves;
    made.uniform -= before->uniform;
    return made;
}

static const char *name_of(const wpg_report *words, const char *hex)
{
    for (size_t i = 0; words && i < words->pipeline_count; i++)
        if (strcmp(words->pipelines[i].hex, hex) == 0)
            return words->pipelines[i].name;
    for (size_t i = 0; words && i < words->shader_count; i++)
        if (strcmp(words->shaders[i].hex, hex) == 0)
            return words->shaders[i].name;
    return NULL;
}

static int larger(const void *left, const void *right)
{
    const wpg_top_row *a = left, *b = right;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return strcmp(a->hex, b->hex);
}

wpg_status wpg_top_compare(wpg_top_rows *rows, const wpg_top_snapshot *before, const wpg_top_snapshot *now,
                           const wpg_top_source *source, wpg_error *err)
{
    double all = 0;
    const double seconds = before ? now->when - before->when : 0;
    *rows = (wpg_top_rows){.seconds = seconds, .timed = now->timed};
    rows->rows = calloc(now->count + 1, sizeof *rows->rows);
    if (!rows->rows)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (size_t i = 0; i < now->count; i++) {
        const wpg_top_pipeline *last = &now->pipelines[i];
        const wpg_top_pipeline ran = since(last, before_of(before, last->hash));
        const double cost = now->timed ? (double)ran.gpu_ns : ran.work;
        if (!(cost > 0) && !ran.draws)
            continue;
        all += cost;
        rows->rows[rows->count++] = (wpg_top_row){
            .name = name_of(source->words, last->hex),
            .hex = last->hex,
            .share = cost,
            .draws = !ran.has_draws ? -1 : (double)ran.draws / (seconds > 0 ? seconds : 1),
            .lanes_per_wave = ran.has_waves && ran.waves ? (double)ran.lanes / (double)ran.waves : -1,
            .uniform = ran.has_uniform && ran.waves ? (double)ran.uniform / (double)ran.waves : -1};
    }
    for (size_t i = 0; all > 0 && i < rows->count; i++)
        rows->rows[i].share /= all;
    if (rows->count)
        qsort(rows->rows, rows->count, sizeof *rows->rows, larger);
    return WPG_OK;
}

void wpg_top_rows_finish(wpg_top_rows *rows)
{
    free(rows->rows);
    *rows = (wpg_top_rows){0};
}
