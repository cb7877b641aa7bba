/* Profiles for use mode. */
#include "layer/profile/use.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "layer/base/answers.h"
#include "layer/base/state.h"
#include "layer/base/sampling.h"
#include "layer/base/window.h"
#include "layer/profile/recover.h"
#include "layer/profile/stale.h"
#include "layer/profile/ticker.h"
#include "layer/profile/times.h"
#include "layer/profile/usual.h"
#include "runtime/base/key_set.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"
#include "runtime/bundle/bundle.h"
#include "runtime/bundle/folder.h"
#include "runtime/bundle/use_log.h"
#include "runtime/config/pattern.h"
#include "runtime/profile/weights.h"

typedef struct source {
    wpg_profile *profile;
    wpg_shader_view *view;
} source;

static struct {
    source all;     /* the sum of every file */
    source *single; /* files of one pipeline each */
    size_t single_count;
    wpg_map by_pipeline; /* low half of the hash -> index into single */
    char missing[320];   /* why there is no profile */
    char bundle[8300];   /* where it was read from, if that is one */
} use = {.missing = "no profile was given (PROFILE_USE)"};

/* Which shaders the program had, and whether the profile knew any. */
static struct {
    pthread_mutex_t lock;
    wpg_key_set seen, found; /* low halves of hashes: of all; of those that the profile has counts of */
    size_t count, counted;
    bool known; /* counts of one; or a verdict */
    bool facts; /* of one's pipeline */
} shaders = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void source_finish(source *s)
{
    wpg_shader_view_destroy(s->view);
    wpg_profile_destroy(s->profile);
    *s = (source){0};
}

/* Reads one file; NULL when it cannot be read. */
static wpg_profile *read_file(const char *path, wpg_error *err)
{
    wpg_profile *profile = wpg_profile_create();
    if (profile && wpg_profile_read_file(profile, NULL, path, err) == WPG_OK)
        return profile;
    if (!profile)
        (void)wpg_fail(err, WPG_E_NOMEM, "out of memory");
    wpg_profile_destroy(profile);
    return NULL;
}

/* Keeps a file of one pipeline by itself. */
static void keep_single(wpg_profile *profile)
{
    source *s = &use.single[use.single_count];
    s->profile = profile;
    if (wpg_shader_view_create(&s->view, profile, NULL) != WPG_OK || s->view->pipeline_count != 1 ||
        !wpg_map_set(&use.by_pipeline, s->view->pipelines[0].pipeline.low, use.single_count)) {
        source_finish(s);
        return;
    }
    use.single_count++;
}

/* WPG_OK if at least one could be read; the others are said. */
static wpg_status read_all(const wpg_path_list *list, wpg_error *err)
{
    size_t read = 0;
    use.single = list->count > 1 ? calloc(list->count, sizeof *use.single) : NULL;
    for (size_t i = 0; i < list->count; i++) {
        wpg_profile *profile = read_file(list->paths[i], err);
        if (profile && wpg_profile_merge(use.all.profile, profile, 1, NULL, err) == WPG_OK)
            read++;
        else if (list->count > 1)
            wpg_log_warn("profile not used: %s", err->message);
        if (profile && use.single)
            keep_single(profile);
        else
            wpg_profile_destroy(profile);
    }
    return read || list->count == 0 ? WPG_OK : err->status;
}

bool wpg_use_applies(void)
{
    const wpg_settings *settings = &wpg_the_process.settings;
    if (wpg_the_process.mode != WPG_MODE_GENERATE)
        return wpg_the_process.mode == WPG_MODE_USE || wpg_the_process.mode == WPG_MODE_TUNE;
    return settings->profile_use && *settings->profile_use &&
           (wpg_sampling_has_twins() || wpg_window_exists());
}

void wpg_use_load(const char *path)
{
    char full[8300];
    wpg_path_list list = {0};
    wpg_error err;
    /* `wavepgo compare` has to say that there is none: an empty variable leaves the word to a file. */
    if (!path || !*path || (wpg_times_on() && strcmp(path, "none") == 0)) {
        /* Marks or times alone are a reason for the mode. */
        if (!wpg_the_process.settings.pseudo_probes && !wpg_times_on())
            wpg_log_warn("%s", use.missing);
        return;
    }
    if (path[0] == '/')
        (void)snprintf(full, sizeof full, "%s", path);
    else
        (void)snprintf(full, sizeof full, "%s/%s", wpg_the_process.folder, path);
    wpg_recover_told(full);
    use.all.profile = wpg_profile_create();
    wpg_status status =
        use.all.profile ? wpg_path_list_add(&list, full, &err) : wpg_fail(&err, WPG_E_NOMEM, "out of memory");
    const bool bare = status == WPG_E_NOT_FOUND && wpg_is_bundle(full); /* nothing was counted */
    if (status == WPG_OK || bare)
        status = read_all(&list, &err);
    if (status == WPG_OK)
        status = wpg_shader_view_create(&use.all.view, use.all.profile, &err);
    wpg_path_list_finish(&list);
    if (status == WPG_OK)
        wpg_usual_load(full, use.all.profile);
    if (status == WPG_OK && bare && !wpg_usual_count())
        status = wpg_fail(&err, WPG_E_NOT_FOUND, "bundle %s has no counts and %s", full,
                          wpg_the_process.settings.variants > 0 ? "no usual values of push constants"
                                                                : "VARIANTS=0 leaves out push constants");
    if (status != WPG_OK) {
        (void)snprintf(use.missing, sizeof use.missing, "no profile: %s", err.message);
        wpg_log_warn("%s", use.missing);
        source_finish(&use.all);
        return;
    }
    use.missing[0] = '\0';
    if (wpg_is_bundle(full)) {
        memcpy(use.bundle, full, strlen(full) + 1);
        wpg_stale_open(full, use.all.view);
    }
    wpg_log_info("profile %s: %zu shader function%s, %zu pipeline%s; usual push constants of %zu pipeline%s",
                 path, use.all.view->shader_count, wpg_plural(use.all.view->shader_count),
                 use.all.view->pipeline_count, wpg_plural(use.all.view->pipeline_count), wpg_usual_count(),
                 wpg_plural(wpg_usual_count()));
}

void wpg_use_unload(void)
{
    wpg_stale_close();
    wpg_usual_unload();
    source_finish(&use.all);
    for (size_t i = 0; i < use.single_count; i++)
        source_finish(&use.single[i]);
    free(use.single);
    use.single = NULL;
    use.single_count = 0;
    wpg_map_free(&use.by_pipeline);
    wpg_key_set_free(&shaders.seen);
    wpg_key_set_free(&shaders.found);
}

const char *wpg_use_bundle(void)
{
    return use.bundle;
}

const char *wpg_use_missing(void)
{
    return use.missing[0] ? use.missing : NULL;
}

/* -- Looking up */

static bool pipeline_has(const wpg_pipeline_counts *pipeline, const wpg_rewrite *stage)
{
    for (size_t i = 0; pipeline && i < pipeline->stage_count; i++)
        if (wpg_hash_equal(pipeline->stages[i].shader, stage->hash))
            return true;
    return false;
}

static void note_shader(wpg_hash128 pipeline, const wpg_rewrite *stage)
{
    const bool facts = wpg_usual_knows(pipeline), known = strcmp(stage->found, "no") != 0;
    (void)pthread_mutex_lock(&shaders.lock);
    shaders.facts |= facts;
    shaders.known |= known;
    shaders.count += wpg_key_set_add(&shaders.seen, stage->hash.low);
    shaders.counted += known && wpg_key_set_add(&shaders.found, stage->hash.low);
    (void)pthread_mutex_unlock(&shaders.lock);
}

/* The name that profiles from before WPG_IDENTITY_VERSION have for the shader. Parses the words unless the
 * cache knows the name. */
static wpg_status hash_before(wpg_hash128 *hash, const wpg_rewrite *stage)
{
    wpg_module *module;
    wpg_hash128 key;
    const bool keyed = wpg_answer_key(&key, "shader hash before", stage, NULL, 0);
    if (keyed && wpg_answer_find(hash, key))
        return WPG_OK;
    WPG_TRY(wpg_module_parse(&module, stage->words, stage->word_count, NULL));
    wpg_status status = wpg_shader_hash_before(hash, module, &stage->stage, NULL);
    wpg_module_destroy(module);
    if (status == WPG_OK && keyed)
        wpg_answer_note(key, *hash);
    return status;
}

/* The counts of the shader in all files, by the name it has now or had before (compiler/spirv/stage.h). */
static size_t find_shader(const wpg_shader_counts **functions, const wpg_rewrite *stage,
                          const char *stage_name)
{
    size_t count = wpg_shader_view_find(functions, use.all.view, stage->hash, stage_name, stage->entry);
    wpg_hash128 before;
    if (count || hash_before(&before, stage) != WPG_OK)
        return count;
    count = wpg_shader_view_find(functions, use.all.view, before, stage_name, stage->entry);
    if (count)
        wpg_log_once(WPG_LOG_WARN, "the profile is of an earlier wavepgo, which named shaders otherwise: its "
                                   "counts are found by shader, not by pipeline, and its verdicts of tuning "
                                   "are not used; record the profile anew for these");
    return count;
}

static void find(wpg_weights *weights, wpg_arena *arena, wpg_hash128 pipeline, wpg_rewrite *stage, bool now)
{
    const char *stage_name = wpg_stage_name(stage->stage.model);
    const wpg_shader_counts *functions;
    uint64_t index;
    size_t count;
    *weights = (wpg_weights){0};
    stage->found = "no";
    stage->anchors = (wpg_hash128){0};
    if (!use.all.view || !stage_name)
        return;
    if (wpg_map_get(&use.by_pipeline, pipeline.low, &index)) {
        const source *single = &use.single[index];
        if (pipeline_has(wpg_shader_view_find_pipeline(single->view, pipeline), stage) &&
            (count = wpg_shader_view_find(&functions, single->view, stage->hash, stage_name, stage->entry)) >
                0) {
            if (wpg_weights_of_shader(weights, arena, functions, count) == WPG_OK)
                stage->found = "pipeline";
            return;
        }
    }
    count = find_shader(&functions, stage, stage_name);
    if (count && wpg_weights_of_shader(weights, arena, functions, count) == WPG_OK)
        stage->found = pipeline_has(wpg_shader_view_find_pipeline(use.all.view, pipeline), stage) ? "pipeline"
                                                                                                  : "shader";
    else if (!count && wpg_stale_find(weights, stage, now))
        stage->found = "anchors";
}

void wpg_use_find(wpg_weights *weights, wpg_arena *arena, wpg_hash128 pipeline, wpg_rewrite *stage, bool now)
{
    find(weights, arena, pipeline, stage, now);
    if (use.all.view && !stage->later && wpg_stage_name(stage->stage.model))
        note_shader(pipeline, stage);
}

void wpg_use_note_known(void)
{
    (void)pthread_mutex_lock(&shaders.lock);
    shaders.known = true;
    (void)pthread_mutex_unlock(&shaders.lock);
}

void wpg_use_say_unknown(bool changed)
{
    const char *path = wpg_the_process.settings.profile_use, *slash = strrchr(path, '/');
    char which[64] = "the one shader";
    (void)pthread_mutex_lock(&shaders.lock);
    if (shaders.count > 1)
        (void)snprintf(which, sizeof which, "any of the %zu shaders", shaders.count);
    if (shaders.count && !shaders.known && !(shaders.facts && changed))
        wpg_log_warn("%s %s %s of this program: %s%s", slash && slash[1] ? slash + 1 : path,
                     shaders.facts ? "has no counts of" : "does not know", which,
                     shaders.facts ? "passed through or left out (PIPELINES) while it was recorded."
                                   : "wrong profile, or another version of the game.",
                     wpg_the_process.mode == WPG_MODE_GENERATE ? "" : " Nothing was changed.");
    (void)pthread_mutex_unlock(&shaders.lock);
}

size_t wpg_use_counted(size_t *seen)
{
    (void)pthread_mutex_lock(&shaders.lock);
    const size_t counted = shaders.counted;
    *seen = shaders.count;
    (void)pthread_mutex_unlock(&shaders.lock);
    return counted;
}

/* -- Reporting */

/* "marked": nothing but pseudo probes. */
static const char *result_of(const wpg_rewrite *stage)
{
    bool marked = wpg_the_process.settings.pseudo_probes;
    for (uint32_t i = 0; stage->remarks && i < stage->remarks->count; i++)
        marked &= stage->remarks->items[i].kind != WPG_REMARK_DONE;
    if (stage->changed || stage->wave_size)
        return marked ? "marked" : "optimised";
    return stage->why.message[0] || strcmp(stage->found, "no") == 0 ? "original" : "unchanged";
}

/* May live in the arena. */
static const char *why_of(wpg_hash128 pipeline, const wpg_rewrite *stage, wpg_arena *arena)
{
    char text[160], hex[WPG_HASH_HEX + 1];
    const bool facts = wpg_usual_knows(pipeline);
    const char *unknown =
        facts ? "the profile has no counts of this shader" : "the profile does not know this shader";
    if (stage->why.message[0])
        return stage->why.message;
    if (stage->changed && stage->remarks && stage->remarks->push_words && strcmp(stage->found, "no") == 0)
        return ""; /* a variant, which needs no counts */
    if (strcmp(stage->found, "no") == 0 && stage->matched > 0) {
        wpg_hash_to_hex(hex, stage->like);
        (void)wpg_format(text, sizeof text,
                         "%s; %.1f %% of the counts of %s find their blocks, less than MIN_MATCH", unknown,
                         stage->matched * 100, hex);
        const char *kept = wpg_arena_strdup(arena, text);
        return kept ? kept : unknown;
    }
    if (strcmp(stage->found, "no") == 0)
        return use.missing[0] ? use.missing : unknown;
    if (stage->remarks && stage->remarks->mismatch)
        return "the profile is of other code (its checksum differs): not applied";
    return "";
}

static void log_stage(const char *hex, const char *what, const wpg_use_stage *line, bool mismatch)
{
    size_t done = 0;
    for (size_t i = 0; i < line->remark_count; i++)
        done += line->remarks[i].done;
    char matched[32] = "";
    const bool none = strcmp(line->found, "no") == 0;
    if (strcmp(line->found, "anchors") == 0)
        (void)wpg_format(matched, sizeof matched, ", %.0f %% matched", line->matched);
    wpg_log(mismatch ? WPG_LOG_WARN : WPG_LOG_INFO,
            "pipeline %s%s %s %s: %s%s%s, %s, %zu change%s, %zu refused%s%s", hex, what, line->stage,
            line->entry, none ? "no profile found" : "profile found by ", none ? "" : line->found, matched,
            line->result, done, wpg_plural(done), line->remark_count - done, line->why[0] ? ": " : "",
            line->why);
    for (size_t i = 0; i < line->remark_count; i++)
        wpg_log_debug("pipeline %s%s %s function %u block %u: %s %s: %s", hex, what, line->stage,
                      line->remarks[i].function, line->remarks[i].block, line->remarks[i].pass,
                      line->remarks[i].done ? "done" : "refused", line->remarks[i].text);
}

static const wpg_use_remark *convert(size_t *count, wpg_arena *arena, const wpg_remarks *remarks)
{
    *count = 0;
    if (!remarks)
        return NULL;
    wpg_use_remark *made = WPG_ARENA_ARRAY(arena, wpg_use_remark, remarks->count);
    for (uint32_t i = 0; made && i < remarks->count; i++) {
        const wpg_remark *remark = &remarks->items[i];
        made[i] = (wpg_use_remark){.pass = remark->pass,
                                   .text = remark->text,
                                   .done = remark->kind == WPG_REMARK_DONE,
                                   .function = remark->ordinal,
                                   .block = remark->block};
        *count = i + 1;
    }
    return made;
}

static struct {
    pthread_once_t once;
    char name[320];
} run = {.once = PTHREAD_ONCE_INIT};

static void name_run(void)
{
    char when[32], program[256];
    struct tm date;
    time_t now = time(NULL);
    if (!gmtime_r(&now, &date) || !strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &date))
        when[0] = '\0';
    wpg_executable_name(program, sizeof program);
    (void)snprintf(run.name, sizeof run.name, "%s %ld %s", when, (long)getpid(), program);
}

/* This process's, for the use log. */
static const char *run_name(void)
{
    (void)pthread_once(&run.once, name_run);
    return run.name;
}

static void report(wpg_hash128 pipeline, const wpg_rewrite *stages, size_t stage_count,
                   const wpg_use_form *form)
{
    const char *path = wpg_the_process.settings.use_log;
    char hex[WPG_HASH_HEX + 1], full[8300];
    wpg_arena arena;
    wpg_arena_init(&arena);
    wpg_use_stage *lines = WPG_ARENA_ARRAY(&arena, wpg_use_stage, stage_count);
    wpg_hash_to_hex(hex, pipeline);
    for (size_t i = 0; lines && i < stage_count; i++) {
        const char *name = wpg_stage_name(stages[i].stage.model);
        lines[i] = (wpg_use_stage){.shader = stages[i].hash,
                                   .stage = name ? name : "",
                                   .entry = stages[i].entry,
                                   .found = stages[i].found,
                                   .result = result_of(&stages[i]),
                                   .why = why_of(pipeline, &stages[i], &arena),
                                   .matched = stages[i].matched * 100,
                                   .like = stages[i].like};
        lines[i].remarks = convert(&lines[i].remark_count, &arena, stages[i].remarks);
        log_stage(hex,
                  form->variant    ? ", a variant,"
                  : form->contents ? ", for contents,"
                                   : "",
                  &lines[i], stages[i].remarks && stages[i].remarks->mismatch);
    }
    if (lines && path && *path) {
        wpg_writer out = {0};
        wpg_error err;
        (void)snprintf(full, sizeof full, "%s%s%s", path[0] == '/' ? "" : wpg_the_process.folder,
                       path[0] == '/' ? "" : "/", path);
        wpg_use_log_line(&out, pipeline, run_name(), lines, stage_count, form);
        if (wpg_use_log_append(full, &out, &err) != WPG_OK)
            wpg_log_once(WPG_LOG_WARN, "USE_LOG: %s", err.message);
        wpg_writer_finish(&out);
    }
    wpg_arena_finish(&arena);
}

void wpg_use_report(wpg_hash128 pipeline, const wpg_rewrite *stages, size_t stage_count, const char *verdict)
{
    report(pipeline, stages, stage_count, &(wpg_use_form){.verdict = verdict});
}

void wpg_use_report_variant(wpg_hash128 pipeline, const wpg_rewrite *stages, size_t stage_count,
                            uint64_t words)
{
    if (words && wpg_ticker_wanted())
        wpg_totals_optimised(pipeline);
    report(pipeline, stages, stage_count, &(wpg_use_form){.variant = &words});
}

void wpg_use_report_contents(wpg_hash128 pipeline, const wpg_rewrite *stages, size_t stage_count,
                             uint32_t number)
{
    if (wpg_ticker_wanted())
        wpg_totals_optimised(pipeline);
    report(pipeline, stages, stage_count, &(wpg_use_form){.contents = number});
}
