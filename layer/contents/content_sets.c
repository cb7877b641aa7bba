/* What descriptor sets hold of uniform buffers. A set that may not be updated after it is bound holds the
 * same from the bind on (Vulkan 1.3, 14.2): what is read at a draw is what the GPU reads. */
#include <stdlib.h>
#include <string.h>

#include "layer/base/chain.h"
#include "layer/contents/contents_internal.h"

enum { NO_DYNAMIC = UINT32_MAX };

typedef struct binding {
    uint32_t number, count;
    uint32_t first;   /* of a uniform buffer: its place among the set's; */
    uint32_t dynamic; /* its place among the dynamic offsets; NO_DYNAMIC */
    bool uniform;
} binding;

/* A layout of sets, as far as uniform buffers go. Sets keep it when the program destroys it. */
typedef struct wpg_content_layout {
    atomic_uint references;
    bool followed; /* no set of it may be updated while it is bound */
    uint32_t uniform_count, dynamic_count, binding_count;
    binding bindings[]; /* by number */
} wpg_content_layout;

typedef struct wpg_content_set {
    struct wpg_content_set *next, *previous;
    struct wpg_content_pool *pool;
    VkDescriptorSet handle;
    wpg_content_layout *layout;
    VkDescriptorBufferInfo held[]; /* [layout->uniform_count]; no buffer: never written */
} wpg_content_set;

typedef struct wpg_content_pool {
    wpg_content_set *sets;
} wpg_content_pool;

typedef struct wpg_content_template {
    uint32_t count;
    VkDescriptorUpdateTemplateEntry entries[]; /* those of uniform buffers */
} wpg_content_template;

static bool is_uniform(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
}

static bool is_dynamic(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
           type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

/* -- Layouts */

static int by_number(const void *left, const void *right)
{
    const binding *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void release(wpg_content_layout *layout)
{
    if (layout && atomic_fetch_sub(&layout->references, 1) == 1)
        free(layout);
}

static void retain(void *record)
{
    wpg_content_layout *layout = record;
    atomic_fetch_add(&layout->references, 1);
}

/* Flags let a descriptor be updated, or be invalid, where no invocation reads it. The comparison would. */
static bool has_flags(const VkDescriptorSetLayoutCreateInfo *info, uint32_t index)
{
    const VkDescriptorSetLayoutBindingFlagsCreateInfo *flags =
        wpg_chain_find(info->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
    return flags && index < flags->bindingCount && flags->pBindingFlags[index];
}

static wpg_content_layout *layout_of(const VkDescriptorSetLayoutCreateInfo *info)
{
    const uint32_t count = info->bindingCount;
    wpg_content_layout *layout = calloc(1, sizeof *layout + count * sizeof *layout->bindings);
    if (!layout)
        return NULL;
    atomic_store(&layout->references, 1);
    layout->followed = info->flags == 0;
    layout->binding_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const VkDescriptorSetLayoutBinding *from = &info->pBindings[i];
        layout->bindings[i] = (binding){.number = from->binding,
                                        .count = from->descriptorCount,
                                        .uniform = is_uniform(from->descriptorType) && !has_flags(info, i),
                                        .dynamic = is_dynamic(from->descriptorType) ? 0 : NO_DYNAMIC};
    }
    qsort(layout->bindings, count, sizeof *layout->bindings, by_number);
    for (uint32_t i = 0; i < count; i++) {
        binding *of = &layout->bindings[i];
        of->first = layout->uniform_count;
        layout->uniform_count += of->uniform ? of->count : 0;
        if (of->dynamic == NO_DYNAMIC)
            continue;
        of->dynamic = layout->dynamic_count;
        layout->dynamic_count += of->count;
    }
    return layout;
}

VKAPI_ATTR VkResult VKAPI_CALL
wpg_contents_CreateDescriptorSetLayout(VkDevice handle, const VkDescriptorSetLayoutCreateInfo *info,
                                       const VkAllocationCallbacks *allocator, VkDescriptorSetLayout *made)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = device->next.CreateDescriptorSetLayout(handle, info, allocator, made);
    wpg_content_layout *layout = result == VK_SUCCESS && device->contents ? layout_of(info) : NULL;
    if (layout && !wpg_handles_set(&device->contents->layouts, (uint64_t)*made, layout))
        release(layout);
    return result;
}

VKAPI_ATTR void VKAPI_CALL wpg_contents_DestroyDescriptorSetLayout(VkDevice handle,
                                                                   VkDescriptorSetLayout layout,
                                                                   const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    if (device->contents && layout)
        release(wpg_handles_remove(&device->contents->layouts, (uint64_t)layout));
    device->next.DestroyDescriptorSetLayout(handle, layout, allocator);
}

/* -- Sets and pools. A pool and its sets are externally synchronised. */

static void forget(struct wpg_contents *contents, wpg_content_set *set)
{
    if (set->previous)
        set->previous->next = set->next;
    else
        set->pool->sets = set->next;
    if (set->next)
        set->next->previous = set->previous;
    (void)wpg_handles_remove(&contents->sets, (uint64_t)set->handle);
    release(set->layout);
    free(set);
}

static void empty_pool(struct wpg_contents *contents, wpg_content_pool *pool)
{
    while (pool && pool->sets)
        forget(contents, pool->sets);
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_contents_ResetDescriptorPool(VkDevice handle, VkDescriptorPool pool,
                                                                VkDescriptorPoolResetFlags flags)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_DEVICE_LOST;
    if (device->contents)
        empty_pool(device->contents, wpg_handles_get(&device->contents->pools, (uint64_t)pool));
    return device->next.ResetDescriptorPool(handle, pool, flags);
}

VKAPI_ATTR void VKAPI_CALL wpg_contents_DestroyDescriptorPool(VkDevice handle, VkDescriptorPool pool,
                                                              const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    if (device->contents && pool) {
        wpg_content_pool *record = wpg_handles_remove(&device->contents->pools, (uint64_t)pool);
        empty_pool(device->contents, record);
        free(record);
    }
    device->next.DestroyDescriptorPool(handle, pool, allocator);
}

static wpg_content_pool *pool_of(struct wpg_contents *contents, VkDescriptorPool handle)
{
    wpg_content_pool *pool = wpg_handles_get(&contents->pools, (uint64_t)handle);
    if (pool || !(pool = calloc(1, sizeof *pool)))
        return pool;
    if (wpg_handles_set(&contents->pools, (uint64_t)handle, pool))
        return pool;
    free(pool);
    return NULL;
}

static void add_set(struct wpg_contents *contents, wpg_content_pool *pool, VkDescriptorSet handle,
                    VkDescriptorSetLayout layout_handle)
{
    wpg_content_layout *layout =
        wpg_handles_get_retained(&contents->layouts, (uint64_t)layout_handle, retain);
    wpg_content_set *set = layout ? calloc(1, sizeof *set + layout->uniform_count * sizeof *set->held) : NULL;
    if (!set || !wpg_handles_set(&contents->sets, (uint64_t)handle, set)) {
        release(layout);
        free(set);
        return;
    }
    set->handle = handle;
    set->layout = layout;
    set->pool = pool;
    set->next = pool->sets;
    if (set->next)
        set->next->previous = set;
    pool->sets = set;
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_contents_AllocateDescriptorSets(VkDevice handle,
                                                                   const VkDescriptorSetAllocateInfo *info,
                                                                   VkDescriptorSet *sets)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_INITIALIZATION_FAILED;
    VkResult result = device->next.AllocateDescriptorSets(handle, info, sets);
    wpg_content_pool *pool =
        result == VK_SUCCESS && device->contents ? pool_of(device->contents, info->descriptorPool) : NULL;
    for (uint32_t i = 0; pool && i < info->descriptorSetCount; i++)
        add_set(device->contents, pool, sets[i], info->pSetLayouts[i]);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_contents_FreeDescriptorSets(VkDevice handle, VkDescriptorPool pool,
                                                               uint32_t count, const VkDescriptorSet *sets)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_DEVICE_LOST;
    for (uint32_t i = 0; device->contents && i < count; i++) {
        wpg_content_set *set = sets[i] ? wpg_handles_get(&device->contents->sets, (uint64_t)sets[i]) : NULL;
        if (set)
            forget(device->contents, set);
    }
    return device->next.FreeDescriptorSets(handle, pool, count, sets);
}

/* -- Updates */

/* A descriptor of a set; moves on through elements and then bindings, as updates do
 * (VkWriteDescriptorSet). */
typedef struct cursor {
    wpg_content_set *set;
    uint32_t binding, element; /* index of the binding */
} cursor;

static cursor cursor_at(struct wpg_contents *contents, VkDescriptorSet handle, uint32_t number,
                        uint32_t element)
{
    cursor at = {wpg_handles_get(&contents->sets, (uint64_t)handle), 0, element};
    while (at.set && at.binding < at.set->layout->binding_count &&
           at.set->layout->bindings[at.binding].number < number)
        at.binding++;
    return at;
}

/* What the descriptor holds, if it is of a uniform buffer, and moves on; NULL: it is of another kind, or not
 * known. */
static VkDescriptorBufferInfo *take(cursor *at)
{
    if (!at->set)
        return NULL;
    const wpg_content_layout *layout = at->set->layout;
    while (at->binding < layout->binding_count && at->element >= layout->bindings[at->binding].count) {
        at->element -= layout->bindings[at->binding].count;
        at->binding++;
    }
    if (at->binding >= layout->binding_count)
        return NULL;
    const binding *of = &layout->bindings[at->binding];
    VkDescriptorBufferInfo *held = of->uniform ? &at->set->held[of->first + at->element] : NULL;
    at->element++;
    return held;
}

static void copy(struct wpg_contents *contents, const VkCopyDescriptorSet *what)
{
    cursor from = cursor_at(contents, what->srcSet, what->srcBinding, what->srcArrayElement);
    cursor into = cursor_at(contents, what->dstSet, what->dstBinding, what->dstArrayElement);
    for (uint32_t i = 0; i < what->descriptorCount; i++) {
        const VkDescriptorBufferInfo *source = take(&from);
        VkDescriptorBufferInfo *held = take(&into);
        if (held)
            *held = source ? *source : (VkDescriptorBufferInfo){0};
    }
}

VKAPI_ATTR void VKAPI_CALL wpg_contents_UpdateDescriptorSets(VkDevice handle, uint32_t write_count,
                                                             const VkWriteDescriptorSet *writes,
                                                             uint32_t copy_count,
                                                             const VkCopyDescriptorSet *copies)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    for (uint32_t i = 0; device->contents && i < write_count; i++) {
        const VkWriteDescriptorSet *write = &writes[i];
        if (!is_uniform(write->descriptorType))
            continue;
        cursor at = cursor_at(device->contents, write->dstSet, write->dstBinding, write->dstArrayElement);
        for (uint32_t k = 0; k < write->descriptorCount; k++) {
            VkDescriptorBufferInfo *held = take(&at);
            if (held)
                *held = write->pBufferInfo[k];
        }
    }
    for (uint32_t i = 0; device->contents && i < copy_count; i++)
        copy(device->contents, &copies[i]);
    device->next.UpdateDescriptorSets(handle, write_count, writes, copy_count, copies);
}

/* -- Templates */

static void note_template(wpg_device *device, VkDescriptorUpdateTemplate made,
                          const VkDescriptorUpdateTemplateCreateInfo *info)
{
    const uint32_t count = info->descriptorUpdateEntryCount;
    if (!device->contents || info->templateType != VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET)
        return;
    wpg_content_template *record = calloc(1, sizeof *record + count * sizeof *record->entries);
    for (uint32_t i = 0; record && i < count; i++)
        if (is_uniform(info->pDescriptorUpdateEntries[i].descriptorType))
            record->entries[record->count++] = info->pDescriptorUpdateEntries[i];
    if (record && !wpg_handles_set(&device->contents->templates, (uint64_t)made, record))
        free(record);
}

static void update_by(wpg_device *device, VkDescriptorSet set, VkDescriptorUpdateTemplate by,
                      const void *data)
{
    const wpg_content_template *record =
        device->contents ? wpg_handles_get(&device->contents->templates, (uint64_t)by) : NULL;
    for (uint32_t i = 0; record && i < record->count; i++) {
        const VkDescriptorUpdateTemplateEntry *entry = &record->entries[i];
        cursor at = cursor_at(device->contents, set, entry->dstBinding, entry->dstArrayElement);
        for (uint32_t k = 0; k < entry->descriptorCount; k++) {
            VkDescriptorBufferInfo *held = take(&at);
            if (held)
                memcpy(held, (const char *)data + entry->offset + k * entry->stride, sizeof *held);
        }
    }
}

#define TEMPLATES(create, destroy, update)                                                                   \
    VKAPI_ATTR VkResult VKAPI_CALL wpg_contents_##create(                                                    \
        VkDevice handle, const VkDescriptorUpdateTemplateCreateInfo *info,                                   \
        const VkAllocationCallbacks *allocator, VkDescriptorUpdateTemplate *made)                            \
    {                                                                                                        \
        wpg_device *device = wpg_device_of(handle);                                                          \
        if (!device)                                                                                         \
            return VK_ERROR_INITIALIZATION_FAILED;                                                           \
        VkResult result = device->next.create(handle, info, allocator, made);                                \
        if (result == VK_SUCCESS)                                                                            \
            note_template(device, *made, info);                                                              \
        return result;                                                                                       \
    }                                                                                                        \
    VKAPI_ATTR void VKAPI_CALL wpg_contents_##destroy(VkDevice handle, VkDescriptorUpdateTemplate made,      \
                                                      const VkAllocationCallbacks *allocator)                \
    {                                                                                                        \
        wpg_device *device = wpg_device_of(handle);                                                          \
        if (!device)                                                                                         \
            return;                                                                                          \
        if (device->contents && made)                                                                        \
            free(wpg_handles_remove(&device->contents->templates, (uint64_t)made));                          \
        device->next.destroy(handle, made, allocator);                                                       \
    }                                                                                                        \
    VKAPI_ATTR void VKAPI_CALL wpg_contents_##update(VkDevice handle, VkDescriptorSet set,                   \
                                                     VkDescriptorUpdateTemplate by, const void *data)        \
    {                                                                                                        \
        wpg_device *device = wpg_device_of(handle);                                                          \
        if (!device)                                                                                         \
            return;                                                                                          \
        update_by(device, set, by, data);                                                                    \
        device->next.update(handle, set, by, data);                                                          \
    }
TEMPLATES(CreateDescriptorUpdateTemplate, DestroyDescriptorUpdateTemplate, UpdateDescriptorSetWithTemplate)
TEMPLATES(CreateDescriptorUpdateTemplateKHR, DestroyDescriptorUpdateTemplateKHR,
          UpdateDescriptorSetWithTemplateKHR)

/* -- What a draw reads */

void wpg_contents_bind(wpg_device *device, wpg_content_bound *bound, uint32_t first, uint32_t count,
                       const VkDescriptorSet *sets, uint32_t offset_count, const uint32_t *offsets)
{
    uint32_t used = 0;
    bool known = true; /* how many of the offsets belong to earlier sets */
    for (uint32_t i = 0; i < count; i++) {
        const wpg_content_set *set =
            sets[i] && known ? wpg_handles_get(&device->contents->sets, (uint64_t)sets[i]) : NULL;
        const uint32_t dynamic = set ? set->layout->dynamic_count : 0;
        known &= set != NULL || !offset_count;
        const bool fits = set && dynamic <= WPG_CONTENT_DYNAMIC && used + dynamic <= offset_count;
        if (first + i < WPG_CONTENT_SETS) {
            bound->sets[first + i] = fits ? sets[i] : VK_NULL_HANDLE;
            if (fits && dynamic)
                memcpy(bound->offsets[first + i], offsets + used, dynamic * sizeof *offsets);
        }
        used += dynamic;
    }
}

uint64_t wpg_contents_address(wpg_device *device, const wpg_content_bound *bound, const wpg_word_test *test)
{
    struct wpg_contents *contents = device->contents;
    const VkDescriptorSet handle = test->set < WPG_CONTENT_SETS ? bound->sets[test->set] : VK_NULL_HANDLE;
    const wpg_content_set *set = handle ? wpg_handles_get(&contents->sets, (uint64_t)handle) : NULL;
    if (!set || !set->layout->followed)
        return 0;
    const binding *of = NULL;
    for (uint32_t i = 0; i < set->layout->binding_count && !of; i++)
        if (set->layout->bindings[i].number == test->binding)
            of = &set->layout->bindings[i];
    if (!of || !of->uniform || of->count != 1)
        return 0;
    const VkDescriptorBufferInfo *held = &set->held[of->first];
    wpg_content_buffer *buffer =
        held->buffer ? wpg_handles_get(&contents->buffers, (uint64_t)held->buffer) : NULL;
    const uint64_t dynamic = of->dynamic == NO_DYNAMIC ? 0 : bound->offsets[test->set][of->dynamic];
    if (!buffer || held->offset > buffer->size)
        return 0;
    const uint64_t range = held->range == VK_WHOLE_SIZE ? buffer->size - held->offset : held->range;
    const uint64_t at = held->offset + dynamic + test->offset;
    if (test->offset + UINT64_C(4) > range || at + 4 > buffer->size || at % 4)
        return 0;
    const uint64_t address = wpg_content_buffer_address(device, buffer);
    return address ? address + at : 0;
}

static void drop_set(void *record, void *context)
{
    (void)context;
    wpg_content_set *set = record;
    release(set->layout);
    free(set);
}

static void drop_layout(void *record, void *context)
{
    (void)context;
    release(record);
}

void wpg_content_sets_finish(struct wpg_contents *contents)
{
    wpg_handles_each(&contents->sets, drop_set, NULL);
    wpg_handles_finish(&contents->sets);
    wpg_handles_each(&contents->layouts, drop_layout, NULL);
    wpg_handles_finish(&contents->layouts);
    wpg_handles_free(&contents->pools);
    wpg_handles_free(&contents->templates);
}
