/* Sets of values that words of uniform blocks had together: what a version of a stage may take as given.
 * Private to compiler/optimize. Threads: no shared state. */
#ifndef WPG_COMPILER_OPTIMIZE_FACTS_WORD_SETS_H
#define WPG_COMPILER_OPTIMIZE_FACTS_WORD_SETS_H

#include "compiler/optimize/ir/word_facts.h"

enum { WPG_MOST_SETS = 9 };

/* Values of some of the words. */
typedef struct wpg_word_set {
    uint64_t known;                     /* one bit a fact of profile->words */
    uint32_t bits[WPG_MOST_WORD_SITES]; /* by fact */
} wpg_word_set;

/* Sets worth a look; their number. The first has the words that had one value in `value_share`
 * of the waves asked, each by itself; it may be empty. Further sets come of the visits that the profile kept
 * with all words (wpg_word_visit): values that come back, grouped so that each set stays frequent and loses
 * little of what its visits agree on. None repeats the first. */
uint32_t wpg_word_sets(wpg_word_set sets[WPG_MOST_SETS], const wpg_function_profile *profile,
                       double value_share);

/* True if the words of `mask` have the set's values in the visit. */
bool wpg_word_set_fits(const wpg_word_set *set, uint64_t mask, const wpg_function_profile *profile,
                       const wpg_word_visit *visit);

#endif
