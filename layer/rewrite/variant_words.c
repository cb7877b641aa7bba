/* The words that a verdict on variants stands for: those of the variant for the commonest values together. */
#include "layer/profile/use.h"
#include "layer/rewrite/rewrite.h"
#include "layer/profile/usual.h"
#include "layer/rewrite/variant_words.h"

void wpg_variant_values(wpg_given_pushes *given, const wpg_usual *usual, const uint32_t *values)
{
    *given = (wpg_given_pushes){.sets = usual->sets.count ? &usual->sets : NULL};
    for (uint32_t i = 0; i < WPG_PUSH_WORDS; i++) {
        if (!(usual->words >> i & 1))
            continue;
        const uint32_t commonest = usual->word[i].values[0], value = values ? values[i] : commonest;
        given->values[given->count++] = (wpg_push_value){i * 4, value};
        if (usual->word[i].share >= WPG_PUSH_ALONG && value == commonest)
            given->along |= UINT64_C(1) << i;
    }
}

/* Adds a stage's words to *all. Returns true if push constants were folded in the stage. */
static bool add_stage(wpg_hash128 *all, bool *later, const wpg_device *device, wpg_hash128 pipeline,
                      const wpg_rewrite *stage, const wpg_given_pushes *given, wpg_rewrite_when when)
{
    wpg_rewrite variant;
    wpg_weights weights;
    wpg_arena arena;
    if (!wpg_rewrite_recall(&variant, stage, NULL))
        return false;
    wpg_arena_init(&arena);
    wpg_use_find(&weights, &arena, pipeline, &variant, when == WPG_REWRITE_NOW);
    bool folds = !variant.later &&
                 wpg_rewrite_for_values(&variant, &weights, &device->features, given, when) == WPG_OK &&
                 variant.changed;
    *later |= variant.later;
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

bool wpg_variant_words(wpg_hash128 *words, bool *later, const wpg_device *device, wpg_hash128 pipeline,
                       const wpg_rewrite *stages, size_t count, wpg_rewrite_when when)
{
    const wpg_usual *usual = wpg_usual_of(pipeline);
    wpg_given_pushes given;
    bool folds = false;
    *later = false;
    if (!usual)
        return false;
    wpg_variant_values(&given, usual, NULL);
    *words = (wpg_hash128){usual->words, 0};
    for (size_t i = 0; i < count && !*later; i++)
        folds |= add_stage(words, later, device, pipeline, &stages[i], &given, when);
    return folds && !*later;
}
