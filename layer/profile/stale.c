#include "layer/profile/stale.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/analysis/match/match_shader.h"
#include "compiler/normalize/normalize.h"
#include "layer/base/answers.h"
#include "layer/base/state.h"
#include "runtime/base/bytes.h"
#include "runtime/base/log.h"
#include "runtime/base/map.h"
#include "runtime/base/vec.h"
#include "runtime/bundle/shader_info.h"
#include "runtime/profile/weights.h"

enum {
    MOST_MATCHED = 4,    /* so many of the most alike are matched block by block */
    MOST_LOOKED_AT = 512 /* of several versions, those of the nearest sizes */
};

/* Who comes first does the work, without the lock; the others wait for it. */
typedef enum progress { UNTRIED, IN_WORK, DONE } progress;

/* A shader of the bundle. */
typedef struct candidate {
    const wpg_shader_counts *counts; /* of its functions, in the view */
    size_t count;
    progress progress;
    wpg_shader_forms *forms; /* immutable once DONE; NULL: not to be had */
} candidate;

/* What was found for one shader; kept. */
typedef struct answer {
    wpg_hash128 shader, like;
    progress progress;
    wpg_shader_match match; /* immutable once DONE */
    bool incomplete;        /* a candidate could not be read: another run may find more */
    wpg_arena arena;        /* what the match points to */
} answer;

static struct {
    pthread_mutex_t
        lock; /* guards progress, answers, by_shader: never held over the disk or a normalisation */
    pthread_cond_t done; /* something has become DONE */
    char *bundle;        /* NULL: closed */
    WPG_VEC(candidate) candidates;
    WPG_VEC(answer *) answers;
    wpg_map by_shader;  /* low half of the hash -> index into answers */
    wpg_hash128 digest; /* once digested */
    bool digested;
} stale = {.lock = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

/* Under the lock. Whether the caller has to do the work, and to end it by `finish`; else it is done. */
static bool begin_or_wait(progress *at)
{
    while (*at == IN_WORK)
        (void)pthread_cond_wait(&stale.done, &stale.lock);
    if (*at == DONE)
        return false;
    *at = IN_WORK;
    return true;
}

static void finish(progress *at)
{
    (void)pthread_mutex_lock(&stale.lock);
    *at = DONE;
    (void)pthread_cond_broadcast(&stale.done);
    (void)pthread_mutex_unlock(&stale.lock);
}

void wpg_stale_open(const char *bundle, const wpg_shader_view *view)
{
    wpg_stale_close();
    for (size_t i = 0, next; i < view->shader_count; i = next) {
        const wpg_shader_counts *at = &view->shaders[i];
        candidate made = {0};
        made.count = wpg_shader_view_find(&made.counts, view, at->shader, at->stage, at->entry);
        next = i + (made.count ? made.count : 1);
        if (made.count && !wpg_vec_push(&stale.candidates, made))
            break;
    }
    stale.bundle = strdup(bundle);
}

void wpg_stale_close(void)
{
    for (size_t i = 0; i < stale.candidates.count; i++)
        wpg_shader_forms_destroy(stale.candidates.data[i].forms);
    for (size_t i = 0; i < stale.answers.count; i++) {
        wpg_arena_finish(&stale.answers.data[i]->arena);
        free(stale.answers.data[i]);
    }
    wpg_vec_free(&stale.candidates);
    wpg_vec_free(&stale.answers);
    wpg_map_free(&stale.by_shader);
    free(stale.bundle);
    stale.bundle = NULL;
    stale.digested = false;
}

/* The normal form of words, as the stage would be compiled. */
static wpg_status normal_form(wpg_module **module, const uint32_t *words, size_t count,
                              const wpg_stage *stage, wpg_error *err)
{
    WPG_TRY(wpg_module_parse(module, words, count, err));
    wpg_status status = wpg_normalize(*module, stage, NULL, err);
    if (status != WPG_OK) {
        wpg_module_destroy(*module);
        *module = NULL;
    }
    return status;
}

static wpg_status read_forms(candidate *c, const wpg_stage *like, wpg_error *err)
{
    uint32_t *words;
    size_t count;
    wpg_shader_info info = {0};
    wpg_module *module;
    wpg_stage stage = {.model = like->model, .entry = like->entry}; /* the same of all that are looked at */
    WPG_VEC(wpg_spec_value) spec = {0};
    WPG_TRY(wpg_bundle_shader_words(&words, &count, stale.bundle, c->counts->shader, err));
    wpg_status status = wpg_bundle_shader_info(&info, stale.bundle, c->counts->shader, err);
    for (size_t i = 0; status == WPG_OK && i < info.spec_count; i++) {
        wpg_spec_value value = {info.specs[i].id, info.specs[i].size, info.specs[i].bits};
        if (!wpg_vec_push(&spec, value))
            status = wpg_fail(err, WPG_E_NOMEM, "out of memory");
    }
    stage.spec = spec.data;
    stage.spec_count = spec.count;
    if (status == WPG_OK)
        status = normal_form(&module, words, count, &stage, err);
    if (status == WPG_OK) {
        status = wpg_shader_forms_create(&c->forms, module, &stage, err);
        wpg_module_destroy(module);
    }
    wpg_vec_free(&spec);
    wpg_shader_info_finish(&info);
    free(words);
    return status;
}

/* The forms of a candidate, read once; NULL: they are not to be had. */
static const wpg_shader_forms *forms_of(candidate *c, const wpg_stage *like)
{
    wpg_error err = {0};
    (void)pthread_mutex_lock(&stale.lock);
    bool mine = begin_or_wait(&c->progress);
    (void)pthread_mutex_unlock(&stale.lock);
    if (!mine)
        return c->forms;
    if (read_forms(c, like, &err) != WPG_OK)
        wpg_log_debug("a shader of %s is left out when earlier versions are looked for: %s", stale.bundle,
                      err.message);
    finish(&c->progress);
    return c->forms;
}

/* -- Choosing */

typedef struct choice {
    candidate *candidate;
    uint64_t distance; /* of the sizes, in blocks */
    double likeness;
} choice;

static int by_distance(const void *left, const void *right)
{
    const choice *a = left, *b = right;
    if (a->distance != b->distance)
        return a->distance < b->distance ? -1 : 1;
    return a->candidate < b->candidate ? -1 : a->candidate > b->candidate; /* by hash, as the view is */
}

static int by_likeness(const void *left, const void *right)
{
    const choice *a = left, *b = right;
    if (a->likeness > b->likeness || a->likeness < b->likeness)
        return a->likeness > b->likeness ? -1 : 1;
    return by_distance(left, right);
}

/* Candidates of that stage and entry point, the most alike first; in `arena`. Sets *incomplete if a candidate
 * cannot be read. */
static size_t choose(choice **chosen, bool *incomplete, const wpg_rewrite *stage,
                     const wpg_shader_forms *forms, wpg_arena *arena)
{
    const char *name = wpg_stage_name(stage->stage.model);
    choice *list = WPG_ARENA_ARRAY(arena, choice, stale.candidates.count);
    size_t count = 0, alike = 0;
    uint64_t blocks = forms->functions[0] ? wpg_form_blocks(forms->functions[0]) : 0;
    for (size_t i = 0; list && name && blocks && i < stale.candidates.count; i++) {
        candidate *c = &stale.candidates.data[i];
        uint64_t size = c->counts->block_count;
        if (strcmp(c->counts->stage, name) != 0 || strcmp(c->counts->entry, stage->entry) != 0 ||
            c->counts->function != 0 || !size)
            continue;
        list[count++] = (choice){.candidate = c, .distance = size > blocks ? size - blocks : blocks - size};
    }
    if (count)
        qsort(list, count, sizeof *list, by_distance);
    for (size_t i = 0; i < count && i < MOST_LOOKED_AT; i++) {
        const wpg_shader_forms *old = forms_of(list[i].candidate, &stage->stage);
        *incomplete |= !old;
        if (!old || !old->functions[0])
            continue;
        list[i].likeness = wpg_form_likeness(old->functions[0], forms->functions[0]);
        if (list[i].likeness >= WPG_MATCH_LIKENESS)
            list[alike++] = list[i];
    }
    if (alike)
        qsort(list, alike, sizeof *list, by_likeness);
    *chosen = list;
    return alike < MOST_MATCHED ? alike : MOST_MATCHED;
}

static void match_chosen(answer *found, const choice *chosen, size_t count, const wpg_shader_forms *forms,
                         const wpg_module *module, const wpg_stage *stage)
{
    for (size_t i = 0; i < count; i++) {
        const candidate *c = chosen[i].candidate;
        wpg_shader_match match;
        wpg_weights counts;
        wpg_error err = {0};
        if (wpg_weights_of_shader(&counts, &found->arena, c->counts, c->count) != WPG_OK ||
            wpg_match_shader(&match, c->forms, &counts, forms, module, stage, &found->arena, &err) != WPG_OK)
            continue;
        if (match.likeness > found->match.likeness && match.weights.function_count) {
            found->match = match;
            found->like = c->counts->shader;
        }
    }
}

static void look_for(answer *found, const wpg_rewrite *stage)
{
    wpg_module *module;
    wpg_shader_forms *forms = NULL;
    wpg_error err = {0};
    wpg_arena arena;
    if (normal_form(&module, stage->words, stage->word_count, &stage->stage, &err) != WPG_OK)
        return;
    wpg_arena_init(&arena);
    if (wpg_shader_forms_create(&forms, module, &stage->stage, &err) == WPG_OK) {
        choice *chosen;
        size_t count = choose(&chosen, &found->incomplete, stage, forms, &arena);
        match_chosen(found, chosen, count, forms, module, &stage->stage);
    }
    wpg_shader_forms_destroy(forms);
    wpg_module_destroy(module);
    wpg_arena_finish(&arena);
}

/* Under the lock. The shader's answer, made if it is new; NULL when memory runs out. */
static answer *answer_of(wpg_hash128 shader)
{
    uint64_t index;
    if (wpg_map_get(&stale.by_shader, shader.low, &index) &&
        wpg_hash_equal(stale.answers.data[index]->shader, shader))
        return stale.answers.data[index];
    answer *made = calloc(1, sizeof *made);
    if (!made || !wpg_vec_push(&stale.answers, made)) {
        free(made);
        return NULL;
    }
    made->shader = shader;
    wpg_arena_init(&made->arena);
    (void)wpg_map_set(&stale.by_shader, shader.low, stale.answers.count - 1);
    return made;
}

/* -- Results of earlier searches */

static void digest_records(wpg_writer *w, const wpg_shader_counts *counts)
{
    for (size_t i = 0; i < WPG_RECORD_KINDS; i++) {
        const wpg_profile_record *record = counts->records[i];
        const size_t size = record ? record->counter_count * sizeof *record->counters : 0;
        const wpg_hash128 hash = wpg_hash_bytes(size ? (const void *)record->counters : "", size);
        wpg_write_bytes(w, &hash, sizeof hash);
    }
}

/* A digest of the bundle's path and counts; zero when memory runs out. */
static wpg_hash128 digest_of_bundle(void)
{
    wpg_hash128 digest = {0};
    wpg_writer w = {0};
    wpg_write_text(&w, "%s", stale.bundle);
    for (size_t i = 0; i < stale.candidates.count; i++) {
        const candidate *c = &stale.candidates.data[i];
        for (size_t k = 0; k < c->count; k++) {
            const wpg_shader_counts *counts = &c->counts[k];
            wpg_write_bytes(&w, &counts->shader, sizeof counts->shader);
            wpg_write_text(&w, "%s %s %u", counts->stage, counts->entry, counts->function);
            wpg_write_u64(&w, counts->checksum);
            wpg_write_u64(&w, counts->block_count);
            digest_records(&w, counts);
        }
    }
    if (!w.out_of_memory)
        digest = wpg_hash_bytes(w.data, w.size);
    wpg_writer_finish(&w);
    return digest;
}

/* The cache key of a search for this stage. The key has every input of the search. */
static bool name_of(wpg_hash128 *name, const char *question, const wpg_rewrite *stage)
{
    (void)pthread_mutex_lock(&stale.lock);
    if (!stale.digested)
        stale.digest = digest_of_bundle();
    stale.digested = true;
    const struct {
        wpg_hash128 bundle;
        double least;
    } more = {stale.digest, wpg_the_process.settings.min_match};
    (void)pthread_mutex_unlock(&stale.lock);
    return (more.bundle.low | more.bundle.high) != 0 &&
           wpg_answer_key(name, question, stage, &more, sizeof more);
}

static const char weights_question[] = "weights by anchors", like_question[] = "like, by anchors";

/* The answer's low half: 1 if the search found weights. The high half: stage->matched. */
static void note(const wpg_rewrite *stage, bool have)
{
    wpg_hash128 name, kept = {.low = have};
    if (!name_of(&name, weights_question, stage))
        return;
    memcpy(&kept.high, &stage->matched, sizeof kept.high);
    wpg_answer_note(name, kept);
    if (stage->matched > 0 && name_of(&name, like_question, stage))
        wpg_answer_note(name, stage->like);
}

/* True if an earlier process found weights. Sets stage->later if no earlier process searched. */
static bool is_noted(wpg_rewrite *stage)
{
    wpg_hash128 name, like, kept = {0};
    stage->later = !name_of(&name, weights_question, stage) || !wpg_answer_find(&kept, name);
    if (stage->later)
        return false;
    memcpy(&stage->matched, &kept.high, sizeof stage->matched);
    if (stage->matched > 0) {
        stage->later = !name_of(&like, like_question, stage) || !wpg_answer_find(&stage->like, like);
        if (stage->later)
            return false;
    }
    if (kept.low)
        stage->anchors = name;
    return kept.low != 0;
}

/* -- Finding */

/* Under the lock. */
static bool is_done(const answer *found)
{
    return found && found->progress == DONE;
}

bool wpg_stale_find(wpg_weights *weights, wpg_rewrite *stage, bool now)
{
    if (!stale.bundle || !stale.candidates.count)
        return false;
    (void)pthread_mutex_lock(&stale.lock);
    answer *found = answer_of(stage->hash);
    const bool waits = !now && !is_done(found);
    bool mine = !waits && found && begin_or_wait(&found->progress);
    (void)pthread_mutex_unlock(&stale.lock);
    if (waits)
        return is_noted(stage);
    if (!found)
        return false;
    if (mine) {
        look_for(found, stage);
        finish(&found->progress);
    }
    stage->matched = found->match.share;
    stage->like = found->like;
    const bool have =
        found->match.weights.function_count && found->match.share * 100 >= wpg_the_process.settings.min_match;
    if (mine && !found->incomplete)
        note(stage, have);
    if (!have)
        return false;
    *weights = found->match.weights;
    if (found->incomplete || !name_of(&stage->anchors, weights_question, stage))
        stage->anchors = (wpg_hash128){0};
    return true;
}
