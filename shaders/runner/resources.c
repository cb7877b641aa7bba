/* Buffers, images and the descriptor set of a case. See resources.h. */
#include "shaders/runner/resources.h"

#include <string.h>

static wpg_status create_filled(bench_buffer *b, const bench_device *dev, const void *data, size_t size,
                                VkBufferUsageFlags usage, wpg_error *err)
{
    static const uint32_t nothing[4]; /* a binding the case does not use still gets a buffer */
    if (!data || !size) {
        data = nothing;
        size = sizeof nothing;
    }
    WPG_TRY(bench_buffer_create(b, dev, size, usage | VK_BUFFER_USAGE_TRANSFER_DST_BIT, false, err));
    return bench_buffer_upload(b, dev, data, size, err);
}

static wpg_status create_image(bench_image *image, const bench_device *dev, const bench_work *work,
                               VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect,
                               wpg_error *err)
{
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = {work->width, work->height, 1},
        .mipLevels = 1,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .tiling = VK_IMAGE_TILING_OPTIMAL,
        .usage = usage,
    };
    VkMemoryRequirements needs;
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    BENCH_VK(vkCreateImage(dev->device, &info, NULL, &image->image));
    vkGetImageMemoryRequirements(dev->device, image->image, &needs);
    allocate.allocationSize = needs.size;
    WPG_TRY(bench_memory_type(&allocate.memoryTypeIndex, dev, needs.memoryTypeBits,
                              VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0, err));
    BENCH_VK(vkAllocateMemory(dev->device, &allocate, NULL, &image->memory));
    BENCH_VK(vkBindImageMemory(dev->device, image->image, image->memory, 0));
    VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = image->image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = format,
        .subresourceRange = {aspect, 0, 1, 0, 1},
    };
    BENCH_VK(vkCreateImageView(dev->device, &view, NULL, &image->view));
    return WPG_OK;
}

static void destroy_image(bench_image *image, const bench_device *dev)
{
    vkDestroyImageView(dev->device, image->view, NULL);
    vkDestroyImage(dev->device, image->image, NULL);
    vkFreeMemory(dev->device, image->memory, NULL);
}

static wpg_status create_target(bench_resources *r, const bench_device *dev, const bench_pipeline *p,
                                const bench_work *work, wpg_error *err)
{
    WPG_TRY(create_image(&r->color, dev, work, BENCH_COLOR_FORMAT,
                         VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                         VK_IMAGE_ASPECT_COLOR_BIT, err));
    if (work->depth)
        WPG_TRY(create_image(&r->depth, dev, work, BENCH_DEPTH_FORMAT,
                             VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT, err));
    VkImageView views[2] = {r->color.view, r->depth.view};
    VkFramebufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
        .renderPass = p->render_pass,
        .attachmentCount = work->depth ? 2 : 1,
        .pAttachments = views,
        .width = work->width,
        .height = work->height,
        .layers = 1,
    };
    BENCH_VK(vkCreateFramebuffer(dev->device, &info, NULL, &r->framebuffer));
    if (work->indices)
        WPG_TRY(create_filled(&r->indices, dev, work->indices, work->vertices * sizeof *work->indices,
                              VK_BUFFER_USAGE_INDEX_BUFFER_BIT, err));
    return WPG_OK;
}

static wpg_status create_set(bench_resources *r, const bench_device *dev, const bench_pipeline *p,
                             const bench_work *work, bool compute, wpg_error *err)
{
    VkDescriptorPoolSize sizes[] = {
        {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, compute ? 3 : 2},
        {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1},
        {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, work->texture_count},
    };
    VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = work->texture_count ? 3 : 2,
        .pPoolSizes = sizes,
    };
    BENCH_VK(vkCreateDescriptorPool(dev->device, &pool, NULL, &r->pool));
    VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = r->pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &p->set_layout,
    };
    BENCH_VK(vkAllocateDescriptorSets(dev->device, &allocate, &r->set));
    const bench_buffer *buffers[4] = {&r->output, &r->uniform, &r->input[0], &r->input[1]};
    VkDescriptorBufferInfo infos[4];
    VkWriteDescriptorSet writes[4 + BENCH_TEXTURES];
    uint32_t count = 0;
    for (uint32_t i = compute ? 0 : 1; i < 4; i++) {
        infos[i] = (VkDescriptorBufferInfo){buffers[i]->buffer, 0, VK_WHOLE_SIZE};
        writes[count++] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = r->set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = i == 1 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = &infos[i],
        };
    }
    for (uint32_t i = 0; i < work->texture_count; i++)
        writes[count++] = bench_texture_write(&r->textures[i], r->set, 4 + i);
    vkUpdateDescriptorSets(dev->device, count, writes, 0, NULL);
    return WPG_OK;
}

/* The output starts as zeros, so that bytes a shader leaves alone do not disturb the checksum. */
static wpg_status clear_output(const bench_resources *r, const bench_device *dev, wpg_error *err)
{
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
    };
    WPG_TRY(bench_commands_begin(&cmd, dev, err));
    vkCmdFillBuffer(cmd, r->output.buffer, 0, VK_WHOLE_SIZE, 0);
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1,
                         &barrier, 0, NULL, 0, NULL);
    BENCH_VK(vkEndCommandBuffer(cmd));
    wpg_status status = bench_submit(dev, cmd, NULL, err);
    vkFreeCommandBuffers(dev->device, dev->pool, 1, &cmd);
    return status;
}

wpg_status bench_resources_create(bench_resources *r, const bench_device *dev, const bench_pipeline *p,
                                  const bench_work *work, bool compute, wpg_error *err)
{
    memset(r, 0, sizeof *r);
    r->output_size = compute ? work->output_size : (size_t)work->width * work->height * 4;
    for (unsigned i = 0; i < BENCH_INPUTS; i++)
        WPG_TRY(create_filled(&r->input[i], dev, work->input[i], work->input_size[i],
                              VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, err));
    WPG_TRY(create_filled(&r->uniform, dev, work->uniform, work->uniform_size,
                          VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, err));
    WPG_TRY(
        bench_buffer_create(&r->readback, dev, r->output_size, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true, err));
    if (compute) {
        WPG_TRY(bench_buffer_create(&r->output, dev, r->output_size,
                                    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                        VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                    false, err));
        WPG_TRY(clear_output(r, dev, err));
    } else {
        WPG_TRY(create_target(r, dev, p, work, err));
    }
    for (uint32_t i = 0; i < work->texture_count; i++)
        WPG_TRY(bench_texture_create(&r->textures[i], dev, &work->textures[i], err));
    return create_set(r, dev, p, work, compute, err);
}

void bench_resources_destroy(bench_resources *r, const bench_device *dev)
{
    vkDestroyDescriptorPool(dev->device, r->pool, NULL);
    vkDestroyFramebuffer(dev->device, r->framebuffer, NULL);
    destroy_image(&r->color, dev);
    destroy_image(&r->depth, dev);
    for (uint32_t i = 0; i < BENCH_TEXTURES; i++)
        bench_texture_destroy(&r->textures[i], dev);
    bench_buffer *buffers[] = {&r->uniform, &r->input[0], &r->input[1],
                               &r->output,  &r->indices,  &r->readback};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        bench_buffer_destroy(buffers[i], dev);
    memset(r, 0, sizeof *r);
}

wpg_status bench_resources_read_back(const bench_resources *r, const bench_device *dev,
                                     const bench_work *work, bool compute, wpg_error *err)
{
    VkCommandBuffer cmd = VK_NULL_HANDLE;
    WPG_TRY(bench_commands_begin(&cmd, dev, err));
    if (compute) {
        VkBufferCopy region = {.size = r->output_size};
        vkCmdCopyBuffer(cmd, r->output.buffer, r->readback.buffer, 1, &region);
    } else {
        VkBufferImageCopy region = {
            .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
            .imageExtent = {work->width, work->height, 1},
        };
        vkCmdCopyImageToBuffer(cmd, r->color.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, r->readback.buffer,
                               1, &region);
    }
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
    };
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                         NULL, 0, NULL);
    BENCH_VK(vkEndCommandBuffer(cmd));
    wpg_status status = bench_submit(dev, cmd, NULL, err);
    vkFreeCommandBuffers(dev->device, dev->pool, 1, &cmd);
    return status;
}
