/* Buffers with device addresses. memory.h says which address a buffer gets, and why. */
#include "runtime/counters/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/base/log.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* Where our pages may lie. Far from where programs, libraries, stacks and heaps usually are; several, because
 * sanitizers and Wine reserve large parts of the address space (the first suits ThreadSanitizer, the second
 * AddressSanitizer). The first free one is taken, so that one program gets the same address in every run. */
static const uint64_t candidates[] = {
    WPG_LITERAL_ADDRESS,
#if UINTPTR_MAX == UINT32_MAX
    /* Where 64 bits cannot be: between a program's heap and its libraries, above and below 2 GiB. */
    UINT64_C(0x9f500000),
    UINT64_C(0x4f500000),
    UINT64_C(0x2f500000),
    UINT64_C(0x6f500000),
#endif
/* ThreadSanitizer keeps its shadow at the others, and turns a wish for them into one for address 0. */
#ifndef __SANITIZE_THREAD__
    UINT64_C(0x2f5750400000),
    UINT64_C(0x1f5750400000),
    UINT64_C(0x3f5750400000),
    UINT64_C(0x7b5750400000),
#endif
};

uint32_t wpg_memory_type(const VkPhysicalDeviceMemoryProperties *types, uint32_t allowed,
                         VkMemoryPropertyFlags want, VkMemoryPropertyFlags prefer, size_t size)
{
    uint32_t fallback = UINT32_MAX;
    for (uint32_t i = 0; i < types->memoryTypeCount && i < VK_MAX_MEMORY_TYPES; i++) {
        VkMemoryPropertyFlags has = types->memoryTypes[i].propertyFlags;
        uint32_t heap = types->memoryTypes[i].heapIndex;
        if (!(allowed >> i & 1) || (has & want) != want || heap >= types->memoryHeapCount ||
            types->memoryHeaps[heap].size < size || (has & VK_MEMORY_PROPERTY_PROTECTED_BIT) ||
            (has & VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD))
            continue;
        if ((has & prefer) == prefer)
            return i;
        if (fallback == UINT32_MAX)
            fallback = i;
    }
    return fallback;
}

static VkBufferUsageFlags usage_of(bool addressed)
{
    return VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
           VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | (addressed ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0u);
}

static VkBufferCreateInfo buffer_info(const wpg_memory_limits *limits, size_t size, bool addressed)
{
    bool shared = limits->family_count > 1;
    return (VkBufferCreateInfo){
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size,
        .usage = usage_of(addressed),
        .sharingMode = shared ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
        .queueFamilyIndexCount = shared ? limits->family_count : 0,
        .pQueueFamilyIndices = shared ? limits->families : NULL,
    };
}

static wpg_status driver_refused(wpg_error *err, const char *what, VkResult result)
{
    return wpg_fail(err, WPG_E_IO, "%s for counters failed (VkResult %d)", what, (int)result);
}

/* Allocates for region->buffer, binds, maps what is host-visible, asks for the address. */
static wpg_status back_buffer(wpg_region *region, const wpg_counters_vk *vk, uint32_t type, bool mapped,
                              bool addressed, VkDeviceSize size, const void *chain, bool replayable,
                              uint64_t memory_capture, wpg_error *err)
{
    VkMemoryOpaqueCaptureAddressAllocateInfo capture = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_OPAQUE_CAPTURE_ADDRESS_ALLOCATE_INFO,
        .pNext = chain,
        .opaqueCaptureAddress = memory_capture};
    VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .pNext = memory_capture ? &capture : chain,
        .flags =
            (VkMemoryAllocateFlags)(VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT |
                                    (replayable ? VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT : 0))};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = addressed ? &flags : chain,
                                 .allocationSize = size,
                                 .memoryTypeIndex = type};
    VkResult result = vk->AllocateMemory(vk->device, &info, NULL, &region->memory);
    if (result != VK_SUCCESS) {
        region->memory = VK_NULL_HANDLE;
        return driver_refused(err, "vkAllocateMemory", result);
    }
    result = vk->BindBufferMemory(vk->device, region->buffer, region->memory, 0);
    if (result != VK_SUCCESS)
        return driver_refused(err, "vkBindBufferMemory", result);
    if (mapped) {
        result = vk->MapMemory(vk->device, region->memory, 0, VK_WHOLE_SIZE, 0, &region->mapped);
        if (result != VK_SUCCESS || !region->mapped)
            return driver_refused(err, "vkMapMemory", result);
    }
    if (addressed) {
        VkBufferDeviceAddressInfo ask = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                         .buffer = region->buffer};
        region->address = vk->GetBufferDeviceAddress(vk->device, &ask);
    }
    return WPG_OK;
}

static wpg_status create_backed(wpg_region *region, const wpg_counters_vk *vk,
                                const wpg_memory_limits *limits, size_t size, VkMemoryPropertyFlags want,
                                VkMemoryPropertyFlags prefer, bool addressed, wpg_replay *replay,
                                wpg_error *err)
{
    VkBufferCreateInfo info = buffer_info(limits, size, addressed);
    VkBufferOpaqueCaptureAddressCreateInfo capture = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO,
        .opaqueCaptureAddress = replay ? replay->buffer : 0};
    if (replay)
        info.flags |= VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
    if (replay && replay->buffer)
        info.pNext = &capture;
    region->size = size;
    VkResult result = vk->CreateBuffer(vk->device, &info, NULL, &region->buffer);
    if (result != VK_SUCCESS) {
        region->buffer = VK_NULL_HANDLE;
        return driver_refused(err, "vkCreateBuffer", result);
    }
    VkMemoryRequirements needs;
    vk->GetBufferMemoryRequirements(vk->device, region->buffer, &needs);
    uint32_t type = wpg_memory_type(limits->types, needs.memoryTypeBits, want, prefer, size);
    if (type == UINT32_MAX)
        return wpg_fail(err, WPG_E_NOT_FOUND, "no memory type fits");
    bool visible = limits->types->memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
    return back_buffer(region, vk, type, visible && (want & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT), addressed,
                       needs.size, NULL, replay != NULL, replay ? replay->memory : 0, err);
}

wpg_status wpg_region_create(wpg_region *region, const wpg_counters_vk *vk, const wpg_memory_limits *limits,
                             size_t size, VkMemoryPropertyFlags want, VkMemoryPropertyFlags prefer,
                             bool addressed, wpg_error *err)
{
    *region = (wpg_region){0};
    wpg_status status = create_backed(region, vk, limits, size, want, prefer, addressed, NULL, err);
    if (status != WPG_OK)
        wpg_region_destroy(region, vk);
    return status;
}

/* -- Imported pages */

static void *map_at(uint64_t address, size_t size)
{
    if (address > UINTPTR_MAX - size)
        return NULL;
    void *want = (void *)(uintptr_t)address;
    void *got =
        mmap(want, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED)
        return NULL;
    if (got != want) { /* a kernel before 4.17 takes the address as a hint */
        (void)munmap(got, size);
        return NULL;
    }
    return got;
}

/* VUID-VkBufferCreateInfo-pNext-00920: a buffer for memory of another kind is made only where the physical
 * device says that it can be. One that wants the memory for itself alone is not what we bind. */
static bool can_import(const wpg_memory_limits *limits, const VkBufferCreateInfo *info)
{
    VkPhysicalDeviceExternalBufferInfo ask = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
                                              .flags = info->flags,
                                              .usage = info->usage,
                                              .handleType =
                                                  VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
    VkExternalBufferProperties can = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    if (!limits->external_buffers)
        return false;
    limits->external_buffers(limits->physical, &ask, &can);
    VkExternalMemoryFeatureFlags features = can.externalMemoryProperties.externalMemoryFeatures;
    return (features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) &&
           !(features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT);
}

static wpg_status import_pages(wpg_region *region, const wpg_counters_vk *vk, const wpg_memory_limits *limits,
                               wpg_error *err)
{
    VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
    VkBufferCreateInfo info = buffer_info(limits, region->size, true);
    if (!can_import(limits, &info))
        return wpg_fail(err, WPG_E_UNSUPPORTED, "the device imports no host pages into such a buffer");
    info.pNext = &external;
    VkResult result = vk->CreateBuffer(vk->device, &info, NULL, &region->buffer);
    if (result != VK_SUCCESS) {
        region->buffer = VK_NULL_HANDLE;
        return driver_refused(err, "vkCreateBuffer", result);
    }
    VkMemoryRequirements needs;
    vk->GetBufferMemoryRequirements(vk->device, region->buffer, &needs);
    VkMemoryHostPointerPropertiesEXT pointer = {.sType =
                                                    VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    result = vk->GetMemoryHostPointerPropertiesEXT(
        vk->device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, region->pages, &pointer);
    if (result != VK_SUCCESS)
        return driver_refused(err, "vkGetMemoryHostPointerPropertiesEXT", result);
    uint32_t type = wpg_memory_type(
        limits->types, needs.memoryTypeBits & pointer.memoryTypeBits,
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, 0, region->size);
    if (type == UINT32_MAX || needs.size > region->pages_size)
        return wpg_fail(err, WPG_E_NOT_FOUND, "no memory type takes host pages");
    VkImportMemoryHostPointerInfoEXT import = {.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
                                               .handleType =
                                                   VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
                                               .pHostPointer = region->pages};
    WPG_TRY(back_buffer(region, vk, type, false, true, region->pages_size, &import, false, 0, err));
    if (region->address != (uint64_t)(uintptr_t)region->pages)
        return wpg_fail(err, WPG_E_MISMATCH, "the device sees imported pages at another address");
    region->mapped = region->pages;
    return WPG_OK;
}

static size_t import_unit(const wpg_memory_limits *limits)
{
    long page = sysconf(_SC_PAGESIZE);
    size_t unit = page > 0 ? (size_t)page : 4096;
    return limits->import_alignment > unit ? limits->import_alignment : unit;
}

wpg_status wpg_region_create_pages(wpg_region *region, const wpg_counters_vk *vk,
                                   const wpg_memory_limits *limits, size_t size, wpg_error *err)
{
    size_t unit = import_unit(limits), rounded = (size + unit - 1) / unit * unit;
    void *pages = mmap(NULL, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *region = (wpg_region){0};
    if (pages == MAP_FAILED)
        return wpg_fail(err, WPG_E_NOMEM, "no memory for counters");
    *region = (wpg_region){.size = size, .pages = pages, .pages_size = rounded};
    wpg_status status = (uintptr_t)pages % unit == 0
                            ? import_pages(region, vk, limits, err)
                            : wpg_fail(err, WPG_E_MISMATCH, "the pages are not aligned as the driver asks");
    if (status != WPG_OK)
        wpg_region_destroy(region, vk);
    return status;
}

static wpg_status create_imported(wpg_region *region, const wpg_counters_vk *vk,
                                  const wpg_memory_limits *limits, size_t size, wpg_error *err)
{
    size_t unit = import_unit(limits), rounded = (size + unit - 1) / unit * unit;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        if (candidates[i] % unit)
            continue;
        *region = (wpg_region){.size = size, .pages = map_at(candidates[i], rounded), .pages_size = rounded};
        if (!region->pages)
            continue;
        wpg_status status = import_pages(region, vk, limits, err);
        if (status != WPG_OK)
            wpg_region_destroy(region, vk);
        return status;
    }
    return wpg_fail(err, WPG_E_NOT_FOUND, "no fixed address is free");
}

/* -- Replayed addresses */

static wpg_status create_replayed(wpg_region *region, wpg_replay *replay, const wpg_counters_vk *vk,
                                  const wpg_memory_limits *limits, size_t size, wpg_error *err)
{
    const VkMemoryPropertyFlags host =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    *region = (wpg_region){0};
    wpg_status status =
        create_backed(region, vk, limits, size, host, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, true, replay, err);
    if (status != WPG_OK) {
        wpg_region_destroy(region, vk);
        return status;
    }
    VkBufferDeviceAddressInfo buffer = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                        .buffer = region->buffer};
    VkDeviceMemoryOpaqueCaptureAddressInfo memory = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_MEMORY_OPAQUE_CAPTURE_ADDRESS_INFO, .memory = region->memory};
    *replay = (wpg_replay){.buffer = vk->GetBufferOpaqueCaptureAddress(vk->device, &buffer),
                           .memory = vk->GetDeviceMemoryOpaqueCaptureAddress(vk->device, &memory)};
    return WPG_OK;
}

wpg_status wpg_region_create_fixed(wpg_region *region, wpg_address_kind *kind, wpg_replay *replay,
                                   const wpg_counters_vk *vk, const wpg_memory_limits *limits, size_t size,
                                   wpg_error *err)
{
    const VkMemoryPropertyFlags host =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    wpg_error why;
    if (limits->types->memoryTypeCount == 0) {
        *region = (wpg_region){.address = WPG_LITERAL_ADDRESS, .size = size};
        *kind = WPG_ADDRESS_LITERAL;
        return WPG_OK;
    }
    if (limits->host_import && vk->GetMemoryHostPointerPropertiesEXT) {
        if (create_imported(region, vk, limits, size, &why) == WPG_OK) {
            *kind = WPG_ADDRESS_IMPORTED;
            return WPG_OK;
        }
        wpg_log_debug("counter directory in imported pages: %s", why.message);
    }
    if (limits->capture_replay && vk->GetBufferOpaqueCaptureAddress &&
        vk->GetDeviceMemoryOpaqueCaptureAddress) {
        wpg_status status = create_replayed(region, replay, vk, limits, size, &why);
        if (status != WPG_OK && replay->buffer) {
            wpg_log_debug("counter directory at its last address: %s", why.message);
            *replay = (wpg_replay){0};
            status = create_replayed(region, replay, vk, limits, size, &why);
        }
        if (status == WPG_OK && region->address) {
            *kind = WPG_ADDRESS_REPLAYED;
            return WPG_OK;
        }
        if (status == WPG_OK)
            wpg_region_destroy(region, vk);
    }
    WPG_TRY(
        wpg_region_create(region, vk, limits, size, host, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, true, err));
    *kind = WPG_ADDRESS_ORDINARY;
    if (region->address == 0) { /* a driver that only compiles */
        wpg_region_destroy(region, vk);
        *region = (wpg_region){.address = WPG_LITERAL_ADDRESS, .size = size};
        *kind = WPG_ADDRESS_LITERAL;
    }
    return WPG_OK;
}

void wpg_region_destroy(wpg_region *region, const wpg_counters_vk *vk)
{
    if (vk) {
        if (region->mapped && region->mapped != region->pages)
            vk->UnmapMemory(vk->device, region->memory);
        if (region->buffer)
            vk->DestroyBuffer(vk->device, region->buffer, NULL);
        if (region->memory)
            vk->FreeMemory(vk->device, region->memory, NULL);
        if (region->pages)
            (void)munmap(region->pages, region->pages_size);
    }
    /* Without Vulkan the device may still write to our pages: they stay until the process goes. */
    *region = (wpg_region){0};
}
