/* The only C interface to SPIRV-Tools (C++): the SSA tier and the validator. No C++ exception leaves it.
 * Threads: any; each call has a context of its own. */
#ifndef WPG_COMPILER_NORMALIZE_SPIRV_TOOLS_H
#define WPG_COMPILER_NORMALIZE_SPIRV_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the device allows beyond core Vulkan, from its enabled features. */
typedef struct wpg_validate_options {
    unsigned vulkan_minor; /* 0..3: the device's Vulkan 1.x */
    bool uniform_buffer_standard_layout, scalar_block_layout, workgroup_scalar_block_layout,
        relax_block_layout;
    bool local_size_id;
} wpg_validate_options;

/* Runs spirv-val. WPG_E_FORMAT with the validator's first message if the module is invalid. */
wpg_status wpg_spirv_validate(const uint32_t *words, size_t count, const wpg_validate_options *options,
                              wpg_error *err);

/* Runs the SSA tier: memory to SSA, dead code. WPG_E_UNSUPPORTED if the module is invalid. Keeps the label
 * ids of blocks that stay. *out_words is malloc'd; the caller frees it. */
wpg_status wpg_ssa_tier(uint32_t **out_words, size_t *out_count, const uint32_t *words, size_t count,
                        wpg_error *err);

#ifdef __cplusplus
}
#endif
#endif
