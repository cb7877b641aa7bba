/* Queue hooks: bring the periodic drain onto a queue. The program's command goes to the driver first. If the
 * writer thread has requested a drain, ours follows on the same queue, which the caller may use. The first
 * line of each hook is the cheap way out. */
#include "layer/api/hooks.h"
#include "layer/api/lifetime.h"
#include "layer/api/loss.h"
#include "layer/base/first_use.h"
#include "layer/base/frames.h"
#include "layer/base/sampling.h"
#include "layer/base/window.h"
#include "layer/commands/record.h"
#include "runtime/base/log.h"

static const wpg_queue *find_queue(const wpg_device *device, VkQueue queue)
{
    for (size_t i = 0; i < device->queue_count; i++)
        if (device->queues[i].handle == queue)
            return &device->queues[i];
    return NULL;
}

/* A drain on this queue. While an earlier one is in flight it stays wanted. */
static void drain(wpg_device *device, const wpg_queue *queue)
{
    wpg_drain *one = wpg_counters_drain(device->counters);
    wpg_error err;
    if (!one || !atomic_exchange(&device->drain_wanted, false))
        return;
    wpg_status status = wpg_drain_submit(one, queue->handle, queue->family, &err);
    if (status == WPG_E_LIMIT)
        atomic_store(&device->drain_wanted, true);
    else if (status != WPG_OK) {
        wpg_log_once(WPG_LOG_WARN, "periodic drain: %s", err.message);
        atomic_store(&device->drain_failed, true);
    }
}

static void after(wpg_device *device, VkQueue handle, VkResult result)
{
    if (!atomic_load_explicit(&device->submitted, memory_order_relaxed) &&
        !atomic_exchange(&device->submitted, true))
        wpg_process_watch_exit();
    (void)wpg_loss_check(device, result);
    if (!atomic_load_explicit(&device->drain_wanted, memory_order_relaxed) || result < 0 ||
        device->mode != WPG_MODE_GENERATE || atomic_load(&device->lost) || !wpg_process_is_owner())
        return;
    const wpg_queue *queue = find_queue(device, handle);
    if (!queue || !queue->drains)
        return;
    (void)atomic_fetch_add(&device->draining, 1); /* see wpg_device_drained */
    drain(device, queue);
    (void)atomic_fetch_sub(&device->draining, 1);
}

/* What the command buffers recorded counts from here on. Before they go down: once submitted they may be
 * finished, and recorded anew by another thread, before the driver returns. */
static void record_submits(wpg_device *device, VkQueue queue, const VkSubmitInfo *submits, uint32_t count,
                           VkFence fence)
{
    wpg_window_poll();
    wpg_attribution_submission(device, fence);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < submits[i].commandBufferCount; j++)
            wpg_record_submit(device, submits[i].pCommandBuffers[j], queue);
}

static void record_submits2(wpg_device *device, VkQueue queue, const VkSubmitInfo2 *submits, uint32_t count,
                            VkFence fence)
{
    wpg_window_poll();
    wpg_attribution_submission(device, fence);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < submits[i].commandBufferInfoCount; j++)
            wpg_record_submit(device, submits[i].pCommandBufferInfos[j].commandBuffer, queue);
}

VkResult VKAPI_CALL wpg_queue_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits,
                                     VkFence fence)
{
    wpg_device *device = wpg_device_of(queue);
    if (!device)
        return VK_ERROR_DEVICE_LOST;
    record_submits(device, queue, submits, count, fence);
    const uint64_t began = wpg_first_use_begin(device);
    VkResult result = device->next.QueueSubmit(queue, count, submits, fence);
    wpg_first_use_end(device, began);
    after(device, queue, result);
    return result;
}

/* The core command and the extension's: the same but for the pointer that goes down. */
static VkResult submit2(wpg_device *device, PFN_vkQueueSubmit2 next, VkQueue queue, uint32_t count,
                        const VkSubmitInfo2 *submits, VkFence fence)
{
    record_submits2(device, queue, submits, count, fence);
    const uint64_t began = wpg_first_use_begin(device);
    VkResult result = next(queue, count, submits, fence);
    wpg_first_use_end(device, began);
    after(device, queue, result);
    return result;
}

VkResult VKAPI_CALL wpg_queue_submit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits,
                                      VkFence fence)
{
    wpg_device *device = wpg_device_of(queue);
    return device ? submit2(device, device->next.QueueSubmit2, queue, count, submits, fence)
                  : VK_ERROR_DEVICE_LOST;
}

VkResult VKAPI_CALL wpg_queue_submit2_khr(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits,
                                          VkFence fence)
{
    wpg_device *device = wpg_device_of(queue);
    return device ? submit2(device, device->next.QueueSubmit2KHR, queue, count, submits, fence)
                  : VK_ERROR_DEVICE_LOST;
}

VkResult VKAPI_CALL wpg_queue_present(VkQueue queue, const VkPresentInfoKHR *info)
{
    wpg_device *device = wpg_device_of(queue);
    if (!device)
        return VK_ERROR_DEVICE_LOST;
    VkResult result = device->next.QueuePresentKHR(queue, info);
    wpg_window_frame();
    wpg_sampling_frame();
    wpg_frame_presented();
    after(device, queue, result);
    return result;
}
