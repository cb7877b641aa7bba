/* The same as app_variants.c for graphics pipelines: `variants-draw-train`, `variants-draw`,
 * `variants-rendering` without render passes, and `variants-linked` of optimised links. The two stages have
 * words of their own and share one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/app.h"

enum { CELLS = 32, VERTICES = 6, SOON_GONE = 12 };
#define BOTH ((VkShaderStageFlags)(VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT))

typedef struct push {
    uint32_t columns, kind; /* vertex */
    uint32_t mode;          /* both */
    uint32_t rounds, flags; /* fragment */
    float scale;
} push;

static const push usual = {8, 1, 2, 4, 1, 0.5f}, second = {8, 2, 2, 3, 1, 0.5f};

typedef struct scene {
    vk_program *vk;
    VkPipelineLayout layout;
    VkPipeline fixed, dynamic; /* viewport and scissor: of the pipeline, of the command buffer */
    vk_buffer indices, indirect;
    app_variants_way way;
} scene;

/* -- Pipelines */

static VkPipelineLayout make_layout(vk_program *vk, uint32_t more)
{
    VkPushConstantRange ranges[2] = {{VK_SHADER_STAGE_VERTEX_BIT, 0, 12},
                                     {VK_SHADER_STAGE_FRAGMENT_BIT, 8, 16 + more}};
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .pushConstantRangeCount = 2,
                                       .pPushConstantRanges = ranges};
    VkPipelineLayout layout;
    VK_MUST(vkCreatePipelineLayout(vk->device, &info, NULL, &layout));
    return layout;
}

/* State that is ignored points nowhere. NVIDIA's driver reads it all the same (580.159.04): not on GPUs. */
static VkPipeline make_of(const char *vertex, vk_program *vk, VkPipelineLayout layout, VkRenderPass pass,
                          bool linked, bool dynamic)
{
    static const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR,
                                            VK_DYNAMIC_STATE_BLEND_CONSTANTS};
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    vk_stage stages[2] = {{VK_SHADER_STAGE_VERTEX_BIT, app_load(vk, vertex), NULL},
                          {VK_SHADER_STAGE_FRAGMENT_BIT, app_load(vk, "variants.frag"), NULL}};
    VkPipelineDynamicStateCreateInfo moving = {.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                               .dynamicStateCount = dynamic ? 3 : 0,
                                               .pDynamicStates = states};
    VkPipelineRenderingCreateInfo rendering = {.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
                                               .colorAttachmentCount = 1,
                                               .pColorAttachmentFormats = &format};
    vk_state state;
    VkPipeline pipeline;
    vk_fill_state(&state, vk, stages, 2, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    state.attachment.blendEnable = VK_TRUE;
    state.attachment.srcColorBlendFactor = VK_BLEND_FACTOR_CONSTANT_COLOR;
    state.attachment.srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE;
    for (int i = 0; i < 4; i++)
        state.blend.blendConstants[i] = 0.75f;
    state.info.pDynamicState = dynamic ? &moving : NULL;
    const void *nowhere = getenv("WPG_HARDWARE_ICD") ? NULL : (const void *)(uintptr_t)16;
    /* The validation layer 1.3.239 follows it in a part. */
    state.info.pDepthStencilState = linked ? NULL : nowhere;
    state.info.pTessellationState = nowhere;
    if (dynamic) {
        state.view.pViewports = nowhere;
        state.view.pScissors = nowhere;
    }
    state.info.layout = layout;
    state.info.renderPass = pass;
    state.info.pNext = pass ? NULL : &rendering;
    if (linked)
        pipeline = vk_make_linked(vk, &state);
    else
        VK_MUST(vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &state.info, NULL, &pipeline));
    for (int i = 0; i < 2; i++)
        vkDestroyShaderModule(vk->device, stages[i].module, NULL);
    return pipeline;
}

static VkPipeline make_pipeline(const scene *s, VkPipelineLayout layout, VkRenderPass pass, bool dynamic)
{
    return make_of("variants.vert", s->vk, layout, pass, s->way == APP_VARIANTS_LINKED, dynamic);
}

/* -- Commands */

static void push_all(VkCommandBuffer commands, VkPipelineLayout layout, const push *values)
{
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, 8, values);
    vkCmdPushConstants(commands, layout, BOTH, 8, 4, &values->mode);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_FRAGMENT_BIT, 12, 12, &values->rounds);
}

static void draw(VkCommandBuffer commands, uint32_t cell)
{
    vkCmdDraw(commands, VERTICES, 1, cell * VERTICES, 0);
}

static void set_state(VkCommandBuffer commands)
{
    VkViewport viewport = {2, 1, VK_WIDTH - 9, VK_HEIGHT - 4, 0, 1};
    VkRect2D scissor = {{3, 0}, {VK_WIDTH - 7, VK_HEIGHT - 2}};
    const float constants[4] = {0.5f, 0.75f, 1.0f, 0.25f};
    vkCmdSetViewport(commands, 0, 1, &viewport);
    vkCmdSetScissor(commands, 0, 1, &scissor);
    vkCmdSetBlendConstants(commands, constants);
}

static void to_layout(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                    .dstAccessMask =
                                        VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT,
                                    .oldLayout = from,
                                    .newLayout = to,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
                         0, NULL, 0, NULL, 1, &barrier);
}

static void begin_frame(const scene *s, VkSubpassContents contents)
{
    vk_program *vk = s->vk;
    VkClearValue clear = {.color = {.float32 = {0.25f, 0.5f, 0.75f, 1.0f}}};
    vk_begin(vk);
    if (s->way == APP_VARIANTS_RENDERING) {
        VkRenderingAttachmentInfo target = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
                                            .imageView = vk->view,
                                            .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                                            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                            .clearValue = clear};
        VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                                .flags = contents ? VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT : 0,
                                .renderArea = {{0, 0}, {VK_WIDTH, VK_HEIGHT}},
                                .layerCount = 1,
                                .colorAttachmentCount = 1,
                                .pColorAttachments = &target};
        to_layout(vk->commands, vk->image, VK_IMAGE_LAYOUT_UNDEFINED,
                  VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
        ((PFN_vkCmdBeginRendering)vk_command(vk, "vkCmdBeginRendering"))(vk->commands, &info);
        return;
    }
    VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                  .renderPass = vk->pass,
                                  .framebuffer = vk->framebuffer,
                                  .renderArea = {{0, 0}, {VK_WIDTH, VK_HEIGHT}},
                                  .clearValueCount = 1,
                                  .pClearValues = &clear};
    vkCmdBeginRenderPass(vk->commands, &pass, contents);
}

static void end_frame(const scene *s, const char *what)
{
    vk_program *vk = s->vk;
    if (s->way == APP_VARIANTS_RENDERING) {
        ((PFN_vkCmdEndRendering)vk_command(vk, "vkCmdEndRendering"))(vk->commands);
        to_layout(vk->commands, vk->image, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    } else {
        vkCmdEndRenderPass(vk->commands);
    }
    vk_copy_pixels(vk);
    vk_finish(vk);
    printf("%s %08x\n", what, app_checksum(vk->pixels.words, VK_WIDTH * VK_HEIGHT));
}

static void bind(VkCommandBuffer commands, VkPipeline pipeline)
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
}

/* -- The scenes */

/* Usual, changed word by word and stage by stage, never seen, and usual again, in one pass. */
static void record_partial(const scene *s, VkCommandBuffer commands)
{
    static const push strange[] = {
        {8, 3, 2, 4, 1, 0.5f}, {8, 1, 3, 4, 1, 0.5f}, {5, 1, 2, 4, 6, -3.5f}, {8, 0, 0, 0, 0, 0}};
    uint32_t cell = 0;
    push_all(commands, s->layout, &usual);
    draw(commands, cell++);
    vkCmdPushConstants(commands, s->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 12, 4, &(uint32_t){7});
    draw(commands, cell++);
    vkCmdPushConstants(commands, s->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 12, 4, &usual.rounds);
    draw(commands, cell++);
    vkCmdPushConstants(commands, s->layout, BOTH, 8, 4, &(uint32_t){9});
    draw(commands, cell++);
    vkCmdPushConstants(commands, s->layout, VK_SHADER_STAGE_VERTEX_BIT, 4, 4, &(uint32_t){0});
    draw(commands, cell++);
    push_all(commands, s->layout, &second);
    draw(commands, cell++);
    vkCmdPushConstants(commands, s->layout, VK_SHADER_STAGE_FRAGMENT_BIT, 20, 4, &(float){9.25f});
    draw(commands, cell++); /* a word that no variant asks about */
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++) {
        push_all(commands, s->layout, &strange[i]);
        draw(commands, cell++);
        push_all(commands, s->layout, &usual);
        draw(commands, cell++);
    }
    vkCmdBindIndexBuffer(commands, s->indices.buffer, 0, VK_INDEX_TYPE_UINT32);
    for (uint32_t i = 0; i < 3; i++) {
        push_all(commands, s->layout, i == 1 ? &strange[2] : &second);
        vkCmdDrawIndexed(commands, VERTICES, 1, 0, (int32_t)(cell++ * VERTICES), 0);
        vkCmdDrawIndirect(commands, s->indirect.buffer, 0, 1, 16);
        vkCmdDrawIndexedIndirect(commands, s->indirect.buffer, 16, 1, 20);
    }
}

static void partial(const scene *s)
{
    begin_frame(s, VK_SUBPASS_CONTENTS_INLINE);
    bind(s->vk->commands, s->fixed);
    record_partial(s, s->vk->commands);
    end_frame(s, "partial");
}

/* Dynamic state is set once, before anything is bound. */
static void dynamic_state(const scene *s)
{
    begin_frame(s, VK_SUBPASS_CONTENTS_INLINE);
    set_state(s->vk->commands);
    bind(s->vk->commands, s->dynamic);
    record_partial(s, s->vk->commands);
    end_frame(s, "dynamic");
}

/* Pipelines whose layouts have other ranges take turns. */
static void two_layouts(const scene *s)
{
    vk_program *vk = s->vk;
    VkPipelineLayout wide = make_layout(vk, 16);
    VkPipeline other =
        make_pipeline(s, wide, s->way == APP_VARIANTS_RENDERING ? VK_NULL_HANDLE : vk->pass, false);
    begin_frame(s, VK_SUBPASS_CONTENTS_INLINE);
    for (uint32_t i = 0; i < 6; i += 2) {
        bind(vk->commands, s->fixed);
        push_all(vk->commands, s->layout, &usual);
        draw(vk->commands, i);
        bind(vk->commands, other);
        push_all(vk->commands, wide, i == 2 ? &usual : &second);
        draw(vk->commands, i + 1);
    }
    end_frame(s, "layouts");
    vkDestroyPipeline(vk->device, other, NULL);
    vkDestroyPipelineLayout(vk->device, wide, NULL);
}

static VkCommandBuffer begin_inner(const scene *s)
{
    vk_program *vk = s->vk;
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = vk->pool,
                                        .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                        .commandBufferCount = 1};
    VkCommandBufferInheritanceRenderingInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &format,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    VkCommandBufferInheritanceInfo inheritance = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
        .pNext = s->way == APP_VARIANTS_RENDERING ? &rendering : NULL,
        .renderPass = s->way == APP_VARIANTS_RENDERING ? VK_NULL_HANDLE : vk->pass};
    VkCommandBufferBeginInfo how = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                    .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT,
                                    .pInheritanceInfo = &inheritance};
    VkCommandBuffer inner;
    VK_MUST(vkAllocateCommandBuffers(vk->device, &info, &inner));
    VK_MUST(vkBeginCommandBuffer(inner, &how));
    return inner;
}

/* What secondaries inherit is the pass, neither pipeline nor push constants. */
static void secondaries(const scene *s)
{
    vk_program *vk = s->vk;
    VkCommandBuffer inner[2];
    for (int i = 0; i < 2; i++) {
        inner[i] = begin_inner(s);
        if (i)
            set_state(inner[i]);
        bind(inner[i], i ? s->dynamic : s->fixed);
        record_partial(s, inner[i]);
        VK_MUST(vkEndCommandBuffer(inner[i]));
    }
    begin_frame(s, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vkCmdExecuteCommands(vk->commands, 2, inner);
    end_frame(s, "secondary");
    vkFreeCommandBuffers(vk->device, vk->pool, 2, inner);
}

/* Pipelines, layouts and passes that go while variants of them may still be made. */
static void soon_gone(scene *s)
{
    vk_program *vk = s->vk;
    for (uint32_t i = 0; i < SOON_GONE; i++) {
        scene gone = *s;
        VkRenderPass pass = s->way == APP_VARIANTS_RENDERING ? VK_NULL_HANDLE : vk_make_pass(vk);
        gone.layout = make_layout(vk, 0);
        gone.fixed = make_pipeline(s, gone.layout, pass, false);
        if (i % 3 == 0) { /* needed no longer than to be made; commands take equal ones */
            vkDestroyPipelineLayout(vk->device, gone.layout, NULL);
            vkDestroyRenderPass(vk->device, pass, NULL);
            gone.layout = make_layout(vk, 0);
            pass = VK_NULL_HANDLE;
        }
        begin_frame(&gone, VK_SUBPASS_CONTENTS_INLINE);
        bind(vk->commands, gone.fixed);
        push_all(vk->commands, gone.layout, i % 2 ? &usual : &second);
        draw(vk->commands, i);
        end_frame(&gone, "gone");
        vkDestroyPipeline(vk->device, gone.fixed, NULL);
        vkDestroyPipelineLayout(vk->device, gone.layout, NULL);
        vkDestroyRenderPass(vk->device, pass, NULL);
    }
}

static scene open_scene(vk_program *vk, app_variants_way way)
{
    scene s = {.vk = vk, .layout = make_layout(vk, 0), .way = way};
    VkRenderPass pass = way == APP_VARIANTS_RENDERING ? VK_NULL_HANDLE : vk->pass;
    const uint32_t arguments[9] = {VERTICES, 1, 20 * VERTICES, 0, VERTICES, 1, 0, 21 * VERTICES, 0};
    s.fixed = make_pipeline(&s, s.layout, pass, false);
    s.dynamic = make_pipeline(&s, s.layout, pass, true);
    vk_make_buffer(vk, &s.indices, VERTICES, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
    vk_make_buffer(vk, &s.indirect, 16, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    for (uint32_t i = 0; i < VERTICES; i++)
        s.indices.words[i] = VERTICES - 1 - i;
    memcpy(s.indirect.words, arguments, sizeof arguments);
    return s;
}

static void close_scene(scene *s)
{
    vk_program *vk = s->vk;
    vkDestroyPipeline(vk->device, s->fixed, NULL);
    vkDestroyPipeline(vk->device, s->dynamic, NULL);
    vkDestroyPipelineLayout(vk->device, s->layout, NULL);
    vk_drop_buffer(vk, &s->indices);
    vk_drop_buffer(vk, &s->indirect);
}

void app_variants_draw_train(vk_program *vk)
{
    scene s = open_scene(vk, APP_VARIANTS_PASS);
    begin_frame(&s, VK_SUBPASS_CONTENTS_INLINE);
    bind(vk->commands, s.fixed);
    for (uint32_t i = 0; i < CELLS; i++) {
        push_all(vk->commands, s.layout, i % 4 ? &usual : &second);
        draw(vk->commands, i);
    }
    end_frame(&s, "trained");
    close_scene(&s);
}

void app_variants_draw(vk_program *vk, app_variants_way way)
{
    scene s = open_scene(vk, way);
    partial(&s);
    dynamic_state(&s);
    two_layouts(&s);
    secondaries(&s);
    soon_gone(&s);
    partial(&s);
    close_scene(&s);
}

/* No pipeline may be bound while what vertices give is captured (VUID-vkCmdBindPipeline-None-02323). */
void app_variants_feedback(vk_program *vk)
{
    scene s = {.vk = vk, .layout = make_layout(vk, 0)};
    vk_buffer captured;
    const VkDeviceSize start = 0;
    s.fixed = make_of("variants_feedback.vert", vk, s.layout, vk->pass, false, false);
    vk_make_buffer(vk, &captured, CELLS * VERTICES, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT);
    begin_frame(&s, VK_SUBPASS_CONTENTS_INLINE);
    VkCommandBuffer commands = vk->commands;
    bind(commands, s.fixed);
    ((PFN_vkCmdBindTransformFeedbackBuffersEXT)vk_command(vk, "vkCmdBindTransformFeedbackBuffersEXT"))(
        commands, 0, 1, &captured.buffer, &start, NULL);
    ((PFN_vkCmdBeginTransformFeedbackEXT)vk_command(vk, "vkCmdBeginTransformFeedbackEXT"))(commands, 0, 0,
                                                                                           NULL, NULL);
    for (uint32_t i = 0; i < CELLS; i++) {
        push_all(commands, s.layout, i % 4 ? &usual : &second);
        draw(commands, i);
    }
    ((PFN_vkCmdEndTransformFeedbackEXT)vk_command(vk, "vkCmdEndTransformFeedbackEXT"))(commands, 0, 0, NULL,
                                                                                       NULL);
    end_frame(&s, "feedback");
    printf("captured %08x\n", app_checksum(captured.words, captured.count));
    vk_drop_buffer(vk, &captured);
    vkDestroyPipeline(vk->device, s.fixed, NULL);
    vkDestroyPipelineLayout(vk->device, s.layout, NULL);
}
