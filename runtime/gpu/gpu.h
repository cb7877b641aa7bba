/* AMD GPUs under the amdgpu kernel driver: which are here, their LLVM targets, clocks and stable power state.
 *
 * wpg_gpu_minors asks the kernel alone. To open a GPU takes libdrm_amdgpu.so.1, which is opened at run time.
 * Nothing is printed. A GPU is named by its render node: minor 128 is /dev/dri/renderD128, and Vulkan tells
 * the minor as VkPhysicalDeviceDrmPropertiesEXT::renderMinor.
 *
 * Owns: a wpg_gpu owns its node, its library handle and its hold on the power state, until wpg_gpu_close.
 * Threads: any; a wpg_gpu has a lock of its own. After fork the child's copies leave the device alone: the
 * device is the parent's. */
#ifndef WPG_RUNTIME_GPU_GPU_H
#define WPG_RUNTIME_GPU_GPU_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

typedef struct wpg_gpu wpg_gpu; /* one open GPU */

enum { WPG_GPU_MOST = 64 }; /* render nodes that the kernel numbers: 128 to 191 */

typedef struct wpg_gpu_info {
    uint32_t minor;
    char pci[16];                  /* "0000:03:00.0"; empty: the kernel does not say */
    uint32_t device, revision;     /* of PCI */
    uint32_t family, external_rev; /* what the target follows from */
    const char *target, *chip;     /* "gfx1100", "navi31"; NULL: newer than the table (targets.h) */
    char name[128];                /* what it is sold as; empty: libdrm does not know it */
    uint64_t most_shader_khz, most_memory_khz; /* highest clocks; 0: unknown */
} wpg_gpu_info;

#define WPG_GPU_UNKNOWN INT64_MIN

/* Each WPG_GPU_UNKNOWN where the kernel does not say. */
typedef struct wpg_gpu_clocks {
    int64_t shader_mhz, memory_mhz;
    int64_t load;        /* percent */
    int64_t temperature; /* thousandths of a degree Celsius */
} wpg_gpu_clocks;

/* Render minors of the AMD GPUs that are here, ascending, at most `most`; how many. Asks the kernel alone.
 * *shut (may be NULL): why the first node that could not be opened was passed over; its status is WPG_OK if
 * there is none. */
size_t wpg_gpu_minors(uint32_t *minors, size_t most, wpg_error *shut);

/* Opens a GPU; close it. WPG_E_NOT_FOUND: no such node, or it is not amdgpu's; WPG_E_UNSUPPORTED: no
 * libdrm_amdgpu, or one without what is needed; WPG_E_IO: the node or the library refuses. */
wpg_status wpg_gpu_open(wpg_gpu **gpu, uint32_t minor, wpg_error *err);
/* Lets go of the power state, too. NULL is fine. */
void wpg_gpu_close(wpg_gpu *gpu);

/* Who it is; lasts as long as the GPU is open. */
const wpg_gpu_info *wpg_gpu_about(const wpg_gpu *gpu);
/* WPG_E_UNSUPPORTED, with the ids in the message, where the table does not know the GPU. */
wpg_status wpg_gpu_target_name(const char **target, const wpg_gpu_info *info, wpg_error *err);

/* What the sensors say now. */
void wpg_gpu_read_clocks(wpg_gpu_clocks *clocks, wpg_gpu *gpu);
/* All unknown. */
void wpg_gpu_no_clocks(wpg_gpu_clocks *clocks);
/* "shader 2371 MHz, memory 1249 MHz, load 3 %, temperature 45 C", each may be unknown; "clocks unknown" where
 * all are. Returns text. */
const char *wpg_gpu_clocks_text(char *text, size_t size, const wpg_gpu_clocks *clocks);

/* Holds the standard stable power state (AMDGPU_CTX_STABLE_PSTATE_STANDARD, Linux 5.18): clocks that the chip
 * keeps up, so that times compare. The state holds for the whole GPU, whoever uses it. A second call does
 * nothing. wpg_gpu_close restores the state that was there before. The kernel does that, too, for a process
 * that dies. One context in the system holds the state: RADV asks for it itself under
 * vkAcquireProfilingLockKHR, and one of the two is refused. WPG_E_IO: refused, not permitted or held by
 * another; WPG_E_UNSUPPORTED: this kernel or libdrm has no such state, or does not do what it says. */
wpg_status wpg_gpu_hold_stable(wpg_gpu *gpu, wpg_error *err);

/* The LLVM target of the first AMD GPU here whose target is known. Static storage. WPG_E_NOT_FOUND: no AMD
 * GPU; otherwise what was wrong with the first. */
wpg_status wpg_gpu_default_target(const char **target, wpg_error *err);

#endif
