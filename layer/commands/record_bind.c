/* Pipelines, their layouts, binding, push constants. */
#include <stdlib.h>
#include <string.h>

#include "layer/commands/counter_sets.h"
#include "layer/commands/record_objects.h"
#include "layer/commands/record_queries.h"
#include "layer/commands/sample_bind.h"
#include "layer/commands/variant_choice.h"
#include "layer/profile/bundle_files.h"
#include "layer/profile/times.h"
#include "layer/variants/variants.h"

/* -- Layouts */

typedef struct layout {
    uint64_t signature, words;
} layout;

VKAPI_ATTR VkResult VKAPI_CALL wpg_record_CreatePipelineLayout(VkDevice handle,
                                                               const VkPipelineLayoutCreateInfo *info,
                                                               const VkAllocationCallbacks *allocator,
                                                               VkPipelineLayout *made)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = device->next.CreatePipelineLayout(handle, info, allocator, made);
    uint32_t count = info->pushConstantRangeCount;
    if (result == VK_SUCCESS && wpg_process_is_owner())
        wpg_counter_layout_add(device, info, *made);
    if (result != VK_SUCCESS || !device->records || !count || !wpg_process_is_owner())
        return result;
    layout *record = calloc(1, sizeof *record);
    if (record && wpg_record_ranges(&record->signature, &record->words, info->pPushConstantRanges, count) &&
        wpg_handles_set(&device->layouts, (uint64_t)*made, record))
        record = NULL;
    free(record);
    return result;
}

VKAPI_ATTR void VKAPI_CALL wpg_record_DestroyPipelineLayout(VkDevice handle, VkPipelineLayout made,
                                                            const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    wpg_counter_layout_remove(device, made);
    if (device->records && made) {
        wpg_record_next_generation();
        free(wpg_handles_remove(&device->layouts, (uint64_t)made));
    }
    if (!wpg_variants_keep_layout(device, made, allocator))
        device->next.DestroyPipelineLayout(handle, made, allocator);
}

static layout layout_of(wpg_device *device, VkPipelineLayout handle)
{
    const layout *found = handle ? wpg_handles_get(&device->layouts, (uint64_t)handle) : NULL;
    return found ? *found : (layout){0};
}

/* -- Pipelines */

bool wpg_record_has_totals(const wpg_device *device, wpg_hash128 pipeline)
{
    return device->mode == WPG_MODE_TUNE || wpg_times_on() || (wpg_bundle_on() && wpg_bundle_takes(pipeline));
}

void wpg_record_pipeline(wpg_device *device, VkPipeline pipeline, const wpg_pipeline_plan *plan,
                         VkPipelineLayout handle)
{
    if (!device->records || !pipeline || !plan->identified || plan->part)
        return;
    const bool own = wpg_record_has_totals(device, plan->hash);
    wpg_totals *totals = own ? wpg_totals_of(plan->hash) : wpg_totals_others();
    wpg_bindable *bindable = totals ? calloc(1, sizeof *bindable) : NULL;
    if (!bindable)
        return;
    layout pushed = layout_of(device, handle);
    *bindable = (wpg_bindable){.pipeline = pipeline,
                               .totals = totals,
                               .push_signature = pushed.signature,
                               .push_words = own ? pushed.words : 0};
    if (!wpg_handles_set(&device->bindables, (uint64_t)pipeline, bindable))
        free(bindable);
}

VKAPI_ATTR void VKAPI_CALL wpg_record_DestroyPipeline(VkDevice handle, VkPipeline pipeline,
                                                      const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    if (device->records && pipeline) {
        wpg_variants_remove(device, pipeline);
        wpg_record_next_generation();
        free(wpg_handles_remove(&device->bindables, (uint64_t)pipeline));
    }
    wpg_counter_pipeline_remove(device, pipeline);
    wpg_attribution_remove(device, pipeline);
    wpg_twin_destroy(device, pipeline, allocator);
    device->next.DestroyPipeline(handle, pipeline, allocator);
}

/* -- Binding */

/* Forgets what is no longer certain. */
static wpg_recent *recent_of(wpg_recording *recording)
{
    uint64_t now = atomic_load_explicit(&wpg_record_generation, memory_order_relaxed);
    if (recording->recent.generation != now)
        recording->recent = (wpg_recent){.generation = now};
    return &recording->recent;
}

static const wpg_bindable *bindable_of(wpg_recording *recording, VkPipeline pipeline)
{
    wpg_recent *recent = recent_of(recording);
    uint64_t key = (uint64_t)pipeline;
    size_t place = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 60) % WPG_RECENT_PIPELINES;
    if (!pipeline || recent->pipelines[place].pipeline != pipeline) {
        recent->pipelines[place].bindable = wpg_handles_get(&recording->device->bindables, key);
        recent->pipelines[place].pipeline = pipeline;
    }
    return recent->pipelines[place].bindable;
}

/* The recording side of a bind; the pipeline that goes down in place of the program's is chosen by the hook.
 */
void wpg_record_bind(wpg_recording *recording, wpg_bound *bound, const wpg_bindable *bindable)
{
    wpg_record_settle(recording);
    wpg_runs_close(recording);
    *bound = (wpg_bound){.entry = WPG_NOTHING_BOUND};
    if (!bindable)
        return;
    ptrdiff_t entry = wpg_record_entry_of(recording, bindable->totals, bindable->push_words);
    if (entry == WPG_NOTHING_BOUND)
        return;
    recording->entries.data[entry].counters[WPG_RECORD_BINDS]++;
    *bound = (wpg_bound){
        .entry = entry,
        .push_signature = bindable->push_signature,
        .push_words = bindable->push_words,
        .variants = bindable->variants,
        .base = bindable->pipeline,
        .actual = bindable->pipeline,
    };
}

static wpg_bound *bound_at(wpg_recording *recording, VkPipelineBindPoint point)
{
    return point == VK_PIPELINE_BIND_POINT_GRAPHICS          ? &recording->bound[WPG_BIND_GRAPHICS]
           : point == VK_PIPELINE_BIND_POINT_COMPUTE         ? &recording->bound[WPG_BIND_COMPUTE]
           : point == VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR ? &recording->bound[WPG_BIND_RAYS]
                                                             : NULL;
}

VKAPI_ATTR void VKAPI_CALL wpg_record_CmdBindPipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                      VkPipeline pipeline)
{
    wpg_recording *recording;
    const wpg_device_commands *next = wpg_record_enter(&recording, commands);
    if (!next)
        return;
    wpg_bound *bound = recording ? bound_at(recording, point) : NULL;
    if (bound) {
        wpg_record_bind(recording, bound, bindable_of(recording, pipeline));
        wpg_record_objects_taken(recording, (wpg_bind_point)(bound - recording->bound));
    }
    if (recording && recording->device->binds) {
        const bool known = bound && bound->entry != WPG_NOTHING_BOUND;
        const wpg_tune_miss miss = wpg_runs_miss(recording);
        if (known && miss != WPG_MISS_NONE)
            wpg_twin_missed(recording->device, pipeline, miss);
        if (!known || miss != WPG_MISS_NONE || !wpg_runs_steer(recording, bound, pipeline))
            pipeline = wpg_twin_choose(recording->device, pipeline,
                                       known && miss == WPG_MISS_NONE ? &bound->trial : NULL);
        if (bound && !bound->trial.by_value)
            bound->variants = NULL; /* another alternative's turn, or no trial */
    } else if (bound && bound->variants)
        pipeline = bound->base = bound->actual = wpg_variants_bind(recording->device, bound->variants);
    if (bound)
        bound->given = pipeline;
    if (recording)
        wpg_counter_sets_pipeline(recording, point, pipeline);
    if (recording)
        wpg_attribution_bind(recording->device, &recording->blamed, pipeline);
    next->CmdBindPipeline(commands, point, pipeline);
}

/* -- Push constants */

static void push(wpg_recording *recording, VkPipelineLayout handle, VkShaderStageFlags stages,
                 uint32_t offset, uint32_t size, const void *values)
{
    uint64_t words = wpg_record_words(offset, size);
    wpg_record_settle(recording);
    wpg_recent *recent = recent_of(recording);
    if (recent->layout != handle) {
        recent->layout = handle;
        recent->layout_signature = layout_of(recording->device, handle).signature;
    }
    if (recent->layout_signature != recording->push_signature)
        recording->pushed = 0;
    recording->push_signature = recent->layout_signature;
    if (offset % 4 || !words)
        return;
    recording->pushed |= words;
    const uint32_t first = offset / 4, count = (uint32_t)__builtin_popcountll(words);
    memcpy(&recording->push[first], values, (size_t)count * 4);
    for (uint32_t i = first; i < first + count; i++)
        recording->push_stages[i] = stages;
}

VKAPI_ATTR void VKAPI_CALL wpg_record_CmdPushConstants(VkCommandBuffer commands, VkPipelineLayout handle,
                                                       VkShaderStageFlags stages, uint32_t offset,
                                                       uint32_t size, const void *values)
{
    wpg_recording *recording;
    const wpg_device_commands *next = wpg_record_enter(&recording, commands);
    if (!next)
        return;
    if (recording)
        push(recording, handle, stages, offset, size, values);
    next->CmdPushConstants(commands, handle, stages, offset, size, values);
}

static const wpg_device_commands *push_2(VkCommandBuffer commands, const wpg_push_constants_info *info)
{
    wpg_recording *recording;
    const wpg_device_commands *next = wpg_record_enter(&recording, commands);
    if (next && recording)
        push(recording, info->layout, info->stageFlags, info->offset, info->size, info->pValues);
    return next;
}

VKAPI_ATTR void VKAPI_CALL wpg_record_CmdPushConstants2(VkCommandBuffer commands,
                                                        const wpg_push_constants_info *info)
{
    const wpg_device_commands *next = push_2(commands, info);
    if (next)
        ((wpg_pfn_push_constants_2)next->CmdPushConstants2)(commands, info);
}

VKAPI_ATTR void VKAPI_CALL wpg_record_CmdPushConstants2KHR(VkCommandBuffer commands,
                                                           const wpg_push_constants_info *info)
{
    const wpg_device_commands *next = push_2(commands, info);
    if (next)
        ((wpg_pfn_push_constants_2)next->CmdPushConstants2KHR)(commands, info);
}
