/* See set_layouts.h. */
#include "layer/commands/set_layouts.h"

#include <stdlib.h>
#include <string.h>

#include "layer/base/chain.h"

const wpg_set_layout wpg_set_layout_none = {.definition = {0, 1}};

/* -- What a layout is */

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

static void count_binding(wpg_set_counts *counts, const VkDescriptorSetLayoutBinding *binding)
{
    const VkDescriptorType type = binding->descriptorType;
    const bool dynamic = type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
    const uint32_t count = type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK ? 1 : binding->descriptorCount;
    const uint32_t storage = type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER || dynamic ? count : 0;
    for (unsigned i = 0; i < WPG_SET_STAGES; i++)
        if (binding->stageFlags >> i & 1) {
            counts->storage[i] += storage;
            counts->resources[i] += count;
        }
    counts->storage_in_all += storage;
}

/* A structure that is not known here may say more: such a layout is the same as itself alone. */
static bool is_known(const void *chain)
{
    for (const VkBaseInStructure *at = chain; at; at = at->pNext)
        if (at->sType != VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO)
            return false;
    return true;
}

wpg_set_layout *wpg_set_layout_make(const VkDescriptorSetLayoutCreateInfo *info, VkDescriptorSetLayout handle)
{
    wpg_set_layout *made = calloc(1, sizeof *made);
    wpg_hash128 *hashes = calloc((size_t)info->bindingCount + 1, sizeof *hashes);
    const uint32_t *flags = flags_of(info);
    if (!made || !hashes) {
        free(made);
        free(hashes);
        return NULL;
    }
    made->updated_after_bind = info->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT;
    for (uint32_t i = 0; i < info->bindingCount; i++) {
        const VkDescriptorSetLayoutBinding *binding = &info->pBindings[i];
        hashes[i] = hash_binding(binding, flags ? flags[i] : 0);
        if (binding->descriptorType == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
            binding->descriptorType == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC)
            made->dynamic += binding->descriptorCount;
        count_binding(&made->counts, binding);
    }
    qsort(hashes, info->bindingCount, sizeof *hashes, by_hash);
    hashes[info->bindingCount] =
        (wpg_hash128){.low = info->flags, .high = is_known(info->pNext) ? 0 : (uint64_t)handle};
    made->definition = wpg_hash_bytes(hashes, ((size_t)info->bindingCount + 1) * sizeof *hashes);
    free(hashes);
    if (!(info->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR) ||
        (made->pushed = wpg_push_shape_make(info, made->definition)))
        return made;
    free(made);
    return NULL;
}

void wpg_set_layout_free(wpg_set_layout *layout)
{
    if (layout)
        wpg_push_shape_drop(layout->pushed);
    free(layout);
}

/* -- Room for one more */

void wpg_set_limits_read(wpg_set_limits *limits, const wpg_device *device, VkPhysicalDevice physical)
{
    const wpg_instance_commands *ask = &device->instance->next;
    VkPhysicalDeviceDescriptorIndexingProperties indexing = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &indexing};
    /* A driver without VK_EXT_descriptor_indexing passes the structure over, and has no such sets. */
    if (device->features.api_version >= VK_API_VERSION_1_1 && ask->GetPhysicalDeviceProperties2)
        ask->GetPhysicalDeviceProperties2(physical, &all);
    else
        ask->GetPhysicalDeviceProperties(physical, &all.properties);
    const VkPhysicalDeviceLimits *of = &all.properties.limits;
    *limits =
        (wpg_set_limits){.sets = of->maxBoundDescriptorSets,
                         .ordinary = {of->maxPerStageDescriptorStorageBuffers, of->maxPerStageResources,
                                      of->maxDescriptorSetStorageBuffers},
                         .updated_after_bind = {indexing.maxPerStageDescriptorUpdateAfterBindStorageBuffers,
                                                indexing.maxPerStageUpdateAfterBindResources,
                                                indexing.maxDescriptorSetUpdateAfterBindStorageBuffers}};
}

static wpg_set_counts sum(const wpg_set_layout *const *of, uint32_t count, bool all)
{
    wpg_set_counts sums = {.storage_in_all = 0};
    for (uint32_t i = 0; i < count; i++) {
        const wpg_set_counts *more = &of[i]->counts;
        if (of[i]->updated_after_bind && !all)
            continue;
        for (unsigned stage = 0; stage < WPG_SET_STAGES; stage++) {
            sums.storage[stage] += more->storage[stage];
            sums.resources[stage] += more->resources[stage];
        }
        sums.storage_in_all += more->storage_in_all;
    }
    return sums;
}

typedef enum shortage { SHORT_OF_NOTHING, SHORT_OF_STORAGE, SHORT_OF_RESOURCES, SHORT_IN_ALL } shortage;

static shortage short_of(const struct wpg_set_limit *limit, wpg_set_counts sums)
{
    for (unsigned stage = 0; stage < WPG_SET_STAGES; stage++) {
        if (sums.storage[stage] >= limit->storage)
            return SHORT_OF_STORAGE;
        if (sums.resources[stage] >= limit->resources)
            return SHORT_OF_RESOURCES;
    }
    return sums.storage_in_all >= limit->storage_in_all ? SHORT_IN_ALL : SHORT_OF_NOTHING;
}

const char *wpg_set_layouts_no_room(const wpg_set_limits *limits, const wpg_set_layout *const *of,
                                    uint32_t count)
{
    static const char *const ordinary[] = {
        NULL, "no storage buffer is left for counters (maxPerStageDescriptorStorageBuffers)",
        "no resource is left for counters (maxPerStageResources)",
        "no storage buffer is left for counters (maxDescriptorSetStorageBuffers)"};
    static const char *const after_bind[] = {
        NULL, "no storage buffer is left for counters (maxPerStageDescriptorUpdateAfterBindStorageBuffers)",
        "no resource is left for counters (maxPerStageUpdateAfterBindResources)",
        "no storage buffer is left for counters (maxDescriptorSetUpdateAfterBindStorageBuffers)"};
    bool any_after_bind = false;
    if (count + 1 > limits->sets || count + 1 > WPG_MOST_SETS)
        return "no descriptor set is left for counters (maxBoundDescriptorSets)";
    for (uint32_t i = 0; i < count; i++) {
        any_after_bind |= of[i]->updated_after_bind;
        if (of[i]->pushed && !of[i]->pushed->known)
            return "its push descriptors are of a type that is not known here";
    }
    const shortage short_now = short_of(&limits->ordinary, sum(of, count, false));
    if (short_now || !any_after_bind)
        return ordinary[short_now];
    return after_bind[short_of(&limits->updated_after_bind, sum(of, count, true))];
}
