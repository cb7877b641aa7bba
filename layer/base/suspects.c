#include "layer/base/suspects.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/vec.h"

enum { HASHES_A_PIPELINE = 8 };

typedef struct suspect {
    wpg_hash128 hash;
    uint64_t last; /* submission, from 1; 0: none yet */
} suspect;

typedef struct wpg_suspect_numbers {
    uint32_t count, numbers[HASHES_A_PIPELINE];
} pipeline_numbers;

struct wpg_suspects {
    wpg_handles pipelines; /* VkPipeline -> pipeline_numbers */
    pthread_mutex_t lock;  /* guards the rest */
    WPG_VEC(suspect) table;
    wpg_map by_hash; /* low bits of a hash -> number */
    uint64_t submissions, finished;
};

static atomic_uint_fast64_t pipelines_made = 1; /* moves on when a pipeline is added or removed */

wpg_suspects *wpg_suspects_create(void)
{
    wpg_suspects *suspects = calloc(1, sizeof *suspects);
    if (!suspects)
        return NULL;
    wpg_handles_init(&suspects->pipelines);
    (void)pthread_mutex_init(&suspects->lock, NULL);
    return suspects;
}

void wpg_suspects_destroy(wpg_suspects *suspects)
{
    if (!suspects)
        return;
    wpg_handles_free(&suspects->pipelines);
    (void)pthread_mutex_destroy(&suspects->lock);
    wpg_vec_free(&suspects->table);
    wpg_map_free(&suspects->by_hash);
    free(suspects);
}

/* -- Pipelines */

/* The hash's number, made if it is new. */
static bool number_of(uint32_t *number, wpg_suspects *suspects, wpg_hash128 hash)
{
    uint64_t found;
    bool good = true;
    (void)pthread_mutex_lock(&suspects->lock);
    if (wpg_map_get(&suspects->by_hash, hash.low, &found))
        *number = (uint32_t)found;
    else if (suspects->table.count < UINT32_MAX && wpg_vec_push(&suspects->table, (suspect){.hash = hash})) {
        *number = (uint32_t)(suspects->table.count - 1);
        if (!wpg_map_set(&suspects->by_hash, hash.low, *number)) {
            (void)wpg_vec_pop(&suspects->table);
            good = false;
        }
    } else
        good = false;
    (void)pthread_mutex_unlock(&suspects->lock);
    return good;
}

void wpg_suspects_add(wpg_device *device, VkPipeline pipeline, wpg_hash128 hash)
{
    wpg_suspects *suspects = device->suspects;
    uint32_t number;
    if (!suspects || !pipeline || !number_of(&number, suspects, hash))
        return;
    pipeline_numbers *known = wpg_handles_get(&suspects->pipelines, (uint64_t)pipeline);
    if (!known) {
        known = calloc(1, sizeof *known);
        if (!known || !wpg_handles_set(&suspects->pipelines, (uint64_t)pipeline, known)) {
            free(known);
            return;
        }
    }
    if (known->count < HASHES_A_PIPELINE)
        known->numbers[known->count++] = number;
    (void)atomic_fetch_add(&pipelines_made, 1);
}

void wpg_suspects_remove(wpg_device *device, VkPipeline pipeline)
{
    void *known = device->suspects && pipeline
                      ? wpg_handles_remove(&device->suspects->pipelines, (uint64_t)pipeline)
                      : NULL;
    /* Before it is freed: who may use a handle that came again has synchronised with who destroyed it. */
    if (known)
        (void)atomic_fetch_add(&pipelines_made, 1);
    free(known);
}

/* -- Command buffers */

static bool reserve(wpg_suspect_set *set, size_t count)
{
    if (count <= set->count)
        return true;
    uint64_t *grown = realloc(set->words, count * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + set->count, 0, (count - set->count) * sizeof *grown);
    set->words = grown;
    set->count = count;
    return true;
}

void wpg_suspect_set_clear(wpg_suspect_set *set)
{
    if (set->count)
        memset(set->words, 0, set->count * sizeof *set->words);
}

void wpg_suspect_set_finish(wpg_suspect_set *set)
{
    free(set->words);
    *set = (wpg_suspect_set){0};
}

static const pipeline_numbers *numbers_of(wpg_device *device, wpg_suspect_set *set, VkPipeline pipeline)
{
    uint64_t now = atomic_load_explicit(&pipelines_made, memory_order_relaxed), key = (uint64_t)pipeline;
    size_t place = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 60) % WPG_SUSPECT_RECENT;
    if (set->made != now) {
        memset(set->recent, 0, sizeof set->recent);
        set->made = now;
    }
    if (!pipeline || set->recent[place].pipeline != pipeline) {
        set->recent[place].known = wpg_handles_get(&device->suspects->pipelines, key);
        set->recent[place].pipeline = pipeline;
    }
    return set->recent[place].known;
}

void wpg_suspects_bind(wpg_device *device, wpg_suspect_set *set, VkPipeline pipeline)
{
    const pipeline_numbers *known = device->suspects ? numbers_of(device, set, pipeline) : NULL;
    for (uint32_t i = 0; known && i < known->count; i++)
        if (reserve(set, known->numbers[i] / 64 + 1))
            set->words[known->numbers[i] / 64] |= UINT64_C(1) << known->numbers[i] % 64;
}

void wpg_suspects_execute(wpg_suspect_set *set, const wpg_suspect_set *secondary)
{
    if (!reserve(set, secondary->count))
        return;
    for (size_t word = 0; word < secondary->count; word++)
        set->words[word] |= secondary->words[word];
}

/* -- Submissions */

void wpg_suspects_submission(wpg_device *device)
{
    if (!device->suspects)
        return;
    (void)pthread_mutex_lock(&device->suspects->lock);
    device->suspects->submissions++;
    (void)pthread_mutex_unlock(&device->suspects->lock);
}

void wpg_suspects_submit(wpg_device *device, const wpg_suspect_set *set)
{
    wpg_suspects *suspects = device->suspects;
    if (!suspects || !set->count)
        return;
    (void)pthread_mutex_lock(&suspects->lock);
    for (size_t word = 0; word < set->count; word++)
        for (uint64_t rest = set->words[word]; rest; rest &= rest - 1)
            suspects->table.data[word * 64 + (size_t)__builtin_ctzll(rest)].last = suspects->submissions;
    (void)pthread_mutex_unlock(&suspects->lock);
}

void wpg_suspects_idle(wpg_device *device)
{
    if (!device->suspects)
        return;
    (void)pthread_mutex_lock(&device->suspects->lock);
    device->suspects->finished = device->suspects->submissions;
    (void)pthread_mutex_unlock(&device->suspects->lock);
}

wpg_hash128 *wpg_suspects_list(size_t *count, wpg_device *device)
{
    wpg_suspects *suspects = device->suspects;
    WPG_VEC(wpg_hash128) found = {0};
    *count = 0;
    if (!suspects)
        return NULL;
    (void)pthread_mutex_lock(&suspects->lock);
    for (size_t i = 0; i < suspects->table.count; i++) {
        const suspect *one = &suspects->table.data[i];
        if (one->last > suspects->finished && one->last + WPG_SUSPECT_SUBMISSIONS > suspects->submissions)
            (void)wpg_vec_push(&found, one->hash);
    }
    (void)pthread_mutex_unlock(&suspects->lock);
    *count = found.count;
    return found.data;
}
