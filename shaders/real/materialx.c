/* Draws a sphere by a foreign vertex and fragment shader, and times frames (shaders/real/materialx.sh).
 *
 *     materialx FOLDER SUFFIX SECONDS NAME...
 *
 * Files of a NAME in FOLDER: NAME.vert.spv, NAMESUFFIX.frag.spv, NAMESUFFIX.bind. A .bind file has the lines
 *
 *     input LOCATION WORD WORDS    a vertex attribute: its place in the vertex, in words
 *     uniform BINDING HEX          a uniform block and its bytes
 *     sampler BINDING              the environment image
 *
 * Items come one after the other. With TURNS=1 they are all there at once, those of the same shaders share
 * a pipeline, and frames show them in turns; WARM (0): for so many seconds before times are taken.
 *
 * For GPUs, which draw such a sphere in microseconds: SIDE (128) is the image's side in pixels, PASSES (1)
 * how often a frame draws it, CLOCK=gpu measures the drawing by timestamps, CLOCK=wall all that passes.
 * DEVICE: as wavepgo-bench --device.
 *
 * Output: name, processor time of one frame in microseconds, hash of the image (32-bit floats). With PIXELS
 * set to a folder, the image goes there as NAME.rgba32f, too. With LIKE set to one, the line tells how the
 * image differs from that file. With FIRST=1 the line has two more columns behind the name: wall time of
 * pipeline creation and of the first frame, in milliseconds.
 * Owns: everything it makes; a process ends with its Vulkan objects. Threads: one. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shaders/real/drawing.h"
#include "shaders/real/pixels.h"
#include "shaders/real/program.h"

enum {
    MOST_SIDE = 4096,
    MOST_PASSES = 1024,
    RINGS = 24,
    SECTORS = 32,
    VERTEX_WORDS = 11,
    VERTICES = (RINGS + 1) * (SECTORS + 1),
    INDICES = RINGS * SECTORS * 6,
    ENVIRONMENT = 64, /* twice as wide as high */
    LEVELS = 6,
    MAX_BINDINGS = 8,
    MAX_INPUTS = 6,
    TEXT = 65536,
    MAX_ITEMS = 32,
};
static const VkFormat target_format = VK_FORMAT_R32G32B32A32_SFLOAT;

typedef struct program {
    bench_device dev;
    uint32_t side, passes;
    bench_image target, depth, environment;
    VkSampler sampler;
    VkRenderPass pass;
    VkFramebuffer framebuffer;
    bench_buffer vertices, indices, pixels;
} program;

typedef struct item {
    VkVertexInputAttributeDescription inputs[MAX_INPUTS];
    uint32_t input_count;
    VkDescriptorSetLayoutBinding bindings[MAX_BINDINGS];
    bench_buffer buffers[MAX_BINDINGS];
    uint32_t binding_count;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkShaderModule modules[2];
    VkPipeline pipeline;
    double creation_ms, first_ms; /* first_ms: of the first frame; 0 before */
} item;

static double ms_since(uint64_t begin_ns)
{
    return (double)(bench_now_ns() - begin_ns) / 1e6;
}

/* A sky above a floor, with a bright patch; level `level` of it, row by row, RGBA8. */
static void paint(uint8_t *texels, uint32_t level)
{
    uint32_t width = ENVIRONMENT >> level, height = width / 2 ? width / 2 : 1;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++, texels += 4) {
            uint32_t u = (2 * x + 1) * 128 / width, v = (2 * y + 1) * 128 / height; /* 0 to 255 */
            uint32_t sun = u > 150 && u < 190 && v > 40 && v < 90 ? 110 : 0;
            texels[0] = (uint8_t)(v < 128 ? 60 + v / 2 + sun : 90 - v / 4);
            texels[1] = (uint8_t)(v < 128 ? 80 + v / 3 + sun : 80 - v / 5);
            texels[2] = (uint8_t)(v < 128 ? 120 + u / 16 + sun : 60 - v / 6);
            texels[3] = 255;
        }
    }
}

static wpg_status make_environment(program *p, wpg_error *err)
{
    bench_buffer staging;
    VkCommandBuffer cmd;
    VkDeviceSize at = 0;
    WPG_TRY(bench_image_create(&p->environment, &p->dev, VK_FORMAT_R8G8B8A8_UNORM, ENVIRONMENT,
                               ENVIRONMENT / 2, LEVELS,
                               VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, err));
    WPG_TRY(bench_buffer_create(&staging, &p->dev, ENVIRONMENT * ENVIRONMENT * 4,
                                VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true, err));
    WPG_TRY(bench_commands_begin(&cmd, &p->dev, err));
    bench_image_barrier(cmd, p->environment.image, LEVELS, VK_IMAGE_LAYOUT_UNDEFINED,
                        VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    for (uint32_t level = 0; level < LEVELS; level++) {
        uint32_t width = ENVIRONMENT >> level, height = width / 2 ? width / 2 : 1;
        VkBufferImageCopy region = {.bufferOffset = at,
                                    .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1},
                                    .imageExtent = {width, height, 1}};
        paint((uint8_t *)staging.mapped + at, level);
        vkCmdCopyBufferToImage(cmd, staging.buffer, p->environment.image,
                               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
        at += (VkDeviceSize)width * height * 4;
    }
    bench_image_barrier(cmd, p->environment.image, LEVELS, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                        VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    BENCH_VK(vkEndCommandBuffer(cmd));
    WPG_TRY(bench_submit(&p->dev, cmd, NULL, err));
    bench_buffer_destroy(&staging, &p->dev);
    VkSamplerCreateInfo sampler = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter = VK_FILTER_LINEAR,
        .minFilter = VK_FILTER_LINEAR,
        .mipmapMode = VK_SAMPLER_MIPMAP_MODE_LINEAR,
        .maxLod = LEVELS,
    };
    BENCH_VK(vkCreateSampler(p->dev.device, &sampler, NULL, &p->sampler));
    return WPG_OK;
}

/* Position, normal, tangent and texture coordinate of each vertex of a sphere of radius 1. */
static wpg_status make_sphere(program *p, wpg_error *err)
{
    WPG_TRY(bench_buffer_create(&p->vertices, &p->dev, VERTICES * VERTEX_WORDS * 4,
                                VK_BUFFER_USAGE_VERTEX_BUFFER_BIT, true, err));
    WPG_TRY(
        bench_buffer_create(&p->indices, &p->dev, INDICES * 4, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, true, err));
    float *v = p->vertices.mapped;
    uint32_t *index = p->indices.mapped;
    for (uint32_t ring = 0; ring <= RINGS; ring++) {
        for (uint32_t sector = 0; sector <= SECTORS; sector++, v += VERTEX_WORDS) {
            double down = acos(-1) * ring / RINGS, around = 2 * acos(-1) * sector / SECTORS;
            double n[3] = {sin(down) * cos(around), cos(down), sin(down) * sin(around)};
            for (int i = 0; i < 3; i++)
                v[i] = v[3 + i] = (float)n[i];
            v[6] = (float)-sin(around);
            v[7] = 0;
            v[8] = (float)cos(around);
            v[9] = (float)sector / SECTORS;
            v[10] = (float)ring / RINGS;
        }
    }
    for (uint32_t ring = 0; ring < RINGS; ring++)
        for (uint32_t sector = 0; sector < SECTORS; sector++) {
            uint32_t a = ring * (SECTORS + 1) + sector, b = a + SECTORS + 1;
            const uint32_t six[] = {a, a + 1, b, b, a + 1, b + 1};
            memcpy(index, six, sizeof six);
            index += 6;
        }
    return WPG_OK;
}

static wpg_status make_target(program *p, wpg_error *err)
{
    WPG_TRY(bench_image_create(&p->target, &p->dev, target_format, p->side, p->side, 1,
                               VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT, err));
    WPG_TRY(bench_image_create(&p->depth, &p->dev, VK_FORMAT_D32_SFLOAT, p->side, p->side, 1,
                               VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, err));
    WPG_TRY(bench_buffer_create(&p->pixels, &p->dev, (VkDeviceSize)p->side * p->side * 16,
                                VK_BUFFER_USAGE_TRANSFER_DST_BIT, true, err));
    VkAttachmentDescription attachments[] = {
        {.format = target_format,
         .samples = VK_SAMPLE_COUNT_1_BIT,
         .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
         .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
        {.format = VK_FORMAT_D32_SFLOAT,
         .samples = VK_SAMPLE_COUNT_1_BIT,
         .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
         .storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
         .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
    };
    VkAttachmentReference color = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkAttachmentReference depth = {1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass = {
        .colorAttachmentCount = 1,
        .pColorAttachments = &color,
        .pDepthStencilAttachment = &depth,
    };
    VkSubpassDependency after = {
        .srcSubpass = 0,
        .dstSubpass = VK_SUBPASS_EXTERNAL,
        .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
        .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
        .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
    };
    VkRenderPassCreateInfo pass = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
        .attachmentCount = 2,
        .pAttachments = attachments,
        .subpassCount = 1,
        .pSubpasses = &subpass,
        .dependencyCount = 1,
        .pDependencies = &after,
    };
    BENCH_VK(vkCreateRenderPass(p->dev.device, &pass, NULL, &p->pass));
    VkImageView views[] = {p->target.view, p->depth.view};
    VkFramebufferCreateInfo framebuffer = {
        .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
        .renderPass = p->pass,
        .attachmentCount = 2,
        .pAttachments = views,
        .width = p->side,
        .height = p->side,
        .layers = 1,
    };
    BENCH_VK(vkCreateFramebuffer(p->dev.device, &framebuffer, NULL, &p->framebuffer));
    return WPG_OK;
}

/* One line of a .bind file. */
static wpg_status add_line(item *it, const program *p, const char *line, wpg_error *err)
{
    static const VkFormat formats[] = {0, 0, VK_FORMAT_R32G32_SFLOAT, VK_FORMAT_R32G32B32_SFLOAT};
    unsigned a, b, words;
    int at = 0;
    if (sscanf(line, "input %u %u %u", &a, &b, &words) == 3) {
        if (it->input_count == MAX_INPUTS || words < 2 || words > 3)
            return wpg_fail(err, WPG_E_LIMIT, "bad input: %s", line);
        it->inputs[it->input_count++] =
            (VkVertexInputAttributeDescription){.location = a, .format = formats[words], .offset = b * 4};
        return WPG_OK;
    }
    if (it->binding_count == MAX_BINDINGS)
        return wpg_fail(err, WPG_E_LIMIT, "more than %d bindings", MAX_BINDINGS);
    VkDescriptorSetLayoutBinding *binding = &it->bindings[it->binding_count];
    bench_buffer *buffer = &it->buffers[it->binding_count];
    binding->descriptorCount = 1;
    binding->stageFlags = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    if (sscanf(line, "sampler %u", &binding->binding) == 1) {
        binding->descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    } else if (sscanf(line, "uniform %u %n", &binding->binding, &at) == 1 && at) {
        size_t size = strspn(line + at, "0123456789abcdef") / 2;
        binding->descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        WPG_TRY(bench_buffer_create(buffer, &p->dev, size, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, true, err));
        bench_read_hex(buffer->mapped, size, line + at);
    } else {
        return wpg_fail(err, WPG_E_FORMAT, "unknown line: %s", line);
    }
    it->binding_count++;
    return WPG_OK;
}

static wpg_status make_set(item *it, const program *p, wpg_error *err)
{
    VkDevice device = p->dev.device;
    VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = it->binding_count,
        .pBindings = it->bindings,
    };
    BENCH_VK(vkCreateDescriptorSetLayout(device, &set_layout, NULL, &it->set_layout));
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &it->set_layout,
    };
    BENCH_VK(vkCreatePipelineLayout(device, &layout, NULL, &it->layout));
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, MAX_BINDINGS},
                                    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, MAX_BINDINGS}};
    VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = 2,
        .pPoolSizes = sizes,
    };
    BENCH_VK(vkCreateDescriptorPool(device, &pool, NULL, &it->pool));
    VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = it->pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &it->set_layout,
    };
    BENCH_VK(vkAllocateDescriptorSets(device, &allocate, &it->set));
    for (uint32_t i = 0; i < it->binding_count; i++) {
        VkDescriptorBufferInfo buffer = {it->buffers[i].buffer, 0, VK_WHOLE_SIZE};
        VkDescriptorImageInfo image = {p->sampler, p->environment.view,
                                       VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        VkWriteDescriptorSet write = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = it->set,
            .dstBinding = it->bindings[i].binding,
            .descriptorCount = 1,
            .descriptorType = it->bindings[i].descriptorType,
            .pBufferInfo = &buffer,
            .pImageInfo = &image,
        };
        vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
    }
    return WPG_OK;
}

static wpg_status make_pipeline(item *it, const program *p, wpg_error *err)
{
    const bench_drawing drawing = {
        .modules = it->modules,
        .inputs = it->inputs,
        .input_count = it->input_count,
        .stride = VERTEX_WORDS * 4,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
        .width = p->side,
        .height = p->side,
        .depth = true,
        .layout = it->layout,
        .pass = p->pass,
    };
    const uint64_t begin = bench_now_ns();
    WPG_TRY(bench_drawing_create(&it->pipeline, &p->dev, &drawing, err));
    it->creation_ms = ms_since(begin);
    return WPG_OK;
}

static wpg_status record(VkCommandBuffer *cmd, const item *it, const program *p, wpg_error *err)
{
    VkClearValue clear[] = {{.color = {{0, 0, 0, 0}}}, {.depthStencil = {1, 0}}};
    VkRenderPassBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
        .renderPass = p->pass,
        .framebuffer = p->framebuffer,
        .renderArea = {{0, 0}, {p->side, p->side}},
        .clearValueCount = 2,
        .pClearValues = clear,
    };
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageExtent = {p->side, p->side, 1}};
    VkDeviceSize zero = 0;
    WPG_TRY(bench_commands_begin(cmd, &p->dev, err));
    bench_timer_begin(*cmd, &p->dev);
    for (uint32_t i = 0; i < p->passes; i++) {
        vkCmdBeginRenderPass(*cmd, &begin, VK_SUBPASS_CONTENTS_INLINE);
        vkCmdBindPipeline(*cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, it->pipeline);
        vkCmdBindDescriptorSets(*cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, it->layout, 0, 1, &it->set, 0, NULL);
        vkCmdBindVertexBuffers(*cmd, 0, 1, &p->vertices.buffer, &zero);
        vkCmdBindIndexBuffer(*cmd, p->indices.buffer, 0, VK_INDEX_TYPE_UINT32);
        vkCmdDrawIndexed(*cmd, INDICES, 1, 0, 0, 0);
        vkCmdEndRenderPass(*cmd);
    }
    bench_timer_end(*cmd, &p->dev);
    vkCmdCopyImageToBuffer(*cmd, p->target.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, p->pixels.buffer, 1,
                           &region);
    BENCH_VK(vkEndCommandBuffer(*cmd));
    return WPG_OK;
}

/* Records and draws a frame, as a viewer does: tuning times a draw once each time that it is recorded. */
static wpg_status frame(const program *p, item *it, wpg_error *err)
{
    const uint64_t begin = bench_now_ns();
    VkCommandBuffer cmd;
    WPG_TRY(record(&cmd, it, p, err));
    wpg_status status = bench_submit(&p->dev, cmd, NULL, err);
    if (it->first_ms <= 0)
        it->first_ms = ms_since(begin);
    vkFreeCommandBuffers(p->dev.device, p->dev.pool, 1, &cmd);
    return status;
}

static bool has_same_file(const char *folder, const char *a, const char *b, const char *tail)
{
    size_t size_a, size_b;
    char *one = bench_read_file(folder, a, tail, &size_a), *other = bench_read_file(folder, b, tail, &size_b);
    const bool same = one && other && size_a == size_b && memcmp(one, other, size_a) == 0;
    free(one);
    free(other);
    return same;
}

static bool has_same_shaders(const char *folder, const char *a, const char *b, const char *suffix)
{
    char tail[64];
    snprintf(tail, sizeof tail, "%s.frag.spv", suffix);
    return has_same_file(folder, a, b, ".vert.spv") && has_same_file(folder, a, b, tail);
}

/* `of`: an item of the same shaders, whose pipeline this one takes; NULL: none. */
static wpg_status load(item *it, const program *p, const char *folder, const char *name, const char *suffix,
                       const item *of, wpg_error *err)
{
    char tail[64];
    size_t size;
    memset(it, 0, sizeof *it);
    for (int i = 0; i < 2; i++) {
        snprintf(tail, sizeof tail, "%s.spv", i ? ".frag" : ".vert");
        if (i)
            snprintf(tail, sizeof tail, "%s.frag.spv", suffix);
        WPG_TRY(bench_module_read(&it->modules[i], &p->dev, folder, name, tail, err));
    }
    snprintf(tail, sizeof tail, "%s.bind", suffix);
    char *text = bench_read_file(folder, name, tail, &size);
    wpg_status status = text ? WPG_OK : wpg_fail(err, WPG_E_IO, "%s: no .bind file", name);
    char *rest = NULL;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line && status == WPG_OK;
         line = strtok_r(NULL, "\n", &rest))
        status = add_line(it, p, line, err);
    free(text);
    WPG_TRY(status);
    WPG_TRY(make_set(it, p, err));
    if (!of)
        return make_pipeline(it, p, err);
    it->pipeline = of->pipeline;
    return WPG_OK;
}

/* The line of an item: its time, and the hash of its last frame's image. */
static void print_item(const program *p, const item *it, const char *name, double us)
{
    const size_t pixels = (size_t)p->side * p->side;
    bench_difference differs;
    const uint64_t hash = bench_hash(p->pixels.mapped, pixels * 16);
    printf("%s", name);
    if (getenv("FIRST"))
        printf(" %.1f %.1f", it->creation_ms, it->first_ms);
    printf(" %.1f %012llx", us, (unsigned long long)hash & 0xffffffffffffu);
    bench_keep_pixels(name, p->pixels.mapped, pixels);
    if (bench_compare_pixels(&differs, name, p->pixels.mapped, pixels) > 0)
        printf(" %zu of %zu pixels, %u ULP; as 8 bits %zu, by %u", differs.pixels, pixels, differs.steps,
               differs.in_bytes, differs.levels);
    putchar('\n');
}

static wpg_status timed_frame(double *spent, const program *p, item *it, wpg_error *err)
{
    bench_clock clock;
    bench_clock_start(&clock);
    WPG_TRY(frame(p, it, err));
    return bench_clock_add(spent, &clock, &p->dev, err);
}

static wpg_status run(const program *p, item *it, const char *name, double seconds, wpg_error *err)
{
    for (int i = 0; i < 2; i++)
        WPG_TRY(frame(p, it, err));
    uint64_t begin = bench_now_ns();
    double spent = 0;
    unsigned frames = 0;
    do {
        WPG_TRY(timed_frame(&spent, p, it, err));
        frames++;
    } while ((double)(bench_now_ns() - begin) < seconds * 1e9);
    print_item(p, it, name, spent / frames);
    return WPG_OK;
}

/* Frames of all items in turns for so long; adds each item's processor time to `spent`. */
static wpg_status take_turns(unsigned *rounds, double *spent, const program *p, item *items, int count,
                             double seconds, wpg_error *err)
{
    const uint64_t begin = bench_now_ns();
    for (*rounds = 0; *rounds == 0 || (double)(bench_now_ns() - begin) < seconds * 1e9; (*rounds)++)
        for (int i = 0; i < count; i++)
            WPG_TRY(timed_frame(&spent[i], p, &items[i], err));
    return WPG_OK;
}

/* `seconds` for each of the items, all together. */
static wpg_status run_in_turns(const program *p, item *items, char **names, int count, double seconds,
                               wpg_error *err)
{
    const char *warm = getenv("WARM");
    double spent[MAX_ITEMS] = {0};
    unsigned rounds;
    WPG_TRY(take_turns(&rounds, spent, p, items, count, warm ? atof(warm) : 0, err));
    memset(spent, 0, sizeof spent);
    WPG_TRY(take_turns(&rounds, spent, p, items, count, seconds * count, err));
    for (int i = 0; i < count; i++) {
        WPG_TRY(frame(p, &items[i], err));
        print_item(p, &items[i], names[i], spent[i] / rounds);
    }
    return WPG_OK;
}

/* Loads items; one whose shaders an earlier one has takes that one's pipeline. */
static wpg_status load_all(item *items, const program *p, char **argv, int count, wpg_error *err)
{
    for (int i = 0; i < count; i++) {
        int of = i;
        for (int k = 0; k < i && of == i; k++)
            if (has_same_shaders(argv[1], argv[4 + k], argv[4 + i], argv[2]))
                of = k;
        WPG_TRY(load(&items[i], p, argv[1], argv[4 + i], argv[2], of == i ? NULL : &items[of], err));
    }
    return WPG_OK;
}

int main(int argc, char **argv)
{
    static item items[MAX_ITEMS];
    program p = {.side = bench_environment_number("SIDE", 128, MOST_SIDE),
                 .passes = bench_environment_number("PASSES", 1, MOST_PASSES)};
    wpg_error err = {0};
    if (argc < 5) {
        fputs("materialx FOLDER SUFFIX SECONDS NAME...\n", stderr);
        return 2;
    }
    wpg_status status = bench_device_create(&p.dev, getenv("DEVICE"), 0, &err);
    if (status == WPG_OK)
        status = make_environment(&p, &err);
    if (status == WPG_OK)
        status = make_sphere(&p, &err);
    if (status == WPG_OK)
        status = make_target(&p, &err);
    const bool turns = getenv("TURNS") && argc - 4 <= MAX_ITEMS;
    if (status == WPG_OK && turns) {
        status = load_all(items, &p, argv, argc - 4, &err);
        if (status == WPG_OK)
            status = run_in_turns(&p, items, argv + 4, argc - 4, atof(argv[3]), &err);
    }
    for (int i = 4; i < argc && status == WPG_OK && !turns; i++) {
        status = load(&items[0], &p, argv[1], argv[i], argv[2], NULL, &err);
        if (status == WPG_OK)
            status = run(&p, &items[0], argv[i], atof(argv[3]), &err);
    }
    if (status == WPG_OK)
        return 0;
    fprintf(stderr, "materialx: %s\n", err.message);
    return 1;
}
