/* Scenarios about contents of uniform blocks (layer/contents): `contents-train`, and `contents` with how
 * many frames. Each frame draws cells of a grid, each with a material of its own. Between and in frames the
 * materials change in every way that a program has: by the host before a submission and between two
 * submissions of one command buffer, by copies, fills and updates before a pass, between passes, by a
 * shader in the pass, through another buffer of the same memory, by other descriptors and dynamic offsets,
 * and by a submission before that only a semaphore orders, as a program with two queues does.
 * A pipeline for contents that are no longer there would give other pixels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/app.h"

enum {
    CELLS = 48,
    VERTICES = 6,
    SLOTS = 16,     /* materials of a buffer */
    SLOT_WORDS = 64 /* 256 bytes: no device asks for more between dynamic offsets */
};

typedef struct material {
    uint32_t kind, divisor, rounds;
    float coat, sheen;
    uint32_t flags, unused[2];
    float tint[4];
} material;

typedef struct surroundings {
    uint32_t lights;
    float fog;
    int32_t size[2];
} surroundings;

/* What training sees, in this order of frequency. */
static const material usual[3] = {{2, 12, 4, 0, 0, 1, {0}, {0.5f, 0.25f, 0.125f, 1}},
                                  {1, 7, 3, 0, 0, 1, {0}, {0.5f, 0.25f, 0.125f, 1}},
                                  {0, 5, 2, 0.5f, 0, 1, {0}, {0.5f, 0.25f, 0.125f, 1}}};
static const surroundings usual_scene = {2, 0, {64, 48}};

typedef struct scene {
    vk_program *vk;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet sets[2]; /* of materials in memory that the host writes; that commands write */
    VkPipeline drawing, never_drawn, writing;
    VkRenderPass pass; /* with a dependency of its subpass on itself */
    VkFramebuffer framebuffer;
    vk_buffer materials[2], scenes, staging, indices, indirect;
    VkBuffer alias;         /* of materials[0]'s memory */
    uint32_t drawn[2];      /* slots that draws of the pass read, one bit each */
    VkCommandBuffer writer; /* of the submission before a frame */
    VkSemaphore written;    /* what it signals */
    uint32_t random;
    uint64_t recorded, changes; /* of contents: by the commands of a frame; made so far */
    uint64_t passes, idle;      /* begun; of these, without a draw */
} scene;

static uint32_t next(scene *s)
{
    s->random = s->random * 1664525u + 1013904223u;
    return s->random >> 8;
}

/* -- Contents */

static material any_material(scene *s)
{
    material m = usual[next(s) % 3];
    switch (next(s) % 10) {
    case 0:
        m.kind = next(s) % 4;
        break;
    case 1:
        m.divisor = 1 + next(s) % 16;
        break;
    case 2:
        m.rounds = next(s) % 5;
        break;
    case 3:
        m.coat = (float)(next(s) % 4) * 0.25f;
        break;
    case 4:
        m.sheen = (float)(next(s) % 3) * 0.5f;
        break;
    case 5:
        m.flags = next(s) % 8;
        break;
    default:
        break; /* usual, most of the time */
    }
    return m;
}

static uint32_t *slot_of(const vk_buffer *buffer, uint32_t slot)
{
    return buffer->words + slot * SLOT_WORDS;
}

static void put(const vk_buffer *buffer, uint32_t slot, material m)
{
    memcpy(slot_of(buffer, slot), &m, sizeof m);
}

/* -- Objects */

/* `clear`: the first one. Others add to what is there, so that nothing wrong is ever lost. */
static VkRenderPass make_pass(vk_program *vk, bool clear)
{
    const VkAttachmentDescription target = {
        .format = VK_FORMAT_R8G8B8A8_UNORM,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = clear ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
        .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
        .initialLayout = clear ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
        .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .colorAttachmentCount = 1,
                                          .pColorAttachments = &reference};
    /* Copies before the pass become visible by the first, what shaders write in it by the second. */
    const VkSubpassDependency dependencies[3] = {
        {.srcSubpass = VK_SUBPASS_EXTERNAL,
         .srcStageMask = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
         .dstStageMask = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
         .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
         .dstAccessMask = VK_ACCESS_UNIFORM_READ_BIT | VK_ACCESS_SHADER_READ_BIT |
                          VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT |
                          VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT},
        {.srcStageMask = VK_PIPELINE_STAGE_VERTEX_SHADER_BIT,
         .dstStageMask = VK_PIPELINE_STAGE_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
         .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
         .dstAccessMask = VK_ACCESS_UNIFORM_READ_BIT},
        {.dstSubpass = VK_SUBPASS_EXTERNAL,
         .srcStageMask = VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
         .dstStageMask = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
         .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
         .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT}};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = 1,
                                         .pAttachments = &target,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass,
                                         .dependencyCount = 3,
                                         .pDependencies = dependencies};
    VkRenderPass pass;
    VK_MUST(vkCreateRenderPass(vk->device, &info, NULL, &pass));
    return pass;
}

static VkPipeline make_pipeline(scene *s, const char *vertex)
{
    vk_program *vk = s->vk;
    vk_stage stages[2] = {{VK_SHADER_STAGE_VERTEX_BIT, app_load(vk, vertex), NULL},
                          {VK_SHADER_STAGE_FRAGMENT_BIT, app_load(vk, "contents.frag"), NULL}};
    vk_state state;
    VkPipeline pipeline;
    vk_fill_state(&state, vk, stages, 2, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    state.info.layout = s->layout;
    state.info.renderPass = s->pass;
    VK_MUST(vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &state.info, NULL, &pipeline));
    for (int i = 0; i < 2; i++)
        vkDestroyShaderModule(vk->device, stages[i].module, NULL);
    return pipeline;
}

static void make_layouts(scene *s)
{
    vk_program *vk = s->vk;
    const VkDescriptorSetLayoutBinding bindings[3] = {
        {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT, NULL},
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, NULL}};
    const VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                 .bindingCount = 3,
                                                 .pBindings = bindings};
    const VkPushConstantRange range = {VK_SHADER_STAGE_VERTEX_BIT, 0, 8};
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1,
                                               .pSetLayouts = &s->set_layout,
                                               .pushConstantRangeCount = 1,
                                               .pPushConstantRanges = &range};
    const VkDescriptorPoolSize sizes[3] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 8},
                                           {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 8},
                                           {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 8}};
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = 8,
                                             .poolSizeCount = 3,
                                             .pPoolSizes = sizes};
    VK_MUST(vkCreateDescriptorSetLayout(vk->device, &set, NULL, &s->set_layout));
    VK_MUST(vkCreatePipelineLayout(vk->device, &layout, NULL, &s->layout));
    VK_MUST(vkCreateDescriptorPool(vk->device, &pool, NULL, &s->pool));
}

static VkDescriptorSet make_set(scene *s, VkBuffer materials, VkBuffer written)
{
    vk_program *vk = s->vk;
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = s->pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &s->set_layout};
    const VkDescriptorBufferInfo held[3] = {
        {materials, 0, sizeof(material)}, {s->scenes.buffer, 0, VK_WHOLE_SIZE}, {written, 0, VK_WHOLE_SIZE}};
    VkWriteDescriptorSet writes[3];
    VkDescriptorSet set;
    VK_MUST(vkAllocateDescriptorSets(vk->device, &info, &set));
    for (uint32_t i = 0; i < 3; i++)
        writes[i] =
            (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .dstSet = set,
                                   .dstBinding = i,
                                   .descriptorCount = 1,
                                   .descriptorType = i == 0   ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC
                                                     : i == 1 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                                              : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                   .pBufferInfo = &held[i]};
    vkUpdateDescriptorSets(vk->device, 3, writes, 0, NULL);
    return set;
}

/* Another buffer of the memory of materials[0]. */
static void make_alias(scene *s)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = SLOTS * SLOT_WORDS * 4,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                              VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkMemoryRequirements needs;
    VK_MUST(vkCreateBuffer(s->vk->device, &info, NULL, &s->alias));
    vkGetBufferMemoryRequirements(s->vk->device, s->alias, &needs);
    VK_MUST(vkBindBufferMemory(s->vk->device, s->alias, s->materials[0].memory, 0));
}

static void begin_pass_on(scene *s, VkRenderPass which, uint32_t width, uint32_t height)
{
    const VkClearValue clear = {.color = {.float32 = {0.25f, 0.5f, 0.75f, 1.0f}}};
    const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = which,
                                        .framebuffer = s->framebuffer,
                                        .renderArea = {{0, 0}, {width, height}},
                                        .clearValueCount = 1,
                                        .pClearValues = &clear};
    vkCmdBeginRenderPass(s->vk->commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
    s->passes++;
}

static void begin_pass(scene *s, VkRenderPass which)
{
    begin_pass_on(s, which, VK_WIDTH, VK_HEIGHT);
}

/* An image to start from. */
static void clear_image(scene *s)
{
    const VkRenderPass pass = make_pass(s->vk, true);
    vk_begin(s->vk);
    begin_pass(s, pass);
    vkCmdEndRenderPass(s->vk->commands);
    vk_finish(s->vk);
    vkDestroyRenderPass(s->vk->device, pass, NULL);
}

static void make_writer(scene *s)
{
    const VkCommandBufferAllocateInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                .commandPool = s->vk->pool,
                                                .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                                .commandBufferCount = 1};
    const VkSemaphoreCreateInfo semaphore = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VK_MUST(vkAllocateCommandBuffers(s->vk->device, &buffer, &s->writer));
    VK_MUST(vkCreateSemaphore(s->vk->device, &semaphore, NULL, &s->written));
}

static scene open_scene(vk_program *vk)
{
    scene s = {.vk = vk, .random = 20261125};
    const VkBufferUsageFlags held = VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    const uint32_t arguments[9] = {VERTICES, 1, 40 * VERTICES, 0, VERTICES, 1, 0, 41 * VERTICES, 0};
    s.pass = make_pass(vk, false);
    const VkFramebufferCreateInfo frame = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                           .renderPass = s.pass,
                                           .attachmentCount = 1,
                                           .pAttachments = &vk->view,
                                           .width = VK_WIDTH,
                                           .height = VK_HEIGHT,
                                           .layers = 1};
    VK_MUST(vkCreateFramebuffer(vk->device, &frame, NULL, &s.framebuffer));
    for (int i = 0; i < 2; i++)
        vk_make_buffer(vk, &s.materials[i], SLOTS * SLOT_WORDS, held);
    vk_make_buffer(vk, &s.scenes, sizeof(surroundings) / 4, held);
    vk_make_buffer(vk, &s.staging, SLOTS * SLOT_WORDS, VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
    vk_make_buffer(vk, &s.indices, VERTICES, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
    vk_make_buffer(vk, &s.indirect, 9, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
    for (uint32_t i = 0; i < VERTICES; i++)
        s.indices.words[i] = i;
    memcpy(s.indirect.words, arguments, sizeof arguments);
    make_layouts(&s);
    make_alias(&s);
    s.sets[0] = make_set(&s, s.materials[0].buffer, s.alias);
    s.sets[1] = make_set(&s, s.materials[1].buffer, s.materials[1].buffer);
    s.drawing = make_pipeline(&s, "contents.vert");
    s.never_drawn = make_pipeline(&s, "contents.vert");
    s.writing = make_pipeline(&s, "contents_writer.vert");
    make_writer(&s);
    memcpy(s.scenes.words, &usual_scene, sizeof usual_scene);
    for (uint32_t i = 0; i < SLOTS; i++)
        for (int k = 0; k < 2; k++)
            put(&s.materials[k], i, usual[i % 3]);
    clear_image(&s);
    return s;
}

static void close_scene(scene *s)
{
    VkDevice device = s->vk->device;
    vkFreeCommandBuffers(device, s->vk->pool, 1, &s->writer);
    vkDestroySemaphore(device, s->written, NULL);
    vkDestroyPipeline(device, s->drawing, NULL);
    vkDestroyPipeline(device, s->never_drawn, NULL);
    vkDestroyPipeline(device, s->writing, NULL);
    vkDestroyDescriptorPool(device, s->pool, NULL);
    vkDestroyPipelineLayout(device, s->layout, NULL);
    vkDestroyDescriptorSetLayout(device, s->set_layout, NULL);
    vkDestroyBuffer(device, s->alias, NULL);
    for (int i = 0; i < 2; i++)
        vk_drop_buffer(s->vk, &s->materials[i]);
    vk_drop_buffer(s->vk, &s->scenes);
    vk_drop_buffer(s->vk, &s->staging);
    vk_drop_buffer(s->vk, &s->indices);
    vk_drop_buffer(s->vk, &s->indirect);
    vkDestroyFramebuffer(device, s->framebuffer, NULL);
    vkDestroyRenderPass(device, s->pass, NULL);
}

/* -- Commands */

static void draw_cell(scene *s, uint32_t cell)
{
    VkCommandBuffer commands = s->vk->commands;
    const uint32_t slot = next(s) % SLOTS, which = next(s) % 2, offset = slot * SLOT_WORDS * 4;
    s->drawn[which] |= 1u << slot;
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, s->layout, 0, 1, &s->sets[which], 1,
                            &offset);
    switch (next(s) % 8) {
    case 0:
        vkCmdDrawIndexed(commands, VERTICES, 1, 0, (int32_t)(cell * VERTICES), 0);
        break;
    case 1:
        vkCmdDrawIndirect(commands, s->indirect.buffer, 0, 1, 16);
        break;
    case 2:
        vkCmdDrawIndexedIndirect(commands, s->indirect.buffer, 16, 1, 20);
        break;
    default:
        vkCmdDraw(commands, VERTICES, 1, cell * VERTICES, 0);
        break;
    }
}

/* A shader writes a word of a material, and the pass goes on once that is visible. Nothing in a subpass can
 * make the write wait for fragments that read the place before: such places are left alone. */
static void write_in_pass(scene *s)
{
    VkCommandBuffer commands = s->vk->commands;
    const uint32_t which = next(s) % 2, slot = next(s) % SLOTS, zero = 0;
    const uint32_t push[2] = {slot * SLOT_WORDS + next(s) % 3, 1 + next(s) % 12};
    if (s->drawn[which] >> slot & 1)
        return;
    const VkMemoryBarrier visible = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_UNIFORM_READ_BIT};
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, s->writing);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, s->layout, 0, 1, &s->sets[which], 1,
                            &zero);
    vkCmdPushConstants(commands, s->layout, VK_SHADER_STAGE_VERTEX_BIT, 0, 8, push);
    s->recorded++;
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_VERTEX_SHADER_BIT,
                         VK_PIPELINE_STAGE_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, 0, 1,
                         &visible, 0, NULL, 0, NULL);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, s->drawing);
}

/* Commands before a pass that change materials: an update, a fill, a copy, through the alias or not. */
static void change_by_commands(scene *s)
{
    VkCommandBuffer commands = s->vk->commands;
    const VkBuffer targets[3] = {s->materials[0].buffer, s->materials[1].buffer, s->alias};
    const VkBuffer target = targets[next(s) % 3];
    const uint32_t slot = next(s) % SLOTS;
    const VkDeviceSize at = (VkDeviceSize)slot * SLOT_WORDS * 4;
    const material m = any_material(s);
    const VkBufferCopy region = {at, at, sizeof m};
    s->recorded++;
    switch (next(s) % 3) {
    case 0:
        vkCmdUpdateBuffer(commands, target, at, sizeof m, &m);
        break;
    case 1:
        vkCmdFillBuffer(commands, target, at + 4, 4, 1 + next(s) % 13);
        break;
    default:
        put(&s->staging, slot, m);
        vkCmdCopyBuffer(commands, s->staging.buffer, target, 1, &region);
        break;
    }
    /* Two changes may be of one place. */
    const VkMemoryBarrier order = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                   .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                   .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1,
                         &order, 0, NULL, 0, NULL);
}

static void record_pass(scene *s)
{
    const uint32_t cells = 4 + next(s) % 20;
    s->drawn[0] = s->drawn[1] = 0;
    begin_pass(s, s->pass);
    vkCmdBindPipeline(s->vk->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, s->drawing);
    vkCmdBindIndexBuffer(s->vk->commands, s->indices.buffer, 0, VK_INDEX_TYPE_UINT32);
    for (uint32_t i = 0; i < cells; i++) {
        if (next(s) % 12 == 0)
            write_in_pass(s);
        draw_cell(s, next(s) % CELLS);
    }
    vkCmdEndRenderPass(s->vk->commands);
}

/* A pass of another size, which draws nothing at first. The layer stops comparing before it, and begins
 * again. */
static void record_small_pass(scene *s, bool draws)
{
    begin_pass_on(s, s->pass, 8, 8);
    if (draws) {
        vkCmdBindPipeline(s->vk->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, s->drawing);
        vkCmdBindIndexBuffer(s->vk->commands, s->indices.buffer, 0, VK_INDEX_TYPE_UINT32);
        draw_cell(s, 0);
    }
    s->idle += !draws;
    vkCmdEndRenderPass(s->vk->commands);
}

/* -- Frames */

/* What the host changes between submissions. */
static void change_by_host(scene *s)
{
    for (uint32_t i = next(s) % 6; i > 0; i--, s->changes++)
        put(&s->materials[next(s) % 2], next(s) % SLOTS, any_material(s));
    surroundings around = usual_scene;
    if (next(s) % 4 == 0)
        around.lights = next(s) % 4;
    if (next(s) % 8 == 0)
        around.fog = 0.5f;
    s->changes += memcmp(s->scenes.words, &around, sizeof around) != 0;
    memcpy(s->scenes.words, &around, sizeof around);
}

/* A submission of its own writes a material and signals. Only the semaphore orders it and the frame. */
static void write_before(scene *s)
{
    const uint32_t slot = next(s) % SLOTS;
    const material m = any_material(s);
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &s->writer,
                               .signalSemaphoreCount = 1,
                               .pSignalSemaphores = &s->written};
    VK_MUST(vkBeginCommandBuffer(s->writer, &begin));
    vkCmdUpdateBuffer(s->writer, s->materials[next(s) % 2].buffer, (VkDeviceSize)slot * SLOT_WORDS * 4,
                      sizeof m, &m);
    VK_MUST(vkEndCommandBuffer(s->writer));
    VK_MUST(vkQueueSubmit(s->vk->queue, 1, &info, VK_NULL_HANDLE));
    s->changes++;
}

/* The frame waits with the stages that use materials. The compute stage is not among them: the layer's
 * comparison is ordered by its barrier alone. */
static void submit(scene *s)
{
    const VkPipelineStageFlags users = VK_PIPELINE_STAGE_VERTEX_SHADER_BIT |
                                       VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    const bool waits = next(s) % 3 == 0;
    if (waits)
        write_before(s);
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .waitSemaphoreCount = waits,
                               .pWaitSemaphores = &s->written,
                               .pWaitDstStageMask = &users,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &s->vk->commands};
    VK_MUST(vkQueueSubmit(s->vk->queue, 1, &info, VK_NULL_HANDLE));
    VK_MUST(vkQueueWaitIdle(s->vk->queue));
}

static void record_frame(scene *s, bool draws_small)
{
    vk_program *vk = s->vk;
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const VkMemoryBarrier to_host = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT};
    VK_MUST(vkBeginCommandBuffer(vk->commands, &begin));
    s->recorded = 0;
    record_small_pass(s, draws_small);
    for (uint32_t passes = 1 + next(s) % 2; passes > 0; passes--) {
        for (uint32_t i = next(s) % 3; i > 0; i--)
            change_by_commands(s);
        record_pass(s);
    }
    vk_copy_pixels(vk);
    vkCmdPipelineBarrier(vk->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &to_host, 0, NULL, 0, NULL);
    VK_MUST(vkEndCommandBuffer(vk->commands));
}

void app_contents(vk_program *vk, const char *argument)
{
    scene s = open_scene(vk);
    const uint32_t frames = argument ? (uint32_t)strtoul(argument, NULL, 10) : 200;
    uint32_t sum = 0, images = 0;
    for (uint32_t frame = 0; frame < frames; frame++) {
        record_frame(&s, frame >= frames / 2);
        for (uint32_t times = 1 + next(&s) % 3; times > 0; times--, images++) {
            change_by_host(&s);
            submit(&s);
            s.changes += s.recorded;
            sum = sum * 31u + app_checksum(vk->pixels.words, VK_WIDTH * VK_HEIGHT);
        }
        if (frame % 25 == 24 || frame + 1 == frames)
            printf("frame %u, image %u: %08x\n", frame + 1, images, sum);
    }
    printf("changes of contents: %llu\n", (unsigned long long)s.changes);
    printf("passes: %llu, %llu without a draw\n", (unsigned long long)s.passes, (unsigned long long)s.idle);
    close_scene(&s);
}

/* The usual materials alone. */
void app_contents_train(vk_program *vk)
{
    scene s = open_scene(vk);
    for (uint32_t frame = 0; frame < 8; frame++) {
        vk_begin(vk);
        begin_pass(&s, s.pass);
        vkCmdBindPipeline(vk->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, s.drawing);
        for (uint32_t cell = 0; cell < CELLS; cell++) {
            const uint32_t offset = (cell % 4 < 2 ? 0 : cell % 4 == 2 ? 1 : 2) * SLOT_WORDS * 4;
            vkCmdBindDescriptorSets(vk->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &s.sets[0],
                                    1, &offset);
            vkCmdDraw(vk->commands, VERTICES, 1, cell * VERTICES, 0);
        }
        vkCmdEndRenderPass(vk->commands);
        vk_copy_pixels(vk);
        vk_finish(vk);
    }
    printf("trained %08x\n", app_checksum(vk->pixels.words, VK_WIDTH * VK_HEIGHT));
    close_scene(&s);
}
