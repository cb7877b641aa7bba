#include "runtime/base/map.h"

#include <stdlib.h>

#include "runtime/base/arithmetic.h"

static size_t find(const wpg_map *map, uint64_t key)
{
    size_t at = (size_t)wpg_mix64(key) & (map->capacity - 1);
    while (map->slots[at].used && map->slots[at].key != key)
        at = (at + 1) & (map->capacity - 1);
    return at;
}

static bool grow(wpg_map *map)
{
    wpg_map bigger = {.capacity = map->capacity ? map->capacity * 2 : 16, .count = map->count};
    bigger.slots = calloc(bigger.capacity, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].used)
            bigger.slots[find(&bigger, map->slots[i].key)] = map->slots[i];
    free(map->slots);
    *map = bigger;
    return true;
}

void wpg_map_free(wpg_map *map)
{
    free(map->slots);
    *map = (wpg_map){0};
}

bool wpg_map_set(wpg_map *map, uint64_t key, uint64_t value)
{
    if (map->count * 4 >= map->capacity * 3 && !grow(map))
        return false;
    size_t at = find(map, key);
    if (!map->slots[at].used)
        map->count++;
    map->slots[at] = (wpg_map_slot){key, value, true};
    return true;
}

bool wpg_map_get(const wpg_map *map, uint64_t key, uint64_t *value)
{
    if (!map->count)
        return false;
    size_t at = find(map, key);
    if (!map->slots[at].used)
        return false;
    if (value)
        *value = map->slots[at].value;
    return true;
}

bool wpg_map_remove(wpg_map *map, uint64_t key, uint64_t *value)
{
    if (!wpg_map_get(map, key, value))
        return false;
    size_t mask = map->capacity - 1, hole = find(map, key);
    /* Close the hole: an entry may move back to it unless its home lies cyclically after the hole. */
    for (size_t at = (hole + 1) & mask; map->slots[at].used; at = (at + 1) & mask) {
        size_t home = (size_t)wpg_mix64(map->slots[at].key) & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            map->slots[hole] = map->slots[at];
            hole = at;
        }
    }
    map->slots[hole].used = false;
    map->count--;
    return true;
}
