/* Conditions that are the same in all trips of a loop (invariant.c), and what drivers may make of knowing
 * one. For unswitching (unswitch.c). Private to compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_INVARIANT_H
#define WPG_COMPILER_OPTIMIZE_FACTS_INVARIANT_H

#include "compiler/optimize/facts/value_fold.h"

/* NULL if the value is the same in all trips of the loop, and may be computed before it: by everyone who
 * enters, or, with *late, by those who pass the first test. "" where it changes from trip to trip, or is a
 * constant; else why not (static storage). */
const char *wpg_invariant_refusal(bool *late, const wpg_view *view, const wpg_loop *loop, uint32_t id);
/* Whether the value could be one once variables of the function are values: before the SSA tier. */
bool wpg_may_be_invariant(const wpg_view *view, const wpg_loop *loop, uint32_t id);

/* What follows from a value being these bits, or not these. */
typedef struct wpg_knowledge {
    const wpg_view *view;
    uint32_t *fact_of; /* [bound], as of wpg_folder */
    uint32_t bits[WPG_MOST_FACTS];
    uint32_t count;                  /* of facts */
    uint32_t facts, excluded, vague; /* masks, as of wpg_folder */
    bool overflows;                  /* more followed than there was room for: not to be used */
} wpg_knowledge;

/* Starts with nothing known. False when memory ran out. */
bool wpg_knowledge_init(wpg_knowledge *knowledge, const wpg_view *view, wpg_arena *arena);
/* The value is these bits; or, `excluded`, it is not. All ids that compute the same get the fact. */
void wpg_know(wpg_knowledge *knowledge, uint32_t id, uint32_t bits, bool excluded);

#endif
