/* Bump allocator: frees everything of one module or one request at once.
 *
 * Memory is aligned for any type, and zeroed where nothing else is said.
 *
 * Owns: every allocation, until wpg_arena_finish.
 * Threads: one arena, one thread at a time. */
#ifndef WPG_RUNTIME_BASE_ARENA_H
#define WPG_RUNTIME_BASE_ARENA_H

#include <stddef.h>

typedef struct wpg_arena {
    struct wpg_arena_chunk *head;
    int failed;   /* sticky: an allocation failed since wpg_arena_init */
    size_t bytes; /* of memory it holds */
} wpg_arena;

void wpg_arena_init(wpg_arena *arena);
/* Frees every allocation; the arena may be used again. */
void wpg_arena_finish(wpg_arena *arena);
/* `count` zeroed elements of `size` bytes; NULL (and arena->failed) if memory ran out or the product
 * overflows. A zero-sized request gives a valid unique pointer. */
void *wpg_arena_alloc(wpg_arena *arena, size_t count, size_t size);
/* The same, not zeroed: for memory that the caller writes at once. */
void *wpg_arena_alloc_raw(wpg_arena *arena, size_t count, size_t size);
char *wpg_arena_strdup(wpg_arena *arena, const char *text);
void *wpg_arena_memdup(wpg_arena *arena, const void *data, size_t size);

/* A scope on this thread: memory of arenas that finish in it is given to arenas that grow in it, and freed as
 * it ends. For work that makes many arenas one after the other: memory from the system costs page faults.
 * Arenas may outlive the scope. Begin and end on one thread. An inner scope has the outer one's memory, and
 * leaves it to that. */
typedef struct wpg_arena_scope {
    struct wpg_arena_scope *outer;
    struct wpg_arena_chunk *kept, *common; /* common: of the usual size */
    size_t bytes;
} wpg_arena_scope;

void wpg_arena_scope_begin(wpg_arena_scope *scope);
void wpg_arena_scope_end(wpg_arena_scope *scope);

#define WPG_ARENA_NEW(arena, type)          ((type *)wpg_arena_alloc((arena), 1, sizeof(type)))
#define WPG_ARENA_ARRAY(arena, type, count) ((type *)wpg_arena_alloc((arena), (count), sizeof(type)))

#endif
