/* See drawing.h. */
#include "shaders/real/drawing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 21 };

char *bench_read_file(const char *folder, const char *name, const char *suffix, size_t *size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    FILE *file = fopen(path, "rb");
    char *bytes = calloc(1, MOST_BYTES);
    *size = file && bytes ? fread(bytes, 1, MOST_BYTES - 1, file) : 0;
    if (file)
        fclose(file);
    if (*size)
        return bytes;
    fprintf(stderr, "cannot read %s\n", path);
    free(bytes);
    return NULL;
}

size_t bench_read_hex(uint8_t *bytes, size_t most, const char *text)
{
    size_t size = strspn(text, "0123456789abcdef") / 2;
    size = size < most ? size : most;
    for (size_t i = 0; i < size; i++) {
        unsigned byte;
        sscanf(text + 2 * i, "%2x", &byte);
        bytes[i] = (uint8_t)byte;
    }
    return size;
}

wpg_status bench_image_create(bench_image *im, const bench_device *dev, VkFormat format, uint32_t width,
                              uint32_t height, uint32_t levels, VkImageUsageFlags usage, wpg_error *err)
{
    VkImageAspectFlags aspect =
        format == VK_FORMAT_D32_SFLOAT ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .imageType = VK_IMAGE_TYPE_2D,
        .format = format,
        .extent = {width, height, 1},
        .mipLevels = levels,
        .arrayLayers = 1,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .usage = usage,
    };
    VkMemoryRequirements needs;
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    BENCH_VK(vkCreateImage(dev->device, &info, NULL, &im->image));
    vkGetImageMemoryRequirements(dev->device, im->image, &needs);
    allocate.allocationSize = needs.size;
    WPG_TRY(bench_memory_type(&allocate.memoryTypeIndex, dev, needs.memoryTypeBits,
                              VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0, err));
    BENCH_VK(vkAllocateMemory(dev->device, &allocate, NULL, &im->memory));
    BENCH_VK(vkBindImageMemory(dev->device, im->image, im->memory, 0));
    VkImageViewCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = im->image,
        .viewType = VK_IMAGE_VIEW_TYPE_2D,
        .format = format,
        .subresourceRange = {aspect, 0, levels, 0, 1},
    };
    BENCH_VK(vkCreateImageView(dev->device, &view, NULL, &im->view));
    return WPG_OK;
}

wpg_status bench_module_read(VkShaderModule *module, const bench_device *dev, const char *folder,
                             const char *name, const char *suffix, wpg_error *err)
{
    size_t size;
    char *words = bench_read_file(folder, name, suffix, &size);
    if (!words)
        return wpg_fail(err, WPG_E_IO, "%s: no shader", name);
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = size,
        .pCode = (const uint32_t *)(const void *)words,
    };
    wpg_status status =
        bench_check(vkCreateShaderModule(dev->device, &info, NULL, module), "vkCreateShaderModule", err);
    free(words);
    return status;
}

wpg_status bench_drawing_create(VkPipeline *pipeline, const bench_device *dev, const bench_drawing *of,
                                wpg_error *err)
{
    VkPipelineShaderStageCreateInfo stages[2];
    for (int i = 0; i < 2; i++)
        stages[i] = (VkPipelineShaderStageCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = i ? VK_SHADER_STAGE_FRAGMENT_BIT : VK_SHADER_STAGE_VERTEX_BIT,
            .module = of->modules[i],
            .pName = "main",
        };
    VkVertexInputBindingDescription vertex = {0, of->stride, VK_VERTEX_INPUT_RATE_VERTEX};
    VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = 1,
        .pVertexBindingDescriptions = &vertex,
        .vertexAttributeDescriptionCount = of->input_count,
        .pVertexAttributeDescriptions = of->inputs,
    };
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = of->topology,
    };
    VkViewport viewport = {0, 0, (float)of->width, (float)of->height, 0, 1};
    VkRect2D scissor = {{0, 0}, {of->width, of->height}};
    VkPipelineViewportStateCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .pViewports = &viewport,
        .scissorCount = 1,
        .pScissors = &scissor,
    };
    VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .cullMode = VK_CULL_MODE_NONE,
        .lineWidth = 1,
    };
    VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
    };
    VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = of->depth,
        .depthWriteEnable = of->depth,
        .depthCompareOp = VK_COMPARE_OP_LESS,
    };
    VkPipelineColorBlendAttachmentState attachment = {.colorWriteMask = 15};
    VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &attachment,
    };
    VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .stageCount = 2,
        .pStages = stages,
        .pVertexInputState = &input,
        .pInputAssemblyState = &assembly,
        .pViewportState = &view,
        .pRasterizationState = &raster,
        .pMultisampleState = &samples,
        .pDepthStencilState = &depth,
        .pColorBlendState = &blend,
        .layout = of->layout,
        .renderPass = of->pass,
    };
    BENCH_VK(vkCreateGraphicsPipelines(dev->device, VK_NULL_HANDLE, 1, &info, NULL, pipeline));
    return WPG_OK;
}

void bench_image_barrier(VkCommandBuffer cmd, VkImage of, uint32_t levels, VkImageLayout from,
                         VkImageLayout to)
{
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = of,
        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, levels, 0, 1},
    };
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                         NULL, 0, NULL, 1, &barrier);
}

uint64_t bench_hash(const uint8_t *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}
