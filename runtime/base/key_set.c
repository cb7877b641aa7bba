#include "runtime/base/key_set.h"

#include <stdlib.h>

#include "runtime/base/arithmetic.h"

/* The key's place, or the free one where it would be. */
static size_t place_of(const uint64_t *keys, size_t capacity, uint64_t key)
{
    size_t at = (size_t)wpg_mix64(key) & (capacity - 1);
    while (keys[at] && keys[at] != key)
        at = (at + 1) & (capacity - 1);
    return at;
}

static bool grow(wpg_key_set *set)
{
    const size_t capacity = set->capacity ? set->capacity * 2 : 16;
    uint64_t *keys = calloc(capacity, sizeof *keys);
    if (!keys)
        return false;
    for (size_t i = 0; i < set->capacity; i++)
        if (set->keys[i])
            keys[place_of(keys, capacity, set->keys[i])] = set->keys[i];
    free(set->keys);
    set->keys = keys;
    set->capacity = capacity;
    return true;
}

bool wpg_key_set_has(const wpg_key_set *set, uint64_t key)
{
    if (!key)
        return set->has_zero;
    return set->capacity && set->keys[place_of(set->keys, set->capacity, key)] == key;
}

bool wpg_key_set_add(wpg_key_set *set, uint64_t key)
{
    if (wpg_key_set_has(set, key))
        return false;
    if (!key)
        set->has_zero = true;
    else if (set->count * 8 < set->capacity * 7 || grow(set))
        set->keys[place_of(set->keys, set->capacity, key)] = key;
    else
        return true;
    set->count++;
    return true;
}

void wpg_key_set_free(wpg_key_set *set)
{
    free(set->keys);
    *set = (wpg_key_set){0};
}
