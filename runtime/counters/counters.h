/* The counters of one device: directory, counter memory and drains as one object.
 *
 *     hash --claim--> slot --place--> counters, directory leads there --> shaders count --> drain --> read
 *
 * Owns: the directory, the counter memory, its staging memory and the drain, until wpg_counters_destroy.
 * Threads: any thread may claim, place and read at once; one slot is read by one thread at a time. */
#ifndef WPG_RUNTIME_COUNTERS_COUNTERS_H
#define WPG_RUNTIME_COUNTERS_COUNTERS_H

#include "runtime/counters/directory.h"
#include "runtime/counters/drain.h"
#include "runtime/counters/layout.h"

typedef struct wpg_counters wpg_counters;

typedef enum wpg_counters_placement {
    WPG_COUNTERS_AUTO, /* host-visible memory where that is also the device's own, else device memory */
    WPG_COUNTERS_DEVICE,
    WPG_COUNTERS_HOST
} wpg_counters_placement;

typedef struct wpg_counters_config {
    wpg_memory_limits limits;
    VkPhysicalDeviceType device_type;
    wpg_counters_placement placement;
    size_t bytes, slots;
    uint64_t start;    /* every counter's first value; taken off again when read */
    wpg_replay replay; /* of an earlier run on this device */
    bool bound;        /* no addresses: shaders find counters by descriptor sets (wpg_counters_range) */
    size_t alignment;  /* bound: of a slot's first byte (minStorageBufferOffsetAlignment) */
    VkQueue queue;     /* for the first upload, nobody else uses it yet */
    uint32_t queue_family;
} wpg_counters_config;

wpg_status wpg_counters_create(wpg_counters **counters, const wpg_counters_vk *vk,
                               const wpg_counters_config *config, wpg_error *err);
/* The device must be idle, or lost with vk_alive false: then no Vulkan call is made. NULL is fine. */
void wpg_counters_destroy(wpg_counters *counters, bool vk_alive);

wpg_address_kind wpg_counters_address_kind(const wpg_counters *counters);
wpg_replay wpg_counters_replay(const wpg_counters *counters);
/* False: there is no memory behind the addresses. */
bool wpg_counters_readable(const wpg_counters *counters);

/* Size of a file that the counters can lie in, so that they outlive the process; 0: they cannot. */
size_t wpg_counters_keepable(const wpg_counters *counters);
/* Puts the counters into the file, which has that size and is all zero: the counter with index n of a slot is
 * the 64-bit word slot->first + n. Called before any shader counts: what was counted is lost. */
wpg_status wpg_counters_keep(wpg_counters *counters, int file, wpg_error *err);

/* The slot of that hash (layout.h), made if there is none; it has one user more. */
wpg_status wpg_counters_claim(wpg_counter_slot **slot, wpg_counters *counters, wpg_hash128 hash,
                              wpg_error *err);
/* What the words of a pipeline hold to find its counters (directory.h): addresses and literals, from the hash
 * alone. */
typedef struct wpg_counters_way {
    uint64_t seed, cells;
    uint32_t tag, shift;
} wpg_counters_way;

wpg_counters_way wpg_counters_way_of(const wpg_counters *counters, const wpg_counter_slot *slot);
/* Gives the slot its counters, and has the directory lead there. */
wpg_status wpg_counters_place(wpg_counters *counters, wpg_counter_slot *slot, size_t count, wpg_error *err);

/* One claim more of a slot that somebody has claimed. */
void wpg_counters_claim_again(wpg_counter_slot *slot);
/* Gives back a claim. A slot without users that nobody listed goes at once: no shader ran with it. A listed
 * one stays until it is retired; the next claim of its hash finds it. True: it was the last claim of a listed
 * slot. */
bool wpg_counters_release(wpg_counters *counters, wpg_counter_slot *slot);
/* Takes a listed slot without users out, for good: no claim finds it, and the directory does not lead there.
 * The device must have finished every shader that counts there. True: the slot is the caller's, to read and
 * then to give to wpg_counters_reuse. False: it has users, or had more than these claims: then the last drain
 * may not have what they counted. */
bool wpg_counters_retire(wpg_counters *counters, wpg_counter_slot *slot, unsigned claims);
/* Frees a retired slot. Counters that the host can write are zero again, and another pipeline may get
 * them. */
void wpg_counters_reuse(wpg_counters *counters, wpg_counter_slot *slot);
/* True if what was counted can be read without a drain: the memory of software devices. */
bool wpg_counters_direct(const wpg_counters *counters);

/* The part of a buffer with the slot's counters, for a descriptor of them. False: there is no memory. */
bool wpg_counters_range(VkBuffer *buffer, VkDeviceSize *offset, VkDeviceSize *size,
                        const wpg_counters *counters, const wpg_counter_slot *slot);

wpg_drain *wpg_counters_drain(wpg_counters *counters);

/* Copies the slot's counters, as the last drain left them or, in host memory, as they are now: values[] has
 * room for slot->count. No Vulkan call. Values never go below what `values` holds on entry, so that a counter
 * caught between its two halves (low wrapped, carry not yet in high) does no harm: start with zeros. True if
 * some value rose. */
bool wpg_counters_read(uint64_t *values, const wpg_counters *counters, const wpg_counter_slot *slot);
/* Copies `count` of them from `first` as they are: for cells that hold no count, which rise and fall. */
void wpg_counters_read_cells(uint64_t *values, const wpg_counters *counters, const wpg_counter_slot *slot,
                             size_t first, size_t count);

#endif
