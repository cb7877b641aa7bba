/* A device whose driver does nothing, under the hooks that follow command buffers. Included once by a test.
 */
#ifndef WPG_TESTS_UNIT_LAYER_IDLE_DEVICE_H
#define WPG_TESTS_UNIT_LAYER_IDLE_DEVICE_H

#include <string.h>
#include <unistd.h>

#include "layer/commands/record.h"

enum { IDLE_BUFFERS = 16 };
static void *dispatch_table; /* stands for the loader's: its address is the device's key */
static void *device_object[1] = {&dispatch_table};
static void *command_objects[IDLE_BUFFERS][1];
static uint64_t next_handle = 200;
static wpg_device device;

#define DEVICE          ((VkDevice)(void *)device_object)
#define BUFFER(i)       ((VkCommandBuffer)(void *)command_objects[i])
#define HANDLE(type, n) ((type)(uintptr_t)(n))

static VKAPI_ATTR VkResult VKAPI_CALL create_pool(VkDevice d, const VkCommandPoolCreateInfo *info,
                                                  const VkAllocationCallbacks *a, VkCommandPool *pool)
{
    (void)d, (void)info, (void)a;
    *pool = HANDLE(VkCommandPool, next_handle++);
    return VK_SUCCESS;
}
static VKAPI_ATTR void VKAPI_CALL destroy_pool(VkDevice d, VkCommandPool p, const VkAllocationCallbacks *a)
{
    (void)d, (void)p, (void)a;
}
static VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice d, const VkCommandBufferAllocateInfo *info,
                                               VkCommandBuffer *commands)
{
    static int used;
    (void)d;
    for (uint32_t i = 0; i < info->commandBufferCount; i++) {
        command_objects[used % IDLE_BUFFERS][0] = &dispatch_table;
        commands[i] = BUFFER(used++ % IDLE_BUFFERS); /* handles come again, as a driver's do */
    }
    return VK_SUCCESS;
}
static VKAPI_ATTR VkResult VKAPI_CALL create_layout(VkDevice d, const VkPipelineLayoutCreateInfo *info,
                                                    const VkAllocationCallbacks *a, VkPipelineLayout *layout)
{
    (void)d, (void)info, (void)a;
    *layout = HANDLE(VkPipelineLayout, next_handle++);
    return VK_SUCCESS;
}
static VKAPI_ATTR VkResult VKAPI_CALL begin_down(VkCommandBuffer c, const VkCommandBufferBeginInfo *info)
{
    (void)c, (void)info;
    return VK_SUCCESS;
}

/* Opens it; the commands that a test looks at it sets itself. 0, or -1 when memory ran out. */
static int open_idle_device(wpg_mode mode)
{
    memset(&device, 0, sizeof device);
    device.handle = DEVICE;
    device.mode = mode;
    device.records = true;
    wpg_the_process.pid = getpid();
    wpg_recordings_init(&device);
    device.next.CreateCommandPool = create_pool;
    device.next.DestroyCommandPool = destroy_pool;
    device.next.AllocateCommandBuffers = allocate;
    device.next.CreatePipelineLayout = create_layout;
    device.next.BeginCommandBuffer = begin_down;
    return wpg_handles_set(&wpg_the_process.devices, wpg_dispatch_key(DEVICE), &device) ? 0 : -1;
}

#endif
