/* Word sites: words of uniform blocks that a function reads by constant indices, or by a loop's counter
 * (counted_reads.h). A host writes them once for a draw or dispatch: sizes, strides, divisors, flags,
 * weights. Sites are all 32-bit integers, and those 32-bit floats, read by constant indices, that decide a
 * branch, are weights or move texel coordinates (word_deciders.h), or of vectors with dear work on them
 * (word_vectors.h); also where the block declares integers that are cast (word_casts.h). Generate mode asks
 * which values they have, and use mode makes versions of the stage for them. The list depends on the normal
 * form alone. So a site's number is its identity. Threads: no shared state. */
#ifndef WPG_COMPILER_ANALYSIS_WORD_SITES_H
#define WPG_COMPILER_ANALYSIS_WORD_SITES_H

#include "compiler/analysis/values/word_places.h"

/* Words of one function, 64 at most: integers first, then floats, then integers that counters choose among,
 * then those of first trips, then integers without room before that decide a branch or an index; of each the
 * first in module order. A kind of word that is new comes last: a profile that knows fewer words holds for
 * these. */
enum {
    WPG_MOST_INTEGER_SITES = 32,
    WPG_MOST_FLOAT_SITES = 32, /* that decide something, then weights; then of vectors, up to all there are */
    WPG_MOST_WORD_SITES = WPG_MOST_INTEGER_SITES + WPG_MOST_FLOAT_SITES,
};

/* *sites lives in `arena`, in the order of the first loads. WPG_E_NOMEM only. */
wpg_status wpg_word_sites(wpg_word_site **sites, uint32_t *count, const wpg_cfg *cfg, wpg_arena *arena);

#endif
