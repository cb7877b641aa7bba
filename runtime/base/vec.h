/* Growing array of any type, by macro:
 *
 *     WPG_VEC(uint32_t) words = {0};
 *     if (!wpg_vec_push(&words, 7)) -> out of memory
 *     words.data[i], words.count
 *     wpg_vec_free(&words);
 *
 * A zero-initialised array is empty. Growth moves the elements: keep indices, not pointers.
 *
 * Owns: its elements' memory, until wpg_vec_free.
 * Threads: one array, one thread at a time. */
#ifndef WPG_RUNTIME_BASE_VEC_H
#define WPG_RUNTIME_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define WPG_VEC(type)                                                                                        \
    struct {                                                                                                 \
        type *data;                                                                                          \
        size_t count, capacity;                                                                              \
    }

/* Makes room for `more` further elements; false when memory runs out (the vector stays as it was). */
#define wpg_vec_reserve(v, more)                                                                             \
    wpg_vec_grow_((void **)&(v)->data, &(v)->capacity, (v)->count, (more), sizeof *(v)->data)
#define wpg_vec_push(v, ...)                                                                                 \
    (wpg_vec_reserve((v), 1) ? ((v)->data[(v)->count++] = (__VA_ARGS__), true) : false)
#define wpg_vec_pop(v)        ((v)->data[--(v)->count])
#define wpg_vec_clear(v)      ((void)((v)->count = 0))
#define wpg_vec_free(v)       (free((v)->data), (v)->data = NULL, (v)->count = (v)->capacity = 0)
#define WPG_VEC_EACH(item, v) for (item = (v)->data; (v)->data && item < (v)->data + (v)->count; item++)

static inline bool wpg_vec_grow_(void **data, size_t *capacity, size_t count, size_t more, size_t size)
{
    if (*capacity - count >= more)
        return true;
    size_t want = *capacity ? *capacity + *capacity / 2 : 8, bytes;
    if (more > SIZE_MAX - count)
        return false;
    if (want < count + more)
        want = count + more;
    if (__builtin_mul_overflow(want, size, &bytes))
        return false;
    void *moved = realloc(*data, bytes);
    if (!moved)
        return false;
    *data = moved;
    *capacity = want;
    return true;
}

#endif
