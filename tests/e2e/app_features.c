/* Scenario "features" of the test program: what shaders and pipelines may ask for beside the plain core, one
 * after the other, each with a checksum of what it made; what the device lacks is left out and said.
 *
 *     app features SPIRV-FOLDER [NAME]   NAME: that one only */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layer/base/newer.h"
#include "tests/e2e/app.h"

enum { GROUPS = APP_INVOCATIONS / 32 };

#define COMMAND(name) ((PFN_vk##name)vk_command(vk, "vk" #name))

static void tell(vk_program *vk, const char *what)
{
    printf("%s: %08x\n", what, app_checksum(vk->buffers[1].words, APP_INVOCATIONS));
}

static void clear(vk_program *vk)
{
    memset(vk->buffers[1].words, 0, vk->buffers[1].count * 4);
    app_fill(vk);
}

/* -- Compute */

static VkPipeline make_compute(vk_program *vk, VkShaderModule module, VkPipelineCreateFlags flags,
                               VkPipelineShaderStageCreateFlags stage_flags, const void *chain,
                               const void *stage_chain)
{
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .pNext = chain,
        .flags = flags,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = stage_chain,
                  .flags = stage_flags,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main"},
        .layout = vk->layout,
        .basePipelineIndex = -1};
    VkPipeline pipeline = VK_NULL_HANDLE;
    vk_must(vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
            "vkCreateComputePipelines");
    return pipeline;
}

static void run(vk_program *vk, VkPipeline pipeline, const char *what)
{
    clear(vk);
    vk_dispatch(vk, pipeline, GROUPS);
    tell(vk, what);
    vkDestroyPipeline(vk->device, pipeline, NULL);
}

static void run_plain(vk_program *vk, const char *shader, const char *what)
{
    VkShaderModule module = app_load(vk, shader);
    run(vk, make_compute(vk, module, 0, 0, NULL, NULL), what);
    vkDestroyShaderModule(vk->device, module, NULL);
}

static void robustness(vk_program *vk)
{
    run_plain(vk, "bounds.comp", "robustness");
    VkShaderModule module = app_load(vk, "bounds.comp");
    const VkPipelineRobustnessCreateInfoEXT robust = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT,
        .storageBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2_EXT};
    if (vk->optional.pipeline_robustness)
        run(vk, make_compute(vk, module, 0, 0, NULL, &robust), "robustness of a stage");
    vkDestroyShaderModule(vk->device, module, NULL);
}

static void memory_model(vk_program *vk)
{
    run_plain(vk, "model.comp", "memory model");
}

static void wave_size(vk_program *vk)
{
    VkPhysicalDeviceSubgroupSizeControlProperties sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &sizes};
    vkGetPhysicalDeviceProperties2(vk->physical, &all);
    VkShaderModule module = app_load(vk, "together.comp");
    run(vk,
        make_compute(vk, module, 0, VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT, NULL,
                     NULL),
        "varying size");
    run(vk,
        make_compute(vk, module, 0, VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT, NULL, NULL),
        "full subgroups");
    if (sizes.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT) {
        const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
            .requiredSubgroupSize = sizes.maxSubgroupSize};
        run(vk, make_compute(vk, module, 0, 0, NULL, &required), "required size");
    }
    vkDestroyShaderModule(vk->device, module, NULL);
}

/* The module with SPV_KHR_maximal_reconvergence and its execution mode, which compilers of the day do not
 * emit. */
static void reconvergence(vk_program *vk)
{
    static const char extension[] = "SPV_KHR_maximal_reconvergence";
    enum { EXTENSION_WORDS = 1 + sizeof extension / 4 + 1, OP_EXTENSION = 10, OP_ENTRY_POINT = 15 };
    uint32_t *words, *out = calloc(1 << 16, 4);
    size_t count, at = 5, to = 5;
    bool named = false;
    app_read_shader(&words, &count, "together.comp");
    if (!vk->optional.reconvergence || !out || count > 60000) {
        printf("reconvergence: not here\n");
        free(words);
        free(out);
        return;
    }
    memcpy(out, words, 5 * 4);
    while (at < count) {
        const uint32_t opcode = words[at] & 0xffff, size = words[at] >> 16;
        if (!named && opcode != 17) { /* after the capabilities */
            out[to] = EXTENSION_WORDS << 16 | OP_EXTENSION;
            memcpy(&out[to + 1], extension, sizeof extension);
            to += EXTENSION_WORDS;
            named = true;
        }
        memcpy(&out[to], &words[at], size * 4);
        to += size;
        at += size;
        if (opcode == OP_ENTRY_POINT) {
            const uint32_t mode[3] = {3 << 16 | 16, words[at - size + 2], 6023}; /* MaximallyReconvergesKHR */
            memcpy(&out[to], mode, sizeof mode);
            to += 3;
        }
    }
    VkResult result;
    VkShaderModule module = vk_module(vk, out, to, &result);
    vk_must(result, "a module with maximal reconvergence");
    run(vk, make_compute(vk, module, 0, 0, NULL, NULL), "reconvergence");
    vkDestroyShaderModule(vk->device, module, NULL);
    free(words);
    free(out);
}

static void addresses(vk_program *vk)
{
    vk_buffer from = {0}, to = {0};
    VkShaderModule module = app_load(vk, "addresses.comp");
    VkPipeline pipeline = make_compute(vk, module, 0, 0, NULL, NULL);
    clear(vk);
    vk_make_buffer(vk, &from, APP_INVOCATIONS, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    vk_make_buffer(vk, &to, APP_INVOCATIONS, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    memcpy(from.words, vk->buffers[0].words, APP_INVOCATIONS * 4);
    VkBufferDeviceAddressInfo ask = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    VkDeviceAddress push[2];
    ask.buffer = from.buffer;
    push[0] = vkGetBufferDeviceAddress(vk->device, &ask);
    ask.buffer = to.buffer;
    push[1] = vkGetBufferDeviceAddress(vk->device, &ask);
    vk_begin(vk);
    vkCmdBindPipeline(vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdPushConstants(vk->commands, vk->layout, VK_SHADER_STAGE_ALL, 0, sizeof push, push);
    vkCmdDispatch(vk->commands, GROUPS, 1, 1);
    vk_finish(vk);
    printf("addresses: %08x\n", app_checksum(to.words, APP_INVOCATIONS));
    vkDestroyPipeline(vk->device, pipeline, NULL);
    vkDestroyShaderModule(vk->device, module, NULL);
    vk_drop_buffer(vk, &from);
    vk_drop_buffer(vk, &to);
}

/* Workgroups that do not start at 0. */
static void dispatch_base(vk_program *vk)
{
    VkShaderModule module = app_load(vk, "count.comp");
    VkPipeline pipeline = make_compute(vk, module, VK_PIPELINE_CREATE_DISPATCH_BASE_BIT, 0, NULL, NULL);
    clear(vk);
    vk_begin(vk);
    vkCmdBindPipeline(vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, vk->layout, 0, 1, &vk->set, 0,
                            NULL);
    vkCmdDispatchBase(vk->commands, 5, 0, 0, GROUPS - 5, 1, 1);
    vk_finish(vk);
    tell(vk, "dispatch base");
    vkDestroyPipeline(vk->device, pipeline, NULL);
    vkDestroyShaderModule(vk->device, module, NULL);
}

/* VK_KHR_maintenance5: flags in the chain, words instead of a module. */
static void flags_2(vk_program *vk)
{
    if (!vk->optional.maintenance5) {
        printf("maintenance5: not here\n");
        return;
    }
    uint32_t *words;
    size_t count;
    app_read_shader(&words, &count, "count.comp");
    const VkShaderModuleCreateInfo inside = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = count * 4, .pCode = words};
    wpg_pipeline_flags_2 flags = {.sType = WPG_STRUCTURE_PIPELINE_FLAGS_2,
                                  .flags = VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT};
    run(vk, make_compute(vk, VK_NULL_HANDLE, 0, 0, &flags, &inside), "maintenance5");
    if (vk->optional.generated) {
        flags.flags = WPG_FLAG_INDIRECT_BINDABLE;
        run(vk, make_compute(vk, VK_NULL_HANDLE, 0, 0, &flags, &inside), "indirect bindable");
    }
    free(words);
}

/* VK_EXT_descriptor_buffer: descriptors in memory of the program's. */
static void descriptor_buffer(vk_program *vk)
{
    if (!vk->optional.descriptor_buffer) {
        printf("descriptor buffer: not here\n");
        return;
    }
    VkPhysicalDeviceDescriptorBufferPropertiesEXT sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &sizes};
    vkGetPhysicalDeviceProperties2(vk->physical, &all);
    VkDescriptorSetLayoutBinding bindings[2];
    for (uint32_t i = 0; i < 2; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                     VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    VkDescriptorSetLayoutCreateInfo set_info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                .flags =
                                                    VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
                                                .bindingCount = 2,
                                                .pBindings = bindings};
    VkDescriptorSetLayout set;
    vk_must(vkCreateDescriptorSetLayout(vk->device, &set_info, NULL, &set), "vkCreateDescriptorSetLayout");
    VkPipelineLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 1, .pSetLayouts = &set};
    VkPipelineLayout own = vk->layout, layout;
    vk_must(vkCreatePipelineLayout(vk->device, &layout_info, NULL, &layout), "vkCreatePipelineLayout");
    VkDeviceSize size, offset;
    COMMAND(GetDescriptorSetLayoutSizeEXT)(vk->device, set, &size);
    vk_buffer descriptors = {0}, data[2] = {{0}};
    vk_make_buffer(vk, &descriptors, (size_t)size / 4 + 64,
                   VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
                       VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    clear(vk);
    VkBufferDeviceAddressInfo ask = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    for (uint32_t i = 0; i < 2; i++) {
        vk_make_buffer(vk, &data[i], APP_WORDS,
                       VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
        ask.buffer = data[i].buffer;
        VkDescriptorAddressInfoEXT address = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT,
                                              .address = vkGetBufferDeviceAddress(vk->device, &ask),
                                              .range = APP_WORDS * 4};
        VkDescriptorGetInfoEXT get = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
                                      .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .data = {.pStorageBuffer = &address}};
        COMMAND(GetDescriptorSetLayoutBindingOffsetEXT)(vk->device, set, i, &offset);
        COMMAND(GetDescriptorEXT)
        (vk->device, &get, sizes.storageBufferDescriptorSize, (char *)descriptors.words + offset);
    }
    memcpy(data[0].words, vk->buffers[0].words, APP_WORDS * 4);
    VkShaderModule module = app_load(vk, "count.comp");
    vk->layout = layout;
    VkPipeline pipeline =
        make_compute(vk, module, VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT, 0, NULL, NULL);
    vk->layout = own;
    vk_begin(vk);
    ask.buffer = descriptors.buffer;
    VkDescriptorBufferBindingInfoEXT binding = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
                                                .address = vkGetBufferDeviceAddress(vk->device, &ask),
                                                .usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
                                                         VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    const uint32_t first = 0;
    const VkDeviceSize start = 0;
    COMMAND(CmdBindDescriptorBuffersEXT)(vk->commands, 1, &binding);
    COMMAND(CmdSetDescriptorBufferOffsetsEXT)
    (vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &first, &start);
    vkCmdBindPipeline(vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdDispatch(vk->commands, GROUPS, 1, 1);
    vk_finish(vk);
    printf("descriptor buffer: %08x\n", app_checksum(data[1].words, APP_INVOCATIONS));
    vkDestroyPipeline(vk->device, pipeline, NULL);
    vkDestroyShaderModule(vk->device, module, NULL);
    vkDestroyPipelineLayout(vk->device, layout, NULL);
    vkDestroyDescriptorSetLayout(vk->device, set, NULL);
    vk_drop_buffer(vk, &descriptors);
    vk_drop_buffer(vk, &data[0]);
    vk_drop_buffer(vk, &data[1]);
}

/* -- Graphics */

/* Blending as dynamic state: the pipeline states no attachments. */
static void set_blending(vk_program *vk)
{
    const VkBool32 blends = VK_TRUE;
    const VkColorBlendEquationEXT equation = {.srcColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                              .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
                                              .colorBlendOp = VK_BLEND_OP_ADD,
                                              .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
                                              .dstAlphaBlendFactor = VK_BLEND_FACTOR_ZERO,
                                              .alphaBlendOp = VK_BLEND_OP_ADD};
    const VkColorComponentFlags mask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT;
    const VkSampleMask samples = 1;
    COMMAND(CmdSetColorBlendEnableEXT)(vk->commands, 0, 1, &blends);
    COMMAND(CmdSetColorBlendEquationEXT)(vk->commands, 0, 1, &equation);
    COMMAND(CmdSetColorWriteMaskEXT)(vk->commands, 0, 1, &mask);
    COMMAND(CmdSetSampleMaskEXT)(vk->commands, VK_SAMPLE_COUNT_1_BIT, &samples);
}

typedef enum draw_way {
    PLAIN,
    MOVING, /* blending and the sample mask are dynamic state */
    LINKED  /* and it is linked from libraries, optimised */
} draw_way;

/* Draws a pipeline without a render pass into `view`, of so many views, and tells the pixels. */
static void draw_views(vk_program *vk, const char *fragment, uint32_t views, draw_way way, const char *what)
{
    const vk_stage stages[2] = {
        {.stage = VK_SHADER_STAGE_VERTEX_BIT, .module = app_load(vk, way ? "stages.vert" : "triangle.vert")},
        {.stage = VK_SHADER_STAGE_FRAGMENT_BIT, .module = app_load(vk, fragment)}};
    const uint32_t mask = views > 1 ? (1u << views) - 1 : 0;
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    vk_state state;
    vk_fill_state(&state, vk, stages, 2, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    VkPipelineRenderingCreateInfo formats = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                             .viewMask = mask,
                                             .colorAttachmentCount = 1,
                                             .pColorAttachmentFormats = &format};
    const VkDynamicState dynamic[4] = {
        VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT, VK_DYNAMIC_STATE_COLOR_BLEND_EQUATION_EXT,
        VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT, VK_DYNAMIC_STATE_SAMPLE_MASK_EXT};
    const VkPipelineDynamicStateCreateInfo all_dynamic = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
        .dynamicStateCount = 4,
        .pDynamicStates = dynamic};
    state.info.pNext = &formats;
    state.info.renderPass = VK_NULL_HANDLE;
    const VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    if (way)
        state.info.pDynamicState = &all_dynamic;
    if (way == MOVING)
        state.blend.pAttachments = NULL;
    if (way == LINKED) /* a fragment shader's part does not know that there is no depth */
        state.info.pDepthStencilState = &depth;
    VkPipeline pipeline = VK_NULL_HANDLE;
    if (way == LINKED)
        pipeline = vk_make_linked(vk, &state);
    else
        vk_must(vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &state.info, NULL, &pipeline), what);

    VkImageCreateInfo image_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = format,
                                    .extent = {VK_WIDTH, VK_HEIGHT, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = views,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                             VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
    vk_must(vkCreateImage(vk->device, &image_info, NULL, &image), "vkCreateImage");
    vk_bind_image(vk, image, &memory);
    VkImageViewCreateInfo view_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                       .image = image,
                                       .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                                       .format = format,
                                       .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, views}};
    vk_must(vkCreateImageView(vk->device, &view_info, NULL, &view), "vkCreateImageView");
    vk_buffer pixels = {0};
    vk_make_buffer(vk, &pixels, (size_t)VK_WIDTH * VK_HEIGHT * views, VK_BUFFER_USAGE_TRANSFER_DST_BIT);

    VkRenderingAttachmentInfo target = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                        .imageView = view,
                                        .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
                                        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                        .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
    VkRenderingInfo rendering = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                 .renderArea = {{0, 0}, {VK_WIDTH, VK_HEIGHT}},
                                 .layerCount = 1,
                                 .viewMask = mask,
                                 .colorAttachmentCount = 1,
                                 .pColorAttachments = &target};
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
                                    .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                    .image = image,
                                    .subresourceRange = view_info.subresourceRange};
    const VkPipelineStageFlags everything = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, views},
                                .imageExtent = {VK_WIDTH, VK_HEIGHT, 1}};
    vk_begin(vk);
    vkCmdPipelineBarrier(vk->commands, everything, everything, 0, 0, NULL, 0, NULL, 1, &barrier);
    vkCmdBeginRendering(vk->commands, &rendering);
    vkCmdBindPipeline(vk->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(vk->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, vk->layout, 0, 1, &vk->set, 0,
                            NULL);
    if (way)
        set_blending(vk);
    vkCmdDraw(vk->commands, 3, 1, 0, 0);
    vkCmdEndRendering(vk->commands);
    barrier.oldLayout = VK_IMAGE_LAYOUT_GENERAL;
    vkCmdPipelineBarrier(vk->commands, everything, everything, 0, 0, NULL, 0, NULL, 1, &barrier);
    vkCmdCopyImageToBuffer(vk->commands, image, VK_IMAGE_LAYOUT_GENERAL, pixels.buffer, 1, &region);
    vk_finish(vk);
    printf("%s: draw %08x\n", what, app_checksum(pixels.words, pixels.count));

    vk_drop_buffer(vk, &pixels);
    vkDestroyImageView(vk->device, view, NULL);
    vkDestroyImage(vk->device, image, NULL);
    vkFreeMemory(vk->device, memory, NULL);
    vkDestroyPipeline(vk->device, pipeline, NULL);
    for (int i = 0; i < 2; i++)
        vkDestroyShaderModule(vk->device, stages[i].module, NULL);
}

static void dynamic_rendering(vk_program *vk)
{
    draw_views(vk, "gradient.frag", 1, PLAIN, "dynamic rendering");
}

void app_dynamic_state(vk_program *vk, bool linked)
{
    if (vk->dynamic_blending && (vk->libraries || !linked))
        draw_views(vk, "stages.frag", 1, linked ? LINKED : MOVING, "dynamic state");
}

static void multiview(vk_program *vk)
{
    draw_views(vk, "views.frag", 2, PLAIN, "multiview");
}

void app_features(vk_program *vk, const char *only)
{
    static const struct {
        const char *name;
        void (*run)(vk_program *vk);
    } all[] = {{"robustness", robustness},
               {"memory-model", memory_model},
               {"wave-size", wave_size},
               {"reconvergence", reconvergence},
               {"addresses", addresses},
               {"dispatch-base", dispatch_base},
               {"maintenance5", flags_2},
               {"generated", app_generated},
               {"descriptor-buffer", descriptor_buffer},
               {"dynamic-rendering", dynamic_rendering},
               {"multiview", multiview}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!only || strcmp(only, all[i].name) == 0)
            all[i].run(vk);
}
