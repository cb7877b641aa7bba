/* The open GPU, for the files of runtime/gpu.
 *
 * Owns: see gpu.h.
 * Threads: what stands below `lock` is changed with the lock held. */
#ifndef WPG_RUNTIME_GPU_INTERNAL_H
#define WPG_RUNTIME_GPU_INTERNAL_H

#include <pthread.h>
#include <sys/types.h>

#include "runtime/gpu/system.h"

struct wpg_gpu {
    pid_t owner; /* who opened it */
    int node;
    wpg_drm_library library;
    wpg_drm_device *device;
    wpg_gpu_info info;        /* constant once open */
    pthread_mutex_t lock;     /* guards what follows */
    wpg_drm_context *context; /* NULL: the power state is not held */
    uint32_t before;          /* the state that was there then */
};

/* Restores the state that was there, for wpg_gpu_close: takes no lock. */
void wpg_gpu_restore(wpg_gpu *gpu);

#endif
