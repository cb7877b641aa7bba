/* Recordings: their life with their command buffers and pools, and their way into the totals. */
#include "layer/commands/record.h"

#include <stdlib.h>
#include <string.h>

#include "layer/commands/content_record.h"
#include "layer/commands/counter_sets.h"
#include "layer/commands/record_hardware.h"
#include "layer/commands/record_objects.h"
#include "layer/commands/record_queries.h"

/* -- Life */

static void begin_anew(wpg_recording *recording)
{
    wpg_runs_harvest(recording);
    wpg_content_reset(recording);
    wpg_counter_sets_reset(recording);
    wpg_bound_set_clear(&recording->blamed);
    wpg_vec_clear(&recording->entries);
    if (recording->by_totals.count) {
        memset(recording->by_totals.slots, 0,
               recording->by_totals.capacity * sizeof *recording->by_totals.slots);
        recording->by_totals.count = 0;
    }
    recording->dropped = false;
    recording->unmeasured_pass = false;
    recording->program_queries = 0;
    wpg_record_forget_state(recording);
}

static void create(wpg_device *device, wpg_command_pool *pool, VkCommandBuffer handle, bool secondary)
{
    wpg_recording *recording = calloc(1, sizeof *recording);
    if (!recording)
        return;
    recording->handle = handle;
    recording->device = device;
    recording->pool = pool;
    recording->secondary = secondary;
    begin_anew(recording);
    if (!wpg_recording_keep(recording)) {
        free(recording);
        return;
    }
    recording->next = pool->recordings;
    if (recording->next)
        recording->next->previous = recording;
    pool->recordings = recording;
}

static void destroy(wpg_recording *recording)
{
    wpg_runs_destroy(recording);
    wpg_content_destroy(recording);
    wpg_counter_sets_destroy(recording);
    wpg_recording_forget(recording);
    if (recording->previous)
        recording->previous->next = recording->next;
    else
        recording->pool->recordings = recording->next;
    if (recording->next)
        recording->next->previous = recording->previous;
    for (size_t i = 0; i < recording->entries_made; i++) {
        free(recording->entries.data[i].words);
        wpg_push_sets_finish(&recording->entries.data[i].sets);
    }
    wpg_vec_free(&recording->entries);
    wpg_map_free(&recording->by_totals);
    wpg_bound_set_finish(&recording->blamed);
    free(recording);
}

static void destroy_pool(wpg_command_pool *pool)
{
    wpg_record_next_generation();
    while (pool->recordings)
        destroy(pool->recordings);
    free(pool);
}

void wpg_recordings_init(wpg_device *device)
{
    wpg_handles_init(&device->command_pools);
    wpg_handles_init(&device->bindables);
    wpg_handles_init(&device->layouts);
    wpg_handles_init(&device->view_passes);
    wpg_handles_init(&device->pass_outputs);
    wpg_record_objects_init(device);
}

static void destroy_pool_of(void *record, void *context)
{
    (void)context;
    destroy_pool(record);
}

void wpg_recordings_finish(wpg_device *device)
{
    wpg_handles_each(&device->command_pools, destroy_pool_of, NULL);
    wpg_handles_finish(&device->command_pools);
    wpg_handles_free(&device->bindables);
    wpg_handles_free(&device->layouts);
    wpg_handles_finish(&device->view_passes);
    wpg_handles_free(&device->pass_outputs);
    wpg_record_objects_finish(device);
    wpg_hardware_destroy(device->hardware, device);
    device->hardware = NULL;
    free(device->queries);
    device->queries = NULL;
}

void wpg_record_submit(wpg_device *device, VkCommandBuffer commands, VkQueue queue)
{
    /* Not through the thread's memory: a submission names many command buffers once. */
    wpg_recording *recording = wpg_recording_find(commands);
    if (!recording || recording->device != device)
        return;
    wpg_attribution_submit(device, &recording->blamed);
    wpg_runs_submitted(recording, queue);
    for (size_t i = 0; !recording->dropped && i < recording->entries.count; i++) {
        const wpg_record_entry *entry = &recording->entries.data[i];
        wpg_totals_add(entry->totals, entry->counters, entry->words, &entry->sets, entry->push_words);
    }
}

/* -- Pools */

VKAPI_ATTR VkResult VKAPI_CALL wpg_record_CreateCommandPool(VkDevice handle,
                                                            const VkCommandPoolCreateInfo *info,
                                                            const VkAllocationCallbacks *allocator,
                                                            VkCommandPool *pool)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = device->next.CreateCommandPool(handle, info, allocator, pool);
    if (result != VK_SUCCESS || device->mode == WPG_MODE_OFF || !wpg_process_is_owner())
        return result;
    wpg_command_pool *record = calloc(1, sizeof *record);
    if (record) {
        record->handle = *pool;
        record->family = info->queueFamilyIndex;
        record->is_protected = info->flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT;
        if (!wpg_handles_set(&device->command_pools, (uint64_t)*pool, record))
            free(record);
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL wpg_record_DestroyCommandPool(VkDevice handle, VkCommandPool pool,
                                                         const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    wpg_command_pool *record = pool ? wpg_handles_remove(&device->command_pools, (uint64_t)pool) : NULL;
    if (record)
        destroy_pool(record);
    device->next.DestroyCommandPool(handle, pool, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_record_ResetCommandPool(VkDevice handle, VkCommandPool pool,
                                                           VkCommandPoolResetFlags flags)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_DEVICE_LOST;
    wpg_command_pool *record = wpg_handles_get(&device->command_pools, (uint64_t)pool);
    for (wpg_recording *at = record ? record->recordings : NULL; at; at = at->next)
        begin_anew(at);
    return device->next.ResetCommandPool(handle, pool, flags);
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_record_AllocateCommandBuffers(VkDevice handle,
                                                                 const VkCommandBufferAllocateInfo *info,
                                                                 VkCommandBuffer *commands)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = device->next.AllocateCommandBuffers(handle, info, commands);
    wpg_command_pool *pool =
        result == VK_SUCCESS ? wpg_handles_get(&device->command_pools, (uint64_t)info->commandPool) : NULL;
    for (uint32_t i = 0; pool && i < info->commandBufferCount; i++)
        create(device, pool, commands[i], info->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    return result;
}

VKAPI_ATTR void VKAPI_CALL wpg_record_FreeCommandBuffers(VkDevice handle, VkCommandPool pool, uint32_t count,
                                                         const VkCommandBuffer *commands)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    bool gone = false;
    for (uint32_t i = 0; i < count; i++) {
        wpg_recording *recording = commands[i] ? wpg_recording_find(commands[i]) : NULL;
        if (!recording || recording->device != device)
            continue;
        if (!gone)
            wpg_record_next_generation();
        gone = true;
        destroy(recording);
    }
    device->next.FreeCommandBuffers(handle, pool, count, commands);
}

/* -- Command buffers */

VKAPI_ATTR VkResult VKAPI_CALL wpg_record_BeginCommandBuffer(VkCommandBuffer commands,
                                                             const VkCommandBufferBeginInfo *info)
{
    wpg_recording *recording;
    const wpg_device_commands *next = wpg_record_enter(&recording, commands);
    if (!next)
        return VK_ERROR_DEVICE_LOST;
    if (recording)
        begin_anew(recording);
    VkResult result = next->BeginCommandBuffer(commands, info);
    if (recording && result == VK_SUCCESS && !recording->secondary) {
        wpg_runs_begin(recording, info->flags);
        wpg_content_begin(recording, info->flags);
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_record_EndCommandBuffer(VkCommandBuffer commands)
{
    wpg_recording *recording;
    const wpg_device_commands *next = wpg_record_enter(&recording, commands);
    if (!next)
        return VK_ERROR_DEVICE_LOST;
    if (recording) {
        wpg_record_settle(recording);
        wpg_runs_close(recording);
    }
    return next->EndCommandBuffer(commands);
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_record_ResetCommandBuffer(VkCommandBuffer commands,
                                                             VkCommandBufferResetFlags flags)
{
    wpg_recording *recording;
    const wpg_device_commands *next = wpg_record_enter(&recording, commands);
    if (!next)
        return VK_ERROR_DEVICE_LOST;
    if (recording)
        begin_anew(recording);
    return next->ResetCommandBuffer(commands, flags);
}

static void add_secondary(wpg_recording *primary, const wpg_recording *secondary)
{
    if (secondary->dropped) {
        wpg_record_drop(primary);
        return;
    }
    for (size_t i = 0; i < secondary->entries.count; i++) {
        const wpg_record_entry *from = &secondary->entries.data[i];
        ptrdiff_t index = wpg_record_entry_of(primary, from->totals, from->push_words);
        if (index == WPG_NOTHING_BOUND)
            return;
        wpg_record_entry *into = &primary->entries.data[index];
        for (int j = 0; j < WPG_RECORD_COUNTER_COUNT; j++)
            if (j != WPG_RECORD_SUBMISSIONS)
                into->counters[j] += from->counters[j];
        if (from->words && into->words) {
            wpg_words_add(into->words, from->words, from->push_words);
            wpg_push_sets_add(&into->sets, &from->sets, wpg_words_many_valued(into->words, from->push_words));
        }
    }
}

VKAPI_ATTR void VKAPI_CALL wpg_record_CmdExecuteCommands(VkCommandBuffer commands, uint32_t count,
                                                         const VkCommandBuffer *secondaries)
{
    wpg_recording *recording;
    const wpg_device_commands *next = wpg_record_enter(&recording, commands);
    if (!next)
        return;
    if (recording) {
        wpg_record_settle(recording);
        wpg_runs_close(recording);
        for (uint32_t i = 0; i < count; i++) {
            const wpg_recording *secondary = wpg_recording_find(secondaries[i]);
            if (!secondary || secondary->device != recording->device)
                continue;
            wpg_attribution_execute(&recording->blamed, &secondary->blamed);
            add_secondary(recording, secondary);
        }
        wpg_record_forget_state(recording); /* Vulkan 1.3, 6.7: undefined from here */
        wpg_content_forget_state(recording);
        wpg_counter_sets_reset(recording);
    }
    next->CmdExecuteCommands(commands, count, secondaries);
}
