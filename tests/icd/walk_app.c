/* The application that is walked through failures: what a program does with Vulkan, in pieces that each make
 * an instance and a device and destroy everything, whatever failed in between. Every call goes through DO or
 * RUN, which hold its result against what the driver did. Of objects that could not be made nothing is made.
 */
#include "tests/icd/walk_app.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *file;
    uint32_t *words;
    size_t bytes;
} shaders[SHADERS] = {
    [PUSH_COMP] = {.file = "push.comp"},         [COUNT_COMP] = {.file = "count.comp"},
    [TRIANGLE_VERT] = {.file = "triangle.vert"}, [PLAIN_FRAG] = {.file = "plain.frag"},
    [RAYS_RGEN] = {.file = "rays.rgen"},         [RAYS_RMISS] = {.file = "rays.rmiss"},
    [VARIANTS_COMP] = {.file = "variants.comp"}, [VARIANTS_VERT] = {.file = "variants.vert"},
    [VARIANTS_FRAG] = {.file = "variants.frag"},
};

bool walk_app_init(const char *folder)
{
    for (int i = 0; i < SHADERS; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/%s.spv", folder, shaders[i].file);
        FILE *file = fopen(path, "rb");
        uint32_t *words = malloc(1 << 20);
        shaders[i].words = words;
        shaders[i].bytes = file && words ? fread(words, 1, 1 << 20, file) : 0;
        if (file)
            (void)fclose(file);
        if (!shaders[i].bytes) {
            fprintf(stderr, "walk: cannot read %s\n", path);
            return false;
        }
        icd.own_words[icd.own_count++] = icd_hash_words(words, shaders[i].bytes);
    }
    return true;
}

void walk_app_finish(void)
{
    for (int i = 0; i < SHADERS; i++)
        free(shaders[i].words);
}

/* -- Instance and device */

walk_ask walk_asks;
const char *walk_settings;

/* As the registry has VK_EXT_layer_settings, which is newer than the oldest headers. */
typedef struct layer_setting {
    const char *layer, *name;
    int type; /* VkLayerSettingTypeEXT */
    uint32_t count;
    const void *values;
} layer_setting;
typedef struct layer_settings {
    VkStructureType type;
    const void *next;
    uint32_t count;
    const layer_setting *settings;
} layer_settings;
enum { SETTING_UINT32 = 3, SETTING_STRING = 7, MOST_SETTINGS = 16 };

typedef struct setting_list {
    layer_settings head;
    layer_setting settings[MOST_SETTINGS];
    uint32_t numbers[MOST_SETTINGS];
    const char *values[MOST_SETTINGS];
    char text[1024];
} setting_list;

/* *list must stay where it is. */
static const void *pass_settings(setting_list *list)
{
    if (!walk_settings)
        return NULL;
    char *rest = NULL;
    uint32_t count = 0;
    (void)snprintf(list->text, sizeof list->text, "%s", walk_settings);
    for (char *one = strtok_r(list->text, ",", &rest); one && count < MOST_SETTINGS;
         one = strtok_r(NULL, ",", &rest)) {
        char *value = strchr(one, '='), *end = value;
        if (!value)
            continue;
        *value++ = '\0';
        list->values[count] = value;
        list->numbers[count] = (uint32_t)strtoul(value, &end, 10);
        bool number = *value && !*end;
        list->settings[count] = (layer_setting){.layer = "VK_LAYER_WAVEPGO_shader_pgo",
                                                .name = one,
                                                .type = number ? SETTING_UINT32 : SETTING_STRING,
                                                .count = 1,
                                                .values = number ? (const void *)&list->numbers[count]
                                                                 : (const void *)&list->values[count]};
        count++;
    }
    list->head = (layer_settings){(VkStructureType)1000496000, NULL, count, list->settings};
    return &list->head;
}

bool walk_begin(walk_app *app)
{
    setting_list settings;
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pApplicationName = "walk",
                                     .apiVersion = VK_API_VERSION_1_0};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pNext = pass_settings(&settings),
                                 .pApplicationInfo = &application};
    (void)walk_enter(app, ICD_CreateInstance);
    if (walk_leave(app, ICD_CreateInstance, walk_create_instance(app, &info)) != VK_SUCCESS)
        return false;
    uint32_t count = 1;
    if (DO(EnumeratePhysicalDevices, app->instance, &count, &app->physical) != VK_SUCCESS)
        return false;
    return walk_begin_device(app);
}

bool walk_begin_device(walk_app *app)
{
    static const char *const extensions[] = {"VK_KHR_swapchain", "VK_EXT_shader_module_identifier"};
    const float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkPhysicalDeviceShaderModuleIdentifierFeaturesEXT identifiers = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MODULE_IDENTIFIER_FEATURES_EXT,
        .shaderModuleIdentifier = VK_TRUE};
    VkPhysicalDevicePipelineCreationCacheControlFeatures control = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES,
        .pNext = &identifiers,
        .pipelineCreationCacheControl = VK_TRUE};
    VkPhysicalDevice both[2] = {app->physical, app->physical};
    VkDeviceGroupDeviceCreateInfo group = {.sType = VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO,
                                           .pNext = &control,
                                           .physicalDeviceCount = 2,
                                           .pPhysicalDevices = both};
    if (walk_asks == WALK_ASKS_PROTECTED)
        queue.flags = VK_DEVICE_QUEUE_CREATE_PROTECTED_BIT;
    VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .pNext = walk_asks == WALK_ASKS_GROUP ? (void *)&group : &control,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queue,
                                 .enabledExtensionCount = 2,
                                 .ppEnabledExtensionNames = extensions};
    (void)walk_enter(app, ICD_CreateDevice);
    if (walk_leave(app, ICD_CreateDevice, walk_create_device(app, &device)) != VK_SUCCESS)
        return false;
    walk_find_commands(app);
    if (((PFN_vkGetDeviceProcAddr)walk_enter(app, ICD_GetDeviceProcAddr))(app->device, "vkNothing"))
        walk_complain("a command that nobody has is found");
    RUN(GetDeviceQueue, app->device, 0, 0, &app->queue);
    walk_adopt(app, app->queue);
    return true;
}

void walk_end(walk_app *app)
{
    if (app->device) {
        (void)DO(DeviceWaitIdle, app->device);
        RUN(DestroyDevice, app->device, &walk_allocator);
    }
    if (app->instance)
        RUN(DestroyInstance, app->instance, &walk_allocator);
}

/* -- What several pieces make. Null where it could not be made. */

VkShaderModule walk_module(walk_app *app, walk_shader which)
{
    VkShaderModule module = VK_NULL_HANDLE;
    VkShaderModuleCreateInfo info = walk_words(which);
    return DO(CreateShaderModule, app->device, &info, &walk_allocator, &module) == VK_SUCCESS
               ? module
               : VK_NULL_HANDLE;
}

VkShaderModuleCreateInfo walk_words(walk_shader which)
{
    return (VkShaderModuleCreateInfo){.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                      .codeSize = shaders[which].bytes,
                                      .pCode = shaders[which].words};
}

VkPipelineLayout walk_layout(walk_app *app)
{
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkPushConstantRange range = {VK_SHADER_STAGE_ALL, 0, 16};
    VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                       .pushConstantRangeCount = 1,
                                       .pPushConstantRanges = &range};
    return DO(CreatePipelineLayout, app->device, &info, &walk_allocator, &layout) == VK_SUCCESS
               ? layout
               : VK_NULL_HANDLE;
}

VkRenderPass walk_pass(walk_app *app)
{
    VkRenderPass pass = VK_NULL_HANDLE;
    VkAttachmentDescription attachment = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                          .samples = VK_SAMPLE_COUNT_1_BIT,
                                          .finalLayout = VK_IMAGE_LAYOUT_GENERAL};
    VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_GENERAL};
    VkSubpassDescription subpass = {.colorAttachmentCount = 1, .pColorAttachments = &reference};
    VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                   .attachmentCount = 1,
                                   .pAttachments = &attachment,
                                   .subpassCount = 1,
                                   .pSubpasses = &subpass};
    return DO(CreateRenderPass, app->device, &info, &walk_allocator, &pass) == VK_SUCCESS ? pass
                                                                                          : VK_NULL_HANDLE;
}

VkPipelineShaderStageCreateInfo walk_stage(VkShaderStageFlagBits stage, VkShaderModule module)
{
    return (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                             .stage = stage,
                                             .module = module,
                                             .pName = "main"};
}

void walk_fill_state(walk_state *state)
{
    state->vertex = (VkPipelineVertexInputStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    state->assembly = (VkPipelineInputAssemblyStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
    state->port = (VkViewport){.width = 8, .height = 8, .maxDepth = 1};
    state->scissor = (VkRect2D){.extent = {8, 8}};
    state->viewport =
        (VkPipelineViewportStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                            .viewportCount = 1,
                                            .pViewports = &state->port,
                                            .scissorCount = 1,
                                            .pScissors = &state->scissor};
    state->raster = (VkPipelineRasterizationStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    state->samples = (VkPipelineMultisampleStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    state->target = (VkPipelineColorBlendAttachmentState){.colorWriteMask = 15};
    state->blend = (VkPipelineColorBlendStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &state->target};
}

VkGraphicsPipelineCreateInfo walk_graphics(const walk_state *state,
                                           const VkPipelineShaderStageCreateInfo *stages, uint32_t count,
                                           VkPipelineLayout layout, VkRenderPass pass)
{
    return (VkGraphicsPipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                          .stageCount = count,
                                          .pStages = stages,
                                          .pVertexInputState = &state->vertex,
                                          .pInputAssemblyState = &state->assembly,
                                          .pViewportState = &state->viewport,
                                          .pRasterizationState = &state->raster,
                                          .pMultisampleState = &state->samples,
                                          .pColorBlendState = &state->blend,
                                          .layout = layout,
                                          .renderPass = pass,
                                          .basePipelineIndex = -1};
}

void walk_hold(const VkPipeline *pipelines, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        icd_hold(pipelines[i]);
}

void walk_destroy_pipelines(walk_app *app, const VkPipeline *pipelines, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        RUN(DestroyPipeline, app->device, pipelines[i], &walk_allocator);
}
