#include "layer/profile/holds.h"

#include <stdlib.h>
#include <string.h>

static wpg_hold *make(size_t count)
{
    wpg_hold *hold = count ? calloc(1, sizeof *hold + count * sizeof *hold->slots) : NULL;
    if (hold)
        hold->count = count;
    return hold;
}

wpg_hold *wpg_hold_make(wpg_counter_slot *const *claims, size_t count)
{
    wpg_hold *hold = make(count);
    if (hold)
        memcpy(hold->slots, claims, count * sizeof(wpg_counter_slot *));
    return hold;
}

void wpg_hold_release(wpg_device *device, wpg_hold *hold)
{
    for (size_t i = 0; hold && i < hold->count; i++)
        wpg_files_release(device, hold->slots[i]);
    free(hold);
}

static size_t count_of(wpg_device *device, const VkPipeline *parts, uint32_t part_count)
{
    size_t count = 0;
    for (uint32_t i = 0; i < part_count; i++) {
        const wpg_hold *held = wpg_handles_get(&device->counting, (uint64_t)parts[i]);
        count += held ? held->count : 0;
    }
    return count;
}

/* Claims once more what the parts hold, and writes it to `into`, if that is not NULL. */
static void claim_again(wpg_counter_slot **into, wpg_device *device, const VkPipeline *parts,
                        uint32_t part_count)
{
    for (uint32_t i = 0; i < part_count; i++) {
        const wpg_hold *held = wpg_handles_get(&device->counting, (uint64_t)parts[i]);
        for (size_t k = 0; held && k < held->count; k++) {
            wpg_counters_claim_again(held->slots[k]);
            if (into)
                *into++ = held->slots[k];
        }
    }
}

void wpg_holds_add(wpg_device *device, VkPipeline pipeline, wpg_counter_slot *const *own, size_t own_count,
                   const VkPipeline *parts, uint32_t part_count)
{
    const size_t count = own_count + count_of(device, parts, part_count);
    wpg_hold *hold = make(count);
    wpg_hold_release(device, wpg_holds_take(device, pipeline)); /* destroyed behind our back */
    if (hold && own_count)
        memcpy(hold->slots, own, own_count * sizeof(wpg_counter_slot *));
    claim_again(hold ? hold->slots + own_count : NULL, device, parts, part_count);
    if (hold && !wpg_handles_set(&device->counting, (uint64_t)pipeline, hold))
        free(hold);
}

void wpg_holds_keep(wpg_device *device, const VkPipeline *parts, uint32_t part_count)
{
    claim_again(NULL, device, parts, part_count);
}

wpg_hold *wpg_holds_take(wpg_device *device, VkPipeline pipeline)
{
    return wpg_handles_remove(&device->counting, (uint64_t)pipeline);
}
