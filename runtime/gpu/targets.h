/* Which LLVM target an AMD GPU is, by the two numbers that the amdgpu kernel driver gives it.
 *
 * Owns: nothing; the table is static.
 * Threads: any.
 * Source: families: the kernel's amdgpu_drm.h; revisions: the kernel's soc15.c, nv.c, soc21.c, soc24.c and
 * AMD's addrlib (ASICREV ranges); processors: LLVM's AMDGPUUsage. */
#ifndef WPG_RUNTIME_GPU_TARGETS_H
#define WPG_RUNTIME_GPU_TARGETS_H

#include <stdint.h>

typedef struct wpg_gpu_target {
    uint32_t family;             /* AMDGPU_FAMILY_* of the kernel's amdgpu_drm.h */
    uint32_t first_rev, end_rev; /* external revisions first_rev <= rev < end_rev */
    const char *target;          /* LLVM's processor: "gfx1100" */
    const char *chip;            /* "navi31" */
} wpg_gpu_target;

/* The entry of a GPU, in static storage. NULL: newer than the table, or no GPU of AMD. */
const wpg_gpu_target *wpg_gpu_target_of(uint32_t family, uint32_t external_rev);

#endif
