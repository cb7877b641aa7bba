/* Counters by binding: which layouts of sets are defined alike, what leaves no room for one more set, and
 * which devices pass through by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "layer/commands/counter_layouts.h"

#define HANDLE(type, n) ((type)(uintptr_t)(n))

static const VkDescriptorType storage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

static wpg_set_layout *make(const void *chain, VkDescriptorSetLayoutCreateFlags flags, uint32_t count,
                            const VkDescriptorSetLayoutBinding *bindings)
{
    static uint64_t handle = 100;
    const VkDescriptorSetLayoutCreateInfo info = {.sType =
                                                      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                  .pNext = chain,
                                                  .flags = flags,
                                                  .bindingCount = count,
                                                  .pBindings = bindings};
    wpg_set_layout *layout = wpg_set_layout_make(&info, HANDLE(VkDescriptorSetLayout, handle++));
    assert_non_null(layout);
    return layout;
}

/* Whether both are defined alike; both go. */
static bool alike(wpg_set_layout *a, wpg_set_layout *b)
{
    const bool equal = wpg_hash_equal(a->definition, b->definition);
    wpg_set_layout_free(a);
    wpg_set_layout_free(b);
    return equal;
}

static void test_definitions(void **state)
{
    (void)state;
    const VkShaderStageFlags all = VK_SHADER_STAGE_ALL;
    const VkSampler samplers[2] = {HANDLE(VkSampler, 1), HANDLE(VkSampler, 2)};
    const VkDescriptorSetLayoutBinding two[2] = {{0, storage, 1, all, NULL}, {4, storage, 2, all, NULL}};
    const VkDescriptorSetLayoutBinding turned[2] = {two[1], two[0]};
    const VkDescriptorSetLayoutBinding compute = {0, storage, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    /* Only samplers have immutable ones: elsewhere the pointer is anything. */
    const VkDescriptorSetLayoutBinding stray = {0, storage, 1, all, samplers};
    const VkDescriptorSetLayoutBinding sampled[2] = {{0, VK_DESCRIPTOR_TYPE_SAMPLER, 1, all, &samplers[0]},
                                                     {0, VK_DESCRIPTOR_TYPE_SAMPLER, 1, all, &samplers[1]}};
    const VkBaseInStructure unknown = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
    const VkDescriptorSetLayoutCreateFlags push = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR;
    assert_true(alike(make(NULL, 0, 2, two), make(NULL, 0, 2, turned)));
    assert_false(alike(make(NULL, 0, 2, two), make(NULL, 0, 1, two)));
    assert_false(alike(make(NULL, 0, 1, two), make(NULL, 0, 1, &compute)));
    assert_true(alike(make(NULL, 0, 1, two), make(NULL, 0, 1, &stray)));
    assert_false(alike(make(NULL, 0, 1, &sampled[0]), make(NULL, 0, 1, &sampled[1])));
    assert_false(alike(make(NULL, 0, 1, two), make(NULL, push, 1, two)));
    assert_false(alike(make(&unknown, 0, 1, two), make(&unknown, 0, 1, two)));
}

static const char *room(const wpg_set_limits *limits, const wpg_set_layout *a, const wpg_set_layout *b)
{
    const wpg_set_layout *const both[2] = {a, b};
    const char *why = wpg_set_layouts_no_room(limits, both, b ? 2 : 1);
    return why ? why : "";
}

static void test_room(void **state)
{
    (void)state;
    const VkDescriptorSetLayoutBinding four = {0, storage, 4, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    const VkDescriptorSetLayoutBinding images = {0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 9,
                                                 VK_SHADER_STAGE_FRAGMENT_BIT, NULL};
    const VkDescriptorSetLayoutBinding tensor = {0, (VkDescriptorType)1000460000, 1,
                                                 VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    wpg_set_layout *ordinary = make(NULL, 0, 1, &four), *sampled = make(NULL, 0, 1, &images);
    wpg_set_layout *pushed = make(NULL, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR, 1, &four);
    wpg_set_layout *unknown = make(NULL, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR, 1, &tensor);
    wpg_set_layout *late = make(NULL, VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT, 1, &four);
    wpg_set_limits limits = {.sets = 3, .ordinary = {9, 10, 9}, .updated_after_bind = {9, 10, 9}};

    assert_string_equal(room(&limits, ordinary, pushed), "");
    assert_string_equal(room(&limits, ordinary, &wpg_set_layout_none), "");
    limits.sets = 2;
    assert_non_null(strstr(room(&limits, ordinary, pushed), "(maxBoundDescriptorSets)"));
    limits.sets = 3;
    limits.ordinary.storage = 8; /* a set of pushes counts as any other */
    assert_non_null(strstr(room(&limits, ordinary, pushed), "(maxPerStageDescriptorStorageBuffers)"));
    limits.ordinary.storage = 9;
    limits.ordinary.storage_in_all = 8;
    assert_non_null(strstr(room(&limits, ordinary, pushed), "(maxDescriptorSetStorageBuffers)"));
    limits.ordinary.storage_in_all = 9;
    limits.ordinary.resources = 9;
    assert_non_null(strstr(room(&limits, sampled, NULL), "(maxPerStageResources)"));
    assert_non_null(strstr(room(&limits, unknown, NULL), "a type that is not known"));

    /* What is updated after the bind counts against limits of its own, with all others. */
    limits.ordinary.storage = 5;
    assert_string_equal(room(&limits, ordinary, late), "");
    limits.updated_after_bind.storage = 8;
    assert_non_null(
        strstr(room(&limits, ordinary, late), "(maxPerStageDescriptorUpdateAfterBindStorageBuffers)"));
    assert_string_equal(room(&limits, ordinary, NULL), "");
    limits.updated_after_bind.storage = 9;
    limits.updated_after_bind.storage_in_all = 8;
    assert_non_null(strstr(room(&limits, ordinary, late), "(maxDescriptorSetUpdateAfterBindStorageBuffers)"));
    wpg_set_layout_free(ordinary);
    wpg_set_layout_free(sampled);
    wpg_set_layout_free(pushed);
    wpg_set_layout_free(unknown);
    wpg_set_layout_free(late);
}

static const char *refused(const char *extension)
{
    const char *const names[2] = {"VK_KHR_swapchain", extension};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .enabledExtensionCount = 2,
                                     .ppEnabledExtensionNames = names};
    return wpg_counter_sets_refuse(&info);
}

static void test_devices(void **state)
{
    (void)state;
    static const char *const names[] = {"VK_EXT_descriptor_buffer",
                                        "VK_EXT_descriptor_heap",
                                        "VK_EXT_shader_object",
                                        "VK_EXT_graphics_pipeline_library",
                                        "VK_NV_device_generated_commands",
                                        "VK_EXT_device_generated_commands",
                                        "VK_NV_per_stage_descriptor_set",
                                        "VK_ARM_tensors",
                                        "VK_NV_partitioned_acceleration_structure"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_non_null(refused(names[i]));
        assert_non_null(strstr(refused(names[i]), names[i])); /* the message names it */
    }
    assert_null(refused("VK_KHR_push_descriptor"));
    assert_null(refused("VK_KHR_maintenance6"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_definitions), cmocka_unit_test(test_room),
                                       cmocka_unit_test(test_devices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
