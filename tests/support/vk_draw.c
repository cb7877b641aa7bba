/* Draws for vk_compute.h: no attachment, shaders write to buffers. */
#include "tests/support/vk_compute_internal.h"

static bool make_pass(vkc_made *r, vkc_device *d, const vkc_job *job)
{
    VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS};
    VkRenderPassCreateInfo pass = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, .subpassCount = 1, .pSubpasses = &subpass};
    if (vkCreateRenderPass(d->device, &pass, NULL, &r->pass) != VK_SUCCESS)
        return false;
    VkFramebufferCreateInfo framebuffer = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                           .renderPass = r->pass,
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
    VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         .stageCount = fragment ? 2 : 1,
                                         .pStages = stages,
                                         .pVertexInputState = &input,
                                         .pInputAssemblyState = &assembly,
                                         .pViewportState = &view,
                                         .pRasterizationState = &raster,
                                         .pMultisampleState = &samples,
                                         .layout = r->layout,
                                         .renderPass = r->pass};
    return vkCreateGraphicsPipelines(d->device, VK_NULL_HANDLE, 1, &info, NULL, &r->pipeline) == VK_SUCCESS;
}

void vkc_record_draw(const vkc_made *r, const vkc_job *job)
{
    VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                   .renderPass = r->pass,
                                   .framebuffer = r->framebuffer,
                                   .renderArea = {.extent = {job->width, job->height}}};
    vkCmdBeginRenderPass(r->commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdDraw(r->commands, job->vertices, 1, 0, 0);
    vkCmdEndRenderPass(r->commands);
}
