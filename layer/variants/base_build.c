/* Makes a pipeline behind the program's call, with COMPILE=background. See variants.h and
 * variants_internal.h. */
#include <stdlib.h>
#include <string.h>

#include "layer/base/bindable.h"
#include "layer/base/clock.h"
#include "layer/base/loss_attribution.h"
#include "layer/variants/variants_internal.h"
#include "runtime/base/log.h"

/* Nanoseconds. Programs that link fast make the same pipeline whole behind it, within seconds. */
#define REST UINT64_C(4000000000)

static const char went[] = "it was destroyed before ours was made in the background";

static struct {
    atomic_uint_least64_t made, waiting, time, early_binds;
} counts;

wpg_later_counts wpg_later_count(void)
{
    return (wpg_later_counts){.made = atomic_load(&counts.made),
                              .waiting = atomic_load(&counts.waiting),
                              .time = atomic_load(&counts.time),
                              .early_binds = atomic_load(&counts.early_binds)};
}

static size_t bytes_of(const wpg_pipeline_plan *plan)
{
    size_t bytes = 0;
    for (size_t i = 0; i < plan->count; i++)
        bytes += plan->stages[i].word_count * sizeof *plan->stages[i].words;
    return bytes;
}

static wpg_variant_set *take(const char **why, wpg_device *device, wpg_pipeline_plan *plan, bool graphics,
                             bool rests, const void *info)
{
    const size_t bytes = bytes_of(plan);
    wpg_variant_set *set = calloc(1, sizeof *set);
    wpg_pipeline_plan *kept = malloc(sizeof *kept);
    *why = "out of memory";
    if (!set || !kept) {
        free(set);
        free(kept);
        return NULL;
    }
    wpg_arena_init(&set->arena);
    set->point = graphics ? VK_PIPELINE_BIND_POINT_GRAPHICS : VK_PIPELINE_BIND_POINT_COMPUTE;
    set->hash = plan->hash;
    if (wpg_variant_copy_state(set, why, device, plan, info)) {
        *why = "VARIANT_MEMORY is used up";
        if (rests && !wpg_variant_roomy(bytes))
            wpg_pipeline_plan_give_up(plan, true, "a fast link: a quarter of VARIANT_MEMORY is taken");
        else if (!wpg_variant_fits(set, bytes))
            wpg_pipeline_plan_give_up(plan, true,
                                      "VARIANT_MEMORY has no room for its words: made in a later run");
        else if (wpg_pipeline_plan_keep(kept, plan)) {
            set->plan = kept;
            set->rests_until = wpg_now() + REST;
            atomic_store(&set->rests, rests);
            return set;
        } else
            *why = "out of memory";
    }
    wpg_variant_gave(set);
    wpg_variant_finish(set);
    free(kept);
    return NULL;
}

wpg_variant_set *wpg_later_take(wpg_device *device, wpg_pipeline_plan *plan, bool graphics, bool rests,
                                const void *info)
{
    const char *why;
    wpg_variant_set *set = take(&why, device, plan, graphics, rests, info);
    if (!set && !plan->why[0] && rests)
        wpg_pipeline_plan_give_up(plan, true, "a fast link: %s", why);
    if (!set && !plan->why[0])
        wpg_log_info("pipeline %s: made during its creation: %s", plan->label, why);
    if (!set && plan->why[0])
        plan->later = false;
    return set;
}

static bool enlist(wpg_device *device, wpg_variant_set *set, VkPipeline pipeline)
{
    wpg_variants *all = device->variants;
    wpg_bindable *bindable = pipeline ? wpg_handles_get(&device->bindables, (uint64_t)pipeline) : NULL;
    if (!bindable)
        return false;
    (void)pthread_mutex_lock(&all->lock);
    const bool good = wpg_variant_hold(all, set);
    if (good) {
        set->original = pipeline;
        atomic_store(&set->waiting, true);
        atomic_fetch_add(&counts.waiting, 1);
        wpg_variant_enlist(all, set);
        bindable->variants = set;
        if (!atomic_load(&set->rests)) {
            atomic_store(&set->asked, true);
            wpg_variant_ask(device, set);
        }
    }
    (void)pthread_mutex_unlock(&all->lock);
    return good;
}

void wpg_base_wake(wpg_device *device, wpg_variant_set *set)
{
    wpg_variants *all = device->variants;
    if (wpg_the_process.settings.variant_wait <= 0 && wpg_now() < set->rests_until)
        return;
    (void)pthread_mutex_lock(&all->lock);
    if (atomic_exchange(&set->rests, false) && !all->stop) {
        atomic_store(&set->asked, true);
        wpg_variant_ask(device, set);
    }
    (void)pthread_mutex_unlock(&all->lock);
}

void wpg_later_words(wpg_device *device, wpg_pipeline_plan *plan)
{
    wpg_variants *all = device->variants;
    wpg_variant_set *set = calloc(1, sizeof *set);
    wpg_pipeline_plan *copy = malloc(sizeof *copy);
    plan->later = false;
    wpg_pipeline_plan_give_up(plan, true, "its words are made for a later run");
    if (set)
        wpg_arena_init(&set->arena);
    if (!set || !copy || !wpg_variant_fits(set, bytes_of(plan)) || !wpg_pipeline_plan_copy(copy, plan)) {
        if (set) {
            wpg_variant_gave(set);
            wpg_variant_finish(set);
        }
        free(copy);
        return;
    }
    set->plan = copy;
    set->hash = plan->hash;
    (void)pthread_mutex_lock(&all->lock);
    wpg_variant_enlist(all, set);
    wpg_variant_ask(device, set);
    (void)pthread_mutex_unlock(&all->lock);
}

void wpg_later_add(wpg_device *device, wpg_variant_set *set, VkPipeline pipeline)
{
    if (enlist(device, set, pipeline))
        return;
    if (pipeline)
        wpg_pipeline_plan_give_up(set->plan, false, "out of memory");
    wpg_base_drop(set);
    wpg_variant_gave(set);
    wpg_variant_finish(set);
}

VkPipeline wpg_variant_base(wpg_variant_set *set)
{
    const VkPipeline made = atomic_load_explicit(&set->made, memory_order_acquire);
    if (made)
        return made;
    if (atomic_load_explicit(&set->waiting, memory_order_relaxed)) {
        atomic_store_explicit(&set->hurried, true, memory_order_relaxed);
        atomic_fetch_add_explicit(&counts.early_binds, 1, memory_order_relaxed);
    }
    return set->original;
}

/* The words are needed no more. */
static void finish_plan(wpg_variant_set *set)
{
    wpg_variant_give_back(set, bytes_of(set->plan));
    wpg_pipeline_plan_finish(set->plan);
    free(set->plan);
    set->plan = NULL;
    if (atomic_exchange(&set->waiting, false))
        atomic_fetch_sub(&counts.waiting, 1);
}

void wpg_base_drop(wpg_variant_set *set)
{
    if (!set->plan)
        return;
    const bool was_made = set->original != VK_NULL_HANDLE;
    if (!set->plan->whole) {
        finish_plan(set);
        return;
    }
    if (was_made && !set->plan->why[0])
        wpg_pipeline_plan_give_up(set->plan, true, "%s", went);
    wpg_pipeline_plan_commit(set->plan, was_made);
    finish_plan(set);
}

void wpg_base_build(wpg_device *device, wpg_variant_set *set)
{
    wpg_pipeline_plan *plan = set->plan;
    VkPipeline made = VK_NULL_HANDLE;
    const uint64_t start = wpg_now();
    if (!plan->whole) {
        wpg_pipeline_plan_resume(plan, NULL);
        atomic_fetch_add(&counts.time, wpg_now() - start);
        finish_plan(set);
        return;
    }
    wpg_pipeline_plan_resume(plan, set->graphics ? set->graphics->pStages : &set->compute.stage);
    const uint64_t rewritten = wpg_now();
    if (plan->changed && !atomic_load(&set->dead))
        made = wpg_variant_compile(device, set, plan->stages);
    const uint64_t end = wpg_now();
    if (!made && atomic_load(&set->dead))
        wpg_pipeline_plan_give_up(plan, true, "%s", went);
    if (plan->changed)
        wpg_log_debug("pipeline %s: in the background: %.3f ms here, %.3f ms in the driver", plan->label,
                      (double)(rewritten - start) * 1e-6, (double)(end - rewritten) * 1e-6);
    atomic_fetch_add(&counts.time, end - start);
    wpg_pipeline_plan_commit(plan, made || !plan->changed);
    wpg_variant_open(device, set, plan);
    if (made) {
        wpg_attribution_add(device, made, set->hash);
        atomic_fetch_add(&counts.made, 1);
        atomic_store_explicit(&set->made, made, memory_order_release);
    }
    finish_plan(set);
}
