/* The pieces that make pipelines, one for each way of making them. */
#include "tests/icd/walk_app.h"

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof *(array))

/* Nothing but an instance and a device, twice: the second finds what the first left. */
static void only_a_device(walk_app *app)
{
    (void)walk_begin(app);
    walk_end(app);
    *app = (walk_app){.refused = app->refused};
    (void)walk_begin(app);
    walk_end(app);
}

/* -- Compute: one, a call of several, from a cache, with feedback, and without waiting for a compile. */

static void make_compute(walk_app *app, VkPipelineCache cache, const VkComputePipelineCreateInfo *infos,
                         uint32_t count, VkPipeline *made)
{
    for (uint32_t i = 0; i < count; i++)
        made[i] = VK_NULL_HANDLE;
    if (DO(CreateComputePipelines, app->device, cache, count, infos, &walk_allocator, made) == VK_SUCCESS)
        for (uint32_t i = 0; i < count; i++)
            if (!made[i])
                walk_complain("vkCreateComputePipelines succeeds without pipeline %u", i);
    walk_hold(made, count);
}

static void compute(walk_app *app)
{
    if (walk_begin(app)) {
        VkShaderModule push = walk_module(app, PUSH_COMP), count = walk_module(app, COUNT_COMP);
        VkPipelineLayout layout = walk_layout(app);
        VkPipelineCache cache = VK_NULL_HANDLE;
        VkPipelineCacheCreateInfo cache_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
        if (DO(CreatePipelineCache, app->device, &cache_info, &walk_allocator, &cache) != VK_SUCCESS)
            cache = VK_NULL_HANDLE;
        uint32_t factor = 3;
        VkSpecializationMapEntry entry = {3, 0, sizeof factor};
        VkSpecializationInfo values = {1, &entry, sizeof factor, &factor};
        VkPipelineCreationFeedback feedback = {0};
        VkPipelineCreationFeedbackCreateInfo asked = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
            .pPipelineCreationFeedback = &feedback};
        VkShaderModuleCreateInfo inside = walk_words(COUNT_COMP);
        VkComputePipelineCreateInfo infos[4];
        for (int i = 0; i < 4; i++)
            infos[i] = (VkComputePipelineCreateInfo){
                .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                .stage = walk_stage(VK_SHADER_STAGE_COMPUTE_BIT, i == 2 ? VK_NULL_HANDLE
                                                                 : i    ? count
                                                                        : push),
                .layout = layout,
                .basePipelineIndex = -1};
        infos[0].flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
        infos[0].stage.pSpecializationInfo = &values;
        infos[1].flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
        infos[1].basePipelineIndex = 0;
        infos[2].stage.pNext = &inside;
        /* A derivative by the flags of its chain, behind a structure that has to be copied. */
        wpg_pipeline_flags_2 derives = {.sType = WPG_STRUCTURE_PIPELINE_FLAGS_2,
                                        .flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT};
        infos[3].pNext = &asked;
        asked.pNext = &derives;
        infos[3].basePipelineIndex = 0;
        VkPipeline made[6] = {0};
        if (push && count && layout) {
            make_compute(app, cache, infos, 4, made);
            infos[0].flags = infos[1].flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
            VkPipeline not_at_hand[1];
            VkResult result =
                DO(CreateComputePipelines, app->device, cache, 1, infos, &walk_allocator, not_at_hand);
            if (result == VK_SUCCESS)
                walk_complain("a pipeline is made though the driver would have to compile");
            /* A stage named by its words' identifier, which the driver has at hand. */
            VkShaderModuleCreateInfo words = walk_words(COUNT_COMP);
            uint64_t hash = icd_hash_words(words.pCode, words.codeSize);
            VkPipelineShaderStageModuleIdentifierCreateInfoEXT identifier = {
                .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT,
                .identifierSize = sizeof hash,
                .pIdentifier = (const uint8_t *)&hash};
            infos[1].stage.pNext = &identifier;
            infos[1].stage.module = VK_NULL_HANDLE;
            icd.cached = true;
            make_compute(app, cache, infos, 2, made + 4);
            icd.cached = false;
            VkDebugUtilsObjectNameInfoEXT name = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                                  .objectType = VK_OBJECT_TYPE_PIPELINE,
                                                  .objectHandle = (uint64_t)made[0],
                                                  .pObjectName = "named"};
            VkDebugMarkerObjectNameInfoEXT mark = {.sType =
                                                       VK_STRUCTURE_TYPE_DEBUG_MARKER_OBJECT_NAME_INFO_EXT,
                                                   .objectType = VK_DEBUG_REPORT_OBJECT_TYPE_PIPELINE_EXT,
                                                   .object = (uint64_t)made[0],
                                                   .pObjectName = "marked"};
            if (made[0]) {
                (void)DO(SetDebugUtilsObjectNameEXT, app->device, &name);
                (void)DO(DebugMarkerSetObjectNameEXT, app->device, &mark);
            }
        }
        walk_destroy_pipelines(app, made, COUNT(made));
        RUN(DestroyPipelineCache, app->device, cache, &walk_allocator);
        RUN(DestroyPipelineLayout, app->device, layout, &walk_allocator);
        RUN(DestroyShaderModule, app->device, push, &walk_allocator);
        RUN(DestroyShaderModule, app->device, count, &walk_allocator);
    }
    walk_end(app);
}

/* -- Graphics */

static void make_graphics(walk_app *app, const VkGraphicsPipelineCreateInfo *info, VkPipeline *made)
{
    *made = VK_NULL_HANDLE;
    if (DO(CreateGraphicsPipelines, app->device, VK_NULL_HANDLE, 1, info, &walk_allocator, made) ==
            VK_SUCCESS &&
        !*made)
        walk_complain("vkCreateGraphicsPipelines succeeds without a pipeline");
    walk_hold(made, 1);
}

static void graphics(walk_app *app)
{
    if (walk_begin(app)) {
        VkShaderModule vertex = walk_module(app, TRIANGLE_VERT), fragment = walk_module(app, PLAIN_FRAG);
        VkPipelineLayout layout = walk_layout(app);
        VkRenderPass pass = walk_pass(app);
        VkPipelineShaderStageCreateInfo stages[2] = {walk_stage(VK_SHADER_STAGE_VERTEX_BIT, vertex),
                                                     walk_stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment)};
        walk_state state;
        walk_fill_state(&state);
        VkPipeline made[2] = {0};
        if (vertex && fragment && layout && pass) {
            VkGraphicsPipelineCreateInfo info = walk_graphics(&state, stages, 2, layout, pass);
            make_graphics(app, &info, &made[0]);
            info.stageCount = 1;
            state.raster.rasterizerDiscardEnable = VK_TRUE;
            make_graphics(app, &info, &made[1]);
        }
        walk_destroy_pipelines(app, made, COUNT(made));
        RUN(DestroyRenderPass, app->device, pass, &walk_allocator);
        RUN(DestroyPipelineLayout, app->device, layout, &walk_allocator);
        RUN(DestroyShaderModule, app->device, vertex, &walk_allocator);
        RUN(DestroyShaderModule, app->device, fragment, &walk_allocator);
    }
    walk_end(app);
}

/* -- Libraries: parts, a fast link, an optimised one, one with feedback. */

static void libraries(walk_app *app)
{
    static const VkGraphicsPipelineLibraryFlagsEXT subsets[4] = {
        VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
        VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT};
    const VkPipelineCreateFlags part_flags =
        VK_PIPELINE_CREATE_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT;
    if (walk_begin(app)) {
        VkShaderModule vertex = walk_module(app, TRIANGLE_VERT), fragment = walk_module(app, PLAIN_FRAG);
        VkPipelineLayout layout = walk_layout(app);
        VkRenderPass pass = walk_pass(app);
        VkPipelineShaderStageCreateInfo stages[2] = {walk_stage(VK_SHADER_STAGE_VERTEX_BIT, vertex),
                                                     walk_stage(VK_SHADER_STAGE_FRAGMENT_BIT, fragment)};
        walk_state state;
        walk_fill_state(&state);
        VkPipeline made[7] = {0};
        bool all = vertex && fragment && layout && pass;
        for (int i = 0; all && i < 4; i++) {
            VkGraphicsPipelineLibraryCreateInfoEXT part = {
                .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, .flags = subsets[i]};
            VkGraphicsPipelineCreateInfo info = walk_graphics(&state, NULL, 0, layout, pass);
            if (i == 1 || i == 2) {
                info.pStages = &stages[i - 1];
                info.stageCount = 1;
            }
            info.pNext = &part;
            info.flags = part_flags;
            make_graphics(app, &info, &made[i]);
        }
        VkPipelineCreationFeedback feedback = {0};
        VkPipelineCreationFeedbackCreateInfo asked = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
            .pPipelineCreationFeedback = &feedback};
        VkPipelineLibraryCreateInfoKHR parts = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
                                                .libraryCount = 4,
                                                .pLibraries = made};
        for (int i = 4; i < 7 && made[0] && made[1] && made[2] && made[3]; i++) {
            VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                                 .pNext = &parts,
                                                 .layout = layout,
                                                 .basePipelineIndex = -1};
            if (i > 4)
                info.flags = VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT;
            if (i == 6) {
                asked.pNext = &parts;
                info.pNext = &asked;
            }
            make_graphics(app, &info, &made[i]);
        }
        walk_destroy_pipelines(app, made, COUNT(made));
        RUN(DestroyRenderPass, app->device, pass, &walk_allocator);
        RUN(DestroyPipelineLayout, app->device, layout, &walk_allocator);
        RUN(DestroyShaderModule, app->device, vertex, &walk_allocator);
        RUN(DestroyShaderModule, app->device, fragment, &walk_allocator);
    }
    walk_end(app);
}

/* -- Shader objects */

static void objects(walk_app *app)
{
    if (walk_begin(app)) {
        static const VkShaderStageFlagBits bits[3] = {
            VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_STAGE_FRAGMENT_BIT, VK_SHADER_STAGE_COMPUTE_BIT};
        static const walk_shader words[3] = {TRIANGLE_VERT, PLAIN_FRAG, COUNT_COMP};
        wpg_shader_create_info infos[3];
        wpg_shader made[3] = {0};
        for (int i = 0; i < 3; i++) {
            VkShaderModuleCreateInfo code = walk_words(words[i]);
            infos[i] = (wpg_shader_create_info){.sType = (VkStructureType)1000482002,
                                                .flags = i < 2 ? WPG_SHADER_LINK_STAGE : 0,
                                                .stage = bits[i],
                                                .nextStage = i ? 0 : VK_SHADER_STAGE_FRAGMENT_BIT,
                                                .codeType = WPG_SHADER_CODE_SPIRV,
                                                .codeSize = code.codeSize,
                                                .pCode = code.pCode,
                                                .pName = "main"};
        }
        (void)walk_leave(app, ICD_CreateShadersEXT,
                         ((wpg_pfn_create_shaders)walk_enter(app, ICD_CreateShadersEXT))(
                             app->device, 3, infos, &walk_allocator, made));
        for (int i = 0; i < 3; i++) {
            size_t size = 0;
            if (made[i])
                (void)walk_leave(app, ICD_GetShaderBinaryDataEXT,
                                 ((wpg_pfn_get_shader_binary)walk_enter(app, ICD_GetShaderBinaryDataEXT))(
                                     app->device, made[i], &size, NULL));
        }
        walk_run_objects(app, bits, made, 3);
        for (int i = 0; i < 3; i++)
            ((wpg_pfn_destroy_shader)walk_enter(app, ICD_DestroyShaderEXT))(app->device, made[i],
                                                                            &walk_allocator);
    }
    walk_end(app);
}

/* -- Ray tracing: a pipeline, a library, what is linked of it. */

static void rays(walk_app *app)
{
    if (walk_begin(app)) {
        VkShaderModule generate = walk_module(app, RAYS_RGEN), miss = walk_module(app, RAYS_RMISS);
        VkPipelineLayout layout = walk_layout(app);
        VkPipelineShaderStageCreateInfo stages[2] = {walk_stage(VK_SHADER_STAGE_RAYGEN_BIT_KHR, generate),
                                                     walk_stage(VK_SHADER_STAGE_MISS_BIT_KHR, miss)};
        VkRayTracingShaderGroupCreateInfoKHR groups[2];
        for (uint32_t i = 0; i < 2; i++)
            groups[i] = (VkRayTracingShaderGroupCreateInfoKHR){
                .sType = VK_STRUCTURE_TYPE_RAY_TRACING_SHADER_GROUP_CREATE_INFO_KHR,
                .type = VK_RAY_TRACING_SHADER_GROUP_TYPE_GENERAL_KHR,
                .generalShader = i,
                .closestHitShader = VK_SHADER_UNUSED_KHR,
                .anyHitShader = VK_SHADER_UNUSED_KHR,
                .intersectionShader = VK_SHADER_UNUSED_KHR};
        VkRayTracingPipelineCreateInfoKHR info = {.sType =
                                                      VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR,
                                                  .stageCount = 2,
                                                  .pStages = stages,
                                                  .groupCount = 2,
                                                  .pGroups = groups,
                                                  .maxPipelineRayRecursionDepth = 1,
                                                  .layout = layout,
                                                  .basePipelineIndex = -1};
        VkPipeline made[3] = {0};
        VkRayTracingPipelineInterfaceCreateInfoKHR interface = {
            .sType = VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_INTERFACE_CREATE_INFO_KHR,
            .maxPipelineRayPayloadSize = 64};
        VkPipelineLibraryCreateInfoKHR parts = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
                                                .libraryCount = 1,
                                                .pLibraries = &made[1]};
        for (int i = 0; i < 3 && generate && miss && layout; i++) {
            if (i == 1) {
                info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
                info.pLibraryInterface = &interface;
            } else if (i == 2) {
                if (!made[1])
                    break;
                info.flags = 0;
                info.stageCount = info.groupCount = 0;
                info.pLibraryInfo = &parts;
            }
            if (DO(CreateRayTracingPipelinesKHR, app->device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info,
                   &walk_allocator, &made[i]) != VK_SUCCESS)
                made[i] = VK_NULL_HANDLE;
            walk_hold(&made[i], 1);
        }
        walk_destroy_pipelines(app, made, COUNT(made));
        RUN(DestroyPipelineLayout, app->device, layout, &walk_allocator);
        RUN(DestroyShaderModule, app->device, generate, &walk_allocator);
        RUN(DestroyShaderModule, app->device, miss, &walk_allocator);
    }
    walk_end(app);
}

const walk_piece walk_pieces[] = {{"device", only_a_device, false},
                                  {"compute", compute, false},
                                  {"graphics", graphics, false},
                                  {"libraries", libraries, false},
                                  {"objects", objects, false},
                                  {"rays", rays, false},
                                  {"commands", walk_run_commands, false},
                                  {"variants", walk_run_variants, false},
                                  {"devices", walk_run_devices, true}};
const size_t walk_piece_count = sizeof walk_pieces / sizeof *walk_pieces;
