/* Which words of uniform blocks decide a branch or an index by themselves, and which are weights: what is
 * computed of such words and of constants alone is a condition, or scales or moves what varies, through
 * variables too.
 * Flow-insensitive: an answer says what is worth asking a program, never what may be assumed. Threads: no
 * shared state. */
#ifndef WPG_COMPILER_ANALYSIS_WORD_DECIDERS_H
#define WPG_COMPILER_ANALYSIS_WORD_DECIDERS_H

#include "compiler/analysis/values/word_places.h"

/* One bit for each site. The last kind came later than the others: words of these may have it, too. */
typedef struct wpg_word_uses {
    uint64_t deciding; /* its word decides a branch or switch */
    uint64_t weighing; /* its word is a factor of what varies, or mixes it */
    uint64_t indexing; /* an index of an access chain is computed of its word and constants */
    /* As the two, where floats become integers or whole numbers on the way; or its word moves what varies on
     * its way to the coordinates of a texel. */
    uint64_t rounding_or_moving;
} wpg_word_uses;

/* `count` is at most 64. WPG_E_NOMEM only. */
wpg_status wpg_word_deciders(wpg_word_uses *uses, const wpg_cfg *cfg, const wpg_word_site *sites,
                             uint32_t count, wpg_arena *arena);

#endif
