#include "layer/rewrite/static_cost.h"

enum { MOST_STATISTICS = 64 };

bool wpg_static_cost_known(const wpg_device *device)
{
    return device->features.executables && device->next.GetPipelineExecutablePropertiesKHR &&
           device->next.GetPipelineExecutableStatisticsKHR;
}

static double value_of(const VkPipelineExecutableStatisticKHR *statistic)
{
    switch (statistic->format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
        return (double)statistic->value.i64;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
        return (double)statistic->value.u64;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR:
        return statistic->value.f64;
    default:
        return -1; /* a truth value is no figure */
    }
}

static bool read_one(wpg_executable *into, const wpg_device *device, VkPipeline pipeline, uint32_t index)
{
    VkPipelineExecutableStatisticKHR list[MOST_STATISTICS];
    uint32_t count = MOST_STATISTICS;
    VkPipelineExecutableInfoKHR which = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                         .pipeline = pipeline,
                                         .executableIndex = index};
    for (uint32_t i = 0; i < MOST_STATISTICS; i++)
        list[i] =
            (VkPipelineExecutableStatisticKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
    VkResult result = device->next.GetPipelineExecutableStatisticsKHR(device->handle, &which, &count, list);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE)
        return false;
    for (uint32_t i = 0; i < count && i < MOST_STATISTICS; i++) {
        list[i].name[sizeof list[i].name - 1] = '\0';
        wpg_executable_take(into, list[i].name, value_of(&list[i]));
    }
    return wpg_executable_complete(into);
}

void wpg_static_cost_read(wpg_estimate *estimate, const wpg_device *device, VkPipeline pipeline)
{
    VkPipelineExecutablePropertiesKHR executables[WPG_MOST_EXECUTABLES];
    uint32_t count = WPG_MOST_EXECUTABLES;
    VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = pipeline};
    *estimate = (wpg_estimate){0};
    for (uint32_t i = 0; i < WPG_MOST_EXECUTABLES; i++)
        executables[i] = (VkPipelineExecutablePropertiesKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
    /* More than there is room for are not summed up in part: VK_INCOMPLETE is no answer. */
    if (device->next.GetPipelineExecutablePropertiesKHR(device->handle, &info, &count, executables) !=
            VK_SUCCESS ||
        count > WPG_MOST_EXECUTABLES)
        return;
    for (uint32_t i = 0; i < count; i++) {
        estimate->executables[i].stages = executables[i].stages;
        estimate->executables[i].wave = executables[i].subgroupSize;
        if (!read_one(&estimate->executables[i], device, pipeline, i))
            return;
    }
    estimate->count = count;
}
