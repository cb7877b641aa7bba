/* One Vulkan device, set up the way a plain program does it: Vulkan 1.1, one queue, no feature required.
 * Threads: one. Every function returns a status and leaves what it made to the matching destroy. */
#ifndef SHADERS_RUNNER_DEVICE_H
#define SHADERS_RUNNER_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>
#include "runtime/base/error.h"

typedef struct bench_device {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t queue_family;
    uint32_t timestamp_bits; /* 0: the queue has no timestamps */
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceFeatures
        features; /* supported; tessellationShader and geometryShader are enabled where they are */
    VkPhysicalDeviceMemoryProperties memory;
    PFN_vkSetDebugUtilsObjectNameEXT set_name; /* NULL without VK_EXT_debug_utils */
    bool statistics; /* VK_KHR_pipeline_executable_properties is enabled, pipelines are made for it */
    VkCommandPool pool;
    VkFence fence;
    VkQueryPool queries; /* two timestamps; VK_NULL_HANDLE if timestamp_bits is 0 */
} bench_device;

/* Picks the first device whose name contains `substring` (case is ignored; NULL = any; digits alone are a
 * place in the list, from 0) and has a queue for graphics and compute. WPG_E_NOT_FOUND: no Vulkan driver, or
 * no such device. */
enum {
    BENCH_DEVICE_NO_MEMORY = 1,  /* nothing is made that needs memory (drivers without hardware have no
                                    memory types): no fence, no pool, no query */
    BENCH_DEVICE_STATISTICS = 2, /* with VK_KHR_pipeline_executable_properties where there is that */
    BENCH_DEVICE_VULKAN_1_2 = 4, /* a program of Vulkan 1.2, with 16-bit storage where there is that */
};
wpg_status bench_device_create(bench_device *dev, const char *substring, unsigned flags, wpg_error *err);
void bench_device_destroy(bench_device *dev);

/* True if the device, once picked, has the extension. */
bool bench_device_has_extension(const bench_device *dev, const char *name);

/* Names an object for tools; does nothing without VK_EXT_debug_utils. */
void bench_device_name(const bench_device *dev, VkObjectType type, uint64_t handle, const char *name);

/* Turns a VkResult into an error naming the call; VK_SUCCESS gives WPG_OK. */
wpg_status bench_check(VkResult result, const char *call, wpg_error *err);

#define BENCH_VK(call) WPG_TRY(bench_check((call), #call, err))

typedef struct bench_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize size;
    void *mapped; /* host buffers only */
} bench_buffer;

/* A buffer in host-visible coherent memory (host) or, where there is any, in device-local memory. */
wpg_status bench_buffer_create(bench_buffer *b, const bench_device *dev, VkDeviceSize size,
                               VkBufferUsageFlags usage, bool host, wpg_error *err);
void bench_buffer_destroy(bench_buffer *b, const bench_device *dev);

/* Copies bytes into a device buffer made with TRANSFER_DST, through a staging buffer; waits. */
wpg_status bench_buffer_upload(const bench_buffer *b, const bench_device *dev, const void *data, size_t size,
                               wpg_error *err);

/* Copies a device buffer made with TRANSFER_SRC into `to`, through a staging buffer; waits. */
wpg_status bench_buffer_download(void *to, const bench_buffer *b, const bench_device *dev, size_t size,
                                 wpg_error *err);

/* The first memory type of `bits` with all `wanted` flags, else with all `needed` flags. */
wpg_status bench_memory_type(uint32_t *type, const bench_device *dev, uint32_t bits,
                             VkMemoryPropertyFlags wanted, VkMemoryPropertyFlags needed, wpg_error *err);

/* One primary command buffer for one submission or many. */
wpg_status bench_commands_begin(VkCommandBuffer *cmd, const bench_device *dev, wpg_error *err);

/* Times what is recorded between the two, in one command buffer that executes at a time. Nothing on a queue
 * without timestamps. */
void bench_timer_begin(VkCommandBuffer cmd, const bench_device *dev);
void bench_timer_end(VkCommandBuffer cmd, const bench_device *dev);
/* Milliseconds that it took on the device, once submitted; 0 if the queue does not tell. */
wpg_status bench_timer_read(double *ms, const bench_device *dev, wpg_error *err);

/* Submits and waits. *wall_ns (may be NULL) is the time from before vkQueueSubmit until the fence was seen.
 */
wpg_status bench_submit(const bench_device *dev, VkCommandBuffer cmd, uint64_t *wall_ns, wpg_error *err);

uint64_t bench_now_ns(void);

#endif
