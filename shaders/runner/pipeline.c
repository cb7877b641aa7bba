/* Makes the pipeline of a case. See pipeline.h. */
#include "shaders/runner/pipeline.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/base/file.h"

enum { MAX_SPV = 4 << 20, ENTRY_NAME = 64 };

static const struct {
    const char *suffix;
    VkShaderStageFlagBits stage;
} stages[] = {
    {".vert", VK_SHADER_STAGE_VERTEX_BIT},
    {".tesc", VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT},
    {".tese", VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT},
    {".geom", VK_SHADER_STAGE_GEOMETRY_BIT},
    {".frag", VK_SHADER_STAGE_FRAGMENT_BIT},
    {".comp", VK_SHADER_STAGE_COMPUTE_BIT},
};

static wpg_status stage_of(VkShaderStageFlagBits *stage, const char *file, wpg_error *err)
{
    const char *dot = strrchr(file, '.');
    for (size_t i = 0; dot && i < sizeof stages / sizeof *stages; i++) {
        if (!strcmp(dot, stages[i].suffix)) {
            *stage = stages[i].stage;
            return WPG_OK;
        }
    }
    return wpg_fail(err, WPG_E_ARGUMENT, "%s: no shader stage has this suffix", file);
}

/* Entry points are named after their file (CMakeLists.txt): the name without folders, up to the dot. */
static void entry_of(char entry[ENTRY_NAME], const char *file)
{
    const char *slash = strrchr(file, '/');
    file = slash ? slash + 1 : file;
    (void)snprintf(entry, ENTRY_NAME, "%.*s", (int)strcspn(file, "."), file);
}

static wpg_status create_module(bench_pipeline *p, const bench_device *dev, const char *folder,
                                const char *file, wpg_error *err)
{
    char path[PATH_MAX];
    uint8_t *words = NULL;
    size_t size = 0;
    if (snprintf(path, sizeof path, "%s/%s.spv", folder, file) >= (int)sizeof path)
        return wpg_fail(err, WPG_E_ARGUMENT, "%s: the path is too long", folder);
    WPG_TRY(wpg_file_read(&words, &size, path, MAX_SPV, err));
    if (size < 20 || size % 4) {
        free(words);
        return wpg_fail(err, WPG_E_FORMAT, "%s is not SPIR-V", path);
    }
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = size,
        .pCode = (const uint32_t *)(const void *)words,
    };
    VkShaderModule module = VK_NULL_HANDLE;
    uint64_t start = bench_now_ns();
    VkResult result = vkCreateShaderModule(dev->device, &info, NULL, &module);
    p->create_ns += bench_now_ns() - start;
    free(words);
    WPG_TRY(bench_check(result, "vkCreateShaderModule", err));
    p->modules[p->module_count++] = module;
    bench_device_name(dev, VK_OBJECT_TYPE_SHADER_MODULE, (uint64_t)module, file);
    return WPG_OK;
}

static wpg_status create_layouts(bench_pipeline *p, const bench_device *dev, const bench_work *work,
                                 bool compute, wpg_error *err)
{
    VkShaderStageFlags visible = compute ? VK_SHADER_STAGE_COMPUTE_BIT : VK_SHADER_STAGE_ALL_GRAPHICS;
    VkDescriptorSetLayoutBinding bindings[4 + BENCH_TEXTURES];
    uint32_t count = 0;
    for (uint32_t i = compute ? 0 : 1; i < 4; i++)
        bindings[count++] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = i == 1 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags = visible,
        };
    for (uint32_t i = 0; i < work->texture_count; i++)
        bindings[count++] = (VkDescriptorSetLayoutBinding){
            .binding = 4 + i,
            .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
            .descriptorCount = 1,
            .stageFlags = visible,
        };
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = count,
        .pBindings = bindings,
    };
    BENCH_VK(vkCreateDescriptorSetLayout(dev->device, &set, NULL, &p->set_layout));
    VkPushConstantRange range = {.stageFlags = visible, .size = (work->push_size + 3) & ~3u};
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &p->set_layout,
        .pushConstantRangeCount = work->push_size ? 1 : 0,
        .pPushConstantRanges = &range,
    };
    BENCH_VK(vkCreatePipelineLayout(dev->device, &layout, NULL, &p->layout));
    return WPG_OK;
}

static wpg_status create_render_pass(bench_pipeline *p, const bench_device *dev, bool depth, wpg_error *err)
{
    VkAttachmentDescription attachments[2] = {
        {
            .format = BENCH_COLOR_FORMAT,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
            .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
        },
        {
            .format = BENCH_DEPTH_FORMAT,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
            .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        },
    };
    VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkAttachmentReference depth_reference = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass = {
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
        .colorAttachmentCount = 1,
        .pColorAttachments = &color,
        .pDepthStencilAttachment = depth ? &depth_reference : NULL,
    };
    const VkPipelineStageFlags outputs = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                         VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                         VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
    const VkAccessFlags writes =
        VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    VkSubpassDependency dependencies[2] = {
        {
            /* Earlier frames are drawn into, and read from, the same images. */
            .srcSubpass = VK_SUBPASS_EXTERNAL,
            .srcStageMask = outputs | VK_PIPELINE_STAGE_TRANSFER_BIT,
            .dstStageMask = outputs,
            .srcAccessMask = writes,
            .dstAccessMask = writes | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT,
        },
        {
            .dstSubpass = VK_SUBPASS_EXTERNAL,
            .srcStageMask = outputs,
            .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
            .srcAccessMask = writes,
            .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
        },
    };
    VkRenderPassCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .attachmentCount = depth ? 2 : 1,
        .pAttachments = attachments,
        .subpassCount = 1,
        .pSubpasses = &subpass,
        .dependencyCount = 2,
        .pDependencies = dependencies,
    };
    BENCH_VK(vkCreateRenderPass(dev->device, &info, NULL, &p->render_pass));
    return WPG_OK;
}

static VkResult create_graphics(bench_pipeline *p, const bench_device *dev, const bench_work *work,
                                const VkPipelineShaderStageCreateInfo *infos)
{
    VkPipelineVertexInputStateCreateInfo vertex_input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology =
            work->patch_points ? VK_PRIMITIVE_TOPOLOGY_PATCH_LIST : VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
    };
    VkPipelineTessellationStateCreateInfo tessellation = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
        .patchControlPoints = work->patch_points,
    };
    VkViewport viewport = {0, 0, (float)work->width, (float)work->height, 0, 1};
    VkRect2D scissor = {{0, 0}, {work->width, work->height}};
    VkPipelineViewportStateCreateInfo viewports = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .pViewports = &viewport,
        .scissorCount = 1,
        .pScissors = &scissor,
    };
    VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .lineWidth = 1.0f,
    };
    VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT,
    };
    VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = work->depth,
        .depthWriteEnable = work->depth,
        .depthCompareOp = VK_COMPARE_OP_LESS,
    };
    VkPipelineColorBlendAttachmentState opaque = {.colorWriteMask = 0xf};
    VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &opaque,
    };
    VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .flags = dev->statistics ? VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR : 0,
        .stageCount = p->module_count,
        .pStages = infos,
        .pVertexInputState = &vertex_input,
        .pInputAssemblyState = &assembly,
        .pTessellationState = work->patch_points ? &tessellation : NULL,
        .pViewportState = &viewports,
        .pRasterizationState = &raster,
        .pMultisampleState = &samples,
        .pDepthStencilState = &depth,
        .pColorBlendState = &blend,
        .layout = p->layout,
        .renderPass = p->render_pass,
    };
    return vkCreateGraphicsPipelines(dev->device, VK_NULL_HANDLE, 1, &info, NULL, &p->pipeline);
}

static VkResult create_compute(bench_pipeline *p, const bench_device *dev,
                               const VkPipelineShaderStageCreateInfo *stage)
{
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = dev->statistics ? VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR : 0,
        .stage = *stage,
        .layout = p->layout,
    };
    return vkCreateComputePipelines(dev->device, VK_NULL_HANDLE, 1, &info, NULL, &p->pipeline);
}

wpg_status bench_pipeline_create(bench_pipeline *p, const bench_device *dev, const bench_case *c,
                                 const bench_work *work, const char *shader_folder, wpg_error *err)
{
    VkPipelineShaderStageCreateInfo infos[BENCH_MAX_STAGES] = {0};
    VkSpecializationMapEntry constants[BENCH_MAX_CONSTANTS];
    for (uint32_t i = 0; i < work->constant_count; i++)
        constants[i] = (VkSpecializationMapEntry){i, i * 4, 4};
    const VkSpecializationInfo specialization = {work->constant_count, constants, work->constant_count * 4ul,
                                                 work->constants};
    char entries[BENCH_MAX_STAGES][ENTRY_NAME];
    bool compute = bench_case_is_compute(c);
    memset(p, 0, sizeof *p);
    WPG_TRY(create_layouts(p, dev, work, compute, err));
    if (!compute)
        WPG_TRY(create_render_pass(p, dev, work->depth, err));
    for (uint32_t i = 0; i < BENCH_MAX_STAGES && c->files[i]; i++) {
        infos[i].sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
        entry_of(entries[i], c->files[i]);
        infos[i].pName = entries[i];
        infos[i].pSpecializationInfo = work->constant_count ? &specialization : NULL;
        WPG_TRY(stage_of(&infos[i].stage, c->files[i], err));
        WPG_TRY(create_module(p, dev, shader_folder, c->files[i], err));
        infos[i].module = p->modules[i];
    }
    uint64_t start = bench_now_ns();
    VkResult result = compute ? create_compute(p, dev, infos) : create_graphics(p, dev, work, infos);
    p->create_ns += bench_now_ns() - start;
    WPG_TRY(bench_check(result, compute ? "vkCreateComputePipelines" : "vkCreateGraphicsPipelines", err));
    bench_device_name(dev, VK_OBJECT_TYPE_PIPELINE, (uint64_t)p->pipeline, c->name);
    return WPG_OK;
}

void bench_pipeline_destroy(bench_pipeline *p, const bench_device *dev)
{
    vkDestroyPipeline(dev->device, p->pipeline, NULL);
    for (uint32_t i = 0; i < p->module_count; i++)
        vkDestroyShaderModule(dev->device, p->modules[i], NULL);
    vkDestroyRenderPass(dev->device, p->render_pass, NULL);
    vkDestroyPipelineLayout(dev->device, p->layout, NULL);
    vkDestroyDescriptorSetLayout(dev->device, p->set_layout, NULL);
    memset(p, 0, sizeof *p);
}
