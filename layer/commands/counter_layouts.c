/* Layouts, pools and sets. Two layouts of sets are the same where all that Vulkan calls their definition is
 * (14.2.2): flags, bindings by number, immutable samplers, flags of bindings. */
#include "layer/commands/counter_layouts.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/chain.h"
#include "layer/commands/record.h"
#include "runtime/base/log.h"

enum { STAGES = 8, SETS_OF_POOL = 256 };

typedef struct set_layout {
    wpg_hash128 content;
    uint32_t dynamic;
    uint32_t storage[STAGES], resources[STAGES]; /* by stage bit */
    uint32_t storage_in_all;
} set_layout;

typedef struct pool {
    struct pool *next;
    VkDescriptorPool handle;
    uint32_t left;
} pool;

struct wpg_counter_sets {
    VkPhysicalDeviceLimits limits;
    VkDescriptorSetLayout layout;
    wpg_handles set_layouts; /* VkDescriptorSetLayout -> set_layout */
    wpg_handles layouts;     /* VkPipelineLayout of the program -> wpg_counter_layout */
    wpg_handles pipelines;   /* VkPipeline -> wpg_counter_pipeline */
    pthread_mutex_t lock;    /* of the next two */
    pool *pools;
    wpg_map sets; /* wpg_counter_slot -> VkDescriptorSet */
};

/* -- The device */

/* What these bring would disturb sets, or make pipelines, in ways that are not followed. */
static const char *const refused_extensions[][2] = {
    {"VK_KHR_push_descriptor", "the program enables VK_KHR_push_descriptor"},
    {"VK_EXT_descriptor_buffer", "the program enables VK_EXT_descriptor_buffer"},
    {"VK_EXT_descriptor_heap", "the program enables VK_EXT_descriptor_heap"},
    {"VK_EXT_shader_object", "the program enables VK_EXT_shader_object"},
    {"VK_EXT_graphics_pipeline_library", "the program enables VK_EXT_graphics_pipeline_library"},
    {"VK_KHR_maintenance6", "the program enables VK_KHR_maintenance6"},
    {"VK_NV_device_generated_commands", "the program enables VK_NV_device_generated_commands"},
    {"VK_EXT_device_generated_commands", "the program enables VK_EXT_device_generated_commands"},
};

const char *wpg_counter_sets_refuse(const wpg_device *device, const VkDeviceCreateInfo *info)
{
    if (device->features.api_version >= VK_MAKE_API_VERSION(0, 1, 4, 0))
        return "counters by binding: Vulkan 1.4 has push descriptors, which are not followed";
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        for (size_t k = 0; k < sizeof refused_extensions / sizeof *refused_extensions; k++)
            if (strcmp(info->ppEnabledExtensionNames[i], refused_extensions[k][0]) == 0)
                return refused_extensions[k][1];
    return NULL;
}

bool wpg_counter_sets_start(wpg_device *device, VkPhysicalDevice physical)
{
    const VkDescriptorSetLayoutBinding binding = {.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                  .descriptorCount = 1,
                                                  .stageFlags = VK_SHADER_STAGE_ALL};
    const VkDescriptorSetLayoutCreateInfo info = {.sType =
                                                      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                  .bindingCount = 1,
                                                  .pBindings = &binding};
    struct wpg_counter_sets *sets = calloc(1, sizeof *sets);
    VkPhysicalDeviceProperties properties;
    if (!sets)
        return false;
    if (!device->next.CreateDescriptorSetLayout || !device->next.CreatePipelineLayout ||
        !device->next.CreateDescriptorPool || !device->next.CmdBindDescriptorSets) {
        free(sets);
        return false;
    }
    device->instance->next.GetPhysicalDeviceProperties(physical, &properties);
    sets->limits = properties.limits;
    if (device->next.CreateDescriptorSetLayout(device->handle, &info, NULL, &sets->layout) != VK_SUCCESS) {
        free(sets);
        return false;
    }
    wpg_handles_init(&sets->set_layouts);
    wpg_handles_init(&sets->layouts);
    wpg_handles_init(&sets->pipelines);
    (void)pthread_mutex_init(&sets->lock, NULL);
    device->counter_sets = sets;
    return true;
}

static void release(wpg_device *device, wpg_counter_layout *layout)
{
    if (!layout || atomic_fetch_sub(&layout->references, 1) != 1)
        return;
    device->next.DestroyPipelineLayout(device->handle, layout->handle, NULL);
    free(layout);
}

static void release_layout(void *record, void *context)
{
    release(context, record);
}

static void release_pipeline(void *record, void *context)
{
    wpg_counter_pipeline *pipeline = record;
    release(context, pipeline->layout);
    free(pipeline);
}

void wpg_counter_sets_finish(wpg_device *device)
{
    struct wpg_counter_sets *sets = device->counter_sets;
    if (!sets)
        return;
    wpg_handles_each(&sets->pipelines, release_pipeline, device);
    wpg_handles_finish(&sets->pipelines);
    wpg_handles_each(&sets->layouts, release_layout, device);
    wpg_handles_finish(&sets->layouts);
    wpg_handles_free(&sets->set_layouts);
    for (pool *at = sets->pools, *next; at; at = next) {
        next = at->next;
        device->next.DestroyDescriptorPool(device->handle, at->handle, NULL);
        free(at);
    }
    device->next.DestroyDescriptorSetLayout(device->handle, sets->layout, NULL);
    wpg_map_free(&sets->sets);
    (void)pthread_mutex_destroy(&sets->lock);
    free(sets);
    device->counter_sets = NULL;
}

/* -- Layouts of sets */

static const uint32_t *flags_of(const VkDescriptorSetLayoutCreateInfo *info)
{
    const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags =
        wpg_chain_find(info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
    return flags && flags->bindingCount == info->bindingCount ? flags->pBindingFlags : NULL;
}

/* One binding's definition; order by number is the caller's. */
static wpg_hash128 hash_binding(const VkDescriptorSetLayoutBinding *binding, uint32_t flags)
{
    const bool samples = binding->descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER ||
                         binding->descriptorType == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    struct {
        uint32_t number, type, count, stages, flags, immutable;
        wpg_hash128 samplers;
    } key = {.number = binding->binding,
             .type = (uint32_t)binding->descriptorType,
             .count = binding->descriptorCount,
             .stages = binding->stageFlags,
             .flags = flags,
             .immutable = samples && binding->pImmutableSamplers};
    if (key.immutable)
        key.samplers =
            wpg_hash_bytes(binding->pImmutableSamplers, key.count * sizeof *binding->pImmutableSamplers);
    return wpg_hash_bytes(&key, sizeof key);
}

static int by_hash(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(wpg_hash128));
}

static void count_binding(set_layout *layout, const VkDescriptorSetLayoutBinding *binding)
{
    const VkDescriptorType type = binding->descriptorType;
    const bool dynamic = type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
    const uint32_t count = type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK ? 1 : binding->descriptorCount;
    const uint32_t storage = type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER || dynamic ? count : 0;
    for (unsigned i = 0; i < STAGES; i++)
        if (binding->stageFlags >> i & 1) {
            layout->storage[i] += storage;
            layout->resources[i] += count;
        }
    layout->storage_in_all += storage;
}

static set_layout *set_layout_of(const VkDescriptorSetLayoutCreateInfo *info, VkDescriptorSetLayout handle)
{
    set_layout *made = calloc(1, sizeof *made);
    wpg_hash128 *hashes = calloc((size_t)info->bindingCount + 1, sizeof *hashes);
    const uint32_t *flags = flags_of(info);
    if (!made || !hashes) {
        free(made);
        free(hashes);
        return NULL;
    }
    for (uint32_t i = 0; i < info->bindingCount; i++) {
        const VkDescriptorSetLayoutBinding *binding = &info->pBindings[i];
        hashes[i] = hash_binding(binding, flags ? flags[i] : 0);
        if (binding->descriptorType == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
            binding->descriptorType == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC)
            made->dynamic += binding->descriptorCount;
        /* Sets that are updated after the bind have limits of their own. */
        if (!(info->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT))
            count_binding(made, binding);
    }
    qsort(hashes, info->bindingCount, sizeof *hashes, by_hash);
    /* A structure that is not known here may say more: then it is the same as itself alone. */
    bool known = true;
    for (const VkBaseInStructure *at = info->pNext; at; at = at->pNext)
        known &= at->sType == VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO;
    hashes[info->bindingCount] = (wpg_hash128){.low = info->flags, .high = known ? 0 : (uint64_t)handle};
    made->content = wpg_hash_bytes(hashes, ((size_t)info->bindingCount + 1) * sizeof *hashes);
    free(hashes);
    return made;
}

VKAPI_ATTR VkResult VKAPI_CALL
wpg_counter_CreateDescriptorSetLayout(VkDevice handle, const VkDescriptorSetLayoutCreateInfo *info,
                                      const VkAllocationCallbacks *allocator, VkDescriptorSetLayout *made)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = device->next.CreateDescriptorSetLayout(handle, info, allocator, made);
    if (result != VK_SUCCESS || !device->counter_sets)
        return result;
    set_layout *record = set_layout_of(info, *made);
    if (record && !wpg_handles_set(&device->counter_sets->set_layouts, (uint64_t)*made, record))
        free(record);
    return result;
}

VKAPI_ATTR void VKAPI_CALL wpg_counter_DestroyDescriptorSetLayout(VkDevice handle,
                                                                  VkDescriptorSetLayout layout,
                                                                  const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    if (device->counter_sets && layout)
        free(wpg_handles_remove(&device->counter_sets->set_layouts, (uint64_t)layout));
    device->next.DestroyDescriptorSetLayout(handle, layout, allocator);
}

/* -- Layouts of pipelines */

static const char *no_room(const VkPhysicalDeviceLimits *limits, const set_layout *const *of, uint32_t count)
{
    uint32_t storage_in_all = 0;
    if (count + 1 > limits->maxBoundDescriptorSets || count + 1 > WPG_MOST_SETS)
        return "no descriptor set is left for counters (maxBoundDescriptorSets)";
    for (unsigned stage = 0; stage < STAGES; stage++) {
        uint32_t storage = 0, resources = 0;
        for (uint32_t i = 0; i < count; i++) {
            storage += of[i]->storage[stage];
            resources += of[i]->resources[stage];
        }
        if (storage >= limits->maxPerStageDescriptorStorageBuffers)
            return "no storage buffer is left for counters (maxPerStageDescriptorStorageBuffers)";
        if (resources >= limits->maxPerStageResources)
            return "no resource is left for counters (maxPerStageResources)";
    }
    for (uint32_t i = 0; i < count; i++)
        storage_in_all += of[i]->storage_in_all;
    if (storage_in_all >= limits->maxDescriptorSetStorageBuffers)
        return "no storage buffer is left for counters (maxDescriptorSetStorageBuffers)";
    return NULL;
}

static bool create_handle(wpg_device *device, wpg_counter_layout *made,
                          const VkPipelineLayoutCreateInfo *info)
{
    VkDescriptorSetLayout all[WPG_MOST_SETS];
    VkPipelineLayoutCreateInfo mine = *info;
    if (info->setLayoutCount)
        memcpy(all, info->pSetLayouts, info->setLayoutCount * sizeof *all);
    if (!made->why)
        all[mine.setLayoutCount++] = device->counter_sets->layout;
    mine.pSetLayouts = all;
    if (device->next.CreatePipelineLayout(device->handle, &mine, NULL, &made->handle) == VK_SUCCESS)
        return true;
    made->handle = VK_NULL_HANDLE;
    return false;
}

void wpg_counter_layout_add(wpg_device *device, const VkPipelineLayoutCreateInfo *info,
                            VkPipelineLayout program)
{
    struct wpg_counter_sets *sets = device->counter_sets;
    const set_layout *of[WPG_MOST_SETS];
    uint64_t signature, words;
    if (!sets || info->setLayoutCount > WPG_MOST_SETS ||
        !wpg_record_ranges(&signature, &words, info->pPushConstantRanges, info->pushConstantRangeCount))
        return;
    wpg_counter_layout *made = calloc(1, sizeof *made);
    if (!made)
        return;
    atomic_store(&made->references, 1);
    made->count = info->setLayoutCount;
    wpg_hash128 so_far = {.low = signature, .high = info->flags};
    for (uint32_t i = 0; i < made->count; i++) {
        of[i] =
            info->pSetLayouts[i] ? wpg_handles_get(&sets->set_layouts, (uint64_t)info->pSetLayouts[i]) : NULL;
        if (!of[i]) {
            free(made);
            return;
        }
        const wpg_hash128 both[] = {so_far, of[i]->content};
        so_far = made->compatible[i] = wpg_hash_bytes(both, sizeof both);
        made->dynamic[i] = of[i]->dynamic;
    }
    made->why = no_room(&sets->limits, of, made->count);
    if (!create_handle(device, made, info)) {
        free(made);
        return;
    }
    release(device, wpg_handles_remove(&sets->layouts, (uint64_t)program));
    if (!wpg_handles_set(&sets->layouts, (uint64_t)program, made))
        release(device, made);
}

void wpg_counter_layout_remove(wpg_device *device, VkPipelineLayout program)
{
    if (device->counter_sets && program)
        release(device, wpg_handles_remove(&device->counter_sets->layouts, (uint64_t)program));
}

wpg_counter_layout *wpg_counter_layout_of(wpg_device *device, VkPipelineLayout program)
{
    return program ? wpg_handles_get(&device->counter_sets->layouts, (uint64_t)program) : NULL;
}

/* -- Sets */

static pool *pool_with_room(wpg_device *device)
{
    struct wpg_counter_sets *sets = device->counter_sets;
    const VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, SETS_OF_POOL};
    const VkDescriptorPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                             .maxSets = SETS_OF_POOL,
                                             .poolSizeCount = 1,
                                             .pPoolSizes = &size};
    if (sets->pools && sets->pools->left)
        return sets->pools;
    pool *made = calloc(1, sizeof *made);
    if (!made ||
        device->next.CreateDescriptorPool(device->handle, &info, NULL, &made->handle) != VK_SUCCESS) {
        free(made);
        return NULL;
    }
    made->left = SETS_OF_POOL;
    made->next = sets->pools;
    sets->pools = made;
    return made;
}

static bool make_set(VkDescriptorSet *set, wpg_device *device, const VkDescriptorBufferInfo *range)
{
    pool *from = pool_with_room(device);
    if (!from)
        return false;
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = from->handle,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &device->counter_sets->layout};
    if (device->next.AllocateDescriptorSets(device->handle, &info, set) != VK_SUCCESS)
        return false;
    from->left--;
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = *set,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = range};
    device->next.UpdateDescriptorSets(device->handle, 1, &write, 0, NULL);
    return true;
}

bool wpg_counter_set_of(VkDescriptorSet *set, wpg_device *device, const wpg_counter_slot *slot)
{
    struct wpg_counter_sets *sets = device->counter_sets;
    VkDescriptorBufferInfo range = {0};
    *set = VK_NULL_HANDLE;
    if (!wpg_counters_range(&range.buffer, &range.offset, &range.range, device->counters, slot))
        return true;
    (void)pthread_mutex_lock(&sets->lock);
    uint64_t known = 0;
    bool good = wpg_map_get(&sets->sets, (uint64_t)(uintptr_t)slot, &known);
    if (good)
        *set = (VkDescriptorSet)known;
    else
        good = make_set(set, device, &range) &&
               wpg_map_set(&sets->sets, (uint64_t)(uintptr_t)slot, (uint64_t)*set);
    (void)pthread_mutex_unlock(&sets->lock);
    return good;
}

/* -- Pipelines */

bool wpg_counter_pipeline_add(wpg_device *device, VkPipeline pipeline, wpg_counter_layout *layout,
                              VkDescriptorSet set)
{
    wpg_counter_pipeline *made = calloc(1, sizeof *made);
    wpg_counter_pipeline_remove(device, pipeline);
    if (!made)
        return false;
    *made = (wpg_counter_pipeline){layout, set};
    atomic_fetch_add(&layout->references, 1);
    if (wpg_handles_set(&device->counter_sets->pipelines, (uint64_t)pipeline, made))
        return true;
    release_pipeline(made, device);
    return false;
}

void wpg_counter_pipeline_remove(wpg_device *device, VkPipeline pipeline)
{
    wpg_counter_pipeline *record =
        device->counter_sets && pipeline
            ? wpg_handles_remove(&device->counter_sets->pipelines, (uint64_t)pipeline)
            : NULL;
    if (record)
        release_pipeline(record, device);
}

const wpg_counter_pipeline *wpg_counter_pipeline_of(wpg_device *device, VkPipeline pipeline)
{
    return pipeline ? wpg_handles_get(&device->counter_sets->pipelines, (uint64_t)pipeline) : NULL;
}
