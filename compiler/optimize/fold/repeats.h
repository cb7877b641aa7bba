/* Work that an earlier instruction has done, once weights of 0 are known: of samples at x + 0 * offset, one
 * is left. Drivers remove such work by themselves. Private to compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_FOLD_REPEATS_H
#define WPG_COMPILER_OPTIMIZE_FOLD_REPEATS_H

#include "compiler/optimize/fold/weight_fold.h"

/* The instructions of blocks that run (`runs`, by block) which compute what one that dominates them has
 * computed, with the first `count` of the actions carried out: repeats[result] is set. Of loads and texels
 * only those count that nothing writes while the shader runs. `shown`: drivers see the zeros. `repeats` is
 * zeroed, [view->bound]. Scratch lives in `arena`. False when memory runs out. */
bool wpg_repeats_find(bool *repeats, const wpg_view *view, const bool *runs, const wpg_weight_action *actions,
                      size_t count, bool shown, wpg_arena *arena);

#endif
