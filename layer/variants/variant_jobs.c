/* What the builder has to do, and the device's list of sets. See variants_internal.h. */
#include "layer/variants/variants_internal.h"
#include "runtime/base/thread.h"

void wpg_variant_enlist(wpg_variants *all, wpg_variant_set *set)
{
    set->next = all->sets;
    if (set->next)
        set->next->previous = set;
    all->sets = set;
}

void wpg_variant_delist(wpg_variants *all, wpg_variant_set *set)
{
    if (set->previous)
        set->previous->next = set->next;
    else
        all->sets = set->next;
    if (set->next)
        set->next->previous = set->previous;
}

void wpg_variant_take_off(wpg_variants *all, wpg_variant_set *set)
{
    for (wpg_variant_set **at = &all->jobs; *at; at = &(*at)->next_job)
        if (*at == set) {
            *at = set->next_job;
            if (all->jobs_end == &set->next_job)
                all->jobs_end = at;
            break;
        }
}

/* What commands wait for goes first: pipelines that were bound, and variants, which were asked for by
 * draws. Programs make many more pipelines than they bind. NULL: there is nothing to do. */
wpg_variant_set *wpg_variant_next_job(wpg_variants *all)
{
    wpg_variant_set *set = all->jobs;
    while (set && set->plan && !atomic_load(&set->hurried))
        set = set->next_job;
    if (!set)
        set = all->jobs;
    if (set)
        wpg_variant_take_off(all, set);
    return set;
}

void wpg_variant_ask(wpg_device *device, wpg_variant_set *set)
{
    wpg_variants *all = device->variants;
    if ((all->jobs || !all->idle) && all->running < all->most && !all->stop)
        all->running += wpg_thread_start(&all->threads[all->running], "wavepgo-variant", all->run, device);
    set->next_job = NULL;
    *all->jobs_end = set;
    all->jobs_end = &set->next_job;
    (void)pthread_cond_signal(&all->work);
}

void wpg_variant_stop(wpg_variants *all, wpg_variant_set *set)
{
    atomic_store(&set->tries, WPG_MOST_VARIANT_TRIES);
    atomic_store(&set->rests, false);
    atomic_store(&set->contents_tried, true);
    wpg_variant_take_off(all, set);
    if (!set->building)
        atomic_store(&set->asked, false);
}
