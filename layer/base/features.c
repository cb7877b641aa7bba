/* Device features: queried first, then set in the structure that the program passed.
 *
 * A feature bit lives in up to two structures: the one of a Vulkan version (VkPhysicalDeviceVulkan12Features)
 * and its own. The specification forbids both in one chain. So we set the bit in the structure that the
 * program passed, and add the feature's own structure only if neither is there. */
#include "layer/base/features.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/optimize/ir/optimize.h"
#include "layer/base/chain.h"
#include "layer/base/state.h"
#include "runtime/base/log.h"
#include "runtime/config/pattern.h"

/* Newer than the oldest headers we build with; values from the registry. */
#define STRUCTURE_MAXIMAL_RECONVERGENCE ((VkStructureType)1000434000)
#define EXTENSION_NON_SEMANTIC          "VK_KHR_shader_non_semantic_info"
#define EXTENSION_MAXIMAL_RECONVERGENCE "VK_KHR_shader_maximal_reconvergence"

enum { NO_STRUCTURE = VK_STRUCTURE_TYPE_MAX_ENUM };

typedef struct feature_bit {
    const char *name;
    VkStructureType versioned; /* VulkanXXFeatures */
    size_t versioned_offset;
    VkStructureType own;
    size_t own_offset, own_size;
    unsigned core_minor; /* Vulkan 1.x from which `own` needs no extension; 99 = never */
    const char *extension;
} feature_bit;

#define BIT(name, minor, own, own_type, extension)                                                           \
    {                                                                                                        \
#name, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_##minor##_FEATURES,                                \
            offsetof(VkPhysicalDeviceVulkan1##minor##Features, name),                                        \
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##own, offsetof(own_type, name), sizeof(own_type), minor,      \
            extension                                                                                        \
    }

/* No structure of a Vulkan version has it. */
#define BIT_OF_EXTENSION(name, own, own_type, extension)                                                     \
    {                                                                                                        \
#name, (VkStructureType)NO_STRUCTURE, 0, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##own,                    \
            offsetof(own_type, name), sizeof(own_type), 99, extension                                        \
    }

enum {
    BIT_ADDRESS,
    BIT_REPLAY,
    BIT_INT64_ATOMICS,
    BIT_DEVICE_SCOPE,
    BIT_DEMOTE,
    BIT_RECONVERGENCE,
    BIT_PERFORMANCE,
    BIT_HOST_RESET,
    BIT_SIZE_CONTROL,
    BIT_EXECUTABLES,
    BIT_CONDITIONAL,
    BITS_TO_SET,
    BIT_MEMORY_MODEL = BITS_TO_SET,
    BIT_UNIFORM_STANDARD,
    BIT_SCALAR,
    BIT_CACHE_CONTROL,
    BIT_MAINTENANCE4,
    BIT_PARTIALLY_BOUND,
    BIT_WORKGROUP_SCALAR,
    BIT_MODULE_IDENTIFIER,
    BIT_COUNT
};

static const feature_bit bits[BIT_COUNT] = {
    [BIT_ADDRESS] = BIT(bufferDeviceAddress, 2, BUFFER_DEVICE_ADDRESS_FEATURES,
                        VkPhysicalDeviceBufferDeviceAddressFeatures, "VK_KHR_buffer_device_address"),
    [BIT_REPLAY] = BIT(bufferDeviceAddressCaptureReplay, 2, BUFFER_DEVICE_ADDRESS_FEATURES,
                       VkPhysicalDeviceBufferDeviceAddressFeatures, "VK_KHR_buffer_device_address"),
    [BIT_INT64_ATOMICS] = BIT(shaderBufferInt64Atomics, 2, SHADER_ATOMIC_INT64_FEATURES,
                              VkPhysicalDeviceShaderAtomicInt64Features, "VK_KHR_shader_atomic_int64"),
    [BIT_DEVICE_SCOPE] = BIT(vulkanMemoryModelDeviceScope, 2, VULKAN_MEMORY_MODEL_FEATURES,
                             VkPhysicalDeviceVulkanMemoryModelFeatures, "VK_KHR_vulkan_memory_model"),
    [BIT_DEMOTE] = BIT(shaderDemoteToHelperInvocation, 3, SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES,
                       VkPhysicalDeviceShaderDemoteToHelperInvocationFeatures,
                       "VK_EXT_shader_demote_to_helper_invocation"),
    [BIT_RECONVERGENCE] = {"shaderMaximalReconvergence", (VkStructureType)NO_STRUCTURE, 0,
                           STRUCTURE_MAXIMAL_RECONVERGENCE, sizeof(VkBaseOutStructure),
                           sizeof(VkPhysicalDeviceShaderAtomicInt64Features), 99,
                           EXTENSION_MAXIMAL_RECONVERGENCE},
    [BIT_PERFORMANCE] = BIT_OF_EXTENSION(performanceCounterQueryPools, PERFORMANCE_QUERY_FEATURES_KHR,
                                         VkPhysicalDevicePerformanceQueryFeaturesKHR,
                                         VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME),
    [BIT_HOST_RESET] = BIT(hostQueryReset, 2, HOST_QUERY_RESET_FEATURES,
                           VkPhysicalDeviceHostQueryResetFeatures, "VK_EXT_host_query_reset"),
    [BIT_SIZE_CONTROL] =
        BIT(subgroupSizeControl, 3, SUBGROUP_SIZE_CONTROL_FEATURES,
            VkPhysicalDeviceSubgroupSizeControlFeatures, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME),
    [BIT_EXECUTABLES] = BIT_OF_EXTENSION(pipelineExecutableInfo, PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
                                         VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR,
                                         VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME),
    [BIT_CONDITIONAL] = BIT_OF_EXTENSION(conditionalRendering, CONDITIONAL_RENDERING_FEATURES_EXT,
                                         VkPhysicalDeviceConditionalRenderingFeaturesEXT,
                                         VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME),
    [BIT_MEMORY_MODEL] = BIT(vulkanMemoryModel, 2, VULKAN_MEMORY_MODEL_FEATURES,
                             VkPhysicalDeviceVulkanMemoryModelFeatures, "VK_KHR_vulkan_memory_model"),
    [BIT_UNIFORM_STANDARD] = BIT(uniformBufferStandardLayout, 2, UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES,
                                 VkPhysicalDeviceUniformBufferStandardLayoutFeatures, ""),
    [BIT_SCALAR] = BIT(scalarBlockLayout, 2, SCALAR_BLOCK_LAYOUT_FEATURES,
                       VkPhysicalDeviceScalarBlockLayoutFeatures, ""),
    [BIT_CACHE_CONTROL] = BIT(pipelineCreationCacheControl, 3, PIPELINE_CREATION_CACHE_CONTROL_FEATURES,
                              VkPhysicalDevicePipelineCreationCacheControlFeatures, ""),
    [BIT_PARTIALLY_BOUND] = BIT(descriptorBindingPartiallyBound, 2, DESCRIPTOR_INDEXING_FEATURES,
                                VkPhysicalDeviceDescriptorIndexingFeatures, ""),
    [BIT_MAINTENANCE4] =
        BIT(maintenance4, 3, MAINTENANCE_4_FEATURES, VkPhysicalDeviceMaintenance4Features, ""),
    [BIT_WORKGROUP_SCALAR] = BIT_OF_EXTENSION(workgroupMemoryExplicitLayoutScalarBlockLayout,
                                              WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
                                              VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR, ""),
    [BIT_MODULE_IDENTIFIER] = BIT_OF_EXTENSION(shaderModuleIdentifier, SHADER_MODULE_IDENTIFIER_FEATURES_EXT,
                                               VkPhysicalDeviceShaderModuleIdentifierFeaturesEXT, ""),
};

static bool read_bool(const void *structure, size_t offset)
{
    VkBool32 value;
    memcpy(&value, (const char *)structure + offset, sizeof value);
    return value == VK_TRUE;
}

static void set_bool(void *structure, size_t offset)
{
    VkBool32 value = VK_TRUE;
    memcpy((char *)structure + offset, &value, sizeof value);
}

static bool bit_is_on(const void *chain, const feature_bit *bit)
{
    const void *versioned =
        bit->versioned == (VkStructureType)NO_STRUCTURE ? NULL : wpg_chain_find(chain, bit->versioned);
    if (versioned)
        return read_bool(versioned, bit->versioned_offset);
    const void *own = wpg_chain_find(chain, bit->own);
    return own && read_bool(own, bit->own_offset);
}

static bool has_extension(const char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (names[i] && strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* What the physical device can do. */
typedef struct device_abilities {
    VkPhysicalDeviceFeatures core;
    bool bits[BITS_TO_SET];
    bool host_import;  /* VK_EXT_external_memory_host */
    bool non_semantic; /* VK_KHR_shader_non_semantic_info */
    uint32_t api_version;
    bool mesa;                       /* one of its drivers */
    bool old_lavapipe, new_lavapipe; /* before Mesa 23, and since */
    bool swiftshader;
    char made_on[96];
    wpg_made made;
    bool amd; /* hardware of AMD's */
    VkPhysicalDeviceSubgroupProperties subgroup;
    VkPhysicalDeviceSubgroupSizeControlProperties sizes; /* all 0 where the device has no such control */
} device_abilities;

static bool offers(const VkExtensionProperties *extensions, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(extensions[i].extensionName, name) == 0)
            return true;
    return false;
}

static void ask_bits(device_abilities *able, const wpg_instance *instance, VkPhysicalDevice physical,
                     const VkExtensionProperties *extensions, uint32_t count, wpg_arena *arena)
{
    VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    unsigned minor = VK_API_VERSION_MINOR(able->api_version);
    for (int i = 0; i < BITS_TO_SET; i++) {
        if ((minor < bits[i].core_minor && !offers(extensions, count, bits[i].extension)) ||
            wpg_chain_find(&all, bits[i].own))
            continue;
        VkBaseOutStructure *own = wpg_arena_alloc(arena, 1, bits[i].own_size);
        if (!own)
            return;
        own->sType = bits[i].own;
        own->pNext = all.pNext;
        all.pNext = own;
    }
    instance->next.GetPhysicalDeviceFeatures2(physical, &all);
    for (int i = 0; i < BITS_TO_SET; i++)
        able->bits[i] = bit_is_on(all.pNext, &bits[i]);
}

/* By the hardware: the vendor is known of every version of Vulkan, and scalar loads are the hardware's. */
enum { VENDOR_AMD = 0x1002 };

static const VkShaderStageFlags ray_stages =
    VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_ANY_HIT_BIT_KHR | VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR |
    VK_SHADER_STAGE_MISS_BIT_KHR | VK_SHADER_STAGE_INTERSECTION_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR;
static const char mesa[] = "Mesa ";

static bool is_mesa(const VkPhysicalDeviceDriverProperties *driver)
{
    return strncmp(driver->driverInfo, mesa, sizeof mesa - 1) == 0;
}

static bool is_old_lavapipe(const VkPhysicalDeviceDriverProperties *driver)
{
    return driver->driverID == VK_DRIVER_ID_MESA_LLVMPIPE && is_mesa(driver) &&
           strtoul(driver->driverInfo + sizeof mesa - 1, NULL, 10) < 23;
}

/* lavapipe before 23 specialises shaders of more than 100 values on the uniform values they branch by, when
 * it first draws with them: a guarded copy gains little there (0.94 to 1.0 on 22.3.6; unswitching and
 * peeling would gain much: 0.27) and would be rounded otherwise than the loop that the driver unrolls by
 * itself. It also runs both arms of every branch, so that a version of the stage costs the other one's time
 * as well.
 *
 * SwiftShader unrolls what says Unroll by SPIRV-Tools (LoopUnroller). That leaves values that a header's phis
 * do not hold, and that are used after the loop, at those of the first trip. Seen with SPIRV-Tools 2023.1:
 * shaders/trip_uniform.comp with a hint, unrolled by spirv-opt, is wrong on lavapipe, too. */
static const char *passes_of_driver(const device_abilities *able)
{
    static const char copying[] = {WPG_PASS_PEEL,
                                   WPG_PASS_UNSWITCH,
                                   WPG_PASS_TRIP_GUARD,
                                   WPG_PASS_VALUE_GUARD,
                                   WPG_PASS_VERSIONS,
                                   WPG_PASS_ZERO_GUARD,
                                   '\0'};
    static const char unrolling[] = {WPG_PASS_ANNOTATE, WPG_PASS_TRIP_GUARD, '\0'};
    return able->old_lavapipe ? copying : able->swiftshader ? unrolling : "";
}

/* Without a setting: where a version of the stage cannot gain as one arm of a branch, or may gain more
 * without its test. Nothing was measured elsewhere. */
static uint32_t contents_of_driver(const device_abilities *able)
{
    const int64_t set = wpg_the_process.settings.contents;
    return set >= 0 ? (uint32_t)set : able->old_lavapipe || able->new_lavapipe ? 4 : 0;
}

static void set_part(wpg_made *made, wpg_made_part part, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void set_part(wpg_made *made, wpg_made_part part, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(made->parts[part], sizeof made->parts[part], fmt, args);
    va_end(args);
}

/* `driver` NULL: a device that does not tell its driver's name. */
static void say_maker(wpg_made *made, const wpg_instance *instance,
                      const VkPhysicalDeviceProperties *properties,
                      const VkPhysicalDeviceDriverProperties *driver)
{
    wpg_executable_name(made->parts[WPG_MADE_PROGRAM], sizeof made->parts[WPG_MADE_PROGRAM]);
    set_part(made, WPG_MADE_APPLICATION, "%s", instance->application);
    set_part(made, WPG_MADE_DEVICE, "%s", properties->deviceName);
    if (driver)
        set_part(made, WPG_MADE_DRIVER, "%s%s%s", driver->driverName, driver->driverInfo[0] ? " " : "",
                 driver->driverInfo);
    else
        set_part(made, WPG_MADE_DRIVER, "%04" PRIx32 " %" PRIx32, properties->vendorID,
                 properties->driverVersion);
    set_part(made, WPG_MADE_WAVEPGO, "%s", WPG_VERSION);
}

static void ask_device(device_abilities *able, const wpg_instance *instance, VkPhysicalDevice physical,
                       wpg_arena *arena)
{
    *able = (device_abilities){0};
    VkPhysicalDeviceProperties properties;
    instance->next.GetPhysicalDeviceProperties(physical, &properties);
    able->amd = properties.vendorID == VENDOR_AMD;
    (void)snprintf(able->made_on, sizeof able->made_on, "%.40s", properties.deviceName);
    say_maker(&able->made, instance, &properties, NULL);
    able->api_version =
        properties.apiVersion < instance->api_version ? properties.apiVersion : instance->api_version;
    instance->next.GetPhysicalDeviceFeatures(physical, &able->core);
    if (able->api_version < VK_API_VERSION_1_1 || !instance->next.GetPhysicalDeviceFeatures2 ||
        !instance->next.GetPhysicalDeviceProperties2)
        return;
    uint32_t count = 0;
    VkExtensionProperties *extensions = NULL;
    if (instance->next.EnumerateDeviceExtensionProperties(physical, NULL, &count, NULL) == VK_SUCCESS &&
        count) {
        extensions = WPG_ARENA_ARRAY(arena, VkExtensionProperties, count);
        VkResult result =
            extensions ? instance->next.EnumerateDeviceExtensionProperties(physical, NULL, &count, extensions)
                       : VK_ERROR_OUT_OF_HOST_MEMORY;
        if (result != VK_SUCCESS && result != VK_INCOMPLETE)
            count = 0;
    }
    if (!extensions)
        count = 0;
    able->subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
    VkPhysicalDeviceProperties2 properties2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                               .pNext = &able->subgroup};
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    if (properties.apiVersion >= VK_API_VERSION_1_2)
        able->subgroup.pNext = &driver;
    if (able->api_version >= VK_API_VERSION_1_3 ||
        offers(extensions, count, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME)) {
        able->sizes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES;
        able->sizes.pNext = able->subgroup.pNext;
        able->subgroup.pNext = &able->sizes;
    }
    instance->next.GetPhysicalDeviceProperties2(physical, &properties2);
    able->subgroup.pNext = able->sizes.pNext = NULL;
    if (driver.driverInfo[0])
        (void)snprintf(able->made_on, sizeof able->made_on, "%.40s, %.48s", properties.deviceName,
                       driver.driverInfo);
    if (driver.driverName[0])
        say_maker(&able->made, instance, &properties, &driver);
    able->mesa = is_mesa(&driver);
    able->old_lavapipe = is_old_lavapipe(&driver);
    able->new_lavapipe = driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE && !able->old_lavapipe;
    able->swiftshader = driver.driverID == VK_DRIVER_ID_GOOGLE_SWIFTSHADER;
    /* 580.159.04 on an H200: a ray-tracing stage with subgroup operations does not end, and other programs
     * lose their devices, too. Counting lanes needs none. No other version was tried. */
    if (driver.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY)
        able->subgroup.supportedStages &= ~ray_stages;
    able->non_semantic = offers(extensions, count, EXTENSION_NON_SEMANTIC);
    able->host_import = offers(extensions, count, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    ask_bits(able, instance, physical, extensions, count, arena);
}

/* Reads what a create-info enables. */
static void read_enabled(wpg_device_features *on, const VkDeviceCreateInfo *info,
                         const device_abilities *able)
{
    *on = (wpg_device_features){.api_version = able->api_version};
    const VkPhysicalDeviceFeatures2 *features2 =
        wpg_chain_find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    const VkPhysicalDeviceFeatures *core = features2 ? &features2->features : info->pEnabledFeatures;
    if (core) {
        on->vertex_stores = core->vertexPipelineStoresAndAtomics == VK_TRUE;
        on->fragment_stores = core->fragmentStoresAndAtomics == VK_TRUE;
        on->int64 = core->shaderInt64 == VK_TRUE;
        on->statistics = core->pipelineStatisticsQuery == VK_TRUE;
    }
    on->buffer_device_address = bit_is_on(info->pNext, &bits[BIT_ADDRESS]);
    on->capture_replay = bit_is_on(info->pNext, &bits[BIT_REPLAY]);
    on->buffer_int64_atomics = bit_is_on(info->pNext, &bits[BIT_INT64_ATOMICS]);
    on->demote = bit_is_on(info->pNext, &bits[BIT_DEMOTE]);
    on->maximal_reconvergence = bit_is_on(info->pNext, &bits[BIT_RECONVERGENCE]);
    on->performance_queries =
        bit_is_on(info->pNext, &bits[BIT_PERFORMANCE]) && bit_is_on(info->pNext, &bits[BIT_HOST_RESET]);
    on->memory_model = bit_is_on(info->pNext, &bits[BIT_MEMORY_MODEL]);
    on->memory_model_device_scope = bit_is_on(info->pNext, &bits[BIT_DEVICE_SCOPE]);
    on->module_identifier = bit_is_on(info->pNext, &bits[BIT_MODULE_IDENTIFIER]);
    on->cache_control = bit_is_on(info->pNext, &bits[BIT_CACHE_CONTROL]);
    on->host_import = has_extension(info->ppEnabledExtensionNames, info->enabledExtensionCount,
                                    VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    on->non_semantic =
        able->api_version >= VK_API_VERSION_1_3 ||
        has_extension(info->ppEnabledExtensionNames, info->enabledExtensionCount, EXTENSION_NON_SEMANTIC);
    on->subgroup_stages = able->subgroup.supportedStages;
    on->subgroup_operations = able->subgroup.supportedOperations;
    on->subgroup_size = able->subgroup.subgroupSize;
    on->subgroup_most = able->sizes.maxSubgroupSize;
    on->amd = able->amd;
    on->executables = bit_is_on(info->pNext, &bits[BIT_EXECUTABLES]);
    on->conditional_rendering = bit_is_on(info->pNext, &bits[BIT_CONDITIONAL]);
    on->wave_control = bit_is_on(info->pNext, &bits[BIT_SIZE_CONTROL]);
    on->wave_smallest = able->sizes.minSubgroupSize;
    on->waves_per_workgroup = able->sizes.maxComputeWorkgroupSubgroups;
    on->wave_stages = able->sizes.requiredSubgroupSizeStages;
    on->own_passes = passes_of_driver(able);
    on->contents = contents_of_driver(able);
    on->contents_if_better = wpg_the_process.settings.contents < 0 && !able->old_lavapipe;
    on->loses_by_trips = able->old_lavapipe; /* to twice their time: the rfc_ benchmarks, 2.3 */
    on->specialises = able->old_lavapipe;
    on->loses_exit_values = able->old_lavapipe || able->swiftshader;
    on->suspends_at_barriers = able->old_lavapipe || able->new_lavapipe || able->swiftshader;
    on->no_scalar_unit = on->suspends_at_barriers;
    on->loops_over_lanes = able->new_lavapipe;
    on->hints_are_lost = able->mesa;
    on->partial_descriptors = bit_is_on(info->pNext, &bits[BIT_PARTIALLY_BOUND]);
    on->memory_is_file = able->new_lavapipe;
    memcpy(on->made_on, able->made_on, sizeof on->made_on);
    on->made = able->made;
    unsigned minor = VK_API_VERSION_MINOR(able->api_version);
    on->validate = (wpg_validate_options){
        .vulkan_minor = minor < 3 ? minor : 3,
        .relax_block_layout =
            minor >= 1 || has_extension(info->ppEnabledExtensionNames, info->enabledExtensionCount,
                                        VK_KHR_RELAXED_BLOCK_LAYOUT_EXTENSION_NAME),
        .uniform_buffer_standard_layout = bit_is_on(info->pNext, &bits[BIT_UNIFORM_STANDARD]),
        .scalar_block_layout = bit_is_on(info->pNext, &bits[BIT_SCALAR]),
        .workgroup_scalar_block_layout = bit_is_on(info->pNext, &bits[BIT_WORKGROUP_SCALAR]),
        .local_size_id = bit_is_on(info->pNext, &bits[BIT_MAINTENANCE4]),
    };
}

static bool application_replays(const VkDeviceCreateInfo *info)
{
    const VkPhysicalDeviceAccelerationStructureFeaturesKHR *structures =
        wpg_chain_find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR);
    const VkPhysicalDeviceRayTracingPipelineFeaturesKHR *rays =
        wpg_chain_find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR);
    return bit_is_on(info->pNext, &bits[BIT_REPLAY]) ||
           (structures && structures->accelerationStructureCaptureReplay) ||
           (rays && rays->rayTracingPipelineShaderGroupHandleCaptureReplay);
}

/* Bits wanted but not on, and the extensions they need. */
typedef struct wish {
    bool bits[BITS_TO_SET];
    bool vertex_stores, fragment_stores, int64, statistics;
    const char *extensions[BITS_TO_SET + 1];
    uint32_t extension_count;
} wish;

static void wish_extension(wish *wanted, const VkDeviceCreateInfo *info, const char *name)
{
    if (!has_extension(info->ppEnabledExtensionNames, info->enabledExtensionCount, name) &&
        !has_extension(wanted->extensions, wanted->extension_count, name))
        wanted->extensions[wanted->extension_count++] = name;
}

static void wish_bits(wish *wanted, const wpg_feature_plan *plan, const device_abilities *able,
                      const bool want[BITS_TO_SET])
{
    for (int i = 0; i < BITS_TO_SET; i++) {
        wanted->bits[i] = want[i] && able->bits[i] && !bit_is_on(plan->info.pNext, &bits[i]);
        if (wanted->bits[i] && VK_API_VERSION_MINOR(able->api_version) < bits[i].core_minor)
            wish_extension(wanted, &plan->info, bits[i].extension);
    }
}

static void wish_to_count(wish *wanted, const wpg_feature_plan *plan, const device_abilities *able,
                          bool validated)
{
    const wpg_device_features *on = &plan->plain;
    wanted->vertex_stores = able->core.vertexPipelineStoresAndAtomics && !on->vertex_stores;
    wanted->fragment_stores = able->core.fragmentStoresAndAtomics && !on->fragment_stores;
    const bool bound = plan->by_binding;
    bool int64 = !bound && able->core.shaderInt64 && able->bits[BIT_INT64_ATOMICS];
    wanted->int64 = int64 && !on->int64;
    wanted->statistics =
        wpg_the_process.settings.pipeline_statistics && able->core.pipelineStatisticsQuery && !on->statistics;
    const char *counters = wpg_the_process.settings.hardware_counters;
    bool hardware = counters && *counters && able->bits[BIT_PERFORMANCE] && able->bits[BIT_HOST_RESET] &&
                    !plan->plain.program_performance;
    bool want[BITS_TO_SET] = {
        [BIT_ADDRESS] = !bound,       [BIT_REPLAY] = !bound && !plan->application_replays,
        [BIT_INT64_ATOMICS] = int64,  [BIT_DEVICE_SCOPE] = on->memory_model,
        [BIT_DEMOTE] = true,          [BIT_RECONVERGENCE] = !validated,
        [BIT_PERFORMANCE] = hardware, [BIT_HOST_RESET] = hardware,
    };
    wish_bits(wanted, plan, able, want);
    /* A stable address: replayed where the driver can, else our own pages imported (software drivers). */
    if (able->host_import && !able->bits[BIT_REPLAY] && !bound)
        wish_extension(wanted, &plan->info, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
}

static void say_forced(const wish *wanted)
{
    if (wanted->vertex_stores)
        wpg_log_info("enabling vertexPipelineStoresAndAtomics");
    if (wanted->fragment_stores)
        wpg_log_info("enabling fragmentStoresAndAtomics");
    if (wanted->int64)
        wpg_log_info("enabling shaderInt64");
    if (wanted->statistics)
        wpg_log_info("enabling pipelineStatisticsQuery");
    for (int i = 0; i < BITS_TO_SET; i++)
        if (wanted->bits[i])
            wpg_log_info("enabling %s", bits[i].name);
    for (uint32_t i = 0; i < wanted->extension_count; i++)
        wpg_log_info("enabling %s", wanted->extensions[i]);
}

/* The structure of the application's chain in which a wanted bit is set, NULL if there is none. */
static const void *holder_of(const void *chain, const feature_bit *bit)
{
    const void *versioned =
        bit->versioned == (VkStructureType)NO_STRUCTURE ? NULL : wpg_chain_find(chain, bit->versioned);
    return versioned ? versioned : wpg_chain_find(chain, bit->own);
}

/* Copies the chain up to the last structure that changes, sets the bits there, and puts missing structures in
 * front. */
static bool grant_bits(wpg_feature_plan *plan, const wish *wanted, VkStructureType *unknown)
{
    const void *chain = plan->info.pNext, *last = NULL;
    bool core = wanted->vertex_stores || wanted->fragment_stores || wanted->int64 || wanted->statistics;
    bool in_features2 = wpg_chain_find(chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) != NULL;
    for (const VkBaseInStructure *at = chain; at; at = at->pNext) {
        bool holds = core && at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
        for (int i = 0; i < BITS_TO_SET; i++)
            holds |= wanted->bits[i] && holder_of(chain, &bits[i]) == at;
        if (holds)
            last = at;
    }
    if (last && !wpg_chain_copy_until(&plan->info.pNext, unknown, &plan->arena, chain, last))
        return false;

    VkPhysicalDeviceFeatures *features = NULL;
    if (core && in_features2)
        features = &((VkPhysicalDeviceFeatures2 *)(uintptr_t)wpg_chain_find(
                         plan->info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2))
                        ->features;
    else if (core) {
        features = WPG_ARENA_NEW(&plan->arena, VkPhysicalDeviceFeatures);
        if (features && plan->info.pEnabledFeatures)
            *features = *plan->info.pEnabledFeatures;
        plan->info.pEnabledFeatures = features;
    }
    if (core && features) {
        features->vertexPipelineStoresAndAtomics |= wanted->vertex_stores;
        features->fragmentStoresAndAtomics |= wanted->fragment_stores;
        features->shaderInt64 |= wanted->int64;
        features->pipelineStatisticsQuery |= wanted->statistics;
    }
    for (int i = 0; i < BITS_TO_SET; i++) {
        if (!wanted->bits[i])
            continue;
        const void *holder = holder_of(plan->info.pNext, &bits[i]);
        if (!holder) {
            VkBaseOutStructure *own = wpg_arena_alloc(&plan->arena, 1, bits[i].own_size);
            if (!own)
                return false;
            own->sType = bits[i].own;
            own->pNext = (VkBaseOutStructure *)(uintptr_t)plan->info.pNext;
            plan->info.pNext = own;
            holder = own;
        }
        const VkBaseInStructure *base = holder;
        set_bool((void *)(uintptr_t)holder,
                 base->sType == bits[i].versioned ? bits[i].versioned_offset : bits[i].own_offset);
    }
    return !plan->arena.failed;
}

static bool grant_extensions(wpg_feature_plan *plan, const wish *wanted)
{
    if (!wanted->extension_count)
        return true;
    uint32_t had = plan->info.enabledExtensionCount;
    const char **names =
        wpg_arena_alloc(&plan->arena, (size_t)had + wanted->extension_count, sizeof(const char *));
    if (!names)
        return false;
    for (uint32_t i = 0; i < had; i++)
        names[i] = plan->info.ppEnabledExtensionNames[i];
    for (uint32_t i = 0; i < wanted->extension_count; i++)
        names[had + i] = wanted->extensions[i];
    plan->info.ppEnabledExtensionNames = names;
    plan->info.enabledExtensionCount = had + wanted->extension_count;
    return true;
}

static bool refuse(wpg_feature_plan *plan, const char *why)
{
    (void)snprintf(plan->refused, sizeof plan->refused, "%s", why);
    return false;
}

/* Whether counting is possible at all on this device. */
static bool can_count(wpg_feature_plan *plan, const device_abilities *able)
{
    for (uint32_t i = 0; i < plan->info.queueCreateInfoCount; i++)
        if (plan->info.pQueueCreateInfos[i].flags & VK_DEVICE_QUEUE_CREATE_PROTECTED_BIT)
            return refuse(plan, "the program makes a protected queue");
    const VkDeviceGroupDeviceCreateInfo *group =
        wpg_chain_find(plan->info.pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
    if (group && group->physicalDeviceCount > 1)
        return refuse(plan, "the device is a group of several");
    if (able->api_version < VK_API_VERSION_1_1)
        return refuse(plan, "the device has Vulkan 1.0 only");
    const bool old_addresses =
        has_extension(plan->info.ppEnabledExtensionNames, plan->info.enabledExtensionCount,
                      VK_EXT_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME);
    const bool addresses = able->bits[BIT_ADDRESS] || plan->plain.buffer_device_address;
    const int64_t way = wpg_the_process.settings.counter_way;
    plan->by_binding = way == WPG_WAY_BINDING || (way == WPG_WAY_AUTO && (old_addresses || !addresses));
    if (plan->by_binding)
        return true;
    if (old_addresses)
        return refuse(plan, "the program enables VK_EXT_buffer_device_address");
    if (!addresses)
        return refuse(plan, "the device has no bufferDeviceAddress");
    return true;
}

void wpg_feature_plan_make(wpg_feature_plan *plan, const wpg_instance *instance, VkPhysicalDevice physical,
                           const VkDeviceCreateInfo *info, unsigned need)
{
    *plan = (wpg_feature_plan){.info = *info, .application_replays = application_replays(info)};
    wpg_arena_init(&plan->arena);
    device_abilities able;
    ask_device(&able, instance, physical, &plan->arena);
    read_enabled(&plan->plain, info, &able);
    plan->plain.program_performance = has_extension(
        info->ppEnabledExtensionNames, info->enabledExtensionCount, VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME);
    plan->planned = plan->plain;
    wish wanted = {0};
    if ((need & WPG_NEED_NON_SEMANTIC) && !plan->plain.non_semantic && able.non_semantic)
        wish_extension(&wanted, info, EXTENSION_NON_SEMANTIC);
    const bool contents = (need & WPG_NEED_CONTENTS) && plan->plain.contents && able.bits[BIT_CONDITIONAL] &&
                          able.bits[BIT_ADDRESS] &&
                          !has_extension(info->ppEnabledExtensionNames, info->enabledExtensionCount,
                                         VK_EXT_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME);
    const bool want[BITS_TO_SET] = {
        [BIT_SIZE_CONTROL] =
            (need & WPG_NEED_WAVE_SIZES) && able.sizes.minSubgroupSize < able.subgroup.subgroupSize,
        [BIT_EXECUTABLES] = (need & WPG_NEED_STATISTICS) != 0,
        [BIT_CONDITIONAL] = contents,
        [BIT_ADDRESS] = contents,
    };
    wish_bits(&wanted, plan, &able, want);
    if ((need & WPG_NEED_COUNTING) && can_count(plan, &able)) {
        plan->plain.by_binding = plan->planned.by_binding = plan->by_binding;
        wish_to_count(&wanted, plan, &able, instance->validated);
    }

    VkStructureType unknown = VK_STRUCTURE_TYPE_MAX_ENUM;
    bool granted = grant_bits(plan, &wanted, &unknown);
    if (!granted && !(need & WPG_NEED_COUNTING)) { /* what these bits are for is left out, marks need none */
        memset(wanted.bits, 0, sizeof wanted.bits);
        plan->info.pNext = info->pNext;
        granted = !plan->arena.failed;
    }
    if (!granted || !grant_extensions(plan, &wanted)) {
        plan->info = *info;
        if ((need & WPG_NEED_COUNTING) && !plan->plain.buffer_device_address && !plan->by_binding) {
            if (unknown != VK_STRUCTURE_TYPE_MAX_ENUM)
                (void)snprintf(plan->refused, sizeof plan->refused,
                               "structure %u in the device's create-info is unknown, features behind it "
                               "cannot be enabled",
                               (unsigned)unknown);
            else
                (void)refuse(plan, "out of memory");
        }
        return;
    }
    say_forced(&wanted);
    plan->changed = plan->info.pNext != info->pNext ||
                    plan->info.pEnabledFeatures != info->pEnabledFeatures ||
                    plan->info.enabledExtensionCount != info->enabledExtensionCount;
    read_enabled(&plan->planned, &plan->info, &able);
    plan->planned.program_performance = plan->plain.program_performance;
    plan->planned.by_binding = plan->by_binding;
}

void wpg_feature_plan_finish(wpg_feature_plan *plan)
{
    wpg_arena_finish(&plan->arena);
}

bool wpg_features_target(wpg_instrument_target *target, const char **why, const wpg_device_features *features,
                         VkShaderStageFlagBits stage)
{
    const VkShaderStageFlags vertex_stages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_GEOMETRY_BIT |
                                             VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT |
                                             VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT;
    if (!features->buffer_device_address && !features->by_binding) {
        *why = "bufferDeviceAddress is not enabled";
        return false;
    }
    if ((stage & vertex_stages) && !features->vertex_stores) {
        *why = "vertexPipelineStoresAndAtomics is not enabled";
        return false;
    }
    if (stage == VK_SHADER_STAGE_FRAGMENT_BIT && !features->fragment_stores) {
        *why = "fragmentStoresAndAtomics is not enabled";
        return false;
    }
    /* Stores and atomics in these need no feature of their own. */
    const VkShaderStageFlags free_stages = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_TASK_BIT_EXT |
                                           VK_SHADER_STAGE_MESH_BIT_EXT | ray_stages;
    if (!(stage & (vertex_stages | VK_SHADER_STAGE_FRAGMENT_BIT | free_stages))) {
        *why = "this kind of stage is not counted";
        return false;
    }
    bool subgroups = (features->subgroup_stages & stage) != 0;
    unsigned minor = VK_API_VERSION_MINOR(features->api_version);
    *target = (wpg_instrument_target){
        .subgroup_basic = subgroups && (features->subgroup_operations & VK_SUBGROUP_FEATURE_BASIC_BIT),
        .subgroup_ballot = subgroups && (features->subgroup_operations & VK_SUBGROUP_FEATURE_BALLOT_BIT),
        .subgroup_arithmetic =
            subgroups && (features->subgroup_operations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT),
        .subgroup_size = features->subgroup_size,
        .subgroup_most = features->subgroup_most,
        .int64_atomics = features->int64 && features->buffer_int64_atomics && !features->by_binding,
        .demote_to_helper = features->demote,
        /* Not allowed in ray-tracing stages (VUID-RuntimeSpirv-MaximallyReconvergesKHR-09566). */
        .maximal_reconvergence = features->maximal_reconvergence && !(stage & ray_stages),
        .loses_exit_values = features->loses_exit_values,
        .suspends_at_barriers = features->suspends_at_barriers,
        .loops_over_lanes = features->loops_over_lanes,
        .memory_model_device_scope = features->memory_model_device_scope,
        .max_spirv_minor = minor >= 3   ? 6
                           : minor == 2 ? 5
                                        : 3,
    };
    return true;
}
