/* A scene of three layers, front to back, with depth tests: what fragments run depends on when these are
 * made.
 *
 *     e2e_early VARIANT SPIRV-FOLDER
 *
 * The variants differ in what an early test can be told by: `plain` (nothing), `declared` (the shader asks
 * for early tests), `discard`, `depth`, `mask`, `stores` (the shader's outputs), `input` (it reads the depth
 * as an input attachment), `coverage`, `dynamic-coverage`, `feedback`, `dynamic-feedback` (the pipeline's
 * state). Prints the samples that a precise occlusion query counts, a checksum of the picture, and with
 * `stores` how often the shader ran. Exit code 77: the device has not what the variant needs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/vk.h"

/* Newer than the oldest headers we build with; values from the registry. */
#define PIPELINE_DEPTH_FEEDBACK ((VkPipelineCreateFlags)0x04000000)
#define DYNAMIC_FEEDBACK        ((VkDynamicState)1000524000)

enum { LAYERS = 3, PUSH_BYTES = 16 };

typedef struct variant {
    const char *name, *shader;
    bool input, coverage, dynamic_coverage, feedback, dynamic_feedback;
} variant;

static const variant variants[] = {
    {.name = "plain", .shader = "early_plain.frag"},
    {.name = "declared", .shader = "early_declared.frag"},
    {.name = "discard", .shader = "early_discard.frag"},
    {.name = "depth", .shader = "early_depth.frag"},
    {.name = "mask", .shader = "early_mask.frag"},
    {.name = "stores", .shader = "early_stores.frag"},
    {.name = "input", .shader = "early_input.frag", .input = true},
    {.name = "coverage", .shader = "early_plain.frag", .coverage = true},
    {.name = "dynamic-coverage", .shader = "early_plain.frag", .dynamic_coverage = true},
    {.name = "feedback", .shader = "early_plain.frag", .feedback = true},
    {.name = "dynamic-feedback", .shader = "early_plain.frag", .dynamic_feedback = true},
};

typedef struct scene {
    vk_program vk;
    const variant *variant;
    VkImage depth;
    VkDeviceMemory depth_memory;
    VkImageView depth_view;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkShaderModule modules[2];
    VkPipeline pipeline;
    VkQueryPool queries;
} scene;

static void need(bool there, const char *what)
{
    if (there)
        return;
    printf("skip: the device has no %s\n", what);
    exit(VK_EXIT_SKIP);
}

static void make_depth(scene *s)
{
    vk_program *vk = &s->vk;
    VkImageCreateInfo image = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .imageType = VK_IMAGE_TYPE_2D,
                               .format = VK_FORMAT_D16_UNORM,
                               .extent = {VK_WIDTH, VK_HEIGHT, 1},
                               .mipLevels = 1,
                               .arrayLayers = 1,
                               .samples = VK_SAMPLE_COUNT_1_BIT,
                               .usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                        VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT};
    VK_MUST(vkCreateImage(vk->device, &image, NULL, &s->depth));
    vk_bind_image(vk, s->depth, &s->depth_memory);
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = s->depth,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = image.format,
                                  .subresourceRange = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1}};
    VK_MUST(vkCreateImageView(vk->device, &view, NULL, &s->depth_view));
}

static void make_pass(scene *s)
{
    vk_program *vk = &s->vk;
    /* Read and tested at once, and not written: that is no feedback loop. */
    VkImageLayout depth_layout =
        s->variant->input ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    VkAttachmentDescription attachments[] = {{.format = VK_FORMAT_R8G8B8A8_UNORM,
                                              .samples = VK_SAMPLE_COUNT_1_BIT,
                                              .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                              .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                              .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                              .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                              .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
                                             {.format = VK_FORMAT_D16_UNORM,
                                              .samples = VK_SAMPLE_COUNT_1_BIT,
                                              .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                              .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                              .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                              .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                              .finalLayout = depth_layout}};
    VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL}, depth = {1, depth_layout};
    VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                    .inputAttachmentCount = s->variant->input,
                                    .pInputAttachments = &depth,
                                    .colorAttachmentCount = 1,
                                    .pColorAttachments = &color,
                                    .pDepthStencilAttachment = &depth};
    VkSubpassDependency dependency = {.srcSubpass = 0,
                                      .dstSubpass = VK_SUBPASS_EXTERNAL,
                                      .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                      .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                      .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                      .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
    VkRenderPassCreateInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                   .attachmentCount = 2,
                                   .pAttachments = attachments,
                                   .subpassCount = 1,
                                   .pSubpasses = &subpass,
                                   .dependencyCount = 1,
                                   .pDependencies = &dependency};
    VK_MUST(vkCreateRenderPass(vk->device, &pass, NULL, &s->pass));
    VkImageView views[] = {vk->view, s->depth_view};
    VkFramebufferCreateInfo framebuffer = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                           .renderPass = s->pass,
                                           .attachmentCount = 2,
                                           .pAttachments = views,
                                           .width = VK_WIDTH,
                                           .height = VK_HEIGHT,
                                           .layers = 1};
    VK_MUST(vkCreateFramebuffer(vk->device, &framebuffer, NULL, &s->framebuffer));
}

/* Set 0, binding 0: the depth, or a counter of the shader's own. */
static void make_set(scene *s)
{
    vk_program *vk = &s->vk;
    VkDescriptorType type =
        s->variant->input ? VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    VkDescriptorSetLayoutBinding binding = {
        .descriptorType = type, .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT};
    VkDescriptorSetLayoutCreateInfo set_layout = {.sType =
                                                      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                  .bindingCount = 1,
                                                  .pBindings = &binding};
    VK_MUST(vkCreateDescriptorSetLayout(vk->device, &set_layout, NULL, &s->set_layout));
    VkPushConstantRange range = {VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, 0, PUSH_BYTES};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &s->set_layout,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &range};
    VK_MUST(vkCreatePipelineLayout(vk->device, &layout, NULL, &s->layout));
    VkDescriptorPoolSize size = {type, 1};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1,
                                       .poolSizeCount = 1,
                                       .pPoolSizes = &size};
    VK_MUST(vkCreateDescriptorPool(vk->device, &pool, NULL, &s->pool));
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = s->pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &s->set_layout};
    VK_MUST(vkAllocateDescriptorSets(vk->device, &allocate, &s->set));
    VkDescriptorImageInfo image = {.imageView = s->depth_view, .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
    VkDescriptorBufferInfo buffer = {vk->buffers[0].buffer, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstSet = s->set,
                                  .descriptorCount = 1,
                                  .descriptorType = type,
                                  .pImageInfo = &image,
                                  .pBufferInfo = &buffer};
    vkUpdateDescriptorSets(vk->device, 1, &write, 0, NULL);
}

static void make_pipeline(scene *s, const char *folder)
{
    vk_program *vk = &s->vk;
    const variant *v = s->variant;
    s->modules[0] = vk_load(vk, folder, "early.vert");
    s->modules[1] = vk_load(vk, folder, v->shader);
    vk_stage stages[] = {{.stage = VK_SHADER_STAGE_VERTEX_BIT, .module = s->modules[0]},
                         {.stage = VK_SHADER_STAGE_FRAGMENT_BIT, .module = s->modules[1]}};
    vk_state state;
    vk_fill_state(&state, vk, stages, 2, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = VK_TRUE,
        .depthWriteEnable = !v->input,
        .depthCompareOp = VK_COMPARE_OP_LESS};
    VkDynamicState dynamic[2];
    VkPipelineDynamicStateCreateInfo dynamics = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, .pDynamicStates = dynamic};
    if (v->dynamic_coverage)
        dynamic[dynamics.dynamicStateCount++] = VK_DYNAMIC_STATE_ALPHA_TO_COVERAGE_ENABLE_EXT;
    if (v->dynamic_feedback)
        dynamic[dynamics.dynamicStateCount++] = DYNAMIC_FEEDBACK;
    state.samples.alphaToCoverageEnable = v->coverage;
    state.info.flags = v->feedback ? PIPELINE_DEPTH_FEEDBACK : 0;
    state.info.pDepthStencilState = &depth;
    state.info.pDynamicState = &dynamics;
    state.info.layout = s->layout;
    state.info.renderPass = s->pass;
    VK_MUST(vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &state.info, NULL, &s->pipeline));
}

typedef void(VKAPI_PTR *set_feedback)(VkCommandBuffer, VkImageAspectFlags);

static void set_dynamic(const scene *s)
{
    const vk_program *vk = &s->vk;
    if (s->variant->dynamic_coverage) {
        PFN_vkCmdSetAlphaToCoverageEnableEXT set = (PFN_vkCmdSetAlphaToCoverageEnableEXT)vkGetDeviceProcAddr(
            vk->device, "vkCmdSetAlphaToCoverageEnableEXT");
        need(set != NULL, "vkCmdSetAlphaToCoverageEnableEXT");
        set(vk->commands, VK_TRUE);
    }
    if (s->variant->dynamic_feedback) {
        set_feedback set =
            (set_feedback)vkGetDeviceProcAddr(vk->device, "vkCmdSetAttachmentFeedbackLoopEnableEXT");
        need(set != NULL, "vkCmdSetAttachmentFeedbackLoopEnableEXT");
        set(vk->commands, 0);
    }
}

static void draw(scene *s)
{
    vk_program *vk = &s->vk;
    const VkShaderStageFlags stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    /* Without depth writes what is cleared decides; it lies between the second layer and the third. */
    const float depths[LAYERS] = {0.2f, 0.4f, 0.8f}, cleared = s->variant->input ? 0.5f : 1.0f;
    VkClearValue clear[] = {{.color = {.float32 = {0.25f, 0.5f, 0.75f, 1.0f}}},
                            {.depthStencil = {cleared, 0}}};
    VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                  .renderPass = s->pass,
                                  .framebuffer = s->framebuffer,
                                  .renderArea = {{0, 0}, {VK_WIDTH, VK_HEIGHT}},
                                  .clearValueCount = 2,
                                  .pClearValues = clear};
    vk_begin(vk);
    vkCmdResetQueryPool(vk->commands, s->queries, 0, 1);
    vkCmdBeginRenderPass(vk->commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(vk->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, s->pipeline);
    vkCmdBindDescriptorSets(vk->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, s->layout, 0, 1, &s->set, 0, NULL);
    set_dynamic(s);
    vkCmdBeginQuery(vk->commands, s->queries, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    for (uint32_t i = 0; i < LAYERS; i++) {
        vkCmdPushConstants(vk->commands, s->layout, stages, 0, sizeof depths[i], &depths[i]);
        vkCmdPushConstants(vk->commands, s->layout, stages, sizeof depths[i], sizeof i, &i);
        vkCmdDraw(vk->commands, 3, 1, 0, 0);
    }
    vkCmdEndQuery(vk->commands, s->queries, 0);
    vkCmdEndRenderPass(vk->commands);
    vk_copy_pixels(vk);
    vk_finish(vk);
}

static void tell(scene *s)
{
    vk_program *vk = &s->vk;
    uint64_t samples = 0;
    uint32_t sum = 2166136261u;
    VK_MUST(vkGetQueryPoolResults(vk->device, s->queries, 0, 1, sizeof samples, &samples, sizeof samples,
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    for (size_t i = 0; i < VK_WIDTH * VK_HEIGHT; i++)
        sum = (sum ^ vk->pixels.words[i]) * 16777619u;
    printf("samples %llu picture %08x", (unsigned long long)samples, sum);
    if (strcmp(s->variant->name, "stores") == 0)
        printf(" ran %u", vk->buffers[0].words[0]);
    printf("\n");
}

static void finish(scene *s)
{
    VkDevice device = s->vk.device;
    vkDestroyQueryPool(device, s->queries, NULL);
    vkDestroyPipeline(device, s->pipeline, NULL);
    for (int i = 0; i < 2; i++)
        vkDestroyShaderModule(device, s->modules[i], NULL);
    vkDestroyDescriptorPool(device, s->pool, NULL);
    vkDestroyPipelineLayout(device, s->layout, NULL);
    vkDestroyDescriptorSetLayout(device, s->set_layout, NULL);
    vkDestroyFramebuffer(device, s->framebuffer, NULL);
    vkDestroyRenderPass(device, s->pass, NULL);
    vkDestroyImageView(device, s->depth_view, NULL);
    vkDestroyImage(device, s->depth, NULL);
    vkFreeMemory(device, s->depth_memory, NULL);
    vk_close(&s->vk);
}

int main(int argc, char **argv)
{
    scene s = {0};
    for (size_t i = 0; argc == 3 && i < sizeof variants / sizeof *variants; i++)
        if (strcmp(argv[1], variants[i].name) == 0)
            s.variant = &variants[i];
    if (!s.variant) {
        fprintf(stderr, "usage: e2e_early VARIANT SPIRV-FOLDER\n");
        return 2;
    }
    vk_open(&s.vk, VK_API_VERSION_1_1, VK_STYLE_STATE, 64);
    need(!s.vk.memoryless, "memory");
    need(s.vk.features.occlusionQueryPrecise, "precise occlusion queries");
    need(s.vk.features.fragmentStoresAndAtomics, "stores of fragment shaders");
    need(!s.variant->dynamic_coverage || s.vk.dynamic_coverage, "dynamic alpha to coverage");
    need(!s.variant->feedback || s.vk.feedback, "attachment feedback loops");
    need(!s.variant->dynamic_feedback || s.vk.dynamic_feedback, "dynamic attachment feedback loops");
    make_depth(&s);
    make_pass(&s);
    make_set(&s);
    make_pipeline(&s, argv[2]);
    VkQueryPoolCreateInfo queries = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                     .queryType = VK_QUERY_TYPE_OCCLUSION,
                                     .queryCount = 1};
    VK_MUST(vkCreateQueryPool(s.vk.device, &queries, NULL, &s.queries));
    draw(&s);
    tell(&s);
    finish(&s);
    return 0;
}
