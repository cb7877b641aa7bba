/* Which words of uniform blocks decide a branch by themselves: conditions computed of such words and of
 * constants alone, through variables too. Flow-insensitive: an answer says what is worth asking a program,
 * never what may be assumed. Threads: no shared state. */
#ifndef WPG_COMPILER_ANALYSIS_WORD_DECIDERS_H
#define WPG_COMPILER_ANALYSIS_WORD_DECIDERS_H

#include "compiler/analysis/word_sites.h"

/* *deciding: one bit for each of the `count` sites, at most 64, in whose word a branch or switch is decided.
 * WPG_E_NOMEM only. */
wpg_status wpg_word_deciders(uint64_t *deciding, const wpg_cfg *cfg, const wpg_word_site *sites,
                             uint32_t count, wpg_arena *arena);

#endif
