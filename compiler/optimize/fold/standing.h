/* Which loops of float work keep their tests when words become constants (load_fold.c), and which may lose
 * them behind optimisation barriers. Private to compiler/optimize. Threads: one module, one thread. */
#ifndef WPG_COMPILER_OPTIMIZE_FOLD_STANDING_H
#define WPG_COMPILER_OPTIMIZE_FOLD_STANDING_H

#include "compiler/optimize/facts/unrolled.h"
#include "compiler/optimize/ir/legality.h"

typedef struct wpg_standing {
    const wpg_view *view;
    const wpg_function_profile *profile; /* NULL: none, then no loop is freed */
    const uint32_t *known;               /* [bound] the constants that loads are taken to equal; 0: none */
    const wpg_id_set *exact;             /* wpg_exact_slice */
    bool barriers;                       /* there is a zero to make them of */
    bool every_loop;                     /* loops without float work stand, too, and none is freed */
    wpg_arena *arena;
    /* Results, [bound]; the caller's, all false at first. */
    bool *opaque; /* what no driver is to know: what stands, and what is hidden */
    bool *hidden; /* phis and selects that get an optimisation barrier (opt_barrier.h) */
    uint32_t freed;
} wpg_standing;

/* A driver that knows when a loop ends may unroll it, and re-associate float arithmetic across its trips. So
 * what decides whether such a loop is left stays as it was, and is marked opaque. Where a branch in the loop
 * chooses what that is computed of, all its branches do. Where a driver may unroll anyway, less code in the
 * loop may make it do so: there all branches stay, too.
 *
 * A loop is freed instead if the given values make its trips countable, and the profile says that they are
 * few. Barriers go to its header phis and to the phis behind it: nowhere else do two trips meet. Loops stand
 * that carry floats in memory, or in which unrolling would do more: decide a branch of the body, make a
 * constant that drivers round their own way (folding.h), or use arithmetic from outside more than once.
 *
 * A loop that a driver may unroll anyway is freed, without barriers, if its trips share no floats: no phi, no
 * value from outside that arithmetic made, no variable that is written and read.
 *
 * False when memory runs out. */
bool wpg_standing_find(wpg_standing *s);

/* Would unrolling, once the id `known` is a constant, decide a branch or select of a loop's body in which
 * floats are rounded? Arithmetic of the arms has other neighbours then. True where memory runs out. */
bool wpg_unrolling_decides(const wpg_view *view, const wpg_loop *loop, uint32_t known, wpg_arena *arena);

#endif
