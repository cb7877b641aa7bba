#include "runtime/base/arena.h"

#include <stdalign.h>
#include <stdbool.h>
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

/* -- Scopes -- */

/* The address sanitizer is to see each use of memory behind its end. */
#if defined(__SANITIZE_ADDRESS__)
#define KEEPS_CHUNKS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEEPS_CHUNKS 0
#endif
#endif
#ifndef KEEPS_CHUNKS
#define KEEPS_CHUNKS 1
#endif

enum { LEAST_KEPT = 8 * 1024, MOST_KEPT = 16 * 1024 * 1024 };

static _Thread_local wpg_arena_scope *scope_now;

void wpg_arena_scope_begin(wpg_arena_scope *scope)
{
    *scope = (wpg_arena_scope){.outer = scope_now};
    if (scope_now) {
        scope->kept = scope_now->kept;
        scope->common = scope_now->common;
        scope->bytes = scope_now->bytes;
        scope_now->kept = scope_now->common = NULL;
        scope_now->bytes = 0;
    }
    scope_now = scope;
}

static void free_chunks(struct wpg_arena_chunk *chunk)
{
    for (struct wpg_arena_chunk *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
}

void wpg_arena_scope_end(wpg_arena_scope *scope)
{
    scope_now = scope->outer;
    if (scope_now) {
        scope_now->kept = scope->kept;
        scope_now->common = scope->common;
        scope_now->bytes = scope->bytes;
    } else {
        free_chunks(scope->kept);
        free_chunks(scope->common);
    }
}

static bool keep_chunk(struct wpg_arena_chunk *chunk)
{
    if (!KEEPS_CHUNKS || !scope_now || chunk->size < LEAST_KEPT || scope_now->bytes + chunk->size > MOST_KEPT)
        return false;
    struct wpg_arena_chunk **list = chunk->size == CHUNK_BYTES ? &scope_now->common : &scope_now->kept;
    chunk->next = *list;
    *list = chunk;
    scope_now->bytes += chunk->size;
    return true;
}

/* The smallest kept chunk that has room, and is not much too large. */
static struct wpg_arena_chunk *take_kept(size_t capacity)
{
    struct wpg_arena_chunk **best = NULL;
    if (scope_now && scope_now->common && capacity <= CHUNK_BYTES && CHUNK_BYTES / 4 <= capacity)
        best = &scope_now->common;
    for (struct wpg_arena_chunk **at = scope_now && !best ? &scope_now->kept : NULL; at && *at;
         at = &(*at)->next)
        if ((*at)->size >= capacity && (*at)->size / 4 <= capacity && (!best || (*at)->size < (*best)->size))
            best = at;
    if (!best)
        return NULL;
    struct wpg_arena_chunk *chunk = *best;
    *best = chunk->next;
    scope_now->bytes -= chunk->size;
    return chunk;
}

static struct wpg_arena_chunk *new_chunk(size_t capacity)
{
    struct wpg_arena_chunk *chunk = capacity >= LEAST_KEPT ? take_kept(capacity) : NULL;
    if (!chunk) {
        chunk = malloc(sizeof *chunk + capacity);
        if (!chunk)
            return NULL;
        chunk->size = capacity;
    }
    chunk->used = 0;
    return chunk;
}

/* -- Arenas -- */

void wpg_arena_finish(wpg_arena *arena)
{
    for (struct wpg_arena_chunk *chunk = arena->head, *next; chunk; chunk = next) {
        next = chunk->next;
        if (!keep_chunk(chunk))
            free(chunk);
    }
    *arena = (wpg_arena){0};
}

/* A chunk with room for so many bytes; NULL: out of memory. Apart from take, for speed: few requests need
 * one. */
__attribute__((noinline)) static struct wpg_arena_chunk *add_chunk(wpg_arena *arena, size_t bytes)
{
    struct wpg_arena_chunk *head = arena->head;
    /* A large request gets a chunk of its own behind the head, so that the head's rest is not lost. */
    size_t common = head ? head->size * 2 : FIRST_CHUNK;
    while (common < CHUNK_BYTES && common / 2 < bytes)
        common *= 2;
    common = common > CHUNK_BYTES ? CHUNK_BYTES : common;
    const size_t capacity = bytes > common / 2 ? bytes : common;
    struct wpg_arena_chunk *fresh = new_chunk(capacity);
    if (!fresh) {
        arena->failed = 1;
        return NULL;
    }
    arena->bytes += fresh->size;
    struct wpg_arena_chunk **at = head && capacity == bytes ? &head->next : &arena->head;
    fresh->next = *at;
    *at = fresh;
    return fresh;
}

/* *bytes: of the request, rounded up. */
static void *take(size_t *taken, wpg_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 2) {
        arena->failed = 1;
        return NULL;
    }
    *taken = bytes = (bytes ? bytes + ALIGNMENT - 1 : ALIGNMENT) & ~(size_t)(ALIGNMENT - 1);
    struct wpg_arena_chunk *chunk = arena->head;
    if (!chunk || chunk->size - chunk->used < bytes)
        chunk = add_chunk(arena, bytes);
    if (!chunk)
        return NULL;
    void *result = chunk->bytes + chunk->used;
    chunk->used += bytes;
    return result;
}

void *wpg_arena_alloc(wpg_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    void *result = take(&bytes, arena, count, size);
    if (result)
        memset(result, 0, bytes);
    return result;
}

void *wpg_arena_alloc_raw(wpg_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    return take(&bytes, arena, count, size);
}

void *wpg_arena_memdup(wpg_arena *arena, const void *data, size_t size)
{
    void *copy = wpg_arena_alloc_raw(arena, size, 1);
    if (copy && size)
        memcpy(copy, data, size);
    return copy;
}

char *wpg_arena_strdup(wpg_arena *arena, const char *text)
{
    return wpg_arena_memdup(arena, text, strlen(text) + 1);
}
