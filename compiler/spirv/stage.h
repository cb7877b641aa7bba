/* One pipeline stage as an application hands it over: which entry point, with which specialisation values.
 * The mirror of VkPipelineShaderStageCreateInfo without a Vulkan type. */
#ifndef WPG_COMPILER_SPIRV_STAGE_H
#define WPG_COMPILER_SPIRV_STAGE_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/base/hash.h"
#include "compiler/spirv/module.h"

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

/* Version 2 orders declarations by their first use and leaves out those without one; version 1 kept the order
 * of the module. */
enum { WPG_IDENTITY_VERSION = 2 };

/* Shader hash, DESIGN identity: XXH3-128 of the words without names, source, lines, non-semantic
 * instructions, and unused types, constants and variables; declarations in the order of their first use
 * (identity.c); ids renumbered in order of first appearance; followed by entry point, model and
 * specialisation values (absent and explicit default hash alike; entries for ids the module lacks are
 * ignored). A module with an unknown opcode keeps its order and ids. Equal on every machine. */
wpg_status wpg_shader_hash(wpg_hash128 *hash, const wpg_module *module, const wpg_stage *stage,
                           wpg_error *err);
/* The same by the version of identity before this one: the name that older profiles have for the shader. */
wpg_status wpg_shader_hash_before(wpg_hash128 *hash, const wpg_module *module, const wpg_stage *stage,
                                  wpg_error *err);

/* The OpFunction of each ordinal: 0 is the entry function of the stage, the others count on in module order.
 * The array lives in `arena`. WPG_E_NOT_FOUND: no such entry point. */
wpg_status wpg_stage_functions(wpg_inst ***functions, uint32_t *count, const wpg_module *module,
                               const wpg_stage *stage, wpg_arena *arena, wpg_error *err);

/* Invocations of a workgroup of that entry point; 0 if that is not a constant. The built-in constant outranks
 * the mode (SPIR-V 1.6, 3.21, WorkgroupSize). */
uint32_t wpg_stage_workgroup(const wpg_module *module, const wpg_inst *entry_point);

/* Whether the module may write to transform feedback, by what it declares (SPIR-V 1.6, 3.31). */
bool wpg_stage_feeds_back(const wpg_module *module);

#endif
