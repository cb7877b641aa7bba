/* Wave sizes. */
#include "layer/rewrite/wave_size.h"

#include "layer/base/chain.h"
#include "layer/base/state.h"

wpg_wave_choice wpg_wave_choice_of(const wpg_device_features *features,
                                   const VkPipelineShaderStageCreateInfo *info)
{
    const VkPipelineShaderStageCreateFlags flags =
        VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT |
        VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
    if (!features->wave_control || !(features->wave_stages & info->stage) ||
        features->wave_smallest >= features->subgroup_size || (info->flags & flags) ||
        wpg_chain_find(info->pNext,
                       VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO))
        return (wpg_wave_choice){0};
    return (wpg_wave_choice){.smallest = features->wave_smallest,
                             .usual = features->subgroup_size,
                             .most_per_workgroup = features->waves_per_workgroup,
                             .fill = wpg_the_process.settings.wave_fill};
}

bool wpg_wave_size_require(VkPipelineShaderStageCreateInfo *info, uint32_t size, wpg_arena *arena)
{
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo *required =
        WPG_ARENA_NEW(arena, VkPipelineShaderStageRequiredSubgroupSizeCreateInfo);
    if (!required)
        return false;
    *required = (VkPipelineShaderStageRequiredSubgroupSizeCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        .pNext = (void *)(uintptr_t)info->pNext,
        .requiredSubgroupSize = size};
    info->pNext = required;
    return true;
}
