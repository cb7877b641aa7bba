/* Rewrites one stage's words: the bridge from Vulkan stages to the compiler.
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
    uint32_t wave_size;   /* use: lanes of a wave that the driver is to be asked for; 0 = as it is */
    const char *found;    /* use: "pipeline", "shader", "anchors", "no" */
    double matched;       /* use, with anchors looked for: share of the counts that found a block, 0..1 */
    wpg_hash128 like;     /* of which shader, if matched is more than 0 */
    wpg_error why;        /* what was refused; message "" if nothing */
} wpg_rewrite;

/* The cache of rewritten words; ready once wpg_rewrite_setup has run. */
const wpg_cache *wpg_rewrite_cache(void);
void wpg_rewrite_setup(void);

/* Parses and hashes. On failure the stage, and with it the pipeline, has no identity. */
wpg_status wpg_rewrite_identify(wpg_rewrite *rewrite, wpg_error *err);

/* Parses the words of a recalled stage. */
wpg_status wpg_rewrite_parse(wpg_rewrite *rewrite, wpg_error *err);

/* Makes `rewrite` a copy of an identified stage, without the parsed module. Its words are borrowed. Its
 * entry's name is borrowed too, or copied into `arena` if that is not NULL. False when memory runs out. */
bool wpg_rewrite_recall(wpg_rewrite *rewrite, const wpg_rewrite *known, wpg_arena *arena);

/* Instruments. `stable`: the directory's address is the same in the next run, so the result is worth keeping
 * on disk. On failure the stage keeps its original words: rewrite->why. */
wpg_status wpg_rewrite_generate(wpg_rewrite *rewrite, const wpg_instrument_options *options,
                                const wpg_validate_options *validate, bool stable);

/* Applies a profile on a device with these features, which offers the wave sizes `wave` (wave_size.h).
 * weights NULL: the shader has no profile. leave_out: letters of passes that do not run. */
wpg_status wpg_rewrite_use(wpg_rewrite *rewrite, const wpg_weights *weights,
                           const wpg_device_features *features, const wpg_wave_choice *wave,
                           const char *leave_out);

/* Letters of passes that run only by a verdict or by the settings: a vote on loads has a cost, and its gain
 * depends on the hardware. Static storage. */
const char *wpg_rewrite_not_by_rule(void);

/* Applies a profile for these values of push constants alone; remarks->push_words tells which mattered. Not
 * kept on disk. */
wpg_status wpg_rewrite_for_values(wpg_rewrite *rewrite, const wpg_weights *weights,
                                  const wpg_device_features *features, const wpg_push_value *values,
                                  uint32_t count);

void wpg_rewrite_finish(wpg_rewrite *rewrite);

/* The shader's name in profiles from before WPG_IDENTITY_VERSION. Parses the words once more. */
wpg_status wpg_rewrite_hash_before(wpg_hash128 *hash, const wpg_rewrite *rewrite, wpg_error *err);

/* DESIGN identity: XXH3-128 over the shader hashes in stage order. */
wpg_hash128 wpg_pipeline_hash(const wpg_rewrite *stages, size_t count);
/* Where a stage stands in that order. */
unsigned wpg_stage_rank(VkShaderStageFlagBits stage);

#endif
