/* See subject.h: one run of it. */
#include <stdlib.h>
#include <string.h>

#include "tests/corpus/contents.h"
#include "tests/corpus/subject.h"

enum { PIXELS = SUBJECT_WIDTH * SUBJECT_HEIGHT };

/* What is drawn into: colours by location, then a depth. */
typedef struct canvas {
    struct {
        VkImage image;
        VkDeviceMemory memory;
        VkImageView view;
        vk_buffer pixels;
        VkImageAspectFlags aspect;
    } targets[SUBJECT_TARGETS + 1];
    VkClearValue clears[SUBJECT_TARGETS + 1];
    uint32_t count;
    VkFramebuffer framebuffer;
    vk_buffer vertices;
} canvas;

static void add_target(canvas *to, vk_program *vk, VkFormat format, uint32_t size)
{
    const bool depth = format == VK_FORMAT_D32_SFLOAT;
    const uint32_t at = to->count++;
    const VkImageCreateInfo image = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                     .imageType = VK_IMAGE_TYPE_2D,
                                     .format = format,
                                     .extent = {SUBJECT_WIDTH, SUBJECT_HEIGHT, 1},
                                     .mipLevels = 1,
                                     .arrayLayers = 1,
                                     .samples = VK_SAMPLE_COUNT_1_BIT,
                                     .usage =
                                         VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                         (depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
                                                : (VkImageUsageFlags)VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT)};
    VK_MUST(vkCreateImage(vk->device, &image, NULL, &to->targets[at].image));
    vk_bind_image(vk, to->targets[at].image, &to->targets[at].memory);
    to->targets[at].aspect = depth ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
    const VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = to->targets[at].image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = format,
                                        .subresourceRange = {to->targets[at].aspect, 0, 1, 0, 1}};
    VK_MUST(vkCreateImageView(vk->device, &view, NULL, &to->targets[at].view));
    vk_make_buffer(vk, &to->targets[at].pixels, (size_t)PIXELS * size / 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
    to->clears[at].color = (VkClearColorValue){.uint32 = {3, 5, 7, 9}};
    if (depth)
        to->clears[at].depthStencil = (VkClearDepthStencilValue){0.25f, 0};
}

/* Floats of an attribute lie in the view as a place would: x and y from -1 to 1, z from 0, w is 1. */
static void fill_vertices(const subject *s, vk_buffer *to, uint32_t data_set)
{
    for (uint32_t v = 0; v < SUBJECT_VERTICES; v++)
        for (uint32_t i = 0; i < s->inputs.count; i++)
            for (uint32_t c = 0; c < 4; c++) {
                const interface_slot *slot = &s->inputs.slots[i];
                uint32_t *word = &to->words[(v * INTERFACE_SLOTS + slot->location) * 4 + c];
                const uint32_t number = contents_int((v * 16 + slot->location) * 4 + c, 1 + data_set) * 8 +
                                        contents_int((v * 16 + slot->location) * 4 + c + 1000, 1 + data_set);
                float real = c == 3 ? 1 : (float)number / 36;
                if (c < 2)
                    real = real * 2 - 1;
                if (slot->kind == INTERFACE_FLOAT)
                    memcpy(word, &real, sizeof real);
                else
                    *word = number % 4;
            }
}

static void make_canvas(canvas *to, const subject *s, vk_program *vk, uint32_t data_set)
{
    VkImageView views[SUBJECT_TARGETS + 1];
    *to = (canvas){0};
    for (uint32_t t = 0; t < s->target_count; t++)
        if (s->targets[t].size)
            add_target(to, vk, s->targets[t].format, s->targets[t].size);
    add_target(to, vk, VK_FORMAT_D32_SFLOAT, 4);
    for (uint32_t t = 0; t < to->count; t++)
        views[t] = to->targets[t].view;
    const VkFramebufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                          .renderPass = s->pass,
                                          .attachmentCount = to->count,
                                          .pAttachments = views,
                                          .width = SUBJECT_WIDTH,
                                          .height = SUBJECT_HEIGHT,
                                          .layers = 1};
    VK_MUST(vkCreateFramebuffer(vk->device, &info, NULL, &to->framebuffer));
    vk_make_buffer(vk, &to->vertices, (size_t)SUBJECT_VERTICES * INTERFACE_SLOTS * 4,
                   VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
    fill_vertices(s, &to->vertices, data_set);
}

static void drop_canvas(canvas *of, vk_program *vk)
{
    for (uint32_t t = 0; t < of->count; t++) {
        vkDestroyImageView(vk->device, of->targets[t].view, NULL);
        vkDestroyImage(vk->device, of->targets[t].image, NULL);
        vkFreeMemory(vk->device, of->targets[t].memory, NULL);
        vk_drop_buffer(vk, &of->targets[t].pixels);
    }
    vkDestroyFramebuffer(vk->device, of->framebuffer, NULL);
    vk_drop_buffer(vk, &of->vertices);
}

static void bind(const subject *s, vk_program *vk, const resources *r, uint32_t data_set)
{
    const VkPipelineBindPoint point =
        s->pass ? VK_PIPELINE_BIND_POINT_GRAPHICS : VK_PIPELINE_BIND_POINT_COMPUTE;
    vkCmdBindPipeline(vk->commands, point, s->pipeline);
    if (s->set_count)
        vkCmdBindDescriptorSets(vk->commands, point, s->pipeline_layout, 0, s->set_count, resources_sets(r),
                                0, NULL);
    if (s->push_size) {
        uint8_t *bytes = calloc(1, s->push_size);
        if (!bytes)
            exit(VK_EXIT_FAILURE);
        contents_fill(bytes, s->push_size, s->module, s->push_type, data_set);
        if (data_set == 0)
            (void)given_apply(s->given, bytes, s->push_size, GIVEN_PUSH, 0);
        vkCmdPushConstants(vk->commands, s->pipeline_layout, VK_SHADER_STAGE_ALL, 0, s->push_size, bytes);
        free(bytes);
    }
}

static void record(const subject *s, vk_program *vk, const resources *r, const canvas *on, uint32_t data_set)
{
    bind(s, vk, r, data_set);
    if (!s->pass) {
        vkCmdDispatch(vk->commands, 3, 2, 1);
        return;
    }
    const VkDeviceSize offset = 0;
    const VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                        .renderPass = s->pass,
                                        .framebuffer = on->framebuffer,
                                        .renderArea = {{0, 0}, {SUBJECT_WIDTH, SUBJECT_HEIGHT}},
                                        .clearValueCount = on->count,
                                        .pClearValues = on->clears};
    vkCmdBeginRenderPass(vk->commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindVertexBuffers(vk->commands, 0, 1, &on->vertices.buffer, &offset);
    vkCmdDraw(vk->commands, s->model == SpvExecutionModelFragment ? 3 : SUBJECT_VERTICES, 1, 0, data_set);
    vkCmdEndRenderPass(vk->commands);
}

static void download(const canvas *from, vk_program *vk)
{
    for (uint32_t t = 0; t < from->count; t++) {
        const VkBufferImageCopy region = {.imageSubresource = {from->targets[t].aspect, 0, 0, 1},
                                          .imageExtent = {SUBJECT_WIDTH, SUBJECT_HEIGHT, 1}};
        vkCmdCopyImageToBuffer(vk->commands, from->targets[t].image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                               from->targets[t].pixels.buffer, 1, &region);
    }
}

uint64_t subject_run(const subject *s, vk_program *vk, uint32_t data_set, uint32_t more)
{
    resources *r = resources_make(vk, s->module, &s->layout, s->sets, s->set_count);
    canvas on = {0};
    uint64_t hash = 0;
    if (s->pass)
        make_canvas(&on, s, vk, data_set);
    for (uint32_t run = 0; run <= more; run++) {
        resources_fill(r, data_set, s->given);
        vk_begin(vk);
        resources_record_upload(r);
        record(s, vk, r, &on, data_set);
        if (run == 0)
            resources_record_download(r);
        if (run == 0 && s->pass)
            download(&on, vk);
        vk_finish(vk);
        if (run)
            continue;
        hash = resources_hash(r, 0);
        for (uint32_t t = 0; t < on.count; t++)
            hash = hash_over(hash, on.targets[t].pixels.words, on.targets[t].pixels.count * 4);
    }
    if (s->pass)
        drop_canvas(&on, vk);
    resources_drop(r);
    return hash;
}
