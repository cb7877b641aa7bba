/* Draws the passes of RetroArch's shader presets in their order, and times frames (retroarch.sh).
 *
 *     retroarch FOLDER SUFFIX SECONDS NAME...
 *
 * Files of a NAME in FOLDER: NAME.passes, and of each pass N NAME.N.vert.spv, NAME.NSUFFIX.frag.spv. Lines of
 * a .passes file; all after a `pass` are of that pass:
 *
 *     pass WIDTH HEIGHT unorm|srgb|float         the image that it draws
 *     push HEX                                   its push constants
 *     uniform BINDING HEX                        a uniform block and its bytes
 *     frame OFFSET                               the word of the block above that has the frame's number
 *     sampler BINDING PASS linear|nearest WRAP   that pass's image; -1: the picture
 *
 * Each pass draws one rectangle, as RetroArch does: its blocks are written for each frame, and only the
 * frame's number changes. CLOCK and DEVICE: as materialx.c. WARM (0): for so many seconds before times are
 * taken.
 *
 * Output: name, processor time of one frame of all passes in microseconds, hash of the last image.
 * Owns: everything it makes; a process ends with its Vulkan objects. Threads: one. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shaders/real/drawing.h"
#include "shaders/real/program.h"

enum {
    MOST_PASSES = 48,
    MOST_BINDINGS = 24,
    MOST_FRAMES = 4,
    MOST_PUSH = 256,
    MOST_BLOCK = 4096,
    WIDTH = 256, /* of the picture */
    HEIGHT = 224,
    HASHED_FRAME = 1000,
};

typedef struct pass {
    uint32_t width, height;
    VkFormat format;
    bench_image target;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    uint8_t push[MOST_PUSH];
    uint32_t push_size;
    VkDescriptorSetLayoutBinding bindings[MOST_BINDINGS];
    VkDescriptorBufferInfo buffers[MOST_BINDINGS];
    VkDescriptorImageInfo images[MOST_BINDINGS];
    uint32_t binding_count;
    uint8_t *frames[MOST_FRAMES]; /* where the frame's number goes */
    uint32_t frame_count;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkPipeline pipeline;
} pass;

typedef struct program {
    bench_device dev;
    bench_image picture;
    bench_buffer vertices, pixels;
    pass passes[MOST_PASSES];
    uint32_t count, frame;
} program;

static const VkShaderStageFlags both_stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;

static size_t bytes_of(const pass *p)
{
    return (size_t)p->width * p->height * (p->format == VK_FORMAT_R16G16B16A16_SFLOAT ? 8 : 4);
}

/* Tiles, a gradient and thin lines: some of everything that such shaders look for. */
static void paint(uint8_t *texels)
{
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++, texels += 4) {
            const uint32_t tile = (x / 16 * 7 + y / 16 * 13) % 8, edge = x % 16 == 0 || (x + y) % 31 == 0;
            texels[0] = (uint8_t)(edge ? 240 : tile * 28 + x / 8);
            texels[1] = (uint8_t)(edge ? 230 : (tile ^ 5) * 24 + y / 8);
            texels[2] = (uint8_t)(edge ? 200 : (tile ^ 3) * 30);
            texels[3] = 255;
        }
}

static wpg_status make_picture(program *p, wpg_error *err)
{
    bench_buffer staging;
    VkCommandBuffer cmd;
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {WIDTH, HEIGHT, 1}};
    WPG_TRY(bench_image_create(&p->picture, &p->dev, VK_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, 1,
                               VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, err));
    WPG_TRY(bench_buffer_create(&staging, &p->dev, (VkDeviceSize)WIDTH * HEIGHT * 4,
                                VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true, err));
    paint(staging.mapped);
    WPG_TRY(bench_commands_begin(&cmd, &p->dev, err));
    bench_image_barrier(cmd, p->picture.image, 1, VK_IMAGE_LAYOUT_UNDEFINED,
                        VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(cmd, staging.buffer, p->picture.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1,
                           &region);
    bench_image_barrier(cmd, p->picture.image, 1, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                        VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    BENCH_VK(vkEndCommandBuffer(cmd));
    WPG_TRY(bench_submit(&p->dev, cmd, NULL, err));
    bench_buffer_destroy(&staging, &p->dev);
    return WPG_OK;
}

/* A strip of two triangles: position and texture coordinate from 0 to 1. */
static wpg_status make_rectangle(program *p, wpg_error *err)
{
    static const float corners[] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1};
    WPG_TRY(bench_buffer_create(&p->vertices, &p->dev, sizeof corners, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT,
                                true, err));
    memcpy(p->vertices.mapped, corners, sizeof corners);
    return WPG_OK;
}

static wpg_status make_sampler(VkSampler *sampler, const bench_device *dev, bool linear, const char *wrap,
                               wpg_error *err)
{
    const VkFilter filter = linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    VkSamplerAddressMode mode = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
    if (strncmp(wrap, "repeat", 6) == 0)
        mode = VK_SAMPLER_ADDRESS_MODE_REPEAT;
    else if (strncmp(wrap, "mirror", 6) == 0)
        mode = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
    else if (strncmp(wrap, "clamp_to_edge", 13) == 0)
        mode = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                      .magFilter = filter,
                                      .minFilter = filter,
                                      .addressModeU = mode,
                                      .addressModeV = mode,
                                      .addressModeW = mode};
    BENCH_VK(vkCreateSampler(dev->device, &info, NULL, sampler));
    return WPG_OK;
}

static wpg_status add_pass(program *p, uint32_t width, uint32_t height, const char *format, wpg_error *err)
{
    if (p->count == MOST_PASSES)
        return wpg_fail(err, WPG_E_LIMIT, "more than %d passes", MOST_PASSES);
    pass *own = &p->passes[p->count++];
    memset(own, 0, sizeof *own);
    own->width = width;
    own->height = height;
    own->format = strcmp(format, "float") == 0  ? VK_FORMAT_R16G16B16A16_SFLOAT
                  : strcmp(format, "srgb") == 0 ? VK_FORMAT_R8G8B8A8_SRGB
                                                : VK_FORMAT_R8G8B8A8_UNORM;
    return bench_image_create(&own->target, &p->dev, own->format, width, height, 1,
                              VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                                  VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                              err);
}

static VkDescriptorSetLayoutBinding *add_binding(pass *own, uint32_t binding, VkDescriptorType type)
{
    if (own->binding_count == MOST_BINDINGS)
        return NULL;
    VkDescriptorSetLayoutBinding *made = &own->bindings[own->binding_count++];
    *made = (VkDescriptorSetLayoutBinding){binding, type, 1, both_stages, NULL};
    return made;
}

/* `block`: where the bytes of the latest block are; a frame's number goes there. */
static wpg_status add_line(program *p, uint8_t **block, size_t *block_size, const char *line, wpg_error *err)
{
    char word[32], wrap[32];
    uint32_t a, b;
    int from, at = 0;
    if (sscanf(line, "pass %u %u %31s", &a, &b, word) == 3)
        return add_pass(p, a, b, word, err);
    if (!p->count)
        return wpg_fail(err, WPG_E_FORMAT, "no pass before: %s", line);
    pass *own = &p->passes[p->count - 1];
    if (sscanf(line, "push %n", &at) == 0 && at) {
        own->push_size = (uint32_t)bench_read_hex(own->push, sizeof own->push, line + at);
        *block = own->push;
        *block_size = own->push_size;
        return WPG_OK;
    }
    if (sscanf(line, "frame %u", &a) == 1) {
        if (!*block || a + 4 > *block_size || own->frame_count == MOST_FRAMES)
            return wpg_fail(err, WPG_E_FORMAT, "no block of that size before: %s", line);
        own->frames[own->frame_count++] = *block + a;
        return WPG_OK;
    }
    if (sscanf(line, "uniform %u %n", &a, &at) == 1 && at) {
        bench_buffer buffer;
        const size_t size = strspn(line + at, "0123456789abcdef") / 2;
        if (!size || size > MOST_BLOCK || !add_binding(own, a, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER))
            return wpg_fail(err, WPG_E_LIMIT, "too large, or too many bindings: %.40s", line);
        WPG_TRY(bench_buffer_create(&buffer, &p->dev, size, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, true, err));
        bench_read_hex(buffer.mapped, size, line + at);
        own->buffers[own->binding_count - 1] = (VkDescriptorBufferInfo){buffer.buffer, 0, VK_WHOLE_SIZE};
        *block = buffer.mapped;
        *block_size = size;
        return WPG_OK;
    }
    if (sscanf(line, "sampler %u %d %31s %31s", &a, &from, word, wrap) == 4 && from + 1 < (int)p->count) {
        if (!add_binding(own, a, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER))
            return wpg_fail(err, WPG_E_LIMIT, "more than %d bindings", MOST_BINDINGS);
        VkDescriptorImageInfo *image = &own->images[own->binding_count - 1];
        image->imageView = from < 0 ? p->picture.view : p->passes[from].target.view;
        image->imageLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
        return make_sampler(&image->sampler, &p->dev, strcmp(word, "linear") == 0, wrap, err);
    }
    return wpg_fail(err, WPG_E_FORMAT, "unknown line: %.60s", line);
}

static wpg_status make_set(pass *own, const program *p, wpg_error *err)
{
    VkDevice device = p->dev.device;
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool pool;
    VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = own->binding_count,
        .pBindings = own->bindings,
    };
    BENCH_VK(vkCreateDescriptorSetLayout(device, &set_info, NULL, &set_layout));
    const VkPushConstantRange range = {both_stages, 0, (own->push_size + 3) / 4 * 4};
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &set_layout,
        .pushConstantRangeCount = own->push_size > 0,
        .pPushConstantRanges = &range,
    };
    BENCH_VK(vkCreatePipelineLayout(device, &layout, NULL, &own->layout));
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, MOST_BINDINGS},
                                    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, MOST_BINDINGS}};
    VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = 2,
        .pPoolSizes = sizes,
    };
    BENCH_VK(vkCreateDescriptorPool(device, &pool_info, NULL, &pool));
    VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &set_layout,
    };
    BENCH_VK(vkAllocateDescriptorSets(device, &allocate, &own->set));
    for (uint32_t i = 0; i < own->binding_count; i++) {
        VkWriteDescriptorSet write = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = own->set,
            .dstBinding = own->bindings[i].binding,
            .descriptorCount = 1,
            .descriptorType = own->bindings[i].descriptorType,
            .pBufferInfo = &own->buffers[i],
            .pImageInfo = &own->images[i],
        };
        vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    }
    return WPG_OK;
}

static wpg_status make_target(pass *own, const program *p, bool last, wpg_error *err)
{
    VkAttachmentDescription attachment = {
        .format = own->format,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .finalLayout = last ? VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
    };
    VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &color};
    VkSubpassDependency around[] = {
        {VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
         VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_MEMORY_READ_BIT,
         VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, 0},
        {0, VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
         VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
         VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT, 0},
    };
    VkRenderPassCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &attachment,
        .subpassCount = 1,
        .pSubpasses = &subpass,
        .dependencyCount = 2,
        .pDependencies = around,
    };
    BENCH_VK(vkCreateRenderPass(p->dev.device, &info, NULL, &own->pass));
    VkFramebufferCreateInfo framebuffer = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
        .renderPass = own->pass,
        .attachmentCount = 1,
        .pAttachments = &own->target.view,
        .width = own->width,
        .height = own->height,
        .layers = 1,
    };
    BENCH_VK(vkCreateFramebuffer(p->dev.device, &framebuffer, NULL, &own->framebuffer));
    return WPG_OK;
}

static wpg_status make_pipeline(pass *own, const program *p, const VkShaderModule modules[2], wpg_error *err)
{
    static const VkVertexInputAttributeDescription inputs[] = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0},
                                                               {1, 0, VK_FORMAT_R32G32_SFLOAT, 8}};
    const bench_drawing drawing = {
        .modules = modules,
        .inputs = inputs,
        .input_count = 2,
        .stride = 16,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
        .width = own->width,
        .height = own->height,
        .layout = own->layout,
        .pass = own->pass,
    };
    return bench_drawing_create(&own->pipeline, &p->dev, &drawing, err);
}

static wpg_status load(program *p, const char *folder, const char *name, const char *suffix, wpg_error *err)
{
    size_t size, block_size = 0;
    char tail[64], *rest = NULL, *text = bench_read_file(folder, name, ".passes", &size);
    uint8_t *block = NULL;
    wpg_status status = text ? WPG_OK : wpg_fail(err, WPG_E_IO, "%s: no .passes file", name);
    p->count = 0;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line && status == WPG_OK;
         line = strtok_r(NULL, "\n", &rest))
        status = add_line(p, &block, &block_size, line, err);
    free(text);
    WPG_TRY(status);
    for (uint32_t i = 0; i < p->count; i++) {
        pass *own = &p->passes[i];
        VkShaderModule modules[2];
        if (own->push_size > p->dev.properties.limits.maxPushConstantsSize)
            return wpg_fail(err, WPG_E_LIMIT, "%s: %u bytes of push constants", name, own->push_size);
        snprintf(tail, sizeof tail, ".%u.vert.spv", i);
        WPG_TRY(bench_module_read(&modules[0], &p->dev, folder, name, tail, err));
        snprintf(tail, sizeof tail, ".%u%s.frag.spv", i, suffix);
        WPG_TRY(bench_module_read(&modules[1], &p->dev, folder, name, tail, err));
        WPG_TRY(make_set(own, p, err));
        WPG_TRY(make_target(own, p, i + 1 == p->count, err));
        WPG_TRY(make_pipeline(own, p, modules, err));
    }
    const pass *last = &p->passes[p->count - 1];
    return bench_buffer_create(&p->pixels, &p->dev, bytes_of(last), VK_BUFFER_USAGE_TRANSFER_DST_BIT, true,
                               err);
}

static void record_pass(VkCommandBuffer cmd, const program *p, const pass *own)
{
    const VkClearValue clear = {.color = {{0, 0, 0, 0}}};
    const VkRenderPassBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = own->pass,
        .framebuffer = own->framebuffer,
        .renderArea = {{0, 0}, {own->width, own->height}},
        .clearValueCount = 1,
        .pClearValues = &clear,
    };
    const VkDeviceSize zero = 0;
    vkCmdBeginRenderPass(cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, own->pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, own->layout, 0, 1, &own->set, 0, NULL);
    if (own->push_size)
        vkCmdPushConstants(cmd, own->layout, both_stages, 0, (own->push_size + 3) / 4 * 4, own->push);
    vkCmdBindVertexBuffers(cmd, 0, 1, &p->vertices.buffer, &zero);
    vkCmdDraw(cmd, 4, 1, 0, 0);
    vkCmdEndRenderPass(cmd);
}

static wpg_status frame(program *p, wpg_error *err)
{
    const pass *last = &p->passes[p->count - 1];
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                      .imageExtent = {last->width, last->height, 1}};
    VkCommandBuffer cmd;
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t k = 0; k < p->passes[i].frame_count; k++)
            memcpy(p->passes[i].frames[k], &p->frame, sizeof p->frame);
    p->frame++;
    WPG_TRY(bench_commands_begin(&cmd, &p->dev, err));
    bench_timer_begin(cmd, &p->dev);
    for (uint32_t i = 0; i < p->count; i++)
        record_pass(cmd, p, &p->passes[i]);
    bench_timer_end(cmd, &p->dev);
    vkCmdCopyImageToBuffer(cmd, last->target.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, p->pixels.buffer, 1,
                           &region);
    BENCH_VK(vkEndCommandBuffer(cmd));
    wpg_status status = bench_submit(&p->dev, cmd, NULL, err);
    vkFreeCommandBuffers(p->dev.device, p->dev.pool, 1, &cmd);
    return status;
}

static bool within(uint64_t begin, double seconds)
{
    return (double)(bench_now_ns() - begin) < seconds * 1e9;
}

static wpg_status run(program *p, const char *name, double seconds, wpg_error *err)
{
    const char *warm = getenv("WARM");
    double spent = 0;
    unsigned frames = 0;
    p->frame = 0;
    for (int i = 0; i < 2; i++)
        WPG_TRY(frame(p, err));
    for (uint64_t begin = bench_now_ns(); warm && within(begin, atof(warm));)
        WPG_TRY(frame(p, err));
    const uint64_t begin = bench_now_ns();
    do {
        bench_clock clock;
        bench_clock_start(&clock);
        WPG_TRY(frame(p, err));
        WPG_TRY(bench_clock_add(&spent, &clock, &p->dev, err));
        frames++;
    } while (within(begin, seconds));
    p->frame = HASHED_FRAME;
    WPG_TRY(frame(p, err));
    const uint64_t hash = bench_hash(p->pixels.mapped, bytes_of(&p->passes[p->count - 1]));
    printf("%s %.1f %012llx\n", name, spent / frames, (unsigned long long)hash & 0xffffffffffffu);
    fflush(stdout);
    return WPG_OK;
}

int main(int argc, char **argv)
{
    static program p;
    wpg_error err = {0};
    if (argc < 5) {
        fputs("retroarch FOLDER SUFFIX SECONDS NAME...\n", stderr);
        return 2;
    }
    wpg_status status = bench_device_create(&p.dev, getenv("DEVICE"), 0, &err);
    if (status == WPG_OK)
        status = make_picture(&p, &err);
    if (status == WPG_OK)
        status = make_rectangle(&p, &err);
    for (int i = 4; i < argc && status == WPG_OK; i++) {
        status = load(&p, argv[1], argv[i], argv[2], &err);
        if (status == WPG_OK)
            status = run(&p, argv[i], atof(argv[3]), &err);
    }
    if (status == WPG_OK)
        return 0;
    fprintf(stderr, "retroarch: %s\n", err.message);
    return 1;
}
