/* Records and submits drains. A fence makes device writes available to the device alone, so the host needs a
 * barrier to the host domain. Source: Vulkan 1.3, 7.1.1. */
#include "runtime/counters/drain.h"

#include <stdlib.h>

wpg_status wpg_drain_init(wpg_drain *drain, const wpg_counters_vk *vk, const wpg_region *counters,
                          const wpg_region *staging, wpg_error *err)
{
    *drain = (wpg_drain){.vk = vk,
                         .counters = counters->buffer,
                         .staging = staging ? staging->buffer : VK_NULL_HANDLE,
                         .size = counters->size};
    (void)pthread_mutex_init(&drain->lock, NULL);
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkResult result = vk->CreateFence(vk->device, &info, NULL, &drain->fence);
    if (result != VK_SUCCESS) {
        drain->fence = VK_NULL_HANDLE;
        return wpg_fail(err, WPG_E_IO, "vkCreateFence for counters failed (VkResult %d)", (int)result);
    }
    return WPG_OK;
}

void wpg_drain_finish(wpg_drain *drain, bool vk_alive)
{
    if (!drain->vk)
        return;
    if (vk_alive) {
        for (size_t i = 0; i < drain->family_count; i++)
            drain->vk->DestroyCommandPool(drain->vk->device, drain->families[i].pool, NULL);
        if (drain->fence)
            drain->vk->DestroyFence(drain->vk->device, drain->fence, NULL);
    }
    free(drain->families);
    (void)pthread_mutex_destroy(&drain->lock);
    *drain = (wpg_drain){0};
}

static void barrier(const wpg_drain *drain, VkCommandBuffer commands, VkPipelineStageFlags from,
                    VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags read)
{
    VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER, .srcAccessMask = written, .dstAccessMask = read};
    drain->vk->CmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, NULL, 0, NULL);
}

static void record_drain(const wpg_drain *drain, VkCommandBuffer commands)
{
    const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    if (!drain->staging) {
        barrier(drain, commands, all, VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                VK_ACCESS_HOST_READ_BIT);
        return;
    }
    VkBufferCopy whole = {.size = drain->size};
    barrier(drain, commands, all, VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
            VK_ACCESS_TRANSFER_READ_BIT);
    drain->vk->CmdCopyBuffer(commands, drain->counters, drain->staging, 1, &whole);
    barrier(drain, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    /* Later shaders add to what was copied, not before it. */
    barrier(drain, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT, all,
            VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
}

static void record_upload(const wpg_drain *drain, VkCommandBuffer commands)
{
    VkBufferCopy whole = {.size = drain->size};
    drain->vk->CmdCopyBuffer(commands, drain->staging, drain->counters, 1, &whole);
    barrier(drain, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
            VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
}

static VkResult make_commands(wpg_drain_family *made, const wpg_drain *drain, uint32_t family,
                              void (*record)(const wpg_drain *, VkCommandBuffer))
{
    const wpg_counters_vk *vk = drain->vk;
    *made = (wpg_drain_family){.family = family};
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .queueFamilyIndex = family};
    VkResult result = vk->CreateCommandPool(vk->device, &pool, NULL, &made->pool);
    if (result != VK_SUCCESS)
        return result;
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = made->pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    result = vk->AllocateCommandBuffers(vk->device, &allocate, &made->commands);
    if (result == VK_SUCCESS)
        result = vk->set_loader_data(vk->device, made->commands);
    if (result == VK_SUCCESS)
        result = vk->BeginCommandBuffer(made->commands, &begin);
    if (result == VK_SUCCESS) {
        record(drain, made->commands);
        result = vk->EndCommandBuffer(made->commands);
    }
    if (result != VK_SUCCESS)
        vk->DestroyCommandPool(vk->device, made->pool, NULL);
    return result;
}

static VkResult family_commands(VkCommandBuffer *commands, wpg_drain *drain, uint32_t family)
{
    for (size_t i = 0; i < drain->family_count; i++)
        if (drain->families[i].family == family) {
            *commands = drain->families[i].commands;
            return VK_SUCCESS;
        }
    wpg_drain_family *more = realloc(drain->families, (drain->family_count + 1) * sizeof *more);
    if (!more)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    drain->families = more;
    VkResult result = make_commands(&more[drain->family_count], drain, family, record_drain);
    if (result == VK_SUCCESS)
        *commands = more[drain->family_count++].commands;
    return result;
}

/* Under the lock. */
static wpg_status settle(wpg_drain *drain, uint64_t nanoseconds)
{
    if (!drain->in_flight)
        return WPG_OK;
    const wpg_counters_vk *vk = drain->vk;
    VkResult result = nanoseconds ? vk->WaitForFences(vk->device, 1, &drain->fence, VK_TRUE, nanoseconds)
                                  : vk->GetFenceStatus(vk->device, drain->fence);
    if (result == VK_NOT_READY || result == VK_TIMEOUT)
        return WPG_E_NOT_FOUND;
    drain->in_flight = false;
    if (result != VK_SUCCESS || vk->ResetFences(vk->device, 1, &drain->fence) != VK_SUCCESS)
        return WPG_E_IO;
    return WPG_OK;
}

wpg_status wpg_drain_wait(wpg_drain *drain, uint64_t nanoseconds)
{
    (void)pthread_mutex_lock(&drain->lock);
    wpg_status status = settle(drain, nanoseconds);
    (void)pthread_mutex_unlock(&drain->lock);
    return status;
}

static wpg_status submit(wpg_drain *drain, VkQueue queue, VkCommandBuffer commands, wpg_error *err)
{
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    VkResult result = drain->vk->QueueSubmit(queue, 1, &info, drain->fence);
    if (result != VK_SUCCESS)
        return wpg_fail(err, WPG_E_IO, "vkQueueSubmit of a drain failed (VkResult %d)", (int)result);
    drain->in_flight = true;
    return WPG_OK;
}

wpg_status wpg_drain_submit(wpg_drain *drain, VkQueue queue, uint32_t family, wpg_error *err)
{
    VkCommandBuffer commands;
    (void)pthread_mutex_lock(&drain->lock);
    wpg_status status = settle(drain, 0);
    if (status == WPG_E_NOT_FOUND)
        status = wpg_fail(err, WPG_E_LIMIT, "the last drain has not finished");
    else if (status != WPG_OK)
        status = wpg_fail(err, status, "the device is lost");
    else {
        VkResult result = family_commands(&commands, drain, family);
        status = result == VK_SUCCESS
                     ? submit(drain, queue, commands, err)
                     : wpg_fail(err, WPG_E_IO, "recording a drain failed (VkResult %d)", (int)result);
    }
    (void)pthread_mutex_unlock(&drain->lock);
    return status;
}

wpg_status wpg_drain_upload(wpg_drain *drain, VkQueue queue, uint32_t family, wpg_error *err)
{
    wpg_drain_family once;
    VkResult result = make_commands(&once, drain, family, record_upload);
    if (result != VK_SUCCESS)
        return wpg_fail(err, WPG_E_IO, "recording an upload failed (VkResult %d)", (int)result);
    (void)pthread_mutex_lock(&drain->lock);
    wpg_status status = submit(drain, queue, once.commands, err);
    if (status == WPG_OK && (status = settle(drain, UINT64_MAX)) != WPG_OK)
        (void)wpg_fail(err, status, "the device was lost during an upload");
    (void)pthread_mutex_unlock(&drain->lock);
    drain->vk->DestroyCommandPool(drain->vk->device, once.pool, NULL);
    return status;
}
