/* Facts that hold in a loop's first trip, and in all further ones, by the text of the loop alone
 * (peel_facts.c). For peeling (peel.c). Private to compiler/optimize. Threads: as the module. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_PEEL_FACTS_H
#define WPG_COMPILER_OPTIMIZE_FACTS_PEEL_FACTS_H

#include "compiler/optimize/facts/value_fold.h"

/* Facts about ids of the loop, in the arena given. */
typedef struct wpg_peel_facts {
    uint32_t *fact_of;       /* [bound] number of the fact about the id; WPG_NO_FACT */
    uint32_t *first, *later; /* by fact: bits in the first trip, in each further one */
    uint32_t count;
    uint32_t of_first, of_later; /* masks: facts with known bits in the first trip; in each further one */
    uint32_t plain;              /* mask: a driver can find out the later value itself */
} wpg_peel_facts;

/* Finds the facts of the loop of `base`. Reads view, profile, loop and arena of `base` alone. False when
 * memory ran out. */
bool wpg_peel_facts_find(wpg_peel_facts *facts, const wpg_value_fold *base, uint32_t preheader);
/* `base` with the facts about further trips, or about the first. */
wpg_value_fold wpg_peel_folding(const wpg_peel_facts *facts, const wpg_value_fold *base, bool later);

#endif
