/* The profile that use mode applies: loaded once, read from every thread that makes pipelines.
 * A folder's files are kept apart too: a pipeline finds the file that holds it alone before the sum of all.
 */
#ifndef WPG_LAYER_PROFILE_USE_H
#define WPG_LAYER_PROFILE_USE_H

#include "layer/base/stage.h"

/* Whether the mode applies a profile: use mode, and generate mode with a profile where not every bind counts.
 * There the counted binds run the program's own words, so that their counts are of its own blocks whatever
 * the profile made of the others: rounds of generating and using cannot swing. */
bool wpg_use_applies(void);

/* File or folder; a relative one counts from the process's folder. A profile that cannot be read is said
 * once; every pipeline then passes through. */
void wpg_use_load(const char *path);
void wpg_use_unload(void);
/* The bundle the profile was read from, absolute; "" if it was none. */
const char *wpg_use_bundle(void);
/* Why no profile is there; NULL if one is. */
const char *wpg_use_missing(void);

/* What the profile says of that stage: weights (in `arena`, or the profile's) and, in stage->found, how it
 * was found: "pipeline", "shader", "anchors" (of another version of the shader: stale.h), "no". No
 * functions: nothing is known. */
void wpg_use_find(wpg_weights *weights, wpg_arena *arena, wpg_hash128 pipeline, wpg_rewrite *stage);

/* At the end of the program: one warning if the profile knew none of the shaders that were looked up. */
void wpg_use_say_unknown(void);
/* A verdict of tuning stands for the profile: what it decides is not looked up. */
void wpg_use_note_known(void);

/* Appends the pipeline's line to USE_LOG, and says the same in the log. `verdict`: what tuning said, NULL if
 * that was not asked. */
void wpg_use_report(wpg_hash128 pipeline, const wpg_rewrite *stages, size_t stage_count, const char *verdict);
/* The same of a variant for values of these words of push constants; 0: none was made. */
void wpg_use_report_variant(wpg_hash128 pipeline, const wpg_rewrite *stages, size_t stage_count,
                            uint64_t words);

#endif
