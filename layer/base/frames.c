#include "layer/base/frames.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "layer/base/clock.h"
#include "runtime/base/vec.h"

static struct {
    atomic_uint_least64_t presents;
    atomic_bool keep;
    pthread_mutex_t lock; /* guards what follows */
    uint64_t last;        /* by wpg_now; 0: none yet */
    WPG_VEC(uint64_t) times;
} frames = {.lock = PTHREAD_MUTEX_INITIALIZER};

void wpg_frames_keep(void)
{
    atomic_store(&frames.keep, true);
}

void wpg_frame_presented(void)
{
    (void)atomic_fetch_add_explicit(&frames.presents, 1, memory_order_relaxed);
    if (!atomic_load_explicit(&frames.keep, memory_order_relaxed))
        return;
    (void)pthread_mutex_lock(&frames.lock);
    const uint64_t now = wpg_now();
    if (frames.last && frames.times.count < WPG_FRAMES_KEPT)
        (void)wpg_vec_push(&frames.times, now - frames.last);
    frames.last = now;
    (void)pthread_mutex_unlock(&frames.lock);
}

uint64_t wpg_frames_presented(void)
{
    return atomic_load_explicit(&frames.presents, memory_order_relaxed);
}

void wpg_frames_each(void (*take)(uint64_t nanoseconds, void *context), void *context)
{
    (void)pthread_mutex_lock(&frames.lock);
    for (size_t i = 0; i < frames.times.count; i++)
        take(frames.times.data[i], context);
    (void)pthread_mutex_unlock(&frames.lock);
}

void wpg_frames_finish(void)
{
    (void)pthread_mutex_lock(&frames.lock);
    wpg_vec_free(&frames.times);
    frames.last = 0;
    (void)pthread_mutex_unlock(&frames.lock);
}
