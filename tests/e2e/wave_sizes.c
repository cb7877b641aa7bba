/* Prints the wave size that the driver compiles each shader for: one line a pipeline and executable, what
 * VK_KHR_pipeline_executable_properties says. What it prints must not depend on whether a layer is there.
 *
 *     e2e_wave_sizes SPIRV-FOLDER
 *
 * Compute shaders with and without subgroup operations, workgroups of several sizes, with each way of
 * VK_EXT_subgroup_size_control to say something of the size; vertex and fragment shaders. Exit code 77: the
 * device does not tell. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/vk.h"

static const char *folder;

/* The wave size of each executable, and the pipeline's end. */
static void tell(vk_program *vk, const char *name, VkPipeline pipeline)
{
    PFN_vkGetPipelineExecutablePropertiesKHR get =
        (PFN_vkGetPipelineExecutablePropertiesKHR)vkGetDeviceProcAddr(vk->device,
                                                                      "vkGetPipelineExecutablePropertiesKHR");
    VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = pipeline};
    VkPipelineExecutablePropertiesKHR properties[VK_MAX_STAGES];
    uint32_t count = VK_MAX_STAGES;
    for (uint32_t i = 0; i < count; i++)
        properties[i] = (VkPipelineExecutablePropertiesKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
    vk_must(get(vk->device, &info, &count, properties), "vkGetPipelineExecutablePropertiesKHR");
    for (uint32_t i = 0; i < count; i++)
        printf("%s: stages %x: %u\n", name, properties[i].stages, properties[i].subgroupSize);
    vkDestroyPipeline(vk->device, pipeline, NULL);
}

typedef struct request {
    const char *name;
    VkPipelineShaderStageCreateFlags flags;
    uint32_t size; /* required; 0 = none */
} request;

static const request requests[] = {
    {"plain", 0, 0},
    {"varying", VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT_EXT, 0},
    {"full", VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT, 0},
    {"varying full",
     VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT_EXT |
         VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT,
     0},
    {"required 32", 0, 32},
    {"required 64", 0, 64},
    {"required full 32", VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT, 32},
};

static void compute(vk_program *vk, const char *shader, uint32_t local, const request *r)
{
    /* Full waves are asked for with workgroups of whole waves only. */
    if ((r->flags & VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT) && local % 64 != 0)
        return;
    VkShaderModule module = vk_load(vk, folder, shader);
    const VkSpecializationMapEntry entry = {0, 0, sizeof local};
    const VkSpecializationInfo specialization = {1, &entry, sizeof local, &local};
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfoEXT required = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO_EXT,
        .requiredSubgroupSize = r->size};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .pNext = r->size ? &required : NULL,
                  .flags = r->flags,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main",
                  .pSpecializationInfo = &specialization},
        .layout = vk->layout,
        .basePipelineIndex = -1};
    VkPipeline pipeline;
    char name[128];
    vk_must(vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline), shader);
    snprintf(name, sizeof name, "%s of %u, %s", shader, local, r->name);
    tell(vk, name, pipeline);
    vkDestroyShaderModule(vk->device, module, NULL);
}

static void draw(vk_program *vk, const char *shader, const request *r)
{
    vk_stage stages[] = {
        {.stage = VK_SHADER_STAGE_VERTEX_BIT, .module = vk_load(vk, folder, "triangle.vert")},
        {.stage = VK_SHADER_STAGE_FRAGMENT_BIT, .module = vk_load(vk, folder, shader)}};
    vk_state state;
    vk_fill_state(&state, vk, stages, 2, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    for (int i = 0; i < 2; i++)
        state.stages[i].flags = r->flags;
    VkPipeline pipeline;
    char name[128];
    vk_must(vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &state.info, NULL, &pipeline), shader);
    snprintf(name, sizeof name, "%s, %s", shader, r->name);
    tell(vk, name, pipeline);
    for (int i = 0; i < 2; i++)
        vkDestroyShaderModule(vk->device, stages[i].module, NULL);
}

int main(int argc, char **argv)
{
    static const char *const computes[] = {"waves.comp", "waves_ballot.comp"};
    static const char *const fragments[] = {"plain.frag", "gradient.frag", "early_discard.frag",
                                            "waves_ballot.frag"};
    static const uint32_t locals[] = {8, 32, 64, 256};
    if (argc != 2) {
        fprintf(stderr, "usage: e2e_wave_sizes SPIRV-FOLDER\n");
        return 2;
    }
    folder = argv[1];
    vk_program vk;
    vk_open(&vk, VK_API_VERSION_1_1, VK_STYLE_STATE, 64);
    if (!vk.executables || !vk.wave_sizes) {
        printf("skip: the device does not tell wave sizes\n");
        return VK_EXIT_SKIP;
    }
    for (size_t r = 0; r < sizeof requests / sizeof *requests; r++) {
        for (size_t c = 0; c < 2; c++)
            for (size_t l = 0; l < sizeof locals / sizeof *locals; l++)
                compute(&vk, computes[c], locals[l], &requests[r]);
        bool of_compute =
            requests[r].size ||
            (requests[r].flags & VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT);
        for (size_t f = 0; f < sizeof fragments / sizeof *fragments && !of_compute; f++)
            draw(&vk, fragments[f], &requests[r]);
    }
    vk_close(&vk);
    return 0;
}
