/* Sets of variants: their life, their builder. See variants.h. */
#include <stdlib.h>
#include <string.h>

#include "layer/base/bindable.h"
#include "layer/base/gate.h"
#include "layer/base/loss_attribution.h"
#include "layer/contents/contents.h"
#include "layer/variants/variants_internal.h"
#include "runtime/base/log.h"
#include "runtime/base/thread.h"

bool wpg_variants_possible(void)
{
    const wpg_process *process = &wpg_the_process;
    const bool pushes = process->settings.variants > 0 && wpg_usual_count() > 0;
    return (process->mode == WPG_MODE_USE && (pushes || wpg_contents_possible())) ||
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
        return any_in_use(device) || device->contents;
    default:
        return false;
    }
}

/* -- The builder */

static void destroy_set(wpg_device *device, wpg_variant_set *set)
{
    unsigned ready = atomic_load(&set->ready);
    for (unsigned i = 0; i < ready; i++) {
        wpg_attribution_remove(device, set->variants[i]->pipeline);
        device->next.DestroyPipeline(device->handle, set->variants[i]->pipeline, NULL);
    }
    for (unsigned i = 0; i < atomic_load(&set->contents_ready); i++) {
        wpg_attribution_remove(device, set->contents[i]->pipeline);
        device->next.DestroyPipeline(device->handle, set->contents[i]->pipeline, NULL);
    }
    wpg_variant_release(device, set);
    wpg_variant_gave(set);
    wpg_variant_finish(set);
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
        wpg_gate_wait();
        if (!atomic_load(&set->dead) && set->contents_wanted && !atomic_load(&set->contents_tried))
            wpg_content_build(device, set);
        atomic_store(&set->contents_tried, true);
        if (!atomic_load(&set->dead) && set->usual && set->has_job)
            wpg_variant_build(device, set);
        set->has_job = false;
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

void wpg_variant_ask(wpg_device *device, wpg_variant_set *set)
{
    wpg_variants *all = device->variants;
    if (!all->running)
        all->running = !all->stop && wpg_thread_start(&all->thread, "wavepgo-variant", builder, device);
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
    wpg_handles_init(&all->passes);
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
    wpg_handles_finish(&all->passes);
    (void)pthread_cond_destroy(&all->done);
    (void)pthread_cond_destroy(&all->work);
    (void)pthread_mutex_destroy(&all->lock);
    free(all);
    device->variants = NULL;
}

/* -- Sets */

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

/* It is asked for nothing any more. */
static void take_off(wpg_variants *all, wpg_variant_set *set)
{
    for (wpg_variant_set **at = &all->jobs; *at; at = &(*at)->next_job)
        if (*at == set) {
            *at = set->next_job;
            if (all->jobs_end == &set->next_job)
                all->jobs_end = at;
            break;
        }
}

void wpg_variant_stop(wpg_variants *all, wpg_variant_set *set)
{
    atomic_store(&set->tries, WPG_MOST_VARIANT_TRIES);
    take_off(all, set);
    if (!set->building)
        atomic_store(&set->asked, false);
}

static void ask_if_sure(wpg_device *device, wpg_variant_set *set)
{
    if (!set->usual || !is_sure(set->usual)) {
        if (set->contents_wanted) { /* the builder has these to do */
            atomic_store(&set->asked, true);
            wpg_variant_ask(device, set);
        }
        return;
    }
    set->has_job = true;
    for (uint32_t i = 0; i < WPG_PUSH_WORDS; i++)
        set->job[i] = set->usual->word[i].values[0];
    atomic_store(&set->tried[0], wpg_variant_hash(set->usual, set->job));
    atomic_store(&set->tries, 1);
    atomic_store(&set->closed, set->usual->usual_sets ? 1 : 0);
    atomic_store(&set->asked, true);
    wpg_variant_ask(device, set);
}

/* Most pipelines for contents of the pipeline's uniform blocks: where its fragment stage has a profile. */
static uint32_t wanted_contents(const wpg_device *device, const wpg_pipeline_plan *plan, bool graphics)
{
    if (!device->contents || !graphics || plan->part || !plan->uses)
        return 0;
    for (size_t i = 0; i < plan->count; i++)
        if (plan->stages[i].stage_bit == VK_SHADER_STAGE_FRAGMENT_BIT && plan->stages[i].remarks)
            return device->features.contents;
    return 0;
}

void wpg_variants_add(wpg_device *device, VkPipeline pipeline, const wpg_pipeline_plan *plan, bool graphics,
                      const void *info)
{
    wpg_variants *all = device->variants;
    const wpg_usual *usual = plan->by_value && !plan->part ? wpg_usual_of(plan->hash) : NULL;
    const uint32_t contents = wanted_contents(device, plan, graphics);
    wpg_bindable *bindable =
        usual || contents ? wpg_handles_get(&device->bindables, (uint64_t)pipeline) : NULL;
    wpg_variant_set *set = bindable && wpg_process_is_owner() ? calloc(1, sizeof *set) : NULL;
    if (!set)
        return;
    wpg_arena_init(&set->arena);
    set->original = pipeline;
    set->point = graphics ? VK_PIPELINE_BIND_POINT_GRAPHICS : VK_PIPELINE_BIND_POINT_COMPUTE;
    set->hash = plan->hash;
    set->usual = usual;
    set->contents_wanted = contents;
    set->by_rule = plan->values_by_rule;
    bool good = wpg_variant_copy(set, device, plan, info);
    (void)pthread_mutex_lock(&all->lock);
    if (!good || !wpg_variant_hold(all, set)) {
        (void)pthread_mutex_unlock(&all->lock);
        wpg_variant_gave(set);
        wpg_variant_finish(set);
        return;
    }
    set->next = all->sets;
    if (set->next)
        set->next->previous = set;
    all->sets = set;
    bindable->variants = set;
    ask_if_sure(device, set);
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
    take_off(all, set);
    /* What is being built is destroyed by the builder: the program does not wait for a compile. */
    atomic_store(&set->dead, true);
    if (!set->building)
        destroy_set(device, set);
    (void)pthread_mutex_unlock(&all->lock);
}
