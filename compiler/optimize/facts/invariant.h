/* Conditions that are the same in all trips of a loop (invariant.c), and what drivers conclude from a known
 * one. For unswitching (unswitch.c). Private to compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_INVARIANT_H
#define WPG_COMPILER_OPTIMIZE_FACTS_INVARIANT_H

#include "compiler/optimize/facts/value_fold.h"

/* NULL if the value is the same in all trips of the loop and may be computed before the loop: by every lane
 * that enters, or, with *late, by the lanes that pass the first test. "" if it changes from trip to trip or
 * is a constant. Otherwise the reason (static storage). */
const char *wpg_invariant_refusal(bool *late, const wpg_view *view, const wpg_loop *loop, uint32_t id);
/* Judges an instruction of the loop by itself: true if it does, with *holds the verdict. */
typedef bool wpg_leaf_rule(bool *holds, const wpg_view *view, const wpg_loop *loop, const wpg_inst *inst);
/* True if the value might be computed from what stands before the loop and from leaves whose rule holds, by
 * instructions that may run at any time and compute no float. Asked before the SSA tier. `depth`: 0. */
bool wpg_may_follow(const wpg_view *view, const wpg_loop *loop, uint32_t id, wpg_leaf_rule *leaf,
                    unsigned depth);
/* True if the value might be invariant once the function's variables are values: asked before the SSA
 * tier. */
bool wpg_may_be_invariant(const wpg_view *view, const wpg_loop *loop, uint32_t id);

/* The facts that follow if a value has these bits, or has not. */
typedef struct wpg_knowledge {
    const wpg_view *view;
    uint32_t *fact_of; /* [bound], as of wpg_value_fold */
    uint32_t bits[WPG_MOST_FACTS];
    uint32_t count;                  /* of facts */
    uint32_t facts, excluded, vague; /* masks, as of wpg_value_fold */
    bool overflows;                  /* more followed than there was room for: not to be used */
} wpg_knowledge;

/* Starts with nothing known. False when memory ran out. */
bool wpg_knowledge_init(wpg_knowledge *knowledge, const wpg_view *view, wpg_arena *arena);
/* Records that the value has these bits or, with `excluded`, that it has not. All ids that compute the same
 * value get the fact. */
void wpg_know(wpg_knowledge *knowledge, uint32_t id, uint32_t bits, bool excluded);

#endif
