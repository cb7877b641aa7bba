#include "layer/suspects.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/vec.h"

enum { HASHES_A_PIPELINE = 8, RECENT_PIPELINES = 16 };

typedef struct suspect {
    wpg_hash128 hash;
    uint64_t last; /* submission, from 1; 0: none yet */
} suspect;

typedef struct pipeline_numbers {
    uint32_t count, numbers[HASHES_A_PIPELINE];
} pipeline_numbers;

/* A command buffer's set of numbers, a bit each. Kept until the device goes: handles come again, and a
 * recording begins by clearing it. What was looked up last is remembered until any pipeline is made or goes.
 */
typedef struct bound_set {
    /* Hands the set from the thread that recorded last to the next. A freed handle that comes again elsewhere
     * is ordered by the allocator it came from, but that is nothing to rely on. */
    atomic_uint passed;
    uint64_t *words;
    size_t count;
    uint64_t made; /* pipelines_made when `recent` was filled */
    struct {
        VkPipeline pipeline;
        const pipeline_numbers *known;
    } recent[RECENT_PIPELINES];
} bound_set;

struct wpg_suspects {
    wpg_handles pipelines; /* VkPipeline -> pipeline_numbers */
    wpg_handles commands;  /* VkCommandBuffer -> bound_set */
    pthread_mutex_t lock;  /* guards the rest */
    WPG_VEC(suspect) table;
    wpg_map by_hash; /* low bits of a hash -> number */
    uint64_t submissions, finished;
};

static atomic_uint_fast64_t generation = 1;     /* moves on when a device goes */
static atomic_uint_fast64_t pipelines_made = 1; /* moves on when a pipeline is added or removed */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
    VkCommandBuffer handle;
    bound_set *set;
    wpg_device *device;
    uint64_t generation;
} latest;

wpg_suspects *wpg_suspects_create(void)
{
    wpg_suspects *suspects = calloc(1, sizeof *suspects);
    if (!suspects)
        return NULL;
    wpg_handles_init(&suspects->pipelines);
    wpg_handles_init(&suspects->commands);
    (void)pthread_mutex_init(&suspects->lock, NULL);
    return suspects;
}

static void free_record(void *record, void *context)
{
    (void)context;
    free(record);
}

static void free_set(void *record, void *context)
{
    (void)context;
    free(((bound_set *)record)->words);
    free(record);
}

void wpg_suspects_destroy(wpg_suspects *suspects)
{
    if (!suspects)
        return;
    (void)atomic_fetch_add(&generation, 1);
    wpg_handles_each(&suspects->pipelines, free_record, NULL);
    wpg_handles_each(&suspects->commands, free_set, NULL);
    wpg_handles_finish(&suspects->pipelines);
    wpg_handles_finish(&suspects->commands);
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

static bound_set *take(bound_set *set)
{
    (void)atomic_load_explicit(&set->passed, memory_order_acquire);
    return set;
}

static void pass_on(bound_set *set)
{
    atomic_store_explicit(&set->passed, 1, memory_order_release);
}

static bound_set *set_of(wpg_device *device, VkCommandBuffer commands, bool make)
{
    wpg_suspects *suspects = device->suspects;
    uint64_t now = atomic_load_explicit(&generation, memory_order_relaxed);
    if (latest.handle == commands && latest.generation == now)
        return take(latest.set);
    uint64_t key = (uint64_t)(uintptr_t)commands;
    bound_set *set = wpg_handles_get(&suspects->commands, key);
    if (!set && make) {
        set = calloc(1, sizeof *set);
        if (!set || !wpg_handles_set(&suspects->commands, key, set)) {
            free(set);
            return NULL;
        }
    }
    if (set) {
        latest.handle = commands;
        latest.set = set;
        latest.device = device;
        latest.generation = now;
        (void)take(set);
    }
    return set;
}

static bool reserve(bound_set *set, size_t count)
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

void wpg_suspects_begin(wpg_device *device, VkCommandBuffer commands)
{
    bound_set *set = device->suspects ? set_of(device, commands, false) : NULL;
    if (set && set->count)
        memset(set->words, 0, set->count * sizeof *set->words);
    if (set)
        pass_on(set);
}

wpg_device *wpg_suspects_device(VkCommandBuffer commands)
{
    if (latest.handle == commands &&
        latest.generation == atomic_load_explicit(&generation, memory_order_relaxed))
        return latest.device;
    return wpg_device_of(commands);
}

static const pipeline_numbers *numbers_of(wpg_device *device, bound_set *set, VkPipeline pipeline)
{
    uint64_t now = atomic_load_explicit(&pipelines_made, memory_order_relaxed), key = (uint64_t)pipeline;
    size_t place = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 60) % RECENT_PIPELINES;
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

void wpg_suspects_bind(wpg_device *device, VkCommandBuffer commands, VkPipeline pipeline)
{
    bound_set *set = device->suspects ? set_of(device, commands, true) : NULL;
    const pipeline_numbers *known = set ? numbers_of(device, set, pipeline) : NULL;
    for (uint32_t i = 0; known && i < known->count; i++)
        if (reserve(set, known->numbers[i] / 64 + 1))
            set->words[known->numbers[i] / 64] |= UINT64_C(1) << known->numbers[i] % 64;
    if (set)
        pass_on(set);
}

void wpg_suspects_execute(wpg_device *device, VkCommandBuffer commands, uint32_t count,
                          const VkCommandBuffer *secondaries)
{
    if (!device->suspects)
        return;
    for (uint32_t i = 0; i < count; i++) {
        bound_set *from = set_of(device, secondaries[i], false);
        bound_set *to = from ? set_of(device, commands, true) : NULL;
        if (!to || !reserve(to, from->count))
            continue;
        for (size_t word = 0; word < from->count; word++)
            to->words[word] |= from->words[word];
        pass_on(to);
        pass_on(from);
    }
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

void wpg_suspects_submit(wpg_device *device, VkCommandBuffer commands)
{
    wpg_suspects *suspects = device->suspects;
    bound_set *set = suspects ? set_of(device, commands, false) : NULL;
    if (!set || !set->count)
        return;
    (void)pthread_mutex_lock(&suspects->lock);
    for (size_t word = 0; word < set->count; word++)
        for (uint64_t rest = set->words[word]; rest; rest &= rest - 1)
            suspects->table.data[word * 64 + (size_t)__builtin_ctzll(rest)].last = suspects->submissions;
    (void)pthread_mutex_unlock(&suspects->lock);
    pass_on(set);
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
