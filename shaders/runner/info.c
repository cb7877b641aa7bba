/* Device and driver as JSON. See info.h. */
#include "shaders/runner/info.h"

#include <math.h>
#include "shaders/runner/report.h"

static const char *type_name(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return "integrated";
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return "discrete";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return "virtual";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return "cpu";
    default:
        return "other";
    }
}

static void print_string(FILE *out, const char *key, const char *value)
{
    (void)fprintf(out, ",\"%s\":", key);
    bench_json_string(out, value);
}

static void print_bool(FILE *out, const char *key, VkBool32 value)
{
    (void)fprintf(out, ",\"%s\":%s", key, value ? "true" : "false");
}

static void print_version(FILE *out, const char *key, uint32_t version)
{
    (void)fprintf(out, ",\"%s\":\"%u.%u.%u\"", key, VK_API_VERSION_MAJOR(version),
                  VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
}

/* Stages whose shaders may use subgroup operations, and which operations: names as in the profile's stages.
 */
static void print_flags(FILE *out, const char *key, uint32_t bits, const char *const *names, size_t count)
{
    const char *comma = "";
    (void)fprintf(out, ",\"%s\":[", key);
    for (size_t i = 0; i < count; i++) {
        if (!(bits >> i & 1))
            continue;
        (void)fprintf(out, "%s\"%s\"", comma, names[i]);
        comma = ",";
    }
    (void)fputc(']', out);
}

void bench_info_json(FILE *out, const bench_device *dev)
{
    static const char *const stages[] = {"vert", "tesc", "tese", "geom", "frag", "comp"};
    static const char *const operations[] = {
        "basic", "vote", "arithmetic", "ballot", "shuffle", "shuffle_relative", "clustered", "quad"};
    bool has_driver = dev->properties.apiVersion >= VK_API_VERSION_1_2 ||
                      bench_device_has_extension(dev, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
    bool has_sizes = bench_device_has_extension(dev, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME);
    bool has_int64 = bench_device_has_extension(dev, VK_KHR_SHADER_ATOMIC_INT64_EXTENSION_NAME);
    VkPhysicalDeviceSubgroupSizeControlPropertiesEXT sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES_EXT};
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceSubgroupProperties subgroup = {.sType =
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &subgroup};
    VkPhysicalDeviceShaderAtomicInt64Features int64 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES};
    VkPhysicalDeviceBufferDeviceAddressFeatures address = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    if (has_sizes) {
        sizes.pNext = properties.pNext;
        properties.pNext = &sizes;
    }
    if (has_driver) {
        driver.pNext = properties.pNext;
        properties.pNext = &driver;
    }
    if (has_int64)
        features.pNext = &int64;
    if (dev->properties.apiVersion >= VK_API_VERSION_1_2 ||
        bench_device_has_extension(dev, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME)) {
        address.pNext = features.pNext;
        features.pNext = &address;
    }
    vkGetPhysicalDeviceProperties2(dev->physical, &properties);
    vkGetPhysicalDeviceFeatures2(dev->physical, &features);

    const VkPhysicalDeviceProperties *p = &dev->properties;
    (void)fputs("{\"device\":", out);
    bench_json_string(out, p->deviceName);
    print_string(out, "type", type_name(p->deviceType));
    (void)fprintf(out, ",\"vendor_id\":%u,\"device_id\":%u,\"driver_version\":%u", p->vendorID, p->deviceID,
                  p->driverVersion);
    print_string(out, "driver_name", driver.driverName);
    print_string(out, "driver_info", driver.driverInfo);
    print_version(out, "api_version", p->apiVersion);
    uint32_t loader = VK_API_VERSION_1_0;
    (void)vkEnumerateInstanceVersion(&loader);
    print_version(out, "loader_version", loader);
    (void)fprintf(out, ",\"subgroup_size\":%u", subgroup.subgroupSize);
    if (has_sizes)
        (void)fprintf(out, ",\"subgroup_size_min\":%u,\"subgroup_size_max\":%u", sizes.minSubgroupSize,
                      sizes.maxSubgroupSize);
    print_flags(out, "subgroup_stages", subgroup.supportedStages, stages, sizeof stages / sizeof *stages);
    print_flags(out, "subgroup_operations", subgroup.supportedOperations, operations,
                sizeof operations / sizeof *operations);
    /* A driver without hardware may have no number for it. */
    double period = (double)p->limits.timestampPeriod;
    (void)fprintf(out, ",\"timestamp_bits\":%u,\"timestamp_period_ns\":%g", dev->timestamp_bits,
                  isfinite(period) ? period : 0.0);
    print_bool(out, "bufferDeviceAddress", address.bufferDeviceAddress);
    print_bool(out, "bufferDeviceAddressCaptureReplay", address.bufferDeviceAddressCaptureReplay);
    print_bool(out, "shaderBufferInt64Atomics", int64.shaderBufferInt64Atomics);
    print_bool(out, "fragmentStoresAndAtomics", features.features.fragmentStoresAndAtomics);
    print_bool(out, "vertexPipelineStoresAndAtomics", features.features.vertexPipelineStoresAndAtomics);
    print_bool(out, "runs_shaders", dev->memory.memoryTypeCount != 0);
    (void)fputs("}\n", out);
}
