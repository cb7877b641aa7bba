/* Maps from Vulkan handles to our records, sharded so that no lock is shared by all threads. Threads: any. A
 * record stays valid while the caller may use its handle (Vulkan's external synchronisation of destruction),
 * or as long as the record's own reference count says. */
#ifndef WPG_LAYER_BASE_HANDLES_H
#define WPG_LAYER_BASE_HANDLES_H

#include <pthread.h>

#include "runtime/base/map.h"

enum { WPG_HANDLE_SHARDS = 16 };

typedef struct wpg_handles {
    struct {
        pthread_rwlock_t lock;
        wpg_map map;
    } shards[WPG_HANDLE_SHARDS];
} wpg_handles;

/* A static one: WPG_HANDLES_INIT; one inside another record: init and finish. */
#define WPG_HANDLES_SHARD_                                                                                   \
    {                                                                                                        \
        PTHREAD_RWLOCK_INITIALIZER,                                                                          \
        {                                                                                                    \
            NULL, 0, 0                                                                                       \
        }                                                                                                    \
    }
#define WPG_HANDLES_QUAD_ WPG_HANDLES_SHARD_, WPG_HANDLES_SHARD_, WPG_HANDLES_SHARD_, WPG_HANDLES_SHARD_
#define WPG_HANDLES_INIT                                                                                     \
    {                                                                                                        \
        {                                                                                                    \
            WPG_HANDLES_QUAD_, WPG_HANDLES_QUAD_, WPG_HANDLES_QUAD_, WPG_HANDLES_QUAD_                       \
        }                                                                                                    \
    }

void wpg_handles_init(wpg_handles *handles);
/* The records themselves are the caller's. */
void wpg_handles_finish(wpg_handles *handles);
/* The same, and frees every record: of maps whose records are malloc'd and own nothing else. */
void wpg_handles_free(wpg_handles *handles);

/* False when memory runs out. An existing key is replaced: its handle was destroyed without our notice. */
bool wpg_handles_set(wpg_handles *handles, uint64_t key, void *record);
void *wpg_handles_get(wpg_handles *handles, uint64_t key); /* NULL if absent */
/* Finds the record and calls `retain` on it before the shard is unlocked; NULL if absent. */
void *wpg_handles_get_retained(wpg_handles *handles, uint64_t key, void (*retain)(void *record));
void *wpg_handles_remove(wpg_handles *handles, uint64_t key); /* what was there, or NULL */
/* Calls `visit` for every record, shard by shard, under the shard's read lock. */
void wpg_handles_each(wpg_handles *handles, void (*visit)(void *record, void *context), void *context);

#endif
