/* See vk_compute.h. */
#include "tests/support/vk_compute_internal.h"
#include "tests/support/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* E2E_DEVICE: the machine's own drivers, and which of their devices. */
static const char *chosen_device(void)
{
    const char *number = getenv("E2E_DEVICE");
    return number && *number ? number : NULL;
}

static void choose_driver(void)
{
    if (chosen_device())
        return;
    const char *manifest = getenv("WPG_LVP_ICD");
    if (!manifest || !*manifest)
        manifest = WPG_SOURCE_DIR "/.deps/mesa/lvp_icd.json";
    if (access(manifest, R_OK) != 0)
        manifest = system_software_driver();
    if (manifest && access(manifest, R_OK) == 0) {
        setenv("VK_ICD_FILENAMES", manifest, 1);
        setenv("VK_DRIVER_FILES", manifest, 1);
    }
}

static bool make_instance(vkc_device *d)
{
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    VkPhysicalDevice devices[16];
    uint32_t count = sizeof devices / sizeof *devices;
    size_t number = chosen_device() ? strtoul(chosen_device(), NULL, 10) : 0;
    if (vkCreateInstance(&info, NULL, &d->instance) != VK_SUCCESS)
        return false;
    VkResult result = vkEnumeratePhysicalDevices(d->instance, &count, devices);
    if ((result != VK_SUCCESS && result != VK_INCOMPLETE) || number >= count)
        return false;
    d->physical = devices[number];
    return true;
}

static bool make_device(vkc_device *d)
{
    uint32_t families = 0;
    VkQueueFamilyProperties family[16];
    vkGetPhysicalDeviceQueueFamilyProperties(d->physical, &families, NULL);
    if (families > 16)
        families = 16;
    vkGetPhysicalDeviceQueueFamilyProperties(d->physical, &families, family);
    for (d->family = 0; d->family < families; d->family++)
        if (family[d->family].queueFlags & VK_QUEUE_COMPUTE_BIT)
            break;
    if (d->family == families)
        return false;

    VkPhysicalDeviceVulkan13Features features13 = {.sType =
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features features12 = {.sType =
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceVulkan11Features features11 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, .pNext = &features12};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                          .pNext = &features11};
    d->subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
    d->driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    d->subgroup.pNext = &d->driver;
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &d->subgroup};
    vkGetPhysicalDeviceProperties2(d->physical, &properties);
    d->properties = properties.properties;
    bool has_13 = d->properties.apiVersion >= VK_API_VERSION_1_3;
    if (has_13)
        features12.pNext = &features13;
    vkGetPhysicalDeviceFeatures2(d->physical, &features);
    d->has_address = features12.bufferDeviceAddress;
    d->demotes = features13.shaderDemoteToHelperInvocation;
    d->draws = family[d->family].queueFlags & VK_QUEUE_GRAPHICS_BIT;
    d->features = features.features;
    d->int64_atomics = features12.shaderBufferInt64Atomics && features.features.shaderInt64;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = d->family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext = &features,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue};
    if (vkCreateDevice(d->physical, &info, NULL, &d->device) != VK_SUCCESS)
        return false;
    vkGetDeviceQueue(d->device, d->family, 0, &d->queue);
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .queueFamilyIndex = d->family};
    return vkCreateCommandPool(d->device, &pool, NULL, &d->pool) == VK_SUCCESS;
}

static bool find_memory(vkc_device *d)
{
    const VkMemoryPropertyFlags want =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(d->physical, &memory);
    for (d->memory_type = 0; d->memory_type < memory.memoryTypeCount; d->memory_type++)
        if ((memory.memoryTypes[d->memory_type].propertyFlags & want) == want)
            return true;
    return false;
}

vkc_device *vkc_open(const char **why)
{
    vkc_device *d = calloc(1, sizeof *d);
    choose_driver();
    if (!d || !make_instance(d) || !make_device(d) || !find_memory(d)) {
        if (why)
            *why = "no Vulkan device for compute";
        vkc_close(d);
        return NULL;
    }
    return d;
}

void vkc_close(vkc_device *d)
{
    if (!d)
        return;
    if (d->device) {
        vkDestroyCommandPool(d->device, d->pool, NULL);
        vkDestroyDevice(d->device, NULL);
    }
    if (d->instance)
        vkDestroyInstance(d->instance, NULL);
    free(d);
}

const char *vkc_name(const vkc_device *d)
{
    return d->properties.deviceName;
}
const char *vkc_driver(const vkc_device *d)
{
    return d->driver.driverInfo;
}
unsigned vkc_mesa_major(const vkc_device *d)
{
    unsigned major;
    return sscanf(d->driver.driverInfo, "Mesa %u", &major) == 1 ? major : 0;
}
bool vkc_is_swiftshader(const vkc_device *d)
{
    return d->driver.driverID == VK_DRIVER_ID_GOOGLE_SWIFTSHADER;
}
unsigned vkc_subgroup_size(const vkc_device *d)
{
    return d->subgroup.subgroupSize;
}
bool vkc_has_stage(const vkc_device *d, uint32_t stage)
{
    return d->draws &&
           (stage == VK_SHADER_STAGE_FRAGMENT_BIT
                ? d->features.fragmentStoresAndAtomics && d->demotes
                : stage == VK_SHADER_STAGE_VERTEX_BIT && d->features.vertexPipelineStoresAndAtomics);
}
bool vkc_has_subgroups(const vkc_device *d, uint32_t stage)
{
    return d->subgroup.supportedStages & stage;
}
bool vkc_has_int64_atomics(const vkc_device *d)
{
    return d->int64_atomics;
}

bool vkc_buffer_make(vkc_buffer *buffer, vkc_device *d, size_t size)
{
    vkc_handles *h = calloc(1, sizeof *h);
    *buffer = (vkc_buffer){.size = size, .handle = h};
    if (!h)
        return false;
    VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                               VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    if (d->has_address)
        usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage};
    VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                       .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkMemoryRequirements needs;
    if (vkCreateBuffer(d->device, &info, NULL, &h->buffer) != VK_SUCCESS)
        return false;
    vkGetBufferMemoryRequirements(d->device, h->buffer, &needs);
    VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                   .pNext = d->has_address ? &flags : NULL,
                                   .allocationSize = needs.size,
                                   .memoryTypeIndex = d->memory_type};
    if (vkAllocateMemory(d->device, &memory, NULL, &h->memory) != VK_SUCCESS ||
        vkBindBufferMemory(d->device, h->buffer, h->memory, 0) != VK_SUCCESS ||
        vkMapMemory(d->device, h->memory, 0, VK_WHOLE_SIZE, 0, &buffer->data) != VK_SUCCESS)
        return false;
    memset(buffer->data, 0, size);
    if (d->has_address)
        buffer->address = vkGetBufferDeviceAddress(
            d->device, &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                                    .buffer = h->buffer});
    return true;
}

void vkc_buffer_free(vkc_buffer *buffer, vkc_device *d)
{
    vkc_handles *h = buffer->handle;
    if (h) {
        vkDestroyBuffer(d->device, h->buffer, NULL);
        vkFreeMemory(d->device, h->memory, NULL);
        free(h);
    }
    *buffer = (vkc_buffer){0};
}

static VkDescriptorType descriptor_type(vkc_kind kind)
{
    return kind == VKC_UNIFORM ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

static bool make_set(vkc_made *r, vkc_device *d, const vkc_job *job)
{
    VkDescriptorSetLayoutBinding bindings[VKC_MAX_BINDINGS];
    for (uint32_t i = 0; i < job->binding_count; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){.binding = i,
                                                     .descriptorType = descriptor_type(job->bindings[i].kind),
                                                     .descriptorCount = 1,
                                                     .stageFlags = VK_SHADER_STAGE_ALL};
    VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .bindingCount = job->binding_count,
                                           .pBindings = bindings};
    VkPushConstantRange push = {.stageFlags = VK_SHADER_STAGE_ALL, .size = VKC_PUSH_BYTES};
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &r->set_layout,
                                         .pushConstantRangeCount = 1,
                                         .pPushConstantRanges = &push};
    VkDescriptorPoolSize sizes[2] = {{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VKC_MAX_BINDINGS},
                                     {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VKC_MAX_BINDINGS}};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1,
                                       .poolSizeCount = 2,
                                       .pPoolSizes = sizes};
    if (vkCreateDescriptorSetLayout(d->device, &set, NULL, &r->set_layout) != VK_SUCCESS ||
        vkCreatePipelineLayout(d->device, &layout, NULL, &r->layout) != VK_SUCCESS ||
        vkCreateDescriptorPool(d->device, &pool, NULL, &r->pool) != VK_SUCCESS)
        return false;
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = r->pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &r->set_layout};
    if (vkAllocateDescriptorSets(d->device, &allocate, &r->set) != VK_SUCCESS)
        return false;
    for (uint32_t i = 0; i < job->binding_count; i++) {
        const vkc_handles *h = job->bindings[i].buffer->handle;
        VkDescriptorBufferInfo buffer = {.buffer = h->buffer, .range = VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = r->set,
                                      .dstBinding = i,
                                      .descriptorCount = 1,
                                      .descriptorType = bindings[i].descriptorType,
                                      .pBufferInfo = &buffer};
        vkUpdateDescriptorSets(d->device, 1, &write, 0, NULL);
    }
    return true;
}

VkShaderModule vkc_module(vkc_device *d, const uint32_t *words, size_t count)
{
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                     .codeSize = count * sizeof(uint32_t),
                                     .pCode = words};
    VkShaderModule module = VK_NULL_HANDLE;
    return vkCreateShaderModule(d->device, &info, NULL, &module) == VK_SUCCESS ? module : VK_NULL_HANDLE;
}

static bool make_pipeline(vkc_made *r, vkc_device *d, const vkc_job *job)
{
    r->module = vkc_module(d, job->words, job->word_count);
    if (!r->module)
        return false;
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = r->module,
                  .pName = "main"},
        .layout = r->layout};
    return vkCreateComputePipelines(d->device, VK_NULL_HANDLE, 1, &info, NULL, &r->pipeline) == VK_SUCCESS;
}

static bool record(vkc_made *r, vkc_device *d, const vkc_job *job)
{
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = d->pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    if (vkAllocateCommandBuffers(d->device, &allocate, &r->commands) != VK_SUCCESS ||
        vkBeginCommandBuffer(r->commands, &begin) != VK_SUCCESS)
        return false;
    static const unsigned char zero[VKC_PUSH_BYTES];
    VkPipelineBindPoint point =
        job->vertices ? VK_PIPELINE_BIND_POINT_GRAPHICS : VK_PIPELINE_BIND_POINT_COMPUTE;
    vkCmdBindPipeline(r->commands, point, r->pipeline);
    vkCmdBindDescriptorSets(r->commands, point, r->layout, 0, 1, &r->set, 0, NULL);
    vkCmdPushConstants(r->commands, r->layout, VK_SHADER_STAGE_ALL, 0, VKC_PUSH_BYTES,
                       job->push ? job->push : zero);
    VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                               .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                               .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                                                VK_ACCESS_HOST_READ_BIT};
    for (unsigned i = 0; i < (job->repeats ? job->repeats : 1); i++) {
        if (job->vertices)
            vkc_record_draw(r, job);
        else
            vkCmdDispatch(r->commands, job->groups[0], job->groups[1], job->groups[2]);
        vkCmdPipelineBarrier(r->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier,
                             0, NULL, 0, NULL);
    }
    return vkEndCommandBuffer(r->commands) == VK_SUCCESS;
}

static bool submit(vkc_made *r, vkc_device *d)
{
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &r->commands};
    return vkQueueSubmit(d->queue, 1, &info, VK_NULL_HANDLE) == VK_SUCCESS &&
           vkQueueWaitIdle(d->queue) == VK_SUCCESS;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool vkc_run(vkc_device *d, const vkc_job *job, double *seconds)
{
    vkc_made r = {0};
    bool done = make_set(&r, d, job) &&
                (job->vertices ? vkc_make_draw(&r, d, job) : make_pipeline(&r, d, job)) &&
                record(&r, d, job) && submit(&r, d);
    if (done && seconds) {
        double start = now();
        done = submit(&r, d);
        *seconds = now() - start;
    }
    if (r.commands)
        vkFreeCommandBuffers(d->device, d->pool, 1, &r.commands);
    vkDestroyPipeline(d->device, r.pipeline, NULL);
    vkDestroyShaderModule(d->device, r.module, NULL);
    vkDestroyShaderModule(d->device, r.vertex_module, NULL);
    vkDestroyFramebuffer(d->device, r.framebuffer, NULL);
    vkc_free_colours(&r, d);
    vkDestroyRenderPass(d->device, r.pass, NULL);
    vkDestroyDescriptorPool(d->device, r.pool, NULL);
    vkDestroyPipelineLayout(d->device, r.layout, NULL);
    vkDestroyDescriptorSetLayout(d->device, r.set_layout, NULL);
    return done;
}
