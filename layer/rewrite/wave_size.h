/* Wave sizes of use mode (VK_EXT_subgroup_size_control, Vulkan 1.3): the sizes that a device offers for a
 * stage, and the request to the driver. The compiler decides whether the shader may have a size
 * (compiler/optimize/passes/wave_size.c). Threads: no shared state. */
#ifndef WPG_LAYER_REWRITE_WAVE_SIZE_H
#define WPG_LAYER_REWRITE_WAVE_SIZE_H

#include "compiler/optimize/ir/optimize.h"
#include "layer/base/features.h"

/* The wave sizes to choose from for a stage on this device. None (all 0) if the device has one size only, or
 * takes no size for that kind of stage, or the program decides itself: a required size, or a flag of sizes
 * (VUID-VkPipelineShaderStageCreateInfo-pNext-02754). `fill` is the setting. */
wpg_wave_choice wpg_wave_choice_of(const wpg_device_features *features,
                                   const VkPipelineShaderStageCreateInfo *info);

/* Puts the size in front of the stage's chain; the structure lives in `arena`. false: out of memory. */
bool wpg_wave_size_require(VkPipelineShaderStageCreateInfo *info, uint32_t size, wpg_arena *arena);

#endif
