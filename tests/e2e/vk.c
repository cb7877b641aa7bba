/* See vk.h. */
#include "tests/e2e/vk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void vk_must(VkResult result, const char *what)
{
    if (result == VK_SUCCESS)
        return;
    fprintf(stderr, "%s: VkResult %d\n", what, (int)result);
    exit(VK_EXIT_FAILURE);
}

PFN_vkVoidFunction vk_command(const vk_program *vk, const char *name)
{
    PFN_vkVoidFunction function = vkGetDeviceProcAddr(vk->device, name);
    if (function)
        return function;
    fprintf(stderr, "the device has no %s\n", name);
    exit(VK_EXIT_FAILURE);
}

VkShaderModule vk_load(vk_program *vk, const char *folder, const char *name)
{
    char path[1024];
    uint32_t *words;
    size_t count;
    VkResult result;
    snprintf(path, sizeof path, "%s/%s.spv", folder, name);
    vk_read_spirv(&words, &count, path);
    VkShaderModule module = vk_module(vk, words, count, &result);
    vk_must(result, name);
    free(words);
    return module;
}

static uint32_t memory_type(const vk_program *vk, uint32_t bits, VkMemoryPropertyFlags flags)
{
    for (uint32_t i = 0; i < vk->memory.memoryTypeCount; i++)
        if ((bits & (1u << i)) && (vk->memory.memoryTypes[i].propertyFlags & flags) == flags)
            return i;
    fprintf(stderr, "no memory type\n");
    exit(VK_EXIT_FAILURE);
}

void vk_make_buffer(vk_program *vk, vk_buffer *b, size_t count, VkBufferUsageFlags usage)
{
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = count * 4, .usage = usage};
    VK_MUST(vkCreateBuffer(vk->device, &info, NULL, &b->buffer));
    VkMemoryRequirements need;
    vkGetBufferMemoryRequirements(vk->device, b->buffer, &need);
    VkMemoryAllocateFlagsInfo addressed = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                           .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT ? &addressed : NULL,
        .allocationSize = need.size,
        .memoryTypeIndex =
            memory_type(vk, need.memoryTypeBits,
                        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)};
    VK_MUST(vkAllocateMemory(vk->device, &allocate, NULL, &b->memory));
    VK_MUST(vkBindBufferMemory(vk->device, b->buffer, b->memory, 0));
    void *mapped;
    VK_MUST(vkMapMemory(vk->device, b->memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    b->words = mapped;
    b->count = count;
    memset(mapped, 0, count * 4);
}

void vk_drop_buffer(vk_program *vk, vk_buffer *b)
{
    vkDestroyBuffer(vk->device, b->buffer, NULL);
    vkFreeMemory(vk->device, b->memory, NULL);
}

static bool has_extension(VkPhysicalDevice physical, const char *name)
{
    uint32_t count = 0;
    VK_MUST(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, NULL));
    VkExtensionProperties *list = calloc(count, sizeof *list);
    if (!list)
        exit(VK_EXIT_FAILURE);
    VK_MUST(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, list));
    bool found = false;
    for (uint32_t i = 0; i < count; i++)
        found |= strcmp(list[i].extensionName, name) == 0;
    free(list);
    return found;
}

/* Structures a device may be asked for with; filled in with what it has. */
typedef struct device_chain {
    VkPhysicalDeviceFeatures2 features;
    VkPhysicalDeviceShaderDemoteToHelperInvocationFeaturesEXT demote;
    VkPhysicalDeviceVulkan11Features v11;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceVulkan13Features v13;
    VkPhysicalDeviceGraphicsPipelineLibraryFeaturesEXT library;
    VkPhysicalDevicePipelineCreationCacheControlFeaturesEXT cache_control;
    VkPhysicalDeviceMeshShaderFeaturesEXT mesh;
    VkPhysicalDeviceTransformFeedbackFeaturesEXT capture;
    VkPhysicalDeviceShaderModuleIdentifierFeaturesEXT identifier;
    VkPhysicalDeviceDynamicRenderingFeatures rendering;
    VkPhysicalDeviceScalarBlockLayoutFeatures objects; /* of shader objects: as many members */
    VkPhysicalDeviceExtendedDynamicState3FeaturesEXT dynamic_state;
    VkPhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT feedback;
    VkPhysicalDeviceAttachmentFeedbackLoopLayoutFeaturesEXT dynamic_feedback; /* the same members */
    VkPhysicalDeviceSubgroupSizeControlFeaturesEXT wave_sizes;
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables;
    VkPhysicalDeviceAccelerationStructureFeaturesKHR structures;
    VkPhysicalDeviceRayTracingPipelineFeaturesKHR rays;
    VkPhysicalDeviceBufferDeviceAddressFeatures address;
    VkPhysicalDeviceRobustness2FeaturesEXT robustness;
    VkPhysicalDevicePipelineRobustnessFeaturesEXT pipeline_robustness;
    VkPhysicalDeviceDescriptorBufferFeaturesEXT descriptor_buffer;
    /* Newer ones: of as many members. */
    VkPhysicalDeviceScalarBlockLayoutFeatures reconvergence, maintenance5, maintenance6, binaries;
    struct {
        VkStructureType sType;
        void *pNext;
        VkBool32 members[21];
    } v14; /* VkPhysicalDeviceVulkan14Features; the last is pushDescriptor */
    VkPhysicalDeviceShaderAtomicInt64Features generated;
    const char *extensions[16];
    uint32_t extension_count;
} device_chain;

static void link_structure(device_chain *chain, void *structure, VkStructureType type)
{
    VkBaseOutStructure *s = structure;
    s->sType = type;
    s->pNext = chain->features.pNext;
    chain->features.pNext = structure;
}

static void need_extension(device_chain *chain, const vk_program *vk, const char *name)
{
    if (!has_extension(vk->physical, name)) {
        printf("skip: the device has no %s\n", name);
        exit(VK_EXIT_SKIP);
    }
    chain->extensions[chain->extension_count++] = name;
}

/* Links the structure where the device has the extension. */
static void want_extension(device_chain *chain, const vk_program *vk, const char *name, void *structure,
                           VkStructureType type)
{
    if (!has_extension(vk->physical, name))
        return;
    chain->extensions[chain->extension_count++] = name;
    link_structure(chain, structure, type);
}

/* Newer than the oldest headers we build with; values from the registry. */
#define DYNAMIC_FEEDBACK_EXTENSION "VK_EXT_attachment_feedback_loop_dynamic_state"
#define DYNAMIC_FEEDBACK_STRUCTURE ((VkStructureType)1000524000)

static void want_state(device_chain *chain, const vk_program *vk)
{
    want_extension(chain, vk, VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME, &chain->dynamic_state,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT);
    want_extension(chain, vk, VK_EXT_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_EXTENSION_NAME, &chain->feedback,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_FEATURES_EXT);
    want_extension(chain, vk, DYNAMIC_FEEDBACK_EXTENSION, &chain->dynamic_feedback,
                   DYNAMIC_FEEDBACK_STRUCTURE);
    want_extension(chain, vk, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME, &chain->wave_sizes,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES_EXT);
    want_extension(chain, vk, VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME, &chain->executables,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR);
}

/* Everything of the Vulkan versions, and what stands beside them. */
static void want_features(device_chain *chain, const vk_program *vk)
{
    link_structure(chain, &chain->v11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
    link_structure(chain, &chain->v12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    link_structure(chain, &chain->v13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    want_extension(chain, vk, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, &chain->robustness,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT);
    want_extension(chain, vk, VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME, &chain->pipeline_robustness,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT);
    want_extension(chain, vk, VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME, &chain->descriptor_buffer,
                   VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT);
    want_extension(chain, vk, "VK_KHR_shader_maximal_reconvergence", &chain->reconvergence,
                   (VkStructureType)1000434000);
    want_extension(chain, vk, "VK_KHR_maintenance5", &chain->maintenance5, (VkStructureType)1000470000);
    want_extension(chain, vk, "VK_EXT_device_generated_commands", &chain->generated,
                   (VkStructureType)1000572000);
}

static void tell_features(vk_program *vk, device_chain *chain)
{
    chain->descriptor_buffer.descriptorBufferCaptureReplay = VK_FALSE;
    vk->features.robustBufferAccess = chain->features.features.robustBufferAccess;
    vk->features.shaderInt64 = chain->features.features.shaderInt64;
    vk->optional.pipeline_robustness = chain->pipeline_robustness.pipelineRobustness;
    vk->optional.descriptor_buffer = chain->descriptor_buffer.descriptorBuffer;
    vk->optional.reconvergence = chain->reconvergence.scalarBlockLayout;
    vk->optional.maintenance5 = chain->maintenance5.scalarBlockLayout;
    vk->optional.generated = chain->generated.shaderBufferInt64Atomics;
}

static void tell_state(vk_program *vk, const device_chain *chain)
{
    vk->libraries = chain->library.graphicsPipelineLibrary;
    vk->dynamic_blending = chain->dynamic_state.extendedDynamicState3ColorBlendEnable &&
                           chain->dynamic_state.extendedDynamicState3ColorBlendEquation &&
                           chain->dynamic_state.extendedDynamicState3ColorWriteMask &&
                           chain->dynamic_state.extendedDynamicState3SampleMask;
    vk->dynamic_coverage = chain->dynamic_state.extendedDynamicState3AlphaToCoverageEnable;
    vk->feedback = chain->feedback.attachmentFeedbackLoopLayout;
    vk->dynamic_feedback = chain->dynamic_feedback.attachmentFeedbackLoopLayout;
    vk->wave_sizes = chain->wave_sizes.subgroupSizeControl && chain->wave_sizes.computeFullSubgroups;
    vk->executables = chain->executables.pipelineExecutableInfo;
}

static void fill_chain(device_chain *chain, vk_program *vk, vk_style style)
{
    chain->features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    if (style == VK_STYLE_VERSIONS || style == VK_STYLE_ALL) {
        link_structure(chain, &chain->v11, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES);
        link_structure(chain, &chain->v12, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
        link_structure(chain, &chain->v13, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    } else if (style == VK_STYLE_EVERYTHING) {
        want_features(chain, vk);
    } else if (style == VK_STYLE_LIBRARY) {
        need_extension(chain, vk, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
        need_extension(chain, vk, VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME);
        need_extension(chain, vk, VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME);
        link_structure(chain, &chain->library,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT);
        link_structure(chain, &chain->cache_control,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES_EXT);
    } else if (style == VK_STYLE_RAYS) {
        need_extension(chain, vk, VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME);
        need_extension(chain, vk, VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME);
        need_extension(chain, vk, VK_KHR_RAY_TRACING_PIPELINE_EXTENSION_NAME);
        need_extension(chain, vk, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
        link_structure(chain, &chain->structures,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR);
        link_structure(chain, &chain->rays,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_TRACING_PIPELINE_FEATURES_KHR);
        link_structure(chain, &chain->address,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES);
    } else if (style == VK_STYLE_MESH) {
        need_extension(chain, vk, VK_EXT_MESH_SHADER_EXTENSION_NAME);
        link_structure(chain, &chain->mesh, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT);
    } else if (style == VK_STYLE_FEEDBACK) {
        need_extension(chain, vk, VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME);
        link_structure(chain, &chain->capture,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT);
    } else if (style == VK_STYLE_ANSWERS) {
        need_extension(chain, vk, VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME);
        link_structure(chain, &chain->cache_control,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES_EXT);
        vk->identifiers = has_extension(vk->physical, VK_EXT_SHADER_MODULE_IDENTIFIER_EXTENSION_NAME);
        if (vk->identifiers) {
            need_extension(chain, vk, VK_EXT_SHADER_MODULE_IDENTIFIER_EXTENSION_NAME);
            link_structure(chain, &chain->identifier,
                           VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MODULE_IDENTIFIER_FEATURES_EXT);
        }
        want_extension(chain, vk, "VK_KHR_maintenance5", &chain->maintenance5, (VkStructureType)1000470000);
        want_extension(chain, vk, "VK_KHR_pipeline_binary", &chain->binaries, (VkStructureType)1000483000);
    } else if (style == VK_STYLE_OBJECTS) {
        /* The newer structure stands first: a layer that adds features must get past it. */
        need_extension(chain, vk, "VK_EXT_shader_object");
        link_structure(chain, &chain->rendering,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES);
        link_structure(chain, &chain->objects, (VkStructureType)1000482000);
    } else if (style == VK_STYLE_DYNAMIC) {
        need_extension(chain, vk, VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME);
        link_structure(chain, &chain->dynamic_state,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_FEATURES_EXT);
        link_structure(chain, &chain->rendering,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES);
        need_extension(chain, vk, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
        want_extension(chain, vk, VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME, &chain->library,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_FEATURES_EXT);
    } else if (style == VK_STYLE_STATE) {
        want_state(chain, vk);
    } else if (style == VK_STYLE_PUSH) {
        need_extension(chain, vk, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME);
        want_extension(chain, vk, "VK_KHR_maintenance6", &chain->maintenance6, (VkStructureType)1000545000);
    } else if (style == VK_STYLE_PUSH_CORE) {
        link_structure(chain, &chain->v14, (VkStructureType)55);
    } else if (has_extension(vk->physical, VK_EXT_SHADER_DEMOTE_TO_HELPER_INVOCATION_EXTENSION_NAME)) {
        need_extension(chain, vk, VK_EXT_SHADER_DEMOTE_TO_HELPER_INVOCATION_EXTENSION_NAME);
        link_structure(chain, &chain->demote,
                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES_EXT);
    }
    vkGetPhysicalDeviceFeatures2(vk->physical, &chain->features);
    chain->v12.bufferDeviceAddressCaptureReplay = VK_FALSE;
    /* These need features that are not asked for. */
    chain->structures.accelerationStructureCaptureReplay = VK_FALSE;
    chain->rays.rayTracingPipelineShaderGroupHandleCaptureReplay = VK_FALSE;
    chain->rays.rayTracingPipelineShaderGroupHandleCaptureReplayMixed = VK_FALSE;
    chain->address.bufferDeviceAddressCaptureReplay = VK_FALSE;
    chain->address.bufferDeviceAddressMultiDevice = VK_FALSE;
    chain->mesh.multiviewMeshShader = chain->mesh.primitiveFragmentShadingRateMeshShader = VK_FALSE;
    tell_state(vk, chain);
    vk->demote = chain->demote.shaderDemoteToHelperInvocation || chain->v13.shaderDemoteToHelperInvocation;
    if (style == VK_STYLE_EVERYTHING)
        tell_features(vk, chain);
    vk->optional.maintenance6 = chain->maintenance6.scalarBlockLayout;
    if (style == VK_STYLE_PUSH_CORE && !chain->v14.members[20]) {
        printf("skip: the device is not of Vulkan 1.4, or has no push descriptors\n");
        exit(VK_EXIT_SKIP);
    }
    vk->optional.binaries = chain->maintenance5.scalarBlockLayout && chain->binaries.scalarBlockLayout;
    /* Of the core features what our shaders use, and no more: the layer must add what it needs itself. */
    chain->features.features = vk->features;
}

bool vk_debug_utils;

static void open_device(vk_program *vk, uint32_t api_version, vk_style style)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pApplicationName = "wavepgo end-to-end test",
                                     .apiVersion = api_version};
    VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                     .pApplicationInfo = &application};
    const char *const debug = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    if (vk_debug_utils) {
        instance.enabledExtensionCount = 1;
        instance.ppEnabledExtensionNames = &debug;
    }
    VK_MUST(vkCreateInstance(&instance, NULL, &vk->instance));
    /* E2E_DEVICE: which one, where there are several. */
    const char *wanted = getenv("E2E_DEVICE");
    size_t number = wanted ? strtoul(wanted, NULL, 10) : 0;
    VkPhysicalDevice devices[16];
    uint32_t count = sizeof devices / sizeof *devices;
    VkResult result = vkEnumeratePhysicalDevices(vk->instance, &count, devices);
    if (result == VK_INCOMPLETE)
        result = VK_SUCCESS;
    vk_must(result, "vkEnumeratePhysicalDevices");
    if (number >= count) {
        printf("skip: no Vulkan device\n");
        exit(VK_EXIT_SKIP);
    }
    vk->physical = devices[number];
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(vk->physical, &properties);
    memcpy(vk->device_name, properties.deviceName, sizeof vk->device_name);
    vkGetPhysicalDeviceMemoryProperties(vk->physical, &vk->memory);

    uint32_t families = 16;
    VkQueueFamilyProperties family[16];
    vkGetPhysicalDeviceQueueFamilyProperties(vk->physical, &families, family);
    while (vk->family < families && !(family[vk->family].queueFlags & VK_QUEUE_GRAPHICS_BIT))
        vk->family++;

    VkPhysicalDeviceFeatures has;
    vkGetPhysicalDeviceFeatures(vk->physical, &has);
    vk->features.vertexPipelineStoresAndAtomics = has.vertexPipelineStoresAndAtomics;
    vk->features.fragmentStoresAndAtomics = has.fragmentStoresAndAtomics;
    vk->features.geometryShader = has.geometryShader;
    vk->features.tessellationShader = has.tessellationShader;
    vk->features.shaderTessellationAndGeometryPointSize = has.shaderTessellationAndGeometryPointSize;
    vk->features.occlusionQueryPrecise = has.occlusionQueryPrecise;

    if (style == VK_STYLE_ALL)
        vk->features = has;
    device_chain chain = {0};
    if (style != VK_STYLE_CORE)
        fill_chain(&chain, vk, style);
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = vk->family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .pNext = style != VK_STYLE_CORE ? &chain.features : NULL,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queue,
                                 .enabledExtensionCount = chain.extension_count,
                                 .ppEnabledExtensionNames = chain.extensions,
                                 .pEnabledFeatures = style == VK_STYLE_CORE ? &vk->features : NULL};
    VK_MUST(vkCreateDevice(vk->physical, &device, NULL, &vk->device));
    vkGetDeviceQueue(vk->device, vk->family, 0, &vk->queue);
}

void vk_bind_image(vk_program *vk, VkImage image, VkDeviceMemory *memory)
{
    VkMemoryRequirements need;
    vkGetImageMemoryRequirements(vk->device, image, &need);
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = need.size,
                                     .memoryTypeIndex = memory_type(vk, need.memoryTypeBits, 0)};
    VK_MUST(vkAllocateMemory(vk->device, &allocate, NULL, memory));
    VK_MUST(vkBindImageMemory(vk->device, image, *memory, 0));
}

static void make_image(vk_program *vk)
{
    VkImageCreateInfo image = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                               .imageType = VK_IMAGE_TYPE_2D,
                               .format = VK_FORMAT_R8G8B8A8_UNORM,
                               .extent = {VK_WIDTH, VK_HEIGHT, 1},
                               .mipLevels = 1,
                               .arrayLayers = 1,
                               .samples = VK_SAMPLE_COUNT_1_BIT,
                               .usage =
                                   VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT};
    VK_MUST(vkCreateImage(vk->device, &image, NULL, &vk->image));
    vk_bind_image(vk, vk->image, &vk->image_memory);
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .image = vk->image,
                                  .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                  .format = image.format,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VK_MUST(vkCreateImageView(vk->device, &view, NULL, &vk->view));
}

VkRenderPass vk_make_pass(vk_program *vk)
{
    VkAttachmentDescription attachment = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                          .samples = VK_SAMPLE_COUNT_1_BIT,
                                          .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                          .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
                                          .stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                          .stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                          .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                          .finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL};
    VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
    VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
                                    .colorAttachmentCount = 1,
                                    .pColorAttachments = &reference};
    VkSubpassDependency dependency = {.srcSubpass = 0,
                                      .dstSubpass = VK_SUBPASS_EXTERNAL,
                                      .srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                      .dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                      .srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                      .dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT};
    VkRenderPassCreateInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                   .attachmentCount = 1,
                                   .pAttachments = &attachment,
                                   .subpassCount = 1,
                                   .pSubpasses = &subpass,
                                   .dependencyCount = 1,
                                   .pDependencies = &dependency};
    VkRenderPass made;
    VK_MUST(vkCreateRenderPass(vk->device, &pass, NULL, &made));
    return made;
}

static void make_target(vk_program *vk)
{
    make_image(vk);
    VkFramebufferCreateInfo framebuffer = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                           .renderPass = vk->pass,
                                           .attachmentCount = 1,
                                           .pAttachments = &vk->view,
                                           .width = VK_WIDTH,
                                           .height = VK_HEIGHT,
                                           .layers = 1};
    VK_MUST(vkCreateFramebuffer(vk->device, &framebuffer, NULL, &vk->framebuffer));
    vk_make_buffer(vk, &vk->pixels, VK_WIDTH * VK_HEIGHT, VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

static void make_layout(vk_program *vk)
{
    VkDescriptorSetLayoutBinding bindings[VK_BUFFERS];
    for (uint32_t i = 0; i < VK_BUFFERS; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_ALL};
    VkDescriptorSetLayoutCreateInfo set_layout = {.sType =
                                                      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                  .bindingCount = VK_BUFFERS,
                                                  .pBindings = bindings};
    VK_MUST(vkCreateDescriptorSetLayout(vk->device, &set_layout, NULL, &vk->set_layout));
    VkPushConstantRange range = {VK_SHADER_STAGE_ALL, 0, 16};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &vk->set_layout,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &range};
    VK_MUST(vkCreatePipelineLayout(vk->device, &layout, NULL, &vk->layout));
}

static void make_bindings(vk_program *vk, size_t words)
{
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_BUFFERS};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1,
                                       .poolSizeCount = 1,
                                       .pPoolSizes = &size};
    VK_MUST(vkCreateDescriptorPool(vk->device, &pool, NULL, &vk->descriptor_pool));
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = vk->descriptor_pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &vk->set_layout};
    VK_MUST(vkAllocateDescriptorSets(vk->device, &allocate, &vk->set));
    for (uint32_t i = 0; i < VK_BUFFERS; i++) {
        vk_make_buffer(vk, &vk->buffers[i], words, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
        VkDescriptorBufferInfo buffer = {vk->buffers[i].buffer, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = vk->set,
                                      .dstBinding = i,
                                      .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = &buffer};
        vkUpdateDescriptorSets(vk->device, 1, &write, 0, NULL);
    }
}

void vk_open(vk_program *vk, uint32_t api_version, vk_style style, size_t words)
{
    memset(vk, 0, sizeof *vk);
    open_device(vk, api_version, style);
    make_layout(vk);
    vk->pass = vk_make_pass(vk);
    vk->memoryless = vk->memory.memoryTypeCount == 0;
    if (vk->memoryless)
        return;
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                    .queueFamilyIndex = vk->family};
    VK_MUST(vkCreateCommandPool(vk->device, &pool, NULL, &vk->pool));
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = vk->pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    VK_MUST(vkAllocateCommandBuffers(vk->device, &allocate, &vk->commands));
    make_bindings(vk, words);
    make_target(vk);
}

void vk_close(vk_program *vk)
{
    if (!vk->memoryless)
        vkDeviceWaitIdle(vk->device);
    for (uint32_t i = 0; i < vk->part_count; i++)
        vkDestroyPipeline(vk->device, vk->parts[i], NULL);
    free(vk->parts);
    for (uint32_t i = 0; i < VK_BUFFERS; i++)
        vk_drop_buffer(vk, &vk->buffers[i]);
    vk_drop_buffer(vk, &vk->pixels);
    vkDestroyFramebuffer(vk->device, vk->framebuffer, NULL);
    vkDestroyRenderPass(vk->device, vk->pass, NULL);
    vkDestroyImageView(vk->device, vk->view, NULL);
    vkDestroyImage(vk->device, vk->image, NULL);
    vkFreeMemory(vk->device, vk->image_memory, NULL);
    vkDestroyDescriptorPool(vk->device, vk->descriptor_pool, NULL);
    vkDestroyPipelineLayout(vk->device, vk->layout, NULL);
    vkDestroyDescriptorSetLayout(vk->device, vk->set_layout, NULL);
    vkDestroyCommandPool(vk->device, vk->pool, NULL);
    vkDestroyDevice(vk->device, NULL);
    vkDestroyInstance(vk->instance, NULL);
}

void vk_read_spirv(uint32_t **words, size_t *count, const char *path)
{
    FILE *file = fopen(path, "rb");
    uint32_t *data = malloc((size_t)1 << 20);
    size_t bytes = file && data ? fread(data, 1, (size_t)1 << 20, file) : 0;
    if (bytes < 20 || bytes % 4 != 0) {
        fprintf(stderr, "cannot read SPIR-V from %s\n", path);
        exit(VK_EXIT_FAILURE);
    }
    fclose(file);
    *words = data;
    *count = bytes / 4;
}

VkShaderModule vk_module(vk_program *vk, const uint32_t *words, size_t count, VkResult *result)
{
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = count * 4, .pCode = words};
    VkShaderModule module = VK_NULL_HANDLE;
    *result = vkCreateShaderModule(vk->device, &info, NULL, &module);
    return *result == VK_SUCCESS ? module : VK_NULL_HANDLE;
}

VkPipelineShaderStageCreateInfo vk_stage_info(vk_stage stage)
{
    return (VkPipelineShaderStageCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                             .stage = stage.stage,
                                             .module = stage.module,
                                             .pName = "main",
                                             .pSpecializationInfo = stage.specialization};
}

VkComputePipelineCreateInfo vk_compute_info(const vk_program *vk, VkShaderModule module,
                                            VkPipelineCreateFlags flags)
{
    return (VkComputePipelineCreateInfo){
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = flags,
        .stage = vk_stage_info((vk_stage){VK_SHADER_STAGE_COMPUTE_BIT, module, NULL}),
        .layout = vk->layout,
        .basePipelineIndex = -1};
}

VkPipeline vk_compute_pipeline(vk_program *vk, vk_stage stage, VkResult *result)
{
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = vk_stage_info(stage),
                                        .layout = vk->layout,
                                        .basePipelineIndex = -1};
    VkPipeline pipeline = VK_NULL_HANDLE;
    *result = vkCreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
    return *result == VK_SUCCESS ? pipeline : VK_NULL_HANDLE;
}

void vk_fill_state(vk_state *s, const vk_program *vk, const vk_stage *stages, uint32_t count,
                   VkPrimitiveTopology topology)
{
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < count; i++)
        s->stages[i] = vk_stage_info(stages[i]);
    s->input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
    s->assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
    s->assembly.topology = topology;
    s->tessellation.sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO;
    s->tessellation.patchControlPoints = 3;
    s->viewport = (VkViewport){0, 0, VK_WIDTH, VK_HEIGHT, 0, 1};
    s->scissor = (VkRect2D){{0, 0}, {VK_WIDTH, VK_HEIGHT}};
    s->view =
        (VkPipelineViewportStateCreateInfo){.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                            .viewportCount = 1,
                                            .pViewports = &s->viewport,
                                            .scissorCount = 1,
                                            .pScissors = &s->scissor};
    s->raster = (VkPipelineRasterizationStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .polygonMode = VK_POLYGON_MODE_FILL,
        .cullMode = VK_CULL_MODE_NONE,
        .lineWidth = 1.0f};
    s->samples.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
    s->samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    s->attachment.colorWriteMask = 0xf;
    s->blend = (VkPipelineColorBlendStateCreateInfo){
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &s->attachment};
    s->info = (VkGraphicsPipelineCreateInfo){.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                             .stageCount = count,
                                             .pStages = s->stages,
                                             .pVertexInputState = &s->input,
                                             .pInputAssemblyState = &s->assembly,
                                             .pTessellationState = &s->tessellation,
                                             .pViewportState = &s->view,
                                             .pRasterizationState = &s->raster,
                                             .pMultisampleState = &s->samples,
                                             .pColorBlendState = &s->blend,
                                             .layout = vk->layout,
                                             .renderPass = vk->pass,
                                             .basePipelineIndex = -1};
}

VkPipeline vk_make_link(VkPipeline parts[VK_PARTS], const vk_program *vk, const vk_state *state,
                        VkPipelineCreateFlags flags)
{
    static const VkGraphicsPipelineLibraryFlagsEXT subsets[VK_PARTS] = {
        VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
        VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT};
    VkPipeline pipeline;
    for (int i = 0; i < VK_PARTS; i++) {
        VkGraphicsPipelineLibraryCreateInfoEXT subset = {
            .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
            .pNext = (void *)(uintptr_t)state->info.pNext,
            .flags = subsets[i]};
        VkGraphicsPipelineCreateInfo info = state->info;
        info.pNext = &subset;
        info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR |
                     VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT;
        info.stageCount = i == 1 || i == 2;
        info.pStages = state->stages + (i == 2);
        VK_MUST(vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &parts[i]));
    }
    const VkPipelineLibraryCreateInfoKHR linked = {.sType =
                                                       VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR,
                                                   .libraryCount = VK_PARTS,
                                                   .pLibraries = parts};
    const VkGraphicsPipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                               .pNext = &linked,
                                               .flags = flags,
                                               .layout = state->info.layout,
                                               .basePipelineIndex = -1};
    VK_MUST(vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    return pipeline;
}

VkPipeline vk_make_linked(vk_program *vk, const vk_state *state)
{
    VkPipeline *parts = realloc(vk->parts, (vk->part_count + VK_PARTS) * sizeof *parts);
    if (!parts)
        abort();
    vk->parts = parts;
    vk->part_count += VK_PARTS;
    return vk_make_link(parts + vk->part_count - VK_PARTS, vk, state,
                        VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT);
}

VkPipeline vk_graphics_pipeline(vk_program *vk, const vk_stage *stages, uint32_t count,
                                VkPrimitiveTopology topology, VkResult *result)
{
    vk_state state;
    vk_fill_state(&state, vk, stages, count, topology);
    VkPipeline pipeline = VK_NULL_HANDLE;
    *result = vkCreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &state.info, NULL, &pipeline);
    return *result == VK_SUCCESS ? pipeline : VK_NULL_HANDLE;
}

void vk_begin(vk_program *vk)
{
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VK_MUST(vkBeginCommandBuffer(vk->commands, &info));
}

void vk_finish(vk_program *vk)
{
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    vkCmdPipelineBarrier(vk->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &barrier, 0, NULL, 0, NULL);
    VK_MUST(vkEndCommandBuffer(vk->commands));
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &vk->commands};
    VK_MUST(vkQueueSubmit(vk->queue, 1, &submit, VK_NULL_HANDLE));
    VK_MUST(vkQueueWaitIdle(vk->queue));
}

void vk_dispatch(vk_program *vk, VkPipeline pipeline, uint32_t groups)
{
    vk_begin(vk);
    vkCmdBindPipeline(vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(vk->commands, VK_PIPELINE_BIND_POINT_COMPUTE, vk->layout, 0, 1, &vk->set, 0,
                            NULL);
    vkCmdDispatch(vk->commands, groups, 1, 1);
    vk_finish(vk);
}

void vk_copy_pixels(vk_program *vk)
{
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageExtent = {VK_WIDTH, VK_HEIGHT, 1}};
    vkCmdCopyImageToBuffer(vk->commands, vk->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, vk->pixels.buffer,
                           1, &region);
}

static void begin_pass(vk_program *vk, VkPipeline pipeline)
{
    vk_begin(vk);
    VkClearValue clear = {.color = {.float32 = {0.25f, 0.5f, 0.75f, 1.0f}}};
    VkRenderPassBeginInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                  .renderPass = vk->pass,
                                  .framebuffer = vk->framebuffer,
                                  .renderArea = {{0, 0}, {VK_WIDTH, VK_HEIGHT}},
                                  .clearValueCount = 1,
                                  .pClearValues = &clear};
    vkCmdBeginRenderPass(vk->commands, &pass, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(vk->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(vk->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, vk->layout, 0, 1, &vk->set, 0,
                            NULL);
}

static void end_pass(vk_program *vk)
{
    vkCmdEndRenderPass(vk->commands);
    vk_copy_pixels(vk);
    vk_finish(vk);
}

void vk_draw(vk_program *vk, VkPipeline pipeline, uint32_t vertices)
{
    begin_pass(vk, pipeline);
    vkCmdDraw(vk->commands, vertices, 1, 0, 0);
    end_pass(vk);
}

void vk_draw_mesh(vk_program *vk, VkPipeline pipeline, uint32_t groups)
{
    PFN_vkCmdDrawMeshTasksEXT draw =
        (PFN_vkCmdDrawMeshTasksEXT)vkGetDeviceProcAddr(vk->device, "vkCmdDrawMeshTasksEXT");
    begin_pass(vk, pipeline);
    draw(vk->commands, groups, 1, 1);
    end_pass(vk);
}
