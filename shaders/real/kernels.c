/* Runs llama.cpp's Vulkan kernels as its host code does, and times them (shaders/real/kernels.sh).
 *
 *     kernels list
 *     kernels LIBRARY run|attainable SECONDS NAME...
 *     kernels LIBRARY extract FOLDER      the modules, as KERNEL.spv; such a folder serves as a LIBRARY, too
 *
 * LIBRARY: an ELF file with llama.cpp's Vulkan backend. Each kernel is a SPIR-V module under the symbol
 * KERNEL_data. Push constants, specialisation constants and workgroups are those of ggml-vulkan.cpp. Shapes
 * are those of models of 1 to 8 billion parameters. Commands are recorded anew for each run, as llama.cpp
 * does.
 *
 * attainable: loads of push constants in the module are replaced by their values. Each shape has a pipeline.
 * SEVERAL=1: three shapes in turns, as one pipeline serves layers of a model and models of a process.
 *
 * For GPUs, which run such a kernel in microseconds: PASSES (4) is how often a run dispatches each shape,
 * CLOCK=gpu measures by timestamps. WARM (as SECONDS): for so many seconds before times are taken. DEVICE: as
 * wavepgo-bench --device.
 *
 * Output: name, processor time of one run in microseconds, hash of the output buffer.
 * Owns: everything it makes; a process ends with its Vulkan objects. Threads: one. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shaders/real/kernel_modules.h"
#include "shaders/real/program.h"

enum {
    MAX_BINDINGS = 8,
    MAX_PUSH = 64,  /* words */
    DISPATCHES = 4, /* of a run, of each shape */
    MOST_DISPATCHES = 1024,
    MAX_SHAPES = 3,
};

/* -- The host's side of llama.cpp: shapes, push constants, workgroups */

typedef struct tensor {
    uint32_t ne[4], nb[4]; /* sizes and strides, in elements */
} tensor;

typedef enum { NONE, FLOATS, HALVES, INDICES, RESULT } content_kind;

typedef struct job {
    uint32_t push[MAX_PUSH], push_words;
    uint32_t groups[3];
    uint32_t spec[4], spec_count;
    uint32_t subgroup; /* the device's */
    struct {
        content_kind content;
        uint32_t count, bytes, limit; /* elements, bytes of one; indices are below the limit */
    } buffers[MAX_BINDINGS];
} job;

static tensor packed(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return (tensor){{a, b, c, d}, {1, a, a * b, a * b * c}};
}

static uint32_t elements(tensor t)
{
    return t.ne[0] * t.ne[1] * t.ne[2] * t.ne[3];
}

static uint32_t bits(float value)
{
    uint32_t word;
    memcpy(&word, &value, 4);
    return word;
}

static void word(job *j, uint32_t value)
{
    j->push[j->push_words++] = value;
}

static void words_of(job *j, tensor t)
{
    for (int i = 0; i < 4; i++)
        word(j, t.ne[i]);
    for (int i = 0; i < 4; i++)
        word(j, t.nb[i]);
}

/* A division as a multiplication and a shift: n / d = (mulhi(n, magic) + n) >> shift. */
static uint32_t magic_of(uint32_t d, uint32_t *shift)
{
    *shift = 0;
    while (*shift < 32 && (1u << *shift) < d)
        ++*shift;
    return (uint32_t)((UINT64_C(1) << 32) * ((UINT64_C(1) << *shift) - d) / d + 1);
}

/* vk_op_unary_push_constants */
static void unary(job *j, tensor from, tensor to, float a, float b)
{
    word(j, elements(to));
    words_of(j, from);
    words_of(j, to);
    word(j, 0);
    word(j, bits(a));
    word(j, bits(b));
    word(j, 0);
    word(j, 0);
    for (int i = 0; i < 2; i++) {
        const uint32_t *ne = i ? to.ne : from.ne;
        uint32_t shifts[3];
        word(j, magic_of(ne[2] * ne[1] * ne[0], &shifts[0]));
        word(j, magic_of(ne[1] * ne[0], &shifts[1]));
        word(j, magic_of(ne[0], &shifts[2]));
        word(j, shifts[0] | shifts[1] << 8 | shifts[2] << 16);
    }
}

/* vk_op_binary_push_constants */
static void binary(job *j, tensor a, tensor b, tensor to, float p, float q, uint32_t r)
{
    word(j, elements(to));
    words_of(j, a);
    words_of(j, b);
    words_of(j, to);
    word(j, 0);
    word(j, bits(p));
    word(j, bits(q));
    word(j, r);
}

static void groups(job *j, uint32_t x, uint32_t y, uint32_t z)
{
    j->groups[0] = x;
    j->groups[1] = y;
    j->groups[2] = z;
}

/* One workgroup for 512 elements. */
static void flat(job *j, uint32_t count)
{
    uint32_t in_rows = (count + 511) / 512;
    groups(j, 1, in_rows > 512 ? 512 : in_rows, (in_rows + 511) / 512);
}

/* One workgroup for a row. */
static void by_row(job *j, uint32_t rows)
{
    groups(j, rows > 512 ? 512 : rows, (rows + 511) / 512, 1);
}

static void buffer(job *j, uint32_t binding, content_kind content, uint32_t count)
{
    j->buffers[binding].content = content;
    j->buffers[binding].count = count;
    j->buffers[binding].bytes = content == HALVES ? 2 : 4;
}

static void indices(job *j, uint32_t binding, uint32_t count, uint32_t limit)
{
    buffer(j, binding, INDICES, count);
    j->buffers[binding].limit = limit;
}

static void spec(job *j, uint32_t value)
{
    j->spec[j->spec_count++] = value;
}

/* Buffers 0, 1 and 2: two inputs and a result. */
static void three(job *j, uint32_t a, uint32_t b, uint32_t to)
{
    buffer(j, 0, FLOATS, a);
    buffer(j, 1, FLOATS, b);
    buffer(j, 2, RESULT, to);
}

static void two(job *j, uint32_t from, uint32_t to)
{
    buffer(j, 0, FLOATS, from);
    buffer(j, 1, RESULT, to);
}

static void rms_norm(job *j, const uint32_t *a)
{
    const uint32_t columns = a[0], heads = a[1], tokens = a[2], multiply = a[3];
    tensor t = packed(columns, heads, tokens, 1), weight = multiply ? packed(columns, 1, 1, 1) : t;
    binary(j, t, weight, t, 1e-5f, 0, 0);
    groups(j, heads, tokens, 1);
    spec(j, 0);
    spec(j, multiply);
    three(j, elements(t), elements(weight), elements(t));
}

/* Attention's scores. `wide` is the size of a workgroup; 0: a subgroup. */
static void soft_max(job *j, const uint32_t *a)
{
    const uint32_t columns = a[0], tokens = a[1], heads = a[2], wide = a[3];
    tensor t = packed(columns, tokens, heads, 1), mask = packed(columns, tokens, 1, 1);
    const uint32_t words[] = {columns, tokens, columns,    tokens,     heads,
                              1,       1,      mask.nb[1], mask.nb[2], mask.nb[3]};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        word(j, words[i]);
    const float floats[] = {0.125f, 0, 1, 1};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        word(j, bits(floats[i]));
    uint32_t power = 1;
    while (power * 2 <= heads)
        power *= 2;
    word(j, power);
    word(j, tokens * heads);
    word(j, 0);
    by_row(j, tokens * heads);
    spec(j, wide ? wide : j->subgroup);
    buffer(j, 0, FLOATS, elements(t));
    buffer(j, 1, FLOATS, elements(mask));
    buffer(j, 2, FLOATS, 4);
    buffer(j, 3, RESULT, elements(t));
}

static void norm(job *j, const uint32_t *a)
{
    const uint32_t columns = a[0], rows = a[1];
    tensor t = packed(columns, rows, 1, 1);
    unary(j, t, t, 1e-5f, 0);
    by_row(j, rows);
    two(j, elements(t), elements(t));
}

/* Of a whole tensor and a row of it, or of two tensors. */
static void arithmetic(job *j, const uint32_t *a)
{
    const uint32_t columns = a[0], rows = a[1], repeat = a[2];
    tensor t = packed(columns, rows, 1, 1), other = repeat ? packed(columns, 1, 1, 1) : t;
    binary(j, t, other, t, 0, 0, 0);
    flat(j, elements(t));
    spec(j, !repeat);
    three(j, elements(t), elements(other), elements(t));
}

/* Of one tensor, element by element. */
static void element_wise(job *j, const uint32_t *a)
{
    const uint32_t columns = a[0], rows = a[1];
    tensor t = packed(columns, rows, 1, 1);
    unary(j, t, t, 0.125f, 0);
    flat(j, elements(t));
    two(j, elements(t), elements(t));
}

/* Attention's result, heads behind each other, to tokens behind each other. */
static void copy_heads(job *j, const uint32_t *a)
{
    const uint32_t head = a[0], heads = a[1], tokens = a[2], half = a[3];
    tensor to = packed(head, heads, tokens, 1);
    tensor from = {{head, heads, tokens, 1}, {1, head * tokens, head, head * tokens * heads}};
    unary(j, from, to, 0, 0);
    flat(j, elements(to));
    two(j, elements(to), elements(to));
    j->buffers[1].bytes = half ? 2 : 4;
}

static void get_rows(job *j, const uint32_t *a)
{
    const uint32_t columns = a[0], vocabulary = a[1], tokens = a[2];
    tensor table = packed(columns, vocabulary, 1, 1), ids = packed(tokens, 1, 1, 1);
    binary(j, table, ids, packed(columns, tokens, 1, 1), 0, 0, 0);
    groups(j, (columns + 511) / 512, tokens, 1);
    buffer(j, 0, HALVES, elements(table));
    indices(j, 1, tokens, vocabulary);
    buffer(j, 2, RESULT, columns * tokens);
}

static float correction(float dimensions, float turns)
{
    return dimensions * logf(4096 / (turns * 2 * 3.14159265f)) / (2 * logf(10000));
}

/* vk_op_rope_push_constants; mode 2 is NeoX's. */
static void rope(job *j, const uint32_t *a)
{
    const uint32_t mode = a[0], head = a[1], heads = a[2], tokens = a[3];
    tensor t = packed(head, heads, tokens, 1);
    const float floats[] = {1,
                            10000,
                            0,
                            1,
                            floorf(correction((float)head, 32)),
                            ceilf(correction((float)head, 1)),
                            powf(10000, -2.0f / (float)head)};
    word(j, mode);
    word(j, heads * tokens);
    word(j, head);
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        word(j, bits(floats[i]));
    for (int i = 0; i < 1 + 4 + 3; i++) /* has_ff, sections, is_imrope, is_back, set_rows_stride */
        word(j, 0);
    for (int i = 0; i < 3; i++)
        word(j, t.ne[i]);
    for (int i = 0; i < 2; i++)
        for (int k = 1; k < 4; k++)
            word(j, t.nb[k]);
    word(j, 0);
    word(j, 0);
    groups(j, heads * tokens, (head + 511) / 512, 1);
    buffer(j, 0, FLOATS, elements(t));
    indices(j, 1, tokens, 4096);
    buffer(j, 2, FLOATS, head / 2);
    buffer(j, 3, RESULT, elements(t));
    indices(j, 4, 8, 1);
}

/* vk_op_glu_push_constants, of two tensors. */
static void glu(job *j, const uint32_t *a)
{
    const uint32_t columns = a[0], rows = a[1];
    tensor t = packed(columns, rows, 1, 1);
    word(j, elements(t));
    word(j, columns);
    word(j, columns);
    word(j, 2);
    word(j, 0);
    word(j, 0);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++)
            word(j, t.nb[k]);
    word(j, rows);
    word(j, 1);
    word(j, 0);
    for (uint32_t i = 0, d = elements(t); i < 3; i++, d = i == 1 ? columns * rows : columns) {
        uint32_t shift, magic = magic_of(d, &shift);
        word(j, magic);
        word(j, shift);
    }
    flat(j, elements(t));
    three(j, elements(t), elements(t), elements(t));
}

static void sum_rows(job *j, const uint32_t *a)
{
    const uint32_t columns = a[0], rows = a[1];
    tensor t = packed(columns, rows, 1, 1), to = packed(1, rows, 1, 1);
    word(j, columns);
    word(j, rows);
    word(j, 1);
    for (int i = 1; i < 4; i++)
        word(j, t.nb[i]);
    for (int i = 1; i < 4; i++)
        word(j, to.nb[i]);
    word(j, bits(1));
    word(j, 0);
    for (int i = 0; i < 2; i++) {
        uint32_t shift, magic = magic_of(rows, &shift);
        word(j, magic);
        word(j, shift);
    }
    by_row(j, rows);
    spec(j, j->subgroup);
    two(j, elements(t), rows);
}

static void argmax(job *j, const uint32_t *a)
{
    const uint32_t columns = a[0], rows = a[1];
    word(j, columns);
    word(j, rows);
    for (int i = 0; i < 4; i++)
        word(j, 0);
    by_row(j, rows);
    spec(j, j->subgroup);
    two(j, columns * rows, rows);
}

static void diagonal_mask(job *j, const uint32_t *a)
{
    const uint32_t columns = a[0], rows = a[1], heads = a[2];
    word(j, columns);
    word(j, rows);
    word(j, columns - rows);
    groups(j, rows * heads, (columns + 511) / 512, 1);
    two(j, columns * rows * heads, columns * rows * heads);
}

/* Along the dimension 1, as a cache of keys is joined. */
static void concat(job *j, const uint32_t *a)
{
    const uint32_t columns = a[0], rows = a[1], more = a[2];
    tensor left = packed(columns, rows, 4, 1), right = packed(columns, more, 4, 1),
           to = packed(columns, rows + more, 4, 1);
    binary(j, left, right, to, 0, 0, 1);
    flat(j, elements(to));
    three(j, elements(left), elements(right), elements(to));
}

/* An image's border of one, as vision models have it. */
static void pad(job *j, const uint32_t *a)
{
    const uint32_t side = a[0], channels = a[1];
    tensor from = packed(side, side, channels, 1), to = packed(side + 2, side + 2, channels, 1);
    word(j, elements(to));
    words_of(j, from);
    words_of(j, to);
    word(j, 0);
    word(j, 0);
    for (int i = 0; i < 8; i++)
        word(j, i < 4);
    flat(j, elements(to));
    two(j, elements(from), elements(to));
}

/* vk_op_upscale_push_constants: twice the side. Mode 0 is the nearest, 1 bilinear. */
static void upscale(job *j, const uint32_t *a)
{
    const uint32_t side = a[0], channels = a[1], mode = a[2];
    tensor from = packed(side, side, channels, 1), to = packed(2 * side, 2 * side, channels, 1);
    word(j, elements(to));
    word(j, 0);
    word(j, 0);
    word(j, side);
    word(j, side);
    for (int i = 0; i < 4; i++)
        word(j, from.nb[i]);
    for (int i = 0; i < 4; i++)
        word(j, to.ne[i]);
    const float floats[] = {2, 2, 1, 1, 0.5f};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        word(j, bits(floats[i]));
    flat(j, elements(to));
    spec(j, mode);
    two(j, elements(from), elements(to));
}

static const struct {
    const char *name, *kernel;
    void (*fill)(job *j, const uint32_t *a);
    uint32_t shape[4];
} items[] = {
    {"rms_norm_4096", "rms_norm_f32", rms_norm, {4096, 128, 1, 0}},
    {"rms_norm_mul_2048", "rms_norm_f32", rms_norm, {2048, 128, 1, 1}},
    {"rms_norm_mul_128", "rms_norm_f32", rms_norm, {128, 32, 8, 1}},
    {"soft_max_128", "soft_max_f32", soft_max, {128, 32, 32, 0}},
    {"soft_max_512", "soft_max_f32", soft_max, {512, 32, 32, 0}},
    {"soft_max_4096", "soft_max_f32", soft_max, {4096, 32, 8, 512}},
    {"norm_4096", "norm_f32", norm, {4096, 128}},
    {"add", "add_f32_f32_f32", arithmetic, {4096, 128, 0}},
    {"mul_by_row", "mul_f32_f32_f32", arithmetic, {2048, 128, 1}},
    {"scale", "scale_f32", element_wise, {4096, 128}},
    {"silu", "silu_f32", element_wise, {8192, 64}},
    {"copy_heads", "cpy_f32_f32", copy_heads, {128, 32, 128, 0}},
    {"copy_heads_f16", "cpy_f32_f16", copy_heads, {128, 32, 128, 1}},
    {"get_rows", "get_rows_f16_f32", get_rows, {2048, 8192, 128}},
    {"rope", "rope_norm_f32", rope, {0, 128, 32, 64}},
    {"rope_neox", "rope_neox_f32", rope, {2, 128, 32, 64}},
    {"swiglu", "swiglu_f32", glu, {8192, 64}},
    {"sum_rows", "sum_rows_f32", sum_rows, {4096, 128}},
    {"argmax", "argmax_f32", argmax, {32000, 32}},
    {"diag_mask_inf", "diag_mask_inf_f32", diagonal_mask, {512, 64, 16}},
    {"concat", "concat_i32", concat, {128, 896, 128}},
    {"pad", "pad_f32", pad, {126, 32}},
    {"upscale", "upscale_f32", upscale, {64, 32, 0}},
    {"upscale_bilinear", "upscale_f32", upscale, {64, 32, 1}},
};
enum { ITEMS = sizeof items / sizeof *items };

/* -- Vulkan */

typedef struct kernel {
    job job;
    bench_buffer buffers[MAX_BINDINGS];
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorSet set;
} kernel;

static uint32_t random_word(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* From -1 to 1; a half's bits have no sign bit, and an exponent of 8 to 14. */
static void fill_buffer(void *to, content_kind content, uint32_t count, uint32_t limit, uint32_t seed)
{
    uint32_t state = seed;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t r = random_word(&state);
        if (content == FLOATS)
            ((float *)to)[i] = (float)r / 8388608.0f - 1.0f;
        else if (content == HALVES)
            ((uint16_t *)to)[i] = (uint16_t)((8 + r % 7) << 10 | (r >> 12 & 1023));
        else if (content == INDICES)
            ((uint32_t *)to)[i] = r % limit;
    }
}

static wpg_status make_buffers(kernel *k, const bench_device *dev, wpg_error *err)
{
    for (uint32_t i = 0; i < MAX_BINDINGS; i++) {
        if (k->job.buffers[i].content == NONE)
            continue;
        size_t size = (size_t)k->job.buffers[i].count * k->job.buffers[i].bytes;
        void *bytes = calloc(1, size);
        if (!bytes)
            return wpg_fail(err, WPG_E_NOMEM, "out of memory");
        fill_buffer(bytes, k->job.buffers[i].content, k->job.buffers[i].count, k->job.buffers[i].limit,
                    i + 1);
        wpg_status status =
            bench_buffer_create(&k->buffers[i], dev, size,
                                VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                                    VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                false, err);
        if (status == WPG_OK)
            status = bench_buffer_upload(&k->buffers[i], dev, bytes, size, err);
        free(bytes);
        WPG_TRY(status);
    }
    return WPG_OK;
}

static wpg_status make_set(kernel *k, const bench_device *dev, uint32_t bindings, wpg_error *err)
{
    VkDescriptorSetLayoutBinding list[MAX_BINDINGS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < MAX_BINDINGS; i++) {
        if (!(bindings >> i & 1))
            continue;
        if (k->job.buffers[i].content == NONE)
            return wpg_fail(err, WPG_E_FORMAT, "the module has a buffer %u, which llama.cpp did not have", i);
        list[count++] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                       .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                       .descriptorCount = 1,
                                                       .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    }
    VkDescriptorSetLayoutCreateInfo set_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = count,
        .pBindings = list,
    };
    VkDescriptorSetLayout set_layout;
    BENCH_VK(vkCreateDescriptorSetLayout(dev->device, &set_info, NULL, &set_layout));
    VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, k->job.push_words * 4};
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &set_layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &range,
    };
    BENCH_VK(vkCreatePipelineLayout(dev->device, &layout, NULL, &k->layout));
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MAX_BINDINGS};
    VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = 1,
        .pPoolSizes = &size,
    };
    VkDescriptorPool pool;
    BENCH_VK(vkCreateDescriptorPool(dev->device, &pool_info, NULL, &pool));
    VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &set_layout,
    };
    BENCH_VK(vkAllocateDescriptorSets(dev->device, &allocate, &k->set));
    for (uint32_t i = 0; i < count; i++) {
        VkDescriptorBufferInfo info = {k->buffers[list[i].binding].buffer, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = k->set,
            .dstBinding = list[i].binding,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = &info,
        };
        vkUpdateDescriptorSets(dev->device, 1, &write, 0, NULL);
    }
    return WPG_OK;
}

static wpg_status make_pipeline(kernel *k, const bench_device *dev, const kernel_module *m, wpg_error *err)
{
    VkSpecializationMapEntry entries[4];
    for (uint32_t i = 0; i < k->job.spec_count; i++)
        entries[i] = (VkSpecializationMapEntry){i, i * 4, 4};
    VkSpecializationInfo specialization = {k->job.spec_count, entries, k->job.spec_count * 4ul, k->job.spec};
    VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = m->count * 4,
        .pCode = m->words,
    };
    VkShaderModule shader;
    BENCH_VK(vkCreateShaderModule(dev->device, &module_info, NULL, &shader));
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = shader,
                  .pName = "main",
                  .pSpecializationInfo = &specialization},
        .layout = k->layout,
    };
    BENCH_VK(vkCreateComputePipelines(dev->device, VK_NULL_HANDLE, 1, &info, NULL, &k->pipeline));
    vkDestroyShaderModule(dev->device, shader, NULL);
    return WPG_OK;
}

static void dispatch(const kernel *k, VkCommandBuffer commands)
{
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT,
    };
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, k->pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, k->layout, 0, 1, &k->set, 0, NULL);
    vkCmdPushConstants(commands, k->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, k->job.push_words * 4,
                       k->job.push);
    vkCmdDispatch(commands, k->job.groups[0], k->job.groups[1], k->job.groups[2]);
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0,
                         NULL, 0, NULL);
}

/* One run: a command buffer of its own, as llama.cpp records one for each graph. Shapes take turns. */
static wpg_status run_once(const kernel *shapes, unsigned count, const bench_device *dev, wpg_error *err)
{
    VkCommandBuffer commands;
    WPG_TRY(bench_commands_begin(&commands, dev, err));
    bench_timer_begin(commands, dev);
    for (uint32_t i = bench_environment_number("PASSES", DISPATCHES, MOST_DISPATCHES); i > 0; i--)
        for (unsigned s = 0; s < count; s++)
            dispatch(&shapes[s], commands);
    bench_timer_end(commands, dev);
    BENCH_VK(vkEndCommandBuffer(commands));
    WPG_TRY(bench_submit(dev, commands, NULL, err));
    vkFreeCommandBuffers(dev->device, dev->pool, 1, &commands);
    return WPG_OK;
}

static wpg_status add_to_hash(uint64_t *hash, const kernel *k, const bench_device *dev, wpg_error *err)
{
    for (uint32_t i = 0; i < MAX_BINDINGS; i++) {
        if (k->job.buffers[i].content != RESULT)
            continue;
        size_t size = (size_t)k->job.buffers[i].count * k->job.buffers[i].bytes;
        uint8_t *bytes = malloc(size);
        if (!bytes)
            return wpg_fail(err, WPG_E_NOMEM, "out of memory");
        wpg_status status = bench_buffer_download(bytes, &k->buffers[i], dev, size, err);
        for (size_t n = 0; n < size && status == WPG_OK; n++)
            *hash = (*hash ^ bytes[n]) * 0x100000001b3u;
        free(bytes);
        WPG_TRY(status);
    }
    return WPG_OK;
}

/* Runs for `seconds`, or WARM, that do not count, so that pipelines of the background are there, then for
 * `seconds` that do. A run of half a second compiled something: the first time starts again. */
static wpg_status measure(const kernel *shapes, unsigned count, const bench_device *dev, const char *name,
                          double seconds, wpg_error *err)
{
    uint64_t begin = bench_now_ns(), last = begin, now, hash = 0xcbf29ce484222325u;
    const char *warm = getenv("WARM");
    const double warming = warm ? atof(warm) : seconds;
    unsigned compiles = 0;
    do {
        WPG_TRY(run_once(shapes, count, dev, err));
        now = bench_now_ns();
        if (now - last > 500000000u && compiles++ < 4)
            begin = now;
        last = now;
    } while ((double)(now - begin) < warming * 1e9);
    WPG_TRY(run_once(shapes, count, dev, err));
    unsigned runs = 0;
    double spent = 0;
    begin = bench_now_ns();
    do {
        bench_clock clock;
        bench_clock_start(&clock);
        WPG_TRY(run_once(shapes, count, dev, err));
        WPG_TRY(bench_clock_add(&spent, &clock, dev, err));
        runs++;
    } while ((double)(bench_now_ns() - begin) < seconds * 1e9);
    for (unsigned s = 0; s < count; s++)
        WPG_TRY(add_to_hash(&hash, &shapes[s], dev, err));
    printf("%s %.1f %012llx\n", name, spent / runs, (unsigned long long)hash & 0xffffffffffffu);
    fflush(stdout);
    return WPG_OK;
}

static uint32_t subgroup_of(const bench_device *dev)
{
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType =
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &subgroup};
    vkGetPhysicalDeviceProperties2(dev->physical, &all);
    return subgroup.subgroupSize;
}

/* The first two sizes of an item grow by an eighth with each further shape. What else an item takes chooses
 * the pipeline or stays. */
static void shape_of(uint32_t *shape, const uint32_t *item, unsigned number)
{
    unsigned grown = 0;
    for (int i = 0; i < 4; i++)
        shape[i] = item[i] > 3 && grown++ < 2 ? item[i] + item[i] / 8 * number : item[i];
}

/* One shape; what does not depend on the shape is taken from the item's first, if this is another. */
static wpg_status make_shape(kernel *k, const kernel *first, const bench_device *dev, kernel_module *m,
                             bool frozen, wpg_error *err)
{
    WPG_TRY(make_buffers(k, dev, err));
    WPG_TRY(make_set(k, dev, kernel_module_bindings(m), err));
    if (frozen)
        WPG_TRY(kernel_module_freeze(m, k->job.push, err));
    if (first == k || frozen)
        return make_pipeline(k, dev, m, err);
    k->layout = first->layout;
    k->pipeline = first->pipeline;
    return WPG_OK;
}

static wpg_status run_item(const bench_device *dev, const kernel_library *library, bool frozen,
                           const char *name, double seconds, wpg_error *err)
{
    kernel shapes[MAX_SHAPES] = {0};
    const unsigned count = getenv("SEVERAL") && *getenv("SEVERAL") ? MAX_SHAPES : 1;
    size_t i = 0;
    while (i < ITEMS && strcmp(items[i].name, name) != 0)
        i++;
    if (i == ITEMS)
        return wpg_fail(err, WPG_E_NOT_FOUND, "no item '%s'", name);
    for (unsigned s = 0; s < count; s++) {
        kernel_module m = {0};
        uint32_t shape[4];
        shapes[s].job.subgroup = subgroup_of(dev);
        shape_of(shape, items[i].shape, s);
        items[i].fill(&shapes[s].job, shape);
        WPG_TRY(kernel_module_find(&m, library, items[i].kernel, err));
        WPG_TRY(make_shape(&shapes[s], shapes, dev, &m, frozen, err));
        free(m.words);
    }
    WPG_TRY(measure(shapes, count, dev, name, seconds, err));
    for (unsigned s = 0; s < count; s++)
        for (uint32_t b = 0; b < MAX_BINDINGS; b++)
            bench_buffer_destroy(&shapes[s].buffers[b], dev);
    return WPG_OK;
}

/* The module of every item. */
static wpg_status extract(const kernel_library *library, const char *folder, wpg_error *err)
{
    for (size_t i = 0; i < ITEMS; i++) {
        char path[4096];
        kernel_module m = {0};
        WPG_TRY(kernel_module_find(&m, library, items[i].kernel, err));
        snprintf(path, sizeof path, "%s/%s.spv", folder, items[i].kernel);
        FILE *file = fopen(path, "wb");
        const bool written = file && fwrite(m.words, 4, m.count, file) == m.count;
        free(m.words);
        if ((file && fclose(file) != 0) || !written)
            return wpg_fail(err, WPG_E_IO, "cannot write %s", path);
    }
    return WPG_OK;
}

int main(int argc, char **argv)
{
    bench_device dev;
    kernel_library library = {0};
    wpg_error err = {0};
    if (argc == 2 && !strcmp(argv[1], "list")) {
        for (size_t i = 0; i < ITEMS; i++)
            puts(items[i].name);
        return 0;
    }
    const bool extracts = argc == 4 && !strcmp(argv[2], "extract");
    if (argc < 5 && !extracts) {
        fputs(
            "kernels list\nkernels LIBRARY run|attainable SECONDS NAME...\nkernels LIBRARY extract FOLDER\n",
            stderr);
        return 2;
    }
    wpg_status status = kernel_library_open(&library, argv[1], &err);
    if (status == WPG_OK)
        status = extracts ? extract(&library, argv[3], &err)
                          : bench_device_create(&dev, getenv("DEVICE"), BENCH_DEVICE_VULKAN_1_2, &err);
    for (int i = 4; i < argc && status == WPG_OK; i++)
        status = run_item(&dev, &library, !strcmp(argv[2], "attainable"), argv[i], atof(argv[3]), &err);
    free(library.bytes);
    if (status == WPG_OK)
        return 0;
    fprintf(stderr, "kernels: %s\n", err.message);
    return 1;
}
