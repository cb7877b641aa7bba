/* Words of uniform blocks that stand together in vectors with dear work on each component: divisions,
 * exponentials. Where such words are equal, the work is the same for all of them (equal_parts.h). An answer
 * says what is worth asking a program, never what may be assumed. Threads: no shared state. */
#ifndef WPG_COMPILER_ANALYSIS_WORD_VECTORS_H
#define WPG_COMPILER_ANALYSIS_WORD_VECTORS_H

#include "compiler/analysis/values/word_places.h"

/* *wanted: one bit for each of the `count` sites, at most 64, which are floats. WPG_E_NOMEM only. */
wpg_status wpg_word_vectors(uint64_t *wanted, const wpg_cfg *cfg, const wpg_word_site *sites, uint32_t count,
                            wpg_arena *arena);

#endif
