/* Draws for vk_compute.h: shaders write to buffers, and to colour attachments where the job has any. */
#include "tests/support/vk_compute_internal.h"

static VkFormat format_of(vkc_colour kind)
{
    return kind == VKC_FLOATS ? VK_FORMAT_R32G32B32A32_SFLOAT : VK_FORMAT_R32G32B32A32_UINT;
}

static bool make_colour(vkc_made *r, vkc_device *d, const vkc_job *job, unsigned c)
{
    VkImageCreateInfo image = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .imageType = VK_IMAGE_TYPE_2D,
                               .format = format_of(job->colours[c].kind),
                               .extent = {job->width, job->height, 1},
                               .mipLevels = 1,
                               .arrayLayers = 1,
                               .samples = VK_SAMPLE_COUNT_1_BIT,
                               .usage =
                                   VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    if (vkCreateImage(d->device, &image, NULL, &r->colours[c].image) != VK_SUCCESS)
        return false;
    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(d->device, r->colours[c].image, &needs);
    VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                   .allocationSize = needs.size,
                                   .memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryTypeBits)};
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = r->colours[c].image,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = image.format,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    return vkAllocateMemory(d->device, &memory, NULL, &r->colours[c].memory) == VK_SUCCESS &&
           vkBindImageMemory(d->device, r->colours[c].image, r->colours[c].memory, 0) == VK_SUCCESS &&
           vkCreateImageView(d->device, &view, NULL, &r->colours[c].view) == VK_SUCCESS;
}

void vkc_free_colours(vkc_made *r, vkc_device *d)
{
    for (unsigned c = 0; c < VKC_MAX_COLOURS; c++) {
        vkDestroyImageView(d->device, r->colours[c].view, NULL);
        vkDestroyImage(d->device, r->colours[c].image, NULL);
        vkFreeMemory(d->device, r->colours[c].memory, NULL);
    }
}

static bool make_pass(vkc_made *r, vkc_device *d, const vkc_job *job)
{
    VkAttachmentDescription colours[VKC_MAX_COLOURS];
    VkAttachmentReference references[VKC_MAX_COLOURS];
    VkImageView views[VKC_MAX_COLOURS];
    for (unsigned c = 0; c < job->colour_count; c++) {
        if (!make_colour(r, d, job, c))
            return false;
        colours[c] = (VkAttachmentDescription){.format = format_of(job->colours[c].kind),
                                               .samples = VK_SAMPLE_COUNT_1_BIT,
                                               .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                               .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                               .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
        references[c] = (VkAttachmentReference){c, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
        views[c] = r->colours[c].view;
    }
    VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                    .colorAttachmentCount = job->colour_count,
                                    .pColorAttachments = references};
    VkSubpassDependency copied = {.srcSubpass = 0,
                                  .dstSubpass = VK_SUBPASS_EXTERNAL,
                                  .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                  .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                  .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                  .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
    VkRenderPassCreateInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                   .attachmentCount = job->colour_count,
                                   .pAttachments = colours,
                                   .subpassCount = 1,
                                   .pSubpasses = &subpass,
                                   .dependencyCount = job->colour_count ? 1 : 0,
                                   .pDependencies = &copied};
    if (vkCreateRenderPass(d->device, &pass, NULL, &r->pass) != VK_SUCCESS)
        return false;
    VkFramebufferCreateInfo framebuffer = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                           .renderPass = r->pass,
                                           .attachmentCount = job->colour_count,
                                           .pAttachments = views,
                                           .width = job->width,
                                           .height = job->height,
                                           .layers = 1};
    return vkCreateFramebuffer(d->device, &framebuffer, NULL, &r->framebuffer) == VK_SUCCESS;
}

bool vkc_make_draw(vkc_made *r, vkc_device *d, const vkc_job *job)
{
    bool fragment = job->vertex_words != NULL;
    VkPipelineShaderStageCreateInfo stages[2] = {
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_VERTEX_BIT,
         .pName = "main"},
        {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
         .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
         .pName = "main"}};
    r->module = vkc_module(d, job->words, job->word_count);
    if (fragment)
        r->vertex_module = vkc_module(d, job->vertex_words, job->vertex_word_count);
    if (!d->draws || !r->module || (fragment && !r->vertex_module) || !make_pass(r, d, job))
        return false;
    stages[fragment].module = r->module;
    if (fragment)
        stages[0].module = r->vertex_module;
    VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = fragment ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST : VK_PRIMITIVE_TOPOLOGY_POINT_LIST};
    VkViewport viewport = {.width = (float)job->width, .height = (float)job->height, .maxDepth = 1};
    VkRect2D scissor = {.extent = {job->width, job->height}};
    VkPipelineViewportStateCreateInfo view = {.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                              .viewportCount = 1,
                                              .pViewports = &viewport,
                                              .scissorCount = 1,
                                              .pScissors = &scissor};
    VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .rasterizerDiscardEnable = !fragment,
        .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkPipelineColorBlendAttachmentState written[VKC_MAX_COLOURS];
    for (unsigned c = 0; c < VKC_MAX_COLOURS; c++)
        written[c] = (VkPipelineColorBlendAttachmentState){.colorWriteMask = 0xf};
    VkPipelineColorBlendStateCreateInfo blend = {.sType =
                                                     VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                 .attachmentCount = job->colour_count,
                                                 .pAttachments = written};
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .stageCount = fragment ? 2 : 1,
                                         .pStages = stages,
                                         .pVertexInputState = &input,
                                         .pInputAssemblyState = &assembly,
                                         .pViewportState = &view,
                                         .pRasterizationState = &raster,
                                         .pMultisampleState = &samples,
                                         .pColorBlendState = &blend,
                                         .layout = r->layout,
                                         .renderPass = r->pass};
    return vkCreateGraphicsPipelines(d->device, VK_NULL_HANDLE, 1, &info, NULL, &r->pipeline) == VK_SUCCESS;
}

void vkc_record_draw(const vkc_made *r, const vkc_job *job)
{
    static const VkClearValue zeros[VKC_MAX_COLOURS];
    VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   .renderPass = r->pass,
                                   .framebuffer = r->framebuffer,
                                   .renderArea = {.extent = {job->width, job->height}},
                                   .clearValueCount = job->colour_count,
                                   .pClearValues = zeros};
    vkCmdBeginRenderPass(r->commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdDraw(r->commands, job->vertices, 1, 0, 0);
    vkCmdEndRenderPass(r->commands);
    for (unsigned c = 0; c < job->colour_count; c++) {
        const vkc_handles *to = job->colours[c].buffer->handle;
        VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {job->width, job->height, 1}};
        vkCmdCopyImageToBuffer(r->commands, r->colours[c].image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                               to->buffer, 1, &region);
    }
}
