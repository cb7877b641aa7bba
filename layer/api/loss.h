/* A lost device. The pipelines that ran last go on the deny list and pass through next time. Counts in host
 * memory are written at once, because the program may abort. Threads: any. */
#ifndef WPG_LAYER_API_LOSS_H
#define WPG_LAYER_API_LOSS_H

#include "layer/base/state.h"

/* Called when VK_ERROR_DEVICE_LOST was seen; only the first call acts. Takes the files locks: hold none. */
void wpg_device_lost(wpg_device *device);
static inline VkResult wpg_loss_check(wpg_device *device, VkResult result)
{
    if (result == VK_ERROR_DEVICE_LOST)
        wpg_device_lost(device);
    return result;
}

/* Hooks for commands that are intercepted only because they can report a loss. */
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
