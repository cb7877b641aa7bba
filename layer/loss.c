#include "layer/loss.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layer/files.h"
#include "layer/rewrite.h"
#include "layer/suspects.h"
#include "runtime/base/log.h"
#include "runtime/bundle/denied.h"
#include "runtime/config/pattern.h"

static pthread_once_t read_once = PTHREAD_ONCE_INIT;
static wpg_denied denied;

static const char *mode_name(void)
{
    return wpg_the_process.mode == WPG_MODE_GENERATE ? "generate" : "use";
}

/* -- The deny list */

static void read_denied(void)
{
    wpg_error err;
    if (wpg_denied_read(&denied, wpg_rewrite_cache()->folder, &err) != WPG_OK)
        wpg_log_warn("deny list: %s", err.message);
}

bool wpg_is_denied(wpg_hash128 hash)
{
    (void)pthread_once(&read_once, read_denied);
    if (!wpg_denied_has(&denied, hash, mode_name()))
        return false;
    wpg_log_once(WPG_LOG_WARN, "pipelines on the deny list pass through: a device was lost while they ran "
                               "('wavepgo doctor' lists them, 'wavepgo clean' forgets them)");
    return true;
}

void wpg_denials_finish(void)
{
    wpg_denied_finish(&denied);
}

/* Hashes as many as fit a line. */
static void list_hashes(char *text, size_t size, const wpg_hash128 *hashes, size_t count)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < count && used + WPG_HASH_HEX + 2 < size; i++) {
        char hex[WPG_HASH_HEX + 1];
        wpg_hash_to_hex(hex, hashes[i]);
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", hex);
    }
}

static void deny(const wpg_hash128 *hashes, size_t count)
{
    wpg_error err;
    char text[512];
    wpg_denied_entry *entries = calloc(count, sizeof *entries);
    wpg_status status = entries ? WPG_OK : wpg_fail(&err, WPG_E_NOMEM, "out of memory");
    for (size_t i = 0; entries && i < count; i++) {
        entries[i].pipeline = hashes[i];
        entries[i].when = (int64_t)time(NULL);
        (void)snprintf(entries[i].mode, sizeof entries[i].mode, "%s", mode_name());
        wpg_executable_name(entries[i].program, sizeof entries[i].program);
    }
    if (status == WPG_OK)
        status = wpg_denied_append(wpg_rewrite_cache()->folder, entries, count, &err);
    free(entries);
    list_hashes(text, sizeof text, hashes, count);
    if (status == WPG_OK)
        wpg_log_warn("the device was lost; the changed pipelines that ran last pass through next time "
                     "('wavepgo clean --denied' forgets them): %s",
                     text);
    else
        wpg_log_warn(
            "the device was lost; the changed pipelines that ran last could not be put on the deny list "
            "(%s): %s",
            err.message, text);
}

void wpg_device_lost(wpg_device *device)
{
    size_t count;
    atomic_store(&device->lost, true);
    if (device->mode == WPG_MODE_OFF || !wpg_process_is_owner() || atomic_exchange(&device->loss_told, true))
        return;
    wpg_hash128 *hashes = wpg_suspects_list(&count, device);
    if (count)
        deny(hashes, count);
    else
        wpg_log_warn("the device was lost; no changed pipeline ran");
    free(hashes);
    if (device->mode == WPG_MODE_GENERATE)
        wpg_files_write_all(false);
}

/* -- Hooks */

VKAPI_ATTR VkResult VKAPI_CALL wpg_loss_QueueWaitIdle(VkQueue queue)
{
    wpg_device *device = wpg_device_of(queue);
    if (!device)
        return VK_ERROR_DEVICE_LOST;
    VkResult result = wpg_loss_check(device, device->next.QueueWaitIdle(queue));
    if (result == VK_SUCCESS && device->queue_count == 1)
        wpg_suspects_idle(device);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_loss_DeviceWaitIdle(VkDevice handle)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_DEVICE_LOST;
    VkResult result = wpg_loss_check(device, device->next.DeviceWaitIdle(handle));
    if (result == VK_SUCCESS)
        wpg_suspects_idle(device);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_loss_WaitForFences(VkDevice handle, uint32_t count, const VkFence *fences,
                                                      VkBool32 all, uint64_t timeout)
{
    wpg_device *device = wpg_device_of(handle);
    return device ? wpg_loss_check(device, device->next.WaitForFences(handle, count, fences, all, timeout))
                  : VK_ERROR_DEVICE_LOST;
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_loss_GetFenceStatus(VkDevice handle, VkFence fence)
{
    wpg_device *device = wpg_device_of(handle);
    return device ? wpg_loss_check(device, device->next.GetFenceStatus(handle, fence)) : VK_ERROR_DEVICE_LOST;
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_loss_WaitSemaphores(VkDevice handle, const VkSemaphoreWaitInfo *info,
                                                       uint64_t timeout)
{
    wpg_device *device = wpg_device_of(handle);
    return device ? wpg_loss_check(device, device->next.WaitSemaphores(handle, info, timeout))
                  : VK_ERROR_DEVICE_LOST;
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_loss_WaitSemaphoresKHR(VkDevice handle, const VkSemaphoreWaitInfo *info,
                                                          uint64_t timeout)
{
    wpg_device *device = wpg_device_of(handle);
    return device ? wpg_loss_check(device, device->next.WaitSemaphoresKHR(handle, info, timeout))
                  : VK_ERROR_DEVICE_LOST;
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
