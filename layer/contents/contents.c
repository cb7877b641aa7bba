/* The comparison, and memory for what it reads and writes. See contents.h. */
#include <stdlib.h>
#include <string.h>

#include "layer/contents/contents_internal.h"
#include "runtime/base/log.h"

enum {
    MOST_BLOCKS = 512, /* 32 MiB */
    DIRECTORY_BYTES = WPG_CONTENT_SLOTS * 8
};

static const uint32_t compare_words[] = {
#include "layer/contents/compare.inc"
};

bool wpg_contents_possible(void)
{
    return wpg_the_process.mode == WPG_MODE_USE && wpg_the_process.settings.contents != 0;
}

/* -- Memory */

static uint32_t memory_type_of(const VkPhysicalDeviceMemoryProperties *memory, uint32_t allowed)
{
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (uint32_t i = 0; i < memory->memoryTypeCount; i++)
        if ((allowed >> i & 1) && (memory->memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    return UINT32_MAX;
}

wpg_content_block *wpg_content_block_make(wpg_device *device, VkDeviceSize bytes)
{
    const wpg_device_commands *next = &device->next;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = bytes,
                                     .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                              VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                              VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT};
    wpg_content_block *block = calloc(1, sizeof *block);
    VkMemoryRequirements needs;
    void *mapped;
    if (!block)
        return NULL;
    if (next->CreateBuffer(device->handle, &info, NULL, &block->buffer) != VK_SUCCESS) {
        free(block);
        return NULL;
    }
    next->GetBufferMemoryRequirements(device->handle, block->buffer, &needs);
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    const VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                         .pNext = &flags,
                                         .allocationSize = needs.size,
                                         .memoryTypeIndex =
                                             memory_type_of(&device->contents->types, needs.memoryTypeBits)};
    const VkBufferDeviceAddressInfo address = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                               .buffer = block->buffer};
    if (memory.memoryTypeIndex == UINT32_MAX ||
        next->AllocateMemory(device->handle, &memory, NULL, &block->memory) != VK_SUCCESS) {
        block->memory = VK_NULL_HANDLE;
    } else if (next->BindBufferMemory(device->handle, block->buffer, block->memory, 0) == VK_SUCCESS &&
               next->MapMemory(device->handle, block->memory, 0, VK_WHOLE_SIZE, 0, &mapped) == VK_SUCCESS) {
        block->bytes = mapped;
        block->address = wpg_content_address_command(device)(device->handle, &address);
    }
    if (block->bytes && block->address)
        return block;
    wpg_content_block_destroy(device, block);
    return NULL;
}

void wpg_content_block_destroy(wpg_device *device, wpg_content_block *block)
{
    if (!block)
        return;
    device->next.DestroyBuffer(device->handle, block->buffer, NULL);
    device->next.FreeMemory(device->handle, block->memory, NULL);
    free(block);
}

static wpg_content_block *fetch_block(wpg_device *device)
{
    struct wpg_contents *contents = device->contents;
    (void)pthread_mutex_lock(&contents->lock);
    wpg_content_block *block = contents->spare;
    bool makes = !block && contents->blocks < MOST_BLOCKS;
    if (block)
        contents->spare = block->next;
    contents->blocks += makes;
    (void)pthread_mutex_unlock(&contents->lock);
    if (makes && !(block = wpg_content_block_make(device, WPG_CONTENT_BLOCK))) {
        (void)pthread_mutex_lock(&contents->lock);
        contents->blocks--;
        (void)pthread_mutex_unlock(&contents->lock);
    }
    if (block)
        block->used = 0;
    return block;
}

bool wpg_contents_take(wpg_device *device, wpg_content_block **list, uint32_t bytes,
                       wpg_content_block **block, uint32_t *offset)
{
    const uint32_t size = (bytes + 15) & ~15u;
    if (bytes > WPG_CONTENT_BLOCK)
        return false;
    if (!*list || (*list)->used + size > WPG_CONTENT_BLOCK) {
        wpg_content_block *more = fetch_block(device);
        if (!more)
            return false;
        more->next = *list;
        *list = more;
    }
    *block = *list;
    *offset = (*list)->used;
    (*list)->used += size;
    return true;
}

void wpg_contents_give_back(wpg_device *device, wpg_content_block **list)
{
    struct wpg_contents *contents = device->contents;
    if (!*list)
        return;
    (void)pthread_mutex_lock(&contents->lock);
    while (*list) {
        wpg_content_block *block = *list;
        *list = block->next;
        block->next = contents->spare;
        contents->spare = block;
    }
    (void)pthread_mutex_unlock(&contents->lock);
}

/* -- Slots */

uint32_t wpg_contents_slot(wpg_device *device)
{
    struct wpg_contents *contents = device->contents;
    uint32_t slot = WPG_CONTENT_SLOTS;
    (void)pthread_mutex_lock(&contents->lock);
    for (uint32_t i = 0; i < WPG_CONTENT_SLOTS / 64 && slot == WPG_CONTENT_SLOTS; i++)
        if (~contents->taken[i]) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(~contents->taken[i]);
            contents->taken[i] |= UINT64_C(1) << bit;
            slot = i * 64 + bit;
        }
    (void)pthread_mutex_unlock(&contents->lock);
    if (slot < WPG_CONTENT_SLOTS)
        wpg_contents_slot_set(device, slot, 0);
    return slot;
}

void wpg_contents_slot_back(wpg_device *device, uint32_t slot)
{
    struct wpg_contents *contents = device->contents;
    (void)pthread_mutex_lock(&contents->lock);
    contents->taken[slot / 64] &= ~(UINT64_C(1) << slot % 64);
    (void)pthread_mutex_unlock(&contents->lock);
}

void wpg_contents_slot_set(wpg_device *device, uint32_t slot, uint64_t address)
{
    memcpy(device->contents->directory->bytes + (size_t)slot * 8, &address, sizeof address);
}

/* -- Life */

static bool make_comparison(wpg_device *device)
{
    struct wpg_contents *contents = device->contents;
    const uint32_t address[2] = {(uint32_t)contents->directory->address,
                                 (uint32_t)(contents->directory->address >> 32)};
    static const VkSpecializationMapEntry entries[2] = {{0, 0, 4}, {1, 4, 4}};
    const VkSpecializationInfo special = {2, entries, sizeof address, address};
    const VkPipelineLayoutCreateInfo empty = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    const VkShaderModuleCreateInfo words = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                            .codeSize = sizeof compare_words,
                                            .pCode = compare_words};
    VkShaderModule module;
    if (device->next.CreatePipelineLayout(device->handle, &empty, NULL, &contents->layout) != VK_SUCCESS) {
        contents->layout = VK_NULL_HANDLE;
        return false;
    }
    if (device->next.CreateShaderModule(device->handle, &words, NULL, &module) != VK_SUCCESS)
        return false;
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = VK_PIPELINE_CREATE_DISPATCH_BASE,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                  .module = module,
                  .pName = "main",
                  .pSpecializationInfo = &special},
        .layout = contents->layout};
    const VkResult result = device->next.CreateComputePipelines(device->handle, device->cache, 1, &info, NULL,
                                                                &contents->comparison);
    device->next.DestroyShaderModule(device->handle, module, NULL);
    if (result != VK_SUCCESS)
        contents->comparison = VK_NULL_HANDLE;
    return result == VK_SUCCESS;
}

static uint64_t families_that_compute(const wpg_device *device, VkPhysicalDevice physical)
{
    uint32_t count = 64;
    VkQueueFamilyProperties families[64];
    uint64_t able = 0;
    device->instance->next.GetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    for (uint32_t i = 0; i < count; i++)
        able |= (uint64_t)((families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0) << i;
    return able;
}

bool wpg_contents_on_family(const wpg_device *device, uint32_t family)
{
    return family < 64 && (device->contents->families >> family & 1);
}

static bool has_commands(const wpg_device *device)
{
    const wpg_device_commands *next = &device->next;
    return next->CmdBeginConditionalRenderingEXT && next->CmdEndConditionalRenderingEXT &&
           wpg_content_address_command(device) && next->CmdDispatchBase && next->CmdPipelineBarrier &&
           next->CreateBuffer && next->AllocateMemory && next->MapMemory;
}

void wpg_contents_start(wpg_device *device, VkPhysicalDevice physical)
{
    if (!device->features.contents)
        return;
    if (!device->features.buffer_device_address || !device->features.conditional_rendering ||
        !has_commands(device)) {
        wpg_log_info(
            "no pipelines for contents of uniform blocks: the device has no conditional rendering, or "
            "no buffer addresses");
        return;
    }
    struct wpg_contents *contents = calloc(1, sizeof *contents);
    if (!contents)
        return;
    device->instance->next.GetPhysicalDeviceMemoryProperties(physical, &contents->types);
    contents->families = families_that_compute(device, physical);
    wpg_handles_init(&contents->buffers);
    wpg_handles_init(&contents->layouts);
    wpg_handles_init(&contents->pools);
    wpg_handles_init(&contents->sets);
    wpg_handles_init(&contents->templates);
    (void)pthread_mutex_init(&contents->lock, NULL);
    device->contents = contents;
    contents->directory = wpg_content_block_make(device, DIRECTORY_BYTES);
    if (contents->directory && make_comparison(device)) {
        memset(contents->directory->bytes, 0, DIRECTORY_BYTES);
        return;
    }
    wpg_log_info(
        "no pipelines for contents of uniform blocks: memory or a pipeline for the comparison cannot be "
        "had");
    wpg_contents_finish(device);
}

void wpg_contents_finish(wpg_device *device)
{
    struct wpg_contents *contents = device->contents;
    if (!contents)
        return;
    if (contents->comparison)
        device->next.DestroyPipeline(device->handle, contents->comparison, NULL);
    if (contents->layout)
        device->next.DestroyPipelineLayout(device->handle, contents->layout, NULL);
    while (contents->spare) {
        wpg_content_block *block = contents->spare;
        contents->spare = block->next;
        wpg_content_block_destroy(device, block);
    }
    wpg_content_block_destroy(device, contents->directory);
    wpg_content_sets_finish(contents);
    wpg_handles_free(&contents->buffers);
    (void)pthread_mutex_destroy(&contents->lock);
    free(contents);
    device->contents = NULL;
}

VkPipeline wpg_contents_comparison(const wpg_device *device)
{
    return device->contents->comparison;
}
