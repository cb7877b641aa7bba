/* Sets of variants, their builder, and the choice at a dispatch. See variants.h. */
#include "layer/variants.h"

#include <stdlib.h>
#include <string.h>

#include "layer/library_copy.h"
#include "layer/suspects.h"
#include "layer/summary.h"
#include "layer/use.h"
#include "runtime/base/log.h"

enum { MOST_VARIANTS = 16, MOST_TRIES = MOST_VARIANTS * 2, TUNE_WAIT = 10 /* seconds */ };

typedef struct variant {
    VkPipeline pipeline;
    uint64_t words; /* what it depends on */
    uint32_t values[WPG_PUSH_WORDS];
} variant;

typedef struct wpg_variant_set {
    struct wpg_variant_set *next, *previous, *next_job;
    wpg_arena arena;
    VkPipeline original;
    wpg_hash128 hash;
    const wpg_usual *usual;
    wpg_rewrite stage; /* identity; its words and names lie in the arena */
    VkComputePipelineCreateInfo info;
    size_t bytes; /* of words, for VARIANT_MEMORY */
    bool building;
    atomic_bool dead;             /* read before a compile begins, without the lock */
    uint32_t job[WPG_PUSH_WORDS]; /* values asked for, of usual->words; the builder's while `asked` */
    atomic_bool asked;
    atomic_uint ready, tries;
    variant variants[MOST_VARIANTS];
    atomic_uint_least64_t tried[MOST_TRIES]; /* hashes of combinations */
} wpg_variant_set;

typedef struct kept_layout {
    unsigned sets;
    bool gone; /* the program destroyed it */
} kept_layout;

typedef struct wpg_variants {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    pthread_t thread;
    bool running, stop;
    wpg_variant_set *sets, *jobs, **jobs_end;
    const wpg_variant_set *current; /* being built */
    wpg_handles layouts;            /* VkPipelineLayout -> kept_layout; under lock */
} wpg_variants;

static struct {
    atomic_uint_least64_t built, used, seen, bytes;
} counts;

void wpg_variants_counts(uint64_t *built, uint64_t *used, uint64_t *seen)
{
    *built = atomic_load(&counts.built);
    *used = atomic_load(&counts.used);
    *seen = atomic_load(&counts.seen);
}

bool wpg_variants_wanted(void)
{
    const wpg_process *process = &wpg_the_process;
    return (process->mode == WPG_MODE_USE || process->mode == WPG_MODE_TUNE) &&
           process->settings.variants > 0 && wpg_usual_any();
}

/* -- Building */

static bool fits(size_t bytes)
{
    if (atomic_load(&counts.bytes) + bytes <= (uint64_t)wpg_the_process.settings.variant_memory << 20)
        return true;
    wpg_log_once(WPG_LOG_WARN, "VARIANT_MEMORY is used up: no further variants");
    return false;
}

/* The specialised words; false, with stage->why, where nothing comes of the values. */
static bool rewrite(wpg_rewrite *stage, const wpg_device *device, const wpg_variant_set *set)
{
    wpg_push_value values[WPG_PUSH_WORDS];
    uint32_t count = 0;
    wpg_weights weights;
    wpg_arena arena;
    for (uint32_t i = 0; i < WPG_PUSH_WORDS; i++)
        if (set->usual->words >> i & 1)
            values[count++] = (wpg_push_value){i * 4, set->job[i]};
    wpg_arena_init(&arena);
    wpg_use_find(&weights, &arena, set->hash, stage);
    wpg_status status = wpg_rewrite_for_values(stage, &weights, &device->features, values, count);
    wpg_arena_finish(&arena);
    return status == WPG_OK && stage->changed && stage->remarks && stage->remarks->push_words &&
           fits(stage->out_count * sizeof *stage->out_words);
}

static VkPipeline compile(wpg_device *device, const wpg_variant_set *set, const wpg_rewrite *stage)
{
    VkComputePipelineCreateInfo info = set->info;
    VkShaderModuleCreateInfo words = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                      .codeSize = stage->out_count * sizeof *stage->out_words,
                                      .pCode = stage->out_words};
    VkPipeline made = VK_NULL_HANDLE;
    if (device->next.CreateShaderModule(device->handle, &words, NULL, &info.stage.module) != VK_SUCCESS)
        return VK_NULL_HANDLE;
    if (device->next.CreateComputePipelines(device->handle, device->cache, 1, &info, NULL, &made) !=
        VK_SUCCESS)
        made = VK_NULL_HANDLE;
    device->next.DestroyShaderModule(device->handle, info.stage.module, NULL);
    return made;
}

static void build(wpg_device *device, wpg_variant_set *set)
{
    wpg_rewrite stage;
    char hex[WPG_HASH_HEX + 1];
    unsigned ready = atomic_load(&set->ready);
    uint64_t start = wpg_now(), driver = 0;
    wpg_hash_to_hex(hex, set->hash);
    if (!wpg_rewrite_recall(&stage, &set->stage, NULL))
        return;
    if (wpg_module_parse(&stage.module, stage.words, stage.word_count, &stage.why) == WPG_OK &&
        rewrite(&stage, device, set)) {
        variant *made = &set->variants[ready];
        driver = wpg_now();
        made->pipeline = compile(device, set, &stage);
        driver = wpg_now() - driver;
        made->words = stage.remarks->push_words;
        memcpy(made->values, set->job, sizeof made->values);
        wpg_use_report(set->hash, &stage, 1, NULL);
        if (made->pipeline) {
            wpg_suspects_add(device, made->pipeline, set->hash);
            set->bytes += stage.out_count * sizeof *stage.out_words;
            atomic_fetch_add(&counts.bytes, stage.out_count * sizeof *stage.out_words);
            atomic_fetch_add(&counts.built, 1);
            atomic_store_explicit(&set->ready, ready + 1, memory_order_release);
            wpg_log_info("pipeline %s: variant %u, for push constants 0x%llx: %zu bytes, %.2f ms here, "
                         "%.2f ms in the driver",
                         hex, ready + 1, (unsigned long long)made->words,
                         stage.out_count * sizeof *stage.out_words,
                         (double)(wpg_now() - start - driver) * 1e-6, (double)driver * 1e-6);
        } else
            wpg_log_warn("pipeline %s: the driver refuses a variant", hex);
    } else {
        wpg_log_info("pipeline %s: no variant: %s", hex,
                     stage.why.message[0] ? stage.why.message : "nothing comes of its push constants");
        stage.changed = false;
        wpg_use_report(set->hash, &stage, 1, NULL);
    }
    wpg_rewrite_finish(&stage);
}

/* -- Sets */

static void destroy_set(wpg_device *device, wpg_variant_set *set)
{
    unsigned ready = atomic_load(&set->ready);
    for (unsigned i = 0; i < ready; i++) {
        wpg_suspects_remove(device, set->variants[i].pipeline);
        device->next.DestroyPipeline(device->handle, set->variants[i].pipeline, NULL);
    }
    uint64_t layout = (uint64_t)set->info.layout;
    kept_layout *kept = wpg_handles_get(&device->variants->layouts, layout);
    if (kept && --kept->sets == 0) {
        (void)wpg_handles_remove(&device->variants->layouts, layout);
        if (kept->gone)
            device->next.DestroyPipelineLayout(device->handle, set->info.layout, NULL);
        free(kept);
    }
    atomic_fetch_sub(&counts.bytes, set->bytes);
    wpg_rewrite_finish(&set->stage);
    wpg_arena_finish(&set->arena);
    free(set);
}

static void *builder(void *argument)
{
    wpg_device *device = argument;
    wpg_variants *all = device->variants;
    (void)pthread_mutex_lock(&all->lock);
    while (!all->stop) {
        wpg_variant_set *set = all->jobs;
        if (!set) {
            (void)pthread_cond_wait(&all->work, &all->lock);
            continue;
        }
        all->jobs = set->next_job;
        if (!all->jobs)
            all->jobs_end = &all->jobs;
        set->building = true;
        all->current = set;
        (void)pthread_mutex_unlock(&all->lock);
        wpg_compile_gate_wait();
        if (!atomic_load(&set->dead))
            build(device, set);
        (void)pthread_mutex_lock(&all->lock);
        set->building = false;
        all->current = NULL;
        atomic_store(&set->asked, false);
        if (atomic_load(&set->dead))
            destroy_set(device, set);
        (void)pthread_cond_broadcast(&all->done);
    }
    (void)pthread_mutex_unlock(&all->lock);
    return NULL;
}

/* Asks for the combination in set->job; under the lock. */
static void ask(wpg_device *device, wpg_variant_set *set)
{
    wpg_variants *all = device->variants;
    if (!all->running)
        all->running = !all->stop && pthread_create(&all->thread, NULL, builder, device) == 0;
    set->next_job = NULL;
    *all->jobs_end = set;
    all->jobs_end = &set->next_job;
    (void)pthread_cond_signal(&all->work);
}

void wpg_variants_start(wpg_device *device, const VkDeviceCreateInfo *info)
{
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        if (strstr(info->ppEnabledExtensionNames[i], "device_generated_commands")) {
            wpg_log_info("no variants: the device may generate commands");
            return;
        }
    wpg_variants *all = calloc(1, sizeof *all);
    if (!all)
        return;
    (void)pthread_mutex_init(&all->lock, NULL);
    (void)pthread_cond_init(&all->work, NULL);
    (void)pthread_cond_init(&all->done, NULL);
    wpg_handles_init(&all->layouts);
    all->jobs_end = &all->jobs;
    device->variants = all;
    device->records = true;
}

void wpg_variants_finish(wpg_device *device)
{
    wpg_variants *all = device->variants;
    if (!all)
        return;
    (void)pthread_mutex_lock(&all->lock);
    all->stop = true;
    bool running = all->running && wpg_process_is_owner(); /* a forked child has no such thread */
    (void)pthread_cond_signal(&all->work);
    (void)pthread_mutex_unlock(&all->lock);
    if (running)
        (void)pthread_join(all->thread, NULL);
    for (wpg_variant_set *set = all->sets, *next; set; set = next) {
        next = set->next;
        destroy_set(device, set);
    }
    wpg_handles_finish(&all->layouts);
    (void)pthread_cond_destroy(&all->done);
    (void)pthread_cond_destroy(&all->work);
    (void)pthread_mutex_destroy(&all->lock);
    free(all);
    device->variants = NULL;
}

static bool copy_set(wpg_variant_set *set, const wpg_pipeline_plan *plan,
                     const VkComputePipelineCreateInfo *info)
{
    const wpg_rewrite *known = &plan->stages[0];
    const char *why;
    if (!wpg_library_copy_compute(&why, &set->info, &set->arena, info)) {
        wpg_log_info("pipeline %s: no variants: %s", plan->label, why);
        return false;
    }
    if (!wpg_rewrite_recall(&set->stage, known, &set->arena))
        return false;
    set->stage.words = wpg_arena_memdup(&set->arena, known->words, known->word_count * sizeof *known->words);
    set->info.stage.pName = set->stage.entry;
    set->bytes = known->word_count * sizeof *known->words;
    return set->stage.words != NULL;
}

static bool hold_layout(wpg_variants *all, VkPipelineLayout layout)
{
    kept_layout *kept = wpg_handles_get(&all->layouts, (uint64_t)layout);
    if (!kept) {
        kept = calloc(1, sizeof *kept);
        if (!kept || !wpg_handles_set(&all->layouts, (uint64_t)layout, kept)) {
            free(kept);
            return false;
        }
    }
    kept->sets++;
    return true;
}

static uint64_t hash_of(const wpg_usual *usual, const uint32_t values[WPG_PUSH_WORDS])
{
    uint32_t taken[WPG_PUSH_WORDS] = {0};
    for (uint32_t i = 0; i < WPG_PUSH_WORDS; i++)
        taken[i] = usual->words >> i & 1 ? values[i] : 0;
    return wpg_hash64_bytes(taken, sizeof taken) | 1;
}

/* The commonest values make up one combination at least so often, whatever else goes together. */
static bool is_sure(const wpg_usual *usual)
{
    double lacks = 0;
    for (uint32_t i = 0; i < WPG_PUSH_WORDS; i++)
        if (usual->words >> i & 1)
            lacks += 1 - usual->word[i].share;
    return 1 - lacks >= wpg_the_process.settings.variant_share;
}

void wpg_variants_add(wpg_device *device, VkPipeline pipeline, const wpg_pipeline_plan *plan,
                      const VkComputePipelineCreateInfo *info)
{
    wpg_variants *all = device->variants;
    const wpg_usual *usual = plan->by_value ? wpg_usual_of(plan->hash) : NULL;
    wpg_bindable *bindable = wpg_handles_get(&device->bindables, (uint64_t)pipeline);
    if (!usual || !bindable || !wpg_process_is_owner())
        return;
    wpg_variant_set *set = calloc(1, sizeof *set);
    if (!set)
        return;
    wpg_arena_init(&set->arena);
    set->original = pipeline;
    set->hash = plan->hash;
    set->usual = usual;
    bool good = copy_set(set, plan, info) && fits(set->bytes);
    (void)pthread_mutex_lock(&all->lock);
    if (!good || !hold_layout(all, info->layout)) {
        (void)pthread_mutex_unlock(&all->lock);
        wpg_rewrite_finish(&set->stage);
        wpg_arena_finish(&set->arena);
        free(set);
        return;
    }
    atomic_fetch_add(&counts.bytes, set->bytes);
    set->next = all->sets;
    if (set->next)
        set->next->previous = set;
    all->sets = set;
    bindable->variants = set;
    if (is_sure(usual)) {
        for (uint32_t i = 0; i < WPG_PUSH_WORDS; i++)
            set->job[i] = usual->word[i].values[0];
        atomic_store(&set->tried[0], hash_of(usual, set->job));
        atomic_store(&set->tries, 1);
        atomic_store(&set->asked, true);
        ask(device, set);
    }
    (void)pthread_mutex_unlock(&all->lock);
}

void wpg_variants_remove(wpg_device *device, VkPipeline pipeline)
{
    wpg_variants *all = device->variants;
    wpg_bindable *bindable = all ? wpg_handles_get(&device->bindables, (uint64_t)pipeline) : NULL;
    wpg_variant_set *set = bindable ? bindable->variants : NULL;
    if (!set)
        return;
    (void)pthread_mutex_lock(&all->lock);
    bindable->variants = NULL;
    if (set->previous)
        set->previous->next = set->next;
    else
        all->sets = set->next;
    if (set->next)
        set->next->previous = set->previous;
    for (wpg_variant_set **at = &all->jobs; *at; at = &(*at)->next_job)
        if (*at == set) {
            *at = set->next_job;
            if (all->jobs_end == &set->next_job)
                all->jobs_end = at;
            break;
        }
    /* What is being built is destroyed by the builder: the program does not wait for a compile. */
    atomic_store(&set->dead, true);
    if (!set->building)
        destroy_set(device, set);
    (void)pthread_mutex_unlock(&all->lock);
}

bool wpg_variants_keep_layout(wpg_device *device, VkPipelineLayout layout,
                              const VkAllocationCallbacks *allocator)
{
    wpg_variants *all = device->variants;
    if (!all || !layout)
        return false;
    (void)pthread_mutex_lock(&all->lock);
    kept_layout *kept = wpg_handles_get(&all->layouts, (uint64_t)layout);
    if (kept && !allocator)
        kept->gone = true;
    else if (kept) {
        /* The program's allocator has to free it now: its sets build nothing more. */
        for (wpg_variant_set *set = all->sets; set; set = set->next) {
            if (set->info.layout != layout)
                continue;
            atomic_store(&set->tries, MOST_TRIES);
            for (wpg_variant_set **at = &all->jobs; *at; at = &(*at)->next_job)
                if (*at == set) {
                    *at = set->next_job;
                    if (all->jobs_end == &set->next_job)
                        all->jobs_end = at;
                    break;
                }
            if (!set->building)
                atomic_store(&set->asked, false);
        }
        while (all->current && all->current->info.layout == layout)
            (void)pthread_cond_wait(&all->done, &all->lock);
    }
    (void)pthread_mutex_unlock(&all->lock);
    return kept && !allocator;
}

/* -- Choosing */

static bool serves(const variant *v, const wpg_recording *recording, uint64_t valid)
{
    if (v->words & ~valid)
        return false;
    for (uint64_t left = v->words; left; left &= left - 1) {
        int word = __builtin_ctzll(left);
        if (v->values[word] != recording->push[word])
            return false;
    }
    return true;
}

static VkPipeline find(const wpg_variant_set *set, const wpg_recording *recording, uint64_t valid)
{
    unsigned ready = atomic_load_explicit(&set->ready, memory_order_acquire);
    for (unsigned i = 0; i < ready; i++)
        if (serves(&set->variants[i], recording, valid))
            return set->variants[i].pipeline;
    return VK_NULL_HANDLE;
}

static bool is_usual(const wpg_usual *usual, const wpg_recording *recording, uint64_t valid)
{
    if (usual->words & ~valid)
        return false;
    for (uint64_t left = usual->words; left; left &= left - 1) {
        int word = __builtin_ctzll(left);
        uint32_t i = 0;
        while (i < usual->word[word].count && usual->word[word].values[i] != recording->push[word])
            i++;
        if (i == usual->word[word].count)
            return false;
    }
    return true;
}

/* A combination that was never tried is asked for, one at a time. */
static void maybe_ask(wpg_device *device, wpg_variant_set *set, const wpg_recording *recording)
{
    unsigned most = (unsigned)wpg_the_process.settings.variants;
    unsigned tries = atomic_load(&set->tries);
    if (tries >= most * 2 || tries >= MOST_TRIES || atomic_load(&set->ready) >= most ||
        atomic_load(&set->asked))
        return;
    uint64_t hash = hash_of(set->usual, recording->push);
    for (unsigned i = 0; i < tries; i++)
        if (atomic_load(&set->tried[i]) == hash)
            return;
    (void)pthread_mutex_lock(&device->variants->lock);
    if (!atomic_load(&set->asked) && atomic_load(&set->tries) == tries && !device->variants->stop) {
        atomic_store(&set->asked, true);
        memcpy(set->job, recording->push, sizeof set->job);
        atomic_store(&set->tried[tries], hash);
        atomic_store(&set->tries, tries + 1);
        ask(device, set);
    }
    (void)pthread_mutex_unlock(&device->variants->lock);
}

/* VARIANT_WAIT: for measurements and tests, a dispatch may wait for what is being built. */
static void maybe_wait(wpg_device *device, wpg_variant_set *set)
{
    const double given = wpg_the_process.settings.variant_wait;
    const double most = device->mode == WPG_MODE_TUNE && given < TUNE_WAIT ? TUNE_WAIT : given;
    struct timespec until;
    if (most <= 0 || !atomic_load(&set->asked))
        return;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)most;
    until.tv_nsec += (long)((most - (double)(time_t)most) * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)pthread_mutex_lock(&device->variants->lock);
    while (atomic_load(&set->asked) &&
           pthread_cond_timedwait(&device->variants->done, &device->variants->lock, &until) == 0)
        ;
    (void)pthread_mutex_unlock(&device->variants->lock);
}

static void bind(wpg_recording *recording, wpg_bound *bound, VkPipeline pipeline)
{
    if (bound->actual == pipeline)
        return;
    bound->actual = pipeline;
    wpg_suspects_bind(recording->device, recording->handle, pipeline);
    recording->device->next.CmdBindPipeline(recording->handle, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
}

void wpg_variants_before(wpg_recording *recording, wpg_bound *bound)
{
    wpg_variant_set *set = bound->variants;
    if (!set)
        return;
    uint64_t valid = bound->push_signature == recording->push_signature ? recording->pushed : 0;
    VkPipeline chosen = find(set, recording, valid);
    if (!chosen && is_usual(set->usual, recording, valid)) {
        maybe_ask(recording->device, set, recording);
        maybe_wait(recording->device, set);
        chosen = find(set, recording, valid);
        if (!chosen && atomic_load(&set->asked))
            bound->trial.tuned = NULL; /* tune: it would be the original's time */
    }
    atomic_fetch_add_explicit(&counts.seen, 1, memory_order_relaxed);
    if (chosen)
        atomic_fetch_add_explicit(&counts.used, 1, memory_order_relaxed);
    bind(recording, bound, chosen ? chosen : set->original);
}

void wpg_variants_restore(wpg_recording *recording, wpg_bound *bound)
{
    if (bound->variants && bound->actual != bound->variants->original)
        bind(recording, bound, bound->variants->original);
}
