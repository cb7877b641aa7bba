/* Which selects may be worth a branch: generate mode counts those, un-flatten makes branches of some.
 * Threads: no shared state. */
#ifndef WPG_COMPILER_ANALYSIS_SELECT_WORK_H
#define WPG_COMPILER_ANALYSIS_SELECT_WORK_H

#include "compiler/analysis/values/sites.h"

/* Least own work of a side (weighted instructions, inst_cost.h) that is worth a branch. */
enum { WPG_SELECT_WORK = 24 };

/* (*pays)[i], in `arena`: one side of site i has at least `least` own work. Own work of a side is what
 * nothing but that side of the selects with this condition, in this block, needs. That is an upper bound of
 * what un-flatten can put into a branch: a site that does not pay is refused there, whatever its counts.
 * WPG_E_NOMEM only. */
wpg_status wpg_select_pays(bool **pays, const wpg_select_site *sites, uint32_t count, uint32_t least,
                           const wpg_cfg *cfg, wpg_arena *arena);

#endif
