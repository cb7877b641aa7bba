/* One pipeline stage as the program gives it: entry point and specialisation values. Mirrors
 * VkPipelineShaderStageCreateInfo without a Vulkan type. Threads: as module.h. */
#ifndef WPG_COMPILER_SPIRV_STAGE_H
#define WPG_COMPILER_SPIRV_STAGE_H

#include <stddef.h>
#include <stdint.h>

#include "compiler/spirv/module.h"
#include "runtime/base/hash.h"

/* One VkSpecializationMapEntry with its bytes: `size` 1, 2, 4 or 8 (a bool is 4); `bits` zero-extended. */
typedef struct wpg_spec_value {
    uint32_t constant_id, size;
    uint64_t bits;
} wpg_spec_value;

typedef struct wpg_stage {
    SpvExecutionModel model;
    const char *entry; /* entry point name; borrowed */
    const wpg_spec_value
        *spec; /* borrowed; ids unique, as valid usage asks (of equal ids the first counts) */
    size_t spec_count;
} wpg_stage;

/* "vert", "tesc", "tese", "geom", "frag", "comp", "task", "mesh", "rgen", "rint", "rahit", "rchit", "rmiss",
 * "rcall"; NULL for a model that is no Vulkan stage. Static storage. */
const char *wpg_stage_name(SpvExecutionModel model);

/* Version 1 kept the module's order of declarations. Version 2 orders declarations by their first use and
 * leaves out unused ones. */
enum { WPG_IDENTITY_VERSION = 2 };

/* Shader hash (README.md, Identity): XXH3-128 of the shader's words, its entry point, model and
 * specialisation values. Equal on every machine.
 *
 * - Left out: names, source, lines, non-semantic instructions, unused types, constants and variables.
 * - Declarations stand in the order of their first use (identity.c). Ids are renumbered by first appearance.
 * - An absent specialisation value and its explicit default hash alike. Entries for ids that the module lacks
 *   are ignored.
 * - A module with an unknown opcode keeps its order and ids.
 *
 * WPG_E_NOMEM only. */
wpg_status wpg_shader_hash(wpg_hash128 *hash, const wpg_module *module, const wpg_stage *stage,
                           wpg_error *err);
/* The hash by the identity version before this one: the shader's name in older profiles. */
wpg_status wpg_shader_hash_before(wpg_hash128 *hash, const wpg_module *module, const wpg_stage *stage,
                                  wpg_error *err);

/* The OpFunction of each ordinal. 0 is the entry function of the stage; the others follow in module order.
 * The array lives in `arena`. WPG_E_NOT_FOUND: no such entry point. */
wpg_status wpg_stage_functions(wpg_inst ***functions, uint32_t *count, const wpg_module *module,
                               const wpg_stage *stage, wpg_arena *arena, wpg_error *err);

/* Invocations of a workgroup of that entry point; 0 if the size is not constant. The built-in WorkgroupSize
 * outranks the execution mode (SPIR-V 1.6, 3.21). */
uint32_t wpg_stage_workgroup(const wpg_module *module, const wpg_inst *entry_point);

/* True if the module declares that it may write to transform feedback (SPIR-V 1.6, 3.31). */
bool wpg_stage_feeds_back(const wpg_module *module);

#endif
