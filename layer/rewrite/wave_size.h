/* Wave sizes of use mode (VK_EXT_subgroup_size_control, Vulkan 1.3): what a device offers for a stage, and
 * asking the driver for a size. Whether the shader may have it is the compiler's to say (wave_size.c there).
 * Threads: no shared state. */
#ifndef WPG_LAYER_REWRITE_WAVE_SIZE_H
#define WPG_LAYER_REWRITE_WAVE_SIZE_H

#include "compiler/optimize/ir/optimize.h"
#include "layer/base/features.h"

/* The choice there is for a stage on this device; none (all 0) where the device has one size only or does not
 * take a size for that kind of stage, and where the program has its own say: a required size, or a flag of
 * sizes (VUID-VkPipelineShaderStageCreateInfo-pNext-02754). `fill` is the setting. */
wpg_wave_choice wpg_wave_choice_of(const wpg_device_features *features,
                                   const VkPipelineShaderStageCreateInfo *info);

/* Puts the size in front of the stage's chain; the structure lives in `arena`. false: out of memory. */
bool wpg_wave_size_require(VkPipelineShaderStageCreateInfo *info, uint32_t size, wpg_arena *arena);

#endif
