/* A guarded copy of a loop: what may be copied (loop_copy.c), and the copy (loop_clone.c). The trip guard
 * (trip_guard.c), the value guard (value_guard.c) and unswitching (unswitch.c) plan what is special about
 * theirs. Peeling (peel.c) puts its copy before the loop instead (loop_peel.c). Private to compiler/optimize.
 */
#ifndef WPG_COMPILER_OPTIMIZE_LOOPS_LOOP_CLONE_H
#define WPG_COMPILER_OPTIMIZE_LOOPS_LOOP_CLONE_H

#include "compiler/optimize/ir/legality.h"
#include "compiler/optimize/ir/loops.h"

/* The guard asks: is this 32-bit integer or Boolean, at hand before the loop or computable there, these bits?
 */
typedef struct wpg_guard_test {
    uint32_t value, bits;
    bool late; /* only those who pass the loop's first test load it: so does the guard */
} wpg_guard_test;

enum { WPG_MOST_TESTS = 4 };

/* A branch that the guard decides: the copy has a constant in place of its condition or selector. */
typedef struct wpg_guard_fold {
    const wpg_inst *terminator;
    uint32_t block, bits;
    bool excluded; /* a selector known not to be these bits: it stays, one way falls away */
} wpg_guard_fold;

typedef struct wpg_guard_plan {
    const char *pass; /* that plans it, static storage */
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
    const bool *seams;  /* [bound] phis of the loop whose copies get a seam (seam.h) */
    uint32_t dead_cost; /* of what falls away in the copy */
    /* What the one test says of the original where it fails: its branches, its phis that get seams. A driver
     * sees that the guard failed, so it has to be kept from what it could make of it as in the copy. */
    const wpg_guard_fold *rest_folds;
    uint32_t rest_fold_count;
    const bool *rest_seams;

    /* Of unswitching. */
    uint32_t decided; /* conditions decided around the loop, this one among them; 0: another guard */
    uint32_t varying; /* a value before the loop to make a seam's zero of */
    /* Of peeling: phis in which the lanes of a wave agree ([bound]), and a value before the loop that they
     * agree on, 0: none. Seams of those are made of this: a counter must not become one that lanes may differ
     * in. */
    const bool *even;
    uint32_t agreed;
    /* Blocks that are still reached in the copy and in the original: where the counts of the two cannot be
     * told apart, the tables keep what can be guessed, for the pass that made them alone. */
    const bool *live, *rest_live;
} wpg_guard_plan;

/* -- What may be copied (loop_copy.c) -- */

/* In a block that every lane which enters the loop runs first? */
bool wpg_block_surely_runs(const wpg_view *view, const wpg_loop *loop, uint32_t block);
/* In a block that every lane which stays in the loop at its first test runs next? */
bool wpg_block_surely_runs_late(const wpg_view *view, const wpg_loop *loop, uint32_t block);
/* May the loop's first test be made before the loop, for the first time round: of what is constant for a draw
 * and of starts? */
bool wpg_first_test_is_plain(const wpg_view *view, const wpg_loop *loop);
bool wpg_loop_has_call_or_atomic(const wpg_view *view, const wpg_loop *loop);
/* NULL if a guarded copy of the loop may be made, as far as its shape and contents go; *preheader is then the
 * block before it. Else why not (static storage). */
const char *wpg_loop_copy_refusal(uint32_t *preheader, const wpg_view *view, const wpg_loop *loop,
                                  const wpg_id_set *exact, const wpg_id_set *helper);

/* -- The copy (loop_clone.c) -- */

/* Makes the guard and the copy; the view is stale afterwards. Enters the new blocks into the profile. */
wpg_status wpg_guard_apply(wpg_context *context, wpg_function_profile *profile, const wpg_view *view,
                           const wpg_guard_plan *plan);

/* -- The first trip (loop_peel.c) -- */

/* NULL if the loop goes round in a way that can be peeled; else why not (static storage). */
const char *wpg_peel_shape_refusal(const wpg_view *view, const wpg_loop *loop);
/* Puts a copy of the loop that is run through once before it: `folds` and `seams` are the copy's,
 * `rest_folds` and `rest_seams` those of the loop, which takes all further trips. The view is stale
 * afterwards; the profile has the new blocks. */
wpg_status wpg_peel_apply(wpg_context *context, wpg_function_profile *profile, const wpg_view *view,
                          const wpg_guard_plan *plan);

#endif
