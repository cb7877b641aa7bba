/* Where feature bits are set: in the structure the application passed, in copies only as far as needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "layer/base/chain.h"
#include "layer/base/state.h"

/* A device that can do everything the layer asks for, of a Vulkan version that the test chooses. */
static uint32_t device_version = VK_API_VERSION_1_3;
static bool has_stores = true, has_replay, has_non_semantic;
static uint32_t smallest_wave = 8; /* of 8: no choice */
static VkDriverId driver_id = VK_DRIVER_ID_MESA_RADV;
static const char *extension_names[] = {"VK_KHR_buffer_device_address",
                                        "VK_KHR_shader_atomic_int64",
                                        "VK_EXT_shader_demote_to_helper_invocation",
                                        "VK_EXT_external_memory_host",
                                        "VK_EXT_subgroup_size_control",
                                        "VK_KHR_shader_non_semantic_info"};

static void properties(VkPhysicalDevice p, VkPhysicalDeviceProperties *out)
{
    (void)p;
    memset(out, 0, sizeof *out);
    out->apiVersion = device_version;
}
static void properties2(VkPhysicalDevice p, VkPhysicalDeviceProperties2 *out)
{
    (void)p;
    VkPhysicalDeviceSubgroupProperties *subgroup = out->pNext;
    subgroup->subgroupSize = 8;
    subgroup->supportedStages =
        VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_MISS_BIT_KHR;
    subgroup->supportedOperations = VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT;
    for (VkBaseOutStructure *at = out->pNext; at; at = at->pNext)
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
            ((VkPhysicalDeviceDriverProperties *)(void *)at)->driverID = driver_id;
        } else if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES) {
            VkPhysicalDeviceSubgroupSizeControlProperties *sizes = (void *)at;
            sizes->minSubgroupSize = smallest_wave;
            sizes->maxComputeWorkgroupSubgroups = 16;
            sizes->requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
        }
}
static void features(VkPhysicalDevice p, VkPhysicalDeviceFeatures *out)
{
    (void)p;
    memset(out, 0, sizeof *out);
    out->vertexPipelineStoresAndAtomics = out->fragmentStoresAndAtomics = has_stores;
    out->shaderInt64 = VK_TRUE;
    out->pipelineStatisticsQuery = VK_TRUE;
}
static void features2(VkPhysicalDevice p, VkPhysicalDeviceFeatures2 *out)
{
    (void)p;
    for (VkBaseOutStructure *at = out->pNext; at; at = at->pNext) {
        VkBool32 *first = (VkBool32 *)(void *)(at + 1);
        if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES) {
            first[0] = VK_TRUE;
            first[1] = has_replay;
        } else if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES ||
                   at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES ||
                   at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES)
            first[0] = VK_TRUE;
        else if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES)
            first[0] = first[1] = VK_TRUE;
    }
}
static VkResult extensions(VkPhysicalDevice p, const char *layer, uint32_t *count, VkExtensionProperties *out)
{
    (void)p, (void)layer;
    *count = sizeof extension_names / sizeof *extension_names - !has_non_semantic; /* the last */
    for (uint32_t i = 0; out && i < *count; i++)
        strcpy(out[i].extensionName, extension_names[i]);
    return VK_SUCCESS;
}

static wpg_instance instance = {.api_version = VK_API_VERSION_1_3,
                                .active = true,
                                .next = {.GetPhysicalDeviceProperties = properties,
                                         .GetPhysicalDeviceProperties2 = properties2,
                                         .GetPhysicalDeviceFeatures = features,
                                         .GetPhysicalDeviceFeatures2 = features2,
                                         .EnumerateDeviceExtensionProperties = extensions}};

static int reset(void **state)
{
    (void)state;
    device_version = VK_API_VERSION_1_3;
    instance.api_version = VK_API_VERSION_1_3;
    has_stores = true;
    has_replay = false;
    has_non_semantic = true;
    smallest_wave = 8;
    driver_id = VK_DRIVER_ID_MESA_RADV;
    wpg_the_process.settings.counter_way = WPG_WAY_AUTO;
    return 0;
}

static bool has_extension(const VkDeviceCreateInfo *info, const char *name)
{
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        if (strcmp(info->ppEnabledExtensionNames[i], name) == 0)
            return true;
    return false;
}

/* Nothing given: core bits in features of ours, the others in structures of their own. */
static void bare(void **state)
{
    (void)state;
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    wpg_feature_plan plan;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_COUNTING);
    assert_string_equal(plan.refused, "");
    assert_true(plan.changed);
    assert_true(plan.info.pEnabledFeatures->fragmentStoresAndAtomics &&
                plan.info.pEnabledFeatures->shaderInt64);
    assert_non_null(
        wpg_chain_find(plan.info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES));
    assert_null(
        wpg_chain_find(plan.info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES));
    assert_false(has_extension(&plan.info, "VK_KHR_buffer_device_address")); /* core in 1.2 */
    assert_true(has_extension(&plan.info, "VK_EXT_external_memory_host"));
    assert_true(plan.planned.buffer_device_address && plan.planned.vertex_stores && plan.planned.demote);
    assert_false(plan.plain.buffer_device_address);
    wpg_feature_plan_finish(&plan);
    /* In use mode nothing is added. */
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_NOTHING);
    assert_false(plan.changed);
    assert_null(plan.info.pNext);
    wpg_feature_plan_finish(&plan);
}

/* Ray-tracing stages with subgroup operations hang on NVIDIA's driver: lanes alone there. */
static void rays_on_nvidia(void **state)
{
    (void)state;
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    const VkShaderStageFlagBits stages[] = {VK_SHADER_STAGE_MISS_BIT_KHR, VK_SHADER_STAGE_COMPUTE_BIT};
    for (int nvidia = 0; nvidia < 2; nvidia++) {
        driver_id = nvidia ? VK_DRIVER_ID_NVIDIA_PROPRIETARY : VK_DRIVER_ID_MESA_RADV;
        wpg_feature_plan plan;
        wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_COUNTING);
        for (int s = 0; s < 2; s++) {
            wpg_instrument_target target;
            const char *why;
            assert_true(wpg_features_target(&target, &why, &plan.planned, stages[s]));
            assert_int_equal(target.subgroup_ballot, s == 1 || !nvidia);
        }
        wpg_feature_plan_finish(&plan);
    }
}

/* Control of wave sizes: asked for where there is a choice, in the program's structure if it has one. */
static void wave_sizes(void **state)
{
    (void)state;
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    wpg_feature_plan plan;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_WAVE_SIZES);
    assert_false(plan.changed); /* one size only */
    assert_false(plan.planned.wave_control);
    wpg_feature_plan_finish(&plan);
    smallest_wave = 4;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_WAVE_SIZES);
    assert_true(plan.changed && plan.planned.wave_control && !plan.plain.wave_control);
    assert_int_equal(plan.planned.wave_smallest, 4);
    assert_int_equal(plan.planned.waves_per_workgroup, 16);
    assert_int_equal(plan.planned.wave_stages, VK_SHADER_STAGE_COMPUTE_BIT);
    assert_false(plan.planned.buffer_device_address); /* nothing else */
    assert_int_equal(plan.info.enabledExtensionCount, 0);
    wpg_feature_plan_finish(&plan);
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_NOTHING);
    assert_false(plan.changed);
    wpg_feature_plan_finish(&plan);

    VkPhysicalDeviceVulkan13Features mine = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    info.pNext = &mine;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_WAVE_SIZES | WPG_NEED_NON_SEMANTIC);
    const VkPhysicalDeviceVulkan13Features *granted = plan.info.pNext;
    assert_ptr_not_equal(granted, &mine);
    assert_int_equal(granted->sType, mine.sType);
    assert_true(granted->subgroupSizeControl && plan.planned.wave_control);
    assert_false(mine.subgroupSizeControl);
    wpg_feature_plan_finish(&plan);

    /* Behind a structure that is not known it cannot be set: the marks' extension is had all the same. */
    VkBaseInStructure unknown = {.sType = (VkStructureType)2000000000, .pNext = (void *)&mine};
    info.pNext = &unknown;
    device_version = instance.api_version = VK_API_VERSION_1_2;
    VkPhysicalDeviceSubgroupSizeControlFeatures own = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES};
    unknown.pNext = (void *)&own;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_WAVE_SIZES | WPG_NEED_NON_SEMANTIC);
    assert_ptr_equal(plan.info.pNext, &unknown);
    assert_true(plan.changed && plan.planned.non_semantic && !plan.planned.wave_control);
    assert_string_equal(plan.refused, "");
    wpg_feature_plan_finish(&plan);
}

/* Queries of statistics: the feature is asked for when the setting wants it, and then only. */
static void statistics(void **state)
{
    (void)state;
    VkPhysicalDeviceFeatures mine = {.fragmentStoresAndAtomics = VK_TRUE};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pEnabledFeatures = &mine};
    for (int wanted = 0; wanted < 2; wanted++) {
        wpg_feature_plan plan;
        wpg_the_process.settings.pipeline_statistics = wanted == 1;
        wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_COUNTING);
        assert_int_equal(plan.info.pEnabledFeatures->pipelineStatisticsQuery, wanted);
        assert_int_equal(plan.planned.statistics, wanted);
        assert_false(plan.plain.statistics);
        wpg_feature_plan_finish(&plan);
    }
    wpg_the_process.settings.pipeline_statistics = false;
    assert_false(mine.pipelineStatisticsQuery); /* the program's own structure is never changed */
}

/* Pseudo probes: nothing from Vulkan 1.3 on; before, the extension and nothing else. */
static void probes(void **state)
{
    (void)state;
    const char *const own[] = {"VK_KHR_swapchain"};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .enabledExtensionCount = 1,
                               .ppEnabledExtensionNames = own};
    wpg_feature_plan plan;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_NON_SEMANTIC);
    assert_false(plan.changed);
    assert_true(plan.planned.non_semantic && plan.plain.non_semantic);
    wpg_feature_plan_finish(&plan);
    instance.api_version = VK_API_VERSION_1_1;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_NON_SEMANTIC);
    assert_true(plan.changed);
    assert_int_equal(plan.info.enabledExtensionCount, 2);
    assert_true(has_extension(&plan.info, "VK_KHR_swapchain"));
    assert_true(has_extension(&plan.info, "VK_KHR_shader_non_semantic_info"));
    assert_ptr_equal(plan.info.pNext, info.pNext);
    assert_null(plan.info.pEnabledFeatures);
    assert_true(plan.planned.non_semantic);
    assert_false(plan.plain.non_semantic);
    wpg_feature_plan_finish(&plan);
    /* Not asked for, or not there: not enabled. */
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_NOTHING);
    assert_false(plan.changed || plan.planned.non_semantic);
    wpg_feature_plan_finish(&plan);
    has_non_semantic = false;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_NON_SEMANTIC);
    assert_false(plan.changed || plan.planned.non_semantic);
    wpg_feature_plan_finish(&plan);
}

/* Bits go where the application has a structure for them; what follows the last one is the application's own.
 */
static void in_the_application_s_structures(void **state)
{
    (void)state;
    VkPhysicalDeviceMultiviewFeatures tail = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES};
    VkPhysicalDeviceVulkan12Features twelve = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                               .pNext = &tail,
                                               .vulkanMemoryModel = VK_TRUE,
                                               .scalarBlockLayout = VK_TRUE};
    VkPhysicalDeviceFeatures2 two = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &twelve};
    two.features.robustBufferAccess = VK_TRUE;
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &two};
    wpg_feature_plan plan;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_COUNTING);
    const VkPhysicalDeviceVulkan12Features *mine =
        wpg_chain_find(plan.info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    const VkPhysicalDeviceFeatures2 *core =
        wpg_chain_find(plan.info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    assert_ptr_not_equal(mine, &twelve);
    assert_true(mine->bufferDeviceAddress && mine->shaderBufferInt64Atomics &&
                mine->vulkanMemoryModelDeviceScope);
    assert_true(mine->scalarBlockLayout && core->features.robustBufferAccess &&
                core->features.fragmentStoresAndAtomics);
    assert_ptr_equal(mine->pNext, &tail);
    assert_null(plan.info.pEnabledFeatures);
    /* Never a feature's own structure beside the version's. */
    assert_null(
        wpg_chain_find(plan.info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES));
    assert_null(
        wpg_chain_find(plan.info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES));
    assert_non_null(wpg_chain_find(
        plan.info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES));
    assert_true(plan.planned.memory_model_device_scope && plan.planned.validate.scalar_block_layout);
    /* The application's own are untouched. */
    assert_false(twelve.bufferDeviceAddress);
    assert_false(two.features.fragmentStoresAndAtomics);
    wpg_feature_plan_finish(&plan);
}

/* A structure of unknown size in front of one that would have to change: nothing is touched. Behind it: fine.
 */
static void unknown_structures(void **state)
{
    (void)state;
    struct {
        VkStructureType type;
        const void *next;
    } unknown = {.type = (VkStructureType)1999999000};
    VkPhysicalDeviceVulkan12Features twelve = {.sType =
                                                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .pNext = &unknown};
    wpg_feature_plan plan;
    unknown.next = &twelve;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_COUNTING);
    assert_string_not_equal(plan.refused, "");
    assert_false(plan.changed);
    assert_ptr_equal(plan.info.pNext, &unknown);
    wpg_feature_plan_finish(&plan);
    info.pNext = &twelve;
    twelve.pNext = &unknown;
    unknown.next = NULL;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_COUNTING);
    assert_string_equal(plan.refused, "");
    assert_ptr_equal(wpg_chain_find(plan.info.pNext, unknown.type), &unknown);
    wpg_feature_plan_finish(&plan);
}

/* On a 1.1 device the extensions come too; those the application has are not named twice. */
static void as_extensions(void **state)
{
    (void)state;
    const char *const given[] = {"VK_KHR_swapchain", "VK_KHR_shader_atomic_int64"};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .enabledExtensionCount = 2,
                               .ppEnabledExtensionNames = given};
    wpg_feature_plan plan;
    device_version = VK_API_VERSION_1_1;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_COUNTING);
    assert_string_equal(plan.refused, "");
    assert_int_equal(plan.info.enabledExtensionCount, 5);
    assert_true(has_extension(&plan.info, "VK_KHR_swapchain"));
    assert_true(has_extension(&plan.info, "VK_KHR_buffer_device_address"));
    assert_true(has_extension(&plan.info, "VK_EXT_shader_demote_to_helper_invocation"));
    wpg_feature_plan_finish(&plan);
    device_version = VK_API_VERSION_1_0;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_COUNTING);
    assert_string_not_equal(plan.refused, "");
    wpg_feature_plan_finish(&plan);
}

static void addresses(void **state)
{
    (void)state;
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    wpg_feature_plan plan;
    has_replay = true; /* replayed addresses make imported pages needless */
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_COUNTING);
    assert_true(plan.planned.capture_replay);
    assert_false(plan.planned.host_import || plan.application_replays);
    wpg_feature_plan_finish(&plan);
    VkPhysicalDeviceBufferDeviceAddressFeatures replays = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
        .bufferDeviceAddress = VK_TRUE,
        .bufferDeviceAddressCaptureReplay = VK_TRUE};
    info.pNext = &replays;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_COUNTING);
    assert_true(plan.application_replays);
    wpg_feature_plan_finish(&plan);
    /* The older extension does not go together with the newer one. */
    const char *const old[] = {"VK_EXT_buffer_device_address"};
    info = (VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                .enabledExtensionCount = 1,
                                .ppEnabledExtensionNames = old};
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_COUNTING);
    assert_string_equal(plan.refused, "");
    assert_true(plan.by_binding && plan.planned.by_binding);
    assert_false(has_extension(&plan.info, "VK_KHR_buffer_device_address"));
    wpg_feature_plan_finish(&plan);
    wpg_the_process.settings.counter_way = WPG_WAY_ADDRESS;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_COUNTING);
    assert_string_not_equal(plan.refused, "");
    assert_false(plan.by_binding);
    wpg_feature_plan_finish(&plan);
    wpg_the_process.settings.counter_way = WPG_WAY_BINDING; /* also where addresses could be had */
    info.enabledExtensionCount = 0;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_COUNTING);
    assert_string_equal(plan.refused, "");
    assert_true(plan.by_binding);
    assert_false(plan.planned.buffer_device_address);
    wpg_feature_plan_finish(&plan);
}

/* A missing feature takes away its stage only. */
static void stages(void **state)
{
    (void)state;
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    wpg_feature_plan plan;
    wpg_instrument_target target;
    const char *why;
    has_stores = false;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_COUNTING);
    assert_true(wpg_features_target(&target, &why, &plan.planned, VK_SHADER_STAGE_COMPUTE_BIT));
    assert_true(target.subgroup_ballot && target.int64_atomics && target.max_spirv_minor == 6);
    assert_false(wpg_features_target(&target, &why, &plan.planned, VK_SHADER_STAGE_VERTEX_BIT));
    assert_false(wpg_features_target(&target, &why, &plan.planned, VK_SHADER_STAGE_FRAGMENT_BIT));
    assert_true(wpg_features_target(&target, &why, &plan.planned, VK_SHADER_STAGE_MESH_BIT_EXT));
    assert_true(wpg_features_target(&target, &why, &plan.planned, VK_SHADER_STAGE_RAYGEN_BIT_KHR));
    assert_false(target.maximal_reconvergence);
    assert_false(wpg_features_target(&target, &why, &plan.planned, VK_SHADER_STAGE_ALL));
    assert_false(wpg_features_target(&target, &why, &plan.plain, VK_SHADER_STAGE_COMPUTE_BIT));
    wpg_feature_plan_finish(&plan);
    has_stores = true;
    wpg_feature_plan_make(&plan, &instance, NULL, &info, WPG_NEED_COUNTING);
    assert_true(wpg_features_target(&target, &why, &plan.planned, VK_SHADER_STAGE_VERTEX_BIT));
    assert_false(target.subgroup_basic || target.subgroup_ballot); /* not in vertex stages of this device */
    wpg_feature_plan_finish(&plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(bare, reset),
                                       cmocka_unit_test_setup(probes, reset),
                                       cmocka_unit_test_setup(statistics, reset),
                                       cmocka_unit_test_setup(rays_on_nvidia, reset),
                                       cmocka_unit_test_setup(wave_sizes, reset),
                                       cmocka_unit_test_setup(in_the_application_s_structures, reset),
                                       cmocka_unit_test_setup(unknown_structures, reset),
                                       cmocka_unit_test_setup(as_extensions, reset),
                                       cmocka_unit_test_setup(addresses, reset),
                                       cmocka_unit_test_setup(stages, reset)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
