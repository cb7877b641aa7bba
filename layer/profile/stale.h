/* Stale profiles: counts of an earlier version of a shader, for a shader whose hash is not in the profile.
 *
 *     bundle: shaders of that stage and entry point --normalise--> forms, the most alike few of them
 *     the new shader                                --normalise--> forms --match, carry--> weights, share
 *
 * Only a bundle has shaders to compare with. Each is read and described once, at its first use. A result is
 * kept, so further pipelines of the shader cost nothing. Threads: any. The first thread that needs a shader
 * searches with no lock held; other threads that need the same one wait. Source: see
 * compiler/analysis/match/match.h. */
#ifndef WPG_LAYER_PROFILE_STALE_H
#define WPG_LAYER_PROFILE_STALE_H

#include "layer/base/stage.h"
#include "runtime/profile/shader_view.h"

/* `view` is of the bundle's profiles, and must stay until wpg_stale_close. */
void wpg_stale_open(const char *bundle, const wpg_shader_view *view);
void wpg_stale_close(void);

/* Finds the most similar shader of the bundle. Sets stage->matched and stage->like if it is another version
 * of this shader. True, and *weights (valid until wpg_stale_close) and stage->anchors, if at least MIN_MATCH
 * percent of its counts found their blocks.
 *
 * A search computes many normal forms. With `now` false nothing is searched: the result is that of an earlier
 * search of this process; or of an earlier process, which leaves *weights empty; or stage->later is set. */
bool wpg_stale_find(wpg_weights *weights, wpg_rewrite *stage, bool now);

#endif
