/* A small driver in memory for the tests of counter memory: buffers, memory, copies that run at submission.
 * Device addresses of memory of its own begin at FAKE_BASE; imported pages keep the host's address; replayed
 * ones give back what is asked for. What fails is said in `fake`. One test at a time. */
#ifndef WPG_TEST_FAKE_VK_H
#define WPG_TEST_FAKE_VK_H

#include <stdlib.h>
#include <string.h>

#include "runtime/counters/vk.h"

#define FAKE_BASE UINT64_C(0x700000000000)

typedef struct fake_object {
    uint64_t size, capture, address;
    void *data;
    bool imported;
    struct fake_object *memory;
} fake_object;

typedef struct fake_copy {
    fake_object *from, *to;
    uint64_t size;
} fake_copy;

static struct {
    bool refuse_replay, refuse_import, zero_addresses, moved_import, not_importable, dedicated_only;
    unsigned imports;      /* buffers made for them */
    uint64_t refuse_above; /* allocations larger than this fail; 0 = none */
    unsigned live, submits, barriers;
    fake_copy copies[4]; /* recorded, run at every submission */
    unsigned copy_count;
    uint64_t next_address;
    VkResult fence;
} fake;

static fake_object *fake_new(uint64_t size)
{
    fake_object *object = calloc(1, sizeof *object);
    object->size = size;
    fake.live++;
    return object;
}

static VkResult fake_create_buffer(VkDevice d, const VkBufferCreateInfo *info, const VkAllocationCallbacks *a,
                                   VkBuffer *buffer)
{
    (void)d, (void)a;
    fake_object *object = fake_new(info->size);
    const VkBufferOpaqueCaptureAddressCreateInfo *capture = info->pNext;
    fake.imports += capture && capture->sType == VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
    if (capture && capture->sType == VK_STRUCTURE_TYPE_BUFFER_OPAQUE_CAPTURE_ADDRESS_CREATE_INFO) {
        object->capture = capture->opaqueCaptureAddress;
        if (fake.refuse_replay) {
            free(object);
            fake.live--;
            return VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS;
        }
    }
    *buffer = (VkBuffer)(uintptr_t)object;
    return VK_SUCCESS;
}
static void fake_destroy_buffer(VkDevice d, VkBuffer buffer, const VkAllocationCallbacks *a)
{
    (void)d, (void)a;
    free((void *)(uintptr_t)buffer);
    fake.live--;
}
static void fake_requirements(VkDevice d, VkBuffer buffer, VkMemoryRequirements *needs)
{
    (void)d;
    *needs = (VkMemoryRequirements){((fake_object *)(void *)(uintptr_t)buffer)->size, 256, 3};
}
static VkResult fake_allocate(VkDevice d, const VkMemoryAllocateInfo *info, const VkAllocationCallbacks *a,
                              VkDeviceMemory *memory)
{
    (void)d, (void)a;
    if (fake.refuse_above && info->allocationSize > fake.refuse_above)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    fake_object *object = fake_new(info->allocationSize);
    for (const VkBaseInStructure *at = info->pNext; at; at = at->pNext)
        if (at->sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT) {
            object->data = ((const VkImportMemoryHostPointerInfoEXT *)(const void *)at)->pHostPointer;
            object->imported = true;
        }
    if (!object->data)
        object->data = calloc(1, (size_t)object->size);
    *memory = (VkDeviceMemory)(uintptr_t)object;
    return VK_SUCCESS;
}
static void fake_free(VkDevice d, VkDeviceMemory memory, const VkAllocationCallbacks *a)
{
    (void)d, (void)a;
    fake_object *object = (void *)(uintptr_t)memory;
    if (!object->imported)
        free(object->data);
    free(object);
    fake.live--;
}
static VkResult fake_bind(VkDevice d, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset)
{
    (void)d, (void)offset;
    fake_object *object = (void *)(uintptr_t)buffer;
    object->memory = (void *)(uintptr_t)memory;
    if (object->memory->imported && !fake.moved_import)
        object->address = (uint64_t)(uintptr_t)object->memory->data;
    else if (object->capture)
        object->address = object->capture;
    else
        object->address = FAKE_BASE + (fake.next_address += 0x10000000);
    return VK_SUCCESS;
}
static VkResult fake_map(VkDevice d, VkDeviceMemory memory, VkDeviceSize o, VkDeviceSize s,
                         VkMemoryMapFlags f, void **data)
{
    (void)d, (void)o, (void)s, (void)f;
    *data = ((fake_object *)(void *)(uintptr_t)memory)->data;
    return VK_SUCCESS;
}
static void fake_unmap(VkDevice d, VkDeviceMemory memory)
{
    (void)d, (void)memory;
}
static VkDeviceAddress fake_address(VkDevice d, const VkBufferDeviceAddressInfo *info)
{
    (void)d;
    return fake.zero_addresses ? 0 : ((fake_object *)(void *)(uintptr_t)info->buffer)->address;
}
static uint64_t fake_buffer_capture(VkDevice d, const VkBufferDeviceAddressInfo *info)
{
    return fake_address(d, info);
}
static uint64_t fake_memory_capture(VkDevice d, const VkDeviceMemoryOpaqueCaptureAddressInfo *info)
{
    (void)d, (void)info;
    return 77;
}
static VkResult fake_host_pointer(VkDevice d, VkExternalMemoryHandleTypeFlagBits t, const void *p,
                                  VkMemoryHostPointerPropertiesEXT *properties)
{
    (void)d, (void)t, (void)p;
    if (fake.refuse_import)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    properties->memoryTypeBits = 1;
    return VK_SUCCESS;
}
static VkResult fake_pool(VkDevice d, const VkCommandPoolCreateInfo *i, const VkAllocationCallbacks *a,
                          VkCommandPool *pool)
{
    (void)d, (void)i, (void)a;
    *pool = (VkCommandPool)(uintptr_t)fake_new(0);
    return VK_SUCCESS;
}
static void fake_destroy_pool(VkDevice d, VkCommandPool pool, const VkAllocationCallbacks *a)
{
    (void)d, (void)a;
    free((void *)(uintptr_t)pool);
    fake.live--;
}
static VkResult fake_commands(VkDevice d, const VkCommandBufferAllocateInfo *i, VkCommandBuffer *c)
{
    (void)d, (void)i;
    *c = (VkCommandBuffer)&fake;
    return VK_SUCCESS;
}
static VkResult fake_begin(VkCommandBuffer c, const VkCommandBufferBeginInfo *i)
{
    (void)c, (void)i;
    fake.copy_count = 0;
    return VK_SUCCESS;
}
static VkResult fake_end(VkCommandBuffer c)
{
    (void)c;
    return VK_SUCCESS;
}
static void fake_barrier(VkCommandBuffer c, VkPipelineStageFlags s, VkPipelineStageFlags t,
                         VkDependencyFlags f, uint32_t n, const VkMemoryBarrier *m, uint32_t bn,
                         const VkBufferMemoryBarrier *b, uint32_t in, const VkImageMemoryBarrier *i)
{
    (void)c, (void)s, (void)t, (void)f, (void)n, (void)m, (void)bn, (void)b, (void)in, (void)i;
    fake.barriers++;
}
static void fake_copy_buffer(VkCommandBuffer c, VkBuffer from, VkBuffer to, uint32_t n, const VkBufferCopy *r)
{
    (void)c, (void)n;
    fake.copies[fake.copy_count++] = (fake_copy){(void *)(uintptr_t)from, (void *)(uintptr_t)to, r->size};
}
static VkResult fake_fence(VkDevice d, const VkFenceCreateInfo *i, const VkAllocationCallbacks *a, VkFence *f)
{
    (void)d, (void)i, (void)a;
    *f = (VkFence)(uintptr_t)fake_new(0);
    return VK_SUCCESS;
}
static void fake_destroy_fence(VkDevice d, VkFence f, const VkAllocationCallbacks *a)
{
    (void)d, (void)a;
    free((void *)(uintptr_t)f);
    fake.live--;
}
static VkResult fake_reset(VkDevice d, uint32_t n, const VkFence *f)
{
    (void)d, (void)n, (void)f;
    return VK_SUCCESS;
}
static VkResult fake_status(VkDevice d, VkFence f)
{
    (void)d, (void)f;
    return fake.fence;
}
static VkResult fake_wait(VkDevice d, uint32_t n, const VkFence *f, VkBool32 all, uint64_t t)
{
    (void)d, (void)n, (void)f, (void)all, (void)t;
    return fake.fence == VK_NOT_READY ? VK_TIMEOUT : fake.fence;
}
static VkResult fake_submit(VkQueue q, uint32_t n, const VkSubmitInfo *i, VkFence f)
{
    (void)q, (void)n, (void)i, (void)f;
    fake.submits++;
    for (unsigned c = 0; c < fake.copy_count; c++)
        memcpy(fake.copies[c].to->memory->data, fake.copies[c].from->memory->data,
               (size_t)fake.copies[c].size);
    return VK_SUCCESS;
}
static VkResult fake_loader_data(VkDevice d, void *object)
{
    (void)d, (void)object;
    return VK_SUCCESS;
}

static inline void fake_external_buffers(VkPhysicalDevice p, const VkPhysicalDeviceExternalBufferInfo *info,
                                         VkExternalBufferProperties *out)
{
    (void)p, (void)info;
    out->externalMemoryProperties.externalMemoryFeatures =
        (fake.not_importable ? 0u : VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) |
        (fake.dedicated_only ? VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT : 0u);
}

static inline wpg_counters_vk fake_vk(void)
{
    memset(&fake, 0, sizeof fake);
    return (wpg_counters_vk){.set_loader_data = fake_loader_data,
                             .CreateBuffer = fake_create_buffer,
                             .DestroyBuffer = fake_destroy_buffer,
                             .GetBufferMemoryRequirements = fake_requirements,
                             .AllocateMemory = fake_allocate,
                             .FreeMemory = fake_free,
                             .BindBufferMemory = fake_bind,
                             .MapMemory = fake_map,
                             .UnmapMemory = fake_unmap,
                             .CreateCommandPool = fake_pool,
                             .DestroyCommandPool = fake_destroy_pool,
                             .AllocateCommandBuffers = fake_commands,
                             .BeginCommandBuffer = fake_begin,
                             .EndCommandBuffer = fake_end,
                             .CmdPipelineBarrier = fake_barrier,
                             .CmdCopyBuffer = fake_copy_buffer,
                             .CreateFence = fake_fence,
                             .DestroyFence = fake_destroy_fence,
                             .ResetFences = fake_reset,
                             .GetFenceStatus = fake_status,
                             .WaitForFences = fake_wait,
                             .QueueSubmit = fake_submit,
                             .GetBufferDeviceAddress = fake_address,
                             .GetBufferOpaqueCaptureAddress = fake_buffer_capture,
                             .GetDeviceMemoryOpaqueCaptureAddress = fake_memory_capture,
                             .GetMemoryHostPointerPropertiesEXT = fake_host_pointer};
}

/* The memory behind a device address the driver gave out, as a shader would see it. */
static inline uint64_t *fake_at(VkBuffer buffer)
{
    return ((fake_object *)(void *)(uintptr_t)buffer)->memory->data;
}

#endif
