/* The instructions that shader identity hashes, in their order: see wpg_shader_hash in stage.h. Private to
 * this folder. */
#ifndef WPG_COMPILER_SPIRV_IDENTITY_H
#define WPG_COMPILER_SPIRV_IDENTITY_H

#include "compiler/spirv/module.h"

typedef struct wpg_identity {
    const wpg_inst **list; /* in the arena */
    size_t count;
    size_t annotations; /* the instructions from here on have no order: to be sorted by their words */
} wpg_identity;

/* `version`: of identity (stage.h); 1 keeps the module's order. False: out of memory. */
bool wpg_identity_stream(wpg_identity *out, const wpg_module *module, uint32_t version, wpg_arena *arena);

#endif
