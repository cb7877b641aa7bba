/* See resources.h. */
#include "tests/corpus/resources.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/hash.h"
#include "tests/corpus/contents.h"
#include "tests/corpus/formats.h"

enum {
    DISTINCT = 3, /* objects of an array of descriptors; its elements take turns */
    TAIL = 64,    /* elements of a run-time array */
    MOST_BYTES =
        16384,    /* of a buffer: what every device has of a uniform one; what lies beyond reads as nothing */
    TEXELS = 256, /* of a texel buffer */
    SIDE = 16,    /* of an image */
    LEVELS = 3
};

typedef struct object {
    VkDescriptorType type;
    uint32_t set, binding, element, struct_type;
    texel_format texel;
    vk_buffer buffer; /* or what an image is copied from and to */
    VkBufferView texels;
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
    VkSampler sampler;
    VkImageCreateInfo shape;
} object;

struct resources {
    vk_program *vk;
    const wpg_module *module;
    VkDescriptorPool pool;
    VkDescriptorSet sets[LAYOUT_SETS];
    object *objects;
    uint32_t count;
};

uint64_t hash_over(uint64_t hash, const void *data, size_t size)
{
    const uint64_t both[2] = {hash, wpg_hash64_bytes(data, size)};
    return wpg_hash64_bytes(both, sizeof both);
}

static bool is_buffer(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}
static bool is_texels(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}
static bool has_image(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE || type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE ||
           type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
}
static bool has_sampler(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_SAMPLER || type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
}
static bool is_written(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER ||
           type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
}

static bool is_storage(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
}

/* The OpTypeImage behind a variable; NULL: none. */
static const wpg_inst *image_type(const wpg_module *module, uint32_t variable)
{
    const wpg_inst *of = wpg_module_def(module, contents_type(module, variable));
    if (of && of->opcode == SpvOpTypeSampledImage)
        of = wpg_module_def(module, of->words[2]);
    return of && of->opcode == SpvOpTypeImage ? of : NULL;
}

/* The module compares with a depth somewhere: separate samplers do, too. */
static bool compares(const wpg_module *module)
{
    WPG_INST_EACH (i, module)
        if ((i->opcode >= SpvOpImageSampleDrefImplicitLod && i->opcode <= SpvOpImageSampleDrefExplicitLod) ||
            (i->opcode >= SpvOpImageSampleProjDrefImplicitLod &&
             i->opcode <= SpvOpImageSampleProjDrefExplicitLod) ||
            i->opcode == SpvOpImageDrefGather)
            return true;
    return false;
}

static VkImageCreateInfo shape_of(const wpg_inst *image, texel_format texel, VkDescriptorType type)
{
    const SpvDim dim = (SpvDim)image->words[3];
    const bool layered = image->words[5], many = image->words[6], cube = dim == SpvDimCube,
               storage = type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    return (VkImageCreateInfo){.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
                               .imageType = dim == SpvDim1D   ? VK_IMAGE_TYPE_1D
                                            : dim == SpvDim3D ? VK_IMAGE_TYPE_3D
                                                              : VK_IMAGE_TYPE_2D,
                               .format = texel.format,
                               .extent = {SIDE, dim == SpvDim1D ? 1 : SIDE, dim == SpvDim3D ? 4 : 1},
                               .mipLevels = storage || many ? 1 : LEVELS,
                               .arrayLayers = (cube ? 6u : 1u) * (layered ? cube ? 2u : 4u : 1u),
                               .samples = many ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT,
                               .usage =
                                   VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                                   (storage ? VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT
                                            : (VkImageUsageFlags)VK_IMAGE_USAGE_SAMPLED_BIT)};
}

static VkImageViewType view_type(const wpg_inst *image)
{
    const bool layered = image->words[5];
    switch (image->words[3]) {
    case SpvDim1D:
        return layered ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
    case SpvDim3D:
        return VK_IMAGE_VIEW_TYPE_3D;
    case SpvDimCube:
        return layered ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
    default:
        return layered ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
    }
}

static bool known_image(const char **why, const vk_program *vk, const wpg_module *module,
                        const wpg_inst *image, VkDescriptorType type)
{
    texel_format texel;
    VkImageFormatProperties limits;
    *why = "an image of a kind or of texels that are not known here";
    if (!image || image->words[3] > SpvDimBuffer || image->words[3] == SpvDimRect ||
        !texel_format_of(&texel, module, image, is_storage(type)))
        return false;
    *why = "an image that the device cannot make";
    if (image->words[3] == SpvDimBuffer) {
        VkFormatProperties can;
        vkGetPhysicalDeviceFormatProperties(vk->physical, texel.format, &can);
        return can.bufferFeatures &
               (type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER ? VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT
                                                                : VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT);
    }
    const VkImageCreateInfo shape = shape_of(image, texel, type);
    if (type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE && image->words[6])
        return false;
    return vkGetPhysicalDeviceImageFormatProperties(vk->physical, shape.format, shape.imageType, shape.tiling,
                                                    shape.usage, shape.flags, &limits) == VK_SUCCESS &&
           (limits.sampleCounts & (VkSampleCountFlags)shape.samples);
}

bool resources_known(const char **why, const vk_program *vk, const wpg_module *module, const layout *of)
{
    for (uint32_t s = 0; s < LAYOUT_SETS; s++)
        for (uint32_t b = 0; b < of->counts[s]; b++) {
            const VkDescriptorType type = of->bindings[s][b].descriptorType;
            const uint32_t variable = of->variables[s][b];
            if (is_buffer(type)) {
                *why = "addresses in memory";
                if (contents_has_address(module, contents_type(module, variable)))
                    return false;
            } else if (is_texels(type) || has_image(type)) {
                if (!known_image(why, vk, module, image_type(module, variable), type))
                    return false;
            } else if (type != VK_DESCRIPTOR_TYPE_SAMPLER) {
                *why = "an input attachment";
                return false;
            }
        }
    return true;
}

static void make_buffer(vk_program *vk, const wpg_module *module, object *o, uint32_t variable)
{
    static const VkBufferUsageFlags usages[] = {
        [VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER] = VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT,
        [VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER] = VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT,
        [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER] = VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
        [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER] = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    size_t size;
    if (is_texels(o->type)) {
        (void)texel_format_of(&o->texel, module, image_type(module, variable), is_storage(o->type));
        size = (size_t)TEXELS * o->texel.size;
    } else {
        o->struct_type = contents_type(module, variable);
        size = contents_size(module, o->struct_type, TAIL);
        size = size < 16 ? 16 : size > MOST_BYTES ? MOST_BYTES : size;
    }
    vk_make_buffer(vk, &o->buffer, (size + 3) / 4, usages[o->type]);
    if (!is_texels(o->type))
        return;
    const VkBufferViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
                                         .buffer = o->buffer.buffer,
                                         .format = o->texel.format,
                                         .range = VK_WHOLE_SIZE};
    VK_MUST(vkCreateBufferView(vk->device, &info, NULL, &o->texels));
}

static VkImageSubresourceRange whole(const object *o)
{
    return (VkImageSubresourceRange){o->texel.format == VK_FORMAT_D32_SFLOAT ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                                             : VK_IMAGE_ASPECT_COLOR_BIT,
                                     0, o->shape.mipLevels, 0, o->shape.arrayLayers};
}

static VkExtent3D extent_of(const object *o, uint32_t level)
{
    const VkExtent3D e = o->shape.extent;
    return (VkExtent3D){e.width >> level ? e.width >> level : 1, e.height >> level ? e.height >> level : 1,
                        e.depth >> level ? e.depth >> level : 1};
}

static size_t level_texels(const object *o, uint32_t level)
{
    const VkExtent3D e = extent_of(o, level);
    return (size_t)e.width * e.height * e.depth * o->shape.arrayLayers;
}

static void make_image(vk_program *vk, const wpg_module *module, object *o, uint32_t variable)
{
    const wpg_inst *image = image_type(module, variable);
    (void)texel_format_of(&o->texel, module, image, is_storage(o->type));
    o->shape = shape_of(image, o->texel, o->type);
    VK_MUST(vkCreateImage(vk->device, &o->shape, NULL, &o->image));
    vk_bind_image(vk, o->image, &o->memory);
    const VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = o->image,
                                        .viewType = view_type(image),
                                        .format = o->texel.format,
                                        .subresourceRange = whole(o)};
    VK_MUST(vkCreateImageView(vk->device, &info, NULL, &o->view));
    size_t texels = 0;
    for (uint32_t level = 0; level < o->shape.mipLevels; level++)
        texels += level_texels(o, level);
    vk_make_buffer(vk, &o->buffer, (texels * o->texel.size + 3) / 4,
                   VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

static void make_sampler(vk_program *vk, const wpg_module *module, object *o, uint32_t variable)
{
    const wpg_inst *image = image_type(module, variable);
    const bool depth = image ? image->words[4] == 1 : compares(module),
               smooth = image && !depth && o->texel.kind == TEXEL_HALF;
    const VkFilter filter = smooth ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    const VkSamplerCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
                                      .magFilter = filter,
                                      .minFilter = filter,
                                      .compareEnable = depth,
                                      .compareOp = VK_COMPARE_OP_LESS_OR_EQUAL,
                                      .maxLod = LEVELS};
    VK_MUST(vkCreateSampler(vk->device, &info, NULL, &o->sampler));
}

static void write_descriptors(const resources *r, const object *o, uint32_t count)
{
    const VkDescriptorBufferInfo buffer = {o->buffer.buffer, 0, VK_WHOLE_SIZE};
    const VkDescriptorImageInfo image = {o->sampler, o->view, VK_IMAGE_LAYOUT_GENERAL};
    for (uint32_t element = o->element; element < count; element += DISTINCT) {
        const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                            .dstSet = r->sets[o->set],
                                            .dstBinding = o->binding,
                                            .dstArrayElement = element,
                                            .descriptorCount = 1,
                                            .descriptorType = o->type,
                                            .pImageInfo = &image,
                                            .pBufferInfo = &buffer,
                                            .pTexelBufferView = &o->texels};
        vkUpdateDescriptorSets(r->vk->device, 1, &write, 0, NULL);
    }
}

static void allocate_sets(resources *r, const layout *of, const VkDescriptorSetLayout *sets,
                          uint32_t set_count)
{
    VkDescriptorPoolSize sizes[VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT + 1];
    for (uint32_t t = 0; t <= VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT; t++)
        sizes[t] = (VkDescriptorPoolSize){(VkDescriptorType)t, 1};
    for (uint32_t s = 0; s < set_count; s++)
        for (uint32_t b = 0; b < of->counts[s]; b++)
            sizes[of->bindings[s][b].descriptorType].descriptorCount += of->bindings[s][b].descriptorCount;
    const VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = set_count + 1,
                                             .poolSizeCount = sizeof sizes / sizeof *sizes,
                                             .pPoolSizes = sizes};
    VK_MUST(vkCreateDescriptorPool(r->vk->device, &pool, NULL, &r->pool));
    if (set_count == 0)
        return;
    const VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                                  .descriptorPool = r->pool,
                                                  .descriptorSetCount = set_count,
                                                  .pSetLayouts = sets};
    VK_MUST(vkAllocateDescriptorSets(r->vk->device, &allocate, r->sets));
}

resources *resources_make(vk_program *vk, const wpg_module *module, const layout *of,
                          const VkDescriptorSetLayout *sets, uint32_t set_count)
{
    resources *r = calloc(1, sizeof *r);
    object *objects = calloc((size_t)LAYOUT_SETS * LAYOUT_BINDINGS * DISTINCT, sizeof *objects);
    if (!r || !objects)
        exit(VK_EXIT_FAILURE);
    *r = (resources){.vk = vk, .module = module, .objects = objects};
    allocate_sets(r, of, sets, set_count);
    for (uint32_t s = 0; s < set_count; s++)
        for (uint32_t b = 0; b < of->counts[s]; b++) {
            const VkDescriptorSetLayoutBinding *binding = &of->bindings[s][b];
            for (uint32_t e = 0; e < binding->descriptorCount && e < DISTINCT; e++) {
                object *o = &objects[r->count++];
                *o = (object){
                    .type = binding->descriptorType, .set = s, .binding = binding->binding, .element = e};
                if (is_buffer(o->type) || is_texels(o->type))
                    make_buffer(vk, module, o, of->variables[s][b]);
                if (has_image(o->type))
                    make_image(vk, module, o, of->variables[s][b]);
                if (has_sampler(o->type))
                    make_sampler(vk, module, o, of->variables[s][b]);
                write_descriptors(r, o, binding->descriptorCount);
            }
        }
    return r;
}

void resources_drop(resources *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        object *o = &r->objects[i];
        vkDestroySampler(r->vk->device, o->sampler, NULL);
        vkDestroyImageView(r->vk->device, o->view, NULL);
        vkDestroyImage(r->vk->device, o->image, NULL);
        vkFreeMemory(r->vk->device, o->memory, NULL);
        vkDestroyBufferView(r->vk->device, o->texels, NULL);
        vk_drop_buffer(r->vk, &o->buffer);
    }
    vkDestroyDescriptorPool(r->vk->device, r->pool, NULL);
    free(r->objects);
    free(r);
}

void resources_fill(resources *r, uint32_t data_set, const given *by)
{
    for (uint32_t i = 0; i < r->count; i++) {
        object *o = &r->objects[i];
        uint8_t *bytes = (uint8_t *)o->buffer.words;
        const size_t size = o->buffer.count * 4;
        if (!bytes)
            continue;
        memset(bytes, 0, size);
        if (is_buffer(o->type)) {
            contents_fill(bytes, size, r->module, o->struct_type, data_set);
            if (data_set == 0)
                (void)given_apply(by, bytes, size, o->set, o->binding);
        } else {
            texel_fill(bytes, size / o->texel.size, o->texel, data_set);
        }
    }
}

static void barrier(const resources *r, const object *o, VkImageLayout before, VkAccessFlags from,
                    VkAccessFlags to)
{
    const VkImageMemoryBarrier change = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                         .srcAccessMask = from,
                                         .dstAccessMask = to,
                                         .oldLayout = before,
                                         .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                         .image = o->image,
                                         .subresourceRange = whole(o)};
    vkCmdPipelineBarrier(r->vk->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &change);
}

static void copy_levels(const resources *r, const object *o, bool up)
{
    VkDeviceSize at = 0;
    for (uint32_t level = 0; level < o->shape.mipLevels; level++) {
        const VkBufferImageCopy region = {
            .bufferOffset = at,
            .imageSubresource = {whole(o).aspectMask, level, 0, o->shape.arrayLayers},
            .imageExtent = extent_of(o, level)};
        if (up)
            vkCmdCopyBufferToImage(r->vk->commands, o->buffer.buffer, o->image, VK_IMAGE_LAYOUT_GENERAL, 1,
                                   &region);
        else
            vkCmdCopyImageToBuffer(r->vk->commands, o->image, VK_IMAGE_LAYOUT_GENERAL, o->buffer.buffer, 1,
                                   &region);
        at += level_texels(o, level) * o->texel.size;
    }
}

/* Images of several samples cannot be copied to. */
static void clear(const resources *r, const object *o)
{
    const VkImageSubresourceRange range = whole(o);
    const VkClearDepthStencilValue depth = {0.375f, 0};
    VkClearColorValue color = {.float32 = {0.5f, 1, 0.25f, 0.75f}};
    if (o->texel.kind == TEXEL_INT)
        color = (VkClearColorValue){.uint32 = {1, 2, 3, 4}};
    if (range.aspectMask == VK_IMAGE_ASPECT_DEPTH_BIT)
        vkCmdClearDepthStencilImage(r->vk->commands, o->image, VK_IMAGE_LAYOUT_GENERAL, &depth, 1, &range);
    else
        vkCmdClearColorImage(r->vk->commands, o->image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &range);
}

void resources_record_upload(resources *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const object *o = &r->objects[i];
        if (!o->image)
            continue;
        barrier(r, o, VK_IMAGE_LAYOUT_UNDEFINED, 0, VK_ACCESS_TRANSFER_WRITE_BIT);
        if (o->shape.samples == VK_SAMPLE_COUNT_1_BIT)
            copy_levels(r, o, true);
        else
            clear(r, o);
        barrier(r, o, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_TRANSFER_WRITE_BIT,
                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    }
}

void resources_record_download(resources *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        const object *o = &r->objects[i];
        if (!o->image || !is_written(o->type))
            continue;
        barrier(r, o, VK_IMAGE_LAYOUT_GENERAL, VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT);
        copy_levels(r, o, false);
    }
}

const VkDescriptorSet *resources_sets(const resources *r)
{
    return r->sets;
}

uint64_t resources_hash(const resources *r, uint64_t hash)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (is_written(r->objects[i].type))
            hash = hash_over(hash, r->objects[i].buffer.words, r->objects[i].buffer.count * 4);
    return hash;
}
