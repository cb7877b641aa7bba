/* The next layer's commands that this layer calls, and no others. Filled once for each instance and device. A
 * pointer is NULL if the next layer does not know the command. Threads: constant after creation. */
#ifndef WPG_LAYER_BASE_DISPATCH_H
#define WPG_LAYER_BASE_DISPATCH_H

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define WPG_INSTANCE_COMMANDS(COMMAND)                                                                       \
    COMMAND(DestroyInstance)                                                                                 \
    COMMAND(CreateDevice)                                                                                    \
    COMMAND(GetPhysicalDeviceProperties)                                                                     \
    COMMAND(GetPhysicalDeviceFeatures)                                                                       \
    COMMAND(GetPhysicalDeviceMemoryProperties)                                                               \
    COMMAND(GetPhysicalDeviceQueueFamilyProperties)                                                          \
    COMMAND(EnumerateDeviceExtensionProperties)                                                              \
    COMMAND(GetPhysicalDeviceFeatures2)                                                                      \
    COMMAND(GetPhysicalDeviceProperties2)                                                                    \
    COMMAND(GetPhysicalDeviceExternalBufferProperties)

#define WPG_DEVICE_COMMANDS(COMMAND)                                                                         \
    COMMAND(DestroyDevice)                                                                                   \
    COMMAND(DeviceWaitIdle)                                                                                  \
    COMMAND(QueueWaitIdle)                                                                                   \
    COMMAND(WaitForFences)                                                                                   \
    COMMAND(GetFenceStatus)                                                                                  \
    COMMAND(WaitSemaphores)                                                                                  \
    COMMAND(WaitSemaphoresKHR)                                                                               \
    COMMAND(AcquireNextImageKHR)                                                                             \
    COMMAND(AcquireNextImage2KHR)                                                                            \
    COMMAND(GetDeviceQueue)                                                                                  \
    COMMAND(GetDeviceQueue2)                                                                                 \
    COMMAND(QueueSubmit)                                                                                     \
    COMMAND(QueueSubmit2)                                                                                    \
    COMMAND(QueueSubmit2KHR)                                                                                 \
    COMMAND(QueuePresentKHR)                                                                                 \
    COMMAND(CreateShaderModule)                                                                              \
    COMMAND(DestroyShaderModule)                                                                             \
    COMMAND(GetShaderModuleCreateInfoIdentifierEXT)                                                          \
    COMMAND(CreateGraphicsPipelines)                                                                         \
    COMMAND(CreateComputePipelines)                                                                          \
    COMMAND(CreateRayTracingPipelinesKHR)                                                                    \
    COMMAND(GetPipelineExecutablePropertiesKHR)                                                              \
    COMMAND(GetPipelineExecutableStatisticsKHR)                                                              \
    COMMAND(DestroyPipeline)                                                                                 \
    COMMAND(SetDebugUtilsObjectNameEXT)                                                                      \
    COMMAND(DebugMarkerSetObjectNameEXT)                                                                     \
    COMMAND(CreatePipelineCache)                                                                             \
    COMMAND(DestroyPipelineCache)                                                                            \
    COMMAND(CreateCommandPool)                                                                               \
    COMMAND(DestroyCommandPool)                                                                              \
    COMMAND(ResetCommandPool)                                                                                \
    COMMAND(AllocateCommandBuffers)                                                                          \
    COMMAND(FreeCommandBuffers)                                                                              \
    COMMAND(BeginCommandBuffer)                                                                              \
    COMMAND(EndCommandBuffer)                                                                                \
    COMMAND(ResetCommandBuffer)                                                                              \
    COMMAND(CmdExecuteCommands)                                                                              \
    COMMAND(CreatePipelineLayout)                                                                            \
    COMMAND(DestroyPipelineLayout)                                                                           \
    COMMAND(CmdBindPipeline)                                                                                 \
    COMMAND(CmdPushConstants)                                                                                \
    COMMAND(CmdDraw)                                                                                         \
    COMMAND(CmdDrawIndexed)                                                                                  \
    COMMAND(CmdDrawIndirect)                                                                                 \
    COMMAND(CmdDrawIndexedIndirect)                                                                          \
    COMMAND(CmdDrawIndirectCount)                                                                            \
    COMMAND(CmdDrawIndirectCountKHR)                                                                         \
    COMMAND(CmdDrawIndirectCountAMD)                                                                         \
    COMMAND(CmdDrawIndexedIndirectCount)                                                                     \
    COMMAND(CmdDrawIndexedIndirectCountKHR)                                                                  \
    COMMAND(CmdDrawIndexedIndirectCountAMD)                                                                  \
    COMMAND(CmdDrawIndirectByteCountEXT)                                                                     \
    COMMAND(CmdDrawMultiEXT)                                                                                 \
    COMMAND(CmdDrawMultiIndexedEXT)                                                                          \
    COMMAND(CmdDrawMeshTasksEXT)                                                                             \
    COMMAND(CmdDrawMeshTasksIndirectEXT)                                                                     \
    COMMAND(CmdDrawMeshTasksIndirectCountEXT)                                                                \
    COMMAND(CmdDrawMeshTasksNV)                                                                              \
    COMMAND(CmdDrawMeshTasksIndirectNV)                                                                      \
    COMMAND(CmdDrawMeshTasksIndirectCountNV)                                                                 \
    COMMAND(CmdDispatch)                                                                                     \
    COMMAND(CmdDispatchBase)                                                                                 \
    COMMAND(CmdDispatchBaseKHR)                                                                              \
    COMMAND(CreateQueryPool)                                                                                 \
    COMMAND(DestroyQueryPool)                                                                                \
    COMMAND(GetQueryPoolResults)                                                                             \
    COMMAND(CmdResetQueryPool)                                                                               \
    COMMAND(CmdWriteTimestamp)                                                                               \
    COMMAND(CreateRenderPass)                                                                                \
    COMMAND(CreateRenderPass2)                                                                               \
    COMMAND(CreateRenderPass2KHR)                                                                            \
    COMMAND(DestroyRenderPass)                                                                               \
    COMMAND(CmdPipelineBarrier)                                                                              \
    COMMAND(CmdPipelineBarrier2)                                                                             \
    COMMAND(CmdPipelineBarrier2KHR)                                                                          \
    COMMAND(CmdBeginRenderPass)                                                                              \
    COMMAND(CmdBeginRenderPass2)                                                                             \
    COMMAND(CmdBeginRenderPass2KHR)                                                                          \
    COMMAND(CmdNextSubpass)                                                                                  \
    COMMAND(CmdNextSubpass2)                                                                                 \
    COMMAND(CmdNextSubpass2KHR)                                                                              \
    COMMAND(CmdEndRenderPass)                                                                                \
    COMMAND(CmdEndRenderPass2)                                                                               \
    COMMAND(CmdEndRenderPass2KHR)                                                                            \
    COMMAND(CmdBeginRendering)                                                                               \
    COMMAND(CmdBeginRenderingKHR)                                                                            \
    COMMAND(CmdEndRendering)                                                                                 \
    COMMAND(CmdEndRenderingKHR)                                                                              \
    COMMAND(CmdBeginQuery)                                                                                   \
    COMMAND(CmdEndQuery)                                                                                     \
    COMMAND(CmdBeginQueryIndexedEXT)                                                                         \
    COMMAND(CmdEndQueryIndexedEXT)                                                                           \
    COMMAND(CreateBuffer)                                                                                    \
    COMMAND(DestroyBuffer)                                                                                   \
    COMMAND(GetBufferMemoryRequirements)                                                                     \
    COMMAND(GetDeviceBufferMemoryRequirements)                                                               \
    COMMAND(GetDeviceBufferMemoryRequirementsKHR)                                                            \
    COMMAND(AllocateMemory)                                                                                  \
    COMMAND(FreeMemory)                                                                                      \
    COMMAND(BindBufferMemory)                                                                                \
    COMMAND(MapMemory)                                                                                       \
    COMMAND(GetBufferDeviceAddress)                                                                          \
    COMMAND(GetBufferDeviceAddressKHR)                                                                       \
    COMMAND(CreateDescriptorSetLayout)                                                                       \
    COMMAND(DestroyDescriptorSetLayout)                                                                      \
    COMMAND(CreateDescriptorPool)                                                                            \
    COMMAND(DestroyDescriptorPool)                                                                           \
    COMMAND(ResetDescriptorPool)                                                                             \
    COMMAND(AllocateDescriptorSets)                                                                          \
    COMMAND(FreeDescriptorSets)                                                                              \
    COMMAND(UpdateDescriptorSets)                                                                            \
    COMMAND(CreateDescriptorUpdateTemplate)                                                                  \
    COMMAND(CreateDescriptorUpdateTemplateKHR)                                                               \
    COMMAND(DestroyDescriptorUpdateTemplate)                                                                 \
    COMMAND(DestroyDescriptorUpdateTemplateKHR)                                                              \
    COMMAND(UpdateDescriptorSetWithTemplate)                                                                 \
    COMMAND(UpdateDescriptorSetWithTemplateKHR)                                                              \
    COMMAND(CmdBindDescriptorSets)                                                                           \
    COMMAND(CmdWaitEvents)                                                                                   \
    COMMAND(CmdWaitEvents2)                                                                                  \
    COMMAND(CmdWaitEvents2KHR)                                                                               \
    COMMAND(CmdBeginConditionalRenderingEXT)                                                                 \
    COMMAND(CmdEndConditionalRenderingEXT)                                                                   \
    COMMAND(CmdBeginTransformFeedbackEXT)                                                                    \
    COMMAND(CmdDispatchIndirect)                                                                             \
    COMMAND(CmdTraceRaysKHR)                                                                                 \
    COMMAND(CmdTraceRaysIndirectKHR)                                                                         \
    COMMAND(CmdTraceRaysIndirect2KHR)

/* Commands newer than the oldest headers we build with, called through types of our own (record.h,
 * newer.h). */
#define WPG_NEW_DEVICE_COMMANDS(COMMAND)                                                                     \
    COMMAND(CmdPushConstants2)                                                                               \
    COMMAND(CmdPushConstants2KHR)                                                                            \
    COMMAND(CmdBindDescriptorSets2)                                                                          \
    COMMAND(CmdBindDescriptorSets2KHR)                                                                       \
    COMMAND(CmdPushDescriptorSetKHR)                                                                         \
    COMMAND(CmdPushDescriptorSet)                                                                            \
    COMMAND(CmdPushDescriptorSetWithTemplateKHR)                                                             \
    COMMAND(CmdPushDescriptorSetWithTemplate)                                                                \
    COMMAND(CmdPushDescriptorSet2KHR)                                                                        \
    COMMAND(CmdPushDescriptorSet2)                                                                           \
    COMMAND(CmdPushDescriptorSetWithTemplate2KHR)                                                            \
    COMMAND(CmdPushDescriptorSetWithTemplate2)                                                               \
    COMMAND(CmdSetDescriptorBufferOffsetsEXT)                                                                \
    COMMAND(CmdSetDescriptorBufferOffsets2EXT)                                                               \
    COMMAND(CmdBindShadersEXT)                                                                               \
    COMMAND(CreateShadersEXT)                                                                                \
    COMMAND(DestroyShaderEXT)                                                                                \
    COMMAND(GetShaderBinaryDataEXT)

typedef struct wpg_instance_commands {
    PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
#define COMMAND(name) PFN_vk##name name;
    WPG_INSTANCE_COMMANDS(COMMAND)
#undef COMMAND
} wpg_instance_commands;

typedef struct wpg_device_commands {
    PFN_vkGetDeviceProcAddr GetDeviceProcAddr;
#define COMMAND(name) PFN_vk##name name;
    WPG_DEVICE_COMMANDS(COMMAND)
#undef COMMAND
#define COMMAND(name) PFN_vkVoidFunction name;
    WPG_NEW_DEVICE_COMMANDS(COMMAND)
#undef COMMAND
} wpg_device_commands;

/* The loader's dispatch pointer at the start of every dispatchable handle: equal for an instance and its
 * physical devices, and for a device and its queues and command buffers (LoaderLayerInterface.md). */
static inline uint64_t wpg_dispatch_key(const void *handle)
{
    return (uint64_t)(uintptr_t) * (void *const *)handle;
}

#endif
