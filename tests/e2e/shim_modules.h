/* Shader modules as the shim sees them (shim_layer.c): SHIM_RECORD, SHIM_KNOWN, SHIM_MISCOUNT. Threads: any.
 */
#ifndef WPG_TEST_SHIM_MODULES_H
#define WPG_TEST_SHIM_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan.h>

/* Looks at a module's words, and records their hash; true if they are not among the known ones. */
bool shim_look_at(const VkShaderModuleCreateInfo *info);
/* A malloc'd copy of the words with the Nth OpAtomicIAdd as an OpAtomicExchange, which has the same operands;
 * NULL: they have no Nth. */
uint32_t *shim_miscounting(const VkShaderModuleCreateInfo *info, int n);

#endif
