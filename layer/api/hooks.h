/* The commands this layer intercepts, beside instance and device creation. entry.c says in which mode.
 * Threads: as Vulkan says of each command. */
#ifndef WPG_LAYER_API_HOOKS_H
#define WPG_LAYER_API_HOOKS_H

#include <vulkan/vulkan.h>

/* instance.c */
VKAPI_ATTR VkResult VKAPI_CALL wpg_create_instance(const VkInstanceCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator,
                                                   VkInstance *instance);
VKAPI_ATTR void VKAPI_CALL wpg_destroy_instance(VkInstance instance, const VkAllocationCallbacks *allocator);

/* device.c */
VKAPI_ATTR VkResult VKAPI_CALL wpg_create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                 const VkAllocationCallbacks *allocator, VkDevice *device);
VKAPI_ATTR void VKAPI_CALL wpg_destroy_device(VkDevice device, const VkAllocationCallbacks *allocator);

/* pipelines.c */
VKAPI_ATTR VkResult VKAPI_CALL wpg_create_graphics_pipelines(VkDevice device, VkPipelineCache cache,
                                                             uint32_t count,
                                                             const VkGraphicsPipelineCreateInfo *infos,
                                                             const VkAllocationCallbacks *allocator,
                                                             VkPipeline *pipelines);
VKAPI_ATTR VkResult VKAPI_CALL wpg_create_compute_pipelines(VkDevice device, VkPipelineCache cache,
                                                            uint32_t count,
                                                            const VkComputePipelineCreateInfo *infos,
                                                            const VkAllocationCallbacks *allocator,
                                                            VkPipeline *pipelines);

VKAPI_ATTR VkResult VKAPI_CALL
wpg_create_ray_tracing_pipelines(VkDevice device, VkDeferredOperationKHR deferred, VkPipelineCache cache,
                                 uint32_t count, const VkRayTracingPipelineCreateInfoKHR *infos,
                                 const VkAllocationCallbacks *allocator, VkPipeline *pipelines);

/* submit.c */
VKAPI_ATTR VkResult VKAPI_CALL wpg_queue_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *submits,
                                                VkFence fence);
VKAPI_ATTR VkResult VKAPI_CALL wpg_queue_submit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *submits,
                                                 VkFence fence);
VKAPI_ATTR VkResult VKAPI_CALL wpg_queue_submit2_khr(VkQueue queue, uint32_t count,
                                                     const VkSubmitInfo2 *submits, VkFence fence);
VKAPI_ATTR VkResult VKAPI_CALL wpg_queue_present(VkQueue queue, const VkPresentInfoKHR *info);

#endif
