/* The profile that use mode applies: loaded once, read from every thread that makes pipelines.
 * A folder's files are kept apart too: a pipeline finds the file that holds it alone before the sum of all.
 */
#ifndef WPG_LAYER_USE_H
#define WPG_LAYER_USE_H

#include "layer/rewrite.h"

/* File or folder; a relative one counts from the process's folder. A profile that cannot be read is said
 * once; every pipeline then passes through. */
void wpg_use_load(const char *path);
void wpg_use_unload(void);
/* Why no profile is there; NULL if one is. */
const char *wpg_use_missing(void);

/* What the profile says of that stage: weights (in `arena`) and how it was found: "pipeline", "shader", "no".
 * No functions: nothing is known. */
void wpg_use_find(wpg_weights *weights, const char **found, wpg_arena *arena, wpg_hash128 pipeline,
                  const wpg_rewrite *stage);

/* Appends the pipeline's line to USE_LOG, and says the same in the log. */
void wpg_use_report(wpg_hash128 pipeline, const wpg_rewrite *stages, size_t stage_count);

#endif
