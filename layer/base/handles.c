/* Sharded handle maps. A shard is chosen by the upper bits of a multiplied key: handles are pointers whose
 * low bits are equal. */
#include "layer/base/handles.h"

#include <stdlib.h>

static size_t shard_of(uint64_t key)
{
    _Static_assert(WPG_HANDLE_SHARDS == 16, "four bits choose the shard");
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 60);
}

void wpg_handles_init(wpg_handles *handles)
{
    for (size_t i = 0; i < WPG_HANDLE_SHARDS; i++) {
        (void)pthread_rwlock_init(&handles->shards[i].lock, NULL);
        handles->shards[i].map = (wpg_map){0};
    }
}

void wpg_handles_finish(wpg_handles *handles)
{
    for (size_t i = 0; i < WPG_HANDLE_SHARDS; i++) {
        wpg_map_free(&handles->shards[i].map);
        (void)pthread_rwlock_destroy(&handles->shards[i].lock);
    }
}

bool wpg_handles_set(wpg_handles *handles, uint64_t key, void *record)
{
    size_t shard = shard_of(key);
    (void)pthread_rwlock_wrlock(&handles->shards[shard].lock);
    bool set = wpg_map_set(&handles->shards[shard].map, key, (uint64_t)(uintptr_t)record);
    (void)pthread_rwlock_unlock(&handles->shards[shard].lock);
    return set;
}

void *wpg_handles_get_retained(wpg_handles *handles, uint64_t key, void (*retain)(void *record))
{
    size_t shard = shard_of(key);
    uint64_t value = 0;
    (void)pthread_rwlock_rdlock(&handles->shards[shard].lock);
    void *record = NULL;
    if (wpg_map_get(&handles->shards[shard].map, key, &value))
        record = (void *)(uintptr_t)value;
    if (record && retain)
        retain(record);
    (void)pthread_rwlock_unlock(&handles->shards[shard].lock);
    return record;
}

void *wpg_handles_get(wpg_handles *handles, uint64_t key)
{
    return wpg_handles_get_retained(handles, key, NULL);
}

void *wpg_handles_remove(wpg_handles *handles, uint64_t key)
{
    size_t shard = shard_of(key);
    uint64_t value = 0;
    (void)pthread_rwlock_wrlock(&handles->shards[shard].lock);
    bool found = wpg_map_remove(&handles->shards[shard].map, key, &value);
    (void)pthread_rwlock_unlock(&handles->shards[shard].lock);
    return found ? (void *)(uintptr_t)value : NULL;
}

void wpg_handles_each(wpg_handles *handles, void (*visit)(void *record, void *context), void *context)
{
    for (size_t i = 0; i < WPG_HANDLE_SHARDS; i++) {
        (void)pthread_rwlock_rdlock(&handles->shards[i].lock);
        const wpg_map *map = &handles->shards[i].map;
        for (size_t j = 0; j < map->capacity; j++)
            if (map->slots[j].used)
                visit((void *)(uintptr_t)map->slots[j].value, context);
        (void)pthread_rwlock_unlock(&handles->shards[i].lock);
    }
}

static void free_record(void *record, void *context)
{
    (void)context;
    free(record);
}

void wpg_handles_free(wpg_handles *handles)
{
    wpg_handles_each(handles, free_record, NULL);
    wpg_handles_finish(handles);
}
