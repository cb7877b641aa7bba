/* What of a module identity sees, and in which order: see stage.h, wpg_shader_hash. Private to this folder.
 */
#ifndef WPG_COMPILER_SPIRV_IDENTITY_H
#define WPG_COMPILER_SPIRV_IDENTITY_H

#include "compiler/spirv/module.h"

/* The instructions that are hashed, in the order in which they are. Both in `arena`. False: out of memory. */
bool wpg_identity_stream(const wpg_inst ***stream, size_t *count, const wpg_module *module, wpg_arena *arena);

#endif
