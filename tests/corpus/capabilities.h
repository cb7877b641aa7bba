/* Whether a device of Vulkan 1.3 has what a module of the corpus asks for. Threads: no state. */
#ifndef WPG_TESTS_CORPUS_CAPABILITIES_H
#define WPG_TESTS_CORPUS_CAPABILITIES_H

#include <vulkan/vulkan.h>

#include "compiler/spirv/module.h"

/* Capabilities that each such device may have count as had, and those that a feature of its core stands for
 * if the device has the feature. Of the rest nothing is known here, such as what their built-ins hold. */
bool has_capabilities(const wpg_module *module, const VkPhysicalDeviceFeatures *features);

#endif
