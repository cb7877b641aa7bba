/* What the files of vk_compute.h share. */
#ifndef WPG_TESTS_SUPPORT_VK_COMPUTE_INTERNAL_H
#define WPG_TESTS_SUPPORT_VK_COMPUTE_INTERNAL_H

#include <vulkan/vulkan.h>

#include "tests/support/vk_compute.h"

struct vkc_device {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    uint32_t family, memory_type;
    bool has_address, int64_atomics, draws, demotes;
    VkPhysicalDeviceFeatures features;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceSubgroupProperties subgroup;
    VkPhysicalDeviceDriverProperties driver;
};

/* Everything one dispatch or draw makes. */
typedef struct vkc_made {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkShaderModule module, vertex_module;
    VkPipeline pipeline;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    struct {
        VkImage image;
        VkDeviceMemory memory;
        VkImageView view;
    } colours[VKC_MAX_COLOURS];
    VkCommandBuffer commands;
} vkc_made;

/* Behind vkc_buffer.handle. */
typedef struct vkc_handles {
    VkBuffer buffer;
    VkDeviceMemory memory;
} vkc_handles;

/* NULL handle when Vulkan refuses. */
VkShaderModule vkc_module(vkc_device *d, const uint32_t *words, size_t count);
/* Pipeline, render pass and framebuffer of a draw (vk_draw.c). */
bool vkc_make_draw(vkc_made *r, vkc_device *d, const vkc_job *job);
void vkc_record_draw(const vkc_made *r, const vkc_job *job);
/* What is left of a draw, also where vkc_make_draw failed, after the framebuffer went. */
void vkc_free_colours(vkc_made *r, vkc_device *d);

#endif
