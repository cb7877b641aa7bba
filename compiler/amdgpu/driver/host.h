/* Executes a kernel's translation on this machine, one invocation after another. This tests the translation;
 * it is no way to run shaders. No barriers, no subgroup instructions; all invocations share one workgroup
 * memory. Ownership: wpg_host_kernel_destroy frees all. Threads: one kernel, one thread. */
#ifndef WPG_COMPILER_AMDGPU_DRIVER_HOST_H
#define WPG_COMPILER_AMDGPU_DRIVER_HOST_H

#include "compiler/amdgpu/llvm/amdgpu.h"

typedef struct wpg_host_kernel wpg_host_kernel;

wpg_status wpg_host_kernel_create(wpg_host_kernel **kernel, const wpg_module *normal, const wpg_stage *stage,
                                  wpg_error *err);
void wpg_host_kernel_destroy(wpg_host_kernel *kernel);
/* As of wpg_amdgpu_code, for an HSA kernel. Borrowed. */
const wpg_amdgpu_argument *wpg_host_kernel_arguments(const wpg_host_kernel *kernel, uint32_t *count,
                                                     uint32_t *bytes);
/* Every invocation of groups[0] * groups[1] * groups[2] workgroups, in order. */
void wpg_host_kernel_run(const wpg_host_kernel *kernel, const void *arguments, const uint32_t groups[3]);

#endif
