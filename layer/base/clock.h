/* The clock that everything in the layer is timed with. Threads: any. */
#ifndef WPG_LAYER_BASE_CLOCK_H
#define WPG_LAYER_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds, monotonic. */
static inline uint64_t wpg_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
