/* One stage's words in, other words out: the bridge from Vulkan stages to the compiler.
 *
 *     words --identify--> parsed module, shader hash
 *           --generate--> normal form, counters        (or the same from the disk cache)
 *           --use-------> normal form, profile applied (or the same from the disk cache)
 *
 * Threads: one stage, one thread; the cache is shared. */
#ifndef WPG_LAYER_REWRITE_H
#define WPG_LAYER_REWRITE_H

#include "compiler/instrument/instrument.h"
#include "compiler/normalize/spirv_tools.h"
#include "compiler/optimize/optimize.h"
#include "layer/features.h"
#include "runtime/bundle/cache.h"

typedef struct wpg_rewrite {
    /* Given by the caller: borrowed. */
    VkShaderStageFlagBits stage_bit;
    const uint32_t *words;
    size_t word_count;
    const char *entry;
    const VkSpecializationInfo *specialization; /* NULL = none */

    /* After wpg_rewrite_identify. */
    wpg_stage stage;
    wpg_spec_value *spec;
    wpg_module *module; /* parsed; consumed by generate and use */
    wpg_hash128 hash;

    /* After generate or use. */
    bool changed; /* out_words replace the application's */
    uint32_t *out_words;
    size_t out_count;
    wpg_counter_map *map; /* generate */
    wpg_remarks *remarks; /* use; NULL if there are none */
    const char *found;    /* use: "pipeline", "shader", "no" */
    wpg_error why;        /* what was refused; message "" if nothing */
} wpg_rewrite;

/* The cache of rewritten words; ready once wpg_rewrite_setup has run. */
const wpg_cache *wpg_rewrite_cache(void);
void wpg_rewrite_setup(void);

/* Parses and hashes. On failure the stage, and with it the pipeline, has no identity. */
wpg_status wpg_rewrite_identify(wpg_rewrite *rewrite, wpg_error *err);

/* Makes `rewrite` another one of an identified stage: who it is, without the parsed module. Its words are
 * borrowed; its entry's name too, or is copied into `arena` if that is not NULL. false when memory runs out.
 */
bool wpg_rewrite_recall(wpg_rewrite *rewrite, const wpg_rewrite *known, wpg_arena *arena);

/* Instruments. `stable` = the directory's address is the same in the next run, so that the result is worth
 * keeping on disk. Failure leaves the stage to its original words: rewrite->why. */
wpg_status wpg_rewrite_generate(wpg_rewrite *rewrite, const wpg_instrument_options *options,
                                const wpg_validate_options *validate, bool stable);

/* Applies a profile, on a device with these features. weights NULL: nothing is known of the shader. */
wpg_status wpg_rewrite_use(wpg_rewrite *rewrite, const wpg_weights *weights,
                           const wpg_device_features *features);

void wpg_rewrite_finish(wpg_rewrite *rewrite);

/* DESIGN identity: XXH3-128 over the shader hashes in stage order. */
wpg_hash128 wpg_pipeline_hash(const wpg_rewrite *stages, size_t count);
/* Where a stage stands in that order. */
unsigned wpg_stage_rank(VkShaderStageFlagBits stage);

#endif
