/* Makes the table of weights that the compiler takes (runtime/base/weights.h) from a profile.
 *
 * Owns: nothing; the table lives in the caller's arena and borrows its counters from the profile.
 * Threads: any. */
#ifndef WPG_RUNTIME_PROFILE_WEIGHTS_H
#define WPG_RUNTIME_PROFILE_WEIGHTS_H

#include "runtime/base/weights.h"
#include "runtime/profile/shader_view.h"

/* The weights of the functions `first[0 .. count-1]` of one shader, as wpg_shader_view_find gives them. The
 * table lives in `arena` and borrows counters from the view's profile. WPG_E_NOMEM only; *weights is then
 * empty. */
wpg_status wpg_weights_of_shader(wpg_weights *weights, wpg_arena *arena, const wpg_shader_counts *first,
                                 size_t count);

#endif
