#include "runtime/base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Chunks double from a small first one: use mode on a folder of 10,000 files makes 10,000 arenas of a few
 * hundred bytes each. */
enum { FIRST_CHUNK = 2 * 1024, CHUNK_BYTES = 64 * 1024, ALIGNMENT = alignof(max_align_t) };

struct wpg_arena_chunk {
    struct wpg_arena_chunk *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
};

void wpg_arena_init(wpg_arena *arena)
{
    *arena = (wpg_arena){0};
}

void wpg_arena_finish(wpg_arena *arena)
{
    for (struct wpg_arena_chunk *chunk = arena->head, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *arena = (wpg_arena){0};
}

void *wpg_arena_alloc(wpg_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) {
        arena->failed = 1;
        return NULL;
    }
    bytes = (bytes ? bytes + ALIGNMENT - 1 : ALIGNMENT) & ~(size_t)(ALIGNMENT - 1);
    struct wpg_arena_chunk *chunk = arena->head;
    if (!chunk || chunk->size - chunk->used < bytes) {
        /* A large request gets a chunk of its own behind the head, so that the head's rest is not lost. */
        size_t common = chunk ? chunk->size * 2 : FIRST_CHUNK;
        while (common < CHUNK_BYTES && common / 2 < bytes)
            common *= 2;
        common = common > CHUNK_BYTES ? CHUNK_BYTES : common;
        size_t capacity = bytes > common / 2 ? bytes : common;
        struct wpg_arena_chunk *fresh = malloc(sizeof *fresh + capacity);
        if (!fresh) {
            arena->failed = 1;
            return NULL;
        }
        arena->bytes += capacity;
        fresh->used = 0;
        fresh->size = capacity;
        if (chunk && capacity == bytes) {
            fresh->next = chunk->next;
            chunk->next = fresh;
        } else {
            fresh->next = chunk;
            arena->head = fresh;
        }
        chunk = fresh;
    }
    void *result = chunk->bytes + chunk->used;
    chunk->used += bytes;
    memset(result, 0, bytes);
    return result;
}

void *wpg_arena_memdup(wpg_arena *arena, const void *data, size_t size)
{
    void *copy = wpg_arena_alloc(arena, size, 1);
    if (copy && size)
        memcpy(copy, data, size);
    return copy;
}

char *wpg_arena_strdup(wpg_arena *arena, const char *text)
{
    return wpg_arena_memdup(arena, text, strlen(text) + 1);
}
