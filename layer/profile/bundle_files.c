#include "layer/profile/bundle_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/normalize/normalize.h"
#include "layer/base/clock.h"
#include "layer/files/beside.h"
#include "layer/files/file_locks.h"
#include "layer/files/hurry.h"
#include "layer/profile/totals.h"
#include "layer/files/unwritten.h"
#include "runtime/base/file_batch.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"
#include "runtime/base/vec.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/shader_info.h"
#include "runtime/config/pattern.h"

/* Shaders that wait for the next flush hold so much memory of ours; beyond it the writer's thread writes them
 * at once. Without that thread, or where twice as much waits for it, who makes a pipeline writes them. */
enum { WAITING_LIMIT = 64 << 20 };

typedef struct waiting_shader {
    wpg_hash128 shader;
    uint32_t *words; /* a copy */
    size_t size;     /* bytes */
    wpg_writer info; /* facts as text: a quarter of their size */
} waiting_shader;
typedef WPG_VEC(waiting_shader) waiting_list;

enum { MOST_MADE = 4, INDEX_REST = 20 };

static struct {
    pthread_once_t once;
    char folder[3900];    /* "" = no bundle */
    pthread_mutex_t lock; /* taken where pipelines are made: never held over the disk */
    wpg_map taken;        /* low half of the hash of what has files of its own -> 1 */
    wpg_map shaders;      /* low half of the hash -> 1: words and info were noted */
    waiting_list waiting;
    size_t waiting_bytes;
    wpg_map extremes; /* low half of the hash -> wpg_facts */
    bool extremes_changed;
    wpg_map paths;             /* pipeline's record -> its file's path, once it was claimed; the writer's */
    char made[MOST_MADE][320]; /* by what this run's counts were made; under the lock */
    bool swept;
    bool unlisted;                 /* wpg_bundle_write_new wrote files that the index does not name */
    uint64_t index_at, index_took; /* nanoseconds: when the index was written last, and how long that took */
    atomic_bool failed;            /* it was said */
} bundle = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

/* -- Where */

static void find_folder(void)
{
    const char *setting = wpg_the_process.settings.bundle;
    char expanded[3800];
    wpg_error err;
    if (!setting || !*setting)
        return;
    if (wpg_pattern_has(setting, 'm'))
        wpg_log_warn(
            "BUNDLE: %%m does not merge bundles; a run replaces the bundle of an earlier run. Give each run "
            "its own folder: 'wavepgo merge' adds the folders up");
    if (wpg_pattern_expand(expanded, sizeof expanded, setting, NULL, &err) != WPG_OK) {
        wpg_log_warn("BUNDLE: %s", err.message);
        return;
    }
    size_t length = strlen(expanded);
    while (length > 1 && expanded[length - 1] == '/')
        expanded[--length] = '\0';
    int size = expanded[0] == '/'
                   ? snprintf(bundle.folder, sizeof bundle.folder, "%s", expanded)
                   : snprintf(bundle.folder, sizeof bundle.folder, "%s/%s", wpg_the_process.folder, expanded);
    if (size < 0 || (size_t)size >= sizeof bundle.folder) {
        wpg_log_warn("BUNDLE: the path is too long");
        bundle.folder[0] = '\0';
    }
}

const char *wpg_bundle_folder(void)
{
    (void)pthread_once(&bundle.once, find_folder);
    return bundle.folder;
}

bool wpg_bundle_on(void)
{
    return wpg_the_process.mode == WPG_MODE_GENERATE && *wpg_bundle_folder();
}

bool wpg_bundle_takes(wpg_hash128 pipeline)
{
    const size_t most = (size_t)wpg_the_process.settings.bundle_pipelines;
    (void)pthread_mutex_lock(&bundle.lock);
    bool taken = wpg_map_get(&bundle.taken, pipeline.low, NULL);
    const bool room = taken || bundle.taken.count < most;
    taken = taken || (room && wpg_map_set(&bundle.taken, pipeline.low, 1));
    (void)pthread_mutex_unlock(&bundle.lock);
    if (!room)
        wpg_log_once(
            WPG_LOG_WARN,
            "the bundle is full (BUNDLE_PIPELINES): further pipelines are counted in %s/more.profraw, "
            "without shaders and facts (logged once)",
            bundle.folder);
    return taken;
}

static void say_failed(const wpg_error *err)
{
    char path[sizeof bundle.folder + 1];
    (void)snprintf(path, sizeof path, "%s/", bundle.folder);
    if (!atomic_exchange(&bundle.failed, true))
        wpg_say_unwritten(path, err);
}

/* -- Shaders */

static wpg_status gather_info(wpg_facts **facts, const wpg_bundle_subject *subject, const wpg_rewrite *stage,
                              wpg_error *err)
{
    wpg_shader_info info = {.shader = stage->hash,
                            .words = wpg_hash_bytes(stage->words, stage->word_count * sizeof *stage->words),
                            .entry = (char *)(uintptr_t)stage->entry,
                            .identity = WPG_IDENTITY_VERSION,
                            .normal_form = WPG_NORMAL_FORM_VERSION};
    (void)snprintf(info.stage, sizeof info.stage, "%s", wpg_stage_name(stage->stage.model));
    const wpg_counter_map *map = stage->map;
    for (size_t i = 0; i < subject->counted_count; i++)
        for (size_t j = 0; !map && subject->counted[i] && j < subject->counted[i]->stage_count; j++)
            if (wpg_hash_equal(subject->counted[i]->stages[j].shader, stage->hash))
                map = subject->counted[i]->stages[j].map;
    info.spec_count = stage->spec ? stage->stage.spec_count : 0;
    info.function_count = map ? map->function_count : 0;
    info.specs = calloc(info.spec_count + 1, sizeof *info.specs);
    info.functions = calloc(info.function_count + 1, sizeof *info.functions);
    wpg_status status = WPG_OK;
    if (!info.specs || !info.functions)
        status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
    for (size_t i = 0; status == WPG_OK && i < info.spec_count; i++)
        info.specs[i] =
            (wpg_shader_spec){stage->spec[i].constant_id, stage->spec[i].size, stage->spec[i].bits};
    for (size_t i = 0; status == WPG_OK && i < info.function_count; i++)
        info.functions[i] = (wpg_shader_function){map->functions[i].ordinal, map->functions[i].block_count,
                                                  map->functions[i].checksum};
    if (status == WPG_OK)
        status = wpg_shader_info_encode(facts, &info, err);
    free(info.specs);
    free(info.functions);
    return status;
}

static void file_done(void *who, const wpg_error *err)
{
    (void)who;
    if (err)
        say_failed(err);
}

static wpg_status write_shader(wpg_file_batch *batch, const waiting_shader *shader, wpg_error *err)
{
    char path[4200];
    WPG_TRY(wpg_bundle_shader_path(path, sizeof path, bundle.folder, shader->shader, ".spv", err));
    if (access(path, F_OK) != 0)
        WPG_TRY(wpg_file_batch_put(batch, path, shader->words, shader->size, NULL, err));
    WPG_TRY(wpg_bundle_shader_path(path, sizeof path, bundle.folder, shader->shader, ".info", err));
    return wpg_file_batch_put(batch, path, shader->info.data, shader->info.size, NULL, err);
}

static void write_shaders(waiting_list *list)
{
    wpg_error err;
    wpg_file_batch batch;
    wpg_file_batch_init(&batch, file_done);
    for (size_t i = 0; i < list->count; i++) {
        waiting_shader *shader = &list->data[i];
        if (write_shader(&batch, shader, &err) != WPG_OK)
            say_failed(&err);
        free(shader->words);
        wpg_writer_finish(&shader->info);
    }
    wpg_file_batch_commit(&batch);
    wpg_vec_free(list);
}

/* Under the lock. */
static waiting_list take_waiting(void)
{
    waiting_list list = bundle.waiting;
    bundle.waiting = (waiting_list){0};
    bundle.waiting_bytes = 0;
    return list;
}

/* Under the lock. */
static wpg_status note_shader(const wpg_bundle_subject *subject, const wpg_rewrite *stage, wpg_error *err)
{
    waiting_shader shader = {.shader = stage->hash, .size = stage->word_count * sizeof *stage->words};
    if (wpg_map_get(&bundle.shaders, stage->hash.low, NULL))
        return WPG_OK;
    wpg_facts *info;
    WPG_TRY(gather_info(&info, subject, stage, err));
    wpg_facts_encode(&shader.info, info);
    wpg_facts_destroy(info);
    shader.words = malloc(shader.size ? shader.size : 1);
    if (!shader.words || shader.info.out_of_memory || !wpg_map_set(&bundle.shaders, stage->hash.low, 1) ||
        !wpg_vec_push(&bundle.waiting, shader)) {
        free(shader.words);
        wpg_writer_finish(&shader.info);
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    }
    memcpy(shader.words, stage->words, shader.size);
    bundle.waiting_bytes += shader.size + shader.info.size;
    return WPG_OK;
}

/* -- Pipelines */

void wpg_bundle_made_on(const char *device)
{
    const wpg_settings *settings = &wpg_the_process.settings;
    char program[64], sampled[64] = "", text[sizeof bundle.made[0]];
    if (!wpg_bundle_on())
        return;
    wpg_executable_name(program, sizeof program);
    if (settings->sample > 1)
        (void)snprintf(
            sampled, sizeof sampled, "; counted 1 of %" PRId64 " %s", settings->sample,
            (const char *const[]){"workgroups", "binds", "frames", "pipelines"}[settings->sample_by]);
    (void)snprintf(text, sizeof text, "%s on %s; wavepgo " WPG_VERSION "%s", program, device, sampled);
    (void)pthread_mutex_lock(&bundle.lock);
    size_t i = 0;
    while (i < MOST_MADE && bundle.made[i][0] && strcmp(bundle.made[i], text) != 0)
        i++;
    if (i < MOST_MADE)
        memcpy(bundle.made[i], text, sizeof text);
    (void)pthread_mutex_unlock(&bundle.lock);
}

/* A property for each, keyed by its text: merging keeps them all. */
static wpg_status describe_making(wpg_facts *facts, wpg_error *err)
{
    char key[32];
    wpg_status status = WPG_OK;
    (void)pthread_mutex_lock(&bundle.lock);
    for (size_t i = 0; i < MOST_MADE && bundle.made[i][0] && status == WPG_OK; i++) {
        const uint64_t hash = wpg_hash64_bytes(bundle.made[i], strlen(bundle.made[i]));
        (void)snprintf(key, sizeof key, "made.%08" PRIx32, (uint32_t)hash);
        status = wpg_facts_is(facts, key, bundle.made[i], err);
    }
    (void)pthread_mutex_unlock(&bundle.lock);
    return status;
}

static wpg_status describe(wpg_facts *facts, const wpg_bundle_subject *subject, wpg_error *err)
{
    char key[64], text[512], hex[WPG_HASH_HEX + 1];
    WPG_TRY(describe_making(facts, err));
    for (size_t i = 0; i < subject->count; i++) {
        const wpg_rewrite *stage = &subject->stages[i];
        const char *name = wpg_stage_name(stage->stage.model);
        wpg_hash_to_hex(hex, stage->hash);
        (void)snprintf(key, sizeof key, "stage.%s", name);
        (void)snprintf(text, sizeof text, "%s %.400s", hex, stage->entry);
        WPG_TRY(wpg_facts_is(facts, key, text, err));
        for (uint32_t j = 0; stage->spec && j < stage->stage.spec_count; j++) {
            const wpg_spec_value *spec = &stage->spec[j];
            (void)snprintf(key, sizeof key, "spec.%s.%" PRIu32, name, spec->constant_id);
            (void)snprintf(text, sizeof text, "0x%0*" PRIx64, (int)spec->size * 2, spec->bits);
            WPG_TRY(wpg_facts_is(facts, key, text, err));
        }
    }
    return WPG_OK;
}

static wpg_status describe_pipeline(const wpg_bundle_subject *subject, wpg_error *err)
{
    char hex[WPG_HASH_HEX + 1];
    wpg_totals *totals = wpg_totals_of(subject->pipeline);
    if (!totals)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_hash_to_hex(hex, subject->pipeline);
    wpg_facts *facts = wpg_facts_create("pipeline", hex);
    wpg_status status = facts ? describe(facts, subject, err) : wpg_fail(err, WPG_E_NOMEM, "out of memory");
    if (status == WPG_OK)
        wpg_totals_describe(totals, facts);
    else
        wpg_facts_destroy(facts);
    return status;
}

void wpg_bundle_describe(const wpg_bundle_subject *subject)
{
    wpg_error err;
    if (wpg_bundle_on() && wpg_bundle_takes(subject->pipeline) && describe_pipeline(subject, &err) != WPG_OK)
        say_failed(&err);
}

void wpg_bundle_pipeline(const wpg_bundle_subject *subject)
{
    wpg_error err;
    if (!wpg_bundle_on() || !wpg_bundle_takes(subject->part ? subject->stages[0].hash : subject->pipeline))
        return;
    wpg_status status = subject->part ? WPG_OK : describe_pipeline(subject, &err);
    (void)pthread_mutex_lock(&bundle.lock);
    for (size_t i = 0; i < subject->count && status == WPG_OK; i++)
        status = note_shader(subject, &subject->stages[i], &err);
    size_t waiting = bundle.waiting_bytes;
    (void)pthread_mutex_unlock(&bundle.lock);
    if (status != WPG_OK)
        say_failed(&err);
    if (waiting <= WAITING_LIMIT || (wpg_writer_hurry() && waiting <= 2 * (size_t)WAITING_LIMIT))
        return;
    wpg_bundle_write_shaders();
}

/* The path of the facts of a kind about a hash, ours as long as we live. NULL when memory runs out. */
static const char *path_of(const char *kind, wpg_hash128 subject)
{
    uint64_t known, id = wpg_hash64_bytes(kind, strlen(kind)) ^ subject.low;
    bool alone = false;
    if (wpg_map_get(&bundle.paths, id, &known))
        return (const char *)(uintptr_t)known;
    char *path = wpg_file_lock_facts(&alone, bundle.folder, kind, subject);
    if (path && alone) /* what processes of an earlier run wrote beside it goes with the earlier facts */
        (void)wpg_beside_remove(path);
    if (path && wpg_map_set(&bundle.paths, id, (uint64_t)(uintptr_t)path))
        return path;
    free(path);
    return NULL;
}

typedef struct totals_writing {
    wpg_file_batch batch;
    bool changed;
} totals_writing;

static bool has_changed(wpg_totals *totals)
{
    (void)pthread_mutex_lock(&totals->lock);
    bool changed = totals->changed;
    (void)pthread_mutex_unlock(&totals->lock);
    return changed;
}

static void write_pipeline(wpg_totals *totals, void *context)
{
    totals_writing *writing = context;
    wpg_error err;
    if (!has_changed(totals) || totals->others || !wpg_bundle_takes(totals->pipeline))
        return;
    wpg_facts *facts = wpg_totals_facts(totals);
    const char *path = facts ? path_of("pipeline", totals->pipeline) : NULL;
    if (!path)
        (void)wpg_fail(&err, WPG_E_NOMEM, "out of memory");
    if (!path || wpg_facts_put_file(&writing->batch, path, facts, &err) != WPG_OK)
        say_failed(&err);
    writing->changed = true;
    wpg_facts_destroy(facts);
}

/* -- Extremes */

void wpg_bundle_extreme(wpg_hash128 shader, const char *key, int64_t low, int64_t high)
{
    uint64_t known;
    char hex[WPG_HASH_HEX + 1];
    wpg_error err;
    if (!wpg_bundle_on())
        return;
    (void)pthread_mutex_lock(&bundle.lock);
    wpg_facts *facts = NULL;
    if (!wpg_map_get(&bundle.shaders, shader.low, NULL)) { /* beyond BUNDLE_PIPELINES */
        (void)pthread_mutex_unlock(&bundle.lock);
        return;
    }
    if (wpg_map_get(&bundle.extremes, shader.low, &known))
        facts = (wpg_facts *)(uintptr_t)known;
    else {
        wpg_hash_to_hex(hex, shader);
        facts = wpg_facts_create("extremes", hex);
        if (facts && !wpg_map_set(&bundle.extremes, shader.low, (uint64_t)(uintptr_t)facts)) {
            wpg_facts_destroy(facts);
            facts = NULL;
        }
    }
    wpg_status status =
        facts ? wpg_facts_range(facts, key, low, high, &err) : wpg_fail(&err, WPG_E_NOMEM, "out of memory");
    bundle.extremes_changed = true;
    if (status != WPG_OK)
        say_failed(&err);
    (void)pthread_mutex_unlock(&bundle.lock);
}

/* One shader's extremes, as its file says them. */
typedef struct extremes_file {
    wpg_hash128 shader;
    wpg_writer text; /* owned */
} extremes_file;
typedef WPG_VEC(extremes_file) extremes_list;

/* Under the lock. All of them, if any changed. */
static extremes_list take_extremes(void)
{
    extremes_list list = {0};
    wpg_error err;
    bool changed = bundle.extremes_changed;
    bundle.extremes_changed = false;
    for (size_t i = 0; changed && i < bundle.extremes.capacity; i++) {
        if (!bundle.extremes.slots[i].used)
            continue;
        wpg_facts *facts = (wpg_facts *)(uintptr_t)bundle.extremes.slots[i].value;
        extremes_file file = {0};
        (void)wpg_hash_from_hex(&file.shader, wpg_facts_subject(facts));
        wpg_facts_encode(&file.text, facts);
        if (!file.text.out_of_memory && wpg_vec_push(&list, file))
            continue;
        wpg_writer_finish(&file.text);
        bundle.extremes_changed = true; /* the next flush has it again */
        (void)wpg_fail(&err, WPG_E_NOMEM, "out of memory");
        say_failed(&err);
    }
    return list;
}

static void write_extremes(extremes_list *list)
{
    wpg_error err;
    wpg_file_batch batch;
    wpg_file_batch_init(&batch, file_done);
    for (size_t i = 0; i < list->count; i++) {
        extremes_file *file = &list->data[i];
        const char *path = path_of("extremes", file->shader);
        if (!path)
            (void)wpg_fail(&err, WPG_E_NOMEM, "out of memory");
        if (!path || wpg_file_batch_put(&batch, path, file->text.data, file->text.size, NULL, &err) != WPG_OK)
            say_failed(&err);
        wpg_writer_finish(&file->text);
    }
    wpg_file_batch_commit(&batch);
    wpg_vec_free(list);
}

/* -- Writing */

/* What killed processes left half written. The writer's. */
static void sweep_once(void)
{
    if (bundle.swept)
        return;
    bundle.swept = true;
    size_t removed = wpg_bundle_sweep(bundle.folder);
    if (removed)
        wpg_log_info("removed %zu file%s that a killed process left in %s", removed, wpg_plural(removed),
                     bundle.folder);
}

static void write_index(void)
{
    wpg_error err;
    const uint64_t start = wpg_now();
    if (wpg_bundle_write_index(bundle.folder, &err) != WPG_OK)
        say_failed(&err);
    bundle.unlisted = false;
    bundle.index_at = wpg_now();
    bundle.index_took = bundle.index_at - start;
}

void wpg_bundle_write(void)
{
    totals_writing writing = {.changed = false};
    if (!wpg_bundle_on())
        return;
    sweep_once();
    wpg_file_batch_init(&writing.batch, file_done);
    (void)pthread_mutex_lock(&bundle.lock);
    waiting_list list = take_waiting();
    extremes_list extremes = take_extremes();
    (void)pthread_mutex_unlock(&bundle.lock);
    writing.changed |= list.count > 0 || extremes.count > 0;
    write_shaders(&list);
    write_extremes(&extremes);
    wpg_totals_each(write_pipeline, &writing);
    wpg_file_batch_commit(&writing.batch);
    write_index();
    if (writing.changed)
        wpg_log_debug("bundle %s written", bundle.folder);
}

/* So a killed program leaves the facts of each pipeline that it used for a second. They lack at most the
 * later half of the seconds in which it used the pipeline. */
static void write_if_new(wpg_totals *totals, void *context)
{
    if (!has_changed(totals))
        return;
    totals->news++;
    if ((totals->news & (totals->news - 1)) == 0)
        write_pipeline(totals, context);
}

void wpg_bundle_write_new(void)
{
    totals_writing writing = {.changed = false};
    if (!wpg_bundle_on())
        return;
    wpg_bundle_write_shaders();
    wpg_file_batch_init(&writing.batch, file_done);
    wpg_totals_each(write_if_new, &writing);
    wpg_file_batch_commit(&writing.batch);
    bundle.unlisted |= writing.changed;
    /* An index lists all files: of many it takes long. */
    if (!bundle.unlisted || wpg_now() - bundle.index_at < INDEX_REST * bundle.index_took)
        return;
    write_index();
}

void wpg_bundle_write_shaders(void)
{
    if (!wpg_bundle_on())
        return;
    (void)pthread_mutex_lock(&bundle.lock);
    waiting_list list = take_waiting();
    (void)pthread_mutex_unlock(&bundle.lock);
    write_shaders(&list);
}

static void free_strings(wpg_map *map)
{
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].used)
            free((void *)(uintptr_t)map->slots[i].value);
    wpg_map_free(map);
}

void wpg_bundle_files_finish(void)
{
    for (size_t i = 0; i < bundle.waiting.count; i++) {
        free(bundle.waiting.data[i].words);
        wpg_writer_finish(&bundle.waiting.data[i].info);
    }
    wpg_vec_free(&bundle.waiting);
    for (size_t i = 0; i < bundle.extremes.capacity; i++)
        if (bundle.extremes.slots[i].used)
            wpg_facts_destroy((wpg_facts *)(uintptr_t)bundle.extremes.slots[i].value);
    wpg_map_free(&bundle.extremes);
    wpg_map_free(&bundle.shaders);
    wpg_map_free(&bundle.taken);
    free_strings(&bundle.paths);
    wpg_totals_finish();
}
