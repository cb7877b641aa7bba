/* A lost device: what ran last goes on the deny list, counts that lie in host memory are written at once
 * (the program may abort), and the list's pipelines pass through next time. Threads: any. */
#ifndef WPG_LAYER_API_LOSS_H
#define WPG_LAYER_API_LOSS_H

#include "layer/base/state.h"

/* VK_ERROR_DEVICE_LOST was seen. Only the first time matters. Takes the locks of files: none may be held. */
void wpg_device_lost(wpg_device *device);
static inline VkResult wpg_loss_check(wpg_device *device, VkResult result)
{
    if (result == VK_ERROR_DEVICE_LOST)
        wpg_device_lost(device);
    return result;
}

/* Hooks: commands that can tell of a loss, and nothing else of interest. */
#define WPG_LOSS_HOOKS(HOOK)                                                                                 \
    HOOK(QueueWaitIdle)                                                                                      \
    HOOK(DeviceWaitIdle)                                                                                     \
    HOOK(WaitForFences)                                                                                      \
    HOOK(GetFenceStatus)                                                                                     \
    HOOK(WaitSemaphores)                                                                                     \
    HOOK(WaitSemaphoresKHR)                                                                                  \
    HOOK(AcquireNextImageKHR)                                                                                \
    HOOK(AcquireNextImage2KHR)
#define HOOK(command) extern __typeof__(vk##command) wpg_loss_##command;
WPG_LOSS_HOOKS(HOOK)
#undef HOOK

#endif
