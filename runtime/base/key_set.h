/* Set of 64-bit keys that only grows: 8 bytes a place, a third of a map's (map.h). For what has to be known
 * of each pipeline of a process that makes very many.
 *
 * A zero-initialised set is empty.
 *
 * Owns: its places, until wpg_key_set_free.
 * Threads: one at a time; the caller locks. */
#ifndef WPG_RUNTIME_BASE_KEY_SET_H
#define WPG_RUNTIME_BASE_KEY_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wpg_key_set {
    uint64_t *keys;  /* capacity is a power of two; 0: free */
    size_t capacity; /* places */
    size_t count;    /* keys, with 0 */
    bool has_zero;   /* the key 0 is there */
} wpg_key_set;

/* True if the key is new, and adds it. Without memory a key is new every time. */
bool wpg_key_set_add(wpg_key_set *set, uint64_t key);
bool wpg_key_set_has(const wpg_key_set *set, uint64_t key);
void wpg_key_set_free(wpg_key_set *set);

#endif
