/* Which words of uniform blocks decide a branch by themselves, and which are weights: what is computed of
 * such words and of constants alone is a condition, or scales what varies, through variables too.
 * Flow-insensitive: an answer says what is worth asking a program, never what may be assumed. Threads: no
 * shared state. */
#ifndef WPG_COMPILER_ANALYSIS_WORD_DECIDERS_H
#define WPG_COMPILER_ANALYSIS_WORD_DECIDERS_H

#include "compiler/analysis/values/word_places.h"

/* One bit for each of the `count` sites, at most 64. *deciding: its word decides a branch or switch.
 * *weighing: its word is a factor of what varies, or mixes it. WPG_E_NOMEM only. */
wpg_status wpg_word_deciders(uint64_t *deciding, uint64_t *weighing, const wpg_cfg *cfg,
                             const wpg_word_site *sites, uint32_t count, wpg_arena *arena);

#endif
