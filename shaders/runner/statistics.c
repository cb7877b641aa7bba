/* Pipeline executable statistics. See statistics.h. */
#include "shaders/runner/statistics.h"

#include <inttypes.h>
#include <stdlib.h>
#include "shaders/runner/report.h"

enum { MAX_EXECUTABLES = 16, MAX_STATISTICS = 64 };

static const char *stage_name(VkShaderStageFlags stages)
{
    static const struct {
        VkShaderStageFlags bit;
        const char *name;
    } names[] = {{VK_SHADER_STAGE_COMPUTE_BIT, "comp"},
                 {VK_SHADER_STAGE_FRAGMENT_BIT, "frag"},
                 {VK_SHADER_STAGE_GEOMETRY_BIT, "geom"},
                 {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, "tese"},
                 {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, "tesc"},
                 {VK_SHADER_STAGE_VERTEX_BIT, "vert"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (stages & names[i].bit) /* merged stages: the last one's name */
            return names[i].name;
    return "other";
}

static void print_value(FILE *out, const VkPipelineExecutableStatisticKHR *s)
{
    switch (s->format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
        (void)fputs(s->value.b32 ? "true" : "false", out);
        break;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
        (void)fprintf(out, "%" PRId64, s->value.i64);
        break;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
        (void)fprintf(out, "%" PRIu64, s->value.u64);
        break;
    default:
        (void)fprintf(out, "%.6f", s->value.f64);
        break;
    }
}

static void print_executable(FILE *json, bool table, const bench_case *c,
                             const VkPipelineExecutablePropertiesKHR *e,
                             const VkPipelineExecutableStatisticKHR *list, uint32_t count)
{
    const char *stage = stage_name(e->stages);
    if (json) {
        (void)fputs("{\"case\":", json);
        bench_json_string(json, c->name);
        (void)fprintf(json, ",\"stage\":\"%s\",\"executable\":", stage);
        bench_json_string(json, e->name);
        (void)fprintf(json, ",\"subgroup_size\":%u,\"statistics\":{", e->subgroupSize);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (json) {
            (void)fputs(i ? "," : "", json);
            bench_json_string(json, list[i].name);
            (void)fputc(':', json);
            print_value(json, &list[i]);
        }
        if (table) {
            (void)printf("%-18s %-5s %-28s ", c->name, stage, list[i].name);
            print_value(stdout, &list[i]);
            (void)putchar('\n');
        }
    }
    if (json)
        (void)fputs("}}\n", json);
}

wpg_status bench_statistics_print(FILE *json, bool table, const bench_device *dev, const bench_case *c,
                                  const bench_pipeline *p, wpg_error *err)
{
    PFN_vkGetPipelineExecutablePropertiesKHR get_executables =
        (PFN_vkGetPipelineExecutablePropertiesKHR)vkGetDeviceProcAddr(dev->device,
                                                                      "vkGetPipelineExecutablePropertiesKHR");
    PFN_vkGetPipelineExecutableStatisticsKHR get_statistics =
        (PFN_vkGetPipelineExecutableStatisticsKHR)vkGetDeviceProcAddr(dev->device,
                                                                      "vkGetPipelineExecutableStatisticsKHR");
    VkPipelineExecutablePropertiesKHR executables[MAX_EXECUTABLES];
    uint32_t count = MAX_EXECUTABLES;
    VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = p->pipeline};
    if (!dev->statistics || !get_executables || !get_statistics)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "the driver has no pipeline executable properties");
    for (uint32_t i = 0; i < MAX_EXECUTABLES; i++)
        executables[i] = (VkPipelineExecutablePropertiesKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
    VkResult result = get_executables(dev->device, &info, &count, executables);
    if (result != VK_INCOMPLETE)
        WPG_TRY(bench_check(result, "vkGetPipelineExecutablePropertiesKHR", err));
    for (uint32_t i = 0; i < count; i++) {
        VkPipelineExecutableStatisticKHR list[MAX_STATISTICS];
        uint32_t statistics = MAX_STATISTICS;
        VkPipelineExecutableInfoKHR which = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                             .pipeline = p->pipeline,
                                             .executableIndex = i};
        for (uint32_t k = 0; k < MAX_STATISTICS; k++)
            list[k] = (VkPipelineExecutableStatisticKHR){
                .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
        result = get_statistics(dev->device, &which, &statistics, list);
        if (result != VK_INCOMPLETE)
            WPG_TRY(bench_check(result, "vkGetPipelineExecutableStatisticsKHR", err));
        print_executable(json, table, c, &executables[i], list, statistics);
    }
    return WPG_OK;
}
