/* Layouts and render passes that sets of variants need. If the program destroys one, it is destroyed with the
 * last set that may be built with it. One with the program's allocator is destroyed at once, and its sets
 * build no more. See variants_internal.h. */
#include <stdlib.h>

#include "layer/variants/variants_internal.h"

typedef struct kept {
    unsigned sets;
    bool gone; /* the program destroyed it */
} kept;

static bool hold(wpg_handles *handles, uint64_t key)
{
    kept *found = key ? wpg_handles_get(handles, key) : NULL;
    if (key && !found) {
        found = calloc(1, sizeof *found);
        if (!found || !wpg_handles_set(handles, key, found)) {
            free(found);
            return false;
        }
    }
    if (found)
        found->sets++;
    return true;
}

/* true: it is to be destroyed now. */
static bool release(wpg_handles *handles, uint64_t key)
{
    kept *found = key ? wpg_handles_get(handles, key) : NULL;
    if (!found || --found->sets)
        return false;
    bool gone = found->gone;
    (void)wpg_handles_remove(handles, key);
    free(found);
    return gone;
}

bool wpg_variant_hold(wpg_variants *all, const wpg_variant_set *set)
{
    if (!hold(&all->layouts, (uint64_t)set->layout))
        return false;
    if (hold(&all->passes, (uint64_t)set->pass))
        return true;
    (void)release(&all->layouts, (uint64_t)set->layout);
    return false;
}

void wpg_variant_release(wpg_device *device, const wpg_variant_set *set)
{
    wpg_variants *all = device->variants;
    if (release(&all->layouts, (uint64_t)set->layout))
        device->next.DestroyPipelineLayout(device->handle, set->layout, NULL);
    if (release(&all->passes, (uint64_t)set->pass))
        device->next.DestroyRenderPass(device->handle, set->pass, NULL);
}

static bool needs(const wpg_variant_set *set, VkPipelineLayout layout, VkRenderPass pass)
{
    return (layout && set->layout == layout) || (pass && set->pass == pass);
}

/* A builder is making a pipeline with it. */
static bool is_in_use(const wpg_variants *all, VkPipelineLayout layout, VkRenderPass pass)
{
    for (unsigned i = 0; i < all->running; i++)
        if (all->current[i] && needs(all->current[i], layout, pass))
            return true;
    return false;
}

static bool keep(wpg_device *device, wpg_handles *handles, uint64_t key, VkPipelineLayout layout,
                 VkRenderPass pass, const VkAllocationCallbacks *allocator)
{
    wpg_variants *all = device->variants;
    (void)pthread_mutex_lock(&all->lock);
    kept *found = wpg_handles_get(handles, key);
    if (found && !allocator) {
        found->gone = true;
    } else if (found) {
        for (wpg_variant_set *set = all->sets; set; set = set->next)
            if (needs(set, layout, pass))
                wpg_variant_stop(all, set);
        while (is_in_use(all, layout, pass))
            (void)pthread_cond_wait(&all->done, &all->lock);
    }
    (void)pthread_mutex_unlock(&all->lock);
    return found && !allocator;
}

bool wpg_variants_keep_layout(wpg_device *device, VkPipelineLayout layout,
                              const VkAllocationCallbacks *allocator)
{
    return device->variants && layout &&
           keep(device, &device->variants->layouts, (uint64_t)layout, layout, VK_NULL_HANDLE, allocator);
}

bool wpg_variants_keep_pass(wpg_device *device, VkRenderPass pass, const VkAllocationCallbacks *allocator)
{
    return device->variants && pass &&
           keep(device, &device->variants->passes, (uint64_t)pass, VK_NULL_HANDLE, pass, allocator);
}
