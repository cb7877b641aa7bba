/* What a verdict on variants is about: the words of the variant for the commonest values together. */
#include "layer/use.h"
#include "layer/variants.h"

bool wpg_variant_words(wpg_hash128 *words, const wpg_device *device, wpg_hash128 pipeline,
                       const wpg_rewrite *stage)
{
    const wpg_usual *usual = wpg_usual_of(pipeline);
    wpg_push_value values[WPG_PUSH_WORDS];
    uint32_t count = 0;
    wpg_rewrite variant;
    if (!usual || !wpg_rewrite_recall(&variant, stage, NULL))
        return false;
    for (uint32_t i = 0; i < WPG_PUSH_WORDS; i++)
        if (usual->words >> i & 1)
            values[count++] = (wpg_push_value){i * 4, usual->word[i].values[0]};
    wpg_weights weights;
    wpg_arena arena;
    wpg_arena_init(&arena);
    bool good = wpg_rewrite_parse(&variant, &variant.why) == WPG_OK;
    if (good) {
        wpg_use_find(&weights, &arena, pipeline, &variant);
        good = wpg_rewrite_for_values(&variant, &weights, &device->features, values, count) == WPG_OK &&
               variant.changed && variant.remarks && variant.remarks->push_words;
    }
    if (good) {
        const wpg_hash128 parts[2] = {
            {usual->words, variant.remarks->push_words},
            wpg_hash_bytes(variant.out_words, variant.out_count * sizeof *variant.out_words)};
        *words = wpg_hash_bytes(parts, sizeof parts);
    }
    wpg_arena_finish(&arena);
    wpg_rewrite_finish(&variant);
    return good;
}
