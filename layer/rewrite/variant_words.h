/* What variants are made of: words for usual values. Threads: any. */
#ifndef WPG_LAYER_REWRITE_VARIANT_WORDS_H
#define WPG_LAYER_REWRITE_VARIANT_WORDS_H

#include "layer/profile/usual.h"
#include "layer/base/stage.h"
#include "layer/base/state.h"

/* The hash that a verdict on a pipeline's variants is about: of the words of all stages, made for the
 * commonest values together. False: no word is folded, so there are no variants. */
bool wpg_variant_words(wpg_hash128 *words, const wpg_device *device, wpg_hash128 pipeline,
                       const wpg_rewrite *stages, size_t count);

/* The values of the usual words: those given (by word), or the commonest (NULL). Returns their number.
 * *along: words, one bit each, that had one value alone, which is the one here. */
uint32_t wpg_variant_values(wpg_push_value values[WPG_PUSH_WORDS], uint64_t *along, const wpg_usual *usual,
                            const uint32_t *given);

#endif
