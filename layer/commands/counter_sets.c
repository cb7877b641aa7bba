/* For each set of the program's: `known` is what Vulkan says of it had we bound nothing, `clean` whether it
 * is so now. */
#include "layer/commands/counter_sets.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/log.h"

typedef struct bound_set {
    VkDescriptorSet set;
    wpg_hash128 compatible; /* of the layout it was bound with, up to this set */
    bool known, clean;
    uint32_t offset_count, offset_room;
    uint32_t *offsets; /* [offset_room] */
} bound_set;

typedef struct bound_point {
    const wpg_counter_layout *layout;  /* of the pipeline; NULL: none, or unknown */
    VkDescriptorSet counters;          /* of the pipeline; VK_NULL_HANDLE: it does not count */
    const wpg_counter_layout *ours_by; /* our set is bound, by this layout; NULL: it is not */
    VkDescriptorSet ours;
    bool mixed; /* we bound something since the command buffer began */
    bound_set sets[WPG_MOST_SETS];
} bound_point;

struct wpg_counter_recording {
    bound_point points[2]; /* graphics, compute */
};

static bound_point *point_of(wpg_recording *recording, VkPipelineBindPoint point)
{
    if (!recording || !recording->device->counter_sets || point > VK_PIPELINE_BIND_POINT_COMPUTE)
        return NULL;
    if (!recording->counter_sets)
        recording->counter_sets = calloc(1, sizeof *recording->counter_sets);
    if (!recording->counter_sets) {
        wpg_log_once(WPG_LOG_WARN, "out of memory: descriptor sets of a command buffer are not followed");
        return NULL;
    }
    return &recording->counter_sets->points[point];
}

void wpg_counter_sets_reset(wpg_recording *recording)
{
    for (unsigned i = 0; recording->counter_sets && i < 2; i++) {
        bound_point *point = &recording->counter_sets->points[i];
        point->layout = point->ours_by = NULL;
        point->counters = point->ours = VK_NULL_HANDLE;
        point->mixed = false;
        for (unsigned k = 0; k < WPG_MOST_SETS; k++)
            point->sets[k].known = point->sets[k].clean = false;
    }
}

void wpg_counter_sets_destroy(wpg_recording *recording)
{
    for (unsigned i = 0; recording->counter_sets && i < 2; i++)
        for (unsigned k = 0; k < WPG_MOST_SETS; k++)
            free(recording->counter_sets->points[i].sets[k].offsets);
    free(recording->counter_sets);
    recording->counter_sets = NULL;
}

void wpg_counter_sets_pipeline(wpg_recording *recording, VkPipelineBindPoint where, VkPipeline pipeline)
{
    bound_point *point = point_of(recording, where);
    if (!point)
        return;
    const wpg_counter_pipeline *found = wpg_counter_pipeline_of(recording->device, pipeline);
    point->layout = found ? found->layout : NULL;
    point->counters = found ? found->set : VK_NULL_HANDLE;
}

/* -- Binds */

static bool is_compatible(const bound_set *set, const wpg_counter_layout *layout, uint32_t index)
{
    return index < layout->count && wpg_hash_equal(set->compatible, layout->compatible[index]);
}

static bool keep_offsets(bound_set *set, const uint32_t *offsets, uint32_t count)
{
    if (count > set->offset_room) {
        uint32_t *more = realloc(set->offsets, count * sizeof *more);
        if (!more)
            return false;
        set->offsets = more;
        set->offset_room = count;
    }
    if (count)
        memcpy(set->offsets, offsets, count * sizeof *offsets);
    set->offset_count = count;
    return true;
}

static void forget(bound_set *set)
{
    set->known = set->clean = false;
}

/* The program bound sets [first, first + count) by `layout`: what becomes of the others. */
static void disturb_others(bound_point *point, const wpg_counter_layout *layout, uint32_t first,
                           uint32_t count)
{
    for (uint32_t k = 0; k < first; k++)
        if (!is_compatible(&point->sets[k], layout, k))
            forget(&point->sets[k]);
    const bound_set *last = &point->sets[first + count - 1];
    const bool kept = last->known && is_compatible(last, layout, first + count - 1);
    for (uint32_t k = first + count; k < WPG_MOST_SETS; k++) {
        point->sets[k].known &= kept;
        point->sets[k].clean &= kept && last->clean;
    }
}

static void note(bound_point *point, const wpg_counter_layout *layout, uint32_t first, uint32_t count,
                 const VkDescriptorSet *sets, uint32_t offset_count, const uint32_t *offsets)
{
    point->ours_by = NULL;
    if (!count)
        return;
    if (!layout || first >= layout->count || count > layout->count - first) {
        for (uint32_t k = 0; k < WPG_MOST_SETS; k++)
            forget(&point->sets[k]);
        return;
    }
    disturb_others(point, layout, first, count);
    for (uint32_t k = first; k < first + count; k++) {
        bound_set *set = &point->sets[k];
        const uint32_t takes = layout->dynamic[k];
        set->set = sets[k - first];
        set->compatible = layout->compatible[k];
        set->known = set->clean = set->set && takes <= offset_count && keep_offsets(set, offsets, takes);
        if (takes > offset_count)
            continue;
        offsets = takes ? offsets + takes : offsets;
        offset_count -= takes;
    }
}

VKAPI_ATTR void VKAPI_CALL wpg_counter_CmdBindDescriptorSets(VkCommandBuffer commands,
                                                             VkPipelineBindPoint where,
                                                             VkPipelineLayout layout, uint32_t first,
                                                             uint32_t count, const VkDescriptorSet *sets,
                                                             uint32_t offset_count, const uint32_t *offsets)
{
    wpg_recording *recording;
    const wpg_device_commands *next = wpg_record_enter(&recording, commands);
    if (!next)
        return;
    bound_point *point = point_of(recording, where);
    if (point)
        note(point, wpg_counter_layout_of(recording->device, layout), first, count, sets, offset_count,
             offsets);
    next->CmdBindDescriptorSets(commands, where, layout, first, count, sets, offset_count, offsets);
}

/* -- Draws and dispatches */

/* Binds again what we disturbed. What lay above a set that is bound anew is disturbed by that in turn. */
static void restore(const wpg_recording *recording, bound_point *point, VkPipelineBindPoint where)
{
    for (uint32_t k = 0; k < point->layout->count; k++) {
        bound_set *set = &point->sets[k];
        if (!set->known || set->clean || !is_compatible(set, point->layout, k))
            continue;
        recording->device->next.CmdBindDescriptorSets(recording->handle, where, point->layout->handle, k, 1,
                                                      &set->set, set->offset_count, set->offsets);
        set->clean = true;
        for (uint32_t other = 0; other < WPG_MOST_SETS; other++)
            if (other > k || !is_compatible(&point->sets[other], point->layout, other))
                point->sets[other].clean = false;
        point->ours_by = NULL;
    }
}

static void bind_ours(const wpg_recording *recording, bound_point *point, VkPipelineBindPoint where)
{
    const wpg_counter_layout *layout = point->layout;
    recording->device->next.CmdBindDescriptorSets(recording->handle, where, layout->handle, layout->count, 1,
                                                  &point->counters, 0, NULL);
    for (uint32_t k = 0; k < WPG_MOST_SETS; k++)
        if (!is_compatible(&point->sets[k], layout, k))
            point->sets[k].clean = false;
    point->ours_by = layout;
    point->ours = point->counters;
    point->mixed = true;
}

void wpg_counter_sets_before(wpg_recording *recording, wpg_bind_point at)
{
    if (!recording->counter_sets || (at != WPG_BIND_GRAPHICS && at != WPG_BIND_COMPUTE))
        return;
    const VkPipelineBindPoint where =
        at == WPG_BIND_GRAPHICS ? VK_PIPELINE_BIND_POINT_GRAPHICS : VK_PIPELINE_BIND_POINT_COMPUTE;
    bound_point *point = &recording->counter_sets->points[where];
    if (!point->layout)
        return;
    if (point->mixed)
        restore(recording, point, where);
    if (point->counters && (point->ours_by != point->layout || point->ours != point->counters))
        bind_ours(recording, point, where);
}
