#include "layer/commands/steer.h"

#include <stdlib.h>
#include <string.h>

#include "layer/commands/sample_bind.h"
#include "layer/commands/variant_choice.h"
#include "runtime/base/log.h"
#include "runtime/counters/memory.h"

enum { ALTERNATIVES = 1 + WPG_VERDICT_CANDIDATES };

struct wpg_steer_device {
    wpg_counters_vk vk;
    VkPhysicalDeviceMemoryProperties types;
};

typedef struct steered {
    struct wpg_tuned *tuned;
    uint32_t run;
    VkDispatchIndirectCommand groups;
    size_t count;
    size_t alternatives[ALTERNATIVES]; /* by place in the buffer; the first is the program's own */
} steered;

struct wpg_steering {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDispatchIndirectCommand (*commands)[ALTERNATIVES]; /* mapped, [WPG_STEERED] */
    uint32_t count;
    steered list[WPG_STEERED];
};

/* -- Memory */

void wpg_steer_plan(wpg_device *device, VkPhysicalDevice physical)
{
    struct wpg_steer_device *made = calloc(1, sizeof *made);
    if (made && device->next.CmdDispatchIndirect && device->next.CmdPipelineBarrier &&
        wpg_counters_vk_load(&made->vk, device->handle, device->next.GetDeviceProcAddr,
                             device->set_loader_data)) {
        device->instance->next.GetPhysicalDeviceMemoryProperties(physical, &made->types);
        device->steer = made;
        return;
    }
    free(made);
}

void wpg_steer_forget(wpg_device *device)
{
    free(device->steer);
    device->steer = NULL;
}

void wpg_steer_destroy(wpg_steering *steering, wpg_device *device)
{
    if (!steering)
        return;
    const wpg_counters_vk *vk = &device->steer->vk;
    if (steering->buffer)
        vk->DestroyBuffer(vk->device, steering->buffer, NULL);
    if (steering->memory)
        vk->FreeMemory(vk->device, steering->memory, NULL); /* unmaps */
    free(steering);
}

static bool back(wpg_steering *steering, const struct wpg_steer_device *with)
{
    const wpg_counters_vk *vk = &with->vk;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = sizeof(VkDispatchIndirectCommand[WPG_STEERED][ALTERNATIVES]),
                                     .usage = VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT};
    VkMemoryRequirements needs;
    void *mapped = NULL;
    if (vk->CreateBuffer(vk->device, &info, NULL, &steering->buffer) != VK_SUCCESS) {
        steering->buffer = VK_NULL_HANDLE;
        return false;
    }
    vk->GetBufferMemoryRequirements(vk->device, steering->buffer, &needs);
    VkMemoryAllocateInfo memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = needs.size,
        .memoryTypeIndex =
            wpg_memory_type(&with->types, needs.memoryTypeBits,
                            VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0,
                            (size_t)needs.size)};
    if (memory.memoryTypeIndex == UINT32_MAX)
        return false;
    if (vk->AllocateMemory(vk->device, &memory, NULL, &steering->memory) != VK_SUCCESS) {
        steering->memory = VK_NULL_HANDLE;
        return false;
    }
    if (vk->BindBufferMemory(vk->device, steering->buffer, steering->memory, 0) != VK_SUCCESS ||
        vk->MapMemory(vk->device, steering->memory, 0, VK_WHOLE_SIZE, 0, &mapped) != VK_SUCCESS || !mapped)
        return false;
    steering->commands = mapped;
    return true;
}

static wpg_steering *create(wpg_device *device)
{
    wpg_steering *made = calloc(1, sizeof *made);
    if (made && back(made, device->steer))
        return made;
    wpg_steer_destroy(made, device);
    wpg_log_once(WPG_LOG_WARN, "tune: no memory that the host and the device see: command buffers that are "
                               "recorded once give one sample a recording");
    return NULL;
}

/* -- Recording */

bool wpg_steer_bind(wpg_steering **steering, wpg_device *device, VkPipeline pipeline)
{
    wpg_twin twins[WPG_VERDICT_CANDIDATES];
    struct wpg_tuned *tuned;
    if (!device->steer || !wpg_twin_alternatives(twins, &tuned, device, pipeline))
        return false;
    if (!*steering)
        *steering = create(device);
    return *steering && (*steering)->count < WPG_STEERED;
}

bool wpg_steer_next(const wpg_steering *steering, wpg_device *device, VkPipeline pipeline,
                    struct wpg_tuned **tuned)
{
    wpg_twin twins[WPG_VERDICT_CANDIDATES];
    return steering && steering->count < WPG_STEERED &&
           wpg_twin_alternatives(twins, tuned, device, pipeline) > 0;
}

static void bind(wpg_recording *recording, VkPipeline pipeline)
{
    wpg_attribution_bind(recording->device, &recording->blamed, pipeline);
    recording->device->next.CmdBindPipeline(recording->handle, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
}

static void add(wpg_steering *steering, const wpg_recording *recording, size_t alternative)
{
    steered *into = &steering->list[steering->count];
    const wpg_device_commands *next = &recording->device->next;
    const VkDeviceSize offset =
        (VkDeviceSize)((const char *)&steering->commands[steering->count][into->count] -
                       (const char *)steering->commands);
    into->alternatives[into->count++] = alternative;
    next->CmdDispatchIndirect(recording->handle, steering->buffer, offset);
    next->CmdPipelineBarrier(recording->handle, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL, 0, NULL, 0, NULL);
}

/* The program's own with variants, as they serve what is pushed. false: the one that would is not built yet.
 */
static bool bind_by_value(wpg_recording *recording, wpg_bound *bound, struct wpg_tuned *tuned)
{
    bound->variants = bound->steered_variants;
    bound->actual = VK_NULL_HANDLE; /* whatever is chosen is bound */
    bound->trial = (wpg_trial){.tuned = tuned};
    if (bound->variants)
        wpg_variants_before(recording, bound);
    const bool ready = bound->variants && bound->trial.tuned;
    bound->variants = NULL;
    bound->trial = (wpg_trial){0};
    return ready;
}

void wpg_steer_dispatch(wpg_steering *steering, wpg_recording *recording, wpg_bound *bound, uint32_t run,
                        const uint32_t groups[3])
{
    wpg_twin twins[WPG_VERDICT_CANDIDATES];
    struct wpg_tuned *tuned = NULL;
    const size_t count = wpg_twin_alternatives(twins, &tuned, recording->device, bound->steered);
    steered *into = &steering->list[steering->count];
    *into = (steered){.tuned = tuned, .run = run, .groups = {groups[0], groups[1], groups[2]}};
    add(steering, recording, 0); /* the program's own is bound */
    for (size_t i = 0; i < count; i++) {
        if (twins[i].pipeline)
            bind(recording, twins[i].pipeline);
        else if (!bind_by_value(recording, bound, tuned))
            continue;
        add(steering, recording, twins[i].alternative);
    }
    bind(recording, bound->steered);
    steering->count++;
}

/* -- Submitting */

void wpg_steer_begin(wpg_steering *steering)
{
    if (steering)
        steering->count = 0;
}

void wpg_steer_choose(wpg_steering *steering, wpg_trial *(*trial_of)(void *context, uint32_t run),
                      void *context)
{
    for (uint32_t i = 0; steering && i < steering->count; i++) {
        const steered *at = &steering->list[i];
        wpg_trial trial = wpg_tune_choose(at->tuned);
        size_t chosen = 0;
        while (chosen < at->count && at->alternatives[chosen] != trial.alternative)
            chosen++;
        if (chosen == at->count) { /* this recording has not got it */
            trial.tuned = NULL;
            chosen = 0;
        }
        memset(steering->commands[i], 0, sizeof steering->commands[i]);
        steering->commands[i][chosen] = at->groups;
        *trial_of(context, at->run) = trial;
    }
}
