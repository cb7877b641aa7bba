/* Puts directory, counter memory and drain together. */
#include "runtime/counters/counters.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/base/log.h"

struct wpg_counters {
    wpg_counters_vk vk;
    pthread_mutex_t lock; /* of layout and entries */
    wpg_layout layout;
    wpg_directory entries;
    bool software;                         /* shaders run on the host's processors */
    wpg_region directory, memory, staging; /* staging: device placement only */
    wpg_drain drain;
    wpg_address_kind kind;
    wpg_replay replay;
    uint64_t start;
    bool bound;
};

enum { COUNTER_SIZE = 8 };
/* Bytes of a cache line. Slots begin at one: shaders keep apart what they read and what they add to. */
enum { LINE = 64 };
static const size_t least_bytes = (size_t)1 << 20;

/* Host-visible memory is right where it is the device's own: software and integrated devices, and cards whose
 * whole memory the host sees (a heap several times our size, not the classic 256 MiB window of which we would
 * take a large part). */
static bool prefer_host(const wpg_counters_config *config)
{
    if (config->placement != WPG_COUNTERS_AUTO)
        return config->placement == WPG_COUNTERS_HOST;
    if (config->device_type == VK_PHYSICAL_DEVICE_TYPE_CPU ||
        config->device_type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU)
        return true;
    const VkMemoryPropertyFlags both = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                       VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    return wpg_memory_type(config->limits.types, UINT32_MAX, both, 0, config->bytes * 3) != UINT32_MAX;
}

static wpg_status create_memory(wpg_counters *counters, const wpg_counters_config *config, size_t bytes,
                                wpg_error *err)
{
    const VkMemoryPropertyFlags host =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const wpg_memory_limits *limits = &config->limits;
    wpg_error why;
    if (prefer_host(config) && config->device_type == VK_PHYSICAL_DEVICE_TYPE_CPU &&
        counters->kind == WPG_ADDRESS_IMPORTED) {
        if (wpg_region_create_pages(&counters->memory, &counters->vk, limits, bytes, &why) == WPG_OK)
            return WPG_OK;
        wpg_log_debug("counters in imported pages: %s", why.message);
    }
    if (prefer_host(config))
        return wpg_region_create(&counters->memory, &counters->vk, limits, bytes, host,
                                 VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, !config->bound, err);
    WPG_TRY(wpg_region_create(&counters->memory, &counters->vk, limits, bytes,
                              VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0, !config->bound, err));
    wpg_status status = wpg_region_create(&counters->staging, &counters->vk, limits, bytes, host,
                                          VK_MEMORY_PROPERTY_HOST_CACHED_BIT, false, err);
    if (status != WPG_OK)
        wpg_region_destroy(&counters->memory, &counters->vk);
    return status;
}

static void fill(uint64_t *words, size_t count, uint64_t value)
{
    if (value == 0) {
        memset(words, 0, count * sizeof *words);
        return;
    }
    for (size_t i = 0; i < count; i++)
        words[i] = value;
}

/* First values into the counters. */
static wpg_status fill_memory(wpg_counters *counters, const wpg_counters_config *config, wpg_error *err)
{
    const wpg_region *visible = counters->memory.mapped ? &counters->memory : &counters->staging;
    if (!visible->pages ||
        counters->start) /* our own pages are zero, and not there before they are touched */
        fill(visible->mapped, visible->size / COUNTER_SIZE, counters->start);
    WPG_TRY(wpg_drain_init(&counters->drain, &counters->vk, &counters->memory,
                           counters->memory.mapped ? NULL : &counters->staging, err));
    if (!counters->memory.mapped)
        return wpg_drain_upload(&counters->drain, config->queue, config->queue_family, err);
    return WPG_OK;
}

static wpg_status create_directory(wpg_counters *counters, const wpg_counters_config *config, size_t slots,
                                   wpg_error *err)
{
    if (config->bound) {
        counters->kind = config->limits.types->memoryTypeCount ? WPG_ADDRESS_NONE : WPG_ADDRESS_LITERAL;
        return WPG_OK;
    }
    if (!counters->vk.GetBufferDeviceAddress)
        return wpg_fail(err, WPG_E_UNSUPPORTED, "vkGetBufferDeviceAddress is missing");
    return wpg_region_create_fixed(&counters->directory, &counters->kind, &counters->replay, &counters->vk,
                                   &config->limits, wpg_directory_bytes(slots), err);
}

static wpg_status build(wpg_counters *counters, const wpg_counters_config *config, wpg_error *err)
{
    size_t bytes = config->bytes < least_bytes ? least_bytes : config->bytes;
    size_t slots = 1;
    while (slots < config->slots)
        slots <<= 1;
    WPG_TRY(create_directory(counters, config, slots, err));
    wpg_status status = WPG_OK;
    if (counters->kind != WPG_ADDRESS_LITERAL) {
        while ((status = create_memory(counters, config, bytes, err)) != WPG_OK && bytes / 2 >= least_bytes)
            bytes /= 2;
        if (status == WPG_OK && !config->bound && counters->memory.address == 0)
            status = wpg_fail(err, WPG_E_IO, "counter memory has no device address");
    }
    if (status == WPG_OK)
        status = wpg_layout_init(&counters->layout, slots, bytes / COUNTER_SIZE, err);
    if (status == WPG_OK)
        counters->layout.unit = (config->alignment > LINE ? config->alignment : LINE) / COUNTER_SIZE;
    if (status == WPG_OK && !config->bound)
        status = wpg_directory_init(&counters->entries, slots, counters->directory.mapped,
                                    counters->memory.address, err);
    if (status == WPG_OK && counters->kind != WPG_ADDRESS_LITERAL)
        status = fill_memory(counters, config, err);
    return status;
}

wpg_status wpg_counters_create(wpg_counters **counters, const wpg_counters_vk *vk,
                               const wpg_counters_config *config, wpg_error *err)
{
    wpg_counters *made = calloc(1, sizeof *made);
    if (!made)
        return wpg_fail(err, WPG_E_NOMEM, "out of memory for counters");
    (void)pthread_mutex_init(&made->lock, NULL);
    made->vk = *vk;
    made->replay = config->replay;
    made->start = config->start;
    made->bound = config->bound;
    made->software = config->device_type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    wpg_status status = build(made, config, err);
    if (status != WPG_OK)
        wpg_counters_destroy(made, true);
    else
        *counters = made;
    return status;
}

void wpg_counters_destroy(wpg_counters *counters, bool vk_alive)
{
    if (!counters)
        return;
    const wpg_counters_vk *vk = vk_alive ? &counters->vk : NULL;
    wpg_drain_finish(&counters->drain, vk_alive);
    wpg_region_destroy(&counters->directory, vk);
    wpg_region_destroy(&counters->memory, vk);
    wpg_region_destroy(&counters->staging, vk);
    wpg_directory_finish(&counters->entries);
    wpg_layout_finish(&counters->layout);
    (void)pthread_mutex_destroy(&counters->lock);
    free(counters);
}

wpg_address_kind wpg_counters_address_kind(const wpg_counters *counters)
{
    return counters->kind;
}

wpg_replay wpg_counters_replay(const wpg_counters *counters)
{
    return counters->replay;
}

bool wpg_counters_readable(const wpg_counters *counters)
{
    return counters->kind != WPG_ADDRESS_LITERAL;
}

size_t wpg_counters_keepable(const wpg_counters *counters)
{
    return counters->memory.pages && !counters->start ? counters->memory.pages_size : 0;
}

wpg_status wpg_counters_keep(wpg_counters *counters, int file, wpg_error *err)
{
    const wpg_region *memory = &counters->memory;
    /* Mapped beside, then moved over the old pages: where the mapping is refused, those stay. */
    void *made = wpg_counters_keepable(counters)
                     ? mmap(NULL, memory->pages_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                     : MAP_FAILED;
    if (made != MAP_FAILED && mremap(made, memory->pages_size, memory->pages_size,
                                     MREMAP_MAYMOVE | MREMAP_FIXED, memory->pages) == memory->pages)
        return WPG_OK;
    if (made != MAP_FAILED)
        (void)munmap(made, memory->pages_size);
    return wpg_fail(err, WPG_E_IO, "counters cannot be mapped into a file");
}

wpg_status wpg_counters_claim(wpg_counter_slot **slot, wpg_counters *counters, wpg_hash128 hash,
                              wpg_error *err)
{
    (void)pthread_mutex_lock(&counters->lock);
    wpg_status status = wpg_layout_claim(slot, &counters->layout, hash, err);
    (void)pthread_mutex_unlock(&counters->lock);
    return status;
}

void wpg_counters_claim_again(wpg_counter_slot *slot)
{
    atomic_fetch_add(&slot->claims, 1);
    atomic_fetch_add(&slot->users, 1);
}

wpg_counters_way wpg_counters_way_of(const wpg_counters *counters, const wpg_counter_slot *slot)
{
    size_t count = counters->layout.slot_count;
    uint64_t base = counters->directory.address;
    wpg_directory_key key = wpg_directory_key_of(slot->hash, count);
    return (wpg_counters_way){base + wpg_directory_seeds_at(count) + key.seed * sizeof(uint32_t), base,
                              key.tag, key.shift};
}

/* A host write is visible to every later submission (Vulkan 1.3, 7.9). Under the lock. */
static wpg_status place(wpg_counters *counters, wpg_counter_slot *slot, size_t count, wpg_error *err)
{
    bool placed;
    WPG_TRY(wpg_layout_place(&placed, &counters->layout, slot, count, err));
    if (counters->bound || slot->entered)
        return WPG_OK;
    const uint64_t address = counters->memory.address + atomic_load(&slot->first) * COUNTER_SIZE;
    wpg_status status = wpg_directory_add(&counters->entries, slot->hash, address, err);
    slot->entered = status == WPG_OK;
    return status;
}

wpg_status wpg_counters_place(wpg_counters *counters, wpg_counter_slot *slot, size_t count, wpg_error *err)
{
    (void)pthread_mutex_lock(&counters->lock);
    wpg_status status = place(counters, slot, count, err);
    (void)pthread_mutex_unlock(&counters->lock);
    return status;
}

/* Under the lock. */
static void take_out(wpg_counters *counters, wpg_counter_slot *slot)
{
    if (slot->entered)
        wpg_directory_remove(&counters->entries, slot->hash);
    slot->entered = false;
    wpg_layout_take_out(&counters->layout, slot);
}

bool wpg_counters_release(wpg_counters *counters, wpg_counter_slot *slot)
{
    (void)pthread_mutex_lock(&counters->lock);
    const bool last = atomic_fetch_sub(&slot->users, 1) == 1, listed = atomic_load(&slot->listed);
    if (last && !listed) {
        take_out(counters, slot);
        wpg_layout_drop(&counters->layout, slot, true);
    }
    (void)pthread_mutex_unlock(&counters->lock);
    return last && listed;
}

bool wpg_counters_retire(wpg_counters *counters, wpg_counter_slot *slot, unsigned claims)
{
    (void)pthread_mutex_lock(&counters->lock);
    const bool unused = atomic_load(&slot->users) == 0 && atomic_load(&slot->claims) == claims;
    if (unused)
        take_out(counters, slot);
    (void)pthread_mutex_unlock(&counters->lock);
    return unused;
}

void wpg_counters_reuse(wpg_counters *counters, wpg_counter_slot *slot)
{
    uint64_t *words = counters->memory.mapped;
    if (words)
        fill(words + atomic_load(&slot->first), atomic_load(&slot->count), counters->start);
    (void)pthread_mutex_lock(&counters->lock);
    wpg_layout_drop(&counters->layout, slot, words != NULL);
    (void)pthread_mutex_unlock(&counters->lock);
}

bool wpg_counters_direct(const wpg_counters *counters)
{
    return counters->software && counters->memory.mapped;
}

bool wpg_counters_range(VkBuffer *buffer, VkDeviceSize *offset, VkDeviceSize *size,
                        const wpg_counters *counters, const wpg_counter_slot *slot)
{
    *buffer = counters->memory.buffer;
    *offset = atomic_load(&slot->first) * COUNTER_SIZE;
    *size = atomic_load(&slot->count) * COUNTER_SIZE;
    return counters->memory.buffer && *size;
}

wpg_drain *wpg_counters_drain(wpg_counters *counters)
{
    return counters->kind == WPG_ADDRESS_LITERAL ? NULL : &counters->drain;
}

/* Where the host sees the counters; NULL: nowhere. */
static const uint64_t *visible_words(const wpg_counters *counters)
{
    return counters->memory.mapped ? counters->memory.mapped : counters->staging.mapped;
}

void wpg_counters_read_cells(uint64_t *values, const wpg_counters *counters, const wpg_counter_slot *slot,
                             size_t first, size_t count)
{
    const uint64_t *words = visible_words(counters);
    const size_t begin = atomic_load(&slot->first), have = atomic_load(&slot->count);
    for (size_t i = first; words && i < first + count && i < have; i++)
        values[i] = __atomic_load_n(&words[begin + i], __ATOMIC_RELAXED);
}

bool wpg_counters_read(uint64_t *values, const wpg_counters *counters, const wpg_counter_slot *slot)
{
    const uint64_t *words = visible_words(counters);
    size_t first = atomic_load(&slot->first), count = atomic_load(&slot->count);
    bool rose = false;
    if (!words)
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = __atomic_load_n(&words[first + i], __ATOMIC_RELAXED) - counters->start;
        /* Below the start value (a torn read) it would be huge. */
        if (value >> 63)
            value = 0;
        if (value > values[i]) {
            values[i] = value;
            rose = true;
        }
    }
    return rose;
}
