/* Integers that are floats: Tint declares uniform blocks as arrays of unsigned vectors and casts what it
 * loads. Threads: no shared state. */
#ifndef WPG_COMPILER_ANALYSIS_WORD_CASTS_H
#define WPG_COMPILER_ANALYSIS_WORD_CASTS_H

#include "compiler/analysis/graph/cfg.h"
#include "runtime/base/arena.h"

typedef struct wpg_word_casts {
    const uint8_t *as_integer; /* [bound] one bit a component that more than casts to floats use */
    uint32_t bound;
} wpg_word_casts;

/* Looks at every use in the function. Tables live in `arena`; false when memory runs out. */
bool wpg_word_casts_find(wpg_word_casts *casts, const wpg_cfg *cfg, wpg_arena *arena);
/* True if casts to floats alone use the component of the loaded vector; WPG_NO_BLOCK: the load is of the word
 * itself. */
bool wpg_word_is_cast(const wpg_word_casts *casts, const wpg_inst *load, uint32_t component);

#endif
