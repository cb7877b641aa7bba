/* Device memory for the directory and the counters.
 *
 * The directory's address is a literal in the instrumented words. A driver's disk cache hits only if these
 * words are the same in every run. So the address is, in order of preference:
 *
 *     imported    our own pages, mapped at a fixed address and imported (VK_EXT_external_memory_host); a
 *                 software driver's device address is the host address
 *     replayed    an address of an earlier run, by bufferDeviceAddressCaptureReplay
 *     ordinary    the driver's choice, and a log line says so
 *     literal     a driver without hardware (no memory types, or addresses of 0) gets a literal address and
 *                 no memory: pipelines can be compiled, nothing is counted
 *
 * Owns: a region owns its buffer, memory and pages, until wpg_region_destroy.
 * Threads: one thread makes and frees a region.
 * Source: Vulkan 1.3, bufferDeviceAddressCaptureReplay; VK_EXT_external_memory_host. */
#ifndef WPG_RUNTIME_COUNTERS_MEMORY_H
#define WPG_RUNTIME_COUNTERS_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"
#include "runtime/counters/vk.h"

typedef struct wpg_region {
    VkBuffer buffer;
    VkDeviceMemory memory;
    uint64_t address; /* device address; 0 = not asked for */
    void *mapped;     /* host-visible and coherent, for the region's life; NULL = device memory */
    size_t size;
    void *pages; /* our own pages that were imported, NULL if none */
    size_t pages_size;
} wpg_region;

typedef enum wpg_address_kind {
    WPG_ADDRESS_IMPORTED,
    WPG_ADDRESS_REPLAYED,
    WPG_ADDRESS_ORDINARY,
    WPG_ADDRESS_LITERAL, /* no memory behind it */
    WPG_ADDRESS_NONE,    /* counters are reached by descriptor sets */
} wpg_address_kind;

/* The opaque capture addresses of an earlier run, 0 = none yet; updated with what was used. */
typedef struct wpg_replay {
    uint64_t buffer, memory;
} wpg_replay;

typedef struct wpg_memory_limits {
    const VkPhysicalDeviceMemoryProperties *types;
    const uint32_t *families; /* the buffers are shared by these queue families */
    uint32_t family_count;
    bool host_import, capture_replay; /* what the device has enabled */
    size_t import_alignment;
    VkPhysicalDevice physical;                                        /* for the next one */
    PFN_vkGetPhysicalDeviceExternalBufferProperties external_buffers; /* NULL: nothing is imported */
} wpg_memory_limits;

/* Where a literal address lies when there is no memory behind it; also the first address we try to map at. */
#define WPG_LITERAL_ADDRESS UINT64_C(0x5750400000)

/* The directory: host-visible, at an address as stable as can be had. */
wpg_status wpg_region_create_fixed(wpg_region *region, wpg_address_kind *kind, wpg_replay *replay,
                                   const wpg_counters_vk *vk, const wpg_memory_limits *limits, size_t size,
                                   wpg_error *err);

/* Memory in pages of our own, all zero, that a software driver uses in place: its device address is the host
 * address. WPG_E_MISMATCH: the device sees them elsewhere. The pages may be remapped in place before a shader
 * runs (wpg_counters_keep). */
wpg_status wpg_region_create_pages(wpg_region *region, const wpg_counters_vk *vk,
                                   const wpg_memory_limits *limits, size_t size, wpg_error *err);

/* Memory with `want` properties (`prefer` too, if some type has them), device-addressable if `addressed`. A
 * HOST_VISIBLE one is mapped. */
wpg_status wpg_region_create(wpg_region *region, const wpg_counters_vk *vk, const wpg_memory_limits *limits,
                             size_t size, VkMemoryPropertyFlags want, VkMemoryPropertyFlags prefer,
                             bool addressed, wpg_error *err);

/* Frees it; the device must be idle. `vk` NULL: no Vulkan call is made, and the memory stays as it is (the
 * device may still write to it). */
void wpg_region_destroy(wpg_region *region, const wpg_counters_vk *vk);

/* The first memory type in `allowed` that has all of `want` and, if some has, all of `prefer`; heaps smaller
 * than `size` do not count. UINT32_MAX if there is none. */
uint32_t wpg_memory_type(const VkPhysicalDeviceMemoryProperties *types, uint32_t allowed,
                         VkMemoryPropertyFlags want, VkMemoryPropertyFlags prefer, size_t size);

#endif
