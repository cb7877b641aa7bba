/* The Vulkan commands that counter memory and drains need, as the next layer gives them.
 *
 * Owns: nothing.
 * Threads: any, once the table is filled. */
#ifndef WPG_RUNTIME_COUNTERS_VK_H
#define WPG_RUNTIME_COUNTERS_VK_H

#include <stdbool.h>

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define WPG_COUNTERS_COMMANDS(COMMAND)                                                                       \
    COMMAND(CreateBuffer)                                                                                    \
    COMMAND(DestroyBuffer)                                                                                   \
    COMMAND(GetBufferMemoryRequirements)                                                                     \
    COMMAND(AllocateMemory)                                                                                  \
    COMMAND(FreeMemory)                                                                                      \
    COMMAND(BindBufferMemory)                                                                                \
    COMMAND(MapMemory)                                                                                       \
    COMMAND(UnmapMemory)                                                                                     \
    COMMAND(CreateCommandPool)                                                                               \
    COMMAND(DestroyCommandPool)                                                                              \
    COMMAND(AllocateCommandBuffers)                                                                          \
    COMMAND(BeginCommandBuffer)                                                                              \
    COMMAND(EndCommandBuffer)                                                                                \
    COMMAND(CmdPipelineBarrier)                                                                              \
    COMMAND(CmdCopyBuffer)                                                                                   \
    COMMAND(CreateFence)                                                                                     \
    COMMAND(DestroyFence)                                                                                    \
    COMMAND(ResetFences)                                                                                     \
    COMMAND(GetFenceStatus)                                                                                  \
    COMMAND(WaitForFences)                                                                                   \
    COMMAND(QueueSubmit)

/* Of extensions or later versions: NULL where the device has not enabled them. */
#define WPG_COUNTERS_OPTIONAL_COMMANDS(COMMAND)                                                              \
    COMMAND(GetBufferDeviceAddress)                                                                          \
    COMMAND(GetBufferOpaqueCaptureAddress)                                                                   \
    COMMAND(GetDeviceMemoryOpaqueCaptureAddress)                                                             \
    COMMAND(GetMemoryHostPointerPropertiesEXT)

typedef struct wpg_counters_vk {
    VkDevice device;
    PFN_vkSetDeviceLoaderData set_loader_data; /* gives command buffers the loader's dispatch pointer */
#define COMMAND(name) PFN_vk##name name;
    WPG_COUNTERS_COMMANDS(COMMAND)
    WPG_COUNTERS_OPTIONAL_COMMANDS(COMMAND)
#undef COMMAND
} wpg_counters_vk;

/* Fills the table; false when a required command is missing. */
bool wpg_counters_vk_load(wpg_counters_vk *vk, VkDevice device, PFN_vkGetDeviceProcAddr get,
                          PFN_vkSetDeviceLoaderData set_loader_data);

#endif
