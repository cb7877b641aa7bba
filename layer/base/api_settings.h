/* Settings a program passes with its instance (VK_EXT_layer_settings). Threads: under the process lock. */
#ifndef WPG_LAYER_BASE_API_SETTINGS_H
#define WPG_LAYER_BASE_API_SETTINGS_H

#include <stdbool.h>

#include <vulkan/vulkan.h>

#include "runtime/config/settings.h"

/* Applies the chain's settings for this layer. The environment has priority. An unreadable setting is logged
 * and skipped. True if any setting was applied. */
bool wpg_api_settings_apply(wpg_settings *settings, const VkInstanceCreateInfo *info);

#endif
