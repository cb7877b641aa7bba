/* Makes and fills textures. See texture.h. */
#include "shaders/runner/texture.h"

#include <string.h>

static const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
static const VkImageSubresourceRange whole = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

static VkExtent3D extent_of(const bench_texels *texels)
{
    return (VkExtent3D){texels->width, texels->height, texels->depth ? texels->depth : 1};
}

static wpg_status create_image(bench_texture *t, const bench_device *dev, const bench_texels *texels,
                               wpg_error *err)
{
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = texels->depth ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = extent_of(texels),
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
    };
    VkMemoryRequirements needs;
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    BENCH_VK(vkCreateImage(dev->device, &info, NULL, &t->image));
    vkGetImageMemoryRequirements(dev->device, t->image, &needs);
    allocate.allocationSize = needs.size;
    WPG_TRY(bench_memory_type(&allocate.memoryTypeIndex, dev, needs.memoryTypeBits,
                              VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0, err));
    BENCH_VK(vkAllocateMemory(dev->device, &allocate, NULL, &t->memory));
    BENCH_VK(vkBindImageMemory(dev->device, t->image, t->memory, 0));
    VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = t->image,
        .viewType = texels->depth ? VK_IMAGE_VIEW_TYPE_3D : VK_IMAGE_VIEW_TYPE_2D,
        .format = format,
        .subresourceRange = whole,
    };
    BENCH_VK(vkCreateImageView(dev->device, &view, NULL, &t->info.imageView));
    return WPG_OK;
}

static void change_layout(VkCommandBuffer cmd, VkImage image, VkImageLayout from, VkImageLayout to,
                          VkAccessFlags before, VkAccessFlags after)
{
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = before,
        .dstAccessMask = after,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = whole,
    };
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                         NULL, 0, NULL, 1, &barrier);
}

static wpg_status copy(const bench_texture *t, const bench_device *dev, const bench_texels *texels,
                       const bench_buffer *staging, wpg_error *err)
{
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    VkBufferImageCopy region = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
        .imageExtent = extent_of(texels),
    };
    WPG_TRY(bench_commands_begin(&cmd, dev, err));
    change_layout(cmd, t->image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 0,
                  VK_ACCESS_TRANSFER_WRITE_BIT);
    vkCmdCopyBufferToImage(cmd, staging->buffer, t->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    change_layout(cmd, t->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, t->info.imageLayout,
                  VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT);
    BENCH_VK(vkEndCommandBuffer(cmd));
    wpg_status status = bench_submit(dev, cmd, NULL, err);
    vkFreeCommandBuffers(dev->device, dev->pool, 1, &cmd);
    return status;
}

wpg_status bench_texture_create(bench_texture *t, const bench_device *dev, const bench_texels *texels,
                                wpg_error *err)
{
    const VkExtent3D extent = extent_of(texels);
    const size_t size = (size_t)extent.width * extent.height * extent.depth * 4;
    bench_buffer staging = {0};
    t->info.imageLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    WPG_TRY(create_image(t, dev, texels, err));
    VkSamplerCreateInfo sampler = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter = VK_FILTER_LINEAR,
        .minFilter = VK_FILTER_LINEAR,
    };
    BENCH_VK(vkCreateSampler(dev->device, &sampler, NULL, &t->sampler));
    t->info.sampler = t->sampler;
    wpg_status status = bench_buffer_create(&staging, dev, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true, err);
    if (status == WPG_OK) {
        memcpy(staging.mapped, texels->texels, size);
        status = copy(t, dev, texels, &staging, err);
    }
    bench_buffer_destroy(&staging, dev);
    return status;
}

void bench_texture_destroy(bench_texture *t, const bench_device *dev)
{
    vkDestroySampler(dev->device, t->sampler, NULL);
    vkDestroyImageView(dev->device, t->info.imageView, NULL);
    vkDestroyImage(dev->device, t->image, NULL);
    vkFreeMemory(dev->device, t->memory, NULL);
    memset(t, 0, sizeof *t);
}

VkWriteDescriptorSet bench_texture_write(const bench_texture *t, VkDescriptorSet set, uint32_t binding)
{
    return (VkWriteDescriptorSet){
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = set,
        .dstBinding = binding,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
        .pImageInfo = &t->info,
    };
}
