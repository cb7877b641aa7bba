/* What was pushed comes back: every kind of descriptor, by values and by templates, across bindings, and what
 * cannot be kept is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "layer/commands/pushed_descriptors.h"

#define HANDLE(type, n) ((type)(uintptr_t)(n))

enum { IMAGES = 7, BUFFERS = 3, VIEWS = 9, RAYS = 4, WEIGHTS = 1 };   /* numbers of the bindings */
static const VkDescriptorType weights = (VkDescriptorType)1000440000; /* VK_QCOM_image_processing */

/* By number: buffers 2, rays 1, images 2, views 2, and a binding of none before each other. */
static wpg_push_shape *make_shape(void)
{
    const VkShaderStageFlags all = VK_SHADER_STAGE_ALL;
    const VkDescriptorSetLayoutBinding bindings[] = {
        {VIEWS, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 2, all, NULL},
        {IMAGES, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 2, all, NULL},
        {8, VK_DESCRIPTOR_TYPE_SAMPLER, 0, all, NULL},
        {BUFFERS, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2, all, NULL},
        {RAYS, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 1, all, NULL},
        {WEIGHTS, weights, 1, all, NULL}};
    const VkDescriptorSetLayoutCreateInfo info = {.sType =
                                                      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                  .bindingCount = 6,
                                                  .pBindings = bindings};
    wpg_push_shape *shape = wpg_push_shape_make(&info, (wpg_hash128){3, 4});
    assert_non_null(shape);
    assert_true(shape->known);
    assert_int_equal(shape->descriptors, 8);
    return shape;
}

static VkWriteDescriptorSet write_to(uint32_t binding, uint32_t element, uint32_t count,
                                     VkDescriptorType type)
{
    return (VkWriteDescriptorSet){.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                  .dstBinding = binding,
                                  .dstArrayElement = element,
                                  .descriptorCount = count,
                                  .descriptorType = type};
}

/* The value of one descriptor, and the type it has; NULL: it is not held. */
static const void *held(wpg_pushed *pushed, uint32_t binding, uint32_t element, VkDescriptorType *type)
{
    const VkWriteDescriptorSet *writes;
    const uint32_t count = wpg_pushed_all(&writes, pushed);
    for (uint32_t i = 0; i < count; i++) {
        const VkWriteDescriptorSet *w = &writes[i];
        if (w->dstBinding != binding || element < w->dstArrayElement ||
            element >= w->dstArrayElement + w->descriptorCount)
            continue;
        const uint32_t at = element - w->dstArrayElement;
        const VkWriteDescriptorSetAccelerationStructureKHR *rays = w->pNext;
        *type = w->descriptorType;
        if (rays) {
            assert_int_equal(rays->sType, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR);
            assert_int_equal(rays->accelerationStructureCount, w->descriptorCount);
        }
        return w->pImageInfo         ? (const void *)(w->pImageInfo + at)
               : w->pBufferInfo      ? (const void *)(w->pBufferInfo + at)
               : w->pTexelBufferView ? (const void *)(w->pTexelBufferView + at)
               : rays                ? (const void *)(rays->pAccelerationStructures + at)
                                     : NULL;
    }
    return NULL;
}

#define ASSERT_HELD(binding, element, wanted_type, wanted)                                                   \
    do {                                                                                                     \
        VkDescriptorType type;                                                                               \
        const void *value = held(pushed, binding, element, &type);                                           \
        assert_non_null(value);                                                                              \
        assert_int_equal(type, wanted_type);                                                                 \
        assert_memory_equal(value, wanted, sizeof *(wanted));                                                \
    } while (0)

static void test_each_kind(void **state)
{
    (void)state;
    wpg_push_shape *shape = make_shape();
    wpg_pushed *pushed = wpg_pushed_make(shape);
    wpg_push_shape_drop(shape); /* the values hold it */
    const VkDescriptorImageInfo images[2] = {
        {HANDLE(VkSampler, 1), HANDLE(VkImageView, 2), VK_IMAGE_LAYOUT_GENERAL},
        {HANDLE(VkSampler, 3), HANDLE(VkImageView, 4), VK_IMAGE_LAYOUT_GENERAL}};
    const VkDescriptorImageInfo none = {0};
    VkDescriptorBufferInfo buffers[2] = {{HANDLE(VkBuffer, 5), 64, 128}, {VK_NULL_HANDLE, 0, VK_WHOLE_SIZE}};
    const VkBufferView views[1] = {HANDLE(VkBufferView, 6)};
    const VkAccelerationStructureKHR rays[1] = {HANDLE(VkAccelerationStructureKHR, 7)};
    const VkWriteDescriptorSetAccelerationStructureKHR structures = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_ACCELERATION_STRUCTURE_KHR,
        .accelerationStructureCount = 1,
        .pAccelerationStructures = rays};
    VkWriteDescriptorSet writes[5] = {write_to(IMAGES, 0, 2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER),
                                      write_to(BUFFERS, 0, 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER),
                                      write_to(VIEWS, 1, 1, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER),
                                      write_to(RAYS, 0, 1, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR),
                                      write_to(WEIGHTS, 0, 1, weights)};
    writes[0].pImageInfo = images;
    writes[0].pBufferInfo =
        HANDLE(const VkDescriptorBufferInfo *, 16); /* not of this type: may be anything */
    writes[1].pBufferInfo = buffers;
    writes[1].pImageInfo = HANDLE(const VkDescriptorImageInfo *, 16);
    writes[2].pTexelBufferView = views;
    writes[3].pNext = &structures;
    writes[4].pImageInfo = NULL; /* an immutable sampler needs none */
    assert_true(wpg_pushed_write(pushed, 5, writes));
    const VkDescriptorBufferInfo passed[2] = {buffers[0], buffers[1]};
    memset(buffers, 0xff, sizeof buffers); /* the program's own is gone after the call */

    ASSERT_HELD(IMAGES, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, &images[0]);
    ASSERT_HELD(IMAGES, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, &images[1]);
    ASSERT_HELD(BUFFERS, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, &passed[0]);
    ASSERT_HELD(BUFFERS, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, &passed[1]);
    ASSERT_HELD(VIEWS, 1, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, &views[0]);
    ASSERT_HELD(WEIGHTS, 0, weights, &none);
    ASSERT_HELD(RAYS, 0, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, &rays[0]);
    VkDescriptorType any;
    assert_null(held(pushed, VIEWS, 0, &any)); /* never pushed */
    const VkWriteDescriptorSet *all;
    assert_int_equal(wpg_pushed_all(&all, pushed), 5); /* neighbours in one write */

    wpg_pushed_clear(pushed);
    assert_int_equal(wpg_pushed_all(&all, pushed), 0);
    wpg_pushed_free(pushed);
}

/* A template's values lie anywhere, at any stride, and go on in the next binding. */
static void test_templates(void **state)
{
    (void)state;
    wpg_push_shape *shape = make_shape();
    wpg_pushed *pushed = wpg_pushed_make(shape);
    unsigned char data[256] = {0};
    const VkBufferView views[2] = {HANDLE(VkBufferView, 21), HANDLE(VkBufferView, 22)};
    const VkAccelerationStructureKHR rays = HANDLE(VkAccelerationStructureKHR, 23);
    const VkDescriptorImageInfo image = {VK_NULL_HANDLE, HANDLE(VkImageView, 24), VK_IMAGE_LAYOUT_GENERAL};
    memcpy(data + 3, &views[0], sizeof *views); /* of no alignment */
    memcpy(data + 3 + 40, &views[1], sizeof *views);
    memcpy(data + 100, &rays, sizeof rays);
    memcpy(data + 120, &image, sizeof image);
    const VkDescriptorUpdateTemplateEntry entries[] = {
        {VIEWS, 0, 2, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, 3, 40},
        {RAYS, 0, 1, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, 100, 0},
        {RAYS, 1, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 120, 0}}; /* the first of IMAGES */
    VkDescriptorUpdateTemplateCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_CREATE_INFO,
        .descriptorUpdateEntryCount = 3,
        .pDescriptorUpdateEntries = entries,
        .templateType = VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR,
        .pipelineBindPoint = VK_PIPELINE_BIND_POINT_COMPUTE};
    wpg_push_template *by = wpg_push_template_make(&info);
    assert_int_equal(by->point, VK_PIPELINE_BIND_POINT_COMPUTE);
    assert_true(wpg_pushed_write_by(pushed, by, data));
    free(by);
    ASSERT_HELD(VIEWS, 0, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, &views[0]);
    ASSERT_HELD(VIEWS, 1, VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER, &views[1]);
    ASSERT_HELD(IMAGES, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, &image);
    ASSERT_HELD(RAYS, 0, VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR, &rays);
    wpg_push_shape_drop(shape);
    wpg_pushed_free(pushed);
}

static void test_refused(void **state)
{
    (void)state;
    wpg_push_shape *shape = make_shape();
    wpg_pushed *pushed = wpg_pushed_make(shape);
    const VkDescriptorBufferInfo buffer[3] = {{HANDLE(VkBuffer, 5), 0, 4}};
    VkWriteDescriptorSet write = write_to(6, 0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER); /* no such binding */
    write.pBufferInfo = buffer;
    assert_false(wpg_pushed_write(pushed, 1, &write));
    write = write_to(VIEWS, 1, 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER); /* beyond the last */
    write.pBufferInfo = buffer;
    assert_false(wpg_pushed_write(pushed, 1, &write));
    write = write_to(BUFFERS, UINT32_MAX, 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
    write.pBufferInfo = buffer;
    assert_false(wpg_pushed_write(pushed, 1, &write));
    write = write_to(BUFFERS, 0, 1, (VkDescriptorType)1000460000); /* a tensor: not known here */
    assert_false(wpg_pushed_write(pushed, 1, &write));
    wpg_pushed_free(pushed);
    wpg_push_shape_drop(shape);

    const VkDescriptorSetLayoutBinding binding = {0, (VkDescriptorType)1000460000, 1, VK_SHADER_STAGE_ALL,
                                                  NULL};
    const VkDescriptorSetLayoutCreateInfo info = {.bindingCount = 1, .pBindings = &binding};
    shape = wpg_push_shape_make(&info, (wpg_hash128){1, 2});
    assert_false(shape->known);
    pushed = wpg_pushed_make(shape);
    write = write_to(0, 0, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER);
    write.pBufferInfo = buffer;
    assert_false(wpg_pushed_write(pushed, 1, &write));
    wpg_pushed_free(pushed);
    wpg_push_shape_drop(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_kind), cmocka_unit_test(test_templates),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
