/* Words of uniform blocks that decide nothing, and are worth a test in a version all the same. Private to
 * compiler/optimize. Threads: no shared state. */
#ifndef WPG_COMPILER_OPTIMIZE_FOLD_WORD_WORTH_H
#define WPG_COMPILER_OPTIMIZE_FOLD_WORD_WORTH_H

#include "compiler/optimize/fold/known_words.h"

/* Of the set's words beside `decided`: those that integer arithmetic of hot code reads often enough to pay
 * for the test, and that had the set's values in every visit in which the decided words had theirs. So the
 * version serves as many waves with them. One bit a fact. `view`: of the function that the loads are of. */
uint64_t wpg_words_worth_a_test(const wpg_view *view, const wpg_function_profile *profile,
                                const wpg_known_words *known, uint64_t decided);

#endif
