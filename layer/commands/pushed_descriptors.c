/* See pushed_descriptors.h. */
#include "layer/commands/pushed_descriptors.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/chain.h"

/* Newer than the oldest headers we build with (VK_QCOM_image_processing): values from the registry. */
#define TYPE_SAMPLE_WEIGHT_IMAGE ((VkDescriptorType)1000440000)
#define TYPE_BLOCK_MATCH_IMAGE   ((VkDescriptorType)1000440001)

enum { MOST_DESCRIPTORS = 1 << 16 }; /* of a set; drivers allow 32 to some hundreds */

typedef enum kind { KIND_UNKNOWN, KIND_IMAGE, KIND_BUFFER, KIND_VIEW, KIND_STRUCTURE } kind;

/* Dynamic buffers, inline blocks and mutable descriptors cannot be pushed. */
static kind kind_of(VkDescriptorType type)
{
    switch ((int)type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
    case TYPE_SAMPLE_WEIGHT_IMAGE:
    case TYPE_BLOCK_MATCH_IMAGE:
        return KIND_IMAGE;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
        return KIND_VIEW;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
        return KIND_BUFFER;
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR:
    case VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_NV:
        return KIND_STRUCTURE;
    default:
        return KIND_UNKNOWN;
    }
}

/* -- Shapes */

static int by_number(const void *left, const void *right)
{
    const struct wpg_push_binding *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

wpg_push_shape *wpg_push_shape_make(const VkDescriptorSetLayoutCreateInfo *info, wpg_hash128 definition)
{
    wpg_push_shape *shape = calloc(1, sizeof *shape + info->bindingCount * sizeof *shape->bindings);
    uint64_t total = 0;
    if (!shape)
        return NULL;
    atomic_store(&shape->references, 1);
    shape->definition = definition;
    shape->known = true;
    shape->binding_count = info->bindingCount;
    for (uint32_t i = 0; i < info->bindingCount; i++) {
        const VkDescriptorSetLayoutBinding *binding = &info->pBindings[i];
        shape->bindings[i].number = binding->binding;
        shape->bindings[i].count = binding->descriptorCount;
        shape->known &= !binding->descriptorCount || kind_of(binding->descriptorType) != KIND_UNKNOWN;
        total += binding->descriptorCount;
    }
    shape->known &= total <= MOST_DESCRIPTORS;
    if (!shape->known)
        return shape;
    qsort(shape->bindings, shape->binding_count, sizeof *shape->bindings, by_number);
    for (uint32_t i = 0; i < shape->binding_count; i++) {
        shape->bindings[i].first = shape->descriptors;
        shape->descriptors += shape->bindings[i].count;
    }
    return shape;
}

wpg_push_shape *wpg_push_shape_hold(wpg_push_shape *shape)
{
    if (shape)
        atomic_fetch_add(&shape->references, 1);
    return shape;
}

void wpg_push_shape_drop(wpg_push_shape *shape)
{
    if (shape && atomic_fetch_sub(&shape->references, 1) == 1)
        free(shape);
}

/* -- Values */

typedef union value {
    VkDescriptorImageInfo image;
    VkDescriptorBufferInfo buffer;
    VkBufferView view;
    VkAccelerationStructureKHR structure; /* or of NV */
} value;

typedef struct descriptor {
    bool written;
    VkDescriptorType type;
    value is;
} descriptor;

/* Arrays of as many elements as the shape has descriptors. */
struct wpg_pushed {
    wpg_push_shape *shape;
    descriptor *descriptors;
    /* wpg_pushed_all: what it gives. Values of each write stand one after the other. */
    VkWriteDescriptorSet *writes;
    VkWriteDescriptorSetAccelerationStructureKHR *structures; /* of NV: the same members */
    value *values;
};

wpg_pushed *wpg_pushed_make(wpg_push_shape *shape)
{
    const size_t count = shape->descriptors ? shape->descriptors : 1;
    wpg_pushed *pushed = calloc(1, sizeof *pushed);
    if (!pushed)
        return NULL;
    pushed->shape = wpg_push_shape_hold(shape);
    pushed->descriptors = calloc(count, sizeof *pushed->descriptors);
    pushed->writes = calloc(count, sizeof *pushed->writes);
    pushed->structures = calloc(count, sizeof *pushed->structures);
    pushed->values = calloc(count, sizeof *pushed->values);
    if (pushed->descriptors && pushed->writes && pushed->structures && pushed->values)
        return pushed;
    wpg_pushed_free(pushed);
    return NULL;
}

void wpg_pushed_free(wpg_pushed *pushed)
{
    if (!pushed)
        return;
    wpg_push_shape_drop(pushed->shape);
    free(pushed->descriptors);
    free(pushed->writes);
    free(pushed->structures);
    free(pushed->values);
    free(pushed);
}

const wpg_push_shape *wpg_pushed_shape(const wpg_pushed *pushed)
{
    return pushed->shape;
}

void wpg_pushed_clear(wpg_pushed *pushed)
{
    for (uint32_t i = 0; i < pushed->shape->descriptors; i++)
        pushed->descriptors[i].written = false;
}

/* [count] descriptors from that element on; NULL: there are none, or not as many. */
static descriptor *find(wpg_pushed *pushed, uint32_t binding, uint32_t element, uint32_t count)
{
    const wpg_push_shape *shape = pushed->shape;
    const struct wpg_push_binding key = {.number = binding};
    const struct wpg_push_binding *found =
        bsearch(&key, shape->bindings, shape->binding_count, sizeof key, by_number);
    if (!found || !shape->known)
        return NULL;
    const uint64_t first = (uint64_t)found->first + element;
    return first + count <= shape->descriptors ? pushed->descriptors + first : NULL;
}

static size_t size_of(kind of)
{
    return of == KIND_IMAGE    ? sizeof(VkDescriptorImageInfo)
           : of == KIND_BUFFER ? sizeof(VkDescriptorBufferInfo)
           : of == KIND_VIEW   ? sizeof(VkBufferView)
                               : sizeof(VkAccelerationStructureKHR);
}

/* One value of that kind: what the program passes, or zeros where it passes nothing (immutable samplers). */
static void take(descriptor *to, VkDescriptorType type, kind of, const void *from)
{
    to->written = from || of == KIND_IMAGE;
    to->type = type;
    memset(&to->is, 0, sizeof to->is);
    if (from)
        memcpy(&to->is, from, size_of(of));
}

/* Only the array that the type names may be looked at (Vulkan 1.4, VkWriteDescriptorSet). */
static const void *values_of(const VkWriteDescriptorSet *write, kind of)
{
    if (of == KIND_IMAGE)
        return write->pImageInfo;
    if (of == KIND_BUFFER)
        return write->pBufferInfo;
    if (of == KIND_VIEW)
        return write->pTexelBufferView;
    const bool khr = write->descriptorType == VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR;
    const VkWriteDescriptorSetAccelerationStructureKHR *structures =
        wpg_chain_find(write->pNext, khr ? VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR
                                         : VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_NV);
    return structures && structures->accelerationStructureCount >= write->descriptorCount
               ? structures->pAccelerationStructures
               : NULL;
}

bool wpg_pushed_write(wpg_pushed *pushed, uint32_t count, const VkWriteDescriptorSet *writes)
{
    for (uint32_t i = 0; i < count; i++) {
        const VkWriteDescriptorSet *write = &writes[i];
        const kind of = kind_of(write->descriptorType);
        descriptor *to = find(pushed, write->dstBinding, write->dstArrayElement, write->descriptorCount);
        if (!to || of == KIND_UNKNOWN)
            return false;
        const uint8_t *values = values_of(write, of);
        for (uint32_t k = 0; k < write->descriptorCount; k++)
            take(&to[k], write->descriptorType, of, values ? values + k * size_of(of) : NULL);
    }
    return true;
}

wpg_push_template *wpg_push_template_make(const VkDescriptorUpdateTemplateCreateInfo *info)
{
    const uint32_t count = info->descriptorUpdateEntryCount;
    wpg_push_template *made = calloc(1, sizeof *made + count * sizeof *made->entries);
    if (!made)
        return NULL;
    made->point = info->pipelineBindPoint;
    made->count = count;
    if (count)
        memcpy(made->entries, info->pDescriptorUpdateEntries, count * sizeof *made->entries);
    return made;
}

bool wpg_pushed_write_by(wpg_pushed *pushed, const wpg_push_template *by, const void *data)
{
    for (uint32_t i = 0; i < by->count; i++) {
        const VkDescriptorUpdateTemplateEntry *entry = &by->entries[i];
        const kind of = kind_of(entry->descriptorType);
        descriptor *to = find(pushed, entry->dstBinding, entry->dstArrayElement, entry->descriptorCount);
        if (!to || of == KIND_UNKNOWN)
            return false;
        for (uint32_t k = 0; k < entry->descriptorCount; k++)
            take(&to[k], entry->descriptorType, of,
                 (const uint8_t *)data + entry->offset + k * entry->stride);
    }
    return true;
}

/* -- The way back */

/* Which of the values are held in one write with the first: the binding's next ones of the same type. Not one
 * by one: lavapipe 22.3.6 takes the first value of each write for element 0. */
static uint32_t together(const descriptor *from, uint32_t most)
{
    uint32_t count = 1;
    while (count < most && from[count].written && from[count].type == from->type)
        count++;
    return count;
}

/* Of [count] descriptors from `index` on. */
static void fill(VkWriteDescriptorSet *write, wpg_pushed *pushed, uint32_t index, uint32_t count)
{
    const kind of = kind_of(write->descriptorType);
    /* Values of any kind are no larger than the union, so that those of a write end before the next one's. */
    uint8_t *values = (uint8_t *)&pushed->values[index];
    for (uint32_t i = 0; i < count; i++)
        memcpy(values + i * size_of(of), &pushed->descriptors[index + i].is, size_of(of));
    const void *all = values;
    if (of == KIND_IMAGE)
        write->pImageInfo = all;
    else if (of == KIND_BUFFER)
        write->pBufferInfo = all;
    else if (of == KIND_VIEW)
        write->pTexelBufferView = all;
    else {
        const bool khr = write->descriptorType == VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR;
        pushed->structures[index] = (VkWriteDescriptorSetAccelerationStructureKHR){
            .sType = khr ? VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR
                         : VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_NV,
            .accelerationStructureCount = count,
            .pAccelerationStructures = all};
        write->pNext = &pushed->structures[index];
    }
}

uint32_t wpg_pushed_all(const VkWriteDescriptorSet **writes, wpg_pushed *pushed)
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < pushed->shape->binding_count; i++) {
        const struct wpg_push_binding *binding = &pushed->shape->bindings[i];
        const descriptor *of = pushed->descriptors + binding->first;
        for (uint32_t k = 0, count; k < binding->count; k += count) {
            count = 1;
            if (!of[k].written)
                continue;
            count = together(of + k, binding->count - k);
            pushed->writes[made] = (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                                          .dstBinding = binding->number,
                                                          .dstArrayElement = k,
                                                          .descriptorCount = count,
                                                          .descriptorType = of[k].type};
            fill(&pushed->writes[made++], pushed, binding->first + k, count);
        }
    }
    *writes = pushed->writes;
    return made;
}
