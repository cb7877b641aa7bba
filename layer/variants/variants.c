/* Sets of variants: their life, their builder. See variants.h. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/answers.h"
#include "layer/base/bindable.h"
#include "layer/base/gate.h"
#include "layer/base/loss_attribution.h"
#include "layer/contents/contents.h"
#include "layer/profile/use.h"
#include "layer/variants/variants_internal.h"
#include "runtime/base/arena.h"
#include "runtime/base/log.h"
#include "runtime/base/thread.h"

/* COMPILE=background, and there is a profile to make pipelines by. */
static bool in_background(void)
{
    return wpg_the_process.settings.compile == WPG_COMPILE_BACKGROUND && !wpg_use_missing();
}

bool wpg_variants_possible(void)
{
    const wpg_process *process = &wpg_the_process;
    const bool pushes = process->settings.variants > 0 && wpg_usual_count() > 0;
    return (process->mode == WPG_MODE_USE && (pushes || wpg_contents_possible() || in_background())) ||
           (process->mode == WPG_MODE_TUNE && pushes);
}

/* True if variants of some pipeline may be made in use mode: they won on this device, or they go by rule. */
static bool any_in_use(wpg_device *device)
{
    wpg_hash128 pipeline;
    for (size_t i = 0; wpg_usual_at(&pipeline, i); i++) {
        const wpg_tune_win *win = wpg_tune_winner(device, pipeline);
        if (!win || win->by_value || (win->open && !win->values_lost))
            return true;
    }
    return false;
}

bool wpg_variants_wanted(wpg_device *device)
{
    if (!wpg_variants_possible())
        return false;
    switch (device->mode) {
    case WPG_MODE_TUNE:
        return device->times; /* without times nothing is asked of them */
    case WPG_MODE_USE:
        return any_in_use(device) || device->contents || in_background();
    default:
        return false;
    }
}

/* -- What is asked for */

uint64_t wpg_variant_hash(const wpg_usual *usual, const uint32_t values[WPG_PUSH_WORDS])
{
    uint32_t taken[WPG_PUSH_WORDS] = {0};
    for (uint32_t i = 0; i < WPG_PUSH_WORDS; i++)
        taken[i] = usual->words >> i & 1 ? values[i] : 0;
    return wpg_hash64_bytes(taken, sizeof taken) | 1;
}

/* The commonest values make up one combination at least so often: the commonest set does, or, without sets,
 * whatever else goes together. */
static bool is_sure(const wpg_usual *usual)
{
    double lacks = 0;
    if (usual->usual_sets)
        return usual->set_share >= wpg_the_process.settings.variant_share;
    for (uint32_t i = 0; i < WPG_PUSH_WORDS; i++)
        if (usual->words >> i & 1)
            lacks += 1 - usual->word[i].share;
    return 1 - lacks >= wpg_the_process.settings.variant_share;
}

static void ask_if_sure(wpg_device *device, wpg_variant_set *set)
{
    if (!set->usual || !is_sure(set->usual))
        return;
    set->has_job = true;
    for (uint32_t i = 0; i < WPG_PUSH_WORDS; i++)
        set->job[i] = set->usual->word[i].values[0];
    atomic_store(&set->tried[0], wpg_variant_hash(set->usual, set->job));
    atomic_store(&set->tries, 1);
    atomic_store(&set->closed, set->usual->usual_sets ? 1 : 0);
    atomic_store(&set->asked, true);
    wpg_variant_ask(device, set);
}

/* -- The builder */

/* What a set that no list holds has made, without the lock: the driver may take its time. Then let_go. */
static void destroy_made(wpg_device *device, wpg_variant_set *set)
{
    const VkPipeline made = atomic_load(&set->made);
    wpg_base_drop(set);
    if (made) {
        wpg_attribution_remove(device, made);
        device->next.DestroyPipeline(device->handle, made, NULL);
    }
    unsigned ready = atomic_load(&set->ready);
    for (unsigned i = 0; i < ready; i++) {
        wpg_attribution_remove(device, set->variants[i]->pipeline);
        device->next.DestroyPipeline(device->handle, set->variants[i]->pipeline, NULL);
    }
    for (unsigned i = 0; i < atomic_load(&set->contents_ready); i++) {
        wpg_attribution_remove(device, set->contents[i]->pipeline);
        device->next.DestroyPipeline(device->handle, set->contents[i]->pipeline, NULL);
    }
}

/* Under the lock. */
static void let_go(wpg_device *device, wpg_variant_set *set)
{
    wpg_variant_release(device, set);
    wpg_variant_gave(set);
    wpg_variant_finish(set);
}

/* One of four processors: the others are the program's. Tuning waits for what it asks for, one by one. */
static unsigned builders_of(const wpg_device *device)
{
    const int64_t set = wpg_the_process.settings.background_threads;
    cpu_set_t usable;
    if (device->mode != WPG_MODE_USE)
        return 1;
    int count = set > 0                                             ? (int)set
                : sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) / 4
                                                                    : 1;
    return count < 1 ? 1 : count < WPG_MOST_BUILDERS ? (unsigned)count : WPG_MOST_BUILDERS;
}

/* Memory that a builder's rewrites use again, while there is work. */
typedef struct reused {
    wpg_arena_scope scope;
    bool begun;
} reused;

static void keep_memory(reused *memory, bool keep)
{
    if (keep && !memory->begun)
        wpg_arena_scope_begin(&memory->scope);
    if (!keep && memory->begun)
        wpg_arena_scope_end(&memory->scope);
    memory->begun = keep;
}

static void *builder(void *argument)
{
    wpg_device *device = argument;
    wpg_variants *all = device->variants;
    reused memory = {.begun = false};
    if (wpg_the_process.settings.compile == WPG_COMPILE_BACKGROUND)
        wpg_thread_step_back();
    (void)pthread_mutex_lock(&all->lock);
    const unsigned own = all->started++;
    while (!all->stop) {
        wpg_variant_set *set = wpg_variant_next_job(all);
        if (!set && memory.begun) {
            (void)pthread_mutex_unlock(&all->lock);
            keep_memory(&memory, false);
            (void)pthread_mutex_lock(&all->lock);
            continue;
        }
        if (!set) {
            all->idle++;
            (void)pthread_cond_wait(&all->work, &all->lock);
            all->idle--;
            continue;
        }
        set->building = true;
        all->current[own] = set;
        (void)pthread_mutex_unlock(&all->lock);
        keep_memory(&memory, true);
        wpg_gate_wait();
        const bool base = !atomic_load(&set->dead) && set->plan;
        if (base)
            wpg_base_build(device, set);
        if (!base && atomic_load(&set->contents_due) && !atomic_load(&set->contents_tried)) {
            wpg_content_build(device, set);
            atomic_store(&set->contents_tried, true);
        }
        if (!base) {
            if (!atomic_load(&set->dead) && set->usual && set->has_job)
                wpg_variant_build(device, set);
            set->has_job = false;
        }
        wpg_answers_keep();
        (void)pthread_mutex_lock(&all->lock);
        set->building = false;
        all->current[own] = NULL;
        atomic_store(&set->asked, false);
        if (base && !set->original) /* words alone */
            wpg_variant_delist(all, set);
        if (atomic_load(&set->dead) || (base && !set->original)) {
            (void)pthread_mutex_unlock(&all->lock);
            destroy_made(device, set);
            (void)pthread_mutex_lock(&all->lock);
            let_go(device, set);
        } else if (base && set->stages && !all->stop)
            ask_if_sure(device, set); /* variants, behind the pipelines that wait */
        (void)pthread_cond_broadcast(&all->done);
    }
    (void)pthread_mutex_unlock(&all->lock);
    keep_memory(&memory, false);
    return NULL;
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
    wpg_handles_init(&all->passes);
    all->jobs_end = &all->jobs;
    all->run = builder;
    all->most = builders_of(device);
    device->variants = all;
    device->records = true;
}

static bool builds(const wpg_variants *all)
{
    for (unsigned i = 0; i < all->started; i++)
        if (all->current[i])
            return true;
    return false;
}

void wpg_variants_leave(wpg_device *device)
{
    wpg_variants *all = device->variants;
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 2;
    if (!all || pthread_mutex_timedlock(&all->lock, &until) != 0)
        return;
    all->stop = true;
    (void)pthread_cond_broadcast(&all->work);
    while (builds(all) && pthread_cond_timedwait(&all->done, &all->lock, &until) == 0)
        ;
    /* None begins another; one that is still in the driver is left there. */
    const unsigned ending = builds(all) ? 0 : all->running;
    if (ending)
        all->running = 0;
    (void)pthread_mutex_unlock(&all->lock);
    for (unsigned i = 0; i < ending; i++)
        (void)pthread_join(all->threads[i], NULL);
}

void wpg_variants_finish(wpg_device *device)
{
    wpg_variants *all = device->variants;
    if (!all)
        return;
    (void)pthread_mutex_lock(&all->lock);
    all->stop = true;
    const unsigned running =
        wpg_process_is_owner() ? all->running : 0; /* a forked child has no such threads */
    (void)pthread_cond_broadcast(&all->work);
    (void)pthread_mutex_unlock(&all->lock);
    for (unsigned i = 0; i < running; i++)
        (void)pthread_join(all->threads[i], NULL);
    for (wpg_variant_set *set = all->sets, *next; set; set = next) {
        next = set->next;
        destroy_made(device, set);
        let_go(device, set);
    }
    wpg_handles_finish(&all->layouts);
    wpg_handles_finish(&all->passes);
    (void)pthread_cond_destroy(&all->done);
    (void)pthread_cond_destroy(&all->work);
    (void)pthread_mutex_destroy(&all->lock);
    free(all);
    device->variants = NULL;
}

/* -- Sets */

void wpg_variants_add(wpg_device *device, VkPipeline pipeline, const wpg_pipeline_plan *plan, bool graphics,
                      const void *info)
{
    wpg_variants *all = device->variants;
    const bool wanted = (plan->by_value && !plan->part && wpg_usual_of(plan->hash)) ||
                        wpg_variant_contents_of(device, plan, graphics);
    wpg_bindable *bindable = wanted ? wpg_handles_get(&device->bindables, (uint64_t)pipeline) : NULL;
    wpg_variant_set *set = bindable && wpg_process_is_owner() ? calloc(1, sizeof *set) : NULL;
    const char *why;
    if (!set)
        return;
    wpg_arena_init(&set->arena);
    set->original = pipeline;
    set->point = graphics ? VK_PIPELINE_BIND_POINT_GRAPHICS : VK_PIPELINE_BIND_POINT_COMPUTE;
    set->hash = plan->hash;
    if (wpg_variant_copy_state(set, &why, device, plan, info))
        wpg_variant_open(device, set, plan);
    else
        wpg_variants_refuse(plan, why);
    (void)pthread_mutex_lock(&all->lock);
    const bool good = (set->usual || set->contents_wanted) && wpg_variant_hold(all, set);
    if (good) {
        wpg_variant_enlist(all, set);
        bindable->variants = set;
        ask_if_sure(device, set);
    }
    (void)pthread_mutex_unlock(&all->lock);
    if (!good) {
        wpg_variant_gave(set);
        wpg_variant_finish(set);
    }
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
    wpg_variant_delist(all, set);
    wpg_variant_take_off(all, set);
    /* What is being built is destroyed by the builder: the program does not wait for a compile. */
    atomic_store(&set->dead, true);
    const bool building = set->building;
    (void)pthread_mutex_unlock(&all->lock);
    if (building)
        return;
    destroy_made(device, set);
    (void)pthread_mutex_lock(&all->lock);
    let_go(device, set);
    (void)pthread_mutex_unlock(&all->lock);
}
