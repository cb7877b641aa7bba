/* See counter_sets.h. */
#include "layer/commands/counter_sets.h"

#include <stdlib.h>

#include "runtime/base/log.h"

typedef struct bound_point {
    const wpg_counter_layout *layout; /* of the pipeline; NULL: none, or unknown */
    VkDescriptorSet counters;         /* of the pipeline; VK_NULL_HANDLE: it does not count */
    wpg_descriptor_state state;
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

wpg_descriptor_state *wpg_counter_sets_at(wpg_recording *recording, VkPipelineBindPoint point)
{
    bound_point *found = point_of(recording, point);
    return found ? &found->state : NULL;
}

void wpg_counter_sets_reset(wpg_recording *recording)
{
    for (unsigned i = 0; recording->counter_sets && i < 2; i++) {
        bound_point *point = &recording->counter_sets->points[i];
        point->layout = NULL;
        point->counters = VK_NULL_HANDLE;
        wpg_descriptors_reset(&point->state);
    }
}

void wpg_counter_sets_destroy(wpg_recording *recording)
{
    for (unsigned i = 0; recording->counter_sets && i < 2; i++)
        wpg_descriptors_finish(&recording->counter_sets->points[i].state);
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
    wpg_descriptor_state *state = wpg_counter_sets_at(recording, where);
    if (state)
        wpg_descriptors_bound(state, wpg_counter_layout_of(recording->device, layout), first, count, sets,
                              offset_count, offsets);
    next->CmdBindDescriptorSets(commands, where, layout, first, count, sets, offset_count, offsets);
}

/* -- Draws and dispatches */

static void push_again(const wpg_recording *recording, const bound_point *point, VkPipelineBindPoint where,
                       uint32_t index)
{
    const wpg_device *device = recording->device;
    const bool core = device->features.api_version >= VK_MAKE_API_VERSION(0, 1, 4, 0);
    const PFN_vkVoidFunction push = core && device->next.CmdPushDescriptorSet
                                        ? device->next.CmdPushDescriptorSet
                                        : device->next.CmdPushDescriptorSetKHR;
    const VkWriteDescriptorSet *writes;
    const uint32_t count = wpg_pushed_all(&writes, point->state.sets[index].pushed);
    if (push && count)
        ((PFN_vkCmdPushDescriptorSetKHR)push)(recording->handle, where, point->layout->handle, index, count,
                                              writes);
}

static void give_back(const wpg_recording *recording, bound_point *point, VkPipelineBindPoint where)
{
    for (uint32_t k = 0; k < point->layout->count; k++) {
        const wpg_descriptor_set *set = &point->state.sets[k];
        if (!wpg_descriptors_lost(&point->state, point->layout, k))
            continue;
        if (set->set)
            recording->device->next.CmdBindDescriptorSets(recording->handle, where, point->layout->handle, k,
                                                          1, &set->set, set->offset_count, set->offsets);
        else
            push_again(recording, point, where, k);
        wpg_descriptors_given_back(&point->state, point->layout, k);
    }
}

void wpg_counter_sets_before(wpg_recording *recording, wpg_bind_point at)
{
    if (!recording->counter_sets || (at != WPG_BIND_GRAPHICS && at != WPG_BIND_COMPUTE))
        return;
    const VkPipelineBindPoint where =
        at == WPG_BIND_GRAPHICS ? VK_PIPELINE_BIND_POINT_GRAPHICS : VK_PIPELINE_BIND_POINT_COMPUTE;
    bound_point *point = &recording->counter_sets->points[where];
    const wpg_counter_layout *layout = point->layout;
    if (!layout)
        return;
    if (point->state.mixed)
        give_back(recording, point, where);
    if (!point->counters || wpg_descriptors_have_ours(&point->state, layout, point->counters))
        return;
    recording->device->next.CmdBindDescriptorSets(recording->handle, where, layout->handle, layout->count, 1,
                                                  &point->counters, 0, NULL);
    wpg_descriptors_bound_ours(&point->state, layout, point->counters);
}
