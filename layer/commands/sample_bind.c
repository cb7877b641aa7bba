/* Twins of pipelines, and the choice at each bind. Sampling:
 *
 * Of every N consecutive binds of a pipeline one is counted. A hash of the pipeline, of the place of these N
 * in its life and of SAMPLE_SEED chooses it. So a program that binds in a rhythm is not always caught on the
 * same beat, and pipelines that are made and bound together are not counted together. A counted bind stands
 * for N.
 *
 * Each bind has one place, and over all hashes a place is chosen with probability 1/N. So a bind counts once
 * in expectation. That holds also if a pipeline's last N are not complete: places without a bind have nothing
 * to count. A pipeline bound fewer than N times mostly has no counts. One of N such pipelines is counted and
 * stands for all: their sum is right (Horvitz and Thompson, "A Generalization of Sampling Without Replacement
 * from a Finite Universe", JASA 47, 1952). */
#include "layer/commands/sample_bind.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/sampling.h"
#include "layer/base/window.h"
#include "layer/commands/counter_layouts.h"
#include "layer/commands/record.h"
#include "runtime/base/arithmetic.h"

typedef struct twin {
    wpg_counter_slot *slot; /* sampling: one of ours, which counts there */
    wpg_tuned *tuned;       /* tuning: a candidate each */
    size_t count;
    wpg_twin ours[];
} twin;

void wpg_twins_init(wpg_device *device)
{
    wpg_handles_init(&device->twins);
}

void wpg_twins_finish(wpg_device *device)
{
    wpg_handles_free(&device->twins);
}

bool wpg_twins_add(wpg_device *device, VkPipeline pipeline, const wpg_twin *ours, size_t count,
                   wpg_counter_slot *slot, struct wpg_tuned *tuned)
{
    twin *made = malloc(sizeof *made + count * sizeof *ours);
    if (!made)
        return false;
    *made = (twin){slot, tuned, count};
    memcpy(made->ours, ours, count * sizeof *ours);
    /* A handle's record stays with it: one left over from a handle destroyed behind our back goes. */
    free(wpg_handles_remove(&device->twins, (uint64_t)pipeline));
    if (wpg_handles_set(&device->twins, (uint64_t)pipeline, made))
        return true;
    free(made);
    return false;
}

/* The candidate whose turn it is; the original where this pipeline has not got it, which is no trial. */
static VkPipeline choose_candidate(const twin *found, VkPipeline pipeline, wpg_trial *trial)
{
    *trial = wpg_tune_choose(found->tuned);
    if (!trial->tuned || trial->alternative == 0)
        return pipeline;
    for (size_t i = 0; i < found->count; i++)
        if (found->ours[i].alternative == trial->alternative) {
            trial->by_value = !found->ours[i].pipeline;
            return trial->by_value ? pipeline : found->ours[i].pipeline;
        }
    trial->tuned = NULL;
    return pipeline;
}

VkPipeline wpg_twin_choose(wpg_device *device, VkPipeline pipeline, wpg_trial *trial)
{
    const twin *found = wpg_handles_get(&device->twins, (uint64_t)pipeline);
    if (!found)
        return pipeline;
    if (found->tuned)
        return trial ? choose_candidate(found, pipeline, trial) : pipeline;
    if (wpg_window_exists()) {
        if (!wpg_window_open())
            return pipeline;
        wpg_window_counted();
    }
    if (!wpg_sampling_has_twins())
        return found->ours[0].pipeline;
    const uint64_t rate = wpg_sampling_rate();
    if (wpg_sampling_is_by_frame()) {
        if (!wpg_sampling_takes_frame())
            return pipeline;
        atomic_fetch_add_explicit(&found->slot->binds, rate, memory_order_relaxed);
        atomic_fetch_add_explicit(&found->slot->binds_counted, 1, memory_order_relaxed);
        return found->ours[0].pipeline;
    }
    uint64_t index = atomic_fetch_add_explicit(&found->slot->binds, 1, memory_order_relaxed);
    uint64_t round = index / rate;
    uint64_t place = wpg_mix64(wpg_mix64(round) ^ found->slot->hash.high ^ wpg_sampling_seed()) % rate;
    if (index % rate != place)
        return pipeline;
    atomic_fetch_add_explicit(&found->slot->binds_counted, 1, memory_order_relaxed);
    return found->ours[0].pipeline;
}

size_t wpg_twin_alternatives(wpg_twin ours[WPG_VERDICT_CANDIDATES], struct wpg_tuned **tuned,
                             wpg_device *device, VkPipeline pipeline)
{
    const twin *found = wpg_handles_get(&device->twins, (uint64_t)pipeline);
    if (!found || !found->tuned || found->count > WPG_VERDICT_CANDIDATES)
        return 0;
    *tuned = found->tuned;
    memcpy(ours, found->ours, found->count * sizeof *ours);
    return found->count;
}

void wpg_twin_missed(wpg_device *device, VkPipeline pipeline, wpg_tune_miss miss)
{
    const twin *found = wpg_handles_get(&device->twins, (uint64_t)pipeline);
    if (found && found->tuned)
        wpg_tune_missed(found->tuned, miss);
}

void wpg_twin_destroy(wpg_device *device, VkPipeline pipeline, const VkAllocationCallbacks *allocator)
{
    twin *found = pipeline ? wpg_handles_remove(&device->twins, (uint64_t)pipeline) : NULL;
    for (size_t i = 0; found && i < found->count; i++) {
        if (!found->ours[i].pipeline)
            continue;
        wpg_attribution_remove(device, found->ours[i].pipeline);
        wpg_counter_pipeline_remove(device, found->ours[i].pipeline);
        device->next.DestroyPipeline(device->handle, found->ours[i].pipeline, allocator);
    }
    free(found);
}

VKAPI_ATTR void VKAPI_CALL wpg_sample_bind_pipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                    VkPipeline pipeline)
{
    wpg_recording *recording = wpg_recording_of(commands);
    wpg_device *device = recording ? recording->device : wpg_device_of(commands);
    if (!device)
        return;
    if (device->binds)
        pipeline = wpg_twin_choose(device, pipeline, NULL);
    if (recording)
        wpg_attribution_bind(device, &recording->blamed, pipeline);
    device->next.CmdBindPipeline(commands, point, pipeline);
}

VKAPI_ATTR void VKAPI_CALL wpg_sample_destroy_pipeline(VkDevice handle, VkPipeline pipeline,
                                                       const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    wpg_attribution_remove(device, pipeline);
    wpg_twin_destroy(device, pipeline, allocator);
    device->next.DestroyPipeline(handle, pipeline, allocator);
}
