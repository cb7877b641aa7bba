/* Hash map from 64-bit keys to 64-bit values: ids, handles, pointers cast through uintptr_t.
 *
 * Open addressing with linear probing; a deletion leaves no tombstone. A zero-initialised map is empty.
 *
 * Owns: its slots, until wpg_map_free; what keys and values stand for is the caller's.
 * Threads: any number of readers, or one writer alone; the caller locks. */
#ifndef WPG_RUNTIME_BASE_MAP_H
#define WPG_RUNTIME_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wpg_map_slot {
    uint64_t key, value;
    bool used;
} wpg_map_slot;

typedef struct wpg_map {
    wpg_map_slot *slots; /* capacity is a power of two; iterate over slots with .used */
    size_t count, capacity;
} wpg_map;

void wpg_map_free(wpg_map *map);
/* Inserts or replaces; false when memory runs out (the map stays as it was). */
bool wpg_map_set(wpg_map *map, uint64_t key, uint64_t value);
/* Writes *value (may be NULL) and returns true if the key is there. */
bool wpg_map_get(const wpg_map *map, uint64_t key, uint64_t *value);
/* Removes the key; *value (may be NULL) receives what it held; false if it was not there. */
bool wpg_map_remove(wpg_map *map, uint64_t key, uint64_t *value);

#endif
