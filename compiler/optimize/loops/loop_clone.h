/* A guarded copy of a loop: which loops may be copied (loop_copy.c), and the copy (loop_clone.c). The trip
 * guard (trip_guard.c), the value guard (value_guard.c) and unswitching (unswitch.c) each plan their guard
 * and their changes to the copy. Peeling (peel.c) puts its copy before the loop (loop_peel.c). Private to
 * compiler/optimize. */
#ifndef WPG_COMPILER_OPTIMIZE_LOOPS_LOOP_CLONE_H
#define WPG_COMPILER_OPTIMIZE_LOOPS_LOOP_CLONE_H

#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/loops.h"

/* One test of the guard: does this value have these bits? The value is a 32-bit integer or Boolean, known
 * before the loop or computable there. */
typedef struct wpg_guard_test {
    uint32_t value, bits;
    bool late; /* only lanes that pass the loop's first test load it, in the loop and in the guard */
} wpg_guard_test;

enum { WPG_MOST_TESTS = 4 };

/* A branch that the guard decides: the copy has a constant in place of its condition or selector. */
typedef struct wpg_guard_fold {
    const wpg_inst *terminator;
    uint32_t block, bits;
    bool excluded; /* a selector known not to be these bits: it stays, one way falls away */
} wpg_guard_fold;

typedef struct wpg_guard_plan {
    const char *pass; /* the pass that made the plan; static storage */
    wpg_loop loop;
    uint32_t preheader;     /* the one block outside that leads to the header */
    uint64_t entries;       /* lanes that entered */
    uint64_t takes[2];      /* counts of one kind that take the copy, and the original: the guard's weights */
    const char *unknown_by; /* counts of the two cannot be told apart: the pass that says so, else NULL */

    /* Of the trip guard: a guard on the loop's bound; the copy is to be unrolled. */
    wpg_inst *compare;    /* the comparison that the loop's test branches on; NULL: no trip guard */
    uint32_t test;        /* block whose branch leaves the loop */
    unsigned bound_at;    /* index in compare->words of the bound */
    bool stays_on;        /* value of the comparison that stays in the loop */
    uint32_t evaluations; /* of the test, per entry, as measured */
    uint32_t trips;       /* runs of the body per entry */
    uint32_t value;       /* the bound that gives them: what the copy has in its place */
    bool range; /* other bounds give as many trips: guard on the comparison at the last two values */
    uint32_t last, leaving; /* induction values at the last test that stays and the one that leaves */

    /* Of the value guard and of unswitching: all tests must hold. */
    const wpg_guard_test *tests;
    const wpg_guard_fold *folds;
    uint32_t test_count, fold_count;
    const bool *barriers; /* [bound] phis whose copies get an optimisation barrier (opt_barrier.h) */
    uint32_t dead_cost;   /* of what falls away in the copy */
    /* Changes to the original loop, where the single test failed: its branches, its phis that get
     * optimisation barriers. A driver knows there that the guard failed. So it is kept from using that, as in
     * the copy. */
    const wpg_guard_fold *rest_folds;
    uint32_t rest_fold_count;
    const bool *rest_barriers;

    /* Of unswitching. */
    uint32_t decided; /* conditions decided around the loop, this one among them; 0: another guard */
    uint32_t varying; /* a value before the loop to make an optimisation barrier's zero of */
    /* Of peeling: phis in which the lanes of a wave agree ([bound]), and a value before the loop that they
     * agree on, 0: none. Optimisation barriers of these phis are made of that value. Otherwise a counter
     * could become a value that lanes may differ in. */
    const bool *even;
    uint32_t agreed;
    /* Blocks still reached in the copy and in the original. Where the counts of the two cannot be told apart,
     * the tables keep a guess, for the pass that made the blocks alone. */
    const bool *live, *rest_live;
} wpg_guard_plan;

/* -- What may be copied (loop_copy.c) -- */

/* True for a block that every lane which enters the loop runs first. */
bool wpg_block_surely_runs(const wpg_view *view, const wpg_loop *loop, uint32_t block);
/* True for a block that every lane which stays in the loop at its first test runs next. */
bool wpg_block_surely_runs_late(const wpg_view *view, const wpg_loop *loop, uint32_t block);
/* True if the loop's first test may be made before the loop, for the first trip: it depends on draw constants
 * and start values alone. */
bool wpg_first_test_is_plain(const wpg_view *view, const wpg_loop *loop);
bool wpg_loop_has_call_or_atomic(const wpg_view *view, const wpg_loop *loop);
/* NULL if shape and contents of the loop allow a guarded copy; *preheader is then the block before the loop.
 * Otherwise the reason (static storage). */
const char *wpg_loop_copy_refusal(uint32_t *preheader, const wpg_view *view, const wpg_loop *loop,
                                  const wpg_id_set *exact, const wpg_id_set *helper);

/* -- The copy (loop_clone.c) -- */

/* Makes the guard and the copy; the view is stale afterwards. Enters the new blocks into the profile. */
wpg_status wpg_guard_apply(wpg_context *context, wpg_function_profile *profile, const wpg_view *view,
                           const wpg_guard_plan *plan);

/* -- The first trip (loop_peel.c) -- */

/* NULL if the loop's back edge has a form that can be peeled. Otherwise the reason (static storage). */
const char *wpg_peel_shape_refusal(const wpg_view *view, const wpg_loop *loop);
/* Puts a copy of the loop before it, which runs one trip. `folds` and `barriers` are the copy's. `rest_folds`
 * and `rest_barriers` are those of the loop, which runs all further trips. Afterwards the view is stale and
 * the profile has the new blocks. */
wpg_status wpg_peel_apply(wpg_context *context, wpg_function_profile *profile, const wpg_view *view,
                          const wpg_guard_plan *plan);

#endif
