/* The program's uniform buffers and their addresses. A uniform buffer also gets the usage that lets a shader
 * read it by address, and all memory the flag that such a buffer needs (Vulkan 1.3, 12.1, 11.2). */
#include <stdlib.h>

#include "layer/base/chain.h"
#include "layer/contents/contents_internal.h"

static const VkBufferUsageFlags ADDRESS = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;

/* Buffers with further structures may be shared with others, or have a fixed address: they are left alone. */
static bool may_have_address(const VkBufferCreateInfo *info)
{
    const VkBufferCreateFlags fixed = VK_BUFFER_CREATE_SPARSE_BINDING_BIT | VK_BUFFER_CREATE_PROTECTED_BIT |
                                      VK_BUFFER_CREATE_DEVICE_ADDRESS_CAPTURE_REPLAY_BIT;
    return !info->pNext && (info->usage & VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT) && !(info->flags & fixed);
}

VKAPI_ATTR VkResult VKAPI_CALL wpg_contents_CreateBuffer(VkDevice handle, const VkBufferCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator,
                                                         VkBuffer *made)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_INITIALIZATION_FAILED;
    if (!device->contents || !may_have_address(info))
        return device->next.CreateBuffer(handle, info, allocator, made);
    VkBufferCreateInfo ours = *info;
    ours.usage |= ADDRESS;
    VkResult result = device->next.CreateBuffer(handle, &ours, allocator, made);
    if (result != VK_SUCCESS)
        return device->next.CreateBuffer(handle, info, allocator, made);
    wpg_content_buffer *record = calloc(1, sizeof *record);
    if (record) {
        record->handle = *made;
        record->size = info->size;
        record->usable = true;
        if (!wpg_handles_set(&device->contents->buffers, (uint64_t)*made, record))
            free(record);
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL wpg_contents_DestroyBuffer(VkDevice handle, VkBuffer buffer,
                                                      const VkAllocationCallbacks *allocator)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return;
    if (device->contents && buffer)
        free(wpg_handles_remove(&device->contents->buffers, (uint64_t)buffer));
    device->next.DestroyBuffer(handle, buffer, allocator);
}

/* The requirements of a buffer that is not made yet are those of the one that we would make. */
#define DEVICE_BUFFER_REQUIREMENTS(name)                                                                     \
    VKAPI_ATTR void VKAPI_CALL wpg_contents_##name(                                                          \
        VkDevice handle, const VkDeviceBufferMemoryRequirements *info, VkMemoryRequirements2 *requirements)  \
    {                                                                                                        \
        wpg_device *device = wpg_device_of(handle);                                                          \
        if (!device)                                                                                         \
            return;                                                                                          \
        VkDeviceBufferMemoryRequirements ours = *info;                                                       \
        VkBufferCreateInfo buffer = *info->pCreateInfo;                                                      \
        if (device->contents && may_have_address(&buffer)) {                                                 \
            buffer.usage |= ADDRESS;                                                                         \
            ours.pCreateInfo = &buffer;                                                                      \
        }                                                                                                    \
        device->next.name(handle, &ours, requirements);                                                      \
    }
DEVICE_BUFFER_REQUIREMENTS(GetDeviceBufferMemoryRequirements)
DEVICE_BUFFER_REQUIREMENTS(GetDeviceBufferMemoryRequirementsKHR)

VKAPI_ATTR VkResult VKAPI_CALL wpg_contents_AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo *info,
                                                           const VkAllocationCallbacks *allocator,
                                                           VkDeviceMemory *memory)
{
    wpg_device *device = wpg_device_of(handle);
    if (!device)
        return VK_ERROR_INITIALIZATION_FAILED;
    if (!device->contents)
        return device->next.AllocateMemory(handle, info, allocator, memory);
    const VkMemoryAllocateFlagsInfo *flags =
        wpg_chain_find(info->pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
    VkMemoryAllocateInfo ours = *info;
    VkMemoryAllocateFlagsInfo more = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                      .pNext = info->pNext,
                                      .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    VkStructureType unknown;
    wpg_arena arena;
    wpg_arena_init(&arena);
    bool changed = !flags;
    if (!flags) {
        ours.pNext = &more;
    } else if (!(flags->flags & VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT) &&
               wpg_chain_copy_until(&ours.pNext, &unknown, &arena, info->pNext, flags)) {
        VkMemoryAllocateFlagsInfo *copy = (VkMemoryAllocateFlagsInfo *)(uintptr_t)wpg_chain_find(
            ours.pNext, VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
        copy->flags |= VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
        changed = true;
    }
    VkResult result = device->next.AllocateMemory(handle, &ours, allocator, memory);
    if (result != VK_SUCCESS && changed) {
        result = device->next.AllocateMemory(handle, info, allocator, memory);
        if (result == VK_SUCCESS)
            atomic_store(&device->contents->unflagged, true);
    }
    wpg_arena_finish(&arena);
    return result;
}

uint64_t wpg_content_buffer_address(wpg_device *device, wpg_content_buffer *buffer)
{
    uint64_t address = atomic_load(&buffer->address);
    if (address || !buffer->usable || atomic_load(&device->contents->unflagged))
        return address;
    const VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                            .buffer = buffer->handle};
    address = wpg_content_address_command(device)(device->handle, &info);
    atomic_store(&buffer->address, address);
    return address;
}
