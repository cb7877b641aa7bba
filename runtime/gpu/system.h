/* What runtime/gpu finds on a machine: library, render nodes. A test puts another machine in its place.
 *
 * Private to runtime/gpu and its tests.
 *
 * Owns: a wpg_drm_library owns its handle, until wpg_drm_library_close; the caller closes nodes.
 * Threads: any; a test sets wpg_gpu_this_system before anything is asked. */
#ifndef WPG_RUNTIME_GPU_SYSTEM_H
#define WPG_RUNTIME_GPU_SYSTEM_H

#include <stdbool.h>

#include "runtime/gpu/drm_abi.h"
#include "runtime/gpu/gpu.h"

typedef struct wpg_gpu_system {
    const char *library;         /* of libdrm_amdgpu, for dlopen */
    const char *nodes;           /* folder of the render nodes */
    bool (*is_amdgpu)(int node); /* true if amdgpu drives the open node */
} wpg_gpu_system;

/* The machine; a test that goes through gpu.h sets another before anything is asked. */
extern wpg_gpu_system wpg_gpu_this_system;

size_t wpg_gpu_minors_in(uint32_t *minors, size_t most, const wpg_gpu_system *system, wpg_error *shut);
wpg_status wpg_gpu_open_in(wpg_gpu **gpu, uint32_t minor, const wpg_gpu_system *system, wpg_error *err);
wpg_status wpg_gpu_default_target_in(const char **target, const wpg_gpu_system *system, wpg_error *err);

/* An open node of an AMD GPU, to close. */
wpg_status wpg_gpu_open_node(int *node, uint32_t minor, const wpg_gpu_system *system, wpg_error *err);
/* The PCI address of a node, empty where the kernel does not say. */
void wpg_gpu_pci_address(char *address, size_t size, int node);

/* libdrm_amdgpu. An old one may lack functions: query_sensor_info and get_marketing_name are then NULL.
 * ctx_stable_pstate is NULL if one of the last three is missing. */
typedef struct wpg_drm_library {
    void *handle;
    int (*device_initialize)(int node, uint32_t *major, uint32_t *minor, wpg_drm_device **device);
    int (*device_deinitialize)(wpg_drm_device *device);
    int (*query_gpu_info)(wpg_drm_device *device, wpg_drm_gpu_info *info);
    int (*query_sensor_info)(wpg_drm_device *device, unsigned type, unsigned size, void *value);
    const char *(*get_marketing_name)(wpg_drm_device *device);
    int (*ctx_create)(wpg_drm_device *device, uint32_t priority, wpg_drm_context **context);
    int (*ctx_free)(wpg_drm_context *context);
    int (*ctx_stable_pstate)(wpg_drm_context *context, uint32_t op, uint32_t flags, uint32_t *answer);
} wpg_drm_library;

wpg_status wpg_drm_library_open(wpg_drm_library *library, const char *name, wpg_error *err);
void wpg_drm_library_close(wpg_drm_library *library);

#endif
