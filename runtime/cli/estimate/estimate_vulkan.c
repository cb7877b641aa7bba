/* The child of `wavepgo estimate`: finds a device that reports compile statistics, and compiles one pipeline
 * in its forms. The state around the shaders is made up from the shaders' needs: layouts; a render pass with
 * an attachment for each output (R16G16B16A16_SFLOAT, R32G32B32A32_SINT or _UINT) and D32_SFLOAT; vertex
 * buffers of four 32-bit components a location; one sample; no blending. Source: Vulkan 1.3, 10 (Pipelines),
 * VK_KHR_pipeline_executable_properties. */
#include "runtime/cli/estimate/estimate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

#include "runtime/cli/common/vulkan_loader.h"

enum { DEVICES_MOST = 16, EXTENSIONS_MOST = 512, SETS = 32, FAMILIES_MOST = 32 };

typedef struct compiler {
    FILE *out;
    PFN_vkGetInstanceProcAddr get;
    PFN_vkGetDeviceProcAddr get_device;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkPipelineLayout layout;
    VkRenderPass pass;
    VkShaderStageFlags sized_stages; /* that may ask for a wave size */
    uint32_t small_wave;             /* the smallest that may be asked for; 0: none may */
    bool radv;                       /* no other driver will do */
} compiler;

#define CALL(c, name)        ((PFN_vk##name)(c)->get((c)->instance, "vk" #name))
#define DEVICE_CALL(c, name) ((PFN_vk##name)(c)->get_device((c)->device, "vk" #name))

/* One line; tabs and newlines in a text would be another field or line. */
static void say(const compiler *c, const char *what, const char *a, const char *b, const char *d)
{
    const char *parts[] = {what, a, b, d};
    for (size_t i = 0; i < 4 && parts[i]; i++) {
        if (i)
            (void)fputc('\t', c->out);
        for (const char *at = parts[i]; *at; at++)
            (void)fputc(*at == '\t' || *at == '\n' ? ' ' : *at, c->out);
    }
    (void)fputc('\n', c->out);
    (void)fflush(c->out);
}

static void absent(const compiler *c, const char *why)
{
    say(c, "absent", why, NULL, NULL);
}

/* -- The device */

static bool open_instance(compiler *c)
{
    wpg_vulkan_loader loader;
    if (wpg_vulkan_loader_open(&loader)) {
        absent(c, "no Vulkan loader (libvulkan.so.1) here");
        return false;
    }
    if (loader.version < VK_API_VERSION_1_1) {
        absent(c, "the Vulkan loader here is older than 1.1");
        return false;
    }
    c->get = loader.get;
    const VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "wavepgo estimate",
        .apiVersion = loader.version < VK_API_VERSION_1_3 ? loader.version : VK_API_VERSION_1_3,
    };
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    if (CALL(c, CreateInstance)(&info, NULL, &c->instance) != VK_SUCCESS) {
        absent(c, "no Vulkan driver here (vkCreateInstance fails)");
        return false;
    }
    c->get_device = CALL(c, GetDeviceProcAddr);
    return c->get_device != NULL;
}

static bool has_extension(const compiler *c, VkPhysicalDevice physical, const char *name)
{
    static VkExtensionProperties list[EXTENSIONS_MOST];
    uint32_t count = EXTENSIONS_MOST;
    bool found = false;
    if (CALL(c, EnumerateDeviceExtensionProperties)(physical, NULL, &count, list) < 0)
        return false;
    for (uint32_t i = 0; i < count && !found; i++)
        found = strcmp(list[i].extensionName, name) == 0;
    return found;
}

/* Every feature of Vulkan's versions that the device has: a shader may need any. */
typedef struct features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables;
} features;

static void ask_features(const compiler *c, features *f, VkPhysicalDevice physical, uint32_t version)
{
    *f = (features){
        .core = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &f->executables},
        .v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &f->v12},
        .v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES},
        .v13 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES},
        .executables = {.sType =
                            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR}};
    if (version >= VK_API_VERSION_1_2)
        f->executables.pNext = &f->v11;
    if (version >= VK_API_VERSION_1_3)
        f->v12.pNext = &f->v13;
    CALL(c, GetPhysicalDeviceFeatures2)(physical, &f->core);
    /* As programs do: bounds checks and addresses for captures cost registers. */
    f->core.features.robustBufferAccess = VK_FALSE;
    f->v12.bufferDeviceAddressCaptureReplay = VK_FALSE;
    f->v13.robustImageAccess = VK_FALSE;
}

static bool make_device(compiler *c, VkPhysicalDevice physical, features *f)
{
    VkQueueFamilyProperties families[FAMILIES_MOST];
    uint32_t count = FAMILIES_MOST, family = 0;
    CALL(c, GetPhysicalDeviceQueueFamilyProperties)(physical, &count, families);
    while (family < count && !(families[family].queueFlags & VK_QUEUE_GRAPHICS_BIT))
        family++;
    const float priority = 1;
    const char *extension = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = family < count ? family : 0,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .pNext = &f->core,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos = &queue,
                                     .enabledExtensionCount = 1,
                                     .ppEnabledExtensionNames = &extension};
    c->physical = physical;
    VkPhysicalDeviceSubgroupSizeControlProperties sizes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &sizes};
    if (f->v13.subgroupSizeControl)
        CALL(c, GetPhysicalDeviceProperties2)(physical, &all);
    c->small_wave = sizes.minSubgroupSize;
    c->sized_stages = sizes.requiredSubgroupSizeStages;
    return CALL(c, CreateDevice)(physical, &info, NULL, &c->device) == VK_SUCCESS;
}

/* A driver's id is of Vulkan 1.2; all zero below. */
static VkPhysicalDeviceDriverProperties driver_of(const compiler *c, VkPhysicalDevice physical,
                                                  uint32_t version)
{
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &driver};
    if (version >= VK_API_VERSION_1_2)
        CALL(c, GetPhysicalDeviceProperties2)(physical, &all);
    return driver;
}

static void tell_device(const compiler *c, const VkPhysicalDeviceProperties *properties)
{
    const VkPhysicalDeviceDriverProperties driver = driver_of(c, c->physical, properties->apiVersion);
    say(c, "device", properties->deviceName, driver.driverName, driver.driverInfo);
}

/* The first that tells. */
static bool open_device(compiler *c)
{
    VkPhysicalDevice devices[DEVICES_MOST];
    char names[200] = "";
    uint32_t count = DEVICES_MOST;
    if (CALL(c, EnumeratePhysicalDevices)(c->instance, &count, devices) < 0)
        count = 0;
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties properties;
        features f;
        CALL(c, GetPhysicalDeviceProperties)(devices[i], &properties);
        size_t length = strlen(names);
        if (length < sizeof names - 64)
            (void)snprintf(names + length, 64, "%s%.60s", length ? ", " : "", properties.deviceName);
        if (properties.apiVersion < VK_API_VERSION_1_1 ||
            !has_extension(c, devices[i], VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME))
            continue;
        if (c->radv && driver_of(c, devices[i], properties.apiVersion).driverID != VK_DRIVER_ID_MESA_RADV)
            continue;
        ask_features(c, &f, devices[i], properties.apiVersion);
        if (!f.executables.pipelineExecutableInfo || !make_device(c, devices[i], &f))
            continue;
        tell_device(c, &properties);
        return true;
    }
    char why[320];
    if (c->radv)
        (void)snprintf(why, sizeof why,
                       "RADV is not among the drivers here (devices: %s); --driver takes its manifest, "
                       "radeon_icd.x86_64.json",
                       count ? names : "none");
    else if (count)
        (void)snprintf(why, sizeof why,
                       "the driver does not report its compiler's statistics "
                       "(VK_KHR_pipeline_executable_properties): %s",
                       names);
    else
        (void)snprintf(why, sizeof why, "no Vulkan device here");
    absent(c, why);
    return false;
}

/* -- Layouts */

static VkDescriptorType descriptor_type(wpg_descriptor type)
{
    static const VkDescriptorType types[] = {
        [WPG_DESCRIPTOR_SAMPLER] = VK_DESCRIPTOR_TYPE_SAMPLER,
        [WPG_DESCRIPTOR_COMBINED_IMAGE_SAMPLER] = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
        [WPG_DESCRIPTOR_SAMPLED_IMAGE] = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
        [WPG_DESCRIPTOR_STORAGE_IMAGE] = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
        [WPG_DESCRIPTOR_UNIFORM_TEXEL_BUFFER] = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
        [WPG_DESCRIPTOR_STORAGE_TEXEL_BUFFER] = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER,
        [WPG_DESCRIPTOR_UNIFORM_BUFFER] = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
        [WPG_DESCRIPTOR_STORAGE_BUFFER] = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        [WPG_DESCRIPTOR_INPUT_ATTACHMENT] = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
        [WPG_DESCRIPTOR_ACCELERATION_STRUCTURE] = VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR,
    };
    return types[type];
}

/* Bindings of a set over all stages; NULL, or why they do not go together. */
static const char *gather_set(VkDescriptorSetLayoutBinding *bindings, uint32_t *count,
                              const wpg_estimate_pipeline *pipeline, uint32_t set)
{
    *count = 0;
    for (size_t s = 0; s < pipeline->stage_count; s++) {
        const wpg_reflection *from = &pipeline->stages[s].reflection;
        for (uint32_t i = 0; i < from->binding_count; i++) {
            const wpg_reflect_binding *binding = &from->bindings[i];
            uint32_t at = 0;
            if (binding->set != set)
                continue;
            while (at < *count && bindings[at].binding != binding->binding)
                at++;
            if (at < *count && bindings[at].descriptorType != descriptor_type(binding->type))
                return "its stages disagree about a binding";
            if (at == *count)
                bindings[(*count)++] = (VkDescriptorSetLayoutBinding){
                    .binding = binding->binding,
                    .descriptorType = descriptor_type(binding->type),
                    .stageFlags = VK_SHADER_STAGE_ALL,
                };
            if (binding->count > bindings[at].descriptorCount)
                bindings[at].descriptorCount = binding->count;
        }
    }
    return NULL;
}

/* What a pipeline cannot be made for without knowing more than its shaders. */
static const char *refusal(const wpg_estimate_pipeline *pipeline)
{
    for (size_t s = 0; s < pipeline->stage_count; s++) {
        const wpg_reflection *from = &pipeline->stages[s].reflection;
        if (from->multiview)
            return "it is drawn into several views";
        if (from->dual_source)
            return "it blends with two sources";
        for (uint32_t i = 0; i < from->binding_count; i++) {
            if (from->bindings[i].set >= SETS)
                return "it has too many descriptor sets";
            if (from->bindings[i].type == WPG_DESCRIPTOR_INPUT_ATTACHMENT)
                return "it reads input attachments";
            if (from->bindings[i].type == WPG_DESCRIPTOR_ACCELERATION_STRUCTURE)
                return "it reads acceleration structures";
        }
    }
    return NULL;
}

static const char *make_layout(compiler *c, const wpg_estimate_pipeline *pipeline)
{
    static VkDescriptorSetLayoutBinding bindings[WPG_ESTIMATE_STAGES * WPG_REFLECT_BINDINGS];
    VkDescriptorSetLayout sets[SETS];
    uint32_t set_count = 0, push = 0;
    for (size_t s = 0; s < pipeline->stage_count; s++) {
        const wpg_reflection *from = &pipeline->stages[s].reflection;
        push = from->push_bytes > push ? from->push_bytes : push;
        for (uint32_t i = 0; i < from->binding_count; i++)
            if (from->bindings[i].set >= set_count)
                set_count = from->bindings[i].set + 1;
    }
    for (uint32_t set = 0; set < set_count; set++) {
        VkDescriptorSetLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                .pBindings = bindings};
        const char *why = gather_set(bindings, &info.bindingCount, pipeline, set);
        if (why)
            return why;
        if (DEVICE_CALL(c, CreateDescriptorSetLayout)(c->device, &info, NULL, &sets[set]) != VK_SUCCESS)
            return "the driver refuses its descriptor sets";
    }
    const VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_ALL, .size = push};
    const VkPipelineLayoutCreateInfo info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                             .setLayoutCount = set_count,
                                             .pSetLayouts = sets,
                                             .pushConstantRangeCount = push != 0,
                                             .pPushConstantRanges = &range};
    VkPhysicalDeviceProperties properties;
    CALL(c, GetPhysicalDeviceProperties)(c->physical, &properties);
    if (set_count > properties.limits.maxBoundDescriptorSets || push > properties.limits.maxPushConstantsSize)
        return "it needs more descriptor sets or push constants than the device has";
    return DEVICE_CALL(c, CreatePipelineLayout)(c->device, &info, NULL, &c->layout) == VK_SUCCESS
               ? NULL
               : "the driver refuses its layout";
}

/* -- Render pass */

static const wpg_reflection *stage_named(const wpg_estimate_pipeline *pipeline, const char *name)
{
    for (size_t s = 0; s < pipeline->stage_count; s++)
        if (strcmp(pipeline->stages[s].counts->stage, name) == 0)
            return &pipeline->stages[s].reflection;
    return NULL;
}

static uint32_t attachment_count(const wpg_estimate_pipeline *pipeline)
{
    const wpg_reflection *fragment = stage_named(pipeline, "frag");
    uint32_t count = 0;
    for (uint32_t i = 0; fragment && i < WPG_REFLECT_LOCATIONS; i++)
        if (fragment->outputs[i] != WPG_COMPONENT_NONE)
            count = i + 1;
    return count;
}

static VkFormat format_of(wpg_component component, VkFormat of_float)
{
    return component == WPG_COMPONENT_INT    ? VK_FORMAT_R32G32B32A32_SINT
           : component == WPG_COMPONENT_UINT ? VK_FORMAT_R32G32B32A32_UINT
                                             : of_float;
}

static const char *make_pass(compiler *c, const wpg_estimate_pipeline *pipeline)
{
    VkAttachmentDescription attachments[WPG_REFLECT_LOCATIONS + 1] = {0};
    VkAttachmentReference colors[WPG_REFLECT_LOCATIONS];
    const wpg_reflection *fragment = stage_named(pipeline, "frag");
    uint32_t count = attachment_count(pipeline), used = 0;
    for (uint32_t i = 0; i <= count; i++) {
        bool depth = i == count, is_used = depth || fragment->outputs[i] != WPG_COMPONENT_NONE;
        if (!depth)
            colors[i] = (VkAttachmentReference){is_used ? used : VK_ATTACHMENT_UNUSED,
                                                VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
        if (!is_used)
            continue;
        attachments[used++] = (VkAttachmentDescription){
            .format =
                depth ? VK_FORMAT_D32_SFLOAT : format_of(fragment->outputs[i], VK_FORMAT_R16G16B16A16_SFLOAT),
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
            .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
            .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
            .finalLayout = depth ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL
                                 : VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    }
    const VkAttachmentReference depth = {used - 1, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                          .colorAttachmentCount = count,
                                          .pColorAttachments = colors,
                                          .pDepthStencilAttachment = &depth};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = used,
                                         .pAttachments = attachments,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass};
    VkPhysicalDeviceProperties properties;
    CALL(c, GetPhysicalDeviceProperties)(c->physical, &properties);
    if (count > properties.limits.maxColorAttachments)
        return "it writes more attachments than the device has";
    return DEVICE_CALL(c, CreateRenderPass)(c->device, &info, NULL, &c->pass) == VK_SUCCESS
               ? NULL
               : "the driver refuses a render pass for it";
}

/* -- Pipelines */

static VkShaderStageFlagBits stage_bit(const char *stage)
{
    static const struct {
        char name[8];
        VkShaderStageFlagBits bit;
    } stages[] = {{"vert", VK_SHADER_STAGE_VERTEX_BIT},
                  {"tesc", VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT},
                  {"tese", VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT},
                  {"geom", VK_SHADER_STAGE_GEOMETRY_BIT},
                  {"frag", VK_SHADER_STAGE_FRAGMENT_BIT}};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (strcmp(stages[i].name, stage) == 0)
            return stages[i].bit;
    return VK_SHADER_STAGE_COMPUTE_BIT;
}

static VkPrimitiveTopology topology_of(const wpg_estimate_pipeline *pipeline)
{
    const wpg_reflection *geometry = stage_named(pipeline, "geom");
    if (stage_named(pipeline, "tesc"))
        return VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
    switch (geometry ? geometry->primitive : SpvExecutionModeTriangles) {
    case SpvExecutionModeInputPoints:
        return VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    case SpvExecutionModeInputLines:
        return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    case SpvExecutionModeInputLinesAdjacency:
        return VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY;
    case SpvExecutionModeInputTrianglesAdjacency:
        return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY;
    default:
        return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    }
}

static VkResult make_graphics(compiler *c, VkPipeline *made, const wpg_estimate_pipeline *pipeline,
                              const VkPipelineShaderStageCreateInfo *stages)
{
    const wpg_reflection *vertex = &pipeline->stages[0].reflection, *control = stage_named(pipeline, "tesc");
    VkVertexInputAttributeDescription attributes[WPG_REFLECT_LOCATIONS];
    VkPipelineColorBlendAttachmentState blends[WPG_REFLECT_LOCATIONS];
    uint32_t attribute_count = 0, colors = attachment_count(pipeline);
    for (uint32_t i = 0; i < WPG_REFLECT_LOCATIONS; i++)
        if (vertex->inputs[i] != WPG_COMPONENT_NONE)
            attributes[attribute_count++] = (VkVertexInputAttributeDescription){
                .location = i,
                .format = format_of(vertex->inputs[i], VK_FORMAT_R32G32B32A32_SFLOAT),
                .offset = 16 * i};
    for (uint32_t i = 0; i < colors; i++)
        blends[i] = (VkPipelineColorBlendAttachmentState){.colorWriteMask = 0xf};
    const VkVertexInputBindingDescription binding = {.stride = 16 * WPG_REFLECT_LOCATIONS};
    const VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = attribute_count != 0,
        .pVertexBindingDescriptions = &binding,
        .vertexAttributeDescriptionCount = attribute_count,
        .pVertexAttributeDescriptions = attributes};
    const VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = topology_of(pipeline)};
    const VkPipelineTessellationStateCreateInfo tessellation = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
        .patchControlPoints = control && control->output_vertices ? control->output_vertices : 3};
    const VkViewport viewport = {.width = 64, .height = 64, .maxDepth = 1};
    const VkRect2D scissor = {.extent = {64, 64}};
    const VkPipelineViewportStateCreateInfo view = {.sType =
                                                        VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                    .viewportCount = 1,
                                                    .pViewports = &viewport,
                                                    .scissorCount = 1,
                                                    .pScissors = &scissor};
    const VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
    const VkPipelineMultisampleStateCreateInfo samples = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
    const VkPipelineDepthStencilStateCreateInfo depth = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
        .depthTestEnable = VK_TRUE,
        .depthWriteEnable = VK_TRUE,
        .depthCompareOp = VK_COMPARE_OP_LESS};
    const VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = colors,
        .pAttachments = blends};
    const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR,
                                               .stageCount = (uint32_t)pipeline->stage_count,
                                               .pStages = stages,
                                               .pVertexInputState = &input,
                                               .pInputAssemblyState = &assembly,
                                               .pTessellationState = control ? &tessellation : NULL,
                                               .pViewportState = &view,
                                               .pRasterizationState = &raster,
                                               .pMultisampleState = &samples,
                                               .pDepthStencilState = &depth,
                                               .pColorBlendState = &blend,
                                               .layout = c->layout,
                                               .renderPass = c->pass};
    return DEVICE_CALL(c, CreateGraphicsPipelines)(c->device, VK_NULL_HANDLE, 1, &info, NULL, made);
}

/* Specialisation values of a stage as given; rewritten words have theirs frozen. */
typedef struct specialisation {
    VkSpecializationInfo info;
    VkSpecializationMapEntry *entries;
    uint64_t *data;
} specialisation;

static const VkSpecializationInfo *specialise(specialisation *to, const wpg_estimate_stage *s)
{
    size_t count = s->stage.spec_count;
    *to = (specialisation){.entries = calloc(count + 1, sizeof *to->entries),
                           .data = calloc(count + 1, sizeof *to->data)};
    if (!count || !to->entries || !to->data)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        to->data[i] = s->spec[i].bits; /* little-endian: its low bytes come first */
        to->entries[i] = (VkSpecializationMapEntry){s->spec[i].constant_id, (uint32_t)(i * sizeof *to->data),
                                                    s->spec[i].size};
    }
    to->info = (VkSpecializationInfo){(uint32_t)count, to->entries, count * sizeof *to->data, to->data};
    return &to->info;
}

static VkResult make_pipeline(compiler *c, VkPipeline *made, const wpg_estimate_pipeline *pipeline,
                              wpg_estimate_form form)
{
    VkPipelineShaderStageCreateInfo stages[WPG_ESTIMATE_STAGES] = {0};
    specialisation values[WPG_ESTIMATE_STAGES];
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo sizes[WPG_ESTIMATE_STAGES];
    for (size_t s = 0; s < pipeline->stage_count; s++) {
        const wpg_estimate_stage *stage = &pipeline->stages[s];
        bool given = !stage->forms[form].words || form == WPG_ESTIMATE_ORIGINAL;
        const wpg_estimate_words *words = &stage->forms[given ? WPG_ESTIMATE_ORIGINAL : form];
        const VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                               .codeSize = words->count * sizeof *words->words,
                                               .pCode = words->words};
        stages[s] = (VkPipelineShaderStageCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = stage_bit(stage->counts->stage),
            .pName = stage->stage.entry,
            .pSpecializationInfo = given ? specialise(&values[s], stage) : NULL};
        sizes[s] = (VkPipelineShaderStageRequiredSubgroupSizeCreateInfo){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
            .requiredSubgroupSize = stage->wave_size};
        if (form == WPG_ESTIMATE_USE && stage->wave_size && stage->wave_size == c->small_wave &&
            c->sized_stages & (VkShaderStageFlags)stages[s].stage)
            stages[s].pNext = &sizes[s];
        VkResult result = DEVICE_CALL(c, CreateShaderModule)(c->device, &info, NULL, &stages[s].module);
        if (result != VK_SUCCESS)
            return result;
    }
    if (stages[0].stage != VK_SHADER_STAGE_COMPUTE_BIT)
        return make_graphics(c, made, pipeline, stages);
    const VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                              .flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR,
                                              .stage = stages[0],
                                              .layout = c->layout};
    return DEVICE_CALL(c, CreateComputePipelines)(c->device, VK_NULL_HANDLE, 1, &info, NULL, made);
}

/* -- What the compiler tells */

static void tell_statistic(const compiler *c, const VkPipelineExecutableStatisticKHR *s)
{
    char value[40];
    switch (s->format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
        say(c, "text", s->name, s->value.b32 ? "yes" : "no", NULL);
        return;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
        (void)snprintf(value, sizeof value, "%" PRId64, s->value.i64);
        break;
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
        (void)snprintf(value, sizeof value, "%" PRIu64, s->value.u64);
        break;
    default:
        (void)snprintf(value, sizeof value, "%.6g", s->value.f64);
        break;
    }
    say(c, "number", s->name, value, NULL);
}

static void tell_executable(const compiler *c, VkPipeline pipeline, uint32_t index,
                            const VkPipelineExecutablePropertiesKHR *properties)
{
    static const char *const names[] = {"vert", "tesc", "tese", "geom", "frag", "comp"};
    VkPipelineExecutableStatisticKHR list[WPG_ESTIMATE_STATISTICS];
    char stages[40] = "", size[16];
    uint32_t count = WPG_ESTIMATE_STATISTICS;
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (properties->stages >> i & 1) {
            size_t length = strlen(stages);
            (void)snprintf(stages + length, sizeof stages - length, "%s%s", length ? "+" : "", names[i]);
        }
    (void)snprintf(size, sizeof size, "%u", properties->subgroupSize);
    say(c, "executable", properties->name, *stages ? stages : "-", size);
    for (uint32_t i = 0; i < count; i++)
        list[i] =
            (VkPipelineExecutableStatisticKHR){.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR};
    const VkPipelineExecutableInfoKHR which = {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                               .pipeline = pipeline,
                                               .executableIndex = index};
    if (DEVICE_CALL(c, GetPipelineExecutableStatisticsKHR)(c->device, &which, &count, list) < 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        tell_statistic(c, &list[i]);
}

static void tell_pipeline(const compiler *c, VkPipeline pipeline)
{
    VkPipelineExecutablePropertiesKHR list[WPG_ESTIMATE_EXECUTABLES];
    const VkPipelineInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, .pipeline = pipeline};
    uint32_t count = WPG_ESTIMATE_EXECUTABLES;
    for (uint32_t i = 0; i < count; i++)
        list[i] = (VkPipelineExecutablePropertiesKHR){
            .sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR};
    if (DEVICE_CALL(c, GetPipelineExecutablePropertiesKHR)(c->device, &info, &count, list) < 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        tell_executable(c, pipeline, i, &list[i]);
}

/* Compiles the form, and tells what the compiler says of it. False: refused. */
static bool compile_form(compiler *c, const wpg_estimate_pipeline *pipeline, wpg_estimate_form form)
{
    VkPipeline made = VK_NULL_HANDLE;
    char number[16], why[64];
    (void)snprintf(number, sizeof number, "%d", (int)form);
    say(c, "form", number, NULL, NULL);
    VkResult result = make_pipeline(c, &made, pipeline, form);
    if (result == VK_SUCCESS) {
        tell_pipeline(c, made);
        DEVICE_CALL(c, DestroyPipeline)(c->device, made, NULL);
        return true;
    }
    (void)snprintf(why, sizeof why, "the driver refuses it (VkResult %d)", (int)result);
    say(c, "failed", number, why, NULL);
    return false;
}

/* Compiles the form once more, and tells how long that took. */
static void time_form(compiler *c, const wpg_estimate_pipeline *pipeline, wpg_estimate_form form)
{
    VkPipeline made = VK_NULL_HANDLE;
    char number[32];
    (void)snprintf(number, sizeof number, "%d", (int)form);
    say(c, "form", number, NULL, NULL);
    double start = wpg_estimate_clock();
    VkResult result = make_pipeline(c, &made, pipeline, form);
    (void)snprintf(number, sizeof number, "%.1f", wpg_estimate_clock() - start);
    if (result != VK_SUCCESS)
        return;
    say(c, "time", number, NULL, NULL);
    DEVICE_CALL(c, DestroyPipeline)(c->device, made, NULL);
}

/* The first time is not counted: it warms up. Then the forms take turns. */
static void compile_forms(compiler *c, const wpg_estimate *estimate, const wpg_estimate_pipeline *pipeline)
{
    bool made[WPG_ESTIMATE_FORMS] = {false};
    for (int form = 0; form < WPG_ESTIMATE_FORMS; form++) {
        bool left_out = form == WPG_ESTIMATE_CUT && estimate->how.no_what_if;
        if (!left_out && !pipeline->results[form].same && !*pipeline->results[form].problem)
            made[form] = compile_form(c, pipeline, (wpg_estimate_form)form);
    }
    for (uint32_t i = 0; i < estimate->how.repeat; i++)
        for (int form = 0; form < WPG_ESTIMATE_FORMS; form++)
            if (made[form])
                time_form(c, pipeline, (wpg_estimate_form)form);
}

/* Little is destroyed: the process ends. */
void wpg_estimate_child(FILE *out, const wpg_estimate *estimate, const wpg_estimate_pipeline *pipeline)
{
    compiler c = {.out = out, .radv = estimate->radv};
    if (!open_instance(&c) || !open_device(&c))
        return;
    const char *why = refusal(pipeline);
    bool compute = stage_named(pipeline, "comp") != NULL;
    if (!why)
        why = make_layout(&c, pipeline);
    if (!why && !compute)
        why = make_pass(&c, pipeline);
    if (why)
        say(&c, "failed", "0", why, NULL);
    if (!why)
        compile_forms(&c, estimate, pipeline);
    say(&c, "end", NULL, NULL, NULL);
}
