#include "layer/base/loss_attribution.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/denials.h"
#include "layer/base/flight_recorder.h"
#include "runtime/base/vec.h"

enum { HASHES_A_PIPELINE = 8, IDLE_TRIES = 8 };

typedef struct suspect {
    wpg_hash128 hash;
    uint64_t first, last; /* submissions, from 1; 0: none yet */
    uint64_t weight;      /* wpg_attribution_weigh; 0: unknown, or it was named */
    uint32_t pipelines;   /* that have its number */
    uint32_t flight;      /* its first use, while the driver may be at it; 0: none */
    uint32_t next_idle;   /* number + 1 of the next in the queue; 0: it is the last */
    bool idle;            /* in the queue of numbers that had no pipeline when they were put there */
} suspect;

typedef struct wpg_suspect_numbers {
    uint32_t count, numbers[HASHES_A_PIPELINE];
} pipeline_numbers;

struct wpg_loss_attribution {
    wpg_handles pipelines; /* VkPipeline -> pipeline_numbers */
    pthread_mutex_t lock;  /* guards the rest */
    WPG_VEC(suspect) table;
    wpg_map by_hash;                /* low bits of a hash -> number */
    uint32_t first_idle, last_idle; /* numbers + 1; 0: none */
    WPG_VEC(uint32_t) flights;      /* numbers that have one */
    uint64_t submissions, finished;
    VkFence last_fence;  /* of the submission `submissions`; VK_NULL_HANDLE: it has none */
    atomic_bool any_new; /* one that has a weight was first used, and that submission may not have finished */
};

static atomic_uint_fast64_t pipelines_made = 1; /* moves on when a pipeline is added or removed */

/* -- First uses (flight_recorder.h) */

/* The driver gets the number for the first time. */
static void begin_flight(wpg_loss_attribution *attribution, uint32_t number)
{
    suspect *one = &attribution->table.data[number];
    one->flight = wpg_flight_begin(one->hash);
    if (one->flight && !wpg_vec_push(&attribution->flights, number)) {
        wpg_flight_end(one->flight);
        one->flight = 0;
    }
}

/* Of submissions up to `last`. `finished`: they were seen to finish. */
static void end_flights(wpg_loss_attribution *attribution, uint64_t last, bool finished)
{
    size_t kept = 0;
    for (size_t i = 0; i < attribution->flights.count; i++) {
        suspect *one = &attribution->table.data[attribution->flights.data[i]];
        if (one->first > last) {
            attribution->flights.data[kept++] = attribution->flights.data[i];
            continue;
        }
        wpg_flight_end(one->flight);
        one->flight = 0;
        if (finished)
            wpg_denials_fine(one->hash);
    }
    attribution->flights.count = kept;
}

wpg_loss_attribution *wpg_attribution_create(void)
{
    wpg_loss_attribution *attribution = calloc(1, sizeof *attribution);
    if (!attribution)
        return NULL;
    wpg_handles_init(&attribution->pipelines);
    (void)pthread_mutex_init(&attribution->lock, NULL);
    return attribution;
}

void wpg_attribution_destroy(wpg_loss_attribution *attribution)
{
    if (!attribution)
        return;
    end_flights(attribution, attribution->submissions, true);
    wpg_handles_free(&attribution->pipelines);
    (void)pthread_mutex_destroy(&attribution->lock);
    wpg_vec_free(&attribution->table);
    wpg_vec_free(&attribution->flights);
    wpg_map_free(&attribution->by_hash);
    free(attribution);
}

/* -- Pipelines */

static bool is_suspect(const wpg_loss_attribution *attribution, const suspect *one)
{
    return one->last > attribution->finished &&
           one->last + WPG_SUSPECT_SUBMISSIONS > attribution->submissions;
}

static void put_idle(wpg_loss_attribution *attribution, uint32_t number)
{
    suspect *one = &attribution->table.data[number];
    if (one->idle)
        return;
    one->idle = true;
    if (attribution->last_idle)
        attribution->table.data[attribution->last_idle - 1].next_idle = number + 1;
    else
        attribution->first_idle = number + 1;
    attribution->last_idle = number + 1;
}

/* A number whose pipelines are destroyed and no longer suspected, for another hash. Suspects go to the end of
 * the queue. False: none of the first few is. */
static bool take_idle(uint32_t *number, wpg_loss_attribution *attribution)
{
    for (int tries = 0; tries < IDLE_TRIES && attribution->first_idle; tries++) {
        *number = attribution->first_idle - 1;
        suspect *one = &attribution->table.data[*number];
        attribution->first_idle = one->next_idle;
        if (!attribution->first_idle)
            attribution->last_idle = 0;
        one->next_idle = 0;
        one->idle = false;
        if (one->pipelines) /* it was made again */
            continue;
        if (is_suspect(attribution, one)) {
            put_idle(attribution, *number);
            continue;
        }
        (void)wpg_map_remove(&attribution->by_hash, one->hash.low, NULL);
        if (one->flight)
            end_flights(attribution, one->first, false);
        return true;
    }
    return false;
}

/* A number for a hash that has none. Under the lock. */
static bool new_number(uint32_t *number, wpg_loss_attribution *attribution, wpg_hash128 hash)
{
    if (!take_idle(number, attribution)) {
        if (attribution->table.count >= UINT32_MAX - 1 ||
            !wpg_vec_push(&attribution->table, (suspect){.hash = hash}))
            return false;
        *number = (uint32_t)(attribution->table.count - 1);
    }
    attribution->table.data[*number] = (suspect){.hash = hash};
    if (wpg_map_set(&attribution->by_hash, hash.low, *number))
        return true;
    put_idle(attribution, *number);
    return false;
}

/* The hash's number, made if it is new; for one pipeline more. */
static bool number_of(uint32_t *number, wpg_loss_attribution *attribution, wpg_hash128 hash)
{
    uint64_t found;
    bool good = true;
    (void)pthread_mutex_lock(&attribution->lock);
    if (wpg_map_get(&attribution->by_hash, hash.low, &found)) {
        *number = (uint32_t)found;
        suspect *one = &attribution->table.data[*number];
        if (!one->flight) /* a driver that compiles at the first use compiles each pipeline */
            one->first = 0;
    } else
        good = new_number(number, attribution, hash);
    if (good)
        attribution->table.data[*number].pipelines++;
    (void)pthread_mutex_unlock(&attribution->lock);
    return good;
}

/* The pipeline is gone. */
static void give_back(wpg_loss_attribution *attribution, const pipeline_numbers *known)
{
    (void)pthread_mutex_lock(&attribution->lock);
    for (uint32_t i = 0; i < known->count; i++)
        if (--attribution->table.data[known->numbers[i]].pipelines == 0)
            put_idle(attribution, known->numbers[i]);
    (void)pthread_mutex_unlock(&attribution->lock);
}

void wpg_attribution_add(wpg_device *device, VkPipeline pipeline, wpg_hash128 hash)
{
    wpg_loss_attribution *attribution = device->attribution;
    uint32_t number;
    if (!attribution || !pipeline || !number_of(&number, attribution, hash))
        return;
    pipeline_numbers *known = wpg_handles_get(&attribution->pipelines, (uint64_t)pipeline);
    if (!known) {
        known = calloc(1, sizeof *known);
        if (!known || !wpg_handles_set(&attribution->pipelines, (uint64_t)pipeline, known)) {
            give_back(attribution, &(const pipeline_numbers){.count = 1, .numbers = {number}});
            free(known);
            return;
        }
    }
    if (known->count < HASHES_A_PIPELINE)
        known->numbers[known->count++] = number;
    else
        give_back(attribution, &(const pipeline_numbers){.count = 1, .numbers = {number}});
    (void)atomic_fetch_add(&pipelines_made, 1);
}

void wpg_attribution_remove(wpg_device *device, VkPipeline pipeline)
{
    pipeline_numbers *known = device->attribution && pipeline
                                  ? wpg_handles_remove(&device->attribution->pipelines, (uint64_t)pipeline)
                                  : NULL;
    /* Before it is freed: who may use a handle that came again has synchronised with who destroyed it. */
    if (known) {
        (void)atomic_fetch_add(&pipelines_made, 1);
        give_back(device->attribution, known);
    }
    free(known);
}

void wpg_attribution_weigh(wpg_device *device, wpg_hash128 hash, uint64_t weight)
{
    wpg_loss_attribution *attribution = device->attribution;
    uint64_t number;
    if (!attribution)
        return;
    (void)pthread_mutex_lock(&attribution->lock);
    if (wpg_map_get(&attribution->by_hash, hash.low, &number) && !attribution->table.data[number].first)
        attribution->table.data[number].weight = weight;
    (void)pthread_mutex_unlock(&attribution->lock);
}

/* -- Command buffers */

static bool reserve(wpg_bound_set *set, size_t count)
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

void wpg_bound_set_clear(wpg_bound_set *set)
{
    if (set->count)
        memset(set->words, 0, set->count * sizeof *set->words);
}

void wpg_bound_set_finish(wpg_bound_set *set)
{
    free(set->words);
    *set = (wpg_bound_set){0};
}

static const pipeline_numbers *numbers_of(wpg_device *device, wpg_bound_set *set, VkPipeline pipeline)
{
    uint64_t now = atomic_load_explicit(&pipelines_made, memory_order_relaxed), key = (uint64_t)pipeline;
    size_t place = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 60) % WPG_SUSPECT_RECENT;
    if (set->made != now) {
        memset(set->recent, 0, sizeof set->recent);
        set->made = now;
    }
    if (!pipeline || set->recent[place].pipeline != pipeline) {
        set->recent[place].known = wpg_handles_get(&device->attribution->pipelines, key);
        set->recent[place].pipeline = pipeline;
    }
    return set->recent[place].known;
}

void wpg_attribution_bind(wpg_device *device, wpg_bound_set *set, VkPipeline pipeline)
{
    const pipeline_numbers *known = device->attribution ? numbers_of(device, set, pipeline) : NULL;
    for (uint32_t i = 0; known && i < known->count; i++)
        if (reserve(set, known->numbers[i] / 64 + 1))
            set->words[known->numbers[i] / 64] |= UINT64_C(1) << known->numbers[i] % 64;
}

void wpg_attribution_execute(wpg_bound_set *set, const wpg_bound_set *secondary)
{
    if (!reserve(set, secondary->count))
        return;
    for (size_t word = 0; word < secondary->count; word++)
        set->words[word] |= secondary->words[word];
}

/* -- Submissions */

void wpg_attribution_submission(wpg_device *device, VkFence fence)
{
    if (!device->attribution)
        return;
    wpg_loss_attribution *attribution = device->attribution;
    (void)pthread_mutex_lock(&attribution->lock);
    attribution->submissions++;
    attribution->last_fence = fence;
    if (attribution->submissions > WPG_SUSPECT_SUBMISSIONS)
        end_flights(attribution, attribution->submissions - WPG_SUSPECT_SUBMISSIONS, false);
    (void)pthread_mutex_unlock(&attribution->lock);
}

void wpg_attribution_submit(wpg_device *device, const wpg_bound_set *set)
{
    wpg_loss_attribution *attribution = device->attribution;
    if (!attribution || !set->count)
        return;
    (void)pthread_mutex_lock(&attribution->lock);
    for (size_t word = 0; word < set->count; word++)
        for (uint64_t rest = set->words[word]; rest; rest &= rest - 1) {
            const uint32_t number = (uint32_t)(word * 64 + (size_t)__builtin_ctzll(rest));
            suspect *one = &attribution->table.data[number];
            one->last = attribution->submissions;
            if (one->first)
                continue;
            one->first = attribution->submissions;
            begin_flight(attribution, number);
            if (one->weight)
                atomic_store_explicit(&attribution->any_new, true, memory_order_relaxed);
        }
    (void)pthread_mutex_unlock(&attribution->lock);
}

bool wpg_attribution_has_new(const wpg_device *device)
{
    return device->attribution && atomic_load_explicit(&device->attribution->any_new, memory_order_relaxed);
}

bool wpg_attribution_dearest_new(wpg_device *device, wpg_hash128 *hash)
{
    wpg_loss_attribution *attribution = device->attribution;
    suspect *dearest = NULL;
    if (!attribution)
        return false;
    (void)pthread_mutex_lock(&attribution->lock);
    for (size_t i = 0; i < attribution->table.count; i++) {
        suspect *one = &attribution->table.data[i];
        if (one->weight > (dearest ? dearest->weight : 0) && one->first > attribution->finished &&
            one->first + WPG_SUSPECT_SUBMISSIONS > attribution->submissions)
            dearest = one;
    }
    if (dearest) {
        *hash = dearest->hash;
        dearest->weight = 0;
    } else
        atomic_store_explicit(&attribution->any_new, false, memory_order_relaxed);
    (void)pthread_mutex_unlock(&attribution->lock);
    return dearest != NULL;
}

/* Under the lock. */
static void all_finished(wpg_loss_attribution *attribution)
{
    attribution->finished = attribution->submissions;
    atomic_store_explicit(&attribution->any_new, false, memory_order_relaxed);
    end_flights(attribution, attribution->submissions, true);
}

void wpg_attribution_idle(wpg_device *device)
{
    if (!device->attribution)
        return;
    (void)pthread_mutex_lock(&device->attribution->lock);
    all_finished(device->attribution);
    (void)pthread_mutex_unlock(&device->attribution->lock);
}

void wpg_attribution_fences(wpg_device *device, uint32_t count, const VkFence *fences)
{
    wpg_loss_attribution *attribution = device->attribution;
    if (!attribution || device->queue_count != 1)
        return;
    (void)pthread_mutex_lock(&attribution->lock);
    for (uint32_t i = 0; i < count; i++)
        if (fences[i] && fences[i] == attribution->last_fence) {
            all_finished(attribution);
            attribution->last_fence = VK_NULL_HANDLE;
        }
    (void)pthread_mutex_unlock(&attribution->lock);
}

wpg_hash128 *wpg_attribution_list(size_t *count, wpg_device *device)
{
    wpg_loss_attribution *attribution = device->attribution;
    WPG_VEC(wpg_hash128) found = {0};
    *count = 0;
    if (!attribution)
        return NULL;
    (void)pthread_mutex_lock(&attribution->lock);
    for (size_t i = 0; i < attribution->table.count; i++) {
        const suspect *one = &attribution->table.data[i];
        if (is_suspect(attribution, one))
            (void)wpg_vec_push(&found, one->hash);
    }
    (void)pthread_mutex_unlock(&attribution->lock);
    *count = found.count;
    return found.data;
}
