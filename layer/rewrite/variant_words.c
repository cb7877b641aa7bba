/* The words that a verdict on variants stands for: those of the variant for the commonest values together. */
#include "layer/profile/use.h"
#include "layer/rewrite/rewrite.h"
#include "layer/profile/usual.h"
#include "layer/rewrite/variant_words.h"

/* A word that had another value in one draw or dispatch of a hundred counts as one of one value. */
static const double ONE_VALUE = 0.99;

uint32_t wpg_variant_values(wpg_push_value values[WPG_PUSH_WORDS], uint64_t *along, const wpg_usual *usual,
                            const uint32_t *given)
{
    uint32_t count = 0;
    *along = 0;
    for (uint32_t i = 0; i < WPG_PUSH_WORDS; i++) {
        if (!(usual->words >> i & 1))
            continue;
        const uint32_t commonest = usual->word[i].values[0];
        values[count++] = (wpg_push_value){i * 4, given ? given[i] : commonest};
        if (usual->word[i].share >= ONE_VALUE && values[count - 1].value == commonest)
            *along |= UINT64_C(1) << i;
    }
    return count;
}

/* Adds a stage's words to *all; whether push constants were folded in it. */
static bool add_stage(wpg_hash128 *all, const wpg_device *device, wpg_hash128 pipeline,
                      const wpg_rewrite *stage, const wpg_push_value *values, uint32_t count, uint64_t along)
{
    wpg_rewrite variant;
    wpg_weights weights;
    wpg_arena arena;
    if (!wpg_rewrite_recall(&variant, stage, NULL))
        return false;
    wpg_arena_init(&arena);
    bool folds = wpg_rewrite_parse(&variant, &variant.why) == WPG_OK;
    if (folds) {
        wpg_use_find(&weights, &arena, pipeline, &variant);
        folds =
            wpg_rewrite_for_values(&variant, &weights, &device->features, values, count, along) == WPG_OK &&
            variant.changed;
    }
    wpg_hash128 words = {0};
    if (folds)
        words = wpg_hash_bytes(variant.out_words, variant.out_count * sizeof *variant.out_words);
    const wpg_hash128 parts[2] = {*all, words};
    *all = wpg_hash_bytes(parts, sizeof parts);
    folds = folds && variant.remarks && variant.remarks->push_words;
    wpg_arena_finish(&arena);
    wpg_rewrite_finish(&variant);
    return folds;
}

bool wpg_variant_words(wpg_hash128 *words, const wpg_device *device, wpg_hash128 pipeline,
                       const wpg_rewrite *stages, size_t count)
{
    const wpg_usual *usual = wpg_usual_of(pipeline);
    wpg_push_value values[WPG_PUSH_WORDS];
    bool folds = false;
    uint64_t along;
    if (!usual)
        return false;
    const uint32_t value_count = wpg_variant_values(values, &along, usual, NULL);
    *words = (wpg_hash128){usual->words, 0};
    for (size_t i = 0; i < count; i++)
        folds |= add_stage(words, device, pipeline, &stages[i], values, value_count, along);
    return folds;
}
