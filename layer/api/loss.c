#include "layer/api/loss.h"

#include <stdlib.h>

#include "layer/base/denials.h"
#include "layer/base/first_use.h"
#include "layer/base/loss_attribution.h"
#include "layer/profile/files.h"
#include "runtime/base/log.h"

void wpg_device_lost(wpg_device *device)
{
    size_t count;
    atomic_store(&device->lost, true);
    if (device->mode == WPG_MODE_OFF || !wpg_process_is_owner() || atomic_exchange(&device->loss_told, true))
        return;
    wpg_hash128 *hashes = wpg_attribution_list(&count, device);
    if (count)
        wpg_denials_add(hashes, count);
    else
        wpg_log_warn("the device was lost; no changed pipeline ran");
    free(hashes);
    if (device->mode == WPG_MODE_GENERATE)
        wpg_files_write_all(false);
}

/* -- Hooks */

/* What a call that waits came back with. */
static VkResult waited(wpg_device *device, uint64_t began, VkResult result)
{
    wpg_first_use_end(device, began);
    return wpg_loss_check(device, result);
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_loss_QueueWaitIdle(VkQueue queue)
{
    wpg_device *device = wpg_device_of(queue);
    if (!device)
        return VK_ERROR_DEVICE_LOST;
    const uint64_t began = wpg_first_use_begin(device);
    const VkResult result = waited(device, began, device->next.QueueWaitIdle(queue));
    if (result == VK_SUCCESS && device->queue_count == 1)
        wpg_attribution_idle(device);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_loss_DeviceWaitIdle(VkDevice handle)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_DEVICE_LOST;
    const uint64_t began = wpg_first_use_begin(device);
    const VkResult result = waited(device, began, device->next.DeviceWaitIdle(handle));
    if (result == VK_SUCCESS)
        wpg_attribution_idle(device);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_loss_WaitForFences(VkDevice handle, uint32_t count, const VkFence *fences,
                                                      VkBool32 all, uint64_t timeout)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_DEVICE_LOST;
    const uint64_t began = wpg_first_use_begin(device);
    const VkResult result =
        waited(device, began, device->next.WaitForFences(handle, count, fences, all, timeout));
    if (result == VK_SUCCESS && (all || count == 1))
        wpg_attribution_fences(device, count, fences);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_loss_GetFenceStatus(VkDevice handle, VkFence fence)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_DEVICE_LOST;
    VkResult result = wpg_loss_check(device, device->next.GetFenceStatus(handle, fence));
    wpg_first_use_poll(device, result == VK_SUCCESS);
    if (result == VK_SUCCESS)
        wpg_attribution_fences(device, 1, &fence);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_loss_WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo *info,
                                                       uint64_t timeout)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_DEVICE_LOST;
    const uint64_t began = wpg_first_use_begin(device);
    return waited(device, began, device->next.WaitSemaphores(handle, info, timeout));
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_loss_WaitSemaphoresKHR(VkDevice handle, const VkSemaphoreWaitInfo *info,
                                                          uint64_t timeout)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_DEVICE_LOST;
    const uint64_t began = wpg_first_use_begin(device);
    return waited(device, began, device->next.WaitSemaphoresKHR(handle, info, timeout));
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_loss_AcquireNextImageKHR(VkDevice handle, VkSwapchainKHR swapchain,
                                                            uint64_t timeout, VkSemaphore semaphore,
                                                            VkFence fence, uint32_t *index)
{
    wpg_device *device = wpg_device_of(handle);
    return device ? wpg_loss_check(device, device->next.AcquireNextImageKHR(handle, swapchain, timeout,
                                                                            semaphore, fence, index))
                  : VK_ERROR_DEVICE_LOST;
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_loss_AcquireNextImage2KHR(VkDevice handle,
                                                             const VkAcquireNextImageInfoKHR *info,
                                                             uint32_t *index)
{
    wpg_device *device = wpg_device_of(handle);
    return device ? wpg_loss_check(device, device->next.AcquireNextImage2KHR(handle, info, index))
                  : VK_ERROR_DEVICE_LOST;
}
