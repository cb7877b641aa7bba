/* Carries counts from one version of a shader to another. The functions of both normal forms are matched
 * ordinal by ordinal (match.h). Ownership: a shader's forms stand by themselves. Threads: immutable once
 * made. */
#ifndef WPG_COMPILER_ANALYSIS_MATCH_SHADER_H
#define WPG_COMPILER_ANALYSIS_MATCH_SHADER_H

#include "compiler/analysis/match/match.h"
#include "compiler/spirv/stage.h"
#include "runtime/base/weights.h"

typedef struct wpg_shader_forms {
    wpg_form **functions; /* [count] by ordinal: 0 the entry function, then the others in module order; NULL:
                             a function whose control flow cannot be read */
    uint64_t *checksums;
    uint32_t count;
} wpg_shader_forms;

/* Of the normal form of `stage`. WPG_E_NOT_FOUND: no such entry point. */
wpg_status wpg_shader_forms_create(wpg_shader_forms **forms, const wpg_module *module, const wpg_stage *stage,
                                   wpg_error *err);
void wpg_shader_forms_destroy(wpg_shader_forms *forms);

typedef struct wpg_shader_match {
    wpg_weights weights; /* what of the old counts fits the new shader, in the arena; a function whose carried
                            counts contradict its control flow is left out */
    double share;        /* of the old counts, those that are in `weights`: 0 to 1, by lanes */
    double likeness;     /* of the entry functions: see wpg_match */
} wpg_shader_match;

/* `counts` belong to the shader that `from` describes. A function whose checksum differs is left out.
 * `module` is the new version's normal form, `to` its forms. */
wpg_status wpg_match_shader(wpg_shader_match *match, const wpg_shader_forms *from, const wpg_weights *counts,
                            const wpg_shader_forms *to, const wpg_module *module, const wpg_stage *stage,
                            wpg_arena *arena, wpg_error *err);

#endif
