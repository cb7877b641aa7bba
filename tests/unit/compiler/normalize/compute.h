/* A compute device of the software driver, loaded at run time: one storage buffer in, one out. Header only.
 */
#ifndef WPG_TESTS_NORMALIZE_COMPUTE_H
#define WPG_TESTS_NORMALIZE_COMPUTE_H

#include <dlfcn.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include "shader_test.h"
#include "tests/support/driver.h"

enum { COMPUTE_WORDS = 256 };
#define COMPUTE_BYTES (COMPUTE_WORDS * sizeof(uint32_t))

#define COMPUTE_INSTANCE_CALLS(X)                                                                            \
    X(EnumeratePhysicalDevices)                                                                              \
    X(CreateDevice)                                                                                          \
    X(GetPhysicalDeviceMemoryProperties) X(GetDeviceProcAddr) X(DestroyInstance)
#define COMPUTE_DEVICE_CALLS(X)                                                                              \
    X(DestroyDevice)                                                                                         \
    X(GetDeviceQueue)                                                                                        \
    X(CreateBuffer)                                                                                          \
    X(DestroyBuffer)                                                                                         \
    X(GetBufferMemoryRequirements)                                                                           \
    X(AllocateMemory)                                                                                        \
    X(FreeMemory)                                                                                            \
    X(BindBufferMemory)                                                                                      \
    X(MapMemory)                                                                                             \
    X(CreateShaderModule)                                                                                    \
    X(DestroyShaderModule)                                                                                   \
    X(CreateDescriptorSetLayout)                                                                             \
    X(DestroyDescriptorSetLayout)                                                                            \
    X(CreatePipelineLayout)                                                                                  \
    X(DestroyPipelineLayout)                                                                                 \
    X(CreateComputePipelines)                                                                                \
    X(DestroyPipeline)                                                                                       \
    X(CreateDescriptorPool)                                                                                  \
    X(DestroyDescriptorPool)                                                                                 \
    X(AllocateDescriptorSets)                                                                                \
    X(UpdateDescriptorSets)                                                                                  \
    X(CreateCommandPool)                                                                                     \
    X(DestroyCommandPool)                                                                                    \
    X(AllocateCommandBuffers)                                                                                \
    X(BeginCommandBuffer)                                                                                    \
    X(EndCommandBuffer)                                                                                      \
    X(CmdBindPipeline)                                                                                       \
    X(CmdBindDescriptorSets)                                                                                 \
    X(CmdDispatch)                                                                                           \
    X(QueueSubmit)                                                                                           \
    X(QueueWaitIdle)

typedef struct compute {
    void *library;
    VkInstance instance;
    VkDevice device;
    VkQueue queue;
    VkBuffer buffers[2];
    VkDeviceMemory memory[2];
    uint32_t *mapped[2]; /* [COMPUTE_WORDS]: in, out */
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkCommandPool commands;
    VkCommandBuffer command;
#define COMPUTE_MEMBER(name) PFN_vk##name name;
    COMPUTE_INSTANCE_CALLS(COMPUTE_MEMBER)
    COMPUTE_DEVICE_CALLS(COMPUTE_MEMBER)
#undef COMPUTE_MEMBER
} compute;

#define COMPUTE_CHECK(call) assert_int_equal((call), VK_SUCCESS)

static inline void compute_buffer(compute *c, int i)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = COMPUTE_BYTES,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    COMPUTE_CHECK(c->CreateBuffer(c->device, &info, NULL, &c->buffers[i]));
    VkMemoryRequirements need;
    c->GetBufferMemoryRequirements(c->device, c->buffers[i], &need);
    /* Every memory type of the software driver is the host's. */
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = need.size,
                                     .memoryTypeIndex = (uint32_t)__builtin_ctz(need.memoryTypeBits)};
    COMPUTE_CHECK(c->AllocateMemory(c->device, &allocate, NULL, &c->memory[i]));
    COMPUTE_CHECK(c->BindBufferMemory(c->device, c->buffers[i], c->memory[i], 0));
    COMPUTE_CHECK(c->MapMemory(c->device, c->memory[i], 0, VK_WHOLE_SIZE, 0, (void **)&c->mapped[i]));
}

static inline void compute_layout(compute *c)
{
    VkDescriptorSetLayoutBinding bindings[2];
    for (uint32_t i = 0; i < 2; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                                                     VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                           .bindingCount = 2,
                                           .pBindings = bindings};
    COMPUTE_CHECK(c->CreateDescriptorSetLayout(c->device, &set, NULL, &c->set_layout));
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = &c->set_layout};
    COMPUTE_CHECK(c->CreatePipelineLayout(c->device, &layout, NULL, &c->layout));
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1,
                                       .poolSizeCount = 1,
                                       .pPoolSizes = &size};
    COMPUTE_CHECK(c->CreateDescriptorPool(c->device, &pool, NULL, &c->pool));
    VkDescriptorSetAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                            .descriptorPool = c->pool,
                                            .descriptorSetCount = 1,
                                            .pSetLayouts = &c->set_layout};
    COMPUTE_CHECK(c->AllocateDescriptorSets(c->device, &allocate, &c->set));
    for (uint32_t i = 0; i < 2; i++) {
        VkDescriptorBufferInfo buffer = {c->buffers[i], 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = c->set,
                                      .dstBinding = i,
                                      .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = &buffer};
        c->UpdateDescriptorSets(c->device, 1, &write, 0, NULL);
    }
}

/* False when there is no Vulkan loader or no device: the test is then skipped. The ICD is lavapipe's unless
 * the environment names one. */
static inline bool compute_open(compute *c)
{
    *c = (compute){0};
    const char *manifest = system_software_driver();
    if (manifest)
        (void)setenv("VK_ICD_FILENAMES", manifest, 0);
    (void)setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
    /* Stays loaded: what lavapipe 22.3.6 keeps in its globals would be a leak of nobody's once it is
     * unloaded. */
    (void)dlopen("libvulkan_lvp.so", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    c->library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!c->library)
        return false;
    PFN_vkGetInstanceProcAddr get;
    void *symbol = dlsym(c->library, "vkGetInstanceProcAddr");
    memcpy(&get, &symbol, sizeof get);
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    if (create(&info, NULL, &c->instance))
        return false;
#define COMPUTE_LOAD(name) c->name = (PFN_vk##name)get(c->instance, "vk" #name);
    COMPUTE_INSTANCE_CALLS(COMPUTE_LOAD)
#undef COMPUTE_LOAD
    uint32_t count = 1;
    VkPhysicalDevice physical;
    if (c->EnumeratePhysicalDevices(c->instance, &count, &physical) < 0 || !count)
        return false;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .queueCreateInfoCount = 1,
                                 .pQueueCreateInfos = &queue};
    COMPUTE_CHECK(c->CreateDevice(physical, &device, NULL, &c->device));
#define COMPUTE_LOAD(name) c->name = (PFN_vk##name)c->GetDeviceProcAddr(c->device, "vk" #name);
    COMPUTE_DEVICE_CALLS(COMPUTE_LOAD)
#undef COMPUTE_LOAD
    c->GetDeviceQueue(c->device, 0, 0, &c->queue);
    compute_buffer(c, 0);
    compute_buffer(c, 1);
    compute_layout(c);
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    COMPUTE_CHECK(c->CreateCommandPool(c->device, &pool, NULL, &c->commands));
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = c->commands,
                                            .commandBufferCount = 1};
    COMPUTE_CHECK(c->AllocateCommandBuffers(c->device, &allocate, &c->command));
    return true;
}

static inline void compute_close(compute *c)
{
    if (c->device) {
        c->DestroyCommandPool(c->device, c->commands, NULL);
        c->DestroyDescriptorPool(c->device, c->pool, NULL);
        c->DestroyPipelineLayout(c->device, c->layout, NULL);
        c->DestroyDescriptorSetLayout(c->device, c->set_layout, NULL);
        for (int i = 0; i < 2; i++) {
            c->DestroyBuffer(c->device, c->buffers[i], NULL);
            c->FreeMemory(c->device, c->memory[i], NULL);
        }
        c->DestroyDevice(c->device, NULL);
        c->DestroyInstance(c->instance, NULL);
    }
}

static inline void compute_dispatch(compute *c, VkPipeline pipeline, uint32_t groups)
{
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    COMPUTE_CHECK(c->BeginCommandBuffer(c->command, &begin));
    c->CmdBindPipeline(c->command, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    c->CmdBindDescriptorSets(c->command, VK_PIPELINE_BIND_POINT_COMPUTE, c->layout, 0, 1, &c->set, 0, NULL);
    c->CmdDispatch(c->command, groups, 1, 1);
    COMPUTE_CHECK(c->EndCommandBuffer(c->command));
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c->command};
    COMPUTE_CHECK(c->QueueSubmit(c->queue, 1, &submit, VK_NULL_HANDLE));
    COMPUTE_CHECK(c->QueueWaitIdle(c->queue));
}

/* Runs `groups` workgroups of the stage over fixed input; what the out buffer holds goes to `out`. */
static inline void compute_run(compute *c, uint32_t out[COMPUTE_WORDS], const words *w,
                               const wpg_stage *stage, uint32_t groups)
{
    VkSpecializationMapEntry entries[16];
    uint8_t data[16 * 8];
    for (uint32_t i = 0; i < stage->spec_count && i < 16; i++) {
        entries[i] = (VkSpecializationMapEntry){stage->spec[i].constant_id, i * 8, stage->spec[i].size};
        memcpy(data + (size_t)i * 8, &stage->spec[i].bits, 8);
    }
    VkSpecializationInfo spec = {(uint32_t)stage->spec_count, entries, sizeof data, data};
    VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = w->count * 4, .pCode = w->data};
    VkShaderModule shader;
    VkPipeline pipeline;
    COMPUTE_CHECK(c->CreateShaderModule(c->device, &module, NULL, &shader));
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .layout = c->layout,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = shader,
                  .pName = stage->entry,
                  .pSpecializationInfo = &spec}};
    COMPUTE_CHECK(c->CreateComputePipelines(c->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
    uint32_t state = 12345;
    for (uint32_t i = 0; i < COMPUTE_WORDS; i++) {
        state = state * 1664525u + 1013904223u;
        c->mapped[0][i] = state >> 8;
        c->mapped[1][i] = 0xdeadbeef;
    }
    compute_dispatch(c, pipeline, groups);
    memcpy(out, c->mapped[1], COMPUTE_BYTES);
    c->DestroyPipeline(c->device, pipeline, NULL);
    c->DestroyShaderModule(c->device, shader, NULL);
}

#endif
