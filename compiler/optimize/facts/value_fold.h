/* What follows in a loop from facts (value_facts.h) and from known conditions. For the value guard,
 * unswitching and peeling. Private to compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_VALUE_FOLD_H
#define WPG_COMPILER_OPTIMIZE_FACTS_VALUE_FOLD_H

#include "compiler/optimize/ir/value_facts.h"
#include "compiler/optimize/loops/loop_clone.h"

typedef struct wpg_value_fold {
    const wpg_view *view;
    const wpg_function_profile *profile;
    const wpg_loop *loop;
    const uint32_t *fact_of; /* [bound] number of the fact about the place that a load reads; WPG_NO_FACT */
    const uint32_t *bits;    /* by fact: the value */
    uint32_t facts;          /* mask of the facts to go by */
    uint32_t excluded;       /* mask: the value is known not to be these bits */
    uint32_t vague;          /* mask: drivers may know more of the value than is said here */
    uint32_t hidden;         /* mask: drivers cannot know it: only the branches we decide depend on it */
    wpg_arena *arena;
    wpg_guard_fold *folds; /* in the arena */
    uint32_t fold_count;
    bool *was_live; /* [cfg->count] of the loop's blocks: reached, by the constants in it */
    bool *live;     /* [cfg->count] of those: still reached when the folds hold */
    bool *barriers; /* [bound] phis that would vanish */
    uint64_t runs;  /* lanes that ran a branch that folds */
    uint32_t dead_cost;
    bool dead_ran; /* some lane or wave was measured in a dead block */
} wpg_value_fold;

/* Fills fact_of, in `arena`. NULL when memory ran out. */
const uint32_t *wpg_value_loads(const wpg_view *view, const wpg_function_profile *profile, wpg_arena *arena);
/* Finds the branches of the loop that the facts decide, and the mask of facts they need. False when memory
 * ran out. */
bool wpg_value_fold_find(wpg_value_fold *folding, uint32_t *needed);
/* The value of a Boolean or 32-bit integer, if constants and facts give it. */
bool wpg_value_fold_value(uint32_t *bits, const wpg_value_fold *folding, uint32_t id);
/* wpg_value_fold_flow fills `live` alone; false when memory ran out. Then wpg_value_fold_edge_is_live: true
 * if, for all that is known, some lane takes the edge from a reached block to the other. */
bool wpg_value_fold_flow(wpg_value_fold *folding);
bool wpg_value_fold_edge_is_live(const wpg_value_fold *folding, uint32_t from, uint32_t to);
/* The label that a conditional branch or switch on these bits goes to. Selectors are of 32 bits: a literal is
 * one word. */
uint32_t wpg_fold_target(const wpg_inst *end, uint32_t bits);
/* Computes live, optimisation barriers, runs and dead_cost under these folds. NULL, or the reason why the
 * loop must not be folded (static storage). */
const char *wpg_value_fold_refusal(wpg_value_fold *folding);

#endif
