/* The part of libdrm_amdgpu's and the kernel's binary interface that runtime/gpu uses, written down here.
 *
 * So a build needs no libdrm. A test compares each fact with the headers of libdrm where these are installed.
 *
 * Owns: nothing.
 * Threads: any; types and constants only.
 * Source: libdrm's amdgpu.h; the kernel's drm.h and amdgpu_drm.h. */
#ifndef WPG_RUNTIME_GPU_DRM_ABI_H
#define WPG_RUNTIME_GPU_DRM_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

/* struct amdgpu_gpu_info. The room behind it is for a libdrm in which it has grown. */
typedef struct wpg_drm_gpu_info {
    uint32_t asic_id, chip_rev, chip_external_rev, family_id;
    uint64_t ids_flags, max_engine_clk, max_memory_clk; /* clocks in kHz */
    uint32_t not_used[93];
    uint32_t pci_rev_id;
    uint32_t room[256];
} wpg_drm_gpu_info;

/* struct drm_version */
typedef struct wpg_drm_version {
    int major, minor, patch;
    size_t name_length;
    char *name;
    size_t date_length;
    char *date;
    size_t description_length;
    char *description;
} wpg_drm_version;
#define WPG_DRM_IOCTL_VERSION _IOWR('d', 0x00, wpg_drm_version)

enum { /* AMDGPU_INFO_SENSOR_*: MHz, thousandths of a degree, percent; 4 bytes each */
       WPG_DRM_SENSOR_SHADER_CLOCK = 1,
       WPG_DRM_SENSOR_MEMORY_CLOCK = 2,
       WPG_DRM_SENSOR_TEMPERATURE = 3,
       WPG_DRM_SENSOR_LOAD = 4,
};

enum { /* AMDGPU_CTX_OP_*_STABLE_PSTATE */
       WPG_DRM_GET_STABLE_PSTATE = 5,
       WPG_DRM_SET_STABLE_PSTATE = 6,
};

enum { /* AMDGPU_CTX_STABLE_PSTATE_* */
       WPG_DRM_PSTATE_NONE = 0,
       WPG_DRM_PSTATE_STANDARD = 1,
       WPG_DRM_PSTATE_PEAK = 4, /* the last one */
};

enum { WPG_DRM_PRIORITY_NORMAL = 0 }; /* AMDGPU_CTX_PRIORITY_NORMAL */

/* amdgpu_device_handle and amdgpu_context_handle are pointers to what libdrm alone knows. */
typedef struct wpg_drm_device wpg_drm_device;
typedef struct wpg_drm_context wpg_drm_context;

#endif
