/* The profile that use mode applies: loaded once, read from every thread that makes pipelines. A folder's
 * files are kept apart too: a pipeline finds its own file before the sum of all. Threads: one loads and
 * unloads; in between any. */
#ifndef WPG_LAYER_PROFILE_USE_H
#define WPG_LAYER_PROFILE_USE_H

#include "layer/base/stage.h"

/* True if the mode applies a profile: use mode, and generate mode with a profile if not every bind counts. In
 * generate mode the counted binds run the program's own words, so their counts do not depend on the profile's
 * effect on the others. So rounds of generating and using cannot swing. */
bool wpg_use_applies(void);

/* Loads a file or folder; a relative path counts from the process's folder. A bundle may be without counts
 * if it has usual values of push constants. An unreadable profile is logged once, and every pipeline then
 * passes through. */
void wpg_use_load(const char *path);
void wpg_use_unload(void);
/* The bundle the profile was read from, absolute; "" if it was none. */
const char *wpg_use_bundle(void);
/* The reason why no profile is there; NULL if there is one. */
const char *wpg_use_missing(void);

/* The profile's weights of that stage (in `arena`, or the profile's). stage->found says how they were found:
 * "pipeline", "shader", "anchors" (of another version of the shader: stale.h), "no". No functions: no
 * counts. `now`: an earlier version is searched for if need be. With `now` false stage->later may be set
 * instead, and "anchors" may come without the weights. */
void wpg_use_find(wpg_weights *weights, wpg_arena *arena, wpg_hash128 pipeline, wpg_rewrite *stage, bool now);

/* At the end of the program: one warning if the profile had counts of none of the shaders that were looked
 * up. If it has facts of one's pipeline it is the right profile: no warning if variants were made of them
 * (`changed`). */
void wpg_use_say_unknown(bool changed);
/* For the summary: how many of the *seen shaders the profile has counts of. */
size_t wpg_use_counted(size_t *seen);
/* A verdict of tuning replaces the profile: pipelines that it decides are not looked up. */
void wpg_use_note_known(void);

/* Appends the pipeline's line to USE_LOG, and logs the same. `verdict`: the verdict of tuning, NULL if none
 * was looked up. */
void wpg_use_report(wpg_hash128 pipeline, const wpg_rewrite *stages, size_t stage_count, const char *verdict);
/* The same for a variant for values of these words of push constants; 0: none was made. */
void wpg_use_report_variant(wpg_hash128 pipeline, const wpg_rewrite *stages, size_t stage_count,
                            uint64_t words);
/* The same for the pipeline's numberth for contents of uniform blocks, from 1. */
void wpg_use_report_contents(wpg_hash128 pipeline, const wpg_rewrite *stages, size_t stage_count,
                             uint32_t number);

#endif
