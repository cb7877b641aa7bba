/* Layouts, pools and sets. */
#include "layer/commands/counter_layouts.h"

#include <stdlib.h>
#include <string.h>

#include "layer/commands/record.h"
#include "runtime/base/log.h"
#include "runtime/base/vec.h"

enum { SETS_OF_POOL = 256 };

typedef struct pool {
    struct pool *next;
    VkDescriptorPool handle;
    uint32_t left;
} pool;

struct wpg_counter_sets {
    wpg_set_limits limits;
    VkDescriptorSetLayout layout; /* of our sets */
    wpg_hash128 definition;       /* its: a program may define one alike */
    wpg_handles set_layouts;      /* VkDescriptorSetLayout -> wpg_set_layout */
    wpg_handles layouts;          /* VkPipelineLayout of the program -> wpg_counter_layout */
    wpg_handles templates;        /* VkDescriptorUpdateTemplate that pushes -> wpg_push_template */
    wpg_handles pipelines;        /* VkPipeline -> wpg_counter_pipeline */
    pthread_mutex_t lock;         /* of the next two */
    pool *pools;
    WPG_VEC(VkDescriptorSet) free; /* of pipelines that are gone */
};

/* -- The device */

/* What these bring binds resources, or makes pipelines, in ways that are not followed. */
static const char *const refused_extensions[][2] = {
    {"VK_EXT_descriptor_buffer", "the program enables VK_EXT_descriptor_buffer"},
    {"VK_EXT_descriptor_heap", "the program enables VK_EXT_descriptor_heap"},
    {"VK_EXT_shader_object", "the program enables VK_EXT_shader_object"},
    {"VK_EXT_graphics_pipeline_library", "the program enables VK_EXT_graphics_pipeline_library"},
    {"VK_NV_device_generated_commands", "the program enables VK_NV_device_generated_commands"},
    {"VK_EXT_device_generated_commands", "the program enables VK_EXT_device_generated_commands"},
    /* Sets by stage, and pipeline layouts that are given with each bind. */
    {"VK_NV_per_stage_descriptor_set", "the program enables VK_NV_per_stage_descriptor_set"},
    /* Types of descriptors that could be pushed, and not again. */
    {"VK_ARM_tensors", "the program enables VK_ARM_tensors"},
    {"VK_NV_partitioned_acceleration_structure",
     "the program enables VK_NV_partitioned_acceleration_structure"},
};

const char *wpg_counter_sets_refuse(const VkDeviceCreateInfo *info)
{
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
    if (!sets)
        return false;
    if (!device->next.CreateDescriptorSetLayout || !device->next.CreatePipelineLayout ||
        !device->next.CreateDescriptorPool || !device->next.CmdBindDescriptorSets) {
        free(sets);
        return false;
    }
    wpg_set_limits_read(&sets->limits, device, physical);
    wpg_set_layout *ours = wpg_set_layout_make(&info, VK_NULL_HANDLE);
    if (!ours ||
        device->next.CreateDescriptorSetLayout(device->handle, &info, NULL, &sets->layout) != VK_SUCCESS) {
        wpg_set_layout_free(ours);
        free(sets);
        return false;
    }
    sets->definition = ours->definition;
    wpg_set_layout_free(ours);
    wpg_handles_init(&sets->set_layouts);
    wpg_handles_init(&sets->layouts);
    wpg_handles_init(&sets->templates);
    wpg_handles_init(&sets->pipelines);
    (void)pthread_mutex_init(&sets->lock, NULL);
    device->counter_sets = sets;
    return true;
}

/* Without memory for the note the set is not used again. */
void wpg_counter_set_drop(wpg_device *device, VkDescriptorSet set)
{
    struct wpg_counter_sets *sets = device->counter_sets;
    if (!set)
        return;
    (void)pthread_mutex_lock(&sets->lock);
    (void)wpg_vec_push(&sets->free, set);
    (void)pthread_mutex_unlock(&sets->lock);
}

static void release(wpg_device *device, wpg_counter_layout *layout)
{
    if (!layout || atomic_fetch_sub(&layout->references, 1) != 1)
        return;
    device->next.DestroyPipelineLayout(device->handle, layout->handle, NULL);
    wpg_push_shape_drop(layout->pushed);
    free(layout);
}

static void release_layout(void *record, void *context)
{
    release(context, record);
}

static void free_set_layout(void *record, void *context)
{
    (void)context;
    wpg_set_layout_free(record);
}

static void release_pipeline(void *record, void *context)
{
    wpg_counter_pipeline *pipeline = record;
    release(context, pipeline->layout);
    wpg_counter_set_drop(context, pipeline->set);
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
    wpg_handles_each(&sets->set_layouts, free_set_layout, NULL);
    wpg_handles_finish(&sets->set_layouts);
    wpg_handles_free(&sets->templates);
    for (pool *at = sets->pools, *next; at; at = next) {
        next = at->next;
        device->next.DestroyDescriptorPool(device->handle, at->handle, NULL);
        free(at);
    }
    device->next.DestroyDescriptorSetLayout(device->handle, sets->layout, NULL);
    wpg_vec_free(&sets->free);
    (void)pthread_mutex_destroy(&sets->lock);
    free(sets);
    device->counter_sets = NULL;
}

/* -- Layouts of sets */

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
    wpg_handles *known = &device->counter_sets->set_layouts;
    wpg_set_layout_free(wpg_handles_remove(known, (uint64_t)*made)); /* destroyed behind our back */
    wpg_set_layout *record = wpg_set_layout_make(info, *made);
    if (record && !wpg_handles_set(known, (uint64_t)*made, record))
        wpg_set_layout_free(record);
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
        wpg_set_layout_free(wpg_handles_remove(&device->counter_sets->set_layouts, (uint64_t)layout));
    device->next.DestroyDescriptorSetLayout(handle, layout, allocator);
}

/* -- Layouts of pipelines */

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

/* NULL: it is not known. */
static const wpg_set_layout *set_layout_of(wpg_device *device, VkDescriptorSetLayout handle)
{
    return handle ? wpg_handles_get(&device->counter_sets->set_layouts, (uint64_t)handle)
                  : &wpg_set_layout_none;
}

/* What the layout says of its sets. False: one is not known. */
static bool describe(wpg_counter_layout *made, wpg_device *device, const VkPipelineLayoutCreateInfo *info,
                     uint64_t push_constants)
{
    const wpg_set_layout *of[WPG_MOST_SETS];
    wpg_hash128 both[2] = {{.low = push_constants, .high = info->flags}};
    made->count = info->setLayoutCount;
    made->push_set = WPG_MOST_SETS;
    for (uint32_t i = 0; i < made->count; i++) {
        of[i] = set_layout_of(device, info->pSetLayouts[i]);
        if (!of[i])
            return false;
        both[1] = of[i]->definition;
        both[0] = made->compatible[i] = wpg_hash_bytes(both, sizeof both);
        made->dynamic[i] = of[i]->dynamic;
        if (!of[i]->pushed)
            continue;
        wpg_push_shape_drop(made->pushed); /* a layout has one such set at most */
        made->push_set = i;
        made->pushed = wpg_push_shape_hold(of[i]->pushed);
    }
    made->why = wpg_set_layouts_no_room(&device->counter_sets->limits, of, made->count);
    both[1] = device->counter_sets->definition;
    if (!made->why)
        made->compatible[made->count] = wpg_hash_bytes(both, sizeof both);
    return true;
}

void wpg_counter_layout_add(wpg_device *device, const VkPipelineLayoutCreateInfo *info,
                            VkPipelineLayout program)
{
    struct wpg_counter_sets *sets = device->counter_sets;
    uint64_t signature, words;
    if (!sets || info->setLayoutCount > WPG_MOST_SETS ||
        !wpg_record_ranges(&signature, &words, info->pPushConstantRanges, info->pushConstantRangeCount))
        return;
    wpg_counter_layout *made = calloc(1, sizeof *made);
    if (!made)
        return;
    atomic_store(&made->references, 1);
    if (!describe(made, device, info, signature) || !create_handle(device, made, info)) {
        wpg_push_shape_drop(made->pushed);
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

wpg_handles *wpg_counter_templates(wpg_device *device)
{
    return &device->counter_sets->templates;
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

/* One that was used before, else a new one. */
static bool take_set(VkDescriptorSet *set, wpg_device *device)
{
    struct wpg_counter_sets *sets = device->counter_sets;
    if (sets->free.count) {
        *set = wpg_vec_pop(&sets->free);
        return true;
    }
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
    return true;
}

bool wpg_counter_set_make(VkDescriptorSet *set, wpg_device *device, const wpg_counter_slot *slot)
{
    struct wpg_counter_sets *sets = device->counter_sets;
    VkDescriptorBufferInfo range = {0};
    *set = VK_NULL_HANDLE;
    if (!wpg_counters_range(&range.buffer, &range.offset, &range.range, device->counters, slot))
        return true;
    (void)pthread_mutex_lock(&sets->lock);
    const bool good = take_set(set, device);
    (void)pthread_mutex_unlock(&sets->lock);
    if (!good)
        return false;
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = *set,
                                        .descriptorCount = 1,
                                        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                        .pBufferInfo = &range};
    device->next.UpdateDescriptorSets(device->handle, 1, &write, 0, NULL);
    return true;
}

/* -- Pipelines */

bool wpg_counter_pipeline_add(wpg_device *device, VkPipeline pipeline, wpg_counter_layout *layout,
                              VkDescriptorSet set)
{
    wpg_counter_pipeline *made = calloc(1, sizeof *made);
    wpg_counter_pipeline_remove(device, pipeline);
    if (!made) {
        wpg_counter_set_drop(device, set);
        return false;
    }
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
