/* Rewrites one stage's words: the bridge from Vulkan stages to the compiler.
 *
 *     words --identify--> shader hash
 *           --generate--> normal form, counters        (or the same from the disk cache)
 *           --use-------> normal form, profile applied (or the same from the disk cache)
 *
 * Threads: one stage, one thread; the cache is shared. */
#ifndef WPG_LAYER_REWRITE_REWRITE_H
#define WPG_LAYER_REWRITE_REWRITE_H

#include "compiler/normalize/spirv_tools.h"
#include "layer/base/stage.h"
#include "layer/rewrite/wave_size.h"

/* Computes the shader hash. Words whose hash the cache knows are not parsed (base/answers.h). On failure the
 * stage, and with it the pipeline, has no identity. */
wpg_status wpg_rewrite_identify(wpg_rewrite *rewrite, wpg_error *err);

/* Parses the words of an identified stage, unless rewrite->module is there. */
wpg_status wpg_rewrite_parse(wpg_rewrite *rewrite, wpg_error *err);
/* Forgets what was made of an identified stage, and its parsed module. */
void wpg_rewrite_reset(wpg_rewrite *rewrite);

/* Makes `rewrite` a copy of an identified stage, without the parsed module. Its words are borrowed. Its
 * entry's name is borrowed too, or copied into `arena` if that is not NULL. False when memory runs out. */
bool wpg_rewrite_recall(wpg_rewrite *rewrite, const wpg_rewrite *known, wpg_arena *arena);

/* Instruments. `stable`: the directory's address is the same in the next run, so the result is worth keeping
 * on disk. On failure the stage keeps its original words: rewrite->why. */
wpg_status wpg_rewrite_generate(wpg_rewrite *rewrite, const wpg_instrument_options *options,
                                const wpg_validate_options *validate, bool stable);

/* Whether words are made now, or only taken from the cache where that has them (rewrite->later). */
typedef enum wpg_rewrite_when { WPG_REWRITE_NOW, WPG_REWRITE_IF_KEPT } wpg_rewrite_when;

/* Applies a profile on a device with these features, which offers the wave sizes `wave` (wave_size.h).
 * weights NULL: the shader has no profile. leave_out: letters of passes that do not run. */
wpg_status wpg_rewrite_use(wpg_rewrite *rewrite, const wpg_weights *weights,
                           const wpg_device_features *features, const wpg_wave_choice *wave,
                           const char *leave_out, wpg_rewrite_when when);

/* Letters of passes that run only by a verdict or by the settings. A vote on loads has a cost, and its gain
 * depends on the hardware. Hints are left out where the driver gains nothing by them. */
enum { WPG_LETTERS_BY_RULE = 4 };
void wpg_rewrite_not_by_rule(char leave_out[WPG_LETTERS_BY_RULE], const wpg_device_features *features);

/* Values of push constants that are taken as given, and which of them go along where others decide something
 * (wpg_optimize_options). */
typedef struct wpg_given_pushes {
    wpg_push_value values[WPG_PUSH_FOLD_WORDS];
    uint32_t count;
    const wpg_push_sets *sets; /* borrowed; NULL: `along` */
    uint64_t along;
} wpg_given_pushes;
/* Applies a profile for these values of push constants alone; remarks->push_words tells which mattered. */
wpg_status wpg_rewrite_for_values(wpg_rewrite *rewrite, const wpg_weights *weights,
                                  const wpg_device_features *features, const wpg_given_pushes *given,
                                  wpg_rewrite_when when);

/* Makes the stage its nth version for words of uniform blocks, alone: right only where remarks->tests hold.
 * remarks->test_count 0: there is no such version. */
wpg_status wpg_rewrite_alone(wpg_rewrite *rewrite, const wpg_weights *weights,
                             const wpg_device_features *features, uint32_t number);

void wpg_rewrite_finish(wpg_rewrite *rewrite);

/* Pipeline hash (compiler/spirv/README.md, Identity): XXH3-128 over the shader hashes in stage order. */
wpg_hash128 wpg_pipeline_hash(const wpg_rewrite *stages, size_t count);
/* The position of a stage in that order. */
unsigned wpg_stage_rank(VkShaderStageFlagBits stage);

#endif
