/* Queues, command buffers, waiting. A submission is finished as soon as it is made. */
#include "tests/icd/driver.h"

#include <string.h>

#include "tests/icd/typed.h"

static void get_queue(VkDevice device, uint32_t family, VkQueue *queue, icd_command command)
{
    icd_object *owner = icd_the(ICD_DEVICE, device, command);
    *queue = VK_NULL_HANDLE;
    if (!owner)
        return;
    /* One queue a family: asked again, the same one. */
    if (!owner->copies[family % 4].from)
        owner->copies[family % 4].from = icd_new(ICD_QUEUE, owner, NULL);
    if (owner->copies[family % 4].from)
        owner->copies[family % 4].from->family = family;
    *queue = (VkQueue)owner->copies[family % 4].from;
}

VKAPI_ATTR void VKAPI_CALL icd_GetDeviceQueue(VkDevice device, uint32_t family, uint32_t index,
                                              VkQueue *queue)
{
    (void)index;
    ENTER(GetDeviceQueue);
    get_queue(device, family, queue, ICD_GetDeviceQueue);
}

VKAPI_ATTR void VKAPI_CALL icd_GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2 *info,
                                               VkQueue *queue)
{
    ENTER(GetDeviceQueue2);
    get_queue(device, info->queueFamilyIndex, queue, ICD_GetDeviceQueue2);
}

/* -- Command buffers */

VKAPI_ATTR void VKAPI_CALL icd_DestroyCommandPool(VkDevice device, VkCommandPool pool,
                                                  const VkAllocationCallbacks *allocator)
{
    ENTER(DestroyCommandPool);
    (void)THE(ICD_DEVICE, device, DestroyCommandPool);
    if (pool && THE(ICD_POOL, pool, DestroyCommandPool))
        icd_end_below((icd_object *)(uintptr_t)pool, ICD_COMMAND_BUFFER);
    icd_end(ICD_POOL, (const void *)(uintptr_t)pool, allocator, ICD_DestroyCommandPool);
}

/* The layer's own pools are made without an allocator. */
static bool foreign_commands(VkCommandBuffer commands)
{
    const icd_object *object = (const icd_object *)commands;
    return object->parent && !object->parent->allocator;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_ResetCommandPool(VkDevice device, VkCommandPool pool,
                                                    VkCommandPoolResetFlags flags)
{
    (void)device, (void)flags;
    FAIL(ResetCommandPool, false);
    (void)THE(ICD_POOL, pool, ResetCommandPool);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_AllocateCommandBuffers(VkDevice device,
                                                          const VkCommandBufferAllocateInfo *info,
                                                          VkCommandBuffer *out)
{
    icd_object *pool = THE(ICD_POOL, info->commandPool, AllocateCommandBuffers);
    (void)device;
    for (uint32_t i = 0; i < info->commandBufferCount; i++)
        out[i] = NULL;
    FAIL(AllocateCommandBuffers, pool && !pool->allocator);
    for (uint32_t i = 0; i < info->commandBufferCount; i++)
        out[i] = (VkCommandBuffer)icd_new(ICD_COMMAND_BUFFER, pool, NULL);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL icd_FreeCommandBuffers(VkDevice device, VkCommandPool pool, uint32_t count,
                                                  const VkCommandBuffer *commands)
{
    (void)device;
    ENTER(FreeCommandBuffers);
    (void)THE(ICD_POOL, pool, FreeCommandBuffers);
    for (uint32_t i = 0; i < count; i++)
        icd_end(ICD_COMMAND_BUFFER, commands[i], NULL, ICD_FreeCommandBuffers);
}

VKAPI_ATTR VkResult VKAPI_CALL icd_BeginCommandBuffer(VkCommandBuffer commands,
                                                      const VkCommandBufferBeginInfo *info)
{
    (void)info;
    icd_object *object = THE(ICD_COMMAND_BUFFER, commands, BeginCommandBuffer);
    if (!object)
        return VK_ERROR_DEVICE_LOST;
    FAIL(BeginCommandBuffer, foreign_commands(commands));
    object->copy_count = 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_EndCommandBuffer(VkCommandBuffer commands)
{
    if (!THE(ICD_COMMAND_BUFFER, commands, EndCommandBuffer))
        return VK_ERROR_DEVICE_LOST;
    FAIL(EndCommandBuffer, foreign_commands(commands));
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_ResetCommandBuffer(VkCommandBuffer commands,
                                                      VkCommandBufferResetFlags flags)
{
    (void)flags;
    if (!THE(ICD_COMMAND_BUFFER, commands, ResetCommandBuffer))
        return VK_ERROR_DEVICE_LOST;
    FAIL(ResetCommandBuffer, foreign_commands(commands));
    return VK_SUCCESS;
}

static void bind(VkCommandBuffer commands, VkPipeline pipeline, unsigned side)
{
    ENTER(CmdBindPipeline);
    icd_check_side(commands, side, ICD_CmdBindPipeline);
    const icd_object *bound = THE(ICD_PIPELINE, pipeline, CmdBindPipeline);
    if (bound && bound->captures)
        icd_wrong(ICD_CmdBindPipeline, "a pipeline that was made for its statistics");
    if (bound && icd_device_of(bound->parent) != icd_device_of((icd_object *)commands))
        icd_wrong(ICD_CmdBindPipeline, "a pipeline of another device");
}

VKAPI_ATTR void VKAPI_CALL icd_CmdBindPipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                                               VkPipeline pipeline)
{
    (void)point;
    bind(commands, pipeline, 0);
}

static VKAPI_ATTR void VKAPI_CALL other_bind(VkCommandBuffer commands, VkPipelineBindPoint point,
                                             VkPipeline pipeline)
{
    (void)point;
    bind(commands, pipeline, 1);
}

PFN_vkCmdBindPipeline icd_bind_of(unsigned side)
{
    return side ? other_bind : icd_CmdBindPipeline;
}

VKAPI_ATTR void VKAPI_CALL icd_CmdCopyBuffer(VkCommandBuffer commands, VkBuffer from, VkBuffer to,
                                             uint32_t count, const VkBufferCopy *regions)
{
    ENTER(CmdCopyBuffer);
    icd_object *object = THE(ICD_COMMAND_BUFFER, commands, CmdCopyBuffer);
    icd_copy copy = {THE(ICD_BUFFER, from, CmdCopyBuffer), THE(ICD_BUFFER, to, CmdCopyBuffer), regions->size};
    if (object && count == 1 && copy.from && copy.to && object->copy_count < 4)
        object->copies[object->copy_count++] = copy;
}

VKAPI_ATTR void VKAPI_CALL icd_CmdExecuteCommands(VkCommandBuffer commands, uint32_t count,
                                                  const VkCommandBuffer *secondaries)
{
    ENTER(CmdExecuteCommands);
    (void)THE(ICD_COMMAND_BUFFER, commands, CmdExecuteCommands);
    for (uint32_t i = 0; i < count; i++)
        (void)THE(ICD_COMMAND_BUFFER, secondaries[i], CmdExecuteCommands);
}

/* The walk records the same commands for every device. So only what the layer adds is held against the
 * family. */
VKAPI_ATTR void VKAPI_CALL icd_CmdResetQueryPool(VkCommandBuffer commands, VkQueryPool pool, uint32_t first,
                                                 uint32_t count)
{
    ENTER(CmdResetQueryPool);
    const icd_object *queries = THE(ICD_QUERIES, pool, CmdResetQueryPool);
    if (queries && (uint64_t)first + count > queries->size)
        icd_wrong(ICD_CmdResetQueryPool, "more queries than there are");
    if (THE(ICD_COMMAND_BUFFER, commands, CmdResetQueryPool) && icd.odd == ICD_ODD_TRANSFER &&
        icd.application != ICD_CmdResetQueryPool)
        icd_wrong(ICD_CmdResetQueryPool, "the queues can only copy");
}

/* -- Submissions */

static void copy(const icd_copy *what)
{
    icd_object *from = what->from->memory, *to = what->to->memory;
    if (from && to && what->size <= from->size && what->size <= to->size)
        memcpy(to->data, from->data, (size_t)what->size);
}

static bool run(VkCommandBuffer commands, icd_command command, bool really)
{
    icd_object *object = icd_the(ICD_COMMAND_BUFFER, commands, command);
    for (unsigned i = 0; object && really && i < object->copy_count; i++)
        copy(&object->copies[i]);
    return object && foreign_commands(commands);
}

static void signal_fence(VkFence fence, icd_command command)
{
    icd_object *object = fence ? icd_the(ICD_FENCE, (const void *)(uintptr_t)fence, command) : NULL;
    if (object && object->signalled)
        icd_wrong(command, "the fence is signalled already");
    if (object)
        object->signalled = true;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_QueueSubmit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits,
                                               VkFence fence)
{
    bool foreign = false;
    (void)THE(ICD_QUEUE, queue, QueueSubmit);
    for (int really = 0; really < 2; really++) {
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < submits[i].commandBufferCount; j++)
                foreign |= run(submits[i].pCommandBuffers[j], ICD_QueueSubmit, really);
        if (!really)
            FAIL(QueueSubmit, foreign);
    }
    icd_raise();
    signal_fence(fence, ICD_QueueSubmit);
    return VK_SUCCESS;
}

static void run2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits, VkFence fence,
                 icd_command command)
{
    (void)icd_the(ICD_QUEUE, queue, command);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < submits[i].commandBufferInfoCount; j++)
            (void)run(submits[i].pCommandBufferInfos[j].commandBuffer, command, true);
    icd_raise();
    signal_fence(fence, command);
}

VKAPI_ATTR VkResult VKAPI_CALL icd_QueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits,
                                                VkFence fence)
{
    FAIL(QueueSubmit2, false);
    run2(queue, count, submits, fence, ICD_QueueSubmit2);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_QueueSubmit2KHR(VkQueue queue, uint32_t count,
                                                   const VkSubmitInfo2 *submits, VkFence fence)
{
    FAIL(QueueSubmit2KHR, false);
    run2(queue, count, submits, fence, ICD_QueueSubmit2KHR);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_QueuePresentKHR(VkQueue queue, const VkPresentInfoKHR *info)
{
    (void)info;
    FAIL(QueuePresentKHR, false);
    (void)THE(ICD_QUEUE, queue, QueuePresentKHR);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_QueueWaitIdle(VkQueue queue)
{
    FAIL(QueueWaitIdle, false);
    (void)THE(ICD_QUEUE, queue, QueueWaitIdle);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_DeviceWaitIdle(VkDevice device)
{
    FAIL(DeviceWaitIdle, false);
    (void)THE(ICD_DEVICE, device, DeviceWaitIdle);
    return VK_SUCCESS;
}

static bool foreign_fence(const icd_object *fence)
{
    return fence && !fence->allocator;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_WaitForFences(VkDevice device, uint32_t count, const VkFence *fences,
                                                 VkBool32 all, uint64_t timeout)
{
    bool waits = false, foreign = false;
    (void)device, (void)all, (void)timeout;
    for (uint32_t i = 0; i < count; i++) {
        const icd_object *fence = THE(ICD_FENCE, fences[i], WaitForFences);
        waits |= fence && !fence->signalled;
        foreign |= foreign_fence(fence);
    }
    FAIL(WaitForFences, foreign);
    return waits ? VK_TIMEOUT : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_ResetFences(VkDevice device, uint32_t count, const VkFence *fences)
{
    (void)device;
    FAIL(ResetFences, count && foreign_fence(THE(ICD_FENCE, fences[0], ResetFences)));
    for (uint32_t i = 0; i < count; i++) {
        icd_object *fence = THE(ICD_FENCE, fences[i], ResetFences);
        if (fence)
            fence->signalled = false;
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_GetFenceStatus(VkDevice device, VkFence handle)
{
    (void)device;
    const icd_object *fence = THE(ICD_FENCE, handle, GetFenceStatus);
    FAIL(GetFenceStatus, foreign_fence(fence));
    return fence && fence->signalled ? VK_SUCCESS : VK_NOT_READY;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *info,
                                                  uint64_t timeout)
{
    (void)device, (void)timeout;
    FAIL(WaitSemaphores, false);
    for (uint32_t i = 0; i < info->semaphoreCount; i++)
        (void)THE(ICD_SEMAPHORE, info->pSemaphores[i], WaitSemaphores);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_WaitSemaphoresKHR(VkDevice device, const VkSemaphoreWaitInfo *info,
                                                     uint64_t timeout)
{
    (void)device, (void)info, (void)timeout;
    FAIL(WaitSemaphoresKHR, false);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_AcquireNextImageKHR(VkDevice device, VkSwapchainKHR swapchain,
                                                       uint64_t timeout, VkSemaphore semaphore, VkFence fence,
                                                       uint32_t *index)
{
    (void)device, (void)swapchain, (void)timeout, (void)semaphore, (void)fence;
    FAIL(AcquireNextImageKHR, false);
    *index = 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL icd_AcquireNextImage2KHR(VkDevice device,
                                                        const VkAcquireNextImageInfoKHR *info,
                                                        uint32_t *index)
{
    (void)device, (void)info;
    FAIL(AcquireNextImage2KHR, false);
    *index = 0;
    return VK_SUCCESS;
}

/* -- Queries: results rise by one */

VKAPI_ATTR VkResult VKAPI_CALL icd_GetQueryPoolResults(VkDevice device, VkQueryPool pool, uint32_t first,
                                                       uint32_t count, size_t size, void *data,
                                                       VkDeviceSize stride, VkQueryResultFlags flags)
{
    const icd_object *queries = THE(ICD_QUERIES, pool, GetQueryPoolResults);
    (void)device, (void)flags;
    FAIL(GetQueryPoolResults, foreign_fence(queries));
    if (queries && (uint64_t)first + count > queries->size)
        icd_wrong(ICD_GetQueryPoolResults, "more queries than there are");
    size_t words = size / sizeof(uint64_t);
    (void)stride;
    for (size_t i = 0; i < words; i++)
        memcpy((char *)data + i * sizeof(uint64_t), &(uint64_t){i + 1}, sizeof(uint64_t));
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL icd_ResetQueryPool(VkDevice device, VkQueryPool pool, uint32_t first,
                                              uint32_t count)
{
    (void)device;
    ENTER(ResetQueryPool);
    const icd_object *queries = THE(ICD_QUERIES, pool, ResetQueryPool);
    if (queries && (uint64_t)first + count > queries->size)
        icd_wrong(ICD_ResetQueryPool, "more queries than there are");
}

VKAPI_ATTR VkResult VKAPI_CALL icd_AcquireProfilingLockKHR(VkDevice device,
                                                           const VkAcquireProfilingLockInfoKHR *info)
{
    (void)info;
    FAIL(AcquireProfilingLockKHR, true);
    icd_object *owner = THE(ICD_DEVICE, device, AcquireProfilingLockKHR);
    if (owner)
        owner->mapped = true;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL icd_ReleaseProfilingLockKHR(VkDevice device)
{
    ENTER(ReleaseProfilingLockKHR);
    icd_object *owner = THE(ICD_DEVICE, device, ReleaseProfilingLockKHR);
    if (owner && !owner->mapped)
        icd_wrong(ICD_ReleaseProfilingLockKHR, "the lock is not held");
    if (owner)
        owner->mapped = false;
}

/* -- All of them by name */

PFN_vkVoidFunction icd_typed(const char *name)
{
#define ICD_PLAIN(command)
#define ICD_TYPED(command)                                                                                   \
    if (strcmp(name, "vk" #command) == 0)                                                                    \
        return (PFN_vkVoidFunction)icd_##command;
#include "tests/icd/commands.inc"
#undef ICD_TYPED
#undef ICD_PLAIN
    return NULL;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL icd_GetInstanceProcAddr(VkInstance instance, const char *name)
{
    return icd_instance_proc(instance, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL icd_GetDeviceProcAddr(VkDevice device, const char *name)
{
    return icd_device_proc(device, name);
}
