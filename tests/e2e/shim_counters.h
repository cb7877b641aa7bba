/* Counters that the shim offers by VK_KHR_performance_query (SHIM_PERFORMANCE, shim_layer.c): which there
 * are. No state. */
#ifndef WPG_TEST_SHIM_COUNTERS_H
#define WPG_TEST_SHIM_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

enum { SHIM_COUNTERS = 4 };

/* Whether SHIM_PERFORMANCE is that; NULL: is there. */
bool shim_performance(const char *how);

VKAPI_ATTR VkResult VKAPI_CALL shim_enumerate_counters(VkPhysicalDevice physical, uint32_t family,
                                                       uint32_t *count, VkPerformanceCounterKHR *counters,
                                                       VkPerformanceCounterDescriptionKHR *descriptions);
VKAPI_ATTR void VKAPI_CALL shim_query_passes(VkPhysicalDevice physical,
                                             const VkQueryPoolPerformanceCreateInfoKHR *info,
                                             uint32_t *passes);

#endif
