/* The made-up performance counters of the shim. See shim_counters.h. */
#include "tests/e2e/shim_counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool shim_performance(const char *how)
{
    const char *setting = getenv("SHIM_PERFORMANCE");
    return setting && (!how || strcmp(setting, how) == 0);
}

VKAPI_ATTR VkResult VKAPI_CALL shim_enumerate_counters(VkPhysicalDevice physical, uint32_t family,
                                                       uint32_t *count, VkPerformanceCounterKHR *counters,
                                                       VkPerformanceCounterDescriptionKHR *descriptions)
{
    static const struct {
        const char *name;
        VkPerformanceCounterUnitKHR unit;
        VkPerformanceCounterScopeKHR scope;
        VkPerformanceCounterStorageKHR storage;
    } list[SHIM_COUNTERS] = {
        {"Busy", VK_PERFORMANCE_COUNTER_UNIT_PERCENTAGE_KHR, VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR,
         VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR},
        {"Vector instructions", VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR,
         VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR, VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR},
        {"Frames", VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR,
         VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR},
        {"Bytes read", VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR, VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR,
         VK_PERFORMANCE_COUNTER_STORAGE_FLOAT64_KHR},
    };
    (void)physical, (void)family;
    for (uint32_t i = 0; counters && i < *count && i < SHIM_COUNTERS; i++) {
        counters[i].unit = list[i].unit;
        counters[i].scope = list[i].scope;
        counters[i].storage = list[i].storage;
        if (descriptions)
            snprintf(descriptions[i].name, sizeof descriptions[i].name, "%s", list[i].name);
    }
    *count = !counters || *count > SHIM_COUNTERS ? SHIM_COUNTERS : *count;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL shim_query_passes(VkPhysicalDevice physical,
                                             const VkQueryPoolPerformanceCreateInfoKHR *info,
                                             uint32_t *passes)
{
    (void)physical;
    *passes = shim_performance("passes") ? info->counterIndexCount : 1;
}
