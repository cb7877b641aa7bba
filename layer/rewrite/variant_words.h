/* What variants are made of: words for usual values. Threads: any. */
#ifndef WPG_LAYER_REWRITE_VARIANT_WORDS_H
#define WPG_LAYER_REWRITE_VARIANT_WORDS_H

#include "layer/profile/usual.h"
#include "layer/base/stage.h"
#include "layer/base/state.h"
#include "layer/rewrite/rewrite.h"

/* The hash that a verdict on a pipeline's variants is about: of the words of all stages, made for the
 * commonest values together. False: no word is folded, so there are no variants; or, with
 * WPG_REWRITE_IF_KEPT, *later: the cache lacks the words of a stage. */
bool wpg_variant_words(wpg_hash128 *words, bool *later, const wpg_device *device, wpg_hash128 pipeline,
                       const wpg_rewrite *stages, size_t count, wpg_rewrite_when when);

/* The values of the usual words: these (by word), or the commonest (NULL). *given borrows from `usual`. */
void wpg_variant_values(wpg_given_pushes *given, const wpg_usual *usual, const uint32_t *values);

#endif
